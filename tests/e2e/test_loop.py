"""The loop, as small as it can be: its rounds, their comparison, ways to begin, kill -9, and people who mark."""

from __future__ import annotations

import json
import shutil
import signal
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from agents.folder import load_agent
from experiments.engine.reproduce import ReproduceConfig, reproduce
from experiments.engine.results_docs import read_tables
from pipelines.loops import loop as journey
from pipelines.loops import peoples_marks
from pipelines.loops.loop import LoopConfig, iterate
from pipelines.loops.rounds import resolve_round
from pipelines.presets import demo, from_scratch, tower
from pipelines.report.data import DATA_FILE, RoundsCompared, load_report_data
from pipelines.stages import evidence
from pipelines.stages.evaluate import load_results
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import finished_stages
from reward_models import pretrained
from rlhf.learning.guards import GuardConfig
from rlhf.records.json_records import from_json
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import load_config
from rlhf.run.progress import announce
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from rlhf.store.transfer.record_files import MARK_FILES, export_records
from tests.patience import until
from tests.processes import Forked, killed
from worlds.errors import UserError

pytestmark = pytest.mark.e2e

PROBE = "exist"  # of a third of a tower's steps
DEMO_PROBES = ("go", "exist")  # one that is done, and one that is answered


def tiny_demo(run: Path) -> LoopConfig:
    """The demo's settings, cloning too, with next to nothing of everything."""
    return smaller(from_scratch.demo(), run, probes=DEMO_PROBES)


def tiny(run: Path, **changes: object) -> LoopConfig:
    """The settings of rounds, with next to nothing of everything."""
    return replace(smaller(tower.iterate(), run, probes=(PROBE,)), **changes)  # type: ignore[arg-type]


def smaller(config: LoopConfig, run: Path, probes: tuple[str, ...]) -> LoopConfig:
    return replace(
        config,
        run=run,
        demonstrations=replace(config.demonstrations, episodes=24, steps=24, workers=1),
        clone=replace(config.clone, wandb="disabled", training=replace(config.clone.training, updates=20, batch=16)),
        play=replace(config.play, episodes=12, steps=24, slots=6),
        held_out_play=4,
        mark=replace(config.mark, miss=0.0),
        reward=replace(
            config.reward,
            wandb="disabled",
            training=replace(config.reward.training, updates=6, steps=16, batch=4, evaluate_every=3),
        ),
        improve=replace(
            config.improve, wandb="disabled", slots=4, steps=4, batch=4, updates=4, evaluate_every=2,
            evaluation_episodes=4, checkpoint_every=2, anyway=True,
        ),
        evaluate=replace(config.evaluate, episodes=4, slots=4, probes=probes),
    )  # fmt: skip


def one_round(given: Path, run: Path, **changes: object) -> LoopConfig:
    """A single round from the demonstrations and the cloned agent of the run in ``given``."""
    return tiny(run, rounds=1, data=given / "data", agent=given / "clone" / "agent", **changes)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("iterate") / "run"
    assert iterate(tiny(folder)) == folder / "report.html"
    return folder


def contents(run: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}


def compared(run: Path) -> RoundsCompared:
    return from_json(RoundsCompared, json.loads((run / "rounds.json").read_text()))


def test_every_round_has_a_folder_with_what_it_made(run: Path) -> None:
    stages = ["play", "marks", "reward model (IBT)", "improvement (BC+RL)"]
    evaluated = {1: ["evaluation of BC", "evaluation", "comparison"], 2: ["evaluation"]}
    for number, deployed in ((1, "agent:BC"), (2, "agent:round-1")):
        folder = run / f"round-{number}"
        assert [stage.name for stage in finished_stages(folder)] == stages + evaluated[number]
        store = open_store(run / f"play-{number}")
        assert {row.solver for row in store.rows()} == {deployed}
        assert (len(store.ids(split="train")), len(store.ids(split="held_out"))) == (12, 4)
        assert all(mark.scripted for mark in store.marks()) and store.marks()
        assert load_file(folder / "improve" / "agent" / "model.safetensors")
    seeds = [{row.episode_id.rpartition("-")[2] for row in open_store(run / f"play-{k}").rows()} for k in (1, 2)]
    assert not seeds[0] & seeds[1]  # no round asks in the places of another


def test_rounds_learn_from_all_marks_so_far_and_start_from_the_clone(run: Path) -> None:
    data = [run / f"play-{number}" for number in (1, 2)]
    for number in (1, 2):
        taught = load_config(run / f"round-{number}" / "reward", RewardConfig)
        improved = load_config(run / f"round-{number}" / "improve", ImproveConfig)
        assert taught.data == (run / "data", *data[:number]) and taught.start is None
        assert taught.agent == improved.agent == run / "clone" / "agent"
        assert improved.data == (run / "data",) and improved.replay_data == tuple(data[:number])


