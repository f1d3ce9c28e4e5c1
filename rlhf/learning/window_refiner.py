"""Refining by losses of preferences on windows of play (:mod:`rlhf.learning.preference_losses`), beside imitation."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.batch import send
from agents.computing import autocast
from rlhf.data.dataset import Dataset
from rlhf.data.memory import MemoryDataset
from rlhf.learning.cloner import imitation_terms
from rlhf.learning.labelled_windows import LabelledWindows, WindowRows
from rlhf.learning.preference_losses import cpl_loss, kto_loss, mismatched_scores, reference_point, window_scores
from rlhf.learning.refiner import Refiner
from rlhf.learning.refining_config import RefiningConfig
from worlds.errors import UserError


class WindowRefiner(Refiner):
    """Trainer on windows of play that are desirable or not, by the method "kto", "apo" or "cpl".

    Args:
      agent: trained in place.
      windows: of ``play``.
      reference: the cloned agent, which stays as it is; None only for "cpl" without a reference.
      validation: see :class:`rlhf.learning.refiner.Refiner`.
      possible: bool [N], steps that count in windows: no policy gives the others any probability; None: all.

    Raises:
      UserError: if the windows are of one kind only, or, for "cpl", make no pair.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        play: MemoryDataset,
        windows: LabelledWindows,
        reference: InteractiveAgent | None,
        config: RefiningConfig,
        validation: Dataset | None = None,
        possible: np.ndarray | None = None,
    ) -> None:
        check_windows(windows, paired=config.method == "cpl")
        self.windows, self.reference = windows, reference
        self.possible = np.ones(len(play.first), dtype=bool) if possible is None else possible
        super().__init__(agent, play, config, validation)

    @property
    def shown(self) -> tuple[str, ...]:
        return ("movement", "preference", "margin") if self.config.preference_weight else super().shown

    @property
    def weights(self) -> dict[str, float]:
        return super().weights | {"preference": self.config.preference_weight, "margin": 0.0}

    def terms(self) -> tuple[dict[str, Tensor], AgentState]:
        window, _ = self._next()
        terms, memory = imitation_terms(self.model, window, self.memory, self.config.computing)
        if not self.config.preference_weight:
            return terms, memory
        draws = np.random.default_rng([self.config.seed, self.done])
        preference = self._of_pairs(draws) if self.config.method == "cpl" else self._of_windows(draws)
        return terms | preference, memory

    def _of_windows(self, draws: np.random.Generator) -> dict[str, Tensor]:
        """KTO or APO on windows of this update, and the margin between scores of desirable and undesirable ones."""
        config, chosen = self.config, self.windows.draw(self.config.windows, draws)
        rows = self.windows.rows(chosen, config.context)
        assert self.reference is not None
        mismatched = config.method == "kto"
        scores, others = self._scores(rows, self.reference, mismatched)
        desirable = torch.from_numpy(self.windows.desirable[chosen]).to(self.model.device)
        point = reference_point(others) if mismatched else 0.0
        loss = kto_loss(
            scores, desirable, config.beta, point, config.desirable_weight, config.undesirable_weight
        )  # fmt: skip
        return {"preference": loss, "margin": (scores[desirable].mean() - scores[~desirable].mean()).detach()}

    def _of_pairs(self, draws: np.random.Generator) -> dict[str, Tensor]:
        """CPL on pairs of this update, and the mean difference of their scores."""
        config = self.config
        pairs = self.windows.draw_pairs(max(1, config.windows // 2), draws)
        longest = np.tile(self.windows.common_lengths(pairs), 2)
        rows = self.windows.rows(pairs.reshape(-1), config.context, longest)
        better, worse = self._scores(rows, self.reference)[0].chunk(2)
        loss = cpl_loss(better, worse, config.beta, config.bias)
        return {"preference": loss, "margin": (better - worse).mean().detach()}

    def _scores(
        self, rows: WindowRows, reference: InteractiveAgent | None, mismatched: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Scores [K] of windows, and those with the actions of their neighbours, which are empty if not wanted."""
        discount = self.config.discount if self.config.method == "cpl" else 1.0
        inside = send(rows.inside & self.possible[rows.rows], self.model.device)
        own = action_log_probs(self.model, self.play, rows, self.config, mismatched)
        if reference is None:
            return window_scores(own[0], inside, discount), own[0].new_zeros(0)
        with torch.no_grad():
            before = action_log_probs(reference, self.play, rows, self.config, mismatched)
        others = mismatched_scores(own[1], before[1], inside) if mismatched else own[0].new_zeros(0)
        return window_scores(own[0], inside, discount, before[0]), others


def action_log_probs(
    agent: InteractiveAgent, play: MemoryDataset, rows: WindowRows, config: RefiningConfig, mismatched: bool = False
) -> tuple[Tensor, ...]:
    """Log-probabilities [T, K] of the recorded movement and language together.

    Args:
      config: settings; of which the precision counts.
      mismatched: return also those of the actions of the column before, given what this column observes.
    """
    observations, actions = play.gather(rows.rows, agent.device)
    with autocast(config.computing, agent.device):
        output, _ = agent(observations, agent.initial_state(rows.rows.shape[1]), send(rows.resets, agent.device))
    wanted = [actions]
    if mismatched:
        wanted.append(type(actions)(*(part.roll(1, dims=1) for part in actions)))
    found = [agent.log_probs(output, these) for these in wanted]
    return tuple(one.movement + one.language for one in found)


def check_windows(windows: LabelledWindows, paired: bool) -> None:
    """Check that a method can learn from ``windows``.

    Raises:
      UserError: if they are of one kind only, or make no pair that is needed.
    """
    good = int(windows.desirable.sum())
    if not 0 < good < len(windows):
        raise UserError(
            f"there are {good} windows before (+) and {len(windows) - good} before (-); this method needs both: have "
            "more play marked, or use --training.method weighted"
        )
    if paired and not windows.pairable:
        raise UserError(
            "no request has a window before a (+) and one before a (-), so there is no pair to learn from; have more "
            "play marked, or use --training.method kto"
        )
