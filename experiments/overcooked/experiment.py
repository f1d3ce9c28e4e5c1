"""Agents cloned from people's games of Overcooked-AI, measured on what other people did; a utility from deliveries.

`rlhf reproduce overcooked --source FOLDER`, with the files that docs/own-recordings.md names; about 3 minutes of
processor time a seed.

How well agents that are cloned from people's games of Overcooked-AI predict other people, beside the published ones.

The published figures are those of Carroll et al., 2019, "On the utility of learning about humans for human-AI
coordination": the authors' repository ``human_aware_rl`` has them in ``hh_losses_data.pickle``. Its code takes the
share of steps at which the likeliest action is what the person did, of each player's game, and their mean.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from experiments.engine.declaration import ReproduceConfig
from experiments.engine.plan import Plan
from experiments.engine.results_docs import markdown_table
from experiments.overcooked.learning import (
    CLONING,
    REWARD,
    CloneResult,
    UtilityResult,
    clone_and_measure,
    divide,
    utility_and_measure,
)
from experiments.overcooked.recordings import LAYOUTS, import_overcooked
from pipelines.stages.running.staged_run import Stage
from reward_models.learning.training import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.records.episode import Episode
from rlhf.records.json_records import from_json
from rlhf.run.progress import announce
from rlhf.run.statistics import mean_of
from rlhf.store import open_store
from rlhf.store.columns import json_text
from rlhf.store.contract import EpisodeStore
from rlhf.store.files.durable import write_file
from worlds.errors import UserError


@dataclass(frozen=True)
class Learning:
    """Settings with which all results in a folder are learned.

    Args:
      cloning: of the agents.
      reward: of the utility.
    """

    cloning: CloningConfig
    reward: RewardTrainingConfig


@dataclass(frozen=True)
class Published:
    """Published figures of one kitchen.

    Args:
      accuracy: of the agent cloned from the training file.
      loss: its cross-entropy, in nats.
      without_people: accuracy of agents that never saw people: the better of self-play and population-based training.
    """

    accuracy: float
    loss: float
    without_people: float


PUBLISHED: Mapping[str, Published] = {
    "cramped_room": Published(0.628, 1.144, 0.213),
    "asymmetric_advantages": Published(0.529, 1.116, 0.179),
    "coordination_ring": Published(0.475, 1.385, 0.237),
    "forced_coordination": Published(0.601, 1.177, 0.106),
    "counter_circuit": Published(0.466, 1.530, 0.207),
}
ALL = "all"  # kitchens together
PLAY = "play"  # the imported recordings
Result = TypeVar("Result", CloneResult, UtilityResult)


def plan_overcooked(
    source: Path,
    run: Path,
    seeds: Sequence[int],
    cloning: CloningConfig = CLONING,
    reward: RewardTrainingConfig = REWARD,
) -> Plan:
    """Return the plan that imports the games once, and learns in every kitchen for each seed.

    Args:
      source: folder of the published files or of the package that has them.
      run: folder of the experiment.
      seeds: of the divisions and the trainings.
      cloning: settings of the cloning.
      reward: settings of the utility's training.
    """

    @cache
    def kitchens() -> dict[str, list[Episode]]:
        return _by_layout(open_store(run / PLAY))

    def clone(layout: str, seed: int) -> None:
        play = divide(kitchens()[layout], seed)
        result = clone_and_measure(layout, play, seed, cloning)
        _save([result], _clone_file(run, seed, layout))
        announce(f"seed {seed}, {layout}: accuracy {result.accuracy:.3f}, always staying {result.stay:.3f}")

    def learn_utility(seed: int) -> None:
        plays = {layout: divide(episodes, seed) for layout, episodes in kitchens().items()}
        results = utility_and_measure(plays, open_store(run / PLAY).marks(), seed, reward)
        _save(results, _utility_file(run, seed))
        announce(f"seed {seed}: area under the curve {results[-1].area:.3f}")

    def stages(_: str, seed: int) -> list[Stage]:
        clones = [Stage(f"clone {layout}", "people's games", partial(clone, layout, seed)) for layout in kitchens()]
        return [*clones, Stage("utility", "learned from deliveries", lambda: learn_utility(seed))]

    def report(seeds: Sequence[int]) -> Path:
        clones, utilities = list[CloneResult](), list[UtilityResult]()
        for seed in seeds:
            for layout in kitchens():
                clones += _load(CloneResult, _clone_file(run, seed, layout))
            utilities += _load(UtilityResult, _utility_file(run, seed))
        path = run / "table.md"
        write_file(path, "\n".join((accuracy_table(clones), loss_table(clones), utility_table(utilities))).encode())
        return path

    importing = Stage("recordings", "imported", lambda: _import(source, run), run / PLAY)
    return Plan(run, seeds, stages, report, Learning(cloning, reward), shared=[importing])


def _clone_file(run: Path, seed: int, layout: str) -> Path:
    return run / f"seed-{seed}" / f"clone-{layout}.json"


def _utility_file(run: Path, seed: int) -> Path:
    return run / f"seed-{seed}" / "utility.json"


def _import(source: Path, run: Path) -> None:
    """Import the games into ``run``/play."""
    shutil.rmtree(run / PLAY, ignore_errors=True)  # of an import that was interrupted
    imported = import_overcooked(source, open_store(run / PLAY, create=True))
    announce(f"imported {imported.games} games of {imported.joint_steps:,} joint steps into {run / PLAY}")


def _load(kind: type[Result], path: Path) -> list[Result]:
    return [from_json(kind, one) for one in json_text.from_json(path.read_text(encoding="utf-8"))]


def _save(results: Sequence[CloneResult | UtilityResult], path: Path) -> None:
    write_file(path, json.dumps([asdict(one) for one in results], indent=2).encode())


def _by_layout(store: EpisodeStore) -> dict[str, list[Episode]]:
    """Return the episodes of every kitchen. Raises UserError if one lacks games."""
    found = {layout: list[Episode]() for layout in LAYOUTS.values()}
    for name in store.ids():
        episode = store.read(name)
        found[episode.config["layout"]].append(episode)
    found = {layout: episodes for layout, episodes in found.items() if episodes}
    for layout, episodes in found.items():
        splits = [episode.split for episode in episodes]
        if splits.count("train") < 4 or "held_out" not in splits:
            raise UserError(f"{layout} has training games of fewer than two pairs of people, or no test games")
    return found


def accuracy_table(results: Sequence[CloneResult]) -> str:
    """Accuracies of the cloned agents: means over the seeds, with Student's 95% interval."""
    rows = []
    for layout, found in _by_kitchen(results):
        published, values = PUBLISHED[layout], [each.accuracy for each in found]
        acting = [each.acting for each in found]
        known = (published.without_people, published.accuracy)
        stay = _mean(each.stay for each in found)
        rows.append((layout, *map(_number, known), stay, *_interval(values, most=1.0), _mean(acting)))
    head = ("kitchen", "without people", "published BC", "always stay", "our BC", "95% interval", "where people act")
    return _table(head, rows)


