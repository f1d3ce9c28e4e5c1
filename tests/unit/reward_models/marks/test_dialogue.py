"""Requests that may ask for the same thing, found from texts and marks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from agents.config import AgentConfig
from agents.tokenizer import PAD_ID, Tokenizer
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.dialogue import Dialogue, content_words
from reward_models.marks.pairs import MINUS
from rlhf.data.memory import MemoryDataset, encode_episodes
from tests.unit.reward_models.given_marks import marks_at

THINGS = [(c, k) for c in ("red", "blue", "green", "yellow") for k in ("ball", "block", "duck", "bottle")]
WAYS = ["lift the {} {}", "pick up the {} {}", "walk to the {} {}", "go to the {} {}", "take the {} {} and lift it"]


def houses(seed: int, episodes: int, requests: int) -> list[list[str]]:
    """What is asked for in houses of three things, in ways that do not care for the house."""
    rng = np.random.default_rng(seed)
    asked = []
    for _ in range(episodes):
        there = rng.choice(len(THINGS), 3, replace=False)
        asked.append([str(rng.choice(WAYS)).format(*THINGS[rng.choice(there)]) for _ in range(requests)])
    return asked


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    texts = [way.format(*thing) for way in WAYS for thing in THINGS]
    return Tokenizer.train([*texts, "is there a red ball", "how many balls are there", "yes", "no"], vocab_size=400)


@pytest.fixture
def talk(make_play, words: Tokenizer) -> Callable[..., MemoryDataset]:
    def make(episodes: list[list[str]], utterances: list[list[str]] | None = None) -> MemoryDataset:
        """Every request is heard for two steps; in the first of them the solver may speak."""
        said = utterances or [[""] * len(asked) for asked in episodes]
        plays = []
        for asked, spoken in zip(episodes, said, strict=True):
            heard = [text for text in asked for _ in range(2)]
            plays.append(make_play(str(len(plays)), heard, utterance=[u for words in spoken for u in (words, "")]))
        sizes = {"vocab_size": words.vocab_size, "setter_text_length": 8}
        return encode_episodes(plays, words, AgentConfig.preset("nano", image_size=(8, 8), **sizes))

    return make


def test_chance_is_counted_as_by_a_loop(words: Tokenizer) -> None:
    asked = houses(1, 60, 3)
    tokens = words.encode([text for episode in asked for text in episode], 8)
    episode = np.repeat(np.arange(60), 3)
    found = set(content_words(tokens, episode).tolist())
    sets = [set(row.tolist()) - {PAD_ID} for row in tokens]
    for word in set().union(*sets):
        chance = 60 * 3 * (sum(word in s for s in sets) / 180) ** 2
        both = sum(
            word in sets[i] and word in sets[j] for i in range(180) for j in range(i) if episode[i] == episode[j]
        )
        assert (word in found) == (both - chance > 4 * chance**0.5 and both >= 1.5 * chance), words.decode([word])


def test_requests_that_may_ask_for_the_same_are_never_exchanged(talk, words: Tokenizer) -> None:
    asked = houses(2, 300, 4)
    play = talk(asked)
    dialogue = Dialogue.of(play)
    texts = [t for episode in asked for text in episode for t in (text, text)]
    thing = {w for pair in THINGS for w in pair}
    for episode in range(20):
        rows = slice(8 * episode, 8 * episode + 8)
        for request in dialogue.requests_in(rows).tolist():
            donors = dialogue.other_requests(rows, request, np.empty(0, dtype=np.int64))
            mine = {frozenset(texts[row].split()) & thing for row in range(request, rows.stop)}
            others = {frozenset(texts[row].split()) & thing for row in donors.tolist()}
            assert others and not mine & others
            assert not ((donors >= rows.start) & (donors < rows.stop)).any()
            # Requests that share a colour or a kind are the ones to learn from: they stay.
            assert any(len(one & other) == 1 for one in mine for other in others)


def test_an_answer_marked_plus_after_a_request_is_not_wrong_for_it(talk) -> None:
    play = talk(
        [["is there a red ball"], ["is there a blue duck"], ["is there a green duck"], ["how many balls are there"]],
        [["yes"], ["yes"], ["no"], ["no"]],
    )
    dialogue, answers = Dialogue.of(play, marks_at(8, plus=(1, 3, 5), minus=(7,))), np.array([0])
    assert dialogue.other_requests(slice(0, 2), 0, answers).tolist() == [4, 6]  # "yes" was right for the blue duck
    assert dialogue.other_requests(slice(0, 2), 0, answers[:0]).tolist() == [2, 4, 6]
    assert Dialogue.of(play).other_requests(slice(0, 2), 0, answers).tolist() == [2, 4, 6]
    # What was said before the request that is exchanged does not matter.
    assert dialogue.other_requests(slice(0, 2), 1, answers).size == 3


def test_nothing_is_late_after_the_first_request(talk) -> None:
    play = talk([["lift the red ball", "go to the blue duck"], ["lift the green duck"]])
    dialogue, marks = Dialogue.of(play), marks_at(4, plus=(1, 3))

    def left(delay: int) -> set[tuple[int, ...]]:
        """Steps of the (-) of all alterations that are possible."""
        changes = [
            Augmentation(1.0, rater_delay=delay).alter(dialogue, slice(0, 4), marks, np.random.default_rng(seed))
            for seed in range(20)
        ]
        return {tuple(np.flatnonzero(c.marks[:, 0, MINUS]).tolist()) for c in changes if c is not None}

    assert left(0) == {(1, 3), (3,)}
    assert left(1) == {(1, 3)}  # the exchange of the second request would turn no mark that is surely its own
