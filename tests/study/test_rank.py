"""Rankings of scenarios: the runs they are of, several metrics at once, what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.results.test_notebook import shown

import failcast as fc
from failcast import engine
from failcast.engine import Runs
from failcast.engine.executors import Task, Threads
from failcast.engine.uniforms import uniforms
from failcast.scenario import Scenario
from failcast.study.ranking import inputs
from failcast.study.ranking.methods import METHODS
from failcast.study.ranking.runs import Points, run_points

SMALL = fc.load("small").with_(job__length="20 d", run__seed=3, run__replications=60)
VARY = ["recovery.time=10min..40min", "failures.random.rate=0.008/day..0.012/day"]


def ranked(**changes: Any) -> fc.Ranking:
    """A ranking of the two inputs above by 64 rows."""
    how: dict[str, Any] = {"vary": VARY, "samples": 64, "threads": 2, **changes}
    return fc.rank(SMALL, **how)


def test_each_run_is_the_run_of_its_scenario_seed_and_number() -> None:
    scenarios = [SMALL, SMALL.with_(recovery__time="5 min")]
    metrics, status = run_points(scenarios.__getitem__, [4, 7], 2, seed=3, executor=Threads(2))
    for number, (scenario, first) in enumerate(zip(scenarios, (4, 7), strict=True)):
        wanted = engine.run(scenario, replications=2, seed=3, first=first)
        assert np.array_equal(metrics[number], wanted.values)
        assert np.array_equal(status[number], wanted.status)


@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_threads_leave_no_mark_and_runs_are_counted(method: Any) -> None:
    done: list[int] = []
    one = ranked(method=method, threads=1, on_progress=done.append)
    two = ranked(method=method, threads=2)
    assert sum(done) == one.runs
    assert one.to_dict()["metrics"] == two.to_dict()["metrics"]
    assert one.runs == fc.check_rank(SMALL, vary=VARY, samples=64, method=method)


@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_executors_leave_no_mark(method: Any) -> None:
    """Threads of any number, by name too, and somebody who does the last task first."""

    class Backwards:
        def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
            done = [task.run() for task in reversed([*tasks])]
            return reversed(done)

    wanted = ranked(method=method, threads=1).to_dict()["metrics"]
    for executor in (Threads(2), Threads(5), "threads", Backwards()):
        assert ranked(method=method, executor=executor).to_dict()["metrics"] == wanted
    with pytest.raises(fc.RequestError, match="executor is 'treads', but it must be one of"):
        ranked(method=method, executor="treads")


def test_a_point_that_always_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is away")

    monkeypatch.setattr(Points, "run", fail)
    with pytest.raises(fc.TaskError, match="points 0 to 7 of a ranking, from seed 3, failed 3 tim"):
        ranked()


@pytest.mark.parametrize("method", ["sobol", "morris", "tornado"])
def test_recovery_time_comes_first(method: Any) -> None:
    found = ranked(method=method, metrics=["training_hours", "ettr", "failures"])
    for metric in ("training_hours", "ettr"):
        assert found.of(metric).ranked[0].path == "recovery.time"
        assert found.of(metric).ranked[0].places == (1, 1)
    assert [each.path for each in found.of("failures").ranked] == ["failures.random.rate"]
    assert found.answer().startswith("recovery.time matters most for training_hours: it ")


def test_probabilities_are_metrics() -> None:
    found = ranked(metrics=["finished_by(504 h)", "depleted"], by=[30 * 24.0])
    assert [each.metric for each in found.metrics] == [
        "finished_by(21 d)",
        "depleted",
        "finished_by(30 d)",
    ]
    assert found.of("finished_by(21 d)").ranked[0].path == "recovery.time"
    assert not found.of("depleted").ranked
    assert "No effect of any input on depleted is shown." in found.answer()


def test_only_rows_in_which_every_run_finishes_are_ranked() -> None:
    tight = SMALL.with_(run__horizon="520 h")
    found = fc.rank(tight, vary=VARY, samples=256, metrics=["ettr", "finished"])
    assert 64 <= found.of("ettr").rows < 256
    assert "which are the luckier ones" in found.answer()
    assert found.of("finished").rows == 256
    none = fc.rank(tight.with_(run__horizon="481 h"), vary=VARY, samples=64)
    assert none.of("training_hours").rows < 64
    assert none.answer().startswith("Nothing can be ranked for training_hours: there are only ")
    json.dumps(none.to_dict(), allow_nan=False)


@pytest.mark.parametrize("method", METHODS)
def test_the_document_is_strict_and_the_table_has_a_row_for_each_input(method: Any) -> None:
    found = ranked(method=method, metrics=["training_hours", "depleted"])
    document = json.loads(json.dumps(found.to_dict(argv=["x"], created="now"), allow_nan=False))
    assert document["schema"] == "failcast.rank/1"
    assert document["manifest"]["seed"] == 3
    assert document["manifest"]["replications"] == found.runs
    assert document["inputs"][0] == {
        "path": "recovery.time",
        "low": "10 min",
        "high": "40 min",
        "spacing": "linear",
    }
    assert document["metrics"]["training_hours"]["inputs"][0]["places"] == [1, 1]
    table = found.table()
    assert table.height == 4
    assert table["best_place"].to_list()[:2] == [1, 2]
    assert "recovery.time" in found._repr_html_()
    assert "2 inputs of small" in repr(found)


def test_main_numbers_are_halved_and_doubled_where_that_can_be_done() -> None:
    found, left_out = inputs.main_numbers(SMALL)
    spans = {each.path: each for each in found}
    assert tuple(spans) == inputs.MAIN
    assert not left_out
    assert (spans["recovery.time.mean"].low, spans["recovery.time.mean"].high) == (1 / 6, 2 / 3)
    assert spans["repair.automated.escalate"].high == 1.0


def test_numbers_of_what_is_off_by_default_are_ranked_where_it_is_on() -> None:
    found, left_out = inputs.main_numbers(
        SMALL.with_(
            checkpoint={"interval": "20 min", "write": "10 s"},
            recovery__detect="2 min",
            failures__exposure__standby=0.5,
            repair__manual__crews=6,
            repair__relapse__probability=0.7,
        )
    )
    spans = {each.path: each for each in found}
    assert set(spans) - set(inputs.MAIN) == {
        "checkpoint.interval",
        "checkpoint.write.mean",
        "recovery.detect.mean",
        "failures.exposure.standby",
        "repair.manual.crews",
        "repair.relapse.probability",
    }
    assert not left_out
    assert spans["checkpoint.interval"].low == pytest.approx(1 / 6)
    assert (spans["repair.manual.crews"].low, spans["repair.manual.crews"].high) == (3, 12)
    assert spans["repair.relapse.probability"].high == 1.0
    # The best interval is not a number, and nobody writes where checkpoints are free.
    best = inputs.main_numbers(SMALL.with_(checkpoint={"interval": "optimal", "write": "10 s"}))[0]
    assert "checkpoint.interval" not in {each.path for each in best}
    assert "checkpoint.write.mean" in {each.path for each in best}


def test_main_numbers_that_are_left_out_are_named_with_the_reason() -> None:
    odd = SMALL.with_(
        failures__systematic__fraction=0,
        cluster__working_pool=262,
        cluster__spare_pool=6,
        job__warm_standbys=12,
        preemption__wait=0,
    )
    found = fc.rank(odd, method="morris", samples=16, threads=2)
    assert set(found.left_out) == {
        "failures.systematic.fraction",
        "preemption.wait.mean",
        "job.warm_standbys",
        "cluster.spare_pool",
    }
    zero = "it is zero, so there is nothing to halve or to double."
    assert found.left_out["failures.systematic.fraction"] == zero
    assert found.left_out["preemption.wait.mean"] == zero
    assert found.left_out["job.warm_standbys"].startswith(
        "the ranges hold job.warm_standbys=24, but job.servers (256) and job.warm_standbys (24) "
    )
    assert {each.path for each in found.inputs} == {*inputs.MAIN} - {*found.left_out}
    assert found.to_dict()["left_out"] == found.left_out
    assert f"Left out: preemption.wait.mean: {zero}" in shown(found).text
    one = inputs.main_numbers(odd.with_(job__warm_standbys=1))[1]["job.warm_standbys"]
    assert one == "half of it is less than one."
    assert ranked(method="tornado").left_out == {}


def test_what_no_corner_refuses_nothing_between_refuses() -> None:
    """The corners of the counts stand for all combinations; random ones are tried."""
    texts = [
        "job.servers=200..256",
        "job.warm_standbys=0..14",
        "cluster.working_pool=260..300",
        "cluster.spare_pool=10..30",
        "recovery.time=1min..2h:log",
        "retirement.failures=2..5",
    ]
    scenario = SMALL.with_(retirement="threshold(failures=3, window=7 d)")
    spans = inputs.declared(texts, scenario)
    for row in uniforms(1, 77, 200, len(spans)):
        values = [span.draw(share) for span, share in zip(spans, row, strict=True)]
        assert isinstance(inputs.varied(scenario, spans, values), Scenario)


def test_a_combination_counts_where_inputs_move_together_and_only_there() -> None:
    """Fewer servers need a smaller pool: alone it would be too small for the job as it is."""
    texts = ["job.servers=100..120", "cluster.working_pool=130..150"]
    assert len(inputs.declared(texts, SMALL)) == 2
    with pytest.raises(fc.RequestError, match=r"the ranges hold cluster.working_pool=130, but job"):
        fc.check_rank(SMALL, vary=texts, method="tornado")


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"vary": ["recovery.tim=1min..2min"]}, "did you mean 'recovery.time'?"),
    ({"vary": ["recovery.time=1min..2min", "recovery.time.mean=1min..2min"]}, "the same field"),
    ({"vary": ["job.warm_standbys=1..30"]}, "the ranges hold job.warm_standbys=30, but job.serv"),
    ({"vary": ["job.servers=250..270", "cluster.working_pool=250..300"]}, "job.servers=270, clu"),
    ({"vary": ["selection.policy=a..b"]}, "is no number"),
    ({"vary": ["run.seed=1..5"]}, "does not change what is simulated"),
    ({"vary": "recovery.time=1min..2min"}, "vary is a list of texts"),
    ({"vary": 5}, "vary is a list of texts; got 5."),
    ({"vary": [5]}, "vary is a list of texts, but 5 is none."),
    ({"vary": None}, "vary is a list of texts; got None."),
    ({"vary": ["uncertain.recovery.time=1min..2min"]}, "vary recovery.time itself"),
    ({"vary": ["failures.life.mean=1h..2h"]}, "'mean' is no argument of it"),
    ({"metrics": 5}, "metrics is a list of texts; got 5."),
    ({"by": [math.nan]}, "by is a list of hours, each a finite number from 0 on; got nan. A time"),
    ({"by": [math.inf]}, "got inf. A time with its unit is a metric"),
    ({"by": [-1]}, "got -1."),
    ({"by": ["420d"]}, "such as 'finished_by(420 d)'"),
    ({"by": "420d"}, "by is a list of hours, such as [420 * 24]; got '420d'."),
    ({"by": 5}, "by is a list of hours"),
    ({"method": ["sobol"]}, "unknown method ['sobol']: did you mean 'sobol'?"),
    ({"metrics": ["etr"]}, "did you mean 'ettr'?"),
    ({"metrics": "ettr"}, "metrics is a list of texts"),
    ({"metrics": ["mtbf_hours"]}, "take mean_run_hours"),
    ({"metrics": ["finished_by"]}, "needs a time in brackets"),
    ({"metrics": ["finished_by(4)"]}, "it has no unit"),
    ({"method": "sobl"}, "did you mean 'sobol'?"),
    ({"samples": 32}, "samples must be a whole number from 64"),
    ({"seed": -1}, "seed must be a whole number"),
)


@pytest.mark.parametrize(("changes", "sentence"), REFUSED)
def test_what_cannot_be_ranked_is_refused_before_anything_runs(
    changes: dict[str, Any], sentence: str
) -> None:
    def never(more: int) -> None:
        raise AssertionError("something ran")

    with pytest.raises((fc.RequestError, fc.ScenarioError)) as caught:
        fc.rank(SMALL, on_progress=never, **changes)
    assert sentence in str(caught.value)