def loss_table(results: Sequence[CloneResult]) -> str:
    """Cross-entropies of the cloned agents, in nats: means over the seeds, with Student's 95% interval."""
    rows = []
    for layout, found in _by_kitchen(results):
        values, frequencies = [each.loss for each in found], _mean(each.marginal_loss for each in found)
        rows.append((layout, _number(PUBLISHED[layout].loss), frequencies, *_interval(values)))
    return _table(("kitchen", "published BC", "frequencies of actions", "our BC", "95% interval"), rows)


def utility_table(results: Sequence[UtilityResult]) -> str:
    """Areas under the utility's curve: means over the seeds, with Student's 95% interval."""
    rows = []
    for layout, found in _by_kitchen(results):
        counts = (f"{found[0].deliveries:,}", f"{found[0].others:,}")
        rows.append((layout, *counts, *_interval([each.area for each in found], most=1.0)))
    return _table(("kitchen", "deliveries", "other windows", "area under the curve", "95% interval"), rows)


def _by_kitchen(results: Sequence[Result]) -> Iterator[tuple[str, list[Result]]]:
    """Yield the results of every kitchen that has some, in the order of the published ones."""
    for layout in (*PUBLISHED, ALL):
        found = [each for each in results if each.layout == layout]
        if found:
            yield layout, found


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return markdown_table(head, ((row[0].replace("_", " "), *row[1:]) for row in rows))


def _mean(values: Iterable[float]) -> str:
    return _number(float(np.mean(list(values))))


def _interval(values: Sequence[float], most: float = float("inf")) -> tuple[str, str]:
    """Return the mean of ``values`` and its interval, which ends at ``most``."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    found = mean_of(float(np.mean(values)), deviation, len(values))
    return _mean(values), "one seed" if found is None else f"{_number(found.low)} to {_number(min(most, found.high))}"


def _number(value: float) -> str:
    return f"{value:.3f}"


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce overcooked`."""
    return plan_overcooked(config.needed_source(), config.run, config.seeds)
