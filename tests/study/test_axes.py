"""Axes and spans: what `--vary` is read as, and what is refused in which words."""

from __future__ import annotations

import itertools

import pytest

from failcast import RequestError, ScenarioError, load
from failcast.scenario import override
from failcast.study.axes import axis, span

TABLE1 = load("airesim-table1")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("job.warm_standbys=0,8,16", ["0", "8", "16"]),
        ("job.warm_standbys=0..4", ["0", "1", "2", "3", "4"]),
        ("job.warm_standbys=0..7:3", ["0", "4", "7"]),
        ("job.warm_standbys = 0 | 8", ["0", "8"]),
        ("cluster.working_pool=4112..4192:5", ["4112", "4132", "4152", "4172", "4192"]),
        ("recovery.time=10min..1h:6", ["10 min", "20 min", "30 min", "40 min", "50 min", "1 h"]),
        ("recovery=10 min,1 h", ["10 min", "1 h"]),
        ("repair.manual.time.mean=1d..4d:4", ["1 d", "2 d", "3 d", "4 d"]),
        (
            "failures.random.rate=0.005/day..0.02/day:3:log",
            ["0.005 / day", "0.01 / day", "0.02 / day"],
        ),
        ("failures.systematic.multiplier=.5..2:4", ["0.5", "1", "1.5", "2"]),
        ("retirement=never|threshold(3, 7 d)|score", ["never", "threshold(3, 7 d)", "score"]),
        ("retirement=never,threshold(3, 7 d)", ["never", "threshold(3, 7 d)"]),
        (
            "repair.manual.time=uniform(1 h, 2 h),weibull(2 d, 0.7)",
            ["uniform(1 h, 2 h)", "weibull(2 d, 0.7)"],
        ),
    ],
)
def test_values_are_read(text: str, values: list[str]) -> None:
    found = axis(text, TABLE1)
    assert list(found.values) == values
    for setting in found.settings():  # and each of them is an override
        override(TABLE1, [setting])


def test_the_short_form_of_a_block_is_its_field() -> None:
    assert axis("recovery=10 min,1 h", TABLE1).path == "recovery.time"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("job.warm_standby=0,1", "did you mean 'job.warm_standbys'?"),
        ("job.warm_standbys", "write path=a,b,c or path=low..high:n"),
        ("job.warm_standbys=", "write path=a,b,c or path=low..high:n"),
        ("job.warm_standbys=1,2,1", "gives the value 1 twice"),
        ("recovery=10min,1h,600s", "gives the value 10min twice, once as 600s: keep one of them."),
        ("job.warm_standbys=100,1e2", "gives the value 100 twice, once as 1e2"),
        ("failures.random.rate=1/day|24/d|0.041666666666666664/h", "gives the value 1/day twice"),
        ("repair.manual.time.mean=2d,48h", "gives the value 2d twice, once as 48h"),
        (
            "retirement=never|threshold(3, 7 d)|threshold(failures=3, window=1 week)|score",
            "gives the value threshold(3, 7 d) twice",
        ),
        ("failures.systematic.fraction=0.5,.50", "gives the value 0.5 twice, once as .50"),
        ("job.warm_standbys=1,,2", "has an empty value"),
        ("job.warm_standbys=-1..4", "it must be a whole number from 0 to 10,000,000"),
        ("job.warm_standbys=0.5..4", "it must be a whole number"),
        ("job.warm_standbys=4..1", "its first end must be below its second"),
        ("job.warm_standbys=0..4:1", "needs a number of values from 2 on"),
        ("job.warm_standbys=0..4:x", "needs a number of values from 2 on"),
        ("job.warm_standbys=0..20000", "at most 10,000"),
        ("job.warm_standbys=0..64:5:log", "its first end must be above 0"),
        ("recovery.time=5min..10min", "write recovery.time=5min..10min:5"),
        ("recovery.time=5..10:3", "it has no unit"),
        ("failures.systematic.fraction=0..2:3", "a number from 0 to 1"),
        ("failures.systematic.fraction=0..nan:3", "it must be a finite number"),
        ("selection.policy=random..pool_order:3", "is no number: list its values"),
        ("repair.manual.time=1d..4d:3", "write repair.manual.time.mean"),
        ("retirement=threshold(3, 7 d", "its parentheses do not match"),
        ("run.seed=1,2", "does not change what is simulated"),
        ("job=1,2", "vary one of its fields"),
    ],
)
def test_what_cannot_be_varied_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises((RequestError, ScenarioError)) as refusal:
        axis(text, TABLE1)
    assert words in str(refusal.value)
    assert str(refusal.value).endswith((".", "?"))


def test_a_span_reaches_its_ends_and_is_even_between_them() -> None:
    even = span("recovery.time=10min..50min", TABLE1)
    assert [even.at(share) for share in (0.0, 1.0)] == [even.low, even.high]
    assert even.at(0.5) == 0.5
    ratio = span("recovery.time=10min..40min:log", TABLE1)
    assert ratio.at(0.5) == pytest.approx(20 / 60, rel=1e-6)


def test_every_whole_number_of_a_span_has_the_same_share() -> None:
    numbers = span("job.warm_standbys=3..7", TABLE1)
    drawn = [numbers.draw(k / 1000) for k in range(1000)]
    runs = [(value, len(list(group))) for value, group in itertools.groupby(drawn)]
    assert runs == [(float(value), 200) for value in range(3, 8)]


def test_a_span_needs_no_number_of_values() -> None:
    with pytest.raises(RequestError, match=r"write recovery\.time=low\.\.high"):
        span("recovery.time=5min..10min:3", TABLE1)
    with pytest.raises(RequestError, match="is no range"):
        span("recovery.time=5min,10min", TABLE1)


def test_settings_of_a_span_are_overrides() -> None:
    rates = span("failures.random.rate=0.001/day..0.1/day:log", TABLE1)
    for share in (0.0, 0.3, 1.0):
        value = rates.at(share)
        assert override(TABLE1, [rates.setting(value)]).failures.random.rate == value
