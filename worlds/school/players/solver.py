"""The scripted solver: introduces itself, understands every type of cue, and gets the apple; now and then it errs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from worlds.contract import SOLVER, Action, Observation
from worlds.contract.known_settings import check_chances, check_known
from worlds.school.grid.codes import NONE, STEPS
from worlds.school.grid.dialogue import INTRODUCTION
from worlds.school.grid.room import Cell
from worlds.school.peers.caretaker import COLOUR, EMULATION, FEEDBACK, HELP, POINTING, heat
from worlds.school.peers.script import direction_to
from worlds.school.players import moves
from worlds.school.players.collaborator import collaborate
from worlds.school.problems.adversarial_peer import AdversarialPeer
from worlds.school.problems.collaboration import Collaboration
from worlds.school.problems.information_seeking import InformationSeeking
from worlds.school.problems.problem import DONE, FORWARD, LEFT, RIGHT, TOGGLE
from worlds.school.world import NO_MOVE

Move = tuple[int | None, str]  # primitive, and words
_STAY: Move = (None, "")
_PATIENCE = 10  # steps in which nothing happens, after which it moves elsewhere


@dataclass(frozen=True)
class SolverSettings:
    """Imperfections of the scripted solver, all probabilities.

    Args:
      wrong: per episode, of taking the wrong object in spite of the cue.
      impatience: per episode, of taking an object at random without waiting for a cue.
      slip: per step, of a random movement.
      hesitation: per step, of standing still.
    """

    wrong: float = 0.1
    impatience: float = 0.05
    slip: float = 0.02
    hesitation: float = 0.03

    def __post_init__(self) -> None:
        check_chances("solver setting", **asdict(self))


PERFECT = SolverSettings(0.0, 0.0, 0.0, 0.0)


class ScriptedSolver:
    """A solver that gets its apple."""

    def __init__(self, settings: SolverSettings = PERFECT) -> None:
        self._settings = settings

    def reset(self, world: Any, seed: int) -> None:
        """Begin to play in ``world``."""
        self._world, self._rng = world, np.random.default_rng([seed, 3])
        self._body = world.spec(SOLVER).action
        self._errs = bool(self._rng.random() < self._settings.wrong)
        self._guesses = bool(self._rng.random() < self._settings.impatience)
        self._target: Cell | None = None
        self._still, self._before = 0, None
        self._steps_aside = 0
        self._cell_before: Cell | None = None

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        action: Any = self._body.silent()
        problem = self._world.state.problem
        if problem.ended:
            return action
        primitive, words = self._next(problem)
        chance = self._rng.random()
        if chance < self._settings.slip:
            primitive = int(self._rng.integers(DONE))
        elif chance < self._settings.slip + self._settings.hesitation:
            primitive = None
        self._cell_before = problem.room.agent
        action["movement"][:] = NO_MOVE if primitive is None else primitive
        action["utterance"] = words.strip()
        return action

    def _next(self, problem: Any) -> Move:
        if isinstance(problem, AdversarialPeer):
            return self._steal(problem)
        if isinstance(problem, Collaboration):
            return collaborate(problem), ""
        if not isinstance(problem, InformationSeeking):
            return _STAY
        if self._steps_aside:
            self._steps_aside -= 1
            return self._aside(problem)
        move = self._seek(problem)
        if self._is_stuck(problem, move):
            self._steps_aside = int(self._rng.integers(2, 6))
        return move

    # -- AdversarialPeer ----------------------------------------------------------------------------------------

    def _steal(self, problem: AdversarialPeer) -> Move:
        """Wait beside the apple, and eat it once the guard looks elsewhere."""
        room, apple = problem.room, problem.apple_cell
        beside = moves.cells_beside(room, apple)
        unseen = [cell for cell in beside if not problem.is_seen(cell)]
        if room.agent in beside:
            if problem.front != apple:
                return moves.look_at(room, apple), ""
            if not problem.is_seen(room.agent):
                return TOGGLE, ""
        goal = moves.nearest(room, unseen) or moves.nearest(room, beside)
        return (None if goal is None else moves.walk_to(room, goal)), ""

    # -- InformationSeeking -------------------------------------------------------------------------------------

    def _seek(self, problem: InformationSeeking) -> Move:
        if problem.peer is None or self._guesses:
            return self._use(problem, self._target or self._chosen(problem, problem.target_cell))
        if problem.script is not None and not problem.script.introduced:
            return self._introduce(problem)
        if problem.cue == HELP:
            return self._eat_what_is_there(problem)
        if self._target is None:
            meant = self._understand(problem)
            if meant is None:
                return self._listen(problem)
            self._target = self._chosen(problem, meant)
        return self._use(problem, self._target)

    def _introduce(self, problem: Any) -> Move:
        wanted = problem.parameters.get("Pragmatic_frame_complexity", "No")
        looks, room = "Eye_contact" in wanted, problem.room
        if looks and problem.pretends and problem.cue == POINTING and problem.peer.pointing == NONE:
            return self._wait(problem), ""  # the peer is on its way
        primitive = moves.meet(room, problem.peer, problem.pretends) if looks else None
        words = INTRODUCTION if "Ask" in wanted and primitive is None else ""
        if not looks and not words:
            primitive = moves.look_at(room, problem.peer.place)
        return primitive, words

    def _chosen(self, problem: InformationSeeking, right: Cell) -> Cell:
        """Return the object that it takes, which need not be the right one."""
        other = problem.target_cell if right != problem.target_cell else problem.distractor_cell
        if other is None or not (self._errs or (self._guesses and self._rng.random() < 0.5)):
            self._target = right
        else:
            self._target = other
        return self._target

    def _understand(self, problem: InformationSeeking) -> Cell | None:
        """Return the object that the cue means; None as long as it is not clear."""
        objects = [cell for cell in (problem.target_cell, problem.distractor_cell) if cell is not None]
        word = self._world.state.reply  # not the word before, which a pretending peer may have said
        if problem.cue == EMULATION:
            return problem.target_cell if problem.demonstrated else None
        if problem.cue == COLOUR:
            colours = {problem.target_colour: problem.target_cell, problem.distractor_colour: problem.distractor_cell}
            return colours.get(word)
        if problem.cue == FEEDBACK:
            # Words of a setter that acts itself are about the step before.
            here = {problem.room.agent, self._cell_before or problem.room.agent}
            fitting = [cell for cell in objects if any(heat(agent, cell) == word for agent in here)]
            return fitting[0] if len(fitting) == 1 else None
        if problem.cue == POINTING and problem.peer is not None and problem.peer.pointing != NONE:
            return _pointed_at(problem, objects)
        return None

    def _listen(self, problem: InformationSeeking) -> Move:
        """Wait for the cue; where it depends on the place, walk to an object, away from the other."""
        room = problem.room
        if problem.cue != FEEDBACK or problem.peer is None:
            return self._wait(problem), ""
        one, other = problem.target_cell, problem.distractor_cell
        walkable: list[Cell] = [(x, y) for x, y in np.argwhere(~room.solid).tolist() if (x, y) != room.agent]
        telling = walkable if other is None else [cell for cell in walkable if heat(cell, one) != heat(cell, other)]
        goal = moves.nearest(room, telling)
        if goal is None:  # no word would tell the two apart
            self._target = one if other is None or self._rng.random() < 0.5 else other
            return _STAY
        return moves.walk_to(room, goal), ""

    def _wait(self, problem: InformationSeeking) -> int | None:
        """Return the primitive with which it watches the peer, away from where a marble is to roll."""
        room = problem.room
        if problem.in_marble_way(room.agent):
            cells: list[Cell] = [(x, y) for x, y in np.argwhere(~room.solid).tolist()]
            goal = moves.nearest(room, [cell for cell in cells if not problem.in_marble_way(cell)])
            return None if goal is None else moves.walk_to(room, goal)
        return None if problem.peer is None else moves.look_at(room, problem.peer.place)

    def _use(self, problem: InformationSeeking, target: Cell) -> Move:
        kind, cell = problem.next_use(problem.room.agent, target)
        if kind == "wait":
            return _STAY
        return (moves.walk_to if kind == "push" else moves.use)(problem.room, cell), ""

    def _eat_what_is_there(self, problem: InformationSeeking) -> Move:
        apple = problem.apple.at
        primitive = None if apple is None else moves.use(problem.room, apple)
        return (self._wait(problem) if primitive is None else primitive), ""

    # -- out of the way -----------------------------------------------------------------------------------------

    def _is_stuck(self, problem: InformationSeeking, move: Move) -> bool:
        """Return True, now and then, if nothing has changed for a while."""
        peer = problem.peer
        now = problem.room.agent, problem.room.direction, peer and (peer.place, peer.direction, peer.pointing)
        self._still = self._still + 1 if now == self._before else 0
        self._before = now
        if self._still < _PATIENCE:
            return False
        self._still = 0
        return True

    def _aside(self, problem: InformationSeeking) -> Move:
        room = problem.room
        if room.is_free(*problem.front) and self._rng.random() < 0.7:
            return FORWARD, ""
        return (LEFT if self._rng.random() < 0.5 else RIGHT), ""


def _pointed_at(problem: InformationSeeking, objects: list[Cell]) -> Cell | None:
    """Return the first object in the direction in which the peer points."""
    assert problem.peer is not None
    (x, y), pointing = problem.peer.place, problem.peer.pointing
    dx, dy = STEPS[pointing]
    met = [(x + k * dx, y + k * dy) for k in range(1, problem.room.size)]
    return next((cell for cell in met if cell in objects and direction_to((x, y), cell) == pointing), None)


def make_solver(perfect: bool = False, **settings: Any) -> ScriptedSolver:
    """Return the scripted solver.

    Args:
      perfect: without imperfections, whatever the settings say.
      settings: fields of :class:`SolverSettings`, by name.
    """
    check_known(settings, [field.name for field in fields(SolverSettings)], "solver")
    found = SolverSettings(**settings)
    return ScriptedSolver(PERFECT if perfect else found)
