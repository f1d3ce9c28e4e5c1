"""A helper that acts on what it is sure of and asks about the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from worlds.household.players.acting import PlanningPlayer
from worlds.household.players.helpers import feasible_part
from worlds.household.players.planner import Decision, Intent
from worlds.household.players.settings import PlannerSettings
from worlds.household.state.home import Home, State
from worlds.household.tasks.language.questions import count_in, question
from worlds.household.tasks.predicates import Relation, parse

Answer = Callable[[str, str], str]  # of a predicate and the question about it

SURE = 0.9  # probability of a count from which on nothing is asked


class AskingPlayer:
    """A planning helper with probabilities of what its partner wants.

    It pursues the most probable counts. At each step it asks about one predicate of whose count it is not sure, the
    least sure first, and plans with the answer from the next step on. Speaking takes no time from acting.

    Args:
      home: that it is in.
      person: row of its body.
      probable: probabilities of the counts 0, 1, ... of predicates; those that are left out are not wanted.
      answer: what the partner replies.
      seed: of all chance in it.
      settings: of its planner.
      sure: probability of a count from which on nothing is asked.

    Attributes:
      asked: step, question and answer, of all questions so far.
      planner: of the person.
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
