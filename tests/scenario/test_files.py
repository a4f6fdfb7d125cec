"""Files and overrides: what they mean, and that whatever is wrong is a sentence with its place.

On the map: tests of scenario/files.py, texts.py, echo.py and the presets.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.generated import scenarios

from failcast.scenario import (
    PRESETS,
    Constant,
    Regeneration,
    Scenario,
    ScenarioError,
    Threshold,
    describe,
    load,
    override,
    scenario_hash,
    to_dict,
)
from failcast.scenario.blocks import paths_of
from failcast.scenario.files import MOST_BYTES

Refusal = Callable[..., ScenarioError]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scenarios")


@pytest.fixture
def refusal(tmp_path: Path) -> Refusal:
    """Write a text to a file, load it, and return the error it must raise."""

    def load_wrong(text: str | bytes, ending: str = ".yaml") -> ScenarioError:
        path = tmp_path / f"plan{ending}"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        with pytest.raises(ScenarioError) as caught:
            load(path)
        assert caught.value.file == str(path)
        assert all(line.startswith(str(path)) for line in str(caught.value).splitlines())
        return caught.value

    return load_wrong


def read(folder: Path, text: str, ending: str = ".yaml") -> Scenario:
    path = folder / f"plan{ending}"
    path.write_text(text, encoding="utf-8")
    return load(path)


# --- presets ---------------------------------------------------------------------------------


def test_every_preset_is_registered_loads_and_is_named_like_its_file() -> None:
    presets = files("failcast.scenario") / "presets"
    shipped = {item.name.removesuffix(".yaml") for item in presets.iterdir()}
    assert shipped == set(PRESETS)
    for name in PRESETS:
        assert load(name).name == name


def test_table_1_is_the_default_with_the_selection_of_the_original() -> None:
    table_1 = load("airesim-table1")
    same = table_1.with_(name="scenario", description="", selection__policy="random")
    assert table_1.selection.policy == "pool_order"
    assert same == Scenario()


def test_small_is_table_1_with_other_sizes() -> None:
    small, table_1 = load("small"), load("airesim-table1")
    assert (small.cluster.working_pool, small.cluster.spare_pool) == (270, 10)
    assert (small.job.servers, small.job.warm_standbys, small.job.length) == (256, 8, 1440.0)
    sizes = {"cluster": table_1.cluster, "job": table_1.job}
    assert (
        small.model_copy(update=sizes).with_(name=table_1.name, description=table_1.description)
        == table_1
    )


@pytest.mark.parametrize("name", ["llama3-405b", "meta-rsc1", "meta-rsc2", "frontier-100k"])
def test_every_figure_of_a_real_cluster_says_where_it_comes_from(name: str) -> None:
    text = (files("failcast.scenario") / "presets" / f"{name}.yaml").read_text("utf-8")
    block, spoken_for = "", False
    for line in text.splitlines():
        if re.match(r"\w+:", line):
            # What stands beside the name of a block is about all of it.
            block, spoken_for = line.split(":")[0], "#" in line
        figure = re.match(r"\s+\w+: [^#]*[1-9]", line) and block != "run"
        # The multiplier is of no account where no server is defective.
        assert not figure or spoken_for or "#" in line or line.endswith("multiplier: 5"), line
    words = ("borrowed", "assumed") if name == "frontier-100k" else ("measured", "borrowed")
    assert all(f"# {word}" in text for word in words)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("smal", "did you mean 'small'?"),
        ("airesim-table-1", "did you mean 'airesim-table1'?"),
        ("quite-different", "neither a preset (airesim-table1, small, llama3-405b, "),
        ("plan.txt", "does not end in .yaml, .yml, .toml or .json"),
        ("plan.yaml", "does not exist"),
        ("\x00.yaml", "does not exist"),
        ("a" * 5000 + ".yaml", "cannot be read"),
        ("", "neither a preset"),
    ],
)
def test_an_unknown_source_is_a_sentence(name: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(name)
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


# --- there and back ---------------------------------------------------------------------------


@given(scenarios())
def test_what_is_written_reads_back_equal(folder: Path, scenario: Scenario) -> None:
    data = to_dict(scenario)
    assert read(folder, json.dumps(data), ".json") == scenario
    assert read(folder, yaml.safe_dump(data)) == scenario
    assert override(scenario, ["run.seed=1"]) == scenario.with_(run__seed=1)


@given(scenarios())
def test_the_echo_names_every_field_once_with_text(scenario: Scenario) -> None:
    lines = describe(scenario)
    off = {path for path in paths_of(Scenario) if (path, "off") in lines}
    below_off = tuple(f"{path}." for path in off)
    blocks = {path.rpartition(".")[0] for path in paths_of(Scenario)} - off
    wanted = [
        path
        for path in paths_of(Scenario)
        if not path.startswith(below_off) and not is_block(path, blocks)
    ]
    assert [path for path, _ in lines] == wanted
    assert ("failures.regeneration" in off) == (scenario.failures.regeneration is None)
    assert all(isinstance(text, str) for _, text in lines)


def is_block(path: str, blocks: set[str]) -> bool:
    """Say whether a path is that of a block that is on, or of one of the blocks around it."""
    return any(each == path or each.startswith(f"{path}.") for each in blocks)


def test_the_echo_carries_units() -> None:
    lines = dict(describe(load("airesim-table1")))
    assert lines["job.length"] == "256 d"
    assert lines["failures.random.rate"] == "0.01 / day"
    assert lines["recovery.time"] == "20 min"
    assert lines["repair.manual.time"] == "exponential(mean=2 d)"
    assert lines["job.servers"] == "4,096"
    assert lines["run.horizon"] == "256000 d (1,000 × job.length)"


def test_the_hash_names_the_content() -> None:
    one = Scenario()
    assert scenario_hash(one) == scenario_hash(Scenario(recovery="20 min"))
    assert len(scenario_hash(one)) == 64
    others = [one.with_(run__seed=2), one.with_(name="b"), one.with_(job__length=6144.0000001)]
    assert len({scenario_hash(s) for s in (one, *others)}) == 4


# --- YAML: its traps and its lines ------------------------------------------------------------


def test_a_float_without_a_point_is_a_number(folder: Path) -> None:
    scenario = read(folder, "diagnosis: {wrong_server: 7e-6}\nrun: {replications: 1e3}\n")
    assert scenario.diagnosis.wrong_server == 7e-6
    assert scenario.run.replications == 1000


def test_off_is_text_and_switches_regeneration_off(folder: Path) -> None:
    assert read(folder, "failures:\n  regeneration: off\n").failures.regeneration is None
    on = read(folder, "failures:\n  regeneration: {interval: 30 d}\n")
    assert on.failures.regeneration == Regeneration(interval=720.0, share=0.1)


@pytest.mark.parametrize(
    ("text", "line", "field", "hint"),
    [
        ("recovery: 1:30", 1, "recovery.time", "'1:30', but it must be a duration"),
        ("\njob:\n  length: 20", 3, "job.length", "write '20 min' or '20 h'"),
        ("failures:\n  random: {rate: 7e-6}", 2, "failures.random.rate", "7e-06 / day"),
        ("failures:\n  exposure:\n    recovering: no", 3, "failures.exposure.recovering", "'no'"),
        ("failures:\n  regeneration: on", 2, "failures.regeneration", "it must be off"),
        ("failures:\n  regeneration: false", 2, "failures.regeneration", "it must be off"),
        ("job:\n  servers: 010", 2, "job.servers", "'010', but it"),
        ("job:\n  servers: '10'", 2, "job.servers", "without quotes"),
        ("job:\n  servers: 10.5", 2, "job.servers", "a whole number"),
        ("job:\n  servers: 2024-01-01", 2, "job.servers", "'2024-01-01'"),
        ("job:\n  servers: 1_000", 2, "job.servers", "'1_000'"),
        ("job:\n  servers: .nan", 2, "job.servers", "is nan"),
        ("job:\n  servers:\n    - 1", 2, "job.servers", "is a list"),
        ("job:\n  servers:", 2, "job.servers", "is empty"),
        ("job:\n", 1, "job", "must be a block with the fields servers"),
        ("name: 42", 1, "name", "put it in quotes"),
        ("job:\n  warm_standby: 3", 2, "job.warm_standby", "did you mean 'job.warm_standbys'"),
        ("\nrepairs: {}", 2, "repairs", "did you mean 'repair'"),
        ("job:\n  servers: 3\n  servers: 4", 3, "job.servers", "twice (first in line 2)"),
        ("job: {}\nname: x\njob: {}", 3, "job", "twice (first in line 1)"),
        ("job:\n  servers: !!int '3'", 2, "job.servers", "the tag"),
        ("? [a, b]\n: 3", 1, "", "a key must be the name of a field"),
        ("a: &x 3\nb: *x", 2, "", "aliases (*x)"),
        ("a: {b: 3", 1, "", "not valid YAML"),
        ("job:\n\tservers: 3", 2, "", "not valid YAML"),
        ("job:\n  - a\n b: 3", 3, "", "not valid YAML"),
        ("--- {}\n--- {}", 2, "", "not valid YAML"),
        ("name: x\x07y", 1, "", "a character that YAML does not allow"),
        ('a: "\\UFFFFFFFF"', None, "", "an escape of no character"),
        ("a: " + "[" * 100, 1, "", "nested too deeply"),
        ("", None, "", "the file is empty"),
        ("# nothing\n", None, "", "the file is empty"),
        ("--- # nothing\n{}\n", None, "", "the file is empty"),
        ("just text", None, "", "must hold blocks"),
        ("- a\n- b", None, "", "must hold blocks"),
        ("job: {servers: 5000}", 1, "job.servers", "together need 5016 servers"),
        ("cluster:\n  working_pool: 3", 2, "job.servers", "together need 4112 servers"),
    ],
)
def test_a_wrong_yaml_file_names_line_field_and_what_is_right(
    refusal: Refusal, text: str, line: int | None, field: str, hint: str
) -> None:
    error = refusal(text)
    assert (error.line, error.field) == (line, field)
    assert hint in str(error)


def test_an_alias_bomb_is_refused_at_once(refusal: Refusal) -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    assert "aliases" in str(refusal("a0: &a0 lol\n" + levels))


def test_all_wrong_lines_of_a_file_are_told_at_once(refusal: Refusal) -> None:
    error = refusal("job:\n  servers: 0\n  length: 3\nscore:\n  period: 0 d\n")
    assert [problem.line for problem in error.problems] == [2, 3, 5]


@pytest.mark.parametrize("first", ["", "job_size: 5\n"])
def test_a_file_of_thousands_of_unknown_keys_is_answered_briefly(
    refusal: Refusal, first: str
) -> None:
    error = refusal(first + "".join(f"key{n}: {n}\n" for n in range(5000)))
    assert len(error.problems) == 51
    assert str(error).endswith("there are 4950 more problems.")


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ('{"job": {"servers": 0}}', 1, "job.servers is 0"),
        ('{\n"job": {\n"servers": 0}}', 3, "job.servers is 0"),
        ('{"job": {"servers": NaN}}', None, "NaN is not a number"),
        ('{"job": {"servers": 1e999}}', 1, "is inf"),
        ('{"job": \n{"servers": }}', 2, "not valid JSON"),
        ('{"job": {"servers": ' + "9" * 5000 + "}}", None, "too many digits"),
        ('{"name": "\\ud800"}', 1, "must be printable"),
        ("[" * 100_000, None, "nested too deeply"),
        ("[1, 2]", None, "must hold blocks"),
        ("null", None, "the file is empty"),
        ("{}", None, "the file is empty"),
    ],
)
def test_a_wrong_json_file_is_a_sentence(
    refusal: Refusal, text: str, line: int | None, hint: str
) -> None:
    error = refusal(text, ".json")
    assert error.line == line
    assert hint in str(error)


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("[job]\nservers = 0", None, "job.servers is 0"),
        ("[job]\nservers = 2024-01-01", None, "job.servers is 2024-01-01"),
        ("[job]\nservers = nan", None, "job.servers is nan"),
        ("[job]\nlength = 3", None, "write '3 min'"),
        ("", None, "the file is empty"),
        (" \n# nothing\n", None, "the file is empty"),
        ('a = """\n', 1, "not valid TOML: Unterminated string"),
        ("[job\n", 1, "not valid TOML"),
        ("a = " + "[" * 50_000, None, "nested too deeply"),
        ("a = " + "9" * 5000, None, "too many digits"),
    ],
)
def test_a_wrong_toml_file_is_a_sentence(
    refusal: Refusal, text: str, line: int | None, hint: str
) -> None:
    error = refusal(text, ".toml")
    assert error.line == line
    assert hint in str(error)


