"""The report of a training: its metrics, its alarms, its evaluation if there is one, and what is unknown."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from html import unescape
from pathlib import Path

import pytest
import torch

from agents.play_settings import PLAY_SETTINGS_FILE
from pipelines.cli.main import main
from pipelines.cli.settings import parse
from pipelines.report.evaluated import evaluation
from pipelines.report.training import training_report
from pipelines.report.training_charts import CLONING, IMPROVEMENT, PAIRS, REWARD_TRAINING, WORDS, ChartPlan, charts
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, load_results, resolve_config
from pipelines.stages.outcomes.results_file import differences_to
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.learning.alarms import ALARMS_FILE, read_alarms
from rlhf.records.marks import Mark
from rlhf.run.config import lock_run
from rlhf.run.json_lines import Row
from rlhf.run.statistics import points
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from worlds.errors import UserError

UPDATES = 24
ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]
QUICK = ["--wandb=disabled", "--training.updates=6", "--training.steps=3", "--training.batch=2"]
QUICK += ["--training.log-every=1", "--training.evaluate-every=2"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


def run(*words: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main([str(word) for word in words]) == 0, words


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset and the runs ``clone``, ``reward`` and ``improve``, whose guards cry wolf."""
    here = tmp_path_factory.mktemp("made")
    data = f"--data={here / 'data'}"
    for split, count in (("train", 5), ("held_out", 2)):
        run("record", data, f"--episodes={count}", "--steps=8", "--workers=1", f"--split={split}", *WORLD)
    store = open_store(here / "data")
    store.write_marks(Mark(name, "ann", step, 1 - 2 * (step % 2), True) for name in store.ids() for step in (2, 5))
    run("clone", data, f"--runs={here}", "--held-out=0.3", *QUICK)
    run("reward", data, f"--agent={here / 'clone' / 'agent'}", f"--runs={here}", "--validation=0.3", *QUICK)
    run(
        *("improve", data, f"--runs={here}", f"--agent={here / 'clone' / 'agent'}"),
        *(f"--reward-model={here / 'reward' / 'reward_model'}", f"--updates={UPDATES}", "--slots=2", "--steps=4"),
        *("--threads=1", "--evaluate-every=8", "--evaluation-episodes=2", "--checkpoint-every=12"),
        *("--guards.gradient=1e-6", "--guards.entropy=1e6", "--wandb=disabled", *WORLD),
    )
    return here


@pytest.fixture
def whole(made: Path, tmp_path: Path) -> Path:
    """A copy of the improvement's run, to be changed."""
    return Path(shutil.copytree(made / "improve", tmp_path / "improve"))


@pytest.fixture
def improved(whole: Path, made: Path) -> Path:
    """A copy of the improvement's run, whose reward model is gone: drawing its traces takes most of a report's time."""
    return without_reward_model(whole, made)


def without_reward_model(run: Path, made: Path) -> Path:
    path = run / "config.json"
    path.write_text(path.read_text().replace(str(made / "reward" / "reward_model"), str(made / "gone")))
    return run


