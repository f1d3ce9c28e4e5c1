"""An experiment whose arms differ in their raters: every reward model reads the marks of its own raters only."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.engine.config import Arm, ExperimentConfig, data_of, folder_of
from experiments.engine.figures import dodged
from experiments.engine.marks import learned_from, marks_table
from experiments.engine.stages import SeedStages
from experiments.interactive_agents import probes, raters
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.running.staged_run import run_stages
from reward_models.learning.training import RewardTrainer
from reward_models.marks.marked_play import MarkedPlay
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import Event
from worlds.errors import UserError

LEARNING_ARMS = ("usual raters", "1/4 of the episodes marked", "half of the events missed", "three raters, majority")


def test_arms_differ_in_their_raters_only() -> None:
    experiment, base = raters.experiment(), probes.experiment()
    usual = experiment.arms["usual raters"]
    assert (usual.marks, experiment.arms["BC"].improve, experiment.mark) == (None, None, base.mark)
    assert usual.improve == base.arms["BC+RL (IBT)"].improve and experiment.rewards["ibt"] == base.rewards["ibt"]
    assert (experiment.demonstrations, experiment.play, experiment.evaluate) == (
        base.demonstrations,
        base.play,
        base.evaluate,
    )
    assert experiment.clones == {"bc": base.clones["bc"]}
    learning = [arm for name, arm in experiment.arms.items() if name != "BC"]
    assert len({(arm.reward, arm.marks) for arm in learning}) == len(learning) == 10
    for arm in learning:
        assert (arm.clone, arm.improve) == ("bc", usual.improve)
        one = experiment.rewards[arm.reward]
        assert replace(one, training=replace(one.training, raters="each", marks_later=0)) == experiment.rewards["ibt"]
    assert {arm.reward for arm in learning if experiment.rewards[arm.reward].training.marks_later} == {"later"}
    for way in experiment.marks.values():
        changed = {name for name, value in vars(way).items() if value != getattr(experiment.mark, name)}
        assert changed - {"longest_delay"} in (
            {"share"}, {"miss"}, {"delay"}, {"mistake"}, {"raters", "misses", "mistakes", "delays"}
        )  # fmt: skip
    folders = {SeedStages(experiment, 0).improve_config(name).reward_model for name in experiment.arms if name != "BC"}
    assert len(folders) == 10


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
    learned = learned_from(toy)
    train = set(open_store(data_of(toy, None, 0)).ids(split="train"))
    for name in LEARNING_ARMS:
        given = [mark for mark in marks_of(toy, toy.arms[name].marks) if mark.episode_id in train]
        (one,) = learned[name].values()
        assert (one.marks, one.marked, one.episodes) == (len(given), len({m.episode_id for m in given}), 32)
    assert "four steps late" not in learned and "BC" not in learned  # not marked yet
    assert learned["three raters, each"] == learned["three raters, majority"]  # the same marks, used otherwise
    assert f"| usual raters | {learned['usual raters'][0].marks} |" in marks_table(learned)


def test_an_interrupted_marking_starts_again(toy: ExperimentConfig, seen: dict[str, MarkedPlay]) -> None:
    before = marks_of(toy, "half") if data_of(toy, "half", 0).exists() else []
    assert not before
    open_store(data_of(toy, "half", 0), create=True)  # left by a killed attempt
    (stage,) = (stage for stage in SeedStages(toy, 0).arm("1/2 of the episodes marked") if stage.name == "marks half")
    stage.do()
    first = marks_of(toy, "half")
    stage.do()
    assert marks_of(toy, "half") == first and len({mark.episode_id for mark in first}) <= 20


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        (Arm(reward="ibt", improve=ImproveConfig(), marks="loud"), "no marks 'loud'; known: quarter"),
        (Arm(improve=ImproveConfig(), marks="late"), "it learns from no marks"),
        (Arm(marks="late"), "it learns from no marks"),
    ],
)
def test_impossible_marking_settings_are_refused(arm: Arm, message: str) -> None:
    experiment = raters.experiment()
    with pytest.raises(UserError, match=message):
        replace(experiment, arms={**experiment.arms, "x": arm})


def test_stages_and_folders_without_other_marks(tmp_path: Path) -> None:
    experiment = replace(probes.experiment(), run=tmp_path)
    assert list(dict.fromkeys(stage.name for stage in SeedStages(experiment, 0).arm("BC+RL (IBT)"))) == [
        "demonstrations", "clone bc", "play", "marks", "reward reward-ibt", "improve BC+RL (IBT)",
        "evaluate BC+RL (IBT)", "evaluate BC+RL (IBT) on train", "follow BC+RL (IBT)",
    ]  # fmt: skip
    assert (
        SeedStages(experiment, 0).improve_config("BC+RL (IBT)").reward_model
        == tmp_path / "seed-0/reward-ibt/reward_model"
    )


@pytest.mark.parametrize(
    "other",
    [
        {"marks": {**raters.experiment().marks, "Misses: half": MarkConfig()}},
        {"arms": {**raters.experiment().arms, "usual, raters": Arm()}},
        {"arms": {**raters.experiment().arms, "!": Arm()}},
        {
            "rewards": {**raters.experiment().rewards, "ibt from": raters.experiment().rewards["ibt"]},
            "marks": {**raters.experiment().marks, "from late": MarkConfig()},
            "arms": {
                **raters.experiment().arms,
                "one": Arm(reward="ibt from", improve=ImproveConfig(), marks="late"),
                "other": Arm(reward="ibt", improve=ImproveConfig(), marks="from late"),
            },
        },
    ],
)
def test_no_two_things_share_a_folder(other: dict) -> None:
    with pytest.raises(UserError, match="would have one folder; rename one of them") as caught:
        replace(raters.experiment(), **other)
    assert "\n" not in str(caught.value)


def test_overlapping_points_are_moved_apart() -> None:
    places = {"a": 0.0, "b": 50.0, "c": 50.0, "d": 50.5, "e": 90.0}
    moved = dodged(places, 2.0)
    assert (moved["a"], moved["e"]) == (0.0, 90.0)
    assert np.diff([moved[name] for name in "bcd"]).tolist() == pytest.approx([2.0, 2.0])
    assert np.mean([moved[name] for name in "bcd"]) == pytest.approx(np.mean([50.0, 50.0, 50.5]))
    # A point moved into a neighbour moves it, too.
    moved = dodged({"a": 0.0, "b": 0.0, "c": 2.5}, 2.0)
    assert sorted(moved.values()) == pytest.approx([5 / 6 - 2, 5 / 6, 5 / 6 + 2])
    assert dodged({}, 1.0) == {}
