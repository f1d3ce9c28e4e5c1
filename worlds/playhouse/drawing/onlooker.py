"""Pictures for people: of any size, at any tick, without a trace in what is played."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.physics.avatar import PITCH, YAW
from worlds.playhouse.physics.poses import Drawn, Poses
from worlds.playhouse.physics.scene import HIDING_GROUPS, Scene

# The third person is so many metres behind the eye and above it, higher up where a wall is close behind, and looks at
# a point so far ahead of the eye.
BEHIND, ABOVE, HIGHEST, AHEAD = 1.9, 0.75, 1.2, 1.4
FROM_WALL = 0.25  # metres that are kept from what is behind
ABOVE_FOV_DEG, MARGIN = 40.0, 0.4  # of the view from above; metres around the house
CUT = 1.4  # metres above the floor at which walls are cut off
LIT, PAPER = 1.18, (250, 250, 250)  # from so far away all is drawn a bit darker; around the house


class Onlooker:
    """Draws one scene from the players' eyes, from behind them, or from above. Threads must not share one.

    In the middle of a step the positions that depend on the joints' are a physics step old, and bringing them up to
    date would change what rays meet. So that happens in a copy.
    """

    def __init__(self, scene: Scene, fov_y_deg: float) -> None:
        self.scene = scene
        self._fov_y_deg = fov_y_deg
        self._data, self._poses = mujoco.MjData(scene.model), Poses(scene)
        self._cameras: dict[tuple[int, int, bool], Camera] = {}

    def look(
        self,
        data: mujoco.MjData,
        players: np.ndarray,
        player: int,
        eye: np.ndarray,
        size: tuple[int, int],
        see_through: int = -1,
    ) -> np.ndarray:
        """Return what ``player`` sees, in an array of the caller's own: uint8 [height, width, 3].

        Args:
          data: the present state; it is not changed.
          players: float64 [players, avatar.PLAYER_STATE].
          player: its number.
          eye: float64 [3], metres.
          size: (height, width), pixels.
          see_through: body that is seen through; -1: none.
        """
        camera, seen = self._camera(size, False), self._now(data, players)
        yaw, pitch = float(players[player, YAW]), float(players[player, PITCH])
        own = int(self.scene.avatar_body[player])
        return camera.draw(seen, eye, yaw, pitch, hide_body=own, see_through=see_through)

    def follow(
        self, data: mujoco.MjData, players: np.ndarray, player: int, eye: np.ndarray, size: tuple[int, int]
    ) -> np.ndarray:
        """Return ``player`` from behind and above, as far as walls allow; arguments as of :meth:`look`."""
        camera, seen = self._camera(size, False), self._now(data, players)
        yaw, pitch = float(players[player, YAW]), float(players[player, PITCH])
        back = np.array([-math.cos(yaw), -math.sin(yaw), 0.0])
        met = mujoco.mj_ray(
            self.scene.model, self._data, eye, back, HIDING_GROUPS, 1, int(self.scene.avatar_body[player]),
            np.zeros(1, np.int32),
        )  # fmt: skip
        away = BEHIND if met < 0 else min(BEHIND, max(0.1, met - FROM_WALL))
        above = ABOVE + (BEHIND - away) / BEHIND * (HIGHEST - ABOVE)
        down = math.atan2(above, away + AHEAD)
        return camera.draw(seen, eye + away * back + (0.0, 0.0, above), yaw, 0.4 * pitch - down)

    def oversee(self, data: mujoco.MjData, players: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        """Return the whole house from above without ceilings, its walls cut off, north at the top; see :meth:`look`."""
        rooms, (height, width) = self.scene.house.rooms, size
        low_x, low_y = min(r.x0 for r in rooms) - MARGIN, min(r.y0 for r in rooms) - MARGIN
        high_x, high_y = max(r.x1 for r in rooms) + MARGIN, max(r.y1 for r in rooms) + MARGIN
        half = max(high_y - low_y, (high_x - low_x) * height / width) / 2
        away = CUT + half / math.tan(math.radians(ABOVE_FOV_DEG) / 2)
        eye = np.array([(low_x + high_x) / 2, (low_y + high_y) / 2, away])
        camera = self._camera(size, True)
        image = camera.draw(self._now(data, players), eye, math.pi / 2, -math.pi / 2)
        lit = np.minimum(image * LIT, 255.0).astype(np.uint8)
        lit[camera.geoms() < 0] = PAPER
        return lit

    def _now(self, data: mujoco.MjData, players: np.ndarray) -> mujoco.MjData | Drawn:
        """Where everything is now."""
        mujoco.mj_copyData(self._data, self.scene.model, data)
        mujoco.mj_kinematics(self.scene.model, self._data)
        return self._poses.of(self._data, players)

    def _camera(self, size: tuple[int, int], above: bool) -> Camera:
        key = (*size, above)
        if key not in self._cameras:
            fov, cut = (ABOVE_FOV_DEG, CUT) if above else (self._fov_y_deg, None)
            self._cameras[key] = Camera(
                self.scene.picture, *size, fov, self.scene.finish, cut=cut, cut_too=self.scene.leaf_body.tolist()
            )
        return self._cameras[key]
