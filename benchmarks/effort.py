"""How much is measured: all of it for `make bench`, as little as runs every line for the tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Numbers of rounds and sizes of what they measure."""

    #: Rounds of Table 1 and of the threads, and replications in each.
    rounds: int
    replications: int
    #: Rounds of the reference engine, one replication in each.
    reference_rounds: int
    #: Work of the job, everywhere.
    length: str
    #: Servers of the job -> replications in each round of the scaling.
    sizes: dict[int, int]
    scaling_rounds: int
    #: Replications that the threads share.
    shared: int
    #: Replications of each cell of the published study and of the sweep; None: as published.
    of_a_cell: int | None
    #: Cells of the sweep in all of its rounds (those of the scaling), runs that the plan may spend.
    cells: int
    budget: int
    #: Cells, and runs of each, of the sweep whose memory is measured.
    kept: tuple[int, int]
    #: Rows of the Sobol design of the ranking.
    rows: int
    #: Rounds of Ray beside threads, and replications of each task there: about half a second.
    ray_rounds: int
    task: int
    #: Processes of each kind for the cold start.
    processes: int
    #: Whether the kernel is compiled into an empty cache, which takes half a minute.
    compiles: bool


FULL = Effort(
    rounds=9,
    replications=50,
    reference_rounds=2,
    length="256 d",
    sizes={64: 400, 512: 100, 4096: 20, 32_768: 2, 131_072: 1},
    scaling_rounds=3,
    shared=100,
    of_a_cell=None,
    cells=250,
    budget=8_000,
    kept=(32, 8192),
    rows=512,
    ray_rounds=3,
    task=250,
    processes=9,
    compiles=True,
)
SHORT = Effort(
    rounds=2,
    replications=2,
    reference_rounds=1,
    length="8 d",
    sizes={64: 4, 512: 2},
    scaling_rounds=1,
    shared=4,
    of_a_cell=2,
    cells=4,
    budget=3_000,
    kept=(2, 20),
    rows=64,
    ray_rounds=1,
    task=2,
    processes=1,
    compiles=False,
)
