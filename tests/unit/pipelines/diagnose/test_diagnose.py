"""`rlhf diagnose`: parts of the play, findings on an oracle, and the page."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from pipelines.diagnose.command import DiagnoseConfig, diagnose
from pipelines.diagnose.diagnosis import ALL_SOLVERS, DIAGNOSIS_FILE, Diagnosis, MarkFindings, Measure, SignFindings
from pipelines.diagnose.figures import figures
from pipelines.diagnose.measures import Measurer
from pipelines.diagnose.page import page
from pipelines.diagnose.scored_play import (
    GroupPlay,
    ModelScores,
    Recordings,
    _mark_odds,
    group_rows,
    score_models,
    who_rated,
)
from pipelines.diagnose.sentences import main_group, signal_sentence
from pipelines.stages.episodes.division import DIVISION_FILE, Division, division_of
from pipelines.stages.reward import RewardConfig, reward
from reward_models.learning.training import RewardTrainingConfig
from reward_models.loaded import LoadedRewardModel, Scores, load_with_tokenizer
from reward_models.scores.predicted_marks import MarkedSteps
from rlhf.data.memory import MemoryDataset
from rlhf.records.episode import Episode, Request
from rlhf.records.json_records import from_json
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import Event, TaskSpec
from worlds.errors import UserError

STEPS, LEVEL = 30, 100  # of an episode; the grey that stands for utility 0
ANSWERS = ("red", "blue", "green")


def played(number: int, solver: str, split: str = "train") -> Episode:
    """A colour is asked for at step 2 and answered; then a lamp is to be lit. What is right shows in the pictures.

    One pixel holds the true utility: it rises by 10 at a success and falls by 10 at a failure.
    """
    rng = np.random.default_rng(number)
    answered, lit = int(rng.integers(5, 9)), int(rng.integers(20, 26))
    right, lights = bool(rng.random() < 0.6), bool(rng.random() < 0.6)
    level = np.full(STEPS, LEVEL)
    level[answered + 1 :] += 10 if right else -10
    level[lit + 1 :] += 10 if lights else -10
    image = np.zeros((STEPS, 8, 8, 3), dtype=np.uint8)
    image[:, 0, 0, 0] = level
    colour, lamp = (str(rng.choice(ANSWERS)) for _ in range(2))
    question = TaskSpec("color", "which is the ball", {"kind": "ball", "answer": colour}, 20)
    doing = TaskSpec("light", f"light the {lamp} lamp", {"colour": lamp}, 20)
    said, heard = [""] * STEPS, [""] * STEPS
    said[answered] = colour
    heard[3:15], heard[15:] = [question.instruction] * 12, [doing.instruction] * (STEPS - 15)
    return replace(
        synthetic_episode(number, STEPS, 8, 8),
        episode_id=f"{solver.replace(':', '-')}-{split}-{number:03d}",
        solver=solver,
        split=split,
        image=image,
        setter_text=tuple(heard),
        utterance=tuple(said),
        solver_text=tuple(["", *[colour if step >= answered else "" for step in range(STEPS - 1)]]),
        requests=(Request(2, question), Request(14, doing)),
        success_step=(answered if right else None, lit if lights else None),
        truth=(Event(answered + 1, 1 if right else -1, "answers"), Event(lit + 1, 1 if lights else -1, "lights")),
        notes={},
    )


def marked(episode: Episode, rater: str = "scripted-rater-0", late: int = 1, scripted: bool = True) -> list[Mark]:
    return [Mark(episode.episode_id, rater, event.step + late, event.sign, scripted) for event in episode.truth]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play of a demonstrator and an agent; every fifth training episode of the agent was seen and not marked."""
    folder = tmp_path_factory.mktemp("play")
    store, marks = open_store(folder, create=True), []
    for number in range(40):
        for solver in ("scripted", "agent:clone"):
            episode = played(number, solver, "held_out" if number >= 28 else "train")
            store.write(episode)
            if solver == "scripted" or number % 5 or number >= 28:
                marks += [*marked(episode), *marked(episode, "scripted-rater-1", late=2)]
    store.write_marks(marks)
    return folder


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = Tokenizer.train(["which is the ball", "light the lamp", *ANSWERS], 300)
    torch.manual_seed(0)
    sizes = tiny_agent.config(vocab_size=tokenizer.vocab_size, setter_text_length=8)
    return save_agent(InteractiveAgent(sizes), tokenizer, tmp_path_factory.mktemp("run") / "agent")


