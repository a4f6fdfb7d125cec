"""Run the scenarios of anchors and set what comes out beside what was published.

On the map: study, above the checks; the command line and notebooks show a `Validation`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from failcast.engine import Engine
from failcast.results import RequestError, Sample, simulate
from failcast.results.errors import unknown_name
from failcast.results.folder import Writer, json_bytes, write_files
from failcast.results.request import replications_of, seed_of
from failcast.scenario import notebook
from failcast.study.validations.anchor import DECLINED, Anchor, AnchorFigure, anchors
from failcast.study.validations.checks import CHECKS
from failcast.study.validations.measures import Estimate, Simulated
from failcast.version import __version__

if TYPE_CHECKING:
    import polars

SCHEMA: Final = "failcast.validate/1"
#: Where chance starts, unless a call says otherwise.
SEED: Final = 1


@dataclass(frozen=True)
class Validated:
    """One figure of an anchor beside what the model says of it.

    `simulated` is None where the figure is not simulated, `closed_form` where there is none.
    """

    anchor: str
    figure: AnchorFigure
    simulated: Estimate | None = None
    closed_form: float | None = None
    formula: str = ""
    case: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the simulated mean is as published; None where that is open, or declined.

        It is where its whole interval lies within the tolerance, and it is not where none of it
        does.
        """
        found = self.simulated
        if self.figure.kind == DECLINED or found is None:
            return None
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        least = float("-inf") if self.figure.low is None else self.figure.low
        most = float("inf") if self.figure.high is None else self.figure.high
        if least <= low and high <= most:
            return True
        return False if high < least or low > most else None

    @property
    def verdict(self) -> str:
        """Agrees, differs, open or declined."""
        if self.figure.kind == DECLINED:
            return DECLINED
        return {True: "agrees", False: "differs", None: "open"}[self.agrees]

    def numbers(self) -> dict[str, Any]:
        """The row of this figure in a table: names, class, verdict, and the numbers."""
        found = self.simulated
        return {
            "anchor": self.anchor,
            "figure": self.figure.name,
            "class": self.figure.kind,
            "verdict": self.verdict,
            "measured": self.figure.measured,
            "tolerance_low": self.figure.low,
            "tolerance_high": self.figure.high,
            "simulated": None if found is None else found.value,
            "low": None if found is None else found.low,
            "high": None if found is None else found.high,
            "closed_form": self.closed_form,
        }

    def to_dict(self) -> dict[str, Any]:
        """The figure, what was simulated, the closed form and the verdict, ready for JSON."""
        given = asdict(self.figure)
        return {
            "name": given.pop("name"),
            "what": given.pop("what"),
            "class": given.pop("kind"),
            **given,
            "simulated": None if self.simulated is None else self.simulated.to_dict(),
            "closed_form": self.closed_form,
            "formula": self.formula,
            "scenario": self.case,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, eq=False)
