"""The command line.

A signal that comes while `rlhf` imports what it begins with, or after it has ended, ends it quietly: nothing is at
work. Between them signals are handled by :mod:`rlhf.run.stopping`.
"""

import os
import signal
import sys


def _end(number: int, _: object) -> None:
    os._exit(128 + number)


if os.path.basename(sys.argv[0]) == "rlhf":
    for _number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(_number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(_number, _end)
