"""Generated scenarios for property tests: `scenarios()` at random, `PAIRWISE` by construction.

Small clusters and short jobs that reach every option. A new option joins `FACTORS`; both the random
scenarios and the pairwise list then contain it. On the map: shared by all tests of the engines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from failcast.engine import draw
from failcast.scenario import (
    AutomatedRepair,
    Checkpoint,
    Cluster,
    Constant,
    ConstantLife,
    Diagnosis,
    Distribution,
    Empirical,
    EmpiricalLife,
    Exponential,
    ExponentialLife,
    Exposure,
    Failures,
    Gamma,
    GammaLife,
    Job,
    Life,
    LocalTier,
    Lognormal,
    LognormalLife,
    ManualRepair,
    MemoryTier,
    Mixture,
    MixtureLife,
    Never,
    PeerTier,
    Preemption,
    RandomFailures,
    Recovery,
    Regeneration,
    Relapse,
    RemoteTier,
    Repair,
    Replay,
    Requalification,
    Retirement,
    Run,
    Scenario,
    Score,
    ScoreFloor,
    Selection,
    Shift,
    SpareParts,
    SystematicFailures,
    Threshold,
    Tiers,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)
from failcast.scenario.ages import survival

#: Hours of computing of every generated job.
LENGTH_HOURS = 100.0

#: A mixture with a component of every kind, as a duration or, by its shape, as a life.
MIXED: tuple[tuple[float, Distribution], ...] = (
    (0.2, Exponential(mean=2.0)),
    (0.15, Weibull(mean=5.0, shape=0.7)),
    (0.15, Lognormal(median=2.0, sigma=1.5)),
    (0.2, Gamma(mean=8.0, shape=0.4)),
    (0.1, Uniform(low=1.0, high=4.0)),
    (0.15, Empirical(values=(0.5, 2.0, 2.5, 30.0))),
    (0.05, Constant(value=1.0)),
)

#: Tiers that all differ: near ones that lose more, far ones that are slower.
ALL_TIERS = Tiers(
    memory=MemoryTier(restore=Constant(value=0.125)),
    local=LocalTier(every=2, persist=Uniform(low=0.0, high=1.0), restore=Constant(value=0.25)),
    peer=PeerTier(every=3, persist=Exponential(mean=0.5), restore=Uniform(low=0.1, high=0.5)),
    remote=RemoteTier(
        every=5, persist=Lognormal(median=2.0, sigma=1.0), restore=Weibull(mean=1.0, shape=0.6)
    ),
)

#: Option -> its levels. Pool sizes are relative, so that every combination is a valid scenario.
FACTORS: Mapping[str, Sequence[Any]] = {
    "servers": (1, 2, 7, 24),
    "standbys": (0, 1, 4),
    # Servers of the working pool beyond job and standbys; below zero, spares fill the gap.
    "idle": (0, 3, -1),
    "spares": (0, 2, 6),
    "resume_with": ("job_and_standbys", "job"),
    "life": (
        ExponentialLife(),
        WeibullLife(shape=0.5),
        WeibullLife(shape=2.0),
        LognormalLife(sigma=1.0),
        ConstantLife(),
        UniformLife(spread=0.5),
        GammaLife(shape=0.4),
        EmpiricalLife(values=(1.0, 5.0, 5.0, 40.0)),
        MixtureLife(parts=MIXED),
    ),
    # Expected failures of a run with exponential lives.
    "failures": (30.0, 0.0, 250.0),
    "defective": ((0.15, 5.0), (0.0, 5.0), (1.0, 2.0), (0.5, 0.0)),
    "recovering": (False, True),
    "checkpointing": (True, False),
    "selecting": (False, True),
    "waiting": (False, True),
    "standby_ages": (0.0, 1.0, 0.25),
    "idle_ages": (0.0, 0.5, 3.0),
    "spare_ages": (0.0, 2.0),
    "health_check": (None, 5.0, 0.75),
    "reboot": (1.0, 0.4, 0.0),
    "checkpoint": (
        Checkpoint(),
        Checkpoint(interval="none"),
        Checkpoint(interval=1.0),
        Checkpoint(interval=4.0, write=Constant(value=0.25)),
        Checkpoint(
            interval="optimal",
            write=Exponential(mean=0.2),
            tiers=Tiers(remote=RemoteTier(restore=Exponential(mean=0.1))),
        ),
        Checkpoint(interval=0.5, write=Constant(value=0.05), tiers=ALL_TIERS),
    ),
    "regeneration": (
        None,
        Regeneration(interval=40.0, share=0.1),
        Regeneration(interval=2.5, share=1.0),
    ),
    "diagnosed": (1.0, 0.6, 0.0),
    "wrong_server": (0.0, 0.3, 1.0),
    "recovery": (
        Constant(value=0.25),
        Constant(value=0.0),
        Exponential(mean=0.5),
        Empirical(values=(0.0, 0.2, 0.2, 1.5)),
    ),
    "phases": (
        {},
        {"restart": Constant(value=0.1), "load": Exponential(mean=0.2)},
        {"detect": Constant(value=0.0), "diagnose": Exponential(mean=0.3)},
        {
            "detect": Lognormal(median=0.1, sigma=1.5),
            "diagnose": Constant(value=0.125),
            "reschedule": Uniform(low=0.0, high=0.2),
            "restart": Empirical(values=(0.0, 0.1, 0.1, 1.0)),
            "load": Weibull(mean=0.2, shape=0.7),
            "warm_up": Mixture(parts=MIXED),
        },
    ),
    "selection": (Constant(value=0.05), Constant(value=0.0), Uniform(low=0.0, high=2.0)),
    "policy": ("random", "pool_order", "fewest_failures", "highest_score"),
    "wait": (Constant(value=0.5), Constant(value=0.0), Lognormal(median=2.0, sigma=1.0)),
    "mode": ("one_at_a_time", "together"),
    "return": ("never", "when_healed"),
    "automated": (
        Exponential(mean=2.0),
        Constant(value=0.0),
        Weibull(mean=5.0, shape=0.7),
        Gamma(mean=3.0, shape=2.5),
    ),
    "manual": (
        Exponential(mean=20.0),
        Constant(value=0.0),
        Lognormal(mean=10.0, sigma=1.5),
        Mixture(parts=MIXED),
    ),
    "escalate": (0.8, 0.0, 1.0),
    "automated_silent": (0.4, 0.0, 1.0),
    "manual_silent": (0.2, 0.0, 1.0),
    "automated_crews": ("unlimited", 1, 3),
    "manual_crews": ("unlimited", 1, 2),
    "shift": (
        None,
        Shift(),
        Shift(begin=20.0, hours=10.5, days=7),
        Shift(begin=0.0, hours=24.0, days=3),
    ),
    "parts": (
        None,
        SpareParts(probability=0.5, stock=2, lead_time=Exponential(mean=30.0)),
        SpareParts(probability=1.0, stock=0, lead_time=Empirical(values=(0.0, 5.0, 5.0, 20.0))),
    ),
    "requalification": (
        None,
        Requalification(time=Exponential(mean=3.0), detects=0.6),
        Requalification(time=Empirical(values=(0.0, 1.0, 1.0, 4.0)), detects=1.0),
    ),
    "relapse": (
        None,
        Relapse(probability=0.5, time=Exponential(mean=5.0)),
        Relapse(probability=0.8, time=Empirical(values=(0.0, 1.0, 1.0, 40.0)), concentration=0.5),
    ),
    "score": (Score(), Score(initial=50.0, penalty=10.0, credit=3.0, period=1.5)),
    "retirement": (
        Never(),
        Threshold(failures=1, window=10.0),
        Threshold(failures=3, window=30.0),
        ScoreFloor(floor=0.0),
        ScoreFloor(floor=45.0),
    ),
    # In lengths of the job: a short one ends runs out of time.
    "horizon": (20.0, 0.8),
    # A name, or hours as a share of the mean life of a defective server.
    "initial_age": ("new", "stationary", 0.3),
    "restores": ("new", "age_kept"),
    # Failures that come from a list, in the place of drawn lives.
    "replay": (0, 80),
}


#: The options that put limits on the repair shop.
SHOP = ("automated_crews", "manual_crews", "shift", "parts", "requalification")


def is_refused(case: Mapping[str, Any]) -> bool:
    """Whether these values do not go together; a case may lack factors.

    Either no scenario has them, or one takes all meaning from the other: with a replay no life is
    drawn.
    """
    life = case.get("life", ExponentialLife())
    kept = case.get("restores", "new") == "age_kept"
    if case.get("replay"):
        failures = case.get("failures", FACTORS["failures"][0])
        drawn = life != ExponentialLife() or case.get("initial_age", "new") != "new" or kept
        return drawn or failures != FACTORS["failures"][0]
    return kept and not isinstance(life, ExponentialLife | WeibullLife)


def build(case: Mapping[str, Any], *, seed: int = 1) -> Scenario:
    """Return the scenario of one level of every factor."""
    need = case["servers"] + case["standbys"]
    working_pool = max(0, need + case["idle"])
    return Scenario(
        name="generated",
        cluster=Cluster(
            working_pool=working_pool, spare_pool=case["spares"] + max(0, need - working_pool)
        ),
        job=Job(
            servers=case["servers"],
            warm_standbys=case["standbys"],
            length=LENGTH_HOURS,
            resume_with=case["resume_with"],
        ),
        failures=_failures(case, servers=max(need, need + case["idle"]) + case["spares"]),
        diagnosis=Diagnosis(probability=case["diagnosed"], wrong_server=case["wrong_server"]),
        recovery=Recovery(time=case["recovery"], **case["phases"]),
        checkpoint=case["checkpoint"],
        selection=Selection(time=case["selection"], policy=case["policy"]),
        preemption=Preemption(wait=case["wait"], mode=case["mode"], return_=case["return"]),
        repair=Repair(
            automated=AutomatedRepair(
                time=case["automated"],
                escalate=case["escalate"],
                silent_failure=case["automated_silent"],
                crews=case["automated_crews"],
            ),
            manual=ManualRepair(
                time=case["manual"],
                silent_failure=case["manual_silent"],
                crews=case["manual_crews"],
                shift=case["shift"],
                parts=case["parts"],
            ),
            restores=case["restores"],
            requalification=case["requalification"],
            relapse=case["relapse"],
        ),
        score=case["score"],
        retirement=case["retirement"],
        run=Run(
            seed=seed,
            replications=2,
            horizon=case["horizon"] * LENGTH_HOURS,
            max_events=20_000,
        ),
    )


def _failures(case: Mapping[str, Any], servers: int) -> Failures:
    fraction, multiplier = case["defective"]
    server_hours = case["servers"] * LENGTH_HOURS * (1.0 + fraction * multiplier)
    rate = case["failures"] / server_hours
    age = case["initial_age"]
    if not isinstance(age, str):
        # So short that many lives are longer, whatever their shape.
        mean = 1.0 / (rate * (1.0 + multiplier)) if rate > 0.0 else 10.0
        age = mean * (age if survival(case["life"], age) > 0.01 else 0.0)
    return Failures(
        random=RandomFailures(rate=rate),
        systematic=SystematicFailures(fraction=fraction, multiplier=multiplier),
        life=case["life"],
        exposure=Exposure(
            **{
                name: case[name] for name in ("recovering", "checkpointing", "selecting", "waiting")
            },
            **{name: case[f"{name}_ages"] for name in ("standby", "idle", "spare")},
        ),
        reboot=case["reboot"],
        health_check=case["health_check"],
        initial_age=age,
        replay=replay(case["replay"], servers),
        regeneration=case["regeneration"],
    )


def replay(count: int, servers: int) -> Replay | None:
    """Failures all over a run and beyond, of any servers; many at full hours, some twice."""
    if not count:
        return None
    times = [1.3 * LENGTH_HOURS * draw(count, 0, 0, servers, n) for n in range(count)]
    whole = sorted(float(int(time)) if n % 2 else time for n, time in enumerate(times))
    numbers = [int(servers * draw(count, 0, 1, servers, n)) for n in range(count)]
    return Replay(failures=tuple(zip(whole, numbers, strict=True)))


def all_pairs(factors: Mapping[str, Sequence[Any]]) -> list[dict[str, int]]:
    """Return cases (factor -> number of its level) in which all pairs of levels occur.

    Greedy and without chance: each case starts from the first pair not yet seen and takes, factor
    by factor, the level that adds most new pairs. Pairs that a scenario refuses are left out.
    """
    names = list(factors)
    open_pairs = {
        (one, i, other, j): None
        for one, other in itertools.combinations(names, 2)
        for i, first in enumerate(factors[one])
        for j, second in enumerate(factors[other])
        if not is_refused({one: first, other: second})
    }
    order = {name: position for position, name in enumerate(names)}
    cases = []
    while open_pairs:
        one, i, other, j = next(iter(open_pairs))
        case = {one: i, other: j}
        for name in names:
            if name not in case:
                # Ties rotate through the levels, so that no level is worn out by coming first.
                count = len(factors[name])
                levels = [(len(cases) + k) % count for k in range(count)]
                levels = [k for k in levels if not _is_refused({**case, name: k}, factors)]
                gains = [_gain(name, level, case, order, open_pairs) for level in levels]
                case[name] = levels[gains.index(max(gains))]
        for a, b in itertools.combinations(names, 2):
            open_pairs.pop((a, case[a], b, case[b]), None)
        cases.append({name: case[name] for name in names})
    return cases


def _is_refused(case: Mapping[str, int], factors: Mapping[str, Sequence[Any]]) -> bool:
    return is_refused({name: factors[name][level] for name, level in case.items()})


def _gain(
    name: str,
    level: int,
    case: Mapping[str, int],
    order: Mapping[str, int],
    open_pairs: Mapping[tuple[str, int, str, int], None],
) -> int:
    gain = 0
    for other, chosen in case.items():
        pair = (other, chosen, name, level)
        if order[name] < order[other]:
            pair = (name, level, other, chosen)
        gain += pair in open_pairs
    return gain


PAIRWISE: list[Scenario] = [
    build({name: FACTORS[name][level] for name, level in case.items()}, seed=number)
    for number, case in enumerate(all_pairs(FACTORS))
]

#: Things that take three options or more to happen: loans that are returned, all at once.
CORNERS: list[Scenario] = [
    build(
        {
            **{name: levels[0] for name, levels in FACTORS.items()},
            "idle": 0,
            "servers": 7,
            "standbys": 1,
            "spares": 6,
            "failures": 250.0,
            "wait": wait,
            "mode": mode,
            "return": "when_healed",
            "policy": policy,
        },
        seed=number,
    )
    for number, (wait, mode, policy) in enumerate(
        itertools.product(FACTORS["wait"], FACTORS["mode"], FACTORS["policy"])
    )
]

_probabilities = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0.0, 1.0))


def hours(most: float = 20.0) -> st.SearchStrategy[float]:
    """Durations in hours from zero (often) to ``most``."""
    return st.one_of(st.just(0.0), st.floats(1e-3, most), st.integers(1, 10).map(float))


@st.composite
def distributions(draw: st.DrawFn, most: float = 20.0) -> Distribution:
    """Distributions of durations of every family, with means up to about ``most`` hours.

    Composite, so that a strategy that holds many of them is not written out in all its parts.
    """
    single = _single(most)
    return draw(st.one_of(single, mixtures(single).map(lambda parts: Mixture(parts=parts))))


def mixtures(parts: st.SearchStrategy[Distribution]) -> st.SearchStrategy[Sequence[Any]]:
    """Weights that add up to 1, each with one of ``parts``."""
    weighted = st.lists(st.tuples(st.integers(1, 100), parts), min_size=1, max_size=5)
    return weighted.map(
        lambda pairs: tuple((w / sum(each for each, _ in pairs), part) for w, part in pairs)
    )


def _single(most: float) -> st.SearchStrategy[Distribution]:
    """Distributions of durations of every family but mixtures."""
    shapes = st.floats(0.4, 4.0)
    return st.one_of(
        st.builds(Constant, value=hours(most)),
        st.builds(Exponential, mean=hours(most)),
        st.builds(Weibull, mean=hours(most), shape=shapes),
        st.builds(Weibull, scale=hours(most), shape=shapes),
        st.builds(Gamma, mean=hours(most), shape=st.floats(0.05, 50.0)),
        st.builds(Gamma, scale=hours(most), shape=shapes),
        st.builds(Empirical, values=st.lists(hours(most), min_size=1, max_size=8)),
        st.builds(Lognormal, median=hours(most), sigma=st.floats(0.0, 2.0)),
        st.builds(Lognormal, mean=hours(most), sigma=st.floats(0.0, 2.0)),
        st.lists(hours(most), min_size=2, max_size=2).map(
            lambda ends: Uniform(low=min(ends), high=max(ends))
        ),
    )


def lives() -> st.SearchStrategy[Life]:
    """Shapes of server lives of every family."""
    return st.one_of(
        st.just(ExponentialLife()),
        st.builds(WeibullLife, shape=st.floats(0.4, 4.0)),
        st.builds(LognormalLife, sigma=st.floats(0.0, 1.5)),
        st.builds(GammaLife, shape=st.floats(0.1, 50.0)),
        st.builds(EmpiricalLife, values=st.lists(st.floats(0.1, 100.0), min_size=1, max_size=8)),
        mixtures(_single(20.0)).filter(_has_length).map(lambda parts: MixtureLife(parts=parts)),
        st.just(ConstantLife()),
        st.builds(UniformLife, spread=st.floats(0.01, 1.0)),
    )


def _has_length(parts: Sequence[Any]) -> bool:
    return any(part.mean_hours > 0.0 for _, part in parts)


def possible(case: dict[str, Any]) -> dict[str, Any]:
    """The case, or one like it whose values go together."""
    if is_refused({"life": case["life"], "restores": case["restores"]}):
        return {**case, "restores": "new"}
    return case


def retirements() -> st.SearchStrategy[Retirement]:
    """Retirement rules of every kind."""
    return st.one_of(
        st.just(Never()),
        st.builds(Threshold, failures=st.integers(1, 4), window=st.floats(1.0, 200.0)),
        st.builds(ScoreFloor, floor=st.sampled_from([0.0, 45.0, 70.0])),
    )


def shifts() -> st.SearchStrategy[Shift]:
    """Shifts of any begin and length, in whole hours often."""
    return st.builds(
        Shift,
        begin=st.integers(0, 23) | st.floats(1e-3, 23.9),
        hours=st.integers(1, 24) | st.floats(1e-3, 24.0),
        days=st.integers(1, 7),
    )


def spare_parts() -> st.SearchStrategy[SpareParts]:
    """Parts that are needed now and then or always, few of them in stock."""
    return st.builds(
        SpareParts,
        probability=_probabilities,
        stock=st.integers(0, 5),
        lead_time=distributions(50.0),
    )


def requalifications() -> st.SearchStrategy[Requalification]:
    """Tests after repairs that find all, nothing or a part of what went wrong."""
    return st.builds(Requalification, time=distributions(), detects=_probabilities)


def relapses() -> st.SearchStrategy[Relapse]:
    """Faults that strike again, at all servers alike or at some of them more."""
    return st.builds(
        Relapse,
        probability=_probabilities.map(lambda p: min(p, 0.9)),  # or no run ever ends
        time=distributions().filter(lambda each: each.mean_hours > 0.0),
        concentration=st.one_of(st.just(math.inf), st.floats(0.01, 20.0)),
    )


def scenarios(*, most_servers: int = 40) -> st.SearchStrategy[Scenario]:
    """Small scenarios, jobs of 1 to ``most_servers`` servers, that reach every option.

    They expect up to 300 failures and end soon: at 20 lengths of the job or 20,000 events.
    """
    free: dict[str, st.SearchStrategy[Any]] = {
        # Tiny jobs, where everything happens at once, come as often as all others.
        "servers": st.integers(1, min(4, most_servers)) | st.integers(1, most_servers),
        "standbys": st.integers(0, 6),
        "idle": st.integers(-3, 6),
        "spares": st.integers(0, 8),
        "life": lives(),
        "replay": st.just(0) | st.just(0) | st.just(0) | st.integers(0, 200),
        "initial_age": st.sampled_from(["new", "stationary"]) | st.floats(0.01, 0.9),
        "failures": st.one_of(st.just(0.0), st.floats(1.0, 300.0)),
        "defective": st.tuples(_probabilities, st.floats(0.0, 8.0)),
        "regeneration": st.one_of(
            st.none(),
            st.builds(Regeneration, interval=st.floats(2.0, 150.0), share=st.floats(0.01, 1.0)),
        ),
        **dict.fromkeys(
            ("diagnosed", "wrong_server", "escalate", "automated_silent", "manual_silent"),
            _probabilities,
        ),
        **dict.fromkeys(("recovery", "selection"), distributions(2.0)),
        **dict.fromkeys(("wait", "automated", "manual"), distributions()),
        "shift": st.one_of(st.none(), shifts()),
        "parts": st.one_of(st.none(), spare_parts()),
        "requalification": st.one_of(st.none(), requalifications()),
        "relapse": st.one_of(st.none(), relapses()),
        "retirement": retirements(),
    }
    fixed = {name: st.sampled_from(levels) for name, levels in FACTORS.items() if name not in free}
    # Half of the shops are without limits: there a repair is drawn whole at the blame.
    unlimited = {name: FACTORS[name][0] for name in SHOP}
    return st.builds(
        lambda case, limits, seed: build(case | ({} if limits else unlimited), seed=seed),
        st.fixed_dictionaries({**free, **fixed}).map(possible),
        st.booleans(),
        st.integers(0, 2**63 - 1),
    )