def test_toml_json_and_yaml_mean_the_same(folder: Path) -> None:
    toml = 'recovery = "10 min"\n[job]\nservers = 4_000\n[preemption]\nreturn = "when_healed"\n'
    as_json = '{"recovery":"10 min","job":{"servers":4000},"preemption":{"return":"when_healed"}}'
    as_yaml = "recovery: 10 min\njob:\n  servers: 4000\npreemption:\n  return: when_healed\n"
    scenario = read(folder, toml, ".toml")
    assert scenario.recovery.time == Constant(value=1 / 6)
    assert scenario == read(folder, as_json, ".json") == read(folder, as_yaml, ".YML")


def test_a_file_that_is_no_utf_8_too_large_or_a_folder_is_a_sentence(
    refusal: Refusal, tmp_path: Path
) -> None:
    error = refusal(b"name: a\nname: \xff\xfe")
    assert error.line == 2
    assert "not UTF-8" in str(error)
    assert "larger than 1,000,000 bytes" in str(refusal(b"#" * (MOST_BYTES + 1)))
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(ScenarioError, match="is not a file"):
        load(tmp_path / "folder.yaml")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ScenarioError, match="is not a file"):
        load(tmp_path / "pipe.yaml")


def test_a_byte_order_mark_is_no_part_of_the_first_name(folder: Path) -> None:
    assert read(folder, "\ufeffname: x").name == "x"


