"""Pictures for people: of any size, at any tick, without a trace in what is played."""

from __future__ import annotations

import mujoco
import numpy as np

from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.physics.poses import Poses
from worlds.playhouse.physics.scene import Scene


class Onlooker:
    """Draws one scene from the players' eyes. Threads must not share one.

    In the middle of a step the positions that depend on the joints' are a physics step old, and bringing them up to
    date would change what rays meet. So that happens in a copy.
    """

    def __init__(self, scene: Scene, fov_y_deg: float) -> None:
        self.scene = scene
        self._fov_y_deg = fov_y_deg
        self._data, self._poses = mujoco.MjData(scene.model), Poses(scene)
        self._cameras: dict[tuple[int, int], Camera] = {}

    def look(
        self, data: mujoco.MjData, player: int, eye: np.ndarray, gaze: tuple[float, float], size: tuple[int, int]
    ) -> np.ndarray:
        """Return what ``player`` sees, in an array of the caller's own: uint8 [height, width, 3].

        Args:
          data: the present state; it is not changed.
          player: number of the player.
          eye: float64 [3], metres.
          gaze: (yaw, pitch), radians.
          size: (height, width), pixels.
        """
        if size not in self._cameras:
            self._cameras[size] = Camera(self.scene.picture, *size, self._fov_y_deg, self.scene.finish)
        mujoco.mj_copyData(self._data, self.scene.model, data)
        mujoco.mj_kinematics(self.scene.model, self._data)
        seen = self._poses.of(self._data)
        return self._cameras[size].draw(seen, eye, *gaze, hide_body=int(self.scene.avatar_body[player]))
