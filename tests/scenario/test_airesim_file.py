"""AIReSim's own flat parameter file: loads unchanged, means the same, errors in its own words.

On the map: tests of scenario/airesim.py. The files here are written anew from the list of AIReSim's
parameters.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from failcast.scenario import (
    Exponential,
    LognormalLife,
    Never,
    Regeneration,
    Scenario,
    ScenarioError,
    WeibullLife,
    load,
    load_with_notes,
)

FULL = """\
# cluster
job_size: 4096
warm_standbys: 16
working_pool_size: 4160
spare_pool_size: 200
job_length: 368640          # minutes
random_failure_rate: 6.944444444444445e-06   # per minute
systematic_failure_rate_multiplier: 5.0
systematic_failure_fraction: 0.15
failure_distribution: exponential
weibull_shape: 1.0
lognormal_sigma: 1.0
diagnosis_probability: 1.0
diagnosis_uncertainty: 0.0
recovery_time: 20
host_selection_time: 3
preemption_wait_time: 20
auto_repair_time: 120
manual_repair_time: 2880
prob_auto_to_manual: 0.8
auto_repair_fail_prob: 0.4
manual_repair_fail_prob: 0.2
bad_server_regeneration: false
bad_server_regen_interval: 43200
seed: 42
adaptive_replications: false
confidence_level: 0.95
relative_accuracy: 0.05
num_replications: 30
max_replications: 500
enable_topology: false
rack_size: 8
"""


def load_text(folder: Path, text: str, ending: str = ".yaml") -> Scenario:
    path = folder / f"config{ending}"
    path.write_text(text, encoding="utf-8")
    return load(path)


def load_wrong(folder: Path, text: str) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        load_text(folder, text)
    return caught.value


@pytest.mark.parametrize("text", [FULL, "job_size: 4096\n", "seed: 42\n"])
def test_the_flat_file_of_table_1_is_the_preset(tmp_path: Path, text: str) -> None:
    flat, table_1 = load_text(tmp_path, text), load("airesim-table1")
    assert (flat.run.seed, flat.run.replications) == (42, 30)
    assert flat == table_1.with_(
        name=flat.name, description=flat.description, run__seed=42, run__replications=30
    )


def test_a_flat_json_file_loads_too(tmp_path: Path) -> None:
    text = json.dumps({"job_size": 100, "working_pool_size": 120, "recovery_time": 30.0})
    flat = load_text(tmp_path, text, ".json")
    assert (flat.job.servers, flat.cluster.working_pool) == (100, 120)
    assert flat.recovery.time.mean_hours == 0.5


def test_every_parameter_arrives_where_it_belongs(tmp_path: Path) -> None:
    flat = load_text(
        tmp_path,
        """
