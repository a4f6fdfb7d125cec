"""The scenario: everything a run depends on, as frozen blocks of validated numbers.

``Scenario()`` is AIReSim's Table 1 (arXiv 2603.07041) with uniform host selection. Durations are
hours and rates are per hour; text such as "20 min" is read wherever one of them stands. Files,
overrides and Python objects pass the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from failcast.scenario import notebook
from failcast.scenario.ages import InitialAge, refuse_impossible_ages
from failcast.scenario.blocks import (
    Block,
    fields_of,
    off_or_block,
    paths_of,
    unknown_field,
)
from failcast.scenario.distributions import Constant, DurationField
from failcast.scenario.errors import Refused, ScenarioError, refuse
from failcast.scenario.expressions import Adjusted, Expression
from failcast.scenario.lives import ExponentialLife, LifeField
from failcast.scenario.optimum import refuse_checkpoints
from failcast.scenario.policies import (
    Never,
    PreemptionMode,
    PreemptionReturn,
    ResumeWith,
    RetirementField,
    SelectionPolicy,
    Threshold,
)
from failcast.scenario.recovering import Checkpoint, Recovery
from failcast.scenario.repair import Repair
from failcast.scenario.replay import ReplayField, refuse_unknown_servers
from failcast.scenario.rules import Count, Duration, Flag, Percentage, Rate, Real, Rule, Text
from failcast.scenario.uncertain import Believed, Texts, Uncertain

#: Most servers in a pool, in a job or as standbys.
MOST_SERVERS: Final = 10_000_000
#: The horizon of a run that names none, in lengths of the job.
HORIZON_LENGTHS: Final = 1000.0
#: Most runs in a sample.
MOST_REPLICATIONS: Final = 10_000_000
#: Most blames that a run can be asked to remember: one time of 8 bytes for each.
MOST_BLAMES: Final = 100_000_000

Servers = Annotated[int, Count(0, MOST_SERVERS)]
#: A stopping rule needs two runs, or there is no interval to look at.
RunsToStop = Annotated[int, Count(2, MOST_REPLICATIONS)]
Probability = Annotated[float, Real(0.0, 1.0)]
ExposureFactor = Annotated[float, Real(0.0, 100.0)]
PositiveShare = Annotated[float, Real(0.0, 1.0, least_excluded=True)]
PositiveHours = Annotated[float, Duration(positive=True)]
Price = Annotated[float, Real(0.0, 1e9)]
#: Outside these limits an interval is too narrow to mean anything or too wide to be computed well.
Confidence = Annotated[float, Real(0.5, 0.9999)]


class Cluster(Block):
    """The servers there are: the working pool of the job, and spares that do other work."""

    place: ClassVar[str] = "cluster"
    working_pool: Servers = 4160
    spare_pool: Servers = 200
    gpus_per_server: Annotated[int, Count(1, 1024)] = 8


class Job(Block):
    """The training job. ``length`` is the hours of computing it needs without any failure."""

    place: ClassVar[str] = "job"
    servers: Annotated[int, Count(1, MOST_SERVERS)] = 4096
    warm_standbys: Servers = 16
    length: PositiveHours = 6144.0
    resume_with: ResumeWith = "job_and_standbys"


class RandomFailures(Block):
    """Failures of any server. ``rate`` is per hour and server."""

    place: ClassVar[str] = "failures.random"
    rate: Annotated[float, Rate()] = 0.01 / 24.0


class SystematicFailures(Block):
    """Additional failures of defective servers, ``multiplier`` × the random rate."""

    place: ClassVar[str] = "failures.systematic"
    fraction: Probability = 0.15
    multiplier: Annotated[float, Real(0.0, 1e6)] = 5.0


class Exposure(Block):
    """Where, besides computing, servers age and fail.

    Flags are for active servers in a phase of the job, ``waiting`` also for a job that is stalled.
    Numbers are for servers that do not work for it: hours of exposure in each hour of wall time.
    """

    place: ClassVar[str] = "failures.exposure"
    recovering: Annotated[bool, Flag()] = False
    checkpointing: Annotated[bool, Flag()] = True
    selecting: Annotated[bool, Flag()] = False
    waiting: Annotated[bool, Flag()] = False
    standby: ExposureFactor = 0.0
    idle: ExposureFactor = 0.0
    spare: ExposureFactor = 0.0


class Regeneration(Block):
    """Good servers that turn defective: ``share`` × fraction of them every ``interval`` hours.

    At least one each time, so a share of zero is refused: ``regeneration: off`` says that.
    """

    place: ClassVar[str] = "failures.regeneration"
    interval: PositiveHours = 720.0
    share: PositiveShare = 0.1


class Failures(Block):
    """How servers fail. ``regeneration``, ``health_check`` and ``replay`` are None when off.

    ``reboot`` is the probability that a failure takes its server down, and not only a process; it
    matters for checkpoints that servers keep. ``health_check`` is the time between two looks at
    servers that do not work for the job; without it, who failed there is found when it is needed.
    """

    place: ClassVar[str] = "failures"
    random: RandomFailures = RandomFailures()
    systematic: SystematicFailures = SystematicFailures()
    life: LifeField = ExponentialLife()
    exposure: Exposure = Exposure()
    reboot: Probability = 1.0
    health_check: Annotated[float | None, Duration(positive=True, may_be_off=True)] = None
    initial_age: InitialAge = "new"
    replay: ReplayField = None
    regeneration: Annotated[
        Regeneration | None, BeforeValidator(off_or_block("interval and share"))
    ] = None


class Diagnosis(Block):
    """Whether a failure is blamed on a server, and, given that, on a wrong one."""

    place: ClassVar[str] = "diagnosis"
    probability: Probability = 1.0
    wrong_server: Probability = 0.0


class Selection(Block):
    """Host selection: its duration and which servers it takes."""

    place: ClassVar[str] = "selection"
    time: DurationField = Constant(value=3.0 / 60.0)
    policy: SelectionPolicy = "random"


class Preemption(Block):
    """Taking servers from the spare pool. ``return_`` is ``return`` in files."""

    place: ClassVar[str] = "preemption"
    wait: DurationField = Constant(value=20.0 / 60.0)
    mode: PreemptionMode = "one_at_a_time"
    return_: PreemptionReturn = Field(
        default="never", validation_alias="return", serialization_alias="return"
    )


class Score(Block):
    """A server's score: less ``penalty`` per blame, plus ``credit`` per ``period`` of operation."""

    place: ClassVar[str] = "score"
    initial: Annotated[float, Real(-1e9, 1e9)] = 100.0
    penalty: Annotated[float, Real(0.0, 1e9)] = 30.0
    credit: Annotated[float, Real(0.0, 1e9)] = 10.0
    period: PositiveHours = 24.0


