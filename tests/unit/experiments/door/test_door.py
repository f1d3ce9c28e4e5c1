"""Import of the Adroit door: what people did and judged, exactly; files that are no such files, not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.door.experiment import TRAINING, learn_and_measure, plan_door, section
from experiments.door.recordings import CLIP_STEPS, DOOR_ANGLE, REWARDS, import_door
from pipelines.stages.running.staged_run import STAGES_FILE
from rlhf.records.preferences import SAME, ClipPair
from rlhf.store import open_store
from worlds.errors import UserError

EPISODES, STEPS = 20, 60
Change = Callable[[dict[str, Any]], None]


def made_up(folder: Path, change_steps: Change = lambda _: None, change_pairs: Change = lambda _: None) -> Path:
    """Write made-up files: the door's angle rises at a rate of each episode, and people like wider doors."""
    rng = np.random.default_rng(0)
    rate = np.linspace(0.002, 0.02, EPISODES)[rng.permutation(EPISODES)]
    angle = rate[:, None] * np.arange(STEPS)
    seen = rng.normal(0, 0.1, (EPISODES, STEPS, 39)).astype(np.float32)
    seen[:, :, DOOR_ANGLE] = angle
    columns: dict[str, Any] = {
        "episode": np.repeat(np.arange(EPISODES), STEPS).tolist(),
        "step": np.tile(np.arange(STEPS), EPISODES).tolist(),
        "observation": seen.reshape(-1, 39).tolist(),
        "action": rng.uniform(-1, 1, (EPISODES * STEPS, 28)).tolist(),
        "reward": angle.reshape(-1).tolist(),
    }
    clips = rng.integers([0, 0, 0, 0], [EPISODES, 10, EPISODES, 10], (200, 4))
    wide = [angle[e, s : s + CLIP_STEPS].mean() for e, s in [*clips[:, :2], *clips[:, 2:]]]
    preferred = ["a" if a > b else "b" for a, b in zip(wide[:200], wide[200:], strict=True)]
    pairs: dict[str, Any] = dict(zip(("episode_a", "start_a", "episode_b", "start_b"), clips.T.tolist(), strict=True))
    pairs["preferred"] = ["undecided", *preferred[1:]]
    change_steps(columns)
    change_pairs(pairs)
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / "steps.parquet")
    pq.write_table(pa.table(pairs), folder / "pairs.parquet")
    return folder


def test_what_was_done_and_judged_arrives_exactly(tmp_path: Path) -> None:
    files = made_up(tmp_path / "files")
    store = open_store(tmp_path / "data", create=True)
    imported = import_door(files / "steps.parquet", files / "pairs.parquet", store)
    assert (imported.episodes, len(store), store.verify()) == (EPISODES, EPISODES, [])
    rows = pq.read_table(files / "steps.parquet").slice(3 * STEPS, STEPS).to_pylist()
    episode = store.read("door-003")
    assert np.array_equal(episode.seen["vector"], np.array([row["observation"] for row in rows], np.float32))
    assert episode.continuous is not None
    assert np.array_equal(episode.continuous[:, 0], np.array([row["action"] for row in rows], np.float32))
    assert episode.notes[REWARDS] == [row["reward"] for row in rows]
    judged = store.preferences(ClipPair)
    first = pq.read_table(files / "pairs.parquet").to_pylist()[0]
    assert len(judged) == imported.clip_pairs > 180  # equal rows are one record
    found = next(one for one in judged if one.answer == SAME)
    assert found.stretches[0] == (f"door-{first['episode_a']:03d}", first["start_a"], first["start_a"] + CLIP_STEPS)


def test_a_utility_learned_from_pairs_agrees_with_people_on_other_episodes(tmp_path: Path) -> None:
    files = made_up(tmp_path / "files")
    store = open_store(tmp_path / "data", create=True)
    import_door(files / "steps.parquet", files / "pairs.parquet", store)
    few = replace(TRAINING, updates=50, preferences=replace(TRAINING.preferences, batch=4, context=0))
    result = learn_and_measure(store, 0, few)
    assert result.pairs > 5 and result.true_return > 0.98 and result.agreement > 0.8 and result.angle_correlation > 0.5
    assert "| chance | 50% |" in section([result]).markdown()


@pytest.mark.parametrize(
    ("steps", "pairs", "wrong"),
    [
        (lambda c: c.pop("reward"), lambda _: None, "no column 'reward'"),
        (lambda c: c.update(action=[[0.0] * 27] * len(c["step"])), lambda _: None, "does not have 28 finite numbers"),
        (lambda c: c["observation"][5].__setitem__(3, float("nan")), lambda _: None, "39 finite numbers"),
        (lambda c: c["action"][0].__setitem__(0, 7.0), lambda _: None, "an action is 7"),
        (lambda c: c["step"].__setitem__(1, 5), lambda _: None, "episode 0 are not numbered 0 to 59"),
        (lambda _: None, lambda p: p["start_b"].__setitem__(0, 30), "begins at step 30"),
        (lambda _: None, lambda p: p["episode_a"].__setitem__(0, 99), "of door-099"),
        (lambda _: None, lambda p: p["preferred"].__setitem__(0, "c"), "preferred is 'c'"),
    ],
)
def test_other_files_are_refused_and_nothing_is_imported(
    tmp_path: Path, steps: Change, pairs: Change, wrong: str
) -> None:
    files = made_up(tmp_path / "files", steps, pairs)
    with pytest.raises(UserError, match=wrong):
        plan_door(files, tmp_path / "run", (0,)).carry_out()
    assert not (tmp_path / "run" / STAGES_FILE).exists()


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no file .*steps.parquet"):
        plan_door(tmp_path, tmp_path / "run", (0,)).carry_out()
    (tmp_path / "steps.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(UserError, match=r"steps.parquet is no Parquet file"):
        plan_door(tmp_path, tmp_path / "run", (0,)).carry_out()
    assert not (tmp_path / "run" / STAGES_FILE).exists()
