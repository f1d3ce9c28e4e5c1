"""Recorded play from the disk is recorded play from memory, to the last bit, and never more than a bound of it."""

from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.batch import action_columns, observation_columns
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import RecordedPlay, spoken_texts
from rlhf.data.config import ReadingConfig
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.data.source import Source, summarise
from rlhf.data.streamed import StreamedDataset
from rlhf.data.windows import ReadAhead
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.data.same_windows import same
from tests.unit.rlhf.declared_spaces import CONTINUOUS, ENTITIES, GREY, GRID, SPACES
from worlds.errors import UserError
from worlds.spaces.description import to_json

LENGTHS = [3, 5, 1, 9, 7, 2, 6]
TEXTS: dict[str, Any] = dict(vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4)
SIZES = AgentConfig(image_size=(12, 16), **TEXTS)


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


def test_memory_stays_within_its_bound(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number in range(24):
        store.write(played(number, 60, 36, 48))
    sizes = AgentConfig(image_size=(36, 48), **TEXTS)
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


# Declared spaces


def config_of(spaces: EpisodeSpaces) -> AgentConfig:
    return AgentConfig(spaces=to_json(spaces.solver), **TEXTS)


def store_of(spaces: EpisodeSpaces, folder: Path) -> ParquetStore:
    """Every third episode is an agent's own until a co-pilot takes over, the others are scripted."""
    made = open_store(folder, create=True)
    for number, steps in enumerate(LENGTHS):
        episode = synthetic_play(number, spaces, steps)
        made.write(episode if number % 3 == 0 else replace(episode, solver="scripted"))
    return made


@pytest.mark.parametrize(
    ("name", "cache_gb", "scripted", "steps", "batch"),
    [
        *((name, 2e-6, False, 4, 3) for name in SPACES),
        ("playhouse", 0.0, True, 1, 3),
        ("playhouse", 0.0, False, 20, 5),
        ("grid", 1.0, False, 20, 5),
    ],
)
def test_windows_are_those_of_play_in_memory(
    name: str, cache_gb: float, scripted: bool, steps: int, batch: int, tmp_path: Path, tokenizer: Tokenizer
) -> None:
    store, config = store_of(SPACES[name], tmp_path / "data"), config_of(SPACES[name])
    found = sources(store, scripted)
    episodes = [store.read(source.episode_id) for source in found]
    memory = encode_episodes(episodes, tokenizer, config)
    disk = StreamedDataset(found, summarise(found), tokenizer, config, ReadingConfig(cache_gb=cache_gb, threads=3))
    expected, streamed_ = memory.stream(steps, batch, seed=3), disk.stream(steps, batch, seed=3)
    assert isinstance(streamed_, ReadAhead) and not isinstance(expected, ReadAhead)
    columns = observation_columns(config) | action_columns(config)
    for _ in range(6):
        window = expected.next()
        assert same(window, streamed_.next()) and (window.demonstrated is None) == scripted
        assert expected.state_dict() == streamed_.state_dict()  # whatever is being made ahead
        parts = window.observations._asdict() | window.actions._asdict()
        assert {part for part, tensor in parts.items() if tensor is not None} == set(columns)
        for part, (dtype, tail) in columns.items():
            assert parts[part].shape == (steps, batch, *tail) and parts[part].numpy().dtype == dtype, part
    assert (disk.movement_counts() == memory.movement_counts()).all()
    assert memory.movement_counts().shape == (*columns["movement"][1], max(config.columns.counts, default=1))
    assert disk.steps_demonstrated == memory.steps_demonstrated == sum(int(e.demonstrated().sum()) for e in episodes)
    assert summarise(found).texts == spoken_texts(episodes)
    play = RecordedPlay(found, ReadingConfig())
    assert play.spaces == SPACES[name] and play.image_size == config.image_size
    assert same(play.encode(tokenizer, config).stream(4, 3, seed=3).next(), memory.stream(4, 3, seed=3).next())


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
