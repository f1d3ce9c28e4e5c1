"""Every file, heading, module, function, command and setting that a document names is there."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from experiments.engine.page import TABLE
from experiments.interactive_agents.rater_noise import RESULTS_FILE
from experiments.interactive_agents.rater_noise_figure import FIGURE_FILE
from pipelines.cli.own_settings import declared
from pipelines.diagnose.diagnosis import DIAGNOSIS_FILE, PART_WORDS
from pipelines.diagnose.eyes.findings import EYES_FILE
from pipelines.diagnose.eyes.readings import READING_WORDS
from pipelines.diagnose.eyes.report import EYES_PAGE
from pipelines.stages.episodes.division import DIVISION_FILE
from tests.unit.docs.pages import CURRENT, FOLDERS, PAGES, ROOT, blocks, code, page_name, site

# Files of a study's folder, whose names look like modules of the package `annotation`.
STUDY_FILES = {f"annotation.{end}" for end in ("sqlite", "secret", "cache", "games", "server.lock")}
ENDINGS = ("py", "ts", "tsx", "svelte", "md", "json", "ipynb", "yml", "toml")

_PATH = re.compile(rf"(?<![\w./:-])(?:{'|'.join(FOLDERS)}|docs|examples)/[\w./-]*")
_DOTTED = re.compile(rf"(?<![\w./:-])(?:{'|'.join(FOLDERS)})(?:\.[A-Za-z_]\w*)+(?![\w/])")
_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
_BARE = re.compile(rf"^[\w-]+\.(?:{'|'.join(ENDINGS[:4])})$")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    lost = []
    for target, anchor in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in target and target != "commands.md":  # which the site makes from code
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
                lost.append(f"{target}#{anchor}" if anchor else target)
    assert lost == []


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@cache
def sources() -> dict[str, list[Path]]:
    """Return the paths of all files of code, by their last component."""
    found: dict[str, list[Path]] = {}
    for folder in (*FOLDERS, "docs", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if "node_modules" not in path.parts and path.suffix.lstrip(".") in ENDINGS:
                found.setdefault(path.name, []).append(path)
    return found


@pytest.mark.parametrize("page", CURRENT, ids=page_name)
def test_paths_exist(page: Path) -> None:
    named = {path for text in code(page) for path in _PATH.findall(text)}
    missing = [path for path in sorted(named) if not (ROOT / path.rstrip(".")).exists()]
    bare = {text for text in code(page) if _BARE.match(text)}
    assert missing + sorted(bare - sources().keys()) == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_trees_of_folders_are_as_drawn(page: Path) -> None:
    for block in blocks(page):
        if re.match(rf"(?:{'|'.join(FOLDERS)})/", block.text):
            assert [path for path in _drawn(block.text) if not (ROOT / path).exists()] == [], block.line


def _drawn(tree: str) -> Iterator[str]:
    """Return the paths of a tree: names before the first double space, indented by two under their folder."""
    above: list[str] = []
    for line in tree.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        for each in re.split(r"\s{2,}", line.strip())[0].split(", "):
            if re.fullmatch(r"[\w./-]+(?:/|\.\w+)", each):
                yield "/".join([*above[:depth], each.rstrip("/")])
                above = [*above[:depth], each.rstrip("/")]


def test_the_architecture_draws_every_package() -> None:
    page = ROOT / "docs" / "architecture.md"
    tree = next(block.text for block in blocks(page) if block.text.startswith("worlds/"))
    drawn = set(_drawn(tree)) | {f"annotation/server/{each}" for each in re.findall(r"(\w+)/[,\n]", tree)}
    packages = {path.parent for top in FOLDERS[:7] for path in (ROOT / top).rglob("__init__.py")}
    named = {path.relative_to(ROOT).as_posix() for path in packages}
    assert {each for each in named - drawn if "migrations" not in each} == set()


@pytest.mark.parametrize("page", CURRENT, ids=page_name)
def test_dotted_names_exist(page: Path) -> None:
    named = {dotted for text in code(page) for dotted in _DOTTED.findall(text)} - STUDY_FILES
    ended = {dotted for dotted in named if dotted.rpartition(".")[2] in ENDINGS}
    assert [dotted for dotted in sorted(named - ended) if not exists(dotted)] == []


def exists(dotted: str) -> bool:
    """Return whether a dotted name leads to a module, or to something that a module defines or imports."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                found = _defines(ast.parse(file.read_text(encoding="utf-8")).body, parts[length:])
                return found or (parts[:length] == ["pipelines"] and exists(f"pipelines.api.{'.'.join(parts[1:])}"))
    return ROOT.joinpath(*parts).is_dir()


