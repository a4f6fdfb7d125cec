"""How old servers are: the age at the start, and whether a repair keeps it.

On the map: scenario, below scenario.py, which asks here whether ages and lives go together. An age
is in hours of the clock that lives run on, exposure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

from failcast.scenario.drawn import (
    CONSTANT,
    EMPIRICAL,
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    MIXTURE,
    MIXTURE_ROW,
    UNIFORM,
    WEIBULL,
    Kernel,
)
from failcast.scenario.errors import Refused, did_you_mean, nearest
from failcast.scenario.lives import ExponentialLife, Life, MixtureLife, WeibullLife
from failcast.scenario.rules import Choice, Duration, Plain
from failcast.scenario.units import format_duration, format_rate

if TYPE_CHECKING:
    from failcast.scenario.scenario import Scenario

#: How old the servers are when the job starts, where that is no number of hours.
INITIAL_AGES: Final = {
    "new": "Every server starts a new life.",
    "stationary": (
        "Every server is somewhere in a life, as if it had been at work for ever: failures come at "
        "their long-term rate from the start."
    ),
}
#: What a repair does to a server's age.
RESTORES: Final = {
    "new": "A repair starts a new life.",
    "age_kept": (
        "A server goes on at the age it had (minimal repair): its failures are a Poisson process "
        "whose rate is the hazard at its age. For exponential and Weibull lives."
    ),
}
#: Least share of servers that must live as long as the age that all of them are given.
LEAST_SURVIVAL: Final = 1e-3


@dataclass(frozen=True)
class Age(Duration):
    """A duration, or one of the names of a registry, which maps each name to its meaning."""

    registry: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any, *, units_required: bool) -> Any:
        """Return a name, or hours. Raises Refused."""
        if isinstance(value, str) and value in self.registry:
            return value
        try:
            return super().read(value, units_required=units_required)
        except Refused as refused:
            if not isinstance(value, str) or not value.strip().replace("_", "").isalpha():
                raise
            hint = did_you_mean(nearest(value, self.registry))
            names = ", ".join(self.registry)
            rule = f"it must be {names} or a duration such as '30 d'{hint}"
            raise Refused(rule) from refused

    def plain(self, value: Any) -> Plain:
        """Return the name, or the duration as a file holds it."""
        return value if isinstance(value, str) else super().plain(value)


#: A field with the age of all servers at the start: a name, or hours.
InitialAge = Annotated[float | str, Age(registry=INITIAL_AGES)]
#: A field that says what a repair does to an age.
Restores = Annotated[str, Choice(RESTORES)]


class LengthBiased:
    """The life in whose midst a server is found: long lives are found more often, by their length.

    As ``Drawn``, for a life of mean 1. ``kernel()`` is that of the life; what is drawn from it
    differs, and the engines know how.
    """

    def __init__(self, life: Life) -> None:
        self._life = life
        parts = life.parts if isinstance(life, MixtureLife) else ()
        total = math.fsum(weight * part.mean_hours for weight, part in parts)
        #: Of a mixture: the factor by which its parts have a mean of 1 together.
        self._factor = math.fsum(weight for weight, _ in parts) / total if parts else 1.0
        #: And the parts whose draws are longer than 0, each with the share of its length.
        self._parts = [
            (weight * part.mean_hours / total, part) for weight, part in parts if part.mean_hours
        ]

    def kernel(self) -> Kernel:
        """Return code, a and b of the life; of a mixture, b counts the parts longer than 0."""
        kind, a, b = self._life.kernel()
        return kind, a, float(len(self._parts)) if kind == MIXTURE else b

    def table(self) -> tuple[float, ...]:
        """Return the numbers behind ``kernel()``.

        Of measured values: the values, then their cumulative shares of the length of all. Of a
        mixture: a row for each part, as ``Mixed`` has it, then such numbers of measured parts.
        """
        if not self._parts:
            return _with_shares(self._life.table())
        rows: list[float] = []
        values: list[float] = []
        reached = 0.0
        for share, part in self._parts:
            reached += share
            kind, a, b = part.kernel()
            if kind == EMPIRICAL:
                a = float(MIXTURE_ROW * len(self._parts) + len(values))
                values += _with_shares(tuple(self._factor * value for value in part.table()))
            else:
                a, b = self._factor * a, self._factor * b if kind == UNIFORM else b
            rows += [reached, float(kind), a, b]
        return (*rows, *values)


def _with_shares(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return values and, behind them, their cumulative shares of the sum."""
    total, reached, shares = math.fsum(values), 0.0, []
    for value in values:
        reached += value / total
        shares.append(reached)
    return (*values, *shares)


