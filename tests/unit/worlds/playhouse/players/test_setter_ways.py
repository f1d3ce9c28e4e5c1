"""What the setter does besides asking: it changes no request, and the solver takes it for what it is."""

from __future__ import annotations

import hashlib
import math
import platform
from typing import Any

import mujoco
import numpy as np
import pytest

from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store.parquet import ParquetStore
from worlds import registry
from worlds.contract import SETTER, SOLVER, Event, WorldError, silent
from worlds.playhouse import Playhouse
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.registry import games
from worlds.playhouse.players.asking.weights import all_games, weights_of
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.requests.ground_truth import bearing, distance
from worlds.playhouse.requests.remarks import is_remark, read_correction

ROOM = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (4, 4), "furniture": (0, 2)}
DEMO = {"first_request": [0, 0], "pause": [1, 3], "patience": 20}
EVERYTHING: dict[str, Any] = {
    "correct": 1.0, "praise": 1.0, "ask_again": 0.5, "encourage": 1.0, "talk": 1.0, "face": 0.5, "accompany": 0.5,
    "hold_out": 1.0, "follow_on": 0.5, "chain": 0.1, "modifiers": 0.5,
}  # fmt: skip
ERRING = {"wrong_object": 1.0, "notice": 0.0, "hesitation": 0.0, "drop": 0.0, "motor_noise": 0.0, "reaction": 0}
GOLDEN = {
    "demo": (
        0, {"tasks": {"go": 1.0, "lift": 1.0, "color": 1.0, "exist": 1.0}, **DEMO},
        "73a34a0b822b0c27381260556f085e84",
    ),
    "held out": (
        1, {"split": "held_out", "first_request": (0, 3), "pause": (2, 5)}, "4465420beee1160b0400d88f5fd6100f",
    ),
    "strolling": (2, {"wander": 0.1, "pause": (2, 4)}, "8800ea5a930f7cc81bcfe0ae94bf2f24"),
    "games": (3, {"tasks": {"tower": 1.0, "lift": 2.0, "position": 1.0}, **DEMO}, "be4216d44a6f46e74b23df9ab840810e"),
}  # fmt: skip


class Idle(ScriptedSolver):
    """A solver that does nothing."""

    def act(self, observation: Any) -> Any:
        """See :meth:`worlds.contract.Solver.act`."""
        return silent()


def playing(
    world: Playhouse, setter: ScriptedSetter, solver: ScriptedSolver, seed: int, steps: int
) -> tuple[list[tuple[int, str]], list[Event], list[dict]]:
    """Return what the setter said and when, events, and the actions of both."""
    said, events, actions = [], list[Event](), []
    seen, _ = world.reset(seed=seed)
    setter.reset(world, seed)
    solver.reset(world, seed + 1)
    for step in range(steps):
        actions.append({SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])})
        if actions[-1][SETTER]["utterance"]:
            said.append((step, actions[-1][SETTER]["utterance"]))
        seen, *_ = world.step(actions[-1])
        if setter.task is not None:
            events += setter.task.update(world, actions[-1][SOLVER]["utterance"])[1]
    return said, events, actions


def besides(setter: ScriptedSetter, said: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """What was said that was no request."""
    asked = {step for step, _ in setter.requests}
    return [(step, words) for step, words in said if step not in asked]


@pytest.fixture(scope="module")
def world() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings=ROOM)


# ---- nothing changes for those who do not use it ---------------------------------------------------------------------


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not mujoco.__version__.startswith("4.0."), reason="digests of MuJoCo 4.0, x86-64"
)
@pytest.mark.parametrize("name", GOLDEN)
def test_without_these_ways_everybody_plays_as_ever(world: Playhouse, name: str) -> None:
    """The digests of movements and words were computed before the setter had any of these settings."""
    seed, settings, golden = GOLDEN[name]
    found = hashlib.sha256()
    for actions in playing(world, ScriptedSetter(**settings), ScriptedSolver(), seed, 200)[2]:
        for action in actions.values():
            found.update(action["movement"].tobytes() + action["utterance"].encode() + b"|")
    assert found.hexdigest()[:32] == golden


