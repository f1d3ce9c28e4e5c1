"""Settings of `rlhf record`."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from agents.roles import folder_of
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.episode import SCRIPTED
from rlhf.replay.co_pilot import CoPilotConfig
from rlhf.run.place_seeds import LARGEST_SEED, SEEDS_APART
from worlds.errors import UserError
from worlds.ranges import Count, Seconds, ShareBelowOne, Steps
from worlds.settings import settings

_OTHER_PLACES = "other places are for validation and for evaluation"


@settings
class RecordConfig:
    """Settings of `rlhf record`.

    Args:
      data: folder of the dataset; recorded episodes are added to it.
      episodes: number of episodes to record.
      steps: length of each episode at most (1,125 steps are five minutes).
      tail: end an episode this many steps after its first request has succeeded, or has failed for good, such as a
        question that was answered wrongly; None plays all steps.
      solver: player of the solver: "scripted", or an agent's folder.
      split: play all episodes in the houses and with the instructions of one split, "train", or "held_out" for those
        kept for validation; None plays both, for training but for the share held_out.
      held_out: share of the episodes, from 0 to less than 1, that is held out where split is None; of recorded setters,
        none.
      seed: scripted episodes of the same seed and number are the same; those of an agent have the same places and
        setters, but its draws depend also on slots and on where a recording was interrupted. From 0 to 499.
      slots: environments that an agent plays at once.
      workers: processes among which scripted play is divided, without changing it; 1 plays in this process. None is one
        a core, 16 at most.
      world: the world and its settings.
      players: settings of the scripted setter and solver.
      setters: who asks instead of scripted setters. A dataset: its recorded setters are replayed in their places, as
        many as episodes says, drawn by the seed; each asks again what it asked, whatever the solver does. Or
        agent:FOLDER: an agent that `rlhf clone --role setter` made (docs/setters.md).
      name: what recordings call an agent; None takes the name of its run's folder.
      shared_control: let a scripted co-pilot watch the agent and take over when it fails; it plays as a scripted solver
        with the settings players.solver.
      co_pilot: when the co-pilot takes over and hands back.
      greedy_words: whenever an agent speaks as the solver, choose the likeliest words instead of sampling them.
      device: device of an agent that plays: "cpu", "cuda" or "cuda:1".
      step_limit_sec: seconds that a world may take for a reset or a step; then it hangs, and its episode is ended.
    """

    data: Path = Path("data/play")
    episodes: Annotated[int, Field(ge=1, le=SEEDS_APART)] = 100
    steps: Count = 300
    tail: Steps | None = None
    solver: str = SCRIPTED
    split: str | None = None
    held_out: ShareBelowOne = 0.1
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED - 1)] = 0
    slots: Count = 32
    workers: Count | None = None
    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)
    setters: Path | None = None
    name: str | None = None
    shared_control: bool = False
    co_pilot: CoPilotConfig = field(default_factory=CoPilotConfig)
    greedy_words: bool = False
    device: str = "cpu"
    step_limit_sec: Seconds = 300.0

    def __post_init__(self) -> None:
        if self.shared_control and self.solver == SCRIPTED:
            raise UserError("shared_control is for an agent: name its folder with --solver")
        if self.split not in (None, "train", "held_out"):
            raise UserError(f'split is "train" or "held_out", or None for both, not {self.split!r}')

    @property
    def setter_agent(self) -> str | None:
        """Folder of the agent that asks; None without one."""
        return folder_of(self.setters)

    @property
    def recorded_setters(self) -> Path | None:
        """Dataset whose setters are replayed; None without one."""
        return None if self.setter_agent is not None else self.setters

    def for_training(self) -> RecordConfig:
        """The same in which None of the split is "train": a run that records its held-out play by itself."""
        return replace(self, split=self.split or "train")

    def parts(self) -> tuple[RecordConfig, ...]:
        """Return the recording of each split. Training episodes do not depend on the held-out share."""
        if self.split is not None:
            return (self,)
        held_out = (
            0 if self.recorded_setters is not None else min(round(self.held_out * self.episodes), self.episodes - 1)
        )
        training = replace(self, split="train", episodes=self.episodes - held_out)
        return (training, replace(self, split="held_out", episodes=held_out)) if held_out else (training,)
