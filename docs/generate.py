"""Write the reference pages from the package itself: `python docs/generate.py`.

Names, defaults, limits, tables and signatures come from the registries, the models, the engine's
literal tables and docstrings; what none of them says in words comes from
`reference_pages/meanings.py`. With `--check` nothing is written, and the exit code says whether the
committed pages are up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from reference_pages.interface_pages import cli_page, python_page
from reference_pages.model_pages import events_page, glossary_page, metrics_page
from reference_pages.scenario_page import scenario_page

REFERENCE = Path(__file__).resolve().parent / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "scenario.md": scenario_page,
    "metrics.md": metrics_page,
    "events.md": events_page,
    "cli.md": cli_page,
    "python.md": python_page,
    "glossary.md": glossary_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` name those that are out of date."""
    stale = []
    for name, write in PAGES.items():
        file, text = REFERENCE / name, write()
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                file.write_text(text, encoding="utf-8")
    for name in stale:
        sys.stdout.write(f"{'out of date' if '--check' in arguments else 'written'}: {name}\n")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
