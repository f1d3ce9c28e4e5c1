"""Arms of an experiment: their stages and marks, their tables and curves, and what they cost."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.engine.arms import plan_arms
from experiments.engine.config import Arm, ExperimentConfig, curve_of, data_of, folder_of, results_of
from experiments.engine.config import resolve_config as resolve_experiment
from experiments.engine.costs import cost_rows, costs_table
from experiments.engine.curves import curve_rows, curves_table, followed
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.marks import mark_rows, marks_table
from experiments.engine.report import write_experiment_report
from experiments.engine.rows import grouped
from experiments.engine.stages import SeedStages
from experiments.engine.table import by_arm
from experiments.interactive_agents import marks_use, plateau, probes, raters, sizes
from pipelines.loops.rounds import LoopConfig
from pipelines.stages.evaluate import ProbeResult, load_results
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.running.staged_run import FinishedStage, open_run, run_stages, save_finished_stages
from reward_models.learning.training import RewardTrainer
from reward_models.marks.marked_play import MarkedPlay
from rlhf.records.marks import Mark
from rlhf.run.config import CONFIG_FILE
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import Event
from worlds.errors import UserError


def test_a_clone_begins_with_another_one(tmp_path: Path) -> None:
    config = resolve_experiment(replace(plateau.experiment(), run=tmp_path))
    stages = SeedStages(config, 0)
    assert [stage.name for stage in stages.arm("BC")][:3] == ["demonstrations", "clone short", "clone bc"]
    assert stages.clone("short").of in stages.clone("bc").of
    assert stages.clone("default").of == ("clone", config.clones["default"], stages.demonstrations().of)


def with_arm(arm: Arm) -> dict[str, Any]:
    return {"arms": {**raters.experiment().arms, "x": arm}}


@pytest.mark.parametrize(
    ("experiment", "wrong", "told"),
    [
        (plateau, {"begins_with": {"bc": "short", "short": "bc"}}, "bc would begin with itself"),
        (plateau, {"begins_with": {"fast": "bc"}}, "no clone 'fast'"),
        (sizes, {"lines": {"BC": {"1m": "BC, 1m"}}}, "lines: no arm 'BC, 1m'"),
        (raters, {"seeds": (1, 1)}, "different numbers"),
        (raters, {"curves": ("BC",)}, "no curve over updates"),
        (raters, {"also_evaluated_on": ("held_out",)}, "held_out is what evaluate.split has already"),
        (raters, {"marks": {**raters.experiment().marks, "Misses: half": (MarkConfig(),)}}, "would have one folder"),
        (raters, with_arm(Arm(clone="larger")), "no clone 'larger'"),
        (raters, with_arm(Arm(reward="none", improve=ImproveConfig())), "no reward model 'none'"),
        (raters, with_arm(Arm(reward="ibt", improve=ImproveConfig(), marks="loud")), "no marks 'loud'; known: quarter"),
        (raters, with_arm(Arm(marks="late")), "it learns from no marks"),
        (raters, with_arm(Arm(refine="nothing")), "no refinement 'nothing'"),
    ],
)
def test_an_experiment_that_cannot_be_is_refused(experiment: Any, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told) as refused:
        replace(experiment.experiment(), **wrong)
    assert "\n" not in str(refused.value)


def played(config: ExperimentConfig, arm: str, seed: int, rate: float) -> None:
    """Outcomes as an evaluation writes them, made up."""
    path = results_of(config, arm, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    places = tuple(range(40))
    wins = tuple(bool(win) for win in np.random.default_rng(len(arm) + seed).random(40) < rate)
    found = [ProbeResult(arm, p, places, wins, (None,) * 40) for p in config.evaluate.world.entry().probes]
    path.write_text(json.dumps([asdict(one) for one in found]))


def test_missing_arms_are_not_run(tmp_path: Path) -> None:
    config = replace(sizes.experiment(), run=tmp_path, seeds=(0, 1))
    for arm, rate in (("BC, nano", 0.4), ("BC, micro", 0.5), ("BC+RL, micro", 0.7)):
        for seed in (0, 1):
            played(config, arm, seed, rate)
    page = write_experiment_report(config, "sizes").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| BC")]
    success, differences = rows[:8], rows[8:]
    assert [line.split("|")[1].strip() for line in success] == list(config.arms)
    missing = [line for line in success if line.count("not run") == 7]
    assert [line.split("|")[1].strip() for line in missing] == [
        "BC+RL, nano", "BC, 5m", "BC+RL, 5m", "BC, 18m", "BC+RL, 18m"
    ]  # fmt: skip
    assert sum("not run" in line for line in differences) == 5
    (compared,) = (line for line in differences if line.startswith("| BC+RL, micro (than BC, micro) |"))
    table = json.loads((tmp_path / "table.json").read_text())
    cells = {(cell["arm"], cell["probe"]): cell for cell in table["cells"]}
    for probe in ("go", "all"):
        found = cells["BC+RL, micro", probe]
        gap = found["success"]["estimate"] - cells["BC, micro", probe]["success"]["estimate"]
        assert found["difference"]["estimate"] == pytest.approx(gap) and abs(gap) > 0.01
        assert f"{100 * gap:+.0f} (" in compared
    for picture in ("success.png", "lines.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_agents_are_compared_with_a_larger_one_beside_bc(tmp_path: Path) -> None:
    config = replace(probes.experiment(), run=tmp_path, seeds=(0, 1))
    for seed in (0, 1):
        played(config, "BC", seed, 0.4)
        played(config, "BC+RL (AR)", seed, 0.7)
    assert (
        write_experiment_report(config, "probes").read_text().count("Points more than") == 1
    )  # the larger one has not played yet
    for seed in (0, 1):
        played(config, "larger BC", seed, 0.5)
    _, page = write_experiment_report(config, "probes").read_text().split("Points more than larger BC")
    (line,) = (line for line in page.splitlines() if line.startswith("| BC+RL (AR) |"))
    agent, larger = (
        [r.rate for seed in (0, 1) for r in load_results(results_of(config, arm, seed))]
        for arm in ("BC+RL (AR)", "larger BC")
    )
    assert f"{100 * (np.mean(agent) - np.mean(larger)):+.0f} (" in line.split("|")[-2]
    assert "| larger BC |" not in page


def test_a_device_reaches_every_stage_and_may_change(tmp_path: Path) -> None:
    config = replace(probes.experiment(), run=tmp_path / "experiment")
    open_run(config.run, config, "experiment", free=("seeds", "device"))
    on_gpu = replace(config, device="cuda")
    open_run(config.run, on_gpu, "experiment", free=("seeds", "device"))
    assert json.loads((config.run / CONFIG_FILE).read_text())["config"]["device"] == "cuda"
    for resolved, device in ((config, "cpu"), (on_gpu, "cuda")):
        assert SeedStages(resolved, 0).improve_config("BC+RL (IBT)").device == device
        assert SeedStages(resolved, 0).evaluate_config("BC").device == device
    assert LoopConfig(device="cuda").improve.device == "cuda" and LoopConfig().improve.device == "cpu"
    assert ReproduceConfig().device is None


def test_a_study_of_an_older_version_resumes(tmp_path: Path) -> None:
    base = probes.experiment()
    arms = {name: arm for name, arm in base.arms.items() if arm.marks is None}
    config = replace(base, run=tmp_path / "experiment", arms=arms, marks={})
    open_run(config.run, config, "experiment")
    record = json.loads((config.run / CONFIG_FILE).read_text())
    for name in ("marks", "device", "lines"):
        del record["config"][name]
    for arm in record["config"]["arms"].values():
        del arm["marks"]
    del record["config"]["mark"]["share"]
    (config.run / CONFIG_FILE).write_text(json.dumps(record))
    open_run(config.run, config, "experiment", free=("seeds", "device"))
    with pytest.raises(UserError, match=r"mark.share is 1.0 there and 0.5 here"):
        open_run(config.run, replace(config, mark=replace(config.mark, share=0.5)), "experiment")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_missing_device_is_refused_before_anything_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no device cuda here"):
        plan_arms(replace(probes.experiment(), run=tmp_path / "experiment", device="cuda"), "probes")
    assert not (tmp_path / "experiment").exists()


def test_requests_of_training_combinations_have_a_table_once_there_is_something_to_compare(tmp_path: Path) -> None:
    config = replace(probes.experiment(), run=tmp_path, seeds=(0,))
    for arm, rate in (("BC", 0.4), ("BC+RL (IBT)", 0.8)):
        played(config, arm, 0, rate)
    results_of(config, "BC", 0, "train").write_text(results_of(config, "BC", 0).read_text())
    assert "training combinations" not in write_experiment_report(config, "probes").read_text()
    assert not (tmp_path / "table-train.json").exists()
    results_of(config, "BC+RL (IBT)", 0, "train").write_text(results_of(config, "BC", 0).read_text())
    held_out, known = (
        write_experiment_report(config, "probes")
        .read_text()
        .split("Success in per cent of requests of training combinations")
    )
    (found,) = (
        c for c in json.loads((tmp_path / "table.json").read_text())["cells"] if c["probe"] == "all" and c["difference"]
    )
    assert (
        found["difference"]["estimate"] > 0.2
        and held_out.count("| BC+RL (IBT) |") == known.count("| BC+RL (IBT) |") == 2
    )
    table = json.loads((tmp_path / "table-train.json").read_text())
    (cell,) = (c for c in table["cells"] if (c["arm"], c["probe"]) == ("BC+RL (IBT)", "all"))
    assert cell["difference"]["estimate"] == 0.0, "the same outcomes were put there"
    assert (tmp_path / "success-train.png").is_file()


LEARNING_ARMS = ("usual raters", "1/4 of the episodes marked", "half of the events missed", "three raters, majority")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> ExperimentConfig:
    """The preset with very little to learn, recorded and cloned already."""
    experiment = replace(raters.experiment(), run=tmp_path_factory.mktemp("raters") / "experiment", seeds=(0,))
    store = open_store(data_of(experiment, None, 0), create=True)
    for number in range(40):  # as many as leave each quarter some to learn from and some to choose by
        episode = synthetic_episode(number, 24, 8, 8)
        truth = tuple(Event(step, 1 if (number + step) % 3 else -1, "a") for step in (4, 9, 14, 19))
        store.write(replace(episode, truth=truth, split="held_out" if number >= 32 else "train"))
    tokenizer = Tokenizer.train(["please lift the ball"], 300)
    sizes = tiny_agent.config(vocab_size=tokenizer.vocab_size)
    save_agent(InteractiveAgent(sizes), tokenizer, folder_of(experiment, 0) / "clone-bc" / "agent")
    tiny = dict(updates=2, steps=12, batch=4, evaluate_every=2, evaluation_episodes=4, calibrate=False, shift=0)
    rewards = {
        name: replace(one, wandb="disabled", training=replace(one.training, **tiny))
        for name, one in experiment.rewards.items()
    }
    return replace(experiment, rewards=rewards)


@pytest.fixture(scope="module")
def seen(toy: ExperimentConfig) -> dict[str, MarkedPlay]:
    """Training play of the reward models of some arms, as their trainers received it."""
    seen: dict[str, MarkedPlay] = {}
    original = RewardTrainer.__init__
    with pytest.MonkeyPatch.context() as patch:
        for name in LEARNING_ARMS:

            def spy(self: RewardTrainer, model, play, *rest, name=name, **settings) -> None:
                seen[name] = play
                original(self, model, play, *rest, **settings)

            patch.setattr(RewardTrainer, "__init__", spy)
            stages = [stage for stage in SeedStages(toy, 0).arm(name) if stage.name.startswith(("marks", "reward"))]
            run_stages(folder_of(toy, 0), stages)
            assert (SeedStages(toy, 0).improve_config(name).reward_model / "model.safetensors").is_file()
    return seen


def marks_of(toy: ExperimentConfig, way: str | None) -> list[Mark]:
    return open_store(data_of(toy, way, 0)).marks()


def test_every_reward_model_reads_its_own_marks(toy: ExperimentConfig, seen: dict[str, MarkedPlay]) -> None:
    usual, quarter, missed, three = (seen[name] for name in LEARNING_ARMS)
    total = {name: int(play.marks.sum()) for name, play in seen.items()}
    assert len(quarter) < len(usual) / 2 and total[LEARNING_ARMS[1]] < total[LEARNING_ARMS[0]] / 2
    assert total[LEARNING_ARMS[2]] < 0.75 * total[LEARNING_ARMS[0]]
    assert {names for play in (usual, quarter, missed) for names in play.raters} == {("scripted-rater-0",)}
    assert {name for names in three.raters for name in names} == {f"scripted-rater-{n}" for n in range(3)}
    for name, play in seen.items():
        given = Counter(mark.episode_id for mark in marks_of(toy, toy.arms[name].marks))
        for number, episode in enumerate(play.episode_ids):
            assert play.marks_of(number).sum() == given[episode]


def test_less_marking_gives_a_subset_of_marks(toy: ExperimentConfig, seen: dict[str, MarkedPlay]) -> None:
    usual = set(marks_of(toy, None))
    quarter = set(marks_of(toy, "quarter"))
    assert quarter < usual and len({mark.episode_id for mark in quarter}) <= 10
    # Delays of what is not missed are the same, but order in time may push a mark back: compare counts, not steps.
    missed = Counter(mark.episode_id for mark in marks_of(toy, "misses half"))
    all_marks = Counter(mark.episode_id for mark in usual)
    assert all(missed[name] <= all_marks[name] for name in missed)


def test_numbers_of_marks_are_reported(toy: ExperimentConfig, seen: dict[str, MarkedPlay]) -> None:
    rows = list(mark_rows(toy, "raters"))
    learned = {row.arm: row.measures for row in rows}
    train = set(open_store(data_of(toy, None, 0)).ids(split="train"))
    for name in LEARNING_ARMS:
        given = [mark for mark in marks_of(toy, toy.arms[name].marks) if mark.episode_id in train]
        found = tuple(learned[name][count] for count in ("marks", "marked", "episodes"))
        assert found == (len(given), len({m.episode_id for m in given}), 32)
    assert "four steps late" not in learned and "BC" not in learned  # not marked yet
    assert learned["three raters, each"] == learned["three raters, majority"]  # the same marks, used otherwise
    assert f"| usual raters | {learned['usual raters']['marks']} |" in marks_table(rows).markdown()


def test_an_interrupted_marking_starts_again(toy: ExperimentConfig, seen: dict[str, MarkedPlay]) -> None:
    before = marks_of(toy, "half") if data_of(toy, "half", 0).exists() else []
    assert not before
    open_store(data_of(toy, "half", 0), create=True)  # left by a killed attempt
    (stage,) = (stage for stage in SeedStages(toy, 0).arm("1/2 of the episodes marked") if stage.name == "marks half")
    stage.do()
    first = marks_of(toy, "half")
    stage.do()
    assert marks_of(toy, "half") == first and len({mark.episode_id for mark in first}) <= 20


ARM, OTHER = "BC+RL (scripted reward)", "BC+RL (IBT, read later)"
CORE_SECONDS = 7200.0  # of each improvement
LAST = plateau.improving().updates


@pytest.fixture
def curved(tmp_path: Path) -> ExperimentConfig:
    """Two seeds of an arm at three checkpoints, of two probes and two episodes each; a second arm is unfinished."""
    preset = plateau.experiment()
    config = replace(preset, run=tmp_path, seeds=(0, 1), curves=(ARM, OTHER), curve_episodes=2)
    successes = {0: {0: (0, 1), 250: (1, 1), LAST: (2, 1)}, 1: {0: (0, 0), 250: (1, 0), LAST: (2, 2)}}
    for seed, checkpoints in successes.items():
        path = curve_of(config, ARM, seed)
        path.parent.mkdir(parents=True)
        rows = [
            {"agent": str(update), "probe": probe, "seeds": [0, 1], "success": [i < right for i in range(2)],
             "steps": [None, None]}
            for update, both in checkpoints.items() for probe, right in zip(("go", "lift"), both, strict=True)
        ]  # fmt: skip
        path.write_text(json.dumps(rows))
        curve_of(config, OTHER, seed).write_text(json.dumps(rows))
        done = [FinishedStage(f"improve {ARM}", 1.0, core_seconds=CORE_SECONDS), FinishedStage(f"follow {ARM}", 1.0)]
        save_finished_stages(folder_of(config, seed), done)
    return config


def test_success_is_the_mean_over_probes(curved: ExperimentConfig) -> None:
    series = followed(list(curve_rows(curved, "plateau")))
    assert set(series) == {ARM}, "the other one's checkpoints are not all evaluated"
    (updates, first), (_, second) = series[ARM]
    assert updates.tolist() == [0, 250, LAST]
    assert first.tolist() == [0.25, 0.5, 0.75]
    assert second.tolist() == [0.0, 0.25, 1.0]


def test_the_table_has_steps_and_core_hours(curved: ExperimentConfig) -> None:
    improve = curved.arms[ARM].improve
    assert improve is not None
    lines = curves_table(list(curve_rows(curved, "plateau")), curved).markdown().splitlines()
    assert "| 0 | 0.00 | 12 (0 to 25) | 0.00 | not run |  |" in lines
    steps = LAST * improve.slots * improve.steps / 1e6
    assert f"| {LAST:,} | {steps:.2f} | 88 (75 to 100) | 2.00 | not run |  |" in lines
    assert any(line.startswith("| 250 |") and f"| {2 * 250 / LAST:.2f} | not run |  |" in line for line in lines)


SECONDS = {
    "demonstrations": 3600.0, "clone bc": 7200.0, "play": 360.0, "marks": 36.0, "reward reward-later": 1800.0,
    "refine-kto": 720.0, "improve KTO + RL": 3600.0, "evaluate KTO": 9000.0,
}  # fmt: skip


def test_an_arm_costs_the_stages_that_it_needs_once_each(tmp_path: Path) -> None:
    config = replace(marks_use.experiment(), run=tmp_path, seeds=(0, 1), begins_with={})
    for seed, factor in ((0, 1.0), (1, 3.0)):
        folder_of(config, seed).mkdir()
        done = [FinishedStage(name, 1.0, core_seconds=factor * seconds) for name, seconds in SECONDS.items()]
        save_finished_stages(folder_of(config, seed), done)
    rows = list(cost_rows(config, "marks-use"))
    found = {arm: {row.seed: row.measures for row in own} for arm, own in grouped(rows, by_arm).items()}
    assert set(found) == {"BC", "KTO", "KTO + RL"}, "the others' stages are not finished"
    assert found["BC"][0] == {"whole": 3.0, "own": 0.0}
    assert found["KTO"][0]["own"] == pytest.approx((360 + 36 + 720) / 3600)
    assert found["KTO + RL"][0]["own"] == pytest.approx((360 + 36 + 1800 + 720 + 3600) / 3600)
    assert found["KTO + RL"][1]["whole"] == pytest.approx(3 * found["KTO + RL"][0]["whole"])
    assert "| KTO | 6.62 | 0.62 | 0, 1 |" in costs_table(rows, "BC").markdown()


def test_an_arm_with_a_stage_that_was_not_measured_is_left_out(tmp_path: Path) -> None:
    """As stages of older versions were not."""
    config = replace(marks_use.experiment(), run=tmp_path, seeds=(0,), begins_with={})
    folder_of(config, 0).mkdir()
    done = [FinishedStage(name, 1.0, core_seconds=None if name == "play" else 1.0) for name in SECONDS]
    save_finished_stages(folder_of(config, 0), done)
    assert {row.arm for row in cost_rows(config, "marks-use")} == {"BC"}
