"""The cells of a sweep as a table and as a document.

On the map: study, beside sweep.py. polars is loaded when a table is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from failcast.engine import METRICS, Status
from failcast.results.measure import Measure
from failcast.scenario import scenario_hash, to_dict
from failcast.study.sweeps.effects import Effect, effects_of
from failcast.study.sweeps.figures import FIGURES
from failcast.version import __version__

if TYPE_CHECKING:
    import polars

    from failcast.study.sweeps.sweep import Sweep


def table(sweep: Sweep) -> polars.DataFrame:
    """One row per cell; see `Sweep.table`."""
    import polars

    columns: dict[str, Any] = {"cell": [cell.number for cell in sweep.cells]}
    for number, axis in enumerate(sweep.axes):
        columns[axis.path] = [cell.values[number] for cell in sweep.cells]
    columns["problem"] = [cell.problem or None for cell in sweep.cells]
    found = [sweep.figures.get(cell.number) for cell in sweep.cells]
    for status in Status:
        name = f"runs_{status.label}"
        columns[name] = [None if each is None else each.counts[status] for each in found]
    empty = np.full((len(FIGURES), len(METRICS)), np.nan)
    figures = np.stack([empty if each is None else each.table for each in found])
    for column, metric in enumerate(METRICS):
        for row, figure in enumerate(FIGURES):
            name = metric if figure == "mean" else f"{metric}_{figure}"
            columns[name] = figures[:, row, column]
    schema: dict[str, Any] = {f"runs_{status.label}": polars.Int64 for status in Status}
    schema["problem"] = polars.String
    frame = polars.DataFrame(columns, schema_overrides=schema)
    return frame.with_columns(polars.selectors.float().fill_nan(None))


def document(
    sweep: Sweep,
    metrics: Sequence[str] = (),
    *,
    argv: Sequence[str] | None = None,
    created: str | None = None,
) -> dict[str, Any]:
    """The sweep, ready for JSON; see `Sweep.to_dict`. Raises RequestError for a wrong metric."""
    wanted = [Measure.parse(name) for name in metrics] or [Measure(name) for name in METRICS]
    came = {"argv": None if argv is None else list(argv), "created": created}
    return {
        "schema": sweep.schema,
        "manifest": {
            "failcast": __version__,
            "scenario": sweep.scenario.name,
            "scenario_hash": scenario_hash(sweep.scenario),
            "seed": sweep.seed,
            "replications": sweep.replications,
            "engine": sweep.engine,
            "confidence": sweep.scenario.run.confidence,
            **{name: value for name, value in came.items() if value is not None},
        },
        "scenario": to_dict(sweep.scenario),
        "interrupted": sweep.interrupted,
        "vary": {axis.path: list(axis.values) for axis in sweep.axes},
        "effects": {
            name: [_effect(each) for each in found]
            for name, found in effects_of(sweep, wanted).items()
        },
        "cells": [_cell(sweep, number, wanted) for number in range(len(sweep.cells))],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "path": effect.path,
        "base": effect.base,
        "other": effect.other,
        "cells": effect.cells,
        "difference": effect.difference.to_dict(),
    }


def _cell(sweep: Sweep, number: int, measures: Sequence[Measure]) -> dict[str, Any]:
    cell, figures = sweep.cells[number], sweep.figures.get(number)
    paths = [axis.path for axis in sweep.axes]
    found: dict[str, Any] = {
        "cell": number,
        "values": dict(zip(paths, cell.values, strict=True)),
        "problem": cell.problem or None,
    }
    if figures is None:
        return found | {"status": None, "metrics": None}
    return found | {
        "status": {status.label: figures.counts[status] for status in Status},
        "metrics": {each.name: _figures(sweep, number, each) for each in measures},
    }


def _figures(sweep: Sweep, number: int, measure: Measure) -> dict[str, float | None]:
    """Mean and interval, and of a metric the other figures, too."""
    if not measure.is_share:
        return {name: sweep.figures[number].of(measure.metric, name) for name in FIGURES}
    mean, interval = sweep.mean(number, measure)
    low, high = interval or (None, None)
    return {"mean": mean, "low": low, "high": high}
