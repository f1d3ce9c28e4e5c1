"""Own worlds as the documents show them: the commands run as they are written, and the table of tiers is the code's."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from agents.folder import load_agent
from pipelines.cli.main import main
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from rlhf.store.transfer.shared_play import share_play
from tests.unit.docs.pages import ROOT, blocks, resized
from worlds.contract.tiers import TIERS

PAGE, README = ROOT / "docs" / "own-world.md", ROOT / "README.md"
TRAINED = {"--training.updates": "2", "--training.steps": "6", "--training.batch": "4", "--wandb": "disabled"}
# Sizes with which the tests run a command; everything else is as it is written.
TINY: dict[str, dict[str, str]] = {
    "world": {"--seconds": "0.05"},
    "record": {"--episodes": "10", "--steps": "24", "--workers": "1"},
    "clone": TRAINED,
    "reward": TRAINED,
    "improve": {
        "--updates": "2", "--slots": "2", "--steps": "4", "--batch": "2", "--threads": "1", "--wandb": "disabled",
        "--evaluation-episodes": "2", "--anyway": "true",
    },
    "evaluate": {"--episodes": "4", "--slots": "2"},
}  # fmt: skip


def commands(page: Path, about: str) -> list[list[str]]:
    """Return the words after ``rlhf`` of each command in the one block of ``page`` that has ``about``."""
    (block,) = (block for block in blocks(page) if block.language == "bash" and about in block.text)
    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("rlhf ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the examples, in which commands run."""
    folder, threads = tmp_path_factory.mktemp("loop"), torch.get_num_threads()
    (folder / "examples").symlink_to(ROOT / "examples")
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def shelf(folder: Path) -> Path:
    """The folder, after the whole loop of the page."""
    loop = commands(PAGE, "examples/own_world/shelf.py")
    stages = ["record", "mark", "clone", "reward", "improve", "evaluate"]
    assert [words[0] for words in loop] == ["world", "trust", *stages]
    for words in loop:
        assert main(resized(words, TINY)) == 0, shlex.join(words)
    return folder


def test_the_loop_records_the_examples_spaces_and_marks_them(shelf: Path) -> None:
    store = open_store(shelf / "data" / "shelf")
    spaces = store.description.spaces
    assert store.description.world == "shelf" and spaces is not None and spaces.solver.observation.entities is not None
    episodes = [store.read(name) for name in store.ids()]
    said = {
        split: {request.task.instruction for one in episodes if one.split == split for request in one.requests}
        for split in ("train", "held_out")
    }
    held_out = {"take the red cup", "take the green plate", "take the left spoon"}
    assert said["held_out"] and said["held_out"] <= held_out and not said["train"] & held_out
    assert 1 in {mark.sign for mark in store.marks()}


def test_the_loop_ends_with_the_results_of_all_players(shelf: Path) -> None:
    results = {row["agent"]: row for row in json.loads((shelf / "results.json").read_text())}
    assert set(results) == {"bc", "bc+rl", "demonstrator"} and all(len(row["success"]) == 4 for row in results.values())
    assert "difference" in results["bc+rl"]
    before, after = (load_file(shelf / f"runs/{name}/agent/model.safetensors") for name in ("shelf-bc", "shelf-rl"))
    assert any(not np.array_equal(before[name], after[name]) for name in before)


@pytest.fixture(scope="module")
def babyai(folder: Path) -> Path:
    """The folder, after the README's commands in BabyAI."""
    pytest.importorskip("minigrid")
    checked, recorded = commands(README, "gym:BabyAI-GoToObj-v0")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(resized(checked, TINY)) == 0
    assert "tier: exact\n" in printed.getvalue()  # "names the tier of a world"
    assert main(resized(recorded, TINY)) == 0
    return folder


def test_the_readmes_commands_in_babyai_record_its_bot(babyai: Path) -> None:
    store = open_store(babyai / "babyai")
    requests = [done for name in store.ids() for done in store.read(name).success_step]
    assert store.description.world == "gym:BabyAI-GoToObj-v0"
    assert sum(done is not None for done in requests) > len(requests) / 2 > 0  # "its own bot plays"


def test_the_page_has_the_length_of_the_example_and_the_table_of_tiers() -> None:
    lines = len((ROOT / "examples" / "own_world" / "shelf.py").read_text().splitlines())
    assert lines <= 60 and f"a complete one in {lines} lines" in PAGE.read_text()
    rows = [f"| {tier.name} | {tier.promise} | {tier.needs} | {tier.use} |\n" for tier in TIERS]
    assert "".join(rows) + "<!-- /tiers -->" in PAGE.read_text()


def test_an_agent_is_built_for_the_spaces_of_the_readmes_world(babyai: Path) -> None:
    assert main(resized(["clone", "--data", "babyai", "--name", "babyai"], TINY)) == 0
    agent, _ = load_agent(babyai / "runs" / "babyai" / "agent")
    spaces = open_store(babyai / "babyai").description.spaces
    assert spaces is not None and agent.config.player == spaces.solver


def test_the_readmes_commands_for_data_of_others_run(babyai: Path) -> None:
    share_play(babyai / "babyai", babyai / "data" / "play")
    store = open_store(babyai / "data" / "play")
    one, other, *_ = store.ids()
    Path("judged.csv").write_text(
        "episode_a,begin_a,end_a,episode_b,begin_b,end_b,answer,rater,seconds,scripted\n"
        f"{one},0,2,{other},0,2,a,ann,4.5,false\n"
    )
    export, imported, pushed = commands(README, "preferences import")
    assert main(export) == 0 and main(imported) == 0 and pushed[:2] == ["episodes", "push"]
    assert len(store.preferences(ClipPair)) == 1
    assert main(["episodes", "import", "exported", "back", "--from", "lerobot"]) == 0  # "import takes the same"
    assert open_store(babyai / "back").fingerprints() == store.fingerprints()  # "to the last bit"
