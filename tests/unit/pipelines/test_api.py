"""The loop as Python functions: what they return, and what their keywords set."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import pipelines as rl
from pipelines import api
from rlhf.run.config import load_config
from rlhf.store.synthetic import synthetic_episode

FUNCTIONS = [name for name in api.__all__ if inspect.isfunction(getattr(rl, name)) and name[0].islower()]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dataset of play by a demonstrator, as small as can be."""
    store = rl.open_dataset(tmp_path_factory.mktemp("api") / "data", create=True)
    for number in range(6):
        played = synthetic_episode(number, 12, 12, 16)
        store.write(replace(played, solver="scripted", controller=np.zeros(12, np.uint8)))
    return store.folder


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, pipelines; heavy = {'torch', 'numpy', 'pydantic'} & sys.modules.keys(); assert not heavy, heavy"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_is_there() -> None:
    assert set(api.__all__) <= set(dir(rl))
    for name in api.__all__:
        assert getattr(rl, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="no attribute 'rekord'"):
        rl.rekord  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_describe_every_argument_result_error_and_use(name: str) -> None:
    function = getattr(rl, name)
    lines = [line.strip() for line in (inspect.getdoc(function) or "").splitlines()]
    for parameter in inspect.signature(function).parameters:
        assert any(line.startswith(f"{parameter}: ") for line in lines), parameter
    assert {"Returns:", "Raises:", "Examples:"} <= set(lines)


def test_from_play_to_scores(data: Path, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    marks = rl.mark(data, raters=2, config=rl.MarkConfig(miss=0.0))
    assert len(marks) == len(rl.open_dataset(data).marks()) > 0
    assert rl.mark(data, raters=2, config=rl.MarkConfig(miss=0.0)) == []

    small = rl.CloneConfig(wandb="disabled", vocabulary=300, checkpoint_every=1)
    agent = rl.clone(str(data), runs=tmp_path, name="bc", updates=2, batch=2, steps=3, config=small)
    assert agent == tmp_path / "bc" / "agent"
    saved = load_config(tmp_path / "bc", rl.CloneConfig)
    training = replace(small.training, updates=2, batch=2, steps=3)
    assert saved == replace(small, data=(data,), runs=tmp_path, name="bc", training=training)
    assert rl.clone(resume=tmp_path / "bc", updates=3) == agent
    assert load_config(tmp_path / "bc", rl.CloneConfig).training == replace(training, updates=3)
    with pytest.raises(rl.UserError, match="leave out config"):
        rl.clone(resume=tmp_path / "bc", config=small)
    loaded, tokenizer = rl.load_agent(agent)
    assert tokenizer.vocab_size <= loaded.config.vocab_size

    learning = rl.RewardConfig(wandb="disabled")
    reward = rl.train_reward_model([data], agent=agent, runs=tmp_path, updates=1, batch=2, steps=4, config=learning)
    assert reward == tmp_path / "reward" / "reward_model"
    model, _ = rl.load_reward_model(reward)
    scores = rl.score(reward, data)
    assert list(scores) == rl.open_dataset(data).ids()
    one = scores["synthetic-000003"]
    assert one.utility.shape == one.reward.shape == (12,)
    np.testing.assert_allclose(one.reward[1:], model.config.reward_scale * np.diff(one.utility), rtol=1e-5, atol=1e-7)
    (alone,) = rl.score(reward, data, episodes=["synthetic-000003"]).values()
    np.testing.assert_allclose(alone.utility, one.utility, atol=1e-5)
