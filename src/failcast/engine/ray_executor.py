"""Tasks on a Ray cluster: the same results as on threads, wherever its workers are.

On the map: beside executors.py. Ray is an optional library, imported when it is first used. A
worker gets a task as bytes, with the version it is meant for, and looks at that first: another
version of failcast could give other results.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import platform
import signal
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, Self

from failcast.engine.executors import AHEAD, TRIES, ExecutorError, Task, TaskError, in_order
from failcast.engine.simulate import Runs
from failcast.engine.sources import fingerprint
from failcast.engine.warm import compile_once
from failcast.version import __version__

#: Memory for results on their way, in bytes; a task's take kilobytes, and Ray's default is a third
#: of the machine.
_STORE_BYTES: Final = 1 << 28
#: A local Ray: no usage reports, no metrics, nobody from outside (other users of the machine are
#: kept out by Ray's token). Ray resolves 127.0.0.1 to the machine's own address unless it takes
#: itself to be on a system without clusters.
_LOCAL: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


class Ray:
    """Does tasks on a Ray cluster, one CPU for each; use as a context manager, or close it.

    `address` is None for a Ray of its own on this machine with `cpus` (default: those that this
    process may use), "auto" for the cluster that runs here or that RAY_ADDRESS names, or
    `ray://host:port`. Where this process is connected to a Ray already, that one is used and left
    as it is. Nothing is started before the first task. `run` raises ExecutorError if Ray is not
    installed, if there is no such cluster, or if its workers have another failcast.
    """

    def __init__(self, address: str | None = None, cpus: int | None = None) -> None:
        self.address = address
        self.cpus = len(os.sched_getaffinity(0)) if cpus is None else cpus
        self._ours = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._ours.close()

    def run(self, tasks: Iterable[Task]) -> Iterator[Runs]:
        """Yield the result of each task, in the order of the tasks."""
        ray = self._connected()
        # What is in hand when it ends early is let go, not cancelled: that takes the seconds of the
        # look-ahead, and a cancelled task that ends just then aborts this process (seen in 2.60).
        # Deaths of workers are Ray's to mend, all at once; exceptions are seen one by one, here.
        remote = ray.remote(num_cpus=1, max_retries=TRIES - 1, retry_exceptions=False)(_by_value())
        waiting: deque[tuple[Task, Any]] = deque()
        try:
            yield from in_order(
                tasks,
                waiting,
                start=lambda task: remote.remote(__version__, fingerprint(), pickle.dumps(task)),
                result=lambda task, handle: _result(ray, task, handle),
                ahead=lambda: AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1))),
            )
        except (ray.exceptions.RayError, ConnectionError) as error:
            raise ExecutorError(_sentence("the Ray cluster was lost", error)) from error

    def _connected(self) -> Any:
        """The library `ray`, connected to the cluster."""
        with _environment({} if self.address else _LOCAL):
            try:
                import ray
            except ImportError as error:
                raise ExecutorError(
                    f"Ray cannot be imported ({error}): pip install 'failcast[ray]'."
                ) from error
            if ray.is_initialized():
                return ray
            try:
                with _quietly(), contextlib.ExitStack() as stack:
                    if self.address is None:
                        _start(ray, self.cpus, stack)
                    else:
                        stack.callback(ray.shutdown)
                        ray.init(self.address, log_to_driver=False, logging_level=logging.CRITICAL)
                    self._ours = stack.pop_all()
            except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
                raise ExecutorError(_no_cluster(self.address, error)) from error
        return ray


def do(version: str, sources: str, pickled: bytes) -> Runs:
    """Do a task on a worker. Raises ExecutorError where another failcast than the asking one is."""
    if (version, sources) != (__version__, fingerprint()):
        other = "other sources of it" if version == __version__ else __version__
        raise ExecutorError(
            f"this program is failcast {version}, but the Ray workers on {platform.node()} have "
            f"{other}: install the same one there. Nothing was mixed."
        )
    task: Task = pickle.loads(pickled)
    if task.engine == "kernel":
        compile_once()
    return task.run()


def _by_value() -> Callable[[str, str, bytes], Runs]:
    """What Ray sends to the workers: a function that finds its failcast only there."""

    def do_task(version: str, sources: str, pickled: bytes) -> Any:
        from failcast.engine.ray_executor import do

        return do(version, sources, pickled)

    return do_task


def _result(ray: Any, task: Task, handle: Any) -> Runs:
    """Wait for a task. What Ray has tried as often as it should is not tried again."""
    try:
        return Runs.joined([ray.get(handle)])  # a copy: Ray's own arrays end with it
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, ModuleNotFoundError) and (cause.name or "").startswith("failcast"):
            raise ExecutorError(
                f"the Ray workers have no failcast {__version__}: install it where they run."
            ) from error
        if isinstance(cause, Exception):
            raise cause from error
        raise
    except ray.exceptions.RayError as error:
        raise TaskError.of(task, error) from error


def _start(ray: Any, cpus: int, stack: contextlib.ExitStack) -> None:
    """Start a Ray on this machine that nobody else can reach; `stack` gets what is to be undone."""
    from ray._private import ray_constants

    files = tempfile.TemporaryDirectory(prefix="failcast-ray-", ignore_cleanup_errors=True)
    folder = stack.enter_context(files)
    stack.callback(ray.shutdown)
    before = getattr(ray_constants, "ENABLE_RAY_CLUSTER", True)
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        ray.init(
            address="local",
            num_cpus=cpus,
            num_gpus=0,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            object_store_memory=_STORE_BYTES,
            _node_ip_address="127.0.0.1",
            _temp_dir=folder,
        )
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _no_cluster(address: str | None, error: Exception) -> str:
    if address is None:
        return _sentence("cannot start a Ray cluster on this machine", error)
    hint = "Look at the address; a cluster that asks for a token needs RAY_AUTH_MODE=token here."
    return f"{_sentence(f'cannot reach the Ray cluster {address}', error)} {hint}"


def _sentence(what: str, error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"{what}: {lines[0].rstrip('.')}."


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Within, these variables are set; processes that are started there keep them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Within, Ray starts: its warnings are not heard, and SIGTERM, which it takes over, is kept."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGTERM, before)
