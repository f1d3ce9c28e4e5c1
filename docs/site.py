"""MkDocs hook: pages from outside docs/ (the repository's root, experiments), and from the commands themselves."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from docs import apartments, appendix_b, language_tables, playhouse_catalogue, school_tree
from pipelines.cli.main import GROUPS, Verb
from pipelines.cli.own_settings import Own, declared
from pipelines.cli.settings import all_settings
from rlhf.records.json_records import to_json

ROOT = Path(__file__).resolve().parents[1]
# Further tables and methods of experiments, and rules for contributors, are in the repository only.
OUTSIDE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"} | {
    path.relative_to(ROOT).as_posix(): f"{path.parent.name}.md"
    for path in sorted((ROOT / "experiments").glob("*/README.md"))
}
PAGES = OUTSIDE | {"examples/quickstart.ipynb": "quickstart.md"}
NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"
COMMANDS_READER = """**For** users of the command line. **After it** you know every setting and its default.
`rlhf COMMAND --help` prints those that people change, `--help all` the same as here. [The loop, step by
step](docs/loop.md) shows the commands at work, and `--preset NAME` starts each from the settings of a preset.

A setting is written `--name value` or `--name=value`; a switch also `--name` and `--no-name`; a list `--name 1 2`."""
PLAYHOUSE_READER = """Commands with `--world` and `--players` have these settings of the Playhouse and of its scripted
players, as flags, as JSON text (`--world.settings`), or in a JSON or TOML file. Another world has its own, which
`rlhf record --world.name NAME --help all` lists."""
MADE: dict[str, dict[str, Callable[[], str]]] = {  # by page and marker
    "appendix-b.md": {"lines": appendix_b.all_lines},
    "household.md": {"apartments": apartments.apartments, "catalogue": apartments.catalogue},
    "language.md": language_tables.TABLES,
    "playhouse.md": playhouse_catalogue.TABLES,
    "school-tree.md": {"ids": school_tree.table},
}
_LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not files of docs/."""
    for name, page in OUTSIDE.items():
        text = _links((ROOT / name).read_text(encoding="utf-8"), (ROOT / name).parent)
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "commands.md", content=_links(commands_page(), ROOT)))
    text, pictures = notebook_page(NOTEBOOK)
    files.append(File.generated(config, "quickstart.md", content=_links(text, NOTEBOOK.parent)))
    for name, picture in pictures.items():
        files.append(File.generated(config, name, content=picture))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Have links that leave docs/ lead to the page made of their target, or to nothing where there is none."""
    return made_from_code(page.file.src_uri, _links(markdown, ROOT / "docs")) if page.file.abs_src_path else markdown


def made_from_code(page: str, markdown: str) -> str:
    """Return the page with the tables that only the site has."""
    for place, table in MADE.get(page, {}).items():
        markdown = markdown.replace(f"<!-- {place} -->", table())
    return markdown


def _links(text: str, folder: Path) -> str:
    def link(found: re.Match[str]) -> str:
        label, target, anchor = found[1], found[2], found[3] or ""
        if "://" in target:
            return found[0]
        path = (folder / target).resolve()
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
        if name in PAGES:
            return f"{label}({PAGES[name]}{anchor})"
        if name.startswith("docs/") and not name.startswith("docs/log/"):
            return f"{label}({name.removeprefix('docs/')}{anchor})"
        return f"`{name}`" if path.exists() else found[0]  # code is in the repository, not on the site

    return _LINK.sub(link, text)


def notebook_page(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook with its outputs as Markdown, and its pictures by the name that the Markdown gives them."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            if "text" in output:
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            elif (png := output.get("data", {}).get("image/png")) is not None:
                name = f"figures/{path.stem}-{len(pictures)}.png"
                pictures[name] = base64.b64decode("".join(png))
                parts.append(f"![output of the cell above]({name})")
    parts.append(f"This page is the notebook `{path.relative_to(ROOT).as_posix()}` with its outputs.")
    return "\n\n".join(parts) + "\n", pictures


def commands_page() -> str:
    """Every command with its settings, as Markdown."""
    parts = ["# Commands and settings", COMMANDS_READER]
    for title, verbs in GROUPS:
        parts.append(f"## {title[0].upper()}{title[1:]}")
        parts += [_command(verb) for verb in verbs]
    return "\n\n".join([*parts, _playhouse()]) + "\n"


def settings_by_command() -> dict[str, set[str]]:
    """Return the names of the settings of every command, as they are typed after ``--``."""
    verbs = [verb for _, verbs in GROUPS for verb in verbs]
    return {
        verb.name: {_typed(one.name) for one in all_settings(_kind(verb))} | set(_own(_kind(verb))) for verb in verbs
    }


def _kind(verb: Verb) -> type:
    return verb.load()[0]


def _command(verb: Verb) -> str:
    rows = [
        f"| `--{_typed(one.name)}` | {_shown(one.default)} | {one.about.replace('|', chr(92) + '|')} |"
        for one in all_settings(_kind(verb))
    ]
    head = f"### rlhf {verb.name}\n\n{verb.help[0].upper()}{verb.help[1:]}."
    return "\n".join([head, "", "| setting | default | meaning |", "|---|---|---|", *rows]) if rows else head


def _typed(name: str) -> str:
    return ".".join(part.rstrip("_") for part in name.split(".")).replace("_", "-")


def _own(kind: type) -> Iterator[str]:
    """Yield the flags of own settings of the Playhouse, its scripted players and agents' networks."""
    own = Own([one.name for one in all_settings(kind)], (), None)
    for owner in own.owners:
        yield from (_typed(f"{owner}.{name}") for name in declared(None, owner.rpartition(".")[2]))


def _playhouse() -> str:
    """Settings of the Playhouse and of its scripted players, once for all commands."""
    parts = ["## Settings of the Playhouse", PLAYHOUSE_READER]
    for group in ("world", "players"):
        rows = [
            f"| `--{group}.{name.replace('_', '-')}` | {_shown(setting.default)} | {setting.about} |"
            for name, setting in declared(None, group).items()
        ]
        parts.append("\n".join(["| setting | default | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _shown(default: Any) -> str:
    if default is MISSING:
        return "required"
    if default is None:
        return "none"
    value = to_json(default)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"`{text}`".replace("|", "\\|") if text else "empty"
