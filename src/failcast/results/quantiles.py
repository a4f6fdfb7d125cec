"""Quantiles of the normal and of Student's distribution, and binomial tails, in plain Python.

On the map: results, below statistics.py. scipy.special knows them all, but loading it takes a fifth
of a second, a sixth of what `failcast run` may take from a cold start.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Final

_STANDARD: Final = NormalDist()
_MANY: Final = 1000
"""From here on the expansion for many degrees of freedom is exact to 12 digits."""
_MOST_STEPS: Final = 60


def normal_quantile(confidence: float) -> float:
    """The factor of a two-sided normal interval: 1.960 at 0.95; 0 < confidence < 1."""
    return -_STANDARD.inv_cdf((1.0 - confidence) / 2.0)


@cache
def t_quantile(degrees_of_freedom: int, confidence: float) -> float:
    """The factor of a two-sided Student-t interval: 2.776 at 4 and 0.95; 0 < confidence < 1.

    The probability between -t and t is a concave function of t, and t lies above the normal
    quantile: Newton's steps from there never go too far. To 11 digits from 0.5 to 0.9999, which is
    what a scenario may ask for; near 0, and beyond 1 - 1e-11, rounding leaves few.
    """
    n, t = degrees_of_freedom, normal_quantile(confidence)
    if n >= _MANY:
        return _expanded(t, n)
    log_scale = math.lgamma((n + 1) / 2.0) - math.lgamma(n / 2.0) - math.log(n * math.pi) / 2.0
    for _ in range(_MOST_STEPS):
        density = math.exp(log_scale - (n + 1) / 2.0 * math.log1p(t * t / n))
        short = confidence - _central(t, n)
        if not 0.0 < 2.0 * density * 1e-14 * t < short:
            break
        t += short / (2.0 * density)
    return t


def _central(t: float, n: int) -> float:
    """The probability that Student's t with `n` degrees of freedom lies between -t and t.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
    """
    square = n / (n + t * t)  # the squared cosine of the angle whose tangent is t / sqrt(n)
    sine = t / math.sqrt(n + t * t)
    odd = n % 2
    term, total = (math.sqrt(square) if odd else 1.0), 0.0
    for k in range(odd, n - 1, 2):
        total += term
        term *= square * (k + 1) / (k + 2)
    if odd:
        return 2.0 / math.pi * (math.atan(t / math.sqrt(n)) + sine * total)
    return sine * total


def _expanded(z: float, n: int) -> float:
    """Student's quantile from the normal one for many degrees of freedom, see there, 26.7.5."""
    s = z * z
    terms = (
        z * (s + 1.0) / 4.0,
        z * ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        z * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        z * ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0,
    )
    return z + math.fsum(term / float(n) ** (k + 1) for k, term in enumerate(terms))


def binomial_at_most(count: int, n: int, q: float) -> float:
    """The chance of at most `count` successes in `n` trials of chance `q`, 0 <= count <= n."""
    if count < n * q:
        return _lower_tail(count, n, q)
    return 1.0 - _lower_tail(n - count - 1, n, 1.0 - q)


def binomial_above(count: int, n: int, q: float) -> float:
    """The chance of more than `count` successes: exactly so many failures or fewer are left."""
    return binomial_at_most(n - count - 1, n, 1.0 - q)


def _lower_tail(count: int, n: int, q: float) -> float:
    """The same by summing from the last term on, which is the largest below the mean."""
    if count < 0:
        return 0.0
    if q in (0.0, 1.0):
        return 1.0 - q if count < n else 1.0
    logarithm = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
    term = math.exp(logarithm + count * math.log(q) + (n - count) * math.log1p(-q))
    total, odds = 0.0, (1.0 - q) / q
    for k in range(count, -1, -1):
        total += term
        term *= odds * k / (n - k + 1)
        if term < 1e-17 * total:
            break
    return total