job_size: 10
warm_standbys: 3
working_pool_size: 12
spare_pool_size: 4
job_length: 600
random_failure_rate: 7e-6
systematic_failure_rate_multiplier: 2
systematic_failure_fraction: 0.29
failure_distribution: weibull
weibull_shape: 0.7
diagnosis_probability: 0.9
diagnosis_uncertainty: 0.1
recovery_time: 30
host_selection_time: 6
preemption_wait_time: 90
auto_repair_time: 60
manual_repair_time: 720
prob_auto_to_manual: 0.5
auto_repair_fail_prob: 0.25
manual_repair_fail_prob: 0.125
bad_server_regeneration: true
bad_server_regen_interval: 1440
seed: 7
num_replications: 5
confidence_level: 0.9
""",
    )
    assert (flat.job.servers, flat.job.warm_standbys, flat.job.length) == (10, 3, 10.0)
    assert (flat.cluster.working_pool, flat.cluster.spare_pool) == (12, 4)
    assert flat.failures.random.rate == 7e-6 * 60
    assert (flat.failures.systematic.fraction, flat.failures.systematic.multiplier) == (0.29, 2.0)
    assert flat.failures.life == WeibullLife(shape=0.7)
    assert flat.failures.regeneration == Regeneration(interval=24.0, share=0.1)
    assert (flat.diagnosis.probability, flat.diagnosis.wrong_server) == (0.9, 0.1)
    assert flat.recovery.time.mean_hours == 0.5
    assert flat.selection.time.mean_hours == 0.1
    assert flat.preemption.wait.mean_hours == 1.5
    assert flat.repair.automated.time == Exponential(mean=1.0)
    assert flat.repair.manual.time == Exponential(mean=12.0)
    automated = flat.repair.automated
    assert (automated.escalate, automated.silent_failure) == (0.5, 0.25)
    assert flat.repair.manual.silent_failure == 0.125
    assert (flat.run.seed, flat.run.replications, flat.run.confidence) == (7, 5, 0.9)
    assert flat.selection.policy == "pool_order"
    assert (flat.preemption.mode, flat.preemption.return_) == ("one_at_a_time", "never")
    assert flat.job.resume_with == "job_and_standbys"
    assert flat.retirement == Never()
    assert flat.failures.exposure.recovering is False


def test_the_shape_of_lives_takes_its_own_parameter(tmp_path: Path) -> None:
    text = "failure_distribution: lognormal\nlognormal_sigma: 0.5\nweibull_shape: 3\n"
    assert load_text(tmp_path, text).failures.life == LognormalLife(sigma=0.5)


def test_repairs_that_take_no_time_are_allowed(tmp_path: Path) -> None:
    flat = load_text(tmp_path, "auto_repair_time: 0\nmanual_repair_time: 0\n")
    assert flat.repair.automated.time == Exponential(mean=0.0)


def test_adaptive_replications_are_read_and_a_note_says_what_happens(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("adaptive_replications: true\nnum_replications: 12\n", encoding="utf-8")
    scenario, notes = load_with_notes(path)
    assert scenario.run.replications == 12
    assert any("adaptive_replications is read, but" in note and "(12)" in note for note in notes)
    path.write_text("num_replications: 12\n", encoding="utf-8")
    assert not any("adaptive" in note for note in load_with_notes(path)[1])
    assert load_with_notes("small")[1] == ()


@pytest.mark.parametrize(
    ("text", "line", "field", "hint"),
    [
        ("seed: 1\njob_length: -10", 2, "job_length", "is -10, but it must be a number from 0"),
        ("job_length: 0", 1, "job_length", "longer than 0"),
        ("job_size: 10.5", 1, "job_size", "a whole number from 1"),
        ("job_size: 0", 1, "job_size", "a whole number from 1"),
        ("\nwarm_standbys: -1", 2, "warm_standbys", "a whole number from 0"),
        ("random_failure_rate: -1", 1, "random_failure_rate", "a number from 0"),
        ("random_failure_rate: .nan", 1, "random_failure_rate", "is nan"),
        ("random_failure_rate: 0.01 / day", 1, "random_failure_rate", "failures per minute"),
        ("random_failure_rate: 1e5", 1, "random_failure_rate", "1,000,000 / h"),
        ("recovery_time: 20 min", 1, "recovery_time", "count minutes"),
        ("recovery_time: 1e12", 1, "recovery_time", "1,000,000,000 h"),
        ("failure_distribution: weibul", 1, "failure_distribution", "did you mean 'weibull'"),
        (
            "failure_distribution: weibull\nweibull_shape: 0.01",
            2,
            "weibull_shape",
            "a number from 0.05",
        ),
        (
            "failure_distribution: lognormal\nlognormal_sigma: 11",
            2,
            "lognormal_sigma",
            "a number from 0 to 10",
        ),
        ("random_failure_rate: 1e-400", 1, "random_failure_rate", "too close to 0"),
        ("recovery_time: 1e-400", 1, "recovery_time", "too close to 0"),
        ("diagnosis_probability: 1.2", 1, "diagnosis_probability", "from 0 to 1"),
        ("bad_server_regeneration: no", 1, "bad_server_regeneration", "true or false"),
        ("seed: 1\nwarm_stanbys: 3", 2, "warm_stanbys", "did you mean 'warm_standbys'"),
        ("enable_topology: true", 1, "enable_topology", "not modelled yet"),
        ("confidence_level: 1", 1, "confidence_level", "a number from 0.5 to 0.9999"),
        ("confidence_level: 0.4", 1, "confidence_level", "a number from 0.5 to 0.9999"),
        ("num_replications: 0", 1, "num_replications", "from 1"),
        (
            "bad_server_regeneration: true\nbad_server_regen_interval: 0",
            2,
            "bad_server_regen_interval",
            "longer than 0",
        ),
        ("seed: 1\njob_size: 5000", 2, "job_size", "job_size (5000) and warm_standbys (16)"),
        ("spare_pool_size: 0\nworking_pool_size: 10", 2, "job_size", "working_pool_size (10)"),
    ],
)
def test_a_wrong_flat_file_names_the_flat_field_and_its_line(
    tmp_path: Path, text: str, line: int, field: str, hint: str
) -> None:
    error = load_wrong(tmp_path, text)
    assert (error.line, error.field) == (line, field)
    assert hint in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "relative_accuracy: 3",
        "max_replications: 100000000000000000000",
        "rack_size: 0.5",
        "weibull_shape: 0.01",
        "weibull_shape: 2000\nfailure_distribution: lognormal",
        "lognormal_sigma: 50",
        "lognormal_sigma: 50\nfailure_distribution: weibull",
        "bad_server_regen_interval: 1e300",
        "bad_server_regen_interval: -1",
    ],
)
def test_a_value_without_effect_need_only_be_what_airesim_accepts(
    tmp_path: Path, text: str
) -> None:
    assert load_text(tmp_path, text).job.servers == 4096


@pytest.mark.parametrize(
    "field", ["relative_accuracy", "max_replications", "rack_size", "weibull_shape"]
)
@pytest.mark.parametrize("value", ["0", "-1", ".nan", "true", "none", "1e-400", "[1]", ""])
def test_a_value_without_effect_that_airesim_refuses_is_refused(
    tmp_path: Path, field: str, value: str
) -> None:
    error = load_wrong(tmp_path, f"{field}: {value}")
    assert (error.field, error.line) == (field, 1)
    assert "it must be a number above 0" in str(error)


def test_an_interval_without_effect_must_still_be_a_number(tmp_path: Path) -> None:
    error = load_wrong(tmp_path, "bad_server_regen_interval: 20 d")
    assert "'20 d', but it must be a number." in str(error)


def test_flat_and_block_fields_do_not_mix(tmp_path: Path) -> None:
    error = load_wrong(tmp_path, "recovery: 20 min\njob_size: 12\n")
    assert error.line == 2
    assert "job_size belongs to AIReSim's flat parameter file and recovery to" in str(error)


def test_overrides_of_a_flat_file_use_our_paths_and_units(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(FULL, encoding="utf-8")
    assert load(path, ["job.warm_standbys=32"]).job.warm_standbys == 32
    with pytest.raises(ScenarioError, match=r"did you mean 'job.warm_standbys'"):
        load(path, ["warm_standbys=32"])
