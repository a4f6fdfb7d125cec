"""Measure what failcast costs, in one run, and print it beside the last release: `make bench`.

The document goes to `benchmarks/results.json`, or to the file of `--out`; `--release DATE` keeps it
as that of this version in `benchmarks/releases/`. `--short` runs every line in seconds, for the
tests; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import failcast
from benchmarks import cluster, cold_start, ranking, real, scaling, studies, table1, threads
from benchmarks.document import RELEASES, RESULTS, document, last_release, load_now, write
from benchmarks.effort import FULL, SHORT
from benchmarks.report import lines
from failcast.engine.warm import compile_kernel, compile_notice

PARTS = {
    "Table 1": table1.measure,
    "growth with the servers": scaling.measure,
    "two threads": threads.measure,
    "real clusters": real.measure,
    "studies": studies.measure,
    "ranking": ranking.measure,
    "Ray beside threads": cluster.measure,
    "cold start": cold_start.measure,
}


def main(arguments: list[str]) -> int:
    """Measure, print, store."""
    options = _parser().parse_args(arguments)
    load = load_now()
    if (notice := compile_notice()) is not None:
        _say(notice)
    compile_kernel()
    effort = SHORT if options.short else FULL
    parts = []
    for name, measure in PARTS.items():
        _say(f"Measuring: {name}")
        parts.append(measure(effort))
    found = document(parts, date=options.release, short=options.short, load_before=load)
    sys.stdout.write("\n".join(lines(found, last_release())) + "\n")
    write(found, options.out)
    if options.release:
        write(found, RELEASES / f"{failcast.__version__}.json")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file to write (JSON)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--release", metavar="DATE", help="keep it as that of this version")
    kind.add_argument("--short", action="store_true", help="run every line; figures mean nothing")
    return parser


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
