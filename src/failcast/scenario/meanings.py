"""The meaning of every field of a scenario in words, with its kind, limits and unit.

On the map: scenario. The reference page, the commented scenario of `failcast init` and the schema
of `failcast schema` are made from it; a test sees that every field has its line and no line is
without a field. Words are Markdown, as far as names in backquotes go.
"""

from __future__ import annotations

from typing import Final

from failcast.scenario.ages import Age
from failcast.scenario.blocks import Block
from failcast.scenario.expressions import Expression
from failcast.scenario.recovering import INTERVALS, Interval
from failcast.scenario.repair import INF, UNLIMITED, Concentration, Crews, PartOfDay
from failcast.scenario.replay import OrOff
from failcast.scenario.rules import (
    OFF,
    Choice,
    Count,
    Duration,
    Flag,
    Percentage,
    Rate,
    Real,
    Rule,
    Text,
)
from failcast.scenario.uncertain import Uncertain

_WHERE: Final = {
    "memory": "in the memory of the servers themselves",
    "local": "on the disks of the servers themselves",
    "peer": "in other servers of the job",
    "remote": "outside the job, on shared or object storage",
}
_TIERS: Final[dict[str, tuple[str, str]]] = {
    path: told
    for tier, where in _WHERE.items()
    for path, told in {
        **(
            {}
            if tier == "remote"  # it is on by default
            else {f"checkpoint.tiers.{tier}": ("", f"Whether checkpoints are kept {where}.")}
        ),
        f"checkpoint.tiers.{tier}.every": (
            "checkpoints",
            "Every so many checkpoints, counted along the progress, one is kept here; later where "
            "the last is not safe yet.",
        ),
        f"checkpoint.tiers.{tier}.persist": (
            "",
            "From the end of the write until the copy here is safe; a failure before that loses "
            "it. The job goes on meanwhile.",
        ),
        f"checkpoint.tiers.{tier}.restore": (
            "",
            "How long it takes to load a checkpoint from here; it adds to the load phase.",
        ),
        f"checkpoint.tiers.{tier}.survives": (
            "",
            "The worst failure after which what is kept here is still there.",
        ),
    }.items()
}

