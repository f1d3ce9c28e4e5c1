"""`rlhf improve`: improve a cloned agent against a reward model by setter replay (BC+RL)."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.batch import EpisodeStream, encode_episodes
from agents.folder import load_agent, save_agent
from agents.peers import ALONE, Peers
from agents.tokenizer import Tokenizer
from pipelines.clone import read_episodes
from pipelines.places import WorldConfig
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scoring import StreamingScorer
from rlhf.checkpoint import Checkpoints
from rlhf.episodes import Episode
from rlhf.errors import UserError
from rlhf.learner import Learner
from rlhf.learning_config import ExecutorConfig, LearnerConfig
from rlhf.local_executor import LocalExecutor, UpdateReport
from rlhf.progress import bar
from rlhf.ray_config import RayConfig
from rlhf.run_config import CONFIG_FILE, lock_run, new_run_folder, save_config
from rlhf.runner import Runner
from rlhf.setter_replay import SetterReplay
from rlhf.slot import EpisodeResult
from rlhf.store import open_store
from rlhf.tracking import Tracker, WandbMode


@dataclass(frozen=True)
class ImproveConfig:
    """Settings of `rlhf improve`. The learner's defaults are the paper's (A.7).

    Args:
      data: dataset folders. imitate: solver whose recorded play BC goes on imitating; None takes all.
      replay: solver of the episodes whose setters are replayed; None takes all. Held-out episodes are never
        trained on; they show whether the modelled reward rises there too.
      agent, reward_model: folders of the cloned agent and of the reward model.
      runs, name: the run is written into runs/name, the improved agent into its folder "agent".
      scripted_reward: reward the tasks' ground truth instead of the model's opinion (the paper's baseline).
      slots: places played at once. steps: T, of every fragment. updates: of the learner.
      batch: trajectories of recorded play in every update; None takes as many as there are slots (2 x B in all).
      evaluate_every: updates between plays of the held-out episodes, evaluation_episodes of them.
      checkpoint_every: updates. threads: that step the places. torch_threads: of PyTorch's operations; None leaves the
        number as it is. Where play and learning overlap on few cores, one each is faster than all for both.
      resume: a run's folder; goes on from its last checkpoint with its own settings.
      executor: "local" runs here; "ray" on Ray, as an RLlib algorithm. ray: which processes that takes; there,
        devices follow from the GPUs that learner and runners get, and threads from the CPUs.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    imitate: str | None = "scripted"
    replay: str | None = None
    agent: Path = Path("runs/clone/agent")
    reward_model: Path = Path("runs/reward/reward_model")
    runs: Path = Path("runs")
    name: str = "improve"
    scripted_reward: bool = False
    slots: int = 96
    steps: int = 50
    updates: int = 10_000
    batch: int | None = None
    evaluate_every: int = 500
    evaluation_episodes: int = 64
    checkpoint_every: int = 500
    threads: int = 2
    torch_threads: int | None = None
    device: str = "cpu"
    seed: int = 0
    executor: Literal["local", "ray"] = "local"
    resume: Path | None = None
    wandb: WandbMode = "offline"
    world: WorldConfig = field(default_factory=WorldConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    execution: ExecutorConfig = field(default_factory=ExecutorConfig)
    ray: RayConfig = field(default_factory=RayConfig)

    def __post_init__(self) -> None:
        counts = ("slots", "steps", "updates", "evaluate_every", "evaluation_episodes", "checkpoint_every", "threads")
        for name in counts:
            if getattr(self, name) < 1:
                raise UserError(f"{name} is at least 1, not {getattr(self, name)}")


def improve(config: ImproveConfig) -> Path:
    """Improve the agent and return the improved one's folder."""
    config = replace(  # a run is gone on with from anywhere
        config,
        data=tuple(folder.absolute() for folder in config.data),
        agent=config.agent.absolute(),
        reward_model=config.reward_model.absolute(),
    )
    if config.resume is not None:
        return _improve(config, config.resume)
    folder = new_run_folder(config.runs, config.name)
    try:
        return _improve(config, folder)
    except UserError:
        if not (folder / CONFIG_FILE).exists():  # it never began
            shutil.rmtree(folder)
        raise


def _improve(config: ImproveConfig, folder: Path) -> Path:
    with lock_run(folder), torch_threads(config.torch_threads):
        improvement = Improvement(config, folder)
        if config.resume is None:
            save_config(folder, config)
        return improvement.run()


@contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """Have PyTorch use ``count`` threads for its operations, and as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Executor(Protocol):
    """Where play and learning happen. The agent that it was made with is as learned whenever ``steps`` yields."""

    def steps(self) -> Iterator[UpdateReport]: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


class Improvement:
    """One run of BC+RL, wherever it is executed: what it needs, its loop, and what it keeps.

    Raises:
      UserError: if something it needs is missing or does not fit.
    """

    def __init__(self, config: ImproveConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.agent, self.tokenizer = load_agent(config.agent, device=config.device)
        config.world.check_fits(self.agent.config.image_size, config.agent)
        self.checkpoints = Checkpoints(folder)
        self.executor = make_executor(config, self.agent, self.tokenizer)
        held_out = held_out_episodes(config, config.evaluation_episodes)
        longest = max(map(len, held_out), default=1)
        self.held_out = (
            make_runner(config, self.agent, self.tokenizer, held_out, len(held_out), longest, stagger=False)
            if held_out
            else None
        )
        self._held_out_start = self.held_out.state_dict() if self.held_out else {}
        self.recent: deque[EpisodeResult] = deque(maxlen=200)

    def run(self) -> Path:
        """Update until ``config.updates`` have been made; return the improved agent's folder."""
        with closing(self.executor):
            self._run()
        return save_agent(self.agent, self.tokenizer, self.folder / "agent")

    def _run(self) -> None:
        config, done = self.config, self._resume()
        with (
            Tracker(self.folder, config, config.wandb, resume_step=done) as tracker,
            bar("improving the agent (BC+RL)", config.updates, "updates") as shown,
        ):
            if done >= config.updates:
                return
            if done == 0:
                tracker.log(self._play_held_out(), 0)
            for report in self.executor.steps():
                self.recent.extend(report.results)
                metrics = report.metrics | summary(self.recent, "train") | {"played_steps": report.played}
                if report.update % config.evaluate_every == 0 or report.update == config.updates:
                    metrics |= self._play_held_out()
                tracker.log(metrics, report.update)
                shown.update(report.update, _note(metrics))
                if report.update % config.checkpoint_every == 0 or report.update >= config.updates:
                    self._checkpoint(report)
                if report.update >= config.updates:
                    break

    def _resume(self) -> int:
        """Go on from the last checkpoint, if the run is resumed; the number of updates already made."""
        if self.config.resume is None:
            return 0
        checkpoint = self.checkpoints.latest()
        checkpoint.load_weights_into(self.agent)
        state = checkpoint.load_state()
        self.executor.load_state_dict(state["executor"])
        return checkpoint.step

    def _checkpoint(self, report: UpdateReport) -> None:
        self.checkpoints.save(report.update, self.agent, self.tokenizer, {"executor": self.executor.state_dict()})

    def _play_held_out(self) -> dict[str, float]:
        """Modelled return and true success on held-out replays, the same ones every time."""
        if self.held_out is None:
            return {}
        self.held_out.load_state_dict(self._held_out_start)
        self.held_out.set_weights(self.agent.state_dict())
        self.held_out.sample()
        # Where recordings differ in length, slots with short ones have begun others: only each one's first play counts.
        first = {result.episode_id: result for result in reversed(self.held_out.finished())}
        return summary(list(first.values()), "held_out")


def make_executor(config: ImproveConfig, agent: InteractiveAgent, tokenizer: Tokenizer) -> Executor:
    """What improves ``agent`` in place, here or on Ray."""
    if config.executor == "ray":
        return make_ray_executor(config, agent)
    replayed = read_episodes(config.data, split="train", solver=config.replay)
    torch.manual_seed(config.seed)
    runner = make_runner(config, agent, tokenizer, replayed, config.slots, config.steps)
    return LocalExecutor([runner], *make_learner(config, agent, tokenizer), config.execution)


def make_ray_executor(config: ImproveConfig, agent: InteractiveAgent) -> Executor:
    """The executor on Ray; its processes make runner and learner themselves, from ``config``.

    Raises:
      UserError: if Ray is not installed, the slots cannot be shared out evenly, or there is no such cluster.
    """
    try:
        from rlhf.ray_executor import RayExecutor
    except ModuleNotFoundError as error:
        raise UserError(f"{error.name} is not installed; pip install 'interactive-rlhf[ray]'") from error
    slots, left = divmod(config.slots, config.ray.runners)
    if left:
        raise UserError(f"{config.slots} slots cannot be shared out evenly among {config.ray.runners} ray.runners")
    for what, count in (("slots", config.slots), ("trajectories of batch", config.batch or config.slots)):
        if count % config.ray.learners:
            raise UserError(f"{count} {what} cannot be shared out evenly among {config.ray.learners} ray.learners")
    here = replace(
        config,
        data=tuple(folder.absolute() for folder in config.data),
        agent=config.agent.absolute(),
        reward_model=config.reward_model.absolute(),
        batch=config.batch or config.slots,
        slots=slots,
    )
    return RayExecutor(
        partial(runner_on_ray, here), partial(learner_on_ray, here), agent, slots, config.steps,
        config.ray, config.execution,
    )  # fmt: skip


def runner_on_ray(config: ImproveConfig, index: int, generation: int) -> Runner:
    """The runner ``index`` of a run on Ray, made in its own process; ``generation`` tells it from one that died."""
    seed = int(np.random.SeedSequence([config.seed, index, generation]).generate_state(1)[0])
    device = "cuda" if config.ray.gpus_per_runner else "cpu"
    config = replace(config, seed=seed, device=device, threads=max(1, int(config.ray.cpus_per_runner)))
    agent, tokenizer = load_agent(config.agent, device=device)
    replayed = read_episodes(config.data, split="train", solver=config.replay)
    return make_runner(config, agent, tokenizer, replayed, config.slots, config.steps)


def learner_on_ray(config: ImproveConfig, peers: Peers = ALONE) -> tuple[Learner, EpisodeStream]:
    """The learner of a run on Ray, or one of several, and its recorded play, made where it works."""
    config = replace(config, device="cuda" if config.ray.gpus_per_learner else "cpu")
    torch.manual_seed(config.seed)
    return make_learner(config, *load_agent(config.agent, device=config.device), peers)


def make_learner(
    config: ImproveConfig, agent: InteractiveAgent, tokenizer: Tokenizer, peers: Peers = ALONE
) -> tuple[Learner, EpisodeStream]:
    """A learner that improves ``agent`` in place, and the recorded play that it imitates; of several, one's share."""
    recorded = read_episodes(config.data, split="train", solver=config.imitate)
    encoded = encode_episodes(recorded, tokenizer, agent.config)  # type: ignore[arg-type]
    batch = config.batch or config.slots
    stream = EpisodeStream(encoded, config.steps + 1, batch, config.seed, peers.columns(batch))
    return Learner(agent, config.learner, config.device, peers), stream


def make_runner(
    config: ImproveConfig,
    agent: InteractiveAgent,
    tokenizer: Tokenizer,
    episodes: Sequence[Episode],
    slots: int,
    steps: int,
    stagger: bool = True,
) -> Runner:
    """A runner that replays the setters of ``episodes`` and is rewarded as ``config`` says."""
    reference, _ = load_agent(config.agent, device=config.device)
    rewards = None
    if not config.scripted_reward:
        model, words = load_agent(config.reward_model, InterTemporalRewardModel, device=config.device)
        lengths = ("image_size", "setter_text_length", "solver_text_length")
        fits = all(getattr(model.config, name) == getattr(agent.config, name) for name in lengths)
        if not fits or not words.cuts_like(tokenizer):
            raise UserError(f"{config.reward_model} was made for another agent than {config.agent}: train one from it")
        rewards = StreamingScorer(model, slots)
    replays = [SetterReplay(world, episodes[0], truth=True) for world in config.world.make(slots)]
    return Runner(
        agent, tokenizer, reference, rewards, replays, episodes, steps,
        seed=config.seed, device=config.device, threads=config.threads, stagger=stagger,
    )  # fmt: skip


def held_out_episodes(config: ImproveConfig, most: int) -> list[Episode]:
    """Up to ``most`` episodes recorded as held out; none if there are none."""
    if not any(open_store(folder).ids(split="held_out", solver=config.replay) for folder in config.data):
        return []
    return read_episodes(config.data, split="held_out", solver=config.replay)[:most]


def summary(results: Sequence[EpisodeResult], where: str) -> dict[str, float]:
    """Mean modelled return and true success of the first request, over finished plays."""
    if not results:
        return {}
    asked = [result.success[0] for result in results if result.success]
    means = {"modelled_return": np.mean([r.modelled_return for r in results])}
    if asked:
        means["true_success"] = np.mean(asked)
    return {f"{where}/{name}": float(value) for name, value in means.items()}


def _note(metrics: dict[str, float]) -> str:
    shown = {"modelled return": "train/modelled_return", "success": "train/true_success"}
    return ", ".join(f"{name} {metrics[key]:.2f}" for name, key in shown.items() if key in metrics)
