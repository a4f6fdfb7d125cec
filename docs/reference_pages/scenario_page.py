"""scenario.md: every block, field, family, name, unit and preset of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import failcast as fc
from failcast.scenario import (
    ages,
    airesim,
    beliefs,
    distributions,
    files,
    lives,
    measurements,
    policies,
    recovering,
    replay,
    units,
)
from failcast.scenario.blocks import Block, fields_of, joined
from failcast.scenario.expressions import Family
from failcast.scenario.meanings import UNSET, in_words, unit_of
from failcast.scenario.rules import OFF, Rule
from reference_pages import meanings
from reference_pages.markdown import (
    MissingMeaningError,
    all_sentences,
    code,
    explained,
    first_sentence,
    page,
    prose,
    table,
)


def meaning_of(block: type[Block], attribute: str, path: str) -> str:
    """A field's own description where it has one, else that of the table."""
    own = block.model_fields[attribute].description
    if not own and path not in meanings.FIELDS:
        raise MissingMeaningError(
            f"the field {path} has no meaning: give it one in scenario/meanings.py"
        )
    return own or meanings.FIELDS[path][1]


def default_of(block: type[Block], attribute: str, rule: Rule, path: str = "") -> str:
    """The default as a file would hold it."""
    value = block.model_fields[attribute].default
    if value is None:
        return UNSET[path].replace("job.length", code("job.length")).replace(OFF, code(OFF))
    plain = rule.plain(value)
    text = f"{plain:,}" if type(plain) is int else f"{plain:g}" if type(plain) is float else plain
    return code(str(text).lower() if isinstance(plain, bool) else str(text))


def field_rows(block: type[Block], prefix: str) -> list[list[str]]:
    """One row for each field of a block that holds a value."""
    rows = []
    for attribute, name, kind in fields_of(block):
        path = joined(prefix, name)
        if isinstance(kind, Rule):
            unit = unit_of(kind, meanings.FIELDS.get(path, ("", ""))[0])
            default = default_of(block, attribute, kind, path)
            meaning = meaning_of(block, attribute, path)
            rows.append([code(path), *in_words(kind), unit, default, meaning])
        elif block.model_fields[attribute].default is None:
            off = f"`{OFF}` or a block"
            meaning = meaning_of(block, attribute, path)
            rows.append([code(path), "block", off, "", code(OFF), meaning])
    return rows


def leaf_paths(block: type[Block], prefix: str = "") -> list[str]:
    """The paths of all fields that need a meaning."""
    paths = []
    for attribute, name, kind in fields_of(block):
        path = joined(prefix, name)
        if isinstance(kind, Rule) or block.model_fields[attribute].default is None:
            paths.append(path)
        if not isinstance(kind, Rule):
            paths += leaf_paths(kind, path)
    return paths


def blocks(block: type[Block], prefix: str = "") -> list[tuple[str, type[Block]]]:
    """Every block below a block, with its path."""
    found = []
    for _, name, kind in fields_of(block):
        if isinstance(kind, type):
            path = joined(prefix, name)
            found += [(path, kind), *blocks(kind, path)]
    return found


FIELD_HEADS = ("field", "kind", "limits", "unit", "default", "meaning")


def block_sections() -> list[str]:
    """Top-level fields, then each block with its fields."""
    parts = ["## Top level", table(FIELD_HEADS, field_rows(fc.Scenario, ""))]
    top = ""
    for path, block in blocks(fc.Scenario):
        if path.partition(".")[0] != top:
            top = path
            parts += [f"## {top}", all_sentences(block)]
        else:
            parts += [f"### {path}", prose(first_sentence(block))]
        rows = field_rows(block, path)
        if rows:
            parts.append(table(FIELD_HEADS, rows))
    return parts