# ---- what is asked ---------------------------------------------------------------------------------------------------


def test_all_games_make_every_prompt_equally_likely() -> None:
    weights = weights_of("all games")
    assert set(weights) == set(games()) and weights == all_games()
    prompts = {game.prompt for game in games().values()}
    for prompt in prompts:
        assert math.isclose(sum(weights[game.name] for game in games().values() if game.prompt == prompt), 1.0)
    mixed = weights_of({"all games": 2.0, "go": 1.0, "bring": 0.0})
    assert mixed["lift" if "lift" in mixed else "pick up"] == 2.0 and mixed["go"] == 1.0 and mixed["bring"] == 0.0


def test_modifiers_are_kept_to_and_noted(world: Playhouse) -> None:
    setter = ScriptedSetter("all games", patience=2, pause=(0, 0), modifiers=1.0)
    playing(world, setter, Idle(), 0, 60)
    noted = [
        (spec.arguments["modifier"], spec.instruction) for _, spec in setter.requests if "modifier" in spec.arguments
    ]
    assert len({name for name, _ in noted}) >= 4
    assert all(MODIFIERS[name].holds(words) for name, words in noted)


def test_chains_are_asked_for(world: Playhouse) -> None:
    setter = ScriptedSetter(["is there", "pick up"], patience=2, pause=(0, 0), chain=1.0)
    playing(world, setter, Idle(), 0, 30)
    chained = sum(spec.name == "do then" for _, spec in setter.requests)
    assert chained >= len(setter.requests) / 2 >= 4  # now and then a small house offers none


def test_after_a_success_it_asks_about_the_same_thing(world: Playhouse) -> None:
    shares = {}
    for chance in (0.0, 1.0):
        again: list[bool] = []
        for seed in range(3):
            setter = ScriptedSetter(("go", "color"), pause=(1, 2), follow_on=chance)
            playing(world, setter, ScriptedSolver.perfect(), seed, 100)
            asked = [(spec.name, spec.arguments["target"]) for _, spec in setter.requests]
            again += [a[1] == b[1] for a, b in zip(asked, asked[1:], strict=False) if a[0] == "go"]
        assert len(again) >= 6
        shares[chance] = sum(again) / len(again)
    assert shares[1.0] > shares[0.0] + 0.25


# ---- what is said ----------------------------------------------------------------------------------------------------


def test_it_corrects_a_solver_that_takes_a_wrong_thing_and_is_understood(world: Playhouse) -> None:
    corrected = 0
    for seed in range(4):
        setter = ScriptedSetter(["lift"], first_request=(0, 0), follow_up=False, correct=1.0, correct_after=(3, 3))
        said, events, _ = playing(world, setter, ScriptedSolver(**ERRING), seed, 70)
        wrong = next((event for event in events if event.reason == "takes a wrong thing"), None)
        assert len(setter.requests) == 1 and setter.task is not None
        if wrong is None:
            continue
        corrections = [(step, words) for step, words in said if read_correction(words) is not None]
        assert corrections and corrections[0][0] - wrong.step == 3
        corrected += setter.task.succeeded
    assert corrected >= 3, "without a correction such a solver never succeeds"


def test_it_praises_and_talks_but_asks_for_the_same_in_the_same_moments(world: Playhouse) -> None:
    settings = {"tasks": ("exist", "color", "lift"), "first_request": (4, 6), "pause": (6, 8)}
    plain = ScriptedSetter(**settings)
    playing(world, plain, ScriptedSolver(), 1, 100)
    friendly = ScriptedSetter(**settings, praise=1.0, talk=1.0)
    said, events, _ = playing(world, friendly, ScriptedSolver(), 1, 100)
    assert friendly.requests == plain.requests, "the solver goes on with what it does"
    others = besides(friendly, said)
    assert len(others) >= 3 and all(is_remark(words) for _, words in others)
    first = friendly.requests[0][0]
    assert any(step < first for step, _ in others), "a greeting"
    for done in (event for event in events if "answers right" in event.reason or "lifted" in event.reason):
        assert done.step > 95 or any(1 <= step - done.step <= 3 for step, _ in others)


