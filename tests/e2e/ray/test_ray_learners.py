"""Several learners on Ray: one update, wherever its columns are, and nothing that hangs when one of them dies."""

from __future__ import annotations

import itertools
import math
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learning.workers import SINGLE_WORKER
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.distributed.config import RayConfig
from rlhf.distributed.watch import WorkerDied
from rlhf.learning.learner import RecordedWindow
from rlhf.replay.fragment import concatenate
from rlhf.run.config import load_config
from rlhf.run.tracking import read_metrics
from tests.e2e.ray.test_ray import LOOPBACK, PATIENT, SLOTS, STEPS, addresses_listened_on, make_learner, make_runner
from tests.unit.rlhf import tiny_agent

ray = pytest.importorskip("ray", reason="Ray is an extra: pip install 'interactive-rlhf[ray]'")
pytestmark = [pytest.mark.e2e, pytest.mark.ray]

TWO = RayConfig(runners=1, learners=2, object_store_mb=100)


def test_a_run_goes_on_with_another_number_of_learners_and_here(settings: ImproveConfig) -> None:
    run = improve(replace(settings, name="learners", executor="ray", ray=replace(TWO, runners=2))).parent
    assert not ray.is_initialized()
    again = replace(load_config(run, ImproveConfig), resume=run)
    improve(replace(again, updates=6, executor="local"))
    improve(replace(again, updates=8, ray=replace(TWO, learners=1)))
    rows = read_metrics(run)
    assert [row["step"] for row in rows] == list(range(9))
    assert all(math.isfinite(value) for row in rows for value in row.values())


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """Two learners, of which one dies in the end."""
    from rlhf.distributed.executor import RayExecutor

    make, agent = partial(make_runner, tmp_path_factory.mktemp("order") / "order"), tiny_agent.agent()
    executor = RayExecutor(make, make_learner, agent, SLOTS, STEPS, TWO, replace(PATIENT, reuse=2))
    yield executor
    executor.close()


def weights(executor) -> list[dict[str, np.ndarray]]:
    return executor._algorithm._learners(lambda learner: learner.weights())


def test_two_learners_make_the_update_of_one(executor) -> None:
    from ray.rllib.core.learner.training_data import TrainingData

    learner, recorded = make_learner(SINGLE_WORKER)
    group = executor._algorithm.learner_group
    for number in range(3):
        played = [tiny_agent.fragment(tiny_agent.agent(seed=5), STEPS, SLOTS, seed=3 * number + k) for k in range(3)]
        references = [ray.put([fragment]) for fragment in played]  # six columns: the second fragment is split in two
        (result,) = group.update(training_data=TrainingData(episodes_refs=references), return_state=True)
        learner.update(concatenate(played), RecordedWindow(*recorded.next()))
        assert result["update"].peek()["update"] == number + 1
    first, second = weights(executor)
    for name, tensor in learner.agent.state_dict().items():
        assert np.array_equal(first[name], second[name]), name
        if not name.endswith("qkv.bias"):  # of keys it has no effect, and its gradient is rounding alone
            np.testing.assert_allclose(first[name], tensor, rtol=0, atol=1e-5, err_msg=name)
    lost = [ray.put([played[0]]), ray.put([])]
    assert group.update(training_data=TrainingData(episodes_refs=lost)) == [{}]
    assert np.array_equal(weights(executor)[0]["value.0.weight"], first["value.0.weight"])


def test_the_agent_here_is_as_learned_by_both(executor) -> None:
    before = {name: tensor.clone() for name, tensor in executor._agent.state_dict().items()}
    reports = list(itertools.islice(executor.steps(), 4))
    first = reports[0].update
    assert [report.update for report in reports] == list(range(first, first + 4))
    assert all(math.isfinite(value) for report in reports for value in report.metrics.values())
    assert reports[1].played == reports[0].played < reports[2].played  # every fragment is learned from twice
    both = weights(executor)
    executor.fetch_agent()
    for name, tensor in executor._agent.state_dict().items():
        assert np.array_equal(both[0][name], tensor.numpy()) and np.array_equal(both[1][name], tensor.numpy())
    assert any(not torch.equal(tensor, before[name]) for name, tensor in executor._agent.state_dict().items())


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists its sockets in files")
def test_learners_meet_on_loopback_only(executor) -> None:
    next(executor.steps())
    assert set(addresses_listened_on(os.getpid())) <= LOOPBACK


def test_the_state_of_two_is_the_state_of_one(executor) -> None:
    state = executor.state_dict()
    alone, recorded = make_learner(SINGLE_WORKER)
    assert state["recorded"].keys() == recorded.state_dict().keys()
    assert [part.shape for part in state["learner"]["memory"]] == [(2, 12), (2, 12)]  # of both learners' columns
    alone.load_state_dict(state["learner"])
    next(executor.steps())
    executor.load_state_dict(state)
    again = executor.state_dict()
    assert again["learner"]["updates"] == state["learner"]["updates"] and again["recorded"] == state["recorded"]
    for before, after in zip(state["learner"]["memory"], again["learner"]["memory"], strict=True):
        assert torch.equal(before, after)


def test_a_learner_that_is_killed_is_named_and_the_other_does_not_wait(executor) -> None:
    second = executor._algorithm._learners(lambda learner: os.getpid())[1]
    os.kill(second, signal.SIGKILL)
    with pytest.raises(WorkerDied, match="^learner 2's process died: "):
        list(itertools.islice(executor.steps(), 4))
