"""A study as small as it can be: what arms share is made once, and what there is not yet is said."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.engine.arms import plan_arms
from experiments.engine.config import EVERY_PROBE, Arm, ExperimentConfig, agent_of, curve_of, folder_of, resolve_config
from experiments.engine.sharing import reuse_stages
from experiments.engine.stages import SeedStages
from experiments.interactive_agents import marks_use
from experiments.interactive_agents.fresh_marks import FURTHER, FreshMarksConfig, plan_fresh_marks
from experiments.interactive_agents.judged import JudgedConfig, plan_judged
from experiments.interactive_agents.rounds import RoundsConfig, plan_rounds
from pipelines.stages.evaluate import load_results
from pipelines.stages.record_config import RecordConfig
from pipelines.suite.live import LiveSuiteConfig
from pipelines.suite.make import MakeSuiteConfig
from rlhf.run.config import LOCK_FILE, lock_run
from rlhf.store import open_store
from tests.e2e.test_loop import tiny, tiny_demo
from worlds.errors import UserError

pytestmark = pytest.mark.e2e

ARMS = ("BC", "demonstrator", "BC+RL (IBT)", "KTO + RL", "BC+RL (true reward)")
PROBES = ("exist", "count")  # those of the fewest steps


def small(run: Path) -> ExperimentConfig:
    """Three improved agents from two seeds, next to nothing of everything."""
    config, kto = tiny_demo(run), marks_use.experiment().refinements["kto"]
    improve = replace(config.improve, evaluate_every=4)
    few = replace(kto.training, updates=3, steps=3, batch=4, windows=4, evaluate_every=3)
    arms = (
        Arm(),
        Arm(clone="scripted"),
        Arm(reward="ibt", improve=improve),
        Arm(reward="ibt", refine="kto", improve=improve),
        Arm(improve=improve),
    )
    return ExperimentConfig(
        run=run,
        seeds=(0, 1),
        demonstrations=config.demonstrations,
        clones={"bc": config.clone},
        play=config.play,
        held_out_play=config.held_out_play,
        mark=config.mark,
        rewards={"ibt": config.reward},
        refinements={"kto": replace(kto, wandb="disabled", training=few)},
        arms=dict(zip(ARMS, arms, strict=True)),
        evaluate=replace(config.evaluate, episodes=3, probes=PROBES),
        curves=("BC+RL (IBT)",),
        curve_probe=EVERY_PROBE,
        curve_episodes=2,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "small"
    config = small(folder)
    page = plan_arms(config, "small", ("BC", "BC+RL (IBT)")).carry_out().read_text()
    late = [line for line in page.splitlines() if line.startswith("| BC+RL (true reward) |") and line.count("|") == 6]
    assert [line.count("not run") for line in late] == [3, 3], "of held-out requests and of training combinations"
    assert "not run" not in plan_arms(config, "small").carry_out().read_text()
    return folder


def stages(run: Path, seed: int) -> list[str]:
    return [stage["name"] for stage in json.loads((run / f"seed-{seed}" / "stages.json").read_text())]


def test_what_arms_share_is_made_once(run: Path) -> None:
    for seed in (0, 1):
        names = stages(run, seed)
        assert len(names) == len(set(names))
        assert [name for name in names if not name.startswith(("improve", "evaluate", "follow"))] == [
            "demonstrations", "clone bc", "play", "marks", "reward reward-ibt", "refine-kto"
        ]  # fmt: skip
        assert sum(name.startswith("improve") for name in names) == 3


@pytest.mark.parametrize("name", ("table", "table-train"))
def test_the_table_has_every_arm_and_differences_are_paired(run: Path, name: str) -> None:
    table = json.loads((run / f"{name}.json").read_text())
    assert {(c["arm"], c["probe"]) for c in table["cells"]} == {(a, p) for a in ARMS for p in (*PROBES, "all")}
    for cell in table["cells"]:
        assert (cell["difference"] is None) == (cell["arm"] == "BC")
        assert cell["success"]["count"] == (12 if cell["probe"] == "all" else 6)
        if cell["difference"]:
            base = next(c for c in table["cells"] if c["arm"] == "BC" and c["probe"] == cell["probe"])
            gap = cell["success"]["estimate"] - base["success"]["estimate"]
            assert cell["difference"]["estimate"] == pytest.approx(gap)
    assert "not run" not in (run / "table.md").read_text()
    over_updates = (run / "table.md").read_text().partition("| updates | million steps | BC+RL (IBT) |")[2]
    updates = small(run).arms["BC+RL (IBT)"].improve.updates  # type: ignore[union-attr]
    assert "\n| 0 | 0.00 |" in over_updates and f"\n| {updates} |" in over_updates
    for picture in ("success.png", "success-train.png", "reward.png", "true_success.png", "curves.png"):
        assert (run / picture).read_bytes().startswith(b"\x89PNG")


def test_improvement_begins_with_the_refined_agent(run: Path) -> None:
    config, weights = small(run), set()
    improved = Path(agent_of(config, "KTO + RL", 0))
    refined = Path(settings_in(improved.parent)["agent"])
    assert "refine-kto" in refined.parts
    for folder in (Path(agent_of(config, "BC", 0)), refined, improved):
        weights.add((folder / "model.safetensors").read_bytes())
    assert len(weights) == 3


def test_a_complete_study_is_not_made_again(run: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in folder_of(small(run), 0).rglob("*") if p.is_file()}
    plan_arms(small(run), "small").carry_out()
    assert {p: p.stat().st_mtime_ns for p in folder_of(small(run), 0).rglob("*") if p.is_file()} == before


def beside(run: Path, folder: Path, **settings: object) -> ExperimentConfig:
    """Another study beside the first."""
    (folder / "first").symlink_to(run)
    return resolve_config(replace(small(folder / "other"), **settings))  # type: ignore[arg-type]


def test_a_study_takes_over_what_one_beside_it_has_made(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under other names and with other numbers of processes, too, and leaves the first one as it is."""
    first = small(run)
    same = first.arms["BC+RL (IBT)"]
    assert same.improve is not None
    same = replace(same, improve=replace(same.improve, threads=3))
    arms = {"BC": Arm(), "the same": same, "new": Arm(clone="new")}
    new = replace(first.clones["bc"], training=replace(first.clones["bc"].training, css_weight=0.0))
    config = beside(
        run, tmp_path, arms=arms, clones={"bc": first.clones["bc"], "new": new}, curves=(),
        demonstrations=replace(first.demonstrations, workers=3), play=replace(first.play, workers=3),
    )  # fmt: skip
    before = {p: p.stat().st_mtime_ns for p in run.rglob("*") if p.is_file() and p.name != LOCK_FILE}
    plan_arms(config, "other").carry_out()
    told = capsys.readouterr().err
    for seed in (0, 1):
        taken = re.search(rf"seed {seed}: reused from \S+: (.*)", told)
        assert taken and set(taken.group(1).split(", ")) == {
            "demonstrations", "clone bc", "play", "marks", "evaluate BC", "evaluate BC on train", "reward reward-ibt",
            "improve the same",
        }  # fmt: skip
        assert set(stages(config.run, seed)) - set(taken.group(1).split(", ")) == {
            "clone new", "evaluate new", "evaluate new on train", "evaluate the same", "evaluate the same on train"
        }  # fmt: skip
        for folder, source in (("clone-bc", "clone-bc"), ("improve-the-same", "improve-bc-rl-ibt")):
            weights = (config.run / f"seed-{seed}" / folder / "agent" / "model.safetensors").stat()
            assert weights.st_ino == (run / f"seed-{seed}" / source / "agent" / "model.safetensors").stat().st_ino
        data, shared = (folder / f"seed-{seed}" / "data" for folder in (run, config.run))
        for path in data.rglob("*"):
            if path.is_file():
                same = path.stat().st_ino == (shared / path.relative_to(data)).stat().st_ino
                assert same == (path.suffix == ".parquet"), f"{path}: what grows is each study's own"
    assert {p: p.stat().st_mtime_ns for p in run.rglob("*") if p.is_file() and p.name != LOCK_FILE} == before
    improved = [json.loads((r / "table.json").read_text())["cells"] for r in (run, config.run)]
    there, here = ([c["success"] for c in cells if c["arm"] in ("BC+RL (IBT)", "the same")] for cells in improved)
    assert there == here, "the same agents on the same episodes"


