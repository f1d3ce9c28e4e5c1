"""The examples in documents run and print what the documents show."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

import pipelines as rl
from docs import playhouse_catalogue
from pipelines.cli import settings
from pipelines.cli.main import choose, main
from pipelines.cli.presets import starting_point
from tests.unit.docs.pages import CURRENT, NEW_KIND, PAGES, ROOT, blocks, page_name, resized, site

FUNCTIONS = [name for name in dir(rl) if name[0].islower() and inspect.isfunction(getattr(rl, name, None))]
NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which examples run, with one thread and without an account."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "disabled")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield tmp_path
    torch.set_num_threads(threads)


# What every page has


def command_lines(page: Path) -> Iterator[list[str]]:
    """Return the words after ``rlhf`` of every line in a page's blocks that begins with it."""
    for block in blocks(page):
        if block.language in ("", "bash"):
            for line in block.text.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True) if line.startswith("rlhf ") else []
                read_from_the_run = "--resume" in words
                if len(words) > 1 and not words[1].startswith("--") and not read_from_the_run:
                    yield [word for word in words[1:] if word != "..."]


@pytest.mark.parametrize("page", CURRENT, ids=page_name)
def test_command_lines_are_understood(page: Path) -> None:
    for words in command_lines(page):
        verb, rest = choose(words)
        kind = verb.load()[0]
        start, rest = starting_point(verb.function, kind, rest, verb.preset)
        settings.parse(kind, rest, command=f"rlhf {verb.name}", default=start)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
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


# Pages whose examples run


def run_python(page: Path) -> str:
    """Run the Python of a page; return what it prints. A block of text after one is what this one prints."""
    names: dict[str, Any] = {}
    printed = [""]
    for block in blocks(page):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, f"{page.name}, line {block.line}", "exec"), names)
            printed.append(out.getvalue())
        elif block.language == "text" and names:
            assert printed[-1] == block.text, block.line
    return "".join(printed)


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers", "folder")
def test_the_examples_of_the_page_python_run() -> None:
    run_python(ROOT / "docs" / "python.md")


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ("language.md", r"2 small [1-9]\d*\n"),
        ("playhouse.md", r".*pantry.*\n.*\('yellow', 'rack'\).*\n.*\n.*\n"),
        ("school-tree.md", r"148\n(.*\n)*1\nMeta\nB: Help please \n"),
    ],
)
def test_the_examples_of_other_pages_run(page: str, printed: str, folder: Path) -> None:
    assert re.fullmatch(printed, run_python(ROOT / "docs" / page))
    assert page != "school-tree.md" or Image.open("pointing.png").width > 500


SMALL = {  # settings of the school's commands, which learn too little to show anything
    "record": {"--episodes": "12", "--workers": "1"},
    "clone": {"--training.updates": "2", "--wandb": "disabled"},
    "reward": {"--training.updates": "2", "--wandb": "disabled"},
    "improve": {"--slots": "2", "--batch": "2", "--updates": "1", "--wandb": "disabled"},
    "evaluate": {"--episodes": "1"},
}


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers")
def test_the_examples_of_the_school_run(folder: Path) -> None:
    page = ROOT / "docs" / "school.md"
    for block in blocks(page):
        if block.language == "python":
            exec(compile(block.text, f"{page.name}, line {block.line}", "exec"), {})
        for line in block.text.splitlines() if block.language == "bash" else ():
            words = shlex.split(line, comments=True)[1:]
            assert words[0] == "serve" or main(resized(words, SMALL)) == 0, line
    assert Path("film.gif").stat().st_size > 1000


@pytest.mark.slow
def test_a_kind_is_added_to_the_playhouse_by_the_steps_of_the_page(tmp_path: Path) -> None:
    for part in ("worlds", "docs", "tests", "benchmarks"):
        ignored = shutil.ignore_patterns("figures", "e2e", "contracts", "*.png")
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    family = tmp_path / "worlds" / "playhouse" / "house" / "data" / "things" / "toys.json"
    kept = family.read_text(encoding="utf-8").removesuffix("\n}\n")
    family.write_text(f"{kept},\n{NEW_KIND}\n}}\n", encoding="utf-8")
    section = playhouse_catalogue.PAGE.read_text(encoding="utf-8").split("## Add a kind")[1].split("\n## ")[0]
    steps = re.findall(r"`(python -m [^`]*)`", section)
    assert len(steps) == 3
    printed = ""
    for step in steps:
        # What is not copied comes from this checkout, not from one that is installed.
        paths = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
        words = [sys.executable, *shlex.split(step)[1:]]
        done = subprocess.run(words, cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        printed = done.stdout
        assert "pytest" not in step or " passed" in printed
    assert Image.open(tmp_path / "kite.png").width == 4 * 384
    row = "| kite | toy kite | flies, toy | pointy, square | playroom, bedroom | any |"
    assert row in printed, "the last step prints the tables"


# The notebook

# The sizes that it has, and those of the test: the same cells in less time. Of fewer episodes none may have a request
# to lift that is fulfilled, which a cell shows.
SMALLER = {
    "episodes=300": "episodes=60, workers=1",
    "updates=300": "updates=4",
    "updates=60": "updates=2",
    "evaluation_episodes=16": "evaluation_episodes=2",
    "updates=10, slots=32": "updates=1, slots=4, batch=4",
    "episodes=40": "episodes=2",
}


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the notebook writes
    monkeypatch.delenv("MPLBACKEND", raising=False)  # or pictures are not shown in the notebook
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        for written, run in SMALLER.items():
            cell.source = cell.source.replace(written, run)
    client = nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # raises where a cell does
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    printed = "".join(output["text"] for output in outputs if output.get("name") == "stdout")
    assert "demonstrator  go" in printed and "BC+RL" in printed


def test_the_notebook_has_the_known_sizes_and_its_outputs_name_no_path_of_a_machine() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert [written for written in SMALLER if written not in text] == []
    assert "/tmp/" not in text and "/home/" not in text and "Traceback" not in text


def test_the_site_shows_the_notebook_with_its_outputs() -> None:
    text, pictures = site().notebook_page(NOTEBOOK)
    assert text.startswith("# Quickstart") and "```python\nfrom pathlib import Path" in text
    assert len(pictures) == 2 and all(picture.startswith(b"\x89PNG") for picture in pictures.values())
    assert all(f"]({name})" in text for name in pictures) and "demonstrator  go" in text
