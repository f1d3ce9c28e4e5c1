"""`rlhf diagnose --agent`: the truth about frames, probes on an oracle and on noise, and the command."""

from __future__ import annotations

import io
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
from pipelines.diagnose.eyes.frames import NONE, Features, Truth, chosen_steps, truth_of
from pipelines.diagnose.eyes.learned import learned_episodes
from pipelines.diagnose.eyes.network import SeenHead, eyes_loss, learn, log_odds
from pipelines.diagnose.eyes.readings import MEMORY, READING_WORDS, TAUGHT, TOKENS, WORDS, Reader
from pipelines.diagnose.eyes.report import cause_sentences, headline, remarks
from pipelines.report.file import circumstances
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.division import noted_division, save_division
from pipelines.stages.episodes.noted_episodes import note_episodes
from pipelines.stages.episodes.recordings import evenly_spaced, find_episodes, read_episodes, spoken_texts
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
        (thing(*RED, 9), thing(*BLUE, 7)),
    ]
    truth = truth_of(seen, np.zeros(6, int), least=8)
    assert truth.colours == ("blue", "red") and truth.kinds == ("ball", "duck")
    assert truth.colour.tolist() == [1, NONE, NONE, NONE, 0, NONE]
    assert truth.kind.tolist() == [0, NONE, NONE, NONE, 1, NONE]
    assert truth.pixels.tolist() == [30, 0, 0, 0, 8, 0] and truth.distance.tolist() == [2.5, 0, 0, 0, 0.5, 0]
    assert truth.all_pixels.tolist() == [
        [0, 30, 30, 0], [0, 5, 5, 0], [1, 30, 31, 0], [0, 0, 0, 0], [8, 0, 0, 8], [7, 9, 16, 0]
    ]  # fmt: skip


def test_frames_are_spread_over_the_episodes() -> None:
    assert [steps.tolist() for steps in chosen_steps([3, 2], 10)] == [[0, 1, 2], [0, 1]]
    few = chosen_steps([40, 20, 40], 10)
    assert [len(steps) for steps in few] == [4, 2, 4] and all((steps < 40).all() for steps in few)
    assert few[1].tolist() == [0, 10]


def test_a_thing_of_a_few_pixels_is_neither_in_view_nor_out_of_it() -> None:
    odds = torch.tensor([[2.0, -1.0, 5.0]], requires_grad=True)
    loss = eyes_loss(odds, torch.tensor([[20, 0, 3]]), least=8)
    loss.backward()
    expected = (math.log1p(math.exp(-2.0)) + math.log1p(math.exp(-1.0))) / 2
    assert loss.item() == pytest.approx(expected, rel=1e-6)
    assert odds.grad is not None and odds.grad[0, 2] == 0 and (odds.grad[0, :2] != 0).all()


def test_a_head_learns_which_token_shows_what() -> None:
    rng = np.random.default_rng(0)
    pixels = 10 * (rng.random((600, 3)) < 0.3).astype(np.int64)
    tokens = rng.normal(size=(600, 4, 12)).astype(np.float32)
    for row, output in np.argwhere(pixels):
        tokens[row, rng.integers(4), output] += 6.0
    torch.manual_seed(0)
    head = SeenHead(12, 3)
    learn(head, tokens[:400], pixels[:400], 8, updates=300, batch=64, rate=1e-2, seed=0)
    right = (log_odds(head, tokens[400:]) > 0) == (pixels[400:] > 0)
    assert right.mean() > 0.9


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


