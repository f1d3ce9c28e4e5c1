"""What is wrong with a request: ambiguous, impossible, so already, or answered wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.oracle.done import is_done
from benchmarks.oracle.meaning import Meaning
from benchmarks.oracle.questions import ASKED, answers, expected, questions
from benchmarks.oracle.scene import Scene
from benchmarks.oracle.sentences import Reading, bare, instructions, parts
from benchmarks.oracle.ways import Ways
from benchmarks.oracle.wishes import Wish, of_reading, of_spec
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse

CHAIN = "do then"
MOST_WORDS = 25


@dataclass
class Verdict:
    """What the oracle finds about a request.

    Args:
      unjudged: why it could not judge everything; empty if it could.
      skeletons: the words as it has read them, with letters in place of phrases.
    """

    faults: list[str] = field(default_factory=list)
    unjudged: str = ""
    skeletons: list[str] = field(default_factory=list)


class Oracle:
    """Judges requests in one house as it is.

    Args:
      world: between two steps.
    """

    def __init__(self, world: Playhouse) -> None:
        self.scene = Scene(world)
        self.meaning = Meaning(self.scene)
        self.ways = Ways(self.meaning)

    def judge(self, spec: TaskSpec) -> Verdict:
        """Judge a request."""
        verdict, words = Verdict(), bare(spec.instruction, question=spec.name in ASKED)
        if not 0 < len(spec.instruction.split()) <= MOST_WORDS:
            verdict.faults.append("long: more than 25 words")
        if spec.name in ASKED:
            self._judge_question(spec, words, verdict)
        elif spec.name == CHAIN:
            self._judge_chain(spec, words, verdict)
        else:
            self._judge_instruction(spec.name, spec.arguments, words, verdict)
        return verdict

    def _judge_chain(self, spec: TaskSpec, words: str, verdict: Verdict) -> None:
        """One of the ways of cutting the words in two has to have both parts right, and no other way two others."""
        tried = []
        for cut in parts(words):
            found = Verdict()
            for role, text in zip(("first", "second"), cut, strict=True):
                part = spec.arguments[role]
                self._judge_instruction(part["game"], part["arguments"], bare(text), found)
            tried.append(found)
        read = [found for found in tried if not found.unjudged] or tried
        if not read:
            verdict.unjudged = "words not read"
            return
        best = min(read, key=lambda found: len(found.faults))
        verdict.faults += best.faults
        verdict.unjudged = best.unjudged
        verdict.skeletons = [" then ".join(best.skeletons)]

    # -- instructions -------------------------------------------------------------------------------------------------

    def _judge_instruction(self, name: str, arguments: Mapping[str, Any], words: str, verdict: Verdict) -> None:
        wish = of_spec(name, arguments)
        unknown = {*wish.things.sure} - {*self.scene.things} or {*wish.targets.sure} - {
            *self.scene.bodies, *self.scene.rooms, "floor",
        }  # fmt: skip
        if unknown:
            verdict.faults.append(f"unknown things: {sorted(unknown)[0]}")
            return
        if not 0 <= wish.things.number <= len(wish.things.sure):
            verdict.faults.append(f"{wish.things.number} of {len(wish.things.sure)} things")
        verdict.faults += [f"impossible: {why}" for why in self.ways.impossible(wish)]
        if is_done(wish, self.meaning):
            verdict.faults.append("done already")
        self._judge_words(wish, words, verdict)

    def _judge_words(self, wish: Wish, words: str, verdict: Verdict) -> None:
        """The words have to mean what is meant in one of their readings, and in no other anything else."""
        wishes = [(reading, w) for reading in instructions(words) for w in of_reading(reading, self.meaning)]
        if not wishes:
            verdict.unjudged = "words not read"
            return
        right = [reading for reading, w in wishes if w.good and w.can_be(wish)]
        if not right and any(self._is_doubtful(reading) for reading, w in wishes if w.can_be(wish)):
            verdict.unjudged = "close to a limit"
            return
        if not right:
            verdict.faults.append(self._why_not(wish, [w for _, w in wishes]))
            return
        verdict.skeletons.append(_skeleton(right))
        for _, other in wishes:
            if other.good and not other.can_be(wish) and not is_done(other, self.meaning):
                verdict.faults.append(f"ambiguous: could also be {_in_words(other)}")
                return

    @staticmethod
    def _why_not(wish: Wish, found: list[Wish]) -> str:
        """What words mean instead of what is meant, by the reading that is most like it."""
        near = max(
            found, key=lambda w: ((w.family, w.detail) == (wish.family, wish.detail), w.things.can_be(wish.things))
        )
        return f"ambiguous: words mean {_in_words(near)}, meant is {_in_words(wish)}"

    # -- questions ----------------------------------------------------------------------------------------------------

    def _judge_question(self, spec: TaskSpec, words: str, verdict: Verdict) -> None:
        readings = questions(spec.name, words)
        if not readings:
            verdict.unjudged = "words not read"
            return
        given = [(reading, answer) for reading in readings for answer in answers(reading, self.meaning)]
        right = [reading for reading, answer in given if answer == expected(spec)]
        if not given and any(self._is_close(reading) for reading in readings):
            verdict.unjudged = "close to a limit"
        elif not right:
            found = sorted({str(answer) for _, answer in given})
            verdict.faults.append(f"wrong answer: {expected(spec)}, by the oracle {found[:3]}")
        else:
            verdict.skeletons.append(_skeleton(right))
            others = [a for _, a in given if a[-1] != expected(spec)[-1]]
            if others and spec.name != "name what i point at":
                verdict.faults.append(f"ambiguous: could also be answered {others[0]}")

    def _is_close(self, reading: Reading) -> bool:
        """Return True if something in a question is perhaps so, and perhaps not."""
        phrases = [phrase for group in reading.phrases.values() for phrase in group]
        phrases += reading.place.anchors if reading.place else ()
        return self._is_doubtful(reading) or (reading.place is not None and all(map(self.meaning.is_good, phrases)))

    def _is_doubtful(self, reading: Reading) -> bool:
        """Return True if a phrase, or one within it, is perhaps true of something."""
        left = [phrase for group in reading.phrases.values() for phrase in group]
        left += reading.place.anchors if reading.place else ()
        while left:
            phrase = left.pop()
            if None in self.meaning.of(phrase).values():
                return True
            left += [anchor for place in phrase.places for anchor in place.anchors]
        return False


def _skeleton(readings: list[Reading]) -> str:
    """The shortest skeleton of readings: that with the longest phrases."""
    return min((reading.skeleton for reading in readings), key=lambda text: (len(text.split()), text))


def _in_words(wish: Wish) -> str:
    things, targets = sorted(wish.things.possible)[:6], sorted(wish.targets.possible)[:3]
    return f"{wish.family} {wish.detail} {wish.things.number} of {things} to {targets}"
