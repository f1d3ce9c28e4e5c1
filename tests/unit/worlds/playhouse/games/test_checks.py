"""Success checks of games, on a stage where things are wherever the test puts them."""

from __future__ import annotations

from typing import Any

from tests.unit.worlds.playhouse.staging import Stage, Trial
from worlds.playhouse.house.record import Furniture, House, Room, Start, Thing


def stage() -> Stage:
    """A room with a ball, a mug, three books and a table."""
    kinds = {"ball": "ball", "mug": "mug", "b1": "book", "b2": "book", "b3": "book"}
    things = tuple(
        Thing(name, kind, "red", "medium", "r0", "floor", 1.0 + i, 1.0, 0.0, 0.0)
        for i, (name, kind) in enumerate(kinds.items())
    )
    table = Furniture("table", "table", "white", "r0", 5.0, 5.0, 0)
    starts = (Start("setter", 0.5, 5.0, 0.0), Start("solver", 0.5, 3.0, 0.0))
    return Stage(House((Room("r0", 0.0, 0.0, 6.0, 6.0, "oak"),), (), (table,), things, starts))


def judged(name: str, **arguments: Any) -> Trial:
    return Trial(stage(), name, arguments)


def one(*among: str, number: int = 1) -> dict[str, Any]:
    return {"among": list(among), "number": number}


def test_put_on_needs_the_thing_let_go_and_at_rest_on_the_table():
    trial = judged("put on", things=one("mug"), target=one("table")).step(held="mug", mug=(5.0, 5.0, 0.9))
    assert not trial.step(times=2).success
    assert not trial.step(held=None, mug=(5.0, 5.0, 0.8)).success
    assert trial.step(mug=(5.0, 5.0, 0.74)).step(times=2).success and trial.signs == [1, 1]


def test_put_on_counts_only_what_the_solver_carried_and_as_many_as_are_meant():
    trial = judged("put on", things=one("b1", "b2", "b3", number=2), target=one("table"))
    assert not trial.step(times=3, b1=(5.0, 5.0, 0.65)).success and trial.signs == []
    trial.step(held="b2").step(held=None, b2=(4.8, 5.0, 0.65)).step(times=2)
    assert not trial.success and trial.signs == [1, 1]
    assert trial.step(held="b3").step(held=None, b3=(5.2, 5.0, 0.65)).step(times=2).success


def test_a_right_thing_left_elsewhere_and_a_wrong_thing_taken_are_regress():
    trial = judged("put on", things=one("mug"), target=one("table")).step(held="mug").step(held=None).step(times=3)
    assert trial.signs == [1, -1]
    assert trial.step(held="ball").signs == [1, -1, -1]


def test_what_was_put_somewhere_and_is_taken_away_again_is_regress_once():
    trial = judged("put on", things=one("b1", "b2", number=2), target=one("table"))
    trial.step(held="b1").step(held=None, b1=(5.0, 5.0, 0.65)).step(times=3)
    assert trial.signs == [1, 1]
    assert trial.step(held="b1", b1=(4.0, 4.0, 1.0)).step(times=2).signs == [1, 1, -1]


def test_under_the_table_is_on_the_floor_below_its_top():
    trial = judged("put under", things=one("mug"), target=one("table")).step(held="mug")
    assert not trial.step(held=None, mug=(5.0, 5.0, 0.74)).step(times=3).success
    assert trial.step(held="mug").step(held=None, mug=(5.0, 5.0, 0.14)).step(times=2).success


def test_handing_over_ends_in_the_setters_hand_and_not_at_its_feet():
    trial = judged("hand over", things=one("mug")).step(held="mug", mug=(1.0, 5.0, 1.0))
    assert trial.signs == [1, 1]  # taken, brought
    assert not trial.step(held=None, mug=(1.0, 5.0, 0.14)).step(times=4).success and -1 not in trial.signs
    assert trial.step(setter="mug", mug=(1.0, 5.0, 1.0)).success


def test_a_setter_that_helps_itself_was_handed_nothing():
    assert not judged("hand over", things=one("mug")).step(setter="mug").step(times=3).success


def test_touching_needs_the_right_thing_in_hand_at_the_target():
    trial = judged("touch with", things=one("mug"), target=one("ball"))
    assert not trial.step(held="b1", b1=(1.1, 1.0, 0.2)).success and trial.signs == [-1]
    assert not trial.step(held="mug", mug=(2.0, 3.0, 0.2)).success
    assert trial.step(mug=(1.3, 1.0, 0.2)).success


def test_pushing_moves_the_target_without_taking_it():
    trial = judged("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(0.8, 1.0, 0.2))
    assert not trial.step(mug=(0.95, 1.0, 0.2), ball=(1.15, 1.0, 0.17)).success
    assert trial.step(mug=(1.2, 1.0, 0.2), ball=(1.4, 1.0, 0.17)).success
    taken = judged("push with", things=one("mug"), target=one("ball")).step(held="ball", ball=(2.0, 2.0, 1.0))
    assert taken.signs == [-1, -1] or -1 in taken.signs
    assert not taken.step(held="mug", mug=(2.1, 2.0, 0.9)).success


def test_what_was_kicked_and_is_then_tapped_has_not_been_pushed():
    trial = judged("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(3.0, 3.0, 0.5))
    trial.step(ball=(1.3, 1.0, 0.17)).step(ball=(1.6, 1.0, 0.17)).step(times=2)
    assert not trial.step(mug=(1.4, 1.0, 0.2)).step(times=3).success
    assert trial.step(mug=(1.7, 1.0, 0.2), ball=(1.95, 1.0, 0.17)).success


def test_what_rolls_on_from_a_push_is_pushed_and_what_is_kicked_later_is_not():
    trial = judged("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(0.8, 1.0, 0.2))
    trial.step(mug=(0.9, 1.0, 0.2), ball=(1.1, 1.0, 0.17)).step(ball=(1.25, 1.0, 0.17)).step(times=2)
    trial.step(mug=(3.0, 3.0, 0.5)).step(ball=(1.25, 2.0, 0.17)).step(times=2)  # by a foot
    assert not trial.step(mug=(1.05, 2.0, 0.2)).success
    assert trial.step(mug=(1.15, 2.0, 0.2), ball=(1.35, 2.0, 0.17)).success


def test_a_row_needs_all_three_and_one_that_was_carried():
    row = {"b1": (2.0, 3.0, 0.05), "b2": (2.6, 3.0, 0.05), "b3": (3.2, 3.0, 0.05)}
    trial = judged("line up", things=one("b1", "b2", "b3", number=3), shape="row")
    assert not trial.step(times=4).success  # they lie in a row already, but too far apart and untouched
    trial.step(held="b1").step(held=None, b1=row["b1"]).step(times=2)
    trial.step(held="b2").step(held=None, b2=row["b2"]).step(times=2)
    assert not trial.success
    assert trial.step(held="b3").step(held=None, b3=row["b3"]).step(times=2).success


def test_a_chain_is_done_in_order():
    first = {"game": "pick up", "arguments": {"things": one("mug")}}
    second = {"game": "bring", "arguments": {"things": one("ball")}}
    trial = judged("do then", first=first, second=second)
    trial.step(held="ball", ball=(1.0, 5.0, 1.0)).step(held=None, ball=(1.0, 5.0, 0.17)).step(times=3)
    assert not trial.success  # the second alone is not what was asked
    trial.step(held="mug", mug=(2.0, 1.0, 1.0)).step(held=None)
    assert not trial.success
    assert trial.step(held="ball").step(held=None, ball=(1.2, 5.0, 0.17)).step(times=2).success
