"""BC+RL on Ray: the same run as here, and nothing that goes wrong in another process stays unsaid."""

from __future__ import annotations

import ast
import itertools
import logging
import math
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import load_agent
from agents.learning.workers import Workers
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.distributed.config import RayConfig
from rlhf.distributed.watch import Delivery, Watch, WorkerDied
from rlhf.learning.config import ExecutorConfig
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from rlhf.learning.local_executor import RunStalled
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import SetterReplay
from rlhf.run.config import load_config
from rlhf.run.tracking import read_metrics
from tests.patience import PATIENCE_SEC
from tests.unit.rlhf import tiny_agent, tiny_world
from worlds.errors import RunError, UserError

ray = pytest.importorskip("ray", reason="Ray is an extra: pip install 'interactive-rlhf[ray]'")
pytestmark = [pytest.mark.e2e, pytest.mark.ray]

STEPS, SLOTS = 4, 2
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, also as IPv6 writes it
PATIENT = ExecutorConfig(stall_sec=1800.0)  # processes take long to start on a busy machine
ROOT = Path(__file__).resolve().parents[3]


# --- the same run, here and on Ray -----------------------------------------------------------------------------------


def files(run: Path) -> set[str]:
    return {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}


def test_a_run_on_ray_leaves_what_a_run_here_leaves_and_can_be_resumed(settings: ImproveConfig) -> None:
    here = improve(replace(settings, name="here")).parent
    there = improve(replace(settings, name="there", executor="ray")).parent
    assert not ray.is_initialized()
    assert files(there) == files(here)

    rows = read_metrics(there)
    assert [row["step"] for row in rows] == [row["step"] for row in read_metrics(here)] == [0, 1, 2, 3, 4]
    assert all(math.isfinite(value) for row in rows for value in row.values())
    assert set(read_metrics(here)[-1]) <= set(rows[-1])
    played = [row["played_steps"] for row in rows[1:]]  # runners may be ahead of the learner
    assert played == sorted(played) and played[0] >= 4 * 5
    begun, _ = load_agent(settings.agent)
    learned, _ = load_agent(there / "agent")
    assert not torch.equal(begun.movement.plan.weight, learned.movement.plan.weight)

    again = replace(
        load_config(there, ImproveConfig), resume=there, updates=6, ray=RayConfig(runners=1, object_store_mb=100)
    )
    improve(again)
    assert not ray.is_initialized()
    rows = read_metrics(there)
    assert [row["step"] for row in rows] == [0, 1, 2, 3, 4, 5, 6]
    assert rows[-1]["played_steps"] >= 4 * 5


