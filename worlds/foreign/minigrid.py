"""MiniGrid and BabyAI: the meaning of their symbols, the agent's view as a picture, and BabyAI's own bot."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.foreign.pictures import Picture
from worlds.spaces.gym_observation import ObservationTranslation, translate_observation
from worlds.spaces.observation import Image, ObservationSpec

OBJECTS, COLOURS, STATES = 11, 6, 4  # categories of a cell's channels
ACTIONS = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
_UP = 3  # direction of the agent in its own view
_UNSEEN = 0  # object of a cell that is not visible


def is_minigrid(env: Any) -> bool:
    """Return True if ``env`` is one of MiniGrid's or BabyAI's, in their usual symbols."""
    if "minigrid" not in sys.modules:  # its environments have imported it
        return False
    from minigrid.minigrid_env import MiniGridEnv

    return isinstance(getattr(env, "unwrapped", None), MiniGridEnv)


def has_bot(env: Any) -> bool:
    """Return True if BabyAI's bot can play ``env``."""
    if not is_minigrid(env):
        return False
    from minigrid.envs.babyai.core.roomgrid_level import RoomGridLevel

    return isinstance(env.unwrapped, RoomGridLevel)


def symbols(env: Any) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]], dict[str, float]]:
    """Return the names of the actions, the categories of the symbols that are observed, and the action of rest.

    Actions that a wrapper has changed keep their numbers, and symbols that are pictures stay pictures.
    """
    actions = env.unwrapped.actions
    bins: tuple[str, ...] = ()
    neutral: dict[str, float] = {}
    if getattr(env.action_space, "n", None) == len(actions):
        bins, neutral = tuple(action.name for action in actions), {"action": float(actions.done)}
    return bins, {"image": (OBJECTS, COLOURS, STATES)} if _sees_symbols(env) else {}, neutral


def _sees_symbols(env: Any) -> bool:
    """Return True if the agent observes MiniGrid's own encoding of the cells before it."""
    size = env.unwrapped.agent_view_size
    space = getattr(env.observation_space, "spaces", {}).get("image")
    wrappers, inner = set(), env
    while inner is not env.unwrapped:
        wrappers, inner = wrappers | {type(inner).__name__}, inner.env
    drawn = {"RGBImgPartialObsWrapper", "RGBImgObsWrapper", "OneHotPartialObsWrapper", "FullyObsWrapper"} & wrappers
    return space is not None and space.shape == (size, size, 3) and not drawn


def _shows_its_own_view(env: Any) -> bool:
    """Return True if no wrapper can have changed what the environment observes."""
    from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

    inner = env
    while type(inner) in (OrderEnforcing, PassiveEnvChecker, TimeLimit):
        inner = inner.env
    return inner is env.unwrapped


