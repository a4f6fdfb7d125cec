"""The runs of a sweep: in which order they are done, which make a block, how they come in.

On the map: study, below sweep.py. The cells are split into tasks, and tasks are gathered into
blocks of a store, in a way that depends on the sweep alone. So a sweep that was killed goes on with
the first block that is missing, and ends in the same bytes whoever did the tasks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from failcast.engine import Engine, Runs
from failcast.engine.executors import Executor, Task, split, work_of
from failcast.results import RequestError
from failcast.results.frame import frame_of, runs_of
from failcast.results.store import Store
from failcast.study.sweeps.cells import Cell
from failcast.study.sweeps.figures import Figures, figures_of

if TYPE_CHECKING:
    import polars

#: Servers and failures simulated in a block of the store, at least: some seconds of one core.
WORK_IN_BLOCK: Final = 1e7
#: Or this many runs: a block is in memory as it is, as a table and as a file, some 30 MB together.
RUNS_IN_BLOCK: Final = 32_768


@dataclass(frozen=True)
class Layout:
    """Which runs are done in which order, and which of them make a block.

    `blocks` hold pairs of a cell's number and a task.
    """

    blocks: tuple[tuple[tuple[int, Task], ...], ...]

    def holding(self, cell: int) -> Iterator[int]:
        """The numbers of the blocks that hold runs of a cell; blocks are in the order of cells."""
        number = bisect_left(self.blocks, cell, key=lambda block: block[-1][0])
        while number < len(self.blocks) and self.blocks[number][0][0] <= cell:
            yield number
            number += 1

    @classmethod
    def of(cls, cells: Sequence[Cell], seed: int, replications: int, engine: Engine) -> Layout:
        """Lay out the feasible cells."""
        blocks: list[tuple[tuple[int, Task], ...]] = []
        block: list[tuple[int, Task]] = []
        work, runs = 0.0, 0
        for cell in cells:
            if cell.scenario is None:
                continue
            each = work_of(cell.scenario)
            what = f"cell {cell.number} ({', '.join(cell.values)})"
            whole = Task(cell.scenario, seed, 0, replications, engine, what)
            for task in split(whole, each):
                block.append((cell.number, task))
                work, runs = work + each * task.count, runs + task.count
                if work >= WORK_IN_BLOCK or runs >= RUNS_IN_BLOCK:
                    blocks.append(tuple(block))
                    block, work, runs = [], 0.0, 0
        return cls((*blocks, tuple(block)) if block else tuple(blocks))


class Work:
    """The runs of a sweep as they come in, block by block."""

    def __init__(
        self,
        layout: Layout,
        replications: int,
        confidence: float,
        on_progress: Callable[[int], None] | None,
    ) -> None:
        self.layout = layout
        self.replications = replications
        self.confidence = confidence
        self.on_progress = on_progress or (lambda more: None)
        self.figures: dict[int, Figures] = {}
        self._parts: dict[int, list[Runs]] = {}
        self._kept: dict[int, Runs] = {}
        self._store: Store | None = None
        self._last: tuple[int, list[tuple[int, Runs]]] = (-1, [])

    def collect(self, executor: Executor, store: Store | None, keep_on_interrupt: bool) -> bool:
        """Do what is missing and take what is there; return whether Ctrl-C ended it early."""
        self._store = store
        there = set(store.blocks) if store is not None else set()
        missing = (
            task
            for number, block in enumerate(self.layout.blocks)
            if number not in there
            for _, task in block
        )
        results = executor.run(missing)
        try:
            for number, block in enumerate(self.layout.blocks):
                if store is not None and number in there:
                    parts = self._read(store, number)
                else:
                    parts = self._do(results, block)
                    if store is not None:
                        store.add(number, _joined(parts))
                for cell, runs in parts:
                    self._take(cell, runs)
        except KeyboardInterrupt:
            if keep_on_interrupt:
                return True
            raise
        finally:
            if isinstance(results, Generator):
                results.close()
        return False

    def runs(self, cell: int) -> Runs:
        """All runs of a cell, from memory or from the store."""
        if cell in self._kept:
            return self._kept[cell]
        assert self._store is not None
        parts = [
            runs
            for number in self.layout.holding(cell)
            for each, runs in self._read_again(self._store, number)
            if each == cell
        ]
        return Runs.joined(parts)

    def _read_again(self, store: Store, number: int) -> list[tuple[int, Runs]]:
        """The runs of a block; the last one is at hand, for whoever goes from cell to cell."""
        if self._last[0] != number:
            with store.reading():
                self._last = number, self._read(store, number)
        return self._last[1]

    def _do(
        self, results: Iterator[Runs], block: Sequence[tuple[int, Task]]
    ) -> list[tuple[int, Runs]]:
        parts = []
        for cell, task in block:
            parts.append((cell, next(results)))
            self.on_progress(task.count)
        return parts

    def _read(self, store: Store, number: int) -> list[tuple[int, Runs]]:
        """The runs of a block that is there, task by task. Raises RequestError."""
        frame, block = store.read(number), self.layout.blocks[number]
        wanted = [(cell, task.first + k) for cell, task in block for k in range(task.count)]
        if list(zip(frame["cell"], frame["replication"], strict=True)) != wanted:
            raise RequestError(
                f"block {number} of {store.shown} holds other runs than this sweep has there. Name "
                "another folder. Nothing was changed."
            )
        parts, row = [], 0
        for cell, task in block:
            parts.append((cell, runs_of(frame[row : row + task.count], task.seed)))
            row += task.count
        return parts

    def _take(self, cell: int, runs: Runs) -> None:
        """Make the figures of a cell once all its runs are there."""
        parts = self._parts.setdefault(cell, [])
        parts.append(runs)
        if sum(len(part.status) for part in parts) == self.replications:
            whole = Runs.joined(self._parts.pop(cell))
            self.figures[cell] = figures_of(whole, self.confidence)
            if self._store is None:
                self._kept[cell] = whole


def _joined(parts: Sequence[tuple[int, Runs]]) -> polars.DataFrame:
    """The table of a block: the cell's number, then the columns of its runs."""
    import polars

    frame = frame_of(Runs.joined([runs for _, runs in parts]))
    sizes = [len(runs.status) for _, runs in parts]
    cells = np.repeat(np.array([cell for cell, _ in parts], dtype=np.int64), sizes)
    numbers = [np.arange(runs.first, runs.first + len(runs.status)) for _, runs in parts]
    frame = frame.with_columns(polars.Series("replication", np.concatenate(numbers)))
    return frame.insert_column(0, polars.Series("cell", cells))
