"""A request that is refused, with a sentence for the person."""

from __future__ import annotations


class Refused(Exception):
    """Answered with ``status`` and ``said``; the transaction, if there is one, is undone."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said