def pictured(env: Any, side: int, without: tuple[str, ...]) -> ObservationTranslation:
    """Return a translation in which the agent's view is a picture instead of symbols.

    The picture is that of MiniGrid's ``RGBImgPartialObsWrapper``, to the last bit, put together of tiles that are drawn
    once.
    """
    cells = env.unwrapped.agent_view_size
    if not _sees_symbols(env):
        raise WorldError("setting picture: a wrapper has changed the agent's view already; leave the setting out")
    if side % cells:
        near = max(cells, round(side / cells) * cells)
        raise WorldError(f"setting picture: {side} pixels do not show {cells} cells evenly; use e.g. {near}")
    rest = translate_observation(env.observation_space, without=("image", *without))
    tiles = Tiles(side // cells, cells)
    spec = ObservationSpec(Image(side, side), None, None, rest.spec.vector, rest.spec.texts)
    return ObservationTranslation(spec, lambda seen: rest.read(seen) | {"image": tiles.draw(seen["image"])})


class Tiles:
    """Pictures of cells, each drawn when it is first seen."""

    def __init__(self, size: int, cells: int) -> None:
        self._size, self._cells = size, cells
        count = OBJECTS * COLOURS * STATES
        self._tiles = np.zeros((2 * count, size, size, 3), np.uint8)
        self._drawn = np.zeros(2 * count, bool)
        self._agent = np.zeros((cells, cells), np.int64)
        self._agent[cells // 2, cells - 1] = count  # the second half of the tiles has the agent on top

    def draw(self, symbols: np.ndarray) -> Picture:
        """Return the picture of symbols, uint8 [column, row, 3], as the agent sees them: uint8 [side, side, 3]."""
        code = (symbols[..., 0].astype(np.int64) * COLOURS + symbols[..., 1]) * STATES + symbols[..., 2] + self._agent
        if not self._drawn[code].all():
            for column, row in np.argwhere(~self._drawn[code]):
                self._tiles[code[column, row]] = self._tile(symbols[column, row], bool(self._agent[column, row]))
            self._drawn[code] = True
        side = self._cells * self._size
        return self._tiles[code].transpose(1, 2, 0, 3, 4).reshape(side, side, 3)

    def _tile(self, symbol: np.ndarray, agent: bool) -> Picture:
        from minigrid.core.grid import Grid
        from minigrid.core.world_object import WorldObj

        cell, seen = WorldObj.decode(*symbol.tolist()), bool(symbol[0])
        return Grid.render_tile(cell, _UP if agent else None, highlight=seen, tile_size=self._size)


class BabyAIBot:
    """BabyAI's own bot, which plans on the environment's state and takes what was done into account.

    Before it plans, the bot computes which cells are visible, and notes them one by one. The environment has just
    computed the same for its observation, so that the bot is given what that shows.
    """

    def __init__(self, env: Any, observed: Callable[[], Mapping[str, Any]]) -> None:
        from minigrid.utils.baby_ai_bot import BabyAIBot as Bot

        self._env, self._observed = env.unwrapped, observed
        self._bot: Any = Bot(self._env)
        if _shows_its_own_view(env):
            self._offsets = _view_offsets(self._env.agent_view_size)
            self._bot._process_obs = self._note_visible
        self._did: Any = None

    def _note_visible(self) -> None:
        """Note the cells that the observation shows, as the bot's own method does."""
        seen = self._bot.vis_mask
        is_visible = self._observed()["image"][..., 0] != _UNSEEN
        cells = self._offsets[self._env.agent_dir][is_visible] + self._env.agent_pos
        x, y = cells[((cells >= 0) & (cells < seen.shape)).all(axis=1)].T
        seen[x, y] = True

    def advise(self) -> Any:
        """Return the action that follows the plan; None once mistakes have left the bot without one."""
        try:
            return int(self._bot.replan(self._did))
        except Exception:  # its assertions, and errors of its own
            return None

    def did(self, action: Any) -> None:
        """Take note of the action that is played instead or as advised."""
        self._did = action

    def avoided(self) -> tuple[str, ...]:
        """Return the names of the actions that a mistake is not: a box that is opened is gone, and so is the plan."""
        ahead = self._env.grid.get(*self._env.front_pos)
        return ("done", "toggle") if ahead is not None and ahead.type == "box" else ("done",)


@lru_cache(maxsize=8)
def _view_offsets(size: int) -> np.ndarray:
    """Return the way from an agent to every cell of its view, by its direction: int64 [4, column, row, x and y]."""
    from minigrid.core.constants import DIR_TO_VEC

    right, ahead = np.arange(size) - size // 2, size - 1 - np.arange(size)
    return np.stack(
        [
            np.stack(np.broadcast_arrays(ahead * x - right[:, None] * y, ahead * y + right[:, None] * x), axis=-1)
            for x, y in DIR_TO_VEC
        ]
    )


def quiet() -> None:
    """Keep BabyAI from printing a line for every layout that it rejects."""
    from minigrid.envs.babyai.core import roomgrid_level

    roomgrid_level.__dict__["print"] = logging.getLogger("minigrid").debug
