"""The benchmark runs, and says what it found; no test here asserts how fast anything is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import document, report, rounds, scaling
from benchmarks.effort import FULL
from benchmarks.mandatory import SEED, mandatory

import failcast as fc
from failcast.engine.plan import make_plan
from failcast.engine.world import TRACE_DTYPE, World

ROOT = Path(__file__).resolve().parents[2]
MAY_BE_ZERO = ("scaling_exponent", "failures", "ranking_told_apart")
FIGURE = {"value", "low", "high", "rounds", "unit", "better", "limit"}


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """The document and the printed lines of the short form."""
    file = tmp_path_factory.mktemp("bench") / "short.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--short", "--out", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return document.read(file), done.stdout


def test_the_document_says_where_and_with_what_it_was_measured(
    short: tuple[dict[str, Any], str],
) -> None:
    found = short[0]
    assert found["version"] == fc.__version__
    assert found["date"] is None
    assert found["short"] is True
    assert found["machine"].keys() == {"cpu", "cores", "architecture", "load"}
    assert found["machine"]["cores"] >= 1
    assert found["versions"].keys() == {"python", "numpy", "numba"}


def test_every_figure_is_a_positive_number_with_its_spread(
    short: tuple[dict[str, Any], str],
) -> None:
    figures = short[0]["figures"] | short[0]["ratios"]
    for name, figure in figures.items():
        assert figure.keys() == FIGURE, name
        assert figure["rounds"] >= 1, name
        assert figure["low"] <= figure["value"] <= figure["high"], name
        assert figure["low"] > 0.0 or name in MAY_BE_ZERO, name


def test_every_ratio_says_which_way_is_better(short: tuple[dict[str, Any], str]) -> None:
    ratios = short[0]["ratios"]
    assert {
        "kernel_over_mandatory",
        "reference_over_kernel",
        "weibull_over_exponential",
        "lognormal_over_exponential",
        "scaling_exponent",
        "memory_4096_servers_mb",
        "memory_131072_servers_mb",
        "cold_run_over_import_numba",
    } <= ratios.keys()
    assert all(figure["better"] in ("lower", "higher") for figure in ratios.values())


def test_the_steps_of_the_cold_start_are_those_of_a_whole_run(
    short: tuple[dict[str, Any], str],
) -> None:
    steps = [name for name in short[0]["figures"] if name.startswith("cold_run_")]
    assert "cold_run_kernel_from_the_disk_wall_ms" in steps
    assert steps[-1] == "cold_run_end_of_the_process_wall_ms"


def test_all_of_it_is_printed(short: tuple[dict[str, Any], str]) -> None:
    found, printed = short
    assert all(name in printed for name in found["figures"] | found["ratios"])


# --- Parts that can be wrong ----------------------------------------------------------------------


def test_the_mandatory_work_is_that_of_the_same_lives() -> None:
    """As many failures as the kernel had take the same time on the job's clock.

    Both sums of some 11,000 exponential gaps have a standard error of length / sqrt(failures).
    """
    scenario = fc.load("airesim-table1")
    failures = round(float(fc.simulate(scenario, replications=1, seed=1).values("failures")[0]))
    plan = make_plan(scenario)
    world = World(plan, np.empty(0, TRACE_DTYPE))
    assert mandatory(plan, world.record, SEED, 0, failures) > 0.0
    error = scenario.job.length * np.sqrt(2.0 / failures)
    assert abs(float(world.record.clock) - scenario.job.length) < 4.0 * error


def test_rounds_are_interleaved_and_turn_their_order() -> None:
    order: list[str] = []
    works = {name: lambda name=name: order.append(name) for name in "ab"}
    times = rounds.interleaved(works, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert {len(each) for pair in times.values() for each in pair} == {3}


def test_a_figure_is_the_median_with_its_spread() -> None:
    figure = rounds.Figure.of([3.0, 1.0, 2.0, 10.0], "ms")
    assert (figure.value, figure.low, figure.high, figure.rounds) == (2.5, 1.0, 10.0, 4)


@pytest.mark.parametrize("power", [0.9, 1.0, 1.3])
def test_the_exponent_is_that_of_a_power_law(power: float) -> None:
    sizes = list(FULL.sizes)
    assert scaling.exponent(sizes, [0.3 * size**power for size in sizes]) == pytest.approx(power)


@pytest.mark.parametrize("servers", FULL.sizes)
def test_all_is_scaled_with_the_job(servers: int) -> None:
    table1 = fc.load("airesim-table1")
    scenario = scaling.scaled(table1, servers)
    assert scenario.job.servers == servers
    for block, field in (("cluster", "working_pool"), ("cluster", "spare_pool")):
        share = getattr(getattr(scenario, block), field) / getattr(getattr(table1, block), field)
        assert share == pytest.approx(servers / 4096, rel=0.05)
    assert scenario.job.warm_standbys == max(1, servers // 256)
    assert scenario.job.length == table1.job.length


def test_memory_is_what_the_tables_take() -> None:
    small, large = (scaling.scaled(fc.load("airesim-table1"), n) for n in (4096, 131_072))
    assert 20.0 < scaling.memory_mb(large) / scaling.memory_mb(small) < 40.0


# --- Against the last release ---------------------------------------------------------------------


def found(version: str, cpu: str = "EPYC", **ratios: float) -> dict[str, Any]:
    """A document with these ratios; `speedup` is better where it is higher."""
    return {
        "schema": document.SCHEMA,
        "version": version,
        "machine": {"cpu": cpu, "load": [0.1, 1.0]},
        "figures": {},
        "ratios": {
            name: rounds.Figure.of(
                [value], better="higher" if name == "speedup" else "lower", limit=2.0
            ).to_dict()
            for name, value in ratios.items()
        },
    }


def test_what_became_worse_by_more_than_a_fifth_is_named() -> None:
    before = found("0.1.0", cost=1.0, price=1.0, speedup=2.5)
    now = found("0.2.0", cost=1.19, price=1.21, speedup=2.05, new=1.0)
    said = report.verdicts(now, before)
    assert said == [
        "",
        "price is 21 % worse than in 0.1.0.",
        "speedup is 22 % worse than in 0.1.0.",
    ]


def test_a_limit_that_is_passed_is_named() -> None:
    said = report.verdicts(found("0.2.0", cost=2.5, speedup=1.5, price=2.0), None)
    assert said == ["", "cost is 2.5; its limit is 2.", "speedup is 1.5; its limit is 2."]


def test_nothing_is_said_where_all_is_well() -> None:
    assert report.verdicts(found("0.2.0", cost=1.0), found("0.1.0", cost=1.0)) == []


def test_another_processor_is_told() -> None:
    said = report.verdicts(found("0.2.0", cost=1.0), found("0.1.0", cpu="Xeon", cost=1.0))
    assert said == ["", "0.1.0 was measured on another processor (Xeon)."]


def test_a_busy_machine_is_told() -> None:
    now = found("0.2.0", cost=1.0)
    now["machine"]["load"] = [1.5, 2.0]
    said = report.verdicts(now, None)
    assert said[1] == "Other work was on the machine (load 1.5): wall times are too long."


def test_ratios_stand_beside_those_of_the_last_release() -> None:
    lines = report.ratio_lines(found("0.2.0", cost=1.5, new=1.0), found("0.1.0", cost=1.0))
    assert lines[0].split()[-3:] == ["in", "0.1.0", "change"]
    assert lines[1].split()[-3:] == ["1", "+50", "%"]
    assert lines[2].split()[-2:] == ["-", "-"]


def test_the_last_release_is_the_newest_by_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "RELEASES", tmp_path)
    assert document.last_release() is None
    for version in ("0.9.0", "0.10.0", "0.2.1"):
        document.write(found(version), tmp_path / f"{version}.json")
    last = document.last_release()
    assert last is not None
    assert last["version"] == "0.10.0"


def test_a_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"schema": "failcast.run/1"}))
    with pytest.raises(ValueError, match="no benchmark"):
        document.read(file)


@pytest.mark.parametrize("file", sorted(document.RELEASES.glob("*.json")), ids=lambda f: f.stem)
def test_every_kept_release_is_a_full_benchmark_of_its_version(file: Path) -> None:
    kept = document.read(file)
    assert kept["version"] == file.stem
    assert kept["short"] is False
    assert kept["date"]
