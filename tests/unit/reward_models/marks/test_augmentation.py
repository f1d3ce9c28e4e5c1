"""Examples of wrong behaviour: the exchanged words and the marks after the exchange."""

from __future__ import annotations

import numpy as np
import pytest

from reward_models.marks.augmentation import (
    Augmentation,
    Dialogue,
    exchange_answers,
    exchange_instruction,
    liked_answers,
)
from reward_models.marks.pairs import MINUS, PLUS
from rlhf.data.memory import MemoryDataset, encode_episodes


@pytest.fixture
def two_talks(make_play, tokenizer, tiny) -> MemoryDataset:
    """Rows 0-7: asked at 1, answers 'red' at 3 and 'yes' at 6. Rows 8-13: asked at 9 and 12, answers 'no' at 10."""
    one = make_play(
        "one", ["", *["which is it"] * 7], utterance=["", "", "", "red", "", "", "yes", ""], solver="agent:bc"
    )
    two = make_play("two", ["", *["is it on"] * 3, *["light the red lamp"] * 2], utterance=["", "", "no", "", "", ""])
    return encode_episodes([one, two], tokenizer, tiny)


def marks_at(steps: int, plus: tuple[int, ...] = (), minus: tuple[int, ...] = ()) -> np.ndarray:
    marks = np.zeros((steps, 1, 2), dtype=np.uint8)
    marks[list(plus), 0, PLUS] = 1
    marks[list(minus), 0, MINUS] = 1
    return marks


def test_dialogue_finds_requests_and_utterances(two_talks: MemoryDataset) -> None:
    dialogue = Dialogue.of(two_talks)
    assert dialogue.requests.tolist() == [1, 9, 12]
    assert dialogue.utterances.tolist() == [3, 6, 10]
    same = dialogue.setter_text[:, None] == dialogue.setter_text[None]
    tokens = two_talks.setter_tokens
    assert np.array_equal(same, (tokens[:, None] == tokens[None]).all(-1))


def test_utterances_of_the_last_step_are_never_seen(make_play, tokenizer, tiny) -> None:
    play = make_play("end", ["which is it"] * 3, utterance=["", "", "red"])
    assert Dialogue.of(encode_episodes([play, play], tokenizer, tiny)).utterances.size == 0


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


def test_ambiguous_marks_are_dropped_and_their_steps_unknown() -> None:
    marks = marks_at(6, plus=(3, 5))
    change = exchange_instruction(slice(8, 14), marks, request=10, donor=1, delay=1)
    assert not change.marks[3].any() and change.marks[5, 0, MINUS] == 1
    assert np.flatnonzero(change.unclear).tolist() == [3]
    assert not exchange_instruction(slice(8, 14), marks, request=10, donor=1).unclear.any()


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
        donors, texts = (
            (change.setter_rows[setter], dialogue.setter_text)
            if setter.any()
            else (change.solver_rows[solver], dialogue.solver_text)
        )
        assert (texts[donors] != texts[own[setter | solver]]).all()
        kinds.add("instruction" if setter.any() else "answers")
    assert kinds == {"instruction", "answers"}
