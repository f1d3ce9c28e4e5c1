"""The Playhouse: two players who walk, look, handle things and talk in a house of up to five rooms."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mujoco
import numpy as np

from worlds.contract import (
    HAND_GRAB,
    MOVEMENT,
    SETTER,
    SOLVER,
    TICKS_PER_STEP,
    UTTERANCE_MAX_CHARS,
    Action,
    GrabFailure,
    Observation,
    StepResult,
    World,
    WorldError,
    action_space,
    neutral_movement,
    observation_space,
)
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.drawing.onlooker import Onlooker
from worlds.playhouse.house.record import House, Thing
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics import avatar
from worlds.playhouse.physics.grabbing import Candidate, Grabs, gaze, name_of, reason_of_failure
from worlds.playhouse.physics.scene import FIXED_GROUPS, Scene, scene_of

AGENTS: tuple[str, ...] = (SETTER, SOLVER)
EPISODE_STEPS = 1125  # five minutes
_MOVEMENT_SHAPE = (TICKS_PER_STEP, len(MOVEMENT))
_STILL = neutral_movement()


@dataclass(frozen=True, eq=False)
class AvatarState:
    """Ground truth of one player, for scripted players and success checks.

    Args:
      position: float64 [3], the foot point on the floor; eye: float64 [3], where it sees from; metres.
      yaw: radians, 0 along +x, counter-clockwise. pitch: radians, up positive.
      held: id of the object in hand, or None.
    """

    position: np.ndarray
    eye: np.ndarray
    yaw: float
    pitch: float
    held: str | None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that influences the future of one Playhouse; in-process only."""

    scene: Scene
    data: mujoco.MjData
    players: np.ndarray
    texts: dict[str, str]
    previous: dict[str, np.ndarray]
    step_index: int
    agents: list[str]


