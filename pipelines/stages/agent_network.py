"""Settings of commands and an agent's network: fields of its configuration, and parts that it needs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from agents.config import AgentConfig
from worlds.contract.own_settings import own_settings
from worlds.errors import UserError
from worlds.settings import BadValue

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
FIELDS: Mapping[str, inspect.Parameter] = {
    name: field
    for name, field in inspect.signature(AgentConfig.__init__).parameters.items()
    if name not in ("self", "kwargs", *_LEARNED)
}


def check_image_encoder(frozen: bool, agent: Any, folder: Path | None, group: str) -> None:
    """Refuse to keep the image encoder of an agent that has none, before play is encoded.

    Args:
      agent: an agent or a reward model.
      folder: of the agent, for the message; None for one that is new.
      group: of the setting, e.g. "training".

    Raises:
      UserError: naming the setting.
    """
    if frozen and agent.trunk.vision is None:
        whose = "an agent of this play" if folder is None else f"the agent in {folder}"
        raise UserError(
            f"{group}.frozen_vision keeps the image encoder as it is, and {whose} has none; "
            f"use --{group}.no-frozen-vision"
        )


def read_network(given: Any) -> dict[str, Any]:
    """Return values of fields of an agent's configuration by name.

    Args:
      given: a mapping, or the JSON text of one.

    Raises:
      BadValue: for a field that agents lack, or that follows from the recordings.
    """
    found = own_settings(given, example='{"vision_stem": "windows"}')
    for name in found:
        if name in _LEARNED:
            raise BadValue(f"{name} follows from the recordings or from other settings; leave it out")
        if name not in FIELDS:
            raise BadValue(f"agents have no {name}; known: {', '.join(FIELDS)}")
    return found


Network = Annotated[Mapping[str, Any], BeforeValidator(read_network)]
"""Values of fields of an agent's configuration, by name."""
