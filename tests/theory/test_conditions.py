"""Hidden conditions and blame: defective servers, regeneration, diagnosis, wrong blame.

With exponential lives every count is Poisson or binomial, given how many servers are defective.
On the map: MODEL, "failure", "blame", "regeneration", for jobs that nothing else disturbs.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from tests.theory.numbers import assert_mean, assert_variance, simulate
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.scenario import Exponential, Regeneration

LENGTH, MEAN_LIFE = 600.0, 200.0


@pytest.mark.parametrize(
    ("fraction", "defective"), [(0.29, 29), (0.145, 15), (1.0, 100), (0.004, 0)]
)
def test_b19_b20_failures_by_kind_are_poisson(fraction: float, defective: int) -> None:
    # Nobody is blamed, so nobody is mended: 100 servers fail at random, the defective ones 3 times
    # as often on top. 0.29 × 100 is 29 servers, half a server counts as one, 0.4 as none.
    scenario = plain(
        100,
        length=LENGTH,
        mean_life=MEAN_LIFE,
        failures__systematic={"fraction": fraction, "multiplier": 3.0},
        diagnosis__probability=0.0,
    )
    sample = simulate(scenario, 400)
    random, systematic = (100 * LENGTH / MEAN_LIFE, 3.0 * defective * LENGTH / MEAN_LIFE)
    assert_mean(sample["failures_random"], random)
    assert_variance(sample["failures_random"], random)
    assert_mean(sample["failures_systematic"], systematic)
    assert_variance(sample["failures_systematic"], systematic)
    # Two thinned streams of one Poisson process are independent.
    both = (sample["failures_random"] - random) * (sample["failures_systematic"] - systematic)
    assert_mean(both, 0.0, "covariance")


@pytest.mark.parametrize("multiplier", [0.0, 0.5, 5.0])
def test_a_defective_server_fails_systematically_m_times_in_1_plus_m(multiplier: float) -> None:
    # All repairs fail silently, so all servers stay defective, whoever is repaired or swapped.
    scenario = plain(
        30,
        standbys=10,
        length=LENGTH,
        mean_life=MEAN_LIFE,
        failures__systematic={"fraction": 1.0, "multiplier": multiplier},
        repair__automated={"time": Exponential(mean=2.0), "escalate": 0.5, "silent_failure": 1.0},
        repair__manual={"time": Exponential(mean=5.0), "silent_failure": 1.0},
    )
    sample = simulate(scenario, 300)
    share = multiplier / (1.0 + multiplier)
    assert_mean(sample["failures_systematic"] - share * sample["failures"], 0.0)
    assert_mean(sample["failures"], 30 * LENGTH / MEAN_LIFE * (1.0 + multiplier))
    assert not sample["repairs_successful"].any()


@pytest.mark.parametrize("success", [0.25, 1.0])
def test_a_defect_lasts_until_a_repair_succeeds(success: float) -> None:
    # Ten of 20 servers are defective, all at work. Each fails at 6 times the random rate until it
    # is mended: 1 / success failures, 5 in 6 of them systematic, long before the end.
    scenario = plain(
        20,
        length=20 * MEAN_LIFE,
        mean_life=MEAN_LIFE,
        failures__systematic={"fraction": 0.5, "multiplier": 5.0},
        repair__automated={"time": 0.0, "escalate": 0.0, "silent_failure": 1.0 - success},
    )
    sample = simulate(scenario, 300)
    assert_mean(sample["failures_systematic"], 10 / success * 5.0 / 6.0)
    # Until then it fails at random too, at the rate of everybody.
    assert_mean(sample["failures_random"], 20 * 20)


def defective_after_each_regeneration(
    servers: int, fraction: float, share: float, intervals: int
) -> list[int]:
    """Defective servers in each interval: max(1, share × fraction × good) turn, halves upward."""
    defective = [round(servers * fraction)]
    for _ in range(intervals - 1):
        good = servers - defective[-1]
        turning = max(1, int(share * fraction * good + 0.5))
        defective.append(defective[-1] + min(good, turning))
    return defective


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
def test_b33_regeneration_turns_servers_and_their_hazard(share: float) -> None:
    # Servers are never mended, so the number of defective ones is known in each interval of 50 h,
    # and systematic failures are Poisson with 4 times the random rate per defective server.
    scenario = plain(
        60,
        length=500.0,
        mean_life=MEAN_LIFE,
        failures__systematic={"fraction": 0.2, "multiplier": 4.0},
        failures__regeneration=Regeneration(interval=50.0, share=share),
        diagnosis__probability=0.0,
    )
    defective = defective_after_each_regeneration(60, 0.2, share, 10)
    rows = trace(scenario, seed=1).rows()
    turned = [(time, n) for time, event, _, n in rows if event == "regeneration"][:9]
    assert turned == [(50.0 * (k + 1), int(n)) for k, n in enumerate(np.diff(defective))]
    sample = simulate(scenario, 300)
    expected = 4.0 * sum(defective) * 50.0 / MEAN_LIFE
    assert_mean(sample["failures_systematic"], expected)
    assert_variance(sample["failures_systematic"], expected)
    assert_mean(sample["failures_random"], 60 * 500.0 / MEAN_LIFE)


@pytest.mark.parametrize(("probability", "wrong"), [(0.6, 0.3), (1.0, 0.3), (0.9, 1.0), (0.0, 0.5)])
def test_diagnosis_and_wrong_blame_have_their_probabilities(
    probability: float, wrong: float
) -> None:
    # Given the failures seen so far, each later draw is a coin of its own: the differences below
    # have mean zero, also where the number of failures is random.
    scenario = plain(
        12,
        standbys=4,
        length=LENGTH,
        mean_life=MEAN_LIFE,
        recovery__time=1.0,
        repair__automated__time=Exponential(mean=4.0),
        diagnosis={"probability": probability, "wrong_server": wrong},
    )
    sample = simulate(scenario, 500)
    diagnosed = sample["blamed_right"] + sample["blamed_wrong"]
    assert_mean(sample["undiagnosed"] - (1.0 - probability) * sample["failures"], 0.0)
    assert_mean(sample["blamed_wrong"] - wrong * diagnosed, 0.0)
    assert_mean(diagnosed, probability * 12 * LENGTH / MEAN_LIFE)


def test_the_only_server_of_a_job_is_blamed_for_its_own_failure() -> None:
    scenario = plain(1, standbys=2, length=LENGTH, mean_life=10.0, diagnosis__wrong_server=1.0)
    sample = simulate(scenario, 20)
    assert sample["failures"].min() > 30.0
    assert (sample["blamed_right"] == sample["failures"]).all()


@pytest.mark.parametrize("policy", ["random", "pool_order"])
def test_wrong_blame_is_uniform_over_the_innocent_at_work(policy: str) -> None:
    # Servers 0 to 6 work, nobody else exists and a repair takes no time, so at each failure the
    # six others are the innocent ones.
    scenario = plain(
        7,
        length=8_000.0,
        mean_life=10.0,
        selection__policy=policy,
        diagnosis__wrong_server=1.0,
    )
    rows = trace(scenario, seed=5).rows()
    failed = [server for _, event, server, _ in rows if event == "failure"]
    blamed = [server for _, event, server, right in rows if event == "blame" and right == 0]
    assert len(failed) == len(blamed) > 5_000
    counts = Counter(zip(failed, blamed, strict=True))
    assert not any(counts[s, s] for s in range(7))
    for s in range(7):
        assert stats.chisquare([counts[s, other] for other in range(7) if other != s]).pvalue > 1e-4
    distance = Counter((other - s) % 7 for s, other in counts.elements())
    assert stats.chisquare([distance[d] for d in range(1, 7)]).pvalue > 1e-3


def test_wrong_blame_never_falls_on_a_server_that_does_not_work() -> None:
    # Three of eight servers work; the standbys queue, and who is promoted is in the trace.
    scenario = plain(
        3, standbys=5, length=3_000.0, mean_life=10.0, diagnosis__wrong_server=1.0,
        recovery__time=0.5, repair__automated__time=Exponential(mean=1.0),
    )  # fmt: skip
    rows = trace(scenario, seed=6).rows()
    assert sum(event == "selecting" for _, event, _, _ in rows) == 1
    story = [(e, s) for _, e, s, _ in rows if e in ("failure", "blame", "promotion")]
    first = {server: event for event, server in reversed(story)}
    assert set(first) == set(range(8))
    # Whoever is not promoted before all else has worked from the start: three, if blame is sound.
    at_work = {server for server, event in first.items() if event != "promotion"}
    assert len(at_work) == 3
    for event, server in story:
        if event == "promotion":
            at_work.add(server)
        else:
            assert server in at_work
            at_work -= {server} if event == "blame" else set()
    assert sum(event == "blame" for _, event, _, _ in rows) > 500