class Validation:
    """What the model says of published figures: a line for each, and the samples behind them.

    `samples` are by anchor and name of the scenario.
    """

    lines: tuple[Validated, ...]
    samples: Mapping[tuple[str, str], Sample]
    seed: int

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The anchors that were asked for, in order."""
        return tuple(anchors()[name] for name in dict.fromkeys(each.anchor for each in self.lines))

    @property
    def compared(self) -> tuple[Validated, ...]:
        """The lines that are not declined."""
        return tuple(each for each in self.lines if each.verdict != DECLINED)

    @property
    def declined(self) -> tuple[Validated, ...]:
        """The lines that are declined."""
        return tuple(each for each in self.lines if each.verdict == DECLINED)

    @property
    def passed(self) -> bool:
        """Whether everything that can be compared agrees."""
        return all(each.agrees for each in self.compared)

    @property
    def runs(self) -> int:
        """Number of runs of all samples."""
        return sum(sample.replications for sample in self.samples.values())

    def of(self, anchor: str) -> tuple[Validated, ...]:
        """The lines of an anchor. Raises RequestError for one that was not asked for."""
        found = tuple(each for each in self.lines if each.anchor == anchor)
        if not found:
            raise unknown_name("anchor", anchor, [each.name for each in self.anchors])
        return found

    def line(self, anchor: str, figure: str) -> Validated:
        """The line of one figure. Raises RequestError."""
        lines = {each.figure.name: each for each in self.of(anchor)}
        if figure not in lines:
            raise unknown_name("figure", figure, tuple(lines))
        return lines[figure]

    def answer(self) -> str:
        """How many figures agree, by class, and which do not."""
        compared = self.compared
        agreed = [each for each in compared if each.agrees]
        text = f"{len(agreed)} of {len(compared)} published figures agree"
        kinds = dict.fromkeys(each.figure.kind for each in compared)
        counts = [f"{sum(e.figure.kind == kind for e in agreed)} {kind}" for kind in kinds]
        text += f" ({', '.join(counts)})." if counts else "."
        for verdict, words in (("differs", "Not so"), ("open", "Too few runs to say")):
            names = [_name(each) for each in compared if each.verdict == verdict]
            text += f" {words}: {', '.join(names)}." if names else ""
        if self.declined:
            text += f" {len(self.declined)} more are declined, with their reasons."
        return text

    def to_dict(self) -> dict[str, Any]:
        """The anchors with their sources, scenarios and lines, ready for JSON."""
        return {
            "schema": SCHEMA,
            "failcast": __version__,
            "seed": self.seed,
            "passed": self.passed,
            "anchors": [self._anchor(anchor) for anchor in self.anchors],
        }

    def _anchor(self, anchor: Anchor) -> dict[str, Any]:
        scenarios = {
            name: {
                "preset": case.preset,
                "changes": list(case.changes),
                "replications": self.samples[anchor.name, name].replications,
                "finished": self.samples[anchor.name, name].finished,
            }
            for name, case in anchor.cases.items()
        }
        return {
            "name": anchor.name,
            "title": anchor.title,
            "source": anchor.source,
            "note": anchor.note,
            "scenarios": scenarios,
            "figures": [line.to_dict() for line in self.of(anchor.name)],
        }

    def table(self) -> polars.DataFrame:
        """One row per figure: anchor, figure, class, verdict, and the numbers side by side."""
        import polars

        rows = [line.numbers() for line in self.lines]
        texts = ("anchor", "figure", "class", "verdict")
        kinds = {name: polars.String if name in texts else polars.Float64 for name in rows[0]}
        return polars.DataFrame(rows, schema=kinds)

    def write(
        self, path: str | os.PathLike[str], document: Mapping[str, Any] | None = None
    ) -> Path:
        """Write result.json, figures.csv and manifest.json into a folder, and return it.

        `document` is what `to_dict` returned, where a caller added to it. The folder is new, empty
        or one that an earlier validation wrote. Raises RequestError.
        """
        given = self.to_dict() if document is None else dict(document)
        writers: dict[str, Writer] = {
            "result.json": lambda file: file.write(json_bytes(given)),
            "figures.csv": self.table().write_csv,
        }
        about = {"failcast": __version__, "seed": self.seed, "passed": self.passed}
        return write_files(path, SCHEMA, writers, about)

    def _repr_html_(self) -> str:
        from failcast.study.validations.words import HEAD, cells

        parts = [notebook.answer(self.answer())]
        for anchor in self.anchors:
            lines = self.of(anchor.name)
            table = notebook.table(HEAD, [cells(line) for line in lines], left=(0, 1))
            reasons = "".join(
                notebook.remark(f"{line.figure.what}: {line.figure.reason}.")
                for line in lines
                if line.figure.reason
            )
            source = notebook.remark(f"Source: {anchor.source}. {anchor.note}".rstrip())
            parts += [notebook.remark(anchor.title), table, reasons, source]
        return notebook.block(*parts)

    def __repr__(self) -> str:
        return f"<Validation: {self.answer()}>"


def validate(
    *names: str,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    on_progress: Callable[[int], None] | None = None,
) -> Validation:
    """Run the scenarios of anchors, all of them unless some are named, and compare.

    `replications` of each scenario default to those that its figures need. Other arguments are
    those of `simulate`. Raises RequestError.
    """
    asked = chosen(names)
    start = SEED if seed is None else seed_of(seed)
    how: dict[str, Any] = {
        "seed": start,
        "threads": threads,
        "engine": engine,
        "on_progress": on_progress,
    }
    size = _size(replications)
    samples = {
        (anchor.name, name): simulate(
            case.scenario(), replications=size or case.replications, **how
        )
        for anchor in asked
        for name, case in anchor.cases.items()
    }
    found = {key: Simulated(sample) for key, sample in samples.items()}
    lines = [_line(anchor, figure, found) for anchor in asked for figure in anchor.figures]
    return Validation(tuple(lines), samples, start)


def runs_of_validation(*names: str, replications: int | None = None) -> int:
    """The number of runs that `validate` does. Raises RequestError."""
    size = _size(replications)
    cases = [case for anchor in chosen(names) for case in anchor.cases.values()]
    return sum(size or case.replications for case in cases)


def chosen(names: Iterable[str]) -> tuple[Anchor, ...]:
    """The anchors of these names, all without any. Raises RequestError for an unknown one."""
    known = anchors()
    for name in names:
        if name not in known:
            raise unknown_name("anchor", name, tuple(known))
    return tuple(known[name] for name in dict.fromkeys(names)) or tuple(known.values())


def _size(replications: int | None) -> int | None:
    size = None if replications is None else replications_of(replications)
    if size is not None and size < 2:
        raise RequestError("a validation needs two replications or more: one has no interval.")
    return size


def _line(
    anchor: Anchor, figure: AnchorFigure, found: Mapping[tuple[str, str], Simulated]
) -> Validated:
    check = CHECKS[anchor.name].get(figure.name)
    if check is None:
        return Validated(anchor.name, figure)
    simulated = found[anchor.name, check.case]
    scenario = simulated.sample.scenario
    return Validated(
        anchor=anchor.name,
        figure=figure,
        simulated=None if check.measure is None else check.measure(simulated),
        closed_form=None if check.closed_form is None else check.closed_form(scenario),
        formula=check.formula,
        case=check.case,
    )


def _name(line: Validated) -> str:
    return f"{line.figure.name} of {line.anchor}"
