"""Scores of the same behaviour under other words (paper, Figure 3C): a test that the model attends to language.

Every moment of success is scored three times: with its own words, with other words of the same kind that make it
wrong, and with unrelated words.

* **Answers.** The solver's answer is replaced by an answer given elsewhere to a question of the same kind (wrong but
  plausible), or to one of another kind (incoherent; random words if only one kind was asked).
* **Instructions.** The setter's request is replaced by another of the same kind, or by one of another kind that names
  none of the same objects. Only requests done without words count: another question may happen to have the same
  answer.

Utility depends only on the past, so the three differ only from the exchanged words on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from agents.utterances import observed_tokens
from reward_models.loaded import LoadedRewardModel
from rlhf.data.memory import MemoryDataset
from rlhf.records.episode import Episode
from worlds.contract import TaskSpec

Speaker = Literal["solver", "setter"]

VARIANTS = ("right", "plausible", "unrelated")  # words; in this order from best to worst
_AT_ONCE = 32  # moments whose episodes are in memory, each with frames of its own


@dataclass(frozen=True)
class Words:
    """Words of one utterance. Words of one ``kind`` (of task) and equal ``meaning`` are equivalent."""

    text: str
    kind: str
    meaning: frozenset[str]


@dataclass(frozen=True)
class Moment:
    """Success of a request that can be scored under other words; all steps are of its episode.

    Args:
      words: of the answer or the request.
      shown: steps at which these words are the last heard from their speaker.
      step: first step at which the success can be seen.
    """

    episode: int
    words: Words
    shown: slice
    step: int
    before: int
    end: int


def answers(episodes: Sequence[Episode], reach: int) -> list[Moment]:
    """Right answers of ``episodes``: utterances by which a request succeeded.

    At most ``reach`` steps that show them are scored, before the next request is heard.
    """
    found = []
    for number, episode in enumerate(episodes):
        for spec, _, step, heard_next in _successes(episode):
            if episode.utterance[step]:
                later = (t + 1 for t in range(step + 1, len(episode)) if episode.utterance[t])
                shown = slice(step + 1, next(later, len(episode)))
                words, end = said_in_answer(spec, episode.utterance[step]), min(shown.stop, heard_next)
                found.append(Moment(number, words, shown, step + 1, step, min(end, step + 1 + reach)))
    return found


def instructions(episodes: Sequence[Episode], reach: int) -> list[Moment]:
    """Requests of ``episodes`` that succeeded without words, scored to ``reach`` steps after the success.

    They are compared with the utility at the step at which the request is heard, in the same words.
    """
    found = []
    for number, episode in enumerate(episodes):
        for spec, heard, step, heard_next in _successes(episode):
            if not episode.utterance[step]:
                shown, end = slice(heard, heard_next), min(heard_next, step + 1 + reach)
                found.append(Moment(number, said_in_request(spec), shown, step + 1, heard, end))
    return found


def _successes(episode: Episode) -> Iterable[tuple[TaskSpec, int, int, int]]:
    """Yield task, step heard, step of success and step of the next request, of requests that succeeded in between."""
    heard = [request.step + 1 for request in episode.requests] + [len(episode)]
    for number, (request, success) in enumerate(zip(episode.requests, episode.success_step, strict=True)):
        if success is not None and heard[number] <= success and success + 1 < heard[number + 1]:
            yield request.task, heard[number], success, heard[number + 1]


def said_in_answer(spec: TaskSpec, utterance: str) -> Words:
    """Words of the right answer ``utterance`` to ``spec``."""
    return Words(utterance, spec.name, frozenset([str(spec.arguments.get("answer", utterance))]))


def said_in_request(spec: TaskSpec) -> Words:
    """Words of the instruction of ``spec``; their meaning is the set of its arguments that occur in it."""
    spoken = set(spec.instruction.split())
    named = frozenset(str(value) for value in spec.arguments.values() if value and str(value) in spoken)
    return Words(spec.instruction, spec.name, named or frozenset([spec.instruction]))


def heard_in(episodes: Iterable[Episode]) -> dict[Speaker, set[Words]]:
    """Right answers and requests of ``episodes``, from which other words are sampled."""
    heard: dict[Speaker, set[Words]] = {"solver": set(), "setter": set()}
    for episode in episodes:
        for request, step in zip(episode.requests, episode.success_step, strict=True):
            heard["setter"].add(said_in_request(request.task))
            if step is not None and episode.utterance[step]:
                heard["solver"].add(said_in_answer(request.task, episode.utterance[step]))
    return heard


def other_words(
    words: Words, speaker: Speaker, heard: dict[Speaker, set[Words]], rng: np.random.Generator
) -> tuple[str, str] | None:
    """Sample a plausible but wrong text and an unrelated one in place of ``words``.

    Unrelated answers are random words of the setters' where no answer to another kind of question was heard.

    Returns:
      Both texts, or None where one of them cannot be found.
    """
    others = sorted(heard[speaker], key=lambda one: (one.kind, one.text))
    same_kind = {one.text for one in others if one.kind == words.kind}
    plausible = [one.text for one in others if one.kind == words.kind and one.meaning != words.meaning]
    plausible = [text for text in plausible if text != words.text]
    unrelated = [one.text for one in others if one.kind != words.kind and not one.meaning & words.meaning]
    unrelated = [text for text in unrelated if text not in same_kind]
    if speaker == "solver" and not unrelated:
        unrelated = [random_words(words, same_kind, heard["setter"], rng)]
    if not plausible or not unrelated:
        return None
    return str(rng.choice(plausible)), str(rng.choice(unrelated))


def random_words(words: Words, same_kind: set[str], requests: set[Words], rng: np.random.Generator) -> str:
    """Sample as many random words of ``requests`` as ``words`` has, none from an answer of its kind."""
    known = {word for text in same_kind for word in text.split()}
    spoken = sorted({word for one in requests for word in one.text.split() if word.isalpha()} - known)
    return " ".join(rng.choice(spoken, size=len(words.text.split())).tolist()) if spoken else "blah"


@dataclass(frozen=True, eq=False)
class Rescored:
    """Utility around M moments under the three :data:`VARIANTS` of words.

    Args:
      moments: M moments.
      change: float64 [M, 3], mean utility from the moment to its end less that of the step before, in units of reward.
      curve: float64 [M, 3, before + after], utility less that of the step before, around the moment; nan outside.
    """

    moments: tuple[Moment, ...]
    ids: tuple[str, ...]
    change: np.ndarray
    curve: np.ndarray


def rescore(
    model: LoadedRewardModel,
    play: MemoryDataset,
    episodes: Sequence[Episode],
    moments: Sequence[Moment],
    speaker: Speaker,
    heard: dict[Speaker, set[Words]],
    around: tuple[int, int],
    seed: int = 0,
) -> Rescored:
    """Score every moment with its own words and with two others.

    Args:
      play: ``episodes``, encoded for the model.
      moments: of ``episodes``.
      heard: words to sample from (:func:`heard_in`).
      seed: of the other words, with the episode's id and the step, independent of the other moments.
    """
    kept, texts = [], []
    for moment in moments:
        key = [seed, crc32(episodes[moment.episode].episode_id.encode()), moment.step]
        others = other_words(moment.words, speaker, heard, np.random.default_rng(key))
        if others is not None:
            kept.append(moment)
            texts.append(others)
    change, curve = np.zeros((len(kept), len(VARIANTS))), np.full((len(kept), len(VARIANTS), sum(around)), np.nan)
    for begin in range(0, len(kept), _AT_ONCE):
        some = range(begin, min(begin + _AT_ONCE, len(kept)))
        for variant in range(len(VARIANTS)):
            words = [None if variant == 0 else texts[number][variant - 1] for number in some]
            excerpts = respoken(play, [kept[n] for n in some], words, speaker, model.tokenizer, model.sizes)
            for number, scored in zip(some, model.score(excerpts), strict=True):
                moment, utility = kept[number], model.scale * scored.utility.astype(np.float64)
                relative = utility - utility[moment.before]
                change[number, variant] = relative[moment.step :].mean()
                curve[number, variant] = _around(relative, moment.step, around)
    return Rescored(tuple(kept), tuple(episodes[m.episode].episode_id for m in kept), change, curve)


def respoken(
    play: MemoryDataset,
    moments: Sequence[Moment],
    texts: Sequence[str | None],
    speaker: Speaker,
    tokenizer: Tokenizer,
    sizes: AgentConfig,
) -> MemoryDataset:
    """Cut one episode for each of ``moments``, up to its end, with its words exchanged.

    Args:
      moments: of ``play``.
      texts: new words of each moment; None leaves its words unchanged.
      tokenizer: the model's.
    """
    rows = [np.arange(play.starts[m.episode], play.starts[m.episode] + m.end) for m in moments]
    excerpts = play.excerpt(rows)
    name = f"{speaker}_tokens"
    tokens = getattr(excerpts.observations, name)
    for moment, start, text in zip(moments, excerpts.starts[:-1].tolist(), texts, strict=True):
        if text is not None:
            shown = slice(start + moment.shown.start, start + min(moment.shown.stop, moment.end))
            tokens[shown] = observed_tokens([text], tokenizer, sizes, own=speaker == "solver")
    return excerpts.seeing(**{name: tokens})


def order_shares(change: np.ndarray) -> np.ndarray:
    """Order of the variants at each of M moments: float64 [M, 4], 1 where correct, from ``change`` [M, 3].

    Columns: right over plausible, plausible over unrelated, right over unrelated (a tie is a half), and all in order
    (one in six by chance).
    """
    right, plausible, unrelated = change.T
    two = [(right, plausible), (plausible, unrelated), (right, unrelated)]
    pairs = [0.5 * (1.0 + np.sign(a - b)) for a, b in two]
    return np.stack([*pairs, ((right > plausible) & (plausible > unrelated)).astype(np.float64)], axis=1)


def _around(values: np.ndarray, step: int, around: tuple[int, int]) -> np.ndarray:
    """Window of ``values`` [T] from ``around[0]`` steps before ``step``, ``sum(around)`` long; nan outside."""
    wanted = np.arange(step - around[0], step + around[1])
    inside = (wanted >= 0) & (wanted < len(values))
    return np.where(inside, values[np.clip(wanted, 0, len(values) - 1)], np.nan)
