"""Shares of texts that are cut, and of words that are no single token."""

from __future__ import annotations

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.text_fit import HELD, TextFit, measure_texts, text_fit_sentences, text_fit_warnings
from worlds.spaces.action import ActionSpec, Discrete, Grammar
from worlds.spaces.description import to_json
from worlds.spaces.observation import ObservationSpec, PlayerSpec

TOKENIZER = Tokenizer.train(["lift the red ball", "it is red"], 300)
SIZES = AgentConfig(vocab_size=TOKENIZER.vocab_size, setter_text_length=4, utterance_length=3)
_texts = st.lists(
    st.sampled_from(["", "red", "lift the red ball", "lift the red ball, the ball", "it is"]), max_size=30
)


@given(_texts, _texts)
def test_counts_are_those_of_every_text_alone(setter: list[str], solver: list[str]) -> None:
    fit = measure_texts(setter, solver, TOKENIZER, SIZES)
    for found, texts, limit in ((fit.setter, setter, 4), (fit.solver, solver, 2)):
        lengths = sorted(len(TOKENIZER.ids(text)) for text in texts if text)
        assert (found.texts, found.limit) == (len(lengths), limit)
        assert found.cut == sum(length > limit for length in lengths)
        assert found.holds == (lengths[ceil(HELD * len(lengths)) - 1] if lengths else 0)
    assert TextFit.of_json(fit.as_json()) == fit


def test_sentences_name_the_share_and_the_limit_that_would_do() -> None:
    fit = measure_texts(["go"] * 3 + ["lift the red ball, the red ball"], ["red"], TOKENIZER, SIZES)
    asked, said, words = text_fit_sentences(fit)
    assert "25.0%" in asked and f"{len(TOKENIZER.ids('lift the red ball, the red ball'))} would hold 99%" in asked
    assert "none of 1" in said and "1 of 5 different words" in words and len(text_fit_warnings(fit)) == 1


def test_sentences_of_a_grammar_are_chosen_and_never_cut() -> None:
    grammar = Grammar((("no", "yes"), ("please", "")))
    body = ActionSpec((Discrete("move", ("stay", "go")),), speech=grammar)
    player = PlayerSpec(ObservationSpec(), body)
    sizes = AgentConfig(vocab_size=TOKENIZER.vocab_size, spaces=to_json(player))
    fit = measure_texts(["go"], ["yes please"] * 2, TOKENIZER, sizes)
    assert (fit.solver.texts, fit.solver.cut) == (2, 0)
