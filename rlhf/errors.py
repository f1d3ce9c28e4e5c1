"""The one error that users cause and can mend."""

from __future__ import annotations


class UserError(Exception):
    """Bad input. The message is one line that names the file or setting and the mend; the command line
    prints it without a traceback and exits with a non-zero status."""