#: Field of a scenario -> (unit where it is no time, meaning). Durations and rates bring their unit.
FIELDS: Final[dict[str, tuple[str, str]]] = {
    "name": ("", "Names the scenario in reports and results."),
    "description": ("", "What the scenario is, for people. No figure depends on it."),
    "cluster.working_pool": ("servers", "Servers that the job may use from the start."),
    "cluster.spare_pool": (
        "servers",
        "Servers that do other work and can be preempted when the working pool is short.",
    ),
    "cluster.gpus_per_server": ("GPUs", "Accelerators in a server. No time depends on it."),
    "job.servers": ("servers", "Servers that must compute together. One failure stops them all."),
    "job.warm_standbys": (
        "servers",
        "Servers that stand by, ready to take the slot of a failed one without a host selection.",
    ),
    "job.length": ("", "Computing that the job needs when nothing fails."),
    "job.resume_with": ("", "How many servers must be there before a shortage counts as over."),
    "checkpoint.interval": (
        "",
        "Computing between two checkpoints, from the end of a write or a restart on. `continuous`: "
        "free, no work is ever lost; `none`: a failure starts the job from zero; `optimal`: what "
        "costs least by failure rate and time of a write. `checkpoint: 30 min` is short for "
        "`checkpoint: {interval: 30 min}`.",
    ),
    "checkpoint.write": (
        "",
        "How long the job stands still for a checkpoint. With asynchronous checkpoints that is the "
        "copy into memory only, and the tiers have a `persist`.",
    ),
    **_TIERS,
    "failures.random.rate": ("", "Failures of one good server per time of operation."),
    "failures.systematic.fraction": (
        "share",
        "Share of all servers, spares included, that are defective at the start. "
        "The count is rounded, halves up.",
    ),
    "failures.systematic.multiplier": (
        "factor",
        "A defective server fails at (1 + multiplier) times the random rate: the random failures "
        "stay, the systematic ones come on top.",
    ),
    "failures.life": (
        "",
        "Shape of a server's life. Its mean always is 1 / the server's own failure rate.",
    ),
    "failures.exposure.recovering": (
        "",
        "Whether the surviving servers of the job also age and fail while it recovers.",
    ),
    "failures.exposure.checkpointing": (
        "",
        "Whether the servers of the job age and fail while it stands still for a checkpoint.",
    ),
    "failures.exposure.selecting": (
        "",
        "Whether the servers of the job age and fail during a host selection. One that fails then "
        "goes to repair, and the selection starts again.",
    ),
    "failures.exposure.waiting": (
        "",
        "Whether the surviving servers of the job age and fail while it waits for spares or is "
        "stalled. One that fails then goes to repair, and the shortage is counted again.",
    ),
    "failures.exposure.standby": (
        "factor",
        "How fast a standby ages, in hours of operation for each hour. One that has failed is "
        "found when it is to take a slot, or by a health check.",
    ),
    "failures.exposure.idle": ("factor", "How fast an idle server of the working pool ages."),
    "failures.exposure.spare": (
        "factor",
        "How fast a spare ages. One that has failed is repaired once it is found, and goes back "
        "to the spare pool.",
    ),
    "failures.reboot": (
        "probability",
        "A failure after which the server stays has taken the server down, and not only a process: "
        "checkpoints in its memory are gone.",
    ),
    "failures.health_check": (
        "",
        "Time between two looks at all standby, idle and spare servers, the first one period after "
        "the start. `off`: who failed there is found when a slot, a selection or a preemption "
        "needs it.",
    ),
    "failures.initial_age": (
        "",
        "How old the servers are when the job starts, in hours of exposure: the age of all of "
        "them, or a name. At least 1 of 1,000 lives must be longer than such an age. Without "
        "effect on exponential lives, whose risk does not depend on age.",
    ),
    "failures.replay": (
        "",
        "Failures at given times since the start, of servers by their number, in the place of "
        "drawn lives: `failures.random.rate` and the lives are not used then, and all failures "
        "count as random. A server of the job fails in any phase; one in reserve only where it "
        "is exposed there (`failures.exposure`). Other lines are ignored.",
    ),
    "failures.regeneration": ("", "Whether good servers turn defective in the course of the job."),
    "failures.regeneration.interval": ("", "Time between two such turns."),
    "failures.regeneration.share": (
        "share",
        "At each turn, share × `failures.systematic.fraction` of the good servers that are not "
        "retired turn defective: rounded, halves up, and at least one.",
    ),
    "diagnosis.probability": (
        "probability",
        "A failure is diagnosed: some server is blamed and repaired. Otherwise the failed server "
        "keeps its slot and the job only recovers.",
    ),
    "diagnosis.wrong_server": (
        "probability",
        "Given a diagnosis, an innocent active server is blamed instead of the failed one.",
    ),
    "recovery.time": (
        "",
        "From a failure until the job can go on, as far as it is not divided into the phases "
        "below; it comes after `diagnose`. 0 where phases are given and it is not. "
        "`recovery: 20 min` is short for `recovery: {time: 20 min}`.",
    ),
    "recovery.detect": ("", "Until somebody, or something, notices that the job has failed."),
    "recovery.diagnose": (
        "",
        "Until it is known who failed. Only then is a server blamed, and its repair begins.",
    ),
    "recovery.reschedule": ("", "Until the scheduler has given the job its places again."),
    "recovery.restart": ("", "Until all processes run and are connected."),
    "recovery.load": (
        "",
        "Until the state is loaded; the restore time of the checkpoint's tier adds to it.",
    ),
    "recovery.warm_up": ("", "Until the job computes as fast as before."),
    "selection.time": ("", "How long a host selection takes. The first start is one."),
    "selection.policy": ("", "Which of the available servers a host selection takes."),
    "preemption.wait": ("", "From the request of a spare until it arrives in the working pool."),
    "preemption.mode": ("", "How spares are requested when servers are short."),
    "preemption.return": (
        "",
        "Whether servers on loan go back to the spare pool. In Python the field is `return_`.",
    ),
    "repair.automated.time": ("", "How long the automated stage of a repair takes."),
    "repair.automated.escalate": (
        "probability",
        "After the automated stage, the manual stage follows. The manual stage then decides the "
        "outcome of the repair.",
    ),
    "repair.automated.silent_failure": (
        "probability",
        "The automated stage, where no manual one follows, mends nothing and nobody notices.",
    ),
    "repair.automated.crews": (
        "servers",
        "Servers that can be in the automated stage at once. Others wait, first come first served.",
    ),
    "repair.manual.time": (
        "",
        "How long the manual stage takes, from when a crew begins: at once, unless there is none.",
    ),
    "repair.manual.silent_failure": (
        "probability",
        "The manual stage mends nothing and nobody notices.",
    ),
    "repair.manual.crews": (
        "servers",
        "Servers that can be in the manual stage at once. Others wait, first come first served.",
    ),
    "repair.manual.shift": (
        "",
        "Whether manual work goes on only while technicians are on duty. It pauses off duty, and "
        "the server stays in the manual stage.",
    ),
    "repair.manual.shift.begin": ("", "Time of day at which a shift begins. A run begins at 0:00."),
    "repair.manual.shift.hours": ("", "How long a shift lasts. It may end on the next day."),
    "repair.manual.shift.days": (
        "days",
        "The days of each week with a shift, from Monday on. A run begins on a Monday.",
    ),
    "repair.manual.parts": (
        "",
        "Whether manual repairs wait for spare parts. Each part that is needed is ordered anew at "
        "once (base stock). Servers wait for a part first come first served, then for a crew.",
    ),
    "repair.manual.parts.probability": ("probability", "A manual repair needs a part."),
    "repair.manual.parts.stock": ("parts", "Parts in stock at the start; 0: ordered when needed."),
    "repair.manual.parts.lead_time": ("", "From the order of a part until it arrives."),
    "repair.requalification": (
        "",
        "Whether each server is tested after its repair. One whose repair is found to have failed "
        "goes to the manual stage again, from the start.",
    ),
    "repair.requalification.time": ("", "How long the test takes. It needs no crew."),
    "repair.requalification.detects": (
        "probability",
        "The test finds that a repair mended nothing. Else nobody notices.",
    ),
    "repair.restores": (
        "",
        "What a repair does to a server's age. A failed server that is not repaired, because "
        "another or none was blamed, is treated alike.",
    ),
    "repair.relapse": (
        "",
        "Whether a fault that was left in a server strikes again: after a silent repair of a "
        "server that really failed, or after a failure whose server was not taken out.",
    ),
    "repair.relapse.probability": ("probability", "A fault that was left behind strikes again."),
    "repair.relapse.time": (
        "",
        "The exposure after which it strikes, unless the server fails otherwise before.",
    ),
    "repair.relapse.concentration": (
        "",
        "How alike servers are. With a number, each server has a probability of its own, drawn "
        "once from a beta distribution with that mean and with a + b = `concentration`: below 2, "
        "most servers nearly always relapse or nearly never. With `inf` all have the same.",
    ),
    "score.initial": ("points", "A server's score at the start."),
    "score.penalty": ("points", "What each blame takes from the score."),
    "score.credit": ("points", "What each completed period of operation adds. There is no cap."),
    "cost.gpu_hour": (
        "",
        "For each GPU-hour of the job's slots, vacant ones too, and of its standbys.",
    ),
    "cost.idle_hour": ("", "For each hour of an idle server."),
    "cost.repair": ("", "For each repair, whatever its stages, once its automated stage is over."),
    "cost.automated_repair": ("", "For each automated stage of a repair, on top of `cost.repair`."),
    "cost.manual_repair": ("", "For each manual stage of a repair, on top of `cost.repair`."),
    "cost.requalification": ("", "For each test after a repair, on top of `cost.repair`."),
    "score.period": ("", "The server's own operation, since its last blame, that earns a credit."),
    "retirement": (
        "",
        "When a server is taken out for good. It is judged at the blame and done when that repair "
        "ends. A threshold remembers at most 100 million blames: servers in both pools × its "
        "failures.",
    ),
    "uncertain": (
        "",
        "Inputs that are not known for certain: dotted path to a range `10 min..30 min` (`:log` "
        "for even ratios), to `uniform`, `normal`, `lognormal`, `triangular` or `one_of` in "
        "brackets, or to `unknown`. The field itself holds the central value.",
    ),
    "run.seed": ("", "Where chance starts. The same seed gives the same runs."),
    "run.replications": (
        "runs",
        "Independent runs in a sample. Not used where `run.precision` is set.",
    ),
    "run.precision": (
        "of the mean",
        "Runs go on until half the interval of the mean training time is at most this.",
    ),
    "run.min_replications": (
        "runs",
        "With `run.precision`: finished runs before it is looked at. With few of them the interval "
        "covers less than it promises.",
    ),
    "run.max_replications": (
        "runs",
        "With `run.precision`: runs after which a sample ends in any case. It wins over a higher "
        "`run.min_replications`.",
    ),
    "run.confidence": ("probability", "Confidence of the intervals."),
    "run.horizon": ("", "Wall time at which a run stops in any case (`out_of_time`)."),
    "run.max_events": ("events", "Events after which a run stops in any case (`out_of_events`)."),
}


