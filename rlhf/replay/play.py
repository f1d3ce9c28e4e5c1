"""Play: setters and solvers in many places at once, and the episodes that come of it.

Recording, evaluation and the agent's own play all run through :func:`play`; training runs through
:mod:`rlhf.replay.runner`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from rlhf.records.columns import episode_columns
from rlhf.records.episode import AGENT, CO_PILOT, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.replay.co_pilot import CoPilot
from rlhf.replay.guard import FAILURE, Failure, Guard, check_observation, check_place, check_spaces
from rlhf.replay.learned_setter import Setters, choose_actions
from rlhf.replay.referee import Referee
from rlhf.run.machine import playing_threads
from worlds.contract import BODY, SETTER, SOLVER, Action, Observation, Setter, Solver, TaskSpec, World, WorldError
from worlds.foreign_code.faults import EndsProcess, named_failure
from worlds.foreign_code.watchdog import call_within
from worlds.registry import WorldEntry


class Solvers(Protocol):
    """Solvers of N slots at once: an agent, or scripted players."""

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        """An action for every slot; ``resets`` bool [N] marks the slots whose episode begins at this step."""
        ...


@runtime_checkable
class FollowsEpisodes(Protocol):
    """Solvers that note which episode every slot plays, such as language models, whose every answer costs."""

    def follow(self, episodes: Sequence[str | None]) -> None:
        """Take note of the episodes, by slot, before the next :meth:`Solvers.act`; None is a slot that stands idle."""
        ...


@dataclass(frozen=True)
class Plan:
    """One episode to be played.

    Args:
      episode_id: id of the recorded episode.
      config: configuration of the world.
      setter: the player who asks (a fresh object).
      seed: of the players.
      steps: largest length.
      split: "train" or "held_out".
      tail: end this many steps after the first request has succeeded, or has failed for good
        (:class:`worlds.contract.Task`); None plays all steps.
      solver: the scripted solver, where no agent plays.
      co_pilot: may take over the solver.
      setter_name: who the setter is, where it is not the one that all plans share.
    """

    episode_id: str
    config: Mapping[str, Any]
    setter: Setter
    seed: int
    steps: int
    split: str = "train"
    tail: int | None = None
    solver: Solver | None = None
    co_pilot: CoPilot | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    setter_name: str | None = None


class ProbeSetter:
    """A setter that says one instruction at the first step and then stands still."""

    def __init__(self, spec: TaskSpec, task: Any) -> None:
        self._spec, self.task, self._asked = spec, task, False

    def reset(self, world: World, seed: int) -> None:
        self._asked, self._body = False, world.spec(SETTER).action

    def act(self, observation: Observation) -> Action:
        action = self._body.silent()
        if not self._asked:
            action["utterance"], self._asked = self._spec.instruction, True
        return action


_NO_ACTION: Any = None  # of a slot that plays nothing


class StillSolver:
    """A solver that does nothing."""

    def __init__(self) -> None:
        self._body = BODY

    def reset(self, world: World, seed: int) -> None:
        self._body = world.spec(SOLVER).action

    def act(self, observation: Observation) -> Action:
        return self._body.silent()


class ScriptedSolvers:
    """The scripted solvers of the plans being played, one a slot."""

    def __init__(self, slots: int) -> None:
        self.solver: list[Solver] = [StillSolver() for _ in range(slots)]

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        return [solver.act(observation) for solver, observation in zip(self.solver, observations, strict=True)]


class _Slot:
    """One place where episodes are played one after another."""

    def __init__(self, entry: WorldEntry, world: World, names: tuple[str, str], guard: Guard | None) -> None:
        self.entry, self.world, self.names, self.guard = entry, world, names, guard
        self.plan: Plan | None = None
        self._spaces = EpisodeSpaces.of(world)

    def begin(self, plan: Plan) -> None:
        """Begin ``plan``, or, where the world fails and is guarded, leave the slot free."""
        self.plan = plan
        self.referee = Referee(self.entry)
        self.rows: list[tuple[Observation, Action, Action]] = []
        self.controller: list[int] = []
        self.played = 0  # whole steps
        self.task_before: Any = None
        self.first = True
        self.guarded(f"reset for episode {plan.episode_id}", lambda: self._reset(plan))

    def _reset(self, plan: Plan) -> None:
        observations, _ = self.world.reset(seed=plan.seed, options={"config": plan.config})
        if self.guard is not None:
            check_spaces(self.world, self._spaces)
            check_place(self.world, plan.config)
            check_observation(self._spaces.solver, observations)
        plan.setter.reset(self.world, plan.seed)
        if plan.solver is not None:
            plan.solver.reset(self.world, plan.seed + 1)
        if plan.co_pilot is not None:
            plan.co_pilot.reset(self.world, plan.seed + 1)
        self.observations: Mapping[str, Observation] = observations

    def step(self, solver_action: Action) -> Episode | None:
        """Play one step, in which the solver does ``solver_action`` unless a co-pilot has taken over.

        Returns:
          The finished episode, if this was its last step.

        Raises:
          WorldError: the code of the world fails, and no guard ends the episode.
        """
        return self.guarded(self.where(), lambda: self._step(solver_action))

    def guarded(self, doing: str, call: Callable[[], Episode | None]) -> Episode | None:
        """Return the result of ``call``; where the world fails in it, the episode as far as it has been played.

        Raises:
          WorldError: the world fails, and there is no guard.
        """
        if self.guard is None:
            with named_failure(self.entry.name, doing):
                return call()
        self.guard.begin(doing)
        try:
            with named_failure(self.entry.name, doing):
                return call_within(self.guard.step_limit_sec, self.entry.name, doing, call)
        except WorldError as error:
            return self.cut_short(doing, str(error), isinstance(error, EndsProcess))
        finally:
            self.guard.end()

    def cut_short(self, doing: str, reason: str, ends_process: bool = False) -> Episode | None:
        """End the episode because of a failure and free the slot.

        Args:
          ends_process: True if the world has tried to end the process.

        Returns:
          The episode of the steps before, labelled; None if there are none.
        """
        assert self.plan is not None and self.guard is not None
        name = f"world {self.entry.name!r}"
        message = reason if reason.startswith(f"{name} fails at {doing}") else f"{name} fails at {doing}: {reason}"
        steps = self.played
        self.rows, self.controller = self.rows[:steps], self.controller[:steps]
        episode = replace(self._episode(), notes={**self.plan.notes, FAILURE: message}) if steps else None
        self.guard.failed(Failure(self.plan.episode_id, message, steps, ends_process))
        self.plan = None
        return episode

    def where(self) -> str:
        """The step that is played next, for messages."""
        assert self.plan is not None
        return f"step {len(self.rows)} of episode {self.plan.episode_id}"

    def _step(self, solver_action: Action) -> Episode | None:
        assert self.plan is not None
        plan, step = self.plan, len(self.rows)
        seen, co_pilot = self.observations[SOLVER], plan.co_pilot
        taken = None if co_pilot is None else co_pilot.act(step, seen, self.referee)
        self.controller.append(AGENT if taken is None else CO_PILOT)
        solver_action = solver_action if taken is None else taken
        setter_action = plan.setter.act(self.observations[SETTER])
        task = plan.setter.task
        if setter_action["utterance"] and task is not None and task is not self.task_before:
            self.referee.ask(step, task.spec, task)
            self.task_before = task
        self.rows.append((seen, solver_action, setter_action))
        result = self.world.step({SETTER: setter_action, SOLVER: solver_action})
        self.observations, _, terminated, truncated, _ = result
        if self.guard is not None:
            check_observation(self._spaces.solver, self.observations)
        self.referee.look(self.world, step, solver_action["utterance"])
        self.first, self.played = False, step + 1
        ended = any((*terminated.values(), *truncated.values()))
        return self._episode() if ended or self._over(step) else None

    def _over(self, step: int) -> bool:
        assert self.plan is not None
        if step + 1 >= self.plan.steps:
            return True
        first = self.referee.over_step[0] if self.referee.over_step else None
        return self.plan.tail is not None and first is not None and step >= first + self.plan.tail

    def _episode(self) -> Episode:
        assert self.plan is not None
        requests = [request for request in self.referee.requests if request.step < len(self.rows)]
        return Episode(
            episode_id=self.plan.episode_id,
            world=self.entry.name,
            config=self.plan.config,
            setter=self.plan.setter_name or self.names[0],
            solver=self.names[1],
            requests=tuple(requests),
            truth=tuple(self.referee.events),
            success_step=tuple(self.referee.success_step[: len(requests)]),
            seed=self.plan.seed,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            split=self.plan.split,
            notes=dict(self.plan.notes),
            **episode_columns(self.rows, self.controller, self._spaces),
        )


def play(
    entry: WorldEntry,
    worlds: Sequence[World],
    plans: Iterable[Plan],
    solvers: Solvers,
    setter_name: str = "scripted",
    solver_name: str = "scripted",
    threads: int | None = None,
    guard: Guard | None = None,
    setters: Setters | None = None,
) -> Iterator[Episode]:
    """Play ``plans`` in order of their start and yield every episode as it ends.

    Args:
      worlds: one a slot; slots without a plan left stand idle until the others have finished.
      solvers: who plays the solver in ``len(worlds)`` slots.
      threads: in which worlds are stepped; None is one a core, 8 at most.
      guard: ends and labels an episode whose world fails, and play goes on; without it, the failure is raised.
      setters: choose the actions of all setters, which are of the class
        :class:`rlhf.replay.learned_setter.LearnedSetter`; the worlds have to draw what setters see.

    Raises:
      WorldError: the code of the world fails.
    """
    queue = iter(plans)
    slots = [_Slot(entry, world, (setter_name, solver_name), guard) for world in worlds]
    if guard is not None:
        guard.slots = slots
    last: list[Observation | None] = [None] * len(slots)
    with ThreadPoolExecutor(playing_threads(threads)) if len(slots) > 1 else nullcontext() as pool:
        _begin(slots, queue, solvers)
        while any(slot.plan is not None for slot in slots):
            actions, finished = _act(slots, solvers, last)
            if setters is not None and any(slot.plan is not None for slot in slots):
                _set(slots, setters)
            pairs = [(slot, action) for slot, action in zip(slots, actions, strict=True) if slot.plan is not None]
            stepped = map if pool is None or len(pairs) == 1 else pool.map
            finished += stepped(lambda pair: (pair[0], pair[0].step(pair[1])), pairs)
            for slot, episode in finished:
                if episode is not None:
                    slot.plan = None
                    yield episode
            _begin([slot for slot in slots if slot.plan is None], queue, solvers, slots)


def _set(slots: Sequence[_Slot], setters: Setters) -> None:
    """Have the agent choose what the setters of all slots do at this step."""
    playing = [slot.plan is not None for slot in slots]
    mine: list[Any] = [None if slot.plan is None else slot.plan.setter for slot in slots]
    seen = [slot.observations[SETTER] if plays else None for slot, plays in zip(slots, playing, strict=True)]
    choose_actions(setters, mine, seen, np.array([slot.first for slot in slots]) & playing)


def _act(
    slots: Sequence[_Slot], solvers: Solvers, last: list[Observation | None]
) -> tuple[list[Action], list[tuple[_Slot, Episode | None]]]:
    """Return the solvers' actions, and what was played in slots whose scripted solver fails, if these are guarded.

    Args:
      slots: at least one of them has a plan.
      solvers: of all slots; an agent acts in those without a plan, too.
      last: the last observation in every slot, which is brought up to date for an agent.
    """
    if isinstance(solvers, ScriptedSolvers):
        return _act_scripted(slots, solvers.solver)
    for number, slot in enumerate(slots):
        if slot.plan is not None:
            last[number] = slot.observations[SOLVER]
    filler = next(seen for seen in last if seen is not None)
    resets = np.array([slot.plan is not None and slot.first for slot in slots])
    if isinstance(solvers, FollowsEpisodes):
        solvers.follow([None if slot.plan is None else slot.plan.episode_id for slot in slots])
    return solvers.act([filler if seen is None else seen for seen in last], resets), []


def _act_scripted(
    slots: Sequence[_Slot], solvers: Sequence[Solver]
) -> tuple[list[Action], list[tuple[_Slot, Episode | None]]]:
    """Do the same with scripted solvers, which are the world's own code, so that their errors name the world."""
    actions: list[Action] = []
    ended: list[tuple[_Slot, Episode | None]] = []
    for slot, solver in zip(slots, solvers, strict=True):
        action: Any = _NO_ACTION
        if slot.plan is not None:

            def ask(solver: Solver = solver, slot: _Slot = slot) -> None:
                nonlocal action
                action = solver.act(slot.observations[SOLVER])

            episode = slot.guarded(f"{slot.where()} (its scripted solver)", ask)
            if slot.plan is None:
                ended.append((slot, episode))
        actions.append(action)
    return actions, ended


def _begin(
    idle: Sequence[_Slot], queue: Iterator[Plan], solvers: Solvers, slots: Sequence[_Slot] | None = None
) -> None:
    """Give every idle slot the next plan, as long as there are any."""
    for slot in idle:
        while slot.plan is None:  # a reset may fail
            plan = next(queue, None)
            if plan is None:
                return
            if plan.solver is None and isinstance(solvers, ScriptedSolvers):
                plan = replace(plan, solver=StillSolver())
            slot.begin(plan)
            if isinstance(solvers, ScriptedSolvers):
                assert plan.solver is not None
                solvers.solver[(slots or idle).index(slot)] = plan.solver
