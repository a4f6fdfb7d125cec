"""The draws of uncertain inputs: each an ordinary scenario, with the values that it was given.

On the map: study, below prediction.py. A draw's address is the seed, the path of the input and the
number of the draw, so another uncertain input changes nothing about those that are there.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from failcast.engine.address import BELIEF, draw_plainly
from failcast.results import RequestError
from failcast.results.statistics import Floats
from failcast.scenario import Scenario, ScenarioError, override
from failcast.scenario.beliefs import Belief, Options, Unknown, beliefs_of
from failcast.study.uncertain.causes import Factor

#: Quantiles at which the variance of a belief is taken: the middles of so many equal parts.
_STEPS = 2000


@dataclass(frozen=True)
class Draw:
    """One draw of all inputs: their values as texts, in the order of the beliefs."""

    values: tuple[str, ...]
    scenario: Scenario


def known_beliefs(scenario: Scenario) -> tuple[Belief, ...]:
    """The beliefs of a scenario that can be drawn from. Raises RequestError."""
    beliefs = beliefs_of(scenario)
    if not beliefs:
        raise RequestError(
            "the scenario has no uncertain inputs: say what is believed of one, such as "
            "uncertain.recovery.time=10min..30min."
        )
    unknown = next((each for each in beliefs if isinstance(each, Unknown)), None)
    if unknown is not None:
        raise RequestError(
            f"{unknown.path} is unknown, so there is no value to draw: give a range or a "
            "distribution, or draw its curve."
        )
    return beliefs


def without_beliefs(scenario: Scenario, *paths: str) -> Scenario:
    """The scenario without what is believed of these inputs; without paths, of any."""
    kept = tuple(pair for pair in scenario.uncertain if paths and pair[0] not in paths)
    return scenario.model_copy(update={"uncertain": kept})


def drawn(scenario: Scenario, beliefs: Sequence[Belief], seed: int, draws: int) -> tuple[Draw, ...]:
    """Draw the inputs. Raises RequestError where some values do not fit together."""
    certain = without_beliefs(scenario)
    return tuple(_draw(certain, beliefs, seed, number) for number in range(draws))


def _draw(scenario: Scenario, beliefs: Sequence[Belief], seed: int, number: int) -> Draw:
    values = tuple(
        each.at(draw_plainly(seed, 0, BELIEF, zlib.crc32(each.path.encode()), number))
        for each in beliefs
    )
    settings = [f"{each.path}={value}" for each, value in zip(beliefs, values, strict=True)]
    try:
        return Draw(values, override(scenario, settings))
    except ScenarioError as error:
        raise RequestError(
            f"what is believed allows {', '.join(settings)}, which no scenario has: "
            f"{error.message[:1].lower()}{error.message[1:]}"
        ) from None


def factors(beliefs: Sequence[Belief], draws: Sequence[Draw]) -> tuple[Factor, ...]:
    """The draws of each input as columns of numbers, or of marks for its options."""
    found = []
    for place, belief in enumerate(beliefs):
        values = [draw.values[place] for draw in draws]
        if isinstance(belief, Options) and len(belief.values) > 2:
            marks = [[float(value == each) for each in belief.values[1:]] for value in values]
            share = 1.0 / len(belief.values)
            size = len(belief.values) - 1
            covariance = share * np.eye(size) - share**2
            found.append(Factor(belief.path, belief.text, np.array(marks), covariance, None))
            continue
        numbers = np.array([_number(belief, value) for value in values])[:, None]
        quantiles = [_number(belief, belief.at((k + 0.5) / _STEPS)) for k in range(_STEPS)]
        width = quantiles[int(0.95 * _STEPS)] - quantiles[int(0.05 * _STEPS)]
        variance: Floats = np.array([[np.var(quantiles)]])
        found.append(Factor(belief.path, belief.text, numbers, variance, width))
    return tuple(found)


def _number(belief: Belief, value: str) -> float:
    number = belief.number(value)
    assert number is not None
    return number
