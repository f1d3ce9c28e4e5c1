"""Scripted raters mark a dataset once, say so, and are refused impossible settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.mark import MarkConfig, mark
from rlhf.errors import UserError
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode


@pytest.mark.parametrize(
    "wrong",
    [{"raters": 0}, {"delay": -1.0}, {"delay": float("inf")}, {"delay_sd": -0.1}, {"delay_sd": float("nan")}]
    + [{"miss": -0.1}, {"miss": 1.5}, {"mistake": 1.01}, {"mistake": float("nan")}],
)
def test_impossible_raters_are_refused(wrong: dict) -> None:
    (name,) = wrong
    with pytest.raises(UserError, match=f"^{name} is .*, not ") as caught:
        MarkConfig(**wrong)
    assert "\n" not in str(caught.value)


def test_marks_are_counted_aloud_and_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(tmp_path, create=True)
    for seed in range(3):
        store.write(synthetic_episode(seed, steps=30, height=8, width=8))
    written = mark(MarkConfig(data=tmp_path, raters=2, miss=0.0))
    marks = open_store(tmp_path).marks()
    episodes = {mark.episode_id for mark in marks}
    assert written == len(marks) > 0 and all(mark.scripted for mark in marks)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("scripted-rater-0 marks: 3/3 episodes")
    assert said[-1] == f"wrote {written} marks on {len(episodes)} episodes of {tmp_path}"
    mark(MarkConfig(data=tmp_path, raters=2, miss=0.0))
    assert len(open_store(tmp_path).marks()) == len(marks)
