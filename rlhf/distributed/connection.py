"""Ray of a run: a cluster that there is, or one that is started on this machine, on loopback only."""

from __future__ import annotations

import logging
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import ray
from ray._private import ray_constants
from ray._private.worker import global_worker

from rlhf.distributed.config import RayConfig
from worlds.errors import UserError
from worlds.foreign_code.trust import check_ray_cluster, environment
from worlds.foreign_code.witness import after_end

# Ray's servers end with the command. What they have started would wait a minute for an answer of theirs.
_END_STARTED = """
for started in sys.argv[2:]:
    process, began = started.split(":")
    try:
        if open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[19] == began:
            os.kill(int(process), 9)
    except OSError:
        pass
"""
_ATTEMPTS = 3  # to start Ray here


def connect(config: RayConfig) -> bool:
    """Connect this process to Ray unless it is already; whether :func:`ray.shutdown` is ours to call.

    Raises:
      UserError: if there is no cluster at the address.
      UntrustedError: a run's folder names the cluster, and the user has neither named nor trusted it.
    """
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # the executor reports what people need to know
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if config.address is not None:
        check_ray_cluster(config.address)
    address = config.address or os.environ.get("RAY_ADDRESS")
    if address is None:
        _start(config, quiet)
        return True
    try:
        permitted = {"runtime_env": {"env_vars": dict(environment())}} if environment() else {}
        ray.init(address, **permitted, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UserError(
            f"no Ray cluster at {address} ({' '.join(str(error).split())}); start one with `ray start --head`, or "
            "leave ray.address and RAY_ADDRESS out to use only this machine"
        ) from error
    return True


def _start(config: RayConfig, quiet: dict[str, Any]) -> None:
    """Start Ray on this machine. Raises UserError if it does not come up, as on a machine that is very busy."""
    path = os.pathsep.join(filter(None, sys.path))  # so that workers import what is imported here
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with loopback_only():
                ray.init(
                    "local",
                    num_cpus=max(os.cpu_count() or 1, math.ceil(config.cpus)),
                    object_store_memory=config.object_store_mb * 1_000_000,
                    include_dashboard=False,
                    runtime_env={"env_vars": {"PYTHONPATH": path, **environment()}},
                    **quiet,
                )
            after_end(_END_STARTED, *_started())
            return
        except Exception as error:  # Ray has no type of its own for it
            ray.shutdown()
            message = " ".join(str(error).split())
            if attempt == _ATTEMPTS or "timed out" not in message:  # Ray gives its own processes half a minute to start
                raise UserError(
                    f"Ray did not start on this machine ({message}); try again when it is less busy, or use "
                    "--executor local"
                ) from error


def _started() -> Iterator[str]:
    """Yield process and beginning, as Linux counts it, of what Ray's local server has started: its agents."""
    node: Any = global_worker.node
    (server,) = node.all_processes[ray_constants.PROCESS_TYPE_RAYLET]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            values = stat.read_text().rpartition(")")[2].split()
            if int(values[1]) == server.process.pid:
                yield f"{stat.parent.name}:{values[19]}"


@contextmanager
def loopback_only() -> Iterator[None]:
    """A Ray that is started inside listens on 127.0.0.1 only: a client that reaches its ports runs code as its user.

    Ray does so by itself on macOS and Windows. On Linux this switch of its own is needed; where ``ray.init`` is
    asked to use 127.0.0.1, it uses the address in the network all the same.
    """
    before, ray_constants.ENABLE_RAY_CLUSTER = ray_constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before
