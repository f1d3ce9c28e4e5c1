"""The part "feedback-or-bonus": agents of marks and agents that explore play the same episodes, at equal steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.social_ai.feedback.part import BONUSES, NAME, FeedbackPart, load_costs, results_file, section, stages
from experiments.social_ai.feedback.settings import HELD_OUT, LEARNED, MARKED, marked_study, world_of
from experiments.social_ai.training import SchoolTraining
from pipelines.stages.evaluate import load_results
from rlhf.run.json_lines import read_rows
from rlhf.run.tracking import METRICS_FILE
from rlhf.store import open_store
from tests.unit.experiments.carrying_out import carry_out
from worlds.school.sampling import sample


def tiny() -> FeedbackPart:
    """A case of seconds."""
    full = marked_study()
    clone, reward, improving = full.clones["bc"], full.rewards["ibt"], full.arms[MARKED].improve
    assert improving is not None
    small = {"updates": 2, "steps": 4, "batch": 2, "evaluate_every": 2}
    improve = replace(improving, updates=2, slots=2, steps=4, batch=2, evaluate_every=2, evaluation_episodes=1)
    return FeedbackPart(
        replace(
            full,
            demonstrations=replace(full.demonstrations, episodes=6, workers=1),
            clones={"bc": replace(clone, training=replace(clone.training, **small))},
            play=replace(full.play, episodes=4, slots=2),
            held_out_play=1,
            rewards={"ibt": replace(reward, training=replace(reward.training, **small))},
            arms={**full.arms, MARKED: replace(full.arms[MARKED], improve=improve)},
            evaluate=replace(full.evaluate, episodes=3, slots=3),
        ),
        replace(SchoolTraining(), envs=4, steps=5, test_every=10**6, test_episodes=2),
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("school")
    carry_out(stages, folder, tiny())
    return folder


def test_places_are_of_the_combinations_alone() -> None:
    for combinations in (LEARNED, HELD_OUT):
        settings, seen = world_of(combinations).settings, set()
        assert settings is not None
        for seed in range(20):
            found = sample(seed, **settings)["parameters"]
            assert (found["N"], found["Peer"], found["Pragmatic_frame_complexity"]) == ("2", "Y", "No")
            seen.add((found["Cue_type"], found["Problem"]))
        assert seen == {(one["Cue_type"], one["Problem"]) for one in combinations}
    assert not {tuple(one.items()) for one in LEARNED} & {tuple(one.items()) for one in HELD_OUT}


def test_agents_that_explore_play_as_many_steps_as_were_played_for_the_others(done: Path) -> None:
    costs = load_costs(done / NAME)[0]
    store = open_store(done / NAME / "marked" / "seed-0" / "data")
    assert costs.recorded == sum(len(store.read(one)) for one in store.ids())
    assert costs.improving == 2 * 2 * 4 and costs.marks == sum(len(store.marks(one)) for one in store.ids())
    for name in ("v-trace", "v-trace-cb", "v-trace-cbl"):
        rows = read_rows(done / NAME / name / "seed-0" / METRICS_FILE)
        assert costs.steps <= rows[-1]["step"] < costs.steps + 20


def test_all_agents_play_the_same_episodes_and_the_table_has_their_success(done: Path) -> None:
    for split in ("learned", "held-out"):
        results = load_results(results_file(done / NAME, 0, split))
        assert {r.agent for r in results} == {"BC", MARKED, *BONUSES}
        assert all(len({r.seeds for r in results if r.probe == probe}) == 1 for probe in ("boxes", "doors"))
    page = section(done).markdown()
    held_out = [r for r in load_results(results_file(done / NAME, 0, "held-out")) if r.agent == "V-trace"]
    share = np.mean([one for r in held_out for one in r.success])
    line = next(line for line in page.splitlines() if line.startswith("| V-trace |"))
    assert line.split(" | ")[4] == f"{100 * share:.0f}%"
    assert not section(done / "nothing").parts
