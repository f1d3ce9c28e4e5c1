"""Answers of one kind that cannot both be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reward_models.learning.told_answers import ToldAnswers
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.dialogue import Dialogue
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.pairs import MINUS
from reward_models.marks.rival_answers import RivalAnswers, rivals
from rlhf.records.marks import Mark


def answered(make_play, tokenizer, tiny, *answers: tuple[str, str]) -> MarkedPlay:
    """Episodes of one question each, asked at 1, answered at 3 and marked (+) at 4."""
    episodes = [
        make_play(str(n), ["", *[question] * 7], utterance=["", "", "", answer, "", "", "", ""])
        for n, (question, answer) in enumerate(answers)
    ]
    return mark_play(episodes, [Mark(e.episode_id, "ann", 4, 1, True) for e in episodes], tokenizer, tiny)


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


def test_hard_answers_are_of_the_same_kind(make_play, tokenizer, tiny) -> None:
    talk = [("which is it", c) for c in ("red", "green", "blue")] + [("is it on", c) for c in ("yes", "no")] * 3
    play = answered(make_play, tokenizer, tiny, *talk)
    dialogue = Dialogue.of(play.episodes, play.marks)
    rival, text = RivalAnswers(dialogue, play.episodes), dialogue.solver_text

    def replacements(hard: float) -> set[int]:
        found = set()
        for seed in range(60):
            change = Augmentation(1.0, hard_answers=hard)._other_answers(
                dialogue, play.rows(0), play.marks_of(0), np.array([3]), np.random.default_rng(seed), rival
            )
            assert change is not None and change.marks[4, 0, MINUS] == 1
            found.add(int(text[change.solver_rows[4]]))
        return found

    colours, others = (
        {int(text[play.rows(n).start + 4]) for n in (1, 2)},
        {int(text[play.rows(n).start + 4]) for n in (3, 4)},
    )
    assert replacements(1.0) == colours
    assert replacements(0.0) == colours | others


def conversations(make_play, tokenizer, tiny, *houses: tuple[tuple[str, str], ...]) -> MarkedPlay:
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


def offered(play: MarkedPlay, house: int, turn: int = 0) -> set[int]:
    """Texts offered as wrong instead of the answer of a turn."""
    dialogue = Dialogue.of(play.episodes, play.marks)
    rows = play.rows(house)
    found = RivalAnswers(dialogue, play.episodes).of(rows, rows.start + 5 * turn + 3, play.marks_of(house), reach=8)
    return set(dialogue.solver_text[found].tolist())


def text(play: MarkedPlay, house: int, turn: int = 0) -> int:
    return int(Dialogue.of(play.episodes, play.marks).solver_text[play.rows(house).start + 5 * turn + 4])


def test_an_answer_that_was_right_for_two_questions_of_the_house_is_not_wrong(make_play, tokenizer, tiny) -> None:
    which, on = "which is it", "is it on"
    play = conversations(
        make_play, tokenizer, tiny,
        ((which, "red"), (on, "red"), (which, "blue")), ((which, "blue"),), ((which, "green"),), ((on, "green"),),
    )  # fmt: skip
    assert text(play, 0) not in offered(play, 0, turn=2) and text(play, 2) in offered(play, 0, turn=2)


def test_what_was_right_in_the_same_house_is_preferred(make_play, tokenizer, tiny) -> None:
    """The first episode says "red" at 3 and "blue" at 8 of other things."""
    first = make_play(
        "a", ["", *["which is it"] * 5, *["is it on"] * 6],
        utterance=["", "", "", "red", "", "", "", "", "blue", "", "", ""],
    )  # fmt: skip
    others = [
        make_play(n, ["", *["which is it"] * 7], utterance=["", "", "", c, "", "", "", ""])
        for n, c in (("b", "blue"), ("c", "green"), ("d", "red"))
    ]
    marks = [Mark("a", "ann", step, 1, True) for step in (4, 9)] + [Mark(n, "ann", 4, 1, True) for n in "bcd"]
    play = mark_play([first, *others], marks, tokenizer, tiny)
    dialogue = Dialogue.of(play.episodes, play.marks)
    rival = RivalAnswers(dialogue, play.episodes)
    here = rival.of(play.rows(0), 3, play.marks_of(0), reach=8)
    assert set(dialogue.solver_text[here].tolist()) == {int(dialogue.solver_text[9])}
    elsewhere = rival.of(play.rows(1), play.rows(1).start + 3, play.marks_of(1), reach=8)
    assert len(set(dialogue.solver_text[elsewhere].tolist())) == 2


def test_the_share_of_answers_told_right_from_wrong(make_play, tokenizer, tiny, monkeypatch) -> None:
    talk = [("which is it", c) for c in ("red", "green", "blue", "red")] + [("is it on", "yes")]
    play = answered(make_play, tokenizer, tiny, *talk)
    told = ToldAnswers.of(play, range(5), most=10)
    assert len(told) == 4 and told.answered.tolist() == [4] * 4  # "yes" has no rival
    assert np.array_equal(told.right.image, told.wrong.image)
    differs = (told.right.solver_tokens != told.wrong.solver_tokens).any(1).reshape(4, 8)
    assert differs.tolist() == [[False] * 4 + [True] * 4] * 4
    red = play.episodes.solver_tokens[4]

    def likes_red(model: object, episodes) -> list[np.ndarray]:
        utility = (episodes.solver_tokens == red).all(1).astype(np.float32)
        return [utility[a:b] for a, b in zip(episodes.starts[:-1], episodes.starts[1:], strict=True)]

    monkeypatch.setattr("reward_models.learning.told_answers.score", likes_red)
    wrong_is_red = [bool((told.wrong.solver_tokens[8 * k + 4] == red).all()) for k in (1, 2)]
    expected = (2 + sum(0.0 if wrong else 0.5 for wrong in wrong_is_red)) / 4
    assert told.told(*told.utilities(None)).mean() == expected  # type: ignore[arg-type]
    assert told.episode.tolist() == [0, 1, 2, 3]
    one_way = np.array([[0, 1]] * 4)
    assert np.isnan(replace(told, texts=one_way).accuracy(None))  # type: ignore[arg-type]
