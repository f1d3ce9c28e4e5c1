"""Plans of `rlhf record`: world configuration, requests and players of every episode, by its number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.language_models.folder import is_language_model, load_language_model
from pipelines.stages.record_config import SCRIPTED, RecordConfig
from rlhf.replay.co_pilot import ScriptedCoPilot
from rlhf.replay.play import Plan
from rlhf.replay.setter_replay import RecordedSetter
from rlhf.run.place_seeds import place_seed
from rlhf.store import open_store
from rlhf.store.columns.json_text import to_json
from worlds.errors import UserError

RECORDED_WITH = "recorded_with"  # in an episode's notes: the fingerprint of the settings it was recorded with


@dataclass(frozen=True)
class RecordingPlans:
    """Plans of the episodes of one recording. The same number always gives the same house and requests."""

    config: RecordConfig
    settings: str  # the fingerprint
    replayed: tuple[str, ...] = ()  # episodes whose setters ask, by number; empty where they are scripted

    @property
    def split(self) -> str:
        """Split of all episodes."""
        return self.config.split or "train"

    def episode_id(self, number: int) -> str:
        """Return the id of the episode of this number."""
        player = solver_name(self.config).replace(":", "-").replace("+", "-")
        if self.replayed:
            return f"{player}-of-{self.replayed[number]}"
        return f"{player}-{self.split}-{_place_seed(self.config, number):09d}"

    def of(self, numbers: Sequence[int]) -> Iterator[Plan]:
        """Yield the plans of ``numbers``, in their order."""
        notes = {RECORDED_WITH: self.settings} | self.config.world.note()
        if self.config.shared_control:
            notes["co_pilot"] = ScriptedCoPilot.name
        yield from self._replayed(numbers, notes) if self.replayed else self._scripted(numbers, notes)

    def _scripted(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config, entry = self.config, self.config.world.entry()
        settings = config.players.setter_settings()
        for number in numbers:
            seed = _place_seed(config, number)
            yield Plan(
                episode_id=self.episode_id(number),
                config=config.world.sample_config(seed),
                setter=entry.make_setter(tasks=config.players.weights(entry), split=self.split, **settings),
                seed=seed,
                steps=config.steps,
                split=self.split,
                tail=config.tail,
                notes=notes,
                co_pilot=make_co_pilot(config),
            )

    def _replayed(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config = self.config
        assert config.setters is not None
        store = open_store(config.setters)
        for number, episode in zip(numbers, store.stream(self.replayed[n] for n in numbers), strict=True):
            yield Plan(
                episode_id=self.episode_id(number),
                config=episode.config,
                setter=RecordedSetter(episode),
                seed=episode.seed,
                steps=min(config.steps, len(episode)),
                split=self.split,
                tail=config.tail,
                notes=notes,
                co_pilot=make_co_pilot(config),
                setter_name=f"replay:{episode.episode_id}",
            )


def settings_fingerprint(config: RecordConfig) -> str:
    """Return a digest of all settings that decide what is played, the agent's weights included."""
    played: dict[str, Any] = {
        "world": config.world.by_name(),
        "players": config.players,
        "steps": config.steps,
        "tail": config.tail,
    }
    if config.setters is not None:
        played["setters"] = "recorded"  # episodes' ids name them
    if config.shared_control:
        played["co_pilot"] = config.co_pilot
    weights = b""
    if config.solver != SCRIPTED:
        path = Path(config.solver) / "model.safetensors"
        weights = path.read_bytes() if path.is_file() else b""
        if is_language_model(config.solver):
            weights = load_language_model(config.solver).digest().encode()
    return hashlib.sha256(to_json(played).encode() + weights).hexdigest()[:16]


def recorded_setters(config: RecordConfig) -> tuple[str, ...]:
    """Return the ids of the episodes whose setters are replayed; none if setters are scripted.

    Raises:
      UserError: if the dataset is of another world, or has fewer episodes than are wanted.
    """
    if config.setters is None:
        return ()
    store = open_store(config.setters)
    ids = sorted(store.ids(split=config.split))
    if len(ids) < config.episodes:
        raise UserError(
            f"{config.setters} has {len(ids)} episodes of the split {config.split}, so no setters for "
            f"{config.episodes}; record fewer, or name another dataset"
        )
    if store.description.world != (name := config.world.entry().name):
        raise UserError(f"{config.setters} is of the world {store.description.world}, not of {name}")
    order = np.random.default_rng(config.seed).permutation(len(ids))
    return tuple(ids[index] for index in order[: config.episodes])


def make_co_pilot(config: RecordConfig) -> ScriptedCoPilot | None:
    """Create a co-pilot; None if the recording has none."""
    if not config.shared_control:
        return None
    return ScriptedCoPilot(config.world.entry().make_solver(**config.players.solver_settings()), config.co_pilot)


def solver_name(config: RecordConfig) -> str:
    """Return the name of the solver in recordings."""
    if config.solver == SCRIPTED:
        return SCRIPTED
    folder = Path(config.solver).resolve()
    agent = f"agent:{config.name or (folder if is_language_model(folder) else folder.parent).name}"
    return f"{agent}+{ScriptedCoPilot.name}" if config.shared_control else agent


def _place_seed(config: RecordConfig, number: int) -> int:
    return place_seed(config.seed, number, held_out=config.split == "held_out")
