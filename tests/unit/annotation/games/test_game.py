"""A running game, from the first player to the stored episode."""

from __future__ import annotations

import errno

import numpy as np
import pytest

from annotation.games import AgentPlayer, Game, Inputs, Key, Screen
from annotation.session.prompts import draw
from annotation.session.states import Kind, Role, SessionEvent, State, TimeLimits, TransitionRefused
from rlhf.records.episode import AGENT, CO_PILOT
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store import MemoryStore, open_store, same_episode
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.games.playing import config, play, remember, walker
from worlds import registry
from worlds.contract import SETTER, SOLVER, neutral_movement
from worlds.errors import UserError


def wild(seed: int):
    """People who press, move the mouse and talk at any tick."""
    rng = np.random.default_rng(seed)

    def at_tick(game: Game, tick: int) -> None:
        for role in game.session.here:
            if rng.random() < 0.3 and role not in game._stand_ins:
                keys = frozenset(k for k in Key if rng.random() < 0.25)
                turn, look = rng.normal(0, 3, size=2)
                said = f"{role} at tick {tick}" if rng.random() < 0.2 else ""
                game.give(role, Inputs(held=keys, turn=turn, look=look, say=said))

    return at_tick


def assert_replays(episode):
    """The recorded controls, played again a whole step at a time, give what the solver saw."""
    height, width = episode.image.shape[1:3]
    world = registry.get(episode.world).make(height=height, width=width, **episode.notes["world_options"])
    env = SetterReplay(world, episode)
    seen, _ = env.reset()
    for step in range(len(episode)):
        assert np.array_equal(seen["image"], episode.image[step]), f"another picture at {step}"
        assert seen["setter_text"] == episode.setter_text[step]
        assert seen["solver_text"] == episode.solver_text[step]
        seen, *_ = env.step(episode.solver_action(step))


def test_two_people_play_and_the_episode_replays_to_the_last_bit(tmp_path):
    store = open_store(tmp_path / "people", create=True)
    game = play(config(Kind.HUMAN_HUMAN, steps=60, prompt=draw(1), split="held_out"), wild(0), store)
    assert game.state is State.ENDED and game.session.why == "complete"
    episode = open_store(tmp_path / "people").read(game.id)
    assert (len(episode), episode.split, episode.image.shape[1:3]) == (60, "held_out", (72, 96))
    assert (episode.setter, episode.solver) == ("human:p-setter", "human:p-solver")
    assert not episode.controller.any() and not episode.requests
    assert episode.demonstrated().all()
    assert episode.notes["kind"] == "human-human" and episode.notes["ended"] == "complete"
    assert episode.notes["prompt"]["text"] == draw(1).text
    for moved in (episode.movement, episode.setter_movement):
        assert (moved != neutral_movement()).any(axis=(0, 1)).all(), "every component was used"
        assert (moved[:, 0] != moved[:, -1]).any(), "inputs arrive within steps"
    lines = [(line.step, line.role, line.words) for line in game.dialogue]
    spoken = [(t, Role.SETTER, w) for t, w in enumerate(episode.setter_utterance) if w]
    spoken += [(t, Role.SOLVER, w) for t, w in enumerate(episode.utterance) if w]
    assert sorted(lines) == sorted(spoken) and len(spoken) > 5
    assert_replays(episode)


def test_being_watched_leaves_no_trace():
    """The same inputs with and without pictures drawn for people give the same episode."""
    episodes, pictures = [], {SETTER: [], SOLVER: []}
    for frames in (False, True):
        store, at_tick = MemoryStore(), wild(4)

        def watched(game: Game, tick: int, at_tick=at_tick, frames=frames) -> None:
            at_tick(game, tick)
            for player in pictures if frames else ():
                pictures[player].append(game._live_world.picture(player))

        game = play(config(Kind.HUMAN_HUMAN, steps=20), watched, store)
        episodes.append(store.read(game.id))
    assert np.array_equal(episodes[0].movement, episodes[1].movement)
    assert np.array_equal(episodes[0].image, episodes[1].image)
    setter, solver = ({picture.tobytes() for picture in seen} for seen in pictures.values())
    assert len(solver) > 20, "more than a picture a step"
    assert setter.isdisjoint(solver), "each sees through their own eyes"
    assert pictures[SOLVER][0].shape == (240, 320, 3), "larger than the recorded ones"


