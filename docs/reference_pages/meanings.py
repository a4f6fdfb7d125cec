"""What the reference pages say in words that no docstring or registry of the package holds.

Literal tables only, read by `generate.py`. The generator stops when a name of the package has no
meaning here, and when a meaning here has no name left in the package. The fields of a scenario have
theirs in the package, because `failcast init` and `failcast schema` tell them too.
"""

from __future__ import annotations

from failcast.scenario.meanings import FIELDS as FIELDS

#: Distribution of belief -> meaning.
BELIEFS: dict[str, str] = {
    "uniform": "The same as a range.",
    "normal": "A number around the mean; about two thirds of it within one `sd`.",
    "lognormal": "A factor around the median; `sigma` is that of the logarithm: 0.1 is about 10 %.",
    "triangular": "A number from low to high, most likely near the mode.",
    "one_of": "Each of 2 to 100 values is as likely as any other; names and policies too.",
    "unknown": "Nothing. `run` draws a curve over the range; without one it asks for it.",
}

#: Metric column -> (unit, meaning).
METRICS: dict[str, tuple[str, str]] = {
    "training_hours": ("h", "Wall time from the start of the job to its end."),
    "ettr": (
        "share",
        "Effective training time ratio: productive hours over training hours.",
    ),
    "productive_hours": ("h", "The job computes, and the work stays."),
    "lost_hours": ("h", "Work that a failure undid, since no checkpoint of it survived."),
    "degraded_hours": (
        "h",
        "The part of slow or shrunken hours that did no work. Zero until such hours are built.",
    ),
    "checkpoint_hours": ("h", "Standing still while a checkpoint is written."),
    "recovery_hours": ("h", "Recovering after failures."),
    "selection_hours": ("h", "Selecting hosts, the first start included."),
    "waiting_hours": ("h", "Waiting for servers that were preempted from the spare pool."),
    "stalled_hours": ("h", "Standing still: too few servers, and none on their way but repairs."),
    "detect_hours": ("h", "Of the recovery hours: until the failure is noticed."),
    "diagnose_hours": ("h", "Of the recovery hours: until it is known who failed."),
    "reschedule_hours": ("h", "Of the recovery hours: until the job has its places again."),
    "restart_hours": ("h", "Of the recovery hours: until all processes run."),
    "load_hours": (
        "h",
        "Of the recovery hours: until the state is loaded, with the restore of a checkpoint.",
    ),
    "warm_up_hours": ("h", "Of the recovery hours: until the job computes as fast as before."),
    "failures": ("per run", "Failures of active servers; each stops the job."),
    "failures_random": ("per run", "Failures that any server may have."),
    "failures_systematic": ("per run", "Failures that come of a server's being defective."),
    "relapses": (
        "per run",
        "Failures of a fault that an earlier failure or a silent repair left in the server.",
    ),
    "blamed_right": ("per run", "Failures for which the failed server was blamed."),
    "blamed_wrong": ("per run", "Failures for which an innocent server was blamed."),
    "undiagnosed": ("per run", "Failures for which nobody was blamed."),
    "repairs_automated": (
        "per run",
        "Automated repair stages that ended before the job did, escalated ones too.",
    ),
    "repairs_manual": ("per run", "Manual repair stages that ended before the job did."),
    "repairs_successful": (
        "per run",
        "Repairs that succeeded. A success makes a defective server good.",
    ),
    "repairs_silent": ("per run", "Repairs that mended nothing, without a sign of it."),
    "requalifications": (
        "per run",
        "Tests after a repair that ended before the job did. Those beyond `repairs_successful` + "
        "`repairs_silent` sent the server to the manual stage again.",
    ),
    "preemptions": ("per run", "Spares taken from the spare pool."),
    "host_selections": ("per run", "Host selections, the first start included."),
    "standby_promotions": ("per run", "Standbys that took the slot of a server under repair."),
    "stalls": ("per run", "Times the job came to stand still."),
    "servers_retired": ("per run", "Servers retired before the job ended."),
    "checkpoints": ("per run", "Checkpoints that were written to their end."),
    "failures_reserve": (
        "per run",
        "Standby, idle and spare servers that were found to have failed; not among `failures`.",
    ),
    "replay_ignored": (
        "per run",
        "Replayed failures before the end of the job without effect: their server was already "
        "down, on its way, or in a reserve that is not exposed.",
    ),
    "down_p99": (
        "servers",
        "Servers in repair or waiting for it at once, 99th percentile over the run: in "
        "99 % of the time no more were down. The usual rule for how many standbys to keep.",
    ),
    "defective_mean": (
        "share",
        "Share of defective servers among those that are active, standby or idle: their "
        "server-hours over all server-hours in these states.",
    ),
    "mean_run_hours": (
        "h",
        "Operating hours (productive, lost and checkpoint hours) over (failures + 1): the mean "
        "stretch of work without a failure, in one run.",
    ),
    "cost": (
        "currency",
        "What the run costs by the prices of the scenario's block `cost`, see below. Zero without "
        "prices.",
    ),
}

