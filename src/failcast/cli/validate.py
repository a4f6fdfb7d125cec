"""`failcast validate`: what the model says of published figures of real systems.

On the map: cli. All numbers come from the public API; this file only orders what is said where.
"""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import candidates, output
from failcast.cli.guard import GOAL_FAILED, guarded
from failcast.cli.options import (
    JsonOption,
    QuietOption,
    ThreadsOption,
    place,
    whole_number,
)
from failcast.cli.ready import command_line, compile_kernel, default_threads

AnchorsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ANCHOR...]",
        help="Published systems, such as llama3-405b (default: all).",
        autocompletion=candidates.anchors,
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        "--replications",
        parser=whole_number,
        metavar="N",
        help="Independent runs of each scenario (default: as many as its figures need).",
    ),
]
StartOption = Annotated[
    int | None,
    typer.Option(
        "--seed", parser=whole_number, metavar="N", help="Where chance starts (default: 1)."
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        parser=place,
        metavar="DIR",
        help="Write the figures (JSON, CSV) with a manifest into this folder.",
        autocompletion=candidates.folders,
    ),
]


def validate(
    anchors: AnchorsArgument = None,
    replications: RunsOption = None,
    seed: StartOption = None,
    threads: ThreadsOption = None,
    out: FolderOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare the model with published figures of real systems: measured, simulated, closed form.

    Each figure has a class: calibrated (it set a parameter), emergent (it did not), sanity
    (arithmetic, or another model) or declined, with the reason. Exits with 10 unless all that can
    be compared agree.
    """
    with guarded():
        names = tuple(anchors or ())
        how: dict[str, Any] = {
            "replications": replications,
            "seed": seed,
            "threads": default_threads() if threads is None else threads,
        }
        found, seconds = _validate(names, how, out, quiet)
        document = found.to_dict() | command_line()
        if out is not None:
            found.write(out, document)
            if not quiet:
                output.notice(f"The figures are in {shlex.quote(str(out))}")
        if as_json:
            output.print_json(document)
        else:
            from failcast.cli.validate_report import report

            report(found, seconds)
    raise typer.Exit(0 if found.passed else GOAL_FAILED)


def _validate(
    names: tuple[str, ...], how: dict[str, Any], out: Path | None, quiet: bool
) -> tuple[fc.Validation, float]:
    """Validate with progress on stderr; return that and the seconds it took."""
    from failcast.cli.progress import Progress
    from failcast.study.validations.validation import SCHEMA

    runs = fc.runs_of_validation(*names, replications=how["replications"])
    if out is not None:
        fc.check_folder(out, SCHEMA)
    compile_kernel(quiet)
    begin = time.perf_counter()

    def show(more: int) -> None:
        progress.show(more)

    with Progress(runs, quiet=quiet) as progress, interrupts.raised():
        found = fc.validate(*names, **how, on_progress=show)
    return found, time.perf_counter() - begin
