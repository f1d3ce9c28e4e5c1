"""Truth of relations against another computation: rays and boxes of MuJoCo's geoms, and vectors instead of angles."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import mujoco
import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER
from worlds.playhouse import Playhouse
from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.facts import Entity, Facts, facts_of
from worlds.playhouse.requests.relations import BESIDE, NEAR, NEXT_TO, RELATIONS, SIDEWAYS, gap, holds

PLACES = [("plain", 0), ("flat", 1), ("house", 0)]
STEPS = 3  # in which things come to rest


@cache
def played(preset: str, seed: int) -> tuple[Playhouse, Facts]:
    settings = {"rooms": (2, 3), "objects": (20, 24)} if preset == "plain" else {"preset": preset}
    world = Playhouse(height=6, width=8, views=(), settings=settings)
    world.reset(seed=seed)
    for _ in range(STEPS):
        world.step({})
    return world, facts_of(world)


def under_the_middle(world: Playhouse, entity: Entity) -> str:
    """Owner of what a ray straight down from the underside of a thing meets first."""
    scene, data = world.state.scene, world.state.data
    body = scene.model.body(entity.id).id
    group, hit = np.ones(6, dtype=np.uint8), np.zeros(1, dtype=np.int32)
    start = data.xpos[body] - [0.0, 0.0, 0.48 * entity.height]
    mujoco.mj_ray(scene.model, data, start, np.array([0.0, 0.0, -1.0]), group, 1, body, hit)
    owner = int(scene.geom_owner[hit[0]]) if hit[0] >= 0 else -1
    return scene.owners[owner] if owner >= 0 else FLOOR


def corners(world: Playhouse, entity_id: str) -> np.ndarray:
    """Corners of the boxes around all geoms of a thing: float64 [N, 3]."""
    scene, data = world.state.scene, world.state.data
    owner = scene.owners.index(entity_id)
    points = []
    for geom in np.flatnonzero(scene.geom_owner == owner):
        middle, half = scene.model.geom_aabb[geom, :3], scene.model.geom_aabb[geom, 3:]
        turn = data.geom_xmat[geom].reshape(3, 3)
        points += [data.geom_xpos[geom] + turn @ (middle + half * signs) for signs in product((-1, 1), repeat=3)]
    return np.array(points)


def apart(world: Playhouse, a: str, b: str) -> float:
    """Horizontal distance (m) between the hulls of two things: the widest gap between them in any direction."""
    angles = np.linspace(0.0, 2 * np.pi, 180, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    (first, second) = (corners(world, i)[:, :2] @ directions for i in (a, b))
    return max(0.0, float((second.min(axis=0) - first.max(axis=0)).max()))


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_things_are_on_or_in_what_is_below_their_middle(preset: str, seed: int) -> None:
    world, facts = played(preset, seed)
    things = facts.of("object")
    agree = [under_the_middle(world, thing) == thing.holder for thing in things]
    assert np.mean(agree) >= 0.95, [(t.id, t.kind, t.holder) for t, same in zip(things, agree, strict=True) if not same]


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_things_lie_in_what_has_walls_around_them(preset: str, seed: int) -> None:
    world, facts = played(preset, seed)
    for thing in facts.of("object"):
        if thing.inside:
            low, high = (f(corners(world, thing.holder or ""), axis=0) for f in (np.min, np.max))
            middle = world.object_position(thing.id)
            assert (low[:2] <= middle[:2]).all() and (middle[:2] <= high[:2]).all() and low[2] <= middle[2]


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_what_is_under_furniture_has_it_overhead(preset: str, seed: int) -> None:
    world, facts = played(preset, seed)
    for thing, piece in product(facts.of("object"), facts.of("furniture")):
        if holds("under", thing, (piece,), facts, clearly=True):
            points = corners(world, piece.id)
            x, y, z = world.object_position(thing.id)
            low, high = points.min(axis=0), points.max(axis=0)
            assert low[0] <= x <= high[0] and low[1] <= y <= high[1] and z < high[2]
            assert thing.holder != piece.id


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_near_and_next_to_agree_with_boxes_around_the_geoms(preset: str, seed: int) -> None:
    world, facts = played(preset, seed)
    things = facts.of("object", "furniture")
    compared = 0
    for a, b in product(facts.of("object"), things):
        if a.id == b.id or a.room != b.room:
            continue
        real, slack = apart(world, a.id, b.id), 0.07
        round_off = 0.6 * (a.disc + b.disc) + slack  # by which discs are larger than what they stand for
        for relation, degrees in (("next to", NEXT_TO), ("near", NEAR)):
            if holds(relation, a, (b,), facts, clearly=True):
                assert real <= degrees.clear + round_off, (a, b)
                compared += 1
            bears = b.id == a.holder or a.id == b.holder
            if relation == "near" and not bears and not holds(relation, a, (b,), facts, clearly=False):
                assert real > degrees.possible - slack, (a, b)
    assert compared > 20


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_sides_agree_with_products_of_vectors(preset: str, seed: int) -> None:
    """Left is where the cross product with the direction of the look is positive, and larger than the dot product."""
    world, facts = played(preset, seed)
    players = [facts.by_id[name] for name in (SETTER, SOLVER)]
    found = 0
    for a, b in product(facts.of("object"), facts.of("object", "furniture")):
        if a.id == b.id or a.room != b.room:
            continue
        fronts = [np.array([-math.cos(b.front), -math.sin(b.front)])] if b.front is not None else []
        looks = fronts + [np.subtract(b.middle, p.middle) for p in players if p.room == b.room]
        looks = [look / np.linalg.norm(look) for look in looks]
        away = np.subtract(a.middle, b.middle)
        steep = math.tan(SIDEWAYS.clear)
        for relation, sign, sideways in (("left of", 1, True), ("right of", -1, True), ("behind", 1, False)):
            if holds(relation, a, (b,), facts, clearly=True):
                found += 1
                for look in looks[:1]:
                    cross, dot = float(look[0] * away[1] - look[1] * away[0]), float(look @ away)
                    along, across = (cross, dot) if sideways else (dot, cross)
                    assert sign * along > 0 and abs(across) <= sign * along * steep + 1e-9
                assert gap(a, b) <= BESIDE.clear
    assert found > 5


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_what_is_between_two_things_makes_the_way_hardly_longer(preset: str, seed: int) -> None:
    _, facts = played(preset, seed)
    rooms = {e.room for e in facts.of("object")}
    found = 0
    for room in rooms:
        things = [e for e in facts.of("object", "furniture") if e.room == room][:12]
        for a, b, c in product(things, repeat=3):
            if len({a.id, b.id, c.id}) < 3:
                continue
            detour = (math.dist(b.middle, a.middle) + math.dist(a.middle, c.middle)) / math.dist(b.middle, c.middle)
            if holds("between", a, (b, c), facts, clearly=True):
                found += 1
                assert detour < 1.6
                assert holds("between", a, (c, b), facts, clearly=True)
            elif not holds("between", a, (b, c), facts, clearly=False):
                middle = (np.array(b.middle) + np.array(c.middle)) / 2
                bearing_nothing = not {a.holder, b.holder, c.holder} & {a.id, b.id, c.id}
                assert not (
                    bearing_nothing and math.dist(a.middle, middle) < 0.05 and math.dist(b.middle, c.middle) > 1
                )
    assert found


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_what_is_clear_is_possible_and_nothing_is_in_relation_to_itself(preset: str, seed: int) -> None:
    _, facts = played(preset, seed)
    things = facts.of("object", "furniture", "player", "opening", "floor", "room")
    for relation in RELATIONS:
        if relation == "between":
            continue
        for a, b in product(facts.of("object", "furniture"), things):
            clear, possible = (holds(relation, a, (b,), facts, clearly) for clearly in (True, False))
            assert possible or not clear, (relation, a, b)
            assert a.id != b.id or not possible
