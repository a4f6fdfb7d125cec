"""What slips past a first reading of a file, an override or an object, and the sentence it gets.

Keys and tags that no scenario has, things given twice, numbers that vanish, limits of memory,
objects where a name belongs. On the map: tests of scenario/texts.py, files.py, blocks.py and
scenario.py, beside test_files.py and test_rules.py.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from failcast.scenario import (
    Cluster,
    Job,
    Preemption,
    Scenario,
    ScenarioError,
    Weibull,
    load,
    override,
)

Refusal = Callable[..., ScenarioError]


@pytest.fixture
def refusal(tmp_path: Path) -> Refusal:
    """Write a text to a file, load it, and return the error it must raise."""

    def load_wrong(text: str, ending: str = ".yaml") -> ScenarioError:
        path = tmp_path / f"plan{ending}"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ScenarioError) as caught:
            load(path)
        assert caught.value.file == str(path)
        return caught.value

    return load_wrong


def refused(make: Callable[[], object]) -> str:
    """Return the sentence of the ScenarioError that must come; none speaks of pydantic."""
    with pytest.raises(ScenarioError) as caught:
        make()
    sentence = str(caught.value)
    assert sentence.endswith((".", "?"))
    assert not any(word in sentence for word in ("pydantic", "Input", "Extra", "validation error"))
    return sentence


# --- limits and numbers that vanish -----------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.0, 0.1, 0.4999, 0.99991, 1.0, 95])
def test_a_confidence_that_makes_no_useful_interval_is_refused(confidence: float) -> None:
    sentence = refused(lambda: Scenario().with_(run__confidence=confidence))
    assert f"run.confidence is {confidence}, but it must be a number from 0.5 to" in sentence
    for good in (0.5, 0.9, 0.9999):
        assert Scenario().with_(run__confidence=good).run.confidence == good


@pytest.mark.parametrize(
    ("text", "ending", "hint"),
    [
        ("recovery: 1e-400 h", ".yaml", "recovery.time is '1e-400 h', but it is too close to 0"),
        ("recovery: 1e-400", ".yaml", "'1e-400', but it has no unit"),
        ("repair: {manual: {time: 'weibull(1e-400 h, 2)'}}", ".yaml", "too close to 0"),
        ("failures: {random: {rate: 1e-400 / day}}", ".yaml", "too close to 0"),
        ("failures: {random: {rate: 1 / 1e999 d}}", ".yaml", "too close to 0"),
        ("failures: {random: {rate: 1e-400}}", ".yaml", "write '1e-400 / day'"),
        ("diagnosis: {wrong_server: 1e-400}", ".yaml", "and not this close to 0"),
        ("score: {penalty: -1e-400}", ".yaml", "and not this close to 0"),
        ('{"diagnosis": {"wrong_server": 1e-400}}', ".json", "and not this close to 0"),
        ("diagnosis.wrong_server = 1_0.0e-400", ".toml", "and not this close to 0"),
    ],
)
def test_a_number_that_only_rounding_makes_zero_is_refused(
    refusal: Refusal, text: str, ending: str, hint: str
) -> None:
    assert hint in str(refusal(text, ending))


@pytest.mark.parametrize(
    "path", ["job__length", "failures__random__rate", "recovery__time", "diagnosis__probability"]
)
def test_a_fraction_that_only_rounding_makes_zero_is_refused(path: str) -> None:
    tiny = {path: Fraction(1, 10**400)}
    assert "too close to 0" in refused(lambda: Scenario().with_(**tiny))
    assert Scenario().with_(job__length=Fraction(1, 2)).job.length == 0.5


def test_a_threshold_remembers_no_more_blames_than_memory_holds() -> None:
    pool = Cluster(working_pool=99_000, spare_pool=1_000)
    most = Scenario(cluster=pool, retirement="threshold(1000, 7 d)")
    assert most.retirement.failures == 1000
    larger = {"cluster__spare_pool": 1_001}
    sentence = refused(lambda: most.with_(**larger))
    for piece in ("1,000 blames of each of 100,001 servers", "at most 100,000,000", "lower its"):
        assert piece in sentence
    assert most.with_(**larger, retirement="threshold(999, 7 d)").retirement.failures == 999
    assert most.with_(**larger, retirement="score").cluster.spare_pool == 1_001


def test_too_large_a_memory_is_told_of_the_override_that_asks_for_it() -> None:
    text = "retirement=threshold(1000, 7 d)"
    sentence = refused(lambda: load("airesim-table1", [text, "cluster.spare_pool=100000"]))
    assert sentence.startswith(f"-s {text}: retirement is threshold(failures=1000, window=7 d)")


def test_a_run_ends_after_ten_million_events() -> None:
    assert Scenario().run.max_events == 10_000_000


# --- tags and keys ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("job:\n  servers: !!str 3", 2),
        ("job:\n  servers: !!python/object:os.system 3", 2),
        ("name: x\njob: !foo\n  servers: 3", 2),
        ("job: !!map {servers: 3}", 1),
        ("job:\n  servers: !!seq [3]", 2),
        ("name: !!python/object/apply:os.system ['true']", 1),
        ("name:\n  - 1\n  - !foo 2", 3),
        ("job:\n  servers: ! 3", 2),
        ("name: !!str", 1),
        ("job:\n  !!str servers: 3", 2),
        ("--- !!map\nname: x", 1),
        ("name: !<%20plain> x", 1),
        ("name: !<tag:yaml.org,2002:str> x", 1),
    ],
)
def test_a_tag_on_any_node_is_refused_with_its_line(refusal: Refusal, text: str, line: int) -> None:
    error = refusal(text)
    assert error.line == line
    assert "is not read here: write the value alone." in str(error)


@pytest.mark.parametrize(
    ("text", "ending", "line", "hint"),
    [
        ("job.servers: 3", ".yaml", 1, "nest it, as in job: {servers: 3}."),
        ("\n'job.servers': 3", ".yaml", 2, "nest it, as in job: {servers: 3}."),
        ("job.server: 3", ".yaml", 1, "job.server is not read with a dot in one name: nest it"),
        (
            "failures:\n  random.rate: 0.01 / day",
            ".yaml",
            2,
            "as in failures: {random: {rate: 0.01 / day}}.",
        ),
        ("job.length: 'a, b'", ".yaml", 1, "as in job: {length: …}."),
        ("preemption.return_: never", ".yaml", 1, "as in preemption: {return: never}."),
        ("retirement.rule: never", ".yaml", 1, "did you mean 'retirement'?"),
        ('{"job.servers": 3}', ".json", 1, "nest it, as in job: {servers: 3}."),
        ('"job.servers" = 3', ".toml", None, "nest it, as in job: {servers: 3}."),
        ("zzz.qqq: 3", ".yaml", 1, "zzz.qqq is not a field of a scenario."),
    ],
)
def test_a_dotted_key_in_a_file_is_told_to_nest(
    refusal: Refusal, text: str, ending: str, line: int | None, hint: str
) -> None:
    error = refusal(text, ending)
    assert error.line == line
    assert hint in str(error)
    assert f"did you mean '{error.field}'" not in str(error)


def test_return_and_return_underscore_together_are_one_too_many(refusal: Refusal) -> None:
    wanted = "preemption.return is given twice, as return and as return_: keep one of them."
    error = refusal("preemption:\n  return: never\n  return_: never\n")
    assert (error.message, error.line) == (wanted, 2)
    assert refused(lambda: Preemption(**{"return": "never", "return_": "never"})) == wanted


@pytest.mark.parametrize(
    ("text", "ending", "line", "hint"),
    [
        ('{\n"job": {\n"servers": 3,\n"servers": 4}}', ".json", 4, "job.servers is given twice"),
        ('{\n\t"job": {},\n\t"job": {}}', ".json", 3, "job is given twice (first in line 2)"),
        ('{"x": [{"a": 1,\n"a": 2}]}', ".json", 2, "x.a is given twice"),
        # A name so long that the YAML reader, which knows the lines, gives up.
        ('{"a": {"b": 1, "b": 2}, "' + "x" * 2000 + '": 1}', ".json", None, "a.b is given twice"),
        ("[job]\nservers = 3\nservers = 4", ".toml", 3, "a key or a block is given twice"),
        ("[job]\nservers = 3\nservers = 4\n", ".toml", 3, "a key or a block is given twice"),
        ("[job]\n[run]\n[job]\n", ".toml", 3, "a key or a block is given twice"),
        ("job = {servers = 3, servers = 4}", ".toml", 1, "a key or a block is given twice"),
        ("job.servers = 3\n[job]\nlength = 3", ".toml", 2, "a key or a block is given twice"),
        ("job = 3\n[job.x]\n", ".toml", 2, "a key or a block is given twice"),
    ],
)
def test_a_key_given_twice_is_told_with_its_line(
    refusal: Refusal, text: str, ending: str, line: int | None, hint: str
) -> None:
    error = refusal(text, ending)
    assert error.line == line
    assert hint in str(error)
    assert str(error).endswith(": keep one of them.")


@pytest.mark.parametrize(
    ("text", "ending", "line"),
    [
        ('name: x\n"": 3', ".yaml", 2),
        ("job:\n  '': 3", ".yaml", 2),
        ("job:\n  ? \n  : 3", ".yaml", 2),
        ('" ": 3', ".yaml", 1),
        ('name: x\n"\\ud800": 3', ".yaml", 2),
        ('{\n"": 1}', ".json", 2),
        ('{"job":\n{"": 1}}', ".json", 2),
        ('{\n"\\ud800": 1}', ".json", 2),
        ('{"job": {\n"\\udfff": 1}}', ".json", 2),
        ('\n"" = 3', ".toml", 2),
        ("[job]\n'' = 3", ".toml", 2),
        ('name = ""\n[job.""]\nx = 1', ".toml", 2),
    ],
)
def test_a_key_that_is_no_name_is_told_with_its_line(
    refusal: Refusal, text: str, ending: str, line: int
) -> None:
    error = refusal(text, ending)
    assert error.line == line
    assert error.message.endswith("' cannot be the name of a field.")


@pytest.mark.parametrize("name", ["", " ", "\ud800", 3, None, ("a",)])
@pytest.mark.parametrize("block", [Scenario, Job])
def test_a_key_that_is_no_name_is_refused_in_python_too(block: type[Any], name: Any) -> None:
    assert "cannot be the name of a field" in refused(lambda: block.model_validate({name: 1}))


# --- given twice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (
            ["job.servers=8", "job.servers=10"],
            "-s job.servers=10: job.servers is given twice, first by -s job.servers=8: "
            "keep one of them.",
        ),
        (
            ["recovery.time=30min", "recovery=20 min"],
            "-s recovery=20 min: recovery overlaps with recovery.time, given by "
            "-s recovery.time=30min: keep one of them.",
        ),
        (
            ["failures.regeneration=off", "job.servers=3", "failures.regeneration.share=0.2"],
            "-s failures.regeneration.share=0.2: failures.regeneration.share overlaps with "
            "failures.regeneration, given by -s failures.regeneration=off: keep one of them.",
        ),
        (
            ["preemption.return=never", " preemption.return_ = never"],
            "-s  preemption.return_ = never: preemption.return is given twice, first by "
            "-s preemption.return=never: keep one of them.",
        ),
    ],
)
def test_overrides_of_the_same_field_are_refused(texts: list[str], sentence: str) -> None:
    assert refused(lambda: load("small", texts)) == sentence


def test_overrides_of_siblings_are_none_of_the_same_field() -> None:
    texts = ["job.servers=8", "job.warm_standbys=0", "repair.automated.time=1 h", "recovery=1 h"]
    assert load("small", texts).job.servers == 8


def test_a_wrong_override_by_the_name_in_python_names_itself() -> None:
    text = "preemption.return_=nver"
    assert refused(lambda: load("small", [text])).startswith(f"-s {text}: preemption.return is")


def test_a_change_that_would_be_lost_is_refused() -> None:
    lost = {"job__servers": 3, "job": Job(servers=4)}
    assert refused(lambda: Scenario().with_(**lost)) == (
        "job replaces job__servers, which is given too: keep one of them."
    )
    twice = {"preemption__return_": "never", "preemption__return": "when_healed"}
    assert "keep one of them" in refused(lambda: Scenario().with_(**twice))


# --- objects where something else belongs -----------------------------------------------------


@pytest.mark.parametrize("source", [None, 5, b"small", ["small"], Scenario()])
def test_what_is_no_name_cannot_be_loaded(source: Any) -> None:
    sentence = refused(lambda: load(source))
    assert sentence.endswith("cannot be loaded: give the name of a preset or the path of a file.")


def test_a_lone_override_is_one_override() -> None:
    assert load("small", "job.servers=3").job.servers == 3
    assert override(Scenario(), "job.servers=3").job.servers == 3


@pytest.mark.parametrize("overrides", [5, None, [5], [None], ["job.servers=3", b"run.seed=3"]])
def test_overrides_that_are_no_texts_are_a_sentence(overrides: Any) -> None:
    assert "of the form path=value" in refused(lambda: load("small", overrides))


def test_a_frozen_field_says_how_to_change_it() -> None:
    scenario = Scenario()
    frozen: dict[str, Callable[[], object]] = {
        "scenario.with_(job__servers=…)": lambda: setattr(scenario.job, "servers", 5),
        "scenario.with_(job=…)": lambda: setattr(scenario, "job", Job()),
        "scenario.with_(preemption__return=…)": lambda: setattr(
            scenario.preemption, "return_", "never"
        ),
        "scenario.with_(repair__manual__time=…)": lambda: delattr(scenario.repair.manual, "time"),
        "make a new Weibull": lambda: setattr(Weibull(mean=1.0, shape=2.0), "shape", 3.0),
    }
    for hint, change in frozen.items():
        sentence = refused(change)
        assert "is frozen" in sentence
        assert hint in sentence
    assert scenario == Scenario()


def test_a_field_that_does_not_exist_cannot_be_assigned() -> None:
    sentence = refused(lambda: setattr(Scenario().job, "warm_standby", 3))
    assert sentence == (
        "job.warm_standby is not a field of a scenario; did you mean 'job.warm_standbys'?"
    )


def test_frozen_objects_can_be_copied() -> None:
    scenario = Scenario().with_(job__servers=7)
    assert copy.copy(scenario) == copy.deepcopy(scenario) == scenario


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"job": {"servers": 0}}', "job.servers is 0, but it must be a whole number"),
        ('{"job": {"server": 3}}', "did you mean 'job.servers'?"),
        ('{"job": ', "this is not valid JSON: "),
        ("[1]", "scenario is a list, but it must be a block with the fields name"),
        (5, "scenario is 5, but it must be a block with the fields name"),
    ],
)
def test_json_text_raises_the_same_error(text: Any, hint: str) -> None:
    assert hint in refused(lambda: Scenario.model_validate_json(text))
    assert Scenario.model_validate_json('{"job": {"servers": 3}}').job.servers == 3


def test_every_door_of_a_block_raises_the_same_error() -> None:
    hint = "job.resume_with is 'x', but it must be"
    assert hint in refused(lambda: Job.model_validate_json(b'{"resume_with": "x"}'))
    assert hint in refused(lambda: Job.model_validate_strings({"resume_with": "x"}))
    assert "job is 5, but it must be a block" in refused(lambda: Job.model_validate(5))
