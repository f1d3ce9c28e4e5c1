"""`rlhf improve`: improve a cloned agent against a reward model by setter replay (BC+RL)."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.card import ModelCard
from agents.computing import usable_device
from agents.folder import load_agent
from pipelines.stages.agent_network import check_image_encoder
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE, NotedEpisodes, note_episodes, noted_episodes
from pipelines.stages.episodes.play_kinds import find_groups, imitated
from pipelines.stages.episodes.recordings import find_episodes, most_entities, read_sources
from pipelines.stages.evidence import check_evidence
from pipelines.stages.executors import (
    HELD_OUT,
    REPLAYED,
    Executor,
    find_replayed,
    make_executor,
    make_runner,
    make_second_scorer,
)
from pipelines.stages.improve_config import LIVE_SETTERS, REPLAYED_SETTERS, ImproveConfig
from pipelines.stages.outcomes.cards import began_as_agent, model_card, play_imitated, play_used
from pipelines.stages.running.memory import check_improvement
from pipelines.stages.second_return import SecondReturn
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    announce_world_differences,
    resolve_play_settings,
    settings_of_agent,
    settings_of_datasets,
)
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.training import TrainingStage, train
from rlhf.data.source import Source
from rlhf.learning.guards import Alarm, Guards
from rlhf.learning.local_executor import UpdateReport
from rlhf.learning.training import Training
from rlhf.records.episode import Episode
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import live_steps, replay_steps
from rlhf.replay.slot import EpisodeResult
from rlhf.run.checkpoint import Checkpoint
from rlhf.run.progress import announce
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.foreign_code.watchdog import limit_unless_debugging

_SETTERS = {
    REPLAYED_SETTERS: "recorded setters are replayed",
    LIVE_SETTERS: "scripted setters, who react to it, play in the places of recorded ones",
}
_LEARNED_SETTERS = "a learned setter, the agent in `{folder}`, plays in the places of recorded ones"


def improve(config: ImproveConfig) -> Path:
    """Improve the agent and return the improved one's folder."""
    with torch_threads(config.torch_threads):
        return train(Improvement(config))


@contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """Set the number of threads of PyTorch's operations in the block; None leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Improvement(TrainingStage[ImproveConfig]):
    """A run of `rlhf improve`: BC+RL, on any executor.

    Raises:
      UserError: if the agent or the world does not fit.
    """

    command, updates_setting, title = "rlhf improve", "--updates", "improving the agent (BC+RL)"
    # What is played and learned, and the shapes in a checkpoint. Paths may change: runs are moved with their datasets.
    fixed = (
        "imitate", "kinds", "replay", "setters", "name", "scripted_reward", "pays", "expected_reward", "ensemble",
        "ensemble_by", "deviation_weight", "slots", "steps", "batch", "seed", "world",
    )  # fmt: skip

    def __init__(self, config: ImproveConfig) -> None:
        usable_device(config.device)
        self.config = resolve_config(config.from_anywhere())
        self.schedule, self.keep_checkpoints = config.schedule, config.keep_checkpoints
        self._opened = ExitStack()
        self.config.world.check(limit_unless_debugging(config.step_limit_sec))

    @property
    def remembered(self) -> ImproveConfig:
        return replace(self.config, drop_play=False)  # which holds for this call only

    def prepare(self, folder: Path, checkpoint: Checkpoint | None) -> Improving:
        config = self.config
        if checkpoint is None and not (config.scripted_reward or config.anyway):
            check_evidence(config.reward_models)
        self.agent, self.tokenizer = load_agent(config.agent, device=config.device)
        check_image_encoder(config.learner.frozen_vision, self.agent, config.agent, "learner")
        _check_held_out(config)
        config.world.check_fits(self.agent.config, config.agent)
        check_improvement(config, self.agent, most_entities(find_replayed(config)))
        _check_worlds(config)
        self.noted = begin_note(config, folder) if checkpoint is None else noted_episodes(folder)
        self.card = improved_agent_card(config, folder.name, self.noted)
        executor = make_executor(config, self.agent, self.tokenizer, self.noted)
        self._opened.callback(executor.close)
        held_out = self._held_out_runner()
        if held_out is not None:
            self._opened.callback(held_out.close)
        if checkpoint is not None:
            checkpoint.load_weights_into(self.agent)
        second = None
        if held_out is not None and config.second_reward_model is not None:
            second = SecondReturn(make_second_scorer(config, self.agent, self.tokenizer, held_out.columns))
        self.improving = Improving(config, self.agent, executor, held_out, second)
        return self.improving

    def _held_out_runner(self) -> Runner | None:
        """Return the runner of the held-out episodes; None if there are none.

        Its rewards are the reward model's expectations, so that sampling noise does not decide which agent is best.
        """
        episodes = held_out_episodes(self.config, self.config.evaluation_episodes, frames=False, noted=self.noted)
        if not episodes:
            return None
        lengths = {REPLAYED_SETTERS: replay_steps, LIVE_SETTERS: live_steps}
        longest = max(map(lengths.get(self.config.setters, len), episodes))
        return make_runner(
            self.config, self.agent, self.tokenizer, episodes, len(episodes), longest, stagger=False, expected=True
        )

    def begin(self, folder: Path) -> None:
        from pipelines.stages.text_limits import report_texts

        report_texts(folder, _heard(self.config), self.tokenizer, self.agent.config)

    def first_metrics(self) -> dict[str, float]:
        return self.improving.play_held_out()

    def watch(self, update: int, metrics: Mapping[str, float]) -> list[Alarm]:
        return self.improving.guards.look(update, metrics)

    def report(self, training: Training, folder: Path) -> None:
        from pipelines.stages.outcomes.headlines import improvement_headline

        rows = read_metrics(folder)
        if training.schedule.keep == "best":
            best, by = training.best.update, "modelled return"
            if self.config.second_reward_model is not None:
                by = "return by the second reward model"
            if not best:
                announce(f"no later agent had a higher {by} on held-out replays: the one it began from is kept")
                return
            announce(f"the agent of update {best} had the highest {by} on held-out replays")
            rows = [row for row in rows if row["step"] <= best]
        announce(improvement_headline(rows))

    def close(self) -> None:
        self._opened.close()


class Improving:
    """The :class:`rlhf.learning.training.Trainable` of BC+RL: an executor, and the held-out episodes.

    Args:
      model: the agent, which is improved in place.
      held_out: plays the held-out episodes; None: nothing is evaluated.
      second: scores the same plays; None without a second reward model.
    """

    counted: Mapping[str, float] = {}

    def __init__(
        self,
        config: ImproveConfig,
        model: InteractiveAgent,
        executor: Executor,
        held_out: Runner | None,
        second: SecondReturn | None = None,
    ) -> None:
        self.config, self.model, self.executor, self.held_out, self.second = config, model, executor, held_out, second
        self.done = 0
        self.guards = Guards(config.guards)
        self._held_out_start = held_out.state_dict() if held_out else {}
        self._recent: deque[EpisodeResult] = deque(maxlen=200)
        self._reports: Iterator[UpdateReport] | None = None

    def update(self, progress: float) -> dict[str, float]:
        self._reports = self._reports or self.executor.steps()
        report = next(self._reports)
        self.done = report.update
        self._recent.extend(report.results)
        return report.metrics | summary(self._recent, "train") | {"played_steps": report.played}

    def evaluate(self) -> dict[str, float]:
        self.executor.fetch_agent()
        return self.play_held_out()

    def play_held_out(self) -> dict[str, float]:
        """Return modelled returns and true success on held-out replays, the same every time."""
        if self.held_out is None:
            return {}
        self.held_out.load_state_dict(self._held_out_start)
        self.held_out.set_weights(self.model.state_dict())
        fragment = self.held_out.sample()
        # Slots whose play ended early have begun others; those that end soon too would be counted, and slow ones not.
        plays = self.held_out.finished_first()
        second = self.second.measure(fragment, plays) if self.second else {}
        return summary([*plays.values()], "held_out") | second

    def score(self, metrics: Mapping[str, float]) -> float | None:
        return metrics.get("held_out/second_return" if self.second else "held_out/modelled_return")

    def note(self, metrics: Mapping[str, float]) -> str:
        shown = {"modelled return": "train/modelled_return", "success": "train/true_success"}
        return ", ".join(f"{name} {metrics[key]:.2f}" for name, key in shown.items() if key in metrics)

    def state_dict(self) -> dict[str, Any]:
        return {
            "executor": self.executor.state_dict(),
            "guards": self.guards.state_dict(),
            "second": self.second and self.second.state_dict(),
            "recent": [result.state_dict() for result in self._recent],
            "done": self.done,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the model must have its weights already."""
        second: dict[str, Any] | None = state.get("second")
        if (second is None) != (self.second is None):
            raise UserError(
                f"the run was begun {'without' if second is None else 'with'} a second reward model, whose returns are "
                "compared with those at its start; leave second_reward_model as it was"
            )
        if self.second is not None and second is not None:
            self.second.load_state_dict(second)
        self.done = state["done"]
        self.guards.load_state_dict(state["guards"])
        self._recent.extend(EpisodeResult.from_state_dict(result) for result in state["recent"])
        announce(f"resuming from update {self.done}; the plays in progress are rebuilt")
        if not self.executor.load_state_dict(state["executor"], plays=not self.config.drop_play):
            announce("the plays in progress at the checkpoint are dropped: the run will not end in the same weights")


