"""Players of a continuation: the recording up to the take-over, a setter who falls silent, the recorded solver, and
scripted solvers that begin late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipelines.suite.scenarios import Scenario, silence_after
from rlhf.records.episode import Episode, without_frames
from rlhf.replay.referee import Referee
from rlhf.replay.slot import observation_digest
from worlds import registry
from worlds.contract import SOLVER, Action, Observation, Solver, Task, World
from worlds.errors import RunError
from worlds.spaces.steps import observed_at


@dataclass(frozen=True)
class Recorded:
    """Recording for replay: all but its frames, and a digest of each step's observation.

    Many recordings are in memory at once, and frames are most of an episode's size.
    """

    episode: Episode
    observed: tuple[str, ...]

    @classmethod
    def of(cls, episode: Episode) -> Recorded:
        digests = (observation_digest(observed(episode, step)) for step in range(len(episode)))
        return cls(without_frames(episode), tuple(digests))


def observed(episode: Episode, step: int) -> dict[str, Any]:
    """Return everything that is recorded of the solver's observation at a step."""
    seen = observed_at(episode.seen, episode.texts, step)
    seen |= {"setter_text": episode.setter_text[step], "solver_text": episode.solver_text[step]}
    return seen if episode.image is None else seen | {"image": episode.image[step]}


class DoesNotReplay(RunError):
    """Error of a context whose replay differs from its recording."""


class Context:
    """Co-pilot until the take-over: repeats the recorded solver's actions and compares the observations with the
    recorded ones."""

    name = "recording"

    def __init__(self, recorded: Recorded, step: int) -> None:
        self._episode, self._observed, self._step = recorded.episode, recorded.observed, step
        self._names = frozenset(observed(recorded.episode, 0))

    def reset(self, world: World, seed: int) -> None:
        """See :meth:`rlhf.replay.co_pilot.CoPilot.reset`."""

    def act(self, step: int, observation: Observation, referee: Referee) -> Action | None:
        """See :meth:`rlhf.replay.co_pilot.CoPilot.act`.

        Raises DoesNotReplay if an observation differs from the recorded one.
        """
        if step > self._step:
            return None
        seen = {name: value for name, value in observation.items() if name in self._names}
        if observation_digest(seen) != self._observed[step]:
            raise DoesNotReplay(f"episode {self._episode.episode_id} does not replay: step {step} looks different")
        return self._episode.solver_action(step) if step < self._step else None


class ContinuedSetter:
    """Setter that repeats the recording up to ``request_step``, moves as recorded in silence until the recorded setter
    speaks again, and then stands still."""

    def __init__(self, episode: Episode, request_step: int) -> None:
        self._episode, self._last_words = episode, request_step
        self._end = min(len(episode), silence_after(episode, request_step) + 1)
        self._step, self.task = 0, None

    task: Task | None

    def reset(self, world: World, seed: int) -> None:
        self._step, self.task = 0, None

    def act(self, observation: Observation) -> Action:
        step, self._step = self._step, self._step + 1
        if step > self._last_words:
            return _in_silence(self._episode, step) if step < self._end else self._episode.spaces.setter.silent()
        for request in self._episode.requests:
            if request.step == step:
                self.task = registry.get(self._episode.world).make_task(request.task)
        return self._episode.setter_action(step)


def _in_silence(episode: Episode, step: int) -> Action:
    return {**episode.setter_action(step), "utterance": ""}


class RecordedSolver:
    """Solver that repeats the recorded one until the setter spoke again, and then stands still."""

    def __init__(self, episode: Episode, scenario: Scenario) -> None:
        self._episode, self._end = episode, scenario.step + scenario.recorded
        self._step = 0

    def reset(self, world: World, seed: int) -> None:
        self._step = 0

    def act(self, observation: Observation) -> Action:
        step, self._step = self._step, self._step + 1
        if step < self._end:
            return self._episode.solver_action(step)
        return self._episode.spaces.solver.action.silent()


class LateSolver:
    """Scripted solver that begins at ``step``, the take-over."""

    def __init__(self, solver: Solver, step: int, seed: int) -> None:
        self._solver, self._begins, self._seed = solver, step, seed
        self._step = 0
        self._world: World | None = None

    def reset(self, world: World, seed: int) -> None:
        self._step, self._world = 0, world

    def act(self, observation: Observation) -> Action:
        step, self._step = self._step, self._step + 1
        assert self._world is not None, "reset comes before act"
        if step < self._begins:
            return self._world.spec(SOLVER).action.silent()
        if step == self._begins:
            self._solver.reset(self._world, self._seed)
        return self._solver.act(observation)
