"""The real program in a process of its own: streams, exit codes, pipes and signals."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("engine", "replications"), [("kernel", "200000"), ("reference", "400")])
def test_ctrl_c_ends_a_long_run_with_130(engine: str, replications: str) -> None:
    # A shell that starts the tests in the background lets children ignore the signal: undo that.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    start = [sys.executable, "-c", f"{heed} import failcast.cli as c; c.main()"]
    long = ("run", "small", "--threads", "2", "--replications", replications, "--engine", engine)
    with subprocess.Popen(
        [*start, *long],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "replications done" in line:
                break
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert output == ""
    assert "Traceback" not in errors


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
