"""The study of other uses of marks, as small as it can be: its arms share what they can, and have a cost each."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.folder import load_agent
from experiments.engine.arms import plan_arms
from experiments.engine.config import Arm, ExperimentConfig, agent_of
from experiments.engine.costs import costs
from experiments.interactive_agents import marks_use
from tests.e2e.test_demo import tiny
from worlds.errors import UserError

pytestmark = pytest.mark.e2e

PROBES = ("exist", "count")
ARMS = ("BC", "BC+RL (IBT)", "AWR", "RECAP", "KTO", "APO", "CPL", "AWR + RL", "KTO + RL")


def small(run: Path) -> ExperimentConfig:
    """The study's own arms, or most of them, with next to nothing of everything."""
    config, whole = tiny(run), marks_use.experiment()
    improve = replace(config.improve, evaluate_every=4)

    def shrunk(arm: Arm) -> Arm:
        return replace(arm, improve=arm.improve and improve)

    refinements = {
        name: replace(
            one,
            wandb="disabled",
            training=replace(one.training, updates=3, steps=3, batch=4, windows=4, evaluate_every=3),
        )
        for name, one in whole.refinements.items()
    }
    return replace(
        whole,
        run=run,
        seeds=(0,),
        demonstrations=config.demonstrations,
        clones={"bc": config.clone},
        play=config.play,
        held_out_play=config.held_out_play,
        mark=config.mark,
        begins_with={},
        rewards={name: replace(config.reward, kind=one.kind) for name, one in whole.rewards.items()},
        refinements=refinements,
        arms={name: shrunk(arm) for name, arm in whole.arms.items()},
        evaluate=replace(config.evaluate, episodes=3, probes=PROBES),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "small"
    config = small(folder)
    plan_arms(config, "small", ARMS).carry_out()
    return folder


def test_every_arm_is_evaluated_and_what_they_share_is_made_once(run: Path) -> None:
    cells = json.loads((run / "table.json").read_text())["cells"]
    assert {cell["arm"] for cell in cells} == set(ARMS)
    names = [stage["name"] for stage in json.loads((run / "seed-0" / "stages.json").read_text())]
    assert len(names) == len(set(names))
    assert [name for name in names if not name.startswith("evaluate")] == [
        "demonstrations", "clone bc", "play", "marks", "reward reward-later", "improve BC+RL (IBT)",
        "refine-weighted-by-later", "refine-conditioned-by-later", "refine-kto", "refine-apo", "refine-cpl",
        "improve AWR + RL", "improve KTO + RL",
    ]  # fmt: skip


def test_improvement_begins_with_the_refined_agent(run: Path) -> None:
    config = small(run)
    for arm in ("AWR", "KTO"):
        refined, improved = (Path(agent_of(config, name, 0)) for name in (arm, f"{arm} + RL"))
        record = json.loads((improved.parent / "config.json").read_text())["config"]
        assert Path(record["agent"]) == refined.absolute()
        cloned = Path(agent_of(config, "BC", 0))
        assert len({(folder / "model.safetensors").read_bytes() for folder in (cloned, refined, improved)}) == 3
    assert load_agent(agent_of(config, "RECAP", 0))[0].config.improvement_indicator
    assert not load_agent(agent_of(config, "KTO", 0))[0].config.improvement_indicator


def test_the_report_has_the_processor_time_of_every_arm(run: Path) -> None:
    config = small(run)
    found = {arm: seeds[0] for arm, seeds in costs(config).items()}
    assert set(found) == set(ARMS)
    seconds = {
        stage["name"]: stage["core_seconds"] for stage in json.loads((run / "seed-0" / "stages.json").read_text())
    }
    assert min(seconds.values()) > 0.0
    assert found["BC"].own == 0.0
    assert found["BC"].whole * 3600 == pytest.approx(seconds["demonstrations"] + seconds["clone bc"])
    beyond = ("play", "marks", "refine-kto", "reward reward-later", "improve KTO + RL")
    assert found["KTO + RL"].own * 3600 == pytest.approx(sum(seconds[name] for name in beyond))
    assert found["KTO"].own < found["KTO + RL"].own
    page = (run / "table.md").read_text()
    assert "| agent | core-hours | more than BC | seeds |" in page
    assert f"| CPL | {found['CPL'].whole:.2f} | {found['CPL'].own:.2f} | 0 |" in page


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        (Arm(refine="nothing"), "no refinement 'nothing'"),
        (Arm(refine="weighted"), "needs a reward model"),
        (Arm(refine="weighted", reward="other"), "no reward model 'other'"),
        (Arm(refine="kto", marks="other"), "no marks 'other'"),
    ],
)
def test_an_arm_that_cannot_be_is_refused(tmp_path: Path, arm: Arm, message: str) -> None:
    with pytest.raises(UserError, match=message):
        replace(small(tmp_path), arms={"BC": Arm(), "wrong": arm}, also_compared_with=())
