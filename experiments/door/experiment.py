"""Utility from crowd workers' clip pairs of the Adroit door, measured on people's judgements of other episodes.

`rlhf reproduce door --source FOLDER`, with the two files that docs/own-recordings.md names; about a minute a seed on
one core.

How well a utility that is learned from crowd workers' clip pairs agrees with people on play that it never saw.

The play is of the Adroit door (:mod:`experiments.door.recordings`). For every seed the episodes are divided: the
utility is learned, for a fixed number of updates, from pairs whose clips are both of training episodes, and measured
on decided pairs whose clips are both of test episodes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch

from agents import registry
from agents.tokenizer import Tokenizer
from experiments.door.recordings import DOOR_ANGLE, INSTRUCTION, REWARDS, SPACES, import_door
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import Section, write_page
from experiments.engine.plan import Plan
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row
from experiments.engine.table import Cell, bounds, mean, table
from pipelines.stages.running.staged_run import Stage
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import PreferenceExamples, preference_examples
from reward_models.preferences.losses import measured_difference, right_order
from reward_models.scores.scoring import score
from rlhf.learning.training import Training
from rlhf.records.json_records import from_json
from rlhf.records.preferences import ClipPair
from rlhf.run.progress import announce
from rlhf.run.statistics import percent
from rlhf.store import open_store
from rlhf.store.contract import EpisodeStore
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.spaces.description import to_json

PLAY = "play"  # the imported recordings
TEST, VALIDATION = 9, 2  # of 25 episodes; the trainer wants some to evaluate on
MEASURES = {
    "utility agrees with people": "agreement",
    "true return agrees with people": "true_return",
    "correlation of utility and the environment's reward": "reward_correlation",
    "correlation of utility and the door's angle": "angle_correlation",
}  # by the names of the table

TRAINING = RewardTrainingConfig(
    updates=200,
    steps=50,
    batch=4,
    learning_rate=1e-3,
    beta1=0.9,
    ibt_weight=0.0,  # there are no marks
    bc_weight=0.0,
    css_weight=0.0,
    augmentation=0.0,
    preferences=PreferenceConfig(clip_pairs=1.0, compared_by="mean"),
)


@dataclass(frozen=True)
class DoorResult:
    """What one division of the episodes gave.

    Args:
      seed: of the division and the training.
      pairs: clip pairs that were learned from.
      decided: decided test pairs.
      agreement: share of them that the utility orders as people did.
      true_return: share of them that the environment's summed rewards order as people did.
      reward_correlation: of utility and the environment's reward, over the steps of the test episodes.
      angle_correlation: of utility and the door's angle, over the same steps.
    """

    seed: int
    pairs: int
    decided: int
    agreement: float
    true_return: float
    reward_correlation: float
    angle_correlation: float


def plan_door(source: Path, run: Path, seeds: Sequence[int], training: RewardTrainingConfig = TRAINING) -> Plan:
    """Return the plan that imports the files once, and learns once for each seed."""

    def learn(seed: int) -> None:
        result = learn_and_measure(open_store(run / PLAY), seed, training)
        write_file(_result_file(run, seed), json.dumps(asdict(result), indent=2).encode())
        announce(f"seed {seed}: {percent(result.agreement)} of {result.decided} decided pairs")

    def stages(_: str, seed: int) -> list[Stage]:
        return [Stage("utility", "learned from clip pairs", lambda: learn(seed))]

    def report(_: str, seeds: Sequence[int]) -> Path:
        results = [from_json(DoorResult, json.loads(_result_file(run, seed).read_bytes())) for seed in seeds]
        return write_page(run, "door", [section(results)], seeds)

    importing = Stage("recordings", "imported", lambda: _import(source, run), run / PLAY)
    return Plan(run, seeds, stages, report, training, shared=[importing])


def _result_file(run: Path, seed: int) -> Path:
    return run / f"seed-{seed}" / "result.json"


def _import(source: Path, run: Path) -> None:
    """Import demonstrations and clip pairs into ``run``/play."""
    shutil.rmtree(run / PLAY, ignore_errors=True)  # of an import that was interrupted
    imported = import_door(source / "steps.parquet", source / "pairs.parquet", open_store(run / PLAY, create=True))
    if imported.episodes <= TEST + VALIDATION:
        raise UserError(
            f"{source} has {imported.episodes} episodes; the division needs more than {TEST + VALIDATION}: complete "
            "the files"
        )
    announce(f"imported {imported.episodes} episodes and {imported.clip_pairs} clip pairs into {run / PLAY}")


def learn_and_measure(store: EpisodeStore, seed: int, training: RewardTrainingConfig = TRAINING) -> DoorResult:
    """Learn a utility from the pairs of some episodes, and measure it on others."""
    order = np.random.default_rng(seed).permutation(store.ids()).tolist()
    tokenizer = Tokenizer.train([INSTRUCTION], 300)
    torch.manual_seed(seed)
    agent = registry.make("nano", vocab_size=tokenizer.vocab_size, spaces=to_json(SPACES.solver))
    model = InterTemporalRewardModel.from_agent(agent, seed=seed)

    def play(ids: Sequence[str]) -> MarkedPlay:
        return mark_play([store.read(one) for one in ids], [], tokenizer, model.config)

    pairs, test = store.preferences(ClipPair), order[:TEST]
    # The last weights: a dozen validation pairs select worse than a fixed number of updates.
    settings = replace(training, seed=seed, keep="last")
    trainer = RewardTrainer(model, play(order[TEST + VALIDATION :]), play(order[TEST:][:VALIDATION]), settings, pairs)
    Training(trainer, settings).run()
    shown = play(test)
    examples = preference_examples(pairs, shown, settings.preferences)["clip_pairs"]
    decided = examples.take(examples.decided)
    utility = np.concatenate(score(model, shown.episodes, list(range(TEST))))
    rewards, angle = _truth(store, test)
    return DoorResult(
        seed=seed,
        pairs=len(trainer.preferences["clip_pairs"]),
        decided=len(decided),
        agreement=_share(utility, decided),
        true_return=_share(rewards, decided),
        reward_correlation=float(np.corrcoef(utility, rewards)[0, 1]),
        angle_correlation=float(np.corrcoef(utility, angle)[0, 1]),
    )


def _share(value: np.ndarray, examples: PreferenceExamples) -> float:
    """Share of ``examples`` whose better clip has the higher mean ``value``; the clips are equally long."""
    return float(right_order(measured_difference(value, examples), examples.better).mean())


def _truth(store: EpisodeStore, ids: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The environment's reward and the door's angle at every step of the episodes: [N] each."""
    episodes = [store.read(one) for one in ids]
    rewards = np.concatenate([episode.notes[REWARDS] for episode in episodes])
    return rewards, np.concatenate([episode.seen["vector"][:, DOOR_ANGLE] for episode in episodes])


def _rows(result: DoorResult) -> Iterator[Row]:
    for name, field in MEASURES.items():
        yield Row("door", "utility", result.seed, name, measures={"value": getattr(result, field)})


def section(results: Sequence[DoorResult]) -> Section:
    """Return the results: means over the seeds with Student's 95% interval."""

    def cell(share: Cell, other: Cell) -> Cell:
        return lambda rows: (share if "agrees" in rows[0].probe else other)(rows)

    rows = [row for result in results for row in _rows(result)]
    columns = (
        ("mean", cell(mean("value", ".0f", "%", 100), mean("value", ".2f"))),
        ("95% interval", cell(bounds("value", percent, 0.0, 1.0), bounds("value", "{:.2f}".format, -1.0, 1.0))),
    )
    made = table(rows, "measure, on test episodes", columns, lambda row: row.probe)
    counts = f"{len(results)} divisions; {sum(each.decided for each in results)} decided test pairs in all."
    return Section(rows, [ResultTable(made.head, (*made.rows, ("chance", "50%", ""))), counts])


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce door`."""
    return plan_door(config.needed_source(), config.run, config.seeds)
