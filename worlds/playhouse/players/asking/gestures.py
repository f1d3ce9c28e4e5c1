"""Where a setter looks and goes when it asks: at what it speaks of, to it, and towards who is to hand it something."""

from __future__ import annotations

import numpy as np

from worlds.contract import SOLVER, TaskSpec
from worlds.playhouse.games.topics import depends_on_setter, things_of
from worlds.playhouse.players.asking.settings import SetterSettings
from worlds.playhouse.players.body import Body, toward
from worlds.playhouse.requests.ground_truth import distance

BESIDE = 2.2  # metres from what it speaks of at which a setter stops, out of the solver's way
HAND_OVER = "hand over"
LONGEST = 60  # steps that it spends on the way


class Gestures:
    """Movements of a setter that belong to its present request.

    Args:
      settings: the setter's settings; ``face``, ``accompany`` and ``hold_out`` decide.
      rng: of the gestures only.
    """

    def __init__(self, body: Body, settings: SetterSettings, rng: np.random.Generator) -> None:
        self._body, self._settings, self._rng = body, settings, rng
        self._looks_at: str | None = None
        self._left_to_walk = 0
        self._hand_out: tuple[str, ...] = ()

    def asked(self, spec: TaskSpec) -> None:
        """Choose the gestures of a request; what its meaning hangs on, such as the place of its setter, stays."""
        faces, goes, offers = self._rng.random(3) < (
            self._settings.face,
            self._settings.accompany,
            self._settings.hold_out,
        )
        things = self._body.world.object_positions()
        named = [i for i in things_of(spec.arguments) if i in things]
        self._looks_at, self._left_to_walk, self._hand_out = None, 0, ()
        if spec.name == HAND_OVER and offers:
            self._hand_out = tuple(named)
        elif named and (faces or goes) and not depends_on_setter(spec):
            self._looks_at, self._left_to_walk = named[0], LONGEST if goes else 0

    def ended(self) -> None:
        """Take note that nothing is asked for any more."""
        self._looks_at, self._hand_out = None, ()

    def move(self) -> np.ndarray | None:
        """Return the movement of this step; None where nothing is to be shown."""
        if self._hand_out:
            return self._meet_solver()
        if self._looks_at is None:
            return None
        at, me = self._body.where(self._looks_at), self._body.me
        near = distance(me.position, at) <= BESIDE and self._body.same_room(self._looks_at)
        if self._left_to_walk > 0 and not near:
            route = self._body.plan.route(me.position, at, BESIDE, self._body.obstacles())
            self._left_to_walk = 0 if route is None else self._left_to_walk - 1
            if route is not None:
                return self._body.move(self._body.along(route))
        self._left_to_walk = 0
        return self._body.move(toward(at, None))

    def _meet_solver(self) -> np.ndarray | None:
        """Turn to the solver once it has what is wanted, and stay where it is to be brought."""
        solver = self._body.world.avatar(SOLVER)
        if solver.held not in self._hand_out:
            return None
        return self._body.move(toward(solver.eye, None))
