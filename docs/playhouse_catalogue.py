"""Print the tables of the Playhouse's rooms and kinds, which the site shows, or draw one kind large.

python -m docs.playhouse_catalogue
python -m docs.playhouse_catalogue --look "train engine" engine.png
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.kinds import FurnitureKind, Kind, ObjectKind
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.physics.picture import PictureRows
from worlds.playhouse.physics.poses import Drawn

PAGE = Path(__file__).parent / "playhouse.md"
LARGE, SMALL = (288, 384), (72, 96)  # height and width of pictures, pixels
DIRECTIONS = 4  # from which a kind is drawn
_ANY = "any"


def rooms_table() -> str:
    """Return the table of room types."""
    rows = (
        (t.name, ", ".join(t.synonyms), ", ".join(t.needs), ", ".join(t.also), ", ".join(t.floors), t.walls)
        for t in ROOM_TYPES.values()
    )
    return _table(("room", "also called", "is known by", "may have", "floors", "walls"), rows)


def things_table() -> str:
    """Return the table of loose kinds."""
    return _table(("thing", "also called", "is", "shape", "rooms", "colours"), map(_row, OBJECT_KINDS.values()))


def furniture_table() -> str:
    """Return the table of kinds of furniture."""
    head = ("furniture", "also called", "is", "shape", "rooms", "colours", "things can be")
    return _table(head, ((*_row(kind), _places(kind)) for kind in FURNITURE_KINDS.values()))


def _row(kind: ObjectKind | FurnitureKind) -> tuple[str, ...]:
    return (kind.name, ", ".join(kind.synonyms), *_words(kind))


def _words(kind: Kind) -> Iterator[str]:
    yield from (", ".join(sorted(said)) for said in (kind.categories - {"furniture"}, kind.shapes))
    yield ", ".join(kind.rooms) or _ANY
    yield ", ".join(kind.colours) or _ANY


def _places(kind: FurnitureKind) -> str:
    """Where things can be put."""
    places = (("on it", bool(kind.surfaces) and not kind.inside), ("in it", kind.inside), ("under it", kind.under))
    return ", ".join(name for name, there in places if there)


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = (f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))
    return "\n".join(re.sub(" +", " ", line) for line in lines)


TABLES = {"rooms": rooms_table, "things": things_table, "furniture": furniture_table}


def portrait(kind: ObjectKind | FurnitureKind) -> Image.Image:
    """Return pictures of a kind from several directions, large, and below each the same at the players' size."""
    colour = kind.colours[0] if kind.colours else "red"
    rows = PictureRows()
    if isinstance(kind, ObjectKind):
        rows.add_thing(kind, 1.0, colour)
        width, low, high = max(kind.extent[:2]), -kind.extent[2] / 2, kind.extent[2] / 2
    else:
        rows.add_furniture(kind, 0, colour, 0.0, 0.0)
        width, low, high = 2 * max(kind.half), kind.bottom, kind.height
    floor = low - (kind.bottom if isinstance(kind, FurnitureKind) else 0.0)
    rows.add(mujoco.mjtGeom.mjGEOM_PLANE, (0, 0, 1), (0, 0, floor), None, (0.72, 0.68, 0.62, 1.0), "planks")
    picture = rows.picture()
    drawn = Drawn(picture.geom_pos, picture.geom_mat)
    middle, far = (low + high) / 2, 1.7 * max(width, high - low)
    sheet = Image.new("RGB", (DIRECTIONS * LARGE[1], LARGE[0] + SMALL[0]))
    for i in range(DIRECTIONS):
        yaw = np.pi * (0.2 + 2 * i / DIRECTIONS)
        eye = np.array([far * np.cos(yaw), far * np.sin(yaw), middle + 0.45 * far])
        for (height, wide), top, away in ((LARGE, 0, 1.0), (SMALL, LARGE[0], 1.6)):
            camera = Camera(picture, height, wide, 50.0, picture.finish)
            pitch = np.arctan2(middle - eye[2], far)
            view = camera.draw(drawn, eye * (away, away, 1.0), yaw + np.pi, float(pitch) / away)
            sheet.paste(Image.fromarray(view), (i * LARGE[1], top))
    return sheet


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--look", nargs=2, metavar=("KIND", "FILE"), help="draw a kind into a file instead")
    look = parser.parse_args().look
    if look is None:
        print("\n\n".join(table() for table in TABLES.values()))
        return
    kind = OBJECT_KINDS.get(look[0]) or FURNITURE_KINDS.get(look[0])
    if kind is None:
        parser.error(f"no kind is called {look[0]!r}; docs/playhouse.md lists them")
    portrait(kind).save(look[1])


if __name__ == "__main__":
    main()
