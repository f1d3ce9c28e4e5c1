"""Views for people: from behind a player and from above; and players that show where they look and what they hold."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.contract import SOLVER, SeenFromOutside, WorldError
from worlds.playhouse.physics.avatar import HELD, PITCH
from worlds.playhouse.physics.looks import ARM, BODY_GEOMS
from worlds.playhouse.physics.poses import Poses
from worlds.playhouse.world import Playhouse

SIZE = 60, 80


def furnished(views=(SOLVER,)) -> Playhouse:
    world = Playhouse(36, 48, views=views, settings={"preset": "flat"})
    world.reset(seed=1)
    return world


@pytest.mark.parametrize("settings", [{}, {"preset": "flat"}])
def test_views_from_outside_leave_no_trace(settings):
    def play(look: bool) -> list[np.ndarray]:
        world = Playhouse(36, 48, settings=settings)
        world.reset(seed=2)
        assert isinstance(world, SeenFromOutside)
        images = []
        for _ in range(4):
            if look:
                for angle in ("third", "above"):
                    picture = world.view_from(angle, SOLVER, *SIZE)
                    assert picture.shape == (*SIZE, 3) and picture.std() > 5
            images.append(world.step({})[0][SOLVER]["image"])
        return images

    for one, other in zip(play(False), play(True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_another_angle_is_refused():
    with pytest.raises(WorldError, match="a view is third or above, not 'below'"):
        furnished().view_from("below", SOLVER, *SIZE)


def test_the_third_person_sees_the_player_and_the_view_from_above_the_whole_house():
    world = furnished()
    scene, state = world.state.scene, world.state
    looking = world._looking()
    world.view_from("third", SOLVER, *SIZE)
    camera = looking._cameras[(*SIZE, False)]
    assert np.isin(camera.geoms(), np.flatnonzero(scene.picture.geom_bodyid == scene.avatar_body[1])).mean() > 0.01
    world.view_from("above", SOLVER, 120, 160)
    seen = np.unique(looking._cameras[(120, 160, True)].geoms())
    bodies = set(scene.picture.geom_bodyid[seen[seen >= 0]].tolist())
    assert {int(b) for b in scene.avatar_body} <= bodies
    assert len(bodies) > 0.6 * len(scene.object_body), "few things lie under furniture"
    assert state is world.state


def test_the_head_nods_and_the_arm_reaches_to_what_is_held():
    world = furnished()
    scene, data, players = world.state.scene, world.state.data, world.state.players.copy()
    poses, first = Poses(scene), int(scene.picture.geoms_of_bodies()[0][scene.avatar_body[0]])
    pupil, chin = first + BODY_GEOMS + 4, first + BODY_GEOMS + 7
    heights = []
    for pitch in (-0.8, 0.0, 0.8):
        players[0, PITCH] = pitch
        drawn = poses.of(data, players)
        heights.append(drawn.geom_xpos[pupil, 2])
        assert drawn.geom_xpos[pupil, 2] > drawn.geom_xpos[chin, 2]
    assert heights[0] < heights[1] < heights[2]
    resting = drawn.geom_xpos[first + ARM + 1].copy()
    players[0, HELD] = 0
    drawn = poses.of(data, players)
    hand, arm = drawn.geom_xpos[first + ARM + 1], first + ARM
    thing = data.xpos[scene.object_body[0]]
    assert np.linalg.norm(hand - thing) == pytest.approx(0.7 * scene.object_radius[0], abs=0.02)
    assert not np.allclose(hand, resting)
    along = drawn.geom_xmat[arm].reshape(3, 3)
    np.testing.assert_allclose(along.T @ along, np.eye(3), atol=1e-9)
    assert np.linalg.det(along) == pytest.approx(1.0)
    end = drawn.geom_xpos[arm] + along[:, 2] * drawn.arm_half[0]
    np.testing.assert_allclose(end, hand, atol=1e-9)
