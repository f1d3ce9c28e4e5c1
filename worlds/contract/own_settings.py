"""Own settings of worlds and of scripted players: names and JSON values that only the world at hand knows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from worlds.settings import BadValue

EXAMPLE = '{"rooms": [1, 1]}'


def own_settings(given: Mapping[str, Any] | str, where: str = "", example: str = EXAMPLE) -> dict[str, Any]:
    """Return ``given`` as a new dictionary of JSON values, so that equal settings compare equal however written.

    Args:
      given: a mapping, or the JSON text of one.
      where: name of the setting in messages, e.g. "world.settings".
      example: JSON text that messages suggest.

    Raises:
      BadValue: if it is not a JSON object, or holds a number that is not finite.
    """
    start = f"{where} " if where else ""

    def refused(number: str) -> float:
        raise BadValue(f"{start}holds {number}; numbers are finite")

    def finite(number: str) -> float:
        return value if math.isfinite(value := float(number)) else refused(number)

    try:
        text = given if isinstance(given, str) else json.dumps(given)
        parsed = json.loads(text, parse_constant=refused, parse_float=finite)
    except BadValue:
        raise
    except RecursionError:
        raise BadValue(f"{start}is nested too deeply; write e.g. '{example}'") from None
    except (ValueError, TypeError) as error:
        raise BadValue(f"{start}is not JSON ({error}); write e.g. '{example}'") from error
    if not isinstance(parsed, dict):
        raise BadValue(f"{start}is a JSON object, e.g. '{example}'")
    return parsed
