"""Plain pictures keep their pixels: recorded play is replayed to the last bit, pictures included.

The digests are of pictures that were drawn before there were finishes and shadows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from tests.unit.worlds.household.small_home import small_home
from worlds.contract import MOVEMENT, silent
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.pictures.camera import Pictures
from worlds.household.rules.bodies import stand_at
from worlds.household.state.tables import tables
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.physics.scene import build
from worlds.playhouse.world import Playhouse

SHAPES = """
<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1" rgba=".6 .55 .5 1"/>
    <geom type="box" pos="2 0 1.25" size=".05 2 1.25" rgba=".8 .8 .8 1"/>
    <geom type="box" pos=".7 .4 .6" size=".5 .4 .04" euler="0 0 25" rgba=".5 .3 .2 1"/>
    <geom type="sphere" pos=".6 .4 .76" size=".12" rgba=".9 .1 .1 1"/>
    <geom type="capsule" pos="1 .9 .2" size=".08 .5" euler="70 30 0" rgba=".1 .6 .9 1"/>
    <geom type="ellipsoid" pos=".9 -.8 .3" size=".3 .15 .1" euler="10 20 30" rgba=".2 .8 .3 1"/>
    <geom type="cylinder" pos="1.2 -.3 .2" size=".2 .2" euler="0 60 0" rgba=".9 .8 .1 1"/>
  </worldbody>
</mujoco>
"""


def digest(pictures: Iterator[np.ndarray]) -> str:
    sha = hashlib.sha256()
    for picture in pictures:
        sha.update(picture.tobytes())
    return sha.hexdigest()[:16]


def shapes() -> Iterator[np.ndarray]:
    """Every shape, from four sides."""
    model = mujoco.MjModel.from_xml_string(SHAPES)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for height, width in ((36, 48), (72, 96), (120, 100)):
        camera = Camera(model, height, width)
        for eye, yaw, pitch in (((-1, 0, 1.2), 0.1, -0.3), ((1, 3, 0.7), -1.6, 0.0), ((1, 0.2, 3.5), 2.0, -1.5)):
            yield camera.draw(data, np.array(eye, float), yaw, pitch)


def houses(settings: HouseSettings, height: int, width: int) -> Iterator[np.ndarray]:
    """Houses from their players' starts."""
    for seed in range(3):
        house = sample_house(seed, settings)
        scene = build(house)
        data = mujoco.MjData(scene.model)
        mujoco.mj_forward(scene.model, data)
        camera = Camera(scene.model, height, width, 75.0)
        for number, start in enumerate(house.starts):
            eye, hide = np.array([start.x, start.y, EYE_HEIGHT]), int(scene.avatar_body[number])
            for turn in range(6):
                yield camera.draw(data, eye, start.yaw + turn, 0.1 - 0.15 * turn, hide_body=hide)


def played() -> Iterator[np.ndarray]:
    """An episode of the Playhouse: what both players observe, and a view for people."""
    world = Playhouse(36, 48, views=("setter", "solver"))
    observations, _ = world.reset(seed=5)
    rng = np.random.default_rng(0)
    bins = [component.count for component in MOVEMENT]
    for _ in range(12):
        movement = {agent: rng.integers(0, bins, (8, len(bins))).astype(np.int8) for agent in world.possible_agents}
        actions = {agent: silent(movement[agent]) for agent in movement}
        observations = world.step(actions)[0]
        yield from (observations[agent]["image"] for agent in world.possible_agents)
    yield world.view("solver", 90, 120)


def home() -> Iterator[np.ndarray]:
    """The household world: from the eyes of a player, and from above."""
    pictures = Pictures(72, 96)
    for turn in range(8):
        the_home, state = small_home()
        x, y = 2.0 + 0.5 * turn, 2.0
        room = floor_plan(the_home, state).room_at(x, y)
        stand_at(tables(the_home, state), turn % 2, x, y, turn * math.pi / 4, room)
        yield pictures.from_eyes(the_home, state, turn % 2)
    yield pictures.from_above(*small_home())


ONE_ROOM = HouseSettings(rooms=(1, 1), furniture=(1, 2), objects=(3, 6))
SCENES = {
    "shapes": (shapes, "baea81713da3e483"),
    "five rooms": (lambda: houses(HouseSettings(rooms=(5, 5)), 72, 96), "7763da21982e5fdd"),
    "one room": (lambda: houses(ONE_ROOM, 36, 48), "7daf488fff330fa8"),
    "one room, large": (lambda: houses(ONE_ROOM, 240, 320), "fffb429846e0a4a2"),
    "played": (played, "7dc05f1ccdc9eefa"),
    "household": (home, "585eac60eb1b7553"),
}


@pytest.mark.parametrize("scene", SCENES)
def test_plain_pictures_have_the_pixels_they_had(scene):
    draw, expected = SCENES[scene]
    assert digest(draw()) == expected
