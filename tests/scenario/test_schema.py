"""The schema of a scenario file takes what `load` takes, and refuses what single fields refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from tests.strategies import CORNERS, PAIRWISE

import failcast as fc
from failcast.scenario import PRESETS, files
from failcast.scenario.blocks import paths_of
from failcast.scenario.commented import commented_yaml
from failcast.scenario.schema import json_schema
from failcast.scenario.texts import parse_yaml

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def complaints(data: Any) -> list[str]:
    """What the schema says against a file's data."""
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def loads(data: Any) -> bool:
    """Whether the package takes a file's data."""
    try:
        files._build(data)
    except fc.ScenarioError:
        return False
    return True


def properties(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Path and schema of every field, blocks included."""
    for choice in (schema, *schema.get("anyOf", ())):
        for name, inner in choice.get("properties", {}).items():
            yield prefix + name, inner
            yield from properties(inner, f"{prefix}{name}.")


def test_the_schema_is_one_and_is_plain_json() -> None:
    VALIDATOR.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA


def test_every_field_is_described() -> None:
    described = dict(properties(SCHEMA))
    assert sorted(described) == sorted(paths_of(fc.Scenario))
    assert all(inner["description"].endswith((".", ")")) for inner in described.values())
    assert described["job.servers"]["description"].endswith("Unit: servers.")


def test_defaults_satisfy_their_own_schema() -> None:
    for path, inner in properties(SCHEMA):
        if "default" in inner:
            jsonschema.Draft202012Validator(inner).validate(inner["default"]), path


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    assert complaints(fc.to_dict(fc.load(name))) == []
    assert complaints(parse_yaml(files._read(name)[0]).data) == []


def test_what_init_writes_is_valid() -> None:
    assert complaints(parse_yaml(commented_yaml()).data) == []


def test_every_written_scenario_is_valid() -> None:
    for scenario in (*PAIRWISE, *CORNERS):
        assert complaints(fc.to_dict(scenario)) == []


#: Files that both take or both refuse: path and value of one field.
FIELDS: tuple[tuple[str, Any, bool], ...] = (
    ("job.length", "1 d 12 h", True),
    ("job.length", "1d12h", True),
    ("job.length", " 1.5 Hours ", True),
    ("job.length", ".5e2 h", True),
    ("job.length", "20", False),
    ("job.length", 20, False),
    ("job.length", "0", False),
    ("job.length", 0, False),
    ("job.length", "1 month", False),
    ("job.length", "20 min or so", False),
    ("job.length", "-1 d", False),
    ("job.length", "", False),
    ("job.length", None, False),
    ("run.horizon", None, True),
    ("run.horizon", "9 weeks", True),
    ("recovery", "20 min", True),
    ("recovery", 0, True),
    ("recovery", "exponential(20 min)", True),
    ("recovery", {"time": "weibull(mean=2 h, shape=0.7)"}, True),
    ("recovery", {"tiem": "2 h"}, False),
    ("recovery", True, False),
    ("recovery.time", "0", True),
    ("recovery.time", "exponential", False),
    ("recovery.time", "exponential()", False),
    ("recovery.time", "exponentiall(2 h)", False),
    ("recovery.time", "exponential(2 h", False),
    ("recovery.time", "gamma(mean=2 h, shape=0.5)", True),
    ("recovery.time", "gamma", False),
    ("recovery.time", "empirical(10 min, 20 min)", True),
    ("recovery.time", "empirical()", False),
    ("recovery.time", "empirical", False),
    ("recovery.time", "mixture(0.7: 20 min, 0.3: mixture(1: exponential(2 h)))", True),
    ("recovery.time", "mixture( .5 : 0 , 0.5: empirical(1 h, 2 h) )", True),
    ("recovery.time", "mixture(20 min)", False),
    ("recovery.time", "mixture(1: )", False),
    ("recovery.time", "mixture(1: 20 min", False),
    ("recovery.time", "mixture", False),
    ("failures.life", "gamma(0.5)", True),
    ("failures.life", "empirical(10 d, 30 d)", True),
    ("failures.life", "mixture(0.9: exponential(50 d), 0.1: 2 h)", True),
    ("failures.life", "mixture(exponential)", False),
    ("failures.random.rate", "0.01 / day", True),
    ("failures.random.rate", "1 / 100 d", True),
    ("failures.random.rate", "1 per 1 d 12 h", True),
    ("failures.random.rate", 0, True),
    ("failures.random.rate", "0.01", False),
    ("failures.random.rate", 0.01, False),
    ("failures.random.rate", "0.01 / month", False),
    ("failures.life", "weibull(shape=0.8)", True),
    ("failures.life", "uniform", True),
    ("failures.life", "weibull", False),
    ("failures.life", "20 min", False),
    ("failures.life", "constant(3)", False),
    ("failures.initial_age", "new", True),
    ("failures.initial_age", "stationary", True),
    ("failures.initial_age", "10 d", True),
    ("failures.initial_age", 0, True),
    ("failures.initial_age", "old", False),
    ("failures.initial_age", "10", False),
    ("failures.initial_age", None, False),
    ("repair.restores", "age_kept", True),
    ("repair.restores", "age", False),
    ("failures.regeneration", "off", True),
    ("failures.regeneration", None, True),
    ("failures.regeneration", {}, True),
    ("failures.regeneration", "on", False),
    ("failures.regeneration", False, False),
    ("failures.regeneration.share", 0, False),
    ("failures.exposure.recovering", "yes", False),
    ("retirement", "threshold(3, 7 d)", True),
    ("retirement", "score", True),
    ("retirement", "sometimes", False),
    ("selection.policy", "pool_order", True),
    ("selection.policy", "pool", False),
    ("preemption.return", "when_healed", True),
    ("job.servers", 1e3, True),
    ("job.servers", 10.5, False),
    ("job.servers", "4096", False),
    ("job.servers", True, False),
    ("job.servers", 0, False),
    ("diagnosis.probability", 1, True),
    ("diagnosis.probability", 1.01, False),
    ("run.confidence", 1, False),
    ("run.precision", "1 %", True),
    ("run.precision", "0.5%", True),
    ("run.precision", "1e-1 %", True),
    ("run.precision", 0.01, True),
    ("run.precision", "off", True),
    ("run.precision", None, True),
    ("run.precision", "0 %", False),
    ("run.precision", "0.0%", False),
    ("run.precision", "-1 %", False),
    ("run.precision", "100 %", False),
    ("run.precision", "0.01", False),
    ("run.precision", 0, False),
    ("run.precision", 1, False),
    ("run.precision", "on", False),
    ("run.precision", True, False),
    ("run.min_replications", 2, True),
    ("run.min_replications", 1, False),
    ("run.max_replications", "many", False),
    ("name", "two\nlines", False),
    ("name", "x" * 201, False),
    ("name", 7, False),
    ("description", "two\nlines", True),
    ("job", None, False),
    ("job", "large", False),
    ("cluster.pools", 3, False),
)


@pytest.mark.parametrize(("path", "value", "right"), FIELDS)
def test_the_schema_agrees_with_the_loader(path: str, value: Any, right: bool) -> None:
    data = value
    for name in reversed(path.split(".")):
        data = {name: data}
    assert loads(data) is right
    assert (complaints(data) == []) is right, complaints(data)


@pytest.mark.parametrize("data", [{}, [], None, "job", {"jbo": {}}])
def test_a_file_of_another_kind_is_refused(data: Any) -> None:
    assert complaints(data)
    assert not loads(data)
