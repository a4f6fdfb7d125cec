"""The manifest: what one needs to know to make a result again.

On the map: results. It is deterministic: the same call in the same environment gives the same
manifest. The time of day is added by the command line alone.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from failcast.scenario import scenario_hash
from failcast.version import __version__

if TYPE_CHECKING:
    from failcast.results.sample import Sample


def manifest(
    sample: Sample, *, argv: Sequence[str] | None = None, created: str | None = None
) -> dict[str, Any]:
    """Versions, scenario and its hash, seed, counts and engine of a sample, ready for JSON.

    `argv` is the command line and `created` a UTC timestamp, both only where a caller has them.
    """
    document: dict[str, Any] = {
        "failcast": __version__,
        "scenario": sample.scenario.name,
        "scenario_hash": scenario_hash(sample.scenario),
        "seed": sample.seed,
        "replications": sample.replications,
        "threads": sample.threads,
        "engine": sample.engine,
        "confidence": sample.confidence,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }
    if argv is not None:
        document["argv"] = list(argv)
    if created is not None:
        document["created"] = created
    return document
