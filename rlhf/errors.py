"""The errors whose messages are written for people, apart from what raises them, which is slow to import."""

from __future__ import annotations


class UserError(Exception):
    """Bad input. The message is one line that names the file or setting and the mend; the command line
    prints it without a traceback and exits with a non-zero status."""


class RunError(RuntimeError):
    """A run that cannot go on. The message says what befell it and where; the command line prints it as one line."""