class Cost(Block):
    """Prices in any currency. ``gpu_hour`` is for the job's slots and standbys, each of their GPUs.

    The slots are reserved until the job is done: while one is vacant it is charged, too.
    ``idle_hour`` is for each hour of an idle server. ``repair`` is for each repair, whatever its
    stages, ``automated_repair``, ``manual_repair`` and ``requalification`` for each such stage, on
    top of it; a repair or a stage that the job does not see the end of costs nothing. Spares do
    other work and cost nothing here, and so do the hours of servers in repair.
    """

    place: ClassVar[str] = "cost"
    optional: ClassVar[bool] = True
    gpu_hour: Price = 0.0
    idle_hour: Price = 0.0
    repair: Price = 0.0
    automated_repair: Price = 0.0
    manual_repair: Price = 0.0
    requalification: Price = 0.0

    @property
    def is_priced(self) -> bool:
        """Whether anything has a price."""
        return any(price > 0.0 for _, price in self)


class Run(Block):
    """Control of the simulation. ``horizon`` None means 1,000 × the job's length.

    ``precision`` is the relative half-width of the interval of the mean training time at which a
    sample is large enough; None means that ``replications`` says how large it is.
    """

    place: ClassVar[str] = "run"
    seed: Annotated[int, Count(0, 2**63 - 1)] = 1
    replications: Annotated[int, Count(1, MOST_REPLICATIONS)] = 200
    precision: Annotated[float | None, Percentage()] = None
    min_replications: RunsToStop = 200
    max_replications: RunsToStop = 100_000
    confidence: Confidence = 0.95
    horizon: Annotated[float | None, Duration(positive=True, optional=True)] = None
    max_events: Annotated[int, Count(1, 10**12)] = 10_000_000


