"""What a published study is: sweeps of scenarios, and findings that are checked on them.

On the map: study, below the single studies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from failcast.engine import Engine
from failcast.engine.executors import Executor
from failcast.results import RequestError
from failcast.results.folder import MANIFEST, check_folder, json_bytes, unwritable
from failcast.results.request import replications_of, seed_of
from failcast.results.whole_file import whole_file
from failcast.results.workers import workers
from failcast.scenario import Scenario, load, notebook
from failcast.study.comparison import Comparison
from failcast.study.differences import Difference
from failcast.study.sweeps import Sweep, check_sweep, sweep
from failcast.version import __version__

SCHEMA: Final = "failcast.reproduce/1"
#: An effect on the training time of at least this share of it is said to matter.
MATTERS: Final = 0.05


@dataclass(frozen=True)
class Part:
    """One sweep of a study: what is changed in the study's scenario, and what is varied.

    `extra` marks one that the publication does not have.
    """

    overrides: tuple[str, ...]
    vary: tuple[str, ...]
    extra: bool = False


@dataclass(frozen=True)
class Finding:
    """A statement of the publication, whether our numbers agree, and the numbers.

    `agrees` is None where the runs are too few to say.
    """

    statement: str
    agrees: bool | None
    numbers: str

    @property
    def verdict(self) -> str:
        """Agrees, differs, or open."""
        return {True: "agrees", False: "differs", None: "open"}[self.agrees]

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class Study:
    """A published study. `check` makes the findings from the sweeps of `parts` by name."""

    name: str
    title: str
    source: str
    preset: str
    replications: int
    parts: Mapping[str, Part]
    check: Callable[[Mapping[str, Sweep]], tuple[Finding, ...]]

    def scenario(self, part: Part) -> Scenario:
        """The scenario that a part varies."""
        return load(self.preset, part.overrides)

    def runs(self, replications: int | None = None) -> int:
        """The number of runs of all parts together."""
        size = self.replications if replications is None else replications_of(replications)
        scenarios = ((self.scenario(part), part) for part in self.parts.values())
        return sum(check_sweep(base, part.vary, replications=size) for base, part in scenarios)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A study that was run again: its sweeps by name, and its findings."""

    study: Study
    sweeps: Mapping[str, Sweep]
    findings: tuple[Finding, ...]

    @property
    def published(self) -> Mapping[str, Sweep]:
        """The sweeps that the publication has, too."""
        return {
            name: each for name, each in self.sweeps.items() if not self.study.parts[name].extra
        }

    def answer(self) -> str:
        """How many findings agree with our numbers, and which do not."""
        agreed = sum(each.agrees is True for each in self.findings)
        text = f"{agreed} of {len(self.findings)} findings of {self.study.title} agree."
        other = [each.statement for each in self.findings if each.agrees is False]
        open_ = [each.statement for each in self.findings if each.agrees is None]
        text += f" Not so: {' '.join(other)}" if other else ""
        return text + (f" Too few runs to say: {' '.join(open_)}" if open_ else "")

    def to_dict(self) -> dict[str, Any]:
        """The findings and the sweeps with the training time and ETTR of each cell, for JSON."""
        return {
            "schema": SCHEMA,
            "failcast": __version__,
            "study": self.study.name,
            "source": self.study.source,
            "findings": [each.to_dict() for each in self.findings],
            "sweeps": {
                name: each.to_dict(["training_hours", "ettr"]) for name, each in self.sweeps.items()
            },
        }

    def _repr_html_(self) -> str:
        rows = [(each.verdict, each.statement, each.numbers) for each in self.findings]
        head = ("", "finding", "our numbers")
        return notebook.block(
            notebook.answer(self.answer()),
            notebook.table(head, rows, left=(0, 1, 2)),
            notebook.remark(f"Source: {self.study.source}"),
        )

    def __repr__(self) -> str:
        return f"<Reproduction of {self.study.title}: {self.answer()}>"


def run(
    study: Study,
    *,
    replications: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    engine: Engine = "kernel",
    store: str | Path | None = None,
    executor: Executor | str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Reproduction:
    """Run all parts of a study and check its findings; arguments as in `sweep`."""
    size = study.replications if replications is None else replications_of(replications)
    how: dict[str, Any] = {"threads": threads, "engine": engine}
    if seed is not None:
        how["seed"] = seed_of(seed)
    if size < 2:
        raise RequestError("a study needs two replications or more: one has no interval.")
    place = None if store is None else _folder(store, study)
    with workers(executor, threads) as hands:
        sweeps = {
            name: sweep(
                study.scenario(part),
                part.vary,
                replications=size,
                store=None if place is None else place / name,
                executor=hands,
                on_progress=on_progress,
                **how,
            )
            for name, part in study.parts.items()
        }
    return Reproduction(study, sweeps, study.check(sweeps))


def _folder(store: str | Path, study: Study) -> Path:
    """The folder of a study, new or one of ours, with a manifest. Raises RequestError."""
    place = check_folder(store, SCHEMA)
    try:
        place.mkdir(exist_ok=True)
        if not (place / MANIFEST).exists():
            with whole_file(place / MANIFEST, "the manifest") as file:
                file.write(json_bytes({"schema": SCHEMA, "study": study.name}).decode())
    except OSError as error:
        raise unwritable(store, error) from error
    return place


def between(sweep: Sweep, base: tuple[str, ...], other: tuple[str, ...]) -> Difference:
    """The paired difference of the training time between two cells, given by their values."""
    first, second = sweep.sample(sweep.at(*base)), sweep.sample(sweep.at(*other))
    return Comparison(first, second).difference("training_hours")
