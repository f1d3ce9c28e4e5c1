"""Games in worlds whose players have other bodies than the Playhouse's: keys, turns, and the recorded episode."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from annotation.games import Game, Inputs
from annotation.games.body_keys import BodyHands, body_keys
from annotation.games.live_world import PLAYERS, LiveWorld
from annotation.session.states import Kind, Role, State
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store import MemoryStore
from tests import small_worlds
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.games.playing import config, live
from worlds import registry
from worlds.contract import BODY, SETTER, SOLVER, WorldError
from worlds.spaces.action import ActionSpec, Discrete, FreeText

small_worlds.register()


def begun(kind: Kind, world: str, steps: int, **place: Any) -> tuple[Game, MemoryStore, list[str]]:
    """A game in a place sampled with the settings ``place``, its store, and the names of the solver's keys."""
    game, store = live(kind, world, steps, place_settings=place)
    return game, store, [key["name"] for key in game.keys(Role.SOLVER)]


def press(game: Game, names: list[str], *pressed: str) -> None:
    """Press the keys of some bins, each when the step of the one before it is played."""
    for name in pressed:
        played = len(game._steps)
        game.give(Role.SOLVER, Inputs(pressed=(names.index(name),)))
        until(lambda played=played: len(game._steps) > played or game.session.over, "the step of the key")


def test_two_people_play_a_turn_based_world_by_its_own_keys() -> None:
    game, store, names = begun(Kind.HUMAN_HUMAN, "small-grid", steps=5)
    assert names == ["left", "right", "up", "down", "pick", "drop", "stay"] and game.keys(Role.SETTER) == []
    assert len(game._steps) == 0 and game.turn_based and not game.own_body, "the world waits"
    game.give(Role.SETTER, Inputs(say="go to red"))
    until(lambda: len(game._steps) == 1, "the step in which it is asked")
    acts = ["left", "up", "up", "right"]
    press(game, names, *acts)
    game.wait(PATIENCE_SEC)
    episode = store.read(game.id)
    assert [names[bin] for bin in episode.movement[:, 0, 0]] == ["stay", *acts]
    assert episode.setter_utterance == ("go to red", "", "", "", "") and episode.demonstrated().all()
    assert episode.spaces.solver == small_worlds.SmallGrid.solver_spec
    replay = SetterReplay(registry.get("small-grid").make(), episode)
    seen = replay.reset()[0]
    for step in range(len(episode)):
        np.testing.assert_array_equal(seen["grid"], episode.seen["grid"][step])  # type: ignore[typeddict-item]
        seen = replay.step(episode.solver_action(step))[0]


def test_a_person_solves_what_babyai_asks() -> None:
    pytest.importorskip("minigrid")
    game, store, names = begun(Kind.PRACTICE_SOLVING, "gym:BabyAI-GoToObj-v0", steps=30)
    until(lambda: any(line.role is Role.SETTER for line in game.dialogue), "the mission")
    until(lambda: len(game._steps) == 1, "the step in which it is asked")
    shown = {key["name"]: key["shown"] for key in game.keys(Role.SOLVER)}
    assert shown["left"] == "← 1" and shown["forward"] == "↑ 3" and shown["pickup"] == "Space 4"
    press(game, names, "left", "forward")
    picture = game._live_world.picture("solver")
    assert picture.shape == (240, 320, 3) and len(np.unique(picture.reshape(-1, 3), axis=0)) > 3, "the world draws it"
    game.close()
    episode = store.read(game.id)
    assert [names[bin] for bin in episode.movement[:, 0, 0]] == ["done", "left", "forward"]
    assert episode.solver == "human:p-solver" and len(episode.requests) == 1


def test_after_a_game_its_players_see_whether_the_task_was_achieved() -> None:
    game, store, names = begun(Kind.PRACTICE_SOLVING, "small-grid", steps=20)
    view = game.screen(Role.SOLVER).latest
    assert view is not None and view.fulfilled == (), "not during the game"
    while not game.session.over:
        press(game, names, "right")
    game.wait(PATIENCE_SEC)
    view, episode = game.screen(Role.SOLVER).latest, store.read(game.id)
    assert view is not None and view.fulfilled and len(view.fulfilled) == len(episode.requests)
    assert view.fulfilled == tuple(step is not None for step in episode.success_step)


