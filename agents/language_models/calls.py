"""Calls of a language model: a line of JSON each, and the budget that all of them share."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agents.language_models.config import Budget
from agents.language_models.model import Completion, Prompt
from worlds.errors import UserError


@dataclass(frozen=True)
class Call:
    """One prompt and its answer.

    Args:
      episode: id of the episode.
      step: of the episode.
      prompt: what the model read.
      answer: what it wrote.
      problem: why the answer counts as nothing; "" if it does not.
      prompt_tokens: tokens of the prompt.
      answer_tokens: tokens of the answer.
      seconds: of waiting.
      left_out: examples and earlier steps that did not fit into the prompt.
    """

    episode: str
    step: int
    prompt: str
    answer: str
    problem: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    left_out: int = 0

    @classmethod
    def of(
        cls, episode: str, step: int, prompt: Prompt, completion: Completion, problem: str, left_out: int = 0
    ) -> Call:
        """Return the call in which ``prompt`` was answered by ``completion``."""
        return cls(
            episode, step, prompt.text, completion.text, problem, completion.prompt_tokens, completion.answer_tokens,
            round(completion.seconds, 4), left_out,
        )  # fmt: skip


@dataclass
class Spent:
    """What calls have cost."""

    calls: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    seconds: float = 0.0
    problems: dict[str, int] = field(default_factory=dict)
    shortened: int = 0

    def add(self, row: dict[str, Any]) -> None:
        """Count a call."""
        self.calls += 1
        self.tokens_read += int(row["prompt_tokens"])
        self.tokens_written += int(row["answer_tokens"])
        self.seconds += float(row["seconds"])
        self.shortened += bool(row.get("left_out"))
        if row["problem"]:
            self.problems[row["problem"]] = self.problems.get(row["problem"], 0) + 1

    def __str__(self) -> str:
        text = (
            f"{self.calls:,} calls, {self.tokens_read:,} tokens read, {self.tokens_written:,} written, "
            f"{self.seconds:,.1f} s"
        )
        if self.problems:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in sorted(self.problems.items()))
            text += f"; {sum(self.problems.values()):,} answers counted as doing nothing ({reasons})"
        if self.shortened:
            text += f"; {self.shortened:,} prompts were shortened to fit the model"
        return text


class Calls:
    """The calls of one model, in a file that grows by a line a call. Calls of earlier runs count in the budget.

    Args:
      budget: what all calls may cost together.
      file: where they are written; None keeps none.

    Raises:
      UserError: the file is damaged.
    """

    def __init__(self, budget: Budget, file: Path | None = None) -> None:
        self._budget, self._file = budget, file
        self.before, self.spent = Spent(), Spent()
        if file is not None and file.exists():
            for row in read_calls(file):
                self.before.add(row)
            whole = file.read_bytes()
            if not whole.endswith(b"\n"):  # a crash cut the last line off
                with open(file, "r+b", opener=_open_own) as opened:
                    opened.truncate(whole.rfind(b"\n") + 1)

    def check(self, calls: int = 1) -> None:
        """Refuse so many further calls once the budget is spent.

        Raises:
          UserError: naming the limit.
        """
        limits = (
            ("calls", self._budget.calls, self.before.calls + self.spent.calls + calls - 1),
            ("tokens", self._budget.tokens, _tokens(self.before) + _tokens(self.spent)),
            ("seconds", self._budget.seconds, self.before.seconds + self.spent.seconds),
        )
        for name, limit, used in limits:
            if limit is not None and used >= limit:
                where = "" if self._file is None else f" ({self._file} has the calls)"
                raise UserError(
                    f"the budget of {limit:,g} {name} is spent{where}; set a larger one with "
                    "`rlhf language-model make` and run the command again"
                )

    def add(self, call: Call) -> None:
        """Count a call, and write it down."""
        row = asdict(call)
        self.spent.add(row)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with open(self._file, "a", encoding="utf-8", opener=_open_own) as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _open_own(path: str, flags: int) -> int:
    """Open the file itself: a folder from elsewhere may hold links to the user's other files."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def _tokens(spent: Spent) -> int:
    return spent.tokens_read + spent.tokens_written


def read_calls(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of calls. A last line that a crash cut off is left out.

    Raises:
      UserError: another line is damaged.
    """
    rows = []
    lines = file.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            Spent().add(row)
            rows.append(row)
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines) and not line.endswith(b"\n"):
                break
            raise UserError(f"{file}, line {number}, is damaged ({error}); remove that line") from None
    return rows
