"""Referring expressions mean what they were made for, and relations are true by rays, boxes and vectors."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import mujoco
import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER
from worlds.playhouse import Playhouse
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.nouns import number_meant
from worlds.playhouse.house.catalogue import SIZES
from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.facts import Entity, Facts, facts_of
from worlds.playhouse.requests.phrasing import as_typed
from worlds.playhouse.requests.reading import read_things
from worlds.playhouse.requests.referring import LONGEST, Referrer
from worlds.playhouse.requests.relations import BESIDE, NEAR, NEXT_TO, RELATIONS, SIDEWAYS, gap, holds
from worlds.playhouse.requests.spelling import tokens
from worlds.playhouse.requests.wishes import Wish

PLACES = [("plain", 0), ("flat", 1), ("house", 0)]
STEPS = 3  # in which things come to rest


Played = tuple[Playhouse, Facts]


@cache
def place(preset: str, seed: int) -> Played:
    settings = {"rooms": (2, 3), "objects": (20, 24)} if preset == "plain" else {"preset": preset}
    world = Playhouse(height=6, width=8, views=(), settings=settings)
    world.reset(seed=seed)
    for _ in range(STEPS):
        world.step({})
    return world, facts_of(world)


@pytest.fixture(params=PLACES, ids=lambda place: place[0])
def played(request: pytest.FixtureRequest) -> Played:
    return place(*request.param)


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


def test_things_are_on_or_in_what_is_below_their_middle(played: Played) -> None:
    world, facts = played
    things = facts.of("object")
    agree = [under_the_middle(world, thing) == thing.holder for thing in things]
    assert np.mean(agree) >= 0.95, [(t.id, t.kind, t.holder) for t, same in zip(things, agree, strict=True) if not same]


def test_things_lie_in_what_has_walls_around_them_and_under_what_is_overhead(played: Played) -> None:
    world, facts = played
    for thing in facts.of("object"):
        around = [facts.by_id[thing.holder or ""]] if thing.inside else []
        above = [p for p in facts.of("furniture") if holds("under", thing, (p,), facts, clearly=True)]
        for other in around + above:
            low, high = (f(corners(world, other.id), axis=0) for f in (np.min, np.max))
            x, y, z = world.object_position(thing.id)
            assert low[0] <= x <= high[0] and low[1] <= y <= high[1]
            assert low[2] <= z if other in around else z < high[2] and thing.holder != other.id


def test_near_and_next_to_agree_with_boxes_around_the_geoms(played: Played) -> None:
    world, facts = played
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


def test_sides_agree_with_products_of_vectors(played: Played) -> None:
    """Left is where the cross product with the direction of the look is positive, and larger than the dot product."""
    _, facts = played
    players, found, steep = [facts.by_id[name] for name in (SETTER, SOLVER)], 0, math.tan(SIDEWAYS.clear)
    for a, b in product(facts.of("object"), facts.of("object", "furniture")):
        if a.id == b.id or a.room != b.room:
            continue
        looks = [np.array([-math.cos(b.front), -math.sin(b.front)])] if b.front is not None else []
        looks += [np.subtract(b.middle, p.middle) for p in players if p.room == b.room]
        away = np.subtract(a.middle, b.middle)
        for relation, sign, sideways in (("left of", 1, True), ("right of", -1, True), ("behind", 1, False)):
            if holds(relation, a, (b,), facts, clearly=True):
                found += 1
                for x, y in looks[:1]:
                    cross, dot = float(x * away[1] - y * away[0]), float(x * away[0] + y * away[1])
                    along, across = (cross, dot) if sideways else (dot, cross)
                    assert sign * along > 0 and abs(across) <= sign * along * steep + 1e-9
                assert gap(a, b) <= BESIDE.clear
    assert found > 5


def test_what_is_clear_is_possible_and_nothing_is_in_relation_to_itself(played: Played) -> None:
    _, facts = played
    things = facts.of("object", "furniture", "player", "opening", "floor", "room")
    for relation in RELATIONS:
        if relation == "between":
            continue
        for a, b in product(facts.of("object", "furniture"), things):
            clear, possible = (holds(relation, a, (b,), facts, clearly) for clearly in (True, False))
            assert possible or not clear, (relation, a, b)
            assert a.id != b.id or not possible


def test_unique_names_mean_one_thing_and_what_they_say_of_it_is_so(played: Played) -> None:
    (_, facts), named = played, 0
    referrer = Referrer(facts, np.random.default_rng(0))
    for entity in facts.of("object", "furniture"):
        expression = referrer.the(entity.id)
        if expression is None:
            continue
        named += 1
        read = read_things(expression.words, facts)
        assert read is not None and read.ids == (entity.id,), expression.words
        words = tokens(expression.words)
        assert len(words) <= LONGEST
        head = words[
            : words.index(next((w for w in words if w in ("on", "in", "near", "next", "that", "which")), words[-1]))
        ]
        if expression.description.colour is not None:
            assert entity.colour in head
        if expression.description.size is not None:
            assert entity.size == expression.description.size and entity.size in SIZES
    assert named >= 0.85 * len(facts.of("object", "furniture"))


def test_groups_are_all_and_only_what_their_words_say(played: Played) -> None:
    _, facts = played
    referrer = Referrer(facts, np.random.default_rng(0))
    groups = list(referrer.groups([e.id for e in facts.of("object")], tries=120))
    assert len(groups) > 20
    for group in groups:
        for number, quantifier in ((None, "all"), (1, "any"), (min(2, len(group.ids)), "")):
            expression = referrer.quantified(group, number, quantifier)
            if expression is not None:
                read = read_things(expression.words, facts)
                assert read is not None and read.ids == group.ids, expression.words
                assert number_meant(read.description, len(read.ids)) == (number or len(group.ids)), expression.words


@pytest.mark.parametrize("name", [name for name in MODIFIERS if name != "quantifiers"])
def test_words_keep_to_a_wish(name: str) -> None:
    """The check of the finished words is another one than that of the descriptions."""
    (_, facts), kept = place("house", 1), 0
    referrer = Referrer(facts, np.random.default_rng(0), Wish(name))
    for entity in facts.of("object")[:25]:
        expression = referrer.the(entity.id)
        if expression is not None:
            assert MODIFIERS[name].holds(expression.words), expression.words
            kept += 1
    assert kept >= (3 if name == "vertical" else 8)


def test_slips_of_typing_rarely_change_what_is_meant(played: Played) -> None:
    """Slips are made blindly here: whatever is typed, most of it is still understood."""
    (_, facts), rng = played, np.random.default_rng(0)
    referrer, right, tried = Referrer(facts, rng), 0, 0
    for entity in facts.of("object", "furniture"):
        expression = referrer.the(entity.id)
        if expression is not None:
            typed = as_typed(expression.words, rng, lambda _: True)
            read = read_things(typed, facts)
            right += read is not None and read.ids == (entity.id,)
            tried += 1
    assert right / tried > 0.85


@pytest.mark.parametrize(
    ("words", "like"),
    [
        ("red color ball", "the red ball"),
        ("the ball which is in red colour", "the red ball"),
        ("the ball that is red", "the red ball"),
        ("red toy ball", "the red ball"),
        ("all of the white objects which are on the floor", "all the white objects on the floor"),
        ("any one of the books", "any book"),
        ("2 books", "two books"),
        ("the ball which is not placed on the floor", "the ball not on the floor"),
        ("small sized object in this room", "the small object in this room"),
    ],
)
def test_ways_of_people_mean_the_same(played: Played, words: str, like: str) -> None:
    _, facts = played
    one, other = read_things(words, facts), read_things(like, facts)
    assert (one and set(one.ids)) == (other and set(other.ids))
