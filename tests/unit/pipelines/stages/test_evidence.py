"""Reward models that would make an agent worse are refused before BC+RL begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.stages.evidence import EVIDENCE_FILE, check_evidence
from worlds.errors import UserError


def reward_run(folder: Path, **signals: float | None) -> Path:
    """Return the folder of a reward model whose run has measured these signals to noise, by kind of play."""
    folder.mkdir()
    measured = {f"reward_model_{play}/signal_to_noise": signal for play, signal in signals.items()}
    (folder / EVIDENCE_FILE).write_text(json.dumps({"update": 900.0} | measured))
    return folder / "reward_model"


def test_a_model_that_pays_for_regress_is_refused_and_the_remedy_named(tmp_path: Path) -> None:
    good = reward_run(tmp_path / "good", validation=0.4, held_out=2.0)
    bad = reward_run(tmp_path / "bad", validation=1.5, held_out=-0.7)
    check_evidence([good, reward_run(tmp_path / "unknown"), tmp_path / "copied" / "reward_model"])
    with pytest.raises(UserError, match=r"on held-out play .*bad/reward_model falls.*noise -0.7.*--anyway"):
        check_evidence([good, bad])
