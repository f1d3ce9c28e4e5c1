"""The Playhouse: two players who walk, look, handle things and talk in a house of up to five rooms."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mujoco
import numpy as np

from worlds.contract import BODY, FULL_BODY, HAND_GRAB, SOLVER, TICKS_PER_STEP, GrabFailure, ThingInView, WorldError
from worlds.contract.known_settings import check_flags
from worlds.contract.tick_world import FIVE_MINUTES, PLAYERS, TickWorld
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.drawing.onlooker import Onlooker
from worlds.playhouse.drawing.own_hand import draw_own_hand
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.record import House, Thing
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics import avatar, ticks
from worlds.playhouse.physics.grabbing import Candidate, Grabs, gaze, name_of, reason_of_failure
from worlds.playhouse.physics.poses import Poses
from worlds.playhouse.physics.scene import FIXED_GROUPS, Scene, scene_of
from worlds.playhouse.physics.touching import Touches, contact_views

HANDS = {"simple": BODY, "full": FULL_BODY}


@dataclass(frozen=True, eq=False)
class AvatarState:
    """Ground truth of one player, for scripted players and success checks.

    Args:
      position: float64 [3], the foot point on the floor, metres.
      eye: float64 [3], where it sees from, metres.
      yaw: radians, 0 along +x, counter-clockwise.
      pitch: radians, up positive.
      held: id of the object in hand, or None.
      offers: True if it is held out to the other player, who can take it; with full hands only.
    """

    position: np.ndarray
    eye: np.ndarray
    yaw: float
    pitch: float
    held: str | None
    offers: bool = False


@dataclass(frozen=True, eq=False)
class HouseState:
    """Everything that play changes in one house.

    Args:
      scene: the house's model, which play leaves as it is and copies share.
      data: state of the physics.
      players: float64 [players, avatar.PLAYER_STATE], gaze and hands.
      touched: uint8 [owners, owners], pairs of ``scene.owners`` that have touched since the step began.
    """

    scene: Scene
    data: mujoco.MjData
    players: np.ndarray
    touched: np.ndarray

    def __deepcopy__(self, memo: object) -> HouseState:
        return HouseState(self.scene, copy.copy(self.data), self.players.copy(), self.touched.copy())


class Playhouse(TickWorld):
    """A simulated house.

    Args:
      height: of the players' images, pixels.
      width: of the players' images, pixels.
      views: players whose view is drawn; the others' images are black, which saves time.
      settings: what houses are sampled from when no configuration is given, as HouseSettings or by name.
      max_steps: length of an episode.
      fov_y_deg: vertical field of view in degrees; a narrower one shows things larger in a small image.
      hands: of both players: "simple" ones grab, hold and release; "full" ones also rotate, throw and offer what they
        hold, by further components of movement (:data:`worlds.contract.FULL_MOVEMENT`).
      show_hand: whether players see a hand of theirs while it holds something. Without it a thing looks the same in
        the hand and let go in its place.
      see_through: whether players see through what they hold: every other pixel shows what is behind it. Else it hides
        what they carry it to.

    Raises:
      WorldError: a setting that no house or image can satisfy.
    """

    metadata = {"name": "playhouse", "render_modes": ["rgb_array"]}
    state: HouseState

    def __init__(
        self,
        height: int = 72,
        width: int = 96,
        views: Sequence[str] = (SOLVER,),
        settings: HouseSettings | Mapping[str, Any] | None = None,
        max_steps: int = FIVE_MINUTES,
        fov_y_deg: float = 75.0,
        hands: str = "simple",
        show_hand: bool = False,
        see_through: bool = False,
    ) -> None:
        if hands not in HANDS:
            raise WorldError(f"setting hands: no hands named {hands!r}; known: {', '.join(HANDS)}")
        check_flags(show_hand=show_hand, see_through=see_through)
        super().__init__(height, width, views, max_steps, HANDS[hands])
        self.settings = settings if isinstance(settings, HouseSettings) else HouseSettings.of(**(settings or {}))
        self.fov_y_deg = float(fov_y_deg)
        self.show_hand, self.see_through = show_hand, see_through
        self._scene: Scene | None = None
        self._onlooker: Onlooker | None = None

    # -- what TickWorld asks for ----------------------------------------------------------------------------

    def sample(self, seed: int) -> dict[str, Any]:
        return sample_house(seed, self.settings).to_json()

    def begin(self, config: Mapping[str, Any]) -> HouseState:
        scene = scene_of(read_house(config))
        data = mujoco.MjData(scene.model)
        players = np.zeros((len(PLAYERS), avatar.PLAYER_STATE))
        players[:, avatar.HELD] = avatar.NOTHING
        for player, agent in enumerate(PLAYERS):
            yaw = scene.house.start(agent).yaw
            players[player, avatar.YAW] = yaw
            data.qpos[scene.avatar_qpos[player] + 2] = yaw
        mujoco.mj_forward(scene.model, data)
        return HouseState(scene, data, players, np.zeros((len(scene.owners),) * 2, dtype=np.uint8))

    def advance(self, movement: np.ndarray, first: int, last: int) -> None:
        before = self._data.time
        house = self.state.scene.house
        ticks.advance(
            *self._addresses, movement, first, last, house.substeps, self._players, *self._arrays, self._contacts
        )
        played = ((last - first) * house.substeps - 0.5) * house.timestep
        if self._data.time < before + played:  # MuJoCo starts again from time 0 when numbers become invalid
            raise WorldError(f"the physics diverged at step {self._step_index}; keep the configuration and report it")

    def state_replaced(self) -> None:
        """Bind to the state: the compiled code uses its addresses."""
        scene, data = self.state.scene, self.state.data
        if self._scene is not scene:
            self._camera = Camera(scene.picture, self.height, self.width, self.fov_y_deg, scene.finish)
            self._poses = Poses(scene)
        self._scene, self._data, self._players = scene, data, self.state.players
        self._object_body = dict(zip((o.id for o in scene.house.objects), scene.object_body.tolist(), strict=True))
        self._addresses = (scene.model._address, data._address)
        hands = (np.zeros(9), np.zeros(1, dtype=np.int32), scene.model.geom_bodyid, FIXED_GROUPS)
        state = (data.qpos, data.qvel, data.qfrc_applied)
        avatars = (scene.avatar_body, scene.avatar_qpos, scene.avatar_dof)
        objects = (
            scene.object_body, scene.object_qpos, scene.object_dof, scene.object_mass, scene.object_inertia,
            scene.object_radius, scene.object_footprint, scene.object_half_height,
        )  # fmt: skip
        self._arrays = (hands, state, avatars, objects)
        self._contacts = (*contact_views(data), scene.geom_owner, self.state.touched)
        self._touches = Touches(scene, data, self.state.touched)
        self._grabs = [Grabs() for _ in PLAYERS]

    def draw(self, player: str, height: int, width: int) -> np.ndarray:
        """Draw what a player sees, between steps, in the size of the observations."""
        number = self._player(player)
        state = self._players[number]
        image = self._camera.draw(
            self._poses.of(self._data, self._players), self._eye(number), float(state[avatar.YAW]),
            float(state[avatar.PITCH]), hide_body=int(self.state.scene.avatar_body[number]),
            see_through=self._seen_through(number),
        )  # fmt: skip
        return self._with_hand(image, number)

    def _seen_through(self, player: int) -> int:
        """Return the body of what a player holds where it is seen through, else -1."""
        held = int(self._players[player, avatar.HELD]) if self.see_through else -1
        return int(self.state.scene.object_body[held]) if held >= 0 else -1

    def _with_hand(self, image: np.ndarray, player: int) -> np.ndarray:
        """Return a picture that a player sees, with its hand, where that is shown and holds something."""
        if self.show_hand and self._players[player, avatar.HELD] != avatar.NOTHING:
            draw_own_hand(image)
        return image

    # -- for people -----------------------------------------------------------------------------------------

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        player = self._player(agent)
        image = self._looking().look(
            self._data, self._players, player, self._eye(player), (height, width), self._seen_through(player)
        )
        return self._with_hand(image, player)

    def view_from(self, angle: str, agent: str, height: int, width: int) -> np.ndarray:
        player, size = self._player(agent), (height, width)
        if angle == "above":
            return self._looking().oversee(self._data, self._players, size)
        if angle == "third":
            return self._looking().follow(self._data, self._players, player, self._eye(player), size)
        raise WorldError(f"playhouse: a view is third or above, not {angle!r}")

    def _looking(self) -> Onlooker:
        if self._onlooker is None or self._onlooker.scene is not self._scene:
            self._onlooker = Onlooker(self.state.scene, self.fov_y_deg)
        return self._onlooker

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        self._check_running()
        first, held = self._tick, [self._held(player) is not None for player in range(len(PLAYERS))]
        super().play_ticks(movement)
        tick = self._step_index * TICKS_PER_STEP + self._tick
        for player, grabs in enumerate(self._grabs):
            hands = self._movement[player, first : self._tick, avatar.HAND]
            if (hands == HAND_GRAB).any():
                grabs.note(tick, held[player], self._held(player), partial(self._why_not_grabbed, player))
            grabs.under_way = len(hands) > 0 and bool(hands[-1] == HAND_GRAB)

    def graspable(self, agent: str) -> str | None:
        found = self.target_under_crosshair(agent)
        return None if found is None else name_of(self.house.objects_by_id[found])

    def last_grab_failure(self, agent: str) -> GrabFailure | None:
        return self._grabs[self._player(agent)].failure

    # -- ground truth ---------------------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable house in which this episode began."""
        return self.house.to_json()

    @property
    def house(self) -> House:
        """The house as it was when the episode began. Raises WorldError before the first reset."""
        self._check_begun()
        return self.state.scene.house

    def avatar(self, agent: str) -> AvatarState:
        """Return the pose of a player and what it holds."""
        player = self._player(agent)
        state = self._players[player]
        held = self._held(player)
        return AvatarState(
            position=np.array([*self._position(player), 0.0]),
            eye=self._eye(player),
            yaw=float(state[avatar.YAW]),
            pitch=float(state[avatar.PITCH]),
            held=held.id if held else None,
            offers=bool(state[avatar.OFFERS]),
        )

    def object_position(self, object_id: str) -> np.ndarray:
        """Return the middle of a loose object: float64 [3], metres."""
        return self._data.xpos[self._object_body[object_id]].copy()

    def object_positions(self) -> dict[str, np.ndarray]:
        """Return the middles of all loose objects by id: float64 [3] each, metres."""
        return {name: self._data.xpos[body].copy() for name, body in self._object_body.items()}

    def door_angles(self) -> np.ndarray:
        """Return the angles to which door leaves are open, in the order of the house's: float64 [leaves], radians."""
        return self._data.qpos[self.state.scene.leaf_qpos]

    def things_in_view(self, agent: str) -> tuple[ThingInView, ...]:
        """Return what is in a player's picture, which is drawn again for this."""
        self.draw(agent, self.height, self.width)
        scene, geoms, eye = self.state.scene, self._camera.geoms(), self._eye(self._player(agent))
        bodies = np.asarray(scene.picture.geom_bodyid)[geoms[geoms >= 0]]
        pixels = np.bincount(bodies, minlength=scene.model.nbody)[scene.object_body]
        return tuple(
            ThingInView(thing.colour, thing.kind, int(count), float(np.linalg.norm(self._data.xpos[body] - eye)))
            for thing, body, count in zip(scene.house.objects, scene.object_body, pixels, strict=True)
            if count
        )

    def target_under_crosshair(self, agent: str) -> str | None:
        """Return the id of the object that a grab by ``agent`` would take now; None while it holds something."""
        player = self._player(agent)
        if self._players[player, avatar.HELD] >= 0:
            return None
        found = ticks.target(*self._addresses, player, self._players, *self._arrays)
        return self.house.objects[found].id if found >= 0 else None

    def in_sight_from(self, eye: np.ndarray, object_id: str, agent: str) -> bool:
        """Return True if nothing hid an object's middle from ``agent`` if its eye were at ``eye``, float64 [3]."""
        ray, own_body = self._arrays[0][0], int(self.state.scene.avatar_body[self._player(agent)])
        ray[:3], ray[3:6] = eye, self.object_position(object_id) - eye
        return ticks.in_sight(*self._addresses, self._arrays[0], own_body, self._object_body[object_id])

    def touching(self, one: str, other: str) -> bool:
        """Return True if two things touch now, at rest or not.

        Args:
          one: id of an object or of furniture, name of a player, or FLOOR.
          other: likewise.
        """
        return self._touches.now(one, other)

    def contacts(self) -> frozenset[tuple[str, str]]:
        """Return all pairs that have touched at any time of the last step, each in both orders.

        Those of :meth:`touching`, without what is asleep: pairs that rest on each other and were not moved.
        """
        return self._touches.in_last_step()

    def inside(self, object_id: str, container_id: str) -> bool:
        """Return True if an object is in a container, which is an object or furniture that holds things.

        Its middle is between the container's sides, above its bottom and below its top, as the container now lies.
        """
        return self._touches.is_inside(object_id, container_id)

    def room_at(self, xy: Sequence[float] | np.ndarray) -> str | None:
        """Return the id of the room whose floor holds (x, y); None outside the house."""
        room = self.house.room_at(float(xy[0]), float(xy[1]))
        return room.id if room else None

    # -- inside ---------------------------------------------------------------------------------------------

    def _why_not_grabbed(self, player: int) -> str:
        state = self._players[player]
        return reason_of_failure(gaze(state[avatar.YAW], state[avatar.PITCH]), self._candidates(player))

    def _candidates(self, player: int) -> Iterator[Candidate]:
        """Yield all loose things as ``player`` sees them."""
        eye, scene = self._eye(player), self.state.scene
        ray, own_body = self._arrays[0][0], int(scene.avatar_body[player])
        for i, thing in enumerate(self.house.objects):
            at = scene.object_qpos[i]
            way = self._data.qpos[at : at + 3] - eye
            holder = next((PLAYERS[p] for p, row in enumerate(self._players) if row[avatar.HELD] == i), None)

            def in_sight(way: np.ndarray = way, body: int = int(scene.object_body[i])) -> bool:
                ray[:3], ray[3:6] = eye, way
                return ticks.in_sight(*self._addresses, self._arrays[0], own_body, body)

            yield Candidate(thing, way, float(scene.object_radius[i]), holder, in_sight)

    def _held(self, player: int) -> Thing | None:
        held = int(self._players[player, avatar.HELD])
        return self.house.objects[held] if held >= 0 else None

    def _kept(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}  # the state's house gives the configuration back

    @staticmethod
    def _player(agent: str) -> int:
        if agent not in PLAYERS:
            raise WorldError(f"no player named {agent!r}; known: {', '.join(PLAYERS)}")
        return PLAYERS.index(agent)

    def _position(self, player: int) -> tuple[float, float]:
        at = self.state.scene.avatar_qpos[player]
        return float(self._data.qpos[at]), float(self._data.qpos[at + 1])

    def _eye(self, player: int) -> np.ndarray:
        return np.array([*self._position(player), avatar.EYE_HEIGHT])
