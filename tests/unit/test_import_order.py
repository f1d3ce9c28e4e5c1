"""Imports run in one direction: every folder imports only from those to its left, and no two files import each other.

Names of modules in strings count as imports: a command that starts ``python -m reward_models.scores.tracing`` needs
it, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ORDER = ("worlds", "agents", "rlhf", "annotation", "reward_models", "pipelines", "experiments")
# Inside a folder: its subfolders from left to right. Those that stand side by side do not import each other.
INSIDE = {
    folder: tuple(tuple(group.split()) for group in order.split(" < "))
    for folder, order in {
        "worlds": "spaces < contract < foreign_code < checks drawing < playhouse household school foreign",
        "worlds.playhouse": "house < physics < drawing < navigation < requests < games < scenarios < players < probes",
        "worlds.household": "state < catalogue < navigation < homes < observing < rules < tasks < players < drawing",
        "worlds.school": "parameters < grid < observing < drawing < peers < problems < players < environments",
        "agents": "networks learning language_models pretrained",
        "rlhf.store": "columns < files < folder < upkeep < transfer",
        "rlhf": "records < store < run < data < replay < learning < distributed",
        "pipelines.exchange": "lerobot minari rlds",
        "pipelines.stages": "settings < episodes < running < outcomes",
        "pipelines": "exchange stages charts < report < suite diagnose loops < presets < api cli",
        "experiments": "engine < interactive_agents watch_and_help social_ai babyai overcooked door",
        "experiments.watch_and_help": "watching policies marking < helping < commands",
        "experiments.social_ai": "film exploration ppo < feedback",
    }.items()
}


@cache
def modules() -> dict[str, Path]:
    """Path of every module, by its dotted name."""
    files = (path for folder in ORDER for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts)
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


@cache
def imported(module: str) -> frozenset[str]:
    """Modules of the project that ``module`` names in imports, at any depth of the file, and in strings."""
    return frozenset(_named(ast.parse(modules()[module].read_text(encoding="utf-8"))))


def _named(tree: ast.AST) -> Iterator[str]:
    known = modules()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value.partition(":")[0]  # an entry point is "module:function"
    # Names of other packages and texts are dropped by those who ask.


# In these folders the files beside the subfolders put them together, so the order is that of the subfolders alone.
FREE_BESIDE = {"worlds", "worlds.playhouse", "worlds.household", "worlds.school", "agents", "rlhf.store"}
FREE_BESIDE |= {"pipelines", "pipelines.exchange", "pipelines.stages"}
FREE_BESIDE |= {"experiments", "experiments.watch_and_help", "experiments.social_ai"}


def runs_against(module: str, other: str) -> bool:
    """Return True if an import of ``other`` by ``module`` runs against the order."""
    here, there = (ORDER.index(name.partition(".")[0]) for name in (module, other))
    if here != there:
        return there > here
    return any(_runs_against_inside(folder, module, other) for folder in INSIDE)


def _runs_against_inside(folder: str, module: str, other: str) -> bool:
    if not (module.startswith(f"{folder}.") and other.startswith(f"{folder}.")):
        return False
    (here, mine), (there, its) = (_place(folder, name) for name in (module, other))
    if folder in FREE_BESIDE and -1 in (here, there):
        return False
    return there > here or (there == here and mine != its)


def _place(folder: str, module: str) -> tuple[int, str]:
    """Number and name of the subfolder of ``folder`` that holds ``module``; -1 and no name beside them."""
    name = module.removeprefix(f"{folder}.").partition(".")[0]
    return next(((number, name) for number, group in enumerate(INSIDE[folder]) if name in group), (-1, ""))


def test_every_subfolder_has_its_place() -> None:
    for top, groups in INSIDE.items():
        found = {path.parent.name for path in ROOT.joinpath(*top.split(".")).glob("*/__init__.py")}
        assert found == {name for group in groups for name in group}


def test_imports_run_in_one_direction() -> None:
    against = [
        f"{module} imports {other}"
        for module in modules()
        for other in imported(module) & modules().keys()
        if runs_against(module, other)
    ]
    assert against == []


def test_an_import_against_the_order_is_found() -> None:
    assert runs_against("worlds.playhouse.house.record", "agents.batch")
    assert runs_against("worlds.playhouse.physics.scene", "worlds.playhouse.requests.success")
    assert runs_against("agents.networks.trunk", "agents.learning.cloning")
    assert runs_against("rlhf.store.columns.tables", "rlhf.run.config")
    assert not runs_against("agents.agent", "agents.networks.trunk")
    assert not runs_against("worlds.playhouse.world", "worlds.playhouse.physics.scene")


def test_no_files_import_each_other_in_a_circle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for other in sorted(_at_import(module)):
                visit(other, (*path, module))
            done.add(module)

    for module in modules():
        visit(module, ())


def _at_import(module: str) -> set[str]:
    """Modules that must be loaded before ``module`` is: those of its imports outside functions."""
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = set(_named(ast.Module(body=list(top), type_ignores=[])))
    return {other for other in found & modules().keys() if other != module}