def test_all_agents_were_asked_the_same(run: Path) -> None:
    results = [r for where in (".", "round-1", "round-2") for r in load_results(run / where / "results.json")]
    assert [r.agent for r in results] == ["BC", "demonstrator", "Round 1", "Round 2"]
    assert {r.probe for r in results} == {PROBE} and len({r.seeds for r in results}) == 1


def test_the_comparison_tells_what_the_folders_hold(run: Path) -> None:
    found = compared(run)
    assert [one.agent for one in found.rounds] == ["Round 1", "Round 2"]
    assert [one.deployed for one in found.rounds] == ["BC", "Round 1"]
    for one in found.rounds:
        store = open_store(run / f"play-{one.number}")
        (result,) = load_results(run / f"round-{one.number}" / "results.json")
        assert one.marks == len(store.marks()) and one.by_people == 0
        assert (one.episodes, one.held_out_episodes) == (12, 4)
        assert one.success[PROBE].estimate == result.rate
        assert one.modelled_return is None and one.true_success is None  # of 4 held-out episodes, too few to compare
    page = (run / "report.html").read_text()
    assert "Round by round" in page and "No people were involved." in page
    data = load_report_data(run / DATA_FILE)
    assert (data.before, data.between, data.after) == ("BC", ("Round 1",), "Round 2")
    assert [stage.name for stage in data.circumstances.stages][-1] == "Round 2: evaluation"
    assert [(one.run, one.since) for one in data.watched] == [("Round 1", 0), ("Round 2", 0)]


