"""`failcast run`: simulate a scenario and print the answer, the table and the balance of hours.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
What is heavy is imported where it is used, so that `--help` and a wrong option answer at once.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import output, start
from failcast.cli.guard import FAILED, GOAL_FAILED, guarded, tell, unusable
from failcast.cli.options import (
    ByOption,
    EngineOption,
    FailIfOption,
    JsonOption,
    LeastOption,
    MostOption,
    OutOption,
    OverridesOption,
    PrecisionOfOption,
    PrecisionOption,
    QuietOption,
    ReplicationsOption,
    ScenarioArgument,
    SeedOption,
    ServerHoursOption,
    ThreadsOption,
    TraceOption,
    input_files,
    load_scenario,
)
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
    by: ByOption = None,
    server_hours: ServerHoursOption = False,
    as_json: JsonOption = False,
    trace: TraceOption = None,
    out: OutOption = None,
    fail_if: FailIfOption = None,
    quiet: QuietOption = False,
) -> None:
    """Simulate SCENARIO: how long training takes, and why."""
    with guarded():
        goals = [fc.Goal.parse(text) for text in fail_if or []]
        times = hours_of(by) if by else []
        plan = load_scenario(scenario, overrides, quiet=quiet)
        inputs = input_files(scenario)
        if trace is not None:
            with interrupts.raised():
                fc.check_trace_path(trace)
        if out is not None:
            fc.check_folder(out)
        size = {
            "replications": replications,
            "precision": precision,
            "precision_of": precision_of,
            "min_replications": min_replications,
            "max_replications": max_replications,
        }
        workers = default_threads() if threads is None else threads
        how = {"seed": seed, "threads": workers, "engine": engine}
        sample, seconds = _simulate(plan, size, how, quiet)
        unwritten: list[Exception] = []
        if trace is not None:
            with _set_aside(unwritten):
                _write_trace(sample, trace, quiet)
        verdicts = [goal.judge(sample) for goal in goals]
        document = _document(sample, inputs, verdicts, times) if as_json or out is not None else {}
        if out is not None:
            with _set_aside(unwritten):
                _write_folder(sample, out, document, quiet)
        if as_json:
            output.print_json(document)
        else:
            from failcast.cli.report import report

            report(sample, seconds, times, server_hours=server_hours)
    raise typer.Exit(_code(verdicts, unwritten, sample.interrupted))


@contextmanager
def _set_aside(errors: list[Exception]) -> Iterator[None]:
    """Keep what went wrong with a file for later: the result itself is still to be printed."""
    try:
        yield
    except unusable() as error:
        errors.append(error.with_traceback(None))  # which would keep a long trace in memory


def hours_of(texts: list[str]) -> list[float]:
    """The times of `--by` in hours."""
    from failcast.results.request import hours_from

    return [hours_from("--by", text) for text in texts]


def _document(
    sample: fc.Sample,
    inputs: list[fc.InputFile],
    verdicts: list[fc.Verdict],
    times: list[float],
) -> dict[str, Any]:
    """The document of `--json`, with the time of day and the command line in its manifest."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    argv = ["failcast", *sys.argv[1:]]
    return sample.to_dict(argv=argv, created=created, inputs=inputs, goals=verdicts, by=times)


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
        compile_first(quiet)
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


def compile_first(quiet: bool) -> None:
    """Get the kernel ready outside the time that is reported; tell how long a compilation took."""
    said: list[str] = []

    def announce(sentence: str) -> None:
        said.append(sentence)
        if not quiet:
            output.notice(sentence)

    begin = time.perf_counter()
    with start.without_blas():
        fc.compile_kernel(announce)
    if said and not quiet:
        output.notice(f"Compiled in {time.perf_counter() - begin:.0f} s.")


def default_threads() -> int:
    """One thread per core this process may use, as far as the API takes so many."""
    from failcast.results.request import THREADS_MAX

    return min(len(os.sched_getaffinity(0)), THREADS_MAX)


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