#: Label of a status -> meaning.
STATUSES: dict[str, str] = {
    "finished": "All the work is done.",
    "depleted": "So many servers are retired that `job.servers` can never be met again.",
    "out_of_time": "The run reached `run.horizon`.",
    "out_of_events": "The run reached `run.max_events`.",
}

#: State of a server -> meaning.
SERVER_STATES: dict[str, str] = {
    "active": "Computes for the job.",
    "standby": "Assigned to the job and ready to take a vacant slot.",
    "idle": "In the working pool, assigned to nothing.",
    "spare": "In the spare pool, doing other work.",
    "arriving": "Preempted, on its way into the working pool.",
    "awaiting_repair": "In the repair shop, waiting for a part or for a crew.",
    "automated_repair": "Blamed, or found failed; in the first stage of its repair.",
    "manual_repair": "In the second stage of its repair.",
    "requalification": "Tested after its repair.",
    "retired": "Out for good.",
}

#: Phase of the job -> meaning.
JOB_PHASES: dict[str, str] = {
    "waiting": "Too few servers; at least one spare is on its way.",
    "stalled": "Too few servers; none is on its way. Only a repair can help.",
    "selecting": "The hosts are chosen and are being set up.",
    "computing": "The job makes progress.",
    "recovering": "A server failed; the job is brought back to work.",
    "checkpointing": "The job stands still for a checkpoint.",
    "ended": "The run is over; its status says why.",
}

#: Stream of chance -> what it decides.
STREAMS: dict[str, str] = {
    "life": "how long the server lives, in hours of exposure",
    "systematic": "whether the failure of a defective server is systematic or random",
    "diagnosed": "whether anybody is blamed",
    "wrong_server": "whether an innocent one is blamed",
    "innocent": "which one; further draws inside the slot until an active server is hit",
    "automated_time": "how long automated repair takes",
    "escalate": "whether manual repair follows",
    "automated_silent": "whether automated repair fails silently",
    "manual_time": "how long manual repair takes",
    "manual_silent": "whether manual repair fails silently",
    "defective": "who is defective at the start: those with the smallest draws",
    "regeneration": "who turns defective: the good servers with the smallest draws",
    "selection_pick": "who is left idle and who stands by (`random`, `pool_order`), try by try",
    "selection_tie": "who comes first among equals (`fewest_failures`, `highest_score`)",
    "selection_time": "how long the host selection takes",
    "recovery_time": "how long the recovery takes",
    "preemption_wait": "how long the spare takes to arrive",
    "checkpoint_write": "how long the job stands still for a checkpoint",
    "persist_memory": "how long until the copy in memory is safe",
    "persist_local": "how long until the copy on local disks is safe",
    "persist_peer": "how long until the copy in other servers is safe",
    "persist_remote": "how long until the copy outside the job is safe",
    "restore": "how long it takes to load a checkpoint, whichever tier it comes from",
    "recovery_detect": "how long the phase detect takes",
    "recovery_diagnose": "how long the phase diagnose takes",
    "recovery_reschedule": "how long the phase reschedule takes",
    "recovery_restart": "how long the phase restart takes",
    "recovery_load": "how long the phase load takes",
    "recovery_warm_up": "how long the phase warm-up takes",
    "reboot": "whether a failure takes its server down, and not only a process",
    "relapse": "whether a fault that was left in the server strikes again",
    "relapse_time": "after which exposure it does",
    "relapse_prone": "how likely that is at this server, with a finite `concentration`",
    "length_biased": "in how long a life a server is found (`initial_age: stationary`)",
    "length_left": "which part of that life is left",
    "aged": "how long a life is that has reached `initial_age`, where the first try has not",
    "part_needed": "whether a manual repair needs a part",
    "part_lead_time": "how long a part is on its way",
    "requalification_time": "how long the test after a repair takes",
    "detected": "whether it finds that the repair mended nothing",
    "belief": "which value an uncertain input has, by what is believed of it",
}

#: Exit code -> (name in the package, meaning).
EXIT_CODES: dict[int, tuple[str, str]] = {
    0: ("", "Done."),
    1: (
        "FAILED",
        "stdout is closed or full, a file of `--out`, `--trace` or `--series` could not be written "
        "(the result is on stdout all the same), a task failed at every try or the Ray cluster "
        "could not do it (there is no result), or there is a bug in failcast; a sentence says "
        "which.",
    ),
    2: (
        "INVALID_INPUT",
        "A wrong option, scenario, override or file, or a scenario too large for the memory. "
        "There is no result.",
    ),
    10: (
        "GOAL_FAILED",
        "The result is there, and a goal of `--fail-if` failed; a sentence on stderr says which. "
        "Of `failcast plan`: no setting was shown to meet all goals. Of `failcast validate`: not "
        "everything that can be compared agrees.",
    ),
    130: (
        "INTERRUPTED",
        "Interrupted by Ctrl-C. `failcast run` gives the result of the replications that were "
        "done, or the whole one where it was being written; a second Ctrl-C ends it without one. "
        "`failcast compare` gives the comparison of the pairs that were done, if there are two, "
        "`failcast plan` what is known by then, `failcast sweep` the cells that are complete.",
    ),
    141: ("READER_GONE", "The program that read the output went away, as in `failcast … | head`."),
}

