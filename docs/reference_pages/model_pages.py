"""metrics.md, events.md and glossary.md: what a run counts, does and is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import failcast as fc
from failcast.engine import cost, model, random
from failcast.results import statistics
from reference_pages import meanings
from reference_pages.markdown import (
    all_sentences,
    code,
    explained,
    page,
    prose,
    table,
)


def metrics_page() -> str:
    """The reference of metrics, statistics and statuses."""
    explained(meanings.METRICS, fc.METRICS, "metrics")
    explained(meanings.STATUSES, [status.label for status in fc.Status], "statuses")
    columns = [[code(name), *meanings.METRICS[name]] for name in fc.METRICS]
    charges = [
        [code(each.cause), _charged(each), code(f"cost.{each.price}")] for each in cost.CHARGES
    ]
    labels = [[code(s.label), str(int(s)), meanings.STATUSES[s.label]] for s in fc.Status]
    parts = [
        prose(
            "One run gives one row of these columns. Each hour of a run is in exactly one of the "
            "eight buckets from `productive_hours` to `stalled_hours`; their sum is "
            "`training_hours`. Counters close when the job ends."
        ),
        table(("column", "unit", "meaning"), columns),
        "## Cost by cause",
        prose(
            "The job's slots are reserved until it is done, so vacant ones are charged, too. "
            "GPU-hours are server-hours × `cluster.gpus_per_server`; `cost.idle_hour` is for a "
            "server, all others as named. The sum is the column `cost`."
        ),
        table(("cause", "charged", "price"), charges),
        "## Status of a run",
        prose(
            "Figures of the metrics are over *finished* runs only. Runs that ended otherwise are "
            "counted by status and never averaged with them."
        ),
        table(("status", "code", "meaning"), labels),
        "## Figures of a sample",
    ]
    for name, function in (
        ("mean", statistics.mean),
        ("low, high", statistics.mean_interval),
        ("sd", statistics.standard_deviation),
        ("p5, p50, p95", statistics.quantile),
        ("p5_low, p5_high and so on", statistics.quantile_interval),
        ("Factor of the interval", statistics.t_quantile),
        ("Precision", statistics.relative_half_width),
        ("Share of runs", statistics.wilson),
        ("Share of none or all of the runs", statistics.proportion),
        ("mtbf_hours", statistics.mtbf),
    ):
        parts += [f"### {name}", all_sentences(function)]
    parts.append(
        prose(
            "It is taken over all runs of a sample, finished or not: `runs` counts them, and the "
            "table says so where some did not finish."
        )
    )
    return page("Metrics", *parts)


def _charged(charge: cost.Charge) -> str:
    """What is charged for a cause, in words."""
    return {
        cost.SLOTS: f"GPU-hours of all slots of the job during `{charge.source}`",
        cost.SERVERS: f"GPU-hours of servers in the state `{charge.source}`",
        cost.ACTIONS: f"each of `{charge.source}`",
    }[charge.of]


def transition_rows(names: tuple[str, ...], moves: Iterable[tuple[Any, Any, str]]) -> Any:
    """One row for each legal transition."""
    return [
        [code(names[a]) if a is not None else "(start)", code(names[b]), c] for a, b, c in moves
    ]


def events_page() -> str:
    """The reference of traces: events, states, phases, transitions, ties and addresses."""
    explained(meanings.SERVER_STATES, model.SERVER_STATES, "states of a server")
    explained(meanings.JOB_PHASES, model.JOB_PHASES, "phases of the job")
    explained(meanings.STREAMS, random.STREAMS, "streams of chance")
    events = [[code(name), detail] for name, detail in model.EVENTS]
    states = [[code(name), meanings.SERVER_STATES[name]] for name in model.SERVER_STATES]
    phases = [
        [
            code(name),
            "" if name == "ended" else code(model.BUCKETS[model.BUCKET_OF_PHASE[phase]]),
            meanings.JOB_PHASES[name],
        ]
        for phase, name in enumerate(model.JOB_PHASES)
    ]
    ranks = [[str(rank), name] for rank, name in enumerate(model.RANKS)]
    streams = [
        [code(name), str(int(number)), entity, n, meanings.STREAMS[name]]
        for name, (number, entity, n) in random.STREAMS.items()
    ]
    moves = ("from", "to", "what makes it happen")
    return page(
        "Events",
        prose(
            "A trace has the columns `time_hours`, `event`, `server` and `detail`, in order of "
            "occurrence. `server` is -1 where an event concerns no single server. Servers are "
            "numbered from 0: the working pool first, then the spares. The first six events are "
            "the job entering a phase; the last four end the run."
        ),
        table(("event", "meaning of detail"), events),
        "## States of a server",
        table(("state", "meaning"), states),
        "## Transitions of a server",
        table(moves, transition_rows(model.SERVER_STATES, model.SERVER_TRANSITIONS)),
        "## Phases of the job",
        table(("phase", "its hours are", "meaning"), phases),
        "## Transitions of the job",
        table(moves, transition_rows(model.JOB_PHASES, model.JOB_TRANSITIONS)),
        "## Ties in time",
        prose(
            "Of events due at the same instant, the lower rank comes first, then the lower server "
            "number. A consequence follows its cause even at the same instant."
        ),
        table(("rank", "event"), ranks),
        "## Addresses of chance",
        prose(
            "Each draw is a hash of seed, replication, stream, entity and n. A renewal is the "
            "number of a server's present life, counted from 0."
        ),
        table(("stream", "number", "entity", "n", "decides"), streams),
    )


def glossary_page() -> str:
    """Terms of the field, and the causes of unproductive time."""
    explained(meanings.CAUSES, model.BUCKETS, "buckets of hours")
    terms = [f"**{term}.** {text}" for term, text in meanings.GLOSSARY.items()]
    causes = [
        [code(name), meanings.CAUSES[name], meanings.METRICS[name][1]] for name in model.BUCKETS
    ]
    return page(
        "Glossary",
        *map(prose, terms),
        "## Unproductive time by cause",
        table(("bucket", "cause", "meaning"), causes),
    )