def test_a_run_goes_on_in_another_place(run: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(run, moved)
    stages = moved / "round-2" / "stages.json"
    stages.write_text(json.dumps(json.loads(stages.read_text())[:3]))
    shutil.rmtree(moved / "round-2" / "improve" / "agent")
    assert iterate(tiny(moved)) == moved / "report.html"
    assert compared(moved) == compared(run)
    assert load_config(moved, LoopConfig) == replace(load_config(run, LoopConfig), run=moved, rounds=2)


def test_another_run_is_refused_by_the_setting_that_differs(run: Path) -> None:
    before = contents(run)
    config = tiny(run)
    other = replace(config, improve=replace(config.improve, updates=5))
    with pytest.raises(UserError, match=r"holds another run: improve.updates is 4 there and 5 here; give this one"):
        iterate(other)
    assert contents(run) == before


def test_a_complete_run_is_only_compared_again(run: Path) -> None:
    before = contents(run)
    assert iterate(tiny(run)) == run / "report.html"
    changed = {path.name for path, at in contents(run).items() if before.get(path) != at}
    assert changed == {"rounds.json", "report.json", "report.html", "run.lock"}


def test_a_round_may_begin_with_what_the_last_one_has_made(run: Path) -> None:
    config = tiny(run, reward_start="previous", replayed_rounds="latest", marked_demonstrations="none")
    first, second = resolve_round(config, 1), resolve_round(config, 2)
    assert first.reward.start is None and second.reward.start == run / "round-1" / "reward" / "reward_model"
    assert second.reward.data == (run / "play-1", run / "play-2")
    assert second.improve.replay_data == (run / "play-2",)
    assert first.improve.agent == second.improve.agent == run / "clone" / "agent"
    further = resolve_round(tiny(run, improve_start="previous"), 2)
    assert further.improve.agent == run / "round-1" / "improve" / "agent" == Path(further.play.solver)
    assert further.reward.agent == run / "clone" / "agent"


def test_a_reward_model_of_another_agent_is_refused(run: Path, tmp_path: Path) -> None:
    wrong = one_round(run, tmp_path / "run", reward_model=pretrained.PLAYHOUSE)
    with pytest.raises(UserError, match="was made for another agent than .*: name that agent's with --reward-model"):
        iterate(wrong)
    with pytest.raises(UserError, match="name the agent that the reward model was made from with --agent"):
        replace(wrong, agent=None)
    own = one_round(run, tmp_path / "own", reward_model=run / "round-1" / "reward" / "reward_model")
    assert resolve_round(own, 1).reward.start == own.reward_model


def test_a_reward_model_is_taught_further_from_where_it_was(run: Path, tmp_path: Path) -> None:
    first, saved = run / "round-1" / "reward" / "reward_model", load_config(run / "round-2" / "reward", RewardConfig)
    still = replace(saved.training, updates=1, learning_rate=0.0)  # what it begins with is what it ends with
    for start in (first, None):
        config = replace(saved, start=start, training=still, runs=tmp_path, name=f"from-{start is None}")
        ended, began = (load_file(folder / "model.safetensors") for folder in (reward(config), first))
        assert all(torch.equal(ended[name], began[name]) for name in began) == (start is not None)


def test_the_other_kind_of_reward_model_pays_in_marks(run: Path, tmp_path: Path) -> None:
    config = resolve_round(tiny(run), 1)
    taught = replace(config.reward, kind="autoregressive", runs=tmp_path)
    model = reward(replace(taught, training=replace(taught.training, calibrate=True)))
    assert "its rewards are sampled marks" in (model / "README.md").read_text(encoding="utf-8")
    improve(replace(config.improve, runs=tmp_path, reward_model=model, evaluation_episodes=2))
    # Play is paid in marks that are drawn; the held-out replays, which say how good the agent is, in those expected.
    _, returns = column(read_metrics(tmp_path / "improve"), "held_out/modelled_return")
    assert len(returns) > 1 and not any(2 * value == round(2 * value) for value in returns)  # two replays


def test_a_run_out_of_patience_ends_with_the_best_agent_there_was(run: Path, tmp_path: Path) -> None:
    saved = load_config(run / "round-1" / "improve", ImproveConfig)
    patient = replace(saved, runs=tmp_path, updates=40, evaluate_every=1, guards=GuardConfig(patience=2), resume=None)
    agent, _ = load_agent(improve(patient))
    at, modelled = column(read_metrics(tmp_path / "improve"), "held_out/modelled_return")
    best = max(range(len(at)), key=lambda i: modelled[i])
    assert len(at) <= 40 and max(modelled[-2:]) <= max(modelled[:-2])
    kept = Checkpoints(tmp_path / "improve").best()
    assert kept is not None and (not best or kept.step == at[best])
    weights = (kept.load_agent() if best else load_agent(patient.agent))[0].state_dict()
    assert all(value.equal(weights[name]) for name, value in agent.state_dict().items())


def test_a_harmful_reward_model_is_set_aside_and_made_anew(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = one_round(run, tmp_path / "run")
    careful, folder = replace(config, improve=replace(config.improve, anyway=False)), config.run / "round-1"
    with monkeypatch.context() as patch, pytest.raises(UserError, match="signal to noise"):
        patch.setattr(evidence, "LEAST_SIGNAL", 1e9)
        iterate(careful)
    assert (folder / "reward-refused" / "reward_model").is_dir() and not (folder / "reward").exists()
    assert [stage.name for stage in finished_stages(folder)] == ["play", "marks"]
    assert iterate(config) is not None and (folder / "reward" / "reward_model").is_dir()


def test_everything_that_was_trained_has_a_card(run: Path) -> None:
    for folder in ("clone/agent", "round-1/reward/reward_model", "round-1/improve/agent"):
        card = (run / folder / "README.md").read_text(encoding="utf-8")
        assert f"`{run / 'data'}`" in card and "No person played or marked any of this" in card, folder


def test_a_run_may_start_from_an_agent_and_its_demonstrations(run: Path, tmp_path: Path) -> None:
    given = one_round(run, tmp_path / "run", reward_start="previous")
    assert iterate(given) is not None
    assert not (given.run / "clone").exists() and not (given.run / "data").exists()
    assert compared(given.run).rounds[0] == compared(run).rounds[0]  # all else is the same
    with pytest.raises(UserError, match="has no play by human to imitate"):
        iterate(replace(given, run=tmp_path / "other", improve=replace(given.improve, imitate="human")))
    assert not (tmp_path / "other").exists()


def test_the_demo_is_published_of_complete_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More episodes are played with the agents that are there, and tabulated."""
    smallest = tiny_demo(Path("unused"))
    monkeypatch.setattr(demo, "demo", lambda: smallest)
    reproduce(ReproduceConfig("demo", seeds=(0,), episodes=4, runs=tmp_path))
    made = tmp_path / "demo" / "seed-0" / "demo"
    before = contents(made / "improve")
    reported = reproduce(ReproduceConfig("demo", seeds=(0,), episodes=6, runs=tmp_path))
    assert reported == tmp_path / "demo" / "report.html" and contents(made / "improve") == before
    success, differences = read_tables((tmp_path / "demo" / "table.md").read_text())
    assert [row[0] for row in success.rows] == ["BC", "BC+RL", "demonstrator"]
    assert [row[0] for row in differences.rows] == ["BC+RL", "demonstrator"]
    played = {(r.agent, r.probe): r.success for r in load_results(made / "results-6.json")}
    for row in success.rows:
        for probe, cell in zip(DEMO_PROBES, row[1:], strict=False):
            assert cell.startswith(f"{100 * sum(played[row[0], probe]) / 6:.0f} (")


def killed_at(given: Path, folder: Path, what: str) -> int:
    """The status of a process at work in ``folder``, killed as soon as ``what`` is there."""
    errors = folder.parent / f"errors-of-{what.replace('/', '-')}"
    return Forked(errors, killed, partial(Path.exists, folder / what), 0, iterated, given, folder).wait()


def iterated(given: Path, folder: Path) -> int:
    """What the process does."""
    iterate(one_round(given, folder))
    return 0


def test_killed_at_any_moment_it_comes_to_its_end(run: Path, tmp_path: Path) -> None:
    config = one_round(run, tmp_path / "run")
    moments = ("reward/config.json", "improve/checkpoints/latest", "results.json")
    moments = ("play-1/index.jsonl", *(f"round-1/{moment}" for moment in moments))
    statuses = [killed_at(run, config.run, moment) for moment in moments]
    assert statuses == [-signal.SIGKILL] * 4
    assert iterate(config) is not None
    here, there = compared(config.run), compared(run)
    assert here.clone_success == there.clone_success
    (one,) = here.rounds
    assert (one.episodes, one.held_out_episodes) == (12, 4) and one.marks > 0
    assert open_store(config.run / "play-1").verify() == []


@pytest.fixture(scope="module")
def by_people(run: Path, tmp_path_factory: pytest.TempPathFactory) -> LoopConfig:
    """A run that has stopped for people to mark its first round."""
    folder = tmp_path_factory.mktemp("people") / "run"
    config = one_round(run, folder, marks="people", least_marks=5)
    assert iterate(config) is None
    return config


def test_it_stops_for_people_and_goes_on_with_their_file(
    run: Path, by_people: LoopConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = by_people.run / "round-1"
    assert [stage.name for stage in finished_stages(folder)] == ["play"]
    assert iterate(by_people) is None  # nobody has marked anything
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("round 1 waits for people to mark the 16 episodes in ") and "0 of 5 marks are there" in said
    assert str(folder / "marks.jsonl") in said and "then run the same command again" in said

    marks = open_store(run / "play-1").marks()  # the same play: the same ids
    named = [replace(mark, rater="ann", scripted=False) for mark in marks]
    (folder / "marks.jsonl").write_text('{"episode_id": "x"}\n')
    with pytest.raises(UserError, match=r"marks.jsonl, line 1: rater is missing"):
        iterate(by_people)
    (folder / "marks.jsonl").unlink()
    export_records(named, folder / "marks.jsonl", MARK_FILES)
    assert iterate(by_people) is not None
    (one,) = compared(by_people.run).rounds
    assert one.by_people == one.marks == len(marks)
    page = (by_people.run / "report.html").read_text()
    assert f"People gave {len(marks)} of {len(marks)} marks" in page and "No people" not in page


def test_it_waits_for_marks_that_another_process_writes(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peoples_marks, "POLL_EVERY_SEC", 0.02)
    monkeypatch.setattr(journey, "write_comparison", lambda config: config.run / "report.html")
    config = one_round(run, tmp_path / "run", marks="people", least_marks=8, wait=True)
    marks = open_store(run / "play-1").marks()
    folder, failures, announced = config.run / "round-1", [], list[str]()
    monkeypatch.setattr(peoples_marks, "announce", lambda line: (announced.append(line), announce(line)))

    def people() -> None:
        try:
            until(lambda: [stage.name for stage in finished_stages(folder)] == ["play"])
            (folder / "marks.jsonl").write_text("no\n")  # a mistake is announced, and waited out
            until(lambda: any("not JSON" in line for line in announced))
            (folder / "marks.jsonl").unlink()
            open_store(config.run / "play-1").write_marks(marks[:2])
            until(lambda: any("2 of 8 marks" in line for line in announced))
            open_store(config.run / "play-1").write_marks(marks)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=people)
    thread.start()
    assert iterate(config) == config.run / "report.html"
    thread.join()
    assert not failures
    said = capsys.readouterr().err
    assert "marks.jsonl, line 1: not JSON" in said and "nothing of it was used" in said
    assert "2 of 8 marks are there" in said and "waiting for them" in said and f"round 1 has {len(marks)} marks" in said
