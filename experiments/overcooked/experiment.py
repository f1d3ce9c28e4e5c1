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

from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import Section, write_page
from experiments.engine.plan import Plan
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows
from experiments.engine.table import Cell, bounds, mean, table
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

    def report(_: str, seeds: Sequence[int]) -> Path:
        clones, utilities = list[CloneResult](), list[UtilityResult]()
        for seed in seeds:
            for layout in kitchens():
                clones += _load(CloneResult, _clone_file(run, seed, layout))
            utilities += _load(UtilityResult, _utility_file(run, seed))
        return write_page(run, "overcooked", [section(clones, utilities)], seeds)

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


def section(clones: Sequence[CloneResult], utilities: Sequence[UtilityResult]) -> Section:
    """Return the results as tables: means over the seeds, with Student's 95% interval."""
    cloned, learned = (list(_rows(name, found)) for name, found in (("BC", clones), ("utility", utilities)))
    return Section([*cloned, *learned], [accuracy_table(cloned), loss_table(cloned), utility_table(learned)])


def _rows(arm: str, results: Iterable[CloneResult | UtilityResult]) -> Iterator[Row]:
    for result in results:
        measures = {name: each for name, each in vars(result).items() if name not in ("layout", "seed")}
        yield Row("overcooked", arm, result.seed, result.layout, measures=measures)


def accuracy_table(rows: Rows) -> ResultTable:
    """Return the accuracies of the cloned agents."""
    return _table(
        rows,
        ("without people", _published("without_people")),
        ("published BC", _published("accuracy")),
        ("always stay", mean("stay", ".3f")),
        ("our BC", mean("accuracy", ".3f")),
        ("95% interval", bounds("accuracy", "{:.3f}".format, most=1.0)),
        ("where people act", mean("acting", ".3f")),
    )


def loss_table(rows: Rows) -> ResultTable:
    """Return the cross-entropies of the cloned agents, in nats."""
    return _table(
        rows,
        ("published BC", _published("loss")),
        ("frequencies of actions", mean("marginal_loss", ".3f")),
        ("our BC", mean("loss", ".3f")),
        ("95% interval", bounds("loss", "{:.3f}".format)),
    )


def utility_table(rows: Rows) -> ResultTable:
    """Return the areas under the utility's curve."""
    return _table(
        rows,
        ("deliveries", lambda own: f"{own[0].measures['deliveries']:,.0f}"),
        ("other windows", lambda own: f"{own[0].measures['others']:,.0f}"),
        ("area under the curve", mean("area", ".3f")),
        ("95% interval", bounds("area", "{:.3f}".format, most=1.0)),
    )


def _table(rows: Rows, *columns: tuple[str, Cell]) -> ResultTable:
    """Return a table of the kitchens that have results, in the order of the published ones."""
    played = {row.probe for row in rows}
    lines = [_kitchen(layout) for layout in (*PUBLISHED, ALL) if layout in played]
    return table(rows, "kitchen", columns, lambda row: _kitchen(row.probe), lines)


def _kitchen(layout: str) -> str:
    return layout.replace("_", " ")


def _published(figure: str) -> Cell:
    return lambda rows: f"{getattr(PUBLISHED[rows[0].probe], figure):.3f}"


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce overcooked`."""
    return plan_overcooked(config.needed_source(), config.run, config.seeds)
