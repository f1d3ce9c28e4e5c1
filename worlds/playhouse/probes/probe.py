"""What probes have in common: requests in fixed templates, about things that are named or that colour and kind fit.

A module of this folder says of one probe how it is asked (:class:`Probe`), how it is checked (a
:class:`~worlds.playhouse.requests.success.PlayhouseTask`) and how the scripted solver does it
(``@deed``). Its name in PROBES of :mod:`worlds.playhouse.games.registry` makes it known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.registry import Arguments, Game, Request, games
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players import behaviours, game_play
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.requests.ground_truth import describe_all, distance
from worlds.playhouse.requests.language import NUMBERS, Described, combination, is_meant, refer, resolve

Slots = dict[str, str]  # words by the slots of a template: things x and y, a number n, " in this room" for where
Option = tuple[Slots, Arguments]
_SLOT = re.compile(r"{(\w+)}")


def open_meaning(slots: Slots) -> Arguments | None:
    """Return the colour and kind that words such as "red balls" name, each None for any; None for other words."""
    pair = combination(slots["x"]) if "x" in slots else (None, None)
    return None if pair is None else {"colour": pair[0], "kind": pair[1]}


@dataclass(frozen=True, kw_only=True)
class Probe(Game):
    """A game that is asked for in fixed templates.

    Args:
      templates: all ways to ask for it, with slots x, y, n and where.
      options: (situation) -> everything that can be asked for: words for the slots, and the arguments of the check.
      meaning: (slots) -> colour and kind of what a request is about that names nothing; None for other words.
      can_be_done: (situation, arguments) -> whether it can be done; None: if all that is named is within reach.
      greedy: whether the first slot takes the most words that it can, rather than the fewest.
    """

    templates: tuple[str, ...]
    options: Callable[[Situation], Iterator[Option]]
    roles: Mapping[str, str] = field(default_factory=lambda: {"x": "target"})
    meaning: Callable[[Slots], Arguments | None] = open_meaning
    can_be_done: Callable[[Situation, Arguments], bool] | None = None
    greedy: bool = False

    def requests(
        self,
        situation: Situation,
        rng: np.random.Generator,
        modifier: Modifier | None,
        fits: Callable[[Arguments], bool],
    ) -> Iterator[Request]:
        """Yield requests in random order; every answer of the house is as likely, and so is naming things or not."""
        options = [option for option in self.options(situation) if fits(option[1])]
        sorts = sorted({_sort(arguments) for _, arguments in options})
        if not sorts:
            return
        drawn = sorts[rng.integers(len(sorts))]
        first = [o for o in options if _sort(o[1]) == drawn]
        others = [o for o in options if _sort(o[1]) != drawn]
        # The costly part of feasibility, the way there, is looked at only for what is about to be asked.
        for slots, arguments in chain(_shuffled(first, rng), _shuffled(others, rng)):
            if self._is_feasible(situation, arguments):
                fitting = self._with_slots(slots)
                yield Request(fitting[rng.integers(len(fitting))].format(**slots), arguments)

    def read(self, words: str, situation: Situation) -> Arguments | None:
        """Return what words mean.

        Returns:
          The things that each slot can mean, the nearest first: ``things`` for x, else by role. Of a request that names
          nothing, colour and kind, and the ids ``among`` the things of this room that they fit.
        """
        understood = understand(words)
        if understood is None or understood.name != self.name:
            return None
        slots, things = understood.slots, list(situation.things.values())
        if not self._is_named(slots):
            meant = self.meaning(slots)
            return None if meant is None else meant | {"among": [t.id for t in here(situation) if is_meant(t, meant)]}
        found: Arguments = {}
        for slot, role in self.roles.items():
            fitting = [thing.id for thing in resolve(slots[slot], things)]
            fitting.sort(key=lambda i: distance(situation.positions[i], situation.solver.position))
            found["things" if slot == "x" else role] = Choice(tuple(fitting)).to_json()
        return found if all(choice["among"] for choice in found.values()) else None

    def heard(self, arguments: Arguments, words: str, situation: Situation) -> TaskSpec | None:
        """Return the request that words are, if they name one thing only and it can be fulfilled."""
        if "things" in arguments:
            meant = {}
            for slot, role in self.roles.items():
                named = arguments["things" if slot == "x" else role]["among"]
                if len(named) > 1:
                    return None
                meant[role] = named[0]
        else:
            meant = {key: value for key, value in arguments.items() if key != "among"} | {"target": None}

        def fits(said: Arguments) -> bool:
            return all(said.get(key) == value for key, value in meant.items())

        request = next(self.requests(situation, np.random.default_rng(0), None, fits), None)
        if request is None:
            return None
        return TaskSpec(self.name, words, request.arguments, self.limit(request.arguments, situation))

    def in_other_words(self, words: str) -> list[str]:
        """Return the request in all other templates with the same slots."""
        understood = understand(words)
        if understood is None:
            return []
        slots = dict(understood.slots)
        if any("{where}" in template for template in self.templates):
            slots.setdefault("where", "")
        texts = (template.format(**slots) for template in self._with_slots(slots))
        return [text for text in texts if text != words]

    def names_things(self, words: str) -> bool:
        understood = understand(words)
        return understood is not None and understood.name == self.name and self._is_named(understood.slots)

    def _is_named(self, slots: Slots) -> bool:
        """Return True if a request names its things, rather than say only of which colour or kind they are."""
        return bool(self.roles) and set(self.roles) <= set(slots)

    def _is_feasible(self, situation: Situation, arguments: Arguments) -> bool:
        if self.can_be_done is not None:
            return self.can_be_done(situation, arguments)
        return all(situation.is_in_reach(arguments[role]) for role in self.roles.values())

    def _with_slots(self, slots: Slots) -> list[str]:
        return [template for template in self.templates if set(_SLOT.findall(template)) == set(slots)]


def _sort(arguments: Arguments) -> str:
    """Return the kind of an option; options of the same kind share one chance."""
    return arguments.get("answer", "named" if "target" in arguments else "open")


def _shuffled(options: Sequence[Option], rng: np.random.Generator) -> Iterator[Option]:
    """Yield options in random order; nothing is drawn before the first is asked for."""
    for i in rng.permutation(len(options)):
        yield options[i]


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Understood:
    """Meaning of an instruction: the probe's name and the words in its slots."""

    name: str
    slots: Slots


