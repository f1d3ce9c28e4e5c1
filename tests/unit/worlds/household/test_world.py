"""The household as a world: pointers, words, refusals, its scripted players, and people's play in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import possible
from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.live_play import GROUPS, Board, Choice
from worlds.household import HELPERS
from worlds.household.live_play import HouseholdLivePlay
from worlds.household.observing import visible
from worlds.household.players.setter import ScriptedSetter
from worlds.household.players.solver import ScriptedSolver, make_solver
from worlds.household.rules.joint import why_not
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.tasks.language import answers
from worlds.household.tasks.placing import place_config
from worlds.household.world import ACTIONS, HANDS, PERSON, HouseholdWorld

ENTRY: Any = registry.get("household")
PLACE = {"home": "apartment-0", "seed": 3, "persons": ["kitchen", "livingroom"]}


def begun(**options: Any) -> tuple[HouseholdWorld, Any]:
    """Return a world in which an episode has begun, and what is observed."""
    world = HouseholdWorld(**options)
    return world, world.reset(options={"config": PLACE})[0]


def act(verb: int, pointer: int = 0, hand: int = 0) -> Any:
    return ACTIONS.silent() | {"movement": np.array([[verb, pointer, hand]], np.int16)}


def test_pointers_mean_the_things_that_are_observed_and_lead_back():
    world, seen = begun()
    home = world.state.home
    kinds = seen[SETTER]["entity_categories"][:, 0]
    for place in range(len(kinds)):
        row = world.row_at(SETTER, place + 1)
        assert kinds[place] == home.kind[row] and world.pointer_to(SETTER, row) == place + 1
    assert world.row_at(SETTER, 0) == NO_ROW
    hidden = int(home.rows_of("sofa")[0])
    assert world.pointer_to(SETTER, hidden) is None and world.pointer_to(SOLVER, hidden) is not None


def test_full_observation_has_everything_and_is_walked_to():
    world, seen = begun(full=True, text=True)
    home, state = world.state.home, world.state.state
    assert len(seen[SETTER]["entity_values"]) == len(home) and "fridge (" in seen[SETTER]["surroundings"]
    before, bed = state.centre[home.persons[0]].copy(), int(home.rows_of("bed")[0])
    after: Any = world.step({SETTER: act(Verb.WALK_TOWARDS, bed + 1)})[0][SETTER]
    assert after["feedback"] == ""
    assert not np.array_equal(state.centre[home.persons[0]], before)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HouseholdWorld().reset(options={"config": {}}), "names no home"),
        (lambda: HouseholdWorld().reset(options={"config": PLACE | {"seed": "x"}}), "x"),
        (lambda: HouseholdWorld().reset(seed=-1), "seed: -1 is not a whole number from 0 up"),
        (lambda: HouseholdWorld().reset(seed=True), "seed: True is not a whole number from 0 up"),
        (lambda: HouseholdWorld(full="no"), "setting full: true or false, not 'no'"),  # type: ignore[arg-type]
        (lambda: HouseholdWorld(picture=1), "setting picture: true or false, not 1"),  # type: ignore[arg-type]
        (lambda: make_solver(clumsy=1), "no solver setting named 'clumsy'; known: reaction, hesitation"),
        (lambda: make_solver(slip=2), "slip: 2 is not a probability"),
        (lambda: ScriptedSetter(ASKS, settings={"simulations": 0}), "simulations: 0 is below 1"),
        (lambda: ScriptedSetter(ASKS, silent="no"), "setting silent: true or false, not 'no'"),  # type: ignore[arg-type]
        (lambda: ENTRY.make_setter(tasks=ASKS, haste=1), "no setter setting named 'haste'; known: "),
        (lambda: ENTRY.make_helper("bob"), "no helper named 'bob'; known: true_goal"),
        (lambda: ENTRY.make_helper("revising").reset(begun()[0], 0), "a place with a goal"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make: Any, words: str):
    with pytest.raises(WorldError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


ASKS = {"put_fridge": 1.0}
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
    setter, solver = ScriptedSetter(ASKS), make_solver(perfect=True)
    world, actions = playing(setter, solver, 250)
    assert getattr(setter.task, "succeeded", False)
    assert not moved(actions, SETTER) and said(actions, SOLVER)[0] in answers.STARTED
    seen = world.restore(world.snapshot())
    assert solver.act(seen[SOLVER])["utterance"] in answers.DONE
    assert not solver.act(seen[SOLVER])["movement"].any()  # and then it stands still
    solver.reset(world, 0)
    action = solver.act(seen[SOLVER] | {"setter_text": "the sky is blue"})
    assert action["utterance"] in answers.NOT_UNDERSTOOD and not action["movement"].any()


def test_alice_acts_and_asks_for_help_and_both_together_reach_her_goal():
    setter, solver = ScriptedSetter(ASKS, acts=True), make_solver(perfect=True)
    _, actions = playing(setter, solver, 250)
    assert setter.task is not None and setter.task.spec.arguments == {"goal": GOAL, "whose": SETTER}
    assert getattr(setter.task, "succeeded", False)
    assert moved(actions, SETTER) and moved(actions, SOLVER)
    silent = ScriptedSetter(ASKS, acts=True, silent=True)
    assert not said(playing(silent, make_solver(), 5)[1], SETTER)


def test_a_goal_that_takes_too_many_words_is_refused_at_once_and_pursued_in_silence():
    names = (
        "plate waterglass wineglass cutleryfork cutleryknife cutleryspoon bowl mug condimentshaker kitchenpaper apple"
    )
    task = {"name": "own", "goal": {f"on_{name}_kitchentable": 1 for name in names.split()}}
    world = HouseholdWorld()
    seen: Any = world.reset(options={"config": CONFIG | {"task": task}})[0]
    with pytest.raises(WorldError, match="asking for it takes .* characters"):
        ScriptedSetter(ASKS, acts=True).reset(world, 0)
    silent = ScriptedSetter(ASKS, acts=True, silent=True)
    silent.reset(world, 0)
    actions = []
    for _ in range(5):
        actions.append({SETTER: silent.act(seen[SETTER])})
        seen = world.step(actions[-1])[0]
    assert moved(actions, SETTER) and not said(actions, SETTER) and silent.task is not None


def test_the_same_seed_is_played_the_same_with_all_mistakes():
    def record(seed: int) -> list[bytes]:
        solver = make_solver(slip=0.2, distraction=0.2, hesitation=0.2, wrong=1.0)
        _, actions = playing(ScriptedSetter(ASKS, acts=True), solver, 25, seed)
        return [step[player]["movement"].tobytes() for step in actions for player in (SETTER, SOLVER)]

    assert record(4) == record(4) != record(5)


@pytest.fixture
def world() -> HouseholdWorld:
    made = HouseholdWorld()
    made.reset(seed=3, options={"config": ENTRY.sample_config(3)})
    return made


def all_choices(live: HouseholdLivePlay, player: str) -> list[Choice]:
    return [one for thing in live.choices(player) for one in thing.choices]


def play(world: HouseholdWorld, live: HouseholdLivePlay, rng: np.random.Generator, steps: int = 4) -> None:
    """Let both players do what is offered, at random; handling things comes before walking."""
    for _ in range(steps):
        actions: dict[str, Any] = {}
        for player in PERSON:
            choices = all_choices(live, player)
            handling = [one for one in choices if Verb.GRAB <= one.movement[0] <= Verb.PUT_IN] or choices
            actions[player] = act(*handling[rng.integers(len(handling))].movement)
        world.step(actions)


def act_of(world: HouseholdWorld, player: str, choice: Choice) -> tuple[int, int, int]:
    verb, pointer, hand = choice.movement
    return verb, world.row_at(player, pointer), HANDS[hand]


def test_every_possible_action_is_offered_and_no_other(world: HouseholdWorld) -> None:
    live, rng = HouseholdLivePlay(world), np.random.default_rng(0)
    used, now = set(), world.state
    for _ in range(30):
        for player, number in PERSON.items():
            choices = all_choices(live, player)
            assert len({one.key for one in choices}) == len(choices)
            verbs, things = possible(now.home, now.state, number)
            acts = [act_of(world, player, one) for one in choices]
            assert {act[0] for act in acts} == set(np.flatnonzero(verbs).tolist())
            room = now.state.room[now.home.persons[number]]
            assert {act[1] for act in acts} - {NO_ROW} == set(np.flatnonzero(things).tolist()) - {room}
            assert [why_not(now.home, now.state, number, act) for act in acts] == [""] * len(acts)
            used |= {act[0] for act in acts}
        play(world, live, rng)
    assert used >= {Verb.GRAB, Verb.PUT_ON, Verb.PUT_IN, Verb.OPEN, Verb.WALK_TOWARDS, Verb.SIT}


def test_only_what_is_visible_is_listed_and_names_stay(world: HouseholdWorld) -> None:
    live, rng = HouseholdLivePlay(world), np.random.default_rng(1)
    named: dict[int, str] = {}
    for _ in range(20):
        now = world.state
        seen = visible(now.home, now.state, now.home.persons[0])
        for thing in live.choices(SETTER):
            assert thing.group in GROUPS
            for row in (world.row_at(SETTER, one.movement[1]) for one in thing.choices):
                assert row == NO_ROW or (seen[row] and named.setdefault(row, thing.name) == thing.name)
        play(world, live, rng, 3)
    assert len(set(named.values())) == len(named) > 40


def test_the_view_from_above_shows_no_thing_of_another_room(world: HouseholdWorld) -> None:
    live, now = HouseholdLivePlay(world), world.state
    me, other = now.home.persons
    before = live.picture(SETTER, 60, 80)
    assert now.state.room[me] != now.state.room[other] and before.shape == (60, 160, 3)
    now.state.centre[other] += (0.5, 0.5, 0.0)
    np.testing.assert_array_equal(live.picture(SETTER, 60, 80)[:, 80:], before[:, 80:])
    assert (live.picture(SOLVER, 60, 80)[:, 80:] != before[:, 80:]).any()
    now.state.centre[me] += (0.3, 0.3, 0.0)
    assert (live.picture(SETTER, 60, 80)[:, 80:] != before[:, 80:]).any()


def test_progress_of_the_goal_is_known_once_it_is_seen_and_only_to_the_setter() -> None:
    world, config = HouseholdWorld(), ENTRY.sample_config(1, tasks=["put_fridge"])
    world.reset(seed=1, options={"config": config})
    live, now = HouseholdLivePlay(world), world.state
    fridge, wanted = int(now.home.rows_of("fridge")[0]), list(config["task"]["goal"].values())

    def known() -> set[int | None]:
        parts = live.status(SETTER).goal
        assert [part.wanted for part in parts] == wanted
        return {part.known for part in parts}

    assert known() == {None} and live.status(SOLVER).goal == ()
    now.state.room[now.home.persons[0]] = now.state.room[fridge]
    assert known() == {None}, "it is closed"
    now.state.conditions[fridge] = now.state.conditions[fridge] & ~Condition.CLOSED | Condition.OPEN
    assert known() == {0} and live.reached(SETTER) is False and live.reached(SOLVER) is None
    world.reset(seed=0, options={"config": {"home": "apartment-1"}})  # without a task
    live = HouseholdLivePlay(world)
    assert live.status(SETTER).goal == () and live.reached(SETTER) is None


def test_a_failed_action_and_full_hands_are_reported_and_a_board_answers_for_its_step(world: HouseholdWorld) -> None:
    live, now = HouseholdLivePlay(world), world.state
    person, book = now.home.persons[0], int(now.home.rows_of("book")[0])
    now.state.held[book], now.state.parent[book] = Held.LEFT_HAND, person
    now.state.room[book] = now.state.room[person]
    now.feedback = ("the fridge is closed", "")
    status = live.status(SETTER)
    assert status.hands == "right hand: empty, left hand: book" and status.feedback == "the fridge is closed"
    assert "you are in the" in status.place
    board = Board(4, tuple(live.choices(SETTER)), status)
    assert board.movement_of(4, "wait-0-0") == (int(Verb.WAIT), 0, 0)
    assert board.movement_of(3, "wait-0-0") is None and board.movement_of(4, "fly-0-0") is None
    sent = [choice for thing in board.message()["things"] for choice in thing[3]]
    assert board.message()["step"] == 4 and ["wait-0-0", "wait"] in sent


@pytest.mark.parametrize("helper", HELPERS)
def test_helpers_play_beside_alice(helper: str) -> None:
    """Whoever helps, Alice reaches her goal."""
    world = HouseholdWorld()
    seen = world.reset(seed=5, options={"config": ENTRY.sample_config(5, tasks=["setup_table"])})[0]
    alice, bob = ScriptedSetter({"setup_table": 1.0}, acts=True, silent=True), ENTRY.make_helper(helper)
    live, acted = HouseholdLivePlay(world), 0
    for number, player in enumerate((alice, bob)):
        player.reset(world, number)
    while world.agents and not live.reached(SETTER):
        bobs = bob.act(seen[SOLVER])
        acted += int(bobs["movement"][0, 0] != Verb.WAIT)
        seen = world.step({SETTER: alice.act(seen[SETTER]), SOLVER: bobs})[0]
    assert live.reached(SETTER) and (acted == 0) == (helper == "nobody")
