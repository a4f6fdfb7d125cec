"""Run scenarios side by side, stretch by stretch, so that there are pairs of runs at any moment.

On the map: study, below comparison.py. Chance has an address, so the split leaves no mark.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from failcast import engine as engines
from failcast.engine import Engine, RunInterrupted, Runs
from failcast.engine.executors import work_of
from failcast.engine.simulate import MOST_WORK_IN_BLOCK
from failcast.scenario import Scenario

#: Replications of a stretch on the reference engine, which needs a hundred times as long for each.
_REFERENCE_STRETCH: Final = 10


class SideBySide:
    """The runs of several scenarios as they come in, a second of work of each in turn."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        *,
        seed: int,
        threads: int,
        engine: Engine,
        on_progress: Callable[[int], None] | None,
    ) -> None:
        self.scenarios = scenarios
        self._how: dict[str, Any] = {"seed": seed, "threads": threads, "engine": engine}
        self._how["on_progress"] = on_progress
        self._parts: list[list[Runs]] = [[] for _ in scenarios]
        work = max(map(work_of, scenarios))
        fast = max(1, int(threads * MOST_WORK_IN_BLOCK / work))
        self._stretch = fast if engine == "kernel" else _REFERENCE_STRETCH

    @property
    def pairs(self) -> int:
        """The replications that all scenarios have by now."""
        return min(sum(len(part.status) for part in parts) for parts in self._parts)

    def run(self, *, first: int, replications: int) -> Runs:
        """Run so many replications of all scenarios; return those of the first one.

        An interruption comes through; `pairs` are there then.
        """
        before = len(self._parts[0])
        count = math.ceil(replications / self._stretch)
        edges = [first + replications * k // count for k in range(count + 1)]
        for begin, end in itertools.pairwise(edges):
            for scenario, parts in zip(self.scenarios, self._parts, strict=True):
                try:
                    runs = engines.run(scenario, first=begin, replications=end - begin, **self._how)
                except RunInterrupted as interruption:
                    parts.append(interruption.runs)
                    raise
                parts.append(runs)
        return Runs.joined(self._parts[0][before:])

    def runs(self, number: int) -> Runs:
        """The runs of a scenario, as many as all of them have."""
        whole = Runs.joined(self._parts[number])
        return whole if len(whole.status) == self.pairs else whole.leading(self.pairs)
