"""Functions of tests in a process of their own. A fork has all imports, which take a new process seconds."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable


def forked(function: Callable[[], object]) -> int:
    """Call ``function`` in a fork of this process and wait for its end.

    Returns:
      0 where it returned, 1 where it raised (the traceback is printed), or minus the signal that killed the fork.
    """
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
