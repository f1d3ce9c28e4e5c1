"""Houses, splits, play and pictures are those of earlier versions: recorded play is replayed to the last bit.

Whoever adds a kind changes a digest here on purpose; whoever moves or rewrites a table does not.
Digests of physics and of pictures are those of MuJoCo 4.0 on x86-64.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

from tests.unit.worlds.household.small_home import small_home
from worlds.contract import MOVEMENT_BINS, SETTER, SOLVER, TICKS_PER_STEP, silent
from worlds.household.drawing.camera import Pictures
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.rules.bodies import stand_at
from worlds.household.state.tables import tables
from worlds.playhouse import Playhouse, sample_config
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.games.asking import is_held_out
from worlds.playhouse.games.registry import PROBES
from worlds.playhouse.house.catalogue import PLAIN_COLOURS, PLAIN_KINDS
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.physics.scene import build
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver

PLACES: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "crowded": {"rooms": (5, 5), "furniture": (10, 14), "objects": (40, 40)},
    **{name: {"preset": name} for name in PRESETS},
    "doors": {"preset": "house", "door_leaves": 0.7, "objects": (20, 30)},
    "wished": {"preset": "flat", "include": ("red drum in the playroom", "bin", "yellow rack")},
}
PLAYED = (PLACES["plain"], PLACES["crowded"], PLACES["flat"], PLACES["doors"])
DEMO = {"first_request": (0, 0), "pause": (1, 3), "patience": 20}
SETTERS: tuple[Mapping[str, Any], ...] = (
    {"tasks": {"go": 1.0, "lift": 1.0, "color": 1.0, "exist": 1.0}, **DEMO},
    {"split": "held_out", "first_request": (0, 3), "pause": (2, 5)},
    {"wander": 0.1, "pause": (2, 4)},
    {"tasks": {"tower": 1.0, "lift": 2.0, "position": 1.0}, **DEMO},
)
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


def houses() -> Iterator[Any]:
    """Houses of some seeds, for all presets."""
    for name, settings in PLACES.items():
        for seed in range(20):
            yield name, seed, sample_config(seed, **settings)


def scenes() -> Iterator[Any]:
    """Compiled houses, and what both players see when an episode begins."""
    for name in ("plain", "flat", "doors", "wished"):
        settings = PLACES[name]
        scene = build(read_house(sample_config(7, **settings)))
        model, picture = scene.model, scene.picture
        for each in (model, picture):
            yield name, each.geom_pos, each.geom_size, each.geom_rgba, each.geom_type
        yield model.geom_quat, model.body_mass, model.body_inertia, model.body_pos, model.geom_contype, scene.finish
        world = Playhouse(72, 96, views=(SETTER, SOLVER), settings=dict(settings))
        observations, _ = world.reset(seed=7)
        yield [np.asarray(observations[player]["image"]) for player in (SETTER, SOLVER)]
        world.close()


def random_play() -> Iterator[Any]:
    """States and observations of random play, in which both players often grab."""
    for seed, settings in enumerate(PLAYED):
        world, rng = Playhouse(36, 48, views=(SETTER, SOLVER), settings=dict(settings)), np.random.default_rng(seed)
        world.reset(seed=seed)
        for _ in range(75):
            rows = rng.integers(0, MOVEMENT_BINS, size=(2, len(MOVEMENT_BINS)), dtype=np.int8)
            rows[:, 4] = rng.choice([0, 1, 2], 2, p=[0.5, 0.4, 0.1])
            setter, solver = (silent(np.tile(row, (TICKS_PER_STEP, 1))) for row in rows)
            for _ in range(2):
                yield [seen["image"] for seen in world.step({SETTER: setter, SOLVER: solver})[0].values()]
        yield world.state.data.qpos, world.state.data.qvel, world.state.players


def scripted_play() -> Iterator[Any]:
    """What the scripted setter and solver do and say."""
    room = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (4, 4), "furniture": (0, 2)}
    world = Playhouse(height=6, width=8, views=(), settings=room)
    for seed, settings in enumerate(SETTERS):
        setter, solver, seen = ScriptedSetter(**settings), ScriptedSolver(), world.reset(seed=seed)[0]
        setter.reset(world, seed)
        solver.reset(world, seed + 1)
        for _ in range(150):
            actions = {SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])}
            yield [(action["movement"], action["utterance"]) for action in actions.values()]
            seen, *_ = world.step(actions)


def shapes() -> Iterator[Any]:
    """Pictures of every shape, from three sides."""
    model = mujoco.MjModel.from_xml_string(SHAPES)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for height, width in ((36, 48), (72, 96), (120, 100)):
        camera = Camera(model, height, width)
        for eye, yaw, pitch in (((-1, 0, 1.2), 0.1, -0.3), ((1, 3, 0.7), -1.6, 0.0), ((1, 0.2, 3.5), 2.0, -1.5)):
            yield camera.draw(data, np.array(eye, float), yaw, pitch)


def pictures_of_a_home() -> Iterator[Any]:
    """The household world: from the eyes of a player, and from above."""
    pictures = Pictures(72, 96)
    for turn in range(8):
        home, state = small_home()
        x, y = 2.0 + 0.5 * turn, 2.0
        stand_at(tables(home, state), turn % 2, x, y, turn * math.pi / 4, floor_plan(home, state).room_at(x, y))
        yield pictures.from_eyes(home, state, turn % 2)
    yield pictures.from_above(*small_home())


def splits() -> Iterator[Any]:
    """Combinations of colour and kind that no probe asks for in training."""
    for name in PROBES:
        pairs = ((colour, kind) for colour in PLAIN_COLOURS for kind in PLAIN_KINDS)
        yield name, [pair for pair in pairs if is_held_out(name, dict(zip(("colour", "kind"), pair, strict=True)))]


GOLDEN: Mapping[Callable[[], Iterator[Any]], str] = {
    houses: "25f038237a1652c888b76b5393aaf90a",
    scenes: "30a61b250b481ac994ba126b9549f08f",
    random_play: "d6e09df9f97c8c4e0a707a1f7859593d",
    scripted_play: "ebe89d45de05091751a6e5860c70a21c",
    shapes: "f9bd07ac65b75bdf4b97678609854bc7",
    pictures_of_a_home: "4fa608a2fc418306c4a419d4887df2d8",
    splits: "2ac246bdf4a57eb731fc663402a75f66",
}
OF_MUJOCO = (scenes, random_play, scripted_play)


def plain(value: Any) -> Any:
    """Return a value as JSON: numbers as floats, arrays by their bytes."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | np.number):
        return float(value)
    if isinstance(value, Mapping):
        return [[plain(key), plain(item)] for key, item in value.items()]
    return [plain(item) for item in value]


@pytest.mark.parametrize("made", GOLDEN, ids=lambda made: made.__name__)
def test_what_is_made_is_that_of_earlier_versions(made: Callable[[], Iterator[Any]]) -> None:
    if made in OF_MUJOCO and (platform.machine() != "x86_64" or not mujoco.__version__.startswith("4.0.")):
        pytest.skip("digests of MuJoCo 4.0, x86-64")
    found = hashlib.sha256()
    for each in made():
        found.update(json.dumps(plain(each)).encode())
    assert found.hexdigest()[:32] == GOLDEN[made]
