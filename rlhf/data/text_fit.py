"""How many recorded texts an agent reads and says in full, and how many words are tokens of its vocabulary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from worlds.contract import SETTER, SOLVER
from worlds.spaces.action import Grammar

_WHOSE = {
    SOLVER: ("setters' texts", "solvers' utterances"),
    SETTER: ("prompts and solvers' utterances", "setters' utterances"),
}
HELD = 0.99  # share of the texts that a suggested limit holds
_WORD = re.compile(r"[^\W\d_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W\d_]+)*")


@dataclass(frozen=True)
class LengthFit:
    """Texts of one player and the number of tokens that the agent keeps of each.

    Args:
      texts: number of texts, silence not counted.
      cut: number of those that are longer than the limit.
      limit: tokens that are kept of a text; of an utterance to be learned, without its end token.
      holds: smallest limit that would hold ``HELD`` of the texts.
    """

    texts: int
    cut: int
    limit: int
    holds: int

    @property
    def share(self) -> float:
        """Share of the texts that is cut."""
        return self.cut / self.texts if self.texts else 0.0


@dataclass(frozen=True)
class TextFit:
    """Recorded texts beside an agent's limits and vocabulary.

    Args:
      setter: utterances of the setter, which the agent reads.
      solver: utterances of the solver, which it learns to say.
      words: number of different words in both.
      unknown: number of those that are no single token, and are spelled from several.
      unknown_spoken: share of all spoken words that is spelled from several tokens.
      role: of the agent. A setter reads the solvers' utterances, after its prompts, and learns the setters'; both are
        exchanged above.
    """

    setter: LengthFit
    solver: LengthFit
    words: int
    unknown: int
    unknown_spoken: float
    role: str = SOLVER

    @property
    def whose(self) -> tuple[str, str]:
        """Names of what the agent reads and of what it says."""
        return _WHOSE[self.role]

    def as_json(self) -> dict[str, Any]:
        """Return the measurement as JSON values."""
        return asdict(self)

    @classmethod
    def of_json(cls, values: dict[str, Any]) -> TextFit:
        """Read what :meth:`as_json` returned. Raises TypeError or KeyError if it is something else."""
        lengths = {name: LengthFit(**values[name]) for name in ("setter", "solver")}
        if values.get("role", SOLVER) not in _WHOSE:
            raise KeyError("role")
        return cls(**{**values, **lengths})


def measure_texts(setter: Iterable[str], solver: Iterable[str], tokenizer: Tokenizer, config: AgentConfig) -> TextFit:
    """Measure how texts fit an agent.

    Args:
      setter: every utterance of the setter, as often as it was said; "" is silence.
      solver: every utterance of the solver.
    """
    heard, said = Counter(filter(None, setter)), Counter(filter(None, solver))
    spoken: Counter[str] = Counter()
    for text, times in (heard + said).items():
        for word in _WORD.findall(text.lower()):
            spoken[word] += times
    unknown = {word for word in spoken if not tokenizer.knows(word)}
    if isinstance(config.player.action.speech, Grammar):  # whose sentences are chosen, not spelled
        learned = LengthFit(said.total(), 0, config.utterance_length, config.utterance_length)
    else:
        learned = _fit(said, tokenizer, config.utterance_length - 1)
    share = sum(spoken[word] for word in unknown) / max(1, spoken.total())
    read = _fit(heard, tokenizer, config.setter_text_length)
    return TextFit(read, learned, len(spoken), len(unknown), share, config.role)


def _fit(texts: Counter[str], tokenizer: Tokenizer, limit: int) -> LengthFit:
    lengths: Counter[int] = Counter()
    for text, times in texts.items():
        lengths[len(tokenizer.ids(text))] += times
    cut = sum(times for length, times in lengths.items() if length > limit)
    return LengthFit(texts.total(), cut, limit, _holding(lengths))


def _holding(lengths: Counter[int]) -> int:
    """Return the smallest length that ``HELD`` of the texts do not exceed; 0 without texts."""
    held = 0
    for length in sorted(lengths):
        held += lengths[length]
        if held >= HELD * lengths.total():
            return length
    return 0


def longest(texts: Iterable[str], tokenizer: Tokenizer) -> int:
    """Return the number of tokens of the longest text; 0 without texts."""
    return max((len(tokenizer.ids(text)) for text in texts), default=0)


def text_fit_sentences(fit: TextFit) -> Sequence[str]:
    """Return a sentence each on the setter's texts, the solver's utterances, and unknown words."""
    return (
        _sentence(f"the {fit.whose[0]}", fit.setter, "read"),
        _sentence(f"the {fit.whose[1]}", fit.solver, "learned"),
        f"{fit.unknown:,} of {fit.words:,} different words ({fit.unknown_spoken:.1%} of the spoken ones) are not in "
        "the vocabulary and are spelled from pieces",
    )


def text_fit_warnings(fit: TextFit) -> list[str]:
    """Return a sentence for each player of whom more texts are cut than a good limit leaves over."""
    pairs = zip(fit.whose, (fit.setter, fit.solver), strict=True)
    return [
        f"{one.share:.0%} of the {whose} do not fit the agent and are cut. Clone an agent with room for them: "
        "--text-length auto of `rlhf clone`, or a larger size."
        for whose, one in pairs
        if one.share > 1.0 - HELD
    ]


def _sentence(whose: str, fit: LengthFit, done: str) -> str:
    if not fit.texts:
        return f"none of {whose} is to be {done}"
    if not fit.cut:
        return f"none of {fit.texts:,} of {whose} is cut ({fit.limit} tokens are {done})"
    return (
        f"{fit.share:.1%} of {whose} ({fit.cut:,} of {fit.texts:,}) are longer than the {fit.limit} tokens that are "
        f"{done}, and are cut; {fit.holds} would hold {HELD:.0%}"
    )