def family_rows(registry: Mapping[str, type[Family]]) -> list[list[str]]:
    """One row for each family: how it is written, its arguments, its meaning."""
    rows = []
    for name, family in registry.items():
        if family.usage:
            told = explained_arguments(name)
            rows.append([" or ".join(map(code, family.usage)), told, first_sentence(family)])
            continue
        arguments = []
        for attribute, argument, rule in fields_of(family):
            assert isinstance(rule, Rule)
            field = family.model_fields[attribute]
            kind, limits = in_words(rule)
            extra = "" if field.is_required() else ", optional"
            if not field.is_required() and field.default is not None:
                extra = f", default {default_of(family, attribute, rule)}"
            arguments.append(f"`{argument}`: {kind}, {limits}{extra}")
        written = f"{name}({', '.join(family.positional)})" if family.positional else name
        rows.append([code(written), "; ".join(arguments) or "none", first_sentence(family)])
    return rows


def explained_arguments(name: str) -> str:
    """What the arguments of a family with a form of its own are."""
    least = measurements.HASH_DIGITS
    return {
        "empirical": (
            f"durations, at most {measurements.MOST_INLINE:,}; or a CSV file of at most "
            f"{measurements.MOST_VALUES:,}, with `column`: its name, where there are several; "
            "`unit`: that of bare numbers, optional; `times`: what all values are multiplied by, "
            f"optional; `sha256`: {least} digits or more that the file's hash must begin with, "
            "optional"
        ),
        "mixture": (
            f"at most {distributions.MOST_PARTS} parts, each a weight above 0 and a distribution "
            "of durations; the weights add up to 1"
        ),
        "replay": (
            f"a CSV file of at most {measurements.MOST_VALUES:,} failures, with `time` and "
            "`server`: the names of their columns, those words where not given; `unit`: that of "
            "bare numbers, optional; `sha256` as in a file of measured values; or at most "
            f"{measurements.MOST_INLINE:,} pairs of a time and a server"
        ),
    }[name]


def name_rows(registry: Mapping[str, str]) -> list[list[str]]:
    """One row for each name of a registry of names."""
    return [[code(name), meaning] for name, meaning in registry.items()]


CHOICES: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("Host selection: `selection.policy`", policies.SELECTION_POLICIES),
    ("Preemption: `preemption.mode`", policies.PREEMPTION_MODES),
    ("Return of spares: `preemption.return`", policies.PREEMPTION_RETURNS),
    ("End of a shortage: `job.resume_with`", policies.RESUME_WITH),
    ("Checkpoints: `checkpoint.interval`, besides a duration", recovering.INTERVALS),
    ("What a tier survives: `checkpoint.tiers.….survives`", recovering.SEVERITIES),
    ("Age at the start: `failures.initial_age`, besides a duration", ages.INITIAL_AGES),
    ("Age after a repair: `repair.restores`", ages.RESTORES),
)


def unit_rows() -> list[list[str]]:
    """One row for each unit of time, with all its spellings."""
    spellings: dict[Any, list[str]] = {}
    for name, hours in units.UNITS.items():
        spellings.setdefault(hours, []).append(name)
    return [
        [", ".join(map(code, names)), f"{float(hours):g} h"] for hours, names in spellings.items()
    ]


def belief_rows() -> list[list[str]]:
    """One row for a range and for each distribution of belief."""
    explained(meanings.BELIEFS, beliefs.BELIEFS, "beliefs")
    rows = [
        ["`low..high`", "Any number from low to high is as likely as any other."],
        ["`low..high:log`", "Any ratio is: 1 to 2 as likely as 2 to 4."],
    ]
    for name, arguments in beliefs.BELIEFS.items():
        inside = {"one_of": "a, b, …", "unknown": "low..high"}.get(name, ", ".join(arguments))
        rows.append([code(f"{name}({inside})"), meanings.BELIEFS[name]])
    return rows


def flat_rows() -> list[list[str]]:
    """One row for each parameter of AIReSim's flat file."""
    rows = []
    for name, known in airesim.FLAT_FIELDS.items():
        rule = known.rule
        unit = {airesim.Minutes: "min", airesim.PerMinute: "1 / min"}.get(type(rule), "")
        default = f"{known.default:.7g}" if isinstance(known.default, float) else str(known.default)
        rows.append([code(name), unit, code(default.lower()), code(known.path)])
    return rows


