"""Table 1 on one thread: kernel, mandatory work, reference, and lives of other kinds."""

from __future__ import annotations

import numpy as np

from benchmarks.effort import Effort
from benchmarks.mandatory import SEED, mandatory
from benchmarks.rounds import Figure, Measured, Work, interleaved, quotients
from failcast.engine import METRICS, run
from failcast.engine.plan import make_plan
from failcast.engine.world import TRACE_DTYPE, World
from failcast.scenario import Scenario, load

#: What follows `kernel_` and `_over_exponential` in names, and the lives of that name.
LIVES = {
    "weibull": "weibull(shape=2)",
    "lognormal": "lognormal(sigma=1)",
    "gamma": "gamma(shape=2)",
    "mixture": "mixture(0.2: exponential(20 d), 0.8: weibull(mean=120 d, shape=2))",
}


def table1(effort: Effort) -> Scenario:
    """AIReSim's Table 1 with the length of this benchmark."""
    return load("airesim-table1").with_(job__length=effort.length)


def failures_of(scenario: Scenario, replications: int) -> np.ndarray:
    """The number of failures of each replication, for seed 1."""
    runs = run(scenario, replications=replications, seed=1)
    return runs.values[:, METRICS.index("failures")]


def measure(effort: Effort) -> Measured:
    """Processor time for one replication, and for one failure."""
    scenario, count = table1(effort), effort.replications
    lives = {name: scenario.with_(failures__life=text) for name, text in LIVES.items()}
    failures = failures_of(scenario, count)
    works: dict[str, Work] = {
        "kernel": _kernel(scenario, count),
        "mandatory": _mandatory(scenario, failures),
        **{name: _kernel(each, count) for name, each in lives.items()},
    }
    for work in works.values():
        work()  # what is loaded or compiled at the first call is none of theirs
    times = interleaved(works, effort.rounds)
    each = {name: [ms / count for ms in rounds.cpu] for name, rounds in times.items()}
    slow: dict[str, Work] = {
        "reference": lambda: run(scenario, replications=1, seed=1, engine="reference")
    }
    reference = interleaved(slow, effort.reference_rounds)["reference"].cpu
    kernel, mean = each["kernel"], float(failures.mean())
    figures = {
        "kernel_ms": Figure.of(kernel, "ms", limit=2.0),
        "mandatory_ms": Figure.of(each["mandatory"], "ms"),
        "reference_ms": Figure.of(reference, "ms"),
        **{f"kernel_{name}_ms": Figure.of(each[name], "ms") for name in lives},
        "failures": Figure.of(failures.tolist()),
        "kernel_failure_ns": Figure.of([1e6 * ms / mean for ms in kernel], "ns"),
    }
    middle = figures["kernel_ms"].value
    ratios = {
        "kernel_over_mandatory": Figure.of(
            quotients(kernel, each["mandatory"]), better="lower", limit=2.0
        ),
        "reference_over_kernel": Figure.of([ms / middle for ms in reference], better="higher"),
    }
    for name, other in lives.items():
        # Fewer or more failures are no matter of the draws: the ratio is that of one failure.
        share = mean / float(failures_of(other, count).mean())
        by_failure = [share * ratio for ratio in quotients(each[name], kernel)]
        ratios[f"{name}_over_exponential"] = Figure.of(by_failure, better="lower")
    return Measured(figures, ratios)


def _kernel(scenario: Scenario, count: int) -> Work:
    return lambda: run(scenario, replications=count, seed=1)


def _mandatory(scenario: Scenario, failures: np.ndarray) -> Work:
    """The mandatory work of the same replications, with as many failures as the kernel had."""
    plan = make_plan(scenario)
    world = World(plan, np.empty(0, TRACE_DTYPE))
    counts = [int(each) for each in failures]
    return lambda: [
        mandatory(plan, world.record, SEED, number, each) for number, each in enumerate(counts)
    ]
