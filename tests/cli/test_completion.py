"""TAB completes: through the protocol that the scripts speak, and in the shells themselves."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import failcast as fc
from failcast.cli import app, candidates
from failcast.cli.completion import SCRIPTS
from failcast.scenario import PRESETS
from failcast.scenario.blocks import paths_of
from failcast.scenario.meanings import FIELDS

#: Where the package under test lies, for processes that work in another folder.
SOURCE = str(Path(fc.__file__).parents[1])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two scenarios, other files and folders; the test works in it."""
    for name in ("mine.yaml", "my plan.toml", "notes.txt", ".hidden.yaml", "sub/deep.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(line: str) -> dict[str, str]:
    """What the program offers for a line: each word with its meaning."""
    done = subprocess.run(
        [sys.executable, "-m", "failcast"],
        env=os.environ
        | {
            "_FAILCAST_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            "_TYPER_COMPLETE_ARGS": line,
            "PYTHONPATH": SOURCE,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = filter(None, done.stdout.splitlines())
    return {word: meaning for word, _, meaning in (each.partition("\t") for each in lines)}


# --- The program's side ---------------------------------------------------------------------------


def test_verbs_and_options_are_completed() -> None:
    verbs = {
        "run",
        "compare",
        "sweep",
        "rank",
        "plan",
        "reproduce",
        "validate",
        "check",
        "init",
        "schema",
        "completion",
    }
    assert completed("failcast ").keys() == verbs
    options = completed("failcast run small --")
    assert {"--set", "--seed", "--json", "--fail-if", "--out"} <= options.keys()
    assert all(word.startswith("--") for word in options), "a meaning was folded into two lines"


def test_a_scenario_is_a_preset_or_a_file_that_can_hold_one(folder: Path) -> None:
    offered = completed("failcast run ")
    assert offered.keys() == {*PRESETS, "mine.yaml", "my plan.toml", "sub/"}
    assert offered["small"] == PRESETS["small"]
    assert completed("failcast check sub/").keys() == {"sub/deep.json"}
    assert completed("failcast compare small sub/").keys() == {"sub/deep.json"}
    assert completed("failcast check .h").keys() == {".hidden.yaml"}


def test_a_field_is_completed_with_its_meaning() -> None:
    offered = completed("failcast run small -s job.w")
    assert offered == {"job.warm_standbys=": FIELDS["job.warm_standbys"][1]}
    assert completed("failcast check small --set=job.w") == offered


def test_the_values_of_a_field_that_has_names_are_completed() -> None:
    offered = completed("failcast run small -s preemption.mode=")
    assert offered.keys() == {"preemption.mode=one_at_a_time", "preemption.mode=together"}


def test_goals_and_choices_are_completed() -> None:
    assert completed("failcast run small --fail-if et").keys() >= {"ettr", "ettr.low", "ettr.p95"}
    assert completed("failcast run small --engine ").keys() == {"kernel", "reference"}
    assert completed("failcast completion ").keys() == SCRIPTS.keys()
    titles = {name: anchor.title for name, anchor in fc.anchors().items()}
    assert completed("failcast validate ").keys() == titles.keys()
    assert dict(candidates.anchors("llama")) == {"llama3-405b": titles["llama3-405b"]}


# --- Its parts ------------------------------------------------------------------------------------


def words(found: list[tuple[str, str]]) -> list[str]:
    """The words of candidates."""
    return [word for word, _ in found]


def test_every_field_that_can_be_set_is_offered() -> None:
    blocks = {path.rpartition(".")[0] for path in FIELDS} - {""}
    optional = {path for path in blocks if path in FIELDS}
    fields = set(paths_of(fc.Scenario)) - blocks | optional
    assert set(words(candidates.overrides(""))) == {f"{path}=" for path in fields}


def test_every_value_that_is_offered_is_accepted() -> None:
    for path in FIELDS:
        for override in words(candidates.overrides(f"{path}=")):
            assert fc.load("small", override), override
    assert words(candidates.overrides("failures.exposure.recovering="))[0].endswith("=true")
    assert candidates.overrides("job.servers=") == []
    assert candidates.overrides("nonsense=") == []


def test_every_goal_that_is_offered_can_be_parsed() -> None:
    for metric in (*fc.METRICS, "mtbf_hours", "finished"):
        offered = words(candidates.goals(metric))
        assert f"{metric}.low" in offered
        for figure in offered:
            assert fc.Goal.parse(f"{figure} < 1").metric == metric
    assert words(candidates.goals("repairs_"))[:2] == ["repairs_automated", "repairs_manual"]
    assert candidates.goals("nonsense") == []


def test_folders_and_files(folder: Path) -> None:
    assert words(candidates.folders("")) == ["sub/"]
    assert words(candidates.files("n")) == ["notes.txt"]
    assert words(candidates.files(f"{folder}/su")) == [f"{folder}/sub/"]
    assert candidates.files("no/such/") == []
    assert candidates.files("nul\0/") == []


def test_the_verb_prints_the_script_of_a_shell() -> None:
    for shell, script in SCRIPTS.items():
        assert CliRunner().invoke(app, ["completion", shell]).stdout == script
    refused = CliRunner().invoke(app, ["completion", "tcsh"])
    assert refused.exit_code == 2
    assert "tcsh" in refused.stderr


# --- The shells -----------------------------------------------------------------------------------

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(failcast completion bash)"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; source <(failcast completion zsh)",
    ),
    "fish": (["fish", "--no-config", "-i"], "failcast completion fish | source"),
}
SHELLS = [
    pytest.param(
        shell, marks=pytest.mark.skipif(not shutil.which(shell), reason=f"there is no {shell}")
    )
    for shell in START
]
#: The program where a shell asks or a script is printed; else it writes down its arguments.
PROGRAM = """#!/bin/bash
if [[ -n "$_FAILCAST_COMPLETE" || "$1" == completion ]]; then
    exec {python} -m failcast "$@"
fi
printf '%s\\n' "$@" >> {told}
"""
#: Makes the terminal on stdin that of this session, which fish insists on.
ON_A_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class Typist:
    """A shell on a terminal of its own, and what it called."""

    def __init__(self, shell: str, folder: Path) -> None:
        program, self.told = folder / ".bin" / "failcast", folder / ".told"
        program.parent.mkdir()
        program.write_text(PROGRAM.format(python=sys.executable, told=self.told))
        program.chmod(0o755)
        command, source = START[shell]
        environment = os.environ | {
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": SOURCE,
            "HOME": str(folder / ".bin"),
            "TERM": "dumb" if shell == "bash" else "xterm",
            "PS1": "$ ",
        }
        self.terminal, below = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_A_TERMINAL, *command],
            env=environment,
            stdin=below,
            stdout=below,
            stderr=below,
            cwd=folder,
            start_new_session=True,
        )
        os.close(below)
        os.set_blocking(self.terminal, False)
        self.first = f"{source}; failcast ready\n"

    def type(self, keys: str, last: str) -> list[str]:
        """Type, wait until the program was called with this last argument; return them all."""
        os.write(self.terminal, keys.encode())
        seen, deadline = b"", time.monotonic() + 60.0
        while time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                seen += os.read(self.terminal, 65536)
            told = self.told.read_text().splitlines() if self.told.exists() else []
            if told and told[-1] == last:
                return told
            time.sleep(0.02)
        pytest.fail(f"typed {keys!r}, and the shell showed: {seen.decode(errors='replace')}")

    def close(self) -> None:
        """End the shell."""
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


@pytest.fixture(params=SHELLS)
def typist(request: pytest.FixtureRequest, folder: Path) -> Iterator[Typist]:
    """One for each shell that is there."""
    one = Typist(request.param, folder)
    try:
        one.type(one.first, "ready")
        one.told.write_text("")
        yield one
    finally:
        one.close()


def test_tab_completes_in_a_real_shell(typist: Typist) -> None:
    """Verb, preset, option, a field without a space behind it, and a value behind its `=`."""
    typed = "failcast ru\tsma\t--rep\t7 -s job.w\t32 -s preemption.mode=to\tend\n"
    assert typist.type(typed, "end") == [
        *("run", "small", "--replications", "7"),
        *("-s", "job.warm_standbys=32", "-s", "preemption.mode=together", "end"),
    ]


def test_tab_goes_through_folders_and_quotes_what_has_a_space(typist: Typist) -> None:
    assert typist.type("failcast check su\tde\tend\n", "end") == ["check", "sub/deep.json", "end"]
    typist.told.write_text("")
    assert typist.type("failcast check my\tend\n", "end") == ["check", "my plan.toml", "end"]
