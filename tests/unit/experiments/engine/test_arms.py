"""Tables of an experiment that is not complete, and its device."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from experiments.engine.arms import plan_arms
from experiments.engine.config import LIKELIEST, ExperimentConfig, evaluations_of, others_compared, results_of
from experiments.engine.config import resolve_config as resolve_experiment
from experiments.engine.declaration import ReproduceConfig, experiments
from experiments.engine.report import write_experiment_report
from experiments.engine.stages import SeedStages
from experiments.interactive_agents import ablations, marks_use, plateau, probes, raters, sizes
from pipelines.loops.demo import DemoConfig, resolve_config
from pipelines.presets import small
from pipelines.stages.evaluate import ProbeResult, load_results
from pipelines.stages.running.staged_run import open_run
from rlhf.learning.refining_config import RefiningConfig
from rlhf.records.json_records import differences, from_json, to_json
from rlhf.run.config import CONFIG_FILE
from worlds.errors import UserError


@pytest.mark.parametrize("preset", (probes, ablations, raters, sizes, marks_use, plateau))
def test_a_study_can_be_written_and_read_back(preset) -> None:
    assert preset.__name__.rpartition(".")[2].replace("_", "-") in experiments()
    assert from_json(ExperimentConfig, to_json(preset.experiment())) == preset.experiment()


def test_uses_of_marks_differ_in_nothing_else() -> None:
    config, base = marks_use.experiment(), plateau.experiment()
    for shared in ("demonstrations", "play", "held_out_play", "mark", "begins_with"):
        assert getattr(config, shared) == getattr(base, shared)
    assert all(clone == base.clones[name] for name, clone in config.clones.items())
    assert config.rewards["later"] == base.rewards["later"]
    improve = config.arms["BC+RL (IBT)"].improve
    assert improve is not None and replace(improve, updates=1500, checkpoint_every=300) == plateau.improving()
    for name, arm in config.arms.items():
        assert arm.improve in (None, improve) and (arm.improve is not None) == ("RL" in name)
    plain = replace(RefiningConfig(), method="weighted", indicated_by="advantage", preference_weight=1.0)
    own = ("method", "indicated_by", "preference_weight")
    trainings = [refinement.training for refinement in config.refinements.values()]
    assert len({replace(one, **{name: getattr(plain, name) for name in own}) for one in trainings}) == 1
    assert trainings[0].batch == improve.slots + (improve.batch or improve.slots)
    assert (trainings[0].updates, trainings[0].steps) == (improve.updates, improve.steps)


def test_the_default_agent_has_as_many_updates_as_the_one_that_is_compared_with_it() -> None:
    config, base = plateau.experiment(), probes.experiment()
    assert (config.evaluate, config.mark) == (base.evaluate, base.mark)
    later = raters.experiment().rewards["later"]
    assert config.rewards["later"] == replace(later, training=config.rewards["later"].training)
    assert replace(config.rewards["later"].training, updates=1100, evaluate_every=110) == later.training
    short, further, default = (config.clones[name] for name in (plateau.SHORT, "bc", plateau.DEFAULT))
    assert config.begins_with == {"bc": plateau.SHORT}
    assert default.training.updates == short.training.updates + further.training.updates
    assert replace(default.training, updates=9000) == base.clones["bc"].training
    assert default.network == base.clones["bc"].network and short.network != default.network
    seen = [training.steps * training.batch for training in (short.training, further.training, default.training)]
    assert len(set(seen)) == 1
    scripted, marked, default_rl = (config.arms[name].improve for name in plateau.FOLLOWED)
    assert scripted == marked == plateau.improving()
    assert default_rl is not None and replace(default_rl, updates=500, checkpoint_every=100) == small.longer().improve


def test_a_clone_begins_with_another_one(tmp_path: Path) -> None:
    config = resolve_experiment(replace(plateau.experiment(), run=tmp_path))
    stages = SeedStages(config, 0)
    assert [stage.name for stage in stages.arm("BC")][:3] == ["demonstrations", "clone short", "clone bc"]
    assert stages.clone("short").of in stages.clone("bc").of
    assert stages.clone("default").of == ("clone", config.clones["default"], stages.demonstrations().of)


@pytest.mark.parametrize(
    ("begins_with", "words"),
    [
        ({"bc": "bc"}, "bc would begin with itself"),
        ({"bc": "short", "short": "bc"}, "bc would begin with itself"),
        ({"bc": "fast"}, "no clone 'fast'; known: short, bc, default"),
        ({"fast": "bc"}, "no clone 'fast'"),
    ],
)
def test_a_clone_that_leads_nowhere_is_refused(begins_with: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        replace(plateau.experiment(), begins_with=begins_with)


def test_sizes_differ_in_size_and_rates_only() -> None:
    config, base = sizes.experiment(), probes.experiment()
    assert (config.play, config.demonstrations, config.mark) == (base.play, base.demonstrations, base.mark)
    assert config.clones["bc"] == base.clones["bc"] and config.rewards["nano"] == base.rewards["ibt"]
    assert config.arms["BC+RL, nano"].improve == base.arms["BC+RL (IBT)"].improve
    for size in sizes.SIZES:
        cloned, improved = config.arms[f"BC, {size}"], config.arms[f"BC+RL, {size}"]
        assert cloned.clone == improved.clone and cloned.improve is None and improved.improve is not None
        clone, reward, improve = config.clones[cloned.clone], config.rewards[improved.reward], improved.improve
        assert clone.size == size and size == improved.reward
        ratio = clone.training.learning_rate / base.clones["bc"].training.learning_rate
        assert ratio * AgentConfig.preset(size).width == pytest.approx(64)
        assert reward.training.learning_rate / base.rewards["ibt"].training.learning_rate == pytest.approx(ratio)
        assert improve.learner.learning_rate / small.longer().improve.learner.learning_rate == pytest.approx(ratio)
    assert others_compared(config) == {f"BC+RL, {size}": f"BC, {size}" for size in sizes.SIZES}


def test_every_size_can_see_the_recordings() -> None:
    world = sizes.experiment().play.world
    counts = []
    with torch.device("meta"):
        for size in sizes.SIZES:
            agent = InteractiveAgent(AgentConfig.preset(size, image_size=(world.height, world.width)))
            counts.append(agent.num_parameters())
    assert [round(count / 1e6, 1) for count in counts] == sorted(round(count / 1e6, 1) for count in counts)
    assert counts[2] == pytest.approx(5e6, rel=0.1) and counts[3] == pytest.approx(18e6, rel=0.1)


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
    assert resolve_config(DemoConfig(), "cpu") == resolve_config(DemoConfig())
    assert ReproduceConfig().device is None


def test_a_study_of_an_older_version_resumes(tmp_path: Path) -> None:
    config = replace(probes.experiment(), run=tmp_path / "experiment")
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


def test_lines_of_unknown_arms_are_refused() -> None:
    with pytest.raises(UserError, match="lines: no arm 'BC, 1m'"):
        replace(sizes.experiment(), lines={"BC": {"1m": "BC, 1m"}})


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


def test_one_ablation_is_the_papers_reward_model() -> None:
    """The arms called IBT have a loss that the paper has not; this one differs from them in nothing else."""
    experiment = ablations.experiment()
    usual, without = (experiment.arms[name] for name in ("BC+RL (IBT)", "without unmarked drift"))
    assert experiment.rewards[usual.reward].training.unmarked_drift_weight > 0
    assert experiment.rewards[without.reward].training.unmarked_drift_weight == 0
    assert list(differences(usual, without)) == [("reward", "ibt", "ibt no unmarked drift")]
    (name, _, _), *others = differences(experiment.rewards[usual.reward], experiment.rewards[without.reward])
    assert (name, others) == ("training.unmarked_drift_weight", [])


def test_likeliest_words_have_a_table_beside_drawn_ones(tmp_path: Path) -> None:
    config = replace(plateau.experiment(), run=tmp_path, seeds=(0,))
    settings = evaluations_of(config)
    assert list(settings) == ["", "train", LIKELIEST]
    assert not settings[""].greedy_words and settings[LIKELIEST] == replace(settings[""], greedy_words=True)
    scripted = plateau.FOLLOWED[0]
    for arm, rate in (("BC", 0.4), (scripted, 0.8)):
        played(config, arm, 0, rate)
    for arm in ("BC", scripted):
        results_of(config, arm, 0, LIKELIEST).write_text(results_of(config, "BC", 0).read_text())
    page = write_experiment_report(config, "plateau").read_text()
    assert "Success in per cent of held-out requests, likeliest words, 40 episodes" in page
    cells = json.loads((tmp_path / "table-likeliest-words.json").read_text())["cells"]
    assert [c["difference"]["estimate"] for c in cells if (c["arm"], c["probe"]) == (scripted, "all")] == [0.0]


def test_a_second_table_of_the_likeliest_words_is_refused() -> None:
    with pytest.raises(UserError, match="say the likeliest already"):
        base = probes.experiment()
        replace(base, evaluate=replace(base.evaluate, greedy_words=True), also_with_likeliest_words=True)
