"""The steps of a game: whose turn it is, their ticks in real time, what is said in them, and their record."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from annotation.games.config import GameConfig
from annotation.games.live_world import LiveWorld
from annotation.games.pace import Pace
from annotation.games.players import AVATAR, Players
from annotation.games.recorder import EpisodeRecorder
from annotation.games.request_outcomes import Judgements, ScriptedRequests
from annotation.games.screen import SpokenLine
from annotation.games.turns import Turns
from annotation.session.states import Kind, PlaySession, Role, State
from rlhf.records.episode import Episode
from worlds.contract import SETTER, SOLVER, Action

CHOOSING_SEC = 10.0  # in which an agent may answer where people take their time, too


class Steps:
    """Everything that has been played of one game, and the step in progress.

    Args:
      scripted: checks the requests of a scripted setter; None without one.
      lock: the game's lock, which guards the attributes below.

    Attributes:
      dialogue: everything that was said, oldest first.
      judged: verdicts and ratings of a person who sets.
      in_control: role that moves the solver in the step in progress.
    """

    def __init__(
        self,
        config: GameConfig,
        world: LiveWorld,
        players: Players,
        scripted: ScriptedRequests | None,
        pace: Pace,
        lock: threading.Condition,
        draw: Callable[[], None],
    ) -> None:
        self._world, self._players, self._scripted = world, players, scripted
        self._deadline_sec = max(config.deadline_sec, CHOOSING_SEC) if world.boards else config.deadline_sec
        self._pace, self._lock, self._draw = pace, lock, draw
        self._recorder = EpisodeRecorder(config, world.place, world.spaces)
        self._sets_in_person = Role.SETTER not in players.stand_ins
        self._turns = Turns(world, players, pace, config.turn_sec)
        self.dialogue: list[SpokenLine] = []
        self.judged = Judgements(config.kind)
        self.in_control = Role.SOLVER

    def __len__(self) -> int:
        return len(self._recorder)

    def due(self, in_control: Role) -> bool:
        """Return True if the next step can be played; False while a turn-based world waits for ``in_control``."""
        if self._turns.taken(in_control, self.dialogue):
            return True
        self._pace.forget()  # people take the time that they need; the game is not slow
        return False

    @property
    def given_up(self) -> bool:
        """True once a turn has been waited for too long."""
        return self._turns.given_up

    @property
    def fulfilled(self) -> tuple[bool, ...]:
        """Whether each request of a scripted setter was fulfilled so far, or the own goal of a person who sets."""
        if self._scripted is not None:
            return tuple(success is not None for success in self._scripted.referee.success_step)
        reached = self._world.reached(SETTER) if self._sets_in_person else None
        return () if reached is None else (reached,)

    def shown(self, role: Role, session: PlaySession) -> dict[str, Any]:
        """Return the fields of the view of ``role`` that are about the play; see :class:`View`."""
        played, most, player = len(self), self._world.most_steps, AVATAR[role]
        playing = session.state in (State.PLAYING, State.PAUSED)
        grabs, grab_failed = self._world.grab_hint(player) if session.state is State.PLAYING else ("", "")
        judges = session.kind is Kind.EVALUATION and role is Role.SETTER
        return {
            "step": played,
            "steps": most,
            "seconds_left": (most - played) * self._world.ticks * self._pace.tick_sec,
            "in_control": self.in_control if playing else session.in_control,
            "dialogue": tuple(self.dialogue),
            "asked": self.judged.asked if judges else (),
            "grabs": grabs,
            "grab_failed": grab_failed,
            "fulfilled": self.fulfilled if session.state is State.ENDED else (),
            "board": self._world.boards.get(player) if playing else None,
        }

    def play(self, in_control: Role) -> bool:
        """Play and record one step, in which ``in_control`` moves the solver.

        Returns False if the world has ended the episode.

        Raises WorldError if the world fails; the step is not recorded.
        """
        step, seen = len(self._recorder), self._world.observations
        with self._lock:
            self.in_control = in_control
            if in_control is not Role.CO_PILOT and Role.CO_PILOT in self._players.hands:
                self._players.hands[Role.CO_PILOT].watch()
        self._players.ask(step, seen)
        acted = self._ticks(step)
        said = self._said(step, acted)
        before = self._world.heard
        setter, solver = (self._world.action(player, said[player]) for player in (SETTER, SOLVER))
        goes_on = self._world.end(said)
        if (heard := self._world.heard) != before:
            self._hear(step, heard, said[SETTER])
        self._recorder.add(seen[SOLVER], solver, setter, in_control)
        if self._scripted is not None:
            self._scripted.step(self._world.world, step, said)
        self._draw()
        return goes_on and not (self._sets_in_person and self._world.reached(SETTER))

    def _ticks(self, step: int) -> Mapping[str, Action | Role]:
        """Play the ticks of a step. Returns by player a stand-in's action, or the role of a person."""
        acted: Mapping[str, Action | Role] = {}
        for tick in range(1, self._world.ticks + 1):
            self._pace.wait()
            acted = acted or self._players.actions(step, self.in_control, self._deadline_sec)
            with self._lock:
                rows = {player: self._players.row(tick - 1, action) for player, action in acted.items()}
            self._world.tick(rows)
            if tick % self._world.ticks_per_frame == 0 and tick < self._world.ticks:  # the last is drawn after the step
                self._draw()
        return acted

    def _said(self, step: int, acted: Mapping[str, Action | Role]) -> dict[str, str]:
        """Return what each player says in this step."""
        said = {}
        with self._lock:
            for player, action in acted.items():
                said[player] = self._players.line(action)
                if said[player]:
                    role = Role.SETTER if player == SETTER else self.in_control
                    self.dialogue.append(SpokenLine(step, role, said[player]))
            if said[SETTER]:
                self.judged.hear(step, said[SETTER])
        return said

    def _hear(self, step: int, heard: str, asked: str) -> None:
        """Show what a scripted partner said, unless these are the words of the person who sets, ``asked``."""
        if heard and not (asked and heard.endswith(asked)):
            with self._lock:
                self.dialogue.append(SpokenLine(step, Role.SETTER, heard))

    def episode(self, game_id: str, names: Mapping[Role, str], notes: Mapping[str, object]) -> Episode:
        """Return the played episode, without verdicts."""
        referee = self._scripted.referee if self._scripted else None
        reached = self._world.reached(SETTER) if self._sets_in_person else None
        if reached is not None:
            notes = {**notes, "goal_reached": reached}
        return self._recorder.episode(game_id, names, notes, referee)
