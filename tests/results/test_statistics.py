"""Intervals cover what they promise; quantiles and MTBF are what a statistician means by them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, pdtrik
from tests.results.synthetic import normals, uniforms

from failcast.results import RequestError
from failcast.results import statistics as s

finite = st.floats(-1e9, 1e9, allow_subnormal=False)


def standard_errors_off(share: float, expected: float, count: int) -> float:
    """How many standard errors a share of `count` trials lies from what is expected."""
    return abs(share - expected) / math.sqrt(expected * (1.0 - expected) / count)


@pytest.mark.parametrize(("df", "factor"), [(1, 12.706), (4, 2.776), (199, 1.972)])
def test_b28_the_factor_is_students_and_not_the_normal_one(df: int, factor: float) -> None:
    assert s.t_quantile(df, 0.95) == pytest.approx(factor, abs=5e-4)


def test_b28_the_interval_of_five_values_by_hand() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    interval = s.mean_interval(values, 0.95)
    half = 2.7764451 * math.sqrt(2.5) / math.sqrt(5.0)
    assert interval == pytest.approx((3.0 - half, 3.0 + half), abs=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_of_the_mean_covers_as_promised(n: int, confidence: float) -> None:
    trials = 4000
    intervals = [s.mean_interval(row, confidence) for row in 7.0 + normals(trials, n, salt=n)]
    hits = sum(i is not None and i.low <= 7.0 <= i.high for i in intervals)
    assert standard_errors_off(hits / trials, confidence, trials) < 4.0


def test_the_normal_factor_would_not_pass_the_coverage_test() -> None:
    rows = normals(4000, 5, salt=5)
    half = 1.96 * rows.std(axis=1, ddof=1) / math.sqrt(5.0)
    hits = float(np.mean(np.abs(rows.mean(axis=1)) <= half))
    assert standard_errors_off(hits, 0.95, 4000) > 10.0


def test_one_value_has_a_mean_and_quantiles_but_no_interval() -> None:
    summary = s.summarize(np.array([4.5]), 0.95)
    assert summary == s.Summary(4.5, None, None, None, 4.5, 4.5, 4.5, 1)


def test_no_value_has_nothing() -> None:
    empty = s.summarize(np.array([]), 0.95)
    assert empty == s.Summary(None, None, None, None, None, None, None, 0)


def test_equal_values_have_no_spread_at_all() -> None:
    summary = s.summarize(np.full(3, 0.1), 0.95)
    assert (summary.mean, summary.low, summary.high, summary.sd) == (0.1, 0.1, 0.1, 0.0)


@pytest.mark.parametrize(("last", "p5", "p95"), [(20, 1.95, 19.05), (100, 5.95, 95.05)])
def test_b23_quantiles_lie_between_order_statistics(last: int, p5: float, p95: float) -> None:
    values = np.arange(last, 0, -1, dtype=float)
    assert s.quantile(values, 0.05) == pytest.approx(p5, rel=1e-12)
    assert s.quantile(values, 0.95) == pytest.approx(p95, rel=1e-12)


@given(st.lists(finite, min_size=2, max_size=40))
def test_figures_are_in_order_and_within_the_sample(values: list[float]) -> None:
    summary = s.summarize(np.array(values), 0.95)
    slack = 1e-9 * max(map(abs, values))
    quantiles = (min(values), summary.p5, summary.p50, summary.p95, max(values))
    assert all(a is not None and b is not None and a <= b for a, b in pairwise(quantiles))
    assert summary.low is not None
    assert summary.mean is not None
    assert summary.high is not None
    assert summary.low <= summary.mean <= summary.high
    assert min(values) - slack <= summary.mean <= max(values) + slack


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan, "0.95", None, True])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(RequestError, match=r"confidence must lie between 0 and 1"):
        s.mean_interval(np.array([1.0, 2.0]), confidence)


@pytest.mark.parametrize("q", [-0.1, 1.1, 95.0, math.nan, "0.5", None, True])
def test_a_quantile_outside_0_and_1_is_refused(q: float) -> None:
    with pytest.raises(RequestError, match=r"a number from 0 to 1; got"):
        s.quantile(np.array([1.0, 2.0]), q)


@pytest.mark.parametrize(
    ("count", "runs", "low", "high"),
    [(8, 10, 0.490162, 0.943318), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0)],
)
def test_wilson_intervals_that_can_be_looked_up(
    count: int, runs: int, low: float, high: float
) -> None:
    assert s.wilson(count, runs, 0.95) == pytest.approx((low, high), abs=1e-6)


def test_no_runs_have_no_share() -> None:
    assert s.wilson(0, 0, 0.95) is None
    assert s.proportion(0, 0, 0.95) == s.Proportion(None, None, None, 0, 0)


@given(st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_wilson_interval_holds_its_share_and_stays_within_0_and_1(seen: tuple[int, int]) -> None:
    count, runs = seen
    interval = s.wilson(count, runs, 0.95)
    assert interval is not None
    assert 0.0 <= interval.low <= count / runs <= interval.high <= 1.0
    assert interval.low < interval.high


@pytest.mark.parametrize(("count", "runs"), [(1, 7), (50, 200), (199, 200)])
def test_the_ends_of_a_wilson_interval_are_just_not_refuted(count: int, runs: int) -> None:
    interval = s.wilson(count, runs, 0.9)
    assert interval is not None
    for end in interval:
        assert standard_errors_off(count / runs, end, runs) == pytest.approx(1.6448536, abs=1e-6)


@pytest.mark.parametrize("runs", [20, 200])
def test_wilson_intervals_cover_as_promised_in_the_mean(runs: int) -> None:
    """Exact: the binomial probability of the counts whose interval holds the true share."""
    counts = np.arange(runs + 1)
    intervals = [s.wilson(int(count), runs, 0.95) for count in counts]
    log_choose = gammaln(runs + 1) - gammaln(counts + 1) - gammaln(runs - counts + 1)
    covered = []
    for share in np.linspace(0.02, 0.98, 97):
        log_chance = counts * np.log(share) + (runs - counts) * np.log1p(-share)
        holds = np.array([i is not None and i.low <= share <= i.high for i in intervals])
        covered.append(float(np.exp(log_choose + log_chance)[holds].sum()))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.83


def test_b24_mtbf_is_all_hours_over_all_failures() -> None:
    """The original gives 379 here: it leaves out the last stretch of every run."""
    operating = np.full(4, 1440.0)
    failures = np.array([0.0, 2.0, 1.0, 1.0])
    mtbf = s.mtbf(operating, failures, 0.95)
    assert mtbf.value == 1440.0
    assert mtbf.lower_bound is None
    assert mtbf.failures == 4
    assert mtbf.operating_hours == 5760.0


def test_b24_mtbf_without_failures_is_a_lower_bound_and_never_zero() -> None:
    mtbf = s.mtbf(np.array([100.0, 200.0]), np.zeros(2), 0.95)
    assert mtbf.value is None
    assert (mtbf.low, mtbf.high) == (None, None)
    assert mtbf.lower_bound is not None
    assert mtbf.lower_bound == pytest.approx(300.0 / 2.995732273553991, rel=1e-12)
    assert math.exp(-300.0 / mtbf.lower_bound) == pytest.approx(0.05, rel=1e-12)


def test_mtbf_of_one_run_has_no_interval() -> None:
    mtbf = s.mtbf(np.array([100.0]), np.array([4.0]), 0.95)
    assert (mtbf.value, mtbf.low, mtbf.high) == (25.0, None, None)


def test_mtbf_that_one_failure_cannot_bound_from_above_is_left_open() -> None:
    mtbf = s.mtbf(np.full(10, 100.0), np.array([1.0] + [0.0] * 9), 0.95)
    assert mtbf.value == 1000.0
    assert mtbf.high is None
    assert mtbf.low is not None
    assert 0.0 < mtbf.low < 1000.0


def test_the_interval_of_mtbf_covers_as_promised() -> None:
    """Poisson failures at one per 25 h in runs of 200 to 400 h: 20 runs, 2,000 samples."""
    trials, runs, true = 2000, 20, 25.0
    hours = 200.0 + 200.0 * uniforms(trials, runs, salt=1)
    failures = np.ceil(pdtrik(uniforms(trials, runs, salt=2), hours / true))
    failures = np.maximum(failures, 0.0)
    found = [s.mtbf(h, f, 0.95) for h, f in zip(hours, failures, strict=True)]
    hits = sum(m.low is not None and m.high is not None and m.low <= true <= m.high for m in found)
    assert standard_errors_off(hits / trials, 0.95, trials) < 4.0
