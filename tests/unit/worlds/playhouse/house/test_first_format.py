"""Houses of the first format: what recordings count on. All digests were taken before there was a second format."""

from __future__ import annotations

import hashlib
import json

import mujoco
import numpy as np
import pytest

from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import (
    COLOURS,
    FURNITURE_KINDS,
    OBJECT_KINDS,
    PLAIN_COLOURS,
    PLAIN_FURNITURE_KINDS,
    PLAIN_KINDS,
)
from worlds.playhouse.house.record import FORMAT, House
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics import scene

# Of every field of a model that decides how it moves and looks.
FIELDS = (
    "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_rgba", "geom_group", "geom_contype", "geom_conaffinity",
    "geom_bodyid", "geom_friction", "geom_priority", "geom_solref", "geom_condim", "geom_margin", "body_pos",
    "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_type", "jnt_axis", "dof_damping",
    "dof_armature", "qpos0", "tree_sleep_policy",
)  # fmt: skip
HOUSES, MODELS = 12, 4
SETTINGS = {
    "default": HouseSettings(),
    "facing": HouseSettings(face_room=True),
    "demo": HouseSettings(rooms=(1, 1), furniture=(1, 2), objects=(3, 6)),
    "large": HouseSettings(rooms=(5, 5), furniture=(10, 14), objects=(40, 40)),
}
GOLDEN = {  # of houses, of models
    "default": ("aa39268b76e14e2a", "7206ab6a9f1e447e"),
    "facing": ("11b9fe3a5c7ae43f", "7206ab6a9f1e447e"),
    "demo": ("be603f03933807aa", "848c39e620d37ffa"),
    "large": ("b046c16503dff373", "246e84b36ee872fa"),
}


def digest_of_houses(settings: HouseSettings) -> str:
    houses = [sample_house(seed, settings).to_json() for seed in range(HOUSES)]
    return hashlib.sha256(json.dumps(houses).encode()).hexdigest()[:16]


def digest_of_models(settings: HouseSettings) -> str:
    digest = hashlib.sha256()
    for seed in range(MODELS):
        model: mujoco.MjModel = scene.build(sample_house(seed, settings)).model
        for name in FIELDS:
            digest.update(np.ascontiguousarray(getattr(model, name)).tobytes())
        for option in ("timestep", "sleep_tolerance", "integrator", "cone", "enableflags", "disableflags"):
            digest.update(repr(getattr(model.opt, option)).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("name", SETTINGS)
def test_old_seeds_give_old_houses_to_the_byte(name):
    assert digest_of_houses(SETTINGS[name]) == GOLDEN[name][0]


@pytest.mark.parametrize("name", SETTINGS)
def test_old_houses_compile_to_the_same_model(name):
    assert digest_of_models(SETTINGS[name]) == GOLDEN[name][1]


def test_old_houses_are_plain():
    house = sample_house(3)
    assert house.format == FORMAT and not house.windows
    assert not scene.build(house).finish.any()
    assert {house.room_name(room.id) for room in house.rooms} == {"room"}
    written = house.to_json()
    assert list(written) == ["format", "rooms", "doorways", "furniture", "objects", "starts"]
    assert set(written["rooms"][0]) == {"id", "x0", "y0", "x1", "y1", "floor"}
    assert House.from_json(json.loads(json.dumps(written))) == house


def test_the_first_kinds_and_colours_stay_the_first_in_their_order():
    assert PLAIN_KINDS == tuple(OBJECT_KINDS)[:14] == (
        "ball", "block", "book", "mug", "duck", "robot", "car", "pillow", "candle", "lamp", "plate", "bottle", "banana",
        "rocket",
    )  # fmt: skip
    assert PLAIN_FURNITURE_KINDS == tuple(FURNITURE_KINDS)[:10] == (
        "table", "chair", "stool", "sofa", "armchair", "bed", "shelf", "wardrobe", "chest", "bathtub",
    )  # fmt: skip
    assert PLAIN_COLOURS == tuple(COLOURS)[:10] == (
        "red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "white", "black",
    )  # fmt: skip


def test_a_house_of_the_first_format_has_nothing_of_the_second():
    config = sample_house(1).to_json()
    with pytest.raises(WorldError, match="unknown field 'walls'"):
        House.from_json(config | {"rooms": [room | {"walls": "red"} for room in config["rooms"]]})
    first, second, *others = config["objects"]
    with pytest.raises(WorldError, match="unknown support 'object_0'"):
        House.from_json(config | {"objects": [first, second | {"support": "object_0"}, *others]})