def improved_agent_card(config: ImproveConfig, name: str, noted: NotedEpisodes = EVERY_EPISODE) -> ModelCard:
    """Model card of the agent that the run ``name`` trains, without its metrics."""
    second = config.second_reward_model
    rewarded_by = f"the reward model in `{config.reward_model}`, whose card says whose marks that learned"
    if config.ensemble:
        folders = ", ".join(f"`{folder}`" for folder in config.reward_models)
        how = config.ensemble_by.replace("_", " ")
        rewarded_by = f"the {how} of the reward models in {folders}, whose cards say whose marks they learned"
    if config.scripted_reward:
        rewarded_by = "the tasks' ground truth, which is known in simulation only"
    return model_card(
        f"Agent `{name}`, improved by reinforcement learning",
        f"Trained by `rlhf improve` (BC+RL): it acts while {_who_sets(config)}, is rewarded for its play, and "
        "imitates recorded play at the same time.",
        config,
        play_imitated(config.data, "imitated", config.imitate, config.kinds, noted.ids)
        + play_used(config.replay_folders, "its setters replayed", "train", config.replay, only=noted.ids),
        [
            began_as_agent(config.agent),
            f"It was rewarded by {rewarded_by}.",
            *([] if second is None else [f"Held-out replays were also scored by the reward model in `{second}`."]),
        ],
        _size(config.world).or_else(_remembered(config)),
    )


def _who_sets(config: ImproveConfig) -> str:
    return _SETTERS.get(config.setters) or _LEARNED_SETTERS.format(folder=config.setter_agent)


def resolve_config(config: ImproveConfig) -> ImproveConfig:
    """Return the configuration with a complete world.

    Settings that are not given come from the size of the agent's images, then from the replayed play, then from the
    agent's play settings.
    """
    learned = settings_of_agent(config.agent).world
    settings = resolve_play_settings(PlaySettings(config.world), _size(learned), _remembered(config))
    announce_world_differences("improving", settings.world, learned, f"{config.agent} learned in")
    return replace(config, world=settings.world)


def _size(world: WorldConfig) -> PlaySettings:
    """Return play settings with only the size of the images."""
    return PlaySettings(WorldConfig(height=world.height, width=world.width))


