"""The manifest: what one needs to know to make a result again.

On the map: results. It is deterministic: the same call in the same environment gives the same
manifest. The time of day is added by the command line alone.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from failcast.results.errors import RequestError
from failcast.scenario import Scenario, measured_files, scenario_hash
from failcast.version import __version__


class InputFile(NamedTuple):
    """A file that a result was made from: its path as it was given, and its SHA-256 (hex)."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """Read the file and note its hash. Raises RequestError if it cannot be read."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise RequestError(f"cannot read {os.fspath(path)}: {reason}.") from error
        return cls(os.fspath(path), hashlib.sha256(content).hexdigest())


class Result(Protocol):
    """What a manifest needs to know of a result: a sample, or a study of many runs."""

    @property
    def scenario(self) -> Scenario:
        """The scenario before anything was settled."""

    @property
    def seed(self) -> int:
        """Where its chance starts."""

    @property
    def replications(self) -> int:
        """Number of runs."""

    @property
    def threads(self) -> int:
        """Number of threads that ran them."""

    @property
    def engine(self) -> str:
        """The engine that ran them."""

    @property
    def confidence(self) -> float:
        """Confidence of its intervals."""

    def scenario_as_run(self) -> Scenario:
        """The scenario that makes the result again."""


def manifest(
    sample: Result,
    *,
    argv: Sequence[str] | None = None,
    created: str | None = None,
    inputs: Sequence[InputFile] = (),
) -> dict[str, Any]:
    """Versions, scenario and its hash, seed, counts, engine and input files, ready for JSON.

    The hash is that of the scenario as it was run, with the seed and replications used. Files of
    measured values follow `inputs`, with the hash of what was read. `argv` is the command line and
    `created` a UTC timestamp, both only where a caller has them.
    """
    measured = (InputFile(file.path, file.sha256) for file in measured_files(sample.scenario))
    files = dict.fromkeys((*inputs, *measured))
    document: dict[str, Any] = {
        "failcast": __version__,
        "scenario": sample.scenario.name,
        "scenario_hash": scenario_hash(sample.scenario_as_run()),
        "inputs": [file._asdict() for file in files],
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
