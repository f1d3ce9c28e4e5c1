"""The same behaviour under other words (paper, Figure 3C): does the model listen?

Every moment of success is scored three times: with the words that were said, with other words of the same kind that
make it wrong, and with words that have nothing to do with it.

* **Answers.** What the solver answered is replaced by an answer that was given elsewhere to a question of the same
  kind (wrong but plausible), or to one of another kind (incoherent; random words if only one kind was asked).
* **Instructions.** What the setter asked for is replaced by another request of the same kind, or by one of another kind
  that names none of the same things. Only requests that were done without words: another question may happen to have
  the same answer.

Utility depends on the past alone, so the three differ only from the exchanged words on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from zlib import crc32

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from reward_models.loaded import LoadedRewardModel
from rlhf.data.memory import MemoryDataset
from rlhf.records.episode import Episode
from worlds.contract import TaskSpec

Speaker = Literal["solver", "setter"]

VARIANTS = ("right", "plausible", "unrelated")  # words; in this order from best to worst
_AT_ONCE = 32  # moments whose episodes are in memory, each with frames of its own


@dataclass(frozen=True)
class Words:
    """Something that was said. Words of one ``kind`` (of task) and equal ``meaning`` say the same."""

    text: str
    kind: str
    meaning: frozenset[str]


@dataclass(frozen=True)
class Moment:
    """A success that can be scored under other words; all steps are of its episode.

    Args:
      episode: number of the episode. words: what was said.
      shown: steps at which these words are the last heard from who said them.
      step: the first at which the success can be seen. before: the step whose utility it is compared with.
      end: the step after the last that is looked at.
    """

    episode: int
    words: Words
    shown: slice
    step: int
    before: int
    end: int


def answers(episodes: Sequence[Episode], reach: int) -> list[Moment]:
    """The right answers of ``episodes``: utterances by which a request succeeded.

    Looked at are at most ``reach`` steps that show them, before the next request is heard.
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
    """The requests of ``episodes`` that succeeded without words, looked at to ``reach`` steps after the success.

    Compared is the utility at the step at which the request was heard, under the words it is then heard in.
    """
    found = []
    for number, episode in enumerate(episodes):
        for spec, heard, step, heard_next in _successes(episode):
            if not episode.utterance[step]:
                shown, end = slice(heard, heard_next), min(heard_next, step + 1 + reach)
                found.append(Moment(number, said_in_request(spec), shown, step + 1, heard, end))
    return found


def _successes(episode: Episode) -> Iterable[tuple[TaskSpec, int, int, int]]:
    """Of every request that succeeded in sight: what, when heard, the step that did it, and when the next is heard."""
    heard = [request.step + 1 for request in episode.requests] + [len(episode)]
    for number, (request, success) in enumerate(zip(episode.requests, episode.success_step, strict=True)):
        if success is not None and heard[number] <= success and success + 1 < heard[number + 1]:
            yield request.task, heard[number], success, heard[number + 1]


def said_in_answer(spec: TaskSpec, utterance: str) -> Words:
    """The right answer ``utterance`` to ``spec``."""
    return Words(utterance, spec.name, frozenset([str(spec.arguments.get("answer", utterance))]))


def said_in_request(spec: TaskSpec) -> Words:
    """The instruction of ``spec``; it means what it names: those of its arguments that can be read in it."""
    spoken = set(spec.instruction.split())
    named = frozenset(str(value) for value in spec.arguments.values() if value and str(value) in spoken)
    return Words(spec.instruction, spec.name, named or frozenset([spec.instruction]))


def heard_in(episodes: Iterable[Episode]) -> dict[Speaker, set[Words]]:
    """All right answers and all requests of ``episodes``, to draw other words from."""
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
    """A plausible but wrong text and an unrelated one in place of ``words``; None if there is no plausible one.

    Unrelated answers are random words of the setters' where no answer to another kind of question was heard.
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
    """As many random words of ``requests`` as ``words`` has, none of which belongs to an answer of its kind."""
    known = {word for text in same_kind for word in text.split()}
    spoken = sorted({word for one in requests for word in one.text.split() if word.isalpha()} - known)
    return " ".join(rng.choice(spoken, size=len(words.text.split())).tolist()) if spoken else "blah"


@dataclass(frozen=True, eq=False)
class Rescored:
    """What utility does around M moments under the three kinds of words.

    Args:
      moments: which. ids: of their episodes.
      change: float64 [M, 3], mean utility from the moment to its end, less that of the step before, in units of reward.
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
      around: steps before the moment, and from it on, that the curves show.
      seed: with the episode's id and the step it decides which other words, whatever else is scored.
    """
    kept, texts = [], []
    for moment in moments:
        key = [seed, crc32(episodes[moment.episode].episode_id.encode()), moment.step]
        drawn = other_words(moment.words, speaker, heard, np.random.default_rng(key))
        if drawn is not None:
            kept.append(moment)
            texts.append(drawn)
    change, curve = np.zeros((len(kept), len(VARIANTS))), np.full((len(kept), len(VARIANTS), sum(around)), np.nan)
    for begin in range(0, len(kept), _AT_ONCE):
        some = range(begin, min(begin + _AT_ONCE, len(kept)))
        for variant in range(len(VARIANTS)):
            said = [None if variant == 0 else texts[number][variant - 1] for number in some]
            spoken = respoken(play, [kept[n] for n in some], said, speaker, model.tokenizer, model.sizes)
            for number, scored in zip(some, model.score(spoken), strict=True):
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
    """One episode for each of ``moments``, up to its end, in which its words are exchanged for its text.

    Args:
      texts: None leaves the words as they are.
    """
    rows = [np.arange(play.starts[m.episode], play.starts[m.episode] + m.end) for m in moments]
    taken = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
    arrays = {name: values[taken] for name, values in vars(play).items() if name != "starts"}
    starts = np.concatenate([[0], np.cumsum([len(some) for some in rows])]).astype(np.int64)
    excerpts = MemoryDataset(**arrays, starts=starts)
    name = f"{speaker}_tokens"
    tokens, length = getattr(excerpts, name), sizes.setter_text_length
    if speaker == "solver":
        length = sizes.solver_text_length
    for moment, start, text in zip(moments, starts[:-1].tolist(), texts, strict=True):
        if text is not None:
            shown = slice(start + moment.shown.start, start + min(moment.shown.stop, moment.end))
            tokens[shown] = tokenizer.encode([text], length)
    return replace(excerpts, **{name: tokens})


def order_shares(change: np.ndarray) -> np.ndarray:
    """Whether each of M moments is in order: float64 [M, 4], from ``change`` [M, 3].

    Columns: right over plausible, plausible over unrelated, right over unrelated (a tie is a half), and all in order
    (which blind chance gives in one of six).
    """
    right, plausible, unrelated = change.T
    two = [(right, plausible), (plausible, unrelated), (right, unrelated)]
    pairs = [0.5 * (1.0 + np.sign(a - b)) for a, b in two]
    return np.stack([*pairs, ((right > plausible) & (plausible > unrelated)).astype(np.float64)], axis=1)


def _around(values: np.ndarray, step: int, around: tuple[int, int]) -> np.ndarray:
    """``values`` [T] from ``around[0]`` steps before ``step`` on, nan where there are none."""
    wanted = np.arange(step - around[0], step + around[1])
    inside = (wanted >= 0) & (wanted < len(values))
    return np.where(inside, values[np.clip(wanted, 0, len(values) - 1)], np.nan)
