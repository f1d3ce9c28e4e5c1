"""The split between requests of training and held-out ones, by the colours and kinds that their words name.

Of every game one (colour, kind) in five is held out: of every colour some kinds and of every kind two colours, so that
both words are always heard in training. The strides walk through the catalogue in its own order. Each game begins
elsewhere, so that what one never asks for is asked for by others: a combination that no game ever named would be
learned to be what nobody wants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS

SPLITS = ("train", "held_out")
_PERIOD, _STRIDE = 5, 2


def is_held_out(name: str, arguments: Mapping[str, Any], begin: int | None = None) -> bool:
    """Return True if a request of game ``name`` names a colour and kind that training never names together in it.

    Args:
      arguments: arguments of the request. Combinations are those of ``said``, [[colour, kind], ...], and those that
        the keys ``colour`` and ``kind`` have, also with a role before them, as ``next_to_colour``. One of the two may
        be None.
      begin: where the split begins (:attr:`worlds.playhouse.games.registry.Game.held_out_from`); None: by the name.
    """
    roles = {key.removesuffix("colour") for key in arguments if key.endswith("colour")}
    roles |= {key.removesuffix("kind") for key in arguments if key.endswith("kind")}
    pairs = [(arguments.get(f"{role}colour"), arguments.get(f"{role}kind")) for role in roles]
    begin = crc32(name.encode()) if begin is None else begin
    named = ((colour, kind) for colour, kind in (*pairs, *arguments.get("said", ())) if colour or kind)
    return any(
        (_rank(colour, tuple(COLOURS)) + _STRIDE * _rank(kind, tuple(OBJECT_KINDS)) + begin) % _PERIOD == 0
        for colour, kind in named
    )


def _rank(word: str | None, known: Sequence[str]) -> int:
    """Place of ``word`` in the catalogue; a word that is not there gets a number that stays the same for ever."""
    if word is None:
        return 0
    return known.index(word) if word in known else crc32(word.encode())
