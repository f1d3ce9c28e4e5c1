"""Unusual and damaged recordings through the commands: they are handled, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from pipelines.cli.main import main
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.columns.tables import marks_table
from rlhf.store.files.parquet_files import to_bytes
from tests.unit.pipelines.stages.small_training import (
    EPISODES,
    Complaint,
    episode,
    in_turns,
    recorded,
    typed,
)
from tests.unit.rlhf.store.foreign_play import overwrite, with_bin

STEPS = 6


def says(text: str) -> Callable[[Episode], Episode]:
    """Both players say ``text``."""

    def change(made: Episode) -> Episode:
        words = (text,) * len(made)
        return replace(made, setter_text=words, setter_utterance=words, solver_text=words, utterance=words)

    return change


def is_finite(folder: Path) -> None:
    """See that every weight in ``folder`` and every metric of its run is a number."""
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    assert all(torch.isfinite(value).all() for value in weights.values())
    rows = read_metrics(folder.parent)
    assert len(rows) >= 3 and all(np.isfinite(list(row.values())).all() for row in rows)


@pytest.mark.parametrize(
    "text",
    ["", "word " * 2000, "\u0000 \U0001f9ab <pad> <eos> \u200b", None],
    ids=["empty-text", "ten-thousand-characters", "unheard-of-characters", "one-step"],
)
def test_unusual_recordings_are_learned_from(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        data = recorded(tmp_path / "data", in_turns(), says(text)).folder
    else:  # a reward model needs two moments in some episode; the others are learned from all the same
        store = recorded(tmp_path / "data", in_turns(step=0), steps=1)
        data = store.folder
        for number in range(EPISODES, 2 * EPISODES):
            store.write(episode(number))
        store.write_marks(in_turns(count=2 * EPISODES)[EPISODES:])
    assert main(typed("clone", tmp_path, tmp_path, data)) == 0
    is_finite(tmp_path / "clone" / "agent")
    assert main(typed("reward", tmp_path, tmp_path, data)) == 0
    is_finite(tmp_path / "reward" / "reward_model")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([], "no marked episodes in"),
        (in_turns(signs=(-1,)), "marks are (-); a reward model needs (+) marks too"),
        (in_turns(step=0), "order no two moments"),
        (in_turns(count=1), "1 marked training episodes are too few"),
        ([*in_turns(), Mark("synthetic-000002", "bob", STEPS, 1, scripted=True)],
         "bob marked step 6 of episode synthetic-000002, whose last step is 5"),
    ],
    ids=["none", "only-minus", "at-first-steps", "one", "outside"],
)  # fmt: skip
def test_marks_that_teach_nothing(
    marks: list[Mark], message: str, made: Path, tmp_path: Path, complaint: Complaint
) -> None:
    data = recorded(tmp_path / "data").folder
    (data / "marks").mkdir(exist_ok=True)
    if marks:  # not by way of the store, which refuses the last ones
        (data / "marks" / "foreign.parquet").write_bytes(to_bytes([marks_table(marks)]))
    words = typed("reward", made, tmp_path, data)
    assert message in complaint(*words) and not (tmp_path / "reward").exists()


def test_only_plus_is_enough_where_words_are_exchanged(made: Path, tmp_path: Path, complaint: Complaint) -> None:
    data = recorded(tmp_path / "data", in_turns(signs=(1,))).folder
    words = typed("reward", made, tmp_path, data)
    message = complaint(*words, "--training.augmentation=0")
    assert "marks are (+); mark regressions as well, or set augmentation above 0" in message
    assert main(words) == 0
    is_finite(tmp_path / "reward" / "reward_model")


def test_images_of_another_size(made: Path, tmp_path: Path, complaint: Complaint) -> None:
    store = open_store(tmp_path / "large", create=True)
    for number in range(4):
        store.write(replace(episode(number, size=(24, 32)), episode_id=f"large-{number}"))
    store.write_marks(Mark(name, "ann", 3, 1 - 2 * (n % 2), True) for n, name in enumerate(store.ids()))
    both = f"{made / 'data'},{store.folder}"
    message = complaint("clone", f"--data={both}", f"--runs={tmp_path}")
    assert "episode large-0" in message and "image.height: the agent has 12, the episode 24" in message
    message = complaint(*typed("reward", made, tmp_path, store.folder))
    assert "observation.image.height: the agent has 12, the episode 24" in message
    agent = f"--agent={made / 'clone' / 'agent'}"
    message = complaint("improve", f"--data={made / 'data'}", agent, f"--runs={tmp_path}")
    assert "made for images of 12x16 pixels, the world's are 72x96; use --world.height 12 --world.width 16" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large"]  # no run was begun


def test_only_an_agents_own_play(tmp_path: Path, complaint: Complaint) -> None:
    data = recorded(tmp_path / "data", change=lambda one: replace(one, solver="agent:bc")).folder
    assert "no episodes split=train solver=scripted in" in complaint("clone", f"--data={data}")
    message = complaint("clone", f"--data={data}", "--solver=None", f"--runs={tmp_path}")
    assert "has a step to imitate" in message and not (tmp_path / "clone").exists()


@pytest.mark.parametrize("reading", [[], ["--reading.in-memory-gb=0"]], ids=["in-memory", "streamed"])
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("movement", 4, "movement has bin 4 at step 2, tick 1, where forward has bins 0 to 2"),
        ("controller", 7, "controller is 7 at step 0, not 0 (agent) or 1 (co-pilot)"),
    ],
)
def test_play_that_no_player_can_play_is_not_learned_from(
    tmp_path: Path,
    complaint: Complaint,
    capsys: pytest.CaptureFixture[str],
    column: str,
    value: int,
    message: str,
    reading: list[str],
) -> None:
    data, one = recorded(tmp_path / "data").folder, episode(3)
    wrong = with_bin(one.movement, value, 2) if column == "movement" else np.full(STEPS, value, np.uint8)
    overwrite(data, one, **{column: wrong})
    found = complaint("clone", f"--data={data}", f"--runs={tmp_path}", *reading)
    assert f"synthetic-000003.parquet holds what no episode can: episode synthetic-000003: {message}" in found
    assert "rlhf episodes drop" in found and not (tmp_path / "clone").exists()
    assert main(["episodes", "verify", str(data)]) == 1 and message in capsys.readouterr().out
