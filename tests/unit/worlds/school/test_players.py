"""The scripted players of the school: what the solver understands, and a setter that plays the peer's script out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.contracts.tried_worlds import assert_same
from tests.unit.worlds.school.small_rooms import QUIET
from worlds import registry
from worlds.contract import SETTER, SOLVER, Event, TaskSpec, WorldError
from worlds.school.parameters.names import CUE_TYPES, INTRODUCTIONS, PROBLEMS
from worlds.school.sampling import sample
from worlds.school.tasks import INSTRUCTION, NAMES, make_task, task_name
from worlds.school.world import AS_SCRIPTED

ENTRY = registry.get("school")
GUARDED = {"Env_type": "AppleStealing", "Version": "Social", "NPC_movement": "Rotating", "Obstacles": "Medium"}
CUES = [{"Scaffolding": "Y"}, *({"Cue_type": name} for name in CUE_TYPES)]


def place(seed: int, parameters: dict[str, str], **settings: Any) -> dict[str, Any]:
    return {"school": 1, "seed": seed, "parameters": parameters, "settings": settings}


class Played(NamedTuple):
    """An episode: its world at the end, what was observed and done at each step, and what counted."""

    world: Any
    seen: list[Any]
    actions: list[Any]
    events: list[Event]

    @property
    def success(self) -> bool:
        return self.world.state.problem.success


def outcome(world: Any, config: dict[str, Any], act: Callable[[Any], Any]) -> Played:
    """Play an episode in which ``act`` returns the actions of a step."""
    played = Played(world, [world.reset(options={"config": config})[0]], [], [])
    task = make_task(TaskSpec(task_name(config["parameters"]), INSTRUCTION, {}, world.max_steps))
    while world.agents:
        played.actions.append(act(played.seen[-1]))
        played.seen.append(world.step(copy.deepcopy(played.actions[-1]))[0])
        played.events.extend(task.update(world, "")[1])
    assert task.succeeded == played.success
    return played


def play(config: dict[str, Any], acts: bool = False, tutored: bool = False, **solver: Any) -> Played:
    """Play an episode with the scripted players."""
    world: Any = ENTRY.make(tutored=tutored)
    players = {
        SETTER: ENTRY.make_setter(tasks=dict.fromkeys(NAMES, 1.0), acts=acts),
        SOLVER: ENTRY.make_solver(**solver),
    }
    world.reset(options={"config": config})
    for number, player in enumerate(players.values()):
        player.reset(world, config["seed"] + number)
    return outcome(world, config, lambda seen: {name: player.act(seen[name]) for name, player in players.items()})


@pytest.mark.parametrize("kind", PROBLEMS)
def test_the_solver_solves_every_problem_with_every_cue_and_introduction(kind):
    solved = [
        play(
            place(0, QUIET | {"Problem": kind, "Pragmatic_frame_complexity": introduction} | cue), perfect=True
        ).success
        for introduction in INTRODUCTIONS
        for cue in CUES
    ]
    assert sum(solved) >= 0.98 * len(solved)


@pytest.mark.parametrize("cue", CUE_TYPES[:3])
def test_it_believes_only_what_is_said_in_joint_attention(cue):
    parameters = QUIET | {"Cue_type": cue, "JA_recursive": "Y", "Pragmatic_frame_complexity": "Eye_contact"}
    for kind, seed in product(("Boxes", "Generators"), range(3)):
        assert play(place(seed, parameters | {"Problem": kind}), perfect=True).success


@pytest.mark.parametrize("movement", ["Rotating", "Walking"])
def test_it_waits_until_the_guard_looks_elsewhere(movement):
    for seed in range(4):
        assert play(place(seed, GUARDED | {"NPC_movement": movement}), perfect=True).success


def test_errors_are_deliberate_and_can_be_set():
    places = [place(seed, QUIET | {"Problem": "Boxes", "Cue_type": "Language_Color"}) for seed in range(12)]
    assert not any(play(each, wrong=1.0, slip=0.0).success for each in places[:4])
    assert all(play(each, wrong=1.0, perfect=True).success for each in places[:4])
    assert 0.5 < np.mean([play(each).success for each in places]) < 1


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ENTRY.make_solver(wrong=2), "wrong"),
        (lambda: ENTRY.make_solver(slip="often"), "slip"),
        (lambda: ENTRY.make_solver(speed=3), "no solver setting named 'speed'; known: wrong, "),
        (lambda: ENTRY.make_setter(tasks={"windows": 1.0}), "windows"),
        (lambda: ENTRY.make_setter(tasks={"boxes": 0.0}), "weight"),
        (lambda: ENTRY.make_setter(tasks={"boxes": 1.0}, haste=1), "no setter setting named 'haste'; known: "),
    ],
)
def test_settings_that_players_do_not_have_are_refused(make, word):
    with pytest.raises(WorldError, match=word):
        make()


def test_the_setter_asks_once_and_leaves_the_peer_to_its_script():
    setters = [each[SETTER] for each in play(place(0, QUIET | {"Problem": "Boxes"}), perfect=True).actions]
    assert [action["utterance"] for action in setters] == [INSTRUCTION] + [""] * (len(setters) - 1)
    assert all((action["movement"] == AS_SCRIPTED).all() for action in setters)


def replayed(config: dict[str, Any], tutored: bool = False) -> Played:
    """Play the script's acts, and then what was done in another world, where all is the same to the bit."""
    live = play(config, acts=True, tutored=tutored, perfect=True)
    steps = iter(live.actions)
    again = outcome(ENTRY.make(tutored=tutored), config, lambda seen: next(steps))
    assert_same(live.seen, again.seen)
    assert live.events == again.events and live.success == again.success
    return again


@pytest.mark.parametrize("tutored", [False, True])
def test_what_a_setter_does_that_plays_the_script_replays_to_the_bit(tutored: bool) -> None:
    for seed in range(len(NAMES)):  # every problem once
        replayed(sample(seed), tutored)


def test_a_demonstration_and_an_introduction_replay_to_the_bit() -> None:
    met = 0
    for kind, seed in product(("Boxes", "Levers", "Marble"), range(3)):
        parameters = {"Problem": kind, "Cue_type": "Emulation", "Pragmatic_frame_complexity": "Ask_Eye_contact"}
        found = replayed(place(seed, QUIET | parameters))
        met += found.success and "introduced itself" in [event.reason for event in found.events]
    assert met >= 7


@pytest.mark.parametrize("tutored", [False, True])
@pytest.mark.parametrize("cue", CUE_TYPES)
def test_it_gives_every_cue_after_every_introduction(cue: str, tutored: bool) -> None:
    for introduction in INTRODUCTIONS:
        parameters = {"Problem": "Boxes", "Cue_type": cue, "Pragmatic_frame_complexity": introduction}
        assert play(place(0, QUIET | parameters), acts=True, tutored=tutored, perfect=True).success, introduction


def test_it_leaves_a_hidden_peer_alone_and_guards_are_not_met() -> None:
    hidden = play(place(0, QUIET | {"Problem": "Boxes"}, hidden_npc=True), acts=True, tutored=True, perfect=True)
    still = hidden.world.spec(SETTER).action.silent()["movement"]
    assert all((each[SETTER]["movement"] == still).all() for each in hidden.actions)
    guarded = play(place(0, GUARDED), acts=True, tutored=True, perfect=True)
    assert not any(each.world.state.problem.script.introduced for each in (hidden, guarded))