def text_of(path: Path) -> str:
    """What a reader of the page sees, without its pictures."""
    html = re.sub(r"<(style|pre|svg).*?</\1>", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


# Alarms, from the guards to the page


def test_alarms_are_saved_with_the_run_and_not_doubled_when_it_is_resumed(whole: Path) -> None:
    kept = read_alarms(whole)
    assert kept is not None and kept.since == 0
    assert [(alarm.update, alarm.kind) for alarm in kept.raised] == [(21, "gradient"), (21, "entropy")]
    run("improve", f"--resume={whole}", f"--updates={UPDATES + 2}")  # from update 24, whose checkpoint has them
    assert read_alarms(whole) == kept
    for newest in sorted((whole / "checkpoints").glob("step-*"))[1:]:
        shutil.rmtree(newest)
    run("improve", f"--resume={whole}")  # from update 12: update 21 comes once more
    again = read_alarms(whole)
    assert again is not None
    assert [(alarm.update, alarm.kind) for alarm in again.raised] == [(21, "gradient"), (21, "entropy")]
    assert [row["step"] for row in read_metrics(whole)] == list(range(UPDATES + 3))


def test_the_page_shows_the_first_alarms_beside_modelled_reward_and_counts_the_rest(improved: Path) -> None:
    with (improved / ALARMS_FILE).open("a") as file:
        for update in range(100, 140):
            row = {"step": update, "time": 0.0, "alarm": "gradient", "text": f"number <{update}>"}
            file.write(json.dumps(row) + "\n")
    run("report", "--run", improved)
    text, page = text_of(improved / "report.html"), (improved / "report.html").read_text(encoding="utf-8")
    monitor = text[text.index("Modelled reward and true success") :]
    assert "42 alarms were raised. entropy update 21 · The movement policy's entropy is" in monitor
    assert "gradient update 21 · The gradient's norm is" in monitor and "No alarm was raised" not in text
    assert "gradient: and 36 more, the last at update 139" in text
    assert "Number <103>." in text and "Number <104>" not in text
    assert page.count("<title>alarm at update") == 2  # of those shown, update 21 is within the curves, in both charts


@pytest.mark.parametrize("what", ["none", "unknown", "late"])
def test_absence_of_alarms_is_reported_only_where_it_is_known(what: str, improved: Path) -> None:
    path = improved / ALARMS_FILE
    first = path.read_text().splitlines()[0] + "\n"
    path.write_text(first.replace('"step": 0', '"step": 9') if what == "late" else first)
    if what == "unknown":
        path.unlink()
    run("report", "--run", improved)
    text = text_of(improved / "report.html")
    assert ("No alarm was raised." in text) == (what != "unknown")
    assert ("Alarms are unknown" in text) == (what == "unknown")
    assert ("Alarms were saved from update 9 on." in text) == (what == "late")


# An evaluation in the run's folder


def evaluated(agent: str, *rates: float, episodes: int = 40) -> list[dict]:
    """Rows of results of an agent at go and lift."""
    outcomes = [[number < rate * episodes for number in range(episodes)] for rate in rates]
    return [
        asdict(ProbeResult(agent, probe, tuple(range(episodes)), tuple(won), (None,) * episodes))
        for probe, won in zip(("go", "lift"), outcomes, strict=False)
    ]


def test_an_evaluation_in_the_runs_folder_is_shown_with_its_differences(improved: Path) -> None:
    rows = [*evaluated("BC", 0.5, 0.25), *evaluated("BC+RL", 0.75, 0.5), *evaluated("other", 0.5)]
    path = improved / "results.json"
    path.write_text(json.dumps(rows))
    found = differences_to(load_results(path), "BC")
    for row in rows:
        if (row["agent"], row["probe"]) in found:
            row["difference"] = asdict(found[row["agent"], row["probe"]])
    path.write_text(json.dumps(rows))
    run("report", "--run", improved)
    text = text_of(improved / "report.html")
    assert "40 episodes a probe, the same for all agents; 95% intervals." in text
    assert f"{points(found['BC+RL', 'go'].at_probe)}" in text and f"{points(found['BC+RL', 'go'].over_all)}" in text
    assert "All probes 38%" in text and "was not evaluated" not in text
    path.write_text("{}")
    run("report", "--run", improved)
    text = text_of(improved / "report.html")
    assert "No evaluation is shown" in text and "results.json holds no results" in text and "Alarms 2" in text


def test_a_difference_over_fewer_probes_is_not_shown_as_one_over_all(tmp_path: Path) -> None:
    rows = [*evaluated("BC", 0.5), *evaluated("BC+RL", 0.75, 0.5)]
    (tmp_path / "results.json").write_text(json.dumps(rows))
    rows[1]["difference"] = asdict(differences_to(load_results(tmp_path / "results.json"), "BC")["BC+RL", "go"])
    (tmp_path / "results.json").write_text(json.dumps(rows))
    shown = evaluation(tmp_path)
    assert shown is not None
    assert [[len(cell.notes) for cell in row.cells] for row in shown.table.rows] == [[1, 2], [0, 1], [0, 1]]


# The rest of the page


def test_an_improvement_is_reported_in_its_own_numbers(whole: Path) -> None:
    report = training_report(whole)
    held_out = [row for row in read_metrics(whole) if "held_out/modelled_return" in row]
    last = f"{held_out[-1]['held_out/modelled_return']:.2f}".replace("-", "−")
    assert report.headline.startswith("Too few finished requests on held-out replays (2) to compare beginning and end")
    facts = {fact.name: fact for fact in report.facts}
    assert facts["Modelled return, held-out"].number == last
    assert facts["Updates"].number == f"{UPDATES}" and facts["Alarms"].warns
    assert [len(curve.x) for curve in report.monitored[0].curves if curve.dashed] == [len(held_out)]
    assert {chart.title for chart in report.curves} == {plan.title for plan in IMPROVEMENT}
    assert len(report.traces) == 2 and report.circumstances.command.startswith("rlhf") is False  # pytest's own
    assert report.circumstances.config["updates"] == UPDATES


def test_the_command_that_evaluates_is_one(made: Path, improved: Path) -> None:
    words = shlex.split(training_report(improved).command)
    assert words[:2] == ["rlhf", "evaluate"]
    config = parse(EvaluateConfig, words[2:], command="rlhf evaluate", default=EvaluateConfig(), about="")
    assert not any(word.startswith("--world") for word in words)  # both agents' folders have their world's settings
    assert resolve_config(config).world == WorldConfig(height=12, width=16, settings=ROOM).complete()
    assert dict(config.agents) == {"BC": str(made / "clone" / "agent"), "BC+RL": str(improved / "agent")}
    settings_files = [folder / PLAY_SETTINGS_FILE for folder in (made / "clone" / "agent", improved / "agent")]
    kept = settings_files[0].read_bytes()
    for path in settings_files:
        path.unlink()  # agents of older versions
    words = shlex.split(training_report(improved).command)
    config = parse(EvaluateConfig, words[2:], command="rlhf evaluate", default=EvaluateConfig(), about="")
    assert resolve_config(config).world == WorldConfig(height=12, width=16, settings=ROOM).complete()
    settings_files[0].write_bytes(kept)
    shutil.rmtree(improved / "agent")  # as while it is running
    words = shlex.split(training_report(improved).command)
    agent = Path(words[words.index("BC+RL") + 1])
    assert agent.parent.name == f"step-{UPDATES:09d}" and agent.is_dir()


@pytest.mark.parametrize(
    ("verb", "command", "plans"),
    [
        ("clone", "rlhf evaluate --agents BC", CLONING),
        ("reward", "rlhf diagnose --reward-model", (*REWARD_TRAINING, PAIRS, WORDS)),
        ("improve", "rlhf evaluate --agents BC", IMPROVEMENT),
    ],
)
def test_every_training_has_a_page(
    verb: str, command: str, plans: Sequence[ChartPlan], made: Path, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    before = sorted((made / verb).iterdir())
    run("report", "--run", made / verb, "--out", out)
    page, text = out.read_text(encoding="utf-8"), text_of(out)
    assert command in unescape(page) and "Success at the probe tasks" not in text
    assert all(plan.title in text for plan in plans) and "nan" not in text.lower().split()
    assert not re.search(r'(src|href)="(?!data:|#)', page) and page.count("<svg") == page.count("</svg>")
    assert sorted((made / verb).iterdir()) == before


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("machine", 0.5, "machine is not an object"),
        ("machine", {"cpu": 3}, None),
        ("created", 0.5, "created is not text"),
        ("created", "+12345-01-01", None),
        ("resumed", {}, "resumed is not a list"),
        ("command", [], "command is not text"),
        ("kind", "NoConfig", "no run of a training"),
        ("config", 0.5, "config is not an object"),
        ("config", {}, None),
        ("config", {"training": 0.5}, "training"),
    ],
)
def test_a_damaged_configuration_is_named(part: str, value: object, named: str | None, improved: Path) -> None:
    path = improved / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {part: value}))
    if named is None:
        training_report(improved)
    else:
        with pytest.raises(UserError, match=named):
            training_report(improved)


