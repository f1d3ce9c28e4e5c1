"""Training of the four policies, one after the other, in files from which it is resumed to the bit.

What is practised begins anew after every checkpoint, from the seed and the number of the update. So a checkpoint needs
no state of homes, and a training that was interrupted ends with the same weights as one that was not.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.torch
import torch

from agents.learning.optimization import make_optimizer
from experiments.watch_and_help.policies import choosing, handling
from experiments.watch_and_help.policies.errand import CANDIDATES, Option
from experiments.watch_and_help.policies.handling import Place, Practitioner, practise
from experiments.watch_and_help.policies.learning import Decisions, LearningSettings, imitate, learn
from experiments.watch_and_help.policies.network import CandidatePolicy, PolicyConfig, View, stack
from experiments.watch_and_help.policies.players import Policies
from rlhf.run.progress import bar
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

PolicyName = Literal["grab", "put", "high", "cloned"]
STAGES: tuple[PolicyName, ...] = ("grab", "put", "high", "cloned")
CHECKPOINT, WEIGHTS, CURVE, CONFIG = "checkpoint.pt", "policy.safetensors", "curve.json", "config.json"


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
    """Return the folder of one policy.

    Args:
      folder: of the whole experiment.
      seed: of the policy.
      stage: of it.
    """
    return folder / "policies" / f"seed-{seed}" / stage


def make_policy(stage: PolicyName, config: PolicyConfig) -> CandidatePolicy:
    """Return a new policy of a stage, with weights from torch's random numbers."""
    if stage in ("high", "cloned"):
        return CandidatePolicy(config, choosing.GOALS, 1)
    return CandidatePolicy(config, CANDIDATES, len(Option))