def test_what_is_made_of_other_settings_is_not_taken(run: Path, tmp_path: Path) -> None:
    """Play that is marked otherwise is another dataset, whose demonstrations nobody takes apart; agents are taken."""
    config = beside(run, tmp_path, mark=replace(small(run).mark, miss=0.5), curves=())
    reuse_stages(config)
    true = "BC+RL (true reward)"  # learns from no marks
    assert stages(config.run, 0) == [
        "clone bc",
        "evaluate BC",
        "evaluate BC on train",
        "evaluate demonstrator",
        "evaluate demonstrator on train",
        f"improve {true}",
        f"evaluate {true}",
        f"evaluate {true} on train",
    ]
    assert not (config.run / "seed-0" / "data").exists()


def test_a_curve_is_taken_only_with_its_checkpoints(run: Path, tmp_path: Path) -> None:
    config = beside(run, tmp_path, curves=("BC+RL (IBT)", "BC+RL (true reward)"))
    reuse_stages(config)
    assert "follow BC+RL (IBT)" in stages(config.run, 0)
    assert {"improve BC+RL (true reward)", "follow BC+RL (true reward)"}.isdisjoint(stages(config.run, 0))


def test_checkpoints_of_interruptions_are_not_in_a_curve(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "small"
    shutil.copytree(run, copy)
    config = resolve_config(replace(small(copy), seeds=(0,)))
    out = curve_of(config, "BC+RL (IBT)", 0)
    updates = {result.agent for result in load_results(out)}
    out.unlink()
    improved = Path(agent_of(config, "BC+RL (IBT)", 0)).parent / "checkpoints"
    shutil.copytree(improved / "step-000000002", improved / "step-000000003")
    SeedStages(config, 0).curve("BC+RL (IBT)").do()
    assert {result.agent for result in load_results(out)} == updates == {"0", "2", "4"}


def test_nothing_is_taken_from_a_study_at_work(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = beside(run, tmp_path)
    with lock_run(run):
        reuse_stages(config)
    assert not config.run.exists() and "being written" in capsys.readouterr().err


def test_its_agents_are_judged_at_the_suite_and_live(run: Path, tmp_path: Path) -> None:
    config = JudgedConfig(
        source=run, run=tmp_path / "judged", seeds=(0, 1), arms=("BC", "BC+RL (IBT)", "demonstrator"),
        contexts=RecordConfig(episodes=3, steps=60, workers=1), suite=MakeSuiteConfig(scenarios=3, steps=16),
        continuations=1, live=LiveSuiteConfig(episodes=2, steps=40),
    )  # fmt: skip
    tables = plan_judged(config).carry_out()
    page = tables.read_text()
    for arm in config.arms:
        assert page.count(f"| {arm} |") == (2 if arm == "BC" else 3), "suite, differences, live"
    assert (config.run / "against-time.png").stat().st_size > 5000
    again = plan_judged(config).carry_out()
    assert again.read_text().splitlines()[4:] == page.splitlines()[4:], "nothing is played again"
    with pytest.raises(UserError, match=r"no agent 'BC\+RL'; it has BC, demonstrator"):
        plan_judged(replace(config, arms=("BC", "BC+RL"))).carry_out()
    with pytest.raises(UserError, match="the agent 'BC' of seed 2 is not in"):
        plan_judged(replace(config, seeds=(2,))).carry_out()


def test_its_cloned_agents_begin_rounds_at_another_task(run: Path, tmp_path: Path) -> None:
    config = RoundsConfig(source=run, run=tmp_path / "rounds", seeds=(1,), rounds=tiny(tmp_path / "unused", rounds=1))
    table = plan_rounds(config).carry_out()
    head, _, *rows = [line for line in table.read_text().splitlines() if line.startswith("|")]
    assert [row.split("|")[1].strip() for row in rows] == ["BC", "Round 1", "demonstrator"]
    assert {row.count("|") for row in (head, *rows)} == {8}
    begun = json.loads((config.run / "seed-1" / "rounds" / "clone" / "config.json").read_text())["config"]["agent"]
    assert begun == str(run.absolute() / "seed-1" / "clone-bc" / "agent")
    assert plan_rounds(config).carry_out().read_text().splitlines()[4:] == table.read_text().splitlines()[4:], (
        "nothing runs again"
    )
    with pytest.raises(UserError, match="the cloned agent of seed 2 is not in"):
        plan_rounds(replace(config, seeds=(2,))).carry_out()


def test_its_improved_agents_are_improved_further_with_marks_of_their_own_play(run: Path, tmp_path: Path) -> None:
    config = FreshMarksConfig(
        source=run, arm="BC+RL (IBT)", beside=("demonstrator",), run=tmp_path / "fresh", seeds=(1,), episodes=4,
        updates=4, checkpoint_every=4,
    )  # fmt: skip
    page = plan_fresh_marks(config).carry_out().read_text()
    for arm, tables in zip(("BC", config.arm, *FURTHER, *config.beside), (1, 2, 3, 4, 5, 5, 2), strict=True):
        assert page.count(f"| {arm} |") == tables, arm
    folder, study = config.run / "seed-1", run.absolute() / "seed-1"
    asked = []
    for whose, solver in (("bc", "agent:clone-bc"), ("own", "agent:improve-bc-rl-ibt")):
        play = open_store(folder / f"play-{whose}").rows()
        assert [row.solver for row in play] == [solver] * config.episodes
        asked.append([row.asked for row in play])
    assert asked[0] == asked[1]
    for name, plays in {"bc": ["bc"], "own": ["own"], "both": ["bc", "own"]}.items():
        of_plays = [str(folder / f"play-{whose}") for whose in plays]
        assert settings_in(folder / f"reward-{name}")["data"] == [str(study / "data"), *of_plays]
        improved = settings_in(folder / f"improve-{name}")
        assert improved["agent"] == str(study / "improve-bc-rl-ibt" / "agent")
        assert improved["reward_model"] == str(folder / f"reward-{name}" / "reward_model")
    assert settings_in(folder / "improve")["reward_model"] == str(study / "reward-ibt" / "reward_model")
    assert plan_fresh_marks(config).carry_out().read_text().splitlines()[4:] == page.splitlines()[4:], (
        "nothing runs again"
    )
    with pytest.raises(UserError, match=r"'BC\+RL \(true reward\)' of .* was not improved against a reward model"):
        plan_fresh_marks(replace(config, arm="BC+RL (true reward)")).carry_out()


def settings_in(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "config.json").read_text())["config"]
