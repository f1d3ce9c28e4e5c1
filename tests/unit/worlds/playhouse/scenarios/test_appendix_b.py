"""Appendix B: every line once and verbatim, in houses in which it makes sense."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from worlds.contract import SETTER, SOLVER
from worlds.playhouse import Playhouse
from worlds.playhouse.games.registry import games, understand
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.record import FORMAT_2, House
from worlds.playhouse.players.scenario_setter import AppendixB
from worlds.playhouse.scenarios.appendix_b import COUNT, SUBJECTS, scenarios
from worlds.playhouse.scenarios.posing import is_done, makes_sense, pose, request_of, world_of
from worlds.playhouse.scenarios.scenario import Asks, Scenario
from worlds.playhouse.scenarios.tasks import CHECKS, time_limit

# Of the paper's lines "0. Add the circular objects ..." to "162. Put all ...", joined by line feeds, in UTF-8.
DIGEST = "62ef113e5c79c1ee29c40ce0b6f06f9a3c4f9f24cff803b4089a509fcc0d0122"


def house_of(line: Scenario, seed: int) -> House:
    """The house of a scenario with the setter where it asks."""
    posed = pose(line, seed)
    assert posed is not None, line.words
    house = read_house(posed.config)
    starts = [s if s.agent == SOLVER else type(s)(SETTER, *posed.place, posed.yaw) for s in house.starts]
    return replace(house, starts=tuple(starts))


def test_the_lines_are_those_of_the_paper_each_once() -> None:
    numbers = [line.number for lines in SUBJECTS.values() for line in lines]
    assert sorted(numbers) == list(range(COUNT))
    text = "\n".join(f"{number}. {line.words}" for number, line in scenarios().items())
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST
    kinds = [line.kind for line in scenarios().values()]
    assert (kinds.count("instruction"), kinds.count("question")) == (122, 41), "as the paper counts"


def test_most_can_be_posed_and_checked_and_the_others_say_why() -> None:
    lines = scenarios().values()
    assert sum(line.can_be_posed for line in lines) >= 0.9 * COUNT
    assert sum(line.is_checked for line in lines) >= 0.75 * COUNT
    for line in lines:
        if isinstance(line.check, Asks):
            assert line.check.game in games() or line.check.game in CHECKS
        else:
            assert len(line.check.reason.split()) > 4


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_line_makes_sense_in_a_house_where_it_is_not_done_yet(subject: str) -> None:
    for line in SUBJECTS[subject]:
        if line.can_be_posed:
            house = house_of(line, 1)
            assert house.format == FORMAT_2 and makes_sense(line, house), line.words
            if line.is_checked:
                world = world_of(house)
                spec = request_of(line, Situation(world))
                assert spec is not None and spec.instruction == line.words
                assert not is_done(spec, world), line.words
                assert spec.max_steps == time_limit(spec.name, dict(spec.arguments), len(house.rooms)) > 30


@pytest.mark.parametrize("number", [0, 20, 145])
def test_houses_are_the_same_for_a_seed_and_others_for_others(number: int) -> None:
    line = scenarios()[number]
    first, second = pose(line, 0), pose(line, 1)
    assert first == pose(line, 0)
    assert first is not None and second is not None and first.config != second.config


@pytest.mark.parametrize("number", [0, 23, 70, 91, 96, 149, 156])
def test_language_games_read_what_people_say(number: int) -> None:
    """In lines about containers, people's own verbs: "add ... into", "remove ... from"."""
    line = scenarios()[number]
    assert understand(line.words, Situation(world_of(house_of(line, 2)))) is not None, line.words


@pytest.mark.parametrize("hands", ["simple", "full"])
def test_the_setter_walks_and_asks_with_the_hands_that_it_has(hands: str) -> None:
    posed = AppendixB().pose(20, 0)
    assert posed is not None
    world = Playhouse(height=8, width=8, hands=hands)
    observations, _ = world.reset(seed=0, options={"config": dict(posed.config)})
    posed.setter.reset(world, 0)
    said = []
    for _ in range(60):
        action = posed.setter.act(observations[SETTER])
        said.append(action["utterance"])
        observations, *_ = world.step({SETTER: action, SOLVER: world.body.silent()})
    assert posed.words in said
