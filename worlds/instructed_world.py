"""The base of worlds in which the setter gives one of a list of instructions, with all that the pipeline needs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from worlds.contract import SOLVER, Action, Observation, TaskSpec, World
from worlds.contract.known_settings import check_chances
from worlds.contract.requests import Goal
from worlds.contract.step_world import StepWorld
from worlds.registry import WorldEntry
from worlds.spaces.random_action import random_action

TASK = "do"  # the one kind of task


class InstructedWorld(StepWorld):
    """A world with a list of instructions, the best action for each, and a judgement of what was done.

    Setter, solver, success check and probe follow: ``register(Mine.entry("mine"))`` registers the world.

    Attributes:
      instructions: all that a setter may say.
      held_out: those of them that are said in evaluation only.
      time_limit: steps in which one can be followed.
    """

    instructions: Sequence[str]
    held_out: Collection[str] = ()
    time_limit: int = 20

    @abstractmethod
    def advise(self, words: str) -> Any:
        """Return the best action of the solver who follows an instruction; None if there is nothing to do for it."""

    @abstractmethod
    def judge(self, words: str, utterance: str) -> tuple[int, str]:
        """Judge the last step of a solver who follows an instruction.

        Args:
          words: the instruction.
          utterance: that the solver said in the step.

        Returns:
          1 where it is done, -1 where something is wrong, else 0; and the reason, for reports.
        """

    @classmethod
    def entry(cls, name: str, tier: str | None = None) -> WorldEntry:
        """Return the entry of the world for the registry.

        Args:
          name: of the world.
          tier: that it declares.
        """
        return WorldEntry(
            name=name,
            make=cls,
            sample_config=cls.sample,
            make_solver=partial(AdvisedSolver, cls.instructions),
            make_task=InstructionTask,
            probe=probe,
            probes=(TASK,),
            splits_requests=bool(cls.held_out),
            tier=tier,
        )


def probe(name: str, world: Any, seed: int, split: str) -> TaskSpec | None:
    """Return an instruction of a split for which there is something to do in an instructed world; None for none."""
    possible = [
        words
        for words in world.instructions
        if (words in world.held_out) == (split == "held_out" and bool(world.held_out))
        and world.advise(words) is not None
    ]
    return TaskSpec(name, possible[seed % len(possible)], {}, world.time_limit) if possible else None


class InstructionTask(Goal):
    """The instruction of a request, judged by the world."""

    def judge(self, world: World, utterance: str) -> tuple[int, str]:
        assert isinstance(world, InstructedWorld)
        return world.judge(self.spec.instruction, utterance)


class AdvisedSolver:
    """A scripted solver that does what its world advises, and now and then what was not asked for.

    Args:
      instructions: that a setter may give; one of them is followed where the solver errs.
      perfect: never err.
      wrong: probability that it follows another instruction.
      error: probability of a random action at a step.
    """

    def __init__(
        self, instructions: Sequence[str], perfect: bool = False, wrong: float = 0.15, error: float = 0.02
    ) -> None:
        check_chances("solver setting", wrong=wrong, error=error)
        self._instructions = tuple(instructions)
        self._wrong, self._error = (0.0, 0.0) if perfect else (wrong, error)

    def reset(self, world: Any, seed: int) -> None:
        """Begin to play in ``world``, which has just been reset."""
        self._world, self._spec = world, world.spec(SOLVER).action
        self._rng = np.random.default_rng([seed, 1])
        self._heard = self._followed = ""

    def act(self, observation: Observation) -> Action:
        """Return the advised action, or a random one; after the last advice, do nothing until other words are heard."""
        words = observation["setter_text"]
        if words != self._heard:
            self._heard = self._followed = words
            if self._rng.random() < self._wrong:
                self._followed = self._instructions[self._rng.integers(len(self._instructions))]
        advised = self._world.advise(self._followed) if self._followed else None
        if advised is None:
            self._followed = ""
            return self._spec.silent()
        erring: Any = random_action(self._spec, self._rng) if self._rng.random() < self._error else None
        return erring or advised
