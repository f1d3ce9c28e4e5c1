"""The scripted setters: what they ask, what they say and do besides, and what of that is recorded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rlhf.records.episode import Episode
from rlhf.replay import play as replayed
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store.parquet import ParquetStore
from tests.unit.worlds.playhouse.played import Idle, play
from worlds import registry
from worlds.contract import SETTER, TaskSpec, WorldError
from worlds.playhouse import PLAYHOUSE, Playhouse, sample_config
from worlds.playhouse.games.asking import is_held_out
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.registry import language_games
from worlds.playhouse.players.asking.weights import all_games, weights_of
from worlds.playhouse.players.probe_setter import ProbeSetter
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.requests.ground_truth import bearing, distance
from worlds.playhouse.requests.remarks import is_remark, read_correction

ROOM = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (4, 4), "furniture": (0, 2)}
EVERYTHING: dict[str, Any] = {
    "correct": 1.0, "praise": 1.0, "ask_again": 0.5, "encourage": 1.0, "talk": 1.0, "face": 0.5, "accompany": 0.5,
    "hold_out": 1.0, "follow_on": 0.5, "chain": 0.1, "modifiers": 0.5,
}  # fmt: skip
ERRING = {"wrong_object": 1.0, "notice": 0.0, "hesitation": 0.0, "drop": 0.0, "motor_noise": 0.0, "reaction": 0}


@pytest.fixture(scope="module")
def world() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings=ROOM)


@pytest.mark.parametrize("split", ["train", "held_out"])
def test_it_asks_again_after_success_in_other_words_and_of_its_split_only(world: Playhouse, split: str) -> None:
    setter = ScriptedSetter(tasks=("exist", "color"), split=split, pause=(1, 3))
    play(world, setter, ScriptedSolver.perfect(), 1, steps=120)
    texts = [spec.instruction for _, spec in setter.requests]
    assert len(texts) >= 3 and all(a != b for a, b in zip(texts, texts[1:], strict=False))
    assert {is_held_out(spec.name, spec.arguments) for _, spec in setter.requests} == {split == "held_out"}


def test_requests_are_noted_at_the_steps_of_their_utterances(world: Playhouse) -> None:
    setter = ScriptedSetter(first_request=(2, 5), pause=(1, 3))
    said = play(world, setter, ScriptedSolver.perfect(), 0, steps=80).said
    assert said == [(step, spec.instruction) for step, spec in setter.requests]
    assert 2 <= said[0][0] <= 5


def test_all_games_make_every_prompt_equally_likely() -> None:
    weights = weights_of("all games")
    assert set(weights) == set(language_games()) and weights == all_games()
    for prompt in {game.prompt for game in language_games().values()}:
        assert math.isclose(sum(weights[game.name] for game in language_games().values() if game.prompt == prompt), 1.0)
    mixed = weights_of({"all games": 2.0, "go": 1.0, "bring": 0.0})
    assert mixed["pick up"] == 2.0 and mixed["go"] == 1.0 and mixed["bring"] == 0.0


def test_modifiers_and_chains_are_asked_for_and_noted(world: Playhouse) -> None:
    setter = ScriptedSetter(["is there", "color of", "pick up"], patience=2, pause=(0, 0), modifiers=1.0)
    play(world, setter, Idle(), 0, 60)
    noted = [(s.arguments["modifier"], s.instruction) for _, s in setter.requests if "modifier" in s.arguments]
    assert len({name for name, _ in noted}) >= 4
    assert all(MODIFIERS[name].holds(words) for name, words in noted)
    setter = ScriptedSetter(["is there", "pick up"], patience=2, pause=(0, 0), chain=1.0)
    play(world, setter, Idle(), 0, 30)
    chained = sum(spec.name == "do then" for _, spec in setter.requests)
    assert chained >= len(setter.requests) / 2 >= 4  # now and then a small house offers none


def test_after_a_success_it_asks_about_the_same_thing(world: Playhouse) -> None:
    shares = {}
    for chance in (0.0, 1.0):
        again: list[bool] = []
        for seed in range(3):
            setter = ScriptedSetter(("go", "color"), pause=(1, 2), follow_on=chance)
            play(world, setter, ScriptedSolver.perfect(), seed, 100)
            asked = [(spec.name, spec.arguments["target"]) for _, spec in setter.requests]
            again += [a[1] == b[1] for a, b in zip(asked, asked[1:], strict=False) if a[0] == "go"]
        assert len(again) >= 6
        shares[chance] = sum(again) / len(again)
    assert shares[1.0] > shares[0.0] + 0.25


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"tasks": ("dance",)}, "dance"),
        ({"tasks": "go"}, "tasks"),
        ({"tasks": {"go": 0.0}}, "tasks"),
        ({"tasks": {"all games": -1}}, "tasks"),
        ({"split": "test"}, "test"),
        ({"pause": (5, 2)}, "pause"),
        ({"wander": 1.5}, "wander"),
        ({"patience": 0}, "patience"),
        ({"praise": 2}, "praise"),
        ({"correct_after": (5, 2)}, "correct_after"),
        ({"talk": "often"}, "talk"),
    ],
)
def test_impossible_setters_are_refused(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(WorldError, match=named):
        ScriptedSetter(**wrong)


def test_it_corrects_a_solver_that_takes_a_wrong_thing_and_is_understood(world: Playhouse) -> None:
    corrected = 0
    for seed in range(4):
        setter = ScriptedSetter(["lift"], first_request=(0, 0), follow_up=False, correct=1.0, correct_after=(3, 3))
        played = play(world, setter, ScriptedSolver(**ERRING), seed, 70)
        wrong = next((event for event in played.events if event.reason == "takes a wrong thing"), None)
        assert len(setter.requests) == 1 and setter.task is not None
        if wrong is None:
            continue
        corrections = [step for step, words in played.said if read_correction(words) is not None]
        assert corrections and corrections[0] - wrong.step == 3
        corrected += setter.task.succeeded
    assert corrected >= 3, "without a correction such a solver never succeeds"


def test_it_praises_and_talks_but_asks_for_the_same_in_the_same_moments(world: Playhouse) -> None:
    settings = {"tasks": ("exist", "color", "lift"), "first_request": (4, 6), "pause": (6, 8)}
    plain, friendly = ScriptedSetter(**settings), ScriptedSetter(**settings, praise=1.0, talk=1.0)
    play(world, plain, ScriptedSolver(), 1, 100)
    played = play(world, friendly, ScriptedSolver(), 1, 100)
    assert friendly.requests == plain.requests, "the solver goes on with what it does"
    others = played.besides(friendly)
    assert len(others) >= 3 and all(is_remark(words) for _, words in others)
    assert any(step < friendly.requests[0][0] for step, _ in others), "a greeting"
    for done in (event for event in played.events if "answers right" in event.reason or "lifted" in event.reason):
        assert done.step > 95 or any(1 <= step - done.step <= 3 for step, _ in others)


@pytest.mark.parametrize(
    ("name", "manner"),
    [("lift", "ask_again"), ("pick up", "ask_again"), ("is there", "ask_again"), ("lift", "encourage")],
)
def test_it_asks_an_idle_solver_again_in_other_words_or_encourages_it(world: Playhouse, name: str, manner: str) -> None:
    setter = ScriptedSetter([name], first_request=(0, 0), idle_after=(5, 5), **{manner: 1.0})
    again = [words for _, words in play(world, setter, Idle(), 0, 30).besides(setter)]
    assert len(setter.requests) == 1 and len(again) >= 3
    assert {is_remark(words) for words in again} == {manner == "encourage"}
    assert setter.requests[0][1].instruction not in again[:1] and len(set(again)) >= 2


@pytest.mark.parametrize(
    ("words", "colours", "kinds"),
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


def test_it_turns_to_what_it_speaks_of_and_walks_there(world: Playhouse) -> None:
    turned = near = tried = 0
    for seed in range(4):
        for face in (1.0, 0.0):
            setter = ScriptedSetter(["lift"], first_request=(0, 0), face=face, accompany=1.0 - face)
            play(world, setter, Idle(), seed, 30)
            me, at = world.avatar(SETTER), world.object_position(setter.requests[0][1].arguments["target"])
            turned += abs(bearing(me, at)) < math.radians(10.0)
            near += distance(me.position, at) <= 2.4
            tried += 1
    assert turned >= tried - 1 and near >= tried // 2


@pytest.fixture(scope="module")
def episode() -> Episode:
    """An episode with a setter that does everything, and a solver that often errs."""
    tasks = ["lift", "pick up", "put on", "is there", "color of"]
    setter: Any = ScriptedSetter(tasks, first_request=(3, 5), pause=(4, 8), patience=40, **EVERYTHING)
    solver: Any = ScriptedSolver(wrong_object=0.6, notice=0.0)
    plan = replayed.Plan("e", sample_config(0, **ROOM), setter, 0, 150, solver=solver)
    entry, solvers = registry.get("playhouse"), replayed.ScriptedSolvers(1)
    (recorded,) = replayed.play(entry, [Playhouse(6, 8)], [plan], solvers, threads=1)
    return recorded


def test_only_requests_are_recorded_as_requests(episode: Episode) -> None:
    said = {step: words for step, words in enumerate(episode.setter_utterance) if words}
    asked = {request.step: request.task.instruction for request in episode.requests}
    assert asked.items() < said.items() and len(asked) >= 3
    assert not any(is_remark(words) or read_correction(words) for words in asked.values())


def test_such_play_is_stored_and_replayed(episode: Episode, tmp_path: Any) -> None:
    store = ParquetStore(tmp_path / "play", create=True)
    store.write(episode)
    assert store.verify() == [] and episode.image is not None
    env = SetterReplay(Playhouse(6, 8), episode, truth=True)
    seen, info = env.reset()
    for step in range(len(episode)):
        assert seen["setter_text"] == episode.setter_text[step]
        np.testing.assert_array_equal(seen["image"], episode.image[step])
        seen, _, _, _, info = env.step(episode.solver_action(step))
    assert info["truth"].success_step == episode.success_step


def feasible(name: str, hands: str = "full") -> tuple[Playhouse, int, TaskSpec]:
    """Return a world, and the first seed at which a request of a game is feasible there, and the request."""
    world = Playhouse(height=8, width=8, hands=hands, settings={"preset": "room", "style": "furnished"})
    for seed in range(40):
        world.reset(seed=seed)
        spec = PLAYHOUSE.probe(name, world, seed, "train")
        if spec is not None:
            return world, seed, spec
    raise AssertionError(f"{name} is feasible nowhere")


@pytest.mark.parametrize("name", ["name what i point at", "hand over"])
def test_requests_that_need_the_setter_of_a_probe_can_be_fulfilled(name: str) -> None:
    world, seed, spec = feasible(name)
    for setter, able in ((ProbeSetter(spec), True), (replayed.ProbeSetter(spec, PLAYHOUSE.make_task(spec)), False)):
        played = play(world, setter, ScriptedSolver.perfect(), seed, spec.max_steps)
        assert (played.success is not None) == able, "one who stands does nothing of it"


@pytest.mark.parametrize("hands", ["simple", "full"])
def test_the_setter_of_a_probe_stands_still_where_it_has_no_part(hands: str) -> None:
    world, seed, spec = feasible("pick up", hands)
    setter: Any = ProbeSetter(spec)
    setter.reset(world, seed)
    first, second = setter.act({}), setter.act({})
    assert (first["utterance"], second["utterance"]) == (spec.instruction, "")
    for action in (first, second):
        assert np.array_equal(action["movement"], world.body.silent()["movement"])
