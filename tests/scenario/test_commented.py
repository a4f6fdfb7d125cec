"""The commented scenario: it is the default one, and it tells every field."""

from __future__ import annotations

import re
from pathlib import Path

import failcast as fc
from failcast.scenario import meanings
from failcast.scenario.blocks import fields_of, joined, paths_of
from failcast.scenario.commented import commented_yaml
from failcast.scenario.rules import Rule
from failcast.scenario.texts import parse_yaml

TEXT = commented_yaml()


def load(text: str, folder: Path) -> fc.Scenario:
    file = folder / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return fc.load(file)


def test_it_loads_unchanged_and_equals_the_defaults(tmp_path: Path) -> None:
    assert load(TEXT, tmp_path) == fc.Scenario()


def test_with_what_is_commented_out_it_has_every_field(tmp_path: Path) -> None:
    """What has no value, and the blocks that are off, read once the signs are gone."""
    unset = "precision: |horizon: |health_check: |replay: "
    opened = re.sub(rf"^  # ({unset})", r"  \1", TEXT, flags=re.MULTILINE)
    opened = re.sub(r"^ +\w+: off\n", "", opened, flags=re.MULTILINE)
    opened = re.sub(r"^( +)#   ( *(?:#|\w+:))", r"\1\2", opened, flags=re.MULTILINE)
    assert set(paths_of(fc.Scenario)) == set(parse_yaml(opened).lines)
    expected = fc.Scenario().with_(
        failures__regeneration=fc.Regeneration(),
        failures__health_check=1.0,
        failures__replay="replay(12 h: 3, 20 h: 17)",
        checkpoint__tiers__memory=fc.MemoryTier(),
        checkpoint__tiers__local=fc.LocalTier(),
        checkpoint__tiers__peer=fc.PeerTier(),
        repair__manual__shift=fc.Shift(),
        repair__manual__parts=fc.SpareParts(),
        repair__requalification=fc.Requalification(),
        repair__relapse=fc.Relapse(),
        run__precision=0.01,
        run__horizon=fc.Scenario().horizon_hours,
    )
    assert load(opened, tmp_path) == expected


def test_every_field_stands_below_its_meaning_and_its_default() -> None:
    told = " ".join(TEXT.replace("#", " ").split())
    others = r"(?:(?!Default: ).)*"
    for path, (_, meaning) in meanings.FIELDS.items():
        name = path.rpartition(".")[2]
        one_field = rf"{re.escape(meaning)} {others}Default: {others}\. {name}: "
        assert re.search(one_field, told), path


def test_units_are_told_where_a_value_shows_none() -> None:
    assert "  # Unit: servers. Whole number, 0 to 10,000,000. Default: 4160.\n" in TEXT
    assert "  # Duration, longer than 0. Default: 256 d.\n" in TEXT


def test_every_field_of_a_scenario_has_a_meaning_and_every_meaning_a_field() -> None:
    def leaves(block: type, prefix: str = "") -> list[str]:
        found = []
        for attribute, name, kind in fields_of(block):
            path = joined(prefix, name)
            if isinstance(kind, Rule) or block.model_fields[attribute].default is None:
                found.append(path)
            if not isinstance(kind, Rule):
                found += leaves(kind, path)
        return found

    assert sorted(meanings.FIELDS) == sorted(leaves(fc.Scenario))


def test_lines_end_by_column_100() -> None:
    assert max(map(len, TEXT.splitlines())) <= 100
    assert TEXT.startswith("# yaml-language-server: $schema=")
