"""Replayed failures in the reference engine: at their times they strike their servers.

On the map: engine, beside reference.py. All are set at time zero, so that each comes exactly when
its file says.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from failcast.engine import model
from failcast.engine.reference_reserves import RESERVES
from failcast.engine.reference_state import Due, Server
from failcast.engine.replay import replay_hours, replay_server

if TYPE_CHECKING:
    import simpy

    from failcast.engine.reference import Reference


def begin(run: Reference) -> None:
    """Let all failures that the scenario gives come."""
    for number in range(int(run.plan.replayed)):
        server = run.servers[int(replay_server(run.plan.compiled, number))]
        due = Due(run, model.RANK_FAILURE, server.number)
        assert due.callbacks is not None
        due.callbacks.append(partial(_strike, run, server))
        due.set(float(replay_hours(run.plan.compiled, number)))


def _strike(run: Reference, server: Server, event: simpy.Event) -> None:
    """Let a server fail: the job's at once, one in a reserve that is exposed until it is found."""
    if server.state == model.ACTIVE and server not in run.failing:
        run.settle()
        if run.phase is not None and run.phase <= model.SELECTING:
            run.leave_standing(server)
        else:
            run.struck = server
            run.job_process.interrupt()
    elif server.state in RESERVES and run.ages(server) and run.is_fit(server):
        server.remaining_hours, server.since = 0.0, run.env.now
    else:
        run.counts[model.REPLAY_IGNORED] += 1