def understand(text: str) -> Understood | None:
    """Read an instruction; None if it is of no probe. The most specific template that fits counts."""
    text = text.lower().strip()
    for name, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match:
            return Understood(name, {k: v for k, v in match.groupdict().items() if v})
    return None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """All templates, those with the most fixed text first: "take {x} and lift it" is not read as a shorter one."""
    probes = [game for game in games().values() if isinstance(game, Probe)]
    templates = [(-len(_SLOT.sub("", t)), probe.name, t, probe.greedy) for probe in probes for t in probe.templates]
    return [(name, _pattern(template, greedy)) for _, name, template, greedy in sorted(templates)]


def _pattern(template: str, greedy: bool) -> re.Pattern[str]:
    pattern = re.escape(template).replace(re.escape("{where}"), "(?:(?P<where> in this room))?")
    pattern = pattern.replace(re.escape("{n}"), f"(?P<n>{'|'.join(NUMBERS)})")
    for slot in ("x", "y"):
        words = f"(?P<{slot}>(?:the |an? )?[a-z ]+{'' if greedy else '?'})"
        pattern = pattern.replace(re.escape(f"{{{slot}}}"), words)
    return re.compile(pattern)


# -- asking -----------------------------------------------------------------------------------------------------------


def named(situation: Situation, say_colour: bool = True) -> Iterator[tuple[Described, str]]:
    """Yield the things that nobody holds and that can be named without ambiguity, with their names."""
    things = list(situation.things.values())
    for thing in things:
        words = refer(thing, things, say_colour)
        if words is not None and thing.id in situation.free:
            yield thing, words


def about(thing: Described) -> Arguments:
    return {"target": thing.id, "colour": thing.colour, "kind": thing.kind}


def here(situation: Situation) -> list[Described]:
    """Return the things in the room the solver is in: those that questions without a place are about."""
    return [thing for thing in situation.things.values() if thing.room != "another room"]


def in_this_room(situation: Situation, words: str) -> Slots:
    """Return the slots of a question about the room, which is said where there are others."""
    return {"x": words, "where": " in this room" if len(situation.house.rooms) > 1 else ""}


# -- doing ------------------------------------------------------------------------------------------------------------


def with_mistakes(
    body: Body, manner: Manner, target: str, spared: Collection[str], act: Callable[[str], Behaviour]
) -> Behaviour:
    """Do something with a thing, now and then with a wrong one first, which is none of the ``spared``."""
    if not manner.corrected and manner.rng.random() < manner.wrong_object:
        others = [t for t in describe_all(body.world).values() if t.room != "another room"]
        others = [t.id for t in others if t.id not in (target, body.held, *spared)]
        others = [i for i in others if behaviours.reachable(body, i)]
        if others:
            wrong = game_play.tempting(body, others, (target,), manner.rng)
            if not (yield from game_play.is_noticed(body, act(wrong), manner)):
                return False
    return (yield from act(target))
