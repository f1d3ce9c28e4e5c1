"""What people ask an agent themselves: which agent that is, and that its marks count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.server.errors import Refused
from annotation.server.teacher import TaughtAgent
from pipelines.cli.teach import TeachConfig
from pipelines.loops.peoples_marks import MarksMissing, wait_for_marks
from pipelines.loops.preferred import COMPARED
from pipelines.loops.rounds import asked_play, resolve_round, round_folder
from pipelines.loops.teaching import Lessons
from pipelines.stages.running.staged_run import FinishedStage, save_finished_stages
from rlhf.records.marks import Mark
from rlhf.records.preferences import RequestVerdict
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode

STEPS = 9


def played(folder: Path, seed: int) -> tuple[ParquetStore, str]:
    """A dataset with one episode."""
    store = open_store(folder, create=True)
    episode = synthetic_episode(seed, steps=STEPS, height=8, width=8)
    store.write(episode)
    return store, episode.episode_id


def test_datasets_in_which_nobody_has_asked_anything_are_left_out(tmp_path: Path) -> None:
    open_store(tmp_path / "asked-1", create=True)
    played(tmp_path / "asked-2", 1)
    assert asked_play(tmp_path, range(1, 4)) == (tmp_path / "asked-2",)


def test_marks_on_what_people_have_asked_are_enough_to_train(tmp_path: Path) -> None:
    played(tmp_path / "play-1", 1)
    asked, episode_id = played(tmp_path / "asked-1", 2)
    with pytest.raises(MarksMissing):
        wait_for_marks(tmp_path / "play-1", tmp_path, 1, 1, wait=False, others=[asked.folder])
    asked.write_marks([Mark(episode_id, "ann", 3, 1, scripted=False)])
    assert wait_for_marks(tmp_path / "play-1", tmp_path, 1, 1, wait=False, others=[asked.folder]) == 1


def test_the_agent_that_people_ask_is_the_one_that_played_the_clips(tmp_path: Path) -> None:
    config = TeachConfig(run=tmp_path, clips=2)
    lessons = Lessons(config.loop, pairs=1)
    assert lessons.agent() == TaughtAgent("BC", config.agent, "play-1", "asked-1")
    _, episode_id = played(tmp_path / "play-1", 1)
    asked, other_id = played(tmp_path / "asked-1", 2)
    asked.write_marks([Mark(other_id, "ann", 3, 1, scripted=False)])
    asked.write_preferences([RequestVerdict(other_id, 0, STEPS, "success", "ann", False)])
    state = lessons.state("ann")
    assert (state.clips, state.marks, state.verdicts) == (2, 1, 1)
    round_folder(tmp_path, 1).mkdir()
    save_finished_stages(round_folder(tmp_path, 1), [FinishedStage(COMPARED, 1.0)])
    with pytest.raises(Refused, match="press Again"):
        lessons.agent()
    round_folder(tmp_path, 2).mkdir()
    new = tmp_path / "round-1" / "improve" / "agent"
    assert Lessons(config.loop, pairs=1).agent() == TaughtAgent("round-1", new, "play-2", "asked-2")


def test_asking_takes_a_minute_and_nothing_of_it_is_held_out_or_imitated(tmp_path: Path) -> None:
    config = TeachConfig(run=tmp_path, clips=2)
    assert (config.serving.episode_seconds, config.serving.held_out) == (60, 0.0)
    played(tmp_path / "asked-1", 1)
    one = resolve_round(replace(config.loop, rounds=2), 2)
    assert tmp_path / "asked-1" not in {*one.improve.data, *(one.improve.replay_data or ())}
