"""simulate and trace: from a scenario to a sample, or to the events of one run.

On the map: results, at the seam to the engine. Both settle counts and seed, refuse what cannot be
run in a sentence, and call the engine; `simulate` joins its arrays to their scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from failcast import engine as engines
from failcast.engine import Engine, Policies, Trace, compile_notice
from failcast.engine import warm as warming
from failcast.results import request
from failcast.results.errors import RequestError
from failcast.results.precision import Collection, most_runs
from failcast.results.sample import Sample
from failcast.scenario import Scenario


def simulate(
    scenario: Scenario,
    *,
    replications: int | None = None,
    precision: float | str | None = None,
    precision_of: str | None = None,
    min_replications: int | None = None,
    max_replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    policies: type[Policies] | None = None,
    on_progress: Callable[[int], None] | None = None,
    on_estimate: Callable[[int], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Sample:
    """Run `scenario` many times, independently, and return the sample.

    It has `replications` runs. With `precision` (0.01 or "1 %") it has as many as it takes until
    half the interval of the mean of `precision_of` (training_hours) is at most that share of the
    mean, looked at from `min_replications` to `max_replications` on. All these and `seed` default
    to the scenario's own, `threads` to one. Inputs that are uncertain have the values of their
    fields here; `predict` draws them. Run number k is the same run whatever ends the sample
    and on however many threads. `policies`, a subclass of `Policies`, runs in the reference engine
    only, which is plain Python and uses one thread. `on_progress` is called with the number of runs
    just done, by whichever thread did them; `on_estimate` with the number that the precision will
    probably need. With `keep_on_interrupt`, Ctrl-C gives the sample of the runs that were done, if
    any were. Raises RequestError, in a sentence, for anything that cannot be used.
    """
    request.check_scenario(scenario)
    request.check_engine(engine)
    request.check_policies(policies)
    request.check_callable("on_progress", on_progress)
    request.check_callable("on_estimate", on_estimate)
    range_ = (min_replications, max_replications)
    size = request.size_of(scenario.run, replications, precision, precision_of, range_)
    start = request.seed_of(scenario.run.seed if seed is None else seed)
    most = request.threads_of(1 if threads is None else threads)
    workers = 1 if engine == "reference" else min(most, most_runs(size))
    options: dict[str, Any] = {
        "seed": start,
        "threads": workers,
        "engine": engine,
        "policies": policies,
    }
    run = partial(engines.run, scenario, on_progress=on_progress, **options)
    collection = Collection(size, scenario.run.confidence, on_estimate)
    with policies_refused(engine, policies):
        interrupted = collection.collect(run, keep_on_interrupt)
    return Sample(
        scenario=scenario,
        runs=collection.runs(),
        seed=start,
        engine=engine,
        threads=min(workers, collection.done),
        precision=collection.precision(),
        interrupted=interrupted,
    )


def trace(
    scenario: Scenario,
    *,
    seed: int,
    replication: int = 0,
    engine: Engine = "kernel",
    policies: type[Policies] | None = None,
) -> Trace:
    """Run one replication of `scenario` and return its events, in order of occurrence.

    It is the same run as replication number `replication` (0 to 4,294,967,295) of
    `simulate(scenario, seed=seed)`; both engines give the same events. `policies`, a subclass of
    `Policies`, runs in the reference engine only. Raises RequestError for a scenario, seed,
    replication, engine or policy that cannot be used.
    """
    request.check_scenario(scenario)
    request.check_engine(engine)
    request.check_policies(policies)
    start, number = request.seed_of(seed), request.replication_of(replication)
    with policies_refused(engine, policies):
        return engines.trace(
            scenario, seed=start, replication=number, engine=engine, policies=policies
        )


def compile_kernel(announce: Callable[[str], None] | None = None) -> None:
    """Have the compiled engine at hand, so that the next `simulate` starts at once.

    Compiles it if no compiled form of it is on disk: `announce` is called beforehand with a
    sentence that says so. Otherwise this takes a fraction of a second.
    """
    sentence = compile_notice()
    if sentence is not None and announce is not None:
        announce(sentence)
    warming.compile_kernel()


@contextmanager
def policies_refused(engine: Engine, policies: type[Policies] | None) -> Iterator[None]:
    """Pass on as a RequestError what the engine says to policies that it cannot run.

    The kernel refuses them before anything runs, so no other error can be meant here.
    """
    try:
        yield
    except ValueError as error:
        if policies is None or engine != "kernel":
            raise
        raise RequestError(str(error)) from None
