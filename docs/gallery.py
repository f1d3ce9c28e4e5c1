"""Draw the pictures of ``docs/pictures.md``: finishes, kinds, rooms, a house from above, and what an agent sees of it.

python -m docs.gallery
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worlds.contract import SOLVER
from worlds.drawing.finishes import FINISHES
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.kinds import FurnitureKind, ObjectKind
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics.picture import SHAPES, PictureRows
from worlds.playhouse.physics.poses import Drawn, Poses
from worlds.playhouse.physics.scene import build
from worlds.playhouse.world import Playhouse

FIGURES = Path(__file__).parent / "figures"
PAPER, INK, LABEL, GAP = (255, 255, 255), (40, 40, 40), 22, 6  # colours; pixels
SEED = 3  # of the house
DOOR_SEED, DOOR = 0, 4  # a house with leaves, and one of them that is seen from the north
COLOURS = ("red", "blue", "green", "orange", "purple", "yellow", "cyan", "pink")
FLOOR, GROUND = (0.93, 0.92, 0.90, 1.0), (40.0, 40.0, 1.0)
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
_PATTERNED = {
    "plain": (0.78, 0.78, 0.78), "wood": (0.70, 0.48, 0.28), "planks": (0.68, 0.54, 0.40), "cloth": (0.35, 0.43, 0.75),
    "carpet": (0.62, 0.25, 0.25), "tiles": (0.48, 0.64, 0.76), "brick": (0.70, 0.34, 0.26),
    "plaster": (0.92, 0.85, 0.75), "paper": (0.60, 0.72, 0.60), "grass": (0.30, 0.58, 0.22), "sky": (0.47, 0.72, 0.97),
    "water": (0.32, 0.63, 0.83), "leaves": (0.22, 0.54, 0.22), "stripes": (0.80, 0.20, 0.20),
    "dots": (0.25, 0.25, 0.80),
}  # fmt: skip


def finishes() -> Iterator[tuple[str, np.ndarray]]:
    """Yield every finish on a box, a ball and a rod."""
    for name in FINISHES:
        rows, rgba = _stage(), (*_PATTERNED[name], 1.0)
        rows.body += 1
        rows.add(int(SHAPES["box"]), (0.3, 0.3, 0.3), (0, 0.15, 0.3), None, rgba, name)
        rows.add(int(SHAPES["sphere"]), (0.2, 0, 0), (-0.05, -0.4, 0.2), None, rgba, name)
        rows.add(int(SHAPES["cylinder"]), (0.13, 0.28, 0), (-0.35, 0.45, 0.28), None, rgba, name)
        yield name, _shot(rows, 1.5, 0.3, (200, 240))


def kinds(catalogue: Iterable[ObjectKind | FurnitureKind]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every kind, from in front and a little from above."""
    for number, kind in enumerate(catalogue):
        rows = _stage()
        colour = (kind.colours or COLOURS)[number % len(kind.colours or COLOURS)]
        if isinstance(kind, ObjectKind):
            rows.body += 1
            rows.add_thing(kind, 1.0, colour)
            reach, middle, lift, front = max(kind.extent), kind.extent[2] / 2, kind.extent[2] / 2, 0.6
        else:
            rows.add_furniture(kind, 0, colour, 0.0, 0.0)
            reach, middle = max(2 * kind.half[0], 2 * kind.half[1], kind.height - kind.bottom), 0.0
            middle, lift, front = (kind.height + kind.bottom) / 2, 0.0, math.pi / 2 - 0.5
        yield kind.name, _shot(rows, 0.1 + 1.75 * reach, middle, (132, 132), front, lift)


