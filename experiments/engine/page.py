"""The page of an experiment: its tables and figures, and the rows from which they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, parquet
from pipelines.charts.style import png
from pipelines.report.file import made_by
from rlhf.store.files.durable import write_file

TABLE, ROWS = "table.md", "rows.parquet"


@dataclass(frozen=True)
class Section:
    """What a part of an experiment adds to its page."""

    rows: Sequence[Row] = ()
    parts: Sequence[str | ResultTable] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def markdown(self) -> str:
        """Return paragraphs and tables."""
        texts = (part if isinstance(part, str) else part.markdown() for part in self.parts)
        return "\n\n".join(text.strip("\n") for text in texts)


def write_page(run: Path, title: str, sections: Iterable[Section], seeds: Sequence[int] = ()) -> Path:
    """Write table.md, rows.parquet and the figures into ``run``; return the path of the first.

    Args:
      sections: sections in their order; those without paragraphs are left out.
      seeds: seeds that were run; none where the tables say so themselves.
    """
    sections = [section for section in sections if section.parts]
    texts = [f"# {title}", made_by(seeds), *(section.markdown() for section in sections)]
    run.mkdir(parents=True, exist_ok=True)
    write_file(run / ROWS, parquet(row for section in sections for row in section.rows))
    for name, figure in ((name, figure) for section in sections for name, figure in section.figures.items()):
        write_file(run / name, png(figure))
    write_file(run / TABLE, "\n\n".join(texts).encode() + b"\n")
    return run / TABLE
