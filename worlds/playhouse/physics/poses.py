"""Where the geoms of a scene's picture are: those for show are no part of the physics, and move with its bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
from numba import njit

from worlds.playhouse.physics.avatar import HELD, PITCH
from worlds.playhouse.physics.looks import ARM, pose
from worlds.playhouse.physics.picture import Picture
from worlds.playhouse.physics.scene import Scene


@dataclass(frozen=True, eq=False)
class Drawn:
    """Geoms of a picture, named as MuJoCo does.

    Args:
      geom_xpos: float64 [geoms, 3], positions.
      geom_xmat: float64 [geoms, 9], orientations.
      arms: int64 [players], geoms that are players' arms, whose lengths change.
      arm_half: float64 [players], half their lengths, metres.
    """

    geom_xpos: np.ndarray
    geom_xmat: np.ndarray
    arms: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    arm_half: np.ndarray = field(default_factory=lambda: np.zeros(0))


class Poses:
    """Follows states of one scene. Threads must not share one."""

    def __init__(self, scene: Scene) -> None:
        self._drawn: Drawn | None = None
        if isinstance(picture := scene.picture, Picture):
            self._avatars = scene.avatar_body.tolist()
            self._object_body, self._radius = scene.object_body.tolist(), scene.object_radius.tolist()
            arms = picture.geoms_of_bodies()[0][scene.avatar_body] + ARM
            self._drawn = Drawn(picture.geom_pos.copy(), picture.geom_mat.copy(), arms, np.zeros(len(arms)))
            self._own = (picture.geom_pos, picture.geom_mat)
            self._bodies = picture.geoms_of_bodies()
            self._followed = np.full((picture.nbody, 12), np.nan)

    def of(self, data: mujoco.MjData, players: np.ndarray | None = None) -> mujoco.MjData | Drawn:
        """Return where the geoms of ``scene.picture`` are in a state.

        Args:
          data: a state of ``scene.model``; its positions and orientations of bodies must be up to date.
          players: float64 [players, avatar.PLAYER_STATE], gaze and hands; None: all look ahead with empty hands.
        """
        if self._drawn is None:
            return data
        bodies = (data.xpos, data.xmat)
        _follow(bodies, self._bodies, self._own, self._followed, self._drawn.geom_xpos, self._drawn.geom_xmat)
        for player, body in enumerate(self._avatars):
            held = -1 if players is None else int(players[player, HELD])
            thing, radius = (self._object_body[held], self._radius[held]) if held >= 0 else (-1, 0.0)
            pitch = 0.0 if players is None else float(players[player, PITCH])
            self._drawn.arm_half[player] = pose(
                self._bodies[0][body], body, pitch, thing, radius, bodies, self._own[0],
                self._drawn.geom_xpos, self._drawn.geom_xmat,
            )  # fmt: skip
        return self._drawn


@njit(nogil=True, cache=True)
def _follow(bodies, geoms_of, own, followed, xpos, xmat):
    """Move the geoms of the bodies that have moved since the last call.

    Args:
      bodies: positions float64 [bodies, 3] and orientations float64 [bodies, 9].
      geoms_of: first geom and number of geoms, int32 [bodies] each.
      own: positions float64 [geoms, 3] and orientations float64 [geoms, 9] in the frame of the body.
      followed: float64 [bodies, 12], where bodies were, changed in place.
      xpos: float64 [geoms, 3], written.
      xmat: float64 [geoms, 9], written.
    """
    position, orientation = bodies
    for body in range(1, len(followed)):
        moved = False
        for i in range(3):
            moved |= followed[body, i] != position[body, i]
        for i in range(9):
            moved |= followed[body, 3 + i] != orientation[body, i]
        if not moved:
            continue
        followed[body, :3], followed[body, 3:] = position[body], orientation[body]
        turn = orientation[body]
        for geom in range(geoms_of[0][body], geoms_of[0][body] + geoms_of[1][body]):
            for row in range(3):
                a, b, c = turn[3 * row], turn[3 * row + 1], turn[3 * row + 2]
                xpos[geom, row] = position[body, row] + a * own[0][geom, 0] + b * own[0][geom, 1] + c * own[0][geom, 2]
                for column in range(3):
                    xmat[geom, 3 * row + column] = (
                        a * own[1][geom, column] + b * own[1][geom, 3 + column] + c * own[1][geom, 6 + column]
                    )
