"""Plans of `rlhf record`: world configuration, requests and players of every episode, by its number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.language_models import is_language_model
from agents.language_models.folder import load_language_model
from agents.roles import AGENT_PREFIX
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.solvers import prompt_notes
from rlhf.records.episode import SCRIPTED
from rlhf.replay.co_pilot import ScriptedCoPilot
from rlhf.replay.learned_setter import LearnedSetter
from rlhf.replay.play import Plan
from rlhf.replay.setter_replay import RecordedSetter
from rlhf.replay.setter_side import prompt_of
from rlhf.run.place_seeds import place_seed
from rlhf.store import open_store
from rlhf.store.columns.json_text import to_json
from worlds.contract import Setter
from worlds.errors import UserError

RECORDED_WITH = "recorded_with"  # in an episode's notes: the fingerprint of the settings it was recorded with


@dataclass(frozen=True)
class RecordingPlans:
    """Plans of the episodes of one recording. The same number always gives the same house and requests."""

    config: RecordConfig
    settings: str  # the fingerprint
    replayed: tuple[str, ...] = ()  # episodes whose setters ask, by number; empty where others do
    prompted: bool = False  # an agent asks, and is given prompts
    first: int = 0  # number of the first episode among those of its seed

    @property
    def split(self) -> str:
        """Split of all episodes."""
        return self.config.split or "train"

    def episode_id(self, number: int) -> str:
        """Return the id of the episode of this number."""
        player = solver_name(self.config).replace(":", "-").replace("+", "-")
        if self.replayed:
            return f"{player}-of-{self.replayed[number]}"
        if self.config.setter_agent is not None:
            player = f"{player}-for-{setter_name(self.config).replace(':', '-')}"
        return f"{player}-{self.split}-{self._place_seed(number):09d}"

    def _place_seed(self, number: int) -> int:
        return place_seed(self.config.seed, self.first + number, held_out=self.config.split == "held_out")

    def of(self, numbers: Sequence[int]) -> Iterator[Plan]:
        """Yield the plans of ``numbers``, in their order."""
        notes = {RECORDED_WITH: self.settings} | self.config.world.note()
        if self.config.shared_control:
            notes["co_pilot"] = ScriptedCoPilot.name
        yield from self._replayed(numbers, notes) if self.replayed else self._scripted(numbers, notes)

    def _scripted(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config = self.config
        for number in numbers:
            seed = self._place_seed(number)
            setter, more = self._setter(seed)
            yield Plan(
                episode_id=self.episode_id(number),
                config=config.world.sample_config(seed),
                setter=setter,
                seed=seed,
                steps=config.steps,
                split=self.split,
                tail=config.tail,
                notes={**notes, **more},
                co_pilot=make_co_pilot(config),
            )

    def _setter(self, seed: int) -> tuple[Setter, Mapping[str, Any]]:
        """Return the setter of the place of a seed, scripted or an agent, and further notes of its episode."""
        config, entry = self.config, self.config.world.entry()
        if config.setter_agent is None:
            settings = config.players.setter_settings()
            return entry.make_setter(tasks=config.players.weights(entry), split=self.split, **settings), {}
        if not self.prompted:
            return LearnedSetter(entry), {}
        prompt = prompt_notes(seed)
        return LearnedSetter(entry, prompt_of(prompt)), prompt

    def _replayed(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config = self.config
        assert config.recorded_setters is not None
        store = open_store(config.recorded_setters)
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
    if config.recorded_setters is not None:
        played["setters"] = "recorded"  # episodes' ids name them
    if config.shared_control:
        played["co_pilot"] = config.co_pilot
    if config.greedy_words:  # recordings without keep their fingerprints
        played["greedy_words"] = True
    weights = b""
    if config.setter_agent is not None:
        played["setters"] = hashlib.sha256(_weights(config.setter_agent)).hexdigest()
    if config.solver != SCRIPTED:
        weights = _weights(config.solver)
        if is_language_model(config.solver):
            weights = load_language_model(config.solver).digest().encode()
    return hashlib.sha256(to_json(played).encode() + weights).hexdigest()[:16]


def _weights(folder: str) -> bytes:
    path = Path(folder) / "model.safetensors"
    return path.read_bytes() if path.is_file() else b""


def recorded_setters(config: RecordConfig) -> tuple[str, ...]:
    """Return the ids of the episodes whose setters are replayed; none if others ask.

    Raises:
      UserError: if the dataset is of another world, or has fewer episodes than are wanted.
    """
    if config.recorded_setters is None:
        return ()
    store = open_store(config.recorded_setters)
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


def setter_name(config: RecordConfig) -> str:
    """Return the name of the setters in recordings, of those that are not replayed."""
    folder = config.setter_agent
    return SCRIPTED if folder is None else f"{AGENT_PREFIX}{Path(folder).resolve().parent.name}"
