"""`failcast run --series`: the file, what is told in short, refusals, Ctrl-C."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

from tests.cli.test_process import environment
from tests.cli.test_run import run_small


def test_a_series_is_written_and_told_in_short(tmp_path: Path) -> None:
    for ending in ("csv", "parquet", "json"):
        result = run_small("--series", str(tmp_path / f"servers.{ending}"))
        assert result.exit_code == 0
        told = result.stdout.split("\n\n")[3]
        assert told.startswith("Servers by state over time (mean, and 5 to 95 % of the runs that ")
        assert "\n  in_repair " in told
        assert told.splitlines()[-1].split()[0] == "runs"
    document = json.loads((tmp_path / "servers.json").read_text())
    assert document["running"][0] == 3
    assert document["manifest"]["argv"]
    with (tmp_path / "servers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["running"]) for row in rows] == document["running"]
    assert float(rows[0]["active_mean"]) == 256.0


def test_with_json_the_series_is_in_its_file_alone(tmp_path: Path) -> None:
    result = run_small("--json", "--series", str(tmp_path / "servers.csv"))
    assert (result.exit_code, result.stderr) == (0, "")
    plain, counted = (json.loads(text) for text in (run_small("--json").stdout, result.stdout))
    assert plain["metrics"] == counted["metrics"]
    assert set(plain) == set(counted)


def test_a_place_that_cannot_hold_a_series_is_refused_before_the_first_run(tmp_path: Path) -> None:
    for place, why in (
        (tmp_path / "servers.txt", "its name must end in .csv, .parquet or .json"),
        (tmp_path / "no" / "servers.csv", "cannot write the series to"),
    ):
        result = run_small("--series", str(place))
        assert (result.exit_code, result.stdout) == (2, "")
        assert why in result.stderr
    result = run_small("--series", "s.csv", "--uncertain", "recovery.time.mean=10min..30min")
    assert result.exit_code == 2
    assert "--series is not there for a run with uncertain inputs" in result.stderr
    assert list(tmp_path.iterdir()) == []


PRESSED = """
import os, signal
import failcast as fc
import failcast.cli as cli
signal.signal(signal.SIGINT, signal.default_int_handler)
counted = fc.series
def series(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    return counted(*arguments, **options)
fc.series = series
cli.main()
"""


def test_ctrl_c_while_servers_are_counted_keeps_the_result(tmp_path: Path) -> None:
    file = tmp_path / "servers.csv"
    command = ("run", "small", "--replications", "4", "--series", str(file))
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, *command],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == f"Interrupted; {file} is not written."
    assert "4 replications of small" in done.stdout
    assert "Servers by state" not in done.stdout
    assert list(tmp_path.iterdir()) == []
