"""`rlhf reward` and `rlhf refine`: exact resuming, the choice of raters, and what is refused."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from agents.folder import load_agent, save_agent
from pipelines.report.runs import run_row
from pipelines.report.training import training_report
from pipelines.stages.chosen_marks import choose_marks, describe_raters
from pipelines.stages.episodes.noted_episodes import EPISODES_FILE
from pipelines.stages.refine import RefineConfig, possible_rows, refine
from pipelines.stages.reward import RewardConfig, reward
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.config import RewardTrainingConfig
from reward_models.learning.evaluation import SIGNAL, Evaluator
from reward_models.registry import load_reward_model
from rlhf.learning.refining_config import RefiningConfig
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from tests.unit.pipelines.stages import small_training
from worlds.errors import UserError

UPDATES, EVERY = 6, 2


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RewardConfig:
    """A training of seconds: eight episodes, every second of which is marked by two scripted raters."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("reward")
    solvers = itertools.cycle(("agent:x", "scripted"))
    store = small_training.recorded(here / "data", change=lambda one: replace(one, solver=next(solvers)), steps=12)
    store.write_marks(
        Mark(name, rater, step, 1 if (step + place) % 2 else -1, scripted=True)
        for place, name in enumerate(store.ids())
        for rater, steps in (("ann", (3, 8)), ("bob", (5,) if place % 2 else ()))
        for step in steps
    )
    small_training.untrained(store, here / "agent")
    training = RewardTrainingConfig(
        updates=UPDATES, steps=4, batch=3, learning_rate=1e-2, warmup=1, evaluate_every=EVERY, log_every=1
    )
    return RewardConfig(
        data=(store.folder,), agent=here / "agent", runs=here, validation=0.3, checkpoint_every=EVERY,
        wandb="disabled", training=training,
    )  # fmt: skip


@pytest.fixture
def settings(made: RewardConfig, tmp_path: Path) -> RewardConfig:
    return replace(made, runs=tmp_path)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def same(one: Path, other: Path) -> bool:
    return all(torch.equal(value, weights(other)[name]) for name, value in weights(one).items())


