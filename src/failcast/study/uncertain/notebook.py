"""How a prediction shows itself in a notebook: the answer, the metrics, what makes the spread.

On the map: study, beside prediction.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from failcast.engine import METRICS
from failcast.results import wording
from failcast.scenario import notebook

if TYPE_CHECKING:
    from failcast.study.uncertain.causes import Cause
    from failcast.study.uncertain.parts import Parts
    from failcast.study.uncertain.prediction import Prediction


def prediction_html(prediction: Prediction) -> str:
    """The answer, the metrics that are not zero, what makes the variance, what ran."""
    parts = [notebook.answer(prediction.answer())]
    if prediction.finished:
        parts += [_metrics(prediction), _causes(prediction)]
    draws, inputs = len(prediction.draws), len(prediction.beliefs)
    ran = (
        f"{prediction.scenario.name}: {draws:,} draws of {inputs} uncertain "
        f"input{'s' * (inputs != 1)}, {prediction.runs_per_draw:,} runs of each, "
        f"{prediction.finished:,} finished, seed {prediction.seed}, {prediction.engine} engine"
    )
    return notebook.block(*parts, notebook.remark(ran))


def _metrics(prediction: Prediction) -> str:
    """One row for each metric that is not zero in every run; the others in a line below."""
    seen = [name for name in METRICS if prediction.values(name).any()]
    zero = wording.zeros([name for name in METRICS if name not in seen])
    head = ("metric", "mean", _level(prediction), "p5", "p50", "p95", "inputs")
    rows = [_row(prediction, name) for name in seen]
    below = "The last column is the part of the variance that comes from the inputs."
    if zero:
        below = f"{below} Zero in every run: {zero}."
    return notebook.table(head, rows) + notebook.remark(below)


def _row(prediction: Prediction, name: str) -> tuple[str, ...]:
    figures, spread = prediction.summary(name), prediction.parts(name)
    decimals = wording.decimals_for_mean(figures.mean, figures.low, figures.high)
    mean, *quantiles = (
        "–" if each is None else wording.number(each, decimals)
        for each in (figures.mean, figures.p5, figures.p50, figures.p95)
    )
    interval = wording.interval(figures.low, figures.high, decimals, unknown="–")
    part = "–" if spread is None or spread.share is None else wording.percent(spread.share)
    return (name, mean, interval, *quantiles, part)


def _causes(prediction: Prediction) -> str:
    """What each input adds to the variance of the training time, and what chance adds."""
    spread = prediction.parts("training_hours")
    if spread is None or spread.share is None:
        return ""
    rows = [_cause_row(each) for each in prediction.causes()]
    rows.append(("chance", "", _chance(spread, spread.share)))
    head = ("input", "believed", "share of the variance of training_hours")
    return notebook.table(head, rows, left=(0, 1))


def _cause_row(cause: Cause) -> tuple[str, str, str]:
    return (cause.path, cause.believed, _share(cause.share, cause.low, cause.high))


def _chance(spread: Parts, share: float) -> str:
    low, high = (None if end is None else 1.0 - end for end in (spread.high, spread.low))
    return _share(1.0 - share, low, high)


def _share(share: float, low: float | None, high: float | None) -> str:
    """A share, and behind it its interval in small type."""
    if low is None or high is None or not low < high:
        return wording.percent(share)
    return f"{wording.percent(share)}\n{wording.percent_range(low, high)}"


def _level(prediction: Prediction) -> str:
    return f"{100.0 * prediction.confidence:g} % interval"
