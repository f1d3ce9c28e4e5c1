"""The prior of words: what it sees, what teaches it, and what it keeps the language policy from learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from agents.acting import AgentSolvers
from agents.agent import AgentOutput, InteractiveAgent
from agents.batch import RecordedWindow
from agents.config import AgentConfig
from agents.networks.language import Given, LanguagePolicy
from agents.networks.word_prior import request_embeddings
from agents.tokenizer import BOS_ID, EOS_ID, PAD_ID, Tokenizer
from rlhf.learning.cloner import imitation_terms
from tests.unit.agents import made_up_play

LENGTH, VOCABULARY, WIDTH = 3, 12, 8
YES = 5
SIZES = {"width": WIDTH, "memory_width": WIDTH, "vocab_size": VOCABULARY, "utterance_length": LENGTH, "heads": 2}


def policy(**fields: bool) -> LanguagePolicy:
    torch.manual_seed(0)
    return LanguagePolicy(AgentConfig(**SIZES, **fields))  # type: ignore[arg-type]


@torch.no_grad()
def test_words_are_likely_as_policy_and_prior_are_together() -> None:
    with_prior, without = policy(word_prior=True), policy()
    without.load_state_dict(with_prior.state_dict(), strict=False)
    features, request = torch.randn(1, WIDTH), torch.randn(1, WIDTH)
    assert with_prior.prior is not None
    words = [word for word in range(VOCABULARY) if word not in (PAD_ID, BOS_ID, EOS_ID)]
    said = torch.tensor([[word, EOS_ID, PAD_ID] for word in words])
    # The end is left out, so that only the first word counts.
    said[:, 1] = PAD_ID
    many = features.expand(len(words), -1), request.expand(len(words), -1)
    alone = without.words_log_prob(many[0], said)
    prior = with_prior.prior_log_prob(many[1], said)
    together = torch.log_softmax(alone.double() + prior.double(), dim=0)
    torch.testing.assert_close(
        with_prior.words_log_prob(many[0], said, Given(request=many[1])), together.float(), atol=1e-5, rtol=0
    )
    torch.testing.assert_close(with_prior.words_log_prob(many[0], said), alone, msg="not given any request")


def test_each_is_taught_by_its_own_loss() -> None:
    both = policy(word_prior=True)
    features, request = torch.randn(4, WIDTH), torch.randn(4, WIDTH, requires_grad=True)
    said = torch.tensor([[YES, EOS_ID, PAD_ID]] * 4)
    prior = {f"prior.{name}" for name, _ in both.prior.named_parameters()}  # type: ignore[union-attr]
    both.words_log_prob(features, said, Given(request=request)).sum().backward()
    taught = {name for name, weight in both.named_parameters() if weight.grad is not None}
    assert taught and not taught & prior and request.grad is None
    both.zero_grad(set_to_none=True)
    both.prior_log_prob(request, said).sum().backward()
    assert {name for name, weight in both.named_parameters() if weight.grad is not None} == prior
    assert request.grad is None, "the words' embeddings are not changed for it"


def test_a_request_is_the_mean_of_its_words_and_its_first_word() -> None:
    words = torch.randn(2, 3, WIDTH, requires_grad=True)
    spoken = torch.tensor([[True, True, False], [True, True, True]])
    found = request_embeddings(words, spoken)
    torch.testing.assert_close(found[0, 0], words[0, :2].mean(0))
    torch.testing.assert_close(found[1, 0], words[1].mean(0))
    torch.testing.assert_close(found[:, 1], words[:, 0])
    assert not found.requires_grad


def answers(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Requests for one of four things, and what is to be answered: features [N, WIDTH], thing [N] and answer [N].

    The features show the thing clearly and the answer less so.
    """
    draws = torch.Generator().manual_seed(seed)
    thing, answer = torch.randint(4, (2, count), generator=draws)
    shown = one_hot(answer, 4) + 0.5 * torch.randn(count, 4, generator=draws)
    return torch.cat([one_hot(thing, 4).float(), shown], dim=1), thing, answer


