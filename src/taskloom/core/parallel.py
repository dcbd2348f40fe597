"""Work on all cores or on a cluster, results in order, a bounded number of them under way."""

from __future__ import annotations

import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Literal, TypeAlias, TypeVar

from taskloom.core.errors import UserError, missing_extra

Item = TypeVar("Item")
Result = TypeVar("Result")

WorkEngine: TypeAlias = Literal["local", "ray"]

AHEAD = 3
"""Pieces under way per worker: enough that none waits for the next piece, few enough to bound memory."""
_AGAIN = 3
"""How often in a row a piece is drawn again after a worker was killed, as the system does when memory runs out."""


def ordered_map(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    jobs: int = 1,
    engine: WorkEngine = "local",
    address: str | None = None,
) -> Iterator[Result]:
    """The results of `work` on every item, in the order of the items.

    Args:
        work: A function of a module (not a lambda), so that other processes can find it.
        items: Drawn as workers become free.
        jobs: Processes on this machine; 0 for one per core. With Ray, CPUs of a cluster started here.
        engine: "local" processes, or a "ray" cluster.
        address: The cluster's address.

    Raises:
        UserError: A number of jobs that makes no sense, or an error of `work`.
    """
    if jobs < 0:
        raise UserError(f"jobs is 0 (one per core) or more, not {jobs}", where="--jobs")
    jobs = jobs or len(os.sched_getaffinity(0))
    if engine == "ray":
        yield from _on_ray(work, iter(items), jobs, address)
    elif jobs == 1:
        yield from map(work, items)
    else:
        yield from _on_cores(work, iter(items), jobs)


def _on_cores(work: Callable[[Item], Result], items: Iterator[Item], jobs: int) -> Iterator[Result]:
    """A killed worker breaks its whole pool: what was under way is drawn again in a new one, in the same order."""
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    breaks = 0
    with worker_environment():
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=leave_with_parent)
        try:
            while True:
                waiting.extend(
                    (item, _hand_out(pool, work, item)) for item in islice(items, AHEAD * jobs - len(waiting))
                )
                if not waiting:
                    return
                try:
                    result = waiting[0][1].result()
                except BrokenProcessPool:
                    breaks += 1
                    if breaks > _AGAIN:
                        raise _killed() from None
                    pool.shutdown()  # every future is settled afterwards
                    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=leave_with_parent)
                    for place, (item, future) in enumerate(waiting):
                        if isinstance(future.exception(), BrokenProcessPool):
                            waiting[place] = item, _hand_out(pool, work, item)
                    continue
                breaks = 0
                waiting.popleft()
                yield result
        finally:
            pool.shutdown(cancel_futures=True)


def _hand_out(pool: ProcessPoolExecutor, work: Callable[[Item], Result], item: Item) -> Future[Result]:
    try:
        return pool.submit(work, item)
    except BrokenProcessPool as error:  # noticed before its results are asked for
        future: Future[Result] = Future()
        future.set_exception(error)
        return future


def _killed() -> UserError:
    return UserError(
        f"worker processes were killed {_AGAIN + 1} times in a row, most likely because memory ran out",
        where="--jobs",
        hint="use fewer --jobs, or a machine with more memory; nothing unfinished was kept",
    )


def leave_with_parent() -> None:
    """End this worker with the process that started it, however that ended: an orphan would work on unseen."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def worker_environment(more: Mapping[str, str] | None = None) -> Iterator[None]:
    """One thread and no progress bar per worker; workers inherit the variables when they start."""
    mine = {**ONE_THREAD, "TASKLOOM_PROGRESS": "off", **(more or {})}
    before = {name: os.environ.get(name) for name in mine}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _on_ray(work: Callable[[Item], Result], items: Iterator[Item], jobs: int, address: str | None) -> Iterator[Result]:
    ray, ours = connect(address, jobs)
    try:
        remote: Any = ray.remote(num_cpus=1, max_retries=_AGAIN)(work)
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = deque(remote.remote(item) for item in islice(items, most))
        while waiting:
            try:
                yield ray.get(waiting.popleft())
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except ray.exceptions.RayError:
                raise _killed() from None
            waiting.extend(remote.remote(item) for item in islice(items, 1))
    finally:
        if ours:
            ray.shutdown()


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
"""Set before a worker starts: numerical libraries read these once, when they are loaded."""


def connect(address: str | None = None, workers: int = 0) -> tuple[Any, bool]:
    """The module `ray`, connected, and whether this call started the connection (and should end it).

    Args:
        address: Where the cluster is ("auto", "ray://head:10001", "10.0.0.1:6379"); None for that of RAY_ADDRESS, and
            where that is not set either, one is started here.
        workers: CPUs of a cluster started here; 0 for all.

    Raises:
        UserError: Ray is not installed, or no cluster answers.
    """
    try:
        import ray
    except ImportError:
        raise missing_extra("ray", "ray", "--engine ray") from None
    if ray.is_initialized():
        return ray, False
    address = address or os.environ.get("RAY_ADDRESS") or None
    variables = {**ONE_THREAD, "TASKLOOM_PROGRESS": "off", "RAY_DEDUP_LOGS": "0"}
    options: dict[str, Any] = {"address": address or "local"}
    if address is None:
        # "local" because Ray by itself would join a cluster that happens to run on this machine.
        options["include_dashboard"] = False
        _refuse_blanks()
        # Workers of this machine import what this process imports, installed or not.
        variables["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        options["num_cpus"] = workers or len(os.sched_getaffinity(0))
    _reach(address)
    # Ray reports usage statistics unless it is switched off; our work has no business with them.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(runtime_env={"env_vars": variables}, log_to_driver=False, logging_level="error", **options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise _no_cluster(address, error) from None
    return ray, True


def _reach(address: str | None) -> None:
    """Knock before Ray does: it waits for minutes where no cluster answers.

    Raises:
        UserError: Nothing listens at the address.
    """
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise _no_cluster(address, error) from None


def _refuse_blanks() -> None:
    """Ray starts its workers through a shell without quoting, and waits for ever for those that never come up.

    Raises:
        UserError: Python or Ray lies in a folder whose name holds a blank.
    """
    place = next((path for path in (sys.executable, sys.prefix) if " " in path), None)
    if place is not None:
        raise UserError(
            "Ray cannot start workers from a path that contains spaces",
            where=place,
            hint="use --engine local, or --address of a running cluster, or an environment in another folder",
        )


def _no_cluster(address: str | None, error: Exception) -> UserError:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return UserError(
        f"no Ray cluster answers: {reason}",
        where="--engine ray" if address is None else f"--address {address}",
        hint="ray start --head starts one; without --address, Taskloom starts its own. A cluster with token "
        "authentication needs RAY_AUTH_MODE=token and its token here too",
    )
