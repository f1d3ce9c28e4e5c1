"""Marked play as arrays, and windows that carry marks and alterations along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.tokenizer import PAD_ID
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, altered, mark_play, marks_later
from reward_models.marks.pairs import MINUS, PLUS
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


def test_bad_marks_and_images_are_refused_in_one_line(make_play, tokenizer, tiny) -> None:
    episode = make_play("a", ["x"] * 3)
    with pytest.raises(UserError, match="marked step 3 of episode a"):
        mark_play([episode], [Mark("a", "ann", 3, 1, False)], tokenizer, tiny)
    large = replace(episode, image=np.zeros((3, 16, 16, 3), dtype=np.uint8))
    with pytest.raises(UserError, match="16x16"):
        mark_play([large], [], tokenizer, tiny)
    with pytest.raises(UserError, match="no episodes"):
        mark_play([], [], tokenizer, tiny)


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


def test_windows_follow_whole_episodes_with_their_marks(dozen: MarkedPlay) -> None:
    stream = MarkedStream(dozen, steps=7, batch=3, seed=0, augmentation=Augmentation(0.0))
    windows = [stream.next_marked() for _ in range(30)]
    images = torch.cat([w.observations.image for w in windows])
    resets, marks = torch.cat([w.resets for w in windows]), torch.cat([w.marks for w in windows])
    seen = 0
    for column in range(3):
        begins = resets[:, column].nonzero().flatten().tolist()
        for begin, end in zip(begins[:-1], begins[1:], strict=True):
            image = images[begin:end, column].numpy()
            matches = [
                e
                for e in range(len(dozen))
                if len(dozen.marks_of(e)) == end - begin and np.array_equal(dozen.episodes.image[dozen.rows(e)], image)
            ]
            assert len(matches) == 1
            assert np.array_equal(marks[begin:end, column].numpy(), dozen.marks_of(matches[0]))
            seen += 1
    assert seen > 20
    assert all(bool(w.imitate.all()) for w in windows)


def test_an_alteration_holds_to_the_end_of_its_episode(dozen: MarkedPlay) -> None:
    """Windows shorter than episodes: the words stay exchanged, marks turn, and BC and CSS leave the steps out."""
    stream = MarkedStream(dozen, steps=5, batch=4, seed=0, augmentation=Augmentation(1.0))
    windows = [stream.next_marked() for _ in range(60)]
    resets = torch.cat([w.resets for w in windows])
    words = torch.cat([w.observations.setter_tokens for w in windows])
    marks, imitate = torch.cat([w.marks for w in windows]), torch.cat([w.imitate for w in windows])
    matched = torch.cat([w.matched for w in windows])
    images = torch.cat([w.observations.image for w in windows])
    own = {dozen.episodes.image[dozen.rows(e)].tobytes(): e for e in range(len(dozen))}
    turned = 0
    for column in range(4):
        begins = resets[:, column].nonzero().flatten().tolist()
        for begin, end in zip(begins[:-1], begins[1:], strict=True):
            episode = own[images[begin:end, column].numpy().tobytes()]
            spoken = words[begin:end, column][words[begin:end, column, 0] != PAD_ID]
            assert (spoken == spoken[0]).all()
            original = dozen.episodes.setter_tokens[dozen.rows(episode)][-1]
            if dozen.marks_of(episode)[..., PLUS].any():
                assert not np.array_equal(spoken[0].numpy(), original)
                assert not marks[begin:end, column, :, PLUS].any() and marks[begin:end, column, :, MINUS].sum() == 1
                assert not imitate[begin:end, column].any() and not matched[begin:end, column].any()
                turned += 1
            else:
                assert np.array_equal(spoken[0].numpy(), original) and imitate[begin:end, column].all()
    assert turned > 10


def test_the_stream_resumes_exactly(dozen: MarkedPlay) -> None:
    def make(seed: int) -> MarkedStream:
        return MarkedStream(dozen, steps=5, batch=3, seed=seed, augmentation=Augmentation(0.5))

    stream = make(0)
    for _ in range(7):
        stream.next_marked()
    state = stream.state_dict()
    expected = [stream.next_marked() for _ in range(10)]
    resumed = make(99)
    resumed.load_state_dict(state)
    for window in expected:
        other = resumed.next_marked()
        assert torch.equal(window.observations.image, other.observations.image)
        assert torch.equal(window.observations.setter_tokens, other.observations.setter_tokens)
        assert torch.equal(window.marks, other.marks) and torch.equal(window.imitate, other.imitate)


def test_altered_play_is_wrong_and_the_original_unchanged(dozen: MarkedPlay) -> None:
    before = dozen.episodes.setter_tokens.copy()
    wrong, which = altered(dozen, range(len(dozen)))
    assert which == [e for e in range(len(dozen)) if dozen.marks_of(e)[..., PLUS].any()]
    assert all(not wrong.marks_of(e)[..., PLUS].any() for e in which)
    assert all((wrong.episodes.setter_tokens[wrong.rows(e)] != before[wrong.rows(e)]).any() for e in which)
    assert wrong.episodes.image is dozen.episodes.image
    assert np.array_equal(dozen.episodes.setter_tokens, before)
    again, _ = altered(dozen, range(len(dozen)))
    assert np.array_equal(again.episodes.setter_tokens, wrong.episodes.setter_tokens)
