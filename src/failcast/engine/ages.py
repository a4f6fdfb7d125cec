"""Ages: the first life of a server that is not new, and the lives of servers that keep their age.

Beside ``lives.py``, and compiled as that is for both engines. An age is in hours of exposure, the
clock that lives run on. With ``age_kept``, failures are a Poisson process whose rate is the hazard
at the age (Barlow and Hunter 1960, "minimal repair"), which has a closed form for Weibull lives:
the power law process (Crow 1974). Exponential lives have no age to speak of.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare
from failcast.engine.lives import life_hours
from failcast.engine.plan import START_NEW, START_STATIONARY
from failcast.engine.random import (
    AGED,
    LENGTH_BIASED,
    LENGTH_LEFT,
    LIFE,
    address,
    bits,
    exponential,
    fresh,
    gamma,
    normal,
    number_at,
    sample,
    to_unit,
    uniform,
)
from failcast.engine.tables import code
from failcast.scenario.drawn import (
    EMPIRICAL,
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    MIXTURE_ROW,
    UNIFORM,
    WEIBULL,
)

_FIRST: Final = code(0)
#: A scenario refuses an age that fewer than 1 in 1,000 reach: so many draws miss it in 1 of e**100.
_MOST_DRAWS: Final = 100_000
#: Beyond this, e**x and e**x - 1 are the same number.
_LARGE: Final = 40.0


@bare
def initial_life(plan, root, server, defective):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of a server's life at time zero, in hours of exposure."""
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if plan.start == START_NEW or plan.life_kind == EXPONENTIAL or math.isinf(mean):
        return life_hours(plan, root, server, _FIRST, defective)
    if plan.start == START_STATIONARY:
        place = address(root, server, _FIRST)
        return mean * _length_biased(plan, place) * (1.0 - uniform(place, LENGTH_LEFT))
    if plan.life_kind == WEIBULL:
        return life_from(plan, root, server, _FIRST, defective, plan.initial_age)
    return _life_behind(plan, mean, address(root, server, _FIRST))


@bare
def initial_end(plan, root, server, defective, left):  # type: ignore[no-untyped-def]  # compiled
    """Return the age at which a server's first life ends, of which so much is ``left``."""
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if plan.start == START_STATIONARY and plan.life_kind == WEIBULL and not math.isinf(mean):
        return mean * _length_biased(plan, address(root, server, _FIRST))
    return plan.initial_age + left  # of new servers the initial age is 0


@bare
def life_from(plan, root, server, renewal, defective, age):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of a life, in hours, that has reached an ``age``: Weibull, exponential.

    Its cumulative hazard from that age on is a unit exponential, that of the server's
    ``renewal``-th life: at age 0 this is that life.
    """
    mean = plan.life_mean_defective if defective else plan.life_mean_good
    if plan.life_kind != WEIBULL or not age > 0.0 or math.isinf(mean):
        return life_hours(plan, root, server, renewal, defective)
    hazard = exponential(bits(address(root, server, renewal), LIFE))
    return mean * _weibull_from(plan.life_a, plan.life_b, age / mean, hazard)


@bare
def _weibull_from(scale, power, age, hazard):  # type: ignore[no-untyped-def]  # compiled
    """Return how long after an ``age`` > 0 so much cumulative hazard is spent; power = 1/shape.

    That is scale (u + hazard)**power - age, where u is the hazard spent before. Written so that
    little of it does not drown in the age, and that no power overflows.
    """
    log_before = math.log(age / scale) / power
    if log_before > 0.0:
        return age * math.expm1(power * math.log1p(hazard * math.exp(-log_before)))
    before = math.exp(log_before)
    if hazard < before:
        return age * math.expm1(power * math.log1p(hazard / before))
    return max(0.0, scale * math.pow(before + hazard, power) - age)


@bare
def in_other_condition(plan, left, age, defective):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left of a life once its server turns defective, or good, at an ``age``.

    What cumulative hazard was left is spent at the rate of the new condition.
    """
    factor = 1.0 / plan.hazard_ratio if defective else plan.hazard_ratio
    if plan.life_kind != WEIBULL or math.isinf(left) or not age > 1e-200 * left:
        return left / plan.hazard_ratio if defective else left * factor
    shape = 1.0 / plan.life_b
    spent = shape * math.log1p(left / age)
    if not spent > 0.0:
        return left
    hazard = shape * math.log(factor) + (spent if spent > _LARGE else math.log(math.expm1(spent)))
    spent = hazard if hazard > _LARGE else math.log1p(math.exp(hazard))
    return age * math.expm1(plan.life_b * spent)


@bare
def _life_behind(plan, mean, place):  # type: ignore[no-untyped-def]  # compiled
    """Return what is left, in hours, of a life that is known to be longer than the initial age."""
    kind, a, b, age = plan.life_kind, plan.life_a, plan.life_b, plan.initial_age / mean
    if kind == UNIFORM:
        low = max(a, age)
        return mean * max(0.0, low - age + (b - low) * uniform(place, LIFE))
    life, word = sample(kind, a, b, place, LIFE), bits(place, AGED)
    tries = 0
    while not life > age and tries < _MOST_DRAWS:
        tries += 1
        life = sample(kind, a, b, fresh(word, tries), LIFE)
    return mean * max(0.0, life - age)


@bare
def _length_biased(plan, place):  # type: ignore[no-untyped-def]  # compiled
    """Return a life of mean 1 in whose midst a server is found; longer ones are more often."""
    kind, b, word = plan.length_biased_kind, plan.length_biased_b, bits(place, LENGTH_BIASED)
    if kind < EMPIRICAL:
        return _biased(kind, plan.length_biased_a, b, word)
    table = np.uint64(plan.length_biased_a)
    if kind == EMPIRICAL:
        return _one_by_length(table, 0, int(b), word)
    chosen, last, u = 0, int(b) - 1, to_unit(word)
    while chosen < last and u >= number_at(table, MIXTURE_ROW * chosen).is_:
        chosen += 1
    row = MIXTURE_ROW * chosen
    component = int(number_at(table, row + 1).is_)
    c, d = number_at(table, row + 2).is_, number_at(table, row + 3).is_
    if component == EMPIRICAL:
        return _one_by_length(table, int(c), int(d), fresh(word, 1))
    return _biased(component, c, d, fresh(word, 1))


@bare
def _biased(kind, a, b, word):  # type: ignore[no-untyped-def]  # compiled
    """Return one value of x f(x) / mean, where f is the density that three numbers describe."""
    if kind == EXPONENTIAL:
        return a * gamma(2.0, word)
    if kind == UNIFORM:
        return math.sqrt(a * a + (b * b - a * a) * to_unit(word))
    if kind == WEIBULL:
        return a * math.pow(gamma(1.0 + b, word), b)
    if kind == LOGNORMAL:
        return a * math.exp(b * b + b * normal(word))
    if kind == GAMMA:
        return a * gamma(b + 1.0, word)
    return a  # CONSTANT


@bare
def _one_by_length(table, first, count, word):  # type: ignore[no-untyped-def]  # compiled
    """Return one of ``count`` values from row ``first`` on; their cumulative shares follow them."""
    low, high, u = first, first + count - 1, to_unit(word)
    while low < high:
        middle = (low + high) // 2
        if u < number_at(table, middle + count).is_:
            high = middle
        else:
            low = middle + 1
    return number_at(table, low).is_
