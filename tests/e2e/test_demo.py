"""The whole loop, as small as it can be: from recorded play to a report, and on from where it stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.folder import load_agent
from experiments.engine.reproduce import ReproduceConfig, reproduce
from experiments.engine.results_docs import read_tables
from pipelines.loops.demo import DemoConfig, demo, resolve_config
from pipelines.presets import demo as preset
from pipelines.stages.evaluate import load_results
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import reward
from rlhf.learning.guards import GuardConfig
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import load_config
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from worlds.errors import UserError

pytestmark = pytest.mark.e2e

PROBES = ("go", "exist")  # one that is done, and one that is answered


def tiny(run: Path) -> DemoConfig:
    """The demo's own settings, with next to nothing of everything."""
    config = preset.demo()
    return replace(
        config,
        run=run,
        demonstrations=replace(config.demonstrations, episodes=40, steps=24, workers=1),
        clone=replace(config.clone, wandb="disabled", training=replace(config.clone.training, updates=30, batch=16)),
        play=replace(config.play, episodes=16, steps=24, slots=8),
        held_out_play=8,
        mark=replace(config.mark, miss=0.0),
        reward=replace(
            config.reward,
            wandb="disabled",
            training=replace(config.reward.training, updates=10, steps=16, batch=4, evaluate_every=5),
        ),
        improve=replace(
            config.improve, wandb="disabled", slots=4, steps=4, batch=4, updates=4, evaluate_every=2,
            evaluation_episodes=2, checkpoint_every=2,
        ),
        evaluate=replace(config.evaluate, episodes=4, slots=4, probes=PROBES),
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "demo" / "seed-0"
    assert demo(tiny(folder)) == folder / "report.html"
    return folder


def test_the_report_needs_nothing_but_itself(run: Path) -> None:
    page = (run / "report.html").read_text()
    fetched = re.findall(r"""(?:src|srcset|poster|data)\s*=\s*["']?\s*(?!data:)([^"'\s>]+)""", page)
    fetched += re.findall(r"""<link[^>]*href\s*=\s*["']?(?!data:)([^"'\s>]+)""", page)
    fetched += re.findall(r"""(?:url\(|@import)\s*["']?(?!data:|#)([^"')\s]+)""", page)
    assert not [where for where in fetched if "//" in where], fetched
    assert "<script src" not in page and page.rstrip().endswith("</html>")
    for name in ("BC+RL", "demonstrator", *PROBES):
        assert name in page
    assert "No alarm was raised." in page  # in so few updates nothing is usual yet


def test_three_agents_were_asked_the_same(run: Path) -> None:
    results = load_results(run / "results.json")
    assert {(r.agent, r.probe) for r in results} == {(a, p) for a in ("BC", "BC+RL", "demonstrator") for p in PROBES}
    assert len(results) == 6 and all(len(r.seeds) == len(r.success) == 4 for r in results)
    for probe in PROBES:
        assert len({r.seeds for r in results if r.probe == probe}) == 1


def test_the_published_result_is_of_complete_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More episodes are played with the agents that are there, and tabulated."""
    smallest = tiny(Path("unused"))
    monkeypatch.setattr(preset, "demo", lambda: smallest)
    reproduce(ReproduceConfig("demo", seeds=(0,), episodes=4, runs=tmp_path))
    run = tmp_path / "demo" / "seed-0" / "demo"
    before = contents(run / "improve")
    reported = reproduce(ReproduceConfig("demo", seeds=(0,), episodes=6, runs=tmp_path))
    assert reported == tmp_path / "demo" / "report.html" and contents(run / "improve") == before
    success, differences = read_tables((tmp_path / "demo" / "table.md").read_text())
    assert success.head == ("agent", "Go", "Exist", "all", "seeds") and differences.head == success.head[:-1]
    assert [row[0] for row in success.rows] == ["BC", "BC+RL", "demonstrator"]
    assert [row[0] for row in differences.rows] == ["BC+RL", "demonstrator"]
    for row in success.rows:
        for probe, cell in zip(PROBES, row[1:], strict=False):
            played = load_results(run / "results-6.json")
            fulfilled = [r.success for r in played if (r.agent, r.probe) == (row[0], probe)][0]
            assert len(fulfilled) == 6 and cell.startswith(f"{100 * sum(fulfilled) / 6:.0f} (")


def test_everything_that_was_played_is_there(run: Path) -> None:
    store = open_store(run / "data")
    assert len(store.ids(solver="scripted")) == 40
    assert len(store.ids(solver="agent:clone", split="train")) == 16
    assert len(store.ids(solver="agent:clone", split="held_out")) == 8
    assert json.loads((run / "config.json").read_text())["kind"] == "DemoConfig"


def test_the_other_kind_of_reward_model_pays_in_marks(run: Path, tmp_path: Path) -> None:
    config = resolve_config(tiny(run))
    taught = replace(config.reward, kind="autoregressive", runs=tmp_path)
    model = reward(replace(taught, training=replace(taught.training, calibrate=True)))
    assert json.loads((model / "config.json").read_text())["model_type"] == "autoregressive_reward_model"
    assert "its rewards are sampled marks" in (model / "README.md").read_text(encoding="utf-8")
    assert "reward_model_held_out/pair_accuracy" in json.loads((model.parent / "best.json").read_text())
    improve(replace(config.improve, runs=tmp_path, reward_model=model))
    # Play is paid in marks that are drawn; the held-out replays, which say how good the agent is, in those expected.
    _, returns = column(read_metrics(tmp_path / "improve"), "held_out/modelled_return")
    assert len(returns) > 1 and not any(2 * value == round(2 * value) for value in returns)  # two replays


def test_everything_that_was_trained_has_a_card(run: Path) -> None:
    for folder in ("clone/agent", "reward/reward_model", "improve/agent", "improve/checkpoints/step-000000004/agent"):
        card = (run / folder / "README.md").read_text(encoding="utf-8")
        assert f"`{run / 'data'}`" in card and "No person played or marked any of this" in card
        for heading in ("Size", "How to load it", "Metrics at the end", "How it was made", "Licence"):
            assert f"## {heading}" in card, (folder, heading)
    improved = (run / "improve" / "agent" / "README.md").read_text(encoding="utf-8")
    assert "its setters replayed: 56 episodes" in improved and "`held_out/modelled_return`" in improved


def steps(run: Path) -> Sequence[int]:
    return [row["step"] for row in read_metrics(run)]


def contents(run: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}


def test_a_folder_that_holds_another_run_is_not_written_into(run: Path, tmp_path: Path) -> None:
    before = contents(run)
    with pytest.raises(
        UserError, match=r"holds another demo: seed is 0 there and 1 here .and \d+ more.; give"
    ) as caught:
        demo(replace(tiny(run), seed=1))
    assert "\n" not in str(caught.value)
    assert contents(run) == before
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UserError, match="holds a run already"):
        demo(tiny(tmp_path))


def test_a_run_that_is_complete_is_only_reported_again(run: Path) -> None:
    before = contents(run)
    assert demo(tiny(run)) == run / "report.html"
    assert {path.name for path, at in contents(run).items() if before.get(path) != at} == {
        "report.html", "report.json", "run.lock"
    }  # fmt: skip


def test_an_interrupted_run_goes_on_to_the_same_end(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:  # in the middle of teaching, its folder begun
        patch.setattr("reward_models.learning.training.RewardTrainer.finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            demo(tiny(tmp_path))
    assert (tmp_path / "reward" / "config.json").is_file()
    with monkeypatch.context() as patch:  # after the first checkpoint
        patch.setattr("pipelines.stages.improve.save_agent", interrupted)
        with pytest.raises(KeyboardInterrupt):
            demo(tiny(tmp_path))
    assert not (tmp_path / "improve" / "agent").exists()
    demo(tiny(tmp_path))
    there, here = load_results(run / "results.json"), load_results(tmp_path / "results.json")
    assert [(r.agent, r.probe, r.success, r.steps) for r in there] == [
        (r.agent, r.probe, r.success, r.steps) for r in here
    ]


def test_improvement_goes_on_from_its_last_checkpoint(run: Path) -> None:
    folder = run / "improve"
    assert steps(folder) == [0, 1, 2, 3, 4]
    first = read_metrics(folder)
    assert column(first, "held_out/modelled_return")[0] == [0, 2, 4]
    saved = load_config(folder, ImproveConfig)
    improve(replace(saved, resume=folder, updates=7))
    assert load_config(folder, ImproveConfig) == replace(saved, updates=7)  # what it was gone on with
    rows = read_metrics(folder)
    assert rows[:5] == first  # what was measured before the checkpoint stays
    assert [row["step"] for row in rows] == list(range(8))
    assert (folder / "checkpoints" / "latest").exists()


def test_a_run_out_of_patience_ends_with_the_best_agent_there_was(run: Path) -> None:
    saved = load_config(run / "improve", ImproveConfig)
    patient = replace(saved, name="patient", updates=40, evaluate_every=1, guards=GuardConfig(patience=2), resume=None)
    agent, _ = load_agent(improve(patient))
    rows = read_metrics(run / "patient")
    at, modelled = column(rows, "held_out/modelled_return")
    best = max(range(1, len(at)), key=lambda i: modelled[i])
    assert len(at) <= 40 and max(modelled[-2:]) <= max(modelled[1:-2])
    kept = Checkpoints(run / "patient").best()
    assert kept is not None and kept.step == at[best]
    weights = kept.load_agent()[0].state_dict()
    assert all(value.equal(weights[name]) for name, value in agent.state_dict().items())
    before = contents(run / "patient" / "checkpoints")
    improve(replace(patient, resume=run / "patient"))  # patience stays at its end
    assert contents(run / "patient" / "checkpoints") == before
