"""Measure both engines on AIReSim's Table 1 in one run, and print milliseconds and ratios.

Processor time, not wall time, so that a busy machine disturbs less; the median of several rounds.
The figures go to `benchmarks/results.json` (or the file named as argument) for comparison.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

import failcast
from benchmarks.mandatory import SEED, mandatory
from failcast.engine import METRICS, run
from failcast.engine.kernel import TRACE_DTYPE, World
from failcast.engine.plan import make_plan
from failcast.engine.warm import compile_kernel, compile_notice
from failcast.scenario import load

ROUNDS = 5


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the processor time of ``work`` in milliseconds, all threads together."""
    begin = time.process_time()
    work()
    return 1000.0 * (time.process_time() - begin)


def measure() -> dict[str, float]:
    """Return the figures, times in milliseconds."""
    table1 = load("airesim-table1")
    figures: dict[str, float] = {}
    if compile_notice() is not None:
        figures["kernel_compile_ms"] = cpu_ms(compile_kernel)
    compile_kernel()
    failures = run(table1, replications=20, seed=1).values[:, METRICS.index("failures")].mean()
    rounds = [cpu_ms(lambda: run(table1, replications=20, seed=1)) / 20 for _ in range(ROUNDS)]
    kernel = statistics.median(rounds)
    reference = cpu_ms(lambda: run(table1, replications=1, seed=1, engine="reference"))
    plan = make_plan(table1)
    world = World(plan, np.empty(0, TRACE_DTYPE))
    mandatory(plan, world.record, SEED, 0, 10)
    needed = statistics.median(
        cpu_ms(lambda: [mandatory(plan, world.record, SEED, i, round(failures)) for i in range(20)])
        / 20
        for _ in range(ROUNDS)
    )
    figures |= {
        "mandatory_ms_per_replication": needed,
        "kernel_over_mandatory": kernel / needed,
        "table1_failures": float(failures),
        "kernel_ms_per_replication": kernel,
        "kernel_ns_per_failure": 1e6 * kernel / failures,
        "reference_ms_per_replication": reference,
        "reference_over_kernel": reference / kernel,
    }
    return figures


def main() -> None:
    """Measure, print, store."""
    figures = measure()
    for name, value in figures.items():
        sys.stdout.write(f"{name:32} {value:14,.2f}\n")
    target = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("results.json"))
    document = {
        "version": failcast.__version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "figures": figures,
    }
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(document, indent=1) + "\n")
    partial.replace(target)


if __name__ == "__main__":
    main()
