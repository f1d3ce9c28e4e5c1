"""Results of the sweep over rater noise: one record for each reward model, each in its own folder."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

from pipelines.diagnose.diagnosis import Measure
from pipelines.stages.mark import MarkConfig
from reward_models.learning.training import RewardTrainingConfig
from rlhf.records.json_records import BadRecord, from_json, to_json
from rlhf.run.config import CONFIG_FILE, load_config, save_config
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

RESULT_FILE = "result.json"


@dataclass(frozen=True)
class Noise:
    """Noise of a rater: share of missed events, delay in steps, share of wrong signs, share of marked episodes."""

    miss: float
    delay: float
    mistake: float
    marked: float

    def __post_init__(self) -> None:
        MarkConfig(miss=self.miss, delay=self.delay, mistake=self.mistake)  # refuse impossible values

    @property
    def name(self) -> str:
        """Name of the noise, e.g. "miss-0.3-delay-1-mistake-0.05-marked-1"."""
        return "-".join(f"{axis}-{getattr(self, axis):g}" for axis in AXES)


AXES = ("miss", "delay", "mistake", "marked")


@dataclass(frozen=True)
class NoiseRun:
    """Settings that determine one training, saved with its result: with others it is not reused.

    Args:
      data: datasets.
      agent: its folder.
      noise: of the rater.
      delay_sd: of the rater, in steps.
      validation: share of the episodes.
      training: of the reward model.
      inputs: digest of the datasets' episodes and of the agent's weights.
    """

    data: tuple[Path, ...]
    agent: Path
    noise: Noise
    delay_sd: float
    validation: float
    training: RewardTrainingConfig
    inputs: str = ""


@dataclass(frozen=True)
class NoiseResult:
    """Result of one reward model, evaluated on clean marks of held-out play.

    Args:
      noise: of the rater.
      seed: of the rater and the training.
      episodes: number of training episodes.
      marks: number of training marks.
      update: of the best model.
      accuracy: as in ``PairFindings``; None, like the next three, if nothing could be learned.
      better: as in ``PairFindings``.
      worse: as in ``PairFindings``.
      balanced: as in ``PairFindings``.
      majority: accuracy of always predicting the commoner sign.
      failed: reason why nothing could be learned; "" otherwise.
    """

    noise: Noise
    seed: int
    episodes: int = 0
    marks: int = 0
    update: int = 0
    accuracy: Measure | None = None
    better: Measure | None = None
    worse: Measure | None = None
    balanced: Measure | None = None
    majority: float = math.nan
    failed: str = ""


def keep(place: Path, run: NoiseRun, result: NoiseResult) -> None:
    """Save a result; it counts once its last file exists."""
    shutil.rmtree(place, ignore_errors=True)  # left by an interrupted attempt
    place.mkdir(parents=True)
    save_config(place, run)
    write_file(place / RESULT_FILE, json.dumps(to_json(result), indent=1).encode())


def known(place: Path, run: NoiseRun) -> NoiseResult | None:
    """Read a saved result; None if there is none.

    Raises:
      UserError: if it has other settings, or is damaged.
    """
    if not (place / RESULT_FILE).is_file():
        return None
    if load_config(place, NoiseRun, older=True) != run:
        raise UserError(
            f"{place} was made with other settings, play or weights ({place / CONFIG_FILE}); use another --name, or "
            "remove it"
        )
    try:
        return from_json(NoiseResult, json_text.from_json((place / RESULT_FILE).read_text(encoding="utf-8")))
    except (ValueError, BadRecord) as error:
        raise UserError(f"{place / RESULT_FILE} is damaged ({error}); remove {place} and start again") from None