def share_of_new_answers_right(word_prior: bool) -> float:
    """The share right of answers that no training had for that thing, after training on the others."""
    learned = policy(word_prior=word_prior)
    features, thing, answer = answers(4000, seed=1)
    new = (answer - thing) % 4 > 1  # every thing has had two answers
    requests = torch.randn(4, 2, WIDTH)  # of each thing: of all words, and of the first, which is the same
    requests[:, 1] = requests[0, 1]
    said = torch.tensor([[word, EOS_ID, PAD_ID] for word in (5, 6, 7, 8)])[answer]
    optimizer = torch.optim.Adam(learned.parameters(), 0.01)
    rows = torch.nonzero(~new).squeeze(1)
    for update in range(600):
        batch = rows[torch.randperm(len(rows), generator=torch.Generator().manual_seed(update))[:256]]
        whole, first = requests[thing[batch], 0], requests[thing[batch], 1]
        loss = -learned.words_log_prob(features[batch], said[batch], Given(request=whole)).mean()
        if word_prior:
            loss = loss - learned.prior_log_prob(whole, said[batch]).mean()
            loss = loss - learned.prior_log_prob(first, said[batch]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    given = Given(request=requests[thing[new], 1])
    words, _ = learned.eval().sample_words(features[new], LENGTH, greedy=True, given=given)
    return (words[:, 0] == said[new, 0]).float().mean().item()


def test_what_a_thing_never_was_in_training_is_said_where_it_is_seen() -> None:
    assert share_of_new_answers_right(word_prior=False) < 0.2
    assert share_of_new_answers_right(word_prior=True) > 0.4


def test_an_agent_says_in_play_what_does_not_depend_on_the_answers_of_the_very_request() -> None:
    agent = made_up_play.agent("nano", word_prior=True).eval()
    observations, _ = made_up_play.batch(agent.config, 1, 2)
    observations.setter_tokens[:] = torch.tensor([5, 6, 7, *[PAD_ID] * (observations.setter_tokens.shape[-1] - 3)])
    output, _ = agent(observations, agent.initial_state(2), torch.ones(1, 2, dtype=torch.bool))
    spoke = torch.ones(1, 2, dtype=torch.bool)
    embeddings = agent.trunk.words.weight
    given = [agent._given(output, spoke, debiased).request for debiased in (False, True)]
    assert given[0] is not None and given[1] is not None
    torch.testing.assert_close(given[0][0], embeddings[5:8].mean(0))
    torch.testing.assert_close(given[1][0], embeddings[5])


def test_agents_that_play_are_debiased_and_those_that_learn_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = made_up_play.agent("nano", word_prior=True)
    asked = list[bool]()
    given = InteractiveAgent._given

    def noted(self: InteractiveAgent, output: AgentOutput, spoke: torch.Tensor, debiased: bool = False) -> Given:
        asked.append(debiased)
        return given(self, output, spoke, debiased)

    monkeypatch.setattr(InteractiveAgent, "_given", noted)
    with torch.no_grad():
        agent.language.speak.bias.fill_(20.0)  # type: ignore[union-attr]
    blank: Any = agent.config.player.blank()
    AgentSolvers(agent, Tokenizer.train(["red"], made_up_play.VOCABULARY), 1).act([blank], np.array([True]))
    observations, actions = made_up_play.batch(agent.config, 1, 2)
    _, _, output, _ = agent.act(observations, agent.initial_state(2), torch.ones(1, 2, dtype=torch.bool))
    agent.log_probs(output, actions)
    assert asked[0] and len(asked) > 1 and not any(asked[1:])


def test_cloning_has_a_term_for_the_prior_of_those_agents_that_have_one() -> None:
    for word_prior in (False, True):
        agent = made_up_play.agent("nano", word_prior=word_prior)
        window = RecordedWindow(*made_up_play.batch(agent.config, 4, 3), torch.zeros(4, 3, dtype=torch.bool))
        terms, _ = imitation_terms(agent, window, agent.initial_state(3))
        assert ("prior" in terms) == word_prior
        if word_prior:
            assert terms["prior"] > 0.0
