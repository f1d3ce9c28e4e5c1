"""A request that is refused, with a sentence for the person."""

from __future__ import annotations


class Refused(Exception):
    """A request answered with an error; the transaction, if there is one, is undone.

    Args:
      retry_sec: seconds after which the request may succeed; 0: not known.
    """

    def __init__(self, status: int, said: str, retry_sec: float = 0.0) -> None:
        super().__init__(said)
        self.status, self.said, self.retry_sec = status, said, retry_sec
