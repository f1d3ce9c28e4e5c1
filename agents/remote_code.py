"""Code that a folder of `transformers` brings is never run.

``trust_remote_code=False`` does not reach configurations inside others: models that have a part of another type make it
without asking their caller. Without time for an answer, `transformers` refuses such code instead of asking whether to
run it.
"""

from __future__ import annotations

import transformers.dynamic_module_utils as dynamic_module_utils


def refuse_remote_code() -> None:
    """Have `transformers` refuse code of folders, in this process, wherever it would ask for permission."""
    dynamic_module_utils.TIME_OUT_REMOTE_CODE = 0