def test_differences_that_are_the_same_in_both_episodes_claim_no_certainty() -> None:
    truth = truth_of([(thing(*RED, 20),), (thing(*BLUE, 20),)] * 10, np.arange(20) // 10, 8)
    worse = truth.colour.copy()
    worse[[0, 10]] = 1 - worse[[0, 10]]  # one frame of each episode
    measurer = EyesMeasurer(truth, np.ones(20, bool), 0)
    (step,) = measurer.steps({TAUGHT: (truth.colour, truth.kind), TOKENS: (worse, truth.kind)})
    assert step.colour is not None and (step.colour.estimate, step.colour.episodes) == (pytest.approx(-0.1), 2)
    assert step.colour.low < -0.1 < 0 < step.colour.high


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


def test_the_command_writes_numbers_figure_and_page(play: tuple[Path, Path], tmp_path: Path) -> None:
    data, agent = play
    path = diagnose(DiagnoseConfig(agent=agent, data=(data,), runs=tmp_path, name="eyes", eyes=QUICK))
    found = from_json(EyesFindings, json.loads((path.parent / EYES_FILE).read_text()))
    assert [one.name for one in found.readings] == ["untrained", "taught", "tokens", "words", "memory"]
    assert found.learned_frames == 80 and found.measured_episodes <= 4 and found.measured_frames > 2
    page = path.read_text()
    assert 'src="http' not in page and page.count("<svg") == 1
    for one in found.readings:
        assert READING_WORDS[one.name] in page and one.colour is not None
        assert f"{100 * one.colour.estimate:.0f}%" in page
    with Image.open(io.BytesIO((path.parent / "figures" / "eyes.png").read_bytes())) as image:
        assert np.asarray(image.convert("L")).std() > 5
    again = diagnose(DiagnoseConfig(agent=agent, data=(data,), runs=tmp_path, name="again", eyes=QUICK))
    other = from_json(EyesFindings, json.loads((again.parent / EYES_FILE).read_text()))
    assert other.readings == found.readings and other.steps == found.steps  # the seed decides


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
    found = from_json(EyesFindings, json.loads((path.parent / EYES_FILE).read_text()))
    assert sorted(chosen) == sorted(source.episode_id for source in find_episodes([data])[8:])
    assert found.learned_frames == 80 and found.unseen_episodes == 4 >= found.measured_episodes
    (few,) = remarks(found)
    assert "Too few episodes to name causes" in few and "the agent did not learn from 4 of those recorded" in few
    page = path.read_text()
    assert few in page and "of episodes that the agent, the probes and the taught network did not learn from" in page
    assert all(sentence.endswith("too few episodes to name a cause") for sentence in cause_sentences(found))
    with pytest.raises(UserError, match="learned from 11 of the 12 episodes of .*record others"):
        diagnose(replace(config, agent=trained_on(play, tmp_path / "all", 11)))


def test_the_page_says_where_it_is_not_known_what_the_agent_learned_from(play: tuple[Path, Path]) -> None:
    findings = EyesFindings("agent", None, 90, 30, 12, (), (), 0.5, 0.5, (), (), circumstances({}))
    (doubt,) = remarks(findings)
    assert "It is not known what the agent learned from" in doubt and learned_episodes(play[1]) is None
    assert list(remarks(replace(findings, unseen_episodes=12))) == []
    assert len(list(remarks(replace(findings, measured_episodes=9)))) == 2


def test_episodes_to_measure_on_are_spread_over_those_that_the_agent_did_not_learn_from(
    play: tuple[Path, Path],
) -> None:
    found = find_episodes([play[0]])
    for unseen, most, share, expected in (
        (found, 12, 0.34, [0, 3, 6, 9]),
        (found, 2, 0.01, [0]),
        (found[6:], 12, 0.25, [6, 8, 10]),
        (found[10:], 12, 0.5, [10, 11]),
    ):
        sources, numbers = _chosen(found, unseen, most, share)
        assert numbers == expected and len(sources) == most
        assert sources == [source for source in found if source in sources]
    sources, numbers = _chosen(found, found[6:], 6, 0.5)
    assert [sources[number] for number in numbers] == evenly_spaced(found[6:], 3) and len(sources) == 6


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
    store = open_store(data)
    episodes = [store.read(row.episode_id) for row in store.rows()]
    changed = open_store(tmp_path / "changed", create=True)
    for episode in episodes:
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
    assert main([*words, str(elsewhere)]) == 1
    assert main([*words, str(data), "--episodes", "1"]) == 1
    assert main([*words, str(data), "--eyes.solver", "agent:nobody"]) == 1
    assert main([*words, str(data), "--eyes.phrase", "go to the {colour}"]) == 1
    assert main([*words, str(data), "--eyes.measured", "0"]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(said) == 5
    assert "does not say which things its pictures show" in said[0]
    assert "too few episodes" in said[1] and "solver=agent:nobody" in said[2]
    assert "names {colour} and {kind}" in said[3] and "measured is above 0" in said[4]
    assert not (tmp_path / "runs").exists()


def test_sentences_name_the_cause_only_where_the_interval_excludes_zero(
    play: tuple[Path, Path], tmp_path: Path
) -> None:
    truth = made_up_truth(400)
    measurer = EyesMeasurer(truth, np.ones(400, bool), 0)
    perfect, wrong = (truth.colour, truth.kind), (truth.colour, (truth.kind + 1) % 3)
    named: dict[str, Any] = {TAUGHT: perfect, TOKENS: wrong, WORDS: wrong, MEMORY: perfect}
    data, agent = play
    path = diagnose(DiagnoseConfig(agent=agent, data=(data,), runs=tmp_path, eyes=QUICK))
    made = from_json(EyesFindings, json.loads((path.parent / EYES_FILE).read_text()))
    readings = tuple(measurer.reading(name, found) for name, found in named.items())
    findings = replace(made, readings=readings, steps=measurer.steps(named))
    sentences = list(cause_sentences(findings))
    assert any("kinds, tokens less taught" in one and "could have learned this" in one for one in sentences)
    assert any("colours, tokens less taught" in one and "no difference" in one for one in sentences)
    assert any(
        "kinds, memory less tokens" in one and "+100 points" in one and "earlier frames" in one for one in sentences
    )
    assert "100% of colours and 0% of kinds" in headline(findings)
