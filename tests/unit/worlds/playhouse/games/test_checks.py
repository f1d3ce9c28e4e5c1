"""Success checks of games, on a stage where things are wherever the test puts them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games.asking import make_task
from worlds.playhouse.house.record import Furniture, House, Room, Start, Thing

UNCHANGED = object()


@dataclass
class Pose:
    """A player as checks see it."""

    position: np.ndarray
    yaw: float = 0.0
    held: str | None = None


@dataclass
class Stage:
    """A room with a ball, a mug, three books and a table; a test moves everything."""

    step_index: int = 0
    players: dict[str, Pose] = field(default_factory=dict)

    def __post_init__(self) -> None:
        room = Room("r0", 0.0, 0.0, 6.0, 6.0, "oak")
        table = Furniture("table", "table", "white", "r0", 5.0, 5.0, 0)
        kinds = {"ball": "ball", "mug": "mug", "b1": "book", "b2": "book", "b3": "book"}
        things = tuple(
            Thing(name, kind, "red", "medium", "r0", "floor", 1.0 + i, 1.0, 0.0, 0.0)
            for i, (name, kind) in enumerate(kinds.items())
        )
        starts = (Start("setter", 0.5, 5.0, 0.0), Start("solver", 0.5, 3.0, 0.0))
        self.house = House((room,), (), (table,), things, starts)
        self.places = {t.id: np.array([t.x, t.y, t.height / 2]) for t in things}
        self.players = {s.agent: Pose(np.array([s.x, s.y, 0.0])) for s in starts}

    def avatar(self, agent: str) -> Pose:
        return self.players[agent]

    def object_position(self, object_id: str) -> np.ndarray:
        return self.places[object_id].copy()

    def object_positions(self) -> dict[str, np.ndarray]:
        return {name: place.copy() for name, place in self.places.items()}

    def room_at(self, xy: Any) -> str | None:
        return "r0"

    def inside(self, object_id: str, container_id: str) -> bool:
        return False


class Trial:
    """One request judged step by step."""

    def __init__(self, name: str, **arguments: Any) -> None:
        self.stage, self.signs, self.success = Stage(), [], False
        self.task = make_task(TaskSpec(name, "", arguments, 60))
        self.step()

    def step(self, times: int = 1, held: Any = UNCHANGED, setter: Any = UNCHANGED, **places: Any) -> Trial:
        for _ in range(times):
            self.stage.step_index += 1
            if held is not UNCHANGED:
                self.stage.players["solver"].held = held
            if setter is not UNCHANGED:
                self.stage.players["setter"].held = setter
            self.stage.places.update({name: np.array(at, dtype=float) for name, at in places.items()})
            self.success, events = self.task.update(self.stage, "")  # type: ignore[arg-type]
            self.signs += [event.sign for event in events]
        return self


def one(*among: str, number: int = 1) -> dict[str, Any]:
    return {"among": list(among), "number": number}


def test_put_on_needs_the_thing_let_go_and_at_rest_on_the_table():
    trial = Trial("put on", things=one("mug"), target=one("table")).step(held="mug", mug=(5.0, 5.0, 0.9))
    assert not trial.step(2).success
    assert not trial.step(held=None, mug=(5.0, 5.0, 0.8)).success
    assert trial.step(mug=(5.0, 5.0, 0.74)).step(2).success and trial.signs == [1, 1]


def test_put_on_counts_only_what_the_solver_carried_and_as_many_as_are_meant():
    trial = Trial("put on", things=one("b1", "b2", "b3", number=2), target=one("table"))
    assert not trial.step(3, b1=(5.0, 5.0, 0.65)).success and trial.signs == []
    trial.step(held="b2").step(held=None, b2=(4.8, 5.0, 0.65)).step(2)
    assert not trial.success and trial.signs == [1, 1]
    assert trial.step(held="b3").step(held=None, b3=(5.2, 5.0, 0.65)).step(2).success


def test_a_right_thing_left_elsewhere_and_a_wrong_thing_taken_are_regress():
    trial = Trial("put on", things=one("mug"), target=one("table")).step(held="mug").step(held=None).step(3)
    assert trial.signs == [1, -1]
    assert trial.step(held="ball").signs == [1, -1, -1]


def test_what_was_put_somewhere_and_is_taken_away_again_is_regress_once():
    trial = Trial("put on", things=one("b1", "b2", number=2), target=one("table"))
    trial.step(held="b1").step(held=None, b1=(5.0, 5.0, 0.65)).step(3)
    assert trial.signs == [1, 1]
    assert trial.step(held="b1", b1=(4.0, 4.0, 1.0)).step(2).signs == [1, 1, -1]


def test_under_the_table_is_on_the_floor_below_its_top():
    trial = Trial("put under", things=one("mug"), target=one("table")).step(held="mug")
    assert not trial.step(held=None, mug=(5.0, 5.0, 0.74)).step(3).success
    assert trial.step(held="mug").step(held=None, mug=(5.0, 5.0, 0.14)).step(2).success


def test_handing_over_ends_in_the_setters_hand_and_not_at_its_feet():
    trial = Trial("hand over", things=one("mug")).step(held="mug", mug=(1.0, 5.0, 1.0))
    assert trial.signs == [1, 1]  # taken, brought
    assert not trial.step(held=None, mug=(1.0, 5.0, 0.14)).step(4).success and -1 not in trial.signs
    assert trial.step(setter="mug", mug=(1.0, 5.0, 1.0)).success


def test_a_setter_that_helps_itself_was_handed_nothing():
    assert not Trial("hand over", things=one("mug")).step(setter="mug").step(3).success


def test_touching_needs_the_right_thing_in_hand_at_the_target():
    trial = Trial("touch with", things=one("mug"), target=one("ball"))
    assert not trial.step(held="b1", b1=(1.1, 1.0, 0.2)).success and trial.signs == [-1]
    assert not trial.step(held="mug", mug=(2.0, 3.0, 0.2)).success
    assert trial.step(mug=(1.3, 1.0, 0.2)).success


def test_pushing_moves_the_target_without_taking_it():
    trial = Trial("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(0.8, 1.0, 0.2))
    assert not trial.step(mug=(0.95, 1.0, 0.2), ball=(1.15, 1.0, 0.17)).success
    assert trial.step(mug=(1.2, 1.0, 0.2), ball=(1.4, 1.0, 0.17)).success
    taken = Trial("push with", things=one("mug"), target=one("ball")).step(held="ball", ball=(2.0, 2.0, 1.0))
    assert taken.signs == [-1, -1] or -1 in taken.signs
    assert not taken.step(held="mug", mug=(2.1, 2.0, 0.9)).success


def test_what_was_kicked_and_is_then_tapped_has_not_been_pushed():
    trial = Trial("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(3.0, 3.0, 0.5))
    trial.step(ball=(1.3, 1.0, 0.17)).step(ball=(1.6, 1.0, 0.17)).step(2)
    assert not trial.step(mug=(1.4, 1.0, 0.2)).step(3).success
    assert trial.step(mug=(1.7, 1.0, 0.2), ball=(1.95, 1.0, 0.17)).success


def test_what_rolls_on_from_a_push_is_pushed_and_what_is_kicked_later_is_not():
    trial = Trial("push with", things=one("mug"), target=one("ball")).step(held="mug", mug=(0.8, 1.0, 0.2))
    trial.step(mug=(0.9, 1.0, 0.2), ball=(1.1, 1.0, 0.17)).step(ball=(1.25, 1.0, 0.17)).step(2)
    trial.step(mug=(3.0, 3.0, 0.5)).step(ball=(1.25, 2.0, 0.17)).step(2)  # by a foot
    assert not trial.step(mug=(1.05, 2.0, 0.2)).success
    assert trial.step(mug=(1.15, 2.0, 0.2), ball=(1.35, 2.0, 0.17)).success


def test_a_row_needs_all_three_and_one_that_was_carried():
    row = {"b1": (2.0, 3.0, 0.05), "b2": (2.6, 3.0, 0.05), "b3": (3.2, 3.0, 0.05)}
    trial = Trial("line up", things=one("b1", "b2", "b3", number=3), shape="row")
    assert not trial.step(4).success  # they lie in a row already, but too far apart and untouched
    trial.step(held="b1").step(held=None, b1=row["b1"]).step(2)
    trial.step(held="b2").step(held=None, b2=row["b2"]).step(2)
    assert not trial.success
    assert trial.step(held="b3").step(held=None, b3=row["b3"]).step(2).success


def test_a_chain_is_done_in_order():
    first = {"game": "pick up", "arguments": {"things": one("mug")}}
    second = {"game": "bring", "arguments": {"things": one("ball")}}
    trial = Trial("do then", first=first, second=second)
    trial.step(held="ball", ball=(1.0, 5.0, 1.0)).step(held=None, ball=(1.0, 5.0, 0.17)).step(3)
    assert not trial.success  # the second alone is not what was asked
    trial.step(held="mug", mug=(2.0, 1.0, 1.0)).step(held=None)
    assert not trial.success
    assert trial.step(held="ball").step(held=None, ball=(1.2, 5.0, 0.17)).step(2).success
