"""What a player's picture shows, by the world itself: counted another way, and without consequences."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.contract import MOVEMENT_BINS, SETTER, SOLVER, TICKS_PER_STEP, Action, ThingsInView, silent
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.world import Playhouse

PLAIN = {"rooms": (1, 1), "objects": (8, 8), "sizes": ["large"], "room_size": (4.0, 4.0)}


def turned(world: Playhouse, seed: int) -> dict[str, Action]:
    """Random actions of both players."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, MOVEMENT_BINS, size=(2, len(MOVEMENT_BINS)), dtype=np.int8)
    return {
        player: silent(np.tile(row, (TICKS_PER_STEP, 1))) for player, row in zip((SETTER, SOLVER), rows, strict=True)
    }


def counted(world: Playhouse) -> dict[tuple[str, str], int]:
    """Pixels of each colour and kind, by the owners of the geoms that a camera of our own sees."""
    scene, state, eye = world.state.scene, world.state, world.avatar(SOLVER)
    camera = Camera(scene.picture, world.height, world.width, world.fov_y_deg, scene.finish)
    body = int(scene.avatar_body[scene.agents.index(SOLVER)])
    camera.draw(state.data, eye.eye, eye.yaw, eye.pitch, hide_body=body)
    found: dict[tuple[str, str], int] = {}
    for geom in camera.geoms().flat:
        owner = scene.geom_owner[geom] if geom >= 0 else -1
        thing = world.house.objects_by_id.get(scene.owners[owner]) if owner >= 0 else None
        if thing is not None:
            found[thing.colour, thing.kind] = found.get((thing.colour, thing.kind), 0) + 1
    return found


@pytest.mark.parametrize("seed", range(4))
def test_pixels_are_those_of_the_things(seed: int) -> None:
    world, some = Playhouse(36, 48, settings=PLAIN), 0
    assert isinstance(world, ThingsInView)
    world.reset(seed=seed)
    for step in range(12):
        things = world.things_in_view(SOLVER)
        found: dict[tuple[str, str], int] = {}
        for thing in things:
            found[thing.colour, thing.kind] = found.get((thing.colour, thing.kind), 0) + thing.pixels
        assert found == counted(world)
        some += len(things)
        world.step(turned(world, 100 * seed + step))
    assert some > 5


def test_distances_are_from_the_eye_to_the_middle() -> None:
    world = Playhouse(36, 48, settings=PLAIN)
    world.reset(seed=0)
    eye = world.avatar(SOLVER).eye
    far = {float(np.linalg.norm(world.object_position(one.id) - eye)) for one in world.house.objects}
    seen = world.things_in_view(SOLVER)
    assert seen and {thing.distance for thing in seen} <= far


def test_asking_changes_nothing_also_in_furnished_houses() -> None:
    settings = {"style": "furnished", "rooms": (1, 2), "objects": (12, 12)}
    asked, silent_one = (Playhouse(36, 48, settings=settings) for _ in range(2))
    pictures = [world.reset(seed=3)[0][SOLVER]["image"] for world in (asked, silent_one)]
    some = 0
    for step in range(10):
        assert np.array_equal(pictures[0], pictures[1])
        things = asked.things_in_view(SOLVER)
        some += len(things)
        assert sum(thing.pixels for thing in things) <= 36 * 48
        pictures = [world.step(turned(world, step))[0][SOLVER]["image"].copy() for world in (asked, silent_one)]
    assert some
