"""The packages that the project declares, those that it imports, and the versions in constraints/."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OF_THE_LOWEST = ("minari", "rlds", "test", "video")  # extras, those whose lower bounds are tried


def requirements(*extras: str) -> list[Requirement]:
    """Return what the project and some of its extras ask for, without references to other extras."""
    texts = [*PROJECT["dependencies"], *(text for extra in extras for text in EXTRAS[extra])]
    return [each for each in map(Requirement, texts) if each.name != PROJECT["name"]]


def pinned(name: str) -> dict[str, Version]:
    """Return the versions in a file of constraints/, by the package's canonical name.

    Every line is name==version with an optional marker: no index, hash, file or local version, which would fit only
    some machines.
    """
    found = {}
    for line in (ROOT / "constraints" / name).read_text().splitlines():
        assert re.fullmatch(r"[a-z0-9._-]+==[a-z0-9.]+( ; .+)?", line), f"{name}: {line}"
        package, _, version = line.partition(" ;")[0].partition("==")
        found[package] = Version(version)
    return found


def test_the_lock_has_a_version_that_fits_for_every_package() -> None:
    lock = pinned("locked.txt")
    for each in requirements(*EXTRAS):
        version = lock.get(canonicalize_name(each.name))
        assert version is not None and each.specifier.contains(version), f"{each} is {version}: make lock"


def test_the_lowest_versions_are_those_that_are_declared() -> None:
    lowest = pinned("lowest.txt")
    for each in requirements(*OF_THE_LOWEST):
        bounds = [Version(one.version) for one in each.specifier if one.operator == ">="]
        assert bounds, f"{each} has no lower bound"
        assert lowest[canonicalize_name(each.name)] == bounds[0], f"{each}: make lock, or raise the bound"


@pytest.mark.parametrize("folder", ["worlds", "agents", "annotation", "reward_models", "rlhf", "pipelines"])
def test_every_imported_package_is_declared(folder: str) -> None:
    declared = {canonicalize_name(each.name) for each in requirements(*EXTRAS)}
    installed = packages_distributions()
    for path in (ROOT / folder).rglob("*.py"):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for name in names:
                distributions = {canonicalize_name(one) for one in installed.get(name.partition(".")[0], [])}
                distributions.discard(PROJECT["name"])
                assert not distributions or distributions & declared, f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("target", ["unit-locked", "unit-newest", "unit-lowest"])
def test_the_tests_that_call_other_packages_are_where_the_makefile_says(target: str) -> None:
    recipe = subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    named = re.findall(r"tests/[\w/.]+", recipe)
    assert named and not [path for path in named if not (ROOT / path).exists()]
