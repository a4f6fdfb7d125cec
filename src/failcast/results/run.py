"""simulate: from a scenario to a sample, the one call that most users need.

On the map: results, at the seam to the engine. It settles the counts and the seed, refuses what
cannot be run in a sentence, and joins the engine's arrays to their scenario.
"""

from __future__ import annotations

from collections.abc import Callable

from failcast import engine as engines
from failcast.engine import ENGINES, Engine, Policies, compile_notice
from failcast.engine import warm as warming
from failcast.results.errors import RequestError, unknown_name
from failcast.results.sample import Sample
from failcast.scenario import Scenario

REPLICATIONS_MAX = 10_000_000
THREADS_MAX = 256
SEED_MAX = 2**63 - 1


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
    result does not depend on the number of threads. `policies`, a subclass of `Policies`, runs in
    the reference engine only. `on_progress` is called with the number of replications just done,
    by whichever thread did them. Raises RequestError for a count, seed, engine or policy that
    cannot be used.
    """
    count = scenario.run.replications if replications is None else replications
    start = scenario.run.seed if seed is None else seed
    workers = 1 if threads is None else threads
    check_request(replications=count, seed=start, threads=workers, engine=engine)
    if policies is not None and engine == "kernel":
        raise RequestError(
            f"policies={policies.__name__} is Python code and the kernel is compiled: "
            'choose engine="reference".'
        )
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


def compile_kernel(announce: Callable[[str], None] | None = None) -> None:
    """Have the compiled engine at hand, so that the next `simulate` starts at once.

    Compiles it if no compiled form of it is on disk: `announce` is called beforehand with a
    sentence that says so. Otherwise this takes a fraction of a second.
    """
    sentence = compile_notice()
    if sentence is not None and announce is not None:
        announce(sentence)
    warming.compile_kernel()


def check_request(*, replications: int, seed: int, threads: int, engine: str) -> None:
    """Raise RequestError, in a sentence, unless all four can be used."""
    _check_whole("replications", replications, 1, REPLICATIONS_MAX)
    _check_whole("seed", seed, 0, SEED_MAX)
    _check_whole("threads", threads, 1, THREADS_MAX)
    if engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= most:  # type: ignore[operator] # whole implies int
        raise RequestError(
            f"{name} must be a whole number from {least:,} to {most:,}; got {value}."
        )
