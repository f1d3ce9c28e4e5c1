"""Paraphrases with slots: said by choice of one, read back in every way in which they fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from worlds.data_files import read_entries
from worlds.playhouse.requests.phrasing import Phrasing


class Templates(Phrasing):
    """Paraphrases of one kind of request, e.g. "(put|place) {x} under {y}"; see :class:`Phrasing`."""

    def readings(self, words: str) -> Iterator[dict[str, str]]:  # type: ignore[override]
        """Yield the words in the slots for every way in which ``words`` fit, most fixed words first."""
        for slots in super().readings(words):
            yield {name: " ".join(taken) for name, taken in slots.items()}


def patterns_of(subject: str) -> Mapping[str, tuple[str, ...]]:
    """Return the patterns of a subject's games, those of each :class:`Phrasing` by name, from ``data/SUBJECT.json``."""
    return read_entries(Path(__file__).parent / "data" / f"{subject}.json", tuple[str, ...])
