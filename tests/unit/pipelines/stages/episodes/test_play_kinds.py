"""Kinds of recorded play, and batches that mix them by weight."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from pipelines.cli.main import main
from pipelines.stages.clone import set_aside
from pipelines.stages.episodes.play_kinds import find_groups, parse_play_kinds, play_kinds_of
from pipelines.stages.episodes.recordings import find_episodes
from rlhf.data.source import Source
from rlhf.run.tracking import read_metrics
from rlhf.store import MemoryStore, open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

PLAYED = {"human:ann": False, "human:bob": False, "agent:bc": False, "agent:other": True, "scripted": False}


@pytest.fixture(autouse=True)
def own_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


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
    groups = find_groups([data], "train", "scripted", '{"human": 1, "agent+co-pilot": 0.5}')
    assert [(group.kind, group.weight, len(group.sources)) for group in groups] == [
        ("human", 1.0, 6), ("agent+co-pilot", 0.5, 3),
    ]  # fmt: skip
    (alone,) = find_groups([data], "train", "scripted", "{}")
    assert alone.kind == "" and [source.solver for source in alone.sources] == ["scripted"] * 3
    with pytest.raises(UserError, match="no episodes of kind 'robot'; there are 6 human, 3 agent, 3 agent.co-pilot"):
        find_groups([data], "train", None, '{"robot": 1}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "kinds is not JSON"),
        ("[1]", "kinds is a JSON object, e.g."),
        ('{"human": 0}', "the weight of human is a number above 0, not 0"),
        ('{"human": "1"}', "the weight of human is a number above 0"),
        ('{"human": NaN}', "kinds holds NaN; numbers are finite"),
        ('{"human": true}', "the weight of human is a number above 0"),
    ],
)
def test_weights_that_cannot_be(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match=message):
        parse_play_kinds(text)
    assert main(["clone", f"--kinds={text}"]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("reading", [[], ["--reading.in-memory-gb=0"]], ids=["memory", "streamed"])
def test_an_agent_learns_from_several_play_kinds_and_its_run_is_resumed(
    data: Path, tmp_path: Path, reading: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = '--kinds={"human": 1, "agent+co-pilot": 0.5}'
    words = ["clone", f"--data={data}", kinds, f"--runs={tmp_path}", "--held-out=0.3", "--wandb=disabled", *reading]
    words += ["--training.steps=3", "--training.log-every=1", "--training.evaluate-every=2", "--training.batch=4"]
    assert main([*words, "--name=whole", "--training.updates=4"]) == 0
    assert main([*words, "--name=parts", "--training.updates=2"]) == 0
    assert main(["clone", f"--resume={tmp_path / 'parts'}", "--training.updates=4"]) == 0
    rows = read_metrics(tmp_path / "whole")
    assert {"bc_held_out/movement", "bc/movement"} <= rows[-1].keys() and np.isfinite(list(rows[-1].values())).all()
    whole = safetensors.torch.load_file(tmp_path / "whole" / "agent" / "model.safetensors")
    assert all(torch.isfinite(value).all() for value in whole.values())
    capsys.readouterr()
    assert main(["clone", f"--resume={tmp_path / 'parts'}", "--kinds={}"]) == 1
    assert "kinds is" in capsys.readouterr().err


def test_memory_and_disk_mix_alike(data: Path, tmp_path: Path) -> None:
    kinds = '--kinds={"scripted": 1, "agent+co-pilot": 1}'
    words = ["clone", f"--data={data}", kinds, f"--runs={tmp_path}", "--wandb=disabled", "--training.updates=3"]
    words += ["--training.steps=3", "--training.batch=4"]
    assert main([*words, "--name=memory"]) == main([*words, "--name=disk", "--reading.in-memory-gb=0"]) == 0
    one, other = ((tmp_path / name / "agent" / "model.safetensors").read_bytes() for name in ("memory", "disk"))
    assert one == other


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