@pytest.fixture(scope="module")
def trained(data: Path, agent: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reward model of a few updates, from `rlhf reward` itself."""
    training = RewardTrainingConfig(updates=3, steps=12, batch=4, evaluate_every=3, evaluation_episodes=4)
    runs = tmp_path_factory.mktemp("runs")
    return reward(
        RewardConfig(data=(data,), agent=agent, runs=runs, validation=0.25, training=training, wandb="disabled")
    )


class Oracle(LoadedRewardModel):
    """Model with the true utility, read from the pictures, times ``times``."""

    def __init__(self, model: LoadedRewardModel, times: float = 1.0) -> None:
        super().__init__(model.kind, model.model, model.tokenizer)
        object.__setattr__(self, "times", times)

    def score(self, play: MemoryDataset, episodes: Sequence[int] | None = None) -> list[Scores]:
        assert episodes is None
        level = self.times * (play.observations.image[:, 0, 0, 0].astype(np.float32) - LEVEL) / 10  # type: ignore[attr-defined]
        traces = [level[begin:end] for begin, end in zip(play.starts[:-1], play.starts[1:], strict=True)]
        return [Scores(trace, np.diff(trace, prepend=trace[:1])) for trace in traces]


def test_training_play_is_not_measured_on(data: Path, trained: Path) -> None:
    division = division_of(trained)
    recordings = Recordings([data])
    groups = group_rows(recordings, [division], most=1000)
    assert division.certain and division.learned and division.validation
    for (part, solver), ids in groups.items():
        assert (part == "learned") == bool(division.learned.intersection(ids))
        for episode in recordings.read(ids):
            assert episode.solver == solver and (episode.split == "held_out") == (part == "held_out")
    judging = [ids for (part, _), ids in groups.items() if part == "validation"]
    assert division.validation <= {episode_id for ids in judging for episode_id in ids}


def test_unmarked_play_joins_validation_by_the_share_of_the_marked(data: Path, trained: Path) -> None:
    division, recordings = division_of(trained), Recordings([data])
    groups = group_rows(recordings, [division], most=1000)
    without = {f"agent-clone-train-{number:03d}" for number in range(0, 28, 5)}
    marked_there = [i for i in groups["validation", "agent:clone"] if i not in without]
    learned = groups["learned", "agent:clone"]
    unmarked_there = without.intersection(groups["validation", "agent:clone"])
    assert not without.intersection(learned)
    share = len(marked_there) / (len(marked_there) + len(learned))
    assert len(unmarked_there) == round(share * len(without)) > 0


def test_play_of_another_solver_or_of_another_models_training_is_separate(
    data: Path, trained: Path, tmp_path: Path
) -> None:
    division = division_of(trained)
    other = Division(learned=division.validation, validation=division.learned)
    groups = group_rows(Recordings([data]), [division, other], most=1000)
    assert {part for part, _ in groups} == {"learned", "held_out"}
    store = open_store(tmp_path, create=True)
    for number in range(4):
        store.write(played(100 + number, "agent:improve"))
    groups = group_rows(Recordings([data, tmp_path]), [division], most=3)
    assert len(groups["transfer", "agent:improve"]) == 3
    with pytest.raises(UserError, match="is in .* and in another of the datasets"):
        Recordings([data, data])


def test_the_division_can_be_inferred_from_the_settings(trained: Path, tmp_path: Path) -> None:
    run = tmp_path / "copy"
    run.mkdir()
    (run / "config.json").write_text((trained.parent / "config.json").read_text())
    again, noted = division_of(run / "reward_model"), division_of(trained)
    assert (again.learned, again.validation) == (noted.learned, noted.validation)
    assert noted.certain and not again.certain
    (run / "config.json").unlink()
    with pytest.raises(UserError, match="the training episodes of the reward model .* are unknown"):
        division_of(run / "reward_model")
    (run / DIVISION_FILE).write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        division_of(run / "reward_model")


def test_scripted_raters_rated_every_episode_and_people_those_they_marked(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    episodes = [played(number, "agent:clone") for number in range(3)]
    for episode in episodes:
        store.write(episode)
    store.write_marks([*marked(episodes[0]), *marked(episodes[1], "ann", scripted=False)])
    ids = [episode.episode_id for episode in episodes]
    assert who_rated(Recordings([tmp_path]), ids) == {
        ids[0]: ["scripted-rater-0"],
        ids[1]: ["ann", "scripted-rater-0"],
        ids[2]: ["scripted-rater-0"],
    }


def held_out(data: Path, trained: Path, *models: LoadedRewardModel) -> tuple[ModelScores, Recordings]:
    """The play that no model has seen, with the scores of ``models``, which stand for the one of the run."""
    recordings = Recordings([data])
    groups = group_rows(recordings, [division_of(trained)], 50)
    unseen = {group: ids for group, ids in groups.items() if group[0] == "held_out"}
    return score_models(recordings, unseen, list(models), reach=5, seed=0), recordings


@pytest.mark.parametrize(("times", "truth"), [(3.0, 1.0), (-3.0, 0.0)])
def test_an_oracle_is_right_and_its_opposite_wrong(times: float, truth: float, data: Path, trained: Path) -> None:
    scored = held_out(data, trained, Oracle(load_with_tokenizer(trained), times))[0].pooled()
    measurer = Measurer(reach=2, tolerance=2, delay=1, seed=0)
    found = scored.scores[0]
    assert list(scored.play) == [("held_out", "scripted"), ("held_out", "agent:clone"), ("held_out", ALL_SOLVERS)]
    for group, play in scored.play.items():
        findings: Any = measurer.group(group, play, found[group], measurer.threshold(play, found[group]))
        # Marks come one or two steps late, so some pairs that they order lie on one level: ties, a half each.
        assert (findings.pairs.better.estimate - 0.5) * (truth - 0.5) > 0.2
        success, signal = findings.success, findings.signal
        assert success.auc.estimate == success.auc.low == success.auc.high == truth
        assert findings.marked.threshold == 3.0
        assert [(sign.raters.estimate, sign.f1.estimate) for sign in findings.marked.signs] == [(1.0, truth)] * 2
        assert (success.succeeded.rated_plus.estimate, success.failed.rated_plus.estimate) == (1.0, 0.0)
        assert set(success.succeeded.returns) == {times} and set(success.failed.returns) == {-times}
        assert len(success.succeeded.returns) + len(success.failed.returns) == 2 * findings.episodes
        assert (signal.plus.estimate, signal.minus.estimate) == (times, -times)
        assert signal.noise.estimate == 0.0 and signal.ratio is None


class Predictor(Oracle):
    """Predicts (+) with 0.3 where the true utility has just risen, else with 0.01; (-) never."""

    def score(self, play: MemoryDataset, episodes: Sequence[int] | None = None) -> list[Scores]:
        return [
            replace(one, mark_probability=np.stack([np.where(one.reward > 0, 0.3, 0.01), 0 * one.reward], axis=1))
            for one in super().score(play, episodes)
        ]


def test_predicted_marks_are_calibrated_against_given_ones(data: Path, trained: Path) -> None:
    scored, recordings = held_out(data, trained, Predictor(load_with_tokenizer(trained)))
    group = ("held_out", "agent:clone")
    play = scored.play[group]
    plus, minus = Measurer(2, 2, 1, 0).group(group, play, scored.scores[0][group], None).mark_calibration
    rises = {e.episode_id: [v.step for v in e.truth if v.sign > 0] for e in recordings.read(play.ids)}
    marks = {i: [(m.rater, m.step) for m in recordings.marks[i] if m.sign > 0] for i in rises}
    at_rises = sum(step in steps for i, steps in rises.items() for _, step in marks[i])
    likely = plus.bins[-1]
    assert likely.predicted == pytest.approx(0.3) and likely.happened.items == 2 * sum(map(len, rises.values()))
    assert likely.happened.estimate == at_rises / likely.happened.items == 0.0  # marks are always late
    given, seen = sum(map(len, marks.values())), 2 * (STEPS - 1) * len(rises)  # not the first step
    assert plus.bins[0].happened.estimate == pytest.approx(given / (seen - likely.happened.items))
    assert [one.predicted for one in minus.bins] == [0.0] and minus.bins[0].happened.items == seen


def test_a_mark_at_the_first_step_is_not_held_against_a_model_that_predicts_none_there() -> None:
    probability = np.full((6, 2), 0.25)
    probability[0] = 0.0  # as the model defines it
    rater = MarkedSteps.of(np.array([[1, 0], [0, 0], [0, 0], [1, 0], [0, 0], [0, 0]]))
    plus, minus = _mark_odds(Scores(np.zeros(6), np.zeros(6), probability), [rater])
    assert plus.weight.sum() == minus.weight.sum() == 5 and plus.happened.sum() == 1
    assert plus.log_loss == pytest.approx(-math.log(0.25) - 4 * math.log(0.75))


def test_one_episode_has_no_floor_of_predicted_marks() -> None:
    steps = MarkedSteps.of(np.array([[0, 0], [1, 0], [0, 0], [0, 1]]))
    measurer = Measurer(2, 2, 1, 0)
    for count in (1, 2):
        play = GroupPlay(ids=[str(number) for number in range(count)], raters=[[steps]] * count)
        for sign in measurer.marks(play, [steps] * count, 1.0).signs:
            assert sign.f1 is not None and sign.f1.estimate == 1.0
            assert (sign.chance is None) == (count == 1)


@pytest.fixture(scope="module")
def diagnosed(data: Path, trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("diagnosed")
    twin = shutil.copytree(trained.parent, runs / "twin") / trained.name
    settings: dict[str, Any] = {"name": "both", "episodes": 12, "tolerance": 2, "traces": 1}
    return diagnose(DiagnoseConfig(reward_model=(trained, twin), data=(data,), runs=runs, **settings)).parent


def read_back(folder: Path) -> Diagnosis:
    """Diagnosis that was written into ``folder``."""
    return from_json(Diagnosis, json.loads((folder / DIAGNOSIS_FILE).read_text()))


def numbers_in(value: Any) -> list[dict[str, float]]:
    """Every number with an interval in a JSON document."""
    if isinstance(value, dict):
        own = [value] if {"estimate", "low", "high"} <= value.keys() else []
        return own + [found for item in value.values() for found in numbers_in(item)]
    return [found for item in value for found in numbers_in(item)] if isinstance(value, list) else []


def test_every_number_has_its_interval_and_counts(diagnosed: Path) -> None:
    diagnosis = read_back(diagnosed)
    numbers = numbers_in(json.loads((diagnosed / "diagnostics.json").read_text()))
    assert len(numbers) > 100
    for number in numbers:
        assert math.isfinite(number["estimate"]) and number["low"] <= number["estimate"] <= number["high"]
        assert number["episodes"] >= 1 and number["items"] >= 1
    for model in diagnosis.models:
        assert [(g.part, g.solver) for g in model.groups] == diagnosis.groups()
        assert {g.part for g in model.groups} == {"held_out", "validation"} and model.known_division
    assert diagnosis.scripted


def test_a_model_does_not_differ_from_its_copy(diagnosed: Path) -> None:
    comparisons = read_back(diagnosed).comparisons
    assert len(comparisons) == len(read_back(diagnosed).groups())
    assert all(c.difference.estimate == 0.0 and c.difference.low < 0.0 < c.difference.high for c in comparisons)


def test_the_page_has_everything_and_fetches_nothing(diagnosed: Path) -> None:
    page, diagnosis = (diagnosed / "diagnostics.html").read_text(), read_back(diagnosed)
    assert not re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page)
    pictures = sorted((diagnosed / "figures").iterdir())
    charts = "accuracy answers calibration distance instructions predicted_marks returns trace-0 trace-1"
    assert [path.stem for path in pictures] == charts.split()
    assert page.count("<svg") + page.count("data:image/png;base64") == len(pictures)
    for path in pictures:
        with Image.open(path) as image:
            assert np.asarray(image.convert("L")).std() > 5 and min(image.size) > 300
    signal = signal_sentence(diagnosis)
    for model in diagnosis.models:
        ratio = next(g for g in model.groups if (g.part, g.solver) == main_group(diagnosis)).signal.ratio
        assert ratio is not None
        number = f"{ratio.estimate:.1f}".replace("-", "\N{MINUS SIGN}")
        assert f"{model.name} {number}" in signal and signal in page
        for group in model.groups:
            accuracy = group.pairs.accuracy
            assert isinstance(accuracy, Measure)
            shown = f'{100 * accuracy.estimate:.0f}%<small class="quiet">{100 * accuracy.low:.0f}% to '
            assert shown in page


def test_the_page_names_play_without_a_floor(diagnosed: Path) -> None:
    diagnosis, share = read_back(diagnosed), Measure(1.0, 0.2, 1.0, 1, 2)
    marked = MarkFindings(1.0, tuple(SignFindings(sign, share, share, share, None, None) for sign in (1, -1)))
    model = diagnosis.models[0]
    groups = (replace(model.groups[0], episodes=1, marked=marked), *model.groups[1:])
    alone = replace(diagnosis, models=(replace(model, groups=groups), *diagnosis.models[1:]))
    sentence = "Held-out play, scripted: one episode only, so there is no floor."
    assert sentence not in page(diagnosis, {}, ()) and sentence in page(alone, figures(alone), ())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parts": ("tested",)}, "not tested"),
        ({"parts": ()}, "not none"),
        ({"reward_model": ()}, "name at least one reward model"),
        ({"reward_model": (Path("a"), Path("b/../a"))}, "named twice"),
    ],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        DiagnoseConfig(**wrong)


def test_unusable_models_and_data_are_refused_in_one_line(
    data: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "unmarked"
    open_store(empty, create=True).write(played(500, "scripted", "held_out"))
    words = ["diagnose", "--reward-model", str(trained), "--runs", str(tmp_path), "--data"]
    for others, line in (
        ([str(empty)], "has a mark; mark some (`rlhf mark`)"),
        ([str(data), "--parts", "transfer"], "has no play of the parts transfer"),
        ([str(data), "--reward-model", str(tmp_path / "none")], "is not a reward model's folder"),
    ):
        assert main([*words, *others]) == 1
        (refused,) = capsys.readouterr().err.strip().splitlines()
        assert line in refused
    assert not (tmp_path / "diagnose").exists()  # nothing was begun
