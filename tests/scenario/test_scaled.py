"""Distributions times a factor: the same shape, every draw in proportion.

On the map: tests of ``DurationFamily.scaled``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generated import distributions

import failcast as fc
from failcast.scenario import DISTRIBUTIONS, Distribution
from failcast.scenario.measurements import MOST_INLINE

#: One member of every family; where there are two ways to give it, both.
MEMBERS: list[Distribution] = [
    fc.Constant(value=3.0),
    fc.Exponential(mean=3.0),
    fc.Weibull(mean=3.0, shape=0.7),
    fc.Weibull(scale=3.0, shape=2.0),
    fc.Gamma(mean=3.0, shape=0.7),
    fc.Gamma(scale=3.0, shape=2.0),
    fc.Lognormal(median=3.0, sigma=1.5),
    fc.Lognormal(mean=3.0, sigma=1.5),
    fc.Uniform(low=1.0, high=4.0),
    fc.Empirical(values=(1.0, 2.0, 9.0)),
    fc.Mixture(parts=((0.25, "2 h"), (0.5, "uniform(1 h, 3 h)"), (0.25, "empirical(1 h, 7 h)"))),
]


def waits(distribution: Distribution) -> np.ndarray:
    """Training hours less the work of a job that does nothing but recover once and again."""
    scenario = fc.Scenario().with_(
        cluster__working_pool=8,
        cluster__spare_pool=0,
        job__servers=8,
        job__warm_standbys=0,
        job__length=24.0,
        failures__random__rate=0.05,
        selection__time=0.0,
        diagnosis__probability=0.0,
        recovery__time=distribution,
    )
    return fc.simulate(scenario, replications=8, seed=4).values("recovery_hours")


def test_every_family_is_among_the_members() -> None:
    assert {member.family for member in MEMBERS} == set(DISTRIBUTIONS)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
@pytest.mark.parametrize("factor", [0.5, 2.0, 0.3])
def test_every_draw_of_the_engine_is_in_proportion(member: Distribution, factor: float) -> None:
    """The same chance, so hours of recovery grow by the factor, run by run."""
    assert waits(member).min() > 0.0
    assert waits(member.scaled(factor)) == pytest.approx(factor * waits(member), rel=1e-12)


@given(distributions(), st.sampled_from([0.5, 2.0, 1.7]))
def test_the_mean_is_in_proportion_and_the_family_stays(
    distribution: Distribution, factor: float
) -> None:
    scaled = distribution.scaled(factor)
    assert type(scaled) is type(distribution)
    assert scaled.mean_hours == pytest.approx(factor * distribution.mean_hours, rel=1e-12)
    assert scaled.kernel()[0] == distribution.kernel()[0]
    assert len(scaled.table()) == len(distribution.table())


@given(distributions(), st.sampled_from([0.5, 2.0, 1.7]))
def test_what_is_scaled_back_is_the_same(distribution: Distribution, factor: float) -> None:
    again = distribution.scaled(factor).scaled(1.0 / factor)
    assert again.kernel() == pytest.approx(distribution.kernel(), rel=1e-12)
    assert again.table() == pytest.approx(distribution.table(), rel=1e-12)


def test_scaled_values_of_a_file_are_named_with_the_factor(tmp_path: Path) -> None:
    """However many: an expression need not hold them, and the file stays in the manifest."""
    file = tmp_path / "repairs.csv"
    file.write_text("\n".join(map(str, range(1, MOST_INLINE + 2))), encoding="utf-8")
    given = fc.Empirical.from_file(file, unit="h")
    scaled = given.scaled(0.5)
    assert scaled.values == tuple(0.5 * value for value in given.values)
    assert scaled.sources()[0].path == str(file)
    assert ", times=0.5, sha256=" in scaled.expression()
    scenario = fc.Scenario().with_(repair__manual__time=scaled)
    again = fc.Scenario().with_(repair__manual__time=scaled.expression())
    assert again == scenario
    assert scaled.scaled(2.0) == given


def test_a_factor_is_written_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "repairs.csv"
    file.write_text("1\n4\n", encoding="utf-8")
    found = fc.Scenario().with_(repair__manual__time=f"empirical({file}, unit=h, times=3)")
    assert found.repair.manual.time.table() == (3.0, 12.0)
    for wrong in ("0", "-1", "x", "nan"):
        with pytest.raises(
            fc.ScenarioError, match=f"its times, here '?{wrong}'?, must be a number"
        ):
            fc.Scenario().with_(repair__manual__time=f"empirical({file}, unit=h, times={wrong})")
    with pytest.raises(fc.ScenarioError, match="its times belongs to a file"):
        fc.Scenario().with_(repair__manual__time="empirical(1 h, 2 h, times=3)")


def test_what_cannot_be_scaled_is_refused() -> None:
    with pytest.raises(fc.ScenarioError, match="must be 0 or from"):
        fc.Constant(value=2e-9).scaled(1e-3)
