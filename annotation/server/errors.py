"""A request that is refused, with a sentence for the person."""

from __future__ import annotations


class Refused(Exception):
    """Answered with ``status`` and ``said``; the transaction, if there is one, is undone.

    Args:
      retry_sec: after which it may go better; 0 does not say.
    """

    def __init__(self, status: int, said: str, retry_sec: float = 0.0) -> None:
        super().__init__(said)
        self.status, self.said, self.retry_sec = status, said, retry_sec
