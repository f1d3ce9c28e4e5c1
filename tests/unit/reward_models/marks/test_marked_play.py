"""Marked play as arrays, and windows that carry marks and alterations along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from agents.tokenizer import PAD_ID
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, altered, mark_play, marks_later
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.marks.rewinding import Rewindable, rewind
from rlhf.records.episode import CO_PILOT
from rlhf.records.marks import Mark
from worlds.errors import UserError


@pytest.fixture
def dozen(lamp_play) -> MarkedPlay:
    return lamp_play(range(12))


def test_marks_lie_beside_their_episodes(make_play, tokenizer, tiny) -> None:
    episodes = [make_play("a", ["x"] * 3), make_play("b", ["y"] * 4), make_play("c", ["z"] * 2)]
    marks = [Mark("b", "ann", 3, -1, False), Mark("b", "bob", 1, 1, False), Mark("c", "bob", 1, 1, False)]
    play = mark_play(episodes, [*marks, Mark("elsewhere", "ann", 999, 1, False)], tokenizer, tiny)
    assert play.marks.shape == (9, 2, 2) and play.marks.sum() == 3
    assert play.marks_of(1)[3, 0, MINUS] == 1 and play.marks_of(1)[1, 1, PLUS] == 1
    assert play.marks_of(2)[1, 0, PLUS] == 1  # raters are numbered within their episode
    assert play.comparable.tolist() == [1, 2]
    assert play.episode_ids == ("a", "b", "c")


def test_a_mark_beyond_its_episode_is_refused(make_play, tokenizer, tiny) -> None:
    with pytest.raises(UserError, match="ann marked step 3 of episode a, whose last step is 2"):
        mark_play([make_play("a", ["x"] * 3)], [Mark("a", "ann", 3, 1, False)], tokenizer, tiny)


def test_only_demonstrated_steps_are_imitated(make_play, tokenizer, tiny) -> None:
    controller = np.array([0, CO_PILOT, 0], dtype=np.uint8)
    by_agent = replace(make_play("a", ["x"] * 3, solver="agent:bc"), controller=controller)
    play = mark_play([by_agent], [], tokenizer, tiny)
    window = MarkedStream(play, steps=3, batch=1, seed=0, augmentation=Augmentation(0.0)).next_marked()
    begin = int(window.resets.nonzero()[0, 0])
    assert window.imitate[:, 0].roll(-begin).tolist() == [False, True, False]


def test_quiet_steps_are_far_from_marks_in_rated_episodes(make_play, tokenizer, tiny) -> None:
    episodes = [make_play("a", ["x"] * 8), make_play("b", ["x"] * 4)]
    play = mark_play(episodes, [Mark("a", "ann", 3, 1, False)], tokenizer, tiny)
    assert np.flatnonzero(play.unmarked(margin=1)).tolist() == [0, 1, 5, 6, 7]
    assert np.flatnonzero(play.unmarked(margin=0)).tolist() == [0, 1, 2, 4, 5, 6, 7]


def test_marks_may_be_read_later_than_they_were_given(make_play, tokenizer, tiny) -> None:
    episodes = [make_play("a", ["x"] * 8), make_play("b", ["x"] * 4)]
    given = [("a", "ann", 0, 1), ("a", "ann", 5, -1), ("a", "ann", 6, -1), ("a", "bob", 3, 1), ("b", "bob", 1, 1)]
    play = mark_play(episodes, [Mark(e, r, step, sign, False) for e, r, step, sign in given], tokenizer, tiny)
    moved = marks_later(play, 3)
    assert [tuple(map(int, place)) for place in np.argwhere(moved.marks)] == [
        (3, 0, PLUS), (6, 1, PLUS), (7, 0, MINUS), (11, 0, PLUS)
    ]  # fmt: skip
    assert moved.marks[7, 0, MINUS] == 2, "none leaves its episode"
    assert play.marks.sum() == moved.marks.sum() and marks_later(play, 0) is play


def played(stream: MarkedStream, windows: int) -> Iterator[dict[str, torch.Tensor]]:
    """Episodes that a stream shows from beginning to end: what is seen, the marks, and what is imitated and matched."""
    shown = [stream.next_marked() for _ in range(windows)]
    parts = {
        name: torch.cat([getattr(one, name) for one in shown]) for name in ("resets", "marks", "imitate", "matched")
    }
    for name in ("image", "setter_tokens", "previous_movement"):
        parts[name] = torch.cat([getattr(one.observations, name) for one in shown])
    for column in range(parts["resets"].shape[1]):
        begins = parts["resets"][:, column].nonzero().flatten().tolist()
        for begin, end in pairwise(begins):
            yield {name: part[begin:end, column] for name, part in parts.items()}


def test_windows_follow_whole_episodes_with_their_marks(dozen: MarkedPlay) -> None:
    own = {dozen.episodes.observations.image[dozen.rows(e)].tobytes(): e for e in range(len(dozen))}
    shown = list(played(MarkedStream(dozen, steps=7, batch=3, seed=0, augmentation=Augmentation(0.0)), 30))
    assert len(shown) > 20
    for one in shown:
        assert np.array_equal(one["marks"].numpy(), dozen.marks_of(own[one["image"].numpy().tobytes()]))
        assert one["imitate"].all()


def test_an_alteration_holds_to_the_end_of_its_episode(dozen: MarkedPlay) -> None:
    """Windows shorter than episodes: the words stay exchanged, marks turn, and BC and CSS leave the steps out."""
    own = {dozen.episodes.observations.image[dozen.rows(e)].tobytes(): e for e in range(len(dozen))}
    turned = 0
    for one in played(MarkedStream(dozen, steps=5, batch=4, seed=0, augmentation=Augmentation(1.0)), 60):
        episode, words = own[one["image"].numpy().tobytes()], one["setter_tokens"]
        spoken = words[words[:, 0] != PAD_ID]
        assert (spoken == spoken[0]).all()
        original = dozen.episodes.observations.setter_tokens[dozen.rows(episode)][-1]
        altered = bool(dozen.marks_of(episode)[..., PLUS].any())
        assert np.array_equal(spoken[0].numpy(), original) != altered
        assert one["imitate"].all() != altered and one["matched"].any() != altered
        if altered:
            assert not one["marks"][..., PLUS].any() and one["marks"][..., MINUS].sum() == 1
            assert not one["imitate"].any()
            turned += 1
    assert turned > 10


def test_a_stream_shows_rewound_frames_under_the_words_of_the_turn(dozen: MarkedPlay) -> None:
    moved = dozen.episodes.observations.previous_movement.copy()
    moved[:] = np.arange(len(dozen.marks))[:, None, None] % 7
    play = replace(dozen, episodes=dozen.episodes.seeing(previous_movement=moved))
    first = {play.episodes.observations.image[play.rows(e)][0].tobytes(): e for e in range(len(play))}
    rewound = 0
    for one in played(MarkedStream(play, steps=6, batch=3, seed=0, augmentation=Augmentation(0.0, rewind=1.0)), 40):
        episode = first[one["image"][0].numpy().tobytes()]
        rows, own = play.rows(episode), play.marks_of(episode)
        images = play.episodes.observations.image[rows]
        if np.array_equal(one["image"], images):
            continue
        mark = int(np.flatnonzero(own[:, 0, PLUS])[0])
        expected = rewind(own, Rewindable(1, mark), delay=1)
        assert np.array_equal(one["image"], images[expected.frames])
        assert np.array_equal(one["marks"], expected.marks) and not one["imitate"].any()
        there = np.where(expected.backwards, rows.start, rows.start + expected.frames) % 7
        assert np.array_equal(one["previous_movement"][..., 0, 0], there)
        rewound += 1
    assert rewound > 5


def test_altered_play_is_wrong_and_the_original_unchanged(dozen: MarkedPlay) -> None:
    before = dozen.episodes.observations.setter_tokens.copy()
    wrong, which = altered(dozen, range(len(dozen)))
    assert which == [e for e in range(len(dozen)) if dozen.marks_of(e)[..., PLUS].any()]
    assert all(not wrong.marks_of(e)[..., PLUS].any() for e in which)
    assert all((wrong.episodes.observations.setter_tokens[wrong.rows(e)] != before[wrong.rows(e)]).any() for e in which)
    assert wrong.episodes.observations.image is dozen.episodes.observations.image
    assert np.array_equal(dozen.episodes.observations.setter_tokens, before)
    again, _ = altered(dozen, range(len(dozen)))
    assert np.array_equal(again.episodes.observations.setter_tokens, wrong.episodes.observations.setter_tokens)
