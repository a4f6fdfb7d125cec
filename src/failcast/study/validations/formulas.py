"""Closed forms that simulated figures are set beside, each with its source.

On the map: study. Times are hours and rates per hour throughout.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from failcast.scenario import Lognormal, Weibull
from failcast.scenario.drawn import DurationFamily


def expected_ettr(
    rate: float, interval: float, *, write: float, restart: float, queue: float = 0.0
) -> float:
    """Meta's expected ETTR of a job that fails at `rate` and saves every `interval`.

    First order in the rate: each failure costs restart, queue and half an interval. Source:
    Revisiting Reliability in Large-Scale ML Research Clusters, arXiv 2410.21680, where it is said
    to be within about 5 % of a Monte Carlo simulation.
    """
    lost = rate * (restart + queue + interval / 2.0)
    return (1.0 - lost) / (1.0 + write / interval)


def exact_ettr(rate: float, interval: float, *, write: float, restart: float) -> float:
    """The long-run ETTR where failures are Poisson, in recoveries and checkpoints too.

    The time for one interval is e^(rate R) (e^(rate (interval + write)) - 1) / rate, by renewal:
    an interrupted recovery begins again, and so does an interrupted interval. Source: J. T. Daly, A
    higher order estimate of the optimum checkpoint interval for restart dumps, Future Generation
    Computer Systems 22 (2006).
    """
    if rate == 0.0:
        return interval / (interval + write)
    took = math.exp(rate * restart) * math.expm1(rate * (interval + write)) / rate
    return interval / took


def best_interval(rate: float, write: float) -> float:
    """The checkpoint interval that costs least, to first order: sqrt(2 write / rate).

    Source: J. W. Young, A first order approximation to the optimum checkpoint interval,
    Communications of the ACM 17 (1974).
    """
    return math.sqrt(2.0 * write / rate)


def in_repair(failures_per_hour: float, repair_hours: float) -> float:
    """Servers in repair at once, in the mean: Little's law, and Poisson where failures are."""
    return failures_per_hour * repair_hours


def poisson_quantile(mean: float, q: float) -> int:
    """The least number that a Poisson number does not exceed with probability q."""
    term = total = math.exp(-mean)
    number = 0
    while total < q:
        number += 1
        term *= mean / number
        total += term
    return number


def servers_hit(servers: int, failures: float) -> float:
    """Servers that fail at least once where failures strike each with the same chance."""
    return servers * -math.expm1(-failures / servers)


def quantile(hours: DurationFamily, q: float) -> float:
    """The q-quantile of a Weibull or a lognormal distribution. Raises TypeError for others."""
    _, first, second = hours.kernel()
    if isinstance(hours, Weibull):
        return float(first * (-math.log1p(-q)) ** second)
    if isinstance(hours, Lognormal):
        return float(first * math.exp(second * NormalDist().inv_cdf(q)))
    raise TypeError(f"no closed form of a quantile of {hours.expression()}")


def standard_deviation(hours: DurationFamily) -> float:
    """The standard deviation of a Weibull distribution. Raises TypeError for others."""
    _, scale, power = hours.kernel()
    if not isinstance(hours, Weibull):
        raise TypeError(f"no closed form of the standard deviation of {hours.expression()}")
    return math.sqrt(scale**2 * math.gamma(1.0 + 2.0 * power) - hours.mean_hours**2)


def jobs_that_fail(
    exposure: float, *, servers: int, pool: int, defective: int, multiplier: float
) -> float:
    """The share of jobs with a failure, each on `servers` drawn from a pool with defective ones.

    `exposure` is the failures expected of a good server in a job; a defective one has
    1 + multiplier times as many. The number of defective ones in a job is hypergeometric.
    """
    ways = math.comb(pool, servers)
    survive = 0.0
    for k in range(min(defective, servers) + 1):
        share = math.comb(defective, k) * math.comb(pool - defective, servers - k) / ways
        survive += share * math.exp(-exposure * (servers + multiplier * k))
    return 1.0 - survive
