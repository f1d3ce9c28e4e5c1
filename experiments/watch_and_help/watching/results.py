"""Tables and the figure of the watch stage, from the measures of all models so far."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.engine.config import slug
from experiments.engine.page import Section
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, grouped, of_seeds, rows_of
from experiments.engine.table import Cell, at, by_arm, mean, spread, table
from experiments.watch_and_help.watching.measures import Accuracy, Posterior
from pipelines.charts import style
from pipelines.charts.palette import COLOURS
from rlhf.records.json_records import from_json, to_json
from rlhf.store.files.durable import write_file
from worlds.household.tasks.splits import TEST_1, TEST_2

WATCH, ON_THE_WAY, CHANCE = "watch-and-help/watch", "watch-and-help/watch/on the way", "chance"
# Watch-And-Help, Section 5.2 and Appendix: precision and recall; the ablations are those of the first test.
PUBLISHED: Mapping[tuple[str, str], str] = {
    ("whole demonstration", TEST_1): ".85 .96",
    ("whole demonstration", TEST_2): ".68 .64",
    ("actions too", TEST_1): ".99 .99",
    ("last state only", TEST_1): ".79 .75",
    (CHANCE, TEST_1): ".08 .09",
}


@dataclass(frozen=True)
class Measures:
    """How well one model infers the goals of both tests.

    Args:
      chance: of goals drawn from those of training, by split.
    """

    accuracy: Mapping[str, Accuracy]
    chance: Mapping[str, Accuracy]
    posterior: Mapping[str, Sequence[Posterior]]


def measures_file(folder: Path, seed: int, variant: str) -> Path:
    """Return the file of the measures of a model; its folder is the model's."""
    return folder / "watch" / f"seed-{seed}" / slug(variant) / "measures.json"


def save_measures(path: Path, measures: Measures) -> None:
    """Write measures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(to_json(measures), indent=1) + "\n").encode())


def load_measures(folder: Path, variants: Iterable[str]) -> dict[str, dict[int, Measures]]:
    """Return the measures by variant, in the order of ``variants``, and seed; only those that there are."""
    found = {}
    for name in variants:
        for path in sorted((folder / "watch").glob(f"seed-*/{slug(name)}/measures.json")):
            seed = int(path.parents[1].name.removeprefix("seed-"))
            found.setdefault(name, {})[seed] = from_json(Measures, json.loads(path.read_bytes()))
    return found


def section_of(folder: Path, variants: Iterable[str]) -> Section:
    """Return tables and figure; no paragraphs if no model was measured."""
    measured = load_measures(folder, variants)
    if not measured:
        return Section()
    rows = [row for name, each in measured.items() for seed, one in each.items() for row in _rows(name, seed, one)]
    first = next(iter(measured.values()))
    drawn = {"posterior.png": draw_posterior(list(first.values()))}
    about = "Precision and recall after the whole demonstration; means of the seeds, with the least and the greatest."
    parts = ["## Watch", about, _overview(rows)]
    for name, own in grouped(rows_of(rows, ON_THE_WAY), by_arm).items():
        if len({row.measures["share"] for row in own}) > 1:
            parts += [f"The posterior on the way: {name}.", _on_the_way(own)]
            break
    return Section(rows, parts, drawn)


def _rows(name: str, seed: int, measured: Measures) -> Iterator[Row]:
    for split in (TEST_1, TEST_2):
        yield Row(WATCH, name, seed, split, measures=vars(measured.accuracy[split]))
        yield Row(f"{WATCH}/{CHANCE}", CHANCE, seed, split, measures=vars(measured.chance[split]))
        for one in measured.posterior[split]:
            measures = {"share": one.share, "nats": one.nll, "ece": one.ece, **vars(one.accuracy)}
            yield Row(ON_THE_WAY, name, seed, split, measures=measures)


def draw_posterior(measured: Sequence[Measures]) -> Figure:
    """Draw precision, recall and calibration error over the share of a demonstration that was watched."""
    figure, panels = style.panels(6.4, 2.8, columns=2, grid="both", sharex=True, sharey=True)
    lines = {"precision": (COLOURS[0], "-"), "recall": (COLOURS[0], "--"), "ece": (COLOURS[1], "-")}
    for axes, split in zip(panels, (TEST_1, TEST_2), strict=True):
        style.label(axes, split.replace("_", "-"), "% of the demonstration")
        shares = [100 * each.share for each in measured[0].posterior[split]]
        for name, (shade, line) in lines.items():
            values = [[_of(each, name) for each in one.posterior[split]] for one in measured]
            axes.plot(shares, np.mean(values, axis=0), line, color=shade)
        axes.set_ylim(0, 1.02)
    style.legend(figure, [style.key("calibration error" if n == "ece" else n, *lines[n]) for n in lines])
    return figure


def _of(posterior: Posterior, name: str) -> float:
    return posterior.ece if name == "ece" else float(getattr(posterior.accuracy, name))


def _overview(rows: Rows) -> ResultTable:
    """Return a line for each model, and one for chance, which is the same for all seeds."""
    by_chance = rows_of(rows, f"{WATCH}/{CHANCE}")

    def published(split: str) -> Cell:
        return lambda own: PUBLISHED.get((own[0].arm, split), "")

    columns = [("seeds", lambda own: "" if own[0].arm == CHANCE else str(len(of_seeds(own))))]
    for split in (TEST_1, TEST_2):
        said = split.replace("_", "-")
        columns += [
            (f"precision, {said}", at(split, spread("precision", ".3f"))),
            (f"recall, {said}", at(split, spread("recall", ".3f"))),
            ("published", published(split)),
            (f"whole goal, {said}", at(split, mean("exact", ".0f", "%", 100))),
        ]
    return table(
        [*rows_of(rows, WATCH), *(row for row in by_chance if row.seed == by_chance[0].seed)], "model", columns
    )


def _on_the_way(rows: Rows) -> ResultTable:
    columns = [
        (f"{title}, {split.replace('_', '-')}", at(split, mean(name, form)))
        for split in (TEST_1, TEST_2)
        for title, name, form in (
            ("precision", "precision", ".3f"),
            ("recall", "recall", ".3f"),
            ("nats", "nats", ".2f"),
            ("calibration error", "ece", ".3f"),
        )
    ]
    return table(rows, "watched", columns, lambda row: f"{100 * row.measures['share']:.0f}%")
