"""`rlhf report`: what a run found, as one self-contained HTML file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pipelines.findings import find
from pipelines.report_data import DATA_FILE, ReportData, load_report_data
from pipelines.report_html import page
from rlhf.progress import announce


@dataclass(frozen=True)
class ReportConfig:
    """Settings of `rlhf report`.

    Args:
      run: folder of a run that has been evaluated; its report.json is read.
      out: the HTML file to write; None writes report.html into the run's folder.
    """

    run: Path = Path("runs/demo")
    out: Path | None = None


def report(config: ReportConfig) -> Path:
    """Write the report of a run and return its path. Raises UserError if the run has no data for one."""
    return write_report(load_report_data(config.run / DATA_FILE), config.out or config.run / "report.html")


def write_report(data: ReportData, path: Path) -> Path:
    """Write the report of ``data`` to ``path``; a reader sees the whole file or none."""
    findings = find(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(page(data, findings), encoding="utf-8")
    os.replace(partial, path)
    announce(findings.headline)
    announce(f"report: {path.resolve()}")
    return path
