"""The episode of a game: exactly what the agent's side saw, and what everybody then did."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from annotation.games.config import GameConfig
from annotation.session.states import CAST, Player, Role
from rlhf.records.episode import AGENT, CO_PILOT, WORLD_OPTIONS, Episode, episode_columns
from rlhf.replay.referee import Referee
from worlds.contract import Action, Observation


class EpisodeRecorder:
    """The steps of one game so far.

    Args:
      config: the game's. place: the configuration that it is played in.
    """

    def __init__(self, config: GameConfig, place: Mapping[str, Any]) -> None:
        self._config, self._place = config, place
        self._rows: list[tuple[Observation, Action, Action]] = []
        self._controller: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, seen: Observation, solver: Action, setter: Action, in_control: Role) -> None:
        """One step: what the solver saw at its beginning, what both did, and who moved the solver."""
        self._rows.append((seen, solver, setter))
        self._controller.append(CO_PILOT if in_control is Role.CO_PILOT else AGENT)

    def episode(
        self, episode_id: str, names: Mapping[Role, str], notes: Mapping[str, Any], referee: Referee | None
    ) -> Episode:
        """The episode as it was lived.

        Args:
          names: who played each role; people's are pseudonyms. referee: who followed a scripted setter's requests.
        """
        kind, co_pilot = self._config.kind, names.get(Role.CO_PILOT)
        solver_name = player_name(kind, Role.SOLVER, names)
        about = {"kind": kind.value, WORLD_OPTIONS: dict(self._config.world_options), **notes}
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
            **episode_columns(self._rows, self._controller),
        )


def player_name(kind: Any, role: Role, names: Mapping[Role, str]) -> str:
    """Who played ``role``, as recordings tell it: "human:<pseudonym>", "agent:<name>" or "scripted"."""
    player = CAST[kind][role]
    if player is Player.SCRIPTED:
        return "scripted"
    return f"{'human' if player is Player.PERSON else 'agent'}:{names[role]}"
