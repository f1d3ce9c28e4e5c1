"""Limits on guessed passwords. They are kept in memory; a restart of the server clears them.

Guesses count for every name, whether or not anybody has it, so that a refusal does not reveal who takes part. A
stranger's guesses must not lock the person out, so each address has guesses of its own, and so has each browser in
which the person has signed in before.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from annotation.server.errors import Refused
from annotation.server.security.limits import RateLimit

AT_ONCE, EVERY_SEC = 10, 60.0  # of a name from one address, or in one known browser
AT_ONCE_IN_ALL, EVERY_SEC_IN_ALL = 60, 20.0  # of a name from all addresses; three of them cannot use it up


class Guesses:
    """Counts wrong passwords.

    Args:
      clock: seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._one_place = RateLimit(1 / EVERY_SEC, AT_ONCE, clock)
        self._all_places = RateLimit(1 / EVERY_SEC_IN_ALL, AT_ONCE_IN_ALL, clock)

    def begin(self, name: str, address: str, browser: str | None) -> Callable[[], None]:
        """Count a guess, before it is known whether it is right.

        Args:
          name: the person's name, as :func:`rlhf.records.marks.rater_key` returns it.
          browser: id of the browser if the person has signed in there before; None for others.

        Returns a function to call if the guess is right, so that it does not count.

        Raises Refused if there were too many wrong passwords.
        """
        limits = [(self._one_place, f"{name} in {browser}")]
        if browser is None:
            limits = [(self._one_place, f"{name} from {address}"), (self._all_places, name)]
        for limit, key in limits:
            if wait := limit.wait(key):
                raise Refused(429, "too many wrong passwords for this name; wait a minute, or ask for a link", wait)

        def right() -> None:
            for limit, key in limits:
                limit.give_back(key)

        return right
