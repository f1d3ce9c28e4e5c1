"""Ways for one who carries something: where to walk and where to turn, so that what is in hand meets nothing.

A pose is a cell of the floor plan and one of 16 headings. What is in hand is an upright cylinder ahead of the walker; a
pose costs more the farther the cylinder reaches into walls, high furniture, tall things or the other player. Nothing is
forbidden to it: a narrow way is better than none.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from worlds.playhouse.house.record import House
from worlds.playhouse.navigation.floor_plan import CELL, NO_DISCS, FloorPlan
from worlds.playhouse.physics.avatar import TURN_RATE, WALK_SPEED
from worlds.playhouse.physics.shell import walls

TURN, AHEAD, BACK, LEFT, RIGHT = range(5)  # kinds of legs
NO_GOAL, ANY_HEADING = -1, -2
ROOMY = 0.05  # metres beyond the cylinder within which a pose costs more
SOFT, HARD = 5.0, 300.0  # cost of a metre that the cylinder reaches into something, and of one that its core does
HIDDEN = 60.0  # cost of a wall between the walker and what is in hand
BETWEEN = (0.45, 0.75)  # shares of the arm that are looked at for walls
DEARER = (1.0, 1.0, 1.5, 3.0, 3.0)  # times as dear as a walk ahead, by kind: one does not look where one goes
SLACK = 0.3  # by which a straight walk may cost more than the way that it cuts short
_AHEAD = np.array(
    [
        (1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (-1, 2), (-1, 1), (-2, 1),
        (-1, 0), (-2, -1), (-1, -1), (-1, -2), (0, -1), (1, -2), (1, -1), (2, -1),
    ]
)  # fmt: skip
HEADINGS = len(_AHEAD)
_ANGLES = np.arctan2(_AHEAD[:, 1], _AHEAD[:, 0])  # rad, by heading
_HALF_TURNED = (np.roll(_ANGLES, -1) - _ANGLES) % (2 * math.pi) / 2  # rad, from each heading half-way to the next
_ALL_ANGLES = np.stack([_ANGLES, _ANGLES + _HALF_TURNED], axis=1).reshape(-1)  # rad, with those half-way


@dataclass(frozen=True)
class Load:
    """What is carried.

    Args:
      radius: metres, of the upright cylinder that it fits in.
      core: metres, of the upright cylinder that fits in it.
      bottom: metres over the floor.
      top: metres over the floor.
      ahead: metres from the walker's axis to its middle.
    """

    radius: float
    core: float
    bottom: float
    top: float
    ahead: float


@dataclass(frozen=True)
class Leg:
    """A part of a way: a turn, or a straight walk.

    Args:
      kind: TURN, AHEAD, BACK, LEFT or RIGHT; the last three look along ``yaw`` all the while.
      x: where it ends, metres.
      y: where it ends, metres.
      yaw: heading at its end, radians.
    """

    kind: int
    x: float
    y: float
    yaw: float


Goal = tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray | None]  # where to stand, what to face


class CarryingPlan:
    """Ways through one house for those who carry something."""

    def __init__(self, house: House, plan: FloorPlan) -> None:
        self._house, self._plan = house, plan

    def way(
        self,
        start: Sequence[float],
        load: Load,
        goals: Sequence[Goal],
        discs: np.ndarray = NO_DISCS,
        posts: np.ndarray = NO_DISCS,
    ) -> list[Leg] | None:
        """Return the cheapest way to one of some goals; None if there is none.

        Args:
          start: x, y and yaw.
          load: what is in hand.
          goals: where to stand and what to face there.
          discs: float64 [N, 3], loose things that are better not walked through.
          posts: float64 [N, 3], likewise what the load had better not meet: x, y, radius.
        """
        cost = self._plan.costs(discs)
        wanted = np.full(cost.shape, NO_GOAL, dtype=np.int64)
        cells = [self._plan.cell_at(*spot[:2]) for spot, _ in goals]
        for cell, (_, facing) in zip(cells, goals, strict=True):
            if cell is not None and np.isfinite(cost[cell]):
                wanted[cell] = ANY_HEADING if facing is None else self._heading(cell, facing)
        rows, columns = np.nonzero(wanted != NO_GOAL)
        if len(rows) == 0:
            return None
        middle = np.array([rows.mean(), columns.mean()])
        within = float(np.hypot(rows - middle[0], columns - middle[1]).max())
        penalty = self._penalties(cost.shape, load, posts)
        first = (*self._plan.nearest_free(float(start[0]), float(start[1])), nearest_heading(float(start[2])))
        poses, kinds = _search(cost, penalty, _AHEAD, first, wanted, middle, within)
        return None if len(poses) == 0 else self._legs(cost, penalty, poses, kinds)

    def _heading(self, cell: tuple[int, int], facing: Sequence[float] | np.ndarray) -> int:
        x, y = self._plan.middle_of(cell)
        return nearest_heading(math.atan2(float(facing[1]) - y, float(facing[0]) - x))

    def _penalties(self, shape: tuple[int, int], load: Load, posts: np.ndarray) -> np.ndarray:
        """What the load adds to the cost of each pose, also half-way between headings: float64 [2 * HEADINGS, rows,
        columns].
        """
        blocks = list(walls(self._house))
        for piece in self._house.furniture:
            if piece.spec.height > load.bottom and piece.spec.bottom < load.top:
                (hx, hy), x, y = piece.half, piece.x, piece.y
                blocks.append((x - hx, y - hy, x + hx, y + hy))
        gaps = _gaps(shape, *self._plan.middle_of((0, 0)), np.array(blocks), posts)
        return _penalties(gaps, _ALL_ANGLES, load.ahead / CELL, load.radius, load.core)

    def _legs(self, cost: np.ndarray, penalty: np.ndarray, poses: np.ndarray, kinds: np.ndarray) -> list[Leg]:
        """The way in as few legs as cost about as little."""
        legs, at = [], 0
        while at < len(poses) - 1:
            to, kind = int(_straight_to(cost, penalty, _ANGLES, poses, kinds, at)), AHEAD
            if to == at:
                kind, to = int(kinds[at + 1]), at + 1
                most = at + 4 if kind == TURN else len(poses) - 1
                while to < most and to < len(poses) - 1 and kinds[to + 1] == kind and _goes_on(poses, at, to, kind):
                    to += 1
            row, column, heading = poses[to]
            legs.append(Leg(kind, *self._plan.middle_of((int(row), int(column))), float(_ANGLES[heading])))
            at = to
        return legs


def nearest_heading(yaw: float) -> int:
    """Return the heading nearest to a yaw (rad)."""
    off = (_ANGLES - yaw + math.pi) % (2 * math.pi) - math.pi
    return int(np.argmin(np.abs(off)))


def _goes_on(poses: np.ndarray, at: int, to: int, kind: int) -> bool:
    """Return True if the next pose but one turns to the same side, or walks in the same direction."""
    if kind != TURN:
        return poses[to + 1][2] == poses[at][2]
    return (poses[to + 1][2] - poses[to][2]) % HEADINGS == (poses[at + 1][2] - poses[at][2]) % HEADINGS


@njit(cache=True)
def _gaps(shape, x0, y0, blocks, posts):
    """Metres from the middle of each cell to the nearest block [N, 4] or post [N, 3]: float64 [rows, columns]."""
    gaps = np.full(shape, 9.0)
    for row in range(shape[0]):
        for column in range(shape[1]):
            x, y, least = x0 + column * CELL, y0 + row * CELL, 9.0
            for i in range(len(blocks)):
                dx = max(blocks[i, 0] - x, x - blocks[i, 2], 0.0)
                dy = max(blocks[i, 1] - y, y - blocks[i, 3], 0.0)
                least = min(least, math.hypot(dx, dy))
            for i in range(len(posts)):
                least = min(least, max(math.hypot(posts[i, 0] - x, posts[i, 1] - y) - posts[i, 2], 0.0))
            gaps[row, column] = least
    return gaps


@njit(cache=True)
def _penalties(gaps, angles, ahead, radius, core):
    rows, columns = gaps.shape
    found = np.zeros((len(angles), rows, columns))
    for heading in range(len(angles)):
        c, s = math.cos(angles[heading]), math.sin(angles[heading])
        for row in range(rows):
            for column in range(columns):
                gap = _gap_at(gaps, row + ahead * s, column + ahead * c)
                cost = SOFT * max(radius + ROOMY - gap, 0.0) + HARD * max(core - gap, 0.0)
                for share in BETWEEN:
                    if _gap_at(gaps, row + share * ahead * s, column + share * ahead * c) < 0.02:
                        cost += HIDDEN
                found[heading, row, column] = cost
    return found


@njit(cache=True)
def _gap_at(gaps, row, column):
    r, c = int(math.floor(row + 0.5)), int(math.floor(column + 0.5))
    return gaps[r, c] if 0 <= r < gaps.shape[0] and 0 <= c < gaps.shape[1] else 0.0


@njit(cache=True)
def _search(cost, penalty, ahead, start, wanted, middle, within):
    """Poses (row, column, heading) from start to a wanted one, int64 [K, 3], and the kinds of move that lead to them.

    Costs are seconds, times what their poses cost. Both results are empty if there is no way.
    """
    rows, columns = cost.shape
    headings = len(ahead)
    count = rows * columns * headings
    spent, parent = np.full(count, np.inf), np.full(count, -1, dtype=np.int64)
    by, closed = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.bool_)
    turning = 2 * math.pi / headings / TURN_RATE
    first = (start[2] * rows + start[0]) * columns + start[1]
    spent[first] = 0.0
    heap = [(0.0, first)]
    while len(heap) > 0:
        _, pose = heapq.heappop(heap)
        if closed[pose]:
            continue
        closed[pose] = True
        column, rest = pose % columns, pose // columns
        row, heading = rest % rows, rest // rows
        if wanted[row, column] == heading or wanted[row, column] == ANY_HEADING:
            return _trace(parent, by, pose, rows, columns)
        here = cost[row, column] + penalty[2 * heading, row, column]
        for kind in range(TURN, RIGHT + 2):  # the last is the other turn
            r, c, h, seconds, between = row, column, heading, turning, 0.0
            if kind == TURN:
                h = (heading + 1) % headings
                between = penalty[2 * heading + 1, r, c]
            elif kind > RIGHT:
                h = (heading - 1) % headings
                between = penalty[2 * h + 1, r, c]
            else:
                side = (0, 0, headings // 2, headings // 4, -headings // 4)[kind]
                way = ahead[(heading + side) % headings]
                r, c = row + way[1], column + way[0]
                if r < 0 or c < 0 or r >= rows or c >= columns or not np.isfinite(cost[r, c]):
                    continue
                if not (np.isfinite(cost[row, c]) and np.isfinite(cost[r, column])):
                    continue
                seconds = CELL * math.hypot(way[0], way[1]) / WALK_SPEED * DEARER[kind]
            total = spent[pose] + seconds * (0.5 * (here + cost[r, c] + penalty[2 * h, r, c]) + between)
            other = (h * rows + r) * columns + c
            if total < spent[other]:
                spent[other], parent[other], by[other] = total, pose, TURN if kind > RIGHT else kind
                left = max(math.hypot(middle[0] - r, middle[1] - c) - within, 0.0) * CELL / WALK_SPEED
                heapq.heappush(heap, (total + left, other))
    return np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64)


@njit(cache=True)
def _trace(parent, by, pose, rows, columns):
    length, at = 0, pose
    while at >= 0:
        length, at = length + 1, parent[at]
    poses, kinds = np.empty((length, 3), dtype=np.int64), np.empty(length, dtype=np.int64)
    at = pose
    for i in range(length - 1, -1, -1):
        rest = at // columns
        poses[i, 0], poses[i, 1], poses[i, 2], kinds[i] = rest % rows, at % columns, rest // rows, by[at]
        at = parent[at]
    return poses, kinds


@njit(cache=True)
def _straight_to(cost, penalty, angles, poses, kinds, at):
    """The farthest pose to which one can turn and walk straight at about no more cost; ``at`` itself if there is none.

    Only turns and walks ahead are cut short.
    """
    best, worst, walks = at, 0.0, 0
    worst = cost[poses[at, 0], poses[at, 1]] + penalty[2 * poses[at, 2], poses[at, 0], poses[at, 1]]
    for to in range(at + 1, len(poses)):
        if kinds[to] != TURN and kinds[to] != AHEAD:
            break
        walks += kinds[to] == AHEAD
        r0, c0, r1, c1 = poses[at, 0], poses[at, 1], poses[to, 0], poses[to, 1]
        worst = max(worst, cost[r1, c1] + penalty[2 * poses[to, 2], r1, c1])
        if kinds[to] == TURN or walks < 2:
            continue
        heading, length = _heading_of(angles, math.atan2(r1 - r0, c1 - c0)), math.hypot(r1 - r0, c1 - c0)
        if _dearest_turn(cost, penalty, r0, c0, poses[at, 2], heading) > worst + SLACK:
            continue
        steps, dearest = max(int(math.ceil(2.0 * length)), 1), 0.0
        for i in range(steps + 1):
            r, c = int(r0 + (r1 - r0) * i / steps + 0.5), int(c0 + (c1 - c0) * i / steps + 0.5)
            dearest = max(dearest, cost[r, c] + penalty[2 * heading, r, c])
        if dearest <= worst + SLACK:
            best = to
    return best


@njit(cache=True)
def _heading_of(angles, yaw):
    best, least = 0, math.inf
    for i in range(len(angles)):
        off = abs((angles[i] - yaw + math.pi) % (2 * math.pi) - math.pi)
        if off < least:
            best, least = i, off
    return best


@njit(cache=True)
def _dearest_turn(cost, penalty, row, column, heading, to):
    """The most that a pose costs of those on the shorter turn from one heading to another."""
    angles, at, last = len(penalty), 2 * heading, 2 * to
    side = 1 if (last - at) % angles <= angles // 2 else -1
    dearest = 0.0
    while at != last:
        at = (at + side) % angles
        dearest = max(dearest, cost[row, column] + penalty[at, row, column])
    return dearest
