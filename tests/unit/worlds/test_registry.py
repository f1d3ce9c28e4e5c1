"""Worlds of other packages are found by their entry point, and a bad one is named in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from worlds import plugins, registry
from worlds.contract import WorldError


@pytest.fixture
def announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a module that a package announces as the world ``elsewhere``."""
    point = EntryPoint("elsewhere", "elsewhere_world", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setattr(registry._registry, "_entries", dict(registry._registry._entries))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere_world", raising=False)
    return tmp_path / "elsewhere_world.py"


def test_a_world_of_another_package_is_found(announced: Path) -> None:
    announced.write_text(
        "from worlds.registry import WorldEntry, register\nregister(WorldEntry('elsewhere', *[print] * 6, ()))\n"
    )
    assert "elsewhere" in registry.names()
    assert registry.get("elsewhere").name == "elsewhere"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("", "its module elsewhere_world registers no world of that name; .* of the group interactive_rlhf.worlds"),
        (
            "import no_such_package",
            "its module elsewhere_world fails to import: ModuleNotFoundError: .*no_such_package",
        ),
        ("raise OSError('two\\nlines')", "its module elsewhere_world fails to import: OSError: two lines"),
        (None, "its module elsewhere_world fails to import: ModuleNotFoundError: No module named 'elsewhere_world'"),
    ],
)
def test_a_bad_entry_point_is_one_line(announced: Path, source: str | None, complaint: str) -> None:
    if source is not None:
        announced.write_text(source)
    with pytest.raises(WorldError, match=f"^world 'elsewhere': {complaint}") as caught:
        registry.get("elsewhere")
    assert "\n" not in str(caught.value)


def test_the_playhouse_loads_no_window_library() -> None:
    code = "import sys; from worlds import registry; registry.get('playhouse'); print('glfw' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "False\n"