# --- overrides --------------------------------------------------------------------------------


def test_overrides_change_a_preset() -> None:
    scenario = load(
        "airesim-table1",
        [
            "job.warm_standbys=32",
            "recovery=10 min",
            "retirement=threshold(3, 7 d)",
            "failures.random.rate = 7e-6 / min",
            "failures.regeneration.share=0.2",
            "run.horizon=null",
            "failures.exposure.recovering=true",
            "name='42'",
        ],
    )
    assert scenario.job.warm_standbys == 32
    assert scenario.recovery.time == Constant(value=1 / 6)
    assert scenario.retirement == Threshold(failures=3, window=168.0)
    assert scenario.failures.random.rate == 7e-6 * 60
    assert scenario.failures.regeneration == Regeneration(interval=720.0, share=0.2)
    assert scenario.failures.exposure.recovering is True
    assert scenario.name == "42"


def test_overrides_are_judged_together() -> None:
    assert load("small", ["job.servers=4000", "cluster.working_pool=5000"]).job.servers == 4000


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("job.warm_standbys=-1", "job.warm_standbys is -1, but it must be a whole number"),
        ("job.warm_standby=3", "did you mean 'job.warm_standbys'"),
        ("recovery=10", "write '10 min' or '10 h'"),
        ("job.length=256", "write '256 min' or '256 h'"),
        ("failures.random.rate=0.01", "write '0.01 / day'"),
        ("job.servers=273", "job.servers (273)"),
        ("failures.exposure.recovering=yes", "it must be true or false"),
        ("job=3", "must be a block"),
        ("job.servers=", "is empty"),
        ("selection.policy=randm", "did you mean 'random'"),
    ],
)
def test_a_wrong_override_names_itself(text: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load("small", ["run.seed=3", text])
    assert str(caught.value).startswith(f"-s {text}: ")
    assert hint in str(caught.value)


@pytest.mark.parametrize("text", ["job.servers", "=3", "", " = "])
def test_an_override_without_path_or_value_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError, match="is not of the form path=value"):
        load("small", [text])


