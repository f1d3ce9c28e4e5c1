"""Updates a second of a run through RLlib, beside the same run in one process.

    python -m benchmarks.executors --run runs/from-scratch
    python -m benchmarks.executors                      # records a little play first

Both have the demo's settings of BC+RL: the same slots, fragments, recorded windows and networks, and a reward model.
In one process a runner plays beside the learner (``overlap``), its slots stepped on as many threads as there are
cores, and PyTorch has one thread for each. Through RLlib there is one runner in a process of its own that steps its
slots on as many threads, and the learner in this process; PyTorch has one thread in each. So both have the same
threads, and the machine's cores are all they share. With --runners there are more of them, each with its share of the
slots and of the threads. The two take turns, some updates each. The aim is at least 90%.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import torch

from agents.folder import load_agent, save_agent
from benchmarks.pairs import alternate, report
from benchmarks.runner import prepare
from benchmarks.timing import options
from pipelines.presets.from_scratch import demo
from pipelines.stages.executors import Executor, make_executor
from pipelines.stages.improve_config import ImproveConfig
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.distributed.config import RayConfig
from rlhf.learning.local_executor import UpdateReport
from rlhf.run.machine import usable_cores

PARTS = ("seconds/play", "seconds/update")


def settings(run: Path, threads: int, runners: int) -> ImproveConfig:
    """Return the demo's settings of BC+RL, with the files of a finished run of it."""
    return replace(
        demo().improve,
        data=(run / "data",),
        replay=None,
        replay_data=None if (run / "untrained").exists() else (run / "play-1",),
        agent=run / "clone" / "agent",
        reward_model=run / "round-1" / "reward" / "reward_model",
        threads=threads,
        torch_threads=1,
        ray=RayConfig(runners=runners, cpus_per_runner=max(1, threads // runners)),
    )


def untrained_run(folder: Path) -> Path:
    """Create the files of a run of the demo, with untrained models, and return their folder."""
    data, agent = prepare(folder)
    network, tokenizer = load_agent(agent)
    save_agent(network, tokenizer, folder / "clone" / "agent")
    save_agent(InterTemporalRewardModel.from_agent(network), tokenizer, folder / "round-1" / "reward" / "reward_model")
    (folder / "untrained").touch()
    return data.parent


def start(config: ImproveConfig, executor: str) -> Executor:
    config = replace(config, executor=executor)  # type: ignore[arg-type]
    return make_executor(config, *load_agent(config.agent))


class Contender:
    """An executor that continues from round to round, and the use of its time."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.waited: list[tuple[float, ...]] = []
        self._steps: Iterator[UpdateReport] = executor.steps()

    def speed(self, updates: int) -> float:
        """Return updates a second."""
        began = time.perf_counter()
        for done in itertools.islice(self._steps, updates):
            self.waited.append(tuple(done.metrics[part] for part in PARTS))
        return updates / (time.perf_counter() - began)

    def parts(self) -> str:
        """Format the median times of the parts of an update."""
        play, update = (1e3 * sorted(values)[len(values) // 2] for values in zip(*self.waited, strict=True))
        return f"{play:.0f} ms of waiting for play, {update:.0f} ms of learning"


def compare(config: ImproveConfig, rounds: int, updates: int) -> None:
    """Print the speed of both. While one computes the other is idle: RLlib's runners finish their fragments."""
    with closing(start(config, "local")) as here, closing(start(config, "ray")) as through_rllib:
        local, ray = Contender(here), Contender(through_rllib)
        for contender in (ray, local):
            contender.speed(5)  # houses are built, processes started
            contender.waited.clear()
        pairs = alternate(lambda: ray.speed(updates), lambda: local.speed(updates), rounds)
    report(pairs, ("through RLlib", "in one process"), "updates/s", "RLlib's has {} times the updates")
    print(f"  an update through RLlib: {ray.parts()}\n  in one process: {local.parts()}")


def main() -> None:
    arguments = options(
        __doc__,
        run=(None, "a finished run of rlhf demo --preset from-scratch", Path),
        threads=(usable_cores(), "that step the slots, on both sides", int),
        runners=(1, "processes that play, through RLlib"),
        rounds=8,
        updates=(10, "of each side, in every round"),
    )
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        run = arguments.run.absolute() if arguments.run else untrained_run(Path(folder))
        config = settings(run, arguments.threads, arguments.runners)
        print(f"{config.slots} slots, T = {config.steps}, {config.batch} windows; {arguments.runners} runners on Ray")
        compare(config, arguments.rounds, arguments.updates)


if __name__ == "__main__":
    main()
