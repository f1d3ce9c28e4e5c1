"""A scripted setter that plays the script out: its recordings replay to the bit, and it gives every cue."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.contracts.tried_worlds import assert_same
from tests.unit.worlds.school.small_rooms import QUIET
from worlds import registry
from worlds.contract import SETTER, SOLVER, Event, TaskSpec
from worlds.school.places import sample
from worlds.school.problems.labels import CUE_TYPES, INTRODUCTIONS
from worlds.school.tasks import INSTRUCTION, NAMES, make_task, task_name

ENTRY = registry.get("school")
Played = tuple[list[Any], bool, list[Event]]  # observations, whether the agent got its apple, and what counted


def place(seed: int, parameters: dict[str, str], **settings: Any) -> dict[str, Any]:
    return {"school": 1, "seed": seed, "parameters": QUIET | parameters, "settings": settings}


def outcome(world: Any, config: dict[str, Any], act: Any) -> Played:
    """Play an episode in which ``act`` returns the actions of a step."""
    seen = [world.reset(options={"config": config})[0]]
    task = make_task(TaskSpec(task_name(config["parameters"]), INSTRUCTION, {}, world.max_steps))
    events: list[Event] = []
    while world.agents:
        seen.append(world.step(act(seen[-1]))[0])
        events += task.update(world, "")[1]
    return seen, task.succeeded, events


def played(world: Any, config: dict[str, Any]) -> tuple[Played, list[Any]]:
    """Play an episode by the script's acts, and return also what was done in it."""
    setter, solver = ENTRY.make_setter(tasks=dict.fromkeys(NAMES, 1.0), acts=True), ENTRY.make_solver(perfect=True)
    world.reset(options={"config": config})
    for player in (setter, solver):
        player.reset(world, config["seed"])
    done: list[Any] = []

    def act(seen: Any) -> Any:
        done.append({SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])})
        return copy.deepcopy(done[-1])

    return outcome(world, config, act), done


@pytest.mark.parametrize("tutored", [False, True])
def test_what_it_did_replays_to_the_bit(tutored: bool) -> None:
    world, other = ENTRY.make(tutored=tutored), ENTRY.make(tutored=tutored)
    for seed in range(2 * len(NAMES)):  # every problem twice
        again(world, other, sample(seed))


def again(world: Any, other: Any, config: dict[str, Any]) -> Played:
    """Play an episode, and what was done in it again in another world, which is the same to the bit."""
    live, done = played(world, config)
    steps = iter(done)
    replayed = outcome(other, config, lambda seen: next(steps))
    assert_same(live[0], replayed[0])
    assert live[1:] == replayed[1:]
    return replayed


def test_a_demonstration_and_an_introduction_replay_to_the_bit() -> None:
    world: Any = ENTRY.make()
    met = 0
    for kind in ("Boxes", "Levers", "Marble"):
        for seed in range(3):
            parameters = {"Problem": kind, "Cue_type": "Emulation", "Pragmatic_frame_complexity": "Ask_Eye_contact"}
            _, success, events = again(world, world, place(seed, parameters))
            met += success and "introduced itself" in [event.reason for event in events]
    assert met >= 7


@pytest.mark.parametrize("tutored", [False, True])
@pytest.mark.parametrize("cue", CUE_TYPES)
def test_it_gives_every_cue_after_every_introduction(cue: str, tutored: bool) -> None:
    world: Any = ENTRY.make(tutored=tutored)
    for introduction in INTRODUCTIONS:
        for seed in range(1):
            parameters = {"Problem": "Boxes", "Cue_type": cue, "Pragmatic_frame_complexity": introduction}
            assert played(world, place(seed, parameters))[0][1], (introduction, seed)


def test_it_leaves_a_hidden_peer_alone_and_guards_are_not_met() -> None:
    world: Any = ENTRY.make(tutored=True)
    _, done = played(world, place(0, {"Problem": "Boxes"}, hidden_npc=True))
    still = world.spec(SETTER).action.silent()["movement"]
    assert all((each[SETTER]["movement"] == still).all() for each in done)
    assert not world.state.problem.script.introduced
    guarded = {"Env_type": "AppleStealing", "Version": "Social", "Obstacles": "No", "NPC_movement": "Rotating"}
    played(world, {"school": 1, "seed": 0, "parameters": guarded, "settings": {}})
    assert not world.state.problem.script.introduced
