"""The argument and options that several verbs share, and how they become a scenario.

On the map: cli.
"""

from __future__ import annotations

from typing import Annotated

import typer

import failcast as fc
from failcast.cli import candidates, output

ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file (YAML, TOML, JSON) or the name of a preset.",
        autocompletion=candidates.scenarios,
    ),
]
OverridesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="PATH=VALUE",
        help="Override a field, such as job.warm_standbys=32; may be repeated.",
        autocompletion=candidates.overrides,
    ),
]


def whole_number(text: str) -> int:
    """Read an option's value as an integer; its limits are the business of the API."""
    try:
        return int(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a whole number.") from error


def load_scenario(source: str, overrides: list[str] | None, *, quiet: bool) -> fc.Scenario:
    """Load a preset or a file with the overrides; say on stderr what was read without effect."""
    scenario, notes = fc.load_with_notes(source, overrides or [])
    if not quiet:
        for note in notes:
            output.notice(f"Note: {note}")
    return scenario


def input_files(source: str) -> list[fc.InputFile]:
    """The file that a scenario was read from, with its hash; none for a preset."""
    from failcast.scenario import PRESETS

    return [] if source in PRESETS else [fc.InputFile.of(source)]
