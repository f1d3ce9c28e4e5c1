"""Circumstances of a report and its file, written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.report.data import Circumstances, ReportData
from pipelines.report.findings import find
from pipelines.stages.running.staged_run import FinishedStage
from rlhf.records.json_records import to_json
from rlhf.run.config import command_line, git_commit, project_version
from rlhf.run.machine import describe
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file


def circumstances(
    config: Any, stages: Sequence[FinishedStage] = (), counts: Mapping[str, object] | None = None
) -> Circumstances:
    """Circumstances of this process: its command, machine and version, now."""
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


def made_by(seeds: Sequence[int] = ()) -> str:
    """Format command, seeds if there are any, time, commit and machine of this process as a line of Markdown."""
    now = circumstances({})
    seeded = f"seeds {', '.join(map(str, seeds))}, " if seeds else ""
    return f"`{now.command}`, {seeded}{now.created}, commit {now.commit}, {now.machine}."


def write_report(data: ReportData, path: Path) -> Path:
    """Write the report of ``data`` to ``path``; a reader sees the whole file or none."""
    from pipelines.report.report_page import page  # draws with matplotlib, which takes a second to import

    findings = find(data)
    return write_page(page(data, findings), findings.headline, path)


def write_page(html: str, headline: str, path: Path) -> Path:
    """Write ``html`` to ``path``; a reader sees the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, html.encode())
    announce(headline)
    announce(f"report: {path.resolve()}")
    return path
