"""A language model as the solver of N slots: a prompt a step and slot, all answered together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agents.language_models.answers import read_answer
from agents.language_models.calls import Call, Calls
from agents.language_models.model import LanguageModel
from agents.language_models.prompts import PromptMaker, ShownStep
from agents.language_models.words import doing_words, observation_words
from worlds.contract import Action, Observation
from worlds.spaces.observation import PlayerSpec


@dataclass
class _Slot:
    """The present episode of one slot.

    Args:
      episode: its id; None where the slot is idle.
      steps: those played.
      done: the last action; None before the first.
    """

    episode: str | None = ""
    steps: list[ShownStep] = field(default_factory=list)
    done: dict[str, Any] | None = None


class LanguageModelSolvers:
    """One language model as the solver of N slots.

    Args:
      calls: where every call is written down, with the budget.
      slots: N, number of worlds played at once.
    """

    def __init__(self, model: LanguageModel, prompts: PromptMaker, spec: PlayerSpec, calls: Calls, slots: int) -> None:
        self._model, self._prompts, self._spec, self.calls = model, prompts, spec, calls
        self._slots = [_Slot() for _ in range(slots)]

    def follow(self, episodes: Sequence[str | None]) -> None:
        """Take note of which episode is played in every slot; an idle slot, None, costs no call."""
        for slot, episode in zip(self._slots, episodes, strict=True):
            slot.episode = episode

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        """Return the solver's action in every slot; an answer that is no action is one that does nothing.

        Args:
          resets: bool [N], True in slots whose episode begins now.

        Raises:
          UserError: the budget is spent, or the model cannot be reached.
        """
        playing = [number for number, slot in enumerate(self._slots) if slot.episode is not None]
        actions = [self._spec.action.silent(seen.get("legal")) for seen in observations]
        for number in playing:
            self._remember(self._slots[number], observations[number], bool(resets[number]))
        words = {number: observation_words(self._spec, observations[number]) for number in playing}
        fitted = [self._prompts.fitted(self._model, self._slots[n].steps, words[n]) for n in playing]
        self.calls.check(len(playing))
        completions = self._model.complete([each.prompt for each in fitted])
        for number, each, completion in zip(playing, fitted, completions, strict=True):
            slot, answer = self._slots[number], read_answer(self._spec.action, completion.text, observations[number])
            left_out = each.examples_left_out + each.steps_left_out
            step = len(slot.steps)
            self.calls.add(Call.of(slot.episode or "", step, each.prompt, completion, answer.problem, left_out))
            actions[number] = done = answer.action
            shown = doing_words(self._spec.action, done["movement"], done.get("continuous"), done["utterance"])
            slot.steps.append(ShownStep(words[number], shown))
            slot.done = done
        return actions  # type: ignore[return-value]

    def _remember(self, slot: _Slot, seen: Observation, begins: bool) -> None:
        """Forget the episode before, or note what was done instead of the last answer, where a co-pilot took over."""
        if begins:
            slot.steps, slot.done = [], None
        elif slot.done is not None and not np.array_equal(seen["previous_movement"], slot.done["movement"]):
            continuous = seen.get("previous_continuous")
            done = doing_words(self._spec.action, seen["previous_movement"], continuous, "")
            slot.steps[-1] = replace(slot.steps[-1], done=done)
