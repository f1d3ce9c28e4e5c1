"""Error of a wrong command line, in a module of its own as the parser is slow to import."""

from __future__ import annotations

from worlds.errors import UserError


class UsageError(UserError):
    """No such command, preset or setting, or a value of the wrong kind. The command exits with status 2."""
