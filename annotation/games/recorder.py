"""Recording of a game: what the solver saw at every step, and what both players did."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from annotation.games.config import GameConfig
from annotation.games.places import PLACE_SETTINGS
from annotation.session.states import CAST, Player, Role
from rlhf.records.columns import episode_columns
from rlhf.records.episode import AGENT, CO_PILOT, WORLD_OPTIONS, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.replay.referee import Referee
from worlds.contract import Action, Observation


class EpisodeRecorder:
    """Collects the steps of one game."""

    def __init__(self, config: GameConfig, place: Mapping[str, Any], spaces: EpisodeSpaces) -> None:
        self._config, self._place, self._spaces = config, place, spaces
        self._rows: list[tuple[Observation, Action, Action]] = []
        self._controller: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, seen: Observation, solver: Action, setter: Action, in_control: Role) -> None:
        """Add a step."""
        self._rows.append((seen, solver, setter))
        self._controller.append(CO_PILOT if in_control is Role.CO_PILOT else AGENT)

    def episode(
        self, episode_id: str, names: Mapping[Role, str], notes: Mapping[str, Any], referee: Referee | None
    ) -> Episode:
        """Return the episode.

        Args:
          referee: referee that checked a scripted setter's requests; None where a person sets.
        """
        kind, co_pilot = self._config.kind, names.get(Role.CO_PILOT)
        solver_name = player_name(kind, Role.SOLVER, names)
        about = {"kind": kind.value, WORLD_OPTIONS: dict(self._config.world_options), **notes}
        if self._config.place is None:
            about[PLACE_SETTINGS] = dict(self._config.place_settings)
        if self._config.task is not None:
            about |= {"helper": self._config.task.helper, **self._config.task.note()}
        if co_pilot is not None:  # as recordings with a scripted one say it
            about["co_pilot"] = player_name(kind, Role.CO_PILOT, names)
            solver_name += f"+{about['co_pilot']}"
        return Episode(
            episode_id=episode_id,
            world=self._config.world,
            config=self._place,
            setter=player_name(kind, Role.SETTER, names),
            solver=solver_name,
            requests=() if referee is None else tuple(referee.requests),
            truth=() if referee is None else tuple(referee.events),
            success_step=() if referee is None else tuple(referee.success_step),
            seed=self._config.seed,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            split=self._config.split,
            notes=about,
            **episode_columns(self._rows, self._controller, self._spaces),
        )


def player_name(kind: Any, role: Role, names: Mapping[Role, str]) -> str:
    """Return the player of ``role`` as recordings name it: "human:<pseudonym>", "agent:<name>" or "scripted"."""
    player = CAST[kind][role]
    if player is Player.SCRIPTED and names.get(role, "scripted") == "scripted":
        return "scripted"
    return f"{'human' if player is Player.PERSON else 'agent'}:{names[role]}"