def test_an_improvement_is_reported_without_its_reward_model(improved: Path) -> None:
    path = improved / "config.json"
    report = training_report(improved)
    assert not report.traces and "gone" in report.traces_note and report.monitored[0].curves
    path.write_text(path.read_text().replace('"scripted_reward": false', '"scripted_reward": true'))
    assert "ground truth" in training_report(improved).traces_note
    run("report", "--run", improved)
    assert "rewarded by the model only" not in text_of(improved / "report.html")


@pytest.mark.parametrize("metrics", ["none", "cut off"])
@pytest.mark.parametrize("verb", ["clone", "reward", "improve"])
def test_a_run_that_has_just_begun_or_was_interrupted(
    verb: str, metrics: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, made_last = tmp_path / "begun", "reward_model" if verb == "reward" else "agent"
    shutil.copytree(made / verb, begun, ignore=shutil.ignore_patterns("checkpoints", made_last, "metrics.jsonl"))
    without_reward_model(begun, made)
    if metrics != "none":
        (begun / "metrics.jsonl").write_text('{"step": 0, "ti')
    report = training_report(begun)
    assert report.headline.startswith("The run was interrupted at update 0 of at most")
    assert report.unfinished and report.command == f"rlhf {verb} --resume {begun}"
    assert report.curves == () and "Updates" in {fact.name for fact in report.facts}
    run("report", "--run", begun)
    assert f"rlhf {verb} --resume {begun} resumes it" in " ".join(capsys.readouterr().err.split())
    assert "not finished" in text_of(begun / "report.html")


def test_a_running_run_is_reported_as_such(improved: Path) -> None:
    shutil.rmtree(improved / "agent")
    with lock_run(improved):
        report = training_report(improved)
        assert report.headline.startswith(f"The run is running, at update {UPDATES} of at most {UPDATES}. ")
        run("report", "--run", improved)
    assert "was interrupted" in training_report(improved).headline
    assert not training_report(improved).headline.startswith("The run is running")


def test_a_headline_of_training_replays_does_not_begin_with_one_replay(improved: Path) -> None:
    rows = [
        {"step": step, "time": 0.0, "played_steps": 100 * step, "train/true_success": share, "train/requests": count}
        | {"train/modelled_return": share, "train/plays": count, "train/modelled_return_sd": 1.0}
        for step, share, count in ((1, 0.0, 1), (10, 0.1, 50), (100, 0.32, 200))
    ]
    (improved / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = training_report(improved)
    assert "true success went from 10% (4 to 21%) to 32% (26 to 39%)" in report.headline
    assert "the modelled return went from 0.10 (−0.18 to 0.38) to 0.32 (0.18 to 0.46)" in report.headline
    assert "(95% intervals; 50 and 200 requests)" in report.headline
    (fact,) = [fact for fact in report.facts if fact.name.startswith("True success")]
    assert fact.number == "32%" and fact.note == "from 10% (4 to 21%) with 50; now 32% (26 to 39%) with 200 requests"
    assert all(curve.x[0] == 10 for chart in report.monitored for curve in chart.curves)


def test_outliers_are_cut_off_with_a_note() -> None:
    (plan,) = [plan for plan in IMPROVEMENT if plan.least is not None]
    metric = plan.curves[0][0]
    rows: list[Row] = [{"step": step, metric: value} for step, value in enumerate((-1e8, 0.2, 0.4))]
    (chart,) = charts(rows, [plan])
    assert chart.curves[0].y == (-1.0, 0.2, 0.4) and "drawn at -1" in chart.note
    (chart,) = charts(rows[1:], [plan])
    assert chart.curves[0].y == (0.2, 0.4) and "drawn" not in chart.note


# Folders that are neither


def test_folders_that_are_no_runs_are_refused_in_one_line(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    demo = tmp_path / "demo"
    shutil.copytree(made / "clone", demo / "clone")
    (demo / "config.json").write_text(json.dumps({"kind": "LoopConfig", "config": {}}))
    for folder, message in (
        (tmp_path / "nowhere", "nowhere does not exist; name a run's folder"),
        (tmp_path / "file", "file is a file, not a run's folder"),
        (made, f"there are runs in it: {made / 'clone'}, {made / 'improve'}, {made / 'reward'}"),
        (made / "clone" / "agent", "is not a run's configuration; name the folder of a run"),
        (demo, f"has no report.json: its loop has not finished; there are runs in it: {demo / 'clone'}"),
    ):
        assert main(["report", "--run", str(folder)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ") and message in line, line
