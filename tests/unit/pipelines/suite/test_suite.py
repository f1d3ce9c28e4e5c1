"""Suites: sampled evenly, frozen, and continued exactly from the recording."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.acting import AgentSolvers
from agents.agent import InteractiveAgent
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.judge import JudgeSuiteConfig, judge_suite
from pipelines.suite.make import MakeSuiteConfig, draw, make_suite, scenarios_of
from pipelines.suite.play import PlaySuiteConfig, play_suite
from pipelines.suite.request_kinds import INSTRUCTION, KINDS, QUESTION
from pipelines.suite.scenarios import Scenario, load_suite, save_suite, silence_after
from rlhf.records.episode import AGENT, CO_PILOT, Episode
from rlhf.store import ParquetStore, open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.shared_play import share_play
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError

LIMIT_STEPS = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded play, a suite of it, and an agent that has learned nothing."""
    folder = tmp_path_factory.mktemp("suite")
    room = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
    world = WorldConfig(height=12, width=16, settings=room)
    record(RecordConfig(data=folder / "play", episodes=3, steps=150, workers=1, world=world))
    make_suite(MakeSuiteConfig(folder / "play", folder / "suite.json", scenarios=4, steps=LIMIT_STEPS))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([folder / "play"])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, folder / "agent")
    return folder


