"""Setter replay (paper, section 5): the solver's side of a world in which a recorded setter plays again.

The world is rebuilt from the episode's configuration and the setter's recorded controls are replayed step by
step while the solver acts freely. The setter cannot react: it says at step t what it said then.

A world that is exact shows the recorded solver its observations again. In one that is only reset by its seed the
recorded instruction is asked again at its step, and that is all that recording and replay need to share. A setter who
pointed at a thing points at the same one again (:mod:`rlhf.replay.setter_things`).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np

from rlhf.records.episode import Episode
from rlhf.records.same_data import check_same_data
from rlhf.replay.guard import check_observation
from rlhf.replay.referee import Referee
from rlhf.replay.setter_things import pointing_again, points_at_things, things_pointed_at
from worlds import registry
from worlds.contract import SETTER, SOLVER, Action, Event, Observation, Task, World

LONGEST_WAIT = 1000  # steps after a recording's end


@dataclass(frozen=True)
class ReplayTruth:
    """Ground truth of a replay so far: for evaluation and the scripted-reward baseline, never for agents.

    Args:
      success_step: for every request made so far, the step at which the solver fulfilled it, or None.
      events: what the task asked for counts as progress or regress in the last step.
    """

    success_step: tuple[int | None, ...] = ()
    events: tuple[Event, ...] = ()


class SetterReplay(gymnasium.Env[Observation, Action]):
    """A Gymnasium environment: the solver of a recorded episode's world.

    ``reset(options={"episode": other})`` moves on to another episode of the same world;
    ``options={"steps": n}`` cuts this play short after n steps. It truncates at the recorded length, after the
    solver's last recorded step has been taken, or later (:func:`replay_steps`). Observations are the world's own, in an
    exact world bit-identical to the recorded ones as long as the solver does what the recorded solver did.

    The reward is 0: rewards are a reward model's business. With ``truth=True`` it is the number of requests that
    the step fulfilled, and ``info["truth"]`` is a :class:`ReplayTruth`; otherwise ``info`` is empty.

    Args:
      world: where to replay; its settings (image size) are the agent's, not necessarily the recording's.
      episode: played first.
      things: at which the setters of episodes pointed, by episode, as far as known; several replays of the same
        episodes may share it, as it takes a whole play of an episode to find out.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self, world: World, episode: Episode, truth: bool = False, things: dict[str, np.ndarray | None] | None = None
    ) -> None:
        self.world = world
        self.episode = episode
        self._truth = truth
        self._referee: Referee | None = None
        self._things = {} if things is None else things
        self._step = 0
        self._end = 0
        self._spec = world.spec(SOLVER)
        self._body, self._setter_body = self._spec.action, world.spec(SETTER).action

    @property
    def observation_space(self) -> Any:
        """The solver's, in worlds that have spaces of Gymnasium."""
        return self.world.observation_space(SOLVER)

    @property
    def action_space(self) -> Any:
        """The solver's, in worlds that have spaces of Gymnasium."""
        return self.world.action_space(SOLVER)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Rebuild the episode's world and begin. ``seed`` changes nothing: a replay is determined by its episode.

        Raises:
          ValueError: if it is to be cut short before the first step.
        """
        super().reset(seed=seed)
        options = options or {}
        self.episode = options.get("episode", self.episode)
        steps = self.longest(self.episode)
        self._step, self._end = 0, min(steps, options.get("steps", steps))
        if self._end < 1:
            raise ValueError(f"a replay takes at least one step, not {self._end}")
        self._referee = Referee(registry.get(self.episode.world)) if self._truth else None
        observations = self._begin()
        check_observation(self._spec, observations)
        return observations[SOLVER], {"truth": ReplayTruth()} if self._truth else {}

    def longest(self, episode: Episode) -> int:
        """Return the number of steps of a whole play of an episode."""
        return replay_steps(episode)

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One step of both players.

        Raises:
          RuntimeError: after the end of the episode, or before the first reset.
          WorldError: the solver's observation leaves its declared spaces.
        """
        if self._step >= self._end:
            raise RuntimeError(f"the replay of episode {self.episode.episode_id} is over or not begun; reset it first")
        step = self._step
        action = {**action, "utterance": self._body.spoken(action["utterance"])}
        hers = self._setter_action(step)
        observations, _, terminations, truncations, _ = self.world.step({SETTER: hers, SOLVER: action})
        self._observe(observations)
        check_observation(self._spec, observations)
        reward, info = 0.0, {}
        if self._referee is not None:
            truth = self._look(self._referee, action["utterance"])
            reward, info = float(truth.success_step.count(step)), {"truth": truth}
        self._step += 1
        terminated = bool(terminations[SOLVER])
        truncated = bool(truncations[SOLVER]) or self._step == self._end
        if terminated or truncated:
            self._end = self._step
        return observations[SOLVER], reward, terminated, truncated, info

    def _begin(self) -> dict[str, Observation]:
        """Rebuild the world, and return both players' first observations."""
        observations = self._rebuilt()
        if self.episode.episode_id not in self._things:
            things = self._things[self.episode.episode_id] = things_pointed_at(self.world, self.episode)
            observations = observations if things is None else self._rebuilt()
        return observations

    def _rebuilt(self) -> dict[str, Observation]:
        return self.world.reset(seed=self.episode.seed, options={"config": dict(self.episode.config)})[0]

    def _observe(self, observations: Mapping[str, Observation]) -> None:
        """Take in what both players see after a step. A recorded setter does not look."""

    def _setter_action(self, step: int) -> Action:
        if step >= len(self.episode):
            return self._setter_body.silent()
        return pointing_again(self.world, self.episode, step, self._things[self.episode.episode_id])

    def _ask(self, referee: Referee) -> None:
        """Tell the referee what the setter has asked for in the current step."""
        for request in self.episode.requests:
            if request.step == self._step:
                referee.ask(self._step, request.task)

    def _look(self, referee: Referee, utterance: str) -> ReplayTruth:
        """Ground truth after the world has taken the current step."""
        self._ask(referee)
        events = referee.look(self.world, self._step, utterance)
        return ReplayTruth(tuple(referee.success_step), tuple(events))

    def close(self) -> None:
        """Close the world."""
        self.world.close()


