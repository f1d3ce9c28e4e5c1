"""People's play in the household: what each can do and knows now, and pictures of what may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from worlds.contract import SETTER
from worlds.contract.live_play import FAR, NEAR, ONESELF, ROOMS, Choice, ChoosableThing, GoalPart, LiveStatus
from worlds.household.drawing.camera import Pictures
from worlds.household.observing import near, visible
from worlds.household.rules.legal import possible_acts
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.tasks.goals import Goal, task_of
from worlds.household.tasks.language.nouns import counted, plural, singulars
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.progress import SeenProgress, reached
from worlds.household.world import PERSON, HouseholdWorld

HANDS = (Held.RIGHT_HAND, Held.LEFT_HAND)  # by their bin in an action
HAND_WORDS = {Held.RIGHT_HAND: "right", Held.LEFT_HAND: "left"}
OTHER = "other person"
# In the order of their buttons.
OWN_WORDS = {
    Verb.WAIT: "wait",
    Verb.WALK_FORWARD: "walk ahead",
    Verb.TURN_LEFT: "turn left",
    Verb.TURN_RIGHT: "turn right",
    Verb.STAND: "stand up",
}
THING_WORDS = {
    Verb.GRAB: "take",
    Verb.PUT_ON: "put the {item} on it",
    Verb.PUT_IN: "put the {item} in it",
    Verb.OPEN: "open",
    Verb.CLOSE: "close",
    Verb.SWITCH_ON: "switch on",
    Verb.SWITCH_OFF: "switch off",
    Verb.SIT: "sit down",
    Verb.WALK_TOWARDS: "walk there",
}
_PUTS = (Verb.PUT_ON, Verb.PUT_IN)
_CONDITIONS = (Condition.OPEN, Condition.CLOSED, Condition.ON, Condition.OFF)
_WHERE = {Held.ON: "on the {parent}", Held.INSIDE: "in the {parent}", Held.SITS: "sits on the {parent}"}


class HouseholdLivePlay:
    """One episode of the household for people. See :class:`worlds.contract.live_play.LivePlay`."""

    def __init__(self, world: HouseholdWorld) -> None:
        self.steps = world.max_steps
        self._world = world
        self._names: dict[str, Names] = {player: Names() for player in PERSON}
        home = world.state.home
        task = task_of(world.config, home)
        self._goal: Goal = task["goal"] if task else {}
        self._seen = SeenProgress(home, self._goal, home.persons[0]) if task else None
        self._pictures: dict[tuple[int, int], Pictures] = {}

    def choices(self, player: str) -> list[ChoosableThing]:
        now, number = self._world.state, PERSON[player]
        home, state, person = now.home, now.state, now.home.persons[number]
        rows = self._world.observed_rows(player)
        alone, acts = possible_acts(now.tables, number, rows, self._world.full)
        within = near(home, state, person)
        names = self._names[player]
        own = tuple(_choice(verb, words, NO_ROW, 0, 0) for verb, words in OWN_WORDS.items() if alone[verb])
        found = [ChoosableThing(ONESELF, "you", "", own)]
        for place, row in enumerate(rows.tolist()):
            name = names.of(home, row)
            if row != person and row != state.room[person]:
                is_room = state.held[row] == Held.NOWHERE
                group = ROOMS if is_room else NEAR if within[row] else FAR
                choices = tuple(self._choices_of(player, row, place + 1, acts[place]))
                found.append(ChoosableThing(group, name, self._detail(player, row), choices))
        return sorted(found, key=lambda thing: _place_in_list(thing.name))

    def status(self, player: str) -> LiveStatus:
        now, number = self._world.state, PERSON[player]
        home, state, person = now.home, now.state, now.home.persons[number]
        names = self._names[player]
        place = f"you are in the {names.of(home, int(state.room[person]))}"
        if state.held[person] == Held.SITS:
            place += f", sitting on the {names.of(home, int(state.parent[person]))}"
        holds = [(HAND_WORDS[hand], state.in_hand(person, hand)) for hand in HANDS]
        hands = ", ".join(f"{side} hand: {names.of(home, row) if row != NO_ROW else 'empty'}" for side, row in holds)
        return LiveStatus(place, hands, now.feedback[number], self._goal_of(player))

    def reached(self, player: str) -> bool | None:
        """Return True if the setter has reached her goal; the solver has none."""
        if player != SETTER or not self._goal:
            return None
        now = self._world.state
        return reached(now.home, now.state, self._goal, now.home.persons[0])

    def picture(self, player: str, height: int, width: int) -> np.ndarray:
        """Return the own view, and the view from above without things in other rooms."""
        if (height, width) not in self._pictures:
            self._pictures[height, width] = Pictures(height, width)
        pictures, now, number = self._pictures[height, width], self._world.state, PERSON[player]
        seen = visible(now.home, now.state, now.home.persons[number], self._world.full)
        eyes = pictures.from_eyes(now.home, now.state, number)
        return np.concatenate([eyes, pictures.from_above(now.home, now.state, seen)], axis=1)

    def _choices_of(self, player: str, row: int, pointer: int, possible: np.ndarray) -> Iterator[Choice]:
        """Yield what can be done with one thing: of both hands, taking is offered with one that is free."""
        now = self._world.state
        person = now.home.persons[PERSON[player]]
        for verb, words in THING_WORDS.items():
            hands = [bin for bin in range(len(HANDS)) if possible[verb, bin]]
            for hand in hands if verb in _PUTS else hands[:1]:
                item = now.state.in_hand(person, HANDS[hand]) if verb in _PUTS else NO_ROW
                said = words.format(item=self._names[player].of(now.home, item)) if item != NO_ROW else words
                yield _choice(verb, said, row, pointer, hand)

    def _detail(self, player: str, row: int) -> str:
        """Return what is seen of a thing: its condition, and on or in what it is."""
        now = self._world.state
        home, state = now.home, now.state
        said = [str(each.name).lower() for each in _CONDITIONS if state.conditions[row] & each]
        held, parent = Held(int(state.held[row])), int(state.parent[row])
        if held in HANDS:
            mine = parent == home.persons[PERSON[player]]
            said.append(f"in your {HAND_WORDS[held]} hand" if mine else f"in a hand of the {OTHER}")
        elif held in _WHERE:
            said.append(_WHERE[held].format(parent=self._names[player].of(home, parent)))
        return ", ".join(said)

    def _goal_of(self, player: str) -> tuple[GoalPart, ...]:
        if player != SETTER or self._seen is None:
            return ()
        now = self._world.state
        known = self._seen.update(now.state, visible(now.home, now.state, now.home.persons[0], self._world.full))
        return tuple(GoalPart(goal_words(text, count), count, known[text]) for text, count in self._goal.items())


class Names:
    """Names of things for one person, who meets them one after another: "plate", "plate 2"."""

    def __init__(self) -> None:
        self._of: dict[int, str] = {}
        self._count: dict[str, int] = {}

    def of(self, home: Any, row: int) -> str:
        """Return the name of a thing; a new one's is the next of its class."""
        if row not in self._of:
            noun = OTHER if row in home.persons else singulars(home.name_of(row))[0]
            self._count[noun] = self._count.get(noun, 0) + 1
            self._of[row] = noun if self._count[noun] == 1 else f"{noun} {self._count[noun]}"
        return self._of[row]


def goal_words(text: str, count: int) -> str:
    """Return a predicate of a goal in words, e.g. "2 plates on the kitchen table"."""
    one = parse(text)
    if one.relation is Relation.SIT:
        return f"you sit on the {singulars(one.place)[0]}"
    noun = singulars(one.thing)[0]
    things = counted(noun, 1) if count == 1 else f"{count} {plural(noun)}"
    if one.relation is Relation.HOLDS:
        return f"{things} in your hands"
    return f"{things} {'in' if one.relation is Relation.INSIDE else 'on'} the {singulars(one.place)[0]}"


def _choice(verb: Verb, words: str, row: int, pointer: int, hand: int) -> Choice:
    return Choice(f"{verb.name.lower()}-{max(row, 0)}-{hand}", words, (int(verb), pointer, hand))


def _place_in_list(name: str) -> tuple[str, int]:
    """Return where a name belongs: "plate 2" before "plate 10"."""
    noun, _, number = name.rpartition(" ")
    return (noun, int(number)) if number.isdigit() else (name, 1)
