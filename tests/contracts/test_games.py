"""What every language game keeps: requests of it can be asked, read back, judged from JSON, and done.

One suite for all games of the registry. Each is asked in a few furnished flats; the perfect scripted solver, which
hears nothing but the words, has to do nearly all of them and to answer all questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.language_games import Played, play
from worlds.contract import UTTERANCE_MAX_CHARS, TaskSpec, WorldError
from worlds.playhouse import PLAYHOUSE, Playhouse
from worlds.playhouse.games import prompts, registry
from worlds.playhouse.games.asking import Asker, make_task
from worlds.playhouse.games.modifiers import MODIFIERS

FLATS = range(700, 704)
MOST_FLATS = range(700, 712)  # for a game that can seldom be asked for, until it was
MOST_WORDS = 25
FEWEST_DONE = {"instruction": 0.75, "question": 1.0}  # of requests in so few houses
GAMES = tuple(registry.language_games())
INSTRUCTIONS = tuple(name for name in GAMES if registry.get(name).kind == "instruction")


@cache
def world() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings={"preset": "flat"}, hands="full")


@cache
def asked(name: str) -> Mapping[int, TaskSpec]:
    """A request of a game by the seed of the flat in which it is asked."""
    found = {}
    for seed in MOST_FLATS:
        if found and seed >= FLATS.stop:
            break
        world().reset(seed=seed)
        spec = Asker(world()).ask(name, np.random.default_rng(seed))
        if spec is not None:
            found[seed] = spec
    return found


@pytest.mark.parametrize("name", GAMES)
def test_it_is_asked_for_in_few_and_plain_words_and_read_back_from_json(name: str) -> None:
    assert asked(name), "no flat has anything to ask for"
    for seed, spec in asked(name).items():
        assert spec.name == name and spec.max_steps > 0 and isinstance(spec.arguments["said"], list)
        assert 0 < len(spec.instruction.split()) <= MOST_WORDS and len(spec.instruction) <= UTTERANCE_MAX_CHARS
        assert spec.instruction.isprintable() and "  " not in spec.instruction
        read = json.loads(json.dumps(spec.arguments))
        assert read == spec.arguments
        world().reset(seed=seed)
        assert Asker(world()).ask(name, np.random.default_rng(seed)) == spec, "the same seed asks the same"
        assert type(make_task(replace(spec, arguments=read))) is type(PLAYHOUSE.make_task(spec))


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_it_is_not_done_by_doing_nothing(name: str) -> None:
    for seed, spec in asked(name).items():
        world().reset(seed=seed)
        task = make_task(spec)
        for _ in range(6):
            world().step({})
            succeeded, events = task.update(world(), "")
            assert not succeeded and not any(event.sign > 0 for event in events)


@pytest.mark.parametrize("name", GAMES)
def test_the_perfect_solver_does_it(name: str) -> None:
    played = Played()
    for seed in MOST_FLATS:
        if played.asked and seed >= FLATS.stop:
            break
        play(world(), name, seed, played)
    assert played.asked > 0 and played.fulfilled / played.asked >= FEWEST_DONE[registry.get(name).kind], played.failed


def test_every_prompt_of_the_paper_has_a_game_and_the_world_lists_it() -> None:
    assert set(GAMES) <= set(PLAYHOUSE.games)
    prompted = {game.prompt for game in registry.language_games().values()}
    assert prompted <= {*prompts.INSTRUCTIONS, *prompts.QUESTIONS}
    assert set(prompts.INSTRUCTIONS) <= prompted
    assert len(prompts.INSTRUCTIONS) == 15 and len(prompts.QUESTIONS) == 10 and len(MODIFIERS) == 10


def test_two_games_of_one_name_are_refused() -> None:
    game = registry.get("pick up")
    with pytest.raises(WorldError, match="two games"):
        registry.register(type(game)(**{**game.__dict__, "steps": registry.steps(1)}))
    with pytest.raises(WorldError, match="no task named 'sing'"):
        registry.get("sing")


@pytest.mark.parametrize("modifier", MODIFIERS)
def test_words_keep_to_the_modifier(modifier: str) -> None:
    """Some game can be asked under each modifier, and whatever is asked keeps to it."""
    found = 0
    for seed in FLATS:
        world().reset(seed=seed)
        for name in ("put on", "bring", "arrange"):
            spec = Asker(world()).ask(name, np.random.default_rng(seed), modifier=modifier)
            if spec is not None:
                found += 1
                assert MODIFIERS[modifier].holds(spec.instruction), spec.instruction
    assert found > 0
