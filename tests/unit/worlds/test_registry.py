"""Worlds of other packages are found by their entry point, and a bad one is named in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.distributions import installed
from worlds import registry
from worlds.contract import WorldError


@pytest.fixture
def announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The module of an installed package that announces the world ``elsewhere``."""
    monkeypatch.setattr(registry._registry, "_entries", dict(registry._registry._entries))
    with installed(tmp_path, registry.ENTRY_POINT_GROUP, "elsewhere", "") as module:
        yield module


def test_a_world_of_another_package_is_found(announced: Path) -> None:
    entry = "WorldEntry('elsewhere', *[print] * 6, ())"
    announced.write_text(f"from worlds.registry import WorldEntry, register\nregister({entry})\n")
    assert "elsewhere" in registry.names() and registry.is_found_anywhere("elsewhere")
    assert registry.get("elsewhere").name == "elsewhere"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("", "registers no world of that name; .* of the group interactive_rlhf.worlds"),
        ("import no_such_package", "fails to import: ModuleNotFoundError: .*no_such_package"),
        ("raise OSError('two\\nlines')", "fails to import: OSError: two lines"),
    ],
)
def test_a_bad_entry_point_is_one_line(announced: Path, source: str, complaint: str) -> None:
    announced.write_text(source)
    with pytest.raises(WorldError, match=f"^world 'elsewhere': its module elsewhere_module {complaint}") as caught:
        registry.get("elsewhere")
    assert "\n" not in str(caught.value)


def test_the_playhouse_loads_no_window_library() -> None:
    code = "import sys; from worlds import registry; registry.get('playhouse'); print('glfw' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("name", ["playhouse", "household", "school"])
def test_requests_of_the_two_splits_differ_where_the_entry_says_so(name: str) -> None:
    entry = registry.get(name)
    world = entry.make()
    asked: dict[str, set[str]] = {"train": set(), "held_out": set()}
    for seed in range(4):
        world.reset(seed, {"config": entry.sample_config(seed)})
        for split, found in asked.items():
            specs = (entry.probe(probe, world, seed, split) for probe in entry.probes)
            found.update(spec.instruction for spec in specs if spec)
    assert all(asked.values())
    assert asked["train"].isdisjoint(asked["held_out"]) == entry.splits_requests
