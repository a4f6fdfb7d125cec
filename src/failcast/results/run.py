"""simulate and trace: from a scenario to a sample, or to the events of one run.

On the map: results, at the seam to the engine. Both settle counts and seed, refuse what cannot be
run in a sentence, and call the engine; `simulate` joins its arrays to their scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from failcast import engine as engines
from failcast.engine import Engine, Policies, Trace, compile_notice
from failcast.engine import warm as warming
from failcast.results import request
from failcast.results.errors import RequestError
from failcast.results.sample import Sample
from failcast.scenario import Scenario


def simulate(
    scenario: Scenario,
    *,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    policies: type[Policies] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Sample:
    """Run `scenario` many times, independently, and return the sample.

    `replications` and `seed` default to the scenario's own (`scenario.run`), `threads` to one. The
    result does not depend on the number of threads; no more are used than there are replications,
    and the reference engine, plain Python, uses one. `policies`, a subclass of `Policies`, runs in
    the reference engine only. `on_progress` is called with the number of replications just done,
    by whichever thread did them. Raises RequestError for a scenario, count, seed, engine or policy
    that cannot be used.
    """
    request.check_scenario(scenario)
    request.check_engine(engine)
    request.check_policies(policies)
    request.check_callable("on_progress", on_progress)
    count = request.replications_of(
        scenario.run.replications if replications is None else replications
    )
    start = request.seed_of(scenario.run.seed if seed is None else seed)
    most = request.threads_of(1 if threads is None else threads)
    workers = 1 if engine == "reference" else min(most, count)
    with _policies_refused(engine, policies):
        runs = engines.run(
            scenario,
            replications=count,
            seed=start,
            threads=workers,
            engine=engine,
            policies=policies,
            on_progress=on_progress,
        )
    return Sample(scenario=scenario, runs=runs, seed=start, engine=engine, threads=workers)


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
    with _policies_refused(engine, policies):
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
def _policies_refused(engine: Engine, policies: type[Policies] | None) -> Iterator[None]:
    """Pass on as a RequestError what the engine says to policies that it cannot run.

    The kernel refuses them before anything runs, so no other error can be meant here.
    """
    try:
        yield
    except ValueError as error:
        if policies is None or engine != "kernel":
            raise
        raise RequestError(str(error)) from None
