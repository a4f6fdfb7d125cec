"""`failcast run`: simulate a scenario and print the answer, the table and the balance of hours.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
What is heavy is imported where it is used, so that `--help` and a wrong option answer at once.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import output
from failcast.cli.guard import FAILED, GOAL_FAILED, guarded, tell, unusable
from failcast.cli.options import (
    ByOption,
    DrawsOption,
    EngineOption,
    FailIfOption,
    GpuHoursOption,
    JsonOption,
    LeastOption,
    LeversOption,
    MostOption,
    OutOption,
    OverridesOption,
    PrecisionOfOption,
    PrecisionOption,
    QuietOption,
    ReplicationsOption,
    ScenarioArgument,
    SeedOption,
    SeriesOption,
    ServerHoursOption,
    ThreadsOption,
    TraceOption,
    UncertainOption,
    input_files,
    load_scenario,
    with_beliefs,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads, hours_of
from failcast.interrupts import INTERRUPTED


def run(
    scenario: ScenarioArgument,
    overrides: OverridesOption = None,
    replications: ReplicationsOption = None,
    precision: PrecisionOption = None,
    precision_of: PrecisionOfOption = None,
    min_replications: LeastOption = None,
    max_replications: MostOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    engine: EngineOption = "kernel",
    uncertain: UncertainOption = None,
    draws: DrawsOption = None,
    by: ByOption = None,
    server_hours: ServerHoursOption = False,
    gpu_hours: GpuHoursOption = False,
    levers: LeversOption = False,
    as_json: JsonOption = False,
    trace: TraceOption = None,
    series: SeriesOption = None,
    out: OutOption = None,
    fail_if: FailIfOption = None,
    quiet: QuietOption = False,
) -> None:
    """Simulate SCENARIO: how long training takes, and why."""
    with guarded():
        goals = [fc.Goal.parse(text) for text in fail_if or []]
        times = hours_of(by)
        changes = with_beliefs(overrides, uncertain)
        plan = load_scenario(scenario, changes, quiet=quiet, heeds_beliefs=True)
        _check_priced(plan, [*(goal.metric for goal in goals), precision_of])
        asked = Asked(goals, times, as_json, quiet, input_files(scenario))
        size = {
            "replications": replications,
            "precision": precision,
            "precision_of": precision_of,
            "min_replications": min_replications,
            "max_replications": max_replications,
        }
        workers = default_threads() if threads is None else threads
        how = {"seed": seed, "threads": workers, "engine": engine}
        extras = Extras(trace, series, out, server_hours, gpu_hours, levers)
        if plan.uncertain:
            from failcast.cli.uncertain import run_uncertain

            extras.refuse(size)
            how |= {"replications": replications, "draws": draws}
            ended = Ended(*run_uncertain(plan, how, asked))
        elif draws is not None:
            raise fc.RequestError("draws has no effect without uncertain inputs: give them, too.")
        else:
            ended = _run_certain(plan, size, how, asked, extras)
    raise typer.Exit(_code(ended.verdicts, ended.unwritten, ended.interrupted))


def _check_priced(plan: fc.Scenario, metrics: list[str | None]) -> None:
    """Raise RequestError if the cost is asked about and nothing has a price, nor may have one."""
    from failcast.results.cost import check_priced

    check_priced([name for name in metrics if name], plan, dict(plan.uncertain))


class Asked(NamedTuple):
    """What is asked of a result, whatever kind it is."""

    goals: list[fc.Goal]
    times: list[float]
    as_json: bool
    quiet: bool
    inputs: list[fc.InputFile]


class Ended(NamedTuple):
    """What decides on the exit code."""

    verdicts: list[fc.Verdict]
    interrupted: bool
    unwritten: list[Exception] = []  # noqa: RUF012  # never changed


class Extras(NamedTuple):
    """What only a run without uncertain inputs has."""

    trace: Path | None
    series: Path | None
    out: Path | None
    server_hours: bool
    gpu_hours: bool
    levers: bool

    def refuse(self, size: dict[str, Any]) -> None:
        """Raise RequestError if any of them, or of the sizes that need a precision, is given."""
        given = {**self._asdict(), **size, "replications": None}
        for name, value in given.items():
            if value:
                option = name.replace("_", "-")
                raise fc.RequestError(
                    f"--{option} is not there for a run with uncertain inputs: leave it out, or "
                    "take the beliefs away with -s uncertain=off."
                )


def _run_certain(
    plan: fc.Scenario, size: dict[str, Any], how: dict[str, Any], asked: Asked, extras: Extras
) -> Ended:
    """Simulate the scenario, print the report and write what is wanted."""
    trace, series, out, quiet = extras.trace, extras.series, extras.out, asked.quiet
    for place, check in ((trace, fc.check_trace_path), (series, fc.check_series_path)):
        if place is not None:
            with interrupts.raised():
                check(place)
    if out is not None:
        fc.check_folder(out)
    sample, seconds = _simulate(plan, size, how, quiet)
    tried = _levers(sample, how["threads"], quiet) if extras.levers else None
    unwritten: list[Exception] = []
    if trace is not None:
        with _set_aside(unwritten):
            _write_trace(sample, trace, quiet)
    counted: fc.Series | None = None
    if series is not None:
        with _set_aside(unwritten):
            counted = _series(sample, series, how["threads"], asked)
    verdicts = [goal.judge(sample) for goal in asked.goals]
    document = {}
    if asked.as_json or out is not None:
        document = _document(sample, asked.inputs, verdicts, asked.times, tried)
    if out is not None:
        with _set_aside(unwritten):
            _write_folder(sample, out, document, quiet)
    if asked.as_json:
        output.print_json(document)
    else:
        from failcast.cli.report import report

        tables = {"server_hours": extras.server_hours, "gpu_hours": extras.gpu_hours}
        report(sample, seconds, asked.times, **tables, series=counted, levers=tried)
    return Ended(verdicts, sample.interrupted, unwritten)


@contextmanager
def _set_aside(errors: list[Exception]) -> Iterator[None]:
    """Keep what went wrong with a file for later: the result itself is still to be printed."""
    try:
        yield
    except unusable() as error:
        errors.append(error.with_traceback(None))  # which would keep a long trace in memory


def _document(
    sample: fc.Sample,
    inputs: list[fc.InputFile],
    verdicts: list[fc.Verdict],
    times: list[float],
    levers: fc.Levers | None,
) -> dict[str, Any]:
    """The document of `--json`, with the time of day and the command line in its manifest."""
    tried = None if levers is None else levers.to_list()
    return sample.to_dict(inputs=inputs, goals=verdicts, by=times, levers=tried, **command_line())


def _code(verdicts: list[fc.Verdict], unwritten: list[Exception], interrupted: bool) -> int:
    """Say on stderr, quiet or not, what is not as it was asked for; return the exit code.

    An interruption has the strongest one, a failed goal the weakest.
    """
    failed = [verdict for verdict in verdicts if verdict.failed]
    for verdict in failed:
        output.notice(verdict.sentence[0].upper() + verdict.sentence[1:])
    for error in unwritten:
        tell(error)
    if interrupted or interrupts.pressed():
        return INTERRUPTED
    if unwritten:
        return FAILED
    return GOAL_FAILED if failed else 0


def _simulate(
    plan: fc.Scenario, size: dict[str, Any], how: dict[str, Any], quiet: bool
) -> tuple[fc.Sample, float]:
    """Run the sample with notices and progress on stderr; return it and the seconds it took.

    `size` and `how` are arguments of `simulate`, None for what the scenario says.
    """
    from failcast.cli.progress import Progress

    first, most = fc.check_request(plan, **size, **how)
    if how["engine"] == "kernel":
        compile_kernel(quiet)
    begin = time.perf_counter()
    last = most if first == most else None

    def show(more: int) -> None:
        if progress.show(more) == last:
            interrupts.note()

    with Progress(first, quiet=quiet) as progress, interrupts.raised():
        sample = fc.simulate(
            plan,
            **size,
            **how,
            on_progress=show,
            on_estimate=progress.expect,
            keep_on_interrupt=True,
        )
        interrupts.note()
    interrupts.answer()
    if sample.interrupted:
        upto = "" if sample.precision is None else "at most "
        output.notice(
            f"Interrupted after {sample.replications:,} of {upto}{most:,} replications; the result "
            "is of these. Press Ctrl-C again to end without it."
        )
    return sample, time.perf_counter() - begin


def _levers(sample: fc.Sample, threads: int, quiet: bool) -> fc.Levers | None:
    """Try the levers of a whole sample, with progress on stderr; Ctrl-C keeps those done."""
    from failcast.cli.progress import Progress

    if sample.interrupted:
        return None
    count = sum(lever.scenario is not None for lever in fc.planned_levers(sample.scenario))

    def show(more: int) -> None:
        progress.show(more)

    total = max(1, count * sample.replications)
    with Progress(total, quiet=quiet) as progress, interrupts.raised():
        found = fc.levers(sample, threads=threads, on_progress=show, keep_on_interrupt=True)
        interrupts.note()
    interrupts.answer()
    done = sum(lever.difference is not None for lever in found)
    if done < count:
        output.notice(
            f"Interrupted after {done} of {count} levers; the result is of these. Press Ctrl-C "
            "again to end without it."
        )
    return found


def _write_folder(sample: fc.Sample, path: Path, document: dict[str, Any], quiet: bool) -> None:
    try:
        fc.write_folder(sample, path, document)
    except KeyboardInterrupt:
        if interrupts.unanswered():
            raise
        # polars has its own ear for Ctrl-C and does not know that the first one is only noted.
        fc.write_folder(sample, path, document)
    interrupts.tell(f"Interrupted; the results are in {shlex.quote(str(path))}.")
    if not quiet:
        output.notice(f"Wrote the results into {shlex.quote(str(path))}")


def _write_trace(sample: fc.Sample, path: Path, quiet: bool) -> None:
    events = fc.trace(sample.scenario, seed=sample.seed, replication=0, engine=sample.engine)
    fc.write_trace(events, path)
    if not quiet:
        output.notice(f"Wrote the events of replication 0 to {shlex.quote(str(path))}")


def _series(sample: fc.Sample, path: Path, threads: int, asked: Asked) -> fc.Series | None:
    """Count the servers of a sample and write what comes out; Ctrl-C gives the result without."""
    from failcast.cli.progress import Progress

    def show(more: int) -> None:
        progress.show(more)

    try:
        if sample.interrupted:
            raise KeyboardInterrupt
        with Progress(sample.replications, quiet=asked.quiet) as progress, interrupts.raised():
            found = fc.series(sample, threads=threads, on_progress=show)
            interrupts.note()
    except KeyboardInterrupt:
        interrupts.answer()
        output.notice(f"Interrupted; {shlex.quote(str(path))} is not written.")
        return None
    fc.write_series(found, path, found.to_dict(inputs=asked.inputs, **command_line()))
    if not asked.quiet:
        output.notice(f"Wrote the numbers of servers over time to {shlex.quote(str(path))}")
    return found
