"""Recorded play from the disk is recorded play from memory, to the last bit, and never more than a bound of it."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.acting import encode_observations
from agents.batch import RecordedWindow
from agents.columns import action_columns, observation_columns
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from pipelines.stages.episodes.recordings import RecordedPlay, find_episodes, spoken_texts
from rlhf.data.config import ReadingConfig
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.data.source import Source, summarise
from rlhf.data.streamed import StreamedDataset
from rlhf.data.windows import ReadAhead
from rlhf.learning.cloner import marginal_entropy
from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import MemoryStore, ParquetStore, open_store
from rlhf.store.columns.compressed import compress
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, ENTITIES, GREY, GRID, SPACES
from worlds.errors import UserError
from worlds.spaces.description import to_json

LENGTHS = [3, 5, 1, 9, 7, 2, 6]
SIZES = AgentConfig(image_size=(12, 16), vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4)


def played(number: int, steps: int, height: int = 12, width: int = 16) -> Episode:
    """Every third by an agent, of those every other with a co-pilot's help; the others scripted."""
    episode = synthetic_episode(number, steps, height, width)
    alone = replace(episode, controller=np.zeros(steps, np.uint8))
    return (episode if number % 2 else alone) if number % 3 == 0 else replace(alone, solver="scripted")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
    made = open_store(tmp_path_factory.mktemp("streamed") / "data", create=True)
    for number, steps in enumerate(LENGTHS):
        made.write(played(number, steps))
    return made


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["please lift the duck", "done"], 280)


def sources(store: Any, scripted: bool = False) -> list[Source]:
    rows = store.rows(solver="scripted") if scripted else store.rows()
    return [Source(store, row.episode_id, row.steps) for row in rows]


def streamed(store: Any, tokenizer: Tokenizer, scripted: bool = False, **reading: Any) -> StreamedDataset:
    found = sources(store, scripted)
    return StreamedDataset(found, summarise(found), tokenizer, SIZES, ReadingConfig(**reading))


def in_memory(store: Any, tokenizer: Tokenizer, scripted: bool = False) -> MemoryDataset:
    return encode_episodes([store.read(s.episode_id) for s in sources(store, scripted)], tokenizer, SIZES)


def tensors(window: RecordedWindow) -> Iterator[torch.Tensor]:
    yield from (part for part in window.observations if part is not None)
    yield from (*window.actions, window.resets)
    if window.demonstrated is not None:
        yield window.demonstrated


