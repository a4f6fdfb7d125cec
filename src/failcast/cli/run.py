"""`failcast run`: simulate a scenario and print the answer, the table and the balance of hours.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
What is heavy is imported where it is used, so that `--help` and a wrong option answer at once.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import failcast as fc
from failcast.cli import candidates, output, start
from failcast.cli.guard import GOAL_FAILED, guarded
from failcast.cli.options import (
    OverridesOption,
    ScenarioArgument,
    input_files,
    load_scenario,
    whole_number,
)

Engine = Literal["kernel", "reference"]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        help="Write the events of replication 0 to this CSV file.",
        autocompletion=candidates.files,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write results and single runs (JSON, Parquet, CSV) with a manifest into this folder.",
        autocompletion=candidates.folders,
    ),
]
FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GOAL",
        help="Exit with 10 where this holds, such as 'ettr.low < 0.95'; may be repeated.",
        autocompletion=candidates.goals,
    ),
]


def run(
    scenario: ScenarioArgument,
    overrides: OverridesOption = None,
    replications: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="Independent runs (default: the scenario's)."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="Where chance starts (default: the scenario's)."
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="Threads of the kernel (default: one per core)."
        ),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="kernel is compiled; reference is SimPy, and slow.")
    ] = "kernel",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    trace: TraceOption = None,
    out: OutOption = None,
    fail_if: FailIfOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No notices and no progress on stderr.")
    ] = False,
) -> None:
    """Simulate SCENARIO: how long training takes, and why."""
    with guarded():
        goals = [fc.Goal.parse(text) for text in fail_if or []]
        plan = load_scenario(scenario, overrides, quiet=quiet)
        inputs = input_files(scenario)
        if trace is not None:
            fc.check_trace_path(trace)
        if out is not None:
            fc.check_folder(out)
        sample, seconds = _simulate(plan, replications, seed, threads, engine, quiet)
        if trace is not None:
            _write_trace(sample, trace, quiet)
        verdicts = [goal.judge(sample) for goal in goals]
        document = _document(sample, inputs, verdicts) if as_json or out is not None else {}
        if out is not None:
            _write_folder(sample, out, document, quiet)
        if as_json:
            output.print_json(document)
        else:
            from failcast.cli.report import report

            report(sample, seconds)
    _tell_failed(verdicts)


def _document(
    sample: fc.Sample, inputs: list[fc.InputFile], verdicts: list[fc.Verdict]
) -> dict[str, Any]:
    """The document of `--json`, with the time of day and the command line in its manifest."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    argv = ["failcast", *sys.argv[1:]]
    return sample.to_dict(argv=argv, created=created, inputs=inputs, goals=verdicts)


def _tell_failed(verdicts: list[fc.Verdict]) -> None:
    """Say on stderr which goals failed, quiet or not, and exit with a code of its own."""
    failed = [verdict for verdict in verdicts if verdict.failed]
    for verdict in failed:
        output.notice(verdict.sentence[0].upper() + verdict.sentence[1:])
    if failed:
        raise typer.Exit(GOAL_FAILED)


def _simulate(
    plan: fc.Scenario,
    replications: int | None,
    seed: int | None,
    threads: int | None,
    engine: Engine,
    quiet: bool,
) -> tuple[fc.Sample, float]:
    """Run the sample with notices and progress on stderr; return it and the seconds it took."""
    from failcast.cli.progress import Progress

    count = plan.run.replications if replications is None else replications
    workers = default_threads() if threads is None else threads
    fc.check_request(
        replications=count,
        seed=plan.run.seed if seed is None else seed,
        threads=workers,
        engine=engine,
    )
    if engine == "kernel":
        _compile(quiet)
    begin = time.perf_counter()
    with Progress(count, quiet=quiet) as progress:
        sample = fc.simulate(
            plan,
            replications=count,
            seed=seed,
            threads=workers,
            engine=engine,
            on_progress=progress.show,
        )
    return sample, time.perf_counter() - begin


def _compile(quiet: bool) -> None:
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
    fc.write_folder(sample, path, document)
    if not quiet:
        output.notice(f"Wrote the results into {shlex.quote(str(path))}")


def _write_trace(sample: fc.Sample, path: Path, quiet: bool) -> None:
    events = fc.trace(sample.scenario, seed=sample.seed, replication=0, engine=sample.engine)
    fc.write_trace(events, path)
    if not quiet:
        output.notice(f"Wrote the events of replication 0 to {shlex.quote(str(path))}")
