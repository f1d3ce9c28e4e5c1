"""Examples of wrong behaviour: exchanged words, progress played backwards, and the marks of both."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from reward_models.marks.augmentation import (
    Augmentation,
    exchange_answers,
    exchange_instruction,
    liked_answers,
)
from reward_models.marks.dialogue import Dialogue
from reward_models.marks.marked_play import mark_play
from reward_models.marks.pairs import MINUS, PLUS, pair_signs
from reward_models.marks.rewinding import Rewindable, rewind, rewindable
from rlhf.data.memory import MemoryDataset, encode_episodes
from tests.unit.reward_models.given_marks import marks_at


@pytest.fixture
def two_talks(make_play, tokenizer, tiny) -> MemoryDataset:
    """Rows 0-7: asked at 1, answers 'red' at 3 and 'yes' at 6. Rows 8-13: asked at 9 and 12, answers 'no' at 10."""
    one = make_play(
        "one", ["", *["which is it"] * 7], utterance=["", "", "", "red", "", "", "yes", ""], solver="agent:bc"
    )
    two = make_play(
        "two", ["", *["is it on"] * 3, *["light the red lamp"] * 2], utterance=["", "", "no", "", "", "yes"]
    )
    return encode_episodes([one, two], tokenizer, tiny)


def test_dialogue_finds_requests_and_utterances(two_talks: MemoryDataset) -> None:
    dialogue = Dialogue.of(two_talks)
    assert dialogue.requests.tolist() == [1, 9, 12]
    assert dialogue.utterances.tolist() == [3, 6, 10], "that of the last step is never heard"
    same = dialogue.setter_text[:, None] == dialogue.setter_text[None]
    tokens = two_talks.observations.setter_tokens
    assert np.array_equal(same, (tokens[:, None] == tokens[None]).all(-1))


def test_another_instruction_makes_later_progress_a_regression() -> None:
    marks = marks_at(6, plus=(1, 2, 5), minus=(3,))
    change = exchange_instruction(slice(8, 14), marks, request=10, donor=1)
    assert change.start == 8
    assert change.setter_rows.tolist() == [8, 9, 1, 1, 1, 1]
    assert change.solver_rows.tolist() == list(range(8, 14))
    # The (+) at the request's own step judges what was done before it.
    assert np.flatnonzero(change.marks[:, 0, PLUS]).tolist() == [1, 2]
    assert np.flatnonzero(change.marks[:, 0, MINUS]).tolist() == [3, 5]
    assert np.array_equal(marks, marks_at(6, plus=(1, 2, 5), minus=(3,)))


@pytest.mark.parametrize(
    ("plus", "minus", "delay", "left_plus", "left_minus", "unclear"),
    [
        ((3, 5), (), 0, [], [3, 5], []),
        ((3, 5), (), 1, [], [5], [3]),
        ((2, 3, 5), (4,), 2, [2], [4, 5], [3]),
    ],
)
def test_ambiguous_marks_are_dropped_and_their_steps_unknown(
    plus, minus, delay, left_plus, left_minus, unclear
) -> None:
    """The request is heard at step 2; a (+) until ``delay`` steps later may be about what was done before."""
    change = exchange_instruction(slice(8, 14), marks_at(6, plus, minus), request=10, donor=1, delay=delay)
    assert np.flatnonzero(change.marks[:, 0, PLUS]).tolist() == left_plus
    assert np.flatnonzero(change.marks[:, 0, MINUS]).tolist() == left_minus
    assert np.flatnonzero(change.unclear).tolist() == unclear


def test_other_answers_are_seen_until_the_next_and_marked_wrong(two_talks: MemoryDataset) -> None:
    dialogue, rows = Dialogue.of(two_talks), slice(0, 8)
    marks = marks_at(8, plus=(2, 5, 7))
    assert liked_answers(dialogue, rows, marks, reach=8).tolist() == [3, 6]
    change = exchange_answers(dialogue, rows, marks, {3: 11}, reach=8)
    assert change.solver_rows.tolist() == [0, 1, 2, 3, 11, 11, 11, 7]
    assert change.setter_rows.tolist() == list(range(8))
    # (+) at 2 came before the answer, (+) at 7 judges the next one.
    assert np.flatnonzero(change.marks[:, 0, PLUS]).tolist() == [2, 7]
    assert np.flatnonzero(change.marks[:, 0, MINUS]).tolist() == [5]


def test_answers_marked_wrong_or_not_at_all_stay(two_talks: MemoryDataset) -> None:
    dialogue, rows = Dialogue.of(two_talks), slice(0, 8)
    assert liked_answers(dialogue, rows, marks_at(8, minus=(5,)), reach=8).size == 0
    assert liked_answers(dialogue, rows, marks_at(8, plus=(5,), minus=(4,)), reach=8).size == 0
    assert liked_answers(dialogue, rows, marks_at(8, plus=(6,)), reach=2).size == 0  # too long after


def test_alterations_exchange_only_for_other_words_and_turn_a_mark(two_talks: MemoryDataset) -> None:
    dialogue, rows = Dialogue.of(two_talks), slice(0, 8)
    marks = marks_at(8, plus=(5,))
    kinds = set()
    for seed in range(60):
        change = Augmentation(1.0).alter(dialogue, rows, marks, np.random.default_rng(seed))
        assert change is not None
        assert change.marks[..., PLUS].sum() == 0 and change.marks[..., MINUS].sum() == 1
        own = np.arange(8)
        setter, solver = change.setter_rows != own, change.solver_rows != own
        assert setter.any() != solver.any()
        taken, texts = (
            (change.setter_rows, dialogue.setter_text) if setter.any() else (change.solver_rows, dialogue.solver_text)
        )
        altered = setter | solver
        assert (texts[taken[altered]] != texts[own[altered]]).all()
        kinds.add("instruction" if setter.any() else "answers")
    assert kinds == {"instruction", "answers"}


def test_an_episode_goes_forth_and_back_and_forth_again() -> None:
    """Written out by hand: stretch 2 to 5, a mark at most one step late."""
    found = rewind(marks_at(12, plus=(5, 7), minus=(1,)), Rewindable(2, 5), delay=1)
    assert found.frames.tolist() == [0, 1, 2, 3, 4, 5, 4, 3, 2, 3, 4, 5]
    assert found.words.tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 3, 4, 5]
    assert np.flatnonzero(found.backwards).tolist() == [6, 7, 8]
    # The (+) may be about what was first seen at 4, so it is undone when 3 is seen again, at step 7.
    assert np.flatnonzero(found.marks[:, 0, MINUS]).tolist() == [1, 7]
    assert np.flatnonzero(found.marks[:, 0, PLUS]).tolist() == [5, 11]
    assert np.flatnonzero(found.unclear).tolist() == [6, 8]


def test_marks_order_every_pair_of_a_rewound_episode_as_the_shown_progress_does() -> None:
    """Brute force: give every frame its true progress, and look at all pairs that the marks compare."""
    for delay in range(3):
        event, mark = 6, 6 + delay  # done at 6, marked late
        found = rewind(marks_at(20, plus=(mark,)), Rewindable(1, mark), delay)
        progress = (found.frames >= event).astype(int)
        signs = pair_signs(torch.from_numpy(found.marks)[:, None], torch.zeros(20, 1, dtype=torch.long))[:, :, 0, 0]
        pairs = signs.nonzero().tolist()
        assert {int(signs[a, b]) for a, b in pairs} == {1, -1}
        late = (found.frames >= event) & (found.frames < mark) & ~found.backwards  # marks are late here as elsewhere
        for earlier, later in pairs:
            before, after = (earlier, later) if signs[earlier, later] > 0 else (later, earlier)
            assert progress[after] == 1 and (progress[before] == 0 or late[before])


@pytest.mark.parametrize(
    ("plus", "minus", "delay", "expected"),
    [
        pytest.param((4,), (), 0, [(1, 4)], id="since the request"),
        pytest.param((8,), (), 0, [], id="about an answer, or after one"),
        pytest.param((16,), (14,), 0, [(14, 16)], id="since the last mark"),
        pytest.param((16,), (16,), 0, [], id="both signs"),
        pytest.param((16, 19), (), 0, [(12, 16), (16, 19)], id="two"),
        pytest.param((1,), (), 0, [], id="nothing came before"),
        pytest.param((23,), (), 0, [], id="nothing can follow"),
        pytest.param((14,), (), 2, [], id="no step is surely before it"),
        pytest.param((13,), (), 0, [(12, 13)], id="a single step"),
    ],
)
def test_only_clean_stretches_without_words_are_rewound(
    make_play, tokenizer, tiny, plus, minus, delay, expected
) -> None:
    """Asked at 1 and 12; the solver answers at 6, which is heard at 7."""
    words = ["", *["which is it"] * 11, *["is it on"] * 12]
    play = mark_play([make_play("a", words, utterance=["", *[""] * 5, "red", *[""] * 17])], [], tokenizer, tiny)
    found = rewindable(Dialogue.of(play.episodes), slice(0, 24), marks_at(24, plus, minus), 2, delay)
    assert [tuple(one) for one in found] == expected
