"""The document of a benchmark: where, with what and when it was measured, figures and ratios.

`failcast.bench/1`: `schema`; `version` of failcast; `date` as given, or null; `short`; `machine`
(cpu, cores that the process may use, architecture, load: that of one minute before and after);
`versions` (python, numpy, numba); `figures` and `ratios`, each name with `value` (the median),
`low`, `high`, `rounds`, `unit`, `better` ("lower", "higher" or null) and `limit` (or null). Names
are only added within a version of the schema.
"""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import numba
import numpy as np

import failcast
from benchmarks.rounds import Measured

SCHEMA = "failcast.bench/1"
HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
RELEASES = HERE / "releases"


def document(
    parts: list[Measured], *, date: str | None, short: bool, load_before: float
) -> dict[str, Any]:
    """Join the parts to what is known of machine and versions."""
    return {
        "schema": SCHEMA,
        "version": failcast.__version__,
        "date": date,
        "short": short,
        "machine": {
            "cpu": _cpu(),
            "cores": len(os.sched_getaffinity(0)),
            "architecture": platform.machine(),
            "load": [load_before, load_now()],
        },
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
        "figures": {n: f.to_dict() for part in parts for n, f in part.figures.items()},
        "ratios": {n: f.to_dict() for part in parts for n, f in part.ratios.items()},
    }


def load_now() -> float:
    """How many processes wanted a core over the last minute."""
    return round(os.getloadavg()[0], 2)


def write(found: dict[str, Any], file: Path) -> None:
    """Write the document whole or not at all."""
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)


def read(file: Path) -> dict[str, Any]:
    """Read a document; raises ValueError if it is none of this schema."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if found.get("schema") != SCHEMA:
        raise ValueError(f"{file} is no benchmark of the schema {SCHEMA}.")
    return found


def last_release() -> dict[str, Any] | None:
    """The document of the newest release, by version; None before the first."""
    files = sorted(RELEASES.glob("*.json"), key=lambda file: _parts(file.stem))
    return read(files[-1]) if files else None


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