def test_the_co_pilot_drives_whole_steps_and_the_agent_lives_through_them():
    """It takes over in the middle of step 9 and hands back in the middle of step 19."""

    def at_tick(game: Game, tick: int) -> None:
        if tick == 9 * 8 + 4:
            with pytest.raises(TransitionRefused):
                game.do(Role.SETTER, SessionEvent.TAKE_OVER)
            game.do(Role.CO_PILOT, SessionEvent.TAKE_OVER)
        if tick == 19 * 8 + 4:
            game.do(Role.CO_PILOT, SessionEvent.HAND_BACK)
        if tick % 5 == 0:  # all the time, also when it only watches
            game.give(Role.CO_PILOT, Inputs(held=frozenset({Key.BACK}), turn=1.0, say="mine"))

    store = MemoryStore()
    agent = AgentPlayer("walker", "nowhere", load=walker)
    game = play(config(Kind.HUMAN_AGENT_HUMAN), at_tick, store, agent)
    episode = store.read(game.id)
    assert np.flatnonzero(episode.controller == CO_PILOT).tolist() == list(range(10, 20))
    assert episode.solver == "agent:walker+human:p-co_pilot" and episode.notes["co_pilot"] == "human:p-co_pilot"
    assert np.array_equal(episode.demonstrated(), episode.controller == CO_PILOT)
    assert (episode.movement[10:20, :, 0] == 0).all() and (episode.movement[~episode.demonstrated(), :, 0] == 2).all()
    assert "mine" in episode.utterance[10:20] and "mine" not in episode.utterance[:10] + episode.utterance[20:]
    assert (episode.movement[:10, :, 2] == 2).all(), "a mouse that only watches turns nobody"
    memory, previous = 0, episode.previous_movement()
    for step in range(len(episode)):
        memory = remember(memory, previous[step], episode.solver_text[step])
        if episode.controller[step] == AGENT:
            assert episode.utterance[step] == str(memory), f"the agent's memory differs at {step}"
    assert {line.role for line in game.dialogue} == {Role.SOLVER, Role.CO_PILOT}
    assert_replays(episode)


def test_practice_with_a_scripted_setter_is_followed_like_scripted_play():
    store = MemoryStore()
    game = play(config(Kind.PRACTICE_SOLVING, steps=40), wild(2), store)
    episode = store.read(game.id)
    assert (episode.setter, episode.solver) == ("scripted", "human:p-solver")
    assert episode.requests and len(episode.requests) == len(episode.success_step)
    assert episode.requests[0].task.instruction == next(w for w in episode.setter_utterance if w)
    assert_replays(episode)


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("sing a song", ["sorry, i did not understand"]),
        ("is there justice in this room?", ["sorry, i did not understand"]),
        ("lift the green duck on the moon", ["sorry, i know no such thing here"]),
        ("ok", []),
        ("how many rooms are there?", ["one"]),
    ],
)
def test_a_scripted_solver_answers_once(words: str, answers: list[str]) -> None:
    def at_tick(game: Game, tick: int) -> None:
        if tick == 20:
            game.give(Role.SETTER, Inputs(say=words))

    store = MemoryStore()
    game = play(config(Kind.PRACTICE_SETTING, steps=60), at_tick, store)
    assert [line.words for line in game.dialogue if line.role is Role.SOLVER] == answers
    episode = store.read(game.id)
    assert (episode.setter, episode.solver, episode.requests) == ("human:p-setter", "scripted", ())
    assert_replays(episode)


def test_players_see_what_a_grab_would_take_and_why_it_failed() -> None:
    views = []

    def at_tick(game: Game, tick: int) -> None:
        held = frozenset({Key.GRAB} if tick % 16 < 8 else set())  # it turns and looks down at things on the floor
        game.give(Role.SOLVER, Inputs(held=held, turn=0.25, look=-1.0 if tick < 14 else 0.0))
        views.append(game.screen(Role.SOLVER).latest)

    play(config(Kind.HUMAN_HUMAN, seed=2, steps=50), at_tick, MemoryStore())
    assert any(view.grabs.startswith("the ") for view in views)
    assert any(view.grab_failed for view in views)
    assert not views[0].grab_failed


def test_a_game_that_is_too_short_is_not_kept():
    def at_tick(game: Game, tick: int) -> None:
        if tick == 30:
            game.do(Role.SETTER, SessionEvent.END)

    store = MemoryStore()
    assert play(config(Kind.HUMAN_HUMAN), at_tick, store).state is State.ABANDONED
    assert len(store) == 0
    game = play(config(Kind.HUMAN_HUMAN, shortest=3), at_tick, store)
    episode = store.read(game.id)
    assert len(episode) == 4 and episode.notes["ended"] == "ended by the setter", "the step under way is whole"
    assert_replays(episode)


