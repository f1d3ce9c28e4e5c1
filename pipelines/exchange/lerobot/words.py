"""What was said, as LeRobot's language events (LeRobot 0.6): rows at the frame at which something was said.

The setter is the user, whose words are an interjection. The solver is the assistant, who speaks by calling the tool
``say``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pipelines.exchange.lerobot.layout import Feature
from rlhf.store.columns.json_text import from_json

FEATURE = Feature("language", (1,))
_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.struct([("text", pa.string())]))])
_CALL = pa.struct([("type", pa.string()), ("function", _FUNCTION)])
EVENTS_TYPE = pa.list_(
    pa.struct(
        [
            pa.field("role", pa.string()),
            pa.field("content", pa.string()),
            pa.field("style", pa.string()),
            pa.field("camera", pa.string()),
            pa.field("tool_calls", pa.list_(_CALL)),
        ]
    )
)


def events(setter: Sequence[str], solver: Sequence[str]) -> pa.Array:
    """Return the column of events of an episode.

    Args:
      setter: the setter's words at every step, "" for silence.
    """
    rows = []
    for asked, said in zip(setter, solver, strict=True):
        user = {"role": "user", "content": asked, "style": "interjection"}
        call = {"type": "function", "function": {"name": "say", "arguments": {"text": said}}}
        rows.append(([user] if asked else []) + ([{"role": "assistant", "tool_calls": [call]}] if said else []))
    return pa.array(rows, EVENTS_TYPE)


def said(rows: Sequence[Any]) -> tuple[list[str], list[str], int]:
    """Return the words of the user and of the assistant at every frame, and how many other events there are.

    Raises ValueError if it is no such column.
    """
    asked, spoken, others = list[str](), list[str](), 0
    for row in rows:
        at_once: dict[str, list[str]] = {"user": [], "assistant": []}
        for event in row or ():
            if not isinstance(event, dict) or not isinstance(event.get("role"), str):
                raise ValueError("it has rows that are no language events")
            words = _words(event)
            if words:
                at_once[event["role"]].append(words)
            else:
                others += 1
        asked.append(" ".join(at_once["user"]))
        spoken.append(" ".join(at_once["assistant"]))
    return asked, spoken, others


def _words(event: dict[str, Any]) -> str:
    """Words that a user interjects or an assistant speaks; "" for every other event, such as a question."""
    if event["role"] == "user" and event.get("style") in (None, "interjection"):
        content = event.get("content")
        return content if isinstance(content, str) else ""
    if event["role"] == "assistant" and event.get("style") is None:
        texts = [_spoken(call) for call in event.get("tool_calls") or ()]
        return " ".join(text for text in texts if text)
    return ""


def _spoken(call: Any) -> str:
    """Return the text of a call of ``say``, which files hold as an object or as its JSON."""
    try:
        function = (from_json(call) if isinstance(call, str | bytes) else call)["function"]
        text = function["arguments"]["text"] if function["name"] == "say" else ""
    except (KeyError, TypeError, ValueError):
        return ""
    return text if isinstance(text, str) else ""
