"""The gate in front of all code and addresses that data can name.

A dataset, a run or an agent's folder may name a Python file, a module or the address of a service, and someone else
may have made it. Such a name is used only if the user typed it in this command, or if what it leads to is on the
user's own list (``rlhf trust``), which is kept outside all data and holds digests. Names of installed entry points are
looked up in the registries and need no gate.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worlds.errors import UserError

DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
PERMITTED = "RLHF_PERMITTED"  # hands what this command permits to the processes that it starts
_PYTHON_FILE = re.compile(r"(.+?\.py)(?=$|[:/])", re.DOTALL)
_MODULE = re.compile(r"(?:gym:(?=[^:]+:)|pettingzoo:)([A-Za-z_][\w.]*)")
_KEY_FLAG = re.compile(r"--(?:.*\.)?key[-_]variable(?:=|$)")
_LONGEST_NAME = 4096
_ONLINE = "online"  # among what is permitted


class UntrustedError(UserError):
    """Data names code or an address that the user has neither typed nor trusted."""


@dataclass(frozen=True)
class Named:
    """Something that data can name and that needs trust.

    Args:
      what: "Python file", "module", "address" or "Ray cluster".
    """

    what: str
    name: str
    digest: str
    key_variable: str = ""

    def __str__(self) -> str:
        key = f", which is sent the value of the variable {self.key_variable}" if self.key_variable else ""
        return f"{self.what} {self.name}{key}"


def python_file(path: str | Path, content: bytes | None = None) -> Named:
    """Describe a Python file. Raises OSError if there is none, or it cannot be read."""
    path = Path(path).resolve()
    if content is None:
        if not path.is_file():
            raise FileNotFoundError(f"{path} is no file")
        content = path.read_bytes()
    return Named("Python file", str(path), hashlib.sha256(os.fsencode(path) + b"\0" + content).hexdigest())


def module(name: str) -> Named:
    """Describe an installed module, without importing its package."""
    package, first = name.partition(".")[0], b""
    with suppress(ImportError, ValueError, OSError):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            first = Path(spec.origin).read_bytes()
    return Named("module", name, hashlib.sha256(f"module {name}\0".encode() + first).hexdigest())


def address(url: str, key_variable: str) -> Named:
    """Describe a service and the environment variable whose value it is sent as a key."""
    return Named("address", url, hashlib.sha256(f"address {url}\0{key_variable}".encode()).hexdigest(), key_variable)


def ray_cluster(address: str) -> Named:
    """Describe a Ray cluster; who answers at its address can run code here."""
    return Named("Ray cluster", address, hashlib.sha256(f"ray {address}".encode(errors="replace")).hexdigest())


def read_source(path: Path) -> bytes:
    """Return the content of a Python file that may be run: the bytes that were checked are those to compile.

    Raises:
      UntrustedError: the user has neither named nor trusted it.
      OSError: it cannot be read.
    """
    content = path.read_bytes()
    _check(python_file(path, content))
    return content


def check_module(name: str) -> None:
    """Refuse to import a module that data names. Raises UntrustedError if the user has neither named nor trusted it."""
    _check(module(name))


def check_address(url: str, key_variable: str) -> None:
    """Refuse a service that data names. Raises UntrustedError if the user has neither named nor trusted it."""
    _check(address(url, key_variable))


def check_ray_cluster(address: str) -> None:
    """Refuse a Ray cluster that data names. Raises UntrustedError if the user has neither named nor trusted it."""
    _check(ray_cluster(address))


def asked_online() -> bool:
    """Return True if the user asked in this command to send metrics to an account."""
    return _ONLINE in _permitted()


def permit(words: Iterable[str]) -> None:
    """Permit what the user names in this command, here and in processes that are started from now on."""
    texts = [text for word in words for text in (word, word.partition("=")[2])]
    named = [thing for text in texts for thing in (*code_named_by(text), ray_cluster(text))]
    named += [address(text, variable) for text in texts if "://" in text for variable in _variables(texts)]
    online = {_ONLINE}.intersection(texts)
    os.environ[PERMITTED] = json.dumps(sorted(_permitted() | online | {thing.digest for thing in named}))


def permit_texts(config: Any) -> None:
    """Permit what a configuration names that the user's own Python code made."""
    permit(list(_texts(config)))


def environment() -> Mapping[str, str]:
    """Return the environment variable that another machine's processes need to permit the same, if there is one."""
    permitted = sorted(_permitted() | trusted().keys())
    return {PERMITTED: json.dumps(permitted)} if permitted else {}


def code_named_by(text: str) -> Iterator[Named]:
    """Yield the Python file or the module that a text names, such as "world.py:World" or "gym:package:ID"."""
    if len(text) > _LONGEST_NAME or "\0" in text:
        return
    if match := _PYTHON_FILE.match(text):
        with suppress(OSError):
            yield python_file(Path(match[1]).expanduser())
    elif match := _MODULE.match(text):
        yield module(match[1])


def trusted() -> dict[str, str]:
    """Return the user's list: what is trusted, by its digest. Raises UserError if the list cannot be read."""
    path = list_path()
    try:
        read = json.loads(path.read_text(encoding="utf-8"))["trusted"]
        return {str(digest): str(what) for digest, what in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} cannot be read ({error}); repair it, or delete it and trust again") from None


def trust(things: Iterable[Named]) -> None:
    """Add things to the user's list."""
    _write(trusted() | {one.digest: str(one) for one in things})


def forget(digests: Iterable[str]) -> None:
    """Remove entries from the user's list."""
    left_out = set(digests)
    _write({digest: what for digest, what in trusted().items() if digest not in left_out})


def list_path() -> Path:
    """Return the file of the user's list, in the user's folder of configuration."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(base) / "interactive-rlhf" / "trusted.json"


def _check(thing: Named) -> None:
    if thing.digest in _permitted() or thing.digest in trusted():
        return
    wanted = thing.name if thing.what == "Python file" else "FOLDER"
    raise UntrustedError(
        f"{thing} is not used: recorded data or a folder names it, and this command does not; if you trust it, run "
        f"`rlhf trust {wanted}`" + ("" if wanted == thing.name else " with the folder that names it")
    )


def _variables(texts: Sequence[str]) -> list[str]:
    """Return the environment variables that a command line names for the key of an address; else the default one."""
    flags = [place for place, text in enumerate(texts) if _KEY_FLAG.match(text)]
    typed = [texts[place].partition("=")[2] or "".join(texts[place + 2 : place + 3]) for place in flags]
    return typed or [DEFAULT_KEY_VARIABLE]


def _permitted() -> set[str]:
    with suppress(ValueError, TypeError):
        return set(json.loads(os.environ.get(PERMITTED, "[]")))
    return set()


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a configuration."""
    if isinstance(value, (str, Path)):
        yield str(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _texts(one)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            part = getattr(value, name)
            yield from _texts(part)
            yield from [f"--{name}={part}"] * (name == "key_variable")


def _write(entries: Mapping[str, str]) -> None:
    path = list_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            json.dump({"trusted": dict(entries)}, file, indent=2)
        os.replace(file.name, path)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error}); set XDG_CONFIG_HOME to a folder that can") from None
