"""Settings of one game: players, place, duration, and the pictures that people see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.games.help_sessions import HelpedTask
from annotation.session.prompts import Prompt
from annotation.session.states import Kind, TimeLimits
from worlds.errors import UserError

FIVE_MINUTES = 1125  # steps


@dataclass(frozen=True)
class GameConfig:
    """Settings of one game.

    Args:
      kind: who plays what.
      seed: seed of the place and of the stand-ins.
      world: registered name of the world.
      world_options: settings of the world, as ``world.options`` of a recording.
      place: configuration to play in; None samples one from the seed with ``place_settings``.
      place_settings: settings with which the place is sampled.
      height: height of the recorded images, pixels; that of the dataset.
      width: width of the recorded images, pixels; that of the dataset.
      steps: length of the episode, steps.
      shortest: steps below which an episode is not kept.
      prompt: prompt of the setter; None is free-form play.
      split: split of the recorded episode.
      view: height and width of people's pictures, pixels.
      ticks_per_frame: ticks between two pictures, as far as they divide a step's; 2 gives 15 pictures a second.
      quality: JPEG quality of people's pictures, 1 to 95.
      limits: time limits of the session's states.
      deadline_sec: seconds after a step's beginning in which the agent may still answer.
      retry_sec: seconds between attempts to save an episode.
      turn_sec: seconds for which a turn-based world waits for a key; then the episode ends.
      task: in a session of the kind "helped", which episode of the person's session it is, and with which helper.

    Raises UserError if a value is not possible.
    """

    kind: Kind
    seed: int
    world: str = "playhouse"
    world_options: Mapping[str, Any] = field(default_factory=dict)
    place: Mapping[str, Any] | None = None
    place_settings: Mapping[str, Any] = field(default_factory=dict)
    height: int = 72
    width: int = 96
    steps: int = FIVE_MINUTES
    shortest: int = 38
    prompt: Prompt | None = None
    split: str = "train"
    view: tuple[int, int] = (240, 320)
    ticks_per_frame: int = 2
    quality: int = 85
    limits: TimeLimits = field(default_factory=TimeLimits)
    deadline_sec: float = 0.25
    retry_sec: float = 5.0
    turn_sec: float = 180.0
    task: HelpedTask | None = None

    def __post_init__(self) -> None:
        for name in ("height", "width", "steps", "shortest"):
            if getattr(self, name) < 1:
                raise UserError(f"game.{name} is at least 1, not {getattr(self, name)}")
        if self.ticks_per_frame not in (1, 2, 4, 8):
            raise UserError(f"game.ticks_per_frame is 1, 2, 4 or 8, not {self.ticks_per_frame}")
        if min(self.view) < 1 or not 1 <= self.quality <= 95:
            raise UserError(f"game.view {self.view} or game.quality {self.quality} gives no picture")
        if (self.task is None) != (self.kind is not Kind.HELPED):
            raise UserError("game.task is for games of the kind helped, and those need one")
        if self.deadline_sec < 0 or self.retry_sec <= 0:
            raise UserError("game.deadline_sec is at least 0 and game.retry_sec more than 0")
