"""Scenario -> one flat record of numbers: all that the engines know of a scenario.

Hours and counts only; names, units and files stay behind. Options become the codes below. The
same record drives the reference and the kernel, so neither can read a scenario differently.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from failcast.engine.model import (
    CHECKPOINTING,
    COMPUTING,
    IDLE,
    RECOVERING,
    SELECTING,
    SPARE,
    STALLED,
    STANDBY,
    WAITING,
)
from failcast.engine.tables import NUMBER_DTYPE, address_of, code
from failcast.scenario import (
    UNLIMITED,
    Checkpoint,
    Constant,
    Distribution,
    Life,
    Scenario,
    ScoreFloor,
    Threshold,
)
from failcast.scenario.ages import LengthBiased
from failcast.scenario.optimum import interval_hours
from failcast.scenario.recovering import PHASES, SEVERITIES, TIERS
from failcast.scenario.replay import Replay

POLICY_RANDOM: Final = code(0)
POLICY_POOL_ORDER: Final = code(1)
POLICY_FEWEST_FAILURES: Final = code(2)
POLICY_HIGHEST_SCORE: Final = code(3)
#: Code of each host-selection policy, by its name in a scenario.
POLICIES: Final = {
    "random": POLICY_RANDOM,
    "pool_order": POLICY_POOL_ORDER,
    "fewest_failures": POLICY_FEWEST_FAILURES,
    "highest_score": POLICY_HIGHEST_SCORE,
}

#: So much sooner than the next one a copy is safe, where rounding is not to matter.
_AHEAD: Final = 0.999

RETIRE_NEVER: Final = code(0)
RETIRE_THRESHOLD: Final = code(1)
RETIRE_SCORE: Final = code(2)

#: How the first lives are drawn: new, in the midst of a life, or behind a given age.
START_NEW: Final = code(0)
START_STATIONARY: Final = code(1)
START_AGED: Final = code(2)

_COUNTS = (
    "servers_total",
    "working_pool",
    "spare_pool",
    "job_servers",
    "warm_standbys",
    "resume_with_job",
    "defective_count",
    "preempt_together",
    "return_when_healed",
    "policy",
    "retirement",
    "retire_failures",
    "max_events",
    "ledger",
    "exposed",  # bit phase + 1: whether the job's clock runs in that phase
    "reserve_exposed",
    "health_checked",
    "loses_work",
    "checkpointed",
    "steady",  # all checkpoints are alike: nothing about them is drawn
    "write_is_exposed",
    "phased",  # a recovery has phases, or a restore time
    "diagnosed_late",  # not at the failure
    "first_tier",  # of those that are on, and the one behind the last
    "last_tier",
    "losses_survived",  # the worst failure that all of them survive
    "relapse",
    "faults",
    "shop",
    "automated_crews",
    "manual_crews",
    "shift_days",
    "start",
    "age_kept",
    "replayed",
    "parts",
    "stock",
    "requalified",
)
_REALS = (
    "length",
    "life_mean_good",
    "life_mean_defective",
    "hazard_ratio",
    "p_systematic",
    "regeneration_interval",
    "regeneration_share",
    "p_diagnosed",
    "p_wrong_server",
    "p_escalate",
    "p_automated_silent",
    "p_manual_silent",
    "shift_begin",
    "shift_hours",
    "p_part",
    "p_detected",
    "p_relapse",
    "relapse_concentration",
    "score_initial",
    "score_penalty",
    "score_credit",
    "score_period",
    "retire_window",
    "retire_floor",
    "horizon",
    "failures_per_hour",
    "dues_per_hour",
    "checkpoint_interval",
    "write_exposed",  # hours of exposure in a write that takes a constant time
    "p_reboot",
    "health_check_period",
    "initial_age",
)
_DISTRIBUTIONS = (
    *("life", "recovery", "selection", "wait", "write"),
    *("automated", "manual", "lead", "requalification", "relapse"),
    *("length_biased", "replay"),
)
#: Distributions that are reached by a number: of a tier, or of a phase of a recovery.
_NUMBERED = {"persist": TIERS, "restore": TIERS, "phase": PHASES}

#: The plan's record type. Each distribution ``x`` is three fields: ``x_kind``, ``x_a``, ``x_b``.
PLAN_DTYPE: Final = np.dtype(
    (
        np.record,
        [(name, np.int64) for name in _COUNTS]
        + [(name, np.float64) for name in _REALS]
        + [(f"{name}_kind", np.int64) for name in _DISTRIBUTIONS]
        + [(f"{name}_{part}", np.float64) for name in _DISTRIBUTIONS for part in "ab"]
        + [(f"{name}_kind", np.int64, (len(all_),)) for name, all_ in _NUMBERED.items()]
        + [
            (f"{name}_{part}", np.float64, (len(all_),))
            for name, all_ in _NUMBERED.items()
            for part in "ab"
        ]
        # By tier, 0 for one that is off; the worst failure that it survives.
        + [("tier_every", np.int64, (len(TIERS),)), ("tier_survives", np.int64, (len(TIERS),))]
        + [("reserve_factor", np.float64, (SPARE + 1,))],  # by the server's state
    )
)

Plan = Any  # A numpy record of PLAN_DTYPE; compiled code reads its fields by attribute.

#: What the engines draw from.
Part: TypeAlias = Distribution | Life | LengthBiased | Replay


#: What stands in the place of a time that is never drawn.
_NO_TIME: Final = Constant(value=0.0)


def make_plan(scenario: Scenario) -> Plan:
    """Return the record that both engines run from. Times in hours, rates per hour.

    The tables of its distributions lie behind it in the same piece of memory, which a record keeps:
    whoever holds the plan holds them too.
    """
    parts, numbered = _distributions(scenario), _numbered(scenario)
    drawn = [*parts.values(), *(part for all_ in numbered.values() for part in all_.values())]
    size = NUMBER_DTYPE.itemsize * sum(len(part.table()) for part in drawn)
    memory = np.zeros(PLAN_DTYPE.itemsize + size, dtype=np.uint8)
    plan = memory[: PLAN_DTYPE.itemsize].view(PLAN_DTYPE)[0]
    _fill_sizes(plan, scenario)
    _fill_failures(plan, scenario)
    _fill_ages(plan, scenario)
    _fill_replay(plan, scenario)
    _fill_repair(plan, scenario)
    _fill_calendars(plan, scenario)
    _fill_policies(plan, scenario)
    _fill_work(plan, scenario)
    _fill_exposure(plan, scenario)
    numbers = memory[PLAN_DTYPE.itemsize :].view(NUMBER_DTYPE)
    for name, part in parts.items():
        kind, a, b = lay_out(part, numbers)
        plan[f"{name}_kind"], plan[f"{name}_a"], plan[f"{name}_b"] = kind, a, b
        numbers = numbers[len(part.table()) :]
    for name, all_ in numbered.items():
        for i, part in all_.items():
            kind, a, b = lay_out(part, numbers)
            plan[f"{name}_kind"][i], plan[f"{name}_a"][i], plan[f"{name}_b"][i] = kind, a, b
            numbers = numbers[len(part.table()) :]
    return plan


def lay_out(part: Part, numbers: np.ndarray) -> tuple[int, float, float]:
    """Write the table of a distribution into ``numbers`` and return its (kind, a, b).

    ``numbers`` has the type NUMBER_DTYPE and must live as long as anything is drawn.
    """
    kind, a, b = part.kernel()
    table = part.table()
    if not table:
        return kind, a, b
    rows = numbers[: len(table)]
    rows["is_"] = table
    return kind, float(address_of(rows)), b  # no address reaches 2**53, so the float is exact


def _distributions(scenario: Scenario) -> dict[str, Part]:
    repair = scenario.repair
    spare_parts, requalification = repair.manual.parts, repair.requalification
    parts: dict[str, Part] = {
        "life": scenario.failures.life,
        "recovery": scenario.recovery.time,
        "selection": scenario.selection.time,
        "wait": scenario.preemption.wait,
        "automated": repair.automated.time,
        "manual": repair.manual.time,
        "write": scenario.checkpoint.write,
        "lead": _NO_TIME if spare_parts is None else spare_parts.lead_time,
        "requalification": _NO_TIME if requalification is None else requalification.time,
        "relapse": _NO_TIME if repair.relapse is None else repair.relapse.time,
    }
    if scenario.failures.initial_age == "stationary":
        parts["length_biased"] = LengthBiased(scenario.failures.life)
    if scenario.failures.replay is not None:
        parts["replay"] = scenario.failures.replay
    return parts


def _numbered(scenario: Scenario) -> dict[str, dict[int, Distribution]]:
    """Name -> number -> distribution, of those that are reached by a number."""
    tiers = dict(scenario.checkpoint.tiers.named())
    places = {TIERS.index(name): tier for name, tier in tiers.items()}
    return {
        "persist": {place: tier.persist for place, tier in places.items()},
        "restore": {place: tier.restore for place, tier in places.items()},
        "phase": {i: getattr(scenario.recovery, name) for i, name in enumerate(PHASES)},
    }


def _fill_sizes(plan: Plan, scenario: Scenario) -> None:
    cluster, job, control = scenario.cluster, scenario.job, scenario.run
    plan.servers_total = cluster.working_pool + cluster.spare_pool
    plan.working_pool = cluster.working_pool
    plan.spare_pool = cluster.spare_pool
    plan.job_servers = job.servers
    plan.warm_standbys = job.warm_standbys
    plan.resume_with_job = job.resume_with == "job"
    plan.length = job.length
    plan.horizon = scenario.horizon_hours
    plan.max_events = control.max_events


def _fill_failures(plan: Plan, scenario: Scenario) -> None:
    failures, diagnosis = scenario.failures, scenario.diagnosis
    rate, multiplier = failures.random.rate, failures.systematic.multiplier
    plan.hazard_ratio = 1.0 + multiplier
    plan.life_mean_good = np.inf if rate == 0.0 else 1.0 / rate
    plan.life_mean_defective = np.inf if rate == 0.0 else 1.0 / (rate * (1.0 + multiplier))
    plan.p_systematic = multiplier / (1.0 + multiplier)
    plan.defective_count = share_of(failures.systematic.fraction, int(plan.servers_total))
    regeneration = failures.regeneration
    plan.regeneration_interval = np.inf if regeneration is None else regeneration.interval
    share = 0.0 if regeneration is None else regeneration.share
    plan.regeneration_share = float(
        Decimal(repr(share)) * Decimal(repr(failures.systematic.fraction))
    )
    plan.p_diagnosed = diagnosis.probability
    plan.p_wrong_server = diagnosis.wrong_server


def _fill_ages(plan: Plan, scenario: Scenario) -> None:
    age = scenario.failures.initial_age
    plan.age_kept = scenario.repair.restores == "age_kept"
    if age == "stationary":
        plan.start = START_STATIONARY
    elif not isinstance(age, str) and age > 0.0:
        plan.start, plan.initial_age = START_AGED, age
    else:
        plan.start = START_NEW


def _fill_replay(plan: Plan, scenario: Scenario) -> None:
    """Let servers fail as a file says, and never by themselves."""
    replay = scenario.failures.replay
    if replay is not None:
        plan.replayed = len(replay.failures)
        plan.life_mean_good = plan.life_mean_defective = np.inf
        plan.p_systematic = 0.0


def _fill_repair(plan: Plan, scenario: Scenario) -> None:
    repair = scenario.repair
    plan.p_escalate = repair.automated.escalate
    plan.p_automated_silent = repair.automated.silent_failure
    plan.p_manual_silent = repair.manual.silent_failure
    crews = repair.automated.crews, repair.manual.crews
    # Without a limit there are as many as servers: nobody ever waits.
    plan.automated_crews, plan.manual_crews = (
        plan.servers_total if each == UNLIMITED else each for each in crews
    )
    shift = repair.manual.shift
    if shift is not None:
        plan.shift_begin, plan.shift_hours, plan.shift_days = shift.begin, shift.hours, shift.days
    parts = repair.manual.parts
    plan.parts = parts is not None
    if parts is not None:
        plan.p_part, plan.stock = parts.probability, parts.stock
    requalification = repair.requalification
    plan.requalified = requalification is not None
    if requalification is not None:
        plan.p_detected = requalification.detects
    on = any(block is not None for block in (shift, parts, requalification))
    plan.shop = on or crews != (UNLIMITED, UNLIMITED)
    relapse = repair.relapse
    # Where nothing asks for it, nobody notes which servers have a fault that was left in them.
    replayed = scenario.failures.replay is not None  # its file holds all failures
    plan.relapse = plan.faults = relapse is not None and not replayed
    if relapse is not None:
        plan.p_relapse, plan.relapse_concentration = relapse.probability, relapse.concentration


def _fill_work(plan: Plan, scenario: Scenario) -> None:
    """How work is kept, and what a recovery is made of."""
    checkpoint, recovery = scenario.checkpoint, scenario.recovery
    plan.loses_work = checkpoint.interval != "continuous"
    plan.checkpoint_interval = interval_hours(scenario)
    plan.checkpointed = plan.checkpoint_interval < plan.length
    write = checkpoint.write.mean_hours
    plan.write_is_exposed = scenario.failures.exposure.checkpointing
    plan.write_exposed = write if plan.write_is_exposed else 0.0
    plan.steady = plan.checkpointed and _is_steady(checkpoint, plan.checkpoint_interval + write)
    restores, tiers = False, checkpoint.tiers.named() if plan.checkpointed else ()
    plan.losses_survived = len(SEVERITIES) - 1
    for name, tier in tiers:
        place = TIERS.index(name)
        plan.tier_every[place] = tier.every
        survived = list(SEVERITIES).index(tier.survives)
        plan.tier_survives[place] = survived
        plan.losses_survived = min(plan.losses_survived, survived)
        restores = restores or tier.restore.mean_hours > 0.0
    if tiers:
        plan.first_tier, plan.last_tier = TIERS.index(tiers[0][0]), TIERS.index(tiers[-1][0]) + 1
    plan.phased = restores or any(getattr(recovery, name).mean_hours > 0.0 for name in PHASES)
    plan.diagnosed_late = recovery.detect.mean_hours + recovery.diagnose.mean_hours > 0.0
    plan.p_reboot = scenario.failures.reboot


def _is_steady(checkpoint: Checkpoint, cycle: float) -> bool:
    """Say whether nothing of the checkpoints is drawn, and each copy is safe before the next."""
    tiers = [tier for _, tier in checkpoint.tiers.named()]
    times = [checkpoint.write, *(tier.persist for tier in tiers)]
    return all(isinstance(time, Constant) for time in times) and all(
        tier.persist.mean_hours < _AHEAD * tier.every * cycle for tier in tiers
    )


def _fill_exposure(plan: Plan, scenario: Scenario) -> None:
    """Where servers age: in which phases of the job, and how fast beside it."""
    exposure, period = scenario.failures.exposure, scenario.failures.health_check
    phases = {
        COMPUTING: True,
        RECOVERING: exposure.recovering,
        CHECKPOINTING: exposure.checkpointing,
        SELECTING: exposure.selecting,
        WAITING: exposure.waiting,
        STALLED: exposure.waiting,
    }
    plan.exposed = sum(1 << (int(phase) + 1) for phase, runs in phases.items() if runs)
    factors = {STANDBY: exposure.standby, IDLE: exposure.idle, SPARE: exposure.spare}
    for state, factor in factors.items():
        plan.reserve_factor[state] = factor
    plan.reserve_exposed = any(factors.values())
    plan.health_checked = bool(plan.reserve_exposed) and period is not None
    plan.health_check_period = np.inf if period is None else period


def _fill_calendars(plan: Plan, scenario: Scenario) -> None:
    """Tell both calendars how often to expect an event; any positive number gives the same runs."""
    defective = plan.defective_count / plan.servers_total
    rate = plan.job_servers * (
        (1.0 - defective) / plan.life_mean_good + defective / plan.life_mean_defective
    )
    plan.failures_per_hour = rate if rate > 0.0 else 1.0
    overhead = scenario.recovery.mean_hours
    plan.dues_per_hour = 2.0 / (1.0 / plan.failures_per_hour + overhead)


def _fill_policies(plan: Plan, scenario: Scenario) -> None:
    plan.policy = POLICIES[scenario.selection.policy]
    plan.preempt_together = scenario.preemption.mode == "together"
    plan.return_when_healed = scenario.preemption.return_ == "when_healed"
    score, retirement = scenario.score, scenario.retirement
    plan.score_initial, plan.score_penalty = score.initial, score.penalty
    plan.score_credit, plan.score_period = score.credit, score.period
    if isinstance(retirement, Threshold):
        plan.retirement = RETIRE_THRESHOLD
        plan.retire_failures, plan.retire_window = retirement.failures, retirement.window
    elif isinstance(retirement, ScoreFloor):
        plan.retirement, plan.retire_floor = RETIRE_SCORE, retirement.floor
    else:
        plan.retirement = RETIRE_NEVER
    # What an operator remembers of each server is kept only where something asks for it.
    asks = plan.policy in (POLICY_FEWEST_FAILURES, POLICY_HIGHEST_SCORE)
    plan.ledger = asks or plan.retirement != RETIRE_NEVER


def share_of(fraction: float, count: int) -> int:
    """Return ``fraction`` of ``count``, halves rounded up, as the decimal numbers are written.

    0.29 of 100 is 29, 0.145 of 100 is 15: the float is read back as the decimal a user wrote.
    """
    exact = Decimal(repr(fraction)) * count
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


class Facts:
    """A plan for Python code: the same names, with Python's numbers, and lists of them.

    A numpy record takes a microsecond to give one out. ``compiled`` is that record.
    """

    def __init__(self, plan: Plan) -> None:
        self.compiled = plan
        self._distributions: dict[tuple[str, int | None], tuple[int, float, float]] = {}
        vars(self).update({name: plan[name].tolist() for name in PLAN_DTYPE.names or ()})

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def distribution(self, name: str, number: int | None = None) -> tuple[int, float, float]:
        """Return (kind, a, b) of a distribution, such as ``"recovery"``, or of one of several."""
        found = self._distributions.get((name, number))
        if found is None:
            parts = [vars(self)[f"{name}_{part}"] for part in ("kind", "a", "b")]
            kind, a, b = parts if number is None else [part[number] for part in parts]
            found = self._distributions[name, number] = kind, a, b
        return found
