"""The learner against losses put together by hand, from separate passes over play and recordings."""

import copy
import math

import numpy as np
import pytest
import torch

from agents.agent import AgentState
from agents.learning.contrastive import css_loss
from agents.tokenizer import PAD_ID
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError

STEPS, SLOTS, WINDOWS = 5, 3, 2


def recorded():
    return tiny_agent.recorded(STEPS + 1, WINDOWS)


def window(stream):
    return RecordedWindow(*stream.next())


@torch.no_grad()
def by_hand(agent, fragment, window, discount=0.96):
    """Every term, from one pass over the fragment and another over the window, V-trace as a loop over numbers."""
    played = fragment.to_tensors()
    output, _ = agent(played.observations, played.state, played.resets)
    log_probs = agent.log_probs(output, played.actions)
    target = (log_probs.movement + log_probs.speak + log_probs.words).numpy().astype(np.float64)
    behaviour = fragment.movement_log_prob + fragment.speak_log_prob + fragment.words_log_prob
    value = output.value.numpy().astype(np.float64)
    vs, advantage = value[:-1].copy(), np.zeros((STEPS, SLOTS))
    rho = np.minimum(1.0, np.exp(target - behaviour))
    for slot in range(SLOTS):
        following = value[STEPS, slot]
        correction = 0.0
        for t in reversed(range(STEPS)):
            if fragment.resets[t + 1, slot] and not fragment.terminated[t + 1, slot]:  # what was seen last: no action
                following, correction = value[t, slot], 0.0
                continue
            go_on = 0.0 if fragment.terminated[t + 1, slot] else discount
            reward = fragment.reward[t + 1, slot]  # what the action at t earned arrives at t + 1
            correction = rho[t, slot] * (reward + go_on * value[t + 1, slot] - value[t, slot] + go_on * correction)
            vs[t, slot] = value[t, slot] + correction
            advantage[t, slot] = rho[t, slot] * (reward + go_on * following - value[t, slot])
            following = vs[t, slot]
    did = ~fragment.resets[1:] | fragment.terminated[1:]  # elsewhere nothing was done, and nothing counts
    p = torch.sigmoid(output.speak_logit[:-1]).double()[did]
    q = torch.sigmoid(played.reference_speak_logit[:-1]).double()[did]
    terms = {
        "rl/movement": -(log_probs.movement[:-1].numpy() * advantage)[did].mean(),
        "rl/language": -((log_probs.speak + log_probs.words)[:-1].numpy() * advantage)[did].mean(),
        "rl/value": 0.5 * ((vs - value[:-1]) ** 2)[did].mean(),
        "rl/no_op_kl": (p * (p / q).log() + (1 - p) * ((1 - p) / (1 - q)).log()).mean().item(),
    }
    seen, _ = agent(window.observations, agent.initial_state(WINDOWS), window.resets)
    message = agent.log_probs(seen, window.actions)
    words = window.observations.setter_tokens
    asked = words[..., 0] != PAD_ID
    terms["bc/movement"] = -message.movement.mean().item()
    terms["bc/language"] = -(message.speak + message.words).mean().item()
    terms["bc/css"] = css_loss(agent.discriminator, seen.vision, seen.language, words, asked).item()
    return terms


def test_only_demonstrated_steps_are_imitated():
    fragment, recording = tiny_agent.fragment(tiny_agent.agent(), STEPS, SLOTS), window(recorded())
    demonstrated = torch.rand(STEPS + 1, WINDOWS, generator=torch.Generator().manual_seed(0)) < 0.5
    agent = tiny_agent.agent()
    with torch.no_grad():
        seen, _ = agent(recording.observations, agent.initial_state(WINDOWS), recording.resets)
        message = agent.log_probs(seen, recording.actions)
    places = demonstrated.nonzero().tolist()
    assert 0 < len(places) < demonstrated.numel()
    expected = {
        "bc/movement": -sum(float(message.movement[t, b]) for t, b in places) / len(places),
        "bc/language": -sum(float(message.speak[t, b] + message.words[t, b]) for t, b in places) / len(places),
    }
    whole = Learner(tiny_agent.agent()).update(fragment, recording)
    some = Learner(agent).update(fragment, recording._replace(demonstrated=demonstrated))
    for name in whole:
        if name in expected:
            assert some[name] == pytest.approx(expected[name], rel=1e-4) and some[name] != whole[name]
        elif name not in ("loss", "gradient_norm"):
            assert some[name] == whole[name], name  # CSS among them: all that is seen counts
    movement = recording.actions.movement.where(demonstrated[..., None, None], torch.tensor(0, dtype=torch.int8))
    other = recording._replace(demonstrated=demonstrated, actions=recording.actions._replace(movement=movement))
    assert Learner(tiny_agent.agent()).update(fragment, other) == some


@pytest.mark.parametrize("off_policy", [0.0, 0.7, -0.7])
@pytest.mark.parametrize("terminated", [1.0, 0.5, 0.0])
def test_every_term_equals_its_computation_by_hand(off_policy, terminated):
    agent = tiny_agent.agent()
    fragment = tiny_agent.fragment(agent, STEPS, SLOTS, 1, off_policy, terminated)
    recording, ended = window(recorded()), fragment.resets[1:]
    assert (fragment.utterance[:-1, :, 0] != PAD_ID).any()
    assert {0.0: 0, 0.5: 1, 1.0: ended.sum()}[terminated] == fragment.terminated[1:].sum() and ended.sum() > 1
    expected = by_hand(agent, fragment, recording)
    metrics = Learner(agent).update(fragment, recording)
    for name, value in expected.items():
        assert metrics[name] == pytest.approx(value, rel=1e-4, abs=1e-4), name
    weights = {"movement": 0.5, "language": 0.1, "value": 1.0, "no_op_kl": 1e-3}  # the paper's
    total = sum(weight * expected[f"rl/{name}"] for name, weight in weights.items())
    total += expected["bc/movement"] + 5 * expected["bc/language"] + expected["bc/css"]
    assert metrics["loss"] == pytest.approx(total, rel=1e-4)
    assert metrics["vtrace/rho"] == pytest.approx(math.exp(-off_policy), rel=1e-4)


