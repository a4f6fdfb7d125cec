"""Scenarios by construction for property tests: `PAIRWISE`, all pairs of options, and `CORNERS`.

Small clusters and short jobs that reach every option. A new option joins `FACTORS`; the pairwise
list and the random scenarios (`generated.py`) then contain it. On the map: shared by all tests of
the engines.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

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
        drawn = drawn or case.get("relapse") is not None
        return drawn or failures != FACTORS["failures"][0]
    return kept and not isinstance(life, ExponentialLife | WeibullLife)


def possible(case: dict[str, Any]) -> dict[str, Any]:
    """The case, or one like it whose values go together."""
    if is_refused({"life": case["life"], "restores": case["restores"]}):
        return {**case, "restores": "new"}
    return case


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
