"""Descriptions of settings, from the docstrings of what declares them."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from typing import Any

_SECTION = re.compile(r"^Args:\n((?:[ ]+.*\n?|\n)*)", re.MULTILINE)


@functools.cache
def arguments(declares: Any) -> dict[str, str]:
    """Return the description of each argument in a Google-style docstring; a class has those of its bases too."""
    found: dict[str, str] = {}
    for one in reversed(declares.__mro__) if isinstance(declares, type) else (declares,):
        section = _SECTION.search(inspect.cleandoc(one.__doc__ or "") + "\n")
        name = ""
        for line in textwrap.dedent(section[1]).splitlines() if section else ():
            if start := re.match(r"(\w+): (.*)", line):
                name, found[start[1]] = start[1], start[2]
            elif name and line.strip():
                found[name] += " " + line.strip()
    return {name: re.sub(r"``|:\w+:`~?([^`]*)`", r"\1", text) for name, text in found.items()}