class Playhouse(World):
    """A simulated house.

    Args:
      height, width: of the players' images in pixels.
      views: players whose view is drawn; the others' images are black, which saves time.
      settings: what houses are sampled from when no configuration is given, as HouseSettings or by name.
      max_steps: length of an episode.
      fov_y_deg: vertical field of view in degrees; a narrower one shows things larger in a small image.

    Raises:
      WorldError: a setting that no house or image can satisfy.
    """

    _scene: Scene  # set by the first reset, like the rest of the episode's state
    metadata = {"name": "playhouse", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"

    def __init__(
        self,
        height: int = 72,
        width: int = 96,
        views: Sequence[str] = (SOLVER,),
        settings: HouseSettings | Mapping[str, Any] | None = None,
        max_steps: int = EPISODE_STEPS,
        fov_y_deg: float = 75.0,
    ) -> None:
        self.height, self.width, self.max_steps = _positive(height=height, width=width, max_steps=max_steps)
        unknown = next((v for v in views if v not in AGENTS), None)
        if unknown is not None or isinstance(views, str):
            raise WorldError(f"setting views: {unknown or views!r} is no list of players; known: {', '.join(AGENTS)}")
        self.views = tuple(views)
        self.settings = settings if isinstance(settings, HouseSettings) else HouseSettings.of(**(settings or {}))
        self.agents: list[str] = []
        self._spaces = {a: (observation_space(height, width), action_space()) for a in AGENTS}
        self._house_seeds = np.random.default_rng()
        self.fov_y_deg = float(fov_y_deg)
        self._movement = np.zeros((len(AGENTS), *_MOVEMENT_SHAPE), np.int64)  # of the present step, as far as known
        self._tick = 0  # ticks of the present step that have been played
        self._onlooker: Onlooker | None = None

    def observation_space(self, agent: str) -> Any:
        """Space of a player's observations."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        """Space of a player's actions."""
        return self._spaces[agent][1]

    # -- play -----------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        """Begin an episode in the house of ``options["config"]``, else in the house sampled from ``seed``.

        Raises:
          WorldError: the configuration is damaged or of a house that cannot be.
        """
        if seed is not None:
            self._house_seeds = np.random.default_rng(seed)
        config = (options or {}).get("config")
        if config is not None:
            house = House.from_json(config)
        else:
            house_seed = int(self._house_seeds.integers(2**31)) if seed is None else seed
            house = sample_house(house_seed, self.settings)
        self._enter(scene_of(house))
        return {a: self._observe(a) for a in AGENTS}, {a: {} for a in AGENTS}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play eight ticks. A player without an action stands still and keeps silent.

        Raises:
          WorldError: the episode is over, or an action is not one.
        """
        self._check_running()
        self._check_whole("step")
        given = {agent: action for agent, action in actions.items() if action is not None}
        movement = self._read_movement({a: action["movement"] for a, action in given.items()}, TICKS_PER_STEP)
        said = self._read_utterances({a: action.get("utterance", "") for a, action in given.items()})
        self._play(movement)
        return self._end_step(said)

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        """See :meth:`worlds.contract.TickWise.play_ticks`."""
        self._check_running()
        ticks = max((len(np.atleast_1d(bins)) for bins in movement.values()), default=0)
        left = TICKS_PER_STEP - self._tick
        if ticks > left:
            raise WorldError(f"a movement has {ticks} ticks, {left} are left of the step; end_step() comes before more")
        held = self._players[:, avatar.HELD] >= 0
        self._play(self._read_movement(movement, ticks))
        self._note_grabs(ticks, held)

    def end_step(self, utterances: Mapping[str, str]) -> StepResult:
        """See :meth:`worlds.contract.TickWise.end_step`."""
        if self._tick < TICKS_PER_STEP:
            raise WorldError(f"{TICKS_PER_STEP - self._tick} ticks of the step are left; play them, then end it")
        return self._end_step(self._read_utterances(utterances))

    def _play(self, movement: np.ndarray) -> None:
        """Play the next ticks of the step: int64 [players, ticks, components]."""
        first, last = self._tick, self._tick + movement.shape[1]
        if first == last:
            return
        self._movement[:, first:last] = movement
        before = self._data.time
        avatar.advance(*self._addresses, self._movement, first, last, self._players, *self._arrays)
        if self._data.time <= before:  # MuJoCo starts anew from time 0 when numbers become invalid
            raise WorldError(f"the physics diverged at step {self._step_index}; keep the configuration and report it")
        self._tick = last

    def _end_step(self, said: Mapping[str, str]) -> StepResult:
        self._step_index += 1
        self._tick = 0
        for player, agent in enumerate(AGENTS):
            self._previous[agent] = self._movement[player].astype(np.int8)
            self._texts[agent] = said.get(agent, "") or self._texts[agent]
        over = self._step_index >= self.max_steps
        agents = self.agents
        if over:
            self.agents = []
        return (
            {a: self._observe(a) for a in agents},
            dict.fromkeys(agents, 0.0),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, over),
            {a: {} for a in agents},
        )

    def render(self) -> np.ndarray:
        """The solver's view: uint8 [height, width, 3]. Raises WorldError before the first reset."""
        if not hasattr(self, "_scene"):
            raise WorldError("nothing to draw yet; call reset()")
        return self._draw(SOLVER)

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        """See :meth:`worlds.contract.TickWise.view`."""
        player = self._player(agent)
        if self._onlooker is None or self._onlooker.scene is not self._scene:
            self._onlooker = Onlooker(self._scene, self.fov_y_deg)
        gaze = float(self._players[player, avatar.YAW]), float(self._players[player, avatar.PITCH])
        return self._onlooker.look(self._data, player, self._eye(player), gaze, (height, width))

    def close(self) -> None:
        """Nothing to release."""

    # -- time travel ----------------------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable house in which this episode began."""
        return self.house.to_json()

    @property
    def step_index(self) -> int:
        """Number of steps taken since the reset."""
        return self._step_index

    def snapshot(self) -> Snapshot:
        """A copy of everything that influences the future. Raises WorldError in the middle of a step."""
        self._check_whole("snapshot")
        return Snapshot(
            self._scene, copy.copy(self._data), self._players.copy(), dict(self._texts),
            {a: m.copy() for a, m in self._previous.items()}, self._step_index, list(self.agents),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> dict[str, Observation]:
        """Go back to a snapshot of this or of another Playhouse of this process."""
        self._use(snapshot.scene, copy.copy(snapshot.data))
        self._players = snapshot.players.copy()
        self._texts = dict(snapshot.texts)
        self._previous = {a: m.copy() for a, m in snapshot.previous.items()}
        self._step_index, self._tick, self.agents = snapshot.step_index, 0, list(snapshot.agents)
        self._grabs = [Grabs() for _ in AGENTS]
        return {a: self._observe(a) for a in AGENTS}

    # -- ground truth ---------------------------------------------------------------------------------------

    @property
    def house(self) -> House:
        """The house as it was when the episode began. Raises WorldError before the first reset."""
        if not hasattr(self, "_scene"):
            raise WorldError("the Playhouse has no house yet; call reset()")
        return self._scene.house

    def avatar(self, agent: str) -> AvatarState:
        """Where a player is, where it looks, what it holds."""
        player = self._player(agent)
        state = self._players[player]
        held = self._held(player)
        return AvatarState(
            position=np.array([*self._position(player), 0.0]),
            eye=self._eye(player),
            yaw=float(state[avatar.YAW]),
            pitch=float(state[avatar.PITCH]),
            held=held.id if held else None,
        )

    def object_position(self, object_id: str) -> np.ndarray:
        """Middle of a loose object: float64 [3], metres."""
        return self._data.xpos[self._object_body[object_id]].copy()

    def object_positions(self) -> dict[str, np.ndarray]:
        """Middles of all loose objects by id."""
        return {name: self._data.xpos[body].copy() for name, body in self._object_body.items()}

    def target_under_crosshair(self, agent: str) -> str | None:
        """The object that a grab by ``agent`` would take now; None while it holds something."""
        player = self._player(agent)
        if self._players[player, avatar.HELD] >= 0:
            return None
        found = avatar.target(*self._addresses, player, self._players, *self._arrays)
        return self.house.objects[found].id if found >= 0 else None

    def graspable(self, agent: str) -> str | None:
        """See :meth:`worlds.contract.GrabHints.graspable`."""
        found = self.target_under_crosshair(agent)
        return None if found is None else name_of(self.house.objects_by_id[found])

    def last_grab_failure(self, agent: str) -> GrabFailure | None:
        """See :meth:`worlds.contract.GrabHints.last_grab_failure`."""
        return self._grabs[self._player(agent)].failure

    def room_at(self, xy: Sequence[float] | np.ndarray) -> str | None:
        """Id of the room whose floor holds (x, y); None outside the house."""
        room = self.house.room_at(float(xy[0]), float(xy[1]))
        return room.id if room else None

    # -- inside ---------------------------------------------------------------------------------------------

    def _note_grabs(self, ticks: int, held: np.ndarray) -> None:
        """Note the grabs of the last ``ticks``; ``held`` bool [players]: with something in hand before them."""
        tick = self._step_index * TICKS_PER_STEP + self._tick
        for player, grabs in enumerate(self._grabs):
            hands = self._movement[player, self._tick - ticks : self._tick, avatar.HAND]
            if (hands == HAND_GRAB).any():
                grabs.note(tick, bool(held[player]), self._held(player), partial(self._why_not_grabbed, player))
            grabs.under_way = ticks > 0 and bool(hands[-1] == HAND_GRAB)

    def _why_not_grabbed(self, player: int) -> str:
        state = self._players[player]
        return reason_of_failure(gaze(state[avatar.YAW], state[avatar.PITCH]), self._candidates(player))

    def _candidates(self, player: int) -> Iterator[Candidate]:
        """All loose things as ``player`` sees them."""
        eye, scene = self._eye(player), self._scene
        ray, own_body = self._arrays[0][0], int(scene.avatar_body[player])
        for i, thing in enumerate(self.house.objects):
            at = scene.object_qpos[i]
            way = self._data.qpos[at : at + 3] - eye
            holder = next((AGENTS[p] for p, row in enumerate(self._players) if row[avatar.HELD] == i), None)

            def in_sight(way: np.ndarray = way, body: int = int(scene.object_body[i])) -> bool:
                ray[:3], ray[3:6] = eye, way
                return avatar.in_sight(*self._addresses, self._arrays[0], own_body, body)

            yield Candidate(thing, way, float(scene.object_radius[i]), holder, in_sight)

    def _held(self, player: int) -> Thing | None:
        held = int(self._players[player, avatar.HELD])
        return self.house.objects[held] if held >= 0 else None

    def _enter(self, scene: Scene) -> None:
        """Begin at the beginning of a scene, with nothing left of what was played before."""
        self._use(scene, mujoco.MjData(scene.model))
        self._players = np.zeros((len(AGENTS), avatar.PLAYER_STATE))
        self._players[:, avatar.HELD] = avatar.NOTHING
        for player, agent in enumerate(AGENTS):
            yaw = scene.house.start(agent).yaw
            self._players[player, avatar.YAW] = yaw
            self._data.qpos[scene.avatar_qpos[player] + 2] = yaw
        mujoco.mj_forward(scene.model, self._data)
        self._texts = dict.fromkeys(AGENTS, "")
        self._previous = {agent: neutral_movement() for agent in AGENTS}
        self._step_index, self._tick, self.agents = 0, 0, list(AGENTS)
        self._grabs = [Grabs() for _ in AGENTS]

    def _use(self, scene: Scene, data: mujoco.MjData) -> None:
        """Bind to a scene and its state; everything that depends on their addresses is made anew."""
        if getattr(self, "_scene", None) is not scene:
            self._camera = Camera(scene.model, self.height, self.width, self.fov_y_deg)
        self._scene, self._data = scene, data
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

    def _read_movement(self, movement: Mapping[str, Any], ticks: int) -> np.ndarray:
        """Checked movement of the next ``ticks``: int64 [players, ticks, components]; who has none stands still."""
        read = np.empty((len(AGENTS), ticks, len(MOVEMENT)), dtype=np.int64)
        for player, agent in enumerate(AGENTS):
            bins = np.asarray(movement.get(agent, _STILL[:ticks]))
            if bins.shape != read.shape[1:] or bins.dtype.kind not in "iu":
                shape = f"{bins.dtype} {list(bins.shape)}"
                raise WorldError(f"action of the {agent}: movement is {shape}; give integers {list(read.shape[1:])}")
            read[player] = bins
        player, tick, part = avatar.find_bad_movement(read)
        if player >= 0:
            what = f"{MOVEMENT[part].name} is {read[player, tick, part]} at tick {self._tick + tick}"
            raise WorldError(f"action of the {AGENTS[player]}: {what}; bins are 0..{len(MOVEMENT[part].values) - 1}")
        return read

    @staticmethod
    def _read_utterances(utterances: Mapping[str, Any]) -> dict[str, str]:
        """What each player says, checked and cut to length."""
        for agent, words in utterances.items():
            if not isinstance(words, str):
                raise WorldError(f"action of the {agent}: utterance is a {type(words).__name__}; give text")
        return {agent: words[:UTTERANCE_MAX_CHARS] for agent, words in utterances.items()}

    def _check_running(self) -> None:
        if not self.agents:
            raise WorldError("the episode is over or has not begun; call reset()")

    def _check_whole(self, call: str) -> None:
        if self._tick:
            raise WorldError(f"{self._tick} ticks of a step have been played; end_step() comes before {call}()")

    @staticmethod
    def _player(agent: str) -> int:
        if agent not in AGENTS:
            raise WorldError(f"no player named {agent!r}; known: {', '.join(AGENTS)}")
        return AGENTS.index(agent)

    def _position(self, player: int) -> tuple[float, float]:
        at = self._scene.avatar_qpos[player]
        return float(self._data.qpos[at]), float(self._data.qpos[at + 1])

    def _eye(self, player: int) -> np.ndarray:
        return np.array([*self._position(player), avatar.EYE_HEIGHT])

    def _observe(self, agent: str) -> Observation:
        return {
            "image": self._draw(agent) if agent in self.views else np.zeros((self.height, self.width, 3), np.uint8),
            "setter_text": self._texts[SETTER],
            "solver_text": self._texts[SOLVER],
            "previous_movement": self._previous[agent],
        }

    def _draw(self, agent: str) -> np.ndarray:
        """What a player sees, in an array that is the caller's own."""
        player = self._player(agent)
        state = self._players[player]
        return self._camera.draw(
            self._data, self._eye(player), float(state[avatar.YAW]), float(state[avatar.PITCH]),
            hide_body=int(self._scene.avatar_body[player]),
        )  # fmt: skip


def _positive(**settings: int) -> list[int]:
    """The values, checked. Raises WorldError naming the first that is not a whole number above zero."""
    for name, value in settings.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise WorldError(f"setting {name}: {value!r} is not a whole number above zero")
    return list(settings.values())
