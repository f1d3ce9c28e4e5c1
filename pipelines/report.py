"""`rlhf report`: what a run found, as one self-contained HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.findings import find
from pipelines.report_data import DATA_FILE, Circumstances, ReportData, Stage, load_report_data
from pipelines.report_html import page
from rlhf.json_records import to_json
from rlhf.machine import describe
from rlhf.progress import announce
from rlhf.run_config import command_line, git_commit, project_version


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


def circumstances(
    config: Any, stages: Sequence[Stage] = (), counts: Mapping[str, object] | None = None
) -> Circumstances:
    """The circumstances of this very process: its command, machine and version, now.

    Args:
      config: the run's frozen configuration.
      counts: what there was, by name, in the order to show; numbers get thousands separators.
    """
    shown = {name: f"{count:,}" if isinstance(count, int) else str(count) for name, count in (counts or {}).items()}
    return Circumstances(
        command=command_line(),
        machine=str(describe()),
        version=project_version(),
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        commit=git_commit(),
        config=to_json(config),
        counts=tuple(shown.items()),
        stages=tuple(stages),
    )


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