#: Field that may be left without a value -> what holds then.
UNSET: Final[dict[str, str]] = {
    "failures.health_check": OFF,
    "failures.replay": OFF,
    "run.precision": OFF,
    "run.horizon": "1,000 × job.length",
}


def introduction(block: type[Block]) -> str:
    """What a block is: the first sentence of its docstring, as Markdown."""
    text = " ".join((block.__doc__ or "").replace("``", "`").split())
    return text.partition(". ")[0].removesuffix(".") + "."


def in_words(rule: Rule) -> tuple[str, str]:
    """The kind of value that a rule takes, and its limits. Raises TypeError for a new rule."""
    if isinstance(rule, Crews):
        return "whole number", f"{rule.least:,} to {rule.most:,}, or `{UNLIMITED}`"
    if isinstance(rule, Count):
        return "whole number", f"{rule.least:,} to {rule.most:,}"
    if isinstance(rule, Concentration):
        return "number", f"{rule.least:,.10g} to {rule.most:,.10g}, or `{INF}`"
    if isinstance(rule, Real):
        low, high = f"{rule.least:,.10g}", f"{rule.most:,.10g}"
        if not rule.least_excluded:
            return "number", f"{low} to {high}"
        return "number", f"above {low}, {'below' if rule.most_excluded else 'at most'} {high}"
    if isinstance(rule, Percentage):
        return "percentage", "above 0 % and below 100 %, or `off`"
    if isinstance(rule, Interval):
        return "duration", "longer than 0, or " + ", ".join(f"`{name}`" for name in INTERVALS)
    if isinstance(rule, Age):
        return "duration", "0 or longer, or " + ", ".join(f"`{name}`" for name in rule.registry)
    if isinstance(rule, Duration) and rule.may_be_off:
        return "duration", "longer than 0, or `off`"
    if isinstance(rule, PartOfDay):
        return "duration", f"{'longer than 0' if rule.positive else '0 or longer'}, {rule.limit}"
    if isinstance(rule, Duration):
        return "duration", "longer than 0" if rule.positive else "0 or longer"
    if isinstance(rule, Rate):
        return "rate", "0 or higher"
    if isinstance(rule, Flag):
        return "flag", "`true` or `false`"
    if isinstance(rule, Choice):
        return "name", ", ".join(f"`{name}`" for name in rule.registry)
    if isinstance(rule, Text):
        lines = "" if rule.lines else ", on one line"
        return "text", f"at most {rule.most:,} characters{lines}"
    if isinstance(rule, OrOff):
        return rule.noun, f"`{OFF}`, {', '.join(map('`{}`'.format, rule.registry))}"
    if isinstance(rule, Expression):
        return rule.noun, ", ".join(f"`{name}`" for name in rule.registry)
    if isinstance(rule, Uncertain):
        return "block", "paths of fields, each with what is believed of it"
    raise TypeError(f"no words for the rule {rule!r}")


def unit_of(rule: Rule, given: str) -> str:
    """The unit that a field is counted in, inside and in results."""
    if isinstance(rule, Duration) or (isinstance(rule, Expression) and rule.bare is not None):
        return "h"
    return "1 / h" if isinstance(rule, Rate) else given