# --- nothing but sentences --------------------------------------------------------------------

_words = st.one_of(
    st.sampled_from(["off", "20 min", "weibull(1 d, 2)", "never", "1e400", "0 / day", ".inf", "~"]),
    st.text(max_size=8),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
)
_trees = st.recursive(
    _words,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.one_of(
                st.sampled_from([name for path in paths_of(Scenario) for name in path.split(".")]),
                st.text(max_size=8),
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def says_why(make: Callable[[], Scenario]) -> list[str]:
    """Return the sentences of a refusal, none for a valid scenario; nothing else may happen."""
    try:
        assert isinstance(make(), Scenario)
    except ScenarioError as error:
        sentences = str(error).splitlines()
        assert sentences
        assert all(s.isprintable() and s[-1] in ".?" for s in sentences)
        return sentences
    return []


def loads_or_says_why(path: Path) -> None:
    """Load a file: a valid scenario, or sentences that name the file."""
    assert all(sentence.startswith(str(path)) for sentence in says_why(lambda: load(path)))


@given(text=st.text(), ending=st.sampled_from([".yaml", ".json", ".toml"]))
def test_any_text_is_a_scenario_or_a_sentence(folder: Path, text: str, ending: str) -> None:
    path = folder / f"any{ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    loads_or_says_why(path)


@given(content=st.binary())
def test_any_bytes_are_a_scenario_or_a_sentence(folder: Path, content: bytes) -> None:
    path = folder / "any.yaml"
    path.write_bytes(content)
    loads_or_says_why(path)


@given(
    text=st.lists(
        st.sampled_from(
            [*"{}[]:,-?&*!|>'\"%@`#~ \n\t=", "job", "servers", "\n  ", ": ", "- ", "7e-6", "<<"]
        )
    ).map("".join)
)
def test_any_yaml_like_text_is_a_scenario_or_a_sentence(folder: Path, text: str) -> None:
    path = folder / "any.yaml"
    path.write_text(text, encoding="utf-8")
    loads_or_says_why(path)


@given(data=_trees)
def test_any_tree_is_a_scenario_or_a_sentence(folder: Path, data: Any) -> None:
    for ending, text in ((".yaml", yaml.safe_dump(data)), (".json", json.dumps(data))):
        path = folder / f"tree{ending}"
        path.write_text(text, encoding="utf-8")
        loads_or_says_why(path)


@given(st.lists(st.tuples(st.sampled_from(paths_of(Scenario)), st.text() | st.from_regex(r"\w+"))))
def test_any_override_is_a_scenario_or_a_sentence(pairs: list[tuple[str, str]]) -> None:
    says_why(lambda: load("small", [f"{path}={value}" for path, value in pairs]))


@given(_trees)
def test_any_python_value_of_a_field_is_valid_or_a_scenario_error(value: Any) -> None:
    for path in paths_of(Scenario):
        says_why(lambda path=path: Scenario().with_(**{path: value}))
