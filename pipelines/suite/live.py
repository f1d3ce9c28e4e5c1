"""`rlhf suite live`: scripted setters evaluate agents during play, as people do in the app (paper, 6.5).

A setter asks for one thing after another in a held-out house, and judges each request: that it succeeded, soon after it
was fulfilled, or that it failed, when the setter asks for the next thing. It reads success from the ground truth and
errs at random. All agents play in the same houses; the setter does not observe who plays. `rlhf suite report` leaves
verdicts of scripted setters out without `--scripted`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from annotation.session.verdicts import NOTE, Verdict
from pipelines.stages.outcomes.results_file import SCRIPTED
from pipelines.stages.record import record
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.settings.play_settings import PlaySettings, resolve_play_settings, settings_of_agent
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.suite.judge import check_late, seen_success
from rlhf.records.episode import SCRIPTED as DEMONSTRATOR
from rlhf.records.episode import Episode
from rlhf.run.place_seeds import LARGEST_SEED
from rlhf.run.progress import announce
from rlhf.run.setting_forms import NamedPlayers
from rlhf.store import open_store
from rlhf.store.columns.transcript import EpisodeTranscript
from worlds.errors import UserError
from worlds.ranges import Count, Seed, Share, Steps
from worlds.settings import settings

JUDGED_WITH = "judged_with"  # in an episode's notes: how its setter judged


@settings
class LiveSuiteConfig:
    """Settings of `rlhf suite live`.

    Args:
      agents: a name and a folder for every agent, as NAME FOLDER or NAME=FOLDER; the folder "scripted" is the scripted
        demonstrator, whose name is "scripted".
      data: dataset of the play; episodes already in it stay unchanged.
      episodes: number of episodes of each agent.
      steps: length of an episode (1,125 steps are five minutes).
      wrong: share from 0 to 1 of verdicts that are opposite to the truth.
      late: fewest and most steps from success to the verdict.
      seed: of houses, requests and errors of the setters; from 0 to 499.
      slots: number of environments played at once; other numbers sample other actions.
      greedy_words: whenever an agent speaks, choose the likeliest words instead of sampling them.
      device: device of the agents: "cpu", "cuda" or "cuda:1".
      world: world that is played, with its settings; None of a setting is as the agents learned.
      players: settings of the scripted players.
    """

    agents: NamedPlayers = field(default_factory=dict)
    data: Path = Path("study/live")
    episodes: Count = 20
    steps: Count = 1125
    wrong: Share = 0.05
    late: tuple[Steps, Steps] = (0, 4)
    seed: Annotated[Seed, Field(le=LARGEST_SEED - 1)] = 0
    slots: Count = 32
    greedy_words: bool = False
    device: str = "cpu"
    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)

    def __post_init__(self) -> None:
        check_late(self.late)
        for name, folder in self.agents.items():
            if (folder in SCRIPTED or name == DEMONSTRATOR) and not name == folder == DEMONSTRATOR:
                raise UserError(f"the demonstrator is {DEMONSTRATOR}={DEMONSTRATOR}, not {name}={folder}")


def live_suite(config: LiveSuiteConfig) -> list[str]:
    """Play and judge the missing episodes, and return the ids of all.

    Raises UserError if an agent cannot be read, the agents learned in different worlds, or the dataset holds episodes
    that were played or judged with other settings.
    """
    if not config.agents:
        raise UserError("no agents to evaluate: name at least one, e.g. --agents BC=runs/clone/agent")
    learned = [settings_of_agent(folder) for folder in config.agents.values() if folder != DEMONSTRATOR]
    settings = resolve_play_settings(PlaySettings(config.world, config.players), *learned)
    _check_same(config)
    ids: list[str] = []
    for name, folder in config.agents.items():
        announce(f"{name} is evaluated live")
        playing = RecordConfig(
            data=config.data, episodes=config.episodes, steps=config.steps, solver=folder, split="held_out",
            seed=config.seed, slots=config.slots, world=settings.world, players=settings.players, name=name,
            device=config.device, greedy_words=config.greedy_words,
        )  # fmt: skip
        ids += record(playing, partial(with_verdicts, config=config))
    announce(f"{len(ids)} judged episodes are in {config.data}: `rlhf suite report --data {config.data} --scripted`")
    return ids


def with_verdicts(episode: Episode, config: LiveSuiteConfig) -> Episode:
    """Return the episode with its setter's verdicts on its requests in the notes."""
    rng = np.random.default_rng([config.seed, *episode.episode_id.encode()])
    verdicts = []
    for begin, end, done in asked_and_done(episode, len(episode)):
        seen = seen_success(done, begin, end, rng, config.wrong, config.late)
        words = episode.setter_utterance[begin]
        verdicts.append(Verdict(end - 1 if seen is None else seen, begin, words, seen is not None))
    noted = {NOTE: [asdict(verdict) for verdict in verdicts], JUDGED_WITH: _judging(config)}
    return replace(episode, notes={**episode.notes, **noted})


def asked_and_done(episode: Episode | EpisodeTranscript, steps: int) -> Iterator[tuple[int, int, int | None]]:
    """Yield for every request its step, the step of the next one (or ``steps``), and the step of success between.

    What succeeds later came after the setter had given up, and is None.
    """
    asked = [request.step for request in episode.requests]
    for begin, end, done in zip(asked, [*asked[1:], steps], episode.success_step, strict=True):
        if begin < end:
            yield begin, end, done if done is not None and done < end else None


def _judging(config: LiveSuiteConfig) -> dict[str, object]:
    return {"wrong": config.wrong, "late": list(config.late), "seed": config.seed}


def _check_same(config: LiveSuiteConfig) -> None:
    """Check that the dataset holds only episodes that were judged alike. Raises UserError if not."""
    if not config.data.exists():
        return
    store = open_store(config.data)
    for row in store.rows():
        judged = store.read_transcript(row.episode_id).notes.get(JUDGED_WITH)
        if judged is None:
            raise UserError(
                f"{store} holds play without verdicts of scripted setters; name another dataset with --data"
            )
        if judged != _judging(config):
            raise UserError(
                f"{store} was judged with {judged}; use the same --wrong, --late and --seed, or other --data"
            )
