"""Pretrained agents, which travel with the package; `rlhf reproduce pretrained` makes them anew."""

from __future__ import annotations

from pathlib import Path

PLAYHOUSE = Path(__file__).parent / "playhouse"  # cloned in the demo's room
