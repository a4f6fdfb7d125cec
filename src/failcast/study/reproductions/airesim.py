"""AIReSim's Table 1 study: ten parameters, four sizes of the working pool, 30 replications.

Source: AIReSim, A Discrete Event Simulator for Large-scale AI Cluster Reliability Modeling, arXiv
2603.07041, and the sweep over Table 1 in its public code. The statements are ours, in our words,
about what the paper reports; its authors say that its figures were made with another configuration
than the public defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from failcast.results import wording
from failcast.study.differences import Difference
from failcast.study.reproductions.study import MATTERS, Finding, Part, Study, between
from failcast.study.sweeps import Sweep, sweep_effects

#: The job and its standbys need 4,112.
POOLS: Final = ("4112", "4128", "4160", "4192")
ENOUGH, GENEROUS = "4160", "4192"
_POOLS: Final = f"cluster.working_pool={','.join(POOLS)}"
_PARAMETERS: Final = {
    "recovery": "recovery.time=10 min,20 min,30 min",
    "waiting": "preemption.wait=10 min,20 min,30 min",
    "defective": "failures.systematic.fraction=0.1,0.15,0.2",
    "standbys": "job.warm_standbys=4,8,16,32",
    "selection": "selection.time=1 min,3 min,5 min,10 min",
    "automated-silent": "repair.automated.silent_failure=0.2,0.4,0.6",
    "manual-silent": "repair.manual.silent_failure=0.1,0.2,0.3",
    "automated-time": "repair.automated.time.mean=1 h,2 h,3 h",
    "manual-time": "repair.manual.time.mean=1 d,2 d,3 d",
    "escalation": "repair.automated.escalate=0.7,0.8,0.9",
}
#: A job without standbys that gives its spares back: then nearly every failure waits for one.
_RETURNING: Final = ("preemption.return=when_healed", "job.warm_standbys=0")
_PARTS: Final = {
    **{name: Part((), (text, _POOLS)) for name, text in _PARAMETERS.items()},
    "waiting-returning": Part(_RETURNING, (_PARAMETERS["waiting"], _POOLS), extra=True),
    "random-rate": Part(
        (f"cluster.working_pool={GENEROUS}",),
        ("failures.random.rate=0.005/day,0.01/day,0.02/day",),
        extra=True,
    ),
}


def _check(sweeps: Mapping[str, Sweep]) -> tuple[Finding, ...]:
    return (
        _recovery(sweeps["recovery"]),
        _waiting(sweeps["waiting"], sweeps["waiting-returning"]),
        _nothing_else(sweeps),
        _failure_rates(sweeps["defective"], sweeps["random-rate"]),
        _repair_times(sweeps["automated-time"], sweeps["manual-time"]),
        _pool(sweeps["recovery"]),
        _standbys(sweeps["standbys"]),
    )


def _recovery(sweep: Sweep) -> Finding:
    change, gap = _of(sweep)
    return Finding("Recovery time matters.", _matters(gap), f"{change} {_costs(gap)}.")


def _waiting(defaults: Sweep, returning: Sweep) -> Finding:
    (change, small), (_, large) = _of(defaults), _of(returning)
    preemptions, _ = defaults.mean(defaults.at("20 min", POOLS[0]), "preemptions")
    return Finding(
        "Waiting for servers from the spare pool matters.",
        _matters(small),
        f"{change} {_costs(small)}. A spare that was "
        f"preempted stays, so the job waits only some {preemptions or 0.0:.0f} times even with the "
        f"smallest pool. Where spares go back ({', '.join(_RETURNING)}), the same "
        f"change {_costs(large)}, and with {POOLS[0]} servers "
        f"{_costs(_at(returning, POOLS[0]))}.",
    )


def _nothing_else(sweeps: Mapping[str, Sweep]) -> Finding:
    others = [name for name in _PARAMETERS if name not in ("recovery", "waiting")]
    found = {sweeps[name].axes[0].path: _of(sweeps[name]) for name in others}
    most = max(found, key=lambda path: abs(_share(found[path][1])))
    change, gap = found[most]
    return Finding(
        "No other parameter matters.",
        _none(_matters(each) for _, each in found.values()),
        f"Of the eight others, {most} matters most: {change} {_costs(gap)}.",
    )


def _failure_rates(defective: Sweep, random: Sweep) -> Finding:
    share, (change, rate) = _at(defective, GENEROUS), _of(random)
    return Finding(
        "Failure rates hardly matter while the pool is generous.",
        _none((_matters(share), _matters(rate))),
        f"With {GENEROUS} servers, {_ends(defective)} of failures.systematic.fraction "
        f"{_costs(share)}. But {random.axes[0].path} is not among the ten parameters, and there "
        f"{change} {_costs(rate)}: each failure costs a recovery, however many servers there are.",
    )


def _repair_times(automated: Sweep, manual: Sweep) -> Finding:
    found = [_at(automated, GENEROUS), _at(manual, GENEROUS)]
    return Finding(
        "Repair times hardly matter while the pool is generous.",
        _none(map(_matters, found)),
        f"With {GENEROUS} servers, {_ends(automated)} of automated repair {_costs(found[0])}; "
        f"{_ends(manual)} of manual repair {_costs(found[1])}.",
    )


def _pool(sweep: Sweep) -> Finding:
    more = between(sweep, ("20 min", ENOUGH), ("20 min", GENEROUS))
    fewer = between(sweep, ("20 min", ENOUGH), ("20 min", POOLS[0]))
    return Finding(
        "Some 32 servers above the minimum are enough: 4,160.",
        _opposite(_matters(more, MATTERS / 10.0)),
        f"{GENEROUS} instead of {ENOUGH} {_costs(more)}; the minimum, {POOLS[0]}, {_costs(fewer)}.",
    )


def _standbys(sweep: Sweep) -> Finding:
    first = between(sweep, ("4", ENOUGH), ("16", ENOUGH))
    second = between(sweep, ("16", ENOUGH), ("32", ENOUGH))
    pays = None if not first.shown else (first.difference or 0.0) < 0.0
    return Finding(
        "More standbys stop paying.",
        _all((pays, _saves_less(second, abs(first.difference or 0.0) / 4.0))),
        f"With {ENOUGH} servers, 16 standbys instead of 4 {_costs(first)}; 32 instead of 16 "
        f"{_costs(second)}.",
    )


def _of(sweep: Sweep) -> tuple[str, Difference]:
    """The effect of the sweep's first axis on the training time, and between which values."""
    path = sweep.axes[0].path
    effect = next(each for each in sweep_effects(sweep) if each.path == path)
    assert isinstance(effect.difference, Difference)  # as of every metric
    return f"{effect.other} instead of {effect.base}", effect.difference


