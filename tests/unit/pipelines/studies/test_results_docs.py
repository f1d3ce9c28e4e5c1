"""The page on results knows every result, its command, its arms, and every setting with its default."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from pipelines.cli.reproduce import ReproduceConfig, results

PAGE = (Path(__file__).parents[4] / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", results())
def test_every_result_has_its_section(name: str) -> None:
    _, found, section = PAGE.partition(f"\n## {name}\n")
    section = section.partition("\n## ")[0]
    assert found and f"`rlhf reproduce {name}`" in section and f"<!-- table: {name} -->" in section
    assert f"[`{name}`](#{name})" in PAGE and name in str(ReproduceConfig.__doc__)
    preset = importlib.import_module(f"pipelines.runs.{name}")
    for arm in preset.study().arms if hasattr(preset, "study") else ():
        kind, _, size = arm.partition(", ")
        told = (f"`{kind}, SIZE`", f"`{size}`") if name == "sizes" else (f"`{arm}`",)
        assert all(words in section for words in told), arm


def test_every_setting_is_there() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    defaults = ReproduceConfig()
    for field in fields(ReproduceConfig):
        value = getattr(defaults, field.name)
        told = {"arms": "all", "device": "the preset's (`cpu`)", "seeds": "0 1 2"}.get(field.name, str(value))
        assert table[field.name].strip("`") == told.strip("`"), field.name


def test_every_file_that_is_linked_is_there() -> None:
    docs = Path(__file__).parents[4] / "docs"
    for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", PAGE):
        assert (docs / link).is_file(), link
