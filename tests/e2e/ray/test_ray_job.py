"""A job on a cluster, submitted as docs/ray.md says, and a run on Ray whose command is killed."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.run.config import load_config
from rlhf.run.tracking import read_metrics
from tests.e2e.ray.test_ray import LOOPBACK, addresses_listened_on, descendants
from tests.patience import PATIENCE_SEC, until

pytest.importorskip("ray", reason="Ray is an extra: pip install 'interactive-rlhf[ray]'")
pytestmark = [pytest.mark.e2e, pytest.mark.ray]

ROOT = Path(__file__).resolve().parents[3]
RAY = (sys.executable, "-m", "ray.scripts.scripts")  # the command `ray`, wherever it is installed
LOOPBACK_OF_IPV6 = "00000000000000000000000001000000"
TOKEN = secrets.token_hex(32)  # whoever has none is refused, on loopback, too


def environment() -> dict[str, str]:
    """Of commands that find this project, and another Ray than their own only if they are told of it."""
    known = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    return known | {
        "PYTHONPATH": path,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # without a cluster in the network Ray listens on loopback alone
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": TOKEN,
    }


def command(config: ImproveConfig, *more: str) -> list[str]:
    """`rlhf improve` of ``config`` on Ray, without the name of a cluster."""
    settings = {
        "--data": config.data[0], "--agent": config.agent, "--runs": config.runs, "--slots": config.slots,
        "--steps": config.steps, "--batch": config.batch, "--updates": config.updates, "--wandb": "disabled",
        "--evaluate-every": config.evaluate_every, "--evaluation-episodes": config.evaluation_episodes,
        "--checkpoint-every": config.checkpoint_every, "--world.height": config.world.height,
        "--world.width": config.world.width, "--world.settings": json.dumps(config.world.settings),
        "--execution.stall-sec": config.execution.stall_sec, "--ray.runners": config.ray.runners,
        "--ray.learners": config.ray.learners, "--ray.object-store-mb": config.ray.object_store_mb,
        "--name": config.name, "--executor": "ray",
    }  # fmt: skip
    words = [str(word) for name, value in settings.items() if value is not None for word in (name, value)]
    return [sys.executable, "-m", "pipelines.cli.main", "improve", *words, "--scripted-reward", *more]


@dataclass
class Cluster:
    """A head node that is the whole cluster. ``dashboard``: the address to which jobs are submitted."""

    process: subprocess.Popen[bytes]
    dashboard: str


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """`ray start --head` on loopback. `ray stop` would stop every Ray of this user; this one alone is ended."""
    for module in ("aiohttp", "aiohttp_cors", "opencensus", "prometheus_client", "smart_open", "virtualenv"):
        if find_spec(module) is None:
            pytest.skip(f"jobs need Ray's dashboard, and that {module}: pip install 'ray[default]'")
    folder = tempfile.mkdtemp(prefix="ray-")  # not pytest's: the paths of sockets must be short
    port = free_port()
    start = [
        *RAY, "start", "--head", "--block", "--node-ip-address=127.0.0.1", "--port=0", "--dashboard-host=127.0.0.1",
        f"--dashboard-port={port}", "--include-dashboard=true", "--num-cpus=4", "--object-store-memory=100000000",
        f"--temp-dir={folder}", "--disable-usage-stats",
    ]  # fmt: skip
    with open(Path(folder) / "log", "wb") as log:
        process = subprocess.Popen(start, env=environment(), stdout=log, stderr=log, start_new_session=True)
    dashboard = f"http://127.0.0.1:{port}"
    try:
        await_dashboard(dashboard, process, Path(folder) / "log")
        yield Cluster(process, dashboard)
    finally:
        family = descendants(process.pid)
        process.terminate()
        process.wait(PATIENCE_SEC)
        await_end(family)
        shutil.rmtree(folder, ignore_errors=True)


SOON_SEC = 30.0  # half of the time for which Ray's agents wait for its servers


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def await_dashboard(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SEC
    jobs = urllib.request.Request(f"{address}/api/jobs/", headers={"Authorization": f"Bearer {TOKEN}"})
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        with suppress(OSError):
            if json.load(urllib.request.urlopen(jobs, timeout=10)) == []:
                return
        time.sleep(0.5)
    raise TimeoutError(log.read_text())


def alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def await_end(processes: list[int], patience_sec: float = PATIENCE_SEC) -> None:
    """Wait until none of ``processes`` is there any more; those that stay are killed and complained of."""
    deadline = time.monotonic() + patience_sec
    while (left := [process for process in processes if alive(process)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert not left


def submit(cluster: Cluster, job: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    """Submit a job, and wait for its end. A cluster's dashboard answers before its agent takes jobs."""
    submission = [*RAY, "job", "submit", "--address", cluster.dashboard, *options, "--", *job]
    deadline = time.monotonic() + PATIENCE_SEC
    while True:
        done = subprocess.run(submission, env=environment(), capture_output=True, text=True, timeout=PATIENCE_SEC)
        if "No available agent" not in done.stderr or time.monotonic() > deadline:
            return done
        time.sleep(1.0)


def test_a_job_is_submitted_to_a_cluster(cluster: Cluster, settings: ImproveConfig) -> None:
    submitted = submit(cluster, command(replace(settings, name="job")), "--submission-id", "tiny")
    assert submitted.returncode == 0, submitted.stdout + submitted.stderr
    assert "Job 'tiny' succeeded" in submitted.stdout + submitted.stderr
    if Path("/proc/net/tcp").exists():
        assert set(addresses_listened_on(cluster.process.pid)) <= {*LOOPBACK, LOOPBACK_OF_IPV6}
    run = settings.runs / "job"
    assert [row["step"] for row in read_metrics(run)] == list(range(settings.updates + 1))
    assert (run / "agent" / "model.safetensors").is_file()
    resumed = [sys.executable, "-m", "pipelines.cli.main", "improve", "--resume", str(run), "--updates", "6"]
    again = submit(cluster, resumed)
    assert again.returncode == 0, again.stdout + again.stderr
    assert read_metrics(run)[-1]["step"] == 6


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not listed in files")
def test_a_run_whose_command_is_killed_leaves_no_process_and_is_gone_on_with(settings: ImproveConfig) -> None:
    run = settings.runs / "killed"
    endless = command(replace(settings, name="killed", updates=1_000_000, evaluate_every=1_000_000))
    process = subprocess.Popen(endless, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: process.poll() is not None or (run / "checkpoints" / "latest").exists(), "a checkpoint", 0.2)
    family = descendants(process.pid)
    assert len(family) >= 4  # Ray's servers and two runners
    process.kill()
    process.wait()
    await_end(family, SOON_SEC)
    newest = int(re.search(r"step-(\d+)", (run / "checkpoints" / "latest").read_text()).group(1))
    improve(replace(load_config(run, ImproveConfig), resume=run, updates=newest + 3, executor="local"))
    rows = read_metrics(run)
    assert [row["step"] for row in rows] == list(range(newest + 4))
    assert all(math.isfinite(value) for row in rows for value in row.values())
