"""B29: what a failure costs does not grow with the number of servers.

Counted in executed lines of the kernel, since tests look at no clock; `make bench` measures time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys


def test_b29_a_failure_costs_the_same_among_many_servers() -> None:
    """The original went from 0.4 to 3 ms for one failure between 1,024 and 4,096 servers.

    A heap of failures would grow by a fifth and more from 128 to 1,024 servers: log(1024)/log(128)
    is 1.4. Host selections, which look at all servers, become rarer as standbys grow along.
    """
    steps = steps_of_a_failure("scenario", 128, 1024)
    assert steps[128] > 100.0, "the lines of the kernel were not counted"
    assert steps[1024] <= 1.1 * steps[128]


def test_b29_a_failure_costs_much_the_same_where_all_lives_end_at_once() -> None:
    """A list of one day holds nearly all servers then, and many leave it before that day.

    A walk along it for each of them would cost eight times as much among eight times as many
    servers. What does grow is the sorting of a day of as many failures, with the logarithm.
    """
    steps = steps_of_a_failure("at_once", 128, 1024)
    assert steps[128] > 100.0
    assert steps[1024] <= 1.6 * steps[128]


def steps_of_a_failure(kind: str, *servers: int) -> dict[int, float]:
    """Count the steps of a failure in a process without numba, by the servers of the job."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.regressions.work", kind, *map(str, servers)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {int(size): steps for size, steps in json.loads(done.stdout).items()}
