"""`rlhf trust`: the user's own list of code and addresses that data may name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agents.language_models import LANGUAGE_MODEL_FILE
from rlhf.run.progress import announce
from rlhf.run.setting_forms import TrustedThings
from worlds.errors import UserError
from worlds.foreign_code import trust
from worlds.settings import settings

_LARGEST_FILE = 16_000_000  # bytes; what names code is far smaller


@settings
class TrustConfig:
    """Settings of `rlhf trust`.

    Args:
      things: Python files, or folders of datasets, runs, agents or language models with all the code and addresses they
        name; without one, the command prints the list.
      forget: remove these from the list instead of adding them.
    """

    things: TrustedThings = ()
    forget: bool = False


def trust_things(config: TrustConfig) -> None:
    """Add things to the user's list, remove them from it, or print it.

    A changed file is another one: it is trusted as it is now.

    Raises:
      UserError: a thing is missing, or names neither code nor an address.
    """
    if not config.things:
        for digest, what in trust.trusted().items():
            print(f"{digest[:12]}  {what}")
        return
    found = [one for thing in config.things for one in _named_by(Path(thing).expanduser())]
    if config.forget:
        names = {str(one) for one in found} | {one.digest for one in found}
        trust.forget(digest for digest, what in trust.trusted().items() if names & {digest, what})
    else:
        trust.trust(found)
    for one in found:
        announce(f"{'no longer trusted' if config.forget else 'trusted'}: {one} (SHA-256 {one.digest[:12]})")


def _named_by(path: Path) -> list[trust.Named]:
    """Return what a Python file is, or all that the files in a folder name."""
    if path.is_file():
        if path.suffix != ".py":
            raise UserError(f"{path} is no Python file; name one, or the folder of a dataset, a run or an agent")
        return [trust.python_file(path)]
    if not path.is_dir():
        raise UserError(f"{path} is missing; name a Python file, or the folder of a dataset, a run or an agent")
    found = {one.digest: one for file in sorted(path.rglob("*.json")) for one in _named_in(file)}
    if not found:
        raise UserError(f"{path} names neither code nor addresses; there is nothing to trust")
    return list(found.values())


def _named_in(file: Path) -> Iterator[trust.Named]:
    try:
        if file.stat().st_size > _LARGEST_FILE:
            return
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return  # damage is reported by the commands that use the folder
    if file.name == LANGUAGE_MODEL_FILE:
        model = content.get("model") if isinstance(content, dict) else None
        if isinstance(model, dict) and isinstance(model.get("address"), str):
            yield trust.address(model["address"], str(model.get("key_variable")))
    for value in _values(content):
        if isinstance(value, str):
            yield from (one for one in trust.code_named_by(value) if one.what != "module" or _is_installed(one.name))
        elif isinstance(value, dict) and isinstance(ray := value.get("ray"), dict):
            if isinstance(ray.get("address"), str):
                yield trust.ray_cluster(ray["address"])


def _is_installed(module: str) -> bool:
    """Return True if the package of a module is there; none is imported."""
    return find_spec(module.partition(".")[0]) is not None


def _values(content: Any) -> Iterator[Any]:
    """Yield every value in what JSON holds, however deep."""
    waiting = [content]
    while waiting:
        yield (one := waiting.pop())
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
