"""Both persons at the same step, and random play."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.unit.worlds.household.rules.play import LEFT, RIGHT, Play, act
from tests.unit.worlds.household.small_home import ROW
from worlds.household.observing import near
from worlds.household.rules import possible, why_not
from worlds.household.rules.bodies import take
from worlds.household.rules.joint import Act, drawn
from worlds.household.rules.refusals import Refusal, refusal
from worlds.household.state.home import NO_ROW
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held, Verb

AT_COFFEETABLE = (6.5, 2.3)


@pytest.fixture
def together():
    """Return a function that makes play in which both stand at the coffee table."""

    def made(seed: int = 0) -> Play:
        play = Play(seed)
        for person in ("setter", "solver"):
            play.bring(person, *AT_COFFEETABLE)
        return play

    return made


def test_one_of_two_who_touch_the_same_thing_acts_and_the_other_reads_why(together):
    winners = Counter()
    for seed in range(64):
        reasons = together(seed).both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book"))
        assert sorted(reasons) == ["", "the other person was first at the book"]
        assert together(seed).both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book")) == reasons, "the same every time"
        winners[reasons.index("")] += 1
    assert min(winners.values()) > 16


def test_the_draw_is_fair_from_step_to_step_and_from_seed_to_seed():
    by_step, by_seed = [drawn(5, step) for step in range(2000)], [drawn(seed, 5) for seed in range(2000)]
    for draws in (by_step, by_seed):
        assert 0.45 < np.mean(draws) < 0.55
        assert 0.45 < np.mean(np.diff(draws) != 0) < 0.55


def test_things_that_are_put_count_as_touched(together):
    play = together()
    play.both(act(Verb.GRAB, "book"), act(Verb.GRAB, "plate 2"))
    reasons = play.both(act(Verb.PUT_ON, "coffeetable"), act(Verb.PUT_ON, "coffeetable"))
    assert sorted(reasons) == ["", "the other person was first at the coffeetable"]


def test_walking_to_the_same_thing_is_no_conflict():
    play = Play()
    assert play.both(act(Verb.WALK_TOWARDS, "livingroom"), act(Verb.WALK_TOWARDS, "kitchen")) == ("", "")
    assert play.both(act(Verb.WALK_TOWARDS, "kitchen"), act(Verb.WALK_TOWARDS, "kitchen")) == ("", "")


def test_who_could_not_act_anyway_takes_nothing_from_the_other(together):
    for seed in range(8):
        play = together(seed)
        play.bring("setter", 5.0, 3.7)
        reasons = play.both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book"))
        assert reasons == ("the book is out of reach: go nearer", "")


def test_who_finds_no_free_place_takes_nothing_from_the_other():
    for seed in range(8):
        play = Play(seed)
        for number, (person, name) in enumerate((("setter", "apple 2"), ("solver", "plate 2"))):
            play.bring(person, 5.0, 3.0)
            take(tables(play.home, play.state), number, ROW[name], RIGHT)
        play.become("box", Condition.OPEN)  # beside the book in it there is place for the apple, not for the plate
        reasons = play.both(act(Verb.PUT_IN, "box"), act(Verb.PUT_IN, "box"))
        why = "there is no free place for that on or in the box", "the other person was first at the box"
        assert reasons == ("", why[drawn(seed, 0) == 0]) and play.where("apple 2") == (Held.INSIDE, "box")


def test_what_the_setter_does_may_make_the_solvers_action_impossible(together):
    play = together()
    play.bring("setter", 5.0, 3.0)
    play.bring("solver", 5.5, 3.2)
    play.both(act(Verb.OPEN, "box"), act(Verb.WAIT))
    assert play.both(act(Verb.GRAB, "box"), act(Verb.GRAB, "book 2")) == ("", "the other person holds the book")


def random_act(play: Play, number: int, rng: np.random.Generator) -> Act:
    """Return an action with any thing, but more often with one that is near."""
    rows = np.arange(len(ROW))
    if rng.random() < 0.7:
        rows = np.flatnonzero(near(play.home, play.state, play.home.persons[number]))
    row = NO_ROW if rng.random() < 0.02 else int(rng.choice(rows))
    return int(rng.choice(list(Verb))), row, int(rng.choice([RIGHT, LEFT]))


def test_random_play_keeps_the_tree_and_failures_change_nothing():
    play, rng = Play(), np.random.default_rng(0)
    seen: Counter = Counter()
    for step in range(2000):
        acts = random_act(play, 0, rng), random_act(play, 1, rng)
        if rng.random() < 0.3:  # so that more comes within reach
            for person in ("setter", "solver"):
                if play.state.held[ROW[person]] == Held.ROOM:
                    play.bring(person, *rng.choice([(1.6, 2.4), (0.6, 2.6), (2.6, 1.2), AT_COFFEETABLE, (5.4, 3.2)]))
        before, possible = play.bits(), [why_not(play.home, play.state, n, a) for n, a in enumerate(acts)]
        reasons = play.both(*acts)
        assert play.state.step == step + 1
        for number, reason in enumerate(reasons):
            seen[Verb(acts[number][0]), not reason] += 1
            assert reason or not possible[number], "what is refused does not succeed"
        if all(reasons):
            assert play.bits() == before
        assert_sound(play)
        if step % 400 == 0:
            assert_masks_are_those_of_the_rules(play)
    missing = [(v, ok) for v in Verb for ok in (True, False) if not seen[v, ok]]
    always = {(v, False) for v in (Verb.WAIT, Verb.TURN_LEFT, Verb.TURN_RIGHT)}
    assert set(missing) == always


def assert_sound(play: Play) -> None:
    """Every thing has one parent, its room is that of its parent, and it lies where that is."""
    home, state = play.home, play.state
    parent, held = state.parent, state.held
    assert ((held == Held.NOWHERE) == (parent == NO_ROW)).all()
    root = np.arange(len(home))
    for _ in range(len(home)):  # a circle never ends
        root = np.where(parent[root] == NO_ROW, root, parent[root])
    assert np.isin(root, home.rooms).all() and (state.room == root).all()
    in_hand = (held == RIGHT) | (held == LEFT)
    assert (in_hand == np.isin(parent, home.persons)).all()
    hands = list(zip(parent[in_hand], held[in_hand], strict=True))
    assert len(set(hands)) == len(hands)
    within = np.isin(held, (Held.INSIDE, Held.ON, Held.SITS))
    off = np.abs(state.centre[within, :2] - state.centre[parent[within], :2])
    assert (off <= home.size[parent[within], :2] / 2 + 1e-4).all()
    persons = list(home.persons)
    assert ((held[persons] == Held.SITS) == ((state.conditions[persons] & Condition.SITTING) > 0)).all()
    assert np.isfinite(state.centre).all() and (np.abs(state.facing) <= np.pi + 1e-6).all()


def assert_masks_are_those_of_the_rules(play: Play) -> None:
    """A verb and a thing can be chosen exactly if some action with them is possible."""
    t = tables(play.home, play.state)
    for number, person in enumerate(play.home.persons):
        for full in (False, True):
            verbs, things = possible(play.home, play.state, number, full)
            expected_verbs, expected_things = np.zeros_like(verbs), np.zeros_like(things)
            for verb in Verb:
                for row in range(len(ROW)):
                    for hand in (RIGHT, LEFT):
                        if refusal(t, person, verb, row, hand, full) == Refusal.NONE:
                            expected_verbs[verb] = True
                            expected_things[row] |= Verb.WALK_TOWARDS <= verb <= Verb.SIT
            assert (verbs == expected_verbs).all() and (things == expected_things).all()
