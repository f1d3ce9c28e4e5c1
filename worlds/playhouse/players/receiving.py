"""A scripted setter's part in being handed something: it takes what is brought to its feet, and holds it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from worlds.contract import SOLVER
from worlds.playhouse.players.behaviours import Behaviour, put_down, settle
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.fetching import fetch
from worlds.playhouse.requests.success import AT_REST

IN_REACH = 1.7  # metres to what a setter takes without being brought it any nearer
BROUGHT_BY = 0.5  # metres by which a thing has been moved that has been brought
HOLDS = 8  # steps for which it holds what it was handed before it puts it down
LONGEST = 400  # steps for which it waits


def receive(body: Body, among: Collection[str]) -> Behaviour:
    """Wait until one of some things has been brought and let go; take it, hold it, and put it down."""
    first = {thing: body.where(thing) for thing in among}
    before = dict(first)
    for _ in range(LONGEST):
        brought = next((i for i in among if _is_brought(body, i, first[i], before[i])), None)
        if brought is not None and (yield from fetch(body, brought)):
            yield from settle(body, HOLDS)
            yield from put_down(body)
            return True
        before = {thing: body.where(thing) for thing in among}
        yield from settle(body, 1)
    return False


def _is_brought(body: Body, thing: str, first: np.ndarray, before: np.ndarray) -> bool:
    """Return True if a thing has been carried into reach and lies still."""
    at = body.where(thing)
    still = float(np.linalg.norm(at - before)) <= AT_REST
    moved = float(np.linalg.norm(at - first)) >= BROUGHT_BY
    held = body.world.avatar(SOLVER).held == thing
    return still and moved and not held and body.far(thing) <= IN_REACH and body.same_room(thing)
