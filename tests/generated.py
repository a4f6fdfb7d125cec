"""Scenarios at random for property tests, `scenarios()`, and what they are made of.

On the map: beside strategies.py, whose options they reach. Shared by all tests of the engines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from tests.strategies import FACTORS, SHOP, build, possible

from failcast.scenario import (
    Constant,
    ConstantLife,
    Distribution,
    Empirical,
    EmpiricalLife,
    Exponential,
    ExponentialLife,
    Gamma,
    GammaLife,
    Life,
    Lognormal,
    LognormalLife,
    Mixture,
    MixtureLife,
    Never,
    Regeneration,
    Relapse,
    Requalification,
    Retirement,
    Scenario,
    ScoreFloor,
    Shift,
    SpareParts,
    Threshold,
    Uniform,
    UniformLife,
    Weibull,
    WeibullLife,
)

_probabilities = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0.0, 1.0))


def hours(most: float = 20.0) -> st.SearchStrategy[float]:
    """Durations in hours from zero (often) to ``most``."""
    return st.one_of(st.just(0.0), st.floats(1e-3, most), st.integers(1, 10).map(float))


@st.composite
def distributions(draw: st.DrawFn, most: float = 20.0) -> Distribution:
    """Distributions of durations of every family, with means up to about ``most`` hours.

    Composite, so that a strategy that holds many of them is not written out in all its parts.
    """
    single = _single(most)
    return draw(st.one_of(single, mixtures(single).map(lambda parts: Mixture(parts=parts))))


def mixtures(parts: st.SearchStrategy[Distribution]) -> st.SearchStrategy[Sequence[Any]]:
    """Weights that add up to 1, each with one of ``parts``."""
    weighted = st.lists(st.tuples(st.integers(1, 100), parts), min_size=1, max_size=5)
    return weighted.map(
        lambda pairs: tuple((w / sum(each for each, _ in pairs), part) for w, part in pairs)
    )


def _single(most: float) -> st.SearchStrategy[Distribution]:
    """Distributions of durations of every family but mixtures."""
    shapes = st.floats(0.4, 4.0)
    return st.one_of(
        st.builds(Constant, value=hours(most)),
        st.builds(Exponential, mean=hours(most)),
        st.builds(Weibull, mean=hours(most), shape=shapes),
        st.builds(Weibull, scale=hours(most), shape=shapes),
        st.builds(Gamma, mean=hours(most), shape=st.floats(0.05, 50.0)),
        st.builds(Gamma, scale=hours(most), shape=shapes),
        st.builds(Empirical, values=st.lists(hours(most), min_size=1, max_size=8)),
        st.builds(Lognormal, median=hours(most), sigma=st.floats(0.0, 2.0)),
        st.builds(Lognormal, mean=hours(most), sigma=st.floats(0.0, 2.0)),
        st.lists(hours(most), min_size=2, max_size=2).map(
            lambda ends: Uniform(low=min(ends), high=max(ends))
        ),
    )


def lives() -> st.SearchStrategy[Life]:
    """Shapes of server lives of every family."""
    return st.one_of(
        st.just(ExponentialLife()),
        st.builds(WeibullLife, shape=st.floats(0.4, 4.0)),
        st.builds(LognormalLife, sigma=st.floats(0.0, 1.5)),
        st.builds(GammaLife, shape=st.floats(0.1, 50.0)),
        st.builds(EmpiricalLife, values=st.lists(st.floats(0.1, 100.0), min_size=1, max_size=8)),
        mixtures(_single(20.0)).filter(_has_length).map(lambda parts: MixtureLife(parts=parts)),
        st.just(ConstantLife()),
        st.builds(UniformLife, spread=st.floats(0.01, 1.0)),
    )


def _has_length(parts: Sequence[Any]) -> bool:
    return any(part.mean_hours > 0.0 for _, part in parts)


def retirements() -> st.SearchStrategy[Retirement]:
    """Retirement rules of every kind."""
    return st.one_of(
        st.just(Never()),
        st.builds(Threshold, failures=st.integers(1, 4), window=st.floats(1.0, 200.0)),
        st.builds(ScoreFloor, floor=st.sampled_from([0.0, 45.0, 70.0])),
    )


def shifts() -> st.SearchStrategy[Shift]:
    """Shifts of any begin and length, in whole hours often."""
    return st.builds(
        Shift,
        begin=st.integers(0, 23) | st.floats(1e-3, 23.9),
        hours=st.integers(1, 24) | st.floats(1e-3, 24.0),
        days=st.integers(1, 7),
    )


def spare_parts() -> st.SearchStrategy[SpareParts]:
    """Parts that are needed now and then or always, few of them in stock."""
    return st.builds(
        SpareParts,
        probability=_probabilities,
        stock=st.integers(0, 5),
        lead_time=distributions(50.0),
    )


def requalifications() -> st.SearchStrategy[Requalification]:
    """Tests after repairs that find all, nothing or a part of what went wrong."""
    return st.builds(Requalification, time=distributions(), detects=_probabilities)


def relapses() -> st.SearchStrategy[Relapse]:
    """Faults that strike again, at all servers alike or at some of them more."""
    return st.builds(
        Relapse,
        probability=_probabilities.map(lambda p: min(p, 0.9)),  # or no run ever ends
        time=distributions().filter(lambda each: each.mean_hours > 0.0),
        concentration=st.one_of(st.just(math.inf), st.floats(0.01, 20.0)),
    )


def scenarios(*, most_servers: int = 40) -> st.SearchStrategy[Scenario]:
    """Small scenarios, jobs of 1 to ``most_servers`` servers, that reach every option.

    They expect up to 300 failures and end soon: at 20 lengths of the job or 20,000 events.
    """
    free: dict[str, st.SearchStrategy[Any]] = {
        # Tiny jobs, where everything happens at once, come as often as all others.
        "servers": st.integers(1, min(4, most_servers)) | st.integers(1, most_servers),
        "standbys": st.integers(0, 6),
        "idle": st.integers(-3, 6),
        "spares": st.integers(0, 8),
        "life": lives(),
        "replay": st.just(0) | st.just(0) | st.just(0) | st.integers(0, 200),
        "initial_age": st.sampled_from(["new", "stationary"]) | st.floats(0.01, 0.9),
        "failures": st.one_of(st.just(0.0), st.floats(1.0, 300.0)),
        "defective": st.tuples(_probabilities, st.floats(0.0, 8.0)),
        "regeneration": st.one_of(
            st.none(),
            st.builds(Regeneration, interval=st.floats(2.0, 150.0), share=st.floats(0.01, 1.0)),
        ),
        **dict.fromkeys(
            ("diagnosed", "wrong_server", "escalate", "automated_silent", "manual_silent"),
            _probabilities,
        ),
        **dict.fromkeys(("recovery", "selection"), distributions(2.0)),
        **dict.fromkeys(("wait", "automated", "manual"), distributions()),
        "shift": st.one_of(st.none(), shifts()),
        "parts": st.one_of(st.none(), spare_parts()),
        "requalification": st.one_of(st.none(), requalifications()),
        "relapse": st.one_of(st.none(), relapses()),
        "retirement": retirements(),
    }
    fixed = {name: st.sampled_from(levels) for name, levels in FACTORS.items() if name not in free}
    # Half of the shops are without limits: there a repair is drawn whole at the blame.
    unlimited = {name: FACTORS[name][0] for name in SHOP}
    return st.builds(
        lambda case, limits, seed: build(case | ({} if limits else unlimited), seed=seed),
        st.fixed_dictionaries({**free, **fixed}).map(possible),
        st.booleans(),
        st.integers(0, 2**63 - 1),
    )
