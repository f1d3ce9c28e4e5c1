"""Other words: which moments, which words, and that nothing but the words is exchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.loaded import LoadedRewardModel
from reward_models.scores.rescoring import (
    Moment,
    Words,
    answers,
    heard_in,
    instructions,
    order_shares,
    other_words,
    rescore,
    respoken,
    said_in_request,
)
from reward_models.scores.scoring import score
from rlhf.data.memory import encode_episodes
from rlhf.records.episode import Episode, Request
from worlds.contract import TaskSpec


def colour(thing: str, answer: str) -> TaskSpec:
    return TaskSpec("color", f"which is the {thing}", {"kind": thing, "answer": answer, "target": "object_7"}, 9)


def light(what: str) -> TaskSpec:
    return TaskSpec("light", f"light the {what} lamp", {"colour": what, "target": "object_1"}, 9)


def exist(answer: str) -> TaskSpec:
    return TaskSpec("exist", "is it on", {"answer": answer}, 9)


@pytest.fixture
def dialogue(make_play: Callable[..., Episode]) -> Callable[..., Episode]:
    """Episodes of 24 steps from requests (step, task, success step or None, words said at that step)."""

    def make(name: str, *requests: tuple[int, TaskSpec, int | None, str]) -> Episode:
        said, heard = [""] * 24, [""] * 24
        for step, spec, success, words in requests:
            heard[step + 1 :] = [spec.instruction] * (23 - step)
            if success is not None:
                said[success] = words
        episode = make_play(name, heard, utterance=said)
        requested = tuple(Request(step, spec) for step, spec, *_ in requests)
        return replace(episode, requests=requested, success_step=tuple(success for _, _, success, _ in requests))

    return make


@pytest.fixture
def talk(dialogue) -> list[Episode]:
    return [
        dialogue("a", (0, colour("ball", "red"), 4, "red"), (8, light("green"), 12, "")),
        dialogue("b", (0, colour("ball", "blue"), 3, "blue"), (6, exist("yes"), 9, "yes"), (12, exist("no"), None, "")),
        dialogue("c", (0, light("red"), 5, ""), (10, light("blue"), None, "")),
    ]


@pytest.fixture
def loaded(model: InterTemporalRewardModel, tokenizer: Tokenizer) -> LoadedRewardModel:
    model.config.reward_scale = 2.0
    with torch.no_grad():  # an untrained head hardly hears words: let it speak up
        model.utility[-1].weight.mul_(20)
    return LoadedRewardModel("IBT", model.eval(), tokenizer)


def test_answers_are_the_words_that_made_a_request_succeed(talk) -> None:
    found = answers(talk, reach=3)
    assert found == [
        Moment(0, Words("red", "color", frozenset(["red"])), slice(5, 24), 5, 4, 8),
        Moment(1, Words("blue", "color", frozenset(["blue"])), slice(4, 10), 4, 3, 7),
        Moment(1, Words("yes", "exist", frozenset(["yes"])), slice(10, 24), 10, 9, 13),
    ]
    for moment in found:
        assert set(talk[moment.episode].solver_text[moment.shown]) == {moment.words.text}
        assert talk[moment.episode].solver_text[moment.before] != moment.words.text
    ends = [moment.end for moment in answers(talk, reach=99)]
    assert ends == [9, 7, 13], "scored steps end before the next request is heard"


def test_instructions_are_those_that_were_done_without_words(talk) -> None:
    found = instructions(talk, reach=4)
    assert [(m.episode, m.words.text, m.shown, m.before, m.step, m.end) for m in found] == [
        (0, "light the green lamp", slice(9, 24), 9, 13, 17),
        (2, "light the red lamp", slice(1, 11), 1, 6, 10),
    ]


def test_a_success_that_is_on_no_picture_of_its_request_is_left_out(dialogue) -> None:
    late = dialogue("z", (0, light("red"), 23, ""))
    overtaken = dialogue("y", (0, light("red"), 6, ""), (6, light("blue"), None, ""))
    assert instructions([late, overtaken], reach=4) == []


def test_other_words_are_wrong_of_the_same_kind_and_right_of_none(talk) -> None:
    heard, rng, red = heard_in(talk), np.random.default_rng(0), Words("red", "color", frozenset(["red"]))
    assert other_words(red, "solver", heard, rng) == ("blue", "yes")
    for _ in range(20):
        drawn = other_words(said_in_request(light("green")), "setter", heard, rng)
        assert drawn is not None
        assert drawn[0] in ("light the red lamp", "light the blue lamp")
        assert drawn[1] in ("which is the ball", "is it on")
    only = {"solver": {w for w in heard["solver"] if w.kind == "color"}, "setter": heard["setter"]}
    drawn = other_words(red, "solver", only, rng)
    others = {word for words in heard["setter"] for word in words.text.split()} - {"red", "blue"}
    assert drawn is not None and drawn[1] in others
    assert other_words(Words("yes", "exist", frozenset(["yes"])), "solver", heard, rng) is None  # "no" was never heard


def test_only_the_words_of_the_moment_are_exchanged(talk, tokenizer, tiny) -> None:
    play = encode_episodes(talk, tokenizer, tiny)
    original = play.observations.solver_tokens.copy()
    moments, texts = answers(talk, reach=30), ["green", None, "no"]
    changed = respoken(play, moments, texts, "solver", tokenizer, tiny)
    assert np.array_equal(play.observations.solver_tokens, original)
    for number, (moment, text) in enumerate(zip(moments, texts, strict=True)):
        own = slice(int(play.starts[moment.episode]), int(play.starts[moment.episode]) + moment.end)
        new = slice(int(changed.starts[number]), int(changed.starts[number + 1]))
        assert np.array_equal(play.first[own], changed.first[new])
        for name in ("image", "setter_tokens", "previous_movement"):
            assert np.array_equal(getattr(play.observations, name)[own], getattr(changed.observations, name)[new])
        differs = (original[own] != changed.observations.solver_tokens[new]).any(axis=1)
        expected = range(moment.shown.start, min(moment.shown.stop, moment.end)) if text else []
        assert np.flatnonzero(differs).tolist() == list(expected)
        for row in expected:
            assert tokenizer.decode(changed.observations.solver_tokens[new][row]) == text


@pytest.mark.parametrize("speaker", ["solver", "setter"])
def test_own_words_score_as_the_episode_does_and_others_only_differ_after(
    speaker, talk, tokenizer, tiny, loaded: LoadedRewardModel
) -> None:
    play = encode_episodes(talk, tokenizer, tiny)
    moments = (answers if speaker == "solver" else instructions)(talk, reach=4)
    moments = [moment for moment in moments if moment.words.kind != "exist"]
    found = rescore(loaded, play, talk, moments, speaker, heard_in(talk), (3, 4), seed=1)
    whole = score(loaded.model, play)
    assert found.moments == tuple(moments) and found.ids == tuple(talk[m.episode].episode_id for m in moments)
    for number, moment in enumerate(moments):
        utility = 2.0 * whole[moment.episode].astype(float)  # in units of reward
        own = utility[moment.step : moment.end].mean() - utility[moment.before]
        assert found.change[number, 0] == pytest.approx(own, abs=1e-5)
        assert len(set(found.change[number].round(6))) == 3  # words are heard
        for offset in range(-3, 4):
            step, values = moment.step + offset, found.curve[number, :, 3 + offset]
            assert np.isnan(values).all() == (not 0 <= step < moment.end)
            if step < moment.shown.start and step >= 0 and speaker == "solver":
                assert values == pytest.approx([values[0]] * 3, abs=1e-6)  # the past is the same


def test_order_shares_are_as_documented() -> None:
    change = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
    assert order_shares(change).tolist() == [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0], [0.5, 0.5, 0.5, 0]]
