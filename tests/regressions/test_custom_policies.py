"""A user's own selection, retirement and escalation: by subclass, in the reference engine only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.regressions.cases import FOR_EVER, calm, story
from tests.strategies import PAIRWISE

import failcast as fc
from failcast.engine import Policies, ServerView, Status, draw, run, trace
from failcast.engine.random import SELECTION_PICK, SELECTION_TIE
from failcast.scenario import Constant, ExponentialLife

Draw = Callable[[int], float]

#: Three at work of seven, one standby; lives of 100 h, repairs of 30 h.
CLUSTER = calm(
    cluster__working_pool=7,
    job__servers=3,
    job__warm_standbys=1,
    job__length=250.0,
    recovery__time=1.0,
    repair__automated__time=Constant(value=30.0),
)


class HighestNumber(Policies):
    """Takes the servers of the highest numbers; the next ones stand by."""

    def select(
        self, available: Sequence[ServerView], servers: int, standbys: int, pick: Draw, tie: Draw
    ) -> tuple[list[int], list[int]]:
        numbers = sorted((view.number for view in available), reverse=True)
        return numbers[:servers], numbers[servers : servers + standbys]


def test_a_selection_of_ones_own_chooses_the_hosts() -> None:
    """Servers 4, 5 and 6 work first; 3 stands by and is promoted first."""
    ran = story(CLUSTER, policies=HighestNumber)
    assert ran.status == Status.FINISHED
    assert [row[2] for row in ran.of("failure")][:3] == [4, 5, 6]
    assert ran.of("promotion")[0][2] == 3
    # At the second failure no standby is left: 6, 3, and of 0, 1, 2 the highest; 1 stands by.
    assert ran.of("promotion")[1][2] == 1


def test_a_selection_is_told_what_it_needs() -> None:
    """Who is available, in pool order; how many are wanted; draws with an address."""
    asked: list[tuple[list[int], set[str], int, int, float, float]] = []

    class Curious(Policies):
        def select(self, available: Any, servers: int, standbys: int, pick: Draw, tie: Draw) -> Any:
            numbers = [view.number for view in available]
            states = {view.state for view in available}
            asked.append((numbers, states, servers, standbys, pick(5), tie(6)))
            return super().select(available, servers, standbys, pick, tie)

    trace(CLUSTER, seed=9, replication=2, engine="reference", policies=Curious)
    assert len(asked) > 2
    for number, (numbers, states, servers, standbys, pick, tie) in enumerate(asked):
        assert servers == 3
        assert standbys == min(1, len(numbers) - 3)
        assert states <= {"active", "standby", "idle"}
        assert pick == draw(9, 2, SELECTION_PICK, number, 5)
        assert tie == draw(9, 2, SELECTION_TIE, 6, number)
    assert asked[0][:2] == (list(range(7)), {"idle"})
    assert "active" in asked[1][1]


class OneStrike(Policies):
    """Retires at the first blame, but never a server below number 4."""

    def retire(self, server: ServerView, now_hours: float) -> bool:
        assert server.blame_hours[-1] == now_hours
        assert server.state == "automated_repair"
        return server.number >= 4


def test_a_retirement_of_ones_own_is_executed_when_the_repair_ends() -> None:
    ran = story(CLUSTER.with_(job__length=1000.0), policies=OneStrike)
    assert ran.status == Status.FINISHED
    blames = {row[2]: row[0] for row in ran.of("blame") if row[2] >= 4}
    retired = {row[2]: row[0] for row in ran.of("retirement")}
    assert retired == {server: time + 30.0 for server, time in blames.items()}
    assert set(retired) == {4, 5, 6}


class EverySecond(Policies):
    """Sends every second repair to a technician: it keeps count, which is state of its own."""

    ended = 0

    def escalate(self, server: ServerView, chance: float) -> bool:
        self.ended += 1
        return self.ended % 2 == 0


def test_an_escalation_of_ones_own_decides_and_counts_for_each_run_anew() -> None:
    scenario = CLUSTER.with_(
        failures__life=ExponentialLife(), repair__manual__time=Constant(value=5.0)
    )
    for replication in range(2):
        rows = trace(
            scenario, seed=1, replication=replication, engine="reference", policies=EverySecond
        ).rows()
        details = [row[3] for row in rows if row[1] == "automated_repair_end"]
        assert len(details) > 3
        assert details == [(1, 2)[n % 2] for n in range(len(details))]
    runs = run(scenario, replications=2, seed=1, engine="reference", policies=EverySecond)
    assert (runs.status == Status.FINISHED).all()


@pytest.mark.parametrize("number", range(0, len(PAIRWISE), 7))
def test_a_subclass_that_changes_nothing_changes_nothing(number: int) -> None:
    class Same(Policies):
        pass

    scenario = PAIRWISE[number]
    mine, ours = (
        trace(scenario, seed=1, engine="reference", policies=policies) for policies in (Same, None)
    )
    assert mine.lines.tobytes() == ours.lines.tobytes()


def test_the_kernel_refuses_python_policies_in_a_sentence() -> None:
    sentence = r'HighestNumber is Python code and the kernel is compiled.* engine="reference"\.'
    with pytest.raises(ValueError, match=sentence):
        run(CLUSTER, replications=1, seed=1, policies=HighestNumber)
    with pytest.raises(ValueError, match=sentence):
        trace(CLUSTER, seed=1, policies=HighestNumber)


@pytest.mark.parametrize(
    ("hosts", "queue", "sentence"),
    [
        ([6, 6, 5], [], "chose a server twice"),
        ([6, 5, 4], [6], "chose a server twice"),
        ([6, 5, 4, 3], [], "chose 4 servers and 0 standbys, but at most 3 and 1 are wanted"),
        ([6, 5, 4], [3, 2], "chose 3 servers and 2 standbys, but at most 3 and 1 are wanted"),
        ([7, 5, 4], [], "chose server 7, which is not available"),
        ([-1, 5, 4], [], "chose server -1, which is not available"),
    ],
)
def test_a_choice_that_nobody_can_make_is_refused_in_a_sentence(
    hosts: list[int], queue: list[int], sentence: str
) -> None:
    """More, twice, or a spare: silently taken, each would bend every number that follows."""

    class Muddled(Policies):
        def select(self, *_: Any) -> Any:
            return hosts, queue

    scenario = CLUSTER.with_(cluster__spare_pool=1)
    with pytest.raises(fc.PolicyError, match=f"^Muddled.select {sentence}"):
        run(scenario, replications=1, seed=1, engine="reference", policies=Muddled)


def test_a_policy_that_returns_nothing_is_told_what_it_must_return() -> None:
    class Silent(fc.Policies):
        def select(self, *args: object) -> None:  # type: ignore[override]
            return None

    with pytest.raises(fc.PolicyError, match=r"^Silent\.select returned None; it must return two"):
        run(CLUSTER, replications=1, seed=1, engine="reference", policies=Silent)


def test_the_public_way_takes_policies_too() -> None:
    """`fc.simulate(..., engine="reference", policies=…)`; on the kernel it is refused."""
    sample = fc.simulate(CLUSTER, replications=2, engine="reference", policies=HighestNumber)
    assert sample.status_counts()["finished"] == 2
    with pytest.raises(ValueError, match="HighestNumber is Python code and the kernel is compiled"):
        fc.simulate(CLUSTER, replications=2, policies=HighestNumber)


def test_a_policy_that_wants_all_or_nothing_gets_its_servers_in_the_end() -> None:
    """Too few is a shortage: the job stalls, and asks again when the pools change."""

    class OnlyWithAll(HighestNumber):
        def select(self, available: Any, *rest: Any) -> Any:
            return super().select(available, *rest) if len(available) == 7 else ([], [])

    ran = story(CLUSTER.with_(job__length=150.0, run__horizon=FOR_EVER), policies=OnlyWithAll)
    assert ran.status == Status.FINISHED
    # 4 fails at 100 h and 3 is promoted; 5 fails at 101 h: all seven are back at 131 h.
    assert ran.times("selecting") == [0.0, 131.0]
    assert ("stalled", 102.0, 131.0) in ran.phases()
    assert ran["stalls"] == 1


def test_draws_that_find_nobody_end_in_a_sentence() -> None:
    """A pick that always names the same server would else be asked for ever."""

    class Stubborn(Policies):
        def select(self, available: Any, servers: int, standbys: int, pick: Draw, tie: Draw) -> Any:
            return super().select(available, servers, standbys, lambda k: 0.5, tie)

    with pytest.raises(fc.PolicyError, match=r"Stubborn\.select: after .* draws only 1 of 4"):
        fc.trace(CLUSTER, seed=1, engine="reference", policies=Stubborn)
