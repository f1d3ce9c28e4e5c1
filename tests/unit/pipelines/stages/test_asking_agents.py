"""Recording with an agent as the setter: valid recordings like all others, with scripted solvers and with agents."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.folder import load_agent, save_agent
from annotation.viewer.index import Filters, Index
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.replay.setter_replay import SetterReplay
from rlhf.replay.setter_side import setter_side
from rlhf.replay.views import recreated_views
from rlhf.store import open_store
from worlds.contract import SETTER
from worlds.errors import UserError

ROOM = {"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3], "kinds": ["ball", "block"], "colours": ["red", "blue"]}
WORLD = WorldConfig(height=12, width=16, settings=ROOM)
PLAYERS = PlayersConfig(tasks={"exist": 1.0}, setter={"first_request": [0, 0], "follow_up": False})


def cloned(here: Path, **others: Any) -> Path:
    training = CloningConfig(updates=2, steps=4, batch=2)
    settings = CloneConfig(data=(here / "data",), runs=here, wandb="disabled", held_out=0.0, training=training)
    return clone(replace(settings, **others))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with "data", a "solver", and a talkative "setter" that knows one sentence, with and without prompts."""
    here = tmp_path_factory.mktemp("made")
    recording = RecordConfig(data=here / "data", episodes=4, steps=6, workers=1, split="train", world=WORLD)
    record(replace(recording, players=PLAYERS))
    cloned(here, name="solver", role="solver")
    training = CloningConfig(
        updates=120, steps=6, batch=4, learning_rate=5e-3, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )
    agent, tokenizer = load_agent(cloned(here, name="setter", role="setter", training=training), role=SETTER)
    agent.config.prompted = True
    save_agent(agent, tokenizer, here / "prompted" / "agent")
    shutil.copy(here / "setter/agent/play_settings.json", here / "prompted/agent")
    return here


def settings(made: Path, into: Path, **others: Any) -> RecordConfig:
    setter = Path(f"agent:{made / 'setter' / 'agent'}")
    return replace(RecordConfig(data=into, episodes=3, steps=8, slots=2, setters=setter, split="train"), **others)


def recorded(folder: Path) -> list[Episode]:
    store = open_store(folder)
    return list(store.stream(sorted(store.ids())))


@pytest.mark.parametrize("solver", ["scripted", "agent"])
def test_recordings_are_like_all_others(
    made: Path, tmp_path: Path, solver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(made / "solver" / "agent") if solver == "agent" else "scripted"
    record(settings(made, tmp_path / "asked", solver=folder))
    err = capsys.readouterr().err
    episodes = recorded(tmp_path / "asked")
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
    replay = SetterReplay(WORLD.make(1)[0], episodes[0], truth=True)
    replay.reset()
    for step in range(len(episodes[0])):
        *_, info = replay.step(episodes[0].solver_action(step))
    assert info["truth"].success_step == episodes[0].success_step
    mark(MarkConfig(data=tmp_path / "asked"))
    index = Index(tmp_path / "look.sqlite")
    assert index.update("asked", open_store(tmp_path / "asked")) == 3
    assert len(index.find("asked", Filters(words="ball"))) == sum(
        "ball" in " ".join(e.setter_utterance) for e in episodes
    )


def test_the_same_command_completes_a_recording_and_other_weights_are_refused(made: Path, tmp_path: Path) -> None:
    one = record(settings(made, tmp_path / "one"))
    assert record(settings(made, tmp_path / "one")) == one
    record(settings(made, tmp_path / "two"))
    pairs = zip(recorded(tmp_path / "one"), recorded(tmp_path / "two"), strict=True)
    assert all(a.setter_utterance == b.setter_utterance and (a.image == b.image).all() for a, b in pairs)
    other = tmp_path / "setter" / "agent"
    agent, tokenizer = load_agent(made / "setter" / "agent", role=SETTER)
    with torch.no_grad():
        next(iter(agent.parameters())).add_(1.0)
    save_agent(agent, tokenizer, other)
    with pytest.raises(UserError, match="recorded with other settings, or by another agent"):
        record(settings(made, tmp_path / "one", setters=Path(f"agent:{other}"), world=WORLD))


def test_prompted_setters_are_prompted_and_their_prompts_recorded(made: Path, tmp_path: Path) -> None:
    setters = Path(f"agent:{made / 'prompted' / 'agent'}")
    record(settings(made, tmp_path / "asked", setters=setters))
    notes = [episode.notes["prompt"] for episode in recorded(tmp_path / "asked")]
    assert all(note["text"] and note["group"] in ("instruction", "question") for note in notes)
    assert len({json.dumps(note) for note in notes}) > 1


def test_what_is_no_setter_of_this_world_is_refused(made: Path, tmp_path: Path) -> None:
    solver, setter = Path(f"agent:{made / 'solver' / 'agent'}"), Path(f"agent:{made / 'setter' / 'agent'}")
    with pytest.raises(UserError, match="in the role of the solver, not of the setter"):
        record(settings(made, tmp_path / "asked", setters=solver))
    with pytest.raises(UserError, match="was made for images of 12x16 pixels, the world's are 24x32"):
        record(settings(made, tmp_path / "asked", setters=setter, world=replace(WORLD, height=24, width=32)))
    with pytest.raises(UserError, match="nowhere is not an agent's folder"):
        record(settings(made, tmp_path / "asked", setters=Path("agent:nowhere")))


def test_agents_are_evaluated_on_what_it_asks(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = {"perfect": "perfect", "bc": str(made / "solver" / "agent")}
    asked = EvaluateConfig(
        agents=agents, episodes=6, slots=3, setters=f"agent:{made / 'setter' / 'agent'}", setter_steps=30,
        out=tmp_path / "r.json", baseline="bc", world=WORLD,
    )  # fmt: skip
    results = {result.agent: result for result in evaluate(asked)}
    err = capsys.readouterr().err
    assert "success at 6 first requests of a learned setter, 95% intervals:\n  learned setter perfect" in err
    perfect, bc = results["perfect"], results["bc"]
    assert perfect.probe == "learned setter" and perfect.seeds == bc.seeds and len(set(bc.seeds)) == 6
    assert perfect.difference is not None and sum(perfect.success) > sum(bc.success)
    assert all(step is None or step < 30 for step in perfect.steps)
    monkeypatch.setattr("pipelines.stages.evaluate.probe_episodes", None)
    assert evaluate(asked) == list(results.values()), "nothing is played again"
    with pytest.raises(UserError, match="setters"):
        evaluate(replace(asked, setter_steps=31))
    with pytest.raises(UserError, match="setters"):
        evaluate(replace(asked, setters=None))
    with pytest.raises(UserError, match="leave out --probes or --setters"):
        replace(asked, probes=("go",))
    with pytest.raises(UserError, match="setters are agent:FOLDER, or None for probes, not 'scripted'"):
        replace(asked, setters="scripted")
    with pytest.raises(UserError, match="in the role of the solver, not of the setter"):
        evaluate(replace(asked, setters=f"agent:{agents['bc']}", out=tmp_path / "other.json"))


def test_what_cannot_be_read_counts_as_not_fulfilled(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = replace(WORLD.entry(), read_request=None)
    monkeypatch.setattr(WorldConfig, "entry", lambda _: deaf)
    setters, agents = f"agent:{made / 'setter' / 'agent'}", {"perfect": "perfect"}
    (result,) = evaluate(EvaluateConfig(agents, episodes=2, setters=setters, out=tmp_path / "r.json", world=WORLD))
    assert result.success == (False, False)
    assert "in 2 of 2 episodes of perfect the setter made no request that can be checked" in capsys.readouterr().err
