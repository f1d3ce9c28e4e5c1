"""Settings of the play that an agent learned from, kept beside its weights as the defaults of later play.

They are a JSON object. The pipelines write and read it; here it is only kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PLAY_SETTINGS_FILE = "play_settings.json"


def save_play_settings(settings: Mapping[str, Any], folder: Path) -> Path:
    """Write ``settings`` into the agent's ``folder``."""
    path = folder / PLAY_SETTINGS_FILE
    path.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def load_play_settings(folder: str | Path) -> dict[str, Any] | None:
    """Return the settings in the agent's ``folder``; None if it has none, as agents of older versions.

    Raises:
      ValueError: the file cannot be read.
    """
    path = Path(folder) / PLAY_SETTINGS_FILE
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged ({error})") from error
    if not isinstance(settings, dict):
        raise ValueError(f"{path} is damaged (it holds no object)")
    return settings
