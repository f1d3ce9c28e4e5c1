"""Language models as agents: prompts made of texts, answers read as actions, and the models that answer."""

from __future__ import annotations

from pathlib import Path

LANGUAGE_MODEL_FILE = "language_model.json"


def is_language_model(folder: str | Path) -> bool:
    """Return True if ``folder`` is that of a language model that acts. What reads it is imported only then."""
    return (Path(folder) / LANGUAGE_MODEL_FILE).is_file()
