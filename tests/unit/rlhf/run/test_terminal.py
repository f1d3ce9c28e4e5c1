"""Nothing that comes from a dataset or an exception controls the terminal."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table

from pipelines.cli.main import main
from rlhf.run import terminal
from rlhf.run.progress import announce, bar
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import visible

HOSTILE = "a\x1b[31mb\x1b]0;title\x07c\x9b2Jd\x7fe\u202ef\u2066g\rh\x08i\x00j\u2028k"
SHOWN = "a\\u001b[31mb\\u001b]0;title\\u0007c\\u009b2Jd\\u007fe\\u202ef\\u2066g\\u000dh\\u0008i\\u0000j\\u2028k"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def without_styles(text: str) -> str:
    """What Rich writes itself is no more than styles, movements of the cursor, and line feeds."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)


def test_controls_are_shown_and_all_other_text_is_as_it_was() -> None:
    assert visible(HOSTILE) == SHOWN
    assert visible("Zürich\t\u200f日本 👍🏽\n") == "Zürich\t\u200f日本 👍🏽\n"
    assert json.loads(visible(json.dumps("\x7f\x9b", ensure_ascii=False))) == "\x7f\x9b"


def test_lines_tables_and_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    out, errors = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", errors)
    terminal.guard_process()
    terminal.guard_process()  # once is enough
    print(HOSTILE)
    announce(HOSTILE)
    errors.writelines([HOSTILE])
    table = Table("[red]name", title=HOSTILE)
    table.add_row(HOSTILE)
    terminal.console(width=400).print(table, HOSTILE)
    with bar("[/] " + HOSTILE, 2_000, "updates", done=800) as shown:
        shown.update(1_200, note=HOSTILE, share=0.5)
    for stream, times in ((out, 4), (errors, 3)):
        assert not RAW.search(without_styles(stream.getvalue()))
        assert stream.getvalue().count("a\\u001b[31mb") >= times
    assert SHOWN in out.getvalue() and "[red]name" in out.getvalue()
    assert SHOWN in errors.getvalue() and "[/]" in errors.getvalue() and "1,200/2,000 updates" in errors.getvalue()


def test_a_dataset_is_listed_and_refused_without_its_escape_sequences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.write(replace(synthetic_episode(0, 6, 12, 16), solver=HOSTILE.replace("\x00", "")))
    name = store.ids()[0]
    assert main(["episodes", "list", str(store.folder)]) == 0
    assert main(["episodes", "show", str(store.folder), name]) == 0
    assert main(["episodes", "list", str(tmp_path / "\x1b[2J")]) == 1
    printed = capsys.readouterr()
    assert "a\\u001b[31mb" in printed.out and "\\u001b[2J" in printed.err
    assert not RAW.search(printed.out + printed.err)
