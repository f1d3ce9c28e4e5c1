"""What pictures show: things, one's own hand, what it holds seen through; views for people from outside."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.playhouse.small_room import aim, do, enter, thing
from worlds.contract import (
    HAND_GRAB,
    HAND_KEEP,
    HAND_RELEASE,
    MOVEMENT_BINS,
    SETTER,
    SOLVER,
    TICKS_PER_STEP,
    Action,
    SeenFromOutside,
    ThingsInView,
    WorldError,
    silent,
)
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.drawing.own_hand import CENTRE, RADIUS
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

HEIGHT, WIDTH = 36, 48  # of what players see
SIZE = 60, 80  # of views for people
PLAIN = {"rooms": (1, 1), "objects": (8, 8), "sizes": ["large"], "room_size": (4.0, 4.0)}
FLAT = {"preset": "flat"}


def begun(seed: int, settings: dict) -> Playhouse:
    world = Playhouse(HEIGHT, WIDTH, settings=settings)
    world.reset(seed=seed)
    return world


def turned(seed: int) -> dict[str, Action]:
    """Random actions of both players."""
    rows = np.random.default_rng(seed).integers(0, MOVEMENT_BINS, size=(2, len(MOVEMENT_BINS)), dtype=np.int8)
    return dict(zip((SETTER, SOLVER), (silent(np.tile(row, (TICKS_PER_STEP, 1))) for row in rows), strict=True))


def counted(world: Playhouse) -> Counter[tuple[str, str]]:
    """Pixels of each colour and kind, by the owners of the geoms that a camera of our own sees."""
    scene, state, eye = world.state.scene, world.state, world.avatar(SOLVER)
    camera = Camera(scene.picture, world.height, world.width, world.fov_y_deg, scene.finish)
    body = int(scene.avatar_body[scene.agents.index(SOLVER)])
    camera.draw(state.data, eye.eye, eye.yaw, eye.pitch, hide_body=body)
    found: Counter[tuple[str, str]] = Counter()
    for geom in camera.geoms().flat:
        owner = scene.geom_owner[geom] if geom >= 0 else -1
        seen = world.house.objects_by_id.get(scene.owners[owner]) if owner >= 0 else None
        if seen is not None:
            found[seen.colour, seen.kind] += 1
    return found


@pytest.mark.parametrize("seed", range(2))
def test_pixels_are_those_of_the_things_and_distances_are_from_the_eye(seed: int) -> None:
    world, some = begun(seed, PLAIN), 0
    assert isinstance(world, ThingsInView)
    for step in range(12):
        things, found = world.things_in_view(SOLVER), Counter()
        for one in things:
            found[one.colour, one.kind] += one.pixels
        assert found == counted(world)
        eye = world.avatar(SOLVER).eye
        far = {float(np.linalg.norm(world.object_position(one.id) - eye)) for one in world.house.objects}
        assert {one.distance for one in things} <= far
        some += len(things)
        world.step(turned(100 * seed + step))
    assert some > 5


@pytest.mark.parametrize("settings", [PLAIN, FLAT])
def test_looking_leaves_no_trace(settings):
    def play(look: bool) -> list[np.ndarray]:
        world, images = begun(2, settings), []
        assert isinstance(world, SeenFromOutside)
        for step in range(6):
            if look:
                assert sum(thing.pixels for thing in world.things_in_view(SOLVER)) <= HEIGHT * WIDTH
                for angle in ("third", "above"):
                    picture = world.view_from(angle, SOLVER, *SIZE)
                    assert picture.shape == (*SIZE, 3) and picture.std() > 5
            images.append(world.step(turned(step))[0][SOLVER]["image"].copy())
        return images

    for one, other in zip(play(False), play(True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_third_person_sees_the_player_and_the_view_from_above_the_whole_house():
    world = begun(1, FLAT)
    scene, looking = world.state.scene, world._looking()
    world.view_from("third", SOLVER, *SIZE)
    camera = looking._cameras[(*SIZE, False)]
    assert np.isin(camera.geoms(), np.flatnonzero(scene.picture.geom_bodyid == scene.avatar_body[1])).mean() > 0.01
    world.view_from("above", SOLVER, 120, 160)
    seen = np.unique(looking._cameras[(120, 160, True)].geoms())
    bodies = set(scene.picture.geom_bodyid[seen[seen >= 0]].tolist())
    assert {int(b) for b in scene.avatar_body} <= bodies
    assert len(bodies) > 0.6 * len(scene.object_body), "few things lie under furniture"
    with pytest.raises(WorldError, match="third or above, not 'below'"):
        world.view_from("below", SOLVER, *SIZE)


DOINGS = ((HAND_KEEP, False), (HAND_GRAB, True), (HAND_KEEP, True), (HAND_RELEASE, False))  # and whether it then holds


def before_a_block(*others, size: str = "medium", **options: Any) -> Playhouse:
    """A world whose solver looks at a block in reach, among other things."""
    world = enter(thing(size=size), *others, height=HEIGHT, width=WIDTH, views=(SETTER, SOLVER), **options)
    aim(world, "object_0")
    return world


def before_things(see_through: bool) -> Playhouse:
    """A world whose solver looks at a large block in reach, with a ball behind it."""
    ball = thing("ball", x=3.6, name="object_1", colour="green")
    return before_a_block(ball, size="large", see_through=see_through)


def see(world: Playhouse, hand: int) -> np.ndarray:
    """The solver's picture after a step in which its hand does the same in all ticks."""
    return world.step({SOLVER: do(world, hand=hand)})[0][SOLVER]["image"].copy()


