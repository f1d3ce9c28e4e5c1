"""What is known of a reward model before an agent is improved against it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reward_models.learning.evaluation import SIGNAL
from rlhf.store.columns import json_text
from worlds.errors import UserError

EVIDENCE_FILE = "best.json"  # of a run of `rlhf reward`: the evaluation of the kept model
LEAST_SIGNAL = -0.5  # below it the utility clearly falls at progress, relative to regress (docs/diagnostics.md)
_PLAY = ("validation", "held_out")


def check_evidence(reward_models: Iterable[Path]) -> None:
    """Refuse reward models whose own evaluation says that agents would be paid for getting worse.

    Models without an evaluation beside them pass: of a model that was copied alone, or that has seen too few marks of
    both signs to be evaluated, nothing is known.

    Raises:
      UserError: if the utility of one falls, on validation or held-out play, where raters saw progress.
    """
    for folder in reward_models:
        for play, signal in _signals(folder).items():
            if signal < LEAST_SIGNAL:
                raise UserError(
                    f"on {play.replace('_', '-')} play the utility of {folder} falls at marks of progress relative to "
                    f"those of regress (signal to noise {signal:.1f}), and an agent that was improved against such a "
                    "model became worse; mark more play, add marks that nobody has to give (`rlhf mark --from "
                    "requests`), or begin all the same with --anyway (in a loop --improve.anyway)"
                )


def _signals(folder: Path) -> dict[str, float]:
    """Signal to noise of the kept model by kind of play, of those that were measured."""
    file = folder.parent / EVIDENCE_FILE
    if not file.is_file():
        return {}
    found = json_text.from_json(file.read_text(encoding="utf-8"))
    names = {play: f"reward_model_{play}/{SIGNAL}" for play in _PLAY}
    return {play: float(found[name]) for play, name in names.items() if found.get(name) is not None}
