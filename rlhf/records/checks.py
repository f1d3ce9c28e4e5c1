"""Checks of the fields of marks, judgements and preferences; each error is one line."""

from __future__ import annotations

from numbers import Integral


def check_texts(**texts: object) -> None:
    """Raise ValueError for the first that is no text, or none that can be written."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{name} is {text!r}, not text")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{name} is {text!r}, not text of Unicode characters") from None


def check_flags(what: str, **flags: object) -> None:
    """Raise ValueError for the first that is neither True nor False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} of {what} is {flag!r}, not True or False")


def is_whole(value: object) -> bool:
    """Return whether ``value`` is a whole number, of Python or NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)
