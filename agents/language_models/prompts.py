"""Prompts: instructions, example episodes, and the present episode up to the step that is to be decided.

A prompt is plain text::

    (instructions)

    New episode.
    Obs:
    you hear: "take a cup"
    hands: nothing
    Act: verb go, thing 2
    ...
    Success!

    New episode.
    Obs:
    ...
    Act:
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.language_models.model import LanguageModel, Prompt

SUCCESS, FAILURE = "Success!", "Failure!"


@dataclass(frozen=True)
class ShownStep:
    """One step in words.

    Args:
      seen: the observation.
      done: the action.
    """

    seen: str
    done: str


@dataclass(frozen=True)
class Example:
    """A recorded episode in words.

    Args:
      steps: of the episode.
      success: True if all that was asked for was done; None if it is not known.
    """

    steps: tuple[ShownStep, ...]
    success: bool | None = None

    @property
    def text(self) -> str:
        """The episode as a prompt shows it."""
        end = "" if self.success is None else (SUCCESS if self.success else FAILURE) + "\n"
        return "New episode.\n" + "".join(f"Obs:\n{step.seen}\nAct: {step.done}\n" for step in self.steps) + end


@dataclass(frozen=True)
class FittedPrompt:
    """A prompt, and what was left out so that the model can read it.

    Args:
      prompt: the prompt.
      examples_left_out: examples, the first ones.
      steps_left_out: steps of the present episode, the oldest ones, that would have been shown.
    """

    prompt: Prompt
    examples_left_out: int = 0
    steps_left_out: int = 0


@dataclass(frozen=True)
class PromptMaker:
    """Makes prompts.

    Args:
      instructions: the first lines.
      examples: recorded episodes, in the order in which they are shown.
      history: steps of the present episode shown before the present one; None shows all.
    """

    instructions: str
    examples: tuple[Example, ...] = ()
    history: int | None = 3

    def prompt(self, before: Sequence[ShownStep], seen: str, without: tuple[int, int] = (0, 0)) -> Prompt:
        """Return the prompt of one step.

        Args:
          before: the present episode's steps before this one.
          without: numbers of examples and of earlier steps that are left out, the first ones of each.
        """
        fixed = "\n".join([self.instructions + "\n", *(example.text for example in self.examples[without[0] :])])
        shown = self._shown(before)[without[1] :]
        earlier = "".join(f"Obs:\n{step.seen}\nAct: {step.done}\n" for step in shown)
        return Prompt(fixed, f"\nNew episode.\n{earlier}Obs:\n{seen}\nAct:")

    def fitted(self, model: LanguageModel, before: Sequence[ShownStep], seen: str) -> FittedPrompt:
        """Return the prompt of one step, shortened to what ``model`` can read.

        Examples are left out first, as few as possible, then the oldest steps. If even the present observation is too
        long, the model's tokenizer cuts its beginning.
        """
        examples, steps = len(self.examples), len(self._shown(before))
        choices = [(number, 0) for number in range(examples + 1)] + [(examples, n) for n in range(1, steps + 1)]

        def fits(number: int) -> bool:
            prompt = self.prompt(before, seen, choices[number])
            return model.limit is None or model.count_tokens(prompt.text) <= model.limit

        chosen = choices[_first(fits, len(choices))]
        return FittedPrompt(self.prompt(before, seen, chosen), *chosen)

    def _shown(self, before: Sequence[ShownStep]) -> Sequence[ShownStep]:
        return before if self.history is None else before[max(0, len(before) - self.history) :]


def _first(holds: Callable[[int], bool], count: int) -> int:
    """Return the first number for which ``holds``, which holds for all larger ones, too; else the last number."""
    if holds(0):
        return 0
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
