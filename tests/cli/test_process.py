"""The real program in a process of its own: streams, exit codes, pipes and signals."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import failcast as fc

COMMAND = (sys.executable, "-m", "failcast")
SMALL = ("run", "small", "--replications", "2", "--threads", "1")


def environment(**extra: str) -> dict[str, str]:
    """This environment without what would force or forbid colour, or keep streams unbuffered."""
    ours = ("FORCE_COLOR", "NO_COLOR", "PYTHONUNBUFFERED")
    kept = {k: v for k, v in os.environ.items() if k not in ours}
    return kept | extra


def failcast(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, with stdin closed to it."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=environment(**extra),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def test_json_and_notices_do_not_mix() -> None:
    done = failcast(*SMALL, "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["status"]["finished"] == 2
    assert document["manifest"]["argv"] == ["failcast", *SMALL, "--json"]
    assert "Traceback" not in done.stderr


def test_a_pipe_gets_plain_text_and_a_narrow_one_all_of_it() -> None:
    done = failcast(*SMALL, COLUMNS="10", TERM="xterm-256color")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "█" in done.stdout
    assert "…" not in done.stdout


def test_a_stream_without_unicode_gets_ascii() -> None:
    done = failcast(*SMALL, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "####" in done.stdout
    checked = failcast("check", "small", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert checked.returncode == 0
    assert checked.stdout.isascii()


def test_invalid_input_exits_2_with_one_sentence() -> None:
    done = failcast("run", "small", "-s", "job.servers=none")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_a_bug_exits_1_in_a_sentence() -> None:
    broken = "import failcast as fc, failcast.cli as c; fc.load_with_notes = 1 .bit_count; c.main()"
    done = subprocess.run(
        [sys.executable, "-c", broken, "check", "small"],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Internal error: TypeError: ")
    assert "Traceback" not in done.stderr


def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *SMALL, "--quiet"],
        env=environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=300,
    )
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


def redirected(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a stream redirected by the shell, such as `>&-`: closed."""
    return subprocess.run(
        ["bash", "-c", f'exec "$@" {redirection}', "bash", *COMMAND, *arguments],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (*SMALL, "--quiet"),
        (*SMALL, "--quiet", "--json"),
        ("check", "small"),
        ("check", "small", "--json"),
        ("init", "-"),
        ("schema",),
        ("--version",),
        ("run", "--help"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("redirection", "sentence"),
    [
        (">&-", "Error: stdout is closed, so the result has nowhere to go."),
        ("> /dev/full", "Error: cannot write the result to stdout: no space left on device."),
        ("1< /dev/null", "Error: cannot write the result to stdout: bad file descriptor."),
    ],
)
def test_a_stdout_that_takes_nothing_is_told_in_a_sentence(
    arguments: tuple[str, ...], redirection: str, sentence: str
) -> None:
    done = redirected(redirection, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1


def test_without_any_stream_there_is_still_an_exit_code() -> None:
    assert redirected(">&- 2>&-", *SMALL).returncode == 1
    assert redirected("> /dev/full 2>&-", *SMALL).returncode == 1
    assert redirected("2>&-", "run", "absent").returncode == 2


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full"])
def test_notices_that_nobody_hears_do_not_keep_a_result_back(
    tmp_path: Path, redirection: str
) -> None:
    done = redirected(redirection, *SMALL, "--trace", str(tmp_path / "trace.csv"))
    assert done.returncode == 0
    assert done.stdout.startswith("Training takes ")


def interrupted(
    *arguments: str,
    after: str = "replications done",
    script: str = "import failcast.cli as c; c.main()",
) -> subprocess.CompletedProcess[str]:
    """Run the program and press Ctrl-C once a line of stderr holds `after`."""
    # A shell that starts the tests in the background lets children ignore the signal: undo that.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    start = [sys.executable, "-c", f"{heed}\n{script}", *arguments]
    with subprocess.Popen(
        start,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if after in line:
                break
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=100)
    return subprocess.CompletedProcess(start, process.returncode, output, errors)


LONG = ("run", "small", "--threads", "2", "--seed", "3", "--replications")


@pytest.mark.parametrize(("engine", "replications"), [("kernel", "200000"), ("reference", "400")])
def test_ctrl_c_ends_a_long_run_with_what_is_done(engine: str, replications: str) -> None:
    done = interrupted(*LONG, replications, "--engine", engine)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    told = re.search(r"Interrupted after ([\d,]+) of ([\d,]+) replications", done.stderr)
    assert told
    assert told[2].replace(",", "") == replications
    assert done.stdout.startswith("Training takes ")
    answer = " ".join(done.stdout.split("\n\n")[0].split())
    assert answer.endswith(f"The simulation was interrupted: these are its first {told[1]} runs.")
    assert f"\n{told[1]} replications of small from seed 3, " in done.stdout


def test_ctrl_c_leaves_every_file_that_was_asked_for(tmp_path: Path) -> None:
    trace, folder = tmp_path / "trace.csv", tmp_path / "out"
    files = ("--json", "--trace", str(trace), "--out", str(folder))
    done = interrupted(*LONG, "200000", *files, "--fail-if", "ettr < 1")
    assert done.returncode == 130
    document = json.loads(done.stdout)
    assert document["interrupted"] is True
    assert document["goals"][0]["failed"]
    assert "The goal 'ettr < 1' failed" in done.stderr
    count = document["manifest"]["replications"]
    assert 0 < count < 200_000
    assert json.loads((folder / "result.json").read_text()) == document
    sample = fc.simulate(fc.load("small"), replications=count, seed=3, threads=2)
    assert document["metrics"] == sample.to_dict()["metrics"]
    assert len((folder / "replications.csv").read_text().splitlines()) == count + 1
    events = fc.trace(sample.scenario, seed=3).rows()
    assert len(trace.read_text().splitlines()) == len(events) + 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "trace.csv"]


def test_ctrl_c_ends_a_precise_run_too() -> None:
    arguments = ("--precision", "0.001%", "--max-replications", "1000000")
    done = interrupted("run", "small", "--threads", "2", *arguments)
    assert done.returncode == 130
    assert re.search(r"Interrupted after [\d,]+ of at most 1,000,000 replications", done.stderr)
    assert "The precision of 0.001 % is not reached: after " in " ".join(done.stdout.split())


def test_a_second_ctrl_c_ends_at_once() -> None:
    """While the first one's result is on its way. The signals are the program's own."""
    twice = (
        "import signal, failcast as fc, failcast.cli as c;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "press = lambda *_, **__: signal.raise_signal(signal.SIGINT);"
        "simulate = fc.simulate;"
        "fc.simulate = lambda *a, **k: simulate(*a, **(k | {'on_progress': press}));"
        "fc.Sample.to_dict = press;"
        "c.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", twice, "run", "small", "--replications", "4000", "--json"],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=100,
    )
    assert done.returncode == 130
    assert done.stdout == ""
    first, second = done.stderr.splitlines()[-2:]
    assert first.startswith("Interrupted after ")
    assert second == "Interrupted; there is no result."


