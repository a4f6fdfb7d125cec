"""The command line from a cold process: how long, in which steps, and what the first compile costs.

The kernel's compiled form is on disk, but for the first compile, which starts from an empty cache.
Beside it stands a process that only imports numba: a measure of the machine, and of what it saves
that a run finds its kernel without numba.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from benchmarks.effort import Effort
from benchmarks.rounds import Figure, Measured, interleaved, quotients

RUN = ("-m", "failcast", "run", "airesim-table1")
HELP = ("-m", "failcast", "--help")
FLOOR = ("-c", "import numba")
COMPILE = ("-c", "from failcast.engine.warm import compile_kernel; compile_kernel()")

#: The steps of `failcast run` in their order, each with the time at its end.
STEPS = """
import contextlib, gc, io, json, sys, time
stamps = {"python": time.perf_counter()}
def done(step):
    stamps[step] = time.perf_counter()
import failcast as fc
from failcast.cli import start
start.spare_collections()
done("import of the command line")
scenario = fc.load("airesim-table1").with_(job__length=sys.argv[1])
done("scenario")
import failcast.results
done("import of numpy")
with start.without_blas():
    fc.compile_kernel()
done("kernel from the disk")
from failcast.cli.run import default_threads
sample = fc.simulate(scenario, threads=default_threads())
done("simulation")
from failcast.cli.report import report
with contextlib.redirect_stdout(io.StringIO()):
    report(sample, 1.0)
done("report")
print(json.dumps(stamps))
start.spare_last_collection()
"""


def measure(effort: Effort) -> Measured:
    """Times of processes: a run, the help, numba alone, the steps of a run, the first compile."""
    length = ("-s", f"job.length={effort.length}")
    commands = {"run": (*RUN, *length), "help": HELP, "floor": FLOOR}
    python(*commands["run"])
    works = {name: lambda words=words: python(*words) for name, words in commands.items()}
    times = interleaved(works, effort.processes)
    floor = times["floor"]
    figures = {
        "cold_run_wall_ms": Figure.of(times["run"].wall, "ms", limit=1500.0),
        "cold_run_cpu_ms": Figure.of(times["run"].cpu, "ms"),
        "cold_help_wall_ms": Figure.of(times["help"].wall, "ms"),
        "import_numba_wall_ms": Figure.of(floor.wall, "ms"),
        "import_numba_cpu_ms": Figure.of(floor.cpu, "ms"),
    }
    each = [steps(effort.length) for _ in range(effort.processes)]
    for step in each[0]:
        name = "cold_run_" + step.replace(" ", "_") + "_wall_ms"
        figures[name] = Figure.of([one[step] for one in each], "ms")
    ratios = {
        "cold_run_over_import_numba": Figure.of(
            quotients(times["run"].cpu, floor.cpu), better="lower"
        )
    }
    if effort.compiles:
        compiling = interleaved({"compile": first_compile}, 1)["compile"]
        figures["first_compile_wall_ms"] = Figure.of(compiling.wall, "ms")
        figures["first_compile_cpu_ms"] = Figure.of(compiling.cpu, "ms")
        ratios["first_compile_over_import_numba"] = Figure.of(
            [compiling.cpu[0] / figures["import_numba_cpu_ms"].value], better="lower"
        )
    return Measured(figures, ratios)


def python(*arguments: str, **environment: str) -> str:
    """Run this Python in a process of its own and return what it printed."""
    command: Sequence[str] = [sys.executable, *arguments]
    return subprocess.run(
        command,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout


def steps(length: str) -> dict[str, float]:
    """Milliseconds of each step of one run, from the start of the process to its end."""
    begin = time.perf_counter()
    stamps: dict[str, float] = json.loads(python("-c", STEPS, length))
    stamps["end of the process"] = time.perf_counter()
    times, before = {}, begin
    for step, stamp in stamps.items():
        times[step], before = 1000.0 * (stamp - before), stamp
    return times


def first_compile() -> None:
    """Compile the kernel into an empty cache, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        python(*COMPILE, NUMBA_CACHE_DIR=folder)
