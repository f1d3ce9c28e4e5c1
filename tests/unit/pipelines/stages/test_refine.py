"""`rlhf refine`: a cloned agent is trained further on marked play, resumed, reported, and improved by BC+RL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from pipelines.report.runs import run_row
from pipelines.report.training import training_report
from pipelines.stages.clone import read_episodes, spoken_texts
from pipelines.stages.refine import RefineConfig, possible_rows, refine
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.learning.refining_config import RefiningConfig
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.agents import made_up_play
from worlds.errors import UserError

UPDATES, EVERY = 6, 2


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> RefineConfig:
    """A training of seconds: eight episodes, half of them an agent's own, each marked by one rater."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("refine")
    store = open_store(here / "data", create=True)
    for number in range(8):
        played = synthetic_episode(number, 12, 12, 16)
        solver = "scripted" if number % 2 else "agent:x"
        store.write(replace(played, controller=np.zeros(12, np.uint8), solver=solver))
    store.write_marks(
        Mark(name, "ann", step, 1 if (step + place) % 2 else -1, scripted=True)
        for place, name in enumerate(store.ids())
        for step in (3, 8)
    )
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([store.folder])), made_up_play.VOCABULARY)
    agent = made_up_play.agent(
        image_size=(12, 16), vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8,
        heads=2, memory_width=8, tick_width=6, value_width=8,
    )  # fmt: skip
    save_agent(agent, tokenizer, here / "agent")
    save_agent(InterTemporalRewardModel.from_agent(agent, seed=1), tokenizer, here / "reward_model")
    training = RefiningConfig(
        updates=UPDATES, steps=4, batch=3, learning_rate=1e-2, warmup=1, evaluate_every=EVERY, log_every=1
    )
    return RefineConfig(
        data=(store.folder,), agent=here / "agent", reward_model=here / "reward_model", runs=here, held_out=0.3,
        checkpoint_every=EVERY, wandb="disabled", training=training,
    )  # fmt: skip


def of_method(settings: RefineConfig, method: str) -> RefineConfig:
    return replace(settings, name=method, training=replace(settings.training, method=method))


METHODS = ("weighted", "conditioned", "kto", "apo", "cpl")


@pytest.mark.parametrize("method", METHODS)
def test_it_trains_resumes_exactly_and_is_reported(settings: RefineConfig, method: str) -> None:
    whole = of_method(settings, method)
    folder = refine(whole)
    assert folder == whole.runs / method / "agent"
    agent, _ = load_agent(folder)
    begun = load_file(whole.agent / "model.safetensors")
    assert any(not torch.equal(agent.state_dict()[name], value) for name, value in begun.items())
    losses = column(read_metrics(folder.parent), "bc/loss")[1]
    assert len(losses) == UPDATES and np.isfinite(losses).all()
    assert len(column(read_metrics(folder.parent), "bc_held_out/movement")[1]) == UPDATES // EVERY
    report = training_report(folder.parent)
    assert f"marked play ({method})" in report.kind and "held-out play" in report.headline
    row = run_row(folder.parent)
    assert (row.stage, row.state, row.updates, row.of) == ("refine", "finished", UPDATES, UPDATES)

    half = replace(whole, name=f"{method}-half", training=replace(whole.training, updates=UPDATES // 2, decay=1.0))
    straight = replace(whole, name=f"{method}-whole", training=replace(whole.training, decay=1.0))
    refine(half)
    refine(straight)
    run = half.runs / half.name
    assert Checkpoints(run).latest_if_any() is not None
    again = refine(replace(half, resume=run, training=replace(half.training, updates=UPDATES)))
    resumed, uninterrupted = (
        load_file(f / "model.safetensors") for f in (again, straight.runs / straight.name / "agent")
    )
    assert all(torch.equal(resumed[name], uninterrupted[name]) for name in uninterrupted)


def test_the_cloned_agent_is_left_as_it_was_and_the_card_names_it(settings: RefineConfig) -> None:
    before = (settings.agent / "model.safetensors").read_bytes()
    folder = refine(replace(settings, name="card"))
    assert (settings.agent / "model.safetensors").read_bytes() == before
    card = (folder / "README.md").read_text()
    assert str(settings.agent) in card and str(settings.reward_model) in card and "weighted" in card


def test_other_play_than_the_run_began_with_is_refused(settings: RefineConfig) -> None:
    run = refine(replace(settings, name="changed")).parent
    store = open_store(settings.data[0])
    name = store.ids()[0]
    store.write_marks([Mark(name, "bob", 5, 1, scripted=True)])
    with pytest.raises(UserError, match=f"marks of episode {name} changed"):
        refine(replace(settings, name="changed", resume=run))


def test_steps_at_which_a_choice_was_illegal_are_not_possible(settings: RefineConfig) -> None:
    cloned, _ = load_agent(settings.agent)
    counts = cloned.config.player.action.counts
    movement = np.zeros((3, cloned.config.player.action.ticks, len(counts)), np.int8)
    movement[1, -1, -1] = 1
    legal = np.ones((3, int(counts.sum())), dtype=bool)
    legal[1:, int(counts[:-1].sum()) + 1] = False  # the value that only the second step has
    play = SimpleNamespace(first=np.zeros(3, bool), movement=movement, legal=legal)
    assert possible_rows(cloned.config, play).tolist() == [True, False, True]  # type: ignore[arg-type]
    play.legal = None
    assert possible_rows(cloned.config, play).all()  # type: ignore[arg-type]


def test_what_cannot_be_learned_from_is_refused(settings: RefineConfig, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no marks by nobody"):
        refine(replace(settings, name="refused", raters=("nobody",)))
    with pytest.raises(UserError, match="not a reward model"):
        refine(replace(settings, name="refused", reward_model=settings.agent))
    assert not (settings.runs / "refused").exists()
