"""Reaching a Ray cluster, or starting one on this machine for the occasion."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from taskloom.core.errors import UserError, missing_extra

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
    """Knock before Ray does: it waits for minutes at a door that nobody opens.

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
