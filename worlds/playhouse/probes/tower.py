"""Build a tower (paper, Figure 9): "put the red block on the mug", "build a tower of three blocks"."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.registry import Arguments, register
from worlds.playhouse.games.situation import HIGHEST_TARGET, Situation
from worlds.playhouse.games.tower import FLAT, HIGHEST, LOWEST, Tower, can_be_base, can_be_stacked
from worlds.playhouse.players import behaviours, building
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.probes.probe import Option, Probe, Slots, about, here, named, open_meaning, with_mistakes
from worlds.playhouse.requests.ground_truth import tallest_tower
from worlds.playhouse.requests.language import NUMBERS, Described, is_meant, plural

ANOTHER_STOREY = 50  # steps more for each thing more than two


def _options(situation: Situation) -> Iterator[Option]:
    """Of two things by name, then of so many of a colour and kind as there are, higher than they are stacked now."""
    pieces = _pieces(situation)
    yield from _named_options(situation, {t.id for t in pieces})
    things = here(situation)
    for colour, kind in {(c, k): 0 for t in pieces for c in (None, t.colour) for k in (None, t.kind)}:
        meant = {"colour": colour, "kind": kind}
        stacked = tallest_tower(situation.house, [t.id for t in things if is_meant(t, meant)], situation.positions)
        number = sum(is_meant(t, meant) for t in pieces)
        for height in range(max(LOWEST, len(stacked) + 1), min(HIGHEST, number) + 1):
            yield _slots(height, colour, kind), meant | {"height": height}


def _named_options(situation: Situation, pieces: set[str]) -> Iterator[Option]:
    pairs = [(thing, words) for thing, words in named(situation) if thing.id in pieces]
    for thing, words in pairs:
        for base, place in pairs:
            if thing.id != base.id and can_be_base(situation.world, base.id, _radius(situation, thing.id)):
                on = {"on": base.id, "on_colour": base.colour, "on_kind": base.kind, "height": LOWEST}
                yield {"x": words, "y": place}, about(thing) | on


def _slots(height: int, colour: str | None, kind: str | None) -> Slots:
    """Return the words of an open request; a tower of any two things is just a tower."""
    if colour is None and kind is None:
        return {} if height == LOWEST else {"n": NUMBERS[height]}
    return {"n": NUMBERS[height], "x": plural(colour, kind)}


def _meaning(slots: Slots) -> Arguments | None:
    meant = open_meaning(slots)
    return None if meant is None else meant | {"height": NUMBERS.index(slots.get("n", NUMBERS[LOWEST]))}


def _pieces(situation: Situation) -> list[Described]:
    """The things of this room that nobody holds and that can be taken and stacked."""
    free = [t for t in here(situation) if t.id in situation.free and situation.positions[t.id][2] < HIGHEST_TARGET]
    return [t for t in free if can_be_stacked(situation.world, t.id)]


def _radius(situation: Situation, object_id: str) -> float:
    return situation.house.objects_by_id[object_id].radius


def _can_be_done(situation: Situation, arguments: Arguments) -> bool:
    """Return True if the things, or enough of those that fit, are within reach, and there is room to build."""
    if "target" in arguments:
        both = all(situation.is_in_reach(arguments[role]) for role in ("target", "on"))
        return both and situation.can_be_built_on(arguments["on"])
    pieces = [t.id for t in _pieces(situation) if is_meant(t, arguments) and situation.is_in_reach(t.id)]
    largest = max((_radius(situation, i) for i in pieces), default=0.0)
    bases = (i for i in pieces if can_be_base(situation.world, i, largest) and situation.can_be_built_on(i))
    return len(pieces) >= arguments["height"] and any(bases)


@deed("tower")
def tower(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Stack what is named; else build of whatever there is on what stands free on the floor, large before small."""
    if "things" in arguments:
        target, base = Choice.of(arguments).among[0], Choice.of(arguments, "on").among[0]
        stack = lambda thing: building.stack(body, thing, base, manner.aside)  # noqa: E731
        return (yield from with_mistakes(body, manner, target, (base,), stack))
    world, things = body.world, body.world.house.objects_by_id
    pieces = [i for i in arguments["among"] if things[i].kind in FLAT and behaviours.reachable(body, i)]
    if len(pieces) < LOWEST:
        return False
    largest = max(things[i].radius for i in pieces)
    free = {i for i in pieces if can_be_base(world, i, largest) and building.can_stand_at(body, i)}
    pieces.sort(key=lambda i: (i not in free, -things[i].radius))
    base, second = pieces[:2]

    def stack_or_build(thing: str) -> Behaviour:
        if thing != second:
            return (yield from building.stack(body, thing, base, manner.aside))
        return (yield from building.build(body, pieces, arguments["height"], manner.aside))

    return (yield from with_mistakes(body, manner, second, pieces, stack_or_build))


register(
    Probe(
        name="tower",
        templates=(
            "put {x} on {y}",
            "put {x} on top of {y}",
            "place {x} on top of {y}",
            "stack {x} on {y}",
            "stack {n} {x}",
            "build a tower of {n} {x}",
            "make a tower of {n} {x}",
            "build a tower of {n}",
            "make a tower of {n} things",
            "build a tower",
            "make a tower",
        ),
        options=_options,
        roles={"x": "target", "y": "on"},
        meaning=_meaning,
        can_be_done=_can_be_done,
        # In "put the mug on the table on the block" what is put is the mug on the table: what it is put on stands on
        # the floor, and is never called "on" anything.
        greedy=True,
        check=Tower,
        steps=lambda arguments: 130 + ANOTHER_STOREY * (arguments["height"] - LOWEST),
        held_out_from=1,
    )
)
