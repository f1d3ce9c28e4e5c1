"""Training of the four policies, one after the other, in files from which it is resumed to the bit.

What is practised begins anew after every checkpoint, from the seed and the number of the update. So a checkpoint needs
no state of homes, and a training that was interrupted ends with the same weights as one that was not.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.torch
import torch

from experiments.watch_and_help.policies import choosing, handling
from experiments.watch_and_help.policies.errand import CANDIDATES, Option
from experiments.watch_and_help.policies.handling import Place, Practitioner, practise
from experiments.watch_and_help.policies.learning import Decisions, LearningSettings, imitate, learn, make_optimizer
from experiments.watch_and_help.policies.network import CandidatePolicy, PolicyConfig, View, stack
from experiments.watch_and_help.policies.players import Policies
from pipelines.stages.training import train_in
from rlhf.learning.config import Schedule
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

PolicyName = Literal["grab", "put", "high", "cloned"]
STAGES: tuple[PolicyName, ...] = ("grab", "put", "high", "cloned")
WEIGHTS, CONFIG = "model.safetensors", "config.json"
_SHOWN = ("episodes", "successes", "steps", "reward", "choices")  # beside the progress


@dataclass(frozen=True)
class PolicySettings:
    """Settings of the training of all policies.

    Args:
      updates: of each policy.
      checkpoint_every: updates between checkpoints, after which practice begins anew.
      network: size of the policies.
      learning: of all.
      practice: of the policies for actions.
      helping: of the policies for predicates.
    """

    updates: Mapping[str, int] = field(default_factory=lambda: {"grab": 300, "put": 300, "high": 240, "cloned": 60})
    checkpoint_every: int = 20
    network: PolicyConfig = field(default_factory=PolicyConfig)
    learning: LearningSettings = field(default_factory=LearningSettings)
    practice: handling.Practice = field(default_factory=handling.Practice)
    helping: choosing.HelpPractice = field(default_factory=choosing.HelpPractice)


def stage_folder(folder: Path, seed: int, stage: PolicyName) -> Path:
    """Return the folder of one policy."""
    return folder / "policies" / f"seed-{seed}" / stage


def make_policy(stage: PolicyName, config: PolicyConfig) -> CandidatePolicy:
    """Return a new policy of a stage, with weights from torch's random numbers."""
    if stage in ("high", "cloned"):
        return CandidatePolicy(config, choosing.GOALS, 1)
    return CandidatePolicy(config, CANDIDATES, len(Option))


