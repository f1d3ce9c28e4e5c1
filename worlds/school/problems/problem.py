"""The base of episodes: a room, an agent, a peer and what they say, and the order in which a step happens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds.contract.known_settings import check_flags
from worlds.errors import UserError
from worlds.school.grid.codes import CHANNELS, COLOURS, NO_OP, NONE, OBJECTS, PEER, PEER_ACT_IDS, PEER_ACTS, VIEW
from worlds.school.grid.dialogue import Dialogue
from worlds.school.grid.room import Cell, NoPlace, Room
from worlds.school.grid.sight import view, view_cell
from worlds.school.grid.things import Apple
from worlds.school.peers.body import Peer
from worlds.school.peers.script import Script

PRIMITIVES = ("left", "right", "forward", "toggle", "done")
LEFT, RIGHT, FORWARD, TOGGLE, DONE = range(5)
DIMINISH = 0.1  # share of the reward that is lost when success comes at the last step
_TRIES = 200  # layouts that are drawn before giving up


@dataclass(frozen=True)
class Settings:
    """What all episodes of an environment have in common.

    Args:
      size: cells of a side of the square in which rooms are; 7 to 100.
      max_steps: steps after which an episode ends.
      n_colors: colours that objects of InformationSeeking have, the first of the alphabet; 2 to 7.
      hidden_npc: observations show nothing where the peer is, and it does not act.
      see_through_walls: walls hide nothing from the agent.
      switch_no_light: observations do not show whether a switch is on.
      lever_active_steps: steps after which a lever of Collaboration closes its door.
      stop_when_lost: end an episode as soon as the apple can no longer be had, as the published study of language
        models does, instead of after all its steps.
    """

    size: int = 10
    max_steps: int = 80
    n_colors: int = 3
    hidden_npc: bool = False
    see_through_walls: bool = False
    switch_no_light: bool = True
    lever_active_steps: int = 10
    stop_when_lost: bool = False

    def __post_init__(self) -> None:
        for name, low, high in (
            ("size", 7, 100),
            ("max_steps", 1, 1_000_000),
            ("n_colors", 2, 7),
            ("lever_active_steps", 1, 1_000_000),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise UserError(f"school setting {name}: {value!r} is not a whole number from {low} to {high}")
        check_flags(
            "school setting",
            hidden_npc=self.hidden_npc,
            see_through_walls=self.see_through_walls,
            switch_no_light=self.switch_no_light,
            stop_when_lost=self.stop_when_lost,
        )


def reward_at(step: int, max_steps: int) -> float:
    """Return the reward of success after ``step`` of ``max_steps`` steps, 1 - 0.1 step / max_steps (reference code)."""
    return 1 - DIMINISH * (step / max_steps)


class Problem(ABC):
    """One episode.

    A subclass builds the room, says what things do by themselves, and judges. Of a step come, in this order: the
    agent's primitive, things that move by themselves, the peer's act and words, the judgement.

    Args:
      parameters: values by label, e.g. {"Problem": "Boxes", "N": "2"}.
    """

    kinds: tuple[str, ...] = ("",)  # values of the parameter Problem
    peer_name = "Peer"
    smallest = 9  # side of the smallest room, where the square has that many cells

    room: Room
    apple: Apple
    peer: Peer | None
    script: Script | None = None

    def __init__(self, parameters: Mapping[str, str], settings: Settings, seed: int) -> None:
        self.parameters, self.settings = dict(parameters), settings
        self.rng = np.random.default_rng(seed)
        self.dialogue = Dialogue()
        self.steps = 0
        self.ended = self.success = self.timed_out = self.agent_ate = False
        self.last_decision: tuple[int, str | None] = (NO_OP, None)
        self._build()

    # -- what a type of environment writes ----------------------------------------------------------------------

    @abstractmethod
    def lay_out(self) -> None:
        """Put everything but the agent into ``room``, which has its outer walls."""

    @abstractmethod
    def make_script(self, rng: np.random.Generator) -> Script:
        """Return a new script of the peer in this episode, for an episode with a peer."""

    def goals(self) -> tuple[Cell, ...]:
        """Return the cells beside which the agent has to be able to stand; rooms in which it is not are redrawn."""
        return ()

    def things_move(self) -> None:  # noqa: B027
        """Move what moves by itself: marbles that roll, levers that count down."""

    def before_agent(self) -> None:  # noqa: B027
        """Note what has to be known of the state before the agent acts."""

    def after_agent(self) -> None:  # noqa: B027
        """Note what the agent has achieved in this step; things have moved."""

    def wins(self) -> bool:
        """Return True if eating the apple now is rewarded."""
        return True

    def redirect(self, act: int) -> int:
        """Return the act that the peer's act is in this episode: a rule that changes the room may take its place."""
        return act

    def milestones(self) -> list[tuple[str, int]]:
        """Return what has happened so far that counts: in words, and 1 for progress or -1 for regress."""
        found: list[tuple[str, int]] = []
        if self.script is not None and self.script.introduced:
            found.append(("introduced itself", 1))
        return found + self.outcome()

    def outcome(self) -> list[tuple[str, int]]:
        """Return, as :meth:`milestones` does, how the episode has ended; nothing before it has, or if time is up."""
        if not self.ended or self.timed_out:
            return []
        return [("ate the apple", 1) if self.success else ("lost the apple", -1)]

    # -- the beginning ------------------------------------------------------------------------------------------

    def _build(self) -> None:
        for _ in range(_TRIES):
            smallest = min(self.smallest, self.settings.size)
            width, height = self.rng.integers(smallest, self.settings.size + 1, size=2).tolist()
            self.room = Room(self.settings.size, width, height)
            self.room.wall(0, 0, width, height)
            self.peer = None
            try:
                self.lay_out()
                self.place_agent()
            except NoPlace:
                continue
            if self.can_be_solved():
                self.script = self.make_script(self.rng) if self.peer is not None else None
                return
        size = self.settings.size
        raise NoPlace(f"{_TRIES} rooms of at most {size} cells a side had no place for {self.parameters}")

    def place_agent(self) -> None:
        """Put the agent into a random free cell, looking anywhere."""
        self.room.agent = self.room.free_cell(self.rng)
        self.room.direction = int(self.rng.integers(4))

    def can_be_solved(self) -> bool:
        """Return True for a room in which the agent and the peer can do what they have to; others are drawn again."""
        return all(self.room.connects(self.room.agent, cell) for cell in self.goals())

    # -- a step -------------------------------------------------------------------------------------------------

    def step(self, primitive: int | None, utterance: str | None) -> float:
        """Play a step in which the script decides for the peer; return the reward."""
        self.agent_acts(primitive, utterance)
        decision = (NO_OP, None) if self.script is None else self.script.decide(self, utterance)
        return self.peer_acts(primitive, *decision)

    def agent_acts(self, primitive: int | None, utterance: str | None) -> None:
        """Play the first half of a step, the agent's."""
        self.steps += 1
        self.before_agent()
        had_eaten = self.apple.eaten
        self._move(primitive)
        self.things_move()
        self.agent_ate = self.agent_ate or (self.apple.eaten and not had_eaten)
        self.after_agent()
        if utterance is not None:
            self.dialogue.say(utterance)

    def peer_acts(self, primitive: int | None, act: int, reply: str | None) -> float:
        """Play the peer's half of a step and judge the step; return the reward."""
        if self.peer is not None:
            act = NO_OP if self.peer.hidden else self.redirect(act)
            self.peer.act(self.room, act)
        self.last_decision = act, reply
        self.dialogue.hear(self.peer_name, reply)
        if primitive == DONE:
            self.ended = True
        elif self.agent_ate:
            self.ended, self.success = True, self.wins()
        elif self.settings.stop_when_lost and self.is_lost():
            self.ended = True
        elif self.steps >= self.settings.max_steps:
            self.ended = self.timed_out = True
        return reward_at(self.steps, self.settings.max_steps) if self.success else 0.0

    def is_lost(self) -> bool:
        """Return True once nothing that the agent does can win the episode any more."""
        return False

    def _move(self, primitive: int | None) -> None:
        room = self.room
        if primitive == LEFT:
            room.direction = (room.direction - 1) % 4
        elif primitive == RIGHT:
            room.direction = (room.direction + 1) % 4
        elif primitive in (FORWARD, TOGGLE):
            front = self.front
            there = room.at(*front)
            if primitive == TOGGLE:
                if there is not None:
                    there.use(room)
                return
            if there is not None and there.movable:
                there.bump(room, room.direction, None)
            if there is None or there.can_overlap():
                room.agent = front

    @property
    def front(self) -> Cell:
        """Cell before the agent."""
        return Room.beside(self.room.agent, self.room.direction)

    # -- what is observed ---------------------------------------------------------------------------------------

    def observe(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what the agent observes, uint8 [VIEW, VIEW, CHANNELS], and sees, bool [VIEW, VIEW]."""
        return self.room.sight(self.settings.see_through_walls)

    def observed_by_peer(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for the peer, the agent in its view; nothing where there is no peer."""
        if self.peer is None:
            return np.zeros((VIEW, VIEW, CHANNELS), np.uint8), np.zeros((VIEW, VIEW), np.bool_)
        x, y = self.peer.place
        direction, room = self.peer.direction, self.room
        image, seen = view(room.codes, room.opaque, x, y, direction, False)
        where = view_cell(x, y, direction, room.agent)
        if where is not None and seen[where]:
            image[where] = OBJECTS["agent"], COLOURS["red"], 0, (room.direction - direction + 2) % 4, NONE, NO_OP
        return image, seen

    def information(self, image: np.ndarray, seen: np.ndarray) -> dict[str, Any]:
        """Return what an environment reports beside its observation, by the reference's keys."""
        act, reply = self.last_decision
        where = self.peer and view_cell(*self.room.agent, self.room.direction, self.peer.place)
        return {
            "success": self.success,
            "image": image.copy(),
            "vis_mask": seen,
            "carrying": None,
            "agent_pos_vx": VIEW // 2,
            "agent_pos_vy": VIEW - 1,
            "npc_actions_dict": dict(PEER_ACT_IDS),
            "NPC_prim_action": PEER_ACTS[act],
            "NPC_utterance": reply or "no_op",
            "NPC_was_introduced_to": self.script is not None and self.script.introduced,
            "NPC_observed": bool(where and image[where][0] == PEER),
            "parameters": dict(self.parameters),
        }
