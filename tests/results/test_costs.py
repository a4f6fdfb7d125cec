"""Costs by cause: they add up, are over finished runs, and goals on them need a price."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.results.synthetic import DEPLETED, FINISHED, days_of_training
from tests.results.test_notebook import shown

import failcast as fc
from failcast.engine.cost import ACTIONS, CHARGES, SERVERS, SLOTS
from failcast.engine.model import BUCKETS, COUNTERS

PRICES = ["cost.gpu_hour=2.5", "cost.idle_hour=4", "cost.repair=100", "cost.manual_repair=750"]


def priced_sample(replications: int = 40) -> fc.Sample:
    return fc.simulate(fc.load("small", PRICES), replications=replications, seed=3)


def test_the_table_of_causes_names_what_there_is() -> None:
    assert len({charge.cause for charge in CHARGES}) == len(CHARGES)
    known = {SLOTS: BUCKETS, SERVERS: fc.SERVER_STATES, ACTIONS: COUNTERS}
    assert all(charge.source in known[charge.of] for charge in CHARGES)
    assert [charge.source for charge in CHARGES if charge.of == SLOTS] == list(BUCKETS)
    assert {charge.price for charge in CHARGES} == set(fc.Cost.model_fields)


def test_all_causes_together_are_the_cost_of_each_run() -> None:
    sample = priced_sample()
    frame, costs = sample.frame(), sample.costs()
    parts = frame.select(f"cost_{line.cause}" for line in costs).sum_horizontal()
    assert parts.to_list() == pytest.approx(frame["cost"].to_list())
    assert costs.total.cost.mean == pytest.approx(math.fsum(line.cost.mean or 0 for line in costs))
    assert costs.total.cost == sample.summary("cost")
    hours = frame.select(f"gpu_hours_{b.removesuffix('_hours')}" for b in BUCKETS).sum_horizontal()
    job, gpus = sample.scenario.job, sample.scenario.cluster.gpus_per_server
    wall = frame["training_hours"].to_numpy()
    assert hours.to_numpy() == pytest.approx(job.servers * gpus * wall)


def test_a_vacant_slot_is_charged() -> None:
    costs, states = priced_sample().costs(), priced_sample().server_hours()
    reserved = sum(line.gpu_hours.mean or 0.0 for line in list(costs)[:8] if line.gpu_hours)
    assert reserved > 8 * (states["active"].mean or 0.0) > 0.0


def test_means_have_intervals_with_the_confidence_that_is_asked_for() -> None:
    sample = priced_sample()
    level, wide = sample.costs()["recovery"].cost, sample.costs(0.99)["recovery"].cost
    assert level.low is not None
    assert wide.low is not None
    assert wide.low < level.low < (level.mean or 0.0)
    assert (sample.costs().confidence, sample.costs(0.99).confidence) == (0.95, 0.99)
    assert sample.costs().runs == 40
    with pytest.raises(KeyError):
        sample.costs()["recover"]


def test_costs_are_over_finished_runs() -> None:
    priced = fc.load("small", PRICES)
    runs = fc.Runs(
        values=np.full((2, len(fc.METRICS)), 3.0),
        status=np.array([FINISHED, DEPLETED], dtype=np.uint8),
        server_hours=np.full((2, len(fc.SERVER_STATES)), 5.0),
        seed=1,
    )
    runs.values[1] *= 100.0
    found = fc.Sample(scenario=priced, runs=runs, seed=1).costs()
    assert found.runs == 1
    assert found["standby"].cost.mean == 5.0 * 8 * 2.5
    assert found["idle"].cost.mean == pytest.approx(5.0 * 4.0)
    none = days_of_training([9.0], status=[DEPLETED]).costs()
    assert none.total.cost.mean is None
    json.dumps(none.to_dict(), allow_nan=False)
    assert shown(none).rows[-1][0] == "total"


def test_without_prices_there_are_gpu_hours_alone() -> None:
    sample = fc.simulate(fc.load("small"), replications=5)
    costs = sample.costs()
    assert not costs.priced
    assert costs.total.cost.mean == 0.0
    assert (costs["productive"].gpu_hours or costs["idle"].cost).mean == 256 * 8 * 1440
    assert not [name for name in sample.frame().columns if name.startswith("cost_")]
    assert shown(costs).rows[0] == ["cause", "GPU-hours", "95 % interval", "share"]
    assert "What a run costs" not in shown(sample).text


def test_the_document_and_the_table_have_every_cause() -> None:
    costs = priced_sample().costs()
    document = json.loads(json.dumps(costs.to_dict(), allow_nan=False))
    assert document["priced"] is True
    assert list(document["causes"]) == [charge.cause for charge in CHARGES]
    manual = document["causes"]["manual_repair"]
    assert manual["gpu_hours"] is None
    assert manual["price"] == 750.0
    assert manual["cost"]["mean"] == pytest.approx(750.0 * manual["actions"]["mean"])
    assert document == priced_sample().to_dict()["costs"]
    table = costs.table()
    assert table["cause"].to_list() == [*document["causes"], "total"]
    assert table["share"].sum() == pytest.approx(2.0)
    assert table["cost"][-1] == document["total"]["cost"]["mean"]


def test_a_notebook_shows_what_costs_something() -> None:
    page = shown(priced_sample())
    assert "What a run costs (mean of 40 finished runs; vacant slots of the job count" in page.text
    (head,) = (i for i, row in enumerate(page.rows) if row[0] == "cause")
    causes = [row[0] for row in page.rows[head + 1 :]]
    assert causes[0] == "productive"
    assert causes[-1] == "total"
    assert {"repair", "manual_repair"} <= set(causes)
    assert not {"automated_repair", "lost", "stalled"} & set(causes)


def test_prices_change_nothing_but_the_cost() -> None:
    free, priced = (fc.simulate(fc.load("small", each), replications=5) for each in ([], PRICES))
    assert (free.runs.values[:, :-1] == priced.runs.values[:, :-1]).all()
    assert (free.runs.values[:, -1] == 0.0).all()
    assert (priced.runs.values[:, -1] > 0.0).all()


def test_the_cost_does_not_depend_on_threads_or_engine() -> None:
    scenario = fc.load("small", PRICES).with_(job__length="2 d")
    one = fc.simulate(scenario, replications=12).values("cost")
    assert (fc.simulate(scenario, replications=12, threads=4).values("cost") == one).all()
    reference = fc.simulate(scenario, replications=3, engine="reference").values("cost")
    assert reference == pytest.approx(one[:3], rel=1e-12)


def test_goals_on_the_cost() -> None:
    sample = priced_sample()
    high = sample.summary("cost").high
    assert high is not None
    assert fc.Goal.parse("cost.high > 1e6").judge(sample).failed
    assert not fc.Goal.parse(f"cost.high > {high + 1.0}").judge(sample).failed
    verdict = fc.Goal.parse("cost > 1e6").judge(fc.simulate(fc.load("small"), replications=3))
    assert verdict.failed
    assert verdict.sentence.endswith("there is no cost.mean, because nothing has a price.")


def test_a_comparison_tells_the_difference_in_cost() -> None:
    base = fc.load("small", PRICES)
    (found,) = fc.compare(base, base.with_(job__warm_standbys=16), replications=40, seed=3)
    gap = found.difference("cost")
    standbys = found.other.costs()["standby"].cost.mean, found.base.costs()["standby"].cost.mean
    assert gap.shown
    assert gap.direction == "more"
    assert gap.difference == pytest.approx((standbys[0] or 0.0) - (standbys[1] or 0.0), rel=0.5)


def test_an_uncertain_price_is_drawn() -> None:
    scenario = fc.load("small", [*PRICES, "uncertain.cost.gpu_hour=2..3", "job.length=2 d"])
    found = fc.predict(scenario, draws=40, replications=80)
    parts = found.parts("cost")
    assert parts is not None
    assert parts.share is not None
    assert parts.share > 0.9


def test_a_ranking_of_the_cost_finds_the_price() -> None:
    scenario = fc.load("small", PRICES).with_(job__length="2 d")
    vary = ["cost.gpu_hour=1..4", "selection.time.mean=1min..5min"]
    (found,) = fc.rank(scenario, vary=vary, metrics=["cost"], samples=64).metrics
    assert found.influences[0].path == "cost.gpu_hour"
    with pytest.raises(fc.RequestError, match="nothing has a price: set cost"):
        fc.check_rank(fc.load("small"), metrics=["cost"])
    assert fc.check_rank(fc.load("small"), vary=vary, metrics=["cost"]) > 0


@pytest.mark.parametrize("field", sorted(fc.Cost.model_fields))
@pytest.mark.parametrize("wrong", ["-1", "-0.01", ".inf", ".nan", "1e10", "free"])
def test_a_price_that_is_none_is_refused_before_the_first_run(field: str, wrong: str) -> None:
    with pytest.raises(fc.ScenarioError, match=rf"cost\.{field} is .* from 0 to 1,000,000,000"):
        fc.load("small", [f"cost.{field}={wrong}"])
    with pytest.raises(fc.ScenarioError, match=rf"cost\.{field} is "):
        fc.Cost(**{field: float("inf")})
