"""The likelihood of what was said, against the policy asked one step and one utterance at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import agents.registry
from agents.batch import ActionBatch
from agents.tokenizer import EOS_ID, PAD_ID, Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel, UtilityMemory
from reward_models.spoken_likelihood import BEFORE_PLAY, LEAST, as_utterances, carried, newly_said
from rlhf.data.memory import encode_episodes
from rlhf.store.synthetic import synthetic_episode

WORDS = ["lift the red ball", "yes", "two", "it is blue"]
SAID = ("", "", "yes", "yes", "two", "two", "it is blue", "yes")


@pytest.mark.parametrize("glimpse", [False, True])
def test_it_is_what_the_policy_gave_the_words_a_step_before(glimpse: bool) -> None:
    torch.manual_seed(0)
    tokenizer = Tokenizer.train(WORDS, vocab_size=300)
    agent = agents.registry.make(
        "nano", image_size=(12, 16), vocab_size=tokenizer.vocab_size, vision_strides=(4, 2), glimpse=glimpse
    )
    model = InterTemporalRewardModel.from_agent(agent, likelihood=True).eval()
    made = synthetic_episode(3, len(SAID), 12, 16)
    play = encode_episodes([replace(made, solver_text=SAID)], tokenizer, model.config)
    observations, actions = play.gather(np.arange(len(SAID))[:, None])
    resets = torch.zeros(len(SAID), 1, dtype=torch.bool)
    resets[0] = True
    given: list[torch.Tensor] = []
    model.utility.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0][:, 0, -1]))
    with torch.no_grad():
        _, memory = model.utilities(observations, model.initial_state(1), resets)

    state, outputs = agent.initial_state(1), []
    for step in range(len(SAID)):
        one = observations.map(lambda part, step=step: part[step : step + 1])
        output, state = agent(one, state, resets[step : step + 1])
        outputs.append(output)
    expected = []
    for step, words in enumerate(SAID):
        if not words:
            expected.append(0.0)
        elif words == SAID[step - 1]:
            expected.append(expected[-1])
        else:
            tokens = torch.from_numpy(tokenizer.encode([words], agent.config.utterance_length, end=True))[None]
            chosen = ActionBatch(actions.movement[:1], tokens)
            expected.append(max(agent.log_probs(outputs[step - 1], chosen).words.item(), LEAST))
    assert given[0].tolist() == pytest.approx(expected, abs=1e-4) and min(expected) < 0
    assert isinstance(memory, UtilityMemory) and memory.likelihood.item() == pytest.approx(expected[-1], abs=1e-4)


def test_words_are_new_once_and_nobody_in_an_episode_said_those_before_it() -> None:
    words = torch.tensor([[5], [5], [6], [PAD_ID], [6], [7]])[:, None]
    resets = torch.tensor([False, False, False, False, True, False])[:, None]
    new = newly_said(words, torch.tensor([[PAD_ID]]), resets)
    assert new[:, 0].tolist() == [True, False, True, False, False, True]
    for before in (5, BEFORE_PLAY):  # said before; or the first step, of which nothing is known
        assert not newly_said(words[:1], torch.tensor([[before]]), resets[:1]).any()


def test_utterances_end_unless_they_were_cut() -> None:
    words = torch.tensor([[5, 6, PAD_ID, PAD_ID], [5, 6, 7, 8], [PAD_ID] * 4])
    assert as_utterances(words, 3).tolist() == [[5, 6, EOS_ID], [5, 6, 7], [EOS_ID, PAD_ID, PAD_ID]]
    assert as_utterances(words, 6).tolist()[1] == [5, 6, 7, 8, EOS_ID, PAD_ID]


def test_the_last_found_is_carried_to_the_end_of_its_episode() -> None:
    found = torch.tensor([1.0, -2.0, 3.0, 4.0])[:, None]
    new = torch.tensor([False, True, False, False])[:, None]
    resets = torch.tensor([False, False, False, True])[:, None]
    assert carried(found, new, resets, torch.tensor([-9.0]))[:, 0].tolist() == [-9.0, -2.0, -2.0, 0.0]
