"""Own settings of worlds and of scripted players: names and JSON values that only the world at hand knows."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

from worlds.errors import UserError

EXAMPLE = '{"rooms": [1, 1]}'


def own_settings(given: Mapping[str, Any] | str, where: str, example: str = EXAMPLE) -> dict[str, Any]:
    """Return ``given`` as a new dictionary of JSON values, so that equal settings compare equal however written.

    Args:
      given: a mapping, or the JSON text of one, as typed on the command line and as saved by older versions.
      where: name of the setting in messages, e.g. "world.settings".
      example: JSON text that messages suggest.

    Raises:
      UserError: if it is not a JSON object, or holds a number that is not finite.
    """

    def refused(number: str) -> float:
        raise UserError(f"{where} holds {number}; numbers are finite")

    def finite(number: str) -> float:
        return value if math.isfinite(value := float(number)) else refused(number)

    try:
        text = given if isinstance(given, str) else json.dumps(given)
        parsed = json.loads(text, parse_constant=refused, parse_float=finite)
    except RecursionError:
        raise UserError(f"{where} is nested too deeply; write e.g. '{example}'") from None
    except (ValueError, TypeError) as error:
        raise UserError(f"{where} is not JSON ({error}); write e.g. '{example}'") from error
    if not isinstance(parsed, dict):
        raise UserError(f"{where} is a JSON object, e.g. '{example}'")
    return parsed


def read_own_settings(config: object, group: str, names: Collection[str]) -> None:
    """Replace own settings of a frozen configuration by :func:`own_settings` of them; None stays.

    Args:
      config: a dataclass, in its ``__post_init__``.
      group: name of the configuration in messages, e.g. "world".
      names: of the fields.

    Raises:
      UserError: naming the field that is not a JSON object.
    """
    for name in names:
        if (given := getattr(config, name)) is not None:
            object.__setattr__(config, name, own_settings(given, f"{group}.{name}"))
