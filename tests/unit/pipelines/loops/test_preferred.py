"""Both agents of a round play the same requests, and what people prefer is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.loops import preferred
from pipelines.loops.preferred import answers, compared_folder, count_pairs, record_both, share_preferred
from pipelines.loops.rounds import LoopConfig, play_folder
from pipelines.loops.teaching import result
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.running.staged_run import finished_stages
from rlhf.records.preferences import ClipPair
from rlhf.run.statistics import Interval, wilson_interval
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.pipelines.loops.test_comparison import one_round
from tests.unit.rlhf.declared_spaces import GRID

NEW = (True, True, False, None)  # what one rater says of four pairs


def recorded(config: RecordConfig, first: int) -> None:
    """Write episodes in so many places, as a recording does: those that are there stay."""
    store = open_store(config.data, create=True)
    for number in range(first, first + config.episodes):
        made = replace(
            synthetic_episode(number, 6), episode_id=f"{config.name}-{number}", solver=f"agent:{config.name}"
        )
        if made.episode_id not in store:
            store.write(made)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoopConfig:
    """A run whose first round is evaluated."""
    monkeypatch.setattr(preferred, "record", recorded)
    open_store(play_folder(tmp_path, 1), create=True).write(synthetic_episode(0, 6))
    return LoopConfig(run=tmp_path, rounds=1, held_out_play=4)


def test_both_agents_play_in_places_of_no_other_play(config: LoopConfig) -> None:
    record_both(config, 3)
    store = open_store(compared_folder(config.run, 1))
    assert store.ids() == [f"{agent}-{number}" for agent in ("BC", "round-1") for number in (4, 5, 6)]
    assert count_pairs(store) == 3
    assert [stage.name for stage in finished_stages(config.run / "round-1")] == [preferred.COMPARED]


def test_an_interrupted_recording_is_completed_and_shown_only_then(
    config: LoopConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(config: RecordConfig, first: int) -> None:
        recorded(replace(config, episodes=2) if config.name == "round-1" else config, first)
        if config.name == "round-1":
            raise KeyboardInterrupt

    monkeypatch.setattr(preferred, "record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        record_both(config, 3)
    assert not compared_folder(config.run, 1).exists()
    monkeypatch.setattr(preferred, "record", recorded)
    record_both(config, 3)
    record_both(config, 3)  # it is done once
    assert count_pairs(open_store(compared_folder(config.run, 1))) == 3


@pytest.mark.parametrize("pictures", [True, False])
def test_nothing_is_compared_without_pairs_or_pictures(config: LoopConfig, pictures: bool) -> None:
    if not pictures:
        config = replace(config, rounds=2)
        open_store(play_folder(config.run, 2), create=True).write(synthetic_play(1, GRID, 6, "grids"))
    record_both(config, 0 if pictures else 3)
    assert not compared_folder(config.run, config.rounds).exists()
    assert len(finished_stages(config.run / f"round-{config.rounds}")) == 1


def test_what_every_rater_prefers_is_counted_by_agent_and_not_by_side(config: LoopConfig) -> None:
    record_both(config, len(NEW))
    store = open_store(compared_folder(config.run, 1))
    for number, (prefers, swapped) in enumerate(zip(NEW, (False, True, True, False), strict=True), start=4):
        clips = [f"BC-{number}", f"round-1-{number}"][:: -1 if swapped else 1]
        chosen = "same" if prefers is None else "ab"[clips.index(f"round-1-{number}" if prefers else f"BC-{number}")]
        store.write_preferences([ClipPair(clips[0], 0, 6, clips[1], 0, 6, chosen, "ann", None, False)])
    said = answers(store, config.run, 1)
    assert said == {"ann": list(NEW)}
    assert share_preferred(said["ann"]) == wilson_interval(2, 3) and share_preferred([None]) is None


def test_a_round_is_told_in_a_sentence() -> None:
    one = one_round(1, on_deployed=Interval(0.06, 0.01, 0.11, 100))
    checks = "by the tasks' own checks, the share of requests that the agent fulfils changed by +6 points (+1 to +11)."
    assert result(one, []) == f"Round 1, from 420 marks: {checks}"
    assert result(one, [None] * 3) == f"Round 1, from 420 marks: you saw no difference in 3 pairs; {checks}"
    yours = "you preferred the new agent in 12 of 17 pairs that you decided (71%, 47% to 87%)"
    assert result(one, [True] * 12 + [False] * 5 + [None] * 3) == f"Round 1, from 420 marks: {yours}; {checks}"