def _at(sweep: Sweep, pool: str) -> Difference:
    """The last value of the first axis instead of its first, with this working pool."""
    values = sweep.axes[0].values
    return between(sweep, (values[0], pool), (values[-1], pool))


def _ends(sweep: Sweep) -> str:
    values = sweep.axes[0].values
    return f"{values[-1]} instead of {values[0]}"


def _share(gap: Difference) -> float:
    """A difference as a share of the training time it is a difference from."""
    return (gap.difference or 0.0) / gap.base if gap.base else 0.0


def _matters(gap: Difference, least: float = MATTERS) -> bool | None:
    """Whether a difference is at least this share of the time, or less; None: it may be either."""
    if gap.low is None or gap.high is None or not gap.base:
        return None
    near, far = sorted((abs(gap.low), abs(gap.high)))
    if gap.low <= 0.0 <= gap.high:
        near = 0.0
    if near / gap.base >= least:
        return True
    return False if far / gap.base < least else None


def _saves_less(gap: Difference, hours: float) -> bool | None:
    """Whether a difference saves less than this; None: it may or may not."""
    if gap.low is None or gap.high is None:
        return None
    return True if gap.low > -hours else False if gap.high < -hours else None


def _opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all are true; None where that hangs on one that is not known."""
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _none(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether none is true; None where that hangs on one that is not known."""
    return _all(map(_opposite, verdicts))


def _costs(gap: Difference) -> str:
    """`costs 3,719 hours (3,705 to 3,733; 46 %)`, or that no difference is shown."""
    mean, low, high = gap.difference or 0.0, gap.low or 0.0, gap.high or 0.0
    decimals = wording.decimals_for_mean(mean, gap.low, gap.high)
    if not gap.shown:
        return f"shows no difference ({wording.interval(low, high, decimals, unknown='-')} hours)"
    near, far = sorted((abs(low), abs(high)))
    ends = wording.interval(near, far, decimals, unknown="-")
    number, share = wording.number(abs(mean), decimals), wording.percent(abs(_share(gap)))
    return f"{'saves' if mean < 0.0 else 'costs'} {number} hours ({ends}; {share})"


STUDY: Final = Study(
    name="airesim",
    title="AIReSim's Table 1 study",
    source="AIReSim, arXiv 2603.07041, and its public code",
    preset="airesim-table1",
    replications=30,
    parts=_PARTS,
    check=_check,
)
"""Ten parameters by four working pools, 3,840 runs, and two sweeps more for what differs."""
