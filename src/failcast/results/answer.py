"""The answer of a sample in sentences: the first thing a user reads.

On the map: results. It says how long training takes, how sure that is, where the largest part of
the time goes, and what became of the runs that did not finish, with what to change about it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from failcast.engine import Status
from failcast.results import wording
from failcast.results.wording import Unit

if TYPE_CHECKING:
    from failcast.results.precision import Precision
    from failcast.results.sample import Sample

BUCKET_WORDS = {
    "lost_hours": "computing lost work again takes",
    "degraded_hours": "running slow or short of servers costs",
    "checkpoint_hours": "writing checkpoints takes",
    "recovery_hours": "recovery after failures takes",
    "selection_hours": "host selection takes",
    "waiting_hours": "waiting for servers from the spare pool takes",
    "stalled_hours": "stalling for want of servers takes",
}


def answer(sample: Sample) -> str:
    """Say in one or a few sentences what `sample` found."""
    sentences = [*_what_was_found(sample), *_how_it_ended(sample)]
    return " ".join(sentences)


def _what_was_found(sample: Sample) -> list[str]:
    if sample.finished == 0:
        return [_nothing_finished(sample)]
    sentences = [f"{_training(sample)}: {_ettr(sample)}; {_largest_cost(sample)}."]
    if sample.values("failures").max() == 0:
        sentences.append("No failure was seen.")
    if sample.unfinished:
        sentences.append(_some_unfinished(sample))
    return sentences


def _training(sample: Sample) -> str:
    """`Training takes 411.4 days (95 % interval 411.2 to 411.5) for 256 days of work`."""
    mean = float(sample.values("training_hours").mean())
    unit = wording.time_unit(mean)
    work = wording.quantity(sample.scenario.job.length, unit)
    verb = "Training takes"
    if sample.unfinished:
        verb = f"Training finishes in {sample.finished:,} of {sample.replications:,} runs; it takes"
    return f"{verb} {_mean_and_interval(sample, mean, unit)} for {work} of work"


def _mean_and_interval(sample: Sample, mean: float, unit: Unit) -> str:
    interval = sample.interval("training_hours")
    if interval is None:
        return f"{wording.quantity(mean, unit)} (one run: no interval)"
    half = (interval.high - interval.low) / 2.0 / unit.hours
    if half == 0.0:
        return f"{wording.quantity(mean, unit)} (the same in every run)"
    decimals = wording.decimals_for_error(half, digits=1)
    centre, low, high = (
        wording.number(hours / unit.hours, decimals) for hours in (mean, *interval)
    )
    confidence = f"{100.0 * sample.confidence:g} %"
    return f"{centre} {unit.name} ({confidence} interval {low} to {high})"


def _ettr(sample: Sample) -> str:
    mean = sample.mean("ettr")
    return f"ETTR {wording.percent(mean if mean is not None else 0.0)}"


def _largest_cost(sample: Sample) -> str:
    """`recovery after failures takes 38 % of the time`: the largest bucket without progress.

    It stands beside the mean ETTR, so it is a mean of the runs' shares too: what two figures of
    one definition leave out is never less than nothing.
    """
    shares = sample.wall_shares()
    largest = max(BUCKET_WORDS, key=lambda name: shares[name])
    if shares[largest] == 0.0:
        return "every hour is productive"
    return f"{BUCKET_WORDS[largest]} {wording.percent(shares[largest])} of the time"


def _nothing_finished(sample: Sample) -> str:
    runs = "the one run" if sample.replications == 1 else f"any of {sample.replications:,} runs"
    return f"Training does not finish in {runs}: {_reasons(sample)}"


def _some_unfinished(sample: Sample) -> str:
    return (
        f"The means are over the runs that finish, which are the luckier ones: {_reasons(sample)}"
    )


def _reasons(sample: Sample) -> str:
    """Each way in which runs failed to finish, with what the user can change; full sentences."""
    words = {
        Status.DEPLETED.label: _depleted(sample),
        Status.OUT_OF_TIME.label: _out_of_time(sample),
        Status.OUT_OF_EVENTS.label: _out_of_events(sample),
    }
    return " ".join(
        f"{_these(count, sample.replications)} {words[label]}"
        for label, count in sample.unfinished.items()
    )


def _these(count: int, replications: int) -> str:
    if count == replications:
        return "it" if count == 1 else "all"
    return f"{count:,} {'run' if count == 1 else 'runs'}"


def _depleted(sample: Sample) -> str:
    return (
        "ran out of servers (depleted): too many were retired to ever have "
        f"job.servers = {sample.scenario.job.servers:,} again. Add servers (cluster.working_pool, "
        "cluster.spare_pool), ask for fewer (job.servers) or retire fewer (retirement)."
    )


def _out_of_time(sample: Sample) -> str:
    hours, length = sample.scenario.horizon_hours, sample.scenario.job.length
    reached = f"reached the horizon of {_duration(hours)} (out_of_time)"
    if hours <= length:
        return f"{reached}, which is too short for {_duration(length)} of work. Raise run.horizon."
    cause = "" if sample.finished else f"; up to then, {_largest_cost(sample)}"
    return f"{reached}{cause}. Make failures or recovery cheaper, or raise run.horizon."


def _duration(hours: float) -> str:
    return wording.quantity(hours, wording.time_unit(hours))


def _out_of_events(sample: Sample) -> str:
    limit = f"{sample.scenario.run.max_events:,}"
    return f"reached run.max_events = {limit} (out_of_events). Raise it, or shorten job.length."


def _how_it_ended(sample: Sample) -> list[str]:
    """What became of a wanted precision, and of a sample that Ctrl-C cut short."""
    runs = _runs(sample.replications)
    cut = [f"The simulation was interrupted: these are its first {runs}."]
    sentences = cut if sample.interrupted else []
    if sample.precision is not None and not sample.precision.met:
        sentences.append(_not_precise(sample, sample.precision))
    return sentences


def _not_precise(sample: Sample, precision: Precision) -> str:
    """`The precision of 1 % is not reached: after 500 runs the mean of failures is known to …`."""
    wanted = f"The precision of {100.0 * precision.wanted:.6g} % is not reached"
    after = f"after {_runs(sample.replications)}"
    if sample.finished == 0:
        return f"{wanted}, as no run finishes; so there are no more than {sample.replications:,}."
    if precision.reached is None:
        few = "only one of them finished" if sample.finished == 1 else "it is zero in every run"
        return (
            f"{wanted}: {after} {precision.metric} has no interval relative to its mean, as {few}."
        )
    need = sample.replications * (precision.reached / precision.wanted) ** 2
    digits = max(0, math.floor(math.log10(need)) - 1)
    advice = "" if sample.interrupted else ": raise max_replications"
    known = f"the mean of {precision.metric} is known to ± {wording.percent(precision.reached)}"
    return f"{wanted}: {after} {known}; some {round(need, -digits):,.0f} would do{advice}."


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
