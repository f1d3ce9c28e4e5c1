"""Demonstrations as episodes of a dataset, for people who watch them: Alice acts and says nothing, Bob stands still.

An episode ends one step after Alice has reached her goal, so that its last picture shows what she has done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from experiments.watch_and_help.benchmark import task
from experiments.watch_and_help.watching.shown import TASKS, Shown, show
from pipelines.stages.settings.play_settings import PlaySettings, note_settings
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.run.progress import progress
from rlhf.store import open_store
from worlds import registry
from worlds.contract import SETTER, Action, Observation, World, WorldError
from worlds.errors import UserError
from worlds.household.players.acting import action_of
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.progress import reached

TASK_NOTE = "task"  # in the notes of an episode: name of the task whose goal Alice shows
STILL = "still"  # name of a solver that does nothing
WORLD = "household"


class ShowingSetter:
    """A setter that acts as in a demonstration and says nothing."""

    task = None  # it asks for nothing

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        self._world: Any = world

    def act(self, observation: Observation) -> Action:
        """Return the next action of the demonstration; nothing after the last.

        Raises:
          WorldError: after the last action the goal is not reached.
        """
        step, shown, now = self._world.step_index, self._shown, self._world.state
        if step < len(shown.acts):
            verb, row, hand = shown.acts[step].tolist()
            return action_of(self._world, SETTER, (Verb(verb), row, Held(hand)), "")
        if not reached(now.home, now.state, shown.goal, now.home.persons[0]):
            raise WorldError(f"demonstration {shown.name} does not reach its goal where it is recorded")
        return action_of(self._world, SETTER, None, "")


def record_shown(folder: Path, group: str, numbers: Sequence[int]) -> tuple[list[str], int]:
    """Record demonstrations of tasks as episodes; those that the dataset has are left as they are.

    Args:
      folder: of the dataset, which is made if there is none.
      group: "test_1_tasks" or "test_2_tasks".

    Returns:
      Ids of all these episodes, and the number of demonstrations that failed and are left out.

    Raises:
      UserError: the dataset is of another world or of other spaces, or it has another episode of one of these names.
    """
    store = open_store(folder, create=True)
    if store.description.world not in (None, WORLD):
        raise UserError(f"{folder} holds episodes of {store.description.world}; record demonstrations elsewhere")
    ids = {number: episode_id(group, number) for number in numbers}
    missing = [number for number in numbers if ids[number] not in store]
    played = _episodes(group, missing)
    for episode in progress(played, len(missing), f"recording into {folder}") if missing else ():
        if episode is not None:
            store.write(episode)
    recorded = [name for name in ids.values() if name in store]
    if recorded:
        note_settings(store, PlaySettings(WorldConfig(WORLD)).complete())
    return recorded, len(ids) - len(recorded)


def episode_id(group: str, number: int) -> str:
    """Return the id of a demonstration's episode, e.g. "test_1-read_book-7"; arguments as of :func:`record_shown`."""
    return task(TASKS[group], number).name.replace("/", "-")


def _episodes(group: str, numbers: Sequence[int]) -> Iterator[Episode | None]:
    """Yield the episode of each demonstration; None for one in which Alice failed."""
    entry = registry.get(WORLD)
    with closing(entry.make()) as world:
        for number in numbers:
            shown = show(group, number)
            plans = [_plan(group, shown)] if shown.success else []
            yield next(play(entry, [world], plans, ScriptedSolvers(1), solver_name=STILL), None)


def _plan(group: str, shown: Shown) -> Plan:
    return Plan(
        episode_id(group, shown.number), shown.config, ShowingSetter(shown), shown.number, len(shown.acts) + 1,
        split="held_out", notes={TASK_NOTE: shown.name},
    )  # fmt: skip
