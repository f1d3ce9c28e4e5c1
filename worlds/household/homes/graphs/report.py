"""Report of an import: what was not understood, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator

SHOWN = 5  # examples a note


class Report:
    """Notes, each with the things that it is about."""

    def __init__(self) -> None:
        self._notes: dict[str, list[str]] = {}

    def note(self, text: str, about: str = "") -> None:
        """Add a note, or what else it is about.

        Args:
          text: of the note, the same for all that it is about.
          about: a thing, e.g. "fridge 23".
        """
        self._notes.setdefault(text, []).append(about)

    def lines(self) -> Iterator[str]:
        """Yield a line for each note: how many things it is about, the first of them, and the note."""
        for text, about in self._notes.items():
            named = [each for each in dict.fromkeys(about) if each]
            more = f", and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            yield f"{text}: {', '.join(named[:SHOWN])}{more}" if named else text

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __len__(self) -> int:
        return len(self._notes)
