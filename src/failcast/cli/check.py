"""`failcast check`: read a scenario and say what was understood, with units; simulate nothing.

On the map: cli.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

import failcast as fc
from failcast.cli import output
from failcast.cli.guard import guarded
from failcast.cli.options import OverridesOption, ScenarioArgument, load_scenario

SCHEMA = "failcast.check/1"


def check(
    scenario: ScenarioArgument,
    overrides: OverridesOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Validate SCENARIO and echo what was understood, with units."""
    with guarded():
        plan = load_scenario(scenario, overrides, quiet=False, heeds_beliefs=True)
        if as_json:
            output.print_json(
                {
                    "schema": SCHEMA,
                    "scenario": fc.to_dict(plan),
                    "scenario_hash": fc.scenario_hash(plan),
                }
            )
        else:
            _print_fields(plan)


def _print_fields(plan: fc.Scenario) -> None:
    """One line per field, the path and what it holds, with a blank line between blocks."""
    console = output.results()
    fields = [(path, value) for path, value in fc.describe(plan) if value]
    width = max(len(path) for path, _ in fields)
    previous = ""
    for path, value in fields:
        block = path.partition(".")[0] if "." in path else ""
        if block != previous:
            console.print()
        previous = block
        console.print(Text(f"{path.ljust(width)}  {value}"))
    console.print()
    valid = f"The scenario is valid. Its hash is {fc.scenario_hash(plan)[:16]}."
    console.print(Text(valid, style="bold"))
