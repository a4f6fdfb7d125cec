"""Measured durations: in an expression or in a CSV file; every fault of a file is a sentence.

On the map: tests of scenario/measurements.py, and of what a file does to echo, hash and manifest.
"""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import failcast as fc
from failcast.scenario import measured_files, override
from failcast.scenario.measurements import MOST_BYTES, MOST_INLINE, MOST_VALUES, Source

TIME = "repair__manual__time"


def measured(text: str) -> Any:
    """The distribution that an expression means, with files from the current folder."""
    return fc.Scenario().with_(**{TIME: text}).repair.manual.time


def refused(make: Callable[[], object]) -> str:
    """The one sentence of the ScenarioError that must come."""
    with pytest.raises(fc.ScenarioError) as caught:
        make()
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert sentence.endswith((".", "?"))
    return sentence


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(folder: Path, expression: str = "empirical(repairs.csv)", name: str = "plan.yaml") -> Path:
    """Write a small scenario whose manual repair is an expression."""
    folder.mkdir(exist_ok=True)
    data = {
        "job": {"servers": 4, "warm_standbys": 1, "length": "10 d"},
        "cluster": {"working_pool": 6, "spare_pool": 0},
        "repair": {"manual": {"time": expression}},
    }
    (folder / name).write_text(yaml.safe_dump(data))
    return folder / name


# --- in an expression -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("empirical(10 min, 20 min, 3 h)", (1 / 6, 1 / 3, 3.0)),
        ("empirical( 3 h ,10min , 1 d 12 h )", (1 / 6, 3.0, 36.0)),
        ("empirical(2 h, 2 h, 0)", (0.0, 2.0, 2.0)),
        ("empirical(1.5h)", (1.5,)),
        ("empirical(1.h, .5 h)", (0.5, 1.0)),
    ],
)
def test_values_are_read_and_sorted(text: str, values: tuple[float, ...]) -> None:
    found = measured(text)
    assert found == fc.Empirical(values=values[::-1])
    assert found.values == values
    assert found.mean_hours == pytest.approx(sum(values) / len(values))
    assert measured(found.expression()) == found


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("empirical()", "it needs durations, or the name of a CSV file"),
        ("empirical", "it needs durations, or the name of a CSV file"),
        ("empirical(10, 20)", "its value 1, here 10, is wrong: it has no unit: write '10 min'"),
        ("empirical(1 h, 20)", "its value 2, here 20, is wrong: it has no unit: write '20 min'"),
        ("empirical(1 h, -2 h)", "its value 2, here '-2 h', must not be negative"),
        ("empirical(1 h, nan)", "its value 2, here 'nan', must be a duration such as"),
        ("empirical(1 h, .inf)", "its value 2, here inf, must be a duration such as"),
        ("empirical(1 h, 1e99 h)", "its value 2, here '1e99 h', must be 0 or from 1e-09 h"),
        ("empirical(1 h,)", "its value 2, here empty, must be a duration such as"),
        ("empirical(1 h, exponential(2 h))", "its value 2, here 'exponential(2 h)', must be"),
        ("empirical(1 h, repairs.csv)", "its value 2, here 'repairs.csv', must be"),
        ("empirical(repairs.csv, 1 h)", "'1 h' in it is one too many: a file holds all values"),
        ("empirical(1 h, unit=min)", "its unit belongs to a file, and none is named"),
        ("empirical(column=down)", "its column belongs to a file, and none is named"),
        ("empirical(1 h, scale=2)", "'scale' is no argument of it: empirical takes file, column"),
        ("empirical(a.csv, unit=h, unit=min)", "it gives 'unit' twice"),
        ("empirical(a.csv, file=b.csv)", "it gives 'file' twice"),
        ("empirical(1 h, 2 h", "its parentheses do not match"),
        ("empirical(" + "1 h, " * MOST_INLINE + "1 h)", "1,001 values are more than the 1,000"),
    ],
)
def test_wrong_values_are_a_sentence(here: Path, text: str, hint: str) -> None:
    sentence = refused(lambda: measured(text))
    assert sentence.startswith("repair.manual.time is 'empirical")
    assert hint in sentence


@pytest.mark.parametrize(
    "values", [[3, 1.5, "20 min"], np.array([3.0, 1.5, 1 / 3]), {3: 0, 1.5: 0, "20 min": 0}.keys()]
)
def test_any_sequence_in_python_is_hours(values: Any) -> None:
    assert fc.Empirical(values=values).values == (1 / 3, 1.5, 3.0)


