"""`rlhf clone --agent`: an agent that exists learns further from other recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agents.folder import load_agent
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.learning.cloner import CloningConfig
from worlds.errors import UserError

TRAINING = CloningConfig(updates=2, steps=4, batch=2, evaluate_every=2, learning_rate=1e-3)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of cloning, with two datasets beside it."""
    folder = tmp_path_factory.mktemp("further")
    for seed, name in enumerate(("data", "other")):
        world = WorldConfig("playhouse", 24, 32)
        record(RecordConfig(data=folder / name, episodes=3, steps=8, seed=seed, workers=1, held_out=0.0, world=world))
    config = CloneConfig(
        data=(folder / "data",), runs=folder, name="first", network='{"glimpse": true}', wandb="disabled",
        training=TRAINING,
    )  # fmt: skip
    clone(config)
    return folder


def further(folder: Path, **changed: object) -> CloneConfig:
    config = CloneConfig(
        data=(folder / "other",), agent=folder / "first" / "agent", runs=folder, wandb="disabled",
        training=replace(TRAINING, updates=1, steps=8, learning_rate=1e-5),
    )  # fmt: skip
    return replace(config, **changed)  # type: ignore[arg-type]


def test_training_begins_with_the_agents_weights_words_and_network(first: Path) -> None:
    before, its_words = load_agent(first / "first" / "agent")
    after, words = load_agent(clone(further(first, name="second")))
    assert words.digest == its_words.digest and after.config.glimpse
    old, new = before.state_dict(), after.state_dict()
    assert any(not torch.equal(old[name], new[name]) for name in old)
    # Adam's first step is at most its learning rate, so weights that were drawn anew would be far away.
    assert all(torch.allclose(old[name], new[name], atol=2e-5) for name in old if old[name].is_floating_point())
    card = (first / "second" / "agent" / "README.md").read_text()
    assert f"It began as the agent in `{first / 'first' / 'agent'}`" in card


def test_a_resumed_run_does_not_begin_again(first: Path) -> None:
    run = further(first, name="third")
    clone(run)
    once, _ = load_agent(first / "third" / "agent")
    clone(replace(run, resume=first / "third"))
    again, _ = load_agent(first / "third" / "agent")
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in once.state_dict().items())
    with pytest.raises(UserError, match="agent"):
        clone(replace(run, resume=first / "third", agent=None))


def test_what_the_agent_keeps_cannot_be_changed(first: Path) -> None:
    with pytest.raises(UserError, match="keeps its network: leave out --network"):
        further(first, network='{"glimpse": false}')
    with pytest.raises(UserError, match="is a solver, and cannot learn further as a setter"):
        clone(further(first, name="asking", role="setter", solver=None))
    with pytest.raises(UserError, match="is not an agent's folder"):
        clone(further(first, name="nothing", agent=first / "data"))
    assert not (first / "asking").exists() and not (first / "nothing").exists()