def same(one: RecordedWindow, other: RecordedWindow) -> bool:
    pairs = list(zip(tensors(one), tensors(other), strict=True))
    return all(a.dtype == b.dtype and torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("scripted", [True, False], ids=["all-demonstrated", "some"])
@pytest.mark.parametrize("cache_gb", [0.0, 2e-6, 1.0], ids=["no-cache", "small-cache", "large-cache"])
@pytest.mark.parametrize(("steps", "batch"), [(1, 3), (4, 2), (20, 5)])
def test_windows_are_those_of_play_in_memory(
    store: ParquetStore, tokenizer: Tokenizer, scripted: bool, cache_gb: float, steps: int, batch: int
) -> None:
    memory = in_memory(store, tokenizer, scripted).stream(steps, batch, seed=3)
    disk = streamed(store, tokenizer, scripted, cache_gb=cache_gb, threads=3).stream(steps, batch, seed=3)
    assert isinstance(disk, ReadAhead) and not isinstance(memory, ReadAhead)
    for _ in range(8):
        expected, found = memory.next(), disk.next()
        assert (expected.demonstrated is None) == scripted and same(expected, found)
        assert memory.state_dict() == disk.state_dict()  # whatever is being made ahead


@pytest.mark.parametrize("columns", [slice(0, 2), slice(2, 4), slice(1, 1)])
def test_columns_are_those_of_play_in_memory(store: ParquetStore, tokenizer: Tokenizer, columns: slice) -> None:
    memory = in_memory(store, tokenizer).stream(5, 4, seed=3, columns=columns)
    disk = streamed(store, tokenizer).stream(5, 4, seed=3, columns=columns)
    for _ in range(6):
        expected, found = memory.next(), disk.next()
        assert expected.resets.shape[1] == columns.stop - columns.start and same(expected, found)
        assert memory.state_dict() == disk.state_dict()


def test_either_resumes_from_the_state_of_the_other(store: ParquetStore, tokenizer: Tokenizer) -> None:
    disk, memory = streamed(store, tokenizer), in_memory(store, tokenizer)
    stream = disk.stream(4, 3, seed=0)
    for _ in range(5):
        stream.next()
    state = json.loads(json.dumps(stream.state_dict()))
    expected = [stream.next() for _ in range(6)]
    for other in (memory.stream(4, 3, seed=9), disk.stream(4, 3, seed=9)):
        other.next()  # something is made ahead already
        other.load_state_dict(state)
        assert all(same(window, other.next()) for window in expected)


def test_windows_are_the_same_while_episodes_are_gathered_in_large_files(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number, steps in enumerate(LENGTHS):
        store.write(played(number, steps))
    expected = in_memory(store, tokenizer).stream(4, 2, seed=0)
    stream = streamed(store, tokenizer, cache_gb=0.0).stream(4, 2, seed=0)
    for draw in range(12):
        if draw in (2, 6):
            open_store(store.folder).compact(0.01 if draw == 2 else 128)
        assert same(stream.next(), expected.next())
    assert len(list((store.folder / "steps").iterdir())) == 1


def test_the_summaries_are_the_same(store: ParquetStore, tokenizer: Tokenizer) -> None:
    disk, memory = streamed(store, tokenizer), in_memory(store, tokenizer)
    assert 0 < disk.steps_demonstrated == memory.steps_demonstrated < sum(LENGTHS)
    assert (disk.movement_counts() == memory.movement_counts()).all()
    assert marginal_entropy(disk) == marginal_entropy(memory)
    assert disk.lengths.tolist() == memory.lengths.tolist() == LENGTHS and len(disk) == len(memory)
    episodes = [store.read(source.episode_id) for source in sources(store)]
    assert summarise(sources(store)).texts == spoken_texts(episodes) != set()


def test_stores_give_compressed_episodes_alike(store: ParquetStore) -> None:
    memory = MemoryStore()
    for episode_id in store.ids():
        memory.write(store.read(episode_id))
        one, other = store.read_compressed(episode_id), memory.read_compressed(episode_id)
        assert one.frames == other.frames == compress(store.read(episode_id)).frames
        assert (one.movement == other.movement).all() and (one.controller == other.controller).all()
        assert [getattr(one, name) for name in ("episode_id", "solver", "setter_text", "utterance")] == [
            getattr(other, name) for name in ("episode_id", "solver", "setter_text", "utterance")
        ]


def test_memory_stays_within_its_bound(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number in range(24):
        store.write(played(number, 60, 36, 48))
    sizes = replace_sizes(36, 48)
    found = sources(store)
    decoded = sum(source.steps for source in found) * 36 * 48 * 3
    reading = ReadingConfig(cache_gb=5e5 / 1e9, threads=2, ahead=2)
    recorded = StreamedDataset(found, summarise(found), tokenizer, sizes, reading)
    stream = recorded.stream(4, 4, seed=0)
    stream.next()
    tracemalloc.start()
    kept = []
    for _ in range(200):
        stream.next()
        kept.append(recorded.bytes_kept)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 2e5 < max(kept) <= 5e5 + 2 * 6e4  # and what two threads have just read
    assert peak < decoded / 3, f"{peak} bytes at most, {decoded} decoded"


def replace_sizes(height: int, width: int) -> AgentConfig:
    return AgentConfig(
        image_size=(height, width), vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4
    )


def test_a_damaged_episode_is_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number, steps in enumerate(LENGTHS):
        store.write(played(number, steps))
    stream = streamed(store, tokenizer, cache_gb=0.0).stream(2, 2, seed=0)
    for path in (tmp_path / "data" / "steps").iterdir():
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 3] ^= 1
        path.write_bytes(damaged)
    with pytest.raises(UserError, match=r"synthetic-\d+.parquet is damaged .* `rlhf episodes drop`"):
        for _ in range(10):
            stream.next()
    with pytest.raises(UserError, match="is damaged"):
        summarise(sources(store))


def test_images_of_another_size_are_named(store: ParquetStore, tmp_path: Path, tokenizer: Tokenizer) -> None:
    large = open_store(tmp_path / "large", create=True)
    large.write(replace(played(1, 4, 24, 32), episode_id="large"))
    found = [*sources(large), *sources(store)]
    recorded = StreamedDataset(found, summarise(found), tokenizer, SIZES, ReadingConfig())
    with pytest.raises(UserError, match="episode large has images of 24x32 pixels, the agent needs 12x16"):
        recorded.window(np.arange(4)[:, None])


@pytest.mark.parametrize(("in_memory_gb", "streams"), [(None, False), (1.0, False), (0.0, True), (2e-5, True)])
def test_play_that_is_too_large_is_streamed(store: ParquetStore, in_memory_gb: float | None, streams: bool) -> None:
    play = RecordedPlay(find_episodes([store.folder]), ReadingConfig(in_memory_gb=in_memory_gb))
    assert play.streamed == streams and play.image_size == (12, 16)
    assert sum(LENGTHS) * 12 * 16 * 3 < play.size < 2 * sum(LENGTHS) * 12 * 16 * 3


@pytest.mark.parametrize("wrong", [{"in_memory_gb": -1.0}, {"cache_gb": float("nan")}, {"threads": 0}, {"ahead": 0}])
def test_impossible_reading_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ReadingConfig(**wrong)


def test_an_agent_cloned_from_a_stream_is_the_same_agent(store: ParquetStore, tmp_path: Path) -> None:
    words = ["clone", f"--data={store.folder}", "--solver=None", f"--runs={tmp_path}", "--wandb=disabled"]
    words += ["--training.updates=6", "--training.steps=3", "--training.batch=2", "--training.evaluate-every=3"]
    words += ["--held-out=0.3", "--training.log-every=1"]
    torch.set_num_threads(1)
    assert main([*words, "--name=memory"]) == main([*words, "--name=disk", "--reading.in-memory-gb=0"]) == 0
    for name in ("model.safetensors", "tokenizer.json"):
        one, other = ((tmp_path / run / "agent" / name).read_bytes() for run in ("memory", "disk"))
        assert one == other
    rows = [
        [
            {k: v for k, v in json.loads(line).items() if k != "time" and "per_second" not in k}
            for line in (tmp_path / run / "metrics.jsonl").read_text().splitlines()
        ]
        for run in ("memory", "disk")
    ]
    assert rows[0] == rows[1] and any("bc_held_out/css" in row for row in rows[0])


def test_the_recording_has_all_kinds_of_play(store: ParquetStore) -> None:
    episodes = [store.read(episode_id) for episode_id in store.ids()]
    assert {episode.solver for episode in episodes} == {"scripted", "agent:synthetic"}
    assert any((episode.controller == CO_PILOT).any() for episode in episodes)


# Declared spaces


def config_of(spaces: EpisodeSpaces, **sizes: int) -> AgentConfig:
    about = to_json(spaces.solver) if not spaces.of_the_playhouse else None
    texts = {"setter_text_length": 6, "solver_text_length": 3, "utterance_length": 4}
    return AgentConfig(spaces=about, image_size=spaces.image_size or (0, 0), vocab_size=280, **texts, **sizes)


def store_of(spaces: EpisodeSpaces, folder: Path) -> ParquetStore:
    """Every third episode is an agent's own until a co-pilot takes over, the others are scripted."""
    made = open_store(folder, create=True)
    for number, steps in enumerate(LENGTHS):
        episode = synthetic_play(number, spaces, steps)
        made.write(episode if number % 3 == 0 else replace(episode, solver="scripted"))
    return made


@pytest.mark.parametrize("name", SPACES)
def test_windows_of_declared_spaces_are_those_of_play_in_memory(
    name: str, tmp_path: Path, tokenizer: Tokenizer
) -> None:
    store, config = store_of(SPACES[name], tmp_path / "data"), config_of(SPACES[name])
    found = sources(store)
    episodes = [store.read(source.episode_id) for source in found]
    memory = encode_episodes(episodes, tokenizer, config)
    disk = StreamedDataset(found, summarise(found), tokenizer, config, ReadingConfig(cache_gb=2e-6, threads=2))
    expected, streamed_ = memory.stream(4, 3, seed=3), disk.stream(4, 3, seed=3)
    columns = observation_columns(config) | action_columns(config)
    for _ in range(5):
        window = expected.next()
        assert same(window, streamed_.next()) and window.demonstrated is not None
        parts = window.observations._asdict() | window.actions._asdict()
        assert {part for part, tensor in parts.items() if tensor is not None} == set(columns)
        for part, (dtype, tail) in columns.items():
            assert parts[part].shape == (4, 3, *tail) and parts[part].numpy().dtype == dtype, part
    assert (disk.movement_counts() == memory.movement_counts()).all()
    assert memory.movement_counts().shape == (*columns["movement"][1], max(config.columns.counts, default=1))
    assert disk.steps_demonstrated == memory.steps_demonstrated == sum(int(e.demonstrated().sum()) for e in episodes)
    assert summarise(found).texts == spoken_texts(episodes)
    play = RecordedPlay(found, ReadingConfig())
    assert play.spaces == SPACES[name] and play.image_size == config.image_size
    assert same(play.encode(tokenizer, config).stream(4, 3, seed=3).next(), memory.stream(4, 3, seed=3).next())


@pytest.mark.parametrize("name", SPACES)
def test_recorded_steps_are_encoded_as_they_were_in_play(name: str, tokenizer: Tokenizer) -> None:
    spaces, config = SPACES[name], config_of(SPACES[name])
    episode = synthetic_play(5, spaces, 6)
    recorded, _ = encode_episodes([episode], tokenizer, config).gather(np.arange(6)[None])
    played = encode_observations(observations_of(episode), tokenizer, config)
    assert all(
        (one is None) == (other is None) and (one is None or (one.dtype == other.dtype and torch.equal(one, other)))
        for one, other in zip(recorded, played, strict=True)
    )


def observations_of(episode: Episode) -> list[dict[str, Any]]:
    """What the solver observed at every step, as the world gave it."""
    ends = np.cumsum(episode.seen.get("entity_counts", np.zeros(len(episode), np.int32)))
    found = []
    for step in range(len(episode)):
        seen: dict[str, Any] = {"setter_text": episode.setter_text[step], "solver_text": episode.solver_text[step]}
        seen |= {name: texts[step] for name, texts in episode.texts.items()}
        if episode.image is not None:
            seen["image"] = episode.image[step]
        for name in episode.seen.keys() & {"grid", "vector", "legal"}:
            seen[name] = episode.seen[name][step]
        for name in episode.seen.keys() & {"entity_categories", "entity_values"}:
            seen[name] = episode.seen[name][ends[step] - episode.seen["entity_counts"][step] : ends[step]]
        seen["previous_movement"] = episode.previous_movement()[step]
        if (before := episode.previous_continuous()) is not None:
            seen["previous_continuous"] = before[step]
        found.append(seen)
    return found


def test_what_a_world_rules_out_is_not_imitated(tokenizer: Tokenizer) -> None:
    episode = replace(synthetic_play(3, ENTITIES, 5), solver="scripted")
    verb, thing = episode.movement[2, 1].tolist()
    assert episode.demonstrated()[1:].all()
    for place in (verb, 4 + thing):
        legal = episode.seen["legal"].copy()
        legal[2] = True
        legal[2, place] = False
        changed = replace(episode, seen={**episode.seen, "legal": legal})
        encoded = encode_episodes([changed], tokenizer, config_of(ENTITIES))
        assert not encoded.demonstrated[2] and encoded.demonstrated[3:].all()


@pytest.mark.parametrize(
    ("played", "agent", "message"),
    [
        (GRID, CONTINUOUS, "observation.grid: the agent has none, the episode grid"),
        (SPACES["playhouse"], GRID, "observation.image: the agent has none, the episode image"),
        (GREY, SPACES["playhouse"], "observation.image.channels: the agent has 3, the episode 1"),
    ],
)
def test_episodes_of_other_spaces_are_named(
    played: EpisodeSpaces, agent: EpisodeSpaces, message: str, tmp_path: Path, tokenizer: Tokenizer
) -> None:
    store, config = open_store(tmp_path / "data", create=True), config_of(agent)
    store.write(synthetic_play(1, played, 4, "e1"))
    expected = re.escape(f"episode e1 has other spaces than the agent ({message})")
    with pytest.raises(UserError, match=expected):
        encode_episodes([store.read("e1")], tokenizer, config)
    found = sources(store)
    disk = StreamedDataset(found, summarise(found), tokenizer, config, ReadingConfig())
    with pytest.raises(UserError, match=expected):
        disk.window(np.arange(4)[:, None])


def test_episodes_of_several_spaces_are_not_summarised(tmp_path: Path) -> None:
    found = []
    for name in ("grid", "continuous"):
        store = open_store(tmp_path / name, create=True)
        store.write(synthetic_play(1, SPACES[name], 4, name))
        found += sources(store)
    message = "episode continuous has other spaces than episode grid (solver.observation.grid: episode grid has grid, "
    with pytest.raises(UserError, match=re.escape(message)):
        summarise(found)


def test_counts_are_those_of_the_agents_own_bins(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = store_of(CONTINUOUS, tmp_path / "data")
    found, config = sources(store), config_of(CONTINUOUS, continuous_bins=5)
    memory = encode_episodes([store.read(source.episode_id) for source in found], tokenizer, config)
    disk = StreamedDataset(found, summarise(found), tokenizer, config, ReadingConfig())
    assert disk.movement_counts().shape == (1, 28, 5) and (disk.movement_counts() == memory.movement_counts()).all()
    assert disk.movement_counts().sum() == 28 * disk.steps_demonstrated
