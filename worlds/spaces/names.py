"""The check of names that a world declares."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 64


def check_names(where: str, what: str, names: Sequence[str], error: type[Exception], empty: bool = False) -> None:
    """Raise ``error`` for the first name that is not short printable text or occurs twice; "" counts as one if
    ``empty``.
    """
    known: set[str] = set()
    for name in names:
        fits = isinstance(name, str) and len(name) <= _LONGEST and (name or empty) and name.isprintable()
        if not fits:
            raise error(f"{where}, {what}: {str(name)[:80]!r} is no printable name of at most {_LONGEST} characters")
        if name in known:
            raise error(f"{where}, {what}: two are named {name!r}")
        known.add(name)
