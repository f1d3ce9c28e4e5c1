"""What the sweep over raters found: one record a reward model, each in a folder of its own."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

from pipelines.diagnose.diagnosis import Measure
from pipelines.stages.mark import MarkConfig
from reward_models.training import RewardTrainingConfig
from rlhf.records.json_records import BadRecord, from_json, to_json
from rlhf.run.config import CONFIG_FILE, load_config, save_config
from rlhf.store import json_text
from rlhf.store.durable import write_file
from worlds.errors import UserError

RESULT_FILE = "result.json"


@dataclass(frozen=True)
class Noise:
    """How a rater is: share of events missed, steps of delay, share of wrong signs, share of episodes marked."""

    miss: float
    delay: float
    mistake: float
    marked: float

    def __post_init__(self) -> None:
        MarkConfig(miss=self.miss, delay=self.delay, mistake=self.mistake)  # refuses what is impossible

    @property
    def name(self) -> str:
        """E.g. "miss-0.3-delay-1-mistake-0.05-marked-1"."""
        return "-".join(f"{axis}-{getattr(self, axis):g}" for axis in AXES)


AXES = ("miss", "delay", "mistake", "marked")


@dataclass(frozen=True)
class NoiseRun:
    """All that decides one training, written beside what it found: with other settings it is not gone on with."""

    data: tuple[Path, ...]
    agent: Path
    noise: Noise
    delay_sd: float
    validation: float
    training: RewardTrainingConfig


@dataclass(frozen=True)
class NoiseResult:
    """One reward model, judged by clean marks on held-out play.

    Args:
      episodes, marks: what it learned from. update: at which it was best.
      accuracy, better, worse, balanced: as in ``PairFindings``; None, with the reason in
        ``failed``, if nothing could be learned. majority: what the commoner sign alone would get.
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
    """Write down a result; it counts once the last file is there."""
    shutil.rmtree(place, ignore_errors=True)  # what an interrupted attempt has left
    place.mkdir(parents=True)
    save_config(place, run)
    write_file(place / RESULT_FILE, json.dumps(to_json(result), indent=1).encode())


def known(place: Path, run: NoiseRun) -> NoiseResult | None:
    """The result that is there already, None if there is none. Raises UserError if it is that of another setting."""
    if not (place / RESULT_FILE).is_file():
        return None
    if load_config(place, NoiseRun, older=True) != run:
        raise UserError(
            f"{place} was made with other settings ({place / CONFIG_FILE}); use another --name, or remove it"
        )
    try:
        return from_json(NoiseResult, json_text.from_json((place / RESULT_FILE).read_text(encoding="utf-8")))
    except (ValueError, BadRecord) as error:
        raise UserError(f"{place / RESULT_FILE} is damaged ({error}); remove {place} and start again") from None