def pressing(hooks: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with hooks in it, which may `press()` Ctrl-C themselves."""
    script = (
        "import os, signal, sys, failcast as fc, failcast.cli as c\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "press = lambda *_, **__: signal.raise_signal(signal.SIGINT)\n"
        f"{hooks}\n"
        "c.main()"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


ONCE = """
def then(name, before, times=1):
    step = getattr(fc, name)
    def pressed(*a, **k):
        if before:
            [press() for _ in range(times)]
        done = step(*a, **k)
        if not before:
            [press() for _ in range(times)]
        return done
    setattr(fc, name, pressed)
"""
NOTED = "Interrupted after the last replication; the result is still given. "


@pytest.mark.parametrize(
    "when", ["('trace', True)", "('trace', False)", "('write_folder', True)"], ids=str
)
def test_ctrl_c_does_not_keep_a_finished_result_back(tmp_path: Path, when: str) -> None:
    trace, folder = tmp_path / "trace.csv", tmp_path / "out"
    files = ("--json", "--trace", str(trace), "--out", str(folder))
    done = pressing(f"{ONCE}\nthen{when}", *SMALL, *files)
    assert done.returncode == 130
    told = done.stderr.splitlines()
    assert [line.startswith(NOTED) for line in told].count(True) == 1
    assert len(told) == 3
    document = json.loads(done.stdout)
    assert document["interrupted"] is False
    assert document["manifest"]["replications"] == 2
    assert json.loads((folder / "result.json").read_text()) == document
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "trace.csv"]


def test_ctrl_c_right_after_the_last_line_of_progress_keeps_the_result(tmp_path: Path) -> None:
    """A signal from outside, while the files are made: polars hears it in its own way."""
    folder = tmp_path / "out"
    hooks = (
        "from failcast.results import folder\n"
        "write = folder.write_synced\n"
        "def told(*a):\n"
        "    print('writing now', file=sys.stderr, flush=True)\n"
        "    return write(*a)\n"
        "folder.write_synced = told\n"
    )
    script = f"import sys\n{hooks}\nimport failcast.cli as c; c.main()"
    arguments = ("run", "small", "--replications", "3000", "--out", str(folder))
    done = interrupted(*arguments, after="writing now", script=script)
    assert done.returncode == 130
    assert NOTED in done.stderr
    assert done.stdout.startswith("Training takes ")
    names = ["manifest.json", "replications.csv", "replications.parquet", "result.json"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_polars_may_raise_the_interruption_that_is_only_noted(tmp_path: Path) -> None:
    """It has an ear of its own: then the folder is written once more."""
    hooks = (
        "import polars\n"
        "write = polars.DataFrame.write_parquet\n"
        "def interrupted(frame, file):\n"
        "    polars.DataFrame.write_parquet = write\n"
        "    press()\n"
        "    raise KeyboardInterrupt\n"
        "polars.DataFrame.write_parquet = interrupted"
    )
    folder = tmp_path / "out"
    done = pressing(hooks, *SMALL, "--out", str(folder))
    assert done.returncode == 130
    assert [line.split(";")[0].split(" into ")[0] for line in done.stderr.splitlines()] == [
        "Interrupted after the last replication",
        "Wrote the results",
    ]
    assert done.stdout.startswith("Training takes ")
    assert len(list(folder.iterdir())) == 4


def test_a_second_ctrl_c_while_files_are_written_leaves_none_unfinished(tmp_path: Path) -> None:
    hooks = "os.fsync = lambda _: [press() for _ in range(2)]"
    done = pressing(hooks, *SMALL, "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (130, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(NOTED)
    assert second == "Interrupted; there is no result."
    assert list(tmp_path.iterdir()) == []


def test_a_second_ctrl_c_after_the_files_tells_where_they_are(tmp_path: Path) -> None:
    hooks = "from failcast.cli import report as r; r.report = lambda *_, **__: [press(), press()]"
    folder = tmp_path / "out"
    done = pressing(hooks, *SMALL, "--out", str(folder), "--quiet")
    assert (done.returncode, done.stdout) == (130, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(NOTED)
    assert second == f"Interrupted; the results are in {folder}."
    assert (folder / "manifest.json").exists()


def test_ctrl_c_after_the_result_is_out_does_not_deny_it() -> None:
    done = pressing("sys.modules['failcast.cli.run']._code = press", *SMALL)
    assert done.returncode == 130
    assert done.stdout.startswith("Training takes ")
    assert done.stderr == "Interrupted; the result is complete.\n"


def test_what_an_interruption_has_become_on_its_way_is_no_bug() -> None:
    """As where it strikes a lock, or an import that is left half-made."""
    hooks = (
        "def broken(*_, **__):\n"
        "    try: press()\n"
        "    except KeyboardInterrupt: raise RuntimeError('cannot release un-acquired lock')\n"
        "fc.simulate = broken"
    )
    done = pressing(hooks, *SMALL)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted; there is no result.\n"


@pytest.mark.parametrize("module", ["failcast.cli", "typer", "rich.console", "pydantic", "numba"])
def test_ctrl_c_while_libraries_are_loaded_ends_in_a_sentence(module: str) -> None:
    script = (
        "import runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "runpy.run_module('failcast', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *SMALL],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted; there is no result.\n"


def test_a_process_that_was_started_to_ignore_ctrl_c_ignores_it() -> None:
    ignoring = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    done = pressing(f"{ignoring}\n{ONCE}\nthen('simulate', True)", *SMALL)
    assert done.returncode == 0
    assert done.stdout.startswith("Training takes ")


def test_an_interruption_does_not_wait_for_a_thread_that_hears_nothing() -> None:
    """As while the kernel is compiled: here a thread sleeps for longer than the test may last."""
    deaf = (
        "import signal, threading, time, failcast as fc, failcast.cli as c;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "threading.Thread(target=time.sleep, args=(1000,)).start();"
        "fc.simulate = lambda *_, **__: signal.raise_signal(signal.SIGINT);"
        "c.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", deaf, *SMALL],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=100,
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "Interrupted; there is no result."


@pytest.mark.parametrize(("no_color", "styled"), [("", True), ("1", False)])
def test_a_terminal_gets_colour_unless_no_color(no_color: str, styled: bool) -> None:
    ours, theirs = pty.openpty()
    extra = {"NO_COLOR": no_color, "TERM": "xterm-256color", "COLUMNS": "40"}
    with subprocess.Popen(
        [*COMMAND, *SMALL, "--quiet"], env=environment(**extra), stdin=theirs, stdout=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error.
            for piece in iter(lambda: os.read(ours, 65536), b""):
                shown += piece
    os.close(ours)
    assert process.returncode == 0
    text = shown.decode("utf-8")
    assert ("\x1b[" in text) == styled
    assert "…" not in text
    assert "ms per replication." in text


def test_the_api_needs_no_heavy_library_to_be_imported() -> None:
    code = (
        "import sys, failcast; print([m for m in ('numba', 'polars', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "[]\n"


def test_the_public_api_in_three_lines() -> None:
    code = (
        "import failcast as fc; s = fc.simulate(fc.load('small').with_(job__warm_standbys=12),"
        "replications=2, seed=1, threads=1);"
        "import sys; print(s.finished, 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "2 False\n"