def test_the_learning_rate_falls_along_a_cosine_to_the_last_update():
    learner = Learner(tiny_agent.agent(), LearnerConfig(learning_rate=1e-2, decay=0.2), last_update=5)
    fragment, recording = tiny_agent.fragment(tiny_agent.agent(), STEPS, SLOTS), window(recorded())
    rates = []
    for _ in range(6):  # one more than there should be
        learner.update(fragment, recording)
        rates += {group["lr"] for group in learner.state_dict()["optimizer"]["param_groups"]}
    half = 0.5 * (1 + math.sqrt(0.5))  # the cosine of an eighth of a circle
    expected = [1.0, 0.2 + 0.8 * half, 0.6, 0.2 + 0.8 * (1 - half), 0.2, 0.2]
    assert rates == pytest.approx([1e-2 * share for share in expected])


def test_memory_is_carried_from_window_to_window():
    agent = tiny_agent.agent()
    fragment, stream = tiny_agent.fragment(agent, STEPS, SLOTS), recorded()
    windows = [window(stream) for _ in range(2)]
    assert not windows[1].resets[0].all()
    carrying, forgetting = (
        Learner(copy.deepcopy(agent), LearnerConfig(carry_memory=carry, learning_rate=1e-12)) for carry in (True, False)
    )
    for learner in (carrying, forgetting):
        learner.update(fragment, windows[0])
    _, memory = agent(windows[0].observations, agent.initial_state(WINDOWS), windows[0].resets)

    def movement_loss(state: AgentState) -> float:
        output, _ = agent(windows[1].observations, state, windows[1].resets)
        return -agent.log_probs(output, windows[1].actions).movement.mean().item()

    carried, forgotten = movement_loss(memory), movement_loss(agent.initial_state(WINDOWS))
    assert abs(carried - forgotten) > 1e-3
    assert carrying.update(fragment, windows[1])["bc/movement"] == pytest.approx(carried, abs=5e-5)
    assert forgetting.update(fragment, windows[1])["bc/movement"] == pytest.approx(forgotten, abs=5e-5)


@pytest.mark.parametrize("field", ["reward", "movement_log_prob"])
def test_a_term_that_is_not_finite_is_named_and_the_weights_unchanged(field):
    agent = tiny_agent.agent()
    fragment = tiny_agent.fragment(agent, STEPS, SLOTS)
    getattr(fragment, field)[2, 1] = np.nan
    before = copy.deepcopy(agent.state_dict())
    learner = Learner(agent)
    with pytest.raises(FloatingPointError, match="update 0 is not finite: rl/movement is nan.*rl/value is nan"):
        learner.update(fragment, window(recorded()))
    assert all(torch.equal(value, agent.state_dict()[name]) for name, value in before.items())
    assert learner.updates == 0


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("decay", [1.0, 0.1])
def test_a_saved_learner_goes_on_as_if_it_had_never_stopped(decay, device):
    """On another device its moments and counts come along; "meta" holds no numbers, only where they would be."""
    config, stream = LearnerConfig(learning_rate=1e-2, decay=decay), recorded()
    updates = [(tiny_agent.fragment(tiny_agent.agent(), STEPS, SLOTS, seed), window(stream)) for seed in range(4)]
    straight, first = (Learner(tiny_agent.agent(), config, last_update=4) for _ in range(2))
    expected = [straight.update(*update) for update in updates]
    for update in updates[:2]:
        first.update(*update)
    agent, state = copy.deepcopy((first.agent, first.state_dict()))
    second = Learner(agent, config, last_update=4, device=device)
    second.load_state_dict(state)
    moments = [value for state in second._optimizer.adam.state.values() for value in state.values()]
    assert moments and all(value.device.type == device for value in [*moments, *second._memory])
    if device == "cpu":
        assert [second.update(*update) for update in updates[2:]] == expected[2:] and second.updates == 4
        for name, value in straight.agent.state_dict().items():
            assert torch.equal(value, second.agent.state_dict()[name]), name


def test_an_image_encoder_that_is_frozen_stays_while_the_rest_learns():
    learner = Learner(tiny_agent.agent(), LearnerConfig(frozen_vision=True))
    before = {name: weight.clone() for name, weight in learner.agent.state_dict().items()}
    for _ in range(2):
        learner.update(tiny_agent.fragment(learner.agent), window(recorded()))
    changed = {name for name, weight in learner.agent.state_dict().items() if not torch.equal(weight, before[name])}
    assert not any(name.startswith("trunk.vision.") for name in changed)
    assert {"trunk.shows.weight", "trunk.memory.input.weight", "value.0.weight"} <= changed
    learner.agent.trunk.vision = None
    with pytest.raises(UserError, match="frozen_vision needs an agent with an image encoder"):
        Learner(learner.agent, LearnerConfig(frozen_vision=True))


def test_fragment_and_window_of_different_lengths_are_refused():
    agent = tiny_agent.agent()
    with pytest.raises(ValueError, match="6 rows and the window of recorded play 7"):
        Learner(agent).update(tiny_agent.fragment(agent, STEPS), window(tiny_agent.recorded(STEPS + 2, WINDOWS)))