@pytest.mark.parametrize(
    ("sharing", "refusal"),
    [
        ({"ray": RayConfig(runners=3)}, "4 slots cannot be shared out evenly among 3 ray.runners"),
        ({"ray": RayConfig(learners=4, runners=1)}, "2 trajectories of batch .* evenly among 4 ray.learners"),
        ({"ray": RayConfig(learners=4, runners=1), "slots": 5}, "5 slots .* evenly among 4 ray.learners"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(settings: ImproveConfig, sharing: dict, refusal: str) -> None:
    with pytest.raises(UserError, match=refusal):
        improve(replace(settings, name="odd", executor="ray", **sharing))


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists its sockets in files")
def test_a_ray_that_is_started_here_listens_on_loopback_only(tmp_path: Path) -> None:
    from rlhf.distributed.executor import RayExecutor

    config = RayConfig(runners=1, object_store_mb=100)
    executor = RayExecutor(
        partial(make_runner, tmp_path / "order"), make_learner, tiny_agent.agent(), SLOTS, STEPS, config, PATIENT
    )
    try:
        next(executor.steps())
        listening = addresses_listened_on(os.getpid())
    finally:
        executor.close()
    assert len(listening) >= 4  # Ray's two servers, a runner and this process
    assert set(listening) <= LOOPBACK


def descendants(process: int) -> list[int]:
    """The processes that ``process`` has started, and theirs."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    family = [process]
    for each in family:
        family += children.get(each, [])
    return family[1:]


def addresses_listened_on(process: int) -> list[str]:
    """The address, as the kernel writes it, of every TCP socket on which the process and its descendants listen."""
    held = set[str]()
    for each in (process, *descendants(process)):
        for descriptor in Path(f"/proc/{each}/fd").glob("*"):
            with suppress(OSError):
                held.add(os.readlink(descriptor))
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in held]


def test_nothing_imports_ray_before_it_is_asked_for() -> None:
    """Ray is an extra: without it everything but ``--executor ray`` works."""
    heavy = re.compile(
        r"ray(\.|$)|rlhf\.distributed\.(executor|algorithm|learner|runner|connection)$"
        r"|experiments\.social_ai\.ppo\.(module|trainer)$"
    )
    for path in ROOT.glob("*/**/*.py"):
        if path.parts[len(ROOT.parts)] in ("tests", "benchmarks", ".venv") or {"distributed", "ppo"} & {*path.parts}:
            continue
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(map(heavy.match, names)), path


# --- what can go wrong in another process -----------------------------------------------------------------------------


class Obedient(tiny_world.TinyWorld):
    """Does what a file says, if there is one: hangs while it says "hang", breaks while it says "break", or once."""

    def __init__(self, order: Path) -> None:
        super().__init__()
        self._order = order

    def step(self, actions):
        while self._ordered("hang"):
            time.sleep(0.02)
        if self._ordered("break once"):
            self._order.unlink(missing_ok=True)
            raise ValueError("the door sticks")
        if self._ordered("break"):
            raise ValueError("the door is jammed")
        return super().step(actions)

    def _ordered(self, what: str) -> bool:
        return self._order.exists() and self._order.read_text() == what


def make_runner(order: Path, index: int, generation: int) -> Runner:
    tiny_world.register()
    recordings = [tiny_world.record(seed, 6 + seed) for seed in range(3)]
    slots = [SetterReplay(Obedient(order), recordings[0], truth=True) for _ in range(SLOTS)]
    player = tiny_agent.agent()
    return Runner(player, tiny_agent.tokenizer(), player, None, slots, recordings, STEPS, seed=index + generation)


def make_learner(workers: Workers) -> tuple:
    recorded = tiny_agent.recorded(STEPS + 1, 2, columns=workers.columns(2))
    return Learner(tiny_agent.agent(), LearnerConfig(learning_rate=1e-3), workers=workers), recorded


@pytest.fixture(scope="module")
def here() -> Iterator[None]:
    """A Ray for several tests, with a GPU in name only."""
    from rlhf.distributed.connection import loopback_only

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    path = os.pathsep.join(filter(None, sys.path))
    with loopback_only():
        ray.init(
            "local", num_cpus=5, num_gpus=1, object_store_memory=200_000_000, include_dashboard=False,
            log_to_driver=False, logging_level=logging.ERROR, runtime_env={"env_vars": {"PYTHONPATH": path}},
        )  # fmt: skip
    yield
    ray.shutdown()


@dataclass
class Run:
    """One that goes on from test to test. ``order``: the file that its worlds obey."""

    executor: object
    agent: InteractiveAgent
    order: Path

    def updates(self, count: int) -> list:
        return list(itertools.islice(self.executor.steps(), count))

    @property
    def watch(self) -> Watch:
        return self.executor._algorithm._watch


@pytest.fixture(scope="module")
def run(here: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    from rlhf.distributed.executor import RayExecutor

    order, agent = tmp_path_factory.mktemp("order") / "order", tiny_agent.agent()
    config, execution = RayConfig(runners=2), replace(PATIENT, reuse=2)
    executor = RayExecutor(partial(make_runner, order), make_learner, agent, SLOTS, STEPS, config, execution)
    yield Run(executor, agent, order)
    executor.close()


def test_two_runners_play_and_the_agent_here_is_as_learned(run: Run) -> None:
    before = {name: tensor.clone() for name, tensor in run.agent.state_dict().items()}
    asked, ask = [], run.executor._ask
    run.executor._ask = lambda method, *arguments: asked.append(method) or ask(method, *arguments)
    reports = run.updates(6)
    assert "learned_weights" not in asked  # they are large
    run.executor.fetch_agent()
    run.executor.fetch_agent()
    assert asked.count("learned_weights") == 1
    del run.executor._ask
    first = reports[0].update
    assert [report.update for report in reports] == list(range(first, first + 6))
    assert all(math.isfinite(value) for report in reports for value in report.metrics.values())
    played = [report.played - reports[0].played for report in reports]
    assert played[1] == 0 and played[2] == played[3] > 0  # every fragment is learned from twice
    assert (played[4] - played[2]) % (STEPS * SLOTS) == 0
    assert sum(len(report.results) for report in reports) > 0
    learned = run.executor._ask("learned_weights")
    for name, tensor in run.agent.state_dict().items():
        assert np.array_equal(tensor.numpy(), learned[name])
    assert any(not torch.equal(tensor, before[name]) for name, tensor in run.agent.state_dict().items())


def test_runners_play_with_the_weights_that_were_learned(run: Run) -> None:
    behind = [abs(report.metrics["vtrace/behind"]) for report in run.updates(8)[0::2]]
    fresh = Learner(tiny_agent.agent())
    fragment = tiny_agent.fragment(tiny_agent.agent(seed=3), STEPS)
    stranger = abs(fresh.update(fragment, RecordedWindow(*tiny_agent.recorded(STEPS + 1, 2).next()))["vtrace/behind"])
    assert max(behind) < stranger / 2


def test_a_state_is_gone_on_from(run: Run) -> None:
    run.updates(2)
    state = run.executor.state_dict()
    weights = {name: tensor.clone() for name, tensor in run.agent.state_dict().items()}
    assert [set(runner) for runner in state["runners"]] == [{"sampler", "generator", "device", "rewards"}] * 2
    run.updates(2)
    run.agent.load_state_dict(weights)
    run.executor.load_state_dict(state)
    again = run.executor.state_dict()
    assert again["learner"]["updates"] == state["learner"]["updates"]
    assert again["recorded"].keys() == state["recorded"].keys() and again["rng"] == state["rng"]
    assert [r["sampler"] for r in again["runners"]] == [r["sampler"] for r in state["runners"]]
    for name, array in run.executor._ask("learned_weights").items():
        assert np.array_equal(array, weights[name].numpy())
    assert run.updates(1)[0].update == state["learner"]["updates"] + 1


def test_a_runner_that_is_killed_is_replaced_and_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.updates(4)  # both have been heard of
    name = run.watch.name(2)
    process = int(re.search(r"process (\d+)", name).group(1))
    capsys.readouterr()
    os.kill(process, signal.SIGKILL)
    told, deadline = "", time.monotonic() + PATIENCE_SEC
    while run.watch.name(2) in (name, "runner 2 (a new process)") and time.monotonic() < deadline:
        run.updates(2)
        told += capsys.readouterr().err
    assert f"{name} died: " in told and "it is replaced" in told
    assert "runner 2 has been replaced" in told
    assert run.updates(1)[0].metrics["ray/runners"] == 2.0


def test_a_play_whose_world_fails_is_reported_here(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.order.write_text("break once")
    deadline, shown = time.monotonic() + PATIENCE_SEC, ""
    while "the door sticks" not in shown and time.monotonic() < deadline:
        run.updates(1)
        shown += capsys.readouterr().err
    assert re.search(r"runner \d \(process \d+ on \S+\): world 'tiny', slot \d, step \d+ of episode tiny-\d: "
                     r"ValueError: the door sticks; the play is ended and counts for nothing", shown)  # fmt: skip


def test_a_run_that_makes_no_progress_says_who_is_waited_for(run: Run) -> None:
    run.updates(4)
    names = [run.watch.name(1), run.watch.name(2)]
    run.order.write_text("hang")
    run.watch._stall_sec, patience = 1.0, run.watch._stall_sec
    with pytest.raises(RunStalled, match="no progress") as stalled:
        run.updates(6)
    assert all(name in str(stalled.value) for name in names) and isinstance(stalled.value, RunError)
    run.watch._stall_sec = patience
    run.order.unlink()
    run.updates(2)  # what hung for a while is no worse for it


def test_a_learner_with_a_gpu_works_apart_and_a_runner_that_raises_is_named(here: None, tmp_path: Path) -> None:
    from rlhf.distributed.executor import RayExecutor

    order, agent = tmp_path / "order", tiny_agent.agent()
    config = RayConfig(runners=1, gpus_per_learner=1)
    executor = RayExecutor(partial(make_runner, order), make_learner, agent, SLOTS, STEPS, config, PATIENT)
    try:
        (report,) = itertools.islice(executor.steps(), 1)
        assert report.update == 1 and report.played >= STEPS * SLOTS
        executor.fetch_agent()
        assert not torch.equal(agent.movement.plan.weight, tiny_agent.agent().movement.plan.weight)
        order.write_text("break")
        with pytest.raises(WorkerDied) as died:
            for _ in executor.steps():
                pass
    finally:
        executor.close()
    assert re.match(r"runner 1 \(process \d+ on \S+\) died of FailedPlay: world 'tiny', slot \d, step \d+ of episode "
                    r"tiny-\d: ValueError: the door is jammed$", str(died.value))  # fmt: skip
    assert "in step" in str(died.value.__cause__)  # where it happened, in the other process


# --- watching ---------------------------------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def delivery(runner: int, **what) -> Delivery:
    return Delivery(runner, f"process {runner}0 on a", f"actor-{runner}", **what)


def test_one_silent_runner_is_told_of_once_and_all_of_them_stop_the_run() -> None:
    clock = Clock()
    watch = Watch(2, stall_sec=10.0, replacements=3, clock=clock)
    watch.resume()
    watch.hear([delivery(1), delivery(2)])
    clock.now = 9.0
    watch.hear([delivery(1)])
    watch.progressed()
    clock.now = 11.0
    assert watch.check() == ["runner 2 (process 20 on a) has played no fragment for 11 s; the run continues without it"]
    assert watch.check() == []
    watch.pause()
    clock.now = 1000.0  # somebody else had something to do
    watch.resume()
    assert watch.check() == []
    clock.now = 1009.0
    with pytest.raises(
        RunStalled, match=r"11.0 s .* runner 1 \(process 10 on a\) 11.0 s ago, runner 2 \(process 20 on a\) 20.0 s ago"
    ):
        watch.check()


def test_a_runner_is_replaced_only_so_often() -> None:
    watch = Watch(1, stall_sec=10.0, replacements=1)
    watch.hear([delivery(1)])
    assert watch.lost(1, "killed") == "runner 1 (process 10 on a) died: killed; it is replaced"
    watch.restored(1)
    with pytest.raises(WorkerDied, match="replaced 1 times already"):
        watch.lost(1, "killed")
