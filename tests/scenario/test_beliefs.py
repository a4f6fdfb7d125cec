"""Beliefs about uncertain inputs: how they are read, what they draw, what is refused and how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import failcast as fc
from failcast.scenario import files, override
from failcast.scenario.beliefs import BELIEFS, Belief, Unknown, beliefs_of
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.scenario import place_of
from failcast.scenario.schema import json_schema
from failcast.scenario.spans import number_rule
from failcast.scenario.texts import parse_yaml

SMALL = fc.load("small")
DAY = 24.0


def belief(text: str) -> Belief:
    """The belief of `path=text` about the preset small."""
    (found,) = beliefs_of(fc.load("small", f"uncertain.{text}"))
    return found


#: A belief about a number and the distribution that it should be, in the unit of the scenario.
NUMBERS = (
    ("recovery.time=10 min..30 min", scipy.stats.uniform(1 / 6, 1 / 3)),
    ("recovery.time=uniform(10 min, 30 min)", scipy.stats.uniform(1 / 6, 1 / 3)),
    ("recovery.time=10min..1000min:log", scipy.stats.loguniform(1 / 6, 1000 / 60)),
    ("recovery.time=normal(20 min, sd=3 min)", scipy.stats.norm(1 / 3, 1 / 20)),
    ("repair.manual.time.mean=triangular(1 d, 2 d, 4 d)", scipy.stats.triang(1 / 3, DAY, 3 * DAY)),
    ("repair.manual.time.mean=triangular(1 d, 1 d, 4 d)", scipy.stats.triang(0, DAY, 3 * DAY)),
    ("repair.manual.time.mean=triangular(1 d, 4 d, 4 d)", scipy.stats.triang(1, DAY, 3 * DAY)),
    (
        "failures.random.rate=lognormal(median=0.01/day, sigma=0.3)",
        scipy.stats.lognorm(0.3, scale=0.01 / DAY),
    ),
    ("diagnosis.probability=0.5..1", scipy.stats.uniform(0.5, 0.5)),
    ("failures.systematic.multiplier=normal(5, 1)", scipy.stats.norm(5, 1)),
)


@pytest.mark.parametrize(("text", "wanted"), NUMBERS)
def test_a_belief_draws_the_quantiles_of_its_distribution(text: str, wanted: object) -> None:
    found = belief(text)
    for step in range(1, 100):
        value = found.at(step / 100)
        assert found.number(value) == pytest.approx(wanted.ppf(step / 100), rel=6e-6), step
        override(SMALL, [f"{found.path}={value}"])


def test_each_number_of_a_count_and_each_option_is_as_likely_as_any_other() -> None:
    for text, values in (
        ("job.warm_standbys=2..5", ["2", "3", "4", "5"]),
        ("selection.policy=one_of(random, pool_order)", ["random", "pool_order"]),
        ("failures.exposure.recovering=one_of(true, false)", ["true", "false"]),
        ("job.warm_standbys=one_of(4, 8, 16)", ["4", "8", "16"]),
        ("retirement=one_of(never, threshold(3, 7 d), score)", None),
    ):
        found, shares = belief(text), 60
        drawn = [found.at(step / shares) for step in range(shares)]
        if values is not None:
            assert list(dict.fromkeys(drawn)) == values
        counts = [drawn.count(each) for each in dict.fromkeys(drawn)]
        assert len(set(counts)) == 1
        for value in set(drawn):
            override(SMALL, [f"{found.path}={value}"])


def test_a_number_near_a_limit_is_never_beyond_it() -> None:
    found = belief("recovery.time=normal(20 min, 6 min)")  # 4 in 10,000 would be below 0
    assert found.number(found.at(0.0)) >= 0.0
    assert override(SMALL, [f"recovery.time={found.at(0.0)}"])
    assert belief("job.warm_standbys=normal(1000, 200)").at(0.5) == "1000"


REFUSED = (
    ("recovery.tme=1 min..2 min", "did you mean 'recovery.time'?"),
    ("recovery.time=30 min..10 min", "its first end must be below its second"),
    ("recovery.time=10..30", "it has no unit"),
    ("recovery.time=0 min..30 min:log", "its first end must be above 0"),
    ("recovery.time=10 min..30 min:5", "a range of belief has no number of values"),
    ("recovery.time=20 min", "it must be a range such as 'a..b'"),
    ("recovery.time=normal(20 min)", "its sd is missing: normal takes mean, sd"),
    ("recovery.time=normal(20 min, 0 min)", "its sd, here '0 min', must be above 0"),
    ("recovery.time=normal(20 min, 3)", "its sd, here '3', has no unit"),
    ("recovery.time=normal(20 min, 3 min, 4 min)", "normal takes mean or sd"),
    ("recovery.time=normal(20 min, mean=3 min)", "it gives 'mean' twice"),
    ("recovery.time=normal(20 min, sigma=3)", "'sigma' is no argument of it"),
    ("recovery.time=normal(20 min, 10 min)", "2.3 % of it lies outside what the field takes"),
    ("recovery.time=lognormal(0 min, 0.5)", "its median must be above 0"),
    ("recovery.time=lognormal(20 min, 11)", "must be a number above 0 and at most 10"),
    ("recovery.time=triangular(1 h, 30 min, 2 h)", "its low must be below its high"),
    ("recovery.time=gauss(1 h, 2 h)", "'gauss' is no distribution of belief"),
    ("recovery.time=normal(20 min, 3 min", "its parentheses do not match"),
    ("recovery.time=unknown(10 min)", "must be written as in unknown(10 min..3 h)"),
    ("diagnosis.probability=0.5..1.5", "it must be a number from 0 to 1"),
    ("diagnosis.probability=normal(0.95, 0.1)", "mostly above 1"),
    ("job.warm_standbys=normal(8, x)", "its sd, here 'x', must be a number"),
    ("repair.manual.time=1 d..4 d", "write repair.manual.time.mean"),
    ("repair.manual.time=normal(1 d, 1 h)", "write repair.manual.time.mean"),
    ("selection.policy=random..pool_order", "is no number: list its values"),
    ("selection.policy=one_of(random, pool_ordr)", "did you mean 'pool_order'?"),
    ("selection.policy=one_of(random, random)", "gives the option random twice"),
    ("selection.policy=one_of(random)", "it must have 2 to 100 options"),
    ("run.seed=1..2", "is no input of the model"),
    ("name=one_of(a, b)", "is no input of the model"),
    ("job=1..2", "is a block of fields: name the one that is uncertain"),
    ("job.warm_standbys=5", "it must be a range such as"),
)


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_cannot_be_believed_is_refused_in_a_sentence(text: str, words: str) -> None:
    path, _, value = text.partition("=")
    with pytest.raises(fc.ScenarioError) as refusal:
        fc.load("small", f"uncertain.{text}")
    assert words in str(refusal.value)
    assert str(refusal.value).startswith(f"-s uncertain.{path}=")
    with pytest.raises(fc.ScenarioError) as refusal:
        SMALL.with_(uncertain={path: value})
    assert refusal.value.field == f"uncertain.{path}"


def test_a_file_names_the_line_of_a_wrong_belief(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("job:\n  servers: 256\nuncertain:\n  recovery.time: 30 min..10 min\n")
    with pytest.raises(fc.ScenarioError) as refusal:
        fc.load(file)
    assert (refusal.value.line, refusal.value.field) == (4, "uncertain.recovery.time")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "uncertain:\n  recovery.time: 10 min..30 min\n  job.warm_standbys: 0..8\n"),
        ("a.yaml", "uncertain:\n  recovery: {time: 10 min..30 min}\n  job: {warm_standbys: 0..8}"),
        ("a.toml", '[uncertain]\nrecovery.time = "10 min..30 min"\njob.warm_standbys = "0..8"'),
        ("a.json", '{"uncertain": {"recovery": "10 min..30 min", "job.warm_standbys": "0..8"}}'),
    ],
)
def test_every_kind_of_file_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = fc.load(tmp_path / name)
    assert found.uncertain == (("job.warm_standbys", "0..8"), ("recovery.time", "10 min..30 min"))


def test_beliefs_are_given_and_taken_away_one_by_one() -> None:
    first = fc.load(
        "small", ["uncertain.recovery=10min..30min", "uncertain.job.warm_standbys=0..4"]
    )
    assert [path for path, _ in first.uncertain] == ["job.warm_standbys", "recovery.time"]
    second = override(first, ["uncertain.recovery.time=off"])
    assert [path for path, _ in second.uncertain] == ["job.warm_standbys"]
    assert override(first, ["uncertain=off"]) == SMALL
    assert first.with_(uncertain=None) == SMALL
    with pytest.raises(fc.ScenarioError, match=r"overlaps with failures\.life"):
        SMALL.with_(
            uncertain={
                "failures.life": "one_of(exponential, weibull(0.8))",
                "failures.life.shape": "0.5..1",
            }
        )


def test_a_scenario_without_beliefs_is_what_it_was() -> None:
    assert "uncertain" not in fc.to_dict(SMALL)
    assert fc.Scenario(uncertain={}) == fc.Scenario() == fc.Scenario(uncertain=None)
    assert dict(fc.describe(SMALL))["uncertain"] == "off"


def test_a_scenario_with_beliefs_has_a_hash_and_says_them() -> None:
    found = SMALL.with_(uncertain={"recovery.time": "10 min..30 min"})
    assert hash(found) != hash(SMALL)
    assert fc.scenario_hash(found) != fc.scenario_hash(SMALL)
    assert ("uncertain.recovery.time", "10 min..30 min") in fc.describe(found)
    assert fc.Scenario(**fc.to_dict(found)) == found


def test_unknown_has_a_range_or_none() -> None:
    bare, ranged = belief("recovery.time=unknown"), belief("recovery.time=unknown(10min..3h:log)")
    assert isinstance(bare, Unknown)
    assert bare.span is None
    assert isinstance(ranged, Unknown)
    assert ranged.span is not None
    assert (ranged.span.low, ranged.span.high, ranged.span.spacing) == (1 / 6, 3.0, "log")
    with pytest.raises(ValueError, match="unknown"):
        ranged.at(0.5)


_NUMBERS = st.floats(0.0, 1e6).map(lambda x: f"{x:.4g}")
_TEXTS = st.one_of(
    st.text(max_size=20),
    st.builds("{}..{}".format, _NUMBERS, _NUMBERS),
    st.builds("{} h..{} h:log".format, _NUMBERS, _NUMBERS),
    st.builds("{}({} h, {} h)".format, st.sampled_from(sorted(BELIEFS)), _NUMBERS, _NUMBERS),
    st.builds("{}({}, {})".format, st.sampled_from(sorted(BELIEFS)), _NUMBERS, _NUMBERS),
)
_PATHS = st.sampled_from(
    ["recovery.time", "job.warm_standbys", "failures.systematic.multiplier", "job.length"]
)


@given(_PATHS, _TEXTS, st.floats(0.0, 1.0, exclude_max=True))
def test_any_belief_is_refused_in_a_sentence_or_gives_values_of_its_field(
    path: str, text: str, quantile: float
) -> None:
    sentence, scenario = "", None
    try:
        scenario = SMALL.with_(uncertain={path: text})
    except fc.ScenarioError as error:
        sentence = str(error)
    if scenario is None:
        assert sentence[-1] in ".?"
        return
    assert fc.Scenario(**json.loads(json.dumps(fc.to_dict(scenario)))) == scenario
    rule = number_rule(place_of(path), scenario)
    assert rule is not None
    for found in beliefs_of(scenario):
        if not isinstance(found, Unknown):
            rule.read(plain_scalar(found.at(quantile)), units_required=True)


def test_the_schema_takes_beliefs() -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(json_schema())
    for text in ("uncertain:\n  recovery.time: 1 h..2 h\n", "uncertain: off\n", "uncertain: {}\n"):
        assert not list(validator.iter_errors(parse_yaml(text).data))
        files._build(parse_yaml(text).data)
    assert list(validator.iter_errors({"uncertain": {"recovery.time": 3}}))
