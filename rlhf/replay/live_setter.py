"""Play with a scripted setter that reacts: it begins where a recorded one began, and plans again at every step.

In setter replay the setter does what it did then, whatever the solver does now (:mod:`rlhf.replay.setter_replay`). That
is all that can be done with recordings of people. A scripted setter can be asked again: here it plays from the place
and the seed of the recording. As long as the solver does what the recorded solver did, both are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rlhf.records.episode import Episode
from rlhf.replay.referee import Referee
from rlhf.replay.setter_replay import SetterReplay, live_steps
from worlds.contract import SETTER, Action, Observation, Setter, Task, World


class LiveSetter(SetterReplay):
    """A Gymnasium environment: the solver of a world in which a scripted setter plays.

    Its options and what it returns are those of :class:`rlhf.replay.setter_replay.SetterReplay`. A play lasts at least
    as long as the recording, and until the time of the recorded requests is over.

    Args:
      world: where to play.
      episode: played first; of the following ones, too, only place, seed, split and requests' times are used.
      truth: see :class:`rlhf.replay.setter_replay.SetterReplay`.
    """

    def __init__(
        self, world: World, episode: Episode, make_setter: Callable[[Episode], Setter], truth: bool = False
    ) -> None:
        super().__init__(world, episode, truth)
        self._make_setter = make_setter
        self._setter: Setter
        self._seen: Mapping[str, Observation] = {}
        self._task: Task | None = None  # that the referee knows of
        self._asks = False

    def longest(self, episode: Episode) -> int:
        """Return the number of steps of a whole play of an episode; the world may end it earlier."""
        return live_steps(episode)

    def _begin(self) -> dict[str, Observation]:
        observations = self._rebuilt()
        self._setter, self._task = self._make_setter(self.episode), None
        self._setter.reset(self.world, self.episode.seed)
        self._seen = observations
        return observations

    def _observe(self, observations: Mapping[str, Observation]) -> None:
        self._seen = observations

    def _setter_action(self, step: int) -> Action:
        action = self._setter.act(self._seen[SETTER])
        self._asks = bool(action["utterance"])
        return action

    def _ask(self, referee: Referee) -> None:
        task = self._setter.task
        if self._asks and task is not None and task is not self._task:
            referee.ask(self._step, task.spec, task)
            self._task = task
