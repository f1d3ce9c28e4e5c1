"""A round learns from the kinds of preferences that people have stated, and resumes with those it began with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pipelines.loops.loop import of_what_was_said
from pipelines.stages.reward import RewardConfig
from reward_models.preferences.config import PreferenceConfig
from rlhf.records.preferences import RequestVerdict
from rlhf.run.config import save_config
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode


def test_kinds_that_nobody_has_stated_of_training_play_are_left_out(tmp_path: Path) -> None:
    store = open_store(tmp_path / "play", create=True)
    learned, held_out = (synthetic_episode(seed, steps=9, height=8, width=8) for seed in range(2))
    store.write(learned)
    store.write(replace(held_out, split="held_out"))
    wanted = PreferenceConfig(verdicts=1.0, clip_pairs=2.0)
    usual = RewardConfig(data=(tmp_path / "play",))
    config = replace(usual, training=replace(usual.training, preferences=wanted))

    def weights() -> dict[str, float]:
        return of_what_was_said(config, tmp_path / "reward").training.preferences.weights

    store.write_preferences([RequestVerdict(held_out.episode_id, 0, 9, "success", "ann", False)])
    assert weights() == {}, "nothing is learned from held-out play"
    store.write_preferences([RequestVerdict(learned.episode_id, 0, 9, "success", "ann", False)])
    assert weights() == {"verdicts": 1.0}
    (tmp_path / "reward").mkdir()
    save_config(tmp_path / "reward", replace(config, training=usual.training))
    assert weights() == {}, "what was begun resumes as it began"
