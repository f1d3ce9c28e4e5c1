"""Agents in the role of the setter: what they learn from, how play is recorded with them, where they are refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.acting import observation_arrays
from agents.card import CARD_FILE
from agents.folder import load_agent, save_agent
from agents.roles import read_as_setter
from annotation.viewer.index import Filters, Index
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.setter_sides import setter_sides
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.data.memory import encode_episodes
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.replay.setter_replay import SetterReplay
from rlhf.replay.setter_side import SIDE_OF, setter_side
from rlhf.replay.views import recreated_views
from rlhf.run.config import lock_file
from rlhf.store import open_store
from rlhf.store.parquet import SETTER_SIDES
from tests.unit.pipelines.stages.small_training import Complaint
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError

ROOM = {"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]}
WORLD = WorldConfig(height=12, width=16, settings=ROOM)
PLAYERS = PlayersConfig(
    tasks={"go": 1.0, "lift": 1.0}, setter={"first_request": [2, 2], "follow_up": False, "wander": 0.5}
)
PROMPT = {"text": "Send the other player somewhere.", "modifier": ""}
SHORT = CloningConfig(updates=4, steps=4, batch=2, warmup=1, decay=1.0)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    record(
        RecordConfig(
            data=tmp_path / "data", episodes=3, steps=7, workers=1, split="train", world=WORLD, players=PLAYERS
        )
    )
    return tmp_path / "data"


def settings(data: Path, **others: Any) -> CloneConfig:
    fixed: dict[str, Any] = dict(
        data=(data,), role="setter", runs=data.parent, name="setter", wandb="disabled", held_out=0.0, training=SHORT,
        checkpoint_every=2,
    )  # fmt: skip
    return CloneConfig(**fixed | others)


def sides_of(data: Path) -> list[Episode]:
    store = open_store(data / SETTER_SIDES)
    return list(store.stream(sorted(store.ids())))


def test_the_folder_says_its_role(data: Path) -> None:
    agent = clone(settings(data))
    saved = json.loads((agent / "config.json").read_text())
    assert saved["role"] == "setter" and saved["prompted"] is False
    card = (agent / CARD_FILE).read_text()
    assert "**Role: setter.**" in card and "what the setters of recorded play did" in card
    assert f"`{data / SETTER_SIDES}`, imitated, 0% set aside for validation: 3 episodes, 21 steps" in card
    program = card.split("```python\n")[1].split("```")[0]
    exec(program.replace('"."', repr(str(agent))), {})
    solver = clone(settings(data, role="solver", name="solver"))
    assert "Role: setter" not in (solver / CARD_FILE).read_text()
    assert load_agent(solver)[0].config.role == "solver"


def test_it_sees_the_world_and_is_told_its_prompt_as_in_training(data: Path) -> None:
    """What an agent reads while it plays is what it learned from, to the last token."""
    episode = next(open_store(data).stream(open_store(data).ids()))
    episode = replace(episode, notes={**episode.notes, "prompt": PROMPT})
    agent = clone(settings(data))
    network, tokenizer = load_agent(agent, role=SETTER)
    side = setter_side(episode)
    learned = encode_episodes([side], tokenizer, network.config)
    world = WORLD.entry().make(height=12, width=16, views=(SETTER,))
    seen = world.reset(seed=0, options={"config": dict(episode.config)})[0]
    for step in range(len(episode)):
        played = observation_arrays([read_as_setter(seen[SETTER], PROMPT["text"])], tokenizer, network.config)
        for name in ("image", "setter_tokens", "solver_tokens", "previous_movement"):
            np.testing.assert_array_equal(getattr(played, name)[0], getattr(learned.observations, name)[step])
        seen = world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})[0]


def test_prompts_are_noted_and_their_words_known(data: Path) -> None:
    store, prompted = open_store(data), open_store(data.parent / "prompted", create=True)
    for episode in store.stream(store.ids()):
        prompted.write(replace(episode, setter="human:ann", notes={**episode.notes, "prompt": PROMPT}))
    agent, tokenizer = load_agent(clone(settings(prompted.folder, kinds={"human": 1})), role=SETTER)
    assert agent.config.prompted and tokenizer.knows("somewhere")
    assert agent.config.setter_text_length >= len(tokenizer.ids(PROMPT["text"]))
    assert "told at the beginning of every episode" in (data.parent / "setter/agent" / CARD_FILE).read_text()
    with pytest.raises(UserError, match=r"no episodes of the setter scripted in .*; setters .*: human:ann \(3\)"):
        clone(settings(prompted.folder, name="other"))


def test_what_setters_saw_is_drawn_once_and_follows_its_dataset(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def drawn(name: str) -> str:
        clone(settings(data, name=name))
        return capsys.readouterr().err

    store = open_store(data)
    first, second, third = sorted(store.ids())
    assert "3 episodes of" in drawn("one") and "replayed" not in drawn("two")
    prints = store.fingerprints()
    assert {side.episode_id: side.notes[SIDE_OF] for side in sides_of(data)} == prints
    changed = replace(store.read(second), setter_utterance=("go", *store.read(second).setter_utterance[1:]))
    store.drop([first, second])
    assert [side.episode_id for side in sides_of(data)] == [third], "who is dropped leaves nothing behind"
    store.write(replace(changed, setter_text=("", "go", *changed.setter_text[2:])))
    assert "1 episodes of" in drawn("three")
    assert sides_of(data)[0].utterance[0] == "go"
    other = replace(store.read(second), created="2000-01-01T00:00:00+00:00", episode_id="x")
    open_store(data / SETTER_SIDES).write(replace(setter_side(other), notes={SIDE_OF: "old"}))
    store.write(replace(store.read(third), episode_id="again", setter="replay:x"))
    clone(settings(data, name="four", solver=None))  # who said again what another said teaches nothing
    assert {side.episode_id for side in sides_of(data)} == {second, third}


def test_an_interrupted_cloning_ends_in_the_same_weights(data: Path) -> None:
    whole = clone(settings(data, name="whole"))
    parts = clone(settings(data, name="parts", training=replace(SHORT, updates=2))).parent
    clone(settings(data, name="parts", resume=parts))
    assert (whole / "model.safetensors").read_bytes() == (parts / "agent" / "model.safetensors").read_bytes()
    with pytest.raises(UserError, match="role is 'setter' in the run that is resumed"):
        clone(settings(data, name="parts", resume=parts, role="solver"))


def test_no_stage_takes_a_setter_for_a_solver(data: Path, complaint: Complaint) -> None:
    agent, solver = clone(settings(data)), clone(settings(data, role="solver", name="solver"))
    line = complaint("evaluate", "--agents", "bc", agent, f"--out={data.parent / 'r.json'}")
    refused = "in the role of the setter, not of the solver"
    assert f"{agent} holds an agent {refused}: name the folder of a solver (`rlhf clone` makes solvers)" in line
    given: dict[str, Any] = {"data": (data,), "agent": agent, "runs": data.parent, "wandb": "disabled"}
    with pytest.raises(UserError, match=refused):
        record(RecordConfig(data=data.parent / "new", episodes=1, steps=2, solver=str(agent)))
    with pytest.raises(UserError, match=refused):
        reward(RewardConfig(**given))
    with pytest.raises(UserError, match=refused):
        improve(ImproveConfig(**given, scripted_reward=True))
    with pytest.raises(UserError, match="not of the setter: name the folder of a setter"):
        load_agent(solver, role=SETTER)


def test_two_do_not_draw_the_same_and_a_folder_that_cannot_be_written_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = data / SETTER_SIDES
    sides.parent.mkdir()
    with lock_file(sides.with_name("setter.lock"), sides), pytest.raises(UserError, match="being written by process"):
        clone(settings(data))
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "no")))
    with pytest.raises(UserError, match="no permission to write what its setters saw"):
        setter_sides([data], "train", "scripted", {})


# Recording and evaluation with an agent as the setter


ASKED = PlayersConfig(tasks={"exist": 1.0}, setter={"first_request": [0, 0], "follow_up": False})
FEW = ROOM | {"kinds": ["ball", "block"], "colours": ["red", "blue"]}
SMALL_ROOM = replace(WORLD, settings=FEW)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with "data", a "solver", and a talkative "setter" that knows one sentence, with and without prompts."""
    here = tmp_path_factory.mktemp("made")
    recording = RecordConfig(data=here / "data", episodes=4, steps=6, workers=1, split="train", world=SMALL_ROOM)
    record(replace(recording, players=ASKED))
    clone(settings(here / "data", name="solver", role="solver"))
    training = CloningConfig(
        updates=120, steps=6, batch=4, learning_rate=5e-3, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )
    agent, tokenizer = load_agent(clone(settings(here / "data", training=training)), role=SETTER)
    agent.config.prompted = True
    save_agent(agent, tokenizer, here / "prompted" / "agent")
    shutil.copy(here / "setter/agent/play_settings.json", here / "prompted/agent")
    return here


