"""What happened: samples of runs, their statistics, and the files they leave.

On the map: scenario -> engine -> **results** -> study -> report. This folder turns the engine's
arrays into means with intervals, tables, documents and sentences. Statistics are pure functions
(`statistics.py`); a `Sample` joins them to the scenario and seed they came from.
"""

from __future__ import annotations

from failcast.results.cost import CostLine, Costs
from failcast.results.errors import RequestError
from failcast.results.folder import check_folder, write_folder
from failcast.results.goals import Goal, Verdict
from failcast.results.manifest import InputFile
from failcast.results.measure import Measure
from failcast.results.precision import Precision
from failcast.results.request import check_request
from failcast.results.run import compile_kernel, simulate, trace
from failcast.results.sample import Bucket, Sample
from failcast.results.statistics import Interval, Mtbf, Proportion, Summary
from failcast.results.timeline import Series, series
from failcast.results.timeline_file import check_series_path, write_series
from failcast.results.trace_file import check_trace_path, write_trace

__all__ = [
    "Bucket",
    "CostLine",
    "Costs",
    "Goal",
    "InputFile",
    "Interval",
    "Measure",
    "Mtbf",
    "Precision",
    "Proportion",
    "RequestError",
    "Sample",
    "Series",
    "Summary",
    "Verdict",
    "check_folder",
    "check_request",
    "check_series_path",
    "check_trace_path",
    "compile_kernel",
    "series",
    "simulate",
    "trace",
    "write_folder",
    "write_series",
    "write_trace",
]
