"""An agent as a module of RLlib, and a solver's environment in its arrays. Ray is not started here."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

pytest.importorskip("ray", reason="Ray is an extra: pip install 'interactive-rlhf[ray]'")

from ray.rllib.core.columns import Columns  # noqa: E402

from agents.agent import InteractiveAgent  # noqa: E402
from agents.batch import (  # noqa: E402
    ActionBatch,
    ObservationBatch,
    observation_columns,  # noqa: E402
)
from agents.config import AgentConfig  # noqa: E402
from experiments.social_ai.cases import Arm  # noqa: E402
from experiments.social_ai.film.agent import FilmConfig  # noqa: E402
from experiments.social_ai.ppo.encoded_env import (  # noqa: E402
    EncodedEnv,
    batched_actions,
    encoded_action_space,
    encoded_observation_space,
    flat_actions,
)
from experiments.social_ai.ppo.module import AGENT, AgentModule  # noqa: E402
from experiments.social_ai.solver_env import SPEC  # noqa: E402
from experiments.social_ai.training import SchoolTraining, make_agent, make_env  # noqa: E402
from tests.unit.rlhf import declared_spaces, tiny_agent  # noqa: E402
from worlds.spaces.description import to_json  # noqa: E402
from worlds.spaces.observation import PlayerSpec  # noqa: E402

STEPS, COLUMNS = 5, 3
BOX = Arm("SocialAI-AsocialBoxInformationSeekingParamEnv-v1")
SMALLEST = {"width": 8, "memory_width": 12, "tick_width": 6, "value_width": 8}


def declared(spec: PlayerSpec) -> AgentConfig:
    return tiny_agent.config(spaces=to_json(spec))


CONFIGS = {
    "the Playhouse's": tiny_agent.config(),
    "the school's": declared(SPEC),
    "the paper's": FilmConfig(spaces=to_json(SPEC), vocab_size=280, setter_text_length=6, **SMALLEST),
    "continuous and silent": declared(declared_spaces.CONTINUOUS.solver),
    "of every kind": declared(declared_spaces.MIXED.solver),
}


@pytest.fixture(params=CONFIGS)
def module(request: pytest.FixtureRequest) -> AgentModule:
    return module_of(CONFIGS[request.param])


def module_of(config: AgentConfig) -> AgentModule:
    torch.manual_seed(0)
    spaces = encoded_observation_space(config), encoded_action_space(config)
    made = AgentModule(observation_space=spaces[0], action_space=spaces[1], model_config={AGENT: config})
    if made.agent.language is not None:
        with torch.no_grad():  # so that words matter
            made.agent.language.speak.bias.fill_(0.3)
    return made


def observations(config: AgentConfig, seed: int = 0) -> ObservationBatch:
    """Return observations [T, B] of small numbers, which every category has."""
    rng, parts = np.random.default_rng(seed), dict[str, Any](image=None)
    for name, (dtype, shape) in observation_columns(config).items():
        parts[name] = torch.from_numpy(rng.integers(0, 2, (STEPS, COLUMNS, *shape)).astype(dtype))
    return ObservationBatch(**parts)


def batch_of(seen: ObservationBatch, state: Any) -> dict[str, Any]:
    """Return what RLlib gives a module."""
    found = {name: part.transpose(0, 1) for name, part in seen._asdict().items() if part is not None}
    return {Columns.OBS: found, Columns.STATE_IN: state._asdict()}


def test_probabilities_values_and_memory_are_the_agents(module: AgentModule) -> None:
    agent: InteractiveAgent = module.agent
    seen, nothing = observations(agent.config), torch.zeros(STEPS, COLUMNS, dtype=torch.bool)
    _, state = agent(observations(agent.config, 1), agent.initial_state(COLUMNS), nothing)
    out = module.forward_train(batch_of(seen, state))
    distribution = module.get_train_action_dist_cls().from_logits(out[Columns.ACTION_DIST_INPUTS])
    rows: Any = distribution.sample()
    assert all(module.action_space.contains(row) for row in rows.flatten(0, 1).numpy())

    output, after = agent(seen, state, nothing)
    actions = ActionBatch(*(part.transpose(0, 1) for part in batched_actions(rows, agent.config)))
    expected = agent.log_probs(output, actions)
    whole = (expected.movement + expected.language).transpose(0, 1)
    torch.testing.assert_close(distribution.logp(rows), whole)
    torch.testing.assert_close(flat_actions(batched_actions(rows, agent.config)), rows)
    for embeddings in (None, out[Columns.EMBEDDINGS]):
        torch.testing.assert_close(module.compute_values(batch_of(seen, state), embeddings), output.value.T)
    for name, part in after._asdict().items():
        torch.testing.assert_close(out[Columns.STATE_OUT][name], part)
    distribution.logp(rows).sum().backward()
    assert float(agent.movement.plan.weight.grad.abs().sum()) > 0  # type: ignore[union-attr]
    if agent.language is not None:
        assert float(agent.language.speak.weight.grad.abs().sum()) > 0  # type: ignore[union-attr]


def test_a_stretch_after_an_episodes_end_is_that_of_an_agent_that_is_reset(module: AgentModule) -> None:
    """RLlib cuts where an episode ends and fills up with zeros; an agent is given resets instead."""
    agent, cut = module.agent, 2
    seen = observations(agent.config)
    resets = torch.zeros(STEPS, COLUMNS, dtype=torch.bool)
    resets[cut] = True
    whole, _ = agent(seen, agent.initial_state(COLUMNS), resets)
    empty = agent.initial_state(COLUMNS)
    for begin, end in ((0, cut), (cut, STEPS)):
        parts = {name: None if part is None else part[begin:end] for name, part in seen._asdict().items()}
        filled = {
            name: None if part is None else torch.cat([part, torch.zeros_like(seen[place][: STEPS - end + begin])])  # type: ignore[index]
            for place, (name, part) in enumerate(parts.items())
        }
        values = module.compute_values(batch_of(ObservationBatch(**filled), empty))  # type: ignore[arg-type]
        torch.testing.assert_close(values[:, : end - begin], whole.value[begin:end].T)


def test_a_schools_distribution_is_one_over_all_acts_and_sentences() -> None:
    module = module_of(CONFIGS["the school's"])
    config, agent = module.agent.config, module.agent
    out = module.forward_train(batch_of(observations(config), agent.initial_state(COLUMNS)))
    inputs = out[Columns.ACTION_DIST_INPUTS][:1, :1]
    counts = module.action_space.nvec.tolist()  # type: ignore[attr-defined]
    silent = [(act, *[0] * (len(counts) - 1)) for act in range(counts[0])]
    spoken = list(itertools.product(range(counts[0]), *(range(1, count) for count in counts[1:])))
    rows = torch.tensor([silent + spoken])
    distribution = module.get_train_action_dist_cls().from_logits(inputs.expand(1, rows.shape[1], -1))
    logs = distribution.logp(rows)[0].detach().double()
    assert float(logs.exp().sum()) == pytest.approx(1.0, abs=1e-5)

    by_act = torch.stack([logs[rows[0, :, 0] == act].exp().sum() for act in range(counts[0])])
    speaks = logs[len(silent) :].exp().sum()
    speaking = torch.stack([speaks, 1 - speaks])
    expected = sum(float(-(part * part.log()).sum()) for part in (by_act, speaking))
    assert float(distribution.entropy()[0, 0].detach()) == pytest.approx(expected, rel=1e-4)


class Generous(gymnasium.Env):
    """The school's box, with other rewards; its second step is the last that time allows."""

    def __init__(self, reward: float) -> None:
        self._inner, self._reward, self.done = make_env(BOX), reward, list[Any]()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return self._inner.reset(seed=seed)

    def step(self, action: Any) -> Any:
        self.done.append(action)
        seen, *_, info = self._inner.step(action)
        return seen, self._reward, False, len(self.done) == 2, info


def test_actions_arrive_rewards_are_clipped_and_the_limit_of_steps_is_no_end() -> None:
    agent, tokenizer = make_agent(SchoolTraining(), 0)
    inner = Generous(7.5)
    env = EncodedEnv(inner, tokenizer, agent.config, 1.0)
    env.reset(seed=0)
    _, reward, *ends, _ = env.step(np.array([2, 0, 0, 0][: len(env.action_space.nvec)]))  # type: ignore[attr-defined]
    assert reward == 1.0 and ends == [False, False]
    assert inner.done[0]["movement"].tolist() == [[2]] and inner.done[0]["utterance"] == ""
    _, _, *ends, _ = env.step(np.ones(len(env.action_space.nvec), np.int64))  # type: ignore[attr-defined]
    assert ends == [False, True] and inner.done[1]["utterance"]
    for wrong in (float("nan"), float("inf")):
        env = EncodedEnv(Generous(wrong), tokenizer, agent.config, 1.0)
        env.reset(seed=0)
        with pytest.raises(FloatingPointError, match="gave the reward"):
            env.step(np.zeros(len(env.action_space.nvec), np.int64))  # type: ignore[attr-defined]