def _defines(body: list[ast.stmt], names: list[str]) -> bool:
    if not names:
        return True
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and statement.name == names[0]:
            return isinstance(statement, ast.ClassDef) and _defines(statement.body, names[1:]) or len(names) == 1
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(target, ast.Name) and target.id == names[0] for target in targets):
                return True
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if any((alias.asname or alias.name) == names[0] for alias in statement.names):
                return True
        if isinstance(statement, ast.If) and _defines(statement.body, names):  # `if TYPE_CHECKING:`
            return True
    return False


def test_functions_of_the_table_where_do_i_change_are_in_the_files_beside_them() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    several = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    tables = page[page.index("## Where do I change") :] + several
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", tables, re.MULTILINE)
    rows = [row for row in rows if row[0] != "to change"]
    assert len(rows) > 30
    for change, where in rows:
        quoted = re.findall(r"`([^`]+)`", where)
        files = [ROOT / each for each in quoted if _PATH.fullmatch(each) and (ROOT / each).is_file()]
        text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        assert files or any((ROOT / each).is_dir() for each in quoted), change
        names = [each for each in quoted if re.fullmatch(r"[A-Za-z_][\w.]*", each) and not each.endswith(ENDINGS)]
        assert [part for each in names for part in each.split(".") if not defines(text, part)] == [], change


def defines(text: str, name: str) -> bool:
    """Return whether source code has a function, class, constant or field of this name."""
    found = rf"\b(?:def|class|function|const|type|interface) {name}\b|^ *{name}\b.*[:=]"
    return re.search(found, text, re.MULTILINE) is not None


@pytest.mark.parametrize("page", CURRENT, ids=page_name)
def test_commands_and_their_settings_exist(page: Path) -> None:
    known = settings()
    for block in blocks(page):
        if block.language in ("", "bash", "sh"):
            for line in block.text.replace("\\\n", " ").splitlines():
                if line.startswith("rlhf "):
                    check(line.partition(" #")[0].partition(" > ")[0], known)
    for text in code(page):
        if re.match(r"rlhf [a-z]+[^\n]*$", text):
            check(text, known)


def test_the_page_on_the_server_has_every_setting() -> None:
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert [each for each in settings()["serve"] if f"`--{each}`" not in page] == []


@cache
def settings() -> dict[str, set[str]]:
    known = site().settings_by_command()
    return {command: names | _own_settings(names) for command, names in known.items()}


def _own_settings(names: set[str], world: str | None = None) -> set[str]:
    """Return the settings of a world, by default the Playhouse, and of its players that a command with these has."""
    owners = {name.rpartition(".")[0] for name in names if name.endswith(("world.settings", "players.setter"))}
    return {
        f"{owner}.{setting.replace('_', '-')}"
        for owner in owners
        for setting in _declared_by(world, owner.rpartition(".")[2])
    }


@cache
def _declared_by(world: str | None, group: str) -> tuple[str, ...]:
    return tuple(declared(world, group))


def check(line: str, known: dict[str, set[str]]) -> None:
    """Fail where a command line has a command or a setting that the program lacks."""
    words = shlex.split(line.replace("`", "").replace("...", ""))[1:]
    if not words or words[0].isupper() or words[0].startswith("--") or "|" in line:
        return
    command = next((" ".join(words[:length]) for length in (2, 1) if " ".join(words[:length]) in known), None)
    if command is None:
        assert any(each.startswith(f"{words[0]} ") for each in known), line
        return
    everywhere = {"help", "preset", "version"}
    for world in {"household", "school"} & set(words):
        everywhere |= _own_settings(known[command], world)
    for word in words:
        if match := re.match(r"--(?:no-)?([A-Za-z][\w.-]*)", word):
            typed = match[1].replace("_", "-")
            names = known[command] | everywhere
            assert typed in names or word[2:].partition("=")[0] in names, f"{line}: {word}"


def test_the_page_on_diagnostics_names_every_part_reading_and_file() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    files = (DIAGNOSIS_FILE, DIVISION_FILE, EYES_FILE, EYES_PAGE, FIGURE_FILE, RESULTS_FILE, TABLE)
    assert [name for name in (*PART_WORDS, *READING_WORDS, *files) if f"`{name}`" not in page] == []


def test_every_figure_is_shown() -> None:
    shown = {Path(link).name for page in PAGES for link in re.findall(r"\]\(([^)#]+\.png)\)", page.read_text("utf-8"))}
    assert {path.name for path in (ROOT / "docs" / "figures").iterdir()} - shown == set()
