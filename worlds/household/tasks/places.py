"""Where things of a class may lie when an episode begins: a table, made by hand.

The classes of the places are those of Watch-And-Help; which thing may lie where is ours. A place that a home
lacks is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from worlds.household.state.vocabulary import Held

Place = tuple[Held, str]  # ON or INSIDE, and the class of the support or container

_SURFACES = "on kitchentable, on coffeetable, on cabinet, on bench"
_CUPBOARDS = "in kitchencabinet, in cabinet"
_TABLE = f"""
plate        {_SURFACES}, {_CUPBOARDS}, in dishwasher, in microwave
waterglass   {_SURFACES}, {_CUPBOARDS}, in dishwasher
wineglass    {_SURFACES}, {_CUPBOARDS}, in dishwasher
cutleryfork  {_SURFACES}, {_CUPBOARDS}, in dishwasher
cupcake      {_SURFACES}, {_CUPBOARDS}, in fridge, in microwave
juice        {_SURFACES}, {_CUPBOARDS}, in fridge
pancake      {_SURFACES}, {_CUPBOARDS}, in fridge, in microwave, in stove
poundcake    {_SURFACES}, {_CUPBOARDS}, in fridge, in microwave, in stove
wine         {_SURFACES}, {_CUPBOARDS}, in fridge
pudding      {_SURFACES}, {_CUPBOARDS}, in fridge, in microwave
apple        {_SURFACES}, {_CUPBOARDS}, in fridge
coffeepot    {_SURFACES}, {_CUPBOARDS}, in stove
book         on kitchentable, on cabinet, on bench, on nightstand, {_CUPBOARDS}
"""
_OTHERS = f"{_SURFACES}, on nightstand, on desk, {_CUPBOARDS}"  # classes that are not in the table


def _read(places: str) -> tuple[Place, ...]:
    words = [each.split() for each in places.split(", ")]
    return tuple((Held.ON if held == "on" else Held.INSIDE, name) for held, name in words)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[Place, ...]]:
    lines = [line.split(maxsplit=1) for line in _TABLE.splitlines() if line]
    return {name: _read(places) for name, places in lines}


def places_of(name: str) -> tuple[Place, ...]:
    """Return where things of a class may lie when an episode begins; all are as likely."""
    return _table().get(name) or _read(_OTHERS)
