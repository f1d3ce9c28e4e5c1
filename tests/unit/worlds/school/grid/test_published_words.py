"""What is seen in the published code's words, compared with the prompts of the paper (Figures 25 and 26)."""

from __future__ import annotations

import pytest

from tests.unit.worlds.school.grid.test_encoding import ENCODINGS
from tests.unit.worlds.school.grid.test_words import seen
from worlds.school.grid.codes import NO_OP, NONE, PEER, PEER_ACT_IDS
from worlds.school.grid.published_words import published_surroundings
from worlds.school.world import SchoolWorld

GREEN, BLUE, APPLE = (13, 1, 1, 0, 0, 0), (13, 2, 1, 0, 0, 0), (14, 0, 0, 0, 0, 0)
FIGURES = {
    (3, 0, GREEN): "3 steps in front of you there is a closed green lockablebox",
    (1, 0, GREEN): "Right in front of you there is a closed green lockablebox",
    (1, 0, APPLE): "Right in front of you there is a red apple",
    (0, 2, GREEN): "2 steps to the right there is a closed green lockablebox",
    (0, -2, GREEN): "2 steps to the left there is a closed green lockablebox",
    (1, 2, BLUE): "1 steps in front of you and 2 steps to the right there is a closed blue lockablebox",
    (2, -1, GREEN): "2 steps in front of you and 1 steps to the left there is a closed green lockablebox",
    (0, -1, GREEN): "Just to the left of you there is a closed green lockablebox",
    (0, 1, BLUE): "Just to the right of you there is a closed blue lockablebox",
    (3, -3, (PEER, 4, 0, 0, NONE, NO_OP)): "3 steps in front of you and 3 steps to the left there is a friendly yellow "
    "peer. It is looking towards you.",
}
WORDS = (
    "", "grey fence", "closed brown door", "open blue door", "closed red remotedoor", "closed purple lockablebox",
    "locked green lockablebox", "grey switch", "unactivated yellow lever", "red apple", "yellow apple",
    "square blue applegenerator", "round blue applegenerator", "green generatorplatform", "brown marble",
    "brown marbletee",
)  # fmt: skip


@pytest.mark.parametrize(("cell", "line"), FIGURES.items(), ids=FIGURES.values())
def test_lines_are_those_of_the_papers_prompts(cell: tuple[int, int, tuple[int, ...]], line: str) -> None:
    assert published_surroundings(seen(cell)) == line


@pytest.mark.parametrize(("encoding", "words"), [(one[1], words) for one, words in zip(ENCODINGS, WORDS, strict=True)])
def test_every_thing_has_its_published_words(encoding: tuple[int, ...], words: str) -> None:
    line = f"Right in front of you there is a {words}" if words else ""
    assert published_surroundings(seen((1, 0, encoding))) == line


def test_columns_come_from_left_to_right_and_the_farthest_first() -> None:
    lines = published_surroundings(seen((1, 1, GREEN), (2, -1, BLUE), (4, 1, APPLE), (0, 0, APPLE))).splitlines()
    assert lines == [
        "2 steps in front of you and 1 steps to the left there is a closed blue lockablebox",
        "4 steps in front of you and 1 steps to the right there is a red apple",
        "1 steps in front of you and 1 steps to the right there is a closed green lockablebox",
    ]


def test_levers_count_down_and_peers_look_point_and_act() -> None:
    pulled = (21, 4, 1, 7, 0, 0)
    assert published_surroundings(seen((1, 0, pulled))).endswith("a activated yellow lever with 7 timesteps left.")
    guard = (PEER, 3, 1, 3, 2, PEER_ACT_IDS["stop_point"])
    assert published_surroundings(seen((2, 0, guard))) == (
        "2 steps in front of you there is a antagonistic purple peer. It is looking to the right of you. It is "
        "pointing in the same direction as you. It's last action is stop pointing."
    )


def test_a_world_says_them_where_it_is_asked_to() -> None:
    world = SchoolWorld(text=True, published_text=True)
    config = world.sample(3)
    said = world.reset(options={"config": config})[0]["solver"]["surroundings"]
    other = SchoolWorld(text=True).reset(options={"config": config})[0]["solver"]["surroundings"]
    assert said != other and all(" there is a " in line for line in said.splitlines())