def replay_steps(episode: Episode) -> int:
    """Return the number of steps of a whole replay: those recorded, or more where the setter only speaks.

    A setter without a body has nothing to do again after the recording, so that it can wait in silence until the time
    of its requests is over: an agent may need more steps than the demonstrator did.
    """
    return len(episode) if episode.spaces.setter.components else live_steps(episode)


def live_steps(episode: Episode) -> int:
    """Return the steps of a whole play with a setter that reacts, where the world does not end it earlier."""
    ends = [request.step + request.task.max_steps for request in episode.requests]
    return max(len(episode), min(max(ends, default=0), len(episode) + LONGEST_WAIT))


class RecordedSetter:
    """A setter that does and says again what it did in ``episode``, for recording how another solver fares."""

    def __init__(self, episode: Episode) -> None:
        self._episode, self._step = episode, 0
        self._things: np.ndarray | None = None
        self.task: Task | None = None

    def reset(self, world: World, seed: int) -> None:
        self._world, self._step, self.task = world, 0, None
        if points_at_things(world, self._episode):
            beginning = world.snapshot()
            self._things = things_pointed_at(world, self._episode)
            world.restore(beginning)

    def act(self, observation: Observation) -> Action:
        """The action of this step of the recording. Raises IndexError after its last."""
        for request in self._episode.requests:
            if request.step == self._step:
                self.task = registry.get(self._episode.world).make_task(request.task)
        action = pointing_again(self._world, self._episode, self._step, self._things)
        self._step += 1
        return action


class EpisodeSampler:
    """Draws episodes for ever, in shuffled rounds: none comes twice before all have come once."""

    def __init__(self, episodes: Sequence[Episode], seed: int) -> None:
        if not len(episodes):
            raise ValueError("no episodes to replay")
        self._episodes = episodes
        self._rng = np.random.default_rng(seed)
        self._order: list[int] = []
        ids = "\n".join(episode.episode_id for episode in episodes)
        self._play = {
            "episodes": len(episodes),
            "steps": sum(map(len, episodes)),
            "ids": zlib.crc32(ids.encode()),
        }

    def next(self) -> Episode:
        """The next episode."""
        if not self._order:
            self._order = self._rng.permutation(len(self._episodes)).tolist()
        return self._episodes[self._order.pop()]

    def find(self, episode_id: str) -> Episode:
        """The episode of that id. Raises KeyError if it is not one of those that are drawn from."""
        found = next((episode for episode in self._episodes if episode.episode_id == episode_id), None)
        if found is None:
            raise KeyError(episode_id)
        return found

    def state_dict(self) -> dict[str, Any]:
        """Everything that determines the episodes to come; plain numbers, lists and strings."""
        return {"play": self._play, "rng": self._rng.bit_generator.state, "order": list(self._order)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; that of an older version does not identify the episodes.

        Raises:
          UserError: if it was given for other episodes.
        """
        check_same_data(state.get("play", self._play), self._play)
        self._rng.bit_generator.state = state["rng"]
        self._order = list(state["order"])
