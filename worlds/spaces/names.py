"""The check of names that a world declares."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 64


def check_names(where: str, what: str, names: Sequence[str], error: type[Exception], empty: bool = False) -> None:
    """Refuse names that are not short text, or that occur twice.

    Args:
      where: the thing that has them, for the message.
      what: the thing that they name, for the message.
      names: to be checked.
      error: what is raised.
      empty: whether one may be "".

    Raises:
      Exception: ``error``, naming the first.
    """
    known: set[str] = set()
    for name in names:
        fits = isinstance(name, str) and len(name) <= _LONGEST and (name or empty) and name.isprintable()
        if not fits:
            raise error(f"{where}, {what}: {str(name)[:80]!r} is no printable name of at most {_LONGEST} characters")
        if name in known:
            raise error(f"{where}, {what}: two are named {name!r}")
        known.add(name)