def _remembered(config: ImproveConfig) -> PlaySettings:
    """Return the settings of the replayed play, completed by those of the agent."""
    given = PlaySettings(config.world)
    agent = settings_of_agent(config.agent)
    return settings_of_datasets(config.replay_folders, given.or_else(agent)).or_else(agent)


def _check_worlds(config: ImproveConfig) -> None:
    """Refuse play of a world that is not known here. Raises UserError naming the world."""
    for data in config.replay_folders:
        config.world.check_known(open_store(data).description.world, data)


def _check_held_out(config: ImproveConfig) -> None:
    """Warn if there is no held-out play to replay.

    Raises:
      UserError: if there is none and guards.patience or a second reward model needs it.
    """
    if _has_held_out(config):
        return
    by = f" by {config.replay}" if config.replay else ""
    folders = ", ".join(map(str, config.replay_folders))
    lacks = f"there is no held-out play{by} in {folders}"
    solver = "" if config.replay in (None, "scripted") else " --solver AGENT"
    episodes = config.evaluation_episodes
    command = f"rlhf record --data {config.replay_folders[0]} --split held_out --episodes {episodes}{solver}"
    needs = {
        "--guards.patience": config.guards.patience and "guards.patience counts plays",
        "--second-reward-model": config.second_reward_model and "second_reward_model scores replays",
    }
    for flag, need in needs.items():
        if need:
            raise UserError(
                f"{need} of held-out episodes, but {lacks}; record some with `{command}`, or leave out {flag}"
            )
    warnings.warn(
        f"{lacks}: no metric will show whether the agent also improves on play it does not train on; record some with "
        f"`{command}`",
        stacklevel=2,
    )


def _has_held_out(config: ImproveConfig) -> bool:
    return any(open_store(folder).ids(split="held_out", solver=config.replay) for folder in config.replay_folders)


def held_out_episodes(
    config: ImproveConfig, most: int, frames: bool = True, noted: NotedEpisodes = EVERY_EPISODE
) -> list[Episode]:
    """Read up to ``most`` held-out episodes that the run began with, with their frames or without."""
    return read_sources(noted.only(HELD_OUT, _find_held_out(config))[:most], frames)


def _find_held_out(config: ImproveConfig) -> list[Source]:
    if not _has_held_out(config):
        return []
    return find_episodes(config.replay_folders, split="held_out", solver=config.replay)


def begin_note(config: ImproveConfig, folder: Path) -> NotedEpisodes:
    """Save which episodes a new run in ``folder`` replays, imitates and is evaluated on."""
    groups = find_groups(config.data, "train", config.imitate, config.kinds)
    parts = {REPLAYED: find_replayed(config), HELD_OUT: _find_held_out(config)}
    return note_episodes(folder, parts | {imitated(group): group.sources for group in groups})


def _heard(config: ImproveConfig) -> list[Source]:
    """Return the episodes that a new run replays or imitates, each once."""
    groups = find_groups(config.data, "train", config.imitate, config.kinds)
    found = [*find_replayed(config), *(source for group in groups for source in group.sources)]
    return list({source.episode_id: source for source in found}.values())


def summary(results: Sequence[EpisodeResult], where: str) -> dict[str, float]:
    """Sum up finished plays.

    Returns:
      ``modelled_return``, a mean over plays, with its standard deviation ``modelled_return_sd`` (of two plays or more)
      and the number of ``plays``; and, if there were requests, ``true_success``, the share of them that was fulfilled,
      and the number of ``requests``.
    """
    if not results:
        return {}
    asked = [success for result in results for success in result.success]
    returns = [result.modelled_return for result in results]
    means = {"modelled_return": np.mean(returns), "plays": len(results)}
    if len(results) > 1:
        means["modelled_return_sd"] = np.std(returns, ddof=1)
    if asked:
        means |= {"true_success": np.mean(asked), "requests": len(asked)}
    return {f"{where}/{name}": float(value) for name, value in means.items()}
