"""The scripted solver understands every cue; the scripted setter leaves the peer to its script or plays it out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.worlds.school.small_rooms import QUIET
from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.school.problems.labels import CUE_TYPES, INTRODUCTIONS, TREE_PROBLEMS
from worlds.school.tasks import INSTRUCTION, NAMES
from worlds.school.world import AS_SCRIPTED

ENTRY = registry.get("school")


def play(parameters: dict[str, str], seed: int, acts: bool = False, **solver: Any) -> tuple[Any, list[Any]]:
    """Play an episode and return the world at its end, and the setter's actions."""
    world: Any = ENTRY.make()
    config = {"school": 1, "seed": seed, "parameters": parameters, "settings": {}}
    seen, _ = world.reset(options={"config": config})
    setter, player = ENTRY.make_setter(tasks=dict.fromkeys(NAMES, 1.0), acts=acts), ENTRY.make_solver(**solver)
    setter.reset(world, seed)
    player.reset(world, seed + 1)
    done = []
    while world.agents:
        actions = {SETTER: setter.act(seen[SETTER]), SOLVER: player.act(seen[SOLVER])}
        done.append(actions[SETTER])
        seen, *_ = world.step(actions)
    return world, done


@pytest.mark.parametrize("kind", TREE_PROBLEMS)
def test_it_solves_every_problem_with_every_cue_and_introduction(kind):
    solved = [
        play(QUIET | {"Problem": kind, "Pragmatic_frame_complexity": introduction} | cue, seed, perfect=True)[0]
        for introduction in INTRODUCTIONS
        for cue in ({"Scaffolding": "Y"}, *({"Cue_type": name} for name in CUE_TYPES))
        for seed in range(1)
    ]
    assert sum(world.state.problem.success for world in solved) >= 0.98 * len(solved)


@pytest.mark.parametrize("cue", CUE_TYPES[:3])
def test_it_believes_only_what_is_said_in_joint_attention(cue):
    for kind in ("Boxes", "Generators"):
        for seed in range(3):
            parameters = {"Problem": kind, "Cue_type": cue, "JA_recursive": "Y"}
            world, _ = play(QUIET | parameters | {"Pragmatic_frame_complexity": "Eye_contact"}, seed, perfect=True)
            assert world.state.problem.success


def test_it_waits_until_the_guard_looks_elsewhere():
    for movement in ("Rotating", "Walking"):
        for seed in range(4):
            parameters = {"Env_type": "AppleStealing", "Version": "Social", "NPC_movement": movement,
                          "Obstacles": "Medium"}  # fmt: skip
            assert play(parameters, seed, perfect=True)[0].state.problem.success


def test_errors_are_deliberate_and_can_be_set():
    parameters = QUIET | {"Problem": "Boxes", "Cue_type": "Language_Color"}
    assert not any(play(parameters, seed, wrong=1.0, slip=0.0)[0].state.problem.success for seed in range(5))
    assert all(play(parameters, seed, wrong=1.0, perfect=True)[0].state.problem.success for seed in range(5))
    common = [play(parameters, seed)[0].state.problem.success for seed in range(16)]
    assert 0.5 < sum(common) / 16 < 1
    for settings in ({"wrong": 2}, {"slip": "often"}, {"speed": 3}):
        with pytest.raises(WorldError):
            ENTRY.make_solver(**settings)


def test_the_setter_asks_once_and_leaves_the_peer_to_its_script():
    _, actions = play(QUIET | {"Problem": "Boxes"}, 0, perfect=True)
    assert [action["utterance"] for action in actions] == [INSTRUCTION] + [""] * (len(actions) - 1)
    assert all((action["movement"] == AS_SCRIPTED).all() for action in actions)


def test_a_setter_asks_only_for_what_it_may():
    with pytest.raises(WorldError, match="windows"):
        ENTRY.make_setter(tasks={"windows": 1.0})
    with pytest.raises(WorldError, match="weight"):
        ENTRY.make_setter(tasks={"boxes": 0.0})
    with pytest.raises(WorldError, match="no setter setting named 'haste'; known: "):
        ENTRY.make_setter(tasks={"boxes": 1.0}, haste=1)
    with pytest.raises(WorldError, match="no solver setting named 'wrong_object'; known: wrong, "):
        ENTRY.make_solver(wrong_object=0.1)
    with pytest.raises(WorldError, match="setter setting"):
        ENTRY.make_setter(tasks={"boxes": 1.0}, loud=True)
