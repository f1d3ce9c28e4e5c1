"""Sweep over rater noise: reward models from noisier and fewer marks, all evaluated on clean marks of held-out play.

A recording is marked again, in memory, by scripted raters who miss more, press later or err more often, and with fewer
marked episodes; everything else stays as usual. Only recordings with a scripted setter can be marked so, as they have
the ground truth.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from agents.agent import InteractiveAgent
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from annotation.scripted_rater import ScriptedRater
from experiments.engine.page import write_page
from experiments.engine.plan import Plan
from experiments.interactive_agents.rater_noise_figure import section
from experiments.interactive_agents.rater_noise_results import AXES, Noise, NoiseResult
from pipelines.diagnose.diagnosis import Measure
from pipelines.presets import small
from pipelines.stages.episodes.division import divide_episodes
from pipelines.stages.episodes.recordings import evenly_spaced, read_episodes
from pipelines.stages.mark import LateBy, MarkConfig
from pipelines.stages.outcomes.results_file import fingerprint
from pipelines.stages.running.staged_run import Stage
from reward_models.learning.ordering import order_pairs, together
from reward_models.learning.training import RewardTrainingConfig, train_reward_model
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.scores.scoring import score
from rlhf.records.episode import Episode
from rlhf.records.json_records import from_json, to_json
from rlhf.records.marks import Mark
from rlhf.run.progress import announce, bar
from rlhf.run.statistics import episode_interval, ratio_interval
from rlhf.store import open_store
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.ranges import Seed, Share
from worlds.settings import settings

RESULTS_FILE = "results.json"
_CLEAN = ScriptedRater("clean", delay=(0.0, 0.0), longest_delay=0, miss=0.0, mistake=0.0, spurious=0.0)


@settings
class RaterNoiseConfig:
    """Settings of the sweep. The values of every list are tried with all other settings as in usual.

    Args:
      data: dataset folders with play in training houses and held-out play.
      agent: folder of the agent that every reward model starts from.
      run: folder of all outputs; finished results in it are not trained again.
      miss: shares of missed events to try.
      delay: delays to try, in steps.
      mistake: shares of wrong signs to try.
      marked: shares of marked training episodes to try.
      seeds: seeds of the raters and of the training; every setting is trained once from each.
      usual: rater without added noise; its folder, number, solver, seed and share are not used.
      validation: share of the marked training episodes, with the same noise, that selects the best model.
      training: settings of the training of every reward model.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    agent: Path = Path("runs/clone/agent")
    run: Path = Path("runs/raters")
    miss: tuple[Share, ...] = (0.0, 0.1, 0.3, 0.6)
    delay: tuple[LateBy, ...] = (0.0, 1.0, 3.0, 6.0)
    mistake: tuple[Share, ...] = (0.0, 0.05, 0.15, 0.3)
    marked: tuple[float, ...] = (0.1, 0.25, 0.5, 1.0)
    seeds: tuple[Seed, ...] = (0,)
    usual: MarkConfig = field(default_factory=MarkConfig)
    validation: float = 0.1
    training: RewardTrainingConfig = field(default_factory=RewardTrainingConfig)

    def __post_init__(self) -> None:
        if not self.seeds:
            raise UserError("name at least one seed")
        if any(not 0.0 < share <= 1.0 for share in self.marked):
            raise UserError(f"marked are shares above 0 and up to 1, not {', '.join(map(str, self.marked))}")
        if not 0.0 < self.validation < 1.0:
            raise UserError(f"validation is a share between 0 and 1, not {self.validation}")
        self.noises()  # refuse impossible raters before anything is trained

    def noises(self) -> list[Noise]:
        """Return every setting once, the usual one first."""
        usual = Noise(self.usual.miss, self.usual.delay, self.usual.mistake, 1.0)
        tried = [replace(usual, **{name: value}) for name in AXES for value in getattr(self, name)]
        return list(dict.fromkeys([usual, *tried]))


def at_the_demos_size() -> RaterNoiseConfig:
    """Return the settings for recordings of the demo."""
    return RaterNoiseConfig(training=small.loop().reward.training)


@dataclass(frozen=True)
class _Settings:
    """What must be the same when the sweep is resumed.

    Args:
      config: of the sweep.
      inputs: digest of the episodes and of the agent's weights, which may be trained again at its path.
    """

    config: RaterNoiseConfig
    inputs: str


def plan_rater_noise(config: RaterNoiseConfig) -> Plan:
    """Return the plan that trains and evaluates a reward model for every setting and seed.

    Its first stage raises UserError if there is no held-out play, or none with ground truth.
    """

    @cache
    def experiment() -> _Experiment:
        return _Experiment(config, *load_agent(config.agent))

    def learn(noise: Noise, seed: int) -> None:
        result = experiment().learn(noise, seed)
        write_file(_place(config, noise, seed), json.dumps(to_json(result), indent=1).encode())

    def stages(_: str, seed: int) -> list[Stage]:
        return [Stage(noise.name, "a reward model", partial(learn, noise, seed)) for noise in config.noises()]

    def report(_: str, seeds: Sequence[int]) -> Path:
        places = [_place(config, noise, seed) for noise in config.noises() for seed in seeds]
        return _write(config, [from_json(NoiseResult, json_text.from_json(one.read_text("utf-8"))) for one in places])

    free = ("config.run", "config.seeds", *(f"config.{axis}" for axis in AXES))
    return Plan(config.run, config.seeds, stages, report, _Settings(config, _digest(config)), free=free)


