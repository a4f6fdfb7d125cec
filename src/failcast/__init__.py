"""failcast predicts how long AI training jobs take on clusters whose servers fail.

    import failcast as fc

    scenario = fc.load("airesim-table1").with_(job__warm_standbys=32)
    sample = fc.simulate(scenario, replications=200, seed=1)
    print(sample.answer())

This file is the public API: `__all__` is all of it. A name is imported when it is first used, so
that `import failcast` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from failcast.version import __version__

if TYPE_CHECKING:
    from failcast.engine import (
        METRICS,
        SERVER_STATES,
        ExecutorError,
        Policies,
        PolicyError,
        Runs,
        ServerView,
        Status,
        TaskError,
        Trace,
    )
    from failcast.results import (
        Bucket,
        Goal,
        InputFile,
        Interval,
        Measure,
        Mtbf,
        Precision,
        Proportion,
        RequestError,
        Sample,
        Summary,
        Verdict,
        check_folder,
        check_request,
        check_trace_path,
        compile_kernel,
        simulate,
        trace,
        write_folder,
        write_trace,
    )
    from failcast.scenario import (
        AutomatedRepair,
        Cluster,
        Constant,
        ConstantLife,
        Diagnosis,
        Empirical,
        EmpiricalLife,
        Exponential,
        ExponentialLife,
        Exposure,
        Failures,
        Gamma,
        GammaLife,
        Job,
        Lognormal,
        LognormalLife,
        ManualRepair,
        Mixture,
        MixtureLife,
        Never,
        Preemption,
        RandomFailures,
        Recovery,
        Regeneration,
        Repair,
        Run,
        Scenario,
        ScenarioError,
        Score,
        ScoreFloor,
        Selection,
        SystematicFailures,
        Threshold,
        Uniform,
        UniformLife,
        Weibull,
        WeibullLife,
        describe,
        load,
        load_with_notes,
        scenario_hash,
        to_dict,
    )
    from failcast.study import (
        STUDIES,
        Cell,
        Comparison,
        Difference,
        Effect,
        Figures,
        Finding,
        Lever,
        Levers,
        Reproduction,
        ShareDifference,
        Sweep,
        check_sweep,
        compare,
        comparison_document,
        levers,
        planned_levers,
        reproduce,
        runs_of_study,
        sweep,
        sweep_effects,
    )

__all__ = [
    "METRICS",
    "SERVER_STATES",
    "STUDIES",
    "AutomatedRepair",
    "Bucket",
    "Cell",
    "Cluster",
    "Comparison",
    "Constant",
    "ConstantLife",
    "Diagnosis",
    "Difference",
    "Effect",
    "Empirical",
    "EmpiricalLife",
    "ExecutorError",
    "Exponential",
    "ExponentialLife",
    "Exposure",
    "Failures",
    "Figures",
    "Finding",
    "Gamma",
    "GammaLife",
    "Goal",
    "InputFile",
    "Interval",
    "Job",
    "Lever",
    "Levers",
    "Lognormal",
    "LognormalLife",
    "ManualRepair",
    "Measure",
    "Mixture",
    "MixtureLife",
    "Mtbf",
    "Never",
    "Policies",
    "PolicyError",
    "Precision",
    "Preemption",
    "Proportion",
    "RandomFailures",
    "Recovery",
    "Regeneration",
    "Repair",
    "Reproduction",
    "RequestError",
    "Run",
    "Runs",
    "Sample",
    "Scenario",
    "ScenarioError",
    "Score",
    "ScoreFloor",
    "Selection",
    "ServerView",
    "ShareDifference",
    "Status",
    "Summary",
    "Sweep",
    "SystematicFailures",
    "TaskError",
    "Threshold",
    "Trace",
    "Uniform",
    "UniformLife",
    "Verdict",
    "Weibull",
    "WeibullLife",
    "__version__",
    "check_folder",
    "check_request",
    "check_sweep",
    "check_trace_path",
    "compare",
    "comparison_document",
    "compile_kernel",
    "describe",
    "levers",
    "load",
    "load_with_notes",
    "planned_levers",
    "reproduce",
    "runs_of_study",
    "scenario_hash",
    "simulate",
    "sweep",
    "sweep_effects",
    "to_dict",
    "trace",
    "write_folder",
    "write_trace",
]

_HOMES = ("failcast.scenario", "failcast.results", "failcast.engine", "failcast.study")
"""Where a name is looked for, in this order: `trace` is the one of results, which checks first."""


def __getattr__(name: str) -> Any:
    """Import a public name from its home at first use (PEP 562)."""
    if name in __all__:
        for home in map(import_module, _HOMES):
            if name in home.__all__:
                value = getattr(home, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module 'failcast' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, those not yet imported too."""
    return sorted(__all__)
