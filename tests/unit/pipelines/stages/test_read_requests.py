"""Length of the setter's words that a new agent reads."""

from __future__ import annotations

import pytest

from agents.tokenizer import Tokenizer
from pipelines.stages.clone import MOST_READ, agent_for
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
