"""A language model as a rater: it reads an episode step by step and says what made progress and what did not.

Every step is one question: the last steps with their actions, and the observation that shows what they led to. The
answer is progress (+), regress (-) or neither (0). An answer that is none of these marks nothing and is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agents.language_models.calls import Call, Calls
from agents.language_models.model import LanguageModel, Prompt, first_line
from agents.language_models.prompts import ShownStep
from rlhf.records.marks import PROGRESS, REGRESS, Mark

NO_JUDGEMENT = "no judgement"
INSTRUCTIONS = (
    "You rate how well a solver does what it is asked to do. You read what it observed and did, and then what it "
    "observes now. Answer with one sign: + if what it did made progress towards what was asked for or achieved it, "
    "- if it was a mistake or made things worse, 0 if neither.\n"
)
_SIGNS = {PROGRESS: "+", REGRESS: "-", 0: "0"}
# The first of these in an answer counts.
_ANSWER = re.compile(
    r"(?P<plus>\+|\bprogress\b)|(?P<minus>[-−–]|\bregress\b)|(?P<zero>\b0\b|\bneither\b)", re.IGNORECASE
)


def read_sign(text: str) -> int | None:
    """Return the sign that an answer gives: 1, -1, or 0 for neither; None if it gives none.

    Its first line that is not empty counts, and in that the first of +, -, 0, progress, regress and neither.
    """
    found = _ANSWER.search(first_line(text))
    if found is None:
        return None
    return {"plus": PROGRESS, "minus": REGRESS, "zero": 0}[str(found.lastgroup)]


@dataclass(frozen=True)
class RatedMoment:
    """A moment that was judged, as an example.

    Args:
      sign: 1, -1, or 0 where there is no mark.
    """

    text: str
    sign: int

    def __str__(self) -> str:
        return f"{self.text} {_SIGNS[self.sign]}\n"


def moment_text(steps: Sequence[ShownStep], step: int, history: int | None) -> str:
    """Return one moment in words: earlier steps, what is observed now, and where the sign is asked for.

    Args:
      history: steps before it that are shown; None shows all.
    """
    begin = 0 if history is None else max(0, step - history)
    before = "".join(f"Obs:\n{each.seen}\nAct: {each.done}\n" for each in steps[begin:step])
    return f"{before}Now:\n{steps[step].seen}\nSign:"


@dataclass(frozen=True)
class LanguageRater:
    """A rater who is a language model.

    Args:
      calls: where every call is written down, with the budget.
      history: steps before a moment that are shown; None shows all.
      every: only every so many steps are judged, from the last one backwards.
    """

    model: LanguageModel
    name: str
    calls: Calls
    instructions: str = INSTRUCTIONS
    examples: tuple[RatedMoment, ...] = ()
    history: int | None = 3
    every: int = 1
    batch: int = 8

    def mark(self, episode_id: str, steps: Sequence[ShownStep], known: Mapping[int, str]) -> list[Mark]:
        """Return the marks of an episode, in the order of their steps.

        Raises UserError if the budget is spent, or the model cannot be reached.
        """
        answers = dict(known)
        moments = range((len(steps) - 1) % self.every, len(steps), self.every)
        open_moments = [step for step in moments if step not in answers]
        for first in range(0, len(open_moments), self.batch):
            answers.update(self._ask(episode_id, steps, open_moments[first : first + self.batch]))
        signs = ((step, read_sign(answers[step])) for step in moments)
        return [Mark(episode_id, self.name, step, sign, scripted=True) for step, sign in signs if sign]

    def _ask(self, episode_id: str, steps: Sequence[ShownStep], moments: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Ask about some moments together, and yield their numbers and the answers."""
        self.calls.check(len(moments))
        fixed = "\n".join([self.instructions, *map(str, self.examples)])
        prompts = [Prompt(fixed, "\n" + moment_text(steps, step, self.history)) for step in moments]
        for step, prompt, completion in zip(moments, prompts, self.model.complete(prompts), strict=True):
            problem = "" if read_sign(completion.text) is not None else NO_JUDGEMENT
            self.calls.add(Call.of(episode_id, step, prompt, completion, problem))
            yield step, completion.text


def draw_moments(signs: Mapping[tuple[str, int], int], count: int, seed: int) -> list[tuple[str, int]]:
    """Draw moments as examples in random order, equally many of each sign as far as there are enough.

    Args:
      signs: sign of every moment, by episode and step; 0 where there is no mark.
    """
    rng = np.random.default_rng(seed)
    groups = [[moment for moment in sorted(signs) if signs[moment] == sign] for sign in (PROGRESS, REGRESS, 0)]
    shuffled = [[group[index] for index in rng.permutation(len(group))] for group in groups]
    drawn = [group[rank] for rank in range(max(map(len, shuffled))) for group in shuffled if rank < len(group)][:count]
    return [drawn[index] for index in rng.permutation(len(drawn))]
