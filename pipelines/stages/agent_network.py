"""Fields of an agent's configuration that a command's settings change, as JSON."""

from __future__ import annotations

import inspect
from typing import Any

from agents.config import AgentConfig
from worlds.errors import UserError
from worlds.own_settings import own_settings

# Those that follow from the recordings and their dialogue, or have a setting of their own.
_LEARNED = (
    "image_size",
    "vocab_size",
    "spaces",
    "tokenizer_digest",
    "marks_cuts",
    "vision_model",
    "role",
    "prompted",
    "improvement_indicator",
)


def parse_network(text: str) -> dict[str, Any]:
    """Parse fields of an agent's configuration by name.

    Raises:
      UserError: ``text`` is no JSON object, or names what an agent does not have or takes from its recordings.
    """
    fields = own_settings(text, "network", '{"vision_stem": "windows"}')
    known = [name for name in inspect.signature(AgentConfig.__init__).parameters if name not in ("self", "kwargs")]
    for name in fields:
        if name in _LEARNED:
            raise UserError(f"network: {name} follows from the recordings or from other settings; leave it out")
        if name not in known:
            raise UserError(
                f"network: agents have no {name}; known: {', '.join(n for n in known if n not in _LEARNED)}"
            )
    return fields
