"""Typed values: plain data, such as JSON or the words of a command line, as frozen dataclasses that pydantic checks.

A configuration is a dataclass with the decorator :func:`settings`; a record is any frozen dataclass. Whatever does not
fit is refused in one line that names the setting, what it takes and the value.
"""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from typing import Any, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from worlds.errors import UserError

Kind = TypeVar("Kind", bound=type)
_STRICT = ConfigDict(strict=True, extra="forbid", arbitrary_types_allowed=True, val_json_bytes="base64")
_SETTINGS: ConfigDict = {**_STRICT, "allow_inf_nan": False}
_NOT_FINITE = ("nan", "inf", "-inf")  # how records write numbers that JSON lacks
_LONGEST = 40  # characters of a refused value that are repeated
_TAKES = {  # by the beginning of pydantic's name of the error
    "int_": "a whole number",
    "float_": "a number",
    "finite_number": "a finite number",
    "bool_": "true or false",
    "string_": "text",
    "path_": "text",
    "bytes_invalid_encoding": "base64",
    "bytes_": "text",
    "dict_": "an object",
    "mapping_": "an object",
    "dataclass_": "an object with settings",
    "tuple_": "a list",
    "list_": "a list",
    "frozen_set_": "a list",
    "none_": "None",
    "literal_error": "one of {expected}",
    "greater_than_equal": "at least {ge}",
    "greater_than": "above {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "too_long": "{max_length} values",
}


class BadValue(UserError, ValueError):
    """A value that does not fit its annotation. The message names the setting, what it takes and the value."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def settings(kind: Kind) -> Kind:
    """Return the class as a frozen dataclass that checks the types and ranges of its fields when it is made.

    Whatever does not fit raises :class:`BadValue`. A whole number is no bool, and every number is finite.
    """
    made: Any = checked_dataclass(frozen=True, config=_SETTINGS)(kind)
    make = made.__init__

    @functools.wraps(make)
    def init(self: Any, *args: Any, **named: Any) -> None:
        try:
            make(self, *args, **named)
        except ValidationError as error:
            names = [one.name for one in fields(made) if one.init]
            raise BadValue(refusal(error, made, dict(zip(names, args, strict=False)) | named)) from None

    made.__init__ = init
    return made


def validated(kind: Any, data: Any) -> Any:
    """Return plain data, as JSON has it, as a value of the annotation ``kind``. Raises BadValue if it does not fit."""
    adapter = _adapter(kind)
    try:
        text = json.dumps([data])
    except (TypeError, ValueError, RecursionError) as error:
        raise BadValue(f"the data is not JSON ({error})") from None
    try:
        return adapter.validate_json(text)[0]
    except ValidationError as error:
        if all(one["type"] == "float_type" and one["input"] in _NOT_FINITE for one in error.errors()):
            return adapter.validate_json(text, strict=False)[0]
        raise BadValue(refusal(error, kind, [data], outer=1)) from None


def from_words(hint: Any, words: Any, name: str) -> Any:
    """Return typed words as a value of an annotation.

    Args:
      hint: annotation of the setting.
      words: a word; a list of words, or words by name, where the setting takes those.
      name: name of the setting in messages.

    Raises:
      BadValue: if the words are no such value.
    """
    try:
        return _adapter(hint).validate_python((words,), strict=False)[0]
    except ValidationError as error:
        raise BadValue(refusal(error, hint, [words], outer=1, name=name)) from None


@functools.cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    """Return what validates a tuple of one value: pydantic takes no configuration for a dataclass by itself."""
    return TypeAdapter(tuple[hint], config=_STRICT)  # type: ignore[valid-type]


def refusal(error: ValidationError, kind: Any, data: Any, outer: int = 0, name: str = "") -> str:
    """Return an error as one line, e.g. "training.batch is at least 1, not 0".

    Args:
      error: what pydantic has raised.
      kind: annotation of the data.
      data: what was refused.
      outer: number of places around the value, which the line leaves out.
      name: name of the value in the line, before those inside it.
    """
    every = error.errors()
    first = every[0]
    path = _path(first["loc"], data)
    where = _dotted(path[outer:], name)
    if first["type"].startswith("missing"):
        return f"the setting {_dotted((*path, first['loc'][-1])[outer:], name)} is missing"
    if first["type"] == "unexpected_keyword_argument":
        known = [one.name for one in fields(_kind_at(kind, path[outer:-1]))]
        close = difflib.get_close_matches(str(path[-1]), known, n=1)
        return f"no setting {where}" + (f" (did you mean {close[0]}?)" if close else "")
    if first["type"] == "value_error":
        message = str(first.get("ctx", {}).get("error", first["msg"]))
        joined = " " if message.startswith(("is ", "holds ")) else ": "
        return f"{where}{joined}{message}" if where else message
    takes = dict.fromkeys(_takes(one) for one in every if _path(one["loc"], data) == path)
    return f"{where or 'the value'} is {' or '.join(takes)}, not {shortened(first['input'])}"


def _takes(error: Any) -> str:
    """Return what the setting of one of pydantic's errors takes, e.g. "at least 1"."""
    for start, words in _TAKES.items():
        if error["type"].startswith(start):
            return words.format(**{name: _number(value) for name, value in error.get("ctx", {}).items()})
    return error["msg"].lower().removeprefix("input should be ")


def _number(value: Any) -> str:
    """Return a limit as it is read: 2,147,483,647, or 0 for 0.0."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer() and value < 1e9)
    return f"{int(value):,}" if whole else f"{value}"


def _path(place: tuple[int | str, ...], data: Any) -> tuple[int | str, ...]:
    """Return the part of a place that names data; pydantic adds names of the members of unions."""
    path = []
    for part in place:
        try:
            data = (json.loads(data) if isinstance(data, str) else data)[part]
        except (TypeError, ValueError, LookupError):
            continue
        path.append(part)
    return tuple(path)


def _dotted(path: tuple[int | str, ...], name: str) -> str:
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _kind_at(kind: Any, path: tuple[int | str, ...]) -> Any:
    """Return the dataclass that describes data at a place."""
    if is_dataclass(kind):
        return _kind_at(get_type_hints(kind)[str(path[0])], path[1:]) if path else kind
    inside = path[1:] if get_origin(kind) in (tuple, list, dict, Mapping) else path
    return next(filter(None, (_kind_at(member, inside) for member in get_args(kind))), None)


def shortened(value: Any) -> str:
    """Return a value short enough to be repeated in a line."""
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return "a number of more digits" if value > 0 else "a negative number of more digits"
    text = " ".join(f"{value}".split()) or repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