def test_it_asks_again_in_other_words_and_encourages(world: Playhouse) -> None:
    for name in ("lift", "pick up", "is there"):
        setter = ScriptedSetter([name], first_request=(0, 0), ask_again=1.0, idle_after=(5, 5))
        said, *_ = playing(world, setter, Idle(), 0, 30)
        again = [words for _, words in besides(setter, said)]
        assert len(setter.requests) == 1 and len(again) >= 3
        assert setter.requests[0][1].instruction not in again[:1] and len(set(again)) >= 2
        assert not any(is_remark(words) for words in again)
    setter = ScriptedSetter(["lift"], first_request=(0, 0), encourage=1.0, idle_after=(5, 5))
    said, *_ = playing(world, setter, Idle(), 0, 30)
    assert len(besides(setter, said)) >= 3 and all(is_remark(words) for _, words in besides(setter, said))


@pytest.mark.parametrize(
    "words, colours, kinds",
    [
        ("no, the other one", set(), set()),
        ("not that one, the red one", {"red"}, set()),
        ("No, I meant the blue ball!", {"blue"}, {"ball"}),
        ("wrong one, i mean the mug", set(), {"mug"}),
    ],
)
def test_corrections_are_read(words: str, colours: set[str], kinds: set[str]) -> None:
    found = read_correction(words)
    assert found is not None and found.colours == colours and found.kinds == kinds
    assert read_correction("put the red ball on the table") is None


# ---- where it looks and goes -----------------------------------------------------------------------------------------


def test_it_turns_to_what_it_speaks_of_and_walks_there(world: Playhouse) -> None:
    turned = near = tried = 0
    for seed in range(4):
        for face in (1.0, 0.0):
            setter = ScriptedSetter(["lift"], first_request=(0, 0), face=face, accompany=1.0 - face)
            playing(world, setter, Idle(), seed, 30)
            me, at = world.avatar(SETTER), world.object_position(setter.requests[0][1].arguments["target"])
            turned += abs(bearing(me, at)) < math.radians(10.0)
            near += distance(me.position, at) <= 2.4
            tried += 1
    assert turned >= tried - 1 and near >= tried // 2


@pytest.mark.parametrize(
    "wrong", [{"praise": 2}, {"correct_after": (5, 2)}, {"talk": "often"}, {"tasks": {"all games": -1}}]
)
def test_impossible_ways_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(WorldError, match=next(iter(wrong))):
        ScriptedSetter(**wrong)


# ---- recorded --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def episode() -> Episode:
    """An episode with a setter that does everything, and a solver that often errs."""
    entry = registry.get("playhouse")
    setter = ScriptedSetter("all games", first_request=(3, 5), pause=(4, 8), patience=60, **EVERYTHING)
    plan = Plan(
        "e", entry.sample_config(0, **ROOM), setter, 0, 200, solver=ScriptedSolver(wrong_object=0.6, notice=0.0)
    )
    (played,) = play(entry, [Playhouse(6, 8)], [plan], ScriptedSolvers(1), threads=1)
    return played


def test_only_requests_are_recorded_as_requests(episode: Episode) -> None:
    said = {step: words for step, words in enumerate(episode.setter_utterance) if words}
    asked = {request.step: request.task.instruction for request in episode.requests}
    assert asked.items() < said.items() and len(asked) >= 3
    assert not any(is_remark(words) or read_correction(words) for words in asked.values())


def test_such_play_is_stored_and_replayed(episode: Episode, tmp_path: Any) -> None:
    store = ParquetStore(tmp_path / "play", create=True)
    store.write(episode)
    assert store.verify() == []
    env = SetterReplay(Playhouse(6, 8), episode, truth=True)
    seen, info = env.reset()
    for step in range(len(episode)):
        assert seen["setter_text"] == episode.setter_text[step]
        np.testing.assert_array_equal(
            seen["image"], episode.image[step] if episode.image is not None else seen["image"]
        )
        seen, _, _, _, info = env.step(episode.solver_action(step))
    assert info["truth"].success_step == episode.success_step