def asking(made: Path, into: Path, **others: Any) -> RecordConfig:
    setter = Path(f"agent:{made / 'setter' / 'agent'}")
    return replace(RecordConfig(data=into, episodes=3, steps=8, slots=2, setters=setter, split="train"), **others)


def episodes_of(folder: Path) -> list[Episode]:
    store = open_store(folder)
    return list(store.stream(sorted(store.ids())))


@pytest.mark.parametrize("solver", ["scripted", "agent"])
def test_recordings_are_like_all_others(
    made: Path, tmp_path: Path, solver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(made / "solver" / "agent") if solver == "agent" else "scripted"
    record(asking(made, tmp_path / "asked", solver=folder))
    err = capsys.readouterr().err
    episodes = episodes_of(tmp_path / "asked")
    assert len(episodes) == 3 and open_store(tmp_path / "asked").verify() == []
    said = [words for episode in episodes for words in episode.setter_utterance if words]
    requests = [request for episode in episodes for request in episode.requests]
    assert said and requests and {request.task.name for request in requests} <= {"exist", "is there"}
    assert f"agent spoke {len(said)} times; {len(requests)} times it made a request that can be checked" in err
    for episode in episodes:
        assert episode.setter == "agent:setter" and "prompt" not in episode.notes
        assert episode.solver == ("agent:solver" if solver == "agent" else "scripted")
        assert sum(1 for _ in recreated_views(episode)) == len(episode), "it replays to the last bit"
        assert setter_side(episode).utterance == episode.setter_utterance
    replay = SetterReplay(SMALL_ROOM.make(1)[0], episodes[0], truth=True)
    replay.reset()
    *_, (*_, info) = (replay.step(episodes[0].solver_action(step)) for step in range(len(episodes[0])))
    assert info["truth"].success_step == episodes[0].success_step
    mark(MarkConfig(data=tmp_path / "asked"))
    index = Index(tmp_path / "look.sqlite")
    assert index.update("asked", open_store(tmp_path / "asked")) == 3
    with_ball = ["ball" in " ".join(episode.setter_utterance) for episode in episodes]
    assert len(index.find("asked", Filters(words="ball"))) == sum(with_ball)


def test_the_same_command_completes_a_recording_and_other_weights_are_refused(made: Path, tmp_path: Path) -> None:
    one = record(asking(made, tmp_path / "one"))
    assert record(asking(made, tmp_path / "one")) == one
    record(asking(made, tmp_path / "two"))
    pairs = zip(episodes_of(tmp_path / "one"), episodes_of(tmp_path / "two"), strict=True)
    assert all(a.setter_utterance == b.setter_utterance and (a.image == b.image).all() for a, b in pairs)
    other = tmp_path / "setter" / "agent"
    agent, tokenizer = load_agent(made / "setter" / "agent", role=SETTER)
    with torch.no_grad():
        next(iter(agent.parameters())).add_(1.0)
    save_agent(agent, tokenizer, other)
    with pytest.raises(UserError, match="recorded with other settings, or by another agent"):
        record(asking(made, tmp_path / "one", setters=Path(f"agent:{other}"), world=SMALL_ROOM))


def test_prompted_setters_are_prompted_and_their_prompts_recorded(made: Path, tmp_path: Path) -> None:
    setters = Path(f"agent:{made / 'prompted' / 'agent'}")
    record(asking(made, tmp_path / "asked", setters=setters))
    notes = [episode.notes["prompt"] for episode in episodes_of(tmp_path / "asked")]
    assert all(note["text"] and note["group"] in ("instruction", "question") for note in notes)
    assert len({json.dumps(note) for note in notes}) > 1


@pytest.mark.parametrize(
    ("setters", "size", "message"),
    [
        ("solver/agent", (12, 16), "in the role of the solver, not of the setter"),
        ("setter/agent", (24, 32), "was made for images of 12x16 pixels, the world's are 24x32"),
        ("nowhere", (12, 16), "nowhere is not an agent's folder"),
    ],
)
def test_what_is_no_setter_of_this_world_is_refused(
    made: Path, tmp_path: Path, setters: str, size: tuple[int, int], message: str
) -> None:
    world = replace(SMALL_ROOM, height=size[0], width=size[1])
    with pytest.raises(UserError, match=message):
        record(asking(made, tmp_path / "asked", setters=Path(f"agent:{made / setters}"), world=world))


def test_agents_are_evaluated_on_what_it_asks(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = {"perfect": "perfect", "bc": str(made / "solver" / "agent")}
    asked = EvaluateConfig(
        agents=agents, episodes=6, slots=3, setters=f"agent:{made / 'setter' / 'agent'}", setter_steps=30,
        out=tmp_path / "r.json", baseline="bc", world=SMALL_ROOM,
    )  # fmt: skip
    results = {result.agent: result for result in evaluate(asked)}
    err = capsys.readouterr().err
    assert "success at 6 first requests of a learned setter, 95% intervals:\n  learned setter perfect" in err
    perfect, bc = results["perfect"], results["bc"]
    assert perfect.probe == "learned setter" and perfect.seeds == bc.seeds and len(set(bc.seeds)) == 6
    assert perfect.difference is not None and sum(perfect.success) > sum(bc.success)
    assert all(step is None or step < 30 for step in perfect.steps)
    with monkeypatch.context() as patch:
        patch.setattr("pipelines.stages.evaluate.probe_episodes", None)
        assert evaluate(asked) == list(results.values()), "nothing is played again"
    for other in ({"setter_steps": 31}, {"setters": None}):
        with pytest.raises(UserError, match="setters"):
            evaluate(replace(asked, **other))
    with pytest.raises(UserError, match="leave out --probes or --setters"):
        replace(asked, probes=("go",))
    with pytest.raises(UserError, match="setters are agent:FOLDER, or None for probes, not 'scripted'"):
        replace(asked, setters="scripted")
    deaf = replace(SMALL_ROOM.entry(), read_request=None)  # what cannot be read counts as not fulfilled
    monkeypatch.setattr(WorldConfig, "entry", lambda _: deaf)
    config = replace(asked, agents={"perfect": "perfect"}, baseline=None, episodes=2, out=tmp_path / "deaf.json")
    (result,) = evaluate(config)
    assert result.success == (False, False)
    assert "in 2 of 2 episodes of perfect the setter made no request that can be checked" in capsys.readouterr().err
