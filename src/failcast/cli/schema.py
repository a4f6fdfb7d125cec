"""`failcast schema`: print the JSON Schema of a scenario file, for editors and other programs.

On the map: cli.
"""

from __future__ import annotations

from failcast.cli import output
from failcast.cli.guard import guarded


def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of a scenario file."""
    with guarded():
        from failcast.scenario.schema import json_schema

        output.print_json(json_schema())
