"""Requests are unambiguous and true of the house; success and its events are those of the tasks."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.playhouse.staging import Stage, Trial
from worlds.contract import TaskSpec, WorldError
from worlds.playhouse import Playhouse
from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS, PLAIN_COLOURS
from worlds.playhouse.house.record import House, Room, Start, Thing
from worlds.playhouse.requests import language
from worlds.playhouse.requests.ground_truth import describe_all
from worlds.playhouse.requests.language import Described, refer, resolve, understand
from worlds.playhouse.requests.success import GO_STEPS, LIFT_HEIGHT, WRONG_STEPS
from worlds.playhouse.requests.tasks import PROBES, make_task, probe

BALL = Described("a", "ball", "red", "small")
SEEDS = range(6)


# ---- words -----------------------------------------------------------------------------------------------------------


def test_descriptions_are_no_longer_than_needed():
    mug = Described("b", "mug", "red", "small")
    large = Described("c", "ball", "red", "large")
    on_table = Described("d", "ball", "red", "small", on="table")
    assert refer(BALL, [BALL, mug]) == "the red ball"
    assert refer(BALL, [BALL, large]) == "the small red ball"
    assert refer(on_table, [BALL, on_table]) == "the red ball on the table"
    assert refer(BALL, [BALL, Described("e", "ball", "red", "small")]) is None
    assert refer(BALL, [BALL, mug], say_colour=False) == "the ball"
    assert refer(BALL, [BALL, Described("e", "ball", "blue", "large")], say_colour=False) == "the small ball"


@pytest.mark.parametrize("name", PROBES)
def test_every_paraphrase_is_understood(name):
    slots = {"x": "the small red ball on the green table", "y": "the mug in another room", "where": " in this room"}
    if name == "count":
        slots["x"] = "red balls"
    if name == "exist":
        slots["x"] = "an orange mug"
    for template in language.TEMPLATES[name]:
        understood = understand(template.format(**slots))
        assert understood is not None and understood.name == name
        assert understood.slots["x"] == slots["x"]
        assert understood.slots.get("y") == (slots["y"] if name == "position" else None)
    assert understand("sing a song") is None


def test_answers_are_found_in_utterances():
    assert language.answer_in("It is red.", "color") == "red"
    assert language.answer_in("there are 3", "count") == language.answer_in("three", "count") == "three"
    assert language.answer_in("yes and no", "exist") is None
    assert language.answer_in("red", "exist") is None
    assert language.answer_in("yes", "lift") is None


GAMES = ("go", "lift", "position", "color", "count", "exist", "tower")


@pytest.mark.parametrize("name", GAMES)
def test_one_combination_in_five_is_held_out_and_every_word_is_trained(name):
    table = np.array([[language.is_held_out(name, {"colour": c, "kind": k}) for k in OBJECT_KINDS] for c in COLOURS])
    assert table.mean() == pytest.approx(0.2, abs=0.03)
    assert 0 < table.sum(axis=0).min() and table.sum(axis=0).max() < len(COLOURS) / 2
    assert 0 < table.sum(axis=1).min() and table.sum(axis=1).max() < len(OBJECT_KINDS) / 2
    assert language.is_held_out(name, {"colour": "martian", "kind": "zog"}) in (True, False)


def test_the_split_does_not_change_between_versions():
    """Recordings rely on it: a new order of the catalogue must keep these."""

    def held(name):
        return {
            (c, k)
            for c in PLAIN_COLOURS
            for k in ("ball", "block")
            if language.is_held_out(name, {"colour": c, "kind": k})
        }

    assert held("go") == held("count") == {("red", "ball"), ("blue", "ball"), ("green", "block"), ("white", "block")}
    assert held("lift") == held("exist") == {
        ("yellow", "ball"), ("pink", "ball"), ("red", "block"), ("blue", "block")
    }  # fmt: skip
    assert held("position") == held("color") == {
        ("green", "ball"), ("white", "ball"), ("orange", "block"), ("purple", "block")
    }  # fmt: skip


def test_a_request_for_two_things_is_held_out_if_either_is():
    train, held = {"colour": "orange", "kind": "ball"}, {"next_to_colour": "red", "next_to_kind": "ball"}
    assert not language.is_held_out("go", train)
    assert language.is_held_out("go", train | held)


# ---- what is asked ---------------------------------------------------------------------------------------------------


def house(seed: int, **settings) -> Playhouse:
    world = Playhouse(height=6, width=8, views=(), settings={"rooms": (1, 3)} | settings)
    world.reset(seed=seed)
    return world


@pytest.mark.parametrize("name", PROBES)
def test_requests_are_json_and_repeatable_and_name_one_thing(name):
    for seed in SEEDS:
        world = house(seed)
        spec = probe(name, world, seed)
        assert spec is not None and spec == probe(name, world, seed)
        assert json.loads(json.dumps(dict(spec.arguments))) == spec.arguments
        understood = understand(spec.instruction)
        assert understood is not None and understood.name == name
        if "target" in spec.arguments:
            things = list(describe_all(world).values())
            assert [t.id for t in resolve(understood.slots["x"], things)] == [spec.arguments["target"]]


def test_answers_are_true_of_the_house_and_vary():
    answers = {"color": set(), "count": set(), "exist": set()}
    for seed in range(16):
        world = house(seed, rooms=(1, 1), room_size=(6.0, 6.0), furniture=(0, 2), objects=(10, 16))
        things = world.house.objects
        for name, seen in answers.items():
            spec = probe(name, world, seed)
            if spec is None:
                continue
            asked = spec.arguments
            fitting = [t for t in things if asked["kind"] in (None, t.kind) and asked["colour"] in (None, t.colour)]
            if name == "color":
                assert asked["answer"] == world.house.objects_by_id[asked["target"]].colour
                assert asked["answer"] not in spec.instruction
            elif name == "count":
                assert language.NUMBERS.index(asked["answer"]) == len(fitting)
            else:
                assert asked["answer"] == ("yes" if fitting else "no")
            seen.add(asked["answer"])
    assert len(answers["color"]) > 4 and len(answers["count"]) > 2 and answers["exist"] == {"yes", "no"}


@pytest.mark.parametrize("name", PROBES)
def test_splits_do_not_mix(name):
    found = 0
    for seed in SEEDS:
        world = house(seed)
        for split in ("train", "held_out"):
            spec = probe(name, world, seed, split)
            if spec is not None:
                assert language.is_held_out(spec.name, spec.arguments) == (split == "held_out")
                found += split == "held_out"
    assert found > 0


def test_unknown_names_are_refused():
    world = house(0)
    with pytest.raises(WorldError, match="no task named 'dance'"):
        probe("dance", world, 0)
    with pytest.raises(WorldError, match="no split named 'test'"):
        probe("go", world, 0, "test")
    with pytest.raises(WorldError, match="dance"):
        make_task(TaskSpec("dance", "dance", {}, 10))


# ---- success and events ----------------------------------------------------------------------------------------------


def stage() -> Stage:
    """Two rooms with a red ball at (2, 1) and a blue mug at (2, 3)."""
    rooms = (Room("r0", 0.0, 0.0, 4.0, 4.0, "oak"), Room("r1", 4.0, 0.0, 8.0, 4.0, "oak"))
    ball = Thing("ball", "ball", "red", "medium", "r0", "floor", 2.0, 1.0, 0.0, 0.0)
    mug = Thing("mug", "mug", "blue", "medium", "r0", "floor", 2.0, 3.0, 0.0, 0.0)
    made = Stage(House(rooms, (), (), (ball, mug), (Start("solver", 0.5, 1.0, 0.0), Start("setter", 3.5, 3.5, 0.0))))
    made.places |= {"ball": np.array([2.0, 1.0, 0.15]), "mug": np.array([2.0, 3.0, 0.15])}
    return made


def judged(name: str, **arguments: Any) -> Trial:
    return Trial(stage(), name, arguments)


def test_go_succeeds_standing_before_the_target():
    trial = judged("go", target="ball").step(at=(1.0, 1.0), yaw=0.0)
    assert not trial.success
    assert trial.step(times=GO_STEPS).success
    assert [(e.sign, e.step) for e in trial.events] == [(1, trial.stage.step_index)]
    trial.step(at=(0.5, 3.0), times=3)
    assert trial.success and trial.signs == [1]


@pytest.mark.parametrize("at, yaw", [((0.5, 1.0), 0.0), ((1.0, 1.0), 0.8), ((1.0, 1.0), math.pi)])
def test_go_needs_nearness_and_facing(at, yaw):
    assert not judged("go", target="ball").step(at=at, yaw=yaw, times=10).success


def test_nearness_through_a_wall_does_not_count():
    trial = judged("go", target="ball").step(ball=(3.6, 1.0, 0.15))
    assert not trial.step(at=(4.4, 1.0), yaw=math.pi, times=8).success
    assert trial.step(at=(2.8, 1.0), yaw=0.0, times=4).success


def test_standing_before_a_wrong_thing_is_one_regress():
    trial = judged("go", target="ball").step(at=(1.0, 3.0), yaw=0.0, times=WRONG_STEPS)
    assert trial.signs == []  # the first of these steps was the walk there
    assert trial.step(times=20).signs == [-1] and not trial.success
    assert trial.step(at=(1.0, 1.0), times=1 + GO_STEPS).success and trial.signs == [-1, 1]


def test_lift_needs_the_right_thing_in_hand_and_high():
    trial = judged("lift", target="ball").step(held="ball", ball=(2.0, 1.0, 0.2))
    assert trial.signs == [1] and not trial.success
    assert not trial.step(ball=(2.0, 1.0, 0.15 + LIFT_HEIGHT - 0.01)).success
    assert trial.step(ball=(2.0, 1.0, 0.15 + LIFT_HEIGHT + 0.01)).success
    assert trial.step(held=None).signs == [1, 1]  # after success nothing is held against it


def test_lifting_a_wrong_thing_and_dropping_the_right_one_are_regress():
    assert judged("lift", target="ball").step(held="mug", mug=(2, 3, 0.9)).signs == [-1]
    trial = judged("lift", target="ball").step(held="ball").step(held=None).step(times=3)
    assert trial.signs == [1, -1] and not trial.success
    assert trial.step(held="ball", ball=(2, 1, 0.9)).signs == [1, -1, 1, 1] and trial.success


def test_walking_or_turning_past_the_target_is_not_going_to_it():
    trial = judged("go", target="ball")
    for i in range(12):
        trial.step(at=(1.0, 0.7 + 0.3 * (i % 2)), yaw=0.0)
    assert not trial.success
    trial = judged("go", target="ball").step(at=(1.0, 1.0))
    for i in range(12):
        trial.step(yaw=(-0.3, 0.3)[i % 2])
    assert not trial.success


def test_an_object_that_is_not_held_is_not_lifted():
    assert not judged("lift", target="ball").step(ball=(2.0, 1.0, 2.0), times=3).success


def test_position_needs_the_thing_let_go_near_and_at_rest():
    trial = judged("position", target="ball", next_to="mug").step(held="ball", ball=(2.0, 2.5, 0.3))
    assert not trial.step(times=3).success  # still in hand
    assert not trial.step(held=None, ball=(2.0, 2.5, 0.2)).success  # still falling
    assert not trial.step(ball=(2.0, 2.5, 0.15)).success
    assert trial.step().success and trial.signs == [1, 1]


def test_putting_it_elsewhere_is_regress_and_can_be_mended():
    trial = judged("position", target="ball", next_to="mug")
    trial.step(held="ball", ball=(2.0, 1.2, 0.3)).step(held=None).step(times=4)
    assert trial.signs == [1, -1] and not trial.success
    assert trial.step(held="ball").step(held=None, ball=(2.0, 2.5, 0.15)).step(times=2).success


def test_on_top_of_the_other_thing_is_not_beside_it():
    trial = judged("position", target="ball", next_to="mug").step(held="ball")
    assert not trial.step(held=None, ball=(2.05, 3.0, 0.45), times=4).success
    assert trial.signs == [1, -1]
    under = judged("position", target="ball", next_to="mug").step(held="ball").step(mug=(2.0, 3.0, 0.45))
    assert not under.step(held=None, ball=(2.05, 3.0, 0.15), times=4).success
    assert under.step(mug=(2.5, 3.0, 0.15), times=2).success


def test_beyond_a_wall_is_not_beside():
    trial = judged("position", target="ball", next_to="mug").step(mug=(3.8, 3.0, 0.15), held="ball")
    assert not trial.step(held=None, ball=(4.2, 3.0, 0.15), times=4).success
    assert trial.step(held="ball").step(held=None, ball=(3.4, 3.0, 0.15), times=2).success


def test_position_is_not_done_by_moving_the_other_thing():
    trial = judged("position", target="ball", next_to="mug")
    trial.step(held="mug", mug=(2.0, 1.5, 0.2)).step(held=None).step(times=5)
    assert not trial.success and trial.signs == [-1]


def test_the_first_answer_counts():
    trial = judged("color", target="ball", answer="red").step("red")
    assert trial.success and trial.signs == [1]
    trial = judged("color", target="ball", answer="red").step("blue").step("red")
    assert not trial.success and trial.task.over and trial.signs == [-1]


def test_an_utterance_without_an_answer_is_regress_and_leaves_the_question_open():
    trial = judged("exist", colour="red", kind="ball", answer="yes").step("three beds").step("ok")
    assert trial.signs == [-1] and not trial.task.over
    assert trial.step("yes there is").success


def test_words_said_before_the_question_was_heard_do_not_answer_it():
    task = make_task(TaskSpec("exist", "", {"colour": "red", "kind": "ball", "answer": "yes"}, 45))
    assert task.update(stage(), "yes") == (False, ())
    assert not task.over


def test_idle_talk_during_a_task_is_regress():
    assert judged("lift", target="ball").step("the blue mug").step("ok").signs == [-1]


def test_coming_into_the_right_room_is_progress_and_leaving_it_regress_once():
    trial = judged("go", target="ball")
    trial.stage.players["solver"].position = np.array([6.0, 1.0, 0.0])
    trial.task = make_task(trial.task.spec)
    trial.step(yaw=3.0)
    for x in (5.0, 3.5, 5.0, 3.5, 5.0):
        trial.step(at=(x, 3.5), yaw=1.5)
    assert trial.signs == [1, -1]
