"""The agent: the shared trunk, a movement policy, a language policy and a value head (paper, A.4 and A.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedModel

from agents.batch import ActionBatch, ObservationBatch, PolicyLogProbs
from agents.card import AGENT_EXAMPLE, SETTER_EXAMPLE
from agents.config import AgentConfig
from agents.learning.contrastive import Discriminator
from agents.networks import movement as movement_policy
from agents.networks.improvement import GOOD, ImprovementIndicator
from agents.networks.language import LanguagePolicy
from agents.networks.movement import Choices, MovementPolicy
from agents.networks.trunk import AgentState, Trunk
from agents.tokenizer import PAD_ID
from worlds.contract import SETTER
from worlds.errors import UserError
from worlds.spaces.action import Grammar, Speech

if TYPE_CHECKING:
    from agents.networks.grammar import GrammarPolicy

__all__ = ["AgentOutput", "AgentState", "InteractiveAgent"]


_NEVER = -1e4  # log-odds of speaking of a player that cannot speak


@dataclass(frozen=True)
class AgentOutput:
    """Outputs of the agent for a sequence [T, B]."""

    features: Tensor  # [T, B, memory_width], input of every head
    value: Tensor  # [T, B]
    speak_logit: Tensor  # [T, B], log-odds of speaking
    vision: Tensor  # [T, B, K, width], of every visual token, before vision meets language
    language: Tensor  # [T, B, width], of the setter's words
    before: Tensor  # int8 or int16 [T, B, C], what the first action of each step is given as the one before it
    choices: Choices  # what else the choice of movement depends on
    seen: Tensor | None  # bool [T, B, K], visual tokens that are there; None is all
    glimpsed: Tensor | None  # [T, B, width], of ``vision``, what shows best what the words name


class InteractiveAgent(PreTrainedModel):
    """The solver, or the setter. Everything is time-major; ``resets[t, b]`` is True at the first step of an episode."""

    config_class = AgentConfig
    config: AgentConfig
    base_model_prefix = "agent"
    main_input_name = "observations"
    supports_gradient_checkpointing = True

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.trunk = Trunk(config)
        self.movement = MovementPolicy(config)
        speech = config.player.action.speech
        self.language: LanguagePolicy | GrammarPolicy | None = None
        if speech is not None:
            self.language = _language_policy(config, speech)
        last = nn.Linear(config.value_width, 1)
        nn.init.normal_(last.weight, std=0.01)  # values begin near 0, as returns do
        self.value = nn.Sequential(nn.Linear(config.memory_width, config.value_width), nn.ReLU(), last)
        self.discriminator = Discriminator()
        self.improvement = ImprovementIndicator(config.memory_width) if config.improvement_indicator else None
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Modules initialise themselves where they are built."""

    @staticmethod
    def example(config: AgentConfig) -> str:
        """Return a program that loads such an agent from the present folder and lets it act; for its card."""
        return SETTER_EXAMPLE if config.role == SETTER else AGENT_EXAMPLE

    def freeze_vision(self) -> None:
        """Keep the image encoder as it is in all training to come. Its gradients are half of the work of an update.

        Raises:
          UserError: the agent has none that can be kept while the rest learns.
        """
        if self.trunk.vision is None:
            raise UserError("frozen_vision needs an agent with an image encoder of its own; leave it out")
        self.trunk.vision.requires_grad_(False)

    @torch.no_grad()
    def see(self, observations: ObservationBatch) -> ObservationBatch:
        """Replace pictures by their tokens, which are the same as long as the image encoder is.

        Whoever has the same frozen encoder (:meth:`freeze_vision`) need not compute them again.

        Args:
          observations: [T, B, ...], of an agent with an image encoder.

        Returns:
          The same with ``visual`` instead of ``image``. Tokens that are there are kept.

        Raises:
          ValueError: there are neither.
        """
        tokens = observations.visual
        if tokens is None:
            if self.trunk.vision is None or observations.image is None:
                raise ValueError("there are no pictures to see, or no image encoder")
            tokens = self.trunk.vision(observations.image.flatten(0, 1)).unflatten(0, observations.shape)
        return observations._replace(image=None, visual=tokens)

    def initial_state(self, batch_size: int, device: torch.device | str | None = None) -> AgentState:
        """Return the empty memory: two tensors of zeros [batch_size, memory_width]."""
        zeros = torch.zeros(batch_size, self.config.memory_width, device=device or self.device)
        return AgentState(zeros, zeros.clone())

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor, improvement: Tensor | None = None
    ) -> tuple[AgentOutput, AgentState]:
        """Follow sequences of T steps in B environments.

        Args:
          observations: [T, B, ...].
          state: memory before the first step, [B, memory_width] each.
          resets: bool [T, B], True at the first step of an episode.
          improvement: int [T, B], the indicator of an agent that has one (:mod:`agents.networks.improvement`); None is
            GOOD at every step.

        Returns:
          The outputs [T, B, ...], and the memory after the last step.

        Raises:
          ValueError: the shapes disagree, or the agent has no indicator.
        """
        if improvement is not None and self.improvement is None:
            raise ValueError("this agent has no improvement indicator: its configuration leaves it out")
        if observations.shape != resets.shape or state.hidden.shape[0] != resets.shape[1]:
            raise ValueError(
                f"observations {observations.shape}, resets {tuple(resets.shape)} and memory "
                f"{tuple(state.hidden.shape)} do not agree on [T, B]"
            )
        trunk, state = self.trunk(observations, state, resets)
        # The trunk may be computed in bfloat16; its rounding must not reach importance weights and value targets.
        with torch.autocast(trunk.features.device.type, enabled=False):
            features = trunk.features.to(next(self.value.parameters()).dtype)
            if self.improvement is not None:
                indicated = torch.full_like(resets, GOOD, dtype=torch.long) if improvement is None else improvement
                features = self.improvement(features, indicated)
            value = self.value(features).squeeze(-1)
            if self.language is None:
                speak_logit = torch.full_like(value, _NEVER)
            else:
                speak_logit = self.language.speak_logit(features)
        output = AgentOutput(
            features=features,
            value=value,
            speak_logit=speak_logit,
            vision=trunk.vision,
            language=trunk.language,
            before=self._before(observations.previous_movement[..., -1, :]),
            choices=Choices(observations.legal, trunk.entities, trunk.present),
            seen=trunk.seen,
            glimpsed=trunk.glimpsed,
        )
        return output, state

    def _before(self, last: Tensor) -> Tensor:
        """Return the action before a step's first: ``last`` [T, B, C] if the agent observes it, else rest."""
        if self.config.feels_movement:
            return last
        return torch.from_numpy(self.config.columns.rest).to(last.device).expand_as(last)

    def log_probs(self, output: AgentOutput, actions: ActionBatch) -> PolicyLogProbs:
        """Log-probabilities of ``actions`` [T, B] under the policies at ``output``."""
        distributions = self.movement.distributions(output.features, output.before, actions.movement, output.choices)
        return self._assemble(output, actions, distributions)

    def log_probs_and_entropy(self, output: AgentOutput, actions: ActionBatch) -> tuple[PolicyLogProbs, Tensor]:
        """Return :meth:`log_probs`, and the movement policy's entropy [T, B] along the actions."""
        distributions = self.movement.distributions(output.features, output.before, actions.movement, output.choices)
        return self._assemble(output, actions, distributions), movement_policy.entropy(distributions)

    def _assemble(self, output: AgentOutput, actions: ActionBatch, distributions: Tensor) -> PolicyLogProbs:
        spoke = actions.utterance[..., 0] != PAD_ID
        # Words are rare: their Transformer runs only on the rows that have some.
        words = torch.zeros_like(output.speak_logit, dtype=torch.float32)
        if self.language is not None and bool(spoke.any()):
            said = self.language.words_log_prob(
                output.features[spoke], actions.utterance[spoke], self._shown_words(output, spoke)
            )
            words = words.masked_scatter(spoke, said.to(words.dtype))
        speak = -F.softplus(torch.where(spoke, -output.speak_logit, output.speak_logit))
        return PolicyLogProbs(movement_policy.log_prob(distributions, actions.movement), speak, words)

    def _shown_words(self, output: AgentOutput, spoke: Tensor) -> Tensor | None:
        """Scores [N, vocabulary] of words by what was glimpsed where ``spoke`` [T, B] is true; None if none count."""
        if output.glimpsed is None or not isinstance(self.language, LanguagePolicy):
            return None
        return self.trunk.shown_words(output.glimpsed[spoke])

    @torch.no_grad()
    def act(
        self,
        observations: ObservationBatch,
        state: AgentState,
        resets: Tensor,
        generator: torch.Generator | None = None,
        greedy: bool = False,
        greedy_words: bool = False,
    ) -> tuple[ActionBatch, PolicyLogProbs, AgentOutput, AgentState]:
        """Choose actions for one step (T = 1) in B environments.

        Args:
          observations: [1, B, ...].
          state: memory before the step, [B, memory_width] each.
          resets: bool [1, B], True where an episode begins.
          generator: source of randomness; the global one if None.
          greedy: take the likeliest action instead of a sample.
          greedy_words: take the likeliest words, whatever else is a sample.

        Returns:
          Actions [1, B, ...], their log-probabilities [1, B], the outputs, and the memory after the step.
        """
        output, state = self(observations, state, resets)
        actions, log_probs = self.choose(output, generator, greedy, greedy_words)
        return actions, log_probs, output, state

    @torch.no_grad()
    def choose(
        self,
        output: AgentOutput,
        generator: torch.Generator | None = None,
        greedy: bool = False,
        greedy_words: bool = False,
    ) -> tuple[ActionBatch, PolicyLogProbs]:
        """Choose actions at the outputs of one step (T = 1) in B environments.

        Args:
          output: [1, B, ...].
          generator: source of randomness; the global one if None.
          greedy: take the likeliest action instead of a sample.
          greedy_words: take the likeliest words, whatever else is a sample.

        Returns:
          Actions [1, B, ...] and their log-probabilities [1, B].
        """
        features, logit = output.features[0], output.speak_logit[0]
        choices = Choices(*(None if part is None else part[0] for part in output.choices))
        moves, movement_log_prob = self.movement.sample(features, output.before[0], generator, greedy, choices)
        threshold = 0.5 if greedy else torch.rand(logit.shape, device=logit.device, generator=generator)
        spoke = torch.sigmoid(logit) > threshold
        length = self.config.utterance_length
        utterance = torch.full((len(features), length), PAD_ID, dtype=torch.long, device=logit.device)
        words = torch.zeros_like(logit, dtype=torch.float32)
        if self.language is not None and bool(spoke.any()):
            utterance[spoke], words[spoke] = self.language.sample_words(
                features[spoke], length, generator, greedy or greedy_words, self._shown_words(output, spoke[None])
            )
        speak = -F.softplus(torch.where(spoke, -logit, logit))
        log_probs = PolicyLogProbs(movement_log_prob[None], speak[None], words[None])
        return ActionBatch(moves[None], utterance[None]), log_probs


def with_improvement_indicator(agent: InteractiveAgent) -> InteractiveAgent:
    """Return a copy of ``agent`` that has an improvement indicator, and acts as before until it is trained.

    Its own weights are copied, never shared. An agent that has an indicator keeps what that has learned.
    """
    config = type(agent.config).from_dict(agent.config.to_dict() | {"improvement_indicator": True})
    with torch.random.fork_rng(devices=[]):
        made = type(agent)(config)
    made.load_state_dict(agent.state_dict(), strict=False)
    nn.Module.to(made, agent.device)
    return made.train(agent.training)


def _language_policy(config: AgentConfig, speech: Speech) -> LanguagePolicy | GrammarPolicy:
    if not isinstance(speech, Grammar):
        return LanguagePolicy(config)
    from agents.networks.grammar import GrammarPolicy

    return GrammarPolicy(config, speech)
