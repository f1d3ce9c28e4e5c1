"""What every language model does: it continues prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Prompt:
    """A question to a language model.

    Args:
      fixed: instructions and examples, which many prompts have in common.
      present: the present situation; it ends where the answer begins.
    """

    fixed: str
    present: str

    @property
    def text(self) -> str:
        """The whole prompt."""
        return self.fixed + self.present


@dataclass(frozen=True)
class Completion:
    """An answer.

    Args:
      text: of the answer, up to the end of its first line that is not empty.
      prompt_tokens: tokens that the model read.
      answer_tokens: tokens that it wrote.
      seconds: of waiting; of prompts that were answered together, each has its share.
    """

    text: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float


class LanguageModel(Protocol):
    """A causal language model, here or elsewhere."""

    @property
    def limit(self) -> int | None:
        """Largest number of tokens of a prompt; None if it is not known."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of ``text``; where it is not known, an estimate."""
        ...

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Answer ``prompts``, in their order.

        Raises:
          UserError: the model cannot be reached, or refuses to answer.
        """
        ...


def first_line(text: str) -> str:
    """Return the first line of ``text`` that is not empty, its printable characters only; "" if there is none."""
    lines = ("".join(each if each.isprintable() else " " for each in line).strip() for line in text.splitlines())
    return next((line for line in lines if line), "")
