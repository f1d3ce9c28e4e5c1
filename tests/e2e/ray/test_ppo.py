"""PPO through RLlib, as the learner of the school's case studies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import ray
import torch

from agents.agent import InteractiveAgent
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from experiments.social_ai.cases import Arm, Case
from experiments.social_ai.experiment import plan_school
from experiments.social_ai.learners import CurriculumLearner
from experiments.social_ai.ppo.settings import PPOSettings
from experiments.social_ai.training import SchoolTraining, make_agent, make_env, measure, train
from rlhf.run.checkpoint import Checkpoints
from tests.e2e.ray.test_ray import LOOPBACK, addresses_listened_on
from worlds.school.environments.sampled import SampledEnv

SCAFFOLDING = "SocialAI-AELangFeedbackTrainScaffoldingCSParamEnv-v1"
BOX = Arm("SocialAI-AsocialBoxInformationSeekingParamEnv-v1", bonus="cb")
SETTINGS = PPOSettings(envs=4, steps=20, minibatch=40, epochs=2, learning_rate=1e-3)
TINY = replace(SchoolTraining(), frames=160, envs=4, test_every=80, test_episodes=3, ppo=SETTINGS)


@pytest.fixture
def agent() -> Iterator[tuple[InteractiveAgent, Tokenizer]]:
    yield make_agent(TINY, 0)
    assert not ray.is_initialized()


def weights_after(updates: int, agent: InteractiveAgent, tokenizer: Tokenizer, settings: PPOSettings) -> dict:
    from experiments.social_ai.ppo.trainer import PPOTrainer

    trainer = PPOTrainer(agent, tokenizer, lambda number: make_env(BOX), settings, seed=3)
    try:
        for _ in range(updates):
            metrics = trainer.update()
        assert updates * settings.frames <= trainer.frames < updates * (settings.frames + settings.envs)
        assert len(trainer.finished()) > 0 and trainer.finished() == []
        assert set(metrics) == {"entropy", "explained", "policy", "value"} and metrics["entropy"] > 0
        addresses = addresses_listened_on(os.getpid()) if Path("/proc/net/tcp").exists() else []
    finally:
        trainer.close()
    trainer.close()
    assert set(addresses) <= LOOPBACK
    return {name: part.clone() for name, part in agent.state_dict().items()}


def test_a_seed_decides_what_is_learned(agent: tuple[InteractiveAgent, Tokenizer]) -> None:
    begun = {name: part.clone() for name, part in agent[0].state_dict().items()}
    one = weights_after(2, *agent, SETTINGS)
    assert not torch.equal(one["movement.plan.weight"], begun["movement.plan.weight"])
    assert not torch.equal(one["value.0.weight"], begun["value.0.weight"])
    other = weights_after(2, *make_agent(TINY, 0), SETTINGS)
    assert all(torch.equal(part, other[name]) for name, part in one.items())


@pytest.mark.parametrize("runners", [0, 2])
def test_all_environments_follow_one_curriculum(agent: tuple[InteractiveAgent, Tokenizer], runners: int) -> None:
    from experiments.social_ai.ppo.trainer import PPOTrainer

    config = {"kind": "intro_seq", "thresholds": [0.0], "window": 5, "minimum_episodes": 30}
    taught = Arm(SCAFFOLDING, settings={"max_steps": 2, "curriculum": config})
    curriculum = SampledEnv(SCAFFOLDING, curriculum=config).curriculum
    assert curriculum is not None
    trainer = PPOTrainer(*agent, lambda number: make_env(taught), replace(SETTINGS, runners=runners), seed=3)
    learner = CurriculumLearner(trainer, curriculum)
    try:
        assert learner.update()["phase"] == 2  # 40 episodes of the four
        group: Any = trainer._algorithm.env_runner_group  # type: ignore[union-attr]
        found = group.foreach_env_runner(
            lambda each: [one.phase for one in each.env.unwrapped.call("curriculum")] if each.env else []
        )
    finally:
        learner.close()
    assert [phase for phases in found for phase in phases] == [2] * 4


def test_what_was_played_is_as_probable_when_it_is_learned(
    agent: tuple[InteractiveAgent, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So memories, cuts, ends of episodes and masks are those of the play."""
    from ray.rllib.core.columns import Columns

    from experiments.social_ai.ppo import trainer

    differences, filled = list[float](), 0

    def compare(self: Any, *, batch: dict[str, Any], fwd_out: dict[str, Any], **given: Any) -> Any:
        nonlocal filled
        distribution = self.module[given["module_id"]].get_train_action_dist_cls()
        logs = distribution.from_logits(fwd_out[Columns.ACTION_DIST_INPUTS]).logp(batch[Columns.ACTIONS])
        played = batch[Columns.LOSS_MASK]
        differences.append(float((logs - batch[Columns.ACTION_LOGP])[played].detach().abs().max()))
        filled += int((~played).sum())
        return original(self, batch=batch, fwd_out=fwd_out, **given)

    original = trainer._Learner.compute_loss_for_module
    monkeypatch.setattr(trainer._Learner, "compute_loss_for_module", compare)
    steps = replace(SETTINGS, epochs=1, minibatch=80)
    made = trainer.PPOTrainer(agent[0], agent[1], lambda number: make_env(BOX), steps, seed=1)
    try:
        firsts = []
        for _ in range(3):
            firsts.append(len(differences))
            made.update()
    finally:
        made.close()
    assert filled > 0
    assert max(differences[first] for first in firsts) < 1e-4  # before the update's first step
    assert max(differences) > 1e-4  # after it


