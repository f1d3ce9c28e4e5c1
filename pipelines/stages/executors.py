"""Runner, learner and executor of a run of BC+RL, on this machine or on Ray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.folder import load_agent
from agents.learning.workers import SINGLE_WORKER, Workers
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE, NotedEpisodes
from pipelines.stages.episodes.play_kinds import begun_with, find_groups, mixed
from pipelines.stages.episodes.recordings import RecordedPlay, find_episodes, read_sources
from pipelines.stages.improve_config import REPLAYED_SETTERS, ImproveConfig
from pipelines.stages.settings.play_settings import settings_of_datasets
from rlhf.data.dataset import WindowStream, check_demonstrated
from rlhf.data.source import Source
from rlhf.learning.learner import Learner
from rlhf.learning.local_executor import LocalExecutor, UpdateReport
from rlhf.records.episode import SCRIPTED, Episode
from rlhf.replay.runner import RewardSource, Runner
from rlhf.replay.setter_replay import SetterReplay
from rlhf.run.machine import playing_threads
from worlds.contract import Setter
from worlds.errors import UserError
from worlds.foreign_code.watchdog import limit_unless_debugging
from worlds.registry import WorldEntry

if TYPE_CHECKING:
    from reward_models.contract import RewardModel
    from reward_models.scores.scoring import StreamingScorer, UtilityScorer
    from rlhf.replay.learned_setter import LearnedSetter

REPLAYED, HELD_OUT = "replayed", "held_out"  # uses of episodes in a run's episodes.json


class Executor(Protocol):
    """Alternation of play and learning.

    :meth:`fetch_agent` and :meth:`state_dict` copy the learned weights into the agent that the executor was created
    with. Between these calls the agent may have older weights.
    """

    def steps(self) -> Iterator[UpdateReport]: ...

    def fetch_agent(self) -> None: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: Mapping[str, Any], plays: bool = True) -> bool: ...

    def close(self) -> None: ...


def make_executor(
    config: ImproveConfig, agent: InteractiveAgent, tokenizer: Tokenizer, noted: NotedEpisodes = EVERY_EPISODE
) -> Executor:
    """Create the executor of a run, here or on Ray.

    Args:
      agent: agent that is improved in place.
    """
    if config.executor == "ray":
        return make_ray_executor(config, agent, noted)
    replayed = read_replayed(config, noted)
    torch.manual_seed(config.seed)
    with ExitStack() as opened:
        runner = make_runner(config, agent, tokenizer, replayed, config.slots, config.steps)
        opened.callback(runner.close)
        learner, recorded = make_learner(config, agent, tokenizer, SINGLE_WORKER, noted)
        executor = LocalExecutor([runner], learner, recorded, config.execution)
        opened.pop_all()  # the executor closes them
    return executor


def read_replayed(config: ImproveConfig, noted: NotedEpisodes) -> list[Episode]:
    """Read the episodes whose setters are replayed in training, without frames: the environments render new ones."""
    return read_sources(noted.only(REPLAYED, find_replayed(config)), frames=False)


def find_replayed(config: ImproveConfig) -> list[Source]:
    """Find the episodes to replay in training. Raises UserError if there are none."""
    return find_episodes(config.replay_folders, split="train", solver=config.replay)


def make_ray_executor(config: ImproveConfig, agent: InteractiveAgent, noted: NotedEpisodes = EVERY_EPISODE) -> Executor:
    """Create the executor on Ray, whose processes create runners and learners from ``config``.

    Raises:
      UserError: if Ray is not installed, the slots cannot be shared out evenly, or there is no such cluster.
    """
    try:
        from rlhf.distributed.executor import RayExecutor
    except ModuleNotFoundError as error:
        raise UserError(f"{error.name} is not installed; pip install 'interactive-rlhf[ray]'") from error
    slots, left = divmod(config.slots, config.ray.runners)
    if left:
        raise UserError(f"{config.slots} slots cannot be shared out evenly among {config.ray.runners} ray.runners")
    for what, count in (("slots", config.slots), ("trajectories of batch", config.batch or config.slots)):
        if count % config.ray.learners:
            raise UserError(f"{count} {what} cannot be shared out evenly among {config.ray.learners} ray.learners")
    patience_sec = config.execution.stall_sec + config.step_limit_sec  # until a world that hangs is left
    own = replace(config.from_anywhere(), batch=config.batch or config.slots, slots=slots)
    return RayExecutor(
        partial(runner_on_ray, own, noted=noted), partial(learner_on_ray, own, noted=noted), agent, slots,
        config.steps, config.ray, replace(config.execution, stall_sec=patience_sec),
    )  # fmt: skip


def runner_on_ray(config: ImproveConfig, index: int, generation: int, noted: NotedEpisodes = EVERY_EPISODE) -> Runner:
    """Create a runner of a run on Ray, in its own process."""
    seed = int(np.random.SeedSequence([config.seed, index, generation]).generate_state(1)[0])
    device = "cuda" if config.ray.gpus_per_runner else "cpu"
    config = replace(config, seed=seed, device=device, threads=max(1, int(config.ray.cpus_per_runner)))
    if config.torch_threads is not None:  # the process is the runner's own; Ray gave PyTorch a thread a CPU
        torch.set_num_threads(config.torch_threads)
    agent, tokenizer = load_agent(config.agent, device=device)
    replayed = read_replayed(config, noted)
    return make_runner(config, agent, tokenizer, replayed, config.slots, config.steps)


def learner_on_ray(
    config: ImproveConfig, workers: Workers = SINGLE_WORKER, noted: NotedEpisodes = EVERY_EPISODE
) -> tuple[Learner, WindowStream]:
    """Create the learner of a run on Ray, or one of several, and its recorded play, in its own process."""
    config = replace(config, device="cuda" if config.ray.gpus_per_learner else "cpu")
    if config.torch_threads is not None:
        torch.set_num_threads(config.torch_threads)
    torch.manual_seed(config.seed)
    return make_learner(config, *load_agent(config.agent, device=config.device), workers, noted)


def make_learner(
    config: ImproveConfig,
    agent: InteractiveAgent,
    tokenizer: Tokenizer,
    workers: Workers = SINGLE_WORKER,
    noted: NotedEpisodes = EVERY_EPISODE,
) -> tuple[Learner, WindowStream]:
    """Create a learner and its stream of recorded play.

    Args:
      agent: agent that is improved in place.
      workers: all learners; the stream has this one's share of the columns.
    """
    groups = begun_with(find_groups(config.data, "train", config.imitate, config.kinds), noted)
    play = RecordedPlay([source for group in groups for source in group.sources], config.reading)
    sizes: AgentConfig = agent.config  # type: ignore[assignment]
    recorded = mixed({group: play.part(group.sources).encode(tokenizer, sizes) for group in groups})
    check_demonstrated(recorded)
    batch = config.batch or config.slots
    stream = recorded.stream(config.steps + 1, batch, config.seed, workers.columns(batch))
    return Learner(agent, config.learner, config.device, workers, last_update=config.updates), stream


def make_runner(
    config: ImproveConfig,
    agent: InteractiveAgent,
    tokenizer: Tokenizer,
    episodes: Sequence[Episode],
    slots: int,
    steps: int,
    stagger: bool = True,
    expected: bool = False,
) -> Runner:
    """Create a runner that replays the setters of ``episodes``.

    Args:
      config: settings of the run, which decide the rewards.
      episodes: recorded episodes; their frames are not read.
      steps: length T of a fragment.
      expected: reward the expectation of a model that samples marks, also where ``config`` rewards its samples.
    """
    reference, _ = load_agent(config.agent, device=config.device)
    rewards = None
    if not config.scripted_reward:
        rewarding = replace(config, expected_reward=expected or config.expected_reward)
        rewards = make_scorer(rewarding, agent, tokenizer, slots)
    if episodes:
        config.world.check_recorded(episodes[0], " and ".join(map(str, config.replay_folders)))
    setters = None
    if config.setter_agent is not None:
        from pipelines.stages.solvers import open_setters

        setters = open_setters(config.world, config.setter_agent, slots, config.device, config.seed + 1)
    replays = make_environments(config, episodes, slots, setters is not None and setters.prompted)
    return Runner(
        agent, tokenizer, reference, rewards, replays, episodes, steps,
        seed=config.seed, device=config.device, threads=playing_threads(config.threads), stagger=stagger,
        step_limit_sec=limit_unless_debugging(config.step_limit_sec), setters=setters,
        frozen_vision=config.learner.frozen_vision,
    )  # fmt: skip


def make_environments(
    config: ImproveConfig, episodes: Sequence[Episode], slots: int, prompted: bool = False
) -> list[SetterReplay]:
    """Create environments in which setters of recorded play are replayed, or others play in their places.

    Raises:
      UserError: scripted setters are to react, and one of the episodes has no scripted setter.
    """
    worlds, entry = config.world.make(slots, setter_sees=config.setter_agent is not None), config.world.entry()
    if config.setters == REPLAYED_SETTERS:
        things: dict[str, np.ndarray | None] = {}
        return [SetterReplay(world, episodes[0], truth=True, things=things) for world in worlds]
    if config.setter_agent is not None:
        from rlhf.replay.learned_setter import LearnedSetterPlay

        make_learned = partial(learned_setter, entry, prompted)
        return [LearnedSetterPlay(world, episodes[0], make_learned, truth=True) for world in worlds]
    if others := sorted({episode.setter for episode in episodes} - {SCRIPTED}):
        raise UserError(
            f"setters live: only scripted setters can react, and there are episodes of {others[0]}; replay their "
            "setters, or name other datasets with --replay-data"
        )
    from rlhf.replay.live_setter import LiveSetter

    players = settings_of_datasets(config.replay_folders).players.complete()
    settings, tasks = players.setter_settings(), players.weights(entry)

    def make_setter(episode: Episode) -> Setter:
        return entry.make_setter(tasks=tasks, split=episode.split, **settings)

    return [LiveSetter(world, episodes[0], make_setter, truth=True) for world in worlds]


def learned_setter(entry: WorldEntry, prompted: bool, episode: Episode) -> LearnedSetter:
    """Return a learned setter for the place of ``episode``, with its prompt, recorded or drawn from its seed."""
    from rlhf.replay.learned_setter import LearnedSetter

    if not prompted:
        return LearnedSetter(entry)
    from pipelines.stages.solvers import prompt_notes
    from rlhf.replay.setter_side import prompt_of

    return LearnedSetter(entry, prompt_of(episode.notes) or prompt_of(prompt_notes(episode.seed)))


def load_fitting_reward_model(
    folder: Path, agent: InteractiveAgent, tokenizer: Tokenizer, origin: Path, device: str
) -> RewardModel:
    """Load the reward model in ``folder``. Raises UserError if it is of another agent than that of ``origin``."""
    from reward_models.registry import load_reward_model

    model, words = load_reward_model(folder, device)
    inputs = ("player", "setter_text_length", "solver_text_length")
    fits = all(getattr(model.config, name) == getattr(agent.config, name) for name in inputs)
    if not fits or not words.cuts_like(tokenizer):
        raise UserError(f"{folder} was made for another agent than {origin}: train one from it")
    return model


def make_second_scorer(
    config: ImproveConfig, agent: InteractiveAgent, tokenizer: Tokenizer, slots: int
) -> RewardSource:
    """Create what scores held-out replays in ``slots`` slots by the second reward model of the run."""
    assert config.second_reward_model is not None
    alone = replace(
        config, reward_model=config.second_reward_model, second_reward_model=None, ensemble=(), ensemble_by="mean",
        expected_reward=True,
    )  # fmt: skip
    return make_scorer(alone, agent, tokenizer, slots)


def make_scorer(config: ImproveConfig, agent: InteractiveAgent, tokenizer: Tokenizer, slots: int) -> RewardSource:
    """Create what rewards play in ``slots`` slots by the reward models of the run."""
    from reward_models.scores.scoring import MeanScorer, StreamingScorer, UtilityScorer

    models = [
        load_fitting_reward_model(folder, agent, tokenizer, config.agent, config.device)
        for folder in config.reward_models
    ]
    if config.ensemble_by != "mean":
        from reward_models.ensemble import combined_model

        models = [combined_model(models, config.ensemble_by, config.deviation_weight)]

    def scorer(model: RewardModel) -> StreamingScorer | UtilityScorer:
        if config.pays == "utility":
            return UtilityScorer(model, slots)
        return StreamingScorer(model, slots, seed=config.seed, expected=config.expected_reward)

    scorers = [scorer(model) for model in models]
    return MeanScorer(scorers) if len(scorers) > 1 else scorers[0]