def test_many_values_belong_into_a_file(here: Path) -> None:
    values = [1 + n / 7 for n in range(MOST_INLINE + 1)]
    sentence = refused(lambda: fc.Empirical(values=values))
    assert sentence.startswith("1,001 values are more than the 1,000 that may stand in an")
    longest = fc.Empirical(values=values[1:])
    assert measured(longest.expression()) == longest
    Path("many.csv").write_text("\n".join(f"{value!r} h" for value in values))
    assert fc.Empirical.from_file("many.csv").values == tuple(values)


def test_a_life_is_longer_than_0_and_a_duration_is_not() -> None:
    assert measured("empirical(0, 1 h)").values == (0.0, 1.0)
    sentence = refused(lambda: fc.Scenario().with_(failures__life="empirical(0, 1 h)"))
    assert "its value 1, here 0, must be longer than 0" in sentence
    assert fc.Scenario().with_(failures__life="empirical(9 d, 1 d)").failures.life == (
        fc.EmpiricalLife(values=(24.0, 216.0))
    )


def test_the_other_kind_is_refused() -> None:
    assert "it must be a shape of lives" in refused(
        lambda: fc.Scenario().with_(failures__life=fc.Empirical(values=(1,)))
    )
    assert "it must be a distribution" in refused(
        lambda: fc.Scenario().with_(recovery=fc.EmpiricalLife(values=(1,)))
    )


# --- a file -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "arguments", "values"),
    [
        ("35 min\n2 h\n", "", (35 / 60, 2.0)),
        ("hours_down\n35 min\n2 h", "", (35 / 60, 2.0)),
        ("35\n120\n", ", unit=min", (35 / 60, 2.0)),
        ("minutes\n120\n35\n", ", unit=min", (35 / 60, 2.0)),
        ("35\n2 h\n", ", unit=min", (35 / 60, 2.0)),
        ("\ufeffhours\n2\n", ", unit=h", (2.0,)),
        ("a,b\n1,2\n3,4\n", ", column=b, unit=h", (2.0, 4.0)),
        (' a , "b, c"\n1,2\n3,4\n', ', column="b, c", unit=h', (2.0, 4.0)),
        ('"a\nb",c\n1,2\n\n , \n3,"4"\r\n', ", column=c, unit=h", (2.0, 4.0)),
        ("a\r1\r2\r", ", unit=h", (1.0, 2.0)),
        ("\n\n35 min\n\n", "", (35 / 60,)),
        ("0\n1 h\n", "", (0.0, 1.0)),
        ('"1 h"\n', "", (1.0,)),
    ],
)
def test_a_column_of_a_file_is_read(
    here: Path, content: str, arguments: str, values: tuple[float, ...]
) -> None:
    (here / "repairs.csv").write_text(content, newline="", encoding="utf-8")
    found = measured(f"empirical(repairs.csv{arguments})")
    assert found.values == values
    assert found.source.sha256 == hashlib.sha256(content.encode()).hexdigest()
    assert measured(found.expression()) == found
    assert hash(measured(found.expression())) == hash(found)


