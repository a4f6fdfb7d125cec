"""A plan as a document.

On the map: study, beside plan.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from failcast.scenario import scenario_hash, to_dict
from failcast.version import __version__

if TYPE_CHECKING:
    from failcast.study.planning.plan import Option, Plan

SCHEMA: Final = "failcast.plan/1"


def document(
    plan: Plan, *, argv: Sequence[str] | None = None, created: str | None = None
) -> dict[str, Any]:
    """The plan, ready for JSON."""
    came = {"argv": None if argv is None else list(argv), "created": created}
    return {
        "schema": SCHEMA,
        "manifest": {
            "failcast": __version__,
            "scenario": plan.scenario.name,
            "scenario_hash": scenario_hash(plan.scenario),
            "seed": plan.seed,
            "runs": plan.runs,
            "settings": plan.tried,
            "confidence": plan.confidence,
            **{name: value for name, value in came.items() if value is not None},
        },
        "scenario": to_dict(plan.scenario),
        "goals": [each.goal.text for each in plan.goals],
        "minimize": plan.aim_name,
        "complete": plan.complete,
        "interrupted": plan.interrupted,
        "answer": plan.answer(),
        "chosen": None if plan.chosen is None else _point(plan, plan.chosen),
        "nearest": None if plan.nearest is None else _point(plan, plan.nearest),
        "one_step_less": {path: _point(plan, each) for path, each in plan.less.items()},
        "assumptions": [asdict(each) for each in plan.assumptions],
        "frontier": [_point(plan, each) for each in plan.frontier],
    }


def _point(plan: Plan, point: Option) -> dict[str, Any]:
    mean, interval = point.ettr
    low, high = interval or (None, None)
    figures = zip(plan.goals, point.figures, strict=True)
    return {
        "setting": point.setting,
        "price": point.price,
        "judgement": point.judgement.value,
        "goals": {goal.goal.text: asdict(figure) for goal, figure in figures},
        "ettr": {"mean": mean, "low": low, "high": high},
        "replications": point.replications,
        "fresh": point.fresh,
    }
