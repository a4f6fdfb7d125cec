"""Durations and rates with units: what is read, what is refused, and that writing is exact.

On the map: tests of scenario/units.py and scenario/scalars.py.
"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from failcast.scenario import format_duration, format_rate, parse_duration, parse_rate
from failcast.scenario.errors import Refused
from failcast.scenario.scalars import plain_scalar
from failcast.scenario.units import format_percentage, parse_percentage


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("20 min", 20 / 60),
        ("20min", 20 / 60),
        ("2 d", 48.0),
        ("1.5 h", 1.5),
        ("30 s", 30 / 3600),
        ("2 weeks", 336.0),
        ("1 d 12 h", 36.0),
        ("1d12h", 36.0),
        (" 1e3 hours ", 1000.0),
        (".5 Day", 12.0),
        ("1 year", 8760.0),
        ("0", 0.0),
        ("0 min", 0.0),
    ],
)
def test_a_duration_is_read_as_hours(text: str, hours: float) -> None:
    assert parse_duration(text) == hours


@pytest.mark.parametrize(
    ("text", "per_hour"),
    [
        ("0.01 / day", 0.01 / 24),
        ("0.01/d", 0.01 / 24),
        ("0.01 per day", 0.01 / 24),
        ("7e-6 / min", 4.2e-4),
        ("1 / 100 d", 1 / 2400),
        ("3 / 1 d 12 h", 3 / 36),
        ("0", 0.0),
    ],
)
def test_a_rate_is_read_per_hour(text: str, per_hour: float) -> None:
    assert parse_rate(text) == per_hour


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("20", "write '20 min' or '20 h'"),
        ("-3 h", "must not be negative"),
        ("1:30", "such as '20 min'"),
        ("20 mn", "did you mean 'min'"),
        ("3 months", "write days"),
        ("5 m", "write 'min'"),
        ("", "such as '20 min'"),
        ("nan h", "such as '20 min'"),
        ("inf", "such as '20 min'"),
        ("2 d -3 h", "such as '20 min'"),
        ("1" * 200 + " h", "such as '20 min'"),
        ("1e999 h", "too large"),
        ("1e-400 h", "too close to 0"),
        ("1e-400 ms 1e-400 h", "too close to 0"),
        ("20 min / day", "such as '20 min'"),
    ],
)
def test_what_is_no_duration_is_refused_with_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(Refused, match=hint):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("0.01", "write '0.01 / day'"),
        ("-1 / d", "must not be negative"),
        ("1 / 0 h", "longer than 0"),
        ("1 / fortnight", "is not a unit"),
        ("often", "such as '0.01 / day'"),
        ("20 min", "such as '0.01 / day'"),
        ("1 / ", "a rate such as"),
        ("1 per", "a rate such as"),
        ("1 / 5", "a rate such as"),
        ("5 / day / day", "a rate such as"),
        ("5 per day per day", "a rate such as"),
        ("1 / 1:30", "a rate such as"),
        ("1" * 200 + " / h", "a rate such as"),
        ("1e-400 / day", "too close to 0"),
        ("1 / 1e999 d", "too close to 0"),
        ("1 / 1e-999 d", "too large"),
    ],
)
def test_what_is_no_rate_is_refused_with_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(Refused, match=hint):
        parse_rate(text)


@given(st.one_of(st.floats(1e-9, 1e9), st.integers(0, 10**6).map(lambda n: n / 60)))
@example(0.0)
@example(1 / 3)
def test_a_written_duration_reads_back_bit_for_bit(hours: float) -> None:
    assert parse_duration(format_duration(hours)) == hours


@given(st.one_of(st.floats(1e-15, 1e6), st.integers(0, 10**6).map(lambda n: n / 100 / 24)))
@example(0.0)
def test_a_written_rate_reads_back_bit_for_bit(per_hour: float) -> None:
    assert parse_rate(format_rate(per_hour)) == per_hour


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (20 / 60, "20 min"),
        (6144.0, "256 d"),
        (2.0, "2 h"),
        (36.0, "36 h"),
        (0.05, "3 min"),
        (0.0, "0 h"),
        (1 / 7200, "500 ms"),
        (2.5, "150 min"),
        (1 / 7, "0.14285714285714285 h"),
    ],
)
def test_hours_are_written_as_people_write_them(hours: float, text: str) -> None:
    assert format_duration(hours) == text


def test_a_rate_is_written_per_day() -> None:
    assert format_rate(0.01 / 24) == "0.01 / day"


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_duration, parse_rate):
        with contextlib.suppress(Refused):
            assert parse(text) >= 0.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7e-6", 7e-6),
        ("1e5", 1e5),
        ("4096", 4096),
        ("-1", -1),
        ("0x10", 16),
        ("0o10", 8),
        ("true", True),
        ("False", False),
        ("~", None),
        ("010", "010"),
        ("00.5", "00.5"),
        ("1:30", "1:30"),
        ("no", "no"),
        ("off", "off"),
        ("Yes", "Yes"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        ("9" * 5000, "9" * 5000),
        ("1e-400", "1e-400"),
        ("-0.01E-999", "-0.01E-999"),
        ("0.00e-400", 0.0),
    ],
)
def test_a_plain_word_is_read_by_the_rules_of_yaml_1_2(text: str, value: object) -> None:
    found = plain_scalar(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "share"),
    [("1%", 0.01), ("1 %", 0.01), (" 0.5 % ", 0.005), ("-1 %", -0.01), ("1e2%", 1.0), ("0 %", 0.0)],
)
def test_a_percentage_is_read_as_a_share(text: str, share: float) -> None:
    assert parse_percentage(text) == share


@pytest.mark.parametrize("text", ["", "%", "1", "0.01", "1 percent", "1 % %", "1%2", "٣ %", "x%"])
def test_what_is_no_percentage_is_none(text: str) -> None:
    assert parse_percentage(text) is None


@given(st.floats(0.0, 1.0, exclude_min=True, exclude_max=True))
def test_a_written_share_is_read_back_exactly(share: float) -> None:
    written = format_percentage(share)
    assert (parse_percentage(written) if isinstance(written, str) else written) == share


def test_a_share_is_written_as_a_person_would() -> None:
    assert [format_percentage(s) for s in (0.01, 0.005, 0.999, 1 / 3)] == [
        "1 %",
        "0.5 %",
        "99.9 %",
        1 / 3,
    ]
