"""`failcast init`: write a scenario with a comment on every field, to start from.

On the map: cli.
"""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

import failcast as fc
from failcast import interrupts
from failcast.cli import candidates, output
from failcast.cli.guard import guarded

STDOUT = "-"
ENDINGS = (".yaml", ".yml")


def init(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The file to write (.yaml or .yml); - is stdout.",
            autocompletion=candidates.files,
        ),
    ] = "scenario.yaml",
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write a scenario with every field, its unit, default and meaning to FILE."""
    with guarded():
        from failcast.scenario.commented import commented_yaml

        text = commented_yaml()
        if file == STDOUT:
            typer.echo(text, nl=False)
        else:
            if not file.lower().endswith(ENDINGS):
                raise fc.RequestError(
                    f"cannot write the scenario to {file}: a scenario with comments is YAML, so "
                    "the name must end in .yaml or .yml."
                )
            from failcast.results.whole_file import write_new_text

            with interrupts.raised():
                write_new_text(file, text, "the scenario", force=force)
            output.notice(f"Wrote the default scenario, with comments, to {shlex.quote(file)}")
