"""People's sentences, which are longer than the smallest agents read: from their recording to a run's report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agents.folder import load_agent
from agents.tokenizer import CUT_ID, EOS_ID
from pipelines.report.training import training_report
from pipelines.report.training_page import page
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.text_limits import TEXT_FIT_FILE, noted_text_fit
from rlhf.data.encoding import encode_steps
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

ASKED = (
    "compare the table and the rack and tell which one is larger smaller or whether they are of the same size",
    "lift the red object which is next to the bed and between the wardrobe and the lamp in the living room",
    "stand far from me",
)
SAID = ("i think that the table is larger than the rack in this room", "i do not see it anywhere", "done")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "people", create=True)
    for seed, (asked, said) in enumerate(zip(ASKED, SAID, strict=True)):
        store.write(spoken(synthetic_episode(seed, steps=12, height=12, width=16), asked, said))
    return tmp_path / "people"


def spoken(episode: Episode, asked: str, said: str) -> Episode:
    """Return the episode with other words, by people."""
    steps = len(episode)
    return replace(
        episode, solver="human:ann", setter="human:bob", requests=(), success_step=(), truth=(),
        controller=episode.controller * 0, setter_utterance=(asked, *("",) * (steps - 1)),
        setter_text=("", *(asked,) * (steps - 1)), utterance=("", "", said, *("",) * (steps - 3)),
        solver_text=(*("",) * 3, *(said,) * (steps - 3)),
    )  # fmt: skip


def settings(data: Path, **others: object) -> CloneConfig:
    torch.set_num_threads(1)
    training = CloningConfig(updates=1, steps=4, batch=2)
    return replace(
        CloneConfig(data=(data,), solver=None, runs=data.parent, held_out=0.0, wandb="disabled", training=training),
        **others,  # pyright: ignore[reportArgumentType]
    )


def test_a_new_agent_hears_and_says_peoples_sentences_in_full(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = clone(settings(data))
    agent, tokenizer = load_agent(folder)
    for episode in (open_store(data).read(episode_id) for episode_id in open_store(data).ids()):
        steps = encode_steps(episode, tokenizer, agent.config)
        assert tokenizer.decode(steps.setter_tokens[-1]) == episode.setter_text[-1]
        assert tokenizer.decode(steps.solver_tokens[-1]) == episode.solver_text[-1]
        assert EOS_ID in steps.utterance[2]
    shown = capsys.readouterr().err
    assert "none of 3 of the setters' texts is cut" in shown and "none of 3 of the solvers' utterances is cut" in shown
    assert training_report(folder.parent).words and not training_report(folder.parent).warnings


def test_of_an_agent_that_is_too_small_the_run_says_how_many_texts_are_cut(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = clone(settings(data, text_length="size"))
    fit = noted_text_fit(folder.parent)
    assert fit is not None and (fit.setter.cut, fit.solver.cut) == (2, 2)
    shown = capsys.readouterr().err
    assert "66.7% of the setters' texts (2 of 3) are longer than the 10 tokens" in shown
    report = training_report(folder.parent)
    assert "66.7% of the setters&#39; texts" in page(report)
    assert any("67% of the setters' texts do not fit" in warning for warning in report.warnings)
    assert report.words[0].startswith("66.7% of the setters' texts")


def test_a_text_that_is_cut_is_seen_as_cut_and_never_learned_as_whole(data: Path) -> None:
    agent, tokenizer = load_agent(clone(settings(data)))
    small = replace_sizes(agent.config, setter_text_length=6, solver_text_length=4, utterance_length=5)
    episode = next(open_store(data).read(one) for one in open_store(data).ids())
    steps = encode_steps(episode, tokenizer, small)
    asked, said = (tokenizer.ids(text) for text in (episode.setter_text[-1], episode.solver_text[-1]))
    assert steps.setter_tokens[-1].tolist() == [*asked[:5], CUT_ID]
    assert steps.solver_tokens[-1].tolist() == [*said[:3], CUT_ID]
    assert steps.utterance[2].tolist() == [*said[:4], 0], "its beginning, and no end"


def replace_sizes(config, **sizes: int):
    values = {name: value for name, value in config.to_dict().items() if name != "model_type"}
    return type(config)(**{**values, **sizes})


def test_a_damaged_file_of_texts_is_named(tmp_path: Path) -> None:
    assert noted_text_fit(tmp_path) is None
    (tmp_path / TEXT_FIT_FILE).write_text('{"setter": 3}')
    with pytest.raises(UserError, match="is damaged"):
        noted_text_fit(tmp_path)
