"""`rlhf improve`: improve a cloned agent against a reward model by setter replay (BC+RL)."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.card import ModelCard
from agents.computing import usable_device
from agents.folder import load_agent, save_agent
from pipelines.stages.agent_network import check_image_encoder
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE, NotedEpisodes, note_episodes, noted_episodes
from pipelines.stages.episodes.play_kinds import find_groups, imitated
from pipelines.stages.episodes.recordings import find_episodes, most_entities, read_sources
from pipelines.stages.executors import HELD_OUT, REPLAYED, find_replayed, make_executor, make_runner
from pipelines.stages.improve_config import LIVE_SETTERS, REPLAYED_SETTERS, ImproveConfig
from pipelines.stages.outcomes.cards import began_as_agent, latest_metrics, model_card, play_imitated, play_used
from pipelines.stages.outcomes.headlines import improvement_headline
from pipelines.stages.running.duration import DurationCheck
from pipelines.stages.running.memory import check_improvement
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    announce_world_differences,
    resolve_play_settings,
    settings_of_agent,
    settings_of_datasets,
)
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.text_limits import report_texts
from rlhf.data.source import Source
from rlhf.learning.alarms import AlarmLog
from rlhf.learning.guards import Guards
from rlhf.learning.local_executor import UpdateReport
from rlhf.records.episode import Episode
from rlhf.replay.live_setter import live_steps
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import replay_steps
from rlhf.replay.slot import EpisodeResult
from rlhf.run.checkpoint import Checkpoint, Checkpoints
from rlhf.run.config import locked_run, save_settings
from rlhf.run.progress import announce, bar
from rlhf.run.stopping import between_updates
from rlhf.run.tracking import Tracker, read_metrics
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.foreign_code.watchdog import limit_unless_debugging

# Settings that fix what is played and learned, and the shapes in a checkpoint. All others may change when a run is
# resumed, paths included: runs are moved with their datasets.
_FIXED = (
    "imitate",
    "kinds",
    "replay",
    "setters",
    "name",
    "scripted_reward",
    "pays",
    "expected_reward",
    "ensemble",
    "ensemble_by",
    "deviation_weight",
    "slots",
    "steps",
    "batch",
    "seed",
    "world",
)

_SETTERS = {
    REPLAYED_SETTERS: "recorded setters are replayed",
    LIVE_SETTERS: "scripted setters, who react to it, play in the places of recorded ones",
}
_LEARNED_SETTERS = "a learned setter, the agent in `{folder}`, plays in the places of recorded ones"


def improve(config: ImproveConfig) -> Path:
    """Improve the agent and return the improved one's folder."""
    usable_device(config.device)
    config = resolve_config(config.from_anywhere())
    config.world.check(limit_unless_debugging(config.step_limit_sec))
    with locked_run(config, _FIXED, "rlhf improve") as folder, torch_threads(config.torch_threads):
        with closing(Improvement(config, folder)) as improvement:
            save_settings(folder, replace(config, drop_play=False))  # which holds for this call only
            return improvement.run()


@contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """Set the number of threads of PyTorch's operations in the block; None leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Improvement:
    """One run of BC+RL, on any executor: agent, executor, held-out evaluation, guards and checkpoints.

    Args:
      config: settings of the run.
      folder: folder of the run.

    Raises:
      UserError: if an input is missing or does not fit the others.
    """

    def __init__(self, config: ImproveConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.agent, self.tokenizer = load_agent(config.agent, device=config.device)
        check_image_encoder(config.learner.frozen_vision, self.agent, config.agent, "learner")
        _check_held_out(config)
        if self.agent.config.spaces is not None:  # another body than the Playhouse's, which is the default world
            for data in config.replay_folders:
                config.world.check_known(open_store(data).description.world, data)
        config.world.check_fits(self.agent.config, config.agent)
        check_improvement(config, self.agent, most_entities(find_replayed(config)))
        self.checkpoints = Checkpoints(folder, config.keep_checkpoints)
        self.noted = noted_episodes(folder) if self.checkpoints.latest_if_any() else begin_note(config, folder)
        self.card = improved_agent_card(config, folder.name, self.noted)
        with ExitStack() as opened:
            self.executor = make_executor(config, self.agent, self.tokenizer, self.noted)
            opened.callback(self.executor.close)
            self.held_out = self._held_out_runner()
            if self.held_out is not None:
                opened.callback(self.held_out.close)
            self._opened = opened.pop_all()
        self._held_out_start = self.held_out.state_dict() if self.held_out else {}
        self.recent: deque[EpisodeResult] = deque(maxlen=200)
        self.guards = Guards(config.guards)

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

    def close(self) -> None:
        """Stop the executor and close all worlds; a second call does nothing."""
        self._opened.close()

    def run(self) -> Path:
        """Make updates until ``config.updates`` or the end of patience, and return the improved agent's folder."""
        if not self.checkpoints.latest_if_any():
            report_texts(self.folder, _heard(self.config), self.tokenizer, self.agent.config)
        self._make_updates()
        rows = read_metrics(self.folder)
        if self.config.guards.patience is not None and (best := self.checkpoints.best()) is not None:
            best.load_weights_into(self.agent)
            announce(f"the agent of update {best.step} had the highest modelled return on held-out replays")
            rows = [row for row in rows if row["step"] <= best.step]
        saved = save_agent(self.agent, self.tokenizer, self.folder / "agent", self._card())
        announce(improvement_headline(rows))
        announce(f"agent: {saved}")
        return saved

    def _make_updates(self) -> None:
        config, done = self.config, self._resume()
        if done >= config.updates or self.guards.exhausted:
            announce(f"{self.folder} is finished: {done} updates were made; its agent: {self.folder / 'agent'}")
            return
        with (
            Tracker(self.folder, config, config.wandb, resume_step=done) as tracker,
            AlarmLog(self.folder, resume_step=done) as alarms,
            bar("improving the agent (BC+RL)", config.updates, "updates", done=done) as shown,
            ExitStack() as opened,
        ):
            if done == 0:
                metrics = self._play_held_out()
                self._watch(alarms, 0, metrics)
                tracker.log(metrics, 0)
            stop = opened.enter_context(between_updates())
            duration = DurationCheck("--updates", done, done / config.updates)
            for report in self.executor.steps():
                self.recent.extend(report.results)
                metrics = report.metrics | summary(self.recent, "train") | {"played_steps": report.played}
                ends = report.update >= config.updates
                evaluates = ends or report.update % config.evaluate_every == 0
                if evaluates:
                    self.executor.fetch_agent()
                    metrics |= self._play_held_out()
                self._watch(alarms, report.update, metrics)
                tracker.log(metrics, report.update)
                shown.update(report.update, _note(metrics))
                duration.update(report.update, report.update / config.updates)
                ends |= self.guards.exhausted
                saves = ends or report.update % config.checkpoint_every == 0 or (evaluates and self._keeps_best)
                if saves or stop.requested:
                    # A checkpoint at an interruption is no candidate for the best agent.
                    kept = self._checkpoint(report, metrics.get("held_out/modelled_return") if saves else None)
                    if stop.requested:
                        stop.end(kept)
                if ends:
                    break

    @property
    def _keeps_best(self) -> bool:
        """True if patience is set and the agent of the last held-out evaluation is the best so far."""
        return self.config.guards.patience is not None and self.guards.is_best

    def _watch(self, alarms: AlarmLog, update: int, metrics: Mapping[str, float]) -> None:
        for alarm in self.guards.look(update, metrics):
            alarms.add(alarm)
            warnings.warn(str(alarm), stacklevel=2)

    def _resume(self) -> int:
        """Load the last checkpoint, if there is one, and return the number of updates already made."""
        checkpoint = self.checkpoints.latest_if_any()
        if checkpoint is None:
            return 0
        checkpoint.load_weights_into(self.agent)
        with checkpoint.taken_over() as state:
            self.guards.load_state_dict(state["guards"])
            self.recent.extend(EpisodeResult.from_state_dict(result) for result in state.get("recent", ()))
            if checkpoint.step < self.config.updates and not self.guards.exhausted:
                self._resume_play(checkpoint.step, state["executor"])
        return checkpoint.step

    def _resume_play(self, step: int, state: Mapping[str, Any]) -> None:
        announce(f"resuming from update {step}; the plays in progress are rebuilt")
        if not self.executor.load_state_dict(state, plays=not self.config.drop_play):
            announce("the plays in progress at the checkpoint are dropped: the run will not end in the same weights")

    def _checkpoint(self, report: UpdateReport, score: float | None) -> Checkpoint:
        state = {
            "executor": self.executor.state_dict(),
            "guards": self.guards.state_dict(),
            "recent": [result.state_dict() for result in self.recent],
        }
        return self.checkpoints.save(report.update, self.agent, self.tokenizer, state, score, self._card())

    def _card(self) -> ModelCard:
        return replace(self.card, metrics=latest_metrics(self.folder))

    def _play_held_out(self) -> dict[str, float]:
        """Return modelled return and true success on held-out replays, the same every time."""
        if self.held_out is None:
            return {}
        self.held_out.load_state_dict(self._held_out_start)
        self.held_out.set_weights(self.agent.state_dict())
        self.held_out.sample()
        # Slots whose play ended early have begun others; those that end soon too would be counted, and slow ones not.
        return summary(self.held_out.finished_first(), "held_out")


def improved_agent_card(config: ImproveConfig, name: str, noted: NotedEpisodes = EVERY_EPISODE) -> ModelCard:
    """Model card of the agent that the run ``name`` trains, without its metrics."""
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


def _check_held_out(config: ImproveConfig) -> None:
    """Warn if there is no held-out play to replay.

    Raises:
      UserError: if there is none and guards.patience needs it.
    """
    if _has_held_out(config):
        return
    by = f" by {config.replay}" if config.replay else ""
    folders = ", ".join(map(str, config.replay_folders))
    lacks = f"there is no held-out play{by} in {folders}"
    solver = "" if config.replay in (None, "scripted") else " --solver AGENT"
    episodes = config.evaluation_episodes
    command = f"rlhf record --data {config.replay_folders[0]} --split held_out --episodes {episodes}{solver}"
    if config.guards.patience is not None:
        raise UserError(
            f"guards.patience counts plays of held-out episodes, but {lacks}; record some with `{command}`, or leave "
            "out --guards.patience"
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

    Args:
      results: results of the plays.
      where: prefix of the metrics' names.

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


def _note(metrics: dict[str, float]) -> str:
    shown = {"modelled return": "train/modelled_return", "success": "train/true_success"}
    return ", ".join(f"{name} {metrics[key]:.2f}" for name, key in shown.items() if key in metrics)
