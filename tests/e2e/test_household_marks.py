"""The part "marks" of the study of Watch-And-Help, as small as it can be, and its agents in the table of helpers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.engine.rows import grouped
from experiments.engine.table import by_arm
from experiments.watch_and_help.helping import part as helping
from experiments.watch_and_help.helping.methods import ALONE, METHODS
from experiments.watch_and_help.helping.results import load_rows
from experiments.watch_and_help.marking import part as marking
from pipelines.loops.rounds import LoopConfig
from pipelines.presets import household as preset
from rlhf.run.config import load_config
from rlhf.store import open_store
from tests.unit.experiments.carrying_out import carry_out

pytestmark = pytest.mark.e2e


def tiny() -> LoopConfig:
    """The preset's own settings, with next to nothing of everything."""
    config, short = preset.demo(), {"updates": 2, "steps": 6, "batch": 3}
    return replace(
        config,
        demonstrations=replace(config.demonstrations, episodes=5, workers=1),
        clone=replace(config.clone, wandb="disabled", training=replace(config.clone.training, **short)),
        play=replace(config.play, episodes=3, steps=30, slots=3),
        held_out_play=1,
        mark=replace(config.mark, miss=0.0),
        reward=replace(
            config.reward, wandb="disabled",
            training=replace(config.reward.training, evaluate_every=2, evaluation_episodes=2, **short),
        ),
        improve=replace(
            config.improve, wandb="disabled", slots=2, steps=4, batch=2, updates=2, evaluate_every=2,
            evaluation_episodes=1, checkpoint_every=2,
        ),
        evaluate=replace(config.evaluate, episodes=1, slots=1, probes=("put_fridge",)),
    )  # fmt: skip


def test_agents_learn_from_marks_and_stand_in_the_table_of_helpers(tmp_path: Path) -> None:
    assert not marking.section(tmp_path).parts
    carry_out(marking.stages, tmp_path, tiny())
    folder = tmp_path / "marks" / "seed-0"
    improved = load_config(folder / "round-1" / "improve", type(tiny().improve))
    assert improved.setters == "live"
    played = open_store(folder / "play-1")
    assert len(played) == 4 and any(played.read(row.episode_id).setter_movement.any() for row in played.rows())
    table = marking.section(tmp_path).markdown()
    assert "| `put_fridge` |" in table and "BC+RL" in table and "demonstrator" in table

    results = (folder / "results.json").stat().st_mtime_ns
    carry_out(marking.stages, tmp_path, tiny())
    assert (folder / "results.json").stat().st_mtime_ns == results, "what is done is not done again"

    few = {name: METHODS[name] for name in (ALONE, "BC", "BC+RL")}
    carry_out(helping.stages, tmp_path, helping.HelpSettings(1, (40,), ("test_1",), few))
    assert list(grouped(load_rows(tmp_path, "test_1"), by_arm)) == [ALONE, "BC", "BC+RL"]