def rooms(height: int, width: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield a room of each type, from one of its corners."""
    missing = list(ROOM_TYPES)
    for seed in range(200):
        world = _furnished(seed)
        scene = world.state.scene
        camera = Camera(scene.picture, height, width, 68.0, scene.finish)
        poses = Poses(scene).of(world.state.data, world.state.players)
        for room in world.house.rooms:
            if room.type in missing:
                missing.remove(room.type)
                x, y = (room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2
                eye = np.array([room.x0 + 0.35, room.y0 + 0.35, 1.75])
                yaw = math.atan2(y - eye[1], x - eye[0])
                yield room.type, camera.draw(poses, eye, yaw, -0.38)
        if not missing:
            return


def doors(height: int, width: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield a door leaf that is closed, half open and open, from 2.5 m before it."""
    house = sample_house(DOOR_SEED, HouseSettings.of(preset="house", door_leaves=1.0))
    leaf = house.door_leaves[DOOR]
    doorway = next(doorway for doorway in house.doorways if doorway.id == leaf.doorway)
    eye = np.array([doorway.x + 0.9, doorway.y + 2.3, 1.35])
    yaw = math.atan2(doorway.y - eye[1], doorway.x - eye[0])
    for name, degrees in (("closed", 0.0), ("half open", 45.0), ("open", 90.0)):
        open_ = replace(leaf, angle=math.radians(degrees))
        scene = build(replace(house, door_leaves=tuple(open_ if one is leaf else one for one in house.door_leaves)))
        data = mujoco.MjData(scene.model)
        mujoco.mj_kinematics(scene.model, data)
        camera = Camera(scene.picture, height, width, 68.0, scene.finish)
        yield name, camera.draw(Poses(scene).of(data), eye, yaw, -0.08)


def views() -> dict[str, np.ndarray]:
    """A house from above and from behind a player, and what an agent sees beside what people see."""
    world = _furnished(SEED)
    seen = world.view(SOLVER, 72, 96)
    return {
        "gallery-above.png": world.view_from("above", SOLVER, 700, 840),
        "gallery-third.png": world.view_from("third", SOLVER, 480, 640),
        "gallery-agent.png": np.concatenate(
            [np.kron(seen, np.ones((5, 5, 1), np.uint8)), world.view(SOLVER, 360, 480)], axis=1
        ),
    }


def _furnished(seed: int) -> Playhouse:
    world = Playhouse(settings={"preset": "house", "face_room": True}, fov_y_deg=68.0)
    world.reset(seed=seed)
    return world


def _stage() -> PictureRows:
    rows = PictureRows()
    rows.add(_PLANE, GROUND, (0.0, 0.0, 0.0), None, FLOOR, "plaster")
    return rows


def _shot(
    rows: PictureRows, away: float, middle: float, size: tuple[int, int], front: float = 0.0, lift: float = 0.0
) -> np.ndarray:
    """A picture from ``away`` metres of what stands on the stage, ``front`` radians from its +x, its bodies lifted."""
    picture = rows.picture()
    camera = Camera(picture, *size, 45.0, picture.finish)
    turn, down = front + 0.35, 0.42
    eye = np.array([math.cos(turn) * math.cos(down), math.sin(turn) * math.cos(down), math.sin(down)]) * away
    positions = picture.geom_pos + np.where(picture.geom_bodyid > 0, lift, 0.0)[:, None] * (0.0, 0.0, 1.0)
    drawn = Drawn(np.ascontiguousarray(positions), picture.geom_mat.copy())
    return camera.draw(drawn, eye + (0, 0, middle), turn + math.pi, -down)


def sheet(pictures: Iterable[tuple[str, np.ndarray]], columns: int) -> Image.Image:
    """Return pictures of one size in rows, with their names above them."""
    shown = list(pictures)
    height, width, _ = shown[0][1].shape
    rows = -(-len(shown) // columns)
    page = Image.new("RGB", (columns * (width + GAP) - GAP, rows * (height + LABEL + GAP) - GAP), PAPER)
    draw: Any = ImageDraw.Draw(page)
    for number, (name, picture) in enumerate(shown):
        x, y = number % columns * (width + GAP), number // columns * (height + LABEL + GAP)
        draw.text((x + 2, y + 3), name, INK, ImageFont.load_default(14))
        page.paste(Image.fromarray(picture), (x, y + LABEL))
    return page


def _save(image: Image.Image, name: str) -> None:
    image.save(FIGURES / name, optimize=True)


def main() -> None:
    """Write the figures."""
    _save(sheet(finishes(), 5), "gallery-finishes.png")
    _save(sheet(kinds(OBJECT_KINDS.values()), 9), "gallery-objects.png")
    _save(sheet(kinds(FURNITURE_KINDS.values()), 8), "gallery-furniture.png")
    _save(sheet(rooms(300, 400), 3), "gallery-rooms.png")
    _save(sheet(doors(240, 320), 3), "gallery-doors.png")
    for name, picture in views().items():
        _save(Image.fromarray(picture), name)


if __name__ == "__main__":
    main()