class Scenario(Block):
    """One cluster, one job, and everything that happens to them. Frozen, hashable, comparable.

    In Python a number for a duration means hours and for a rate per hour; text carries its unit.
    ``uncertain`` says what is believed of inputs that are not known, whose fields hold the central
    values. Raises ScenarioError (a ValueError) with one sentence per problem.
    """

    name: Annotated[str, Text(200)] = "scenario"
    description: Annotated[str, Text(10_000, lines=True)] = ""
    cluster: Cluster = Cluster()
    job: Job = Job()
    checkpoint: Checkpoint = Checkpoint()
    failures: Failures = Failures()
    diagnosis: Diagnosis = Diagnosis()
    recovery: Recovery = Recovery()
    selection: Selection = Selection()
    preemption: Preemption = Preemption()
    repair: Repair = Repair()
    score: Score = Score()
    retirement: RetirementField = Never()
    uncertain: Annotated[Texts, Uncertain()] = ()
    cost: Cost = Cost()
    run: Run = Run()

    def _repr_html_(self) -> str:
        return notebook.scenario_html(self)

    @model_validator(mode="after")
    def _job_fits_cluster(self) -> Self:
        need = self.job.servers + self.job.warm_standbys
        have = self.cluster.working_pool + self.cluster.spare_pool
        if need > have:
            sentence = (
                f"job.servers ({self.job.servers}) and job.warm_standbys "
                f"({self.job.warm_standbys}) together need {need} servers, but "
                f"cluster.working_pool ({self.cluster.working_pool}) and cluster.spare_pool "
                f"({self.cluster.spare_pool}) hold {have}: ask for fewer or enlarge a pool."
            )
            sizes = (
                "job.servers",
                "job.warm_standbys",
                "cluster.working_pool",
                "cluster.spare_pool",
            )
            raise Refused("", sentence=sentence, fields=sizes)
        return self

    @model_validator(mode="after")
    def _checkpoints_are_written(self) -> Self:
        refuse_checkpoints(self)
        return self

    @model_validator(mode="after")
    def _blames_fit_memory(self) -> Self:
        rule = self.retirement
        servers = self.cluster.working_pool + self.cluster.spare_pool
        if isinstance(rule, Threshold) and servers * rule.failures > MOST_BLAMES:
            sentence = (
                f"retirement is {rule.expression()}, which remembers {rule.failures:,} blames of "
                f"each of {servers:,} servers, but at most {MOST_BLAMES:,} blames in all can be "
                "remembered: lower its failures, cluster.working_pool or cluster.spare_pool."
            )
            fields = ("retirement", "cluster.working_pool", "cluster.spare_pool")
            raise Refused("", sentence=sentence, fields=fields)
        return self

    @model_validator(mode="after")
    def _ages_and_replays_are_possible(self) -> Self:
        refuse_impossible_ages(self)
        refuse_unknown_servers(self)
        return self

    @model_validator(mode="after")
    def _beliefs_are_about_its_fields(self) -> Self:
        if self.uncertain:
            from failcast.scenario.beliefs import beliefs_of

            beliefs_of(self)
        return self

    @property
    def horizon_hours(self) -> float:
        """The wall time at which a run stops in any case, in hours."""
        horizon = self.run.horizon
        return HORIZON_LENGTHS * self.job.length if horizon is None else horizon

    def with_(self, /, **changes: Any) -> Scenario:
        """Return a copy with changed fields, validated as a whole.

        Names are dotted paths with ``__`` for the dot: ``job__warm_standbys=32``,
        ``preemption__return="when_healed"``. Numbers are hours or per hour, text carries units,
        and a whole block may be given as its object, before changes to its fields. Raises
        ScenarioError, with the nearest right name for an unknown one.
        """
        data = _nested(self)
        given: dict[str, str] = {}
        for name, value in changes.items():
            path = set_path(data, name.replace("__", "."), value)
            lost = overlap(path, given)
            # A block first and then one of its fields is no clash: the field changes the block.
            if lost is not None and not path.startswith(f"{lost}."):
                sentence = f"{name} replaces {given[lost]}, which is given too: keep one of them."
                raise refuse(sentence, field=path, value=value)
            given[path] = name
        return Scenario(**data)


