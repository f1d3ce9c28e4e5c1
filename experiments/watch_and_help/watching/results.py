"""Tables and the figure of the watch stage, from the measures of all models so far."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.engine.config import slug
from experiments.engine.results_docs import ResultTable
from experiments.engine.table import format_range
from experiments.watch_and_help.watching.measures import Accuracy, Posterior
from pipelines.charts import style
from pipelines.charts.palette import COLOURS
from rlhf.records.json_records import from_json, to_json
from rlhf.store.files.durable import write_file
from worlds.household.tasks.splits import TEST_1, TEST_2

CHANCE = "chance"
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
      accuracy: after whole demonstrations, by split.
      chance: of goals drawn from those of training, by split.
      posterior: after shares of the demonstrations, by split.
    """

    accuracy: Mapping[str, Accuracy]
    chance: Mapping[str, Accuracy]
    posterior: Mapping[str, Sequence[Posterior]]


def measures_file(folder: Path, seed: int, variant: str) -> Path:
    """Return the file of the measures of a model; its folder is the model's.

    Args:
      folder: of the whole experiment.
      seed: of the model.
      variant: its name.
    """
    return folder / "watch" / f"seed-{seed}" / slug(variant) / "measures.json"


def save_measures(path: Path, measures: Measures) -> None:
    """Write measures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(to_json(measures), indent=1) + "\n").encode())


def load_measures(folder: Path, variants: Iterable[str]) -> dict[str, list[Measures]]:
    """Return the measures of every seed, by variant, in the order of ``variants``; only those that there are."""
    found = {}
    for name in variants:
        paths = sorted((folder / "watch").glob(f"seed-*/{slug(name)}/measures.json"))
        if paths:
            found[name] = [from_json(Measures, json.loads(path.read_bytes())) for path in paths]
    return found


def tables(folder: Path, variants: Iterable[str]) -> str:
    """Return all tables, Markdown; "" if no model was measured."""
    measured = load_measures(folder, variants)
    if not measured:
        return ""
    about = "Precision and recall after the whole demonstration; means of the seeds, with the least and the greatest."
    parts = ["## Watch", about, _overview(measured).markdown()]
    for name, each in measured.items():
        if len(each[0].posterior[TEST_1]) > 1:
            parts += [f"The posterior on the way: {name}.", _on_the_way(each).markdown()]
            break
    return "\n\n".join(part.rstrip("\n") for part in parts)


def write_results(folder: Path, variants: Iterable[str]) -> None:
    """Write tables and the figure into ``folder``/watch."""
    where, variants = folder / "watch", list(variants)
    write_file(where / "table.md", (tables(folder, variants) + "\n").encode())
    every = load_measures(folder, variants)
    if first := next(iter(every.values()), None):
        write_file(where / "posterior.png", style.png(draw_posterior(first)))


def draw_posterior(measured: Sequence[Measures]) -> Figure:
    """Draw precision, recall and calibration error over the share of a demonstration that was watched.

    Args:
      measured: of every seed; lines are means.
    """
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


def _overview(measured: Mapping[str, Sequence[Measures]]) -> ResultTable:
    head = ["model", "seeds"]
    for split in (TEST_1, TEST_2):
        said = split.replace("_", "-")
        head += [f"precision, {said}", f"recall, {said}", "published", f"whole goal, {said}"]
    rows = [_row(name, {split: [one.accuracy[split] for one in each] for split in (TEST_1, TEST_2)})
            for name, each in measured.items()]  # fmt: skip
    first = next(iter(measured.values()))[:1]
    rows.append(_row(CHANCE, {split: [one.chance[split] for one in first] for split in (TEST_1, TEST_2)}))
    return ResultTable(tuple(head), tuple(rows))


def _row(name: str, found: Mapping[str, Sequence[Accuracy]]) -> tuple[str, ...]:
    cells = [name, "" if name == CHANCE else str(len(found[TEST_1]))]
    for split, each in found.items():
        cells += [_range([one.precision for one in each]), _range([one.recall for one in each])]
        cells += [PUBLISHED.get((name, split), ""), f"{100 * np.mean([one.exact for one in each]):.0f}%"]
    return tuple(cells)


def _range(values: Sequence[float]) -> str:
    return format_range(values, ".3f")


def _on_the_way(measured: Sequence[Measures]) -> ResultTable:
    head = ["watched"]
    for split in (TEST_1, TEST_2):
        said = split.replace("_", "-")
        head += [f"precision, {said}", f"recall, {said}", f"nats, {said}", f"calibration error, {said}"]
    rows = []
    for number, start in enumerate(measured[0].posterior[TEST_1]):
        cells = [f"{100 * start.share:.0f}%"]
        for split in (TEST_1, TEST_2):
            each = [one.posterior[split][number] for one in measured]
            cells += [
                f"{np.mean([one.accuracy.precision for one in each]):.3f}",
                f"{np.mean([one.accuracy.recall for one in each]):.3f}",
                f"{np.mean([one.nll for one in each]):.2f}",
                f"{np.mean([one.ece for one in each]):.3f}",
            ]
        rows.append(tuple(cells))
    return ResultTable(tuple(head), tuple(rows))
