"""Replayed failures: in an expression or in a CSV file; every fault of a file is a sentence.

On the map: tests of scenario/replay.py, and of what a file does to echo, hash and manifest.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import failcast as fc
from failcast.results.manifest import manifest
from failcast.scenario import measured_files, override
from failcast.scenario.measurements import MOST_INLINE, MOST_VALUES
from failcast.study.axes import span

SMALL = fc.Scenario().with_(
    cluster__working_pool=6,
    cluster__spare_pool=2,
    job__servers=4,
    job__warm_standbys=1,
    job__length="10 d",
)


def replayed(text: Any) -> Any:
    """The failures that an expression means, with files from the current folder."""
    return SMALL.with_(failures__replay=text).failures.replay


def refused(make: Callable[[], object]) -> str:
    """The one sentence of the ScenarioError that must come."""
    with pytest.raises(fc.ScenarioError) as caught:
        make()
    sentence = str(caught.value)
    assert len(caught.value.problems) == 1
    assert sentence.isprintable()
    assert sentence.endswith((".", "?"))
    return sentence


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the current one, with a file of three failures."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("node,hours\n3,1.5\n0,2\n3,40\n")
    return tmp_path


LOG = "replay(log.csv, time=hours, server=node, unit=h)"
FAILURES = ((1.5, 3), (2.0, 0), (40.0, 3))


# --- in an expression -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        ("replay(12 h: 3)", ((12.0, 3),)),
        (" replay ( 0 : 0 ,1 d 12 h:5 , 2 d : 1) ", ((0.0, 0), (36.0, 5), (48.0, 1))),
        ("replay(1 h: 3, 1 h: 1)", ((1.0, 1), (1.0, 3))),
        ([(1, 2), ("90 min", 0)], ((1.0, 2), (1.5, 0))),
    ],
)
def test_failures_are_read(text: Any, failures: tuple[tuple[float, int], ...]) -> None:
    found = replayed(fc.Replay(failures=text) if isinstance(text, list) else text)
    assert found == fc.Replay(failures=failures)
    assert found.failures == failures
    assert replayed(found.expression()) == found


@pytest.mark.parametrize("off", [None, "off"])
def test_it_is_off_unless_one_is_named(off: Any) -> None:
    scenario = SMALL.with_(failures__replay="replay(1 h: 0)").with_(failures__replay=off)
    assert scenario == SMALL
    assert fc.scenario_hash(scenario) == fc.scenario_hash(SMALL)
    assert "replay" not in fc.to_dict(scenario)["failures"]
    assert dict(fc.describe(scenario))["failures.replay"] == "off"
    assert override(scenario, "failures.replay=off") == SMALL


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("replay", "it needs the name of a CSV file, or failures such as 12 h: 3"),
        ("replay()", "it needs the name of a CSV file, or failures such as 12 h: 3"),
        ("replay(12 h)", "'12 h' in it is no time and server: write 12 h: 3"),
        ("replay(2 h: 1, 1 h: 0)", "its failure 2 is earlier than the one before it: sort them"),
        ("replay(12: 3)", "its failure 1 is wrong: its time, here 12, is wrong: it has no unit"),
        ("replay(-1 h: 3)", "its failure 1 is wrong: its time, here '-1 h', must not be negative"),
        ("replay(nan h: 3)", "its failure 1 is wrong: its time, here 'nan h', must be a duration"),
        (
            "replay(1 h: 3, 2 h: -1)",
            "its failure 2 is wrong: its server, here -1, must be a whole",
        ),
        ("replay(1 h: node3)", "its failure 1 is wrong: its server, here 'node3', must be a whole"),
        (
            "replay(1 h: 1.5)",
            "its failure 1 is wrong: its server, here 1.5, must be a whole",
        ),
        ("replay(1 h: 3, unit=h)", "its unit belongs to a file, and none is named"),
        ("replay(log.csv, 1 h: 3)", "it names a file, which holds all failures, and gives others"),
        ("replay(log.csv, hours=h)", "'hours' is no argument of it: replay takes file, time, ser"),
        ("replay(log.csv, unit=h, unit=d)", "it gives 'unit' twice"),
        ("replay(log.csv", "its parentheses do not match"),
        ("replays(log.csv)", "'replays' is no replay here: write replay; did you mean 'replay'?"),
        ("log.csv", "it must be a replay such as 'replay(failures.csv, time=hours, server=node"),
        (True, "it must be a replay such as"),
        (fc.Constant(value=3.0), "it must be a replay such as"),
    ],
)
def test_what_is_no_replay_is_refused(text: Any, hint: str) -> None:
    sentence = refused(lambda: replayed(text))
    assert sentence.startswith("failures.replay is ")
    assert hint in sentence


@pytest.mark.parametrize(
    ("failures", "hint"),
    [
        ("12 h: 3", "it must be pairs such as ('12 h', 3)"),
        ([], "it must hold at least one failure"),
        ([(1.0, 0, 2)], "its failure 1 must be a time and the number of a server"),
        ([(float("inf"), 0)], "its failure 1 is wrong: its time, here inf, must be a duration"),
        ([(0.0, 0)] * (MOST_VALUES + 1), "it must hold at most 100,000 failures"),
        ([(0.0, 0)] * (MOST_INLINE + 1), "1,001 failures are more than the 1,000 that may stand"),
    ],
)
def test_an_object_is_refused_with_the_same_sentences(failures: Any, hint: str) -> None:
    assert hint in refused(lambda: fc.Replay(failures=failures))


def test_a_source_cannot_be_made_up() -> None:
    assert "from_file reads a file" in refused(
        lambda: fc.Replay(failures=[(1.0, 0)], source="log.csv")  # type: ignore[arg-type]
    )


def test_a_server_that_does_not_exist_is_refused() -> None:
    assert refused(lambda: replayed("replay(1 h: 7, 2 h: 8)")) == (
        "failures.replay names server 8 (its failure 2), but cluster.working_pool (6) and "
        "cluster.spare_pool (2) hold servers 0 to 7: correct it or enlarge a pool."
    )
    fine = SMALL.with_(failures__replay="replay(1 h: 7)")
    assert "names server 7" in refused(lambda: fine.with_(cluster__spare_pool=1))


def test_it_is_given_as_a_whole() -> None:
    one = SMALL.with_(failures__replay="replay(1 h: 7)")
    assert "its unit cannot be changed alone" in refused(
        lambda: override(one, "failures.replay.unit=min")
    )
    assert "it is off, which has no unit" in refused(
        lambda: override(SMALL, "failures.replay.unit=min")
    )
    for scenario in (one, SMALL):
        with pytest.raises(fc.ScenarioError, match=r"failures.replay.unit is no number"):
            span("failures.replay.unit=1..2", scenario)


# --- in a file --------------------------------------------------------------------------------


def test_a_file_is_read(here: Path) -> None:
    found = replayed(LOG)
    assert found.failures == FAILURES
    assert found == replayed("replay('log.csv', unit=h, server='node', time=hours)")
    assert (
        found.failures
        == fc.Replay.from_file(here / "log.csv", time="hours", server="node", unit="h").failures
    )
    assert found.source.lines == (2, 3, 4)


def test_units_spaces_blank_lines_and_other_columns_are_fine(here: Path) -> None:
    (here / "b.csv").write_text(
        '\ufeffwhat, time ,server\n\nGPU, 90 min , 3\n"NIC, port 2",1 d 12 h,0\n\nfan,1.5 d,2\n',
        encoding="utf-8",
    )
    assert replayed("replay(b.csv)").failures == ((1.5, 3), (36.0, 0), (36.0, 2))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "log.csv holds no failures: it must hold at least one, below a line of names"),
        ("\n\n", "log.csv holds no failures"),
        ("node,hours\n", "log.csv holds no failures"),
        ("hours\n1\n", "log.csv has no column 'node' in its first line (hours)"),
        ("nodes,hours\n1,1\n", "no column 'node' in its first line (nodes, hours); did you mean"),
        ("node,node,hours\n1,1,1\n", "log.csv has more than one column 'node' in its first line"),
        ("node,hours\n1,1\n1,0.5\n", "line 3 of log.csv holds '0.5', which is earlier than the"),
        ("node,hours\n1,1\n1\n", "line 3 of log.csv has 1 cell, but its first line has 2"),
        ("node,hours\n1,-1\n", "line 2 of log.csv holds '-1': it must not be negative"),
        ("node,hours\n1,nan\n", "line 2 of log.csv holds 'nan': it must be a duration"),
        ("node,hours\n1,inf\n", "line 2 of log.csv holds 'inf': it must be a duration"),
        ("node,hours\n1,1e400\n", "line 2 of log.csv holds '1e400': it is too large"),
        ("node,hours\n1,1e12\n", "line 2 of log.csv holds '1e12': it must be 0 or from 1e-09 h to"),
        ("node,hours\n1,\n", "line 2 of log.csv holds an empty cell: "),
        ("node,hours\n1,3 months\n", "a month has no fixed length"),
        ("node,hours\n,1\n", "line 2 of log.csv holds an empty cell for a server: it must be its"),
        ("node,hours\n-1,1\n", "line 2 of log.csv holds '-1' for a server: it must be its number"),
        ("node,hours\n1.0,1\n", "line 2 of log.csv holds '1.0' for a server"),
        ("node,hours\ngpu-17,1\n", "line 2 of log.csv holds 'gpu-17' for a server"),
        ("node,hours\n" + "9" * 5000 + ",1\n", "for a server: it must be its number"),
        ('node,hours\n"1,1\n', "line 2 of log.csv is no CSV"),
        ("node,hours\n1,1\n8,2\n", "failures.replay names server 8 (line 3 of log.csv), but clust"),
    ],
)
def test_a_fault_of_a_file_is_named_with_its_line(here: Path, text: str, hint: str) -> None:
    (here / "log.csv").write_text(text)
    assert hint in refused(lambda: replayed(LOG))


def test_a_bare_number_needs_a_unit(here: Path) -> None:
    sentence = refused(lambda: replayed("replay(log.csv, time=hours, server=node)"))
    assert "name the unit of the column, as in unit=min" in sentence
    assert "its unit, here 'parsec', is wrong" in refused(
        lambda: replayed("replay(log.csv, time=hours, server=node, unit=parsec)")
    )


def test_what_is_no_file_is_refused(here: Path) -> None:
    assert "no.csv does not exist" in refused(lambda: replayed("replay(no.csv)"))
    assert "is not a file" in refused(lambda: replayed("replay('./')"))
    (here / "log.csv").write_bytes(b"node,hours\n1,\xff\n")
    assert "line 2, is not UTF-8 text" in refused(lambda: replayed(LOG))
    assert "is not the name of a file" in refused(
        lambda: fc.Replay.from_file(3)  # type: ignore[arg-type]
    )


def test_a_file_of_too_many_failures_is_refused(here: Path) -> None:
    (here / "log.csv").write_text("node,hours\n" + "1,1\n" * (MOST_VALUES + 1))
    assert "holds more than 100,000 failures: take a part of them" in refused(lambda: replayed(LOG))


def test_a_written_scenario_finds_the_same_file_or_says_that_it_changed(here: Path) -> None:
    folder = here / "plans"
    folder.mkdir()
    (here / "log.csv").rename(folder / "log.csv")
    data = fc.to_dict(SMALL)
    data["failures"]["replay"] = LOG
    (folder / "plan.yaml").write_text(yaml.safe_dump(data))
    scenario = fc.load(folder / "plan.yaml")
    assert scenario.failures.replay is not None
    assert scenario.failures.replay.failures == FAILURES
    written = fc.to_dict(scenario)["failures"]["replay"]
    assert written.startswith("replay(log.csv, time=hours, server=node, unit=h, sha256=")
    (folder / "copy.yaml").write_text(yaml.safe_dump(fc.to_dict(scenario)))
    assert fc.load(folder / "copy.yaml") == scenario
    (folder / "log.csv").write_text("node,hours\n3,1.5\n")
    assert "log.csv has changed: its SHA-256 begins with" in refused(
        lambda: fc.load(folder / "copy.yaml")
    )
    assert fc.load(folder / "plan.yaml") != scenario


def test_the_file_is_in_the_manifest(here: Path) -> None:
    scenario = SMALL.with_(failures__replay=LOG)
    (source,) = measured_files(scenario)
    assert (source.file, len(source.sha256)) == ("log.csv", 64)
    sample = fc.simulate(scenario, replications=2, seed=1)
    assert "log.csv" in str(manifest(sample))


def test_names_with_spaces_and_commas_are_written_in_quotes(here: Path) -> None:
    (here / "a log, old.csv").write_text("server no,wall time\n1,2 h\n")
    found = replayed("replay('a log, old.csv', time='wall time', server='server no')")
    assert replayed(found.expression()) == found


def test_objects_can_be_copied_and_shown(here: Path) -> None:
    found = replayed(LOG)
    assert copy.deepcopy(found) == pickle.loads(pickle.dumps(found)) == found
    assert "(1.5, 3)" in repr(found)
    many = fc.Replay(failures=[(float(n), 0) for n in range(50)])
    assert "50 failures" in repr(many)