def settings(folder: Path, data: Path, **changes: object) -> PlaySuiteConfig:
    agents = {"tiny": str(folder / "agent"), "recorded": "recorded", "shown": "perfect"}
    config = PlaySuiteConfig(folder / "suite.json", None, data, agents, continuations=2, slots=3)
    return replace(config, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def played(folder: Path) -> dict[str, Episode]:
    """All continuations, by id."""
    ids = play_suite(settings(folder, folder / "sts"))
    return dict(zip(ids, open_store(folder / "sts").stream(ids), strict=True))


def of_agent(played: dict[str, Episode], agent: str) -> Iterator[tuple[Episode, dict]]:
    for episode in played.values():
        if episode.notes["scenario"]["agent"] == agent:
            yield episode, dict(episode.notes["scenario"])


# -- scenarios -------------------------------------------------------------------------------------------------------


def scenario(name: str, kind: str, episode: str, co_piloted: bool = False) -> Scenario:
    return Scenario(name, episode, 4, 5, 20, kind, "words", "scripted", co_piloted, 20, "")


def test_scenarios_are_spread_over_kinds_and_episodes_and_those_with_a_take_over_come_first() -> None:
    asked = [scenario(f"{i}", INSTRUCTION, f"e{i % 5}") for i in range(90)]
    questions = [scenario(f"q{i}", QUESTION, f"e{i % 3}", co_piloted=True) for i in range(30)]
    drawn = draw([*asked, *questions[:9]], 20, "equal")
    assert Counter(one.kind for one in drawn) == {INSTRUCTION: 11, QUESTION: 9}  # nine are all that there are
    assert max(Counter(one.episode for one in draw(asked, 20, "equal")).values()) == 4
    drawn = draw([*asked, *questions], 40, "proportional")
    assert Counter(one.kind for one in drawn) == {INSTRUCTION: 30, QUESTION: 10}
    taken = [scenario(f"t{i}", INSTRUCTION, f"e{i}", co_piloted=True) for i in range(3)]
    assert {one.name for one in draw(asked + taken, 4, "proportional")} >= {"t0", "t1", "t2"}


def test_requests_of_people_and_take_overs_are_found() -> None:
    said = {3: "lift the duck please", 20: "thanks", 30: "how many chairs are there", 57: "go on then"}
    base = synthetic_episode(0, steps=60, height=6, width=8)
    words = tuple(said.get(step, "") for step in range(60))
    controller = np.zeros(60, np.uint8)
    controller[40:45] = CO_PILOT
    none = {"requests": (), "success_step": (), "truth": ()}
    episode = replace(base, setter="person", setter_utterance=words, controller=controller, **none)
    found = list(scenarios_of(episode, steps=10, room=8, kinds={"lift the duck please": QUESTION}))
    values = [(one.request_step, one.step, one.kind, one.co_piloted, one.recorded) for one in found]
    assert values == [(3, 4, QUESTION, False, 17), (30, 31, QUESTION, True, 27)]  # "thanks" is none, 57 leaves no room
    called_none = replace(episode, notes={**episode.notes, "no_requests": [30]})
    assert [one.request_step for one in scenarios_of(called_none, steps=10, room=8)] == [3]
    scripted = replace(episode, setter="scripted")
    assert not list(scenarios_of(scripted, steps=10, room=8)), "a scripted setter has told what its requests are"
    assert list(scenarios_of(episode, steps=1120, room=8)) == [replace(found[0], limit=1120, kind=INSTRUCTION)]


def test_a_suite_is_the_same_from_the_same_seed(folder: Path, tmp_path: Path) -> None:
    suite = load_suite(folder / "suite.json")
    config = MakeSuiteConfig(folder / "play", tmp_path / "again.json", scenarios=4, steps=LIMIT_STEPS)
    assert make_suite(config).id == suite.id
    other = make_suite(replace(config, out=tmp_path / "other.json", seed=1))
    assert {one.name for one in other.scenarios} == {f"s{i:03d}" for i in range(4)}
    assert all(one.kind in KINDS and one.limit == LIMIT_STEPS for one in suite.scenarios)


def test_a_suite_is_never_changed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="exists, and a suite is never changed"):
        make_suite(MakeSuiteConfig(folder / "play", folder / "suite.json"))
    suite, path = load_suite(folder / "suite.json"), tmp_path / "suite.json"
    save_suite(replace(suite, scenarios=(replace(suite.scenarios[0], limit=9), *suite.scenarios[1:])), path)
    with pytest.raises(UserError, match="was changed since it was made"):
        load_suite(path)
    save_suite(replace(suite, recordings=replace(suite.recordings, folder="elsewhere")), path)
    assert load_suite(path).id == suite.id  # moving the recordings changes nothing


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nothing", "no suite"),
        ('{"version": 2}', "version 2, this program knows 1"),
        ('{"version": 1}', "damaged"),
    ],
)
def test_a_file_that_is_no_suite_is_refused(wrong: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text(wrong)
    with pytest.raises(UserError, match=message):
        load_suite(tmp_path / "suite.json")


def test_kinds_of_requests_can_be_overridden(folder: Path, tmp_path: Path) -> None:
    first, kinds = load_suite(folder / "suite.json").scenarios[0], tmp_path / "kinds.json"
    other = INSTRUCTION if first.kind == QUESTION else QUESTION
    kinds.write_text(json.dumps({first.words: other}))
    config = MakeSuiteConfig(folder / "play", tmp_path / "s.json", 99, LIMIT_STEPS, kinds=kinds)
    assert {one.kind for one in make_suite(config).scenarios if one.words == first.words} == {other}
    kinds.write_text('{"x": "chat"}')
    with pytest.raises(UserError, match="kinds are instruction-following and question-answering"):
        make_suite(replace(config, out=tmp_path / "t.json"))


# -- continuations ---------------------------------------------------------------------------------------------------


def test_the_context_replays_the_recording_bit_exactly(folder: Path, played: dict[str, Episode]) -> None:
    recordings = open_store(folder / "play")
    assert len(played) == 4 * (2 + 1 + 2)
    for episode in played.values():
        about = episode.notes["scenario"]
        before, step, recorded = slice(about["step"]), about["step"], recordings.read(about["episode"])
        assert len(episode) == step + LIMIT_STEPS and episode.split == "held_out"
        assert np.array_equal(episode.image[: step + 1], recorded.image[: step + 1])
        for name in ("movement", "setter_movement"):
            assert np.array_equal(getattr(episode, name)[before], getattr(recorded, name)[before])
        for name in ("utterance", "setter_utterance", "setter_text", "solver_text"):
            assert getattr(episode, name)[before] == getattr(recorded, name)[before]
        assert episode.setter_utterance[step - 1] == about["request"] == episode.setter_text[step]
        assert not any(episode.setter_utterance[step:])
        assert (episode.controller[before] == CO_PILOT).all() and (episode.controller[step:] == AGENT).all()
    for episode, about in of_agent(played, "recorded"):  # it repeats its actions and observations
        recorded = recordings.read(about["episode"])
        end = min(len(episode), len(recorded), silence_after(recorded, about["request_step"]) + 1)
        assert end > about["step"] and episode.solver == recorded.solver
        for name in ("image", "movement"):
            assert np.array_equal(getattr(episode, name)[:end], getattr(recorded, name)[:end])
        assert episode.utterance[:end] == recorded.utterance[:end] and not any(episode.utterance[end:])


def test_the_agent_observes_the_context_before_it_acts(folder: Path, tmp_path: Path) -> None:
    """An agent that observes the continuation from its first step, with the solver's movement as its own previous one,
    acts as the continuation does after the take-over."""
    config = settings(folder, tmp_path / "sts", agents={"tiny": str(folder / "agent")}, slots=1, continuations=1)
    ids = play_suite(config)
    for episode in open_store(tmp_path / "sts").stream(ids):
        agent, tokenizer = load_agent(folder / "agent")
        seed = int.from_bytes(hashlib.sha256(f"0 {episode.episode_id}".encode()).digest()[:7], "big")
        solver = AgentSolvers(agent, tokenizer, 1, seed=seed)
        before = episode.previous_movement()
        for step in range(len(episode)):
            seen = {
                "image": episode.image[step], "setter_text": episode.setter_text[step],
                "solver_text": episode.solver_text[step], "previous_movement": before[step],
            }  # fmt: skip
            (action,) = solver.act([seen], np.array([step == 0]))  # type: ignore[list-item]
            if step >= episode.notes["scenario"]["step"]:
                assert np.array_equal(action["movement"], episode.movement[step])
                assert action["utterance"] == episode.utterance[step]


def test_continuations_differ_and_a_stand_in_succeeds(played: dict[str, Episode]) -> None:
    by_scenario: dict[str, list[bytes]] = {}
    for episode, about in of_agent(played, "tiny"):
        by_scenario.setdefault(about["name"], []).append(episode.movement[about["step"] :].tobytes())
    assert all(len(set(moves)) == 2 for moves in by_scenario.values())
    done = []
    for episode, about in of_agent(played, "shown"):
        index = [request.step for request in episode.requests].index(about["request_step"])
        done.append(episode.success_step[index] is not None)
    assert sum(done) >= len(done) / 2


def test_an_interrupted_play_resumes_to_the_same(
    folder: Path, played: dict[str, Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, config = open_store(tmp_path / "sts", create=True), settings(folder, tmp_path / "sts")
    write = ParquetStore.write
    for after in (2, 3, 1, 4):  # continuations between one interruption and the next
        left = iter(range(after))

        def write_or_stop(store: ParquetStore, episode: Episode, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            write(store, episode)

        with monkeypatch.context() as patch:
            patch.setattr(ParquetStore, "write", write_or_stop)
            with pytest.raises(KeyboardInterrupt):
                play_suite(config)
    assert 10 <= len(store) < len(played)
    ids = play_suite(config)
    assert ids == list(played)
    for episode in store.stream(ids):
        assert same_episode(episode, replace(played[episode.episode_id], created=episode.created))
    assert play_suite(config) == ids  # nothing is left to do


def test_datasets_of_something_else_are_refused(folder: Path, played: dict[str, Episode], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="continuations by tiny that were played with other settings"):
        play_suite(settings(folder, folder / "sts", seed=1))
    with pytest.raises(UserError, match="holds recorded play; name another dataset"):
        play_suite(settings(folder, folder / "play"))
    with pytest.raises(UserError, match="holds the continuations of a suite"):
        make_suite(MakeSuiteConfig(folder / "sts", tmp_path / "s.json"))


def test_other_recordings_are_refused(folder: Path, tmp_path: Path) -> None:
    other = open_store(tmp_path / "play", create=True)
    with pytest.raises(UserError, match="is not the dataset that the suite was made from"):
        play_suite(settings(folder, tmp_path / "sts", recordings=other.folder))
    share_play(folder / "play", tmp_path / "copy")  # made like the original, but with one movement changed
    copy, name = open_store(tmp_path / "copy"), load_suite(folder / "suite.json").scenarios[0].episode
    episode = copy.read(name)
    movement = episode.movement.copy()
    movement[0, 0, 0] = (movement[0, 0, 0] + 1) % 3
    copy.drop([name])
    copy.write(replace(episode, movement=movement))
    with pytest.raises(UserError, match="is not the one that scenario"):
        play_suite(settings(folder, tmp_path / "sts", recordings=copy.folder))


def test_a_changed_world_is_refused(folder: Path, tmp_path: Path) -> None:
    suite = load_suite(folder / "suite.json")
    changed = replace(suite, recordings=replace(suite.recordings, options={"fov_y_deg": 40}), id="")
    save_suite(replace(changed, id=changed.fingerprint), tmp_path / "suite.json")
    with pytest.raises(UserError, match=r"does not replay: step 0 looks different.* the world has changed"):
        play_suite(settings(folder, tmp_path / "sts", suite=tmp_path / "suite.json"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": {}}, "no agents to play"),
        ({"agents": {"A": "nowhere"}}, "nowhere.* is missing"),
        ({"agents": {"a/b": "x"}}, "letters, digits"),
        ({"suite": Path("nowhere.json")}, "holds no suite"),
    ],
)
def test_errors_are_raised_before_anything_is_played(
    changes: dict[str, object], message: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        play_suite(settings(folder, tmp_path / "sts", **changes))
    assert not (tmp_path / "sts").exists()


# -- stand-ins for judges --------------------------------------------------------------------------------------------


def test_scripted_judges_read_the_truth_and_err_at_the_given_rate(folder: Path, played: dict[str, Episode]) -> None:
    exact = judge_suite(JudgeSuiteConfig(folder / "sts", wrong=0.0, late=(0, 0)))
    for judgement in exact:
        episode = played[judgement.episode_id]
        about = episode.notes["scenario"]
        done = episode.success_step[[request.step for request in episode.requests].index(about["request_step"])]
        assert judgement.success == (done is not None) and judgement.scripted
        # What is done at a step is seen at the next one; a judgement is never after the end.
        seen = None if done is None else min(max(done + 1, about["step"]), len(episode) - 1)
        assert judgement.step == seen
    wrong = judge_suite(JudgeSuiteConfig(folder / "sts", wrong=1.0))
    assert [one.success for one in wrong] == [not one.success for one in exact]
    assert set(open_store(folder / "sts").judgements()) == {*exact, *wrong}