#: Environment variable -> effect.
ENVIRONMENT: dict[str, str] = {
    "NO_COLOR": "When set, no colour and no bold type. In a pipe there is none anyway.",
    "FAILCAST_TRACEBACK": "When set, an internal error also shows where it happened.",
}

#: Public name that can carry no docstring -> meaning.
PUBLIC_VALUES: dict[str, str] = {
    "METRICS": "The names of the metric columns, in their order.",
    "SERVER_STATES": "The states a server can be in; the columns of `Runs.server_hours`.",
    "__version__": "The version of the package.",
    "STUDIES": "The published studies that `reproduce` knows, by name.",
    "PLAN_BUDGET": "The runs that a plan may spend unless told otherwise.",
}

#: Term -> definition. Order as given: from the whole to its parts.
GLOSSARY: dict[str, str] = {
    "ETTR": (
        "Effective training time ratio: the hours in which the job makes lasting progress over the "
        "wall time of the job. 1 means that nothing was lost. Here: `ettr`, productive hours over "
        "training hours. Waiting in a queue before the first start is not counted."
    ),
    "Goodput": (
        "Useful work per time. Papers use it for ETTR, for ETTR times the share of the peak rate "
        "that a step reaches, or for a whole fleet instead of one job. failcast reports ETTR and "
        "makes no statement on the speed of a step."
    ),
    "MTTF": (
        "Mean time to failure of one server: the mean of its life, in hours of operation. Here "
        "1 / `failures.random.rate` for a good server and less by the factor "
        "1 + `failures.systematic.multiplier` for a defective one."
    ),
    "MTBF": (
        "Mean time between failures of the job: operating hours over failures. A job on n servers "
        "fails about n times as often as one of them. Here: `mtbf_hours`, over all runs of a "
        "sample."
    ),
    "Unproductive time": (
        "Wall time without lasting progress. failcast books every hour of it under its cause, see "
        "the table below."
    ),
    "Failure": (
        "An active server breaks down. The whole job stops: its servers compute in lockstep."
    ),
    "Random and systematic failures": (
        "Random failures may hit any server. Systematic failures come on top at defective servers."
    ),
    "Defective server": (
        "A server with a lasting fault that nobody sees: it fails more often until a repair "
        "succeeds."
    ),
    "Relapse": (
        "A failure of a fault that is not new: a silent repair, or a diagnosis that took out the "
        "wrong server or none, left it where it was."
    ),
    "Blame": (
        "What the operator believes: the server that is taken out and repaired after a failure. It "
        "may be the wrong one, or nobody may be blamed. Policies see blame, never the truth."
    ),
    "Silent failure of a repair": (
        "The repair mends nothing and no test shows it; a defective server comes back defective."
    ),
    "Warm standby": "A server assigned to the job, ready to take a vacant slot at once.",
    "Spare": "A server in the spare pool. It does other work until the job preempts it.",
    "Host selection": "The choice of the job's servers and standbys from all available ones.",
    "Shortage": "Fewer servers are available than a host selection needs.",
    "Stall": "A shortage that only a repair can end: no spare is left or on its way.",
    "Life": (
        "How long a server works until it fails, in hours of exposure. It is drawn at the start "
        "and after each repair or unrepaired failure, and is kept while the server pauses."
    ),
    "Exposure": "The time in which a server ages. Standby, idle and spare servers do not.",
    "Replication": "One run of the scenario, independent of the others.",
    "Interval": (
        "A range that holds the true figure in 95 of 100 samples, unless `run.confidence` says "
        "otherwise. It tells how sure a figure is, not how much single runs differ."
    ),
    "Precision": (
        "Half the interval of a mean, relative to the mean. `--precision 1%` runs until it is 1 %."
    ),
    "Paired runs": (
        "Runs of two scenarios with the same seed and the same replication. They share their "
        "chance, so their difference is known far better than either mean."
    ),
    "Lever": (
        "A main knob of a scenario, such as the recovery time, halved or doubled; `--levers` tells "
        "what each would save."
    ),
    "Anchor": (
        "A published system with figures to hold the model against, see `failcast validate`. A "
        "comparison is calibrated (the figure set a parameter), emergent (it did not), sanity "
        "(arithmetic of the inputs, or another model's figures) or declined, with the reason."
    ),
}

#: Bucket of hours -> cause, as an operator would name it.
CAUSES: dict[str, str] = {
    "productive_hours": "none: this is the work",
    "lost_hours": "rollback to a checkpoint",
    "degraded_hours": "slow or missing servers",
    "checkpoint_hours": "writing checkpoints",
    "recovery_hours": "detecting a failure, restarting, loading, warming up",
    "selection_hours": "choosing and setting up hosts",
    "waiting_hours": "preempting spares",
    "stalled_hours": "servers in repair that nothing can replace",
}
