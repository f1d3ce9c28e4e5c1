"""Success checks of questions: answers in free words, judged by what is true when they are given."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from enum import Enum

from worlds.contract import SOLVER, TaskSpec
from worlds.playhouse.requests import answers
from worlds.playhouse.requests.facts import Facts, facts_of
from worlds.playhouse.requests.language import answer_in, is_courtesy
from worlds.playhouse.requests.lexicon import similar_colours
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.world import Playhouse


class Verdict(Enum):
    """Judgements of an utterance, with what raters are shown."""

    RIGHT = 1, "answers right"
    PARTLY = 2, "says something true that is not enough"
    WRONG = 3, "answers wrong"
    NONE = 4, "says what is no answer"


class Answering(PlayhouseTask):
    """A question. What is true but not enough is progress, and leaves it open; the first wrong answer ends it."""

    def _begin(self, world: Playhouse) -> None:
        self._held = world.avatar(SOLVER).held

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        held = world.avatar(SOLVER).held
        if held is not None and held != self._held:
            yield -1, "takes a thing when asked a question"
        self._held = held
        courtesy = is_courtesy(utterance)
        if not utterance or (courtesy and answers.yes_or_no(utterance) is None):
            return
        verdict = self.verdict(world, utterance)
        if courtesy and verdict is Verdict.NONE:  # "sure", where yes is no answer
            return
        if verdict is Verdict.RIGHT:
            yield self._succeed(verdict.value[1])
        else:
            self.over = verdict is Verdict.WRONG
            yield (1 if verdict is Verdict.PARTLY else -1), verdict.value[1]

    @abstractmethod
    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        """Judge an answer by what is true now."""

    @staticmethod
    def facts(world: Playhouse) -> Facts:
        """Return the facts as the solver speaks of them."""
        return facts_of(world, SOLVER)


def _whether(right: bool) -> Verdict:
    return Verdict.RIGHT if right else Verdict.WRONG


class OneOf(Answering):
    """A question of a probe, which is answered with one of a few words."""

    def __init__(self, spec: TaskSpec, among: Sequence[str]) -> None:
        super().__init__(spec)
        self._among = among

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        given = answer_in(utterance, self._among)
        return Verdict.NONE if given is None else _whether(given == self.spec.arguments["answer"])


class YesOrNo(Answering):
    """A question that is answered with yes or no, or with words that amount to it."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        given = answers.yes_or_no(utterance)
        return Verdict.NONE if given is None else _whether(given == self.spec.arguments["answer"])


class Number(Answering):
    """A question that is answered with a number, in words or digits."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        given = answers.number(utterance)
        return Verdict.NONE if given is None else _whether(given == self.spec.arguments["answer"])


class ColourOf(Answering):
    """A question that is answered with a color, by any name that people have for it."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        given = answers.colours(utterance)
        if not given:
            return Verdict.NONE
        return _whether(len(given) == 1 and given[0] in similar_colours(self.spec.arguments["answer"]))
