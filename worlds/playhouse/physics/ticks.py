"""One compiled pass over the ticks of a step, physics included, without the interpreter and its lock.

Numba's cache on disk does not notice changes in other files than the compiled function's own. So only the entry points
of this file are cached, and a digest of the files that they are compiled from is part of the cache's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

from worlds.contract import TICKS_PER_SECOND, TICKS_PER_STEP
from worlds.playhouse.physics.avatar import HELD, TILT
from worlds.playhouse.physics.engine import mj_kinematics, mj_step
from worlds.playhouse.physics.kernels import aiming
from worlds.playhouse.physics.kernels.contacts import note_contacts
from worlds.playhouse.physics.kernels.holding import steer_held, use_hand
from worlds.playhouse.physics.kernels.walking import drive, limit_speeds, look, walk

_cached = njit(nogil=True, cache=True, error_model="numpy")


def digest_of(folder: Path) -> str:
    """Return a digest of the files from which the entry points in ``folder`` are compiled."""
    digest = hashlib.sha256()
    for path in (folder / "avatar.py", folder / "engine.py", *sorted((folder / "kernels").glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def entry_points(digest: str) -> tuple[Callable[..., None], Callable[..., int], Callable[..., bool]]:
    """Return ``advance``, ``target`` and ``in_sight``; numba's cache has ``digest`` in its key, as all enclose it."""

    @_cached
    def advance(model, data, movement, first, last, substeps, players, hands, state, avatars, objects, contacts):
        """Play ticks ``first`` to before ``last`` of a step: control and physics.

        A step played in parts ends in the same bits as one played at once. So positions that depend on the joints'
        are brought up to date at the end of the step only: in its middle rays meet things where the last physics step
        began.

        Args:
          model: address of the MuJoCo model.
          data: address of the MuJoCo data.
          movement: int64 [players, TICKS_PER_STEP, components], checked bins.
          first: first tick.
          last: tick after the last one.
          substeps: physics steps of a tick.
          players: float64 [players, PLAYER_STATE], changed in place.
          hands: scratch, see :func:`worlds.playhouse.physics.kernels.aiming.target`.
          state: (qpos, qvel, qfrc_applied), views into data.
          avatars: (body, qpos, dof), each int64 [players].
          objects: (body, qpos, dof, mass, inertia, radius, footprint, half_height), of the scene.
          contacts: see :func:`worlds.playhouse.physics.kernels.contacts.note_contacts`.
        """
        _ = digest
        if first == 0:
            contacts[3][:] = 0
        wanted, timestep = np.zeros((players.shape[0], 2)), 1.0 / (TICKS_PER_SECOND * substeps)
        for tick in range(first, last):
            for p in range(players.shape[0]):
                look(players[p], movement[p, tick])
                walk(players[p], movement[p, tick], wanted[p])
                use_hand(model, data, p, movement[p, tick], players, hands, state, avatars, objects)
            for _ in range(substeps):
                for p in range(players.shape[0]):
                    drive(players[p], p, wanted[p], timestep, state, avatars)
                    if players[p, HELD] >= 0:
                        steer_held(players[p], p, timestep, state, avatars, objects, movement.shape[2] > TILT)
                mj_step(model, data)
                note_contacts(contacts)
                limit_speeds(state[1], objects[2])
        if last == TICKS_PER_STEP:
            mj_kinematics(model, data)

    @_cached
    def target(model, data, p, players, hands, state, avatars, objects):
        _ = digest
        return aiming.target(model, data, p, players, hands, state, avatars, objects)

    @_cached
    def in_sight(model, data, hands, own_body, body):
        _ = digest
        return aiming.in_sight(model, data, hands, own_body, body)

    return advance, target, in_sight


advance, target, in_sight = entry_points(digest_of(Path(__file__).parent))
