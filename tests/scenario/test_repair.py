"""The repair shop's fields: what they take, how they are written, and what is refused, in words."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from failcast.scenario import (
    Constant,
    Exponential,
    Relapse,
    Requalification,
    Scenario,
    ScenarioError,
    Shift,
    SpareParts,
    describe,
    load,
    override,
    to_dict,
)

#: (field, value, what the sentence says). All are refused before anything runs.
WRONG: list[tuple[str, Any, str]] = [
    (
        "automated.crews",
        0,
        "repair.automated.crews is 0, but it must be unlimited or a",
    ),
    (
        "manual.crews",
        -1,
        "repair.manual.crews is -1, but it must be unlimited or a",
    ),
    ("manual.crews", 1.5, "repair.manual.crews is 1.5, but it must be unlimited or a"),
    ("manual.crews", "many", "repair.manual.crews is 'many', but it must be unlimited or a"),
    (
        "manual.crews",
        True,
        "repair.manual.crews is true, but it must be unlimited or a",
    ),
    ("manual.shift", "on", "repair.manual.shift is 'on', but it must be off, or a"),
    ("manual.shift.hours", 0, "repair.manual.shift.hours is 0, but it must be longer than 0"),
    ("manual.shift.hours", "25 h", "repair.manual.shift.hours is '25 h', but it must be at most"),
    ("manual.shift.begin", "24 h", "repair.manual.shift.begin is '24 h', but it must be below"),
    ("manual.shift.begin", -1, "repair.manual.shift.begin is -1, but it must not be negative"),
    ("manual.shift.days", 0, "repair.manual.shift.days is 0, but it must be a whole"),
    ("manual.shift.days", 8, "repair.manual.shift.days is 8, but it must be a whole"),
    ("manual.parts", "on", "repair.manual.parts is 'on', but it must be off, or a block with "),
    ("manual.parts.stock", -1, "repair.manual.parts.stock is -1, but it must be a whole number"),
    ("manual.parts.stock", 2.5, "repair.manual.parts.stock is 2.5, but it must be a whole number"),
    ("manual.parts.stock", "some", "repair.manual.parts.stock is 'some', but it must be a whole"),
    ("manual.parts.stock", 100_001, "it must be a whole number from 0 to 100,000"),
    ("manual.parts.probability", 1.1, "repair.manual.parts.probability is 1.1, but it must be a"),
    ("manual.parts.lead_time", -1, "repair.manual.parts.lead_time is -1, but it must not be"),
    ("manual.parts.lead_time", "soon", "repair.manual.parts.lead_time is 'soon', but "),
    ("manual.parts.lead_time", "inf", "repair.manual.parts.lead_time is"),
    ("requalification", "on", "repair.requalification is 'on', but it must be off, or a block "),
    ("requalification.time", -1, "repair.requalification.time is -1, but it must not be negative"),
    ("requalification.time", "long", "repair.requalification.time is 'long', but "),
    ("requalification.detects", 1.1, "repair.requalification.detects is 1.1, but it must be a "),
    ("requalification.detects", -0.1, "repair.requalification.detects is -0.1, but it must be a"),
    ("requalification.detects", "all", "repair.requalification.detects is 'all', but it must be"),
    ("relapse", "on", "repair.relapse is 'on', but it must be off, or a block with probability, "),
    ("relapse.probability", 1.1, "repair.relapse.probability is 1.1, but it must be a number from"),
    ("relapse.probability", -0.1, "repair.relapse.probability is -0.1, but it must be a number"),
    ("relapse.time", "0 h", "repair.relapse.time is 0 h, but a fault that strikes again at once"),
    ("relapse.time", "exponential(0 h)", "its mean must be longer than 0."),
    ("relapse.time", "soon", "repair.relapse.time is 'soon', but "),
    ("relapse.concentration", 0, "repair.relapse.concentration is 0, but it must be inf or a numb"),
    ("relapse.concentration", "none", "it must be inf or a number from 0.01 to 1,000,000."),
    ("relapse.concentration", True, "it must be inf or a number from 0.01 to 1,000,000."),
]


@pytest.mark.parametrize(("field", "value", "sentence"), WRONG)
def test_bad_input_is_refused_in_a_sentence(field: str, value: Any, sentence: str) -> None:
    path = f"repair.{field}"
    with pytest.raises(ScenarioError) as in_python:
        Scenario().with_(**{path.replace(".", "__"): value})
    with pytest.raises(ScenarioError) as in_overrides:
        override(Scenario(), [f"{path}={str(value).lower()}"])
    assert sentence in str(in_python.value)
    assert path in str(in_overrides.value)


@pytest.mark.parametrize("block", ["manual.shift", "manual.parts", "requalification", "relapse"])
def test_a_field_opens_its_block_and_off_closes_it(block: str) -> None:
    shut = Scenario()
    *around, last = block.split(".")
    repair = shut.repair
    for name in around:
        repair = getattr(repair, name)
    assert getattr(repair, last) is None
    assert (f"repair.{block}", "off") in describe(shut)
    assert override(shut, [f"repair.{block}=off"]) == shut


def test_a_shift_opens_with_its_defaults() -> None:
    on = override(Scenario(), ["repair.manual.shift.days=7"])
    assert on.repair.manual.shift == Shift(begin=8.0, hours=10.0, days=7)
    assert to_dict(on)["repair"]["manual"]["shift"] == {"begin": "8 h", "hours": "10 h", "days": 7}


def test_parts_open_with_their_defaults() -> None:
    on = override(Scenario(), ["repair.manual.parts.stock=3"])
    assert on.repair.manual.parts == SpareParts(stock=3)
    written = {"probability": 0.5, "stock": 3, "lead_time": "7 d"}
    assert to_dict(on)["repair"]["manual"]["parts"] == written


def test_requalification_opens_with_its_defaults() -> None:
    on = override(Scenario(), ["repair.requalification.detects=0.5"])
    assert on.repair.requalification == Requalification(time=Constant(value=2.0), detects=0.5)
    assert to_dict(on)["repair"]["requalification"] == {"time": "2 h", "detects": 0.5}
    assert on.with_(repair__requalification="off") == Scenario()


def test_a_test_has_a_price_and_none_is_below_zero() -> None:
    assert Scenario().with_(cost__requalification=20).cost.is_priced
    with pytest.raises(ScenarioError, match=r"cost\.requalification is -1, but it must be"):
        Scenario().with_(cost__requalification=-1)


def test_relapse_opens_with_its_defaults() -> None:
    on = Scenario().with_(repair__relapse__probability=0.2)
    assert on.repair.relapse == Relapse(probability=0.2)
    assert on.with_(repair__relapse="off") == Scenario()
    mean = override(Scenario(), ["repair.relapse.time.mean=3 h"])
    assert mean.repair.relapse == Relapse(time=Exponential(mean=3.0))


def test_crews_are_a_number_or_unlimited(tmp_path: Path) -> None:
    two = override(Scenario(), ["repair.manual.crews=2"])
    assert two == Scenario().with_(repair__manual__crews=2)
    assert dict(describe(two))["repair.manual.crews"] == "2"
    assert dict(describe(two))["repair.automated.crews"] == "unlimited"
    assert override(two, ["repair.manual.crews=unlimited"]) == Scenario()
    file = tmp_path / "scenario.yaml"
    file.write_text("repair: {automated: {crews: unlimited}, manual: {crews: 2}}\n")
    assert load(file).repair == two.repair


@pytest.mark.parametrize("concentration", [math.inf, 2, "inf"])
def test_a_concentration_is_written_as_it_is_read(concentration: Any, tmp_path: Path) -> None:
    scenario = Scenario().with_(repair__relapse__concentration=concentration)
    written = to_dict(scenario)["repair"]["relapse"]["concentration"]
    assert written == (2.0 if concentration == 2 else "inf")
    file = tmp_path / "scenario.yaml"
    file.write_text(f"repair: {{relapse: {{concentration: {written}}}}}\n", encoding="utf-8")
    assert load(file).repair.relapse == scenario.repair.relapse
