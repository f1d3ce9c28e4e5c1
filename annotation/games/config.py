"""What one game is: who plays, where, for how long, and how people see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.session.prompts import Prompt
from annotation.session.states import Kind, TimeLimits
from worlds.contract import TICKS_PER_STEP
from worlds.errors import UserError

FIVE_MINUTES = 1125  # steps


@dataclass(frozen=True)
class GameConfig:
    """Settings of one game.

    Args:
      kind: who plays what. seed: of the place and of the stand-ins.
      world: registered name. world_options: its own settings, as ``world.options`` of a recording.
      place: the configuration to play in; None samples one from the seed with ``place_settings``.
      height, width: of the recorded images, pixels; those of the dataset.
      steps: the episode's length. shortest: an episode of fewer steps is not kept.
      prompt: what the setter is asked to ask for; None is free-form play. split: of the recorded episode.
      view: (height, width) of people's pictures, pixels. ticks_per_frame: 2 gives 15 pictures a second.
      quality: of people's pictures, JPEG's 1 to 95.
      limits: how long a state may last.
      deadline_sec: how long after a step's beginning the agent may still answer.
      retry_sec: pause between attempts to save an episode.

    Raises:
      UserError: a value that no game can have.
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

    def __post_init__(self) -> None:
        for name in ("height", "width", "steps", "shortest"):
            if getattr(self, name) < 1:
                raise UserError(f"game.{name} is at least 1, not {getattr(self, name)}")
        if TICKS_PER_STEP % self.ticks_per_frame if self.ticks_per_frame > 0 else True:
            raise UserError(f"game.ticks_per_frame is 1, 2, 4 or {TICKS_PER_STEP}, not {self.ticks_per_frame}")
        if min(self.view) < 1 or not 1 <= self.quality <= 95:
            raise UserError(f"game.view {self.view} or game.quality {self.quality} gives no picture")
        if self.deadline_sec < 0 or self.retry_sec <= 0:
            raise UserError("game.deadline_sec is at least 0 and game.retry_sec more than 0")
