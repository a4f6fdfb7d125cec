"""What happened: samples of runs, their statistics, and the files they leave.

On the map: scenario -> engine -> **results** -> study -> report. This folder turns the engine's
arrays into means with intervals, tables, documents and sentences. Statistics are pure functions
(`statistics.py`); a `Sample` joins them to the scenario and seed they came from.
"""

from __future__ import annotations

from failcast.results.errors import RequestError
from failcast.results.run import check_request, compile_kernel, simulate
from failcast.results.sample import Bucket, Sample
from failcast.results.statistics import Interval, Mtbf, Summary
from failcast.results.trace import check_trace_path, write_trace

__all__ = [
    "Bucket",
    "Interval",
    "Mtbf",
    "RequestError",
    "Sample",
    "Summary",
    "check_request",
    "check_trace_path",
    "compile_kernel",
    "simulate",
    "write_trace",
]
