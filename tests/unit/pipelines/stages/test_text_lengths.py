"""People's sentences, which are longer than the smallest agents read: from their recording to a run's report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import CUT_ID, EOS_ID, Tokenizer
from pipelines.report.training import training_report
from pipelines.report.training_page import page
from pipelines.stages.clone import CloneConfig, agent_for, clone
from pipelines.stages.text_limits import MOST_READ, MOST_SAID, TEXT_FIT_FILE, noted_text_fit
from rlhf.data.encoding import encode_steps
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces, playhouse_spaces
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError
from worlds.household import player_spec

REQUEST, ANSWER = "please put two plates and a wine glass on the kitchen table", "two plates and a glass on the table"
LONG = "the kitchen " * 100
TOKENIZER = Tokenizer.train([REQUEST], 400)
READ, SAID = len(TOKENIZER.ids(REQUEST)), len(TOKENIZER.ids(ANSWER))
PLAYHOUSE, HOUSEHOLD = playhouse_spaces(36, 48), EpisodeSpaces(player_spec(), player_spec().action)


@pytest.mark.parametrize(
    ("spaces", "asked", "said", "length", "expected"),
    [
        (HOUSEHOLD, REQUEST, "", "size", (READ, 6, 4)),  # its requests are long
        (HOUSEHOLD, LONG, "", "size", (MOST_READ, 6, 4)),
        (HOUSEHOLD, "go", "yes", "auto", (10, 6, 4)),  # never less than the size's
        (PLAYHOUSE, REQUEST, ANSWER, "size", (10, 6, 4)),
        (PLAYHOUSE, REQUEST, ANSWER, "auto", (READ, SAID + 1, SAID)),
        (PLAYHOUSE, LONG, LONG, "auto", (MOST_READ, MOST_SAID, MOST_SAID - 1)),
    ],
)
def test_an_agent_gets_room_for_the_recorded_texts_of_both_players(
    spaces: EpisodeSpaces, asked: str, said: str, length: Any, expected: tuple, capsys: pytest.CaptureFixture[str]
) -> None:
    config = agent_for(spaces, "nano", TOKENIZER, {"go", asked}, {"yes", said}, length).config
    assert (config.setter_text_length, config.utterance_length, config.solver_text_length) == expected
    told = f"{expected[0]} tokens of the setter's words instead of 10", f"tokens {expected[0]} of the setter's words"
    shown = capsys.readouterr().err
    assert (expected[0] > 10) == any(words in shown for words in told)
    assert config.marks_cuts or length == "size"


# Trainings on the sentences of people

SENTENCES = {
    "compare the table and the rack and tell which one is larger smaller or whether they are of the same size":
        "i think that the table is larger than the rack in this room",
    "lift the red object which is next to the bed and between the wardrobe and the lamp in the living room":
        "i do not see it anywhere",
    "stand far from me": "done",
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "people", create=True)
    for seed, (asked, said) in enumerate(SENTENCES.items()):
        store.write(spoken(synthetic_episode(seed, steps=12, height=12, width=16), asked, said))
    return tmp_path / "people"


def spoken(episode: Episode, asked: str, said: str) -> Episode:
    """The episode with other words, by people."""
    rest = len(episode) - 3
    return replace(
        episode, solver="human:ann", setter="human:bob", requests=(), success_step=(), truth=(),
        controller=episode.controller * 0, setter_utterance=(asked, "", "", *("",) * rest),
        setter_text=("", asked, asked, *(asked,) * rest), utterance=("", "", said, *("",) * rest),
        solver_text=("", "", "", *(said,) * rest),
    )  # fmt: skip


def settings(data: Path, length: Any = "auto") -> CloneConfig:
    training = CloningConfig(updates=1, steps=4, batch=2)
    return CloneConfig(
        data=(data,), solver=None, runs=data.parent, held_out=0.0, wandb="disabled", training=training,
        text_length=length,
    )  # fmt: skip


def test_a_new_agent_hears_and_says_peoples_sentences_in_full(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = clone(settings(data))
    agent, tokenizer = load_agent(folder)
    store = open_store(data)
    for episode in store.stream(store.ids()):
        steps = encode_steps(episode, tokenizer, agent.config)
        assert tokenizer.decode(steps.observations.setter_tokens[-1]) == episode.setter_text[-1]
        assert tokenizer.decode(steps.observations.solver_tokens[-1]) == episode.solver_text[-1]
        assert EOS_ID in steps.utterance[2]
    shown = capsys.readouterr().err
    assert "none of 3 of the setters' texts is cut" in shown and "none of 3 of the solvers' utterances is cut" in shown
    assert training_report(folder.parent).words and not training_report(folder.parent).warnings
    # A text that an agent cuts is seen as cut, and never learned as whole.
    sizes: dict[str, Any] = {"setter_text_length": 6, "solver_text_length": 4, "utterance_length": 5}
    small = {name: value for name, value in agent.config.to_dict().items() if name != "model_type"} | sizes
    episode = store.read(store.ids()[0])
    steps = encode_steps(episode, tokenizer, AgentConfig(**small))
    asked, said = (tokenizer.ids(text) for text in (episode.setter_text[-1], episode.solver_text[-1]))
    assert steps.observations.setter_tokens[-1].tolist() == [*asked[:5], CUT_ID]
    assert steps.observations.solver_tokens[-1].tolist() == [*said[:3], CUT_ID]
    assert steps.utterance[2].tolist() == [*said[:4], 0], "its beginning, and no end"


def test_of_an_agent_that_is_too_small_the_run_reports_how_many_texts_are_cut(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = clone(settings(data, "size")).parent
    fit = noted_text_fit(run)
    assert fit is not None and (fit.setter.cut, fit.solver.cut) == (2, 2)
    assert "66.7% of the setters' texts (2 of 3) are longer than the 10 tokens" in capsys.readouterr().err
    report = training_report(run)
    assert "66.7% of the setters&#39; texts" in page(report)
    assert any("67% of the setters' texts do not fit" in warning for warning in report.warnings)
    (run / TEXT_FIT_FILE).write_text('{"setter": 3}')
    with pytest.raises(UserError, match="is damaged"):
        noted_text_fit(run)
