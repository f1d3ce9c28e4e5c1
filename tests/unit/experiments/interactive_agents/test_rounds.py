"""The table of rounds over seeds: whose success it is, and less whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.engine.reproduce import ReproduceConfig, reproduce
from experiments.interactive_agents import plateau, rounds
from experiments.interactive_agents.rounds import RoundsConfig, table_rows
from pipelines.presets import tower
from pipelines.stages.evaluate import ProbeResult
from worlds.errors import UserError

AGENTS = ("BC", "Round 1", "Round 2", "demonstrator")


def outcomes(fulfilled: Sequence[int]) -> dict[str, ProbeResult]:
    """Of ten requests each, every agent fulfils the first so many."""
    return {
        agent: ProbeResult(agent, "tower", tuple(range(10)), tuple(n < share for n in range(10)), (None,) * 10)
        for agent, share in zip(AGENTS, fulfilled, strict=True)
    }


def test_rounds_are_compared_with_the_cloned_agent_and_with_the_round_before() -> None:
    new = [outcomes((1, 3, 4, 9)), outcomes((1, 3, 6, 9))]
    known = [outcomes((2, 2, 8, 10)), outcomes((2, 2, 8, 10))]
    first, one, two, last = (
        [cell.partition(" (")[0].strip("*") for cell in row] for row in table_rows(AGENTS, new, known)
    )
    assert first == ["BC", "10", "", "", "20", "", ""]
    assert one == ["Round 1", "30", "+20", "", "20", "0", ""]
    assert two == ["Round 2", "50", "+40", "+20", "80", "+60", "+60"]
    assert last == ["demonstrator", "90", "", "", "100", "", ""]


def test_the_rounds_take_world_and_learner_of_the_presets_that_they_name() -> None:
    config, base = rounds.seed_rounds(), tower.iterate()
    assert (config.demonstrations, config.mark, config.evaluate) == (base.demonstrations, base.mark, base.evaluate)
    learner = replace(plateau.improving(), world=tower.WORLD, replay=None)
    assert replace(config.improve, checkpoint_every=300) == learner
    assert config.clone.training.steps == plateau.experiment().clones["bc"].training.steps == 16


def test_rounds_without_agents_or_with_several_probes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="rounds begins with the agents of `rlhf reproduce plateau`: name their folder with --source"
    ):
        reproduce(ReproduceConfig("rounds", runs=tmp_path))
    several = replace(rounds.seed_rounds(), evaluate=plateau.experiment().evaluate)
    with pytest.raises(UserError, match="one probe, not 0"):
        RoundsConfig(source=tmp_path, rounds=several)