@pytest.mark.parametrize(
    ("content", "arguments", "hint"),
    [
        ("", "", "repairs.csv holds no values"),
        ("\n \n", "", "repairs.csv holds no values"),
        ("minutes\n", "", "repairs.csv holds no values"),
        ("a,b\n", ", column=a", "repairs.csv holds no values"),
        (
            "35\n",
            "",
            "line 1 of repairs.csv holds '35': it has no unit: write '35 min' or '35 h', or",
        ),
        ("35\n", "", "name the unit of the column, as in unit=min"),
        ("x\n1 h\nabc\n", "", "line 3 of repairs.csv holds 'abc': it must be a duration"),
        ("1 h\n-2 h\n", "", "line 2 of repairs.csv holds '-2 h': it must not be negative"),
        ("1\n-2\n", ", unit=h", "line 2 of repairs.csv holds '-2': it must not be negative"),
        ("nan\n1 h\n", "", "line 1 of repairs.csv holds 'nan': it must be a duration"),
        ("1\nNaN\n", ", unit=h", "line 2 of repairs.csv holds 'NaN': it must be a duration"),
        ("inf\n", ", unit=h", "line 1 of repairs.csv holds 'inf': it must be a duration"),
        ("1\n1e999\n", ", unit=h", "line 2 of repairs.csv holds '1e999': it is too large"),
        ("1\n1e99\n", ", unit=h", "line 2 of repairs.csv holds '1e99': it must be 0 or from"),
        ("1\n1e-99\n", ", unit=h", "line 2 of repairs.csv holds '1e-99': it must be 0 or from"),
        ("1 h\n2 hh\n", "", "line 2 of repairs.csv holds '2 hh': 'hh' is not a unit of time"),
        ("2 hh\n1 h\n", "", "line 1 of repairs.csv holds '2 hh': 'hh' is not a unit of time"),
        ("a,b\n1 h,2 h\n", "", "line 1 of repairs.csv has 2 cells (a, b): name the column"),
        ("1,5\n", ", unit=h", "line 1 of repairs.csv has 2 cells (1, 5): name the column"),
        ("x\n1,5\n", ", unit=h", "line 2 of repairs.csv has 2 cells, but its first line has 1"),
        ("a,b\n1 h\n", ", column=a", "line 2 of repairs.csv has 1 cell, but its first line has 2"),
        ("a,b\n1,\n", ", column=b, unit=h", "line 2 of repairs.csv holds an empty cell: it must"),
        ("down,b\n1,2\n", ", column=dwn", "no column 'dwn' in its first line (down, b); did you"),
        ("a,a\n1,2\n", ", column=a", "more than one column 'a' in its first line (a, a)"),
        ("35 min\n", ", column=a", "no column 'a' in its first line (35 min)"),
        ('1 h\n"2 h\n', "", "of repairs.csv is no CSV: unexpected end of data"),
        ('1 h\n"2"x\n', "", "line 2 of repairs.csv is no CSV: "),
        ("x" * 200_000, "", "line 1 of repairs.csv is no CSV: field larger than field limit"),
        (b"1 h\n\xff\xfe\n", "", "repairs.csv, line 2, is not UTF-8 text"),
        (b"\x7fELF\x00\x01\n\x00\n", "", "line 1 of repairs.csv holds '\\x7fELF\\x00"),
        ("<1 h\n2 h\n", "", "line 1 of repairs.csv holds '<1 h': it must be a duration"),
        ("~5\n6\n", ", unit=h", "line 1 of repairs.csv holds '~5': it must be a duration"),
        ("\u22121 h\n2 h\n", "", "line 1 of repairs.csv holds '\u22121 h': it must be a duration"),
        ("(5) h\n2 h\n", "", "line 1 of repairs.csv holds '(5) h': it must be a duration"),
        ("1 h\n" * (MOST_VALUES + 1), "", "repairs.csv holds more than 100,000 values"),
        (b"\n" * (MOST_BYTES + 1), "", "repairs.csv is larger than 50,000,000 bytes"),
        ("1\n", ", unit=month", "its unit, here 'month', is wrong: a month has no fixed length"),
        ("1\n", ", unit=5 min", "its unit, here '5 min', must be one such as 'min' or 'h'"),
        ("1\n", ", unit=", "its unit, here '', must be one such as 'min' or 'h'"),
        ("1 h\n", ", column=", "its column, here '', must be printable text"),
        ("1 h\n", ", sha256=12", "its sha256, here '12', must be 16 to 64 digits 0 to f"),
        ("1 h\n", ", sha256=", "its sha256, here '', must be 16 to 64 digits 0 to f"),
        ("," * 100_000 + "\n", ", column=a", "no values"),
        ("x" + ",y" * 100_000 + "\n", ", column=a", "no column 'a' in its first line (x, y, y,"),
        ("1 h\n", ", sha256=0123456789abcdef", "repairs.csv has changed: its SHA-256 begins with"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_file_is_a_sentence_with_its_line(
    tmp_path: Path, content: str | bytes, arguments: str, hint: str
) -> None:
    """The file stands beside the scenario, whose own line is named first."""
    (tmp_path / "repairs.csv").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    path = plan(tmp_path, f"empirical(repairs.csv{arguments})")
    sentence = refused(lambda: fc.load(path))
    line = path.read_text().splitlines().index("  manual:") + 2
    assert sentence.startswith(f"{path}, line {line}: repair.manual.time is 'empirical(repairs.csv")
    assert hint in sentence.replace(f"{tmp_path}{os.sep}", "")


def test_what_is_no_file_is_a_sentence(here: Path) -> None:
    (here / "folder.csv").mkdir()
    os.mkfifo(here / "pipe.csv")
    for name, hint in (
        ("missing.csv", "missing.csv does not exist"),
        ("folder.csv", "folder.csv is not a file"),
        ("pipe.csv", "pipe.csv is not a file"),
        ("/dev/zero", "/dev/zero is not a file"),
        ("/dev/null", "/dev/null is not a file"),
        ("missing/../a.csv", "missing/../a.csv does not exist"),
        ("a" * 300 + ".csv", "cannot be read: File name too long"),
        ("a" * 2000 + ".csv", "must be printable text of at most 1,000 characters"),
        ("a\x00.csv", "must be printable text"),
        ("a'\".csv", "without both kinds of quotes"),
    ):
        assert hint in refused(lambda name=name: fc.Empirical.from_file(name))
        # In a text the two kinds of quotes cannot stand at all.
        assert hint in refused(lambda name=name: measured(f"empirical({name})"))


def test_a_file_that_may_not_be_read_is_a_sentence(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "repairs.csv").write_text("1 h\n")

    def denied(self: Path, *args: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    sentence = refused(lambda: fc.Empirical.from_file("repairs.csv"))
    assert sentence == "repairs.csv cannot be read: Permission denied."


@pytest.mark.parametrize("wrong", [{"file": 3}, {"column": 3}, {"unit": 3}, {"file": None}])
def test_wrong_arguments_in_python_are_a_sentence(here: Path, wrong: dict[str, Any]) -> None:
    (here / "repairs.csv").write_text("1 h\n")
    refused(lambda: fc.Empirical.from_file(**({"file": "repairs.csv"} | wrong)))


def test_the_file_of_a_life_must_hold_lives(here: Path) -> None:
    (here / "lives.csv").write_text("100 d\n0\n")
    sentence = refused(lambda: fc.EmpiricalLife.from_file("lives.csv"))
    assert sentence == "line 2 of lives.csv holds '0': it must be longer than 0."
    (here / "lives.csv").write_text("100 d\n300 d\n")
    life = fc.Scenario().with_(failures__life="empirical(lives.csv)").failures.life
    assert life == fc.EmpiricalLife.from_file(Path("lives.csv"))
    assert life.table() == (0.5, 1.5)


# --- names and places -------------------------------------------------------------------------


def test_a_name_is_looked_for_beside_the_scenario(here: Path) -> None:
    path = plan(here / "plans")
    (here / "repairs.csv").write_text("1 h\n")
    (here / "plans" / "repairs.csv").write_text("2 h\n")
    from_file = fc.load(path)
    assert from_file.repair.manual.time.values == (2.0,)
    assert fc.load(path, "job.servers=3").repair.manual.time.values == (2.0,)
    assert override(from_file, "job.servers=3") == from_file.with_(job__servers=3)
    here_instead = fc.load("plans/plan.yaml", "repair.manual.time=empirical(repairs.csv)")
    assert here_instead.repair.manual.time.values == (1.0,)
    assert fc.load(path.resolve()) == fc.load("plans/plan.yaml")
    assert fc.load(plan(here, f"empirical({here / 'repairs.csv'})")).repair.manual.time.values == (
        1.0,
    )


def test_the_values_make_the_hash(here: Path) -> None:
    hashes = set()
    for content in ("1 h\n", "2 h\n", "minutes\n1 h\n"):
        (here / "repairs.csv").write_text(content)
        hashes.add(fc.scenario_hash(fc.load(plan(here))))
    assert len(hashes) == 3
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "repairs.csv").write_text("minutes\n1 h\n")
    assert fc.scenario_hash(fc.load(plan(here / "elsewhere"))) in hashes


def test_a_written_scenario_reads_back_beside_the_same_file(here: Path) -> None:
    (here / "repairs.csv").write_text("down\n1 h\n3 h\n")
    scenario = fc.load(plan(here, "empirical(repairs.csv, column=down)"))
    (here / "again.yaml").write_text(yaml.safe_dump(fc.to_dict(scenario)))
    assert fc.load("again.yaml") == scenario
    assert fc.scenario_hash(fc.load("again.yaml")) == fc.scenario_hash(scenario)
    (here / "repairs.csv").write_text("down\n1 h\n4 h\n")
    sentence = refused(lambda: fc.load("again.yaml"))
    assert "repairs.csv has changed: its SHA-256 begins with" in sentence
    assert "Leave sha256 out to take the file as it is." in sentence
    (here / "repairs.csv").unlink()
    assert "repairs.csv does not exist" in refused(lambda: fc.load("again.yaml"))
    # What is in memory needs the file no more.
    assert override(scenario, "job.servers=3").repair.manual.time.mean_hours == 2.0


def test_the_manifest_lists_the_file_with_the_hash_of_what_was_read(here: Path) -> None:
    (here / "plans").mkdir()
    content = b"1 h\n3 h\n"
    (here / "plans" / "repairs.csv").write_bytes(content)
    path = plan(here / "plans", "mixture(0.5: empirical(repairs.csv), 0.5: empirical(repairs.csv))")
    scenario = fc.load(path)
    (here / "plans" / "repairs.csv").write_bytes(b"9 h\n")
    sample = fc.simulate(scenario, replications=2)
    given = fc.InputFile.of(path)
    expected = [
        {"path": str(path), "sha256": given.sha256},
        {"path": str(path.with_name("repairs.csv")), "sha256": hashlib.sha256(content).hexdigest()},
    ]
    assert sample.to_dict(inputs=[given])["manifest"]["inputs"] == expected
    assert sample.to_dict()["manifest"]["inputs"] == expected[1:]


def test_files_of_all_fields_are_listed_once(here: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (here / name).write_text("x,y\n1 h,2 h\n")
    scenario = fc.Scenario().with_(
        failures__life="mixture(1: empirical(b.csv, column=x))",
        recovery="empirical(a.csv, column=x)",
        selection__time="empirical(a.csv, column=x)",
    )
    assert [source.file for source in measured_files(scenario)] == ["b.csv", "a.csv"]
    assert measured_files(fc.Scenario()) == ()


_names = st.text(
    st.characters(blacklist_categories=("C", "Z"), blacklist_characters="/\\")
    | st.sampled_from(" ,()='.:#"),
    min_size=1,
    max_size=20,
).filter(lambda name: name.strip() == name and name.isprintable() and name not in (".", ".."))


@given(
    file=_names.filter(lambda name: not ("'" in name and '"' in name)),
    column=_names.filter(lambda name: not ("'" in name and '"' in name)),
)
def test_any_name_is_written_so_that_it_reads_back(
    tmp_path_factory: pytest.TempPathFactory, file: str, column: str
) -> None:
    folder = tmp_path_factory.mktemp("names")
    quoted = column.replace('"', '""')
    (folder / file).write_text(f'"{quoted}",another\n1 h,\n2 h,\n', encoding="utf-8")
    old = Path.cwd()
    os.chdir(folder)
    try:
        if column == "another":
            return
        found = fc.Empirical.from_file(file, column=column)
        assert measured(found.expression()) == found
        assert measured(f"mixture(1: {found.expression()})").parts == ((1.0, found),)
        written = {"recovery": f"mixture(1: {found.expression()})", "name": "x"}
        (folder / "written.yaml").write_text(yaml.safe_dump(written, allow_unicode=True))
        assert fc.load("written.yaml").recovery.time.parts == ((1.0, found),)
    finally:
        os.chdir(old)


# --- objects ----------------------------------------------------------------------------------


def test_measured_values_are_values(here: Path) -> None:
    (here / "repairs.csv").write_text("1 h\n3 h\n")
    from_file = fc.Empirical.from_file("repairs.csv")
    for one in (fc.Empirical(values=(1, 3)), from_file, fc.EmpiricalLife(values=(1, 3))):
        for same in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), one.model_copy()):
            assert same == one
            assert hash(same) == hash(one)
            assert same.expression() == one.expression()
        assert "is frozen" in refused(lambda one=one: setattr(one, "values", (1.0,)))
    assert from_file != fc.Empirical(values=(1, 3))
    assert from_file.model_copy(update={"values": (1, 3)}) == fc.Empirical(values=(1, 3))
    assert isinstance(from_file.source, Source)


def test_many_values_are_shown_by_their_number(here: Path) -> None:
    (here / "repairs.csv").write_text("1 h\n" * 5000)
    assert "5,000 values" in repr(fc.Empirical.from_file("repairs.csv"))
    assert repr(fc.Empirical(values=(1, 2))) == "Empirical(values=(1.0, 2.0), source=None)"


@given(
    content=st.binary(max_size=60)
    | st.text(max_size=60).map(lambda t: t.encode("utf-8", "replace"))
)
def test_any_file_holds_durations_or_is_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("any") / "any.csv"
    file.write_bytes(content)
    for column, unit in ((None, None), ("a", None), (None, "min"), ("a", "h")):
        try:
            found = fc.Empirical.from_file(file, column=column, unit=unit)
        except fc.ScenarioError as error:
            sentence = str(error)
            assert sentence.isprintable()
            assert sentence.endswith((".", "?"))
        else:
            assert found.values == tuple(sorted(found.values))


_PIECES = [
    "empirical",
    "mixture",
    "(",
    ")",
    ",",
    ":",
    "1 h",
    "0.5",
    "'",
    '"',
    "=",
    "unit",
    "a.csv",
    " ",
]


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_a_distribution_or_a_sentence(text: str) -> None:
    for path in (TIME, "failures__life"):
        try:
            scenario = fc.Scenario().with_(**{path: text})
        except fc.ScenarioError as error:
            sentence = str(error)
            assert sentence.endswith((".", "?"))
        else:
            assert isinstance(scenario, fc.Scenario)
