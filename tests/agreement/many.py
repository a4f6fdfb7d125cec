"""Very many scenarios, each a function of its number alone: the mass comparison of both engines.

Without the bookkeeping that lets hypothesis shrink a failure, a scenario takes half the time. On
the map: beside test_engines.py, which runs some in CI. `python -m tests.agreement.many 0 100000`
runs the first hundred thousand, and names each one on which the engines differ.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.strategies import FACTORS, SHOP, build, possible

from failcast.engine import draw
from failcast.scenario import (
    Constant,
    ConstantLife,
    Distribution,
    Empirical,
    EmpiricalLife,
    Exponential,
    ExponentialLife,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    LognormalLife,
    Mixture,
    MixtureLife,
    Never,
    Regeneration,
    Relapse,
    Requalification,
    Retirement,
    Scenario,
    ScoreFloor,
    Shift,
    SpareParts,
    Threshold,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)


class Dice:
    """A sequence of chances that belongs to one number."""

    def __init__(self, number: int) -> None:
        self._number, self._thrown = number, 0

    def between(self, low: float, high: float) -> float:
        """Return a number in [low, high)."""
        self._thrown += 1
        return low + (high - low) * draw(self._number, 0, 0, 0, self._thrown)

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return int(self.between(low, high + 1))

    def one_of(self, choices: Sequence[Any]) -> Any:
        """Return one of the choices."""
        return choices[self.whole(0, len(choices) - 1)]


def hours(dice: Dice, most: float) -> float:
    """Return a duration: zero, a whole number of hours (for ties) or anything up to ``most``."""
    return float(dice.one_of((0.0, dice.whole(1, 10), dice.between(1e-3, most))))


def single(dice: Dice, most: float) -> Distribution:
    """Return a distribution of durations of any family but mixtures."""
    first, second = sorted((hours(dice, most), hours(dice, most)))
    shape, sigma = dice.between(0.4, 4.0), dice.between(0.0, 2.0)
    families: tuple[Callable[[], Distribution], ...] = (
        lambda: Constant(value=first),
        lambda: Exponential(mean=second),
        lambda: Weibull(mean=second, shape=shape),
        lambda: Gamma(mean=second, shape=dice.between(0.05, 5.0)),
        lambda: Lognormal(median=second, sigma=sigma),
        lambda: Uniform(low=first, high=second),
        lambda: Empirical(values=[hours(dice, most) for _ in range(dice.whole(1, 8))]),
    )
    made: Distribution = dice.one_of(families)()
    return made


def parts(dice: Dice, most: float) -> tuple[tuple[float, Distribution], ...]:
    """Return the weighted parts of a mixture."""
    weights = [dice.whole(1, 100) for _ in range(dice.whole(2, 5))]
    return tuple((weight / sum(weights), single(dice, most)) for weight in weights)


def duration(dice: Dice, most: float = 20.0) -> Distribution:
    """Return a distribution of durations of any family."""
    return single(dice, most) if dice.between(0.0, 1.0) < 0.8 else Mixture(parts=parts(dice, most))


def life(dice: Dice) -> Life:
    """Return a shape of server lives of any family."""
    families: tuple[Callable[[], Life], ...] = (
        ExponentialLife,
        ConstantLife,
        lambda: WeibullLife(shape=dice.between(0.4, 4.0)),
        lambda: LognormalLife(sigma=dice.between(0.0, 1.5)),
        lambda: GammaLife(shape=dice.between(0.1, 5.0)),
        lambda: UniformLife(spread=dice.between(0.01, 1.0)),
        lambda: EmpiricalLife(values=[dice.between(0.1, 100.0) for _ in range(dice.whole(1, 8))]),
        lambda: MixtureLife(parts=((0.5, Exponential(mean=5.0)), (0.5, Constant(value=1.0)))),
    )
    made: Life = dice.one_of(families)()
    return made


def retirement(dice: Dice) -> Retirement:
    """Return a retirement rule of any kind."""
    rules: tuple[Retirement, ...] = (
        Never(),
        Threshold(failures=dice.whole(1, 4), window=dice.between(1.0, 200.0)),
        ScoreFloor(floor=dice.one_of((0.0, 45.0, 70.0))),
    )
    made: Retirement = dice.one_of(rules)
    return made


def shift(dice: Dice) -> Shift:
    """Return a shift of any begin and length, in whole hours often."""
    return Shift(
        begin=dice.one_of((dice.whole(0, 23), dice.between(0.0, 24.0))),
        hours=dice.one_of((dice.whole(1, 24), dice.between(1e-3, 24.0))),
        days=dice.whole(1, 7),
    )


def parts_in_stock(dice: Dice) -> SpareParts:
    """Return parts that are needed now and then or always, few of them in stock."""
    return SpareParts(
        probability=probability(dice), stock=dice.whole(0, 5), lead_time=duration(dice, 50.0)
    )


def requalification(dice: Dice) -> Requalification:
    """Return a test after repairs that finds all, nothing or a part of what went wrong."""
    return Requalification(time=duration(dice), detects=probability(dice))


def relapse(dice: Dice) -> Relapse:
    """Return faults that strike again, at all servers alike or at some of them more."""
    time = single(dice, 20.0)
    return Relapse(
        probability=dice.between(0.0, 0.9),
        time=time if time.mean_hours > 0.0 else "empirical(0 h, 1 h, 2 h)",
        concentration=dice.one_of((math.inf, dice.between(0.01, 20.0))),
    )


def probability(dice: Dice) -> float:
    """Return a probability, often a certain one."""
    return float(dice.one_of((0.0, 1.0, dice.between(0.0, 1.0))))


#: Option -> how to throw a value; an option without an entry has only its levels in ``FACTORS``.
THROWN: Mapping[str, Callable[[Dice], Any]] = {
    "servers": lambda dice: dice.whole(1, dice.one_of((4, 40))),
    "standbys": lambda dice: dice.whole(0, 6),
    "idle": lambda dice: dice.whole(-3, 6),
    "spares": lambda dice: dice.whole(0, 8),
    "life": life,
    "replay": lambda dice: dice.whole(0, 200),
    "initial_age": lambda dice: dice.between(0.0, 0.9),
    "failures": lambda dice: dice.between(1.0, 300.0),
    "defective": lambda dice: (probability(dice), dice.between(0.0, 8.0)),
    "regeneration": lambda dice: Regeneration(
        interval=dice.between(2.0, 150.0), share=dice.between(0.01, 1.0)
    ),
    **dict.fromkeys(
        ("diagnosed", "wrong_server", "escalate", "automated_silent", "manual_silent"), probability
    ),
    **dict.fromkeys(("recovery", "selection"), lambda dice: duration(dice, 2.0)),
    **dict.fromkeys(("wait", "automated", "manual"), duration),
    "shift": shift,
    "parts": parts_in_stock,
    "requalification": requalification,
    "relapse": relapse,
    "retirement": retirement,
}


def scenario(number: int) -> Scenario:
    """Return the scenario of this number."""
    dice = Dice(number)
    case = {
        name: THROWN[name](dice)
        if name in THROWN and dice.between(0.0, 1.0) < 0.6
        else dice.one_of(levels)
        for name, levels in FACTORS.items()
    }
    if dice.between(0.0, 1.0) < 0.5:  # no limits: a repair is drawn whole at the blame
        case |= {name: FACTORS[name][0] for name in SHOP}
    if dice.between(0.0, 1.0) < 0.7:
        case["replay"] = 0  # or lives would be drawn in half of the scenarios only
    return build(possible(case), seed=number)


def cut_short(number: int) -> Scenario:
    """Return a scenario that ends after few events, every other one with ties all over.

    Where a run ends in the midst of an instant decides what still happened.
    """
    dice = Dice(number)
    dice.whole(0, 0)
    plain = scenario(number).with_(run__max_events=dice.whole(1, dice.one_of((20, 200))))
    if number % 2:
        return plain
    return plain.with_(
        failures__initial_age="new",
        repair__restores="new",
        failures__life=dice.one_of(("constant", "empirical(1 h, 2 h, 3 h)")),
        failures__random__rate=dice.one_of((1.0, 0.5, 0.25)),
        failures__systematic__fraction=0.0,
        recovery__time="0 h",
        selection__time="0 h",
        repair__automated__time=dice.one_of(("0 h", "1 h", "empirical(0 h, 1 h)")),
        repair__automated__escalate=0.5,
    )


def large(number: int) -> Scenario:
    """Return a scenario of some hundred servers whose repairs take from no time to months.

    Its calendars have to go back to days that they had passed, and to skip laps without an event.
    """
    dice = Dice(number)
    servers, standbys = dice.one_of((100, 250, 400)), dice.one_of((0, 5, 60))
    automated = ("5 d", "exponential(30 h)", "0 h", "uniform(1 h, 200 d)", "constant(300 h)")
    manual = ("5 d", "exponential(300 h)", "lognormal(median=1 h, sigma=5)")
    return scenario(number).with_(
        cluster__working_pool=servers + standbys + dice.one_of((0, 20, 150)),
        cluster__spare_pool=dice.one_of((0, 30)),
        job__servers=servers,
        job__warm_standbys=standbys,
        failures__random__rate=dice.one_of((0.3, 3.0)) / servers,
        repair__automated__time=dice.one_of(automated),
        repair__manual__time=dice.one_of(manual),
        run__max_events=2500,
        failures__initial_age=dice.one_of(("new", "stationary")),
    )


def main(first: int, count: int) -> int:
    """Compare the engines on the scenarios from ``first`` on; return how many differ."""
    from tests.agreement.test_engines import agree

    differing = 0
    for done, number in enumerate(range(first, first + count), start=1):
        try:
            agree(scenario(number))
        except Exception as error:
            differing += 1
            print(f"scenario {number}: {error}", flush=True)
        if done % 1000 == 0:
            print(f"{done:,} of {count:,} compared, {differing} differ", flush=True)
    return differing


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]), int(sys.argv[2]))))