class AlwaysOne(gymnasium.Wrapper):
    """Rewards every step with 1, and only a time limit ends an episode."""

    def step(self, action: Any) -> Any:
        seen, _, terminated, truncated, info = self.env.step(action)
        return seen, 1.0, False, terminated or truncated, info


def test_a_time_limit_is_no_end_of_the_rewards(
    agent: tuple[InteractiveAgent, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One a step for ever is worth 1 / (1 - 0.8) = 5, so an agent that expects 5 has nothing to learn."""
    from ray.rllib.core.columns import Columns
    from ray.rllib.evaluation.postprocessing import Postprocessing

    from experiments.social_ai.ppo import trainer

    targets = list[torch.Tensor]()

    def note(self: Any, *, batch: dict[str, Any], **given: Any) -> Any:
        targets.append(batch[Postprocessing.VALUE_TARGETS][batch[Columns.LOSS_MASK]])
        return original(self, batch=batch, **given)

    original = trainer._Learner.compute_loss_for_module
    monkeypatch.setattr(trainer._Learner, "compute_loss_for_module", note)
    with torch.no_grad():
        agent[0].value[-1].weight.zero_()  # type: ignore[union-attr, operator]
        agent[0].value[-1].bias.fill_(5.0)  # type: ignore[union-attr, operator]
    short = replace(BOX, bonus="", settings={"max_steps": 3})
    once = replace(SETTINGS, epochs=1, minibatch=80, discount=0.8)
    made = trainer.PPOTrainer(*agent, lambda number: AlwaysOne(make_env(short)), once, seed=1)
    try:
        made.update()
        assert len(made.finished()) > 20
    finally:
        made.close()
    assert torch.cat(targets).numpy() == pytest.approx(5.0, abs=1e-4)


def test_a_study_by_ppo_is_resumed_and_its_agents_are_like_any_other(tmp_path: Path) -> None:
    half = replace(TINY, frames=80)
    train(tmp_path / "one", BOX, {"box": BOX}, half, 0)
    rows = train(tmp_path / "one", BOX, {"box": BOX}, TINY, 0)
    assert [set(row) - {"time"} for row in rows] == [{"step", "train", "box", "entropy", "explained"}] * 2
    assert 80 <= rows[0]["step"] < 84 and 160 <= rows[1]["step"] < 168
    agent, tokenizer = load_agent(Checkpoints(tmp_path / "one").latest().agent_folder)
    assert measure(agent, tokenizer, BOX, TINY, 0) == rows[-1]["box"]

    case = Case("does it?", {"agent": BOX}, {"box": BOX}, 80, "yes")
    page = plan_school(tmp_path, (0,), ("it/ppo",), replace(half, ppo=None), {"it": case}).carry_out().read_text()
    assert "## it/ppo" in page and "| agent | 1 | 0.00 |" in page
    assert (tmp_path / "it" / "ppo" / "agent" / "seed-0" / "metrics.jsonl").exists()
