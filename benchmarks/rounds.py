"""Times on a machine that others use too: interleaved rounds, medians, and the spread beside them.

What is compared is measured in the same rounds, one after the other and in turns of order, and a
ratio is taken within each round. So what disturbs one of them for longer than a round disturbs the
other as well.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

Work = Callable[[], object]
Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Figure:
    """The median of several rounds, the least and the greatest of them.

    `better` says which way is better, where a figure is compared with another release; `limit` is
    what it should not pass.
    """

    value: float
    low: float
    high: float
    rounds: int
    unit: str = ""
    better: Better | None = None
    limit: float | None = None

    @classmethod
    def of(
        cls,
        values: Sequence[float],
        unit: str = "",
        better: Better | None = None,
        limit: float | None = None,
    ) -> Figure:
        """The figure of these rounds."""
        middle = statistics.median(values)
        return cls(middle, min(values), max(values), len(values), unit, better, limit)

    def to_dict(self) -> dict[str, Any]:
        """The figure for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Measured:
    """What a part of the benchmark found: figures of this machine, and ratios that travel."""

    figures: dict[str, Figure]
    ratios: dict[str, Figure]


class Times(NamedTuple):
    """What the rounds of one work took, in milliseconds.

    `cpu` is processor time: of all threads of this process, and of the processes it waited for.
    """

    wall: list[float]
    cpu: list[float]


def interleaved(works: Mapping[str, Work], rounds: int) -> dict[str, Times]:
    """Measure all works in each round; every other round goes through them backwards."""
    found = {name: Times([], []) for name in works}
    for number in range(rounds):
        for name in list(works)[:: 1 if number % 2 == 0 else -1]:
            wall, cpu = time.perf_counter(), _cpu_seconds()
            works[name]()
            found[name].wall.append(1000.0 * (time.perf_counter() - wall))
            found[name].cpu.append(1000.0 * (_cpu_seconds() - cpu))
    return found


def quotients(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """The ratio within each round."""
    return [a / b for a, b in zip(above, below, strict=True)]


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
