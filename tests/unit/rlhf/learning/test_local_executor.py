"""The local executor: a schedule that depends on nothing but seeds, resumes, and does not wait for ever."""

import itertools
import threading
import time
from typing import Any

import numpy as np
import pytest
import torch

from rlhf.learning.learner import Learner, LearnerConfig
from rlhf.learning.local_executor import ExecutorConfig, LocalExecutor, RunStalled
from rlhf.replay.runner import RewardSource, Runner, RunnerError
from rlhf.replay.setter_replay import SetterReplay
from rlhf.run.checkpoint import Checkpoints
from tests.unit.rlhf import tiny_agent, tiny_world
from tests.unit.rlhf.tiny_world import TinyWorld, record

STEPS, SLOTS, WINDOWS = 4, 2, 2
TOKENIZER = tiny_agent.tokenizer()


class NoReward(RewardSource):
    def rewards(self, observations, resets):
        return np.zeros(resets.shape, np.float32)


def executor(world=TinyWorld, runners=1, agent=None, **settings) -> LocalExecutor:
    tiny_world.register()
    agent = agent or tiny_agent.agent()
    recordings = [record(seed, 6 + seed) for seed in range(3)]
    players = []
    for seed in range(runners):
        slots = [SetterReplay(world(), recordings[0]) for _ in range(SLOTS)]
        players.append(Runner(agent, TOKENIZER, tiny_agent.agent(), NoReward(), slots, recordings, STEPS, seed))
    learner = Learner(agent, LearnerConfig(learning_rate=1e-3))
    return LocalExecutor(players, learner, tiny_agent.recorded(STEPS + 1, WINDOWS), ExecutorConfig(**settings))


def losses(run: LocalExecutor, updates: int) -> list[float]:
    return [report.metrics["loss"] for report in itertools.islice(run.steps(), updates)]


@pytest.mark.parametrize("overlap", [False, True])
def test_a_run_is_determined_by_its_seeds(overlap):
    one, other = executor(overlap=overlap), executor(overlap=overlap)
    assert losses(one, 5) == losses(other, 5)
    one.close()
    other.close()


def test_in_turns_the_player_has_the_newest_weights_and_beside_each_other_the_ones_before():
    in_turns, beside = executor(), executor(overlap=True)
    behind = [[r.metrics["vtrace/behind"] for r in itertools.islice(run.steps(), 3)] for run in (in_turns, beside)]
    assert all(abs(value) < 1e-4 for value in behind[0])  # on-policy
    assert abs(behind[1][0]) < 1e-4 and abs(behind[1][1]) > 1e-3


@pytest.mark.parametrize(
    "settings",
    [{}, {"overlap": True}, {"reuse": 3, "recent": 2}, {"overlap": True, "reuse": 2, "recent": 4, "runners": 2}],
    ids=str,
)
def test_a_run_interrupted_thrice_ends_as_one_that_was_not(tmp_path, settings):
    whole = executor(**settings)
    expected = list(itertools.islice(whole.steps(), 12))
    reports, checkpoints = [], Checkpoints(tmp_path)
    run = executor(**settings)
    for interrupted in (2, 3, 7, 12):
        reports += itertools.islice(run.steps(), interrupted - len(reports))
        checkpoints.save(interrupted, run.learner.agent, TOKENIZER, run.state_dict())
        list(itertools.islice(run.steps(), 1))  # is lost
        run.close()
        agent, _ = checkpoints.latest().load_agent()
        run = executor(agent=agent, **settings)
        assert run.load_state_dict(checkpoints.latest().load_state())
    for one, other in zip(reports, expected, strict=True):
        assert (one.update, one.played, one.results) == (other.update, other.played, other.results)
        timeless = [{k: v for k, v in r.metrics.items() if "seconds" not in k} for r in (one, other)]
        assert timeless[0] == timeless[1]
    assert any(report.results for report in reports)
    for name, value in whole.learner.agent.state_dict().items():
        assert torch.equal(value, run.learner.agent.state_dict()[name]), name
    whole.close()
    run.close()


class Hanging(TinyWorld):
    def step(self, actions):
        if self.step_index == 1:  # in the first fragment: no fragment can end, however slow the machine is
            threading.Event().wait()
        return super().step(actions)


def test_a_world_that_hangs_stops_the_run_with_an_error():
    run = executor(world=Hanging, stall_sec=0.5)
    began = time.monotonic()
    with pytest.raises(RunStalled, match=r"runner 0 has not played 4 steps in 2 slots .* world hangs"):
        losses(run, 5)
    run.close()  # which does not wait for the world
    assert time.monotonic() - began < 5
    envs: list[Any] = [slot.env for slot in run._runners[0]._slots]
    assert not any(env.world.closed for env in envs)


class Breaking(TinyWorld):
    def step(self, actions):
        if self.step_index == 5:
            raise ValueError("the floor gave way")
        return super().step(actions)


@pytest.mark.parametrize("overlap", [False, True])
def test_a_world_that_breaks_stops_the_run(overlap):
    with pytest.raises(RunnerError, match="the floor gave way"):
        losses(executor(world=Breaking, overlap=overlap), 5)


@pytest.mark.parametrize("overlap", [False, True])
def test_closing_waits_for_play_and_ends_the_threads(overlap):
    before = set(threading.enumerate())
    run = executor(runners=2, overlap=overlap)
    losses(run, 1)
    envs: list[Any] = [slot.env for runner in run._runners for slot in runner._slots]
    assert len(set(threading.enumerate()) - before) == 2
    run.close()
    assert not set(threading.enumerate()) - before
    assert all(env.world.closed for env in envs)


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2)])
def test_a_run_is_resumed_with_another_number_of_runners(before, after):
    run = executor(runners=before)
    losses(run, 2)
    state = run.state_dict()
    other = executor(runners=after, agent=run.learner.agent)
    other.load_state_dict(state)
    random = [runner["generator"] for runner in other.state_dict()["runners"]]
    assert torch.equal(random[0], state["runners"][0]["generator"]) and len(random) == after
    other.load_state_dict(state | {"runners": [None]})  # of one that did not answer in time
    other.load_state_dict(state)
    (report,) = itertools.islice(other.steps(), 1)
    assert report.update == 3 and report.played == 2 * before * SLOTS * STEPS + after * SLOTS * STEPS
