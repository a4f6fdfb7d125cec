"""Every field refuses what it must: driven by the fields themselves, so that none is forgotten.

On the map: tests of scenario/rules.py, blocks.py and scenario.py.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.generated import scenarios

from failcast.scenario import (
    DISTRIBUTIONS,
    LIVES,
    RETIREMENTS,
    Cluster,
    Constant,
    Job,
    Never,
    Preemption,
    Recovery,
    Regeneration,
    Scenario,
    ScenarioError,
    Threshold,
    Weibull,
    describe,
    to_dict,
)
from failcast.scenario.blocks import Block, fields_of, joined
from failcast.scenario.distributions import Parts
from failcast.scenario.expressions import Expression
from failcast.scenario.measurements import Measurements, Origin
from failcast.scenario.repair import Concentration, Crews, PartOfDay
from failcast.scenario.replay import REPLAYS, OrOff, Struck
from failcast.scenario.rules import (
    Choice,
    Count,
    Duration,
    Flag,
    Percentage,
    Rate,
    Real,
    Rule,
    Text,
)
from failcast.scenario.uncertain import Uncertain

Leaf = tuple[type[Block], str, str, Rule]


def leaves(block: type[Block]) -> Iterator[Leaf]:
    """Block, attribute, dotted path and rule of every single field below a block."""
    for attribute, name, kind in fields_of(block):
        if isinstance(kind, Rule):
            yield block, attribute, joined(block.place, name), kind
        else:
            yield from leaves(kind)


FAMILIES = {**DISTRIBUTIONS, **RETIREMENTS, **REPLAYS, **{f"{k} life": v for k, v in LIVES.items()}}
LEAVES = [*leaves(Scenario)] + [leaf for family in FAMILIES.values() for leaf in leaves(family)]
IDS = [f"{block.__name__}.{attribute}" for block, attribute, _, _ in LEAVES]
NOT_NUMBERS: list[Any] = [math.nan, math.inf, -math.inf, True, "3 servers", [1], {"a": 1}, 1j]


def wrong_values(rule: Rule) -> list[Any]:
    """Values that a field of this rule must refuse; a new kind of rule must join."""
    match rule:
        case Crews():
            return [0, rule.most + 1, 1.5, None, "3", "all", *NOT_NUMBERS]
        case Count():
            return [rule.least - 1, rule.most + 1, 10.5, 10**400, None, "3", *NOT_NUMBERS]
        case Concentration():
            numbers = [each for each in NOT_NUMBERS if each != math.inf]
            return [np.nextafter(rule.least, 0.0), rule.most + 1, "0.5", None, "-inf", *numbers]
        case Real():
            ends = [rule.least] * rule.least_excluded + [rule.most] * rule.most_excluded
            beyond = [np.nextafter(rule.least, -np.inf), np.nextafter(rule.most, np.inf)]
            return [*ends, *beyond, 10**400, None, "0.5", *NOT_NUMBERS]
        case PartOfDay():
            ends = [0, "0 h"] * rule.positive + [24, "1 d"] * rule.below
            return [*ends, 24.1, "25 h", "2 d", -1, "8", "8:00", None, *NOT_NUMBERS]
        case Duration():
            zero = [0, 0.0, "0", "0 h"] * rule.positive
            nothing = [] if rule.optional or rule.may_be_off else [None]
            return [*zero, *nothing, -1, 1e-12, 1e10, "20", "1:30", "-2 h", *NOT_NUMBERS]
        case Rate():
            return [-1.0, 1e-20, 1e7, None, "0.01", "-1 / d", "2 d", *NOT_NUMBERS]
        case Flag():
            return [0, 1, "yes", "no", "true", None, 0.0]
        case Percentage():
            return [0, 1, -0.01, 1.5, math.nan, math.inf, True, "0 %", "100 %", "-1 %", "0.01"]
        case Choice():
            return ["nonsense", "", None, 0, True, math.nan, next(iter(rule.registry)).upper()]
        case Text():
            return ["a" * (rule.most + 1), "\x00", "\ud800", 3, None, True, ["a"]]
        case Expression():
            members = ["nonsense", "nonsense(1)", "weibull(shape=-1)", "(", "never(", "x" * 1000]
            nothing = [] if isinstance(rule, OrOff) else [None]
            return [*members, *nothing, True, math.nan, [1], {"mean": 1}, ""]
        case Measurements():
            zero = [[0], ["0 h"]] * rule.positive
            lists = [[], (), [-1], [1, "20"], [math.nan], [math.inf], [[1]], [None], [1e10], ["x"]]
            return [*zero, *lists, {1, 2}, {1: 2}, "20 min", b"1", 3, None, True]
        case Origin():
            return ["repairs.csv", 3, True, {}, ["repairs.csv"]]
        case Parts():
            half, rest = (0.5, "20 min"), (0.5 + 1e-8, "1 h")
            pairs = [[half], [half, rest], [(0, "1 h"), (1, "1 h")], [(1, "1")], [(1, "gama(2)")]]
            odd = [[], [1], [(1,)], [("1", "1 h")], [(1, None)], [(0.04, "1 h")] * 25, [(1, -1)]]
            return [*pairs, *odd, "1: 20 min", {1: "20 min"}, 1, None, True]
        case Struck():
            pairs = [[1], [(1,)], [(1, 0, 0)], [(-1, 0)], [(math.nan, 0)], [(1, -1)], [(1, 0.5)]]
            return [*pairs, [], [(2, 0), (1, 0)], [(1, "a")], "1 h: 0", {1: 0}, 3, None, True]
        case Uncertain():
            return ["recovery.time: 10 min..30 min", 3, True, math.nan, [1], (1, 2), (("a", 1), 3)]
    raise AssertionError(f"no wrong values are known for {type(rule).__name__}")


@pytest.mark.parametrize(("block", "attribute", "path", "rule"), LEAVES, ids=IDS)
def test_every_field_refuses_wrong_values_by_its_name(
    block: type[Block], attribute: str, path: str, rule: Rule
) -> None:
    for value in wrong_values(rule):
        with pytest.raises(ScenarioError) as caught:
            block(**{attribute: value})
        problem = next(p for p in caught.value.problems if p.field == path)
        assert problem.message.startswith(f"{path} is ")
        assert ", but it" in problem.message or ", but '" in problem.message


@pytest.mark.parametrize(("block", "attribute", "path", "rule"), LEAVES, ids=IDS)
def test_every_field_accepts_its_limits(
    block: type[Block], attribute: str, path: str, rule: Rule
) -> None:
    if isinstance(rule, Count):
        good: list[Any] = [rule.least, rule.most]
    elif isinstance(rule, Real):
        good = [] if rule.least_excluded else [rule.least]
        good += [] if rule.most_excluded else [rule.most]
    elif isinstance(rule, Choice):
        good = list(rule.registry)
    else:
        return
    for value in good:
        assert path not in refused_fields(block, {attribute: value})


def refused_fields(block: type[Block], data: dict[str, Any]) -> set[str]:
    """The fields that are refused; a family may miss its other arguments besides."""
    try:
        block(**data)
    except ScenarioError as error:
        return {problem.field for problem in error.problems}
    return set()


def test_a_wrong_block_raises_at_its_line_with_the_dotted_path() -> None:
    with pytest.raises(ScenarioError) as caught:
        Job(servers=4096, warm_standbys=-1)
    error = caught.value
    assert (error.field, error.value, error.file, error.line) == (
        "job.warm_standbys",
        -1,
        None,
        None,
    )
    assert str(error) == (
        "job.warm_standbys is -1, but it must be a whole number from 0 to 10,000,000."
    )


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.model_validate(
            {"job": {"servers": 0, "lenght": 3}, "cluster": 7, "failures": {"life": "gama"}}
        )
    sentences = str(caught.value).splitlines()
    assert len(sentences) == 4
    assert any("did you mean 'job.length'?" in sentence for sentence in sentences)
    assert any("cluster is 7" in sentence and "working_pool" in sentence for sentence in sentences)


def test_a_job_too_large_for_its_cluster_is_refused_with_all_four_sizes() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario(cluster=Cluster(working_pool=4096, spare_pool=15))
    for piece in ("4096", "16", "need 4112", "hold 4111", "job.servers", "cluster.spare_pool"):
        assert piece in str(caught.value)
    assert Scenario(cluster=Cluster(working_pool=4096, spare_pool=16)).cluster.spare_pool == 16


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("job__warm_standby", "job.warm_standbys"),
        ("warm_standbys", "job.warm_standbys"),
        ("job__escalate", "repair.automated.escalate"),
        ("preemption__retrun", "preemption.return"),
        ("failures__regeneration__intervall", "failures.regeneration.interval"),
        ("retirment", "retirement"),
        ("chekpoint", "checkpoint"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_right_one(wrong: str, right: str) -> None:
    with pytest.raises(ScenarioError, match=f"did you mean '{right}'"):
        Scenario().with_(**{wrong: 1})


def test_a_name_like_no_other_gets_no_hint() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario().with_(zzzzqqqq=1)
    assert str(caught.value) == "zzzzqqqq is not a field of a scenario."


def test_a_path_below_a_single_field_is_unknown() -> None:
    with pytest.raises(ScenarioError, match=r"job.servers.count is not a field"):
        Scenario().with_(job__servers__count=1)


def test_changes_give_a_new_scenario_and_leave_the_old_one() -> None:
    old = Scenario()
    new = old.with_(
        job__warm_standbys=32,
        job__length=100.0,
        retirement="threshold(3, 7 d)",
        preemption__return="when_healed",
        recovery="10 min",
        selection__time=0.5,
    )
    assert (old.job.warm_standbys, new.job.warm_standbys) == (16, 32)
    assert new.job.length == 100.0
    assert new.retirement == Threshold(failures=3, window=168.0)
    assert new.preemption.return_ == "when_healed"
    assert new.recovery.time == Constant(value=1 / 6)
    assert new.selection.time == Constant(value=0.5)
    assert new.with_() == new


def test_changes_are_judged_together_and_blocks_may_be_replaced() -> None:
    big = Scenario().with_(job__servers=20_000, cluster__working_pool=30_000)
    assert big.job.servers == 20_000
    small = Scenario().with_(job=Job(servers=4), job__warm_standbys=3)
    assert (small.job.servers, small.job.warm_standbys) == (4, 3)
    with pytest.raises(ScenarioError, match=r"job.servers \(20000\)"):
        Scenario().with_(job__servers=20_000)


def test_setting_one_field_of_regeneration_switches_it_on() -> None:
    on = Scenario().with_(failures__regeneration__share=0.2)
    assert on.failures.regeneration == Regeneration(interval=720.0, share=0.2)
    assert on.with_(failures__regeneration="off").failures.regeneration is None


def test_a_copy_cannot_smuggle_in_wrong_values() -> None:
    with pytest.raises(ScenarioError, match=r"job.servers is 0"):
        Job().model_copy(update={"servers": 0})
    assert Job().model_copy(update={"servers": 7}).servers == 7


def test_scenarios_do_not_change() -> None:
    scenario = Scenario()
    with pytest.raises(ValueError, match="frozen"):
        scenario.job.servers = 3  # type: ignore[misc]


def test_numbers_of_numpy_become_plain_numbers() -> None:
    job = Job(servers=np.int64(7), length=np.float64(3.0))
    assert type(job.servers) is int
    assert type(job.length) is float


def test_return_has_its_own_name_in_python() -> None:
    assert Preemption(return_="when_healed") == Preemption(**{"return": "when_healed"})
    with pytest.raises(ScenarioError):
        Preemption(**{"return": "never", "return_": "when_healed"})


def test_recovery_takes_a_bare_time() -> None:
    twenty = Recovery(time=Constant(value=1 / 3))
    for short in ("20 min", 1 / 3, Constant(value=1 / 3), {"time": "20 min"}, twenty):
        assert Scenario.model_validate({"recovery": short}).recovery == twenty
    weibull = Scenario.model_validate({"recovery": "weibull(mean=1 h, shape=2)"})
    assert weibull.recovery.time == Weibull(mean=1.0, shape=2.0)


def test_the_default_is_table_1() -> None:
    scenario = Scenario()
    assert scenario.job.length == 256 * 24
    assert scenario.failures.random.rate == 0.01 / 24
    assert scenario.repair.automated.time.mean_hours == 2.0
    assert scenario.repair.manual.time.mean_hours == 48.0
    assert scenario.retirement == Never()
    assert scenario.horizon_hours == 1000 * 6144.0
    assert scenario.with_(run__horizon="3 d").horizon_hours == 72.0


@pytest.mark.parametrize("value", ["1%", "1 %", 0.01])
def test_a_precision_is_a_percentage_or_a_number(value: object) -> None:
    scenario = Scenario().with_(run__precision=value)
    assert scenario.run.precision == 0.01
    assert to_dict(scenario)["run"]["precision"] == "1 %"
    assert dict(describe(scenario))["run.precision"] == "1 %"
    assert Scenario.model_validate(to_dict(scenario)) == scenario


@pytest.mark.parametrize("value", [None, "off"])
def test_a_precision_is_off_unless_it_is_asked_for(value: object) -> None:
    scenario = Scenario().with_(run__precision="1 %").with_(run__precision=value)
    assert scenario == Scenario()
    assert "precision" not in to_dict(scenario)["run"]
    assert dict(describe(scenario))["run.precision"] == "off"


def test_a_precision_in_quotes_is_told_how_to_be_right() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario().with_(run__precision="0.01")
    assert str(caught.value) == (
        "run.precision is '0.01', but it must be above 0 and below 100 %, such as '1 %' or 0.01, "
        "without quotes."
    )


@given(scenarios())
def test_equal_scenarios_are_equal_hashable_and_pickle(scenario: Scenario) -> None:
    twin = pickle.loads(pickle.dumps(scenario))
    assert twin == scenario
    assert hash(twin) == hash(scenario)
    assert scenario.with_(run__seed=scenario.run.seed ^ 1) != scenario


def test_an_error_survives_the_way_between_processes() -> None:
    with pytest.raises(ScenarioError) as caught:
        Job(servers=0)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
