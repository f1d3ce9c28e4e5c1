"""`rlhf diagnose --agent`: the truth about frames, probes on an oracle and on noise, and the command."""

from __future__ import annotations

import json
import math
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
from pipelines.diagnose.eyes import diagnosis
from pipelines.diagnose.eyes.config import EyesConfig
from pipelines.diagnose.eyes.diagnosis import _chosen
from pipelines.diagnose.eyes.findings import EYES_FILE, EyesFindings, EyesMeasurer
from pipelines.diagnose.eyes.frames import NONE, Features, Truth, truth_of
from pipelines.diagnose.eyes.learned import learned_episodes
from pipelines.diagnose.eyes.network import eyes_loss
from pipelines.diagnose.eyes.readings import MEMORY, READING_WORDS, TAUGHT, TOKENS, WORDS, Reader
from pipelines.diagnose.eyes.report import cause_sentences, headline, remarks
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.division import noted_division, save_division
from pipelines.stages.episodes.noted_episodes import note_episodes
from pipelines.stages.episodes.recordings import find_episodes, read_episodes, spoken_texts
from pipelines.stages.executors import HELD_OUT, REPLAYED
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.data.source import Source
from rlhf.learning.cloner import CloningConfig
from rlhf.records.json_records import from_json
from rlhf.run.config import save_config
from rlhf.store import open_store
from tests import small_worlds
from tests.unit.agents import made_up_play
from tests.unit.rlhf import tiny_agent
from worlds.contract import ThingInView
from worlds.errors import UserError

