"""cli.md and python.md: the two ways to use the package."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer.main

import failcast as fc
from failcast.cli import app as cli_app
from failcast.cli import guard
from failcast.cli.app import VERBS
from reference_pages import meanings
from reference_pages.markdown import (
    MissingMeaningError,
    code,
    explained,
    first_sentence,
    page,
    prose,
    table,
)

#: The classes whose members are listed one by one.
MEMBERS_OF: tuple[type, ...] = (
    fc.Scenario,
    fc.Sample,
    fc.Summary,
    fc.Proportion,
    fc.Mtbf,
    fc.Precision,
    fc.Costs,
    fc.Series,
    fc.Comparison,
    fc.Difference,
    fc.ShareDifference,
    fc.Lever,
    fc.Levers,
    fc.Ranking,
    fc.MetricRanking,
    fc.Influence,
    fc.Prediction,
    fc.Parts,
    fc.Cause,
    fc.Curve,
    fc.BreakEven,
    fc.Crossing,
    fc.Validation,
    fc.Validated,
    fc.Policies,
    fc.ServerView,
    fc.Trace,
    fc.ScenarioError,
)


def option_rows(parameters: Iterable[Any], verb: Callable[..., Any] | None = None) -> Any:
    """One row for each argument or option of a verb, or of the program itself."""
    hints = get_type_hints(verb) if verb else {}
    rows = []
    for parameter in parameters:
        names = ", ".join(sorted(parameter.opts, key=len))
        value = parameter.metavar or value_in_words(hints.get(parameter.name))
        shown = value if parameter.param_type_name == "argument" else f"{names} {value}".strip()
        default = parameter.default
        rows.append([code(shown), parameter.help, code(default) if type(default) is str else ""])
    return rows


def value_in_words(hint: Any) -> str:
    """What stands for the value of an option that names none itself."""
    if get_origin(hint) is Literal:
        return "|".join(get_args(hint))
    return "FILE" if Path in get_args(hint) else ""


def cli_page() -> str:
    """The reference of the command line."""
    constants = vars(guard).items()
    names = {value for name, value in constants if name.isupper() and isinstance(value, int)}
    explained(meanings.EXIT_CODES, {0, *names}, "exit codes")
    for number, (name, _) in meanings.EXIT_CODES.items():
        if name and getattr(guard, name) != number:
            raise MissingMeaningError(f"exit code {number} is not {name}")
    group: Any = typer.main.get_command(cli_app)
    heads = ("option", "meaning", "default")
    parts = [
        prose(
            f"{group.help} Results go to stdout; notices, progress and errors go to stderr. "
            "`python -m failcast` is the same program."
        ),
        table(heads, option_rows(group.params)),
    ]
    for verb in VERBS:
        command = group.commands[verb.__name__]
        rows = option_rows(command.params, verb)
        parts += [f"## failcast {command.name}", prose(command.help), table(heads, rows)]
    codes = [[str(number), text] for number, (_, text) in meanings.EXIT_CODES.items()]
    parts += ["## Exit codes", table(("code", "meaning"), codes)]
    rows = [[code(name), text] for name, text in meanings.ENVIRONMENT.items()]
    parts += ["## Environment", table(("variable", "effect"), rows)]
    return page("Command line", *parts)


def call_of(name: str, thing: Any) -> str:
    """How a name is called: parameter names with their defaults, without types."""
    signature = inspect.signature(thing)
    bare = [
        p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"
    ]
    shown = signature.replace(parameters=bare, return_annotation=signature.empty)
    return f"{name}{shown}"


def member_rows(owner: type) -> list[list[str]]:
    """One row for each public method and property that a class itself defines."""
    rows = []
    for name, member in vars(owner).items():
        if name.startswith("_") or name == "model_config":
            continue
        if isinstance(member, property):
            rows.append([code(name), first_sentence(member)])
        elif inspect.isfunction(member):
            rows.append([code(call_of(name, member)), first_sentence(member)])
    return rows


def public_row(name: str) -> list[str]:
    """One row for a public name."""
    thing = getattr(fc, name)
    if name in meanings.PUBLIC_VALUES:
        return [code(name), meanings.PUBLIC_VALUES[name]]
    text = first_sentence(thing)
    if not text:
        raise MissingMeaningError(f"failcast.{name} has no docstring")
    return [code(call_of(name, thing) if inspect.isfunction(thing) else name), text]


def home_of(name: str) -> str:
    """The stage that a public name belongs to."""
    if name == "__version__":
        return "results"
    homes = ("scenario", "results", "engine", "study")
    return next(h for h in homes if name in sys.modules[f"failcast.{h}"].__all__)


def python_page() -> str:
    """The reference of the public API."""
    things = {name: getattr(fc, name) for name in fc.__all__}
    values = [n for n, x in things.items() if not inspect.isclass(x) and not inspect.isfunction(x)]
    explained(meanings.PUBLIC_VALUES, values, "public values")
    parts = [
        prose(
            "`import failcast as fc`; these names are all of the public API. Times are hours and "
            "rates per hour. A field of a block has the meaning given in "
            "[Scenario](scenario.md)."
        )
    ]
    for home, title in (
        ("scenario", "What is simulated"),
        ("engine", "How time passes"),
        ("results", "What happened"),
        ("study", "What it means"),
    ):
        rows = [public_row(name) for name in fc.__all__ if home_of(name) == home]
        parts += [f"## {title}", table(("name", "meaning"), rows)]
    for owner in MEMBERS_OF:
        parts.append(f"## Members of {owner.__name__}")
        if dataclasses.is_dataclass(owner):
            names = ", ".join(code(field.name) for field in dataclasses.fields(owner))
            parts.append(prose(f"Fields: {names}."))
        parts.append(table(("member", "meaning"), member_rows(owner)))
    return page("Python", *parts)