class Training:
    """Training of one policy.

    Args:
      folder: of the policy, from :func:`stage_folder`; what is in it is resumed.
      stage: of the policy.
      seed: of all chance.
      settings: of training.
      grabbing: policy of the first phase, which the second needs.

    Attributes:
      policy: that learns.
      update: number of updates so far.
      rows: metrics by update.

    Raises:
      UserError: the folder has a training with other settings.
    """

    def __init__(
        self,
        folder: Path,
        stage: PolicyName,
        seed: int,
        settings: PolicySettings,
        grabbing: CandidatePolicy | None = None,
    ) -> None:
        self._folder, self._stage, self._seed, self._settings = folder, stage, seed, settings
        self._grabbing = grabbing
        torch.manual_seed(seed * len(STAGES) + STAGES.index(stage))
        self.policy = make_policy(stage, settings.network)
        self._optimizer = make_optimizer(self.policy, settings.learning)
        self.update, self.seconds = 0, 0.0
        self.rows: list[dict[str, float]] = []
        self._persons: list[Practitioner] = []
        self._resume()

    @property
    def updates(self) -> int:
        """Number of updates in all."""
        return self._settings.updates[self._stage]

    def run(self, until: int | None = None) -> CandidatePolicy:
        """Train to the end, or for some updates less, and return the policy.

        Args:
          until: number of the update before which to stop; None for the end.
        """
        last = self.updates if until is None else min(until, self.updates)
        every = self._settings.checkpoint_every
        with bar(f"policy {self._stage}, seed {self._seed}", self.updates, "updates", done=self.update) as shown:
            while self.update < last:
                began = time.process_time()
                rng = np.random.default_rng([self._seed, STAGES.index(self._stage), self.update])
                measured, metrics = self._one_update(rng, self.update % every == 0)
                self.rows.append({"update": self.update, **measured, **metrics})
                self.update += 1
                self.seconds += time.process_time() - began
                if self.update % every == 0 or self.update == self.updates:
                    self._save()
                shown.update(self.update, ", ".join(f"{name} {value:.2f}" for name, value in measured.items()))
        return self.policy

    def _one_update(self, rng: np.random.Generator, anew: bool) -> tuple[dict[str, float], dict[str, float]]:
        """Make an update, and return what was measured in play and of the loss."""
        learning, progress = self._settings.learning, self.update / self.updates
        if self._stage == "cloned":
            view, chosen, measured = self._watch(rng)
            return measured, imitate(self.policy, self._optimizer, view, chosen, learning, self.update, progress)
        decisions, measured = self._practise(rng, anew)
        return measured, learn(self.policy, self._optimizer, decisions, learning, self.update, progress)

    def _practise(self, rng: np.random.Generator, anew: bool) -> tuple[Decisions, dict[str, float]]:
        """Return the decisions of an update, and what came of the episodes that ended meanwhile."""
        if self._stage == "high":
            return self._help(rng)
        settings = self._settings.practice
        if anew or not self._persons:
            places = [Place.training(number) for number in range(settings.places)]
            phase: handling.Phase = "grab" if self._stage == "grab" else "put"
            self._persons = [Practitioner(places, phase, settings, each) for each in rng.spawn(settings.persons)]
        decisions = practise(self.policy, self._persons, settings, rng, self._grabbing)
        ended = [episode for one in self._persons for episode in one.finished]
        for one in self._persons:
            one.finished.clear()
        success = sum(done for done, _ in ended)
        return decisions, {"episodes": len(ended), "successes": success, "steps": sum(steps for _, steps in ended)}

    def _help(self, rng: np.random.Generator) -> tuple[Decisions, dict[str, float]]:
        settings = self._settings.helping
        with_alice = self.update >= settings.alone_share * self.updates
        outcomes = []
        for _ in range(settings.episodes):
            where = Place.training(int(rng.integers(settings.places)))
            seed = int(rng.integers(2**30))
            outcomes.append(choosing.help_once(self.policy, where, seed, with_alice, settings))
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

    # -- files -------------------------------------------------------------------------------------------------

    def _described(self) -> dict[str, Any]:
        described = asdict(self._settings)
        others = ("practice",) if self._stage in ("high", "cloned") else ("helping",)
        described["updates"] = self.updates
        return {name: value for name, value in described.items() if name not in others} | {"stage": self._stage}

    def _resume(self) -> None:
        """Load a checkpoint, if there is one."""
        path, config = self._folder / CHECKPOINT, self._folder / CONFIG
        described = json.loads(json.dumps(self._described()))
        if config.is_file() and json.loads(config.read_bytes()) != described:
            raise UserError(f"{self._folder} was trained with other settings: move it away, or use another folder")
        self._folder.mkdir(parents=True, exist_ok=True)
        write_file(config, (json.dumps(described, indent=1) + "\n").encode())
        if not path.is_file():
            return
        state = torch.load(io.BytesIO(path.read_bytes()), weights_only=True)
        self.policy.load_state_dict(state["policy"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.update, self.seconds, self.rows = state["update"], state["seconds"], state["rows"]

    def _save(self) -> None:
        """Write a checkpoint, the curve, and the weights that helpers read."""
        state = {
            "policy": self.policy.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "update": self.update,
            "seconds": self.seconds,
            "rows": self.rows,
        }
        whole = io.BytesIO()
        torch.save(state, whole)
        write_file(self._folder / CHECKPOINT, whole.getvalue())
        curve = {"updates": self.updates, "cpu_seconds": round(self.seconds, 1), "rows": self.rows}
        write_file(self._folder / CURVE, json.dumps(curve).encode())
        if self.update == self.updates:
            write_file(self._folder / WEIGHTS, safetensors.torch.save(self.policy.state_dict()))


def train(
    folder: Path, seed: int, settings: PolicySettings, on_stage: Callable[[PolicyName], None] = lambda stage: None
) -> Policies:
    """Train all policies of a seed, or what is missing of them.

    Args:
      folder: of the whole experiment.
      seed: of all chance.
      settings: of training.
      on_stage: called with the name of each policy that is complete.
    """
    trained: dict[str, CandidatePolicy] = {}
    for stage in STAGES:
        training = Training(stage_folder(folder, seed, stage), stage, seed, settings, trained.get("grab"))
        trained[stage] = training.run().eval()
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

    Args:
      folder: of the whole experiment.
      seed: of them.

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
