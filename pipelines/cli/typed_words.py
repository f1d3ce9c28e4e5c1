"""Words of a command line as values of the types that settings have."""

from __future__ import annotations

import json
import types
from collections.abc import Sequence
from typing import Any, Literal, Union, get_args, get_origin

from pipelines.cli.usage import UsageError

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def value_of(hint: Any, words: Sequence[str], flag: str) -> Any:
    """Convert the words behind a flag to a value.

    Args:
      hint: annotation of the setting.
      words: the words; of a switch, none or one.
      flag: the flag as typed; a name with "no-" makes a switch False.

    Raises:
      UsageError: if the words are of another type.
    """
    members = members_of(hint)
    bare = [member for member in members if member is not type(None)]
    if words == ["None"] and len(bare) < len(members):
        return None
    for member in bare or [Any]:
        try:
            return _converted(member, words, flag)
        except ValueError:
            continue
    raise UsageError(f"{flag} is {form_of(hint)}, not {' '.join(words) or 'nothing'}")


def form_of(hint: Any) -> str:
    """Return the placeholder of the words of an annotation, e.g. "INT INT"."""
    origin, members = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return "|".join("None" if member is type(None) else form_of(member) for member in members)
    if origin is Literal:
        return "{" + ",".join(map(str, members)) + "}"
    if origin in (tuple, list, Sequence):
        each = [form_of(member) for member in members if member is not Ellipsis]
        return " ".join(each) if origin is tuple and Ellipsis not in members else f"{each[0]} [{each[0]} ...]"
    if dict in (hint, origin):
        return '{"NAME":VALUE}'
    return {int: "INT", float: "FLOAT", bool: "[true|false]", str: "NAME"}.get(hint, "JSON")


def members_of(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union; of any other annotation, itself."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _converted(hint: Any, words: Sequence[str], flag: str) -> Any:
    """Convert ``words`` to the type ``hint``. Raises ValueError if that is impossible."""
    origin, members = get_origin(hint), get_args(hint)
    if origin in (tuple, list, Sequence) or origin is types.GenericAlias:
        each = [m for m in members if m is not Ellipsis]
        if not words or (origin is tuple and Ellipsis not in members and len(words) != len(each)):
            raise ValueError
        kinds = [each[min(place, len(each) - 1)] if each else Any for place in range(len(words))]
        return [_converted(kind, [word], flag) for kind, word in zip(kinds, words, strict=True)]
    if hint is bool:
        return _switch(words, off=".no-" in flag)
    if len(words) != 1 or (origin is Literal and words[0] not in members):
        raise ValueError
    if origin is Literal or hint is str:
        return words[0]
    if hint in (int, float):
        return hint(words[0])
    try:
        value = json.loads(words[0])
    except ValueError:
        value = words[0]
    if dict in (hint, origin) and not isinstance(value, dict):
        raise ValueError
    return value


def _switch(words: Sequence[str], off: bool) -> bool:
    """Convert to True or False; without a word, the flag itself decides. Raises ValueError for another word."""
    if not words:
        return not off
    if len(words) > 1 or words[0].lower() not in _TRUE + _FALSE:
        raise ValueError
    return words[0].lower() in _TRUE
