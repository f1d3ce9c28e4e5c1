"""The error of a command line that cannot be understood, apart from the parser, which is slow to import."""

from __future__ import annotations

from worlds.errors import UserError


class UsageError(UserError):
    """No such command, preset or setting, or a value of the wrong kind. The command exits with status 2."""
