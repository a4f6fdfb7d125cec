"""Checkpoints against the rest of the scenario: intervals that cannot be, and the best one.

On the map: scenario, below scenario.py. The best interval is that of a job whose failures come at
a constant rate; Young's (1974) and Daly's (2006) approximations are told beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from failcast.scenario.errors import Refused
from failcast.scenario.recovering import SEVERITIES, Tier
from failcast.scenario.units import format_duration

if TYPE_CHECKING:
    from failcast.scenario.scenario import Scenario

_MOST_STEPS: Final = 100
_CLOSE: Final = 1e-13


@dataclass(frozen=True)
class Optimum:
    """The best interval between checkpoints and two well-known approximations, in hours.

    ``interval`` is infinite where nothing that fails could be mended by a checkpoint. Young and
    Daly know one kind of checkpoint and failures at any time; where tiers keep every n-th
    checkpoint they are given the rate of failures times n, as the best interval is.
    """

    interval: float
    young: float
    daly: float


def refuse_checkpoints(scenario: Scenario) -> None:
    """Raise Refused for checkpoints that are never written, never safe, or cost nothing."""
    checkpoint, length = scenario.checkpoint, scenario.job.length
    if not checkpoint.are_written:
        return
    tiers = checkpoint.tiers.named()
    if not tiers:
        raise _refused(
            f"checkpoint.interval is {_text(checkpoint.interval)}, but all tiers are off, so that "
            "no checkpoint is kept anywhere: switch a tier on, or write checkpoint: none.",
            "checkpoint.tiers",
        )
    if checkpoint.interval == "optimal":
        if checkpoint.write.mean_hours == 0.0:
            raise _refused(
                "checkpoint.interval is optimal, but checkpoint.write takes no time, so that no "
                "interval is too short: give the time of a write, or an interval.",
                "checkpoint.interval",
                "checkpoint.write",
            )
        return
    interval = float(checkpoint.interval)
    if interval >= length:
        raise _refused(
            f"checkpoint.interval ({format_duration(interval)}) is not shorter than job.length "
            f"({format_duration(length)}), so that no checkpoint would be written: choose a "
            "shorter one, or write checkpoint: none.",
            "checkpoint.interval",
            "job.length",
        )
    for name, tier in tiers:
        _refuse_tier(name, tier, interval, length)


def _refuse_tier(name: str, tier: Tier, interval: float, length: float) -> None:
    place = f"checkpoint.tiers.{name}"
    if tier.every * interval >= length:
        raise _refused(
            f"{place} keeps every {tier.every}th checkpoint, the first after "
            f"{format_duration(tier.every * interval)} of computing, which is not before the end "
            f"of the job (job.length is {format_duration(length)}): lower its every, or switch it "
            "off.",
            f"{place}.every",
            "checkpoint.interval",
            "job.length",
        )
    if tier.persist.mean_hours >= length:
        raise _refused(
            f"{place} needs {format_duration(tier.persist.mean_hours)} until a checkpoint is safe, "
            f"which is not before the end of the job (job.length is {format_duration(length)}): "
            "lower its persist, or switch it off.",
            f"{place}.persist",
            "job.length",
        )


def _refused(sentence: str, *fields: str) -> Refused:
    return Refused("", sentence=sentence, fields=fields)


def _text(interval: float | str) -> str:
    return interval if isinstance(interval, str) else format_duration(interval)


def interval_hours(scenario: Scenario) -> float:
    """Return the computing between two checkpoints in hours; infinite where none is written."""
    interval = scenario.checkpoint.interval
    if interval == "optimal":
        return optimum(scenario).interval
    return math.inf if isinstance(interval, str) else float(interval)


def optimum(scenario: Scenario) -> Optimum:
    """Return the best interval between checkpoints.

    Failures at rate r of a job that computes for t, then writes for w and starts again from its
    last checkpoint: a segment takes (exp(r (t + w)) - 1) / r on average, but for what a recovery
    takes, and t is best where that over t is least (Daly 2006, from which the exact optimum follows
    by setting the derivative to zero). Where nothing fails during a write it is
    (exp(r t) - 1) / r + w. A tier that keeps every n-th checkpoint loses n times as much: r is
    weighted by the n of the tier that a failure needs.
    """
    rate, write = _loss_rate(scenario), scenario.checkpoint.write.mean_hours
    if rate == 0.0 or write == 0.0:
        return Optimum(math.inf if rate == 0.0 else 0.0, math.inf, math.inf)
    young = math.sqrt(2.0 * write / rate)
    half = 0.5 * write * rate
    daly = 1.0 / rate
    if half < 1.0:
        daly = young * (1.0 + math.sqrt(half) / 3.0 + half / 9.0) - write
    exposed = scenario.failures.exposure.checkpointing
    solve = _exposed if exposed else _safe
    return Optimum(solve(rate * write) / rate, young, daly)


def _exposed(c: float) -> float:
    """Solve x = 1 - exp(-(x + c)) for x > 0, by Newton's steps from the right."""
    x = 1.0
    for _ in range(_MOST_STEPS):
        decay = math.exp(-(x + c))
        step = (x - 1.0 + decay) / (1.0 - decay)
        x -= step
        if abs(step) <= _CLOSE * x:
            break
    return x


def _safe(c: float) -> float:
    """Solve exp(x) (x - 1) + 1 = c for x > 0 by Newton's steps from the right."""
    x = min(math.sqrt(2.0 * c), 1.0 + math.log1p(c))
    for _ in range(_MOST_STEPS):
        step = (x - 1.0 + (1.0 - c) * math.exp(-x)) / x
        x -= step
        if abs(step) <= _CLOSE * x:
            break
    return x


def _loss_rate(scenario: Scenario) -> float:
    """Failures of the job per hour, each weighted by how much of a tier's cycle it loses."""
    failures, diagnosis = scenario.failures, scenario.diagnosis
    systematic = failures.systematic
    rate = scenario.job.servers * failures.random.rate
    rate *= 1.0 + systematic.fraction * systematic.multiplier
    stays = 1.0 - diagnosis.probability
    shares = {
        "crash": stays * (1.0 - failures.reboot),
        "reboot": stays * failures.reboot,
        "server": diagnosis.probability,
    }
    return rate * sum(share * _every(scenario, name) for name, share in shares.items())


def _every(scenario: Scenario, severity: str) -> int:
    """The n of the tier that keeps most checkpoints of those that survive; 0 where none does."""
    ranks = list(SEVERITIES)
    found = [
        tier.every
        for _, tier in scenario.checkpoint.tiers.named()
        if ranks.index(tier.survives) >= ranks.index(severity)
    ]
    return min(found, default=0)
