"""Agents in the role of the setter: what they learn from, what is kept of it, and where they are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import pipelines as rl
from agents.acting import AgentSetters
from agents.card import CARD_FILE
from agents.folder import load_agent
from agents.roles import read_as_setter
from pipelines.cli.main import main
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.setter_sides import setter_sides
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.data.memory import encode_episodes
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.replay.setter_side import SIDE_OF, setter_side
from rlhf.run.config import lock_file
from rlhf.store import open_store
from rlhf.store.parquet import SETTER_SIDES
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError

ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
WORLD = WorldConfig(height=12, width=16, settings=ROOM)
PLAYERS = PlayersConfig(
    tasks={"go": 1.0, "lift": 1.0}, setter=json.dumps({"first_request": [2, 2], "follow_up": False, "wander": 0.5})
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


def played_again(agent: Path, episodes: Sequence[Episode]) -> list[list[str]]:
    """What the agent says as the setter of the places of ``episodes``, beside the recorded solvers."""
    network, tokenizer = load_agent(agent, role=SETTER)
    setters = AgentSetters(network, tokenizer, len(episodes), greedy=True)
    worlds = [WORLD.entry().make(height=12, width=16, views=(SETTER,)) for _ in episodes]
    seen = [
        w.reset(seed=0, options={"config": dict(e.config)})[0][SETTER] for w, e in zip(worlds, episodes, strict=True)
    ]
    said: list[list[str]] = [[] for _ in episodes]
    for step in range(len(episodes[0])):
        actions = setters.set(seen, [""] * len(episodes), np.array([step == 0] * len(episodes)))
        for number, (world, episode, action) in enumerate(zip(worlds, episodes, actions, strict=True)):
            said[number].append(action["utterance"])
            recorded = {SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)}
            seen[number] = world.step(recorded)[0][SETTER]
    return said


def test_it_learns_by_heart_what_was_asked_and_when(data: Path) -> None:
    training = CloningConfig(
        updates=220, steps=7, batch=3, learning_rate=5e-3, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )
    agent = clone(settings(data, training=training))
    store = open_store(data)
    episodes = list(store.stream(sorted(store.ids())))
    assert len({words for episode in episodes for words in episode.setter_utterance}) > 2
    assert played_again(agent, episodes) == [list(episode.setter_utterance) for episode in episodes]


def test_a_setter_learns_further(data: Path) -> None:
    first = clone(settings(data))
    further = clone(settings(data, name="further", agent=first))
    (before, _), (after, _) = (rl.load_agent(agent, role=SETTER) for agent in (first, further))
    assert after.config.role == SETTER
    assert any(not torch.equal(weights, after.state_dict()[name]) for name, weights in before.state_dict().items())
    with pytest.raises(UserError, match="in the role of the setter, not of the solver"):
        rl.load_agent(further)


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
    episode = replace(episode, notes=episode.notes | {"prompt": PROMPT})
    agent = clone(settings(data))
    network, tokenizer = load_agent(agent, role=SETTER)
    side = setter_side(episode)
    learned = encode_episodes([side], tokenizer, network.config)
    world = WORLD.entry().make(height=12, width=16, views=(SETTER,))
    seen = world.reset(seed=0, options={"config": dict(episode.config)})[0]
    from agents.acting import observation_arrays

    for step in range(len(episode)):
        played = observation_arrays([read_as_setter(seen[SETTER], PROMPT["text"])], tokenizer, network.config)
        for name in ("image", "setter_tokens", "solver_tokens", "previous_movement"):
            np.testing.assert_array_equal(getattr(played, name)[0], getattr(learned, name)[step])
        seen = world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})[0]


def test_prompts_are_noted_and_their_words_known(data: Path) -> None:
    store, prompted = open_store(data), open_store(data.parent / "prompted", create=True)
    for episode in store.stream(store.ids()):
        prompted.write(replace(episode, setter="human:ann", notes=episode.notes | {"prompt": PROMPT}))
    agent, tokenizer = load_agent(clone(settings(prompted.folder, kinds='{"human": 1}')), role=SETTER)
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
    drawn("four")
    assert {side.episode_id for side in sides_of(data)} == {second, third}


def test_setters_who_said_again_what_another_said_teach_nothing(data: Path) -> None:
    store = open_store(data)
    store.write(replace(next(store.stream(store.ids())), episode_id="again", setter="replay:x"))
    clone(settings(data, solver=None))
    assert "again" not in {side.episode_id for side in sides_of(data)}


def test_an_interrupted_cloning_ends_in_the_same_weights(data: Path) -> None:
    whole = clone(settings(data, name="whole"))
    parts = clone(settings(data, name="parts", training=replace(SHORT, updates=2))).parent
    clone(settings(data, name="parts", resume=parts))
    weights = [(folder / "model.safetensors").read_bytes() for folder in (whole, parts / "agent")]
    assert weights[0] == weights[1]
    with pytest.raises(UserError, match="role is 'setter' in the run that is resumed"):
        clone(settings(data, name="parts", resume=parts, role="solver"))


def test_no_stage_takes_a_setter_for_a_solver(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"--data={data}", f"--runs={data.parent}", "--name=setter", "--wandb=disabled", "--training.updates=1"]
    assert main(["clone", "--role=setter", *words, "--training.steps=2", "--training.batch=2"]) == 0
    agent = data.parent / "setter" / "agent"
    capsys.readouterr()
    assert main(["evaluate", "--agents", "bc", str(agent), f"--out={data.parent / 'r.json'}"]) != 0
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert line.endswith(
        f"{agent} holds an agent in the role of the setter, not of the solver: name the folder of a solver "
        "(`rlhf clone` makes solvers)"
    )
    refused = "in the role of the setter, not of the solver"
    with pytest.raises(UserError, match=refused):
        record(RecordConfig(data=data.parent / "new", episodes=1, steps=2, solver=str(agent)))
    with pytest.raises(UserError, match=refused):
        reward(RewardConfig(data=(data,), agent=agent, runs=data.parent, wandb="disabled"))
    with pytest.raises(UserError, match=refused):
        improve(ImproveConfig(data=(data,), agent=agent, runs=data.parent, wandb="disabled", scripted_reward=True))
    with pytest.raises(UserError, match="not of the setter: name the folder of a setter"):
        load_agent(clone(settings(data, role="solver", name="solver")), role=SETTER)


def test_two_do_not_draw_the_same_and_a_folder_that_cannot_be_written_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = data / SETTER_SIDES
    sides.parent.mkdir()
    with lock_file(sides.with_name("setter.lock"), sides), pytest.raises(UserError, match="being written by process"):
        clone(settings(data))
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "no")))
    with pytest.raises(UserError, match="no permission to write what its setters saw"):
        setter_sides([data], "train", "scripted", "{}")
