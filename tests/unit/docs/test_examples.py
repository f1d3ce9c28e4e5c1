"""The examples in documents run and print what the documents show."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import pipelines as rl
from pipelines.cli import settings
from pipelines.cli.main import choose
from pipelines.cli.presets import starting_point
from tests.unit.docs.pages import CURRENT, PAGES, ROOT, blocks

FUNCTIONS = [name for name in dir(rl) if name[0].islower() and inspect.isfunction(getattr(rl, name, None))]


def command_lines(page: Path) -> Iterator[list[str]]:
    """Return the words after ``rlhf`` of every line in a page's blocks that begins with it."""
    for block in blocks(page):
        if block.language in ("", "bash"):
            for line in block.text.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True) if line.startswith("rlhf ") else []
                if (
                    len(words) > 1 and not words[1].startswith("--") and "--resume" not in words
                ):  # which reads the run's folder
                    yield [word for word in words[1:] if word != "..."]


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_command_lines_are_understood(page: Path) -> None:
    for words in command_lines(page):
        verb, rest = choose(words)
        kind = verb.load()[0]
        start, rest = starting_point(verb.function, kind, rest, verb.preset)
        settings.parse(kind, rest, command=f"rlhf {verb.name}", default=start)


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers")
def test_the_examples_of_the_page_python_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "disabled")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    names: dict[str, Any] = {}
    printed = ""
    for block in blocks(ROOT / "docs" / "python.md"):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, f"python.md, line {block.line}", "exec"), names)
            printed = out.getvalue()
        elif block.language == "text":
            assert printed == block.text, block.line
    torch.set_num_threads(threads)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_in_documents_parses(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            ast.parse(block.text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_in_docstrings_call_functions_as_they_are(name: str) -> None:
    text = inspect.getdoc(getattr(rl, name)) or ""
    code = "\n".join(line.strip()[4:] for line in text.splitlines() if line.strip().startswith((">>> ", "... ")))
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    called = [node for node in calls if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "rl"]
    assert called
    for call in called:
        assert isinstance(call.func, ast.Attribute)
        keywords = {keyword.arg: None for keyword in call.keywords if keyword.arg}
        inspect.signature(getattr(rl, call.func.attr)).bind(*call.args, **keywords)
