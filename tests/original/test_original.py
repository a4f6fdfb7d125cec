"""Distributions agree with runs of the original AIReSim, wherever the original is right.

Each file's first line is loaded as the flat parameter file it is. README.md says what the data are
and which of their columns are sound. On the map: the third height of MODEL, "truth is tested".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.theory.numbers import Column, assert_same_mean, assert_same_spread, simulate

from failcast.scenario import Scenario, load

DATA = Path(__file__).parent / "data"
#: File -> replications of ours. Sixteen runs of Table 1 bound what more of ours could show.
REPLICATIONS = {
    "small": 2000,
    "small-high-rate": 1000,
    "no-standbys-stalls": 300,
    "table1": 120,
}
#: Column of the original -> ours, and what ours is multiplied by.
SOUND = {
    "training_minutes": ("training_hours", 60.0),
    "ettr": ("ettr", 1.0),
    "failures": ("failures", 1.0),
    "systematic": ("failures_systematic", 1.0),
    "preemptions": ("preemptions", 1.0),
    "host_selections": ("host_selections", 1.0),
    "waiting_minutes": ("waiting_hours", 60.0),
    "recovery_minutes": ("recovery_hours", 60.0),
    "stalled_minutes": ("stalled_hours", 60.0),
}


@dataclass(frozen=True)
class Pair:
    """One configuration: its name, what it means to us, the original's runs, and ours."""

    name: str
    scenario: Scenario
    original: dict[str, Column]
    ours: dict[str, Column]


def read(name: str) -> tuple[dict[str, float], dict[str, Column]]:
    """Return the parameters and the columns of one file, with the stalled time that it implies."""
    first, *runs = map(json.loads, (DATA / f"{name}.jsonl").read_text().splitlines())
    parameters = first["parameters"]
    columns = {key: np.array([run[key] for run in runs], dtype=float) for key in runs[0]}
    columns["stalled_minutes"] = (
        columns["training_minutes"]
        - parameters.get("job_length", 368_640.0)
        - columns["recovery_minutes"]
        - columns["waiting_minutes"]
        - columns["host_selections"] * parameters.get("host_selection_time", 3.0)
    )
    return parameters, columns


@pytest.fixture(scope="module", params=REPLICATIONS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Each configuration in turn: loaded from a file, as a user of AIReSim would, and run."""
    name = request.param
    parameters, original = read(name)
    file = tmp_path_factory.mktemp("airesim") / f"{name}.json"
    # A file without any parameter is no file of AIReSim's: its own default seed makes it one.
    file.write_text(json.dumps({"seed": 42, **parameters}))
    scenario = load(str(file))
    return Pair(name, scenario, original, simulate(scenario, REPLICATIONS[name], seed=7))


@pytest.mark.parametrize("column", SOUND)
def test_the_distribution_is_that_of_the_original(pair: Pair, column: str) -> None:
    metric, factor = SOUND[column]
    ours, original = pair.ours[metric] * factor, pair.original[column]
    assert_same_mean(ours, original, f"mean of {column}")
    assert_same_spread(ours, original, f"sd of {column}")


def test_the_files_reach_preemption_waiting_and_stalls() -> None:
    # Else equal columns would be columns of zeros.
    originals = {name: read(name)[1] for name in REPLICATIONS}
    for column in SOUND:
        assert any(columns[column].std() > 0.0 for columns in originals.values())
    assert originals["small-high-rate"]["waiting_minutes"].mean() == 200.0
    assert originals["no-standbys-stalls"]["stalled_minutes"].mean() > 50_000.0
    assert len(originals["table1"]["seed"]) == 16


def test_the_flat_file_means_what_its_units_say(pair: Pair) -> None:
    per_day = {"small-high-rate": 0.05, "no-standbys-stalls": 0.03}.get(pair.name, 0.01)
    assert pair.scenario.failures.random.rate == pytest.approx(per_day / 24.0)
    assert pair.scenario.recovery.time.mean_hours == pytest.approx(20.0 / 60.0)
    assert pair.scenario.repair.manual.time.mean_hours == pytest.approx(48.0)
    assert pair.scenario.selection.policy == "pool_order"
    days = {"no-standbys-stalls": 30.0, "table1": 256.0}.get(pair.name, 60.0)
    assert pair.scenario.job.length == pytest.approx(days * 24.0)
    if pair.name == "table1":
        assert pair.scenario.cluster == load("airesim-table1").cluster


def test_b08_the_original_counts_wake_ups_for_stalls(pair: Pair) -> None:
    stalls, wake_ups = pair.ours["stalls"], pair.original["stall_count"]
    assert (stalls <= pair.ours["host_selections"]).all()
    if pair.original["stalled_minutes"].any():
        assert 0.0 < stalls.mean() < wake_ups.mean()
    else:
        assert not stalls.any()


def test_b09_repairs_that_end_after_the_job_are_not_counted(pair: Pair) -> None:
    # Every failure is blamed here, so the original ends up with one automated repair each; ours
    # are fewer, by those that are still open.
    ours, original = pair.ours, pair.original
    assert (original["automated_repairs"] == original["failures"]).all()
    still_open = ours["failures"] - ours["repairs_automated"]
    assert (still_open >= 0.0).all()
    assert still_open.mean() > 0.0
    # The original also sees what becomes of the open ones: of those in the automated stage 0.8
    # will be manual and 0.76 will succeed, of those in the manual stage 0.8 will.
    in_manual = ours["repairs_automated"] - ours["repairs_successful"] - ours["repairs_silent"]
    manual = ours["repairs_manual"] + in_manual + 0.8 * still_open
    assert_same_mean(manual, original["manual_repairs"])
    successful = ours["repairs_successful"] + 0.8 * in_manual + 0.76 * still_open
    assert_same_mean(successful, original["successful_repairs"])
