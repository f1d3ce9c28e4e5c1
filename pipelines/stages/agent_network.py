"""Settings of commands and an agent's network: fields of its configuration, as JSON, and parts that it needs."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from agents.config import AgentConfig
from worlds.contract.own_settings import own_settings
from worlds.errors import UserError

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


def check_image_encoder(frozen: bool, agent: Any, folder: Path | None, group: str) -> None:
    """Refuse to keep the image encoder of an agent that has none, before play is encoded.

    Args:
      frozen: keep it as it is.
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
