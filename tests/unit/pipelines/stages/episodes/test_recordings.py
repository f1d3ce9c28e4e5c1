"""Reading of recordings: the episodes and kinds that are wanted, mixed by weight, with frames where they are needed."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pipelines.stages.executors
from pipelines.cli.main import main
from pipelines.stages.episodes.division import set_aside
from pipelines.stages.episodes.play_kinds import PlayKinds, find_groups, play_kinds_of
from pipelines.stages.episodes.recordings import find_episodes, read_episodes
from pipelines.stages.executors import make_executor, runner_on_ray
from pipelines.stages.improve import held_out_episodes
from pipelines.stages.improve_config import ImproveConfig
from rlhf.data.source import Source
from rlhf.records.episode import Episode
from rlhf.run.tracking import read_metrics
from rlhf.store import MemoryStore, ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.stages.small_training import Complaint
from worlds.errors import UserError
from worlds.settings import validated

PLAYED = {"human:ann": False, "human:bob": False, "agent:bc": False, "agent:other": True, "scripted": False}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes of everybody; the other agent's with a co-pilot at the end of each."""
    store = open_store(tmp_path_factory.mktemp("kinds") / "data", create=True)
    for place, (solver, helped) in enumerate(PLAYED.items()):
        for number in range(3):
            made = synthetic_episode(10 * place + number, 8, 12, 16)
            controller = made.controller if helped else np.zeros(8, np.uint8)
            store.write(replace(made, solver=solver, controller=controller))
    return store.folder


def test_play_kinds_follow_from_the_record(data: Path) -> None:
    sources = find_episodes([data])
    found = dict(zip((source.solver for source in sources), play_kinds_of(sources), strict=True))
    assert found == {
        "human:ann": "human", "human:bob": "human", "agent:bc": "agent", "agent:other": "agent+co-pilot",
        "scripted": "scripted",
    }  # fmt: skip


def test_groups(data: Path) -> None:
    groups = find_groups([data], "train", "scripted", {"human": 1, "agent+co-pilot": 0.5})
    assert [(group.kind, group.weight, len(group.sources)) for group in groups] == [
        ("human", 1.0, 6), ("agent+co-pilot", 0.5, 3),
    ]  # fmt: skip
    (alone,) = find_groups([data], "train", "scripted", {})
    assert alone.kind == "" and [source.solver for source in alone.sources] == ["scripted"] * 3
    with pytest.raises(UserError, match="no episodes of kind 'robot'; there are 6 human, 3 agent, 3 agent.co-pilot"):
        find_groups([data], "train", None, {"robot": 1.0})


@pytest.mark.parametrize("text", ["{", "{1}", '{"human": 0}', '{"human": "many"}', '{"human": NaN}'])
def test_weights_that_cannot_be(text: str, complaint: Complaint) -> None:
    with pytest.raises(UserError):
        validated(PlayKinds, text)
    assert "kinds" in complaint("clone", f"--kinds={text}")


def test_an_agent_learns_from_several_play_kinds_in_memory_and_on_disk_and_its_run_is_resumed(
    data: Path, tmp_path: Path, complaint: Complaint
) -> None:
    kinds = '--kinds={"human": 1, "agent+co-pilot": 0.5}'
    words = ["clone", f"--data={data}", kinds, f"--runs={tmp_path}", "--held-out=0.3", "--wandb=disabled"]
    words += ["--training.steps=3", "--training.log-every=1", "--training.evaluate-every=2", "--training.batch=4"]
    streamed = "--reading.in-memory-gb=0"
    assert main([*words, "--name=memory", "--training.updates=4"]) == 0
    assert main([*words, "--name=disk", "--training.updates=4", streamed]) == 0
    assert main([*words, "--name=parts", "--training.updates=2", streamed]) == 0
    assert main(["clone", f"--resume={tmp_path / 'parts'}", "--training.updates=4"]) == 0
    ends = [(tmp_path / name / "agent" / "model.safetensors").read_bytes() for name in ("memory", "disk")]
    assert ends[0] == ends[1]
    rows = read_metrics(tmp_path / "memory")
    assert {"bc_held_out/movement", "bc/movement"} <= rows[-1].keys() and np.isfinite(list(rows[-1].values())).all()
    assert "kinds" in complaint("clone", f"--resume={tmp_path / 'parts'}", "--kinds={}")


def sources(*played: tuple[str, str, int]) -> tuple[Source, ...]:
    """So many episodes of each (dataset, solver)."""
    stores = {name: MemoryStore() for name, _, _ in played}
    return tuple(
        Source(stores[name], f"{name}-{solver}-{number}", 6, solver)
        for name, solver, count in played
        for number in range(count)
    )


def test_every_solver_and_dataset_is_validated_on() -> None:
    alike = sources(("a", "scripted", 40))
    assert set_aside(alike, 0.1) == list(alike[:4]), "as clones of one solver were always validated"
    for play in (sources(("a", "human", 20), ("a", "scripted", 20)), sources(("a", "human", 20), ("b", "human", 20))):
        chosen = set_aside(play, 0.1)
        assert [play.index(source) for source in chosen] == [0, 10, 20, 30]
    assert set_aside(alike, 0.0) == [] and len(set_aside(alike, 0.001)) == 1
    assert set_aside(alike[:1], 0.5) == [] and len(set_aside(alike[:2], 0.9)) == 1


# Frames


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = open_store(tmp_path_factory.mktemp("recordings") / "data", create=True)
    for number in range(6):
        made = synthetic_episode(number, 20, 72, 96)
        store.write(replace(made, split="held_out" if number % 2 else "train"))
    return store.folder


def test_episodes_without_frames_are_the_same_but_for_those(split: Path) -> None:
    for with_frames, without in zip(read_episodes([split]), read_episodes([split], frames=False), strict=True):
        assert with_frames.image.any() and not without.image.any() and without.image.shape == with_frames.image.shape
        assert without.image.strides == (0, 0, 0, 0)
        for field in fields(Episode):
            one, other = (getattr(episode, field.name) for episode in (with_frames, without))
            assert field.name == "image" or np.array_equal(one, other), field.name


def test_only_the_requested_episodes_are_read(split: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    real = ParquetStore.read
    monkeypatch.setattr(ParquetStore, "read", lambda store, name: read.append(name) or real(store, name))
    config = ImproveConfig(data=(split,), replay=None)
    episodes = held_out_episodes(config, 2)
    assert [episode.episode_id for episode in episodes] == sorted(read) and len(read) == 2
    assert all(episode.split == "held_out" and episode.image.any() for episode in episodes)
    assert not any(episode.image.any() for episode in held_out_episodes(config, 2, frames=False))


def test_improvement_holds_no_frames(split: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Episode] = []

    def runner(config: Any, agent: Any, tokenizer: Any, episodes: list[Episode], *rest: Any) -> Any:
        given.extend(episodes)
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr(pipelines.stages.executors, "make_runner", runner)
    monkeypatch.setattr(pipelines.stages.executors, "make_learner", lambda *_: (None, None))
    monkeypatch.setattr(pipelines.stages.executors, "LocalExecutor", lambda *_: None)
    monkeypatch.setattr(pipelines.stages.executors, "load_agent", lambda *_, **__: (None, None))
    config = ImproveConfig(data=(split,), replay=None)
    make_executor(config, None, None)  # type: ignore[arg-type]
    runner_on_ray(config, 0, 0)
    assert len(given) == 6 and not any(episode.image.any() for episode in given)
