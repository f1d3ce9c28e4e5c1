"""Feasibility of scenarios: whether the solver can reach, take and put what a request asks for."""

from __future__ import annotations

from worlds.playhouse.games import containing, places, reaching
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.instructions.towers import pieces_for
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.tower import can_be_base
from worlds.playhouse.games.whereabouts import Where, spot_for_player, spot_for_thing

STANDING = ("stand by", "go somewhere")
WITHOUT_TAKING = ("scenario: push",)


def is_feasible(name: str, arguments: Arguments, situation: Situation) -> bool:
    """Return True if the solver can get at everything that a request needs, as far as is known beforehand."""
    if name == "do then":
        first = arguments["first"]
        return is_feasible(first["game"], first["arguments"], situation)
    if name in STANDING:
        return spot_for_player(situation, Where.of(arguments["place"])) is not None
    if "groups" in arguments:
        return all(len(_able(g, situation)) >= g["number"] for g in arguments["groups"])
    if "things" not in arguments or name in WITHOUT_TAKING:
        return True
    able = _able(arguments["things"], situation)
    number = arguments["things"]["number"]
    if len(able) < number:
        return False
    if name == "arrange":
        return places.for_arrangement(situation, arguments["shape"], able, number) is not None
    if name == "build":
        return pieces_for(situation, Choice(tuple(able), number), arguments.get("different")) is not None
    if name == "place by":
        return spot_for_thing(situation, able[0], Where.of(arguments["place"])) is not None
    targets = Choice.of(arguments, "target").among if "target" in arguments else ()
    return not targets or any(_goes_with(name, able[:number], target, situation) for target in targets)


def _able(group: dict, situation: Situation) -> list[str]:
    return [i for i in group["among"] if situation.can_be_taken(i)]


def _goes_with(name: str, things: list[str], target: str, situation: Situation) -> bool:
    """Return True if things can be put on, under or into a target, or touch or push it."""
    house = situation.house
    piece = house.furniture_by_id.get(target)
    if name in ("put in", "scenario: put in alike"):
        return all(containing.into_container(situation, i, target) is not None for i in things)
    if name == "put on":
        if piece is not None:
            return all(places.on_furniture(situation, i, piece) is not None for i in things)
        return can_be_base(situation.world, target, house.objects_by_id[things[0]].radius)
    if name == "put under" and piece is not None:
        return all(reaching.under_furniture(situation, i, piece) is not None for i in things)
    if name == "push with":
        return reaching.place_to_push_from(situation, things[0], target) is not None
    if name in ("touch with", "hit with") and piece is None and target not in things:
        return reaching.place_to_touch_from(situation, things[0], target) is not None
    return True
