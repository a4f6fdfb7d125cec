"""Published studies that ship with the package: run again, their findings checked one by one.

On the map: a part of study, above sweeps. A study is one file and one line in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from failcast.results.errors import unknown_name
from failcast.study.reproductions import airesim
from failcast.study.reproductions.study import Finding, Reproduction, Study, run

#: The studies by name.
STUDIES: Final[dict[str, Study]] = {"airesim": airesim.STUDY}


def reproduce(
    name: str,
    *,
    replications: int | None = None,
    seed: int | None = None,
    on_progress: Callable[[int], None] | None = None,
    **how: Any,
) -> Reproduction:
    """Run a published study again and check its findings; see `STUDIES`.

    `replications` of each cell default to those of the publication. `how` are further arguments of
    `sweep`; with a `store` each sweep is kept in a folder of its own there. Raises RequestError.
    """
    return run(_study(name), replications=replications, seed=seed, on_progress=on_progress, **how)


def runs_of_study(name: str, replications: int | None = None) -> int:
    """The number of runs that `reproduce` does. Raises RequestError."""
    return _study(name).runs(replications)


def _study(name: str) -> Study:
    if name not in STUDIES:
        raise unknown_name("study", name, tuple(STUDIES))
    return STUDIES[name]


__all__ = ["STUDIES", "Finding", "Reproduction", "Study", "reproduce", "runs_of_study"]
