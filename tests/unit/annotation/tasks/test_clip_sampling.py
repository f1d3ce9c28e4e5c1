"""Pairs of clips: seeded, of two different clips, under one request where they are of two episodes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from annotation.tasks.clip_sampling import ClipSampler, ClipSettings, DrawnPair, Played, draw_by_place

STEPS = 5
MUG, BALL = "lift the mug", "lift the ball"
HEARD = {
    "mug": ["", *[MUG] * 19],
    "both": [*[MUG] * 12, *[BALL] * 4, *[MUG] * 8],  # the ball's stretch is shorter than a clip
    "each": [*[MUG] * 6, *[BALL] * 6],  # two clips that share no step are under two requests
    "ball": [BALL] * 15,
    "balls": [BALL] * 9,  # too short for two clips that share no step
    "silent": [""] * 20,
    "short": [MUG] * 4,
}


PLAYED = {
    f"{player} {place}": Played(place, player, ["", *[MUG] * (5 if player == "old" else 7)])
    for place in ("kitchen", "hall", "attic")
    for player in ("old", "new")
} | {"again": Played("hall", "old", [MUG] * 4), "alone": Played("cellar", "new", [MUG] * 9)}


def drawn(within: float = 0.5, seed: int = 0, count: int = 60, first: int = 0) -> list[DrawnPair]:
    return list(ClipSampler(HEARD, ClipSettings(STEPS, within, seed)).draw(first, count, set()))


def test_clips_are_whole_stretches_of_one_request() -> None:
    for pair in drawn():
        for clip, request in zip((pair.a, pair.b), pair.requests, strict=True):
            assert clip.end - clip.begin == STEPS
            assert HEARD[clip.episode_id][clip.begin : clip.end] == [request] * STEPS
            assert request or clip.episode_id == "silent"


def test_half_are_of_one_episode_and_the_others_of_two_under_one_request() -> None:
    pairs = drawn()
    within = [pair for pair in pairs if pair.a.episode_id == pair.b.episode_id]
    assert len(within) == 30 and len(pairs) == 60
    assert all(abs(pair.a.begin - pair.b.begin) >= STEPS for pair in within)  # they share no step
    assert {pair.a.episode_id for pair in within} == {"mug", "both", "each", "ball", "silent"}
    assert {len(set(pair.requests)) for pair in within if pair.a.episode_id == "each"} == {2}
    assert {len(set(pair.requests)) for pair in within if pair.a.episode_id != "each"} == {1}
    for pair in pairs:
        if pair not in within:
            assert pair.requests[0] == pair.requests[1] != ""
    assert {pair.requests[0] for pair in pairs if pair not in within} == {MUG, BALL}
    assert all(pair.a.episode_id == pair.b.episode_id for pair in drawn(within=1.0, count=30))
    assert not any(pair.a.episode_id == pair.b.episode_id for pair in drawn(within=0.0, count=30))


def test_the_draw_depends_on_its_seed_and_number() -> None:
    assert drawn() == drawn() != drawn(seed=1)
    first = drawn(count=20)
    rest = ClipSampler(HEARD, ClipSettings(STEPS, 0.5, 0)).draw(20, 40, {pair.clips for pair in first})
    assert [*first, *rest] == drawn()
    renamed = {f"z{9 - number}": said for number, said in enumerate(HEARD.values())}  # ids differ between studies
    again = ClipSampler(renamed, ClipSettings(STEPS, 0.5, 0)).draw(0, 60, set())
    assert [(pair.a.begin, pair.b.begin) for pair in again] == [(pair.a.begin, pair.b.begin) for pair in drawn()]


def test_no_pair_is_drawn_twice_and_the_draw_ends_when_there_are_no_more() -> None:
    few = ClipSampler({"one": [MUG] * 11, "other": [BALL] * 5}, ClipSettings(STEPS, 0.5, 0))
    pairs = list(few.draw(0, 50, set()))
    assert len(pairs) == 3 == len({pair.clips for pair in pairs})  # steps 0 and 5, 0 and 6, 1 and 6
    assert [pair.number for pair in pairs] == [0, 1, 2]


@pytest.mark.parametrize("heard", [{}, {"short": [MUG] * 4}, {"one": [MUG] * 9, "other": [BALL] * 9}])
def test_without_two_clips_there_is_no_pair(heard: dict[str, list[str]]) -> None:
    assert list(ClipSampler(heard, ClipSettings(STEPS, 0.5, 0)).draw(0, 5, set())) == []


def by_place(seed: int = 0, first: int = 0, count: int = 9, known: Iterable[DrawnPair] = ()) -> list[DrawnPair]:
    return list(draw_by_place(PLAYED, seed, first, count, {pair.clips for pair in known}))


def test_pairs_by_place_are_two_players_whole_episodes() -> None:
    pairs = by_place()
    assert len(pairs) == 4 and [pair.number for pair in pairs] == [0, 1, 2, 3]  # in the hall, "old" has played twice
    for pair in pairs:
        one, other = PLAYED[pair.a.episode_id], PLAYED[pair.b.episode_id]
        assert one.place == other.place and one.player != other.player
        assert (pair.a.begin, pair.b.begin) == (0, 0)
        assert pair.a.end == pair.b.end == min(len(one.heard), len(other.heard)) and pair.requests == (MUG, MUG)


def test_pairs_by_place_are_drawn_by_seed_and_none_twice_on_either_side() -> None:
    assert by_place() == by_place() != by_place(seed=1)
    two = by_place(count=2)
    rest = by_place(first=2, known=two)
    assert two == by_place()[:2] and {pair.clips for pair in two + rest} == {pair.clips for pair in by_place()}
    sides = {PLAYED[by_place(seed)[0].a.episode_id].player for seed in range(9)}
    assert sides == {"old", "new"}
