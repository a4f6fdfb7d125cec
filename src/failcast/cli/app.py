"""The verbs of `failcast` in one literal list, and the way into them.

On the map: cli. The console script is `__main__.py`, which calls `main`; what goes wrong inside a
verb is told by `guard.py`.
"""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from failcast import __version__, interrupts
from failcast.cli import completion as completions
from failcast.cli import guard, output, start
from failcast.cli.check import check
from failcast.cli.compare import compare
from failcast.cli.completion import completion
from failcast.cli.init import init
from failcast.cli.plan import plan
from failcast.cli.rank import rank
from failcast.cli.reproduce import reproduce
from failcast.cli.run import run
from failcast.cli.schema import schema
from failcast.cli.sweep import sweep
from failcast.cli.validate import validate

VERBS = (
    *(run, compare, sweep, rank, plan, reproduce, validate),
    *(check, init, schema, completion),
)

app = typer.Typer(
    name="failcast",
    help="Predict how long large AI training jobs take on clusters whose servers fail.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for _verb in VERBS:
    app.command()(_verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"failcast {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def failcast(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Predict how long large AI training jobs take on clusters whose servers fail."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    interrupts.heed()
    if sys.stdout is None:
        sys.exit(guard.stdout_closed())
    start.spare_collections()
    completions.get_ready()
    output.prepare_stdout()
    try:
        app(prog_name=completions.PROGRAM)
    except SystemExit as ending:
        if ending.code == interrupts.INTERRUPTED:
            interrupts.leave()
        raise
    except output.StdoutError as error:
        sys.exit(guard.stdout_refused(error))
    except Exception as error:
        sys.exit(guard.internal_error(error))
    finally:
        output.let_go_of_stderr()
        start.spare_last_collection()
    sys.exit(0)