class FullDisk(MemoryStore):
    """Takes an episode at the third attempt."""

    attempts = 0

    def write(self, episode):
        self.attempts += 1
        if self.attempts < 3:
            raise UserError("no space is left in /srv/study/play; free some") from OSError(errno.ENOSPC, "full")
        super().write(episode)


def test_a_full_disk_is_reported_and_nothing_is_lost():
    store, seen = FullDisk(), []
    game_config = config(Kind.HUMAN_HUMAN, steps=6, retry_sec=0.05)
    show = Screen.show
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Screen, "show", lambda self, view: (seen.append(view), show(self, view)) and None)
        game = play(game_config, wild(0), store)
    assert store.attempts == 3 and game.state is State.ENDED
    assert any("disk is full" in view.notice and view.state is State.SAVING for view in seen)
    assert not any("/srv" in view.notice for view in seen), "people need not know where the data lies"
    assert all(not view.saved for view in seen if view.state is not State.ENDED)
    assert seen[-1].saved == game.id and not seen[-1].notice
    assert same_episode(store.read(game.id), store.read(game.id)) and len(store) == 1


def test_a_broken_world_ends_the_episode_and_the_play_before_it_is_kept():
    def at_tick(game: Game, tick: int) -> None:
        if tick == 100:
            game._live_world.world._data.qpos[:] = np.nan

    store = MemoryStore()
    game = play(config(Kind.HUMAN_HUMAN), at_tick, store)
    assert game.state is State.ENDED and game.session.why == "failed"
    assert len(store.read(game.id)) == 12
    assert_replays(store.read(game.id))


@pytest.mark.parametrize(
    ("kind", "settings", "named"),
    [
        (Kind.HUMAN_HUMAN, {"height": 36, "width": 48}, "height: the world has 36"),
        (Kind.HUMAN_HUMAN, {"world_options": {"fov_y_deg": 60}}, "fov_y_deg"),
        (Kind.HUMAN_HUMAN, {"world": "nowhere"}, "known: .*playhouse"),
        (Kind.HUMAN_AGENT, {}, "needs an agent"),
        (Kind.HUMAN_HUMAN, {"steps": 0}, "steps"),
        (Kind.HUMAN_HUMAN, {"ticks_per_frame": 3}, "ticks_per_frame"),
        (Kind.HUMAN_HUMAN, {"ticks_per_frame": 0}, "ticks_per_frame"),
        (Kind.HUMAN_HUMAN, {"view": (0, 9)}, "view"),
        (Kind.HUMAN_HUMAN, {"retry_sec": 0.0}, "retry_sec"),
    ],
)
def test_a_game_that_cannot_be_recorded_is_refused_before_play(kind, settings, named, recorded):
    with pytest.raises(UserError, match=named):
        Game(config(kind, **settings), recorded)


@pytest.fixture(scope="module")
def recorded() -> MemoryStore:
    """A dataset with one short game."""
    store = MemoryStore()
    play(config(Kind.HUMAN_HUMAN, steps=6), wild(0), store)
    return store


def test_roles_are_their_owners():
    game = Game(config(Kind.PRACTICE_SOLVING), MemoryStore())
    for refused in (
        lambda: game.join(Role.SETTER, "p1"),
        lambda: game.join(Role.CO_PILOT, "p1"),
        lambda: game.give(Role.SOLVER, Inputs()),
        lambda: game.give(Role.SETTER, Inputs()),
        lambda: game.do(Role.SETTER, SessionEvent.READY),
        lambda: game.do(Role.SOLVER, SessionEvent.SAVED),
        lambda: game.do(Role.SOLVER, SessionEvent.JOIN),
        lambda: game.screen(Role.SETTER),
    ):
        with pytest.raises(TransitionRefused):
            refused()
    game.close()
    assert game.state is State.ABANDONED


def test_a_game_to_which_nobody_comes_is_abandoned():
    game = Game(config(Kind.HUMAN_HUMAN, limits=TimeLimits(waiting=0.05)), MemoryStore())
    game.start()
    game.wait(PATIENCE_SEC)
    assert game.state is State.ABANDONED and "not everybody came" in game.session.why
