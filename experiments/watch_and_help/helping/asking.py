"""A helper that acts on what it is sure of and asks about the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from worlds.contract import WorldError
from worlds.household.players.acting import PlanningPlayer
from worlds.household.players.planner import Decision, Intent
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.subgoals import feasible_part
from worlds.household.state.home import Home, State
from worlds.household.tasks.language.nouns import NUMERALS, counted, number, plural, singulars
from worlds.household.tasks.predicates import Predicate, Relation, parse

Answer = Callable[[str, str], str]  # of a predicate and the question about it

SURE = 0.9  # probability of a count from which on nothing is asked


class AskingPlayer:
    """A planning helper with probabilities of what its partner wants.

    It pursues the most probable counts. At each step it asks about one predicate of whose count it is not sure, the
    least sure first, and plans with the answer from the next step on. Speaking takes no time from acting.

    Args:
      probable: probabilities of the counts 0, 1, ... by predicate; the others are not wanted.
      sure: probability from which on a count is not asked about.
    """

    def __init__(
        self,
        home: Home,
        person: int,
        probable: Mapping[str, Sequence[float]],
        answer: Answer,
        seed: int,
        settings: PlannerSettings | None = None,
        sure: float = SURE,
    ) -> None:
        self._home, self._answer = home, answer
        self._counts = {text: _most_probable(each) for text, each in probable.items()}
        unsure = [text for text, each in probable.items() if max(each) < sure]
        about_places = [text for text in unsure if parse(text).relation in (Relation.ON, Relation.INSIDE)]
        possible = feasible_part(home, dict.fromkeys(about_places, 1))
        self._open = sorted(possible, key=lambda text: max(probable[text]))
        self._player = PlanningPlayer(home, person, self._goal(), seed, settings, puts_only=True)
        self.planner = self._player.planner
        self.asked: list[tuple[int, str, str]] = []
        self._step = 0

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        """See :meth:`worlds.household.players.acting.Player.act`."""
        decision = self._player.act(state, reason, intent)
        if self._open:
            self._ask(self._open.pop(0))
        self._step += 1
        return decision

    def intent(self, state: State) -> Intent:
        """See :meth:`worlds.household.players.acting.Player.intent`."""
        return self._player.intent(state)

    def _ask(self, text: str) -> None:
        words = question(text)
        said = self._answer(text, words)
        self.asked.append((self._step, words, said))
        if self._counts[text] != (count := count_in(said)):
            self._counts[text] = count
            self.planner.set_goal(self._goal(), puts_only=True)

    def _goal(self) -> dict[str, int]:
        return feasible_part(self._home, {text: count for text, count in self._counts.items() if count})


def _most_probable(probabilities: Sequence[float]) -> int:
    return max(range(len(probabilities)), key=probabilities.__getitem__)


def question(text: str) -> str:
    """Return the question how many things a predicate wants."""
    one = parse(text)
    if one.relation not in (Relation.ON, Relation.INSIDE):
        raise WorldError(f"no question is known about {text!r}: it names no place")
    return f"how many {plural(_noun(one))} do you want {_where(one)}?"


def answer(text: str, count: int) -> str:
    """Return the answer to :func:`question`: e.g. "two plates", "no plates"."""
    noun = _noun(parse(text))
    return counted(noun, count, numeral=True) if count else f"no {plural(noun)}"


def count_in(said: str) -> int:
    """Return the count that an answer names."""
    first = said.split()[0] if said.split() else ""
    if first == "no":
        return 0
    if first not in NUMERALS and not first.isdecimal():
        raise WorldError(f"{said!r} is no answer to how many: it begins with no number")
    return number(first)


def _noun(predicate: Predicate) -> str:
    return singulars(predicate.thing)[0]


def _where(predicate: Predicate) -> str:
    place = singulars(predicate.place)[0]
    return f"{'on' if predicate.relation is Relation.ON else 'in'} the {place}"
