"""The argument and options that several verbs share, and how they become a scenario.

On the map: cli.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import failcast as fc
from failcast.cli import candidates, output


def whole_number(text: str) -> int:
    """Read an option's value as an integer; its limits are the business of the API."""
    try:
        return int(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a whole number.") from error


def share(text: str) -> Any:
    """Read an option's value as a scenario file would; its limits are the business of the API."""
    from failcast.scenario.scalars import plain_scalar

    value = plain_scalar(text)
    if value is None:
        raise typer.BadParameter(f"{text!r} is no share; write one such as 1%.")
    return value


def place(text: str) -> Path:
    """Read an option's value as a path; an empty one is not the directory one is in."""
    if not text:
        raise typer.BadParameter("the name is empty.")
    return Path(text)


ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file (YAML, TOML, JSON) or the name of a preset.",
        autocompletion=candidates.scenarios,
    ),
]
ScenariosArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCENARIO",
        help="Scenario files or presets; the first is what the others are compared with.",
        autocompletion=candidates.scenarios,
    ),
]
OverridesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="PATH=VALUE",
        help="Override a field, such as job.warm_standbys=32; may be repeated.",
        autocompletion=candidates.overrides,
    ),
]

QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No notices and no progress on stderr.")
]
ReplicationsOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number, metavar="N", help="Independent runs (default: the scenario's)."
    ),
]
PrecisionOption = Annotated[
    Any,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="Run until half the interval of the mean is at most this share of it, such as 1%.",
    ),
]
PrecisionOfOption = Annotated[
    str | None,
    typer.Option(
        metavar="METRIC",
        help="The metric of --precision (default: training_hours).",
        autocompletion=candidates.metrics,
    ),
]
LeastOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number,
        metavar="N",
        help="Runs before --precision is looked at (default: the scenario's, 200).",
    ),
]
MostOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number,
        metavar="N",
        help="Runs after which --precision gives up (default: the scenario's, 100,000).",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number, metavar="N", help="Where chance starts (default: the scenario's)."
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number, metavar="N", help="Threads of the kernel (default: one per core)."
    ),
]
EngineOption = Annotated[
    Literal["kernel", "reference"],
    typer.Option(help="kernel is compiled; reference is SimPy, and slow."),
]
ExecutorOption = Annotated[
    str,
    typer.Option(
        metavar="WHO",
        help="Who does the work: threads; ray (its own, on --threads CPUs); auto or ray://HOST:PORT.",
        autocompletion=candidates.executors,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TIME",
        help="Tell the share of runs that finish within this time, such as 420d; may be repeated.",
    ),
]
ServerHoursOption = Annotated[
    bool, typer.Option("--server-hours", help="Show the server-hours in each state, too.")
]
GpuHoursOption = Annotated[
    bool,
    typer.Option(
        "--gpu-hours", help="Show the GPU-hours by cause, too; with prices they stand by the costs."
    ),
]
LeversOption = Annotated[
    bool,
    typer.Option(
        "--levers", help="Tell what half and twice of each main knob would save; 16 more samples."
    ),
]
UncertainOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH=BELIEF",
        help="An input that is not known: low..high, 'normal(20min, 3min)', 'unknown(low..high)'; "
        "may be repeated.",
        autocompletion=candidates.overrides,
    ),
]
DrawsOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number,
        metavar="N",
        help="Draws of uncertain inputs (default: half of the replications).",
    ),
]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar="FILE",
        help="Write the events of replication 0 to this CSV file.",
        autocompletion=candidates.files,
    ),
]
SeriesOption = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar="FILE",
        help="Write the servers by state over time to this .csv, .parquet or .json file.",
        autocompletion=candidates.files,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar="DIR",
        help="Write results and single runs (JSON, Parquet, CSV) with a manifest into this folder.",
        autocompletion=candidates.folders,
    ),
]
FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GOAL",
        help="Exit with 10 where this holds, such as 'ettr.low < 0.95'; may be repeated.",
        autocompletion=candidates.goals,
    ),
]
VaryOption = Annotated[
    list[str],
    typer.Option(
        metavar="PATH=VALUES",
        help="Vary a field: a,b,c or a|b or low..high:n (:log for even ratios); may be repeated.",
        autocompletion=candidates.overrides,
    ),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC",
        help="A metric, or a probability such as 'finished_by(420d)'; may be repeated.",
        autocompletion=candidates.measures,
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        parser=place,
        metavar="DIR",
        help="Keep all runs and a table of the cells in this folder, and go on from what it holds.",
        autocompletion=candidates.folders,
    ),
]


def load_scenario(
    source: str, overrides: list[str] | None, *, quiet: bool, heeds_beliefs: bool = False
) -> fc.Scenario:
    """Load a preset or a file with the overrides; say on stderr what was read without effect.

    That includes what is believed of inputs, where the verb does not heed it.
    """
    scenario, notes = fc.load_with_notes(source, overrides or [])
    if not quiet:
        for note in notes:
            output.notice(f"Note: {note}")
        if scenario.uncertain and not heeds_beliefs:
            paths = ", ".join(path for path, _ in scenario.uncertain)
            output.notice(
                f"Note: only run heeds what is believed of {paths}; here the fields count."
            )
    return scenario


def with_beliefs(overrides: list[str] | None, uncertain: list[str] | None) -> list[str]:
    """The overrides, those that `--uncertain` is short for last."""
    return [*(overrides or []), *(f"uncertain.{text.lstrip()}" for text in uncertain or [])]


def load_pairs(
    sources: list[str], overrides: list[str] | None, *, quiet: bool
) -> list[fc.Scenario]:
    """Load what is to be compared, the base first.

    Overrides apply to each of several scenarios; of a lone one they make the other, but for those
    that say how the samples are taken: these are of both.
    """
    from failcast.scenario.echo import OF_THE_SAMPLE

    if len(sources) > 1:
        return [load_scenario(source, overrides, quiet=quiet) for source in sources]
    given = overrides or []
    shared = [text for text in given if text.partition("=")[0].strip() in OF_THE_SAMPLE]
    if len(shared) == len(given):
        paths = " and ".join(dict.fromkeys(text.partition("=")[0].strip() for text in shared))
        says = f" ({paths}: how the samples of both are taken, which is no change)" if paths else ""
        raise fc.RequestError(
            f"{sources[0]} has nothing to be compared with{says}: give another scenario, or a "
            "change such as -s job.warm_standbys=32."
        )
    base = load_scenario(sources[0], shared, quiet=quiet)
    return [base, load_scenario(sources[0], given, quiet=True)]


def input_files(source: str) -> list[fc.InputFile]:
    """The file that a scenario was read from, with its hash; none for a preset."""
    from failcast.scenario import PRESETS

    return [] if source in PRESETS else [fc.InputFile.of(source)]
