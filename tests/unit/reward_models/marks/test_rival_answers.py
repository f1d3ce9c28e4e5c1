"""Answers of one kind that cannot both be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reward_models.learning.told_answers import ToldAnswers
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.dialogue import Dialogue
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.pairs import MINUS
from reward_models.marks.rival_answers import RivalAnswers, rivals
from rlhf.records.marks import Mark

WHICH, ON = "which is it", "is it on"


@pytest.fixture
def talk(make_play, tokenizer, tiny) -> Callable[..., MarkedPlay]:
    def make(*houses: tuple[tuple[str, str], ...]) -> MarkedPlay:
        """Episodes of questions five steps apart, each answered two steps later and marked (+) at once."""
        episodes, marks = [], []
        for number, turns in enumerate(houses):
            heard = ["", *(question for question, _ in turns for _ in range(5))]
            said = [""] * len(heard)
            for turn, (_, answer) in enumerate(turns):
                said[5 * turn + 3] = answer
                marks.append(Mark(str(number), "ann", 5 * turn + 4, 1, True))
            episodes.append(make_play(str(number), heard, utterance=said))
        return mark_play(episodes, marks, tokenizer, tiny)

    return make


def text(play: MarkedPlay, house: int, turn: int = 0) -> int:
    """The answer of a turn."""
    return int(Dialogue.of(play.episodes, play.marks).solver_text[play.rows(house).start + 5 * turn + 4])


def offered(play: MarkedPlay, house: int, turn: int = 0) -> set[int]:
    """Texts offered as wrong instead of the answer of a turn."""
    dialogue = Dialogue.of(play.episodes, play.marks)
    rows = play.rows(house)
    found = RivalAnswers(dialogue, play.episodes).of(rows, rows.start + 5 * turn + 3, play.marks_of(house), reach=8)
    return set(dialogue.solver_text[found].tolist())


def test_rivals_answer_the_same_question_with_other_words() -> None:
    red, blue, yes, no, it_is_red, it_is_blue, the_red_one = range(7)
    liked = {red: {1, 2}, blue: {2}, yes: {7}, no: {7}, it_is_red: {2}, it_is_blue: {2}, the_red_one: {1}}
    words = {
        red: (10,), blue: (11,), yes: (20,), no: (21,), it_is_red: (30, 31, 10), it_is_blue: (30, 31, 11),
        the_red_one: (40, 10, 41),
    }  # fmt: skip
    found = rivals({answer: frozenset(asked) for answer, asked in liked.items()}, words)
    assert found[red] == {blue, it_is_blue} and found[blue] == {red, it_is_red}
    assert found[it_is_red] == {blue, it_is_blue}  # half of the answers say "it is": these words tell nothing apart
    assert found[yes] == {no} and found[the_red_one] == set()


def test_hard_answers_are_of_the_same_kind(talk) -> None:
    play = talk(*(((WHICH, c),) for c in ("red", "green", "blue")), *(((ON, c),) for c in ("yes", "no") * 3))
    dialogue = Dialogue.of(play.episodes, play.marks)
    rival = RivalAnswers(dialogue, play.episodes)

    def replacements(hard: float) -> set[int]:
        found = set()
        for seed in range(60):
            change = Augmentation(1.0, hard_answers=hard)._other_answers(
                dialogue, play.rows(0), play.marks_of(0), np.array([3]), np.random.default_rng(seed), rival
            )
            assert change is not None and change.marks[4, 0, MINUS] == 1
            found.add(int(dialogue.solver_text[change.solver_rows[4]]))
        return found

    colours, others = ({text(play, house) for house in houses} for houses in ((1, 2), (3, 4)))
    assert replacements(1.0) == colours
    assert replacements(0.0) == colours | others


def test_an_answer_that_was_right_for_two_questions_of_the_house_is_not_wrong(talk) -> None:
    play = talk(
        ((WHICH, "red"), (ON, "red"), (WHICH, "blue")), ((WHICH, "blue"),), ((WHICH, "green"),), ((ON, "green"),)
    )
    assert text(play, 0) not in offered(play, 0, turn=2) and text(play, 2) in offered(play, 0, turn=2)


def test_what_was_right_in_the_same_house_is_preferred(talk) -> None:
    play = talk(((WHICH, "red"), (ON, "blue")), ((WHICH, "blue"),), ((WHICH, "green"),), ((WHICH, "red"),))
    assert offered(play, 0) == {text(play, 0, turn=1)}
    assert len(offered(play, 1)) == 2


def test_the_share_of_answers_told_right_from_wrong(talk, monkeypatch) -> None:
    play = talk(*(((WHICH, c),) for c in ("red", "green", "blue", "red")), ((ON, "yes"),))
    told = ToldAnswers.of(play, range(5), most=10)
    assert len(told) == 4 and told.answered.tolist() == [4] * 4  # "yes" has no rival
    assert np.array_equal(told.right.observations.image, told.wrong.observations.image)
    differs = (told.right.observations.solver_tokens != told.wrong.observations.solver_tokens).any(1).reshape(4, 6)
    assert differs.tolist() == [[False] * 4 + [True] * 2] * 4
    red = play.episodes.observations.solver_tokens[4]

    def likes_red(model: object, episodes) -> list[np.ndarray]:
        utility = (episodes.observations.solver_tokens == red).all(1).astype(np.float32)
        return [utility[a:b] for a, b in zip(episodes.starts[:-1], episodes.starts[1:], strict=True)]

    monkeypatch.setattr("reward_models.learning.told_answers.score", likes_red)
    wrong_is_red = [bool((told.wrong.observations.solver_tokens[6 * k + 4] == red).all()) for k in (1, 2)]
    expected = (2 + sum(0.0 if wrong else 0.5 for wrong in wrong_is_red)) / 4
    assert told.told(*told.utilities(None)).mean() == expected  # type: ignore[arg-type]
    assert told.episode.tolist() == [0, 1, 2, 3]
    one_way = np.array([[0, 1]] * 4)
    assert np.isnan(replace(told, texts=one_way).accuracy(None))  # type: ignore[arg-type]