class _Experiment:
    """Recordings, read once, marked in many ways for training and in one for evaluation."""

    def __init__(self, config: RaterNoiseConfig, agent: InteractiveAgent, tokenizer: Tokenizer) -> None:
        self._config, self._agent, self._tokenizer = config, agent, tokenizer
        episodes = read_episodes(config.data)
        self._train = [episode for episode in episodes if episode.split != "held_out"]
        held_out = [episode for episode in episodes if episode.split == "held_out"]
        if not held_out:
            raise UserError("no held-out play to evaluate on; record some with `rlhf record --split held_out`")
        if not any(episode.truth for episode in self._train) or not any(episode.truth for episode in held_out):
            raise UserError("this play has no ground truth, so it cannot be marked by program; record scripted setters")
        self._held_out = self._encode(held_out, _marks(_CLEAN, held_out))

    def learn(self, noise: Noise, seed: int) -> NoiseResult:
        """Mark, train and evaluate."""
        training = replace(self._config.training, seed=seed)
        seen = evenly_spaced(self._train, max(1, round(noise.marked * len(self._train))))
        marks = _marks(_rater(noise, self._config.usual.delay_sd, seed), seen)
        with_marks = {mark.episode_id for mark in marks}
        usable = [episode for episode in seen if episode.episode_id in with_marks]
        result = NoiseResult(noise, seed, len(usable), len(marks))
        try:
            learned, validation, _ = divide_episodes(usable, self._config.validation)
            with bar(f"training from {len(marks)} marks", total=100, unit="%") as shown:
                done = train_reward_model(
                    self._agent,
                    self._encode(learned, marks),
                    self._encode(validation, marks),
                    training,
                    on_progress=lambda done: shown.update(int(100 * done)),
                )
        except UserError as error:
            return replace(result, failed=str(error))
        return _evaluated(
            replace(result, update=done.update), score(done.model, self._held_out.episodes), self._held_out
        )

    def _encode(self, episodes: Sequence[Episode], marks: Sequence[Mark]) -> MarkedPlay:
        return mark_play(episodes, marks, self._tokenizer, self._agent.config)


def _evaluated(result: NoiseResult, utilities: Sequence[np.ndarray], play: MarkedPlay) -> NoiseResult:
    """Add the accuracy of the utilities of ``play`` to ``result``."""
    pairs = together([order_pairs(utility, play.marks_of(number)) for number, utility in enumerate(utilities)])
    right, total = pairs.right.sum(-1), pairs.total.sum(-1)

    def share(part: np.ndarray, whole: np.ndarray) -> Measure | None:
        return Measure.of(ratio_interval(part, whole, seed=0), float(whole.sum()))

    def mean_of_both(weights: np.ndarray) -> np.ndarray:
        whole = weights @ total
        return ((weights @ right) / np.where(whole > 0, whole, np.nan)).mean(-1)  # nan without pairs of one sign

    balanced = episode_interval(mean_of_both, len(total), seed=0)
    return replace(
        result,
        accuracy=share(right.sum(1), total.sum(1)),
        better=share(right[:, 0], total[:, 0]),
        worse=share(right[:, 1], total[:, 1]),
        balanced=Measure.of(balanced, float(total.sum())),
        majority=float(total.sum(0).max() / total.sum()),
    )


def _rater(noise: Noise, delay_sd: float, seed: int) -> ScriptedRater:
    """Create a rater with this noise; the longest delay grows with the mean delay."""
    latest = max(3, math.ceil(noise.delay + 3 * delay_sd))
    return ScriptedRater(
        "noisy", (noise.delay, delay_sd), longest_delay=latest, miss=noise.miss, mistake=noise.mistake, seed=seed
    )


def _marks(rater: ScriptedRater, episodes: Sequence[Episode]) -> list[Mark]:
    return [mark for e in episodes for mark in rater.mark(e.episode_id, len(e), e.truth)]


def _place(config: RaterNoiseConfig, noise: Noise, seed: int) -> Path:
    return config.run / f"seed-{seed}" / f"{noise.name}.json"


def _digest(config: RaterNoiseConfig) -> str:
    """Digest of what models learn from: episodes may be added to a folder, and an agent trained again at its path."""
    stores = [open_store(folder) for folder in config.data]
    episodes = [sorted(store.fingerprints(store.ids()).items()) for store in stores]
    return hashlib.sha256(json.dumps([episodes, fingerprint(str(config.agent))]).encode()).hexdigest()[:16]


def _write(config: RaterNoiseConfig, results: Sequence[NoiseResult]) -> Path:
    """Write all results, the table and the figure; return the path of the table."""
    write_file(config.run / RESULTS_FILE, json.dumps(to_json(list(results)), indent=1).encode())
    found = section(results, config.noises()[0])
    announce(found.markdown())
    return write_page(config.run, "Noise of raters", [found], config.seeds)