def overlap(path: str, others: Iterable[str]) -> str | None:
    """Return the first of ``others`` that is ``path``, lies below it or holds it, or None."""
    around = f"{path}."
    found = (p for p in others if p == path or p.startswith(around) or path.startswith(f"{p}."))
    return next(found, None)


class Place(NamedTuple):
    """A field by its path: names in files, its rule or block, and an argument of what it holds."""

    names: tuple[str, ...]
    kind: Rule | type[Block]
    argument: str = ""

    @property
    def path(self) -> str:
        """The dotted path, with the argument: ``repair.manual.time.mean``."""
        return ".".join((*self.names, self.argument) if self.argument else self.names)


def set_path(data: dict[str, Any], path: str, value: Any) -> str:
    """Set the field ``path`` in nested data of a scenario and return its path in files.

    Below a field that holds an expression are its arguments. Raises ScenarioError if there is no
    such field.
    """
    place = place_of(path, value)
    *around, last = place.names
    for name in around:
        inner = data.get(name)
        if isinstance(inner, Block):
            inner = _nested(inner)
        elif not isinstance(inner, dict):
            # A block that is off, or in its short form, opens with its defaults.
            inner = {}
        data[name] = inner
        data = inner
    if place.argument and isinstance(place.kind, Uncertain):
        value = Believed(data.get(last), place.argument, value)
    elif place.argument:
        value = Adjusted(data.get(last, default_at(place.names)), place.argument, value)
    data[last] = value
    return place.path


def default_at(names: tuple[str, ...]) -> Any:
    """Return the default of the field with these names, also of one in a block that is off."""
    block: type[Block] = Scenario
    for name in names:
        attribute, kind = next((a, kind) for a, known, kind in fields_of(block) if known == name)
        default = block.model_fields[attribute].default
        block = kind if isinstance(kind, type) else block
    return default


def place_of(path: str, value: Any = None) -> Place:
    """Return the field of a path, or raise ScenarioError with the nearest right path."""
    kind: Rule | type[Block] = Scenario
    names: list[str] = []
    wanted = path.split(".")
    for name_wanted in wanted:
        if isinstance(kind, Uncertain):
            return Place(tuple(names), kind, ".".join(wanted[len(names) :]))
        if isinstance(kind, Expression) and len(names) == len(wanted) - 1 and name_wanted:
            return Place(tuple(names), kind, name_wanted)
        inner = fields_of(kind) if isinstance(kind, type) else ()
        for attribute, name, kind_of_field in inner:
            if name_wanted in (name, attribute):
                kind = kind_of_field
                names.append(name)
                break
        else:
            raise ScenarioError([unknown_field(path, value, paths_of(Scenario))])
    return Place(tuple(names), kind)


def _nested(block: Block) -> dict[str, Any]:
    """Return the block as nested dictionaries by the names in files; leaves stay objects."""
    data: dict[str, Any] = {}
    for attribute, name, kind in fields_of(type(block)):
        value = getattr(block, attribute)
        inner = isinstance(kind, type) and isinstance(value, Block)
        data[name] = _nested(value) if inner else value
    return data
