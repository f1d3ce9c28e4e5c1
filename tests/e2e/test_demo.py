"""The whole loop, as small as it can be: from recorded play to a report, and on from where it stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.demo import DemoConfig, demo
from pipelines.evaluate import load_results
from pipelines.improve import ImproveConfig, improve
from pipelines.runs import demo as preset
from rlhf.errors import UserError
from rlhf.run_config import load_config
from rlhf.store import open_store
from rlhf.tracking import column, read_metrics

pytestmark = pytest.mark.e2e


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
        evaluate=replace(config.evaluate, episodes=4, slots=4),
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "run"
    assert demo(tiny(folder)) == folder / "report.html"
    return folder


def test_the_report_needs_nothing_but_itself(run: Path) -> None:
    page = (run / "report.html").read_text()
    fetched = re.findall(r"""(?:src|srcset|poster|data)\s*=\s*["']?\s*(?!data:)([^"'\s>]+)""", page)
    fetched += re.findall(r"""<link[^>]*href\s*=\s*["']?(?!data:)([^"'\s>]+)""", page)
    fetched += re.findall(r"""(?:url\(|@import)\s*["']?(?!data:|#)([^"')\s]+)""", page)
    assert not [where for where in fetched if "//" in where], fetched
    assert "<script src" not in page and page.rstrip().endswith("</html>")
    for name in ("BC+RL", "demonstrator", *preset.WORLD.entry().probes):
        assert name in page


def test_three_agents_were_asked_the_same(run: Path) -> None:
    results = load_results(run / "results.json")
    probes = preset.WORLD.entry().probes
    assert {(r.agent, r.probe) for r in results} == {(a, p) for a in ("BC", "BC+RL", "demonstrator") for p in probes}
    assert len(results) == 18 and all(len(r.seeds) == len(r.success) == 4 for r in results)
    for probe in probes:
        assert len({r.seeds for r in results if r.probe == probe}) == 1


def test_everything_that_was_played_is_there(run: Path) -> None:
    store = open_store(run / "data")
    assert len(store.ids(solver="scripted")) == 40
    assert len(store.ids(solver="agent:clone", split="train")) == 16
    assert len(store.ids(solver="agent:clone", split="held_out")) == 8
    assert json.loads((run / "config.json").read_text())["kind"] == "DemoConfig"


def steps(run: Path) -> Sequence[int]:
    return [row["step"] for row in read_metrics(run)]


def contents(run: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}


def test_a_folder_that_holds_another_run_is_not_written_into(run: Path, tmp_path: Path) -> None:
    before = contents(run)
    with pytest.raises(UserError, match="holds a demo with other settings") as caught:
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
        patch.setattr("reward_models.training.RewardTrainer.finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            demo(tiny(tmp_path))
    assert (tmp_path / "reward" / "config.json").is_file()
    with monkeypatch.context() as patch:  # after the first checkpoint
        patch.setattr("pipelines.improve.save_agent", interrupted)
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
