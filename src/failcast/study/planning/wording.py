"""Plans in words.

On the map: study, beside plan.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from failcast.results import wording
from failcast.study.planning.wanted import Figure, Judgement, Wanted

if TYPE_CHECKING:
    from failcast.study.planning.plan import Option, Plan


def answer(plan: Plan) -> str:
    """Say which setting is the cheapest, how sure that is, and what one step less would do."""
    sentences = [_found(plan) if plan.chosen is not None else _nothing(plan)]
    if plan.chosen is not None and plan.less:
        sentences.append(_less(plan))
    if plan.assumptions:
        sentences.append(_assumed(plan))
    if plan.interrupted:
        sentences.append(
            f"The plan was interrupted after {plan.runs:,} runs: a cheaper setting may exist, and "
            "what was not looked at by then is missing."
        )
    elif not plan.complete and (plan.chosen is None or plan.less):
        sentences.append(
            "The budget of the search was used up, so a cheaper setting may exist: raise --budget."
        )
    return " ".join(sentences)


def setting(point: Option) -> str:
    """`cluster.spare_pool=40, job.warm_standbys=12`."""
    return ", ".join(f"{path}={value}" for path, value in point.setting.items())


def price(plan: Plan, point: Option) -> str:
    """`4,200 servers` or `training_hours 9,877`."""
    if plan.aim_name == "servers":
        return f"{point.price:,.0f} servers"
    return f"{plan.aim_name} {wording.number(point.price, wording.decimals_for_value(point.price))}"


def _found(plan: Plan) -> str:
    assert plan.chosen is not None
    goals = " and ".join(figure_words(*each) for each in _figures(plan, plan.chosen))
    return (
        f"{setting(plan.chosen)} ({price(plan, plan.chosen)}) is the cheapest setting found that "
        f"meets {'the goal' if len(plan.goals) == 1 else 'all goals'} with "
        f"{100.0 * plan.confidence:g} % confidence: {goals}."
    )


def _nothing(plan: Plan) -> str:
    text = f"No setting was shown to meet {' and '.join(each.goal.text for each in plan.goals)}."
    if plan.nearest is None:
        return text
    goals = " and ".join(figure_words(*each) for each in _figures(plan, plan.nearest))
    if plan.nearest.judgement is Judgement.MET:
        return (
            f"{setting(plan.nearest)} ({price(plan, plan.nearest)}) is the cheapest setting so far "
            f"that meets {'the goal' if len(plan.goals) == 1 else 'all goals'} by "
            f"{plan.nearest.replications:,} runs of the search: {goals}. It was not yet judged on "
            "fresh runs, which no setting was chosen by."
        )
    return f"{text} Nearest is {setting(plan.nearest)} ({price(plan, plan.nearest)}): {goals}."


def _figures(plan: Plan, point: Option) -> list[tuple[Wanted, Figure]]:
    return list(zip(plan.goals, point.figures, strict=True))


def _less(plan: Plan) -> str:
    """What one step less of each choice does."""
    assert plan.chosen is not None
    parts = []
    for path, point in plan.less.items():
        if point.price > plan.chosen.price:
            parts.append(f"{path}={point.setting[path]} is dearer")
            continue
        if point.judgement is Judgement.MET:
            parts.append(f"{path}={point.setting[path]} would do, too")
            continue
        figures = _figures(plan, point)
        missed = [goal for goal, figure in figures if not goal.holds(_safe(goal, figure))]
        names = " and ".join(goal.name for goal in missed)
        fails = [goal for goal, figure in figures if not goal.holds(figure.value)]
        verb = "misses" if fails else "is not sure to keep"
        parts.append(f"{path}={point.setting[path]} {verb} {names or 'a goal'}")
    return f"One step less: {'; '.join(parts)}."


#: Assumptions that the answer names; a table has all.
_NAMED: Final = 2


def _assumed(plan: Plan) -> str:
    """Up to where the assumptions may be wrong that matter most."""
    matter = [each for each in plan.assumptions if each.matters]
    if not matter:
        return "No assumption from half to double would change that."
    parts = []
    for each in matter[:_NAMED]:
        sides = [
            f"{word} {bound.partition(' (')[0]}"
            for word, bound in zip(("below", "above"), each.bounds, strict=True)
            if bound
        ]
        parts.append(f"{each.path} {' or '.join(sides)} (now {each.now})")
    return f"It would not do with {', or with '.join(parts)}."


def _safe(goal: Wanted, figure: Figure) -> float | None:
    """The end of a figure's bounds that a goal has to hold for."""
    return figure.low if goal.upwards else figure.high


def figure_words(goal: Wanted, figure: Figure) -> str:
    """`p95(training_hours) is 9,850 (at most 9,871)`."""
    if figure.value is None:
        return f"{goal.name} is not known"
    value, safe = numbers(goal, figure)
    text = f"{goal.name} is {value}"
    if not safe:
        return f"{text} (not bounded by these runs)"
    least = "at least" if goal.upwards else "at most"
    return f"{text} ({least} {safe})"


def numbers(goal: Wanted, figure: Figure) -> tuple[str, str]:
    """A figure and the bound that the goal has to hold for, to the digits that these support.

    What is not known is empty.
    """
    safe = _safe(goal, figure)
    if figure.value is None:
        return "", ""
    gap = abs(figure.value - safe) if safe is not None else 0.0
    decimals = (
        wording.decimals_for_error(gap) if gap else wording.decimals_for_value(figure.value, 6)
    )
    shown = "" if safe is None else wording.number(safe, decimals)
    return wording.number(figure.value, decimals), shown
