"""Intervals cover what they promise; quantiles and MTBF are what a statistician means by them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc, gammaln, pdtrik
from scipy.stats import binomtest
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


def test_the_relative_half_width_is_half_the_interval_over_the_mean() -> None:
    values = np.array([-1.0, -2.0, -3.0, -4.0, -5.0])
    half = 2.7764451 * math.sqrt(2.5) / math.sqrt(5.0)
    assert s.relative_half_width(values, 0.95) == pytest.approx(half / 3.0, abs=1e-6)
    # The interval of values that are never negative is cut at zero; its half-width is not.
    skewed = s.relative_half_width(np.array([0.0, 0.0, 9.0]), 0.95)
    assert skewed == pytest.approx(4.3026527 * math.sqrt(27.0 / 3.0) / 3.0, abs=1e-6)
    assert s.relative_half_width(np.array([2.0, 2.0]), 0.95) == 0.0
    for nothing in ([], [2.0], [0.0, 0.0], [-1.0, 1.0]):
        assert s.relative_half_width(np.array(nothing), 0.95) is None


def test_the_normal_factor_would_not_pass_the_coverage_test() -> None:
    rows = normals(4000, 5, salt=5)
    half = 1.96 * rows.std(axis=1, ddof=1) / math.sqrt(5.0)
    hits = float(np.mean(np.abs(rows.mean(axis=1)) <= half))
    assert standard_errors_off(hits, 0.95, 4000) > 10.0


def test_one_value_has_a_mean_and_quantiles_but_no_interval() -> None:
    summary = s.summarize(np.array([4.5]), 0.95)
    known = {"mean": 4.5, "p5": 4.5, "p50": 4.5, "p95": 4.5, "n": 1}
    assert summary.to_dict() == dict.fromkeys(summary.to_dict()) | known


def test_no_value_has_nothing() -> None:
    empty = s.summarize(np.array([]), 0.95)
    assert empty.to_dict() == dict.fromkeys(empty.to_dict()) | {"n": 0}


def test_equal_values_have_no_spread_at_all() -> None:
    summary = s.summarize(np.full(3, 0.1), 0.95)
    assert (summary.mean, summary.low, summary.high, summary.sd) == (0.1, 0.1, 0.1, 0.0)


@pytest.mark.parametrize(("last", "p5", "p95"), [(20, 1.95, 19.05), (100, 5.95, 95.05)])
def test_b23_quantiles_lie_between_order_statistics(last: int, p5: float, p95: float) -> None:
    values = np.arange(last, 0, -1, dtype=float)
    assert s.quantile(values, 0.05) == pytest.approx(p5, rel=1e-12)
    assert s.quantile(values, 0.95) == pytest.approx(p95, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "q", "confidence", "ranks"),
    [
        # Two-sided 95 % intervals of the median in tables of the sign test, ranks from 0.
        (6, 0.5, 0.95, (0, 5)),
        (10, 0.5, 0.95, (1, 8)),
        (20, 0.5, 0.95, (5, 14)),
        (5, 0.5, 0.95, None),
        (71, 0.95, 0.95, None),
        (72, 0.05, 0.95, (0, 8)),
        (72, 0.95, 0.95, (63, 71)),
        (0, 0.5, 0.5, None),
        (1000, 0.0, 0.5, None),
        (1000, 1.0, 0.5, None),
    ],
)
def test_the_ends_of_a_quantiles_interval_are_order_statistics(
    n: int, q: float, confidence: float, ranks: tuple[int, int] | None
) -> None:
    assert s.order_ranks(n, q, confidence) == ranks
    interval = s.quantile_interval(np.arange(n, 0, -1, dtype=float), q, confidence)
    assert interval == (None if ranks is None else (ranks[0] + 1.0, ranks[1] + 1.0))


@pytest.mark.parametrize("n", [72, 73, 200, 1519, 100_000])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_quantiles_interval_covers_at_least_as_promised_and_little_more(
    n: int, q: float, confidence: float
) -> None:
    """Exact for values without ties. One rank nearer, an end would miss too often."""
    ranks = s.order_ranks(n, q, confidence)
    assert ranks is not None
    low, high = ranks
    half = (1.0 - confidence) / 2.0
    assert bdtr(low, n, q) <= half < bdtr(low + 1, n, q)
    assert bdtrc(high, n, q) <= half < bdtrc(high - 1, n, q)
    assert bdtr(high, n, q) - bdtr(low, n, q) >= confidence


@pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
def test_a_quantiles_interval_covers_in_samples_with_and_without_ties(q: float) -> None:
    """200 values of exp(1): the exact coverage is met. Rounded down, only more is covered."""
    trials, n = 2000, 200
    ranks = s.order_ranks(n, q, 0.95)
    assert ranks is not None
    exact = float(bdtr(ranks[1], n, q) - bdtr(ranks[0], n, q))
    rows = -4.0 * np.log(uniforms(trials, n, salt=31))
    true = -4.0 * math.log1p(-q)
    intervals = [s.quantile_interval(row, q, 0.95) for row in rows]
    hits = sum(i is not None and i.low <= true <= i.high for i in intervals)
    assert standard_errors_off(hits / trials, exact, trials) < 4.0
    tied = [s.quantile_interval(row, q, 0.95) for row in np.floor(rows)]
    hits_tied = sum(i is not None and i.low <= math.floor(true) <= i.high for i in tied)
    assert hits_tied >= hits


@given(
    st.lists(finite, min_size=1, max_size=200), st.floats(0.0, 1.0), st.sampled_from([0.5, 0.95])
)
def test_a_quantile_lies_within_its_interval(
    values: list[float], q: float, confidence: float
) -> None:
    interval = s.quantile_interval(np.array(values), q, confidence)
    found = s.quantile(np.array(values), q)
    if interval is not None:
        assert found is not None
        slack = 1e-12 * max(map(abs, values))
        assert interval.low - slack <= found <= interval.high + slack


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
    with pytest.raises(RequestError, match=r"confidence must lie between 0 and 1"):
        s.quantile_interval(np.array([1.0, 2.0]), 0.5, confidence)
    with pytest.raises(RequestError, match=r"confidence must lie between 0 and 1"):
        s.relative_half_width(np.array([1.0, 2.0]), confidence)


@pytest.mark.parametrize("q", [-0.1, 1.1, 95.0, math.nan, "0.5", None, True])
def test_a_quantile_outside_0_and_1_is_refused(q: float) -> None:
    with pytest.raises(RequestError, match=r"a number from 0 to 1; got"):
        s.quantile(np.array([1.0, 2.0]), q)
    with pytest.raises(RequestError, match=r"a number from 0 to 1; got"):
        s.quantile_interval(np.array([1.0, 2.0]), q, 0.95)


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


@pytest.mark.parametrize("runs", [1, 10, 200])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_none_or_all_of_the_runs_give_an_exact_bound(runs: int, confidence: float) -> None:
    """At the bound itself, none is seen with a chance of 1 - confidence; above it with less."""
    none, every = s.proportion(0, runs, confidence), s.proportion(runs, runs, confidence)
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high is not None
    assert every.low is not None
    assert (1.0 - none.high) ** runs == pytest.approx(1.0 - confidence, rel=1e-12)
    assert every.low == pytest.approx(1.0 - none.high, rel=1e-12)
    assert s.proportion(0, 200, 0.95).high == pytest.approx(0.014867, abs=1e-6)


def test_a_share_that_is_neither_none_nor_all_has_the_wilson_interval() -> None:
    share = s.proportion(8, 10, 0.95)
    assert (share.low, share.high) == s.wilson(8, 10, 0.95)


@pytest.mark.parametrize("runs", [20, 200])
def test_the_intervals_of_shares_cover_with_their_bounds(runs: int) -> None:
    """Exact, as above. Seeing none misses a share above its bound with at most 1 - confidence."""
    counts = np.arange(runs + 1)
    shares = [s.proportion(int(count), runs, 0.95) for count in counts]
    log_choose = gammaln(runs + 1) - gammaln(counts + 1) - gammaln(runs - counts + 1)
    covered = []
    for true in np.linspace(0.001, 0.999, 999):
        chance = np.exp(log_choose + counts * np.log(true) + (runs - counts) * np.log1p(-true))
        ends = [(share.low or 0.0, share.high or 0.0) for share in shares]
        holds = np.array([low <= true <= high for low, high in ends])
        covered.append(float(chance[holds].sum()))
        if not holds[0]:
            assert chance[0] <= 0.05
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    # Wilson's interval is known for narrow dips, near shares of one or two runs.
    assert min(covered) > 0.83


@pytest.mark.parametrize("expected", [0.5, 2.9, 3.1, 6.0])
def test_the_bound_of_mtbf_without_failures_covers(expected: float) -> None:
    """Samples of 10 runs that see `expected` failures in the mean; exponential lives."""
    trials, runs = 4000, 10
    hours = np.full(runs, 100.0)
    true = runs * 100.0 / expected
    chance = uniforms(trials, runs, salt=int(10 * expected))
    failures = np.maximum(0.0, np.ceil(pdtrik(chance, expected / runs)))
    found = [s.mtbf(hours, row, 0.95) for row in failures]
    missed = sum(m.lower_bound is not None and m.lower_bound > true for m in found)
    assert missed / trials <= 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / trials)
    # The bound is too high only where it stands above the true value at all.
    assert (missed > 0) == (expected > -math.log(0.05))


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


def test_one_sided_bounds_of_a_share_are_exact() -> None:
    """As scipy's Clopper-Pearson; none or all of n leave all of the error on one side."""
    for count, runs, level in ((0, 400, 0.9875), (3, 50, 0.95), (50, 50, 0.99), (17, 40, 0.6)):
        test = binomtest(count, runs)
        low = test.proportion_ci(2.0 * level - 1.0, method="exact").low
        high = test.proportion_ci(2.0 * level - 1.0, method="exact").high
        if count == 0:
            high = 1.0 - (1.0 - level) ** (1.0 / runs)
        if count == runs:
            low = (1.0 - level) ** (1.0 / runs)
        assert s.share_bounds(count, runs, level) == pytest.approx((low, high), abs=1e-12)
