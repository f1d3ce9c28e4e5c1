"""Lengths of texts that a new agent reads and says."""

from __future__ import annotations

import pytest

from agents.tokenizer import Tokenizer
from pipelines.stages.clone import agent_for
from pipelines.stages.text_limits import MOST_READ, MOST_SAID
from rlhf.records.spaces import EpisodeSpaces, playhouse_spaces
from worlds.household import player_spec

REQUEST = "please put two plates, a wine glass and two forks on the kitchen table"
TOKENIZER = Tokenizer.train([REQUEST], 400)
HOUSEHOLD = EpisodeSpaces(player_spec(), player_spec().action)


def test_an_agent_reads_the_longest_request(capsys: pytest.CaptureFixture[str]) -> None:
    needed = len(TOKENIZER.ids(REQUEST))
    assert needed > 10
    agent = agent_for(HOUSEHOLD, "nano", TOKENIZER, {"go", REQUEST})
    assert agent.config.setter_text_length == needed
    assert f"reads {needed} tokens of the setter's words instead of 10" in capsys.readouterr().err
    longest = agent_for(HOUSEHOLD, "nano", TOKENIZER, {"the kitchen " * 100})
    assert longest.config.setter_text_length == MOST_READ


def test_short_requests_and_the_playhouse_leave_the_size_as_it_is() -> None:
    assert agent_for(HOUSEHOLD, "nano", TOKENIZER, {"go"}).config.setter_text_length == 10
    assert agent_for(playhouse_spaces(36, 48), "nano", TOKENIZER, {REQUEST}).config.setter_text_length == 10


def test_an_agent_gets_room_for_the_recorded_texts_of_both_players(capsys: pytest.CaptureFixture[str]) -> None:
    answer = "two plates and a glass on the table"
    asked, said = len(TOKENIZER.ids(REQUEST)), len(TOKENIZER.ids(answer))
    assert said > 6
    spaces = playhouse_spaces(36, 48)
    config = agent_for(spaces, "nano", TOKENIZER, {"go", REQUEST}, {"yes", answer}, "auto").config
    assert (config.setter_text_length, config.utterance_length, config.solver_text_length) == (asked, said + 1, said)
    assert config.marks_cuts
    assert f"tokens {asked} of the setter's words instead of 10" in capsys.readouterr().err
    of_its_size = agent_for(spaces, "nano", TOKENIZER, {"go", REQUEST}, {"yes", answer}, "size").config
    assert (of_its_size.setter_text_length, of_its_size.utterance_length) == (10, 6) and not of_its_size.marks_cuts


def test_room_is_bounded_and_never_less_than_that_of_the_size() -> None:
    long = "the kitchen " * 100
    bounded = agent_for(playhouse_spaces(36, 48), "nano", TOKENIZER, {long}, {long}, "auto").config
    assert (bounded.setter_text_length, bounded.utterance_length) == (MOST_READ, MOST_SAID)
    assert bounded.solver_text_length == MOST_SAID - 1
    short = agent_for(HOUSEHOLD, "nano", TOKENIZER, {"go"}, {"yes"}, "auto").config
    assert (short.setter_text_length, short.utterance_length, short.solver_text_length) == (10, 6, 4)