class Practising:
    """A policy that learns by practice (:class:`rlhf.learning.training.Trainable`).

    Practice begins anew after every checkpoint, so that a checkpoint needs no state of homes.

    Args:
      grabbing: policy of the first phase, which the second needs.
    """

    counted: Mapping[str, float] = {}

    def __init__(
        self, stage: PolicyName, seed: int, settings: PolicySettings, grabbing: CandidatePolicy | None = None
    ) -> None:
        self._stage, self._seed, self._settings, self._grabbing = stage, seed, settings, grabbing
        torch.manual_seed(seed * len(STAGES) + STAGES.index(stage))
        self.model = make_policy(stage, settings.network)
        self._optimizer = make_optimizer(self.model, settings.learning)
        self.done, self._seconds = 0, 0.0
        self._persons: list[Practitioner] = []

    def update(self, progress: float) -> dict[str, float]:
        began = time.process_time()
        rng = np.random.default_rng([self._seed, STAGES.index(self._stage), self.done])
        measured, metrics = self._one_update(rng, self.done % self._settings.checkpoint_every == 0, progress)
        self.done += 1
        self._seconds += time.process_time() - began
        return {**measured, **metrics, "cpu_seconds": self._seconds}

    def evaluate(self) -> dict[str, float]:
        return {}

    def score(self, metrics: Mapping[str, float]) -> None:
        return None

    def note(self, metrics: Mapping[str, float]) -> str:
        return ", ".join(f"{name} {metrics[name]:.2f}" for name in _SHOWN if name in metrics)

    def state_dict(self) -> dict[str, Any]:
        return {"optimizer": self._optimizer.state_dict(), "done": self.done, "seconds": self._seconds}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._optimizer.load_state_dict(state["optimizer"])
        self.done, self._seconds = state["done"], state["seconds"]

    def _one_update(
        self, rng: np.random.Generator, anew: bool, progress: float
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Make an update, and return metrics of the play and of the loss."""
        learning = self._settings.learning
        if self._stage == "cloned":
            view, chosen, measured = self._watch(rng)
            return measured, imitate(self.model, self._optimizer, view, chosen, learning, self.done, progress)
        decisions, measured = self._practise(rng, anew)
        return measured, learn(self.model, self._optimizer, decisions, learning, self.done, progress)

    def _practise(self, rng: np.random.Generator, anew: bool) -> tuple[Decisions, dict[str, float]]:
        """Return the decisions of an update, and what came of the episodes that ended meanwhile."""
        if self._stage == "high":
            return self._help(rng)
        settings = self._settings.practice
        if anew or not self._persons:
            places = [Place.training(number) for number in range(settings.places)]
            phase: handling.Phase = "grab" if self._stage == "grab" else "put"
            self._persons = [Practitioner(places, phase, settings, each) for each in rng.spawn(settings.persons)]
        decisions = practise(self.model, self._persons, settings, rng, self._grabbing)
        ended = [episode for one in self._persons for episode in one.finished]
        for one in self._persons:
            one.finished.clear()
        success = sum(done for done, _ in ended)
        return decisions, {"episodes": len(ended), "successes": success, "steps": sum(steps for _, steps in ended)}

    def _help(self, rng: np.random.Generator) -> tuple[Decisions, dict[str, float]]:
        settings = self._settings.helping
        with_alice = self.done >= settings.alone_share * self._settings.updates[self._stage]
        outcomes = []
        for _ in range(settings.episodes):
            where = Place.training(int(rng.integers(settings.places)))
            seed = int(rng.integers(2**30))
            outcomes.append(choosing.help_once(self.model, where, seed, with_alice, settings))
        measured = {
            "episodes": len(outcomes),
            "successes": sum(each.success for each in outcomes),
            "steps": sum(each.steps for each in outcomes),
            "reward": float(np.mean([each.reward for each in outcomes])),
            "with_alice": float(with_alice),
        }
        return choosing.decisions_of(outcomes), measured

    def _watch(self, rng: np.random.Generator) -> tuple[View, np.ndarray, dict[str, float]]:
        """Return what a planner chose in as many episodes as an update has, alone and beside Alice in turns."""
        settings = self._settings.helping
        shown: list[choosing.Choice] = []
        for number in range(settings.episodes):
            where = Place.training(int(rng.integers(settings.places)))
            shown += choosing.shown_choices(where, int(rng.integers(2**30)), number % 2 == 1)
        view = stack([one.view for one in shown])
        return view, np.array([one.chosen for one in shown]), {"episodes": settings.episodes, "choices": len(shown)}


def train_policy(
    folder: Path, stage: PolicyName, seed: int, settings: PolicySettings, grabbing: CandidatePolicy | None = None
) -> CandidatePolicy:
    """Train one policy in its folder (:func:`stage_folder`), or resume its training, and return it.

    Raises:
      UserError: the folder has a training with other settings.
    """
    described = json.loads(json.dumps(_described(stage, settings)))
    config = folder / CONFIG
    if config.is_file() and json.loads(config.read_bytes()) != described:
        raise UserError(f"{folder} was trained with other settings: move it away, or use another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_file(config, (json.dumps(described, indent=1) + "\n").encode())
    practising = Practising(stage, seed, settings, grabbing)
    policy = practising.model

    def save(into: Path) -> None:
        into.mkdir(parents=True, exist_ok=True)
        write_file(into / WEIGHTS, safetensors.torch.save(policy.state_dict()))

    schedule = Schedule(settings.updates[stage], log_every=1, evaluate_every=settings.updates[stage])
    every, title = settings.checkpoint_every, f"policy {stage}, seed {seed}"
    train_in(folder, practising, schedule, save, every, title, between_checkpoints=False)
    save(folder)
    return policy.eval()


def _described(stage: PolicyName, settings: PolicySettings) -> dict[str, Any]:
    """Return the settings that a policy depends on."""
    described = asdict(settings) | {"updates": settings.updates[stage], "stage": stage}
    described.pop("practice" if stage in ("high", "cloned") else "helping")
    return described


def train(
    folder: Path, seed: int, settings: PolicySettings, on_stage: Callable[[PolicyName], None] = lambda stage: None
) -> Policies:
    """Train all policies of a seed, or what is missing of them.

    Args:
      on_stage: called with the name of each policy that is complete.
    """
    trained: dict[str, CandidatePolicy] = {}
    for stage in STAGES:
        trained[stage] = train_policy(stage_folder(folder, seed, stage), stage, seed, settings, trained.get("grab"))
        on_stage(stage)
    return Policies(trained["high"], trained["grab"], trained["put"], trained["cloned"])


def are_trained(folder: Path, seed: int) -> bool:
    """Return True if all policies of a seed are complete. Arguments as those of :func:`load_policies`."""
    return all((stage_folder(folder, seed, stage) / WEIGHTS).is_file() for stage in STAGES)


def policies_digest(folder: Path, seed: int) -> str:
    """Return what tells the policies of a seed from others. Arguments as those of :func:`load_policies`."""
    weights = [(stage_folder(folder, seed, stage) / WEIGHTS).read_bytes() for stage in STAGES]
    return hashlib.sha256(b"".join(weights)).hexdigest()[:16]


def load_policies(folder: Path, seed: int) -> Policies | None:
    """Return the policies of a seed; None if they are not complete.

    Raises:
      UserError: a file is damaged, or of another version.
    """
    if not are_trained(folder, seed):
        return None
    folders: dict[PolicyName, Path] = {stage: stage_folder(folder, seed, stage) for stage in STAGES}
    loaded: dict[str, CandidatePolicy] = {}
    for stage, each in folders.items():
        try:
            config = PolicyConfig(**json.loads((each / CONFIG).read_bytes())["network"])
            policy = make_policy(stage, config)
            policy.load_state_dict(safetensors.torch.load_file(each / WEIGHTS))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{each} has no policy ({reason}): remove it and run the part policies again") from error
        loaded[stage] = policy.eval()
    return Policies(loaded["high"], loaded["grab"], loaded["put"], loaded["cloned"])
