"""A helper that asks about what it is not sure of."""

from __future__ import annotations

import pytest

from worlds.contract import WorldError
from worlds.household.homes.placing import place
from worlds.household.players.asking import AskingPlayer
from worlds.household.tasks.benchmark import task
from worlds.household.tasks.language.questions import answer, count_in, question
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import PREDICATES


def test_questions_are_of_every_predicate_about_places_and_answers_are_read_back() -> None:
    assert question("on_plate_kitchentable") == "how many plates do you want on the kitchen table?"
    assert question("inside_wine_fridge") == "how many bottles of wine do you want in the fridge?"
    for text in PREDICATES:
        if parse(text).relation in (Relation.ON, Relation.INSIDE):
            assert [count_in(answer(text, count)) for count in (0, 1, 2)] == [0, 1, 2]
        else:
            with pytest.raises(WorldError, match="names no place"):
                question(text)
    assert answer("on_apple_coffeetable", 0) == "no apples"
    for rubbish in ("", "what?", "a lot"):
        with pytest.raises(WorldError, match="begins with no number"):
            count_in(rubbish)


def test_it_asks_once_about_each_count_that_it_is_not_sure_of_the_least_sure_first() -> None:
    of = task("test_1", 40)
    home, state = place(of.help)
    wanted = next(iter(of.goal))
    others = [text for text in ("on_plate_kitchentable", "inside_apple_fridge") if text != wanted]
    probable = {others[0]: [0.3, 0.6, 0.1], wanted: [0.5, 0.3, 0.2], "holds_book_character": [0.5, 0.5, 0.0]}
    probable["on_cutleryfork_kitchentable"] = [0.05, 0.95, 0.0]
    heard = []

    def reply(text: str, words: str) -> str:
        heard.append(words)
        return answer(text, of.goal.get(text, 0))

    bob = AskingPlayer(home, home.persons[1], probable, reply, 0)
    for _ in range(4):
        bob.act(state, "")
    assert heard == [question(wanted), question(others[0])]
    assert [step for step, _, _ in bob.asked] == [0, 1]
    subgoals = bob.planner.subgoals
    pursued = {one.text: count for one, count in zip(subgoals.predicates, subgoals.wanted, strict=True)}
    assert pursued == {wanted: of.goal[wanted], "on_cutleryfork_kitchentable": 1}
