"""What pages have in common: the shell around them, sections, pictures inside, and how a run came about."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from pipelines.report.data import Circumstances
from pipelines.stages.running.staged_run import FinishedStage
from rlhf.run.progress import duration


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page of ``parts``, which are HTML: styles inline, nothing fetched from anywhere."""
    style = files("pipelines.report").joinpath("report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n'
        f"<body>\n<main>\n{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def section(title: str, lead: str, body: str) -> str:
    """A section; ``body`` is HTML, the rest is text."""
    said = f'<p class="quiet">{escape(lead)}</p>' if lead else ""
    return f"<section><h2>{escape(title)}</h2>{said}{body}</section>"


def uri(content: bytes, media_type: str) -> str:
    """``content`` as an address that holds it."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def unbroken(text: str) -> str:
    """Escaped, with hyphens at which no line is broken: for large letters."""
    return escape(text).replace("-", "&#8209;")


def circumstances(facts: Circumstances) -> str:
    """The section on command, machine, version, counts, stages and settings."""
    commit = f", commit <code>{escape(facts.commit)}</code>" if facts.commit else ""
    rows = [
        ("Command", f"<code>{escape(facts.command)}</code>"),
        ("Machine", escape(facts.machine)),
        ("Version", escape(facts.version) + commit),
        *((escape(name[0].upper() + name[1:]), escape(value)) for name, value in facts.counts),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    config = escape(json.dumps(facts.config, indent=2, ensure_ascii=False))
    return section(
        "What was run",
        "",
        f'<div class="pair"><div class="card"><dl>{listed}</dl></div>{_stages(facts.stages)}</div>'
        f'<details class="card"><summary>All settings</summary><pre>{config}</pre></details>',
    )


def _stages(stages: Sequence[FinishedStage]) -> str:
    if not stages:
        return ""
    total = sum(stage.seconds for stage in stages)
    rows = "".join(_stage(stage, 100 * stage.seconds / (total or 1)) for stage in stages)
    return f'<div class="card"><h3>{duration(total)} in all</h3><ol class="stages">{rows}</ol></div>'


def _stage(stage: FinishedStage, width: float) -> str:
    note = f"<small>{escape(stage.note)}</small>" if stage.note else ""
    bar = f'<div class="bar after"><i style="width:{width:.1f}%"></i></div>'
    return f"<li><span>{escape(stage.name)}</span>{bar}<span>{duration(stage.seconds)}</span>{note}</li>"