def test_what_a_scripted_partner_says_is_shown_among_what_is_said() -> None:
    asks = dict(Problem="Boxes", Pragmatic_frame_complexity="Ask", Cue_type="Language_Color", Peer="Y", N="2")
    game, _, names = begun(Kind.PRACTICE_SOLVING, "school", steps=30, only=asks | {"Scaffolding": "N"})
    game.give(Role.SOLVER, Inputs(say="Help please"))
    until(lambda: len(game.dialogue) >= 3, "the answer")
    press(game, names, "left", "left", "left")
    lines = [(line.role, line.words) for line in game.dialogue]
    game.close()
    assert lines[:2] == [(Role.SETTER, "eat the apple"), (Role.SOLVER, "Help please")]
    assert lines[2][0] is Role.SETTER and lines[2][1].startswith("Caretaker: ") and len(lines) == 3, lines


def test_the_picture_follows_each_key_and_waiting_is_no_delay() -> None:
    game, _, names = begun(Kind.HUMAN_HUMAN, "small-grid", steps=50)
    screen, loop = game.screen(Role.SOLVER), asyncio.new_event_loop()
    views = screen.views()  # a browser watches
    frames = [loop.run_until_complete(anext(views)).frame]
    until(lambda: screen.latest is not None and screen.latest.frame is not None, "a picture while the turn is awaited")
    for act in ("down", "right", "down", "left") * 9:
        press(game, names, act)
        played = len(game._steps)
        until(lambda played=played: screen.latest is not None and screen.latest.step == played, "the view after it")
        assert screen.latest is not None and screen.latest.state is State.PLAYING and not screen.latest.notice
        frames.append(screen.latest.frame)
    assert len(set(frames[1:5])) > 1, "the solver moved"
    loop.run_until_complete(views.aclose())
    loop.close()
    game.close()


def test_continuous_components_are_refused_by_name() -> None:
    with pytest.raises(WorldError, match="'small-arm' cannot be played live: 'east' of the solver"):
        Game(config(Kind.HUMAN_HUMAN, world="small-arm", place_settings={}), MemoryStore())


def test_keys_of_several_components_leave_out_what_does_nothing() -> None:
    action = ActionSpec((Discrete("go", ("stay", "forward")), Discrete("hand", ("keep", "grab", "drop"))), ticks=2)
    keys = [(key.shown, key.name) for key in body_keys(action)]
    assert keys == [("↑ 1", "go: forward"), ("Space 2", "hand: grab"), ("D 3", "hand: drop")]
    assert body_keys(BODY) == ()


def test_keys_are_played_one_a_tick_and_old_ones_are_forgotten() -> None:
    hands = BodyHands(ActionSpec((Discrete("act", ("stay", "a", "b", "c")),), speech=FreeText(5)))
    hands.give(Inputs(pressed=(1, 2, 3, 99), say="hello world"))
    assert not hands.idle and not hands.silent and hands.line() == "hello"
    assert [hands.tick().tolist() for _ in range(3)] == [[2], [3], [0]] and hands.idle
    hands.give(Inputs(pressed=(1,)))
    hands.rest()
    assert hands.idle


def test_people_play_in_places_made_for_people_unless_the_settings_say_otherwise() -> None:
    entry = registry.get("playhouse")
    for settings, faces in (({}, True), ({"face_room": False}, False), ({"rooms": (1, 1)}, True)):
        world = LiveWorld(config(Kind.HUMAN_HUMAN, seed=4, height=12, width=16, place_settings=settings), entry)
        assert world.place == entry.sample_config(4, **({"face_room": faces} | settings))
        world.close()
    assert entry.sample_config(4, face_room=True) != entry.sample_config(4)


def test_a_tutor_of_the_school_sees_the_room_and_the_agent_only_its_view() -> None:
    options: Any = {"world_options": {"picture": True, "tutored": True}, "place_settings": {}}
    settings = config(Kind.HUMAN_HUMAN, seed=5, height=140, width=140, world="school", **options)
    world: Any = LiveWorld(settings, registry.get("school"))
    assert world.turn_based and world.boards == {}
    views = {player: world.picture(player) for player in PLAYERS}
    assert views[SETTER].shape == views[SOLVER].shape and not np.array_equal(views[SETTER], views[SOLVER])
    keys = {player: {key.name: key for key in body_keys(world.bodies[player])} for player in PLAYERS}
    assert {"point west", "turn left"} <= keys[SETTER].keys() and keys[SOLVER]["stay"].codes == ("Period", "Digit6")
    assert keys[SETTER]["turn left"].codes[0] == keys[SOLVER]["left"].codes[0] == "ArrowLeft"
    before = world.world.state.problem.peer.direction
    world.tick({SETTER: np.array([keys[SETTER]["turn left"].bin]), SOLVER: np.array([keys[SOLVER]["stay"].bin])})
    assert world.end({SETTER: "look here", SOLVER: "Help please"})
    assert world.world.state.problem.peer.direction == (before - 1) % 4
    assert world.observations[SOLVER]["heard"].endswith(": look here")
    assert not np.array_equal(world.picture(SETTER), views[SETTER])
    world.close()
