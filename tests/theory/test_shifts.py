"""Manual work that goes on only on duty, against a clock that is watched minute by minute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.theory.numbers import assert_mean, server_hours, simulate, uniforms
from tests.theory.scenarios import plain

from failcast.engine import trace
from failcast.engine.plan import make_plan
from failcast.engine.shifts import hours_with_breaks
from failcast.scenario import Constant, ConstantLife, Exponential, Scenario, Shift

SHIFTS = (
    Shift(),
    Shift(begin=20.0, hours=10.0, days=5),  # past midnight, the last one into Saturday
    Shift(begin=20.0, hours=10.0, days=7),  # and from Sunday into Monday
    Shift(begin=0.0, hours=24.0, days=1),
    Shift(begin=0.0, hours=24.0, days=7),
    Shift(begin=13.5, hours=24.0, days=2),
    Shift(begin=6.25, hours=0.25, days=3),
)


def is_on_duty(shift: Shift, hour: float) -> bool:
    """Whether somebody works at that time: the shift of this day or of the day before."""
    for day in (math.floor(hour / 24.0), math.floor(hour / 24.0) - 1):
        begin = 24.0 * day + shift.begin
        if day % 7 < shift.days and begin <= hour < begin + shift.hours:
            return True
    return False


def watched(shift: Shift, now: float, work: float) -> float:
    """The end of the work, by a clock that ticks every quarter of an hour."""
    tick = 0.25
    hour = now
    while work > 0.0 or not is_on_duty(shift, hour):
        if is_on_duty(shift, hour):
            if work <= tick:
                return hour + work
            work -= tick
        hour += tick
    return hour


def plan_of(shift: Shift | None) -> Any:
    return make_plan(Scenario().with_(repair__manual__shift=shift))


@pytest.mark.parametrize(
    "shift", SHIFTS, ids=lambda shift: f"{shift.begin}+{shift.hours}x{shift.days}"
)
def test_work_ends_when_a_watched_clock_says(shift: Shift) -> None:
    # All times are quarters of hours, but for the end of the work, which lies between two ticks.
    plan = plan_of(shift)
    longest = 3 * shift.hours * shift.days
    for start, part in uniforms(7, (150, 2)):
        now = math.floor(4 * 400.0 * start) / 4.0
        for work in (0.0, math.floor(4 * longest * part) / 4.0, longest * part):
            end = now + hours_with_breaks(plan, now, work)
            assert end == pytest.approx(watched(shift, now, work), abs=1e-9), (now, work)


def test_on_duty_all_the_time_is_no_shift() -> None:
    always, none = plan_of(SHIFTS[4]), plan_of(None)
    for now, work in uniforms(8, (500, 2)) * (1e4, 500.0):
        found = hours_with_breaks(always, now, work)
        assert found == pytest.approx(hours_with_breaks(none, now, work), abs=1e-9)
        assert hours_with_breaks(none, now, work) == work


def test_work_beyond_all_measure_is_no_trap() -> None:
    plan = plan_of(Shift(hours=1e-9))
    for work in (1e9, 9e12, 1e18, 1e300, math.inf):
        assert hours_with_breaks(plan, 5.0, work) >= work


def test_later_and_longer_work_never_ends_earlier() -> None:
    plan = plan_of(SHIFTS[1])
    starts = np.sort(uniforms(9, (2000,)) * 500.0)
    ends = [now + hours_with_breaks(plan, now, 17.3) for now in starts]
    assert (np.diff(ends) >= -1e-9).all()
    lengths = np.sort(uniforms(10, (2000,)) * 300.0)
    taken = [hours_with_breaks(plan, 77.7, work) for work in lengths]
    assert (np.diff(taken) >= -1e-9).all()


def test_a_weekend_in_the_trace() -> None:
    # A failure on Friday, 14:00; 2 h of automated repair, and 12 h of manual work: two of them on
    # Friday until 18:00, ten on Monday from 8:00 on, with the one crew bound all the time.
    friday = 4 * 24.0 + 14.0
    scenario = plain(
        1, standbys=1, length=200.0, mean_life=friday, failures__life=ConstantLife(),
        repair__automated={"time": 2.0, "escalate": 1.0},
        repair__manual={"time": 12.0, "crews": 1, "shift": Shift()},
    )  # fmt: skip
    rows = [(time, event) for time, event, _, _ in trace(scenario, seed=1).rows()]
    assert (friday + 2.0, "manual_repair_begin") in rows
    assert (7 * 24.0 + 18.0, "manual_repair_end") in rows


def test_short_repairs_wait_for_the_morning() -> None:
    # Failures are Poisson, so at any hour alike; work that takes no time is done when on duty. The
    # mean wait is half the sum of the squares of the breaks of a week: 14 h four times, 62 h once.
    scenario = plain(
        50, standbys=200, length=168.0 * 200, mean_life=50 / 0.5,
        repair__automated={"time": 0.0, "escalate": 1.0},
        repair__manual={"time": Constant(value=0.0), "shift": Shift()},
    )  # fmt: skip
    sample = simulate(scenario, 40)
    hours = server_hours(scenario, 40)["manual_repair"]
    mean = (4 * 14.0**2 + 62.0**2) / 2.0 / 168.0
    assert_mean(hours / (168.0 * 200), 0.5 * mean)
    assert not sample["stalls"].any()


def test_a_shift_is_a_slower_shop() -> None:
    # Long repairs stretch by 168 / 50, in the mean of all starts.
    scenario = plain(
        50, standbys=400, length=168.0 * 400, mean_life=50 / 0.02,
        repair__automated={"time": 0.0, "escalate": 1.0},
        repair__manual={"time": Exponential(mean=500.0), "shift": Shift()},
    )  # fmt: skip
    hours = server_hours(scenario, 100)["manual_repair"]
    length, mean = 168.0 * 400, 500.0 * 168.0 / 50.0
    # Empty at first: with exponential work the number in repair comes up as 1 - exp(-t / mean).
    expected = 0.02 * mean * (1.0 - mean / length * (1.0 - math.exp(-length / mean)))
    # Breaks round the start and the end of a repair off by hours of a thousand and more.
    assert np.mean(hours / length) == pytest.approx(expected, rel=0.02)