@pytest.mark.parametrize(("kind", "at"), [("inter_temporal", 2), ("inter_temporal", 4), ("autoregressive", 4)])
def test_a_resumed_training_ends_in_the_same_weights(kind: str, at: int, settings: RewardConfig) -> None:
    config = replace(settings, kind=kind)
    whole, stopped = (reward(replace(config, name=name)) for name in ("whole", "stopped"))
    run = stopped.parent
    for checkpoint in Checkpoints(run).all():
        if checkpoint.step > at:
            shutil.rmtree(checkpoint.folder)
    shutil.rmtree(stopped)
    assert Checkpoints(run).latest().step == at
    assert reward(replace(config, name="stopped", resume=run)) == stopped
    for name in ("model.safetensors", "config.json"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes(), name
    last = [Checkpoints(folder.parent).latest() for folder in (whole, stopped)]
    assert [checkpoint.step for checkpoint in last] == [UPDATES, UPDATES]
    assert same(last[0].agent_folder, last[1].agent_folder)  # of the last update, which need not be the best


def test_all_demonstrations_are_imitated_where_only_play_of_the_agent_is_marked(settings: RewardConfig) -> None:
    (folder,) = settings.data
    config = replace(settings, imitate="all")
    whole, stopped = (reward(replace(config, name=name)) for name in ("whole", "stopped"))
    run = stopped.parent
    noted = json.loads((run / EPISODES_FILE).read_text())["parts"]
    assert sorted(noted["imitated"]) == sorted(row.episode_id for row in open_store(folder).rows(solver="scripted"))
    for checkpoint in Checkpoints(run).all():
        if checkpoint.step > 2:
            shutil.rmtree(checkpoint.folder)
    shutil.rmtree(stopped)
    assert same(reward(replace(config, name="stopped", resume=run)), whole)
    with pytest.raises(UserError, match="imitate"):
        reward(replace(config, name="stopped", resume=run, imitate="marked"))


def test_without_a_demonstration_there_is_nothing_to_imitate(settings: RewardConfig, tmp_path: Path) -> None:
    store = small_training.recorded(tmp_path / "data", change=lambda one: replace(one, solver="agent:x"), steps=12)
    store.write_marks(
        Mark(name, "ann", step, 1 - step % 2 * 2, scripted=True) for name in store.ids() for step in (3, 8)
    )
    with pytest.raises(UserError, match="no demonstrations in .*--imitate marked"):
        reward(replace(settings, data=(store.folder,), imitate="all"))


@pytest.mark.parametrize("extra", [{}, {"rewind": 0.33}], ids=["plain", "rewind"])
def test_play_whose_frames_stay_compressed_teaches_the_same(
    extra: dict[str, float], settings: RewardConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    config = replace(settings, training=replace(settings.training, **extra))
    decoded = reward(replace(config, name="decoded"))
    assert "stay compressed" not in capsys.readouterr().err
    packed = reward(replace(config, name="packed", in_memory_gb=1e-6))
    assert "stay compressed" in capsys.readouterr().err
    assert same(decoded, packed)


def test_training_can_start_from_an_earlier_model(settings: RewardConfig) -> None:
    earlier = reward(replace(settings, name="earlier"))
    still = replace(settings.training, learning_rate=0.0)
    assert same(earlier, reward(replace(settings, name="later", start=earlier, training=still)))


def test_a_new_autoregressive_model_starts_from_the_frequencies_of_marks(settings: RewardConfig) -> None:
    still = replace(settings.training, learning_rate=0.0, updates=1)
    model, _ = load_reward_model(reward(replace(settings, kind="autoregressive", training=still)))
    assert isinstance(model, AutoregressiveRewardModel)
    shares = model.annotate.predict[-1].bias.exp()  # of none, (+) and (-)
    assert shares.sum().item() == pytest.approx(1.0) and 0.5 < shares[0].item() < 0.95


@pytest.mark.parametrize(("found", "warned"), [({SIGNAL: 0.4}, True), ({SIGNAL: 1.7}, False), ({}, False)])
def test_a_reward_that_is_mostly_noise_is_warned_of(
    found: dict[str, float],
    warned: bool,
    settings: RewardConfig,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Evaluator, "evaluate", lambda *_: {"balanced_accuracy": 0.6} | found)
    reward(replace(settings, training=replace(settings.training, updates=2)))
    assert ("warning: " in (told := capsys.readouterr().err)) == warned == ("signal to noise 0.4" in told)


def test_what_marks_mean_cannot_change_when_it_is_resumed(settings: RewardConfig) -> None:
    run = reward(settings).parent
    for other in ({"rater_delay": 3}, {"raters": "majority"}, {"marks_later": 2}, {"unmarked_margin": 4}):
        name = next(iter(other))
        with pytest.raises(UserError, match=f"training.{name}|training-{name.replace('_', '-')}"):
            reward(replace(settings, resume=run, training=replace(settings.training, **other)))


# Raters


def marks(rater: str, count: int, scripted: bool) -> list[Mark]:
    return [Mark("e", rater, step, 1, scripted) for step in range(1, count + 1)]


GIVEN = [*marks("ann", 3, False), *marks("bob", 1, False), *marks("scripted-rater-0", 2, True)]


@pytest.mark.parametrize(
    ("raters", "kept"),
    [
        ("", "4 marks by 2 people and 2 marks by 1 scripted rater"),
        ("people", "4 marks by 2 people"),
        ("scripted", "2 marks by 1 scripted rater"),
        ("bob", "1 mark by 1 person"),
        ("bob scripted", "1 mark by 1 person and 2 marks by 1 scripted rater"),
    ],
)
def test_raters_are_chosen_and_counted_by_group_or_by_name(raters: str, kept: str) -> None:
    assert describe_raters(choose_marks(GIVEN, tuple(raters.split()))) == kept


def test_people_and_scripts_are_mixed_only_when_asked_to(
    settings: RewardConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(Path(shutil.copytree(settings.data[0], tmp_path / "data")))
    store.write_marks(Mark(name, "eve", 4, 1 if place % 2 else -1, False) for place, name in enumerate(store.ids()))
    mixed = replace(settings, data=(store.folder,))
    with pytest.raises(UserError, match="8 marks by 1 person and 20 marks by 2 scripted raters.*--mix-raters"):
        reward(replace(mixed, name="unasked"))
    with pytest.raises(UserError, match="raters: no marks by zoe; there are 8 marks by 1 person"):
        reward(replace(mixed, name="unasked", raters=("zoe",)))
    assert not (tmp_path / "unasked").exists()
    reward(replace(mixed, name="both", mix_raters=True))
    assert "learning from 6 marks by 1 person and 1" in capsys.readouterr().err
    people = replace(mixed, name="people", raters=("people",))
    made = reward(people)
    assert "learning from 6 marks by 1 person\n" in capsys.readouterr().err
    assert "1 person (8)" in (made / "README.md").read_text()
    assert reward(replace(people, resume=made.parent)) == made
    with pytest.raises(UserError, match="raters is"):
        reward(replace(people, raters=(), resume=made.parent))


# Refining: a cloned agent is trained further on marked play


@pytest.fixture(scope="module")
def refining(made: RewardConfig) -> RefineConfig:
    """A training of seconds on eight episodes, half of them an agent's own."""
    agent, tokenizer = load_agent(made.agent)
    save_agent(InterTemporalRewardModel.from_agent(agent, seed=1), tokenizer, made.runs / "untrained")
    training = RefiningConfig(
        updates=UPDATES, steps=4, batch=3, learning_rate=1e-2, warmup=1, evaluate_every=EVERY, log_every=1
    )
    return RefineConfig(
        data=made.data, agent=made.agent, reward_model=made.runs / "untrained", runs=made.runs, held_out=0.3,
        checkpoint_every=EVERY, wandb="disabled", training=training,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["weighted", "conditioned", "kto", "apo", "cpl"])
def test_it_trains_resumes_exactly_and_is_reported(refining: RefineConfig, method: str) -> None:
    whole = replace(refining, name=method, training=replace(refining.training, method=method))
    folder = refine(whole)
    assert folder == whole.runs / method / "agent"
    agent, _ = load_agent(folder)
    begun = load_file(whole.agent / "model.safetensors")
    assert any(not torch.equal(agent.state_dict()[name], value) for name, value in begun.items())
    losses = column(read_metrics(folder.parent), "bc/loss")[1]
    assert len(losses) == UPDATES and np.isfinite(losses).all()
    assert len(column(read_metrics(folder.parent), "bc_held_out/movement")[1]) == UPDATES // EVERY
    report = training_report(folder.parent)
    assert f"marked play ({method})" in report.kind and "held-out play" in report.headline
    row = run_row(folder.parent)
    assert (row.stage, row.state, row.updates, row.of) == ("refine", "finished", UPDATES, UPDATES)

    decaying = replace(whole, name=f"{method}-half", training=replace(whole.training, decay=1.0))
    straight = refine(replace(decaying, name=f"{method}-whole"))
    run = refine(replace(decaying, training=replace(decaying.training, updates=UPDATES // 2))).parent
    assert Checkpoints(run).latest_if_any() is not None
    resumed = refine(replace(decaying, resume=run))
    ends = [load_file(folder / "model.safetensors") for folder in (resumed, straight)]
    assert all(torch.equal(value, ends[1][name]) for name, value in ends[0].items())


def test_the_cloned_agent_is_left_as_it_was_and_the_card_names_it(refining: RefineConfig) -> None:
    before = (refining.agent / "model.safetensors").read_bytes()
    folder = refine(replace(refining, name="card"))
    assert (refining.agent / "model.safetensors").read_bytes() == before
    card = (folder / "README.md").read_text()
    assert str(refining.agent) in card and str(refining.reward_model) in card and "weighted" in card


def test_what_cannot_be_learned_from_and_other_play_than_the_run_began_with_are_refused(refining: RefineConfig) -> None:
    with pytest.raises(UserError, match="no marks by nobody"):
        refine(replace(refining, name="refused", raters=("nobody",)))
    with pytest.raises(UserError, match="not a reward model"):
        refine(replace(refining, name="refused", reward_model=refining.agent))
    assert not (refining.runs / "refused").exists()
    run = refine(replace(refining, name="changed")).parent
    store = open_store(refining.data[0])
    name = store.ids()[0]
    store.write_marks([Mark(name, "bob", 5, 1, scripted=True)])
    with pytest.raises(UserError, match=f"marks of episode {name} changed"):
        refine(replace(refining, name="changed", resume=run))


def test_steps_at_which_a_choice_was_illegal_are_not_possible(refining: RefineConfig) -> None:
    cloned, _ = load_agent(refining.agent)
    counts = cloned.config.player.action.counts
    movement = np.zeros((3, cloned.config.player.action.ticks, len(counts)), np.int8)
    movement[1, -1, -1] = 1
    legal = np.ones((3, int(counts.sum())), dtype=bool)
    legal[1:, int(counts[:-1].sum()) + 1] = False  # the value that only the second step has
    play = SimpleNamespace(first=np.zeros(3, bool), movement=movement, observations=SimpleNamespace(legal=legal))
    assert possible_rows(cloned.config, play).tolist() == [True, False, True]  # type: ignore[arg-type]
    play.observations.legal = None
    assert possible_rows(cloned.config, play).all()  # type: ignore[arg-type]
