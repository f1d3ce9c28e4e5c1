"""The lists of settings that differ from the paper's are those of the presets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docs.differences import PAGE, written
from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.engine.differences import differing_settings
from pipelines.loops.iterate import IterateConfig
from pipelines.presets import paper


def study_of(stages: IterateConfig) -> ExperimentConfig:
    return ExperimentConfig(
        demonstrations=stages.demonstrations,
        clones={PLAYER: stages.clone},
        play=stages.play,
        mark=stages.mark,
        rewards={"ibt": stages.reward},
        arms={"BC": Arm(), "RL": Arm(reward="ibt", improve=stages.improve), "truth": Arm(improve=stages.improve)},
        evaluate=stages.evaluate,
    )


def test_the_lists_on_the_page_are_those_of_the_settings() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run python -m docs.differences"
    assert "| learner.discount | 0.96 | 0.98 |" in written("<!-- differences: plateau -->\n<!-- /differences -->")


def test_a_study_with_the_papers_settings_differs_in_nothing_and_each_change_is_one_row() -> None:
    theirs = paper.iterate()
    study = study_of(theirs)
    assert differing_settings("it", study, theirs).rows == ()

    learner = replace(theirs.improve.learner, discount=0.9)
    arms = {**study.arms, "RL": replace(study.arms["RL"], improve=replace(theirs.improve, learner=learner, seed=7))}
    demonstrations = replace(theirs.demonstrations, seed=3, slots=1, world=replace(paper.WORLD, height=36))
    players = replace(theirs.play.players, tasks={"go": 2.0})
    changed = replace(
        study,
        arms=arms,
        demonstrations=demonstrations,
        play=replace(theirs.play, players=players),
        clones={PLAYER: replace(theirs.clone, device="cuda", training=replace(theirs.clone.training, beta1=0.5))},
    )
    assert differing_settings("it", changed, theirs).rows == (
        ("demonstrations", "world.height", "72", "36"),
        ("cloning `bc`", "training.beta1", "0.0", "0.5"),
        ("play", "players.tasks", "32 kinds", "go 2.0"),
        ("`RL`", "learner.discount", "0.96", "0.9"),
    )


@pytest.mark.parametrize("name", ["probes", "plateau"])
def test_where_two_stages_differ_alike_is_one_row(name: str) -> None:
    table = written(f"<!-- differences: {name} -->\n<!-- /differences -->")
    assert table.count("| world.height |") == table.count("| all play | world.height |") == 1