def survival(life: Life, age: float) -> float:
    """Return the share of lives of mean 1 that are longer than ``age``."""
    kind, a, b = life.kernel()
    table = life.table()
    if kind == EMPIRICAL:
        return _longer(table, age)
    if kind != MIXTURE:
        return _survival(kind, a, b, age)
    before, total = 0.0, 0.0
    for row in range(0, MIXTURE_ROW * int(b), MIXTURE_ROW):
        reached, code, c, d = table[row : row + MIXTURE_ROW]
        values = table[int(c) : int(c) + int(d)] if code == EMPIRICAL else ()
        part = _longer(values, age) if values else _survival(int(code), c, d, age)
        total += (reached - before) * part
        before = reached
    return total


def _longer(values: tuple[float, ...], age: float) -> float:
    return sum(value > age for value in values) / len(values)


def _survival(kind: int, a: float, b: float, age: float) -> float:
    """Return the share of draws above ``age`` > 0 of a distribution that three numbers describe."""
    if kind == UNIFORM and a < b:
        return min(1.0, max(0.0, (b - age) / (b - a)))
    if kind in (CONSTANT, UNIFORM) or a == 0.0 or (kind == LOGNORMAL and b == 0.0):
        return float(a > age)
    if kind == EXPONENTIAL:
        return math.exp(-age / a)
    if kind == WEIBULL:
        return math.exp(-math.exp(min(700.0, math.log(age / a) / b)))
    if kind == LOGNORMAL:
        return 0.5 * math.erfc(math.log(age / a) / (b * math.sqrt(2.0)))
    assert kind == GAMMA
    from scipy import special  # loaded where it is needed, which is hardly ever

    return float(special.gammaincc(b, age / a))


def refuse_impossible_ages(scenario: Scenario) -> None:
    """Raise Refused where the servers cannot be so old, or their ages cannot be kept."""
    life, restores = scenario.failures.life, scenario.repair.restores
    if restores == "age_kept" and not isinstance(life, ExponentialLife | WeibullLife):
        sentence = (
            f"repair.restores is age_kept, but failures.life is {life.expression()}: only "
            "exponential and weibull lives can keep their age. Choose one of these, or "
            "repair.restores: new."
        )
        raise Refused("", sentence=sentence, fields=("repair.restores", "failures.life"))
    age, rate = scenario.failures.initial_age, scenario.failures.random.rate
    if isinstance(age, str) or age == 0.0 or rate == 0.0 or isinstance(life, ExponentialLife):
        return
    if scenario.failures.replay is not None:
        return  # no life is drawn
    systematic = scenario.failures.systematic
    conditions = {
        "good": (systematic.fraction < 1.0, rate),
        "defective": (systematic.fraction > 0.0, rate * (1.0 + systematic.multiplier)),
    }
    for name, (exists, its_rate) in conditions.items():
        if exists and survival(life, age * its_rate) < LEAST_SURVIVAL:
            raise _too_old(scenario, age, name, its_rate)


def _too_old(scenario: Scenario, age: float, condition: str, rate: float) -> Refused:
    life, days = scenario.failures.life, 1.0 / (24.0 * rate)
    mean = f"{days:.4g} d" if days >= 1.0 else f"{24.0 * days:.4g} h"
    sentence = (
        f"failures.initial_age is {format_duration(age)}, but of 1,000 {condition} servers fewer "
        f"than one would get so old: with failures.life {life.expression()} and "
        f"{format_rate(rate)} for a {condition} server lives last {mean} on average. Choose a "
        "shorter age, or stationary."
    )
    fields = ["failures.initial_age", "failures.life", "failures.random.rate"]
    if condition == "defective":
        fields += ["failures.systematic.multiplier", "failures.systematic.fraction"]
    return Refused("", sentence=sentence, fields=tuple(fields))
