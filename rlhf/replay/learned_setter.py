"""Setters whose actions a learned agent chooses, for all places in one forward pass (paper, A.6).

The agent is a part of the world: it is frozen, sees what its avatar sees, and says what it likes. Whether that is a
request with a success check the world says, if it can read words (:attr:`worlds.registry.WorldEntry.read_request`).
Other words are heard by the solver like all others, and have no ground truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rlhf.records.episode import Episode
from rlhf.replay.live_setter import LiveSetter
from worlds.contract import SETTER, Action, Observation, Task, TaskSpec, World
from worlds.foreign_code.faults import named_failure
from worlds.registry import WorldEntry


class Setters(Protocol):
    """Setters of N slots at once: an agent."""

    def set(self, observations: Sequence[Observation], prompts: Sequence[str], resets: np.ndarray) -> list[Action]:
        """An action for every slot; ``resets`` bool [N] marks the slots whose episode begins at this step."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return what determines the actions to come, beside what is observed: plain values, for checkpoints."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from what :meth:`state_dict` returned."""
        ...


class LearnedSetter:
    """The setter of one place, who does what it is given: the actions come from :class:`Setters`.

    Args:
      prompt: what it is to ask for, in words; "" without one.

    Attributes:
      task: of the last request that the world can read; None before the first. It stays the same where the setter
        asks for the same again before it is met.
    """

    def __init__(self, entry: WorldEntry, prompt: str = "") -> None:
        self._entry, self.prompt = entry, prompt
        self.task: Task | None = None
        self._next: Action | None = None

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode; chance is the agent's, and ``seed`` changes nothing."""
        self._world, self._body = world, world.spec(SETTER).action
        self.task, self._next = None, None

    def give(self, action: Action) -> None:
        """Decide what it does at the step to come."""
        self._next = action

    def act(self, observation: Observation) -> Action:
        """Do what it was given, and read what it says. Raises RuntimeError if it was given nothing."""
        if self._next is None:
            raise RuntimeError("a learned setter is to act, but no action was chosen for it")
        action: Action = {**self._next, "utterance": self._body.spoken(self._next["utterance"])}
        self._next = None
        if action["utterance"] and self._entry.read_request is not None:
            with named_failure(self._entry.name, "reading a request"):
                spec = self._entry.read_request(action["utterance"], self._world)
            if spec is not None and not self._asks_again(spec):
                self.task = self._entry.make_task(spec)
        return action

    def _asks_again(self, spec: TaskSpec) -> bool:
        """Return True if a request is the one that has not been met yet, perhaps in other words."""
        if self.task is None or getattr(self.task, "over", False):
            return False
        return (spec.name, spec.arguments) == (self.task.spec.name, self.task.spec.arguments)


class LearnedSetterPlay(LiveSetter):
    """A Gymnasium environment: the solver of a world in which a learned setter plays, from the place of a recording.

    Its options and what it returns are those of :class:`rlhf.replay.setter_replay.SetterReplay`. A play lasts as long
    as the recording; who set and what was asked there does not matter. With ``truth`` the requests that the world can
    read are followed.

    Before every step, ``setter`` is given its action, chosen by what it sees, ``seen_by_setter``.

    Args:
      world: where to play; it has to draw what the setter sees.
      episode: played first.
      truth: see :class:`rlhf.replay.setter_replay.SetterReplay`.
    """

    def __init__(
        self, world: World, episode: Episode, make_setter: Callable[[Episode], LearnedSetter], truth: bool = False
    ) -> None:
        super().__init__(world, episode, make_setter, truth)

    def longest(self, episode: Episode) -> int:
        """Return the number of steps of a whole play of an episode; the world may end it earlier."""
        return len(episode)

    @property
    def setter(self) -> Any:
        """The setter of the play at hand."""
        return self._setter

    @property
    def seen_by_setter(self) -> Observation:
        """What the setter observes now."""
        return self._seen[SETTER]


def choose_actions(
    setters: Setters, mine: Sequence[LearnedSetter | None], seen: Sequence[Observation | None], resets: np.ndarray
) -> None:
    """Choose the actions of all places in one forward pass, and give each setter its own.

    Args:
      mine: N, the setter of every place; None where nobody plays.
      seen: N, what each observes; None where nobody plays, at one place at least somebody does.
      resets: bool [N], True where an episode begins.
    """
    filler = next(observation for observation in seen if observation is not None)
    prompts = ["" if setter is None else setter.prompt for setter in mine]
    actions = setters.set([filler if one is None else one for one in seen], prompts, resets)
    for setter, action in zip(mine, actions, strict=True):
        if setter is not None:
            setter.give(action)
