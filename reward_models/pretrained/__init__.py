"""Reward models of the pretrained agents (:mod:`agents.pretrained`).

No rater marked what they learned from: it has a mark of progress before each further request of a setter.
"""

from __future__ import annotations

from pathlib import Path

PLAYHOUSE = Path(__file__).parent / "playhouse"
