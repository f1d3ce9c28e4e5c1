"""What a player holds, seen through: every other pixel shows what is there without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.unit.worlds.playhouse.drawing.test_own_hand import HEIGHT, WIDTH, before_a_block, see
from tests.unit.worlds.playhouse.physics.test_physics import thing
from worlds.contract import HAND_GRAB, HAND_KEEP, HAND_RELEASE, SOLVER
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse


def before_things(see_through: bool) -> Playhouse:
    """A world whose solver looks at a large block in reach, with a ball behind it."""
    ball = replace(thing("ball", x=3.6, name="object_1"), colour="green")
    return before_a_block(ball, size="large", see_through=see_through)


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
    for hand, holds in ((HAND_KEEP, False), (HAND_GRAB, True), (HAND_KEEP, True), (HAND_RELEASE, False)):
        image = see(world, hand)
        assert (world.avatar(SOLVER).held is not None) == holds
        there, gone, block = with_and_without(world)
        assert block.sum() > 30 and (there[block] != gone[block]).any(axis=-1).all(), "the block is in view"
        through = block & even & holds
        np.testing.assert_array_equal(image, np.where(through[..., None], gone, there))


def test_people_see_through_it_too_and_things_behind_it_are_in_view() -> None:
    world = before_things(True)
    see(world, HAND_GRAB)
    np.testing.assert_array_equal(world.view(SOLVER, HEIGHT, WIDTH), world.draw(SOLVER, HEIGHT, WIDTH))
    hidden = before_things(False)
    see(hidden, HAND_GRAB)
    seen, covered = ({t.kind: t.pixels for t in w.things_in_view(SOLVER)} for w in (world, hidden))
    assert seen["block"] < 0.6 * covered["block"] and seen.get("ball", 0) > covered.get("ball", 0)
