"""The generated scenarios reach what they promise: every option, and all pairs of options.

On the map: tests of tests/strategies.py, so that a blind generator fails here and not nowhere.
"""

from __future__ import annotations

import itertools

from hypothesis import Phase, find, settings
from tests.generated import scenarios
from tests.strategies import FACTORS, PAIRWISE, all_pairs, build, is_refused

from failcast.scenario import DISTRIBUTIONS, LIVES, RETIREMENTS, Cost, Scenario
from failcast.scenario.blocks import paths_of
from failcast.scenario.policies import (
    PREEMPTION_MODES,
    PREEMPTION_RETURNS,
    RESUME_WITH,
    SELECTION_POLICIES,
)


def test_all_pairs_of_levels_occur() -> None:
    cases = all_pairs(FACTORS)
    for one, other in itertools.combinations(FACTORS, 2):
        seen = {(case[one], case[other]) for case in cases}
        possible = [
            {one: first, other: second}
            for first in FACTORS[one]
            for second in FACTORS[other]
            if not is_refused({one: first, other: second})
        ]
        assert len(seen) == len(possible), (one, other)
    assert len(cases) == len(PAIRWISE) < 70


def test_the_levels_name_every_member_of_every_registry() -> None:
    families = {type(v).family for name in ("retirement", "life") for v in FACTORS[name]}
    assert families == set(RETIREMENTS) | set(LIVES)
    times = ("recovery", "selection", "wait", "automated", "manual")
    assert {type(v).family for name in times for v in FACTORS[name]} == set(DISTRIBUTIONS)
    assert set(FACTORS["policy"]) == set(SELECTION_POLICIES)
    assert set(FACTORS["mode"]) == set(PREEMPTION_MODES)
    assert set(FACTORS["return"]) == set(PREEMPTION_RETURNS)
    assert set(FACTORS["resume_with"]) == set(RESUME_WITH)


def test_every_field_that_has_a_second_value_varies() -> None:
    """A field that no factor moves would be tested by nobody."""
    fixed = {
        "name",
        "description",
        "cluster.gpus_per_server",
        "job.length",
        "checkpoint.tiers.remote.survives",
        "run.replications",
        "run.precision",
        "run.min_replications",
        "run.max_replications",
        "run.confidence",
        "run.max_events",
        "uncertain",  # no engine sees it; tests/scenario/test_beliefs.py varies it
        *("cost", *(f"cost.{name}" for name in Cost.model_fields)),  # nor prices; see test_cost.py
    }
    still = set()
    for path in paths_of(Scenario):
        values = set()
        for scenario in PAIRWISE:
            value = scenario
            for name in path.split("."):
                value = getattr(value, {"return": "return_"}.get(name, name), None)
            values.add(value)
        if len(values) == 1:
            still.add(path)
    assert still == fixed


def test_the_random_scenarios_reach_the_corners() -> None:
    corners = (
        lambda s: s.job.servers == 1 and s.cluster.working_pool == 0,
        lambda s: s.job.servers > 30 and s.cluster.spare_pool > 3,
        lambda s: s.recovery.time.mean_hours == 0.0 and s.failures.exposure.recovering,
        lambda s: s.failures.regeneration is not None and s.preemption.return_ == "when_healed",
        lambda s: s.failures.random.rate == 0.0,
        lambda s: s.diagnosis.probability == 0.0 and s.diagnosis.wrong_server == 1.0,
    )
    quick = settings(max_examples=5_000, phases=[Phase.generate])
    for corner in corners:
        assert corner(find(scenarios(), corner, settings=quick))


def test_a_level_of_every_factor_makes_a_scenario() -> None:
    case = {name: levels[-1] for name, levels in FACTORS.items()} | {"restores": "new"}
    assert build(case, seed=9).run.seed == 9