ROOM = {"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3], "sizes": ["large"], "room_size": [4.0, 4.0]}
RED, BLUE, DUCK = ("red", "ball"), ("blue", "ball"), ("blue", "duck")


def thing(colour: str, kind: str, pixels: int, distance: float = 1.0) -> ThingInView:
    return ThingInView(colour, kind, pixels, distance)


def made_up_truth(count: int, seed: int = 0, per_episode: int = 10) -> Truth:
    """Frames with one thing, one or two things, or none in view, of 2 colours and 3 kinds."""
    rng, seen = np.random.default_rng(seed), []
    for _ in range(count):
        number = rng.choice([0, 1, 1, 1, 2])
        seen.append(
            tuple(thing(rng.choice(["blue", "red"]), rng.choice(["ball", "block", "duck"]), 20) for _ in range(number))
        )
    return truth_of(seen, np.arange(count) // per_episode, 8)


def test_the_truth_of_frames() -> None:
    seen = [
        (thing(*RED, 30, 2.5),),
        (thing(*RED, 5),),  # too small to be in view
        (thing(*RED, 30), thing(*BLUE, 1)),  # not alone
        (),
        (thing(*DUCK, 8, 0.5),),
    ]
    truth = truth_of(seen, np.zeros(5, int), least=8)
    assert truth.colours == ("blue", "red") and truth.kinds == ("ball", "duck")
    assert truth.colour.tolist() == [1, NONE, NONE, NONE, 0] and truth.kind.tolist() == [0, NONE, NONE, NONE, 1]
    assert truth.pixels.tolist() == [30, 0, 0, 0, 8] and truth.distance.tolist() == [2.5, 0, 0, 0, 0.5]
    expected = [[0, 30, 30, 0], [0, 5, 5, 0], [1, 30, 31, 0], [0, 0, 0, 0], [8, 0, 0, 8]]
    assert truth.all_pixels.tolist() == expected


def test_a_thing_of_a_few_pixels_is_neither_in_view_nor_out_of_it() -> None:
    odds = torch.tensor([[2.0, -1.0, 5.0]], requires_grad=True)
    loss = eyes_loss(odds, torch.tensor([[20, 0, 3]]), least=8)
    loss.backward()
    expected = (math.log1p(math.exp(-2.0)) + math.log1p(math.exp(-1.0))) / 2
    assert loss.item() == pytest.approx(expected, rel=1e-6)
    assert odds.grad is not None and odds.grad[0, 2] == 0 and (odds.grad[0, :2] != 0).all()


def reader(tokens: np.ndarray, truth: Truth, learned: np.ndarray) -> Reader:
    agent = made_up_play.agent()
    rest = np.zeros((len(tokens), 1, 4), np.float32)
    tokenizer = Tokenizer.train(["go to the red ball"], made_up_play.VOCABULARY)
    features = Features(np.zeros((len(tokens), 36, 48, 3), np.uint8), tokens, rest, rest)
    return Reader(agent, tokenizer, features, truth, learned, EyesConfig(probe_updates=300), 0)


def test_a_probe_reads_what_the_features_hold_and_nothing_else() -> None:
    truth = made_up_truth(1500)
    learned = truth.episode % 3 != 0
    rng = np.random.default_rng(0)
    tokens = rng.normal(size=(1500, 5, 8)).astype(np.float32)
    for row in range(1500):  # colours are in the tokens, kinds are not
        for colour in np.flatnonzero(truth.colour_pixels[row]):
            tokens[row, rng.integers(5), colour] += 8.0
    named = reader(tokens, truth, learned)._probe(tokens)
    found = EyesMeasurer(truth, ~learned, 0).reading(TOKENS, named)
    assert found.colour is not None and found.kind is not None
    assert found.colour.low > 0.9 and found.kind.low < 0.45 and found.kind.high > 1 / 4
    assert found.colour.items == (truth.alone & ~learned).sum()


def test_shares_and_differences_are_counted_on_measured_frames_with_one_thing() -> None:
    truth = made_up_truth(200)
    measured = truth.episode % 2 == 0
    measurer = EyesMeasurer(truth, measured, 0)
    perfect = truth.colour.copy(), truth.kind.copy()
    worse = np.where(np.arange(200) % 20 < 5, 1 - truth.colour, truth.colour), truth.kind.copy()
    perfect[0][~measured], worse[1][~truth.alone] = 7, 7  # what does not count
    rows = measured & truth.alone
    share = float(np.mean((np.arange(200) % 20 >= 5)[rows]))
    found = measurer.reading(TOKENS, worse)
    assert found.colour is not None and found.kind is not None
    assert found.colour.estimate == pytest.approx(share) and found.colour.low < share < found.colour.high
    assert found.kind.estimate == 1.0 and found.kind.low < 1.0
    (step,) = measurer.steps({TAUGHT: perfect, TOKENS: worse})
    assert step.colour is not None and step.colour.estimate == pytest.approx(share - 1) and step.colour.high < 0
    assert step.kind is not None and step.kind.estimate == 0.0
    assert sum(one.colour.items for one in found.by_pixels if one.colour) == rows.sum()
    assert sum(one.colour.items for one in found.by_distance if one.colour) == rows.sum()
    assert [one.colour is not None for one in found.by_pixels] == [False, True, False, False, False]
    commonest = max(np.bincount(truth.kind[rows])) / rows.sum()
    assert measurer.commonest()[1] == pytest.approx(commonest)


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Recorded play of small rooms, and an untrained agent."""
    folder = tmp_path_factory.mktemp("eyes")
    world = WorldConfig(height=24, width=32, settings=ROOM)
    record(RecordConfig(data=folder / "data", episodes=12, steps=10, workers=1, world=world, held_out=0.0))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([folder / "data"])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(24, 32), vocab_size=tokenizer.vocab_size))
    return folder / "data", save_agent(agent, tokenizer, folder / "agent")


QUICK = EyesConfig(updates=20, probe_updates=20, batch=32)


@pytest.fixture(scope="module")
def page(play: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a diagnosis, beside its other files."""
    data, agent = play
    runs = tmp_path_factory.mktemp("diagnosed")
    return diagnose(DiagnoseConfig(agent=agent, data=(data,), runs=runs, name="eyes", eyes=QUICK))


def findings_of(page: Path) -> EyesFindings:
    return from_json(EyesFindings, json.loads((page.parent / EYES_FILE).read_text()))


def test_the_command_writes_numbers_figure_and_page(page: Path, play: tuple[Path, Path], tmp_path: Path) -> None:
    found, text = findings_of(page), page.read_text()
    assert [one.name for one in found.readings] == ["untrained", "taught", "tokens", "words", "memory"]
    assert found.learned_frames == 80 and found.measured_episodes <= 4 and found.measured_frames > 2
    assert 'src="http' not in text and text.count("<svg") == 1
    for one in found.readings:
        assert READING_WORDS[one.name] in text and one.colour is not None
        assert f"{100 * one.colour.estimate:.0f}%" in text
    with Image.open(page.parent / "figures" / "eyes.png") as image:
        assert np.asarray(image.convert("L")).std() > 5
    again = diagnose(DiagnoseConfig(agent=play[1], data=(play[0],), runs=tmp_path, name="again", eyes=QUICK))
    assert (findings_of(again).readings, findings_of(again).steps) == (found.readings, found.steps)  # the seed decides


def trained_on(play: tuple[Path, Path], run: Path, count: int) -> Path:
    """The agent in a run that learned from the first `count` of the episodes."""
    data, agent = play
    run.mkdir()
    copied = shutil.copytree(agent, run / "agent")
    ids = [source.episode_id for source in find_episodes([data])]
    save_division(run, ids[:count], ids[count:])
    save_config(run, CloneConfig(data=(data,)))
    return copied


def test_nothing_is_measured_on_what_the_agent_learned_from(
    play: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[str] = []

    def spy(found: Sequence[Source], *others: Any) -> Any:
        sources, numbers = _chosen(found, *others)
        chosen.extend(sources[number].episode_id for number in numbers)
        return sources, numbers

    monkeypatch.setattr(diagnosis, "_chosen", spy)
    data, _ = play
    config = DiagnoseConfig(agent=trained_on(play, tmp_path / "run", 8), data=(data,), runs=tmp_path, eyes=QUICK)
    path = diagnose(replace(config, eyes=replace(QUICK, measured=0.9)))
    found = findings_of(path)
    assert sorted(chosen) == sorted(source.episode_id for source in find_episodes([data])[8:])
    assert found.learned_frames == 80 and found.unseen_episodes == 4 >= found.measured_episodes
    (few,) = remarks(found)
    assert "Too few episodes to name causes" in few and "the agent did not learn from 4 of those recorded" in few
    assert few in path.read_text()
    assert all(sentence.endswith("too few episodes to name a cause") for sentence in cause_sentences(found))
    with pytest.raises(UserError, match="learned from 11 of the 12 episodes of .*record others"):
        diagnose(replace(config, agent=trained_on(play, tmp_path / "all", 11)))


def test_what_an_agent_learned_from_is_what_its_runs_noted(play: tuple[Path, Path], tmp_path: Path) -> None:
    data, _ = play
    training = CloningConfig(updates=1, steps=4, batch=2, evaluate_every=1)
    cloning = CloneConfig(data=(data,), runs=tmp_path, held_out=0.25, checkpoint_every=1, wandb="disabled")
    agent = clone(replace(cloning, training=training))
    division = noted_division(tmp_path / "clone")
    assert division is not None and len(division.learned) == 9
    assert learned_episodes(agent) == division.learned
    (checkpoint,) = (tmp_path / "clone" / "checkpoints").glob("step-*")
    assert learned_episodes(checkpoint / "agent") == division.learned
    improved, sources = tmp_path / "improve", find_episodes([data])
    improved.mkdir()
    note_episodes(improved, {"imitated": sources[:4], REPLAYED: sources[4:6], HELD_OUT: sources[6:]})
    save_config(improved, ImproveConfig(agent=agent))
    both = {source.episode_id for source in sources[:6]} | division.learned
    assert learned_episodes(improved / "agent") == both
    shutil.rmtree(tmp_path / "clone")
    assert learned_episodes(improved / "agent") is None  # what it began as is gone


def test_a_picture_that_differs_from_its_replay_is_refused(play: tuple[Path, Path], tmp_path: Path) -> None:
    data, agent = play
    store, changed = open_store(data), open_store(tmp_path / "changed", create=True)
    for episode in store.stream(store.ids()):
        image = episode.pictures().copy()
        image[3] ^= 1
        changed.write(replace(episode, image=image))
    with pytest.raises(UserError, match="does not replay: step 3 looks different"):
        diagnose(DiagnoseConfig(agent=agent, data=(tmp_path / "changed",), runs=tmp_path, eyes=QUICK))


def test_other_worlds_and_settings_are_refused_in_one_line(
    play: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, agent = play
    small_worlds.register()
    elsewhere = tmp_path / "elsewhere"
    record(RecordConfig(data=elsewhere, episodes=2, steps=4, workers=1, world=WorldConfig("small-walk")))
    words = ["diagnose", "--agent", str(agent), "--runs", str(tmp_path / "runs"), "--data"]
    for others, line in (
        ([elsewhere], "does not say which things its pictures show"),
        ([data, "--episodes", "1"], "too few episodes"),
        ([data, "--eyes.solver", "agent:nobody"], "solver=agent:nobody"),
        ([data, "--eyes.phrase", "go to the {colour}"], "names {colour} and {kind}"),
        ([data, "--eyes.measured", "0"], "measured is above 0"),
    ):
        capsys.readouterr()
        assert main([*words, *map(str, others)]) == 1
        (refused,) = (each for each in capsys.readouterr().err.splitlines() if each.startswith("error: "))
        assert line in refused
    assert not (tmp_path / "runs").exists()


def test_sentences_name_the_cause_only_where_the_interval_excludes_zero(page: Path) -> None:
    truth = made_up_truth(400)
    measurer = EyesMeasurer(truth, np.ones(400, bool), 0)
    perfect, wrong = (truth.colour, truth.kind), (truth.colour, (truth.kind + 1) % 3)
    named: dict[str, Any] = {TAUGHT: perfect, TOKENS: wrong, WORDS: wrong, MEMORY: perfect}
    readings = tuple(measurer.reading(name, found) for name, found in named.items())
    findings = replace(findings_of(page), readings=readings, steps=measurer.steps(named))
    sentences = list(cause_sentences(findings))
    for words in (
        ("kinds, tokens less taught", "could have learned this"),
        ("colours, tokens less taught", "no difference"),
        ("kinds, memory less tokens", "+100 points", "earlier frames"),
    ):
        assert any(all(word in sentence for word in words) for sentence in sentences)
    assert "100% of colours and 0% of kinds" in headline(findings)
    (doubt,) = remarks(replace(findings, unseen_episodes=None, measured_episodes=12))
    assert "It is not known what the agent learned from" in doubt