def test_the_hand_is_seen_from_taking_to_letting_go_and_nowhere_else_differs() -> None:
    shown, plain = before_a_block(show_hand=True), before_a_block(show_hand=False)
    down, right = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    place = np.hypot(down - CENTRE[0] * HEIGHT, right - CENTRE[1] * WIDTH) <= RADIUS * HEIGHT
    for hand, holds in DOINGS:
        one, other = see(shown, hand), see(plain, hand)
        assert (shown.avatar(SOLVER).held is not None) == holds
        np.testing.assert_array_equal((one != other).any(axis=-1), place & holds)


def with_and_without(world: Playhouse) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the solver would see of the state with the block, and with the block far away; and where the block is."""
    scene, data, number = world.state.scene, world.state.data, world._player(SOLVER)
    player, body = world.state.players[number], int(scene.object_body[0])
    camera = Camera(scene.picture, HEIGHT, WIDTH, world.fov_y_deg, scene.finish)
    eye, yaw, pitch = world._eye(number), float(player[avatar.YAW]), float(player[avatar.PITCH])
    own, drawn = int(scene.avatar_body[number]), world._poses.of(data, world.state.players)
    there = camera.draw(drawn, eye, yaw, pitch, hide_body=own)
    parts = np.append(np.asarray(scene.picture.geom_bodyid) == body, False)
    block = parts[camera.geoms()]
    places = drawn.geom_xpos.copy()
    drawn.geom_xpos[parts[:-1]] += 1000.0
    gone = camera.draw(drawn, eye, yaw, pitch, hide_body=own)
    drawn.geom_xpos[:] = places
    return there, gone, block


def test_every_other_pixel_of_what_is_held_shows_what_is_behind_it() -> None:
    world = before_things(True)
    even = np.add.outer(np.arange(HEIGHT), np.arange(WIDTH)) % 2 == 0
    for hand, holds in DOINGS:
        image = see(world, hand)
        assert (world.avatar(SOLVER).held is not None) == holds
        there, gone, block = with_and_without(world)
        assert block.sum() > 30 and (there[block] != gone[block]).any(axis=-1).all(), "the block is in view"
        through = block & even & holds
        np.testing.assert_array_equal(image, np.where(through[..., None], gone, there))


def test_people_see_through_it_too_and_things_behind_it_are_in_view() -> None:
    world, hidden = before_things(True), before_things(False)
    for each in (world, hidden):
        see(each, HAND_GRAB)
    np.testing.assert_array_equal(world.view(SOLVER, HEIGHT, WIDTH), world.draw(SOLVER, HEIGHT, WIDTH))
    seen, covered = ({t.kind: t.pixels for t in w.things_in_view(SOLVER)} for w in (world, hidden))
    assert seen["block"] < 0.6 * covered["block"] and seen.get("ball", 0) > covered.get("ball", 0)
