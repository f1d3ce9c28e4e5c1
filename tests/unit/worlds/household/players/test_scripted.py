"""The scripted setter and solver in an apartment: words, acting together, mistakes, and replay."""

from __future__ import annotations

from typing import Any

import pytest

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.household.players.setter import ScriptedSetter, make_setter
from worlds.household.players.solver import ScriptedSolver, make_solver
from worlds.household.tasks.language import answers
from worlds.household.tasks.placing import place_config
from worlds.household.world import HouseholdWorld

GOAL = {"inside_apple_fridge": 1, "inside_wine_fridge": 1}
CONFIG = place_config(GOAL, "apartment-1", 3, "put_fridge")


def playing(setter: ScriptedSetter, solver: ScriptedSolver, steps: int, seed: int = 0) -> tuple[Any, list[Any]]:
    """Return the world after some steps, or as soon as the request was done, and all actions."""
    world = HouseholdWorld()
    seen, _ = world.reset(options={"config": CONFIG})
    setter.reset(world, seed)
    solver.reset(world, seed)
    actions = []
    for _ in range(steps):
        actions.append({SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])})
        seen, *_ = world.step(actions[-1])
        if setter.task is not None and setter.task.update(world, actions[-1][SOLVER]["utterance"])[0]:
            break
    return world, actions


def said(actions: list[Any], player: str) -> list[str]:
    return [step[player]["utterance"] for step in actions if step[player]["utterance"]]


def moved(actions: list[Any], player: str) -> bool:
    return any(step[player]["movement"].any() for step in actions)


def test_the_solver_does_what_the_words_ask_for_and_says_so():
    setter, solver = make_setter({"put_fridge": 1.0}), make_solver(perfect=True)
    world, actions = playing(setter, solver, 250)

    assert setter.task is not None
    assert getattr(setter.task, "succeeded", False)
    assert not moved(actions, SETTER)
    assert said(actions, SOLVER)[0] in answers.STARTED

    seen = world.restore(world.snapshot())
    assert answers.says_done(solver.act(seen[SOLVER])["utterance"])
    assert not solver.act(seen[SOLVER])["movement"].any()  # and then it stands still


def test_alice_acts_and_asks_for_help_and_both_together_reach_her_goal():
    setter, solver = make_setter({"put_fridge": 1.0}, acts=True), make_solver(perfect=True)
    _, actions = playing(setter, solver, 250)

    assert setter.task is not None
    assert setter.task.spec.arguments == {"goal": GOAL, "whose": SETTER}
    assert getattr(setter.task, "succeeded", False)
    assert moved(actions, SETTER) and moved(actions, SOLVER)

    silent = make_setter({"put_fridge": 1.0}, acts=True, silent=True)
    assert not said(playing(silent, make_solver(), 5)[1], SETTER)


def test_a_goal_that_takes_too_many_words_is_refused_at_once_and_pursued_in_silence():
    dishes = "plate", "waterglass", "wineglass", "cutleryfork", "cutleryknife", "cutleryspoon", "bowl", "mug"
    names = (*dishes, "condimentshaker", "condimentbottle", "kitchenpaper", "apple", "wine")
    task = {"name": "own", "goal": {f"on_{name}_kitchentable": 1 for name in names}}
    world = HouseholdWorld()
    seen: Any = world.reset(options={"config": CONFIG | {"task": task}})[0]
    with pytest.raises(WorldError, match="asking for it takes .* characters"):
        make_setter({"put_fridge": 1.0}, acts=True).reset(world, 0)
    silent = make_setter({"put_fridge": 1.0}, acts=True, silent=True)
    silent.reset(world, 0)
    actions = []
    for _ in range(5):
        actions.append({SETTER: silent.act(seen[SETTER])})
        seen = world.step(actions[-1])[0]
    assert moved(actions, SETTER) and not said(actions, SETTER)
    assert silent.task is not None


def test_the_same_seed_is_played_the_same_with_all_mistakes():
    def record(seed: int) -> list[bytes]:
        solver = make_solver(slip=0.2, distraction=0.2, hesitation=0.2, wrong=1.0)
        _, actions = playing(make_setter({"put_fridge": 1.0}, acts=True), solver, 40, seed)
        return [step[player]["movement"].tobytes() for step in actions for player in (SETTER, SOLVER)]

    assert record(4) == record(4)
    assert record(4) != record(5)


def test_words_that_are_no_request_are_answered_and_nothing_is_done():
    solver = make_solver()
    world = HouseholdWorld()
    seen: Any = world.reset(options={"config": CONFIG})[0]
    solver.reset(world, 0)
    action = solver.act(seen[SOLVER] | {"setter_text": "the sky is blue"})

    assert action["utterance"] in answers.NOT_UNDERSTOOD
    assert not action["movement"].any()


def test_settings_that_do_not_exist_are_refused_in_one_line():
    with pytest.raises(WorldError, match="no solver setting named 'clumsy'; known: reaction, hesitation"):
        make_solver(clumsy=1)
    with pytest.raises(WorldError, match="slip: 2 is not a probability"):
        make_solver(slip=2)
    with pytest.raises(WorldError, match="simulations: 0 is below 1"):
        make_setter({"put_fridge": 1.0}, settings={"simulations": 0})
    with pytest.raises(WorldError, match="setter setting silent: true or false, not 'no'"):
        make_setter({"put_fridge": 1.0}, acts=True, silent="no")
    with pytest.raises(WorldError, match="no setter setting named 'haste'; known: "):
        make_setter({"put_fridge": 1.0}, haste=1)