def scenario_page() -> str:
    """The reference of a scenario."""
    explained(meanings.FIELDS, leaf_paths(fc.Scenario), "fields of a scenario")
    families = (
        (
            "Distributions of durations",
            "For every field of the kind *distribution*. A bare duration means `constant`. "
            "`weibull` and `gamma` take either `mean` or `scale`, `lognormal` either `median` or "
            "`mean`. The file of an empirical distribution is looked for beside the scenario's, "
            "that of an override in the current folder; a name with a comma, a bracket or without "
            "an ending is put in quotes. A mixture is an expression with a colon: in YAML, put the "
            "whole of it in quotes.",
            distributions.DISTRIBUTIONS,
        ),
        (
            "Shapes of lives",
            "For `failures.life`. Only the shape is given: the mean is 1 / the server's own "
            "failure rate. Measured lives and mixtures are durations of which only the ratios "
            "count. Measured lives are longer than 0.",
            lives.LIVES,
        ),
        (
            "Retirement rules",
            "For `retirement`. Rules see blame, never a server's hidden condition.",
            policies.RETIREMENTS,
        ),
        (
            "Replayed failures",
            "For `failures.replay`. A CSV file has a line for each failure below a line of names, "
            "in order of time; other columns than the two named do not count. It is looked for as "
            "that of an empirical distribution is. Times count from the start of the job, servers "
            "from 0 on, the working pool first. Without a file, each failure is a time and a "
            "server, with a colon: in YAML, put the whole of it in quotes. "
            "[How to](../how-to/replay-a-log.md) tells more.",
            replay.REPLAYS,
        ),
    )
    parts = [prose(SCENARIO_INTRODUCTION), *block_sections()]
    for title, text, registry in families:
        rows = family_rows(registry)
        parts += [f"## {title}", prose(text), table(("written", "arguments", "meaning"), rows)]
    for title, names in CHOICES:
        parts += [f"## {title}", table(("name", "meaning"), name_rows(names))]
    parts += ["## Uncertain inputs", prose(BELIEFS_TEXT)]
    parts.append(table(("written", "is believed"), belief_rows()))
    parts += ["## Units", prose(UNITS_TEXT), table(("written", "is"), unit_rows())]
    parts += ["## Presets", table(("name", "what it is"), name_rows(files.PRESETS))]
    parts += ["## AIReSim's flat file", prose(FLAT_TEXT)]
    parts.append(table(("parameter", "unit", "default", "becomes"), flat_rows()))
    return page("Scenario", *parts)


SCENARIO_INTRODUCTION = """
A scenario is a YAML, TOML or JSON file of blocks, or the same as Python objects
(`failcast.Scenario`). Every field has a default: AIReSim's Table 1, with uniform host selection. In
files and in overrides a duration or a rate carries its unit. In Python a bare number means hours,
or per hour. Anything unknown, out of its limits or without its unit is refused before the first
run.
"""
BELIEFS_TEXT = """
For `uncertain`: the path of a field, or of an argument of what it holds, and what is believed of
it. Its value is the same in a whole run, however often it is used there. Numbers have the unit and
the limits of the field. A distribution of which more than 0.1 % lies outside the limits is refused;
what remains outside counts as the limit itself. Inputs are independent of each other.
"""
UNITS_TEXT = """
A duration is a number and a unit, or a sum of such parts: `20 min`, `1.5 h`, `1 d 12 h`. A rate is
a number per duration: `0.01 / day`, `1 / 100 d`. Capitals do not matter. `0` needs no unit. A month
has no fixed length and `m` no single meaning: both are refused. A duration other than 0 lies
between 1e-9 h and 1e9 h, a rate other than 0 between 1e-15 and 1e6 per hour.
"""
FLAT_TEXT = """
A file whose keys are AIReSim's own parameters is read as what it is. Parameters that become no
field by themselves: the distribution and its two shapes make `failures.life`, regeneration makes
`failures.regeneration` with AIReSim's own share of 0.1, `selection.policy` is `pool_order`, and
`enable_topology: true` is refused. Adaptive replications are read and have no effect yet.
"""
