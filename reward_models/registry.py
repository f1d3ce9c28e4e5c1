"""The kinds of reward models, by name, and how a saved one is read whatever its kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.contract import RewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.errors import UserError

Kind = Literal["inter_temporal", "autoregressive"]

KINDS: Mapping[Kind, type[RewardModel]] = {
    "inter_temporal": InterTemporalRewardModel,
    "autoregressive": AutoregressiveRewardModel,
}


def load_reward_model(folder: str | Path, device: str = "cpu") -> tuple[RewardModel, Tokenizer]:
    """Read the reward model that :func:`agents.folder.save_agent` wrote, of the kind that its configuration names.

    Raises:
      UserError: if the folder is missing, incomplete or damaged, or holds something else.
    """
    return load_agent(folder, _kind_of(Path(folder)), device)


def _kind_of(folder: Path) -> type[RewardModel]:
    path = folder / "config.json"
    if not path.is_file():
        raise UserError(f"{path} is missing: {folder} is not a reward model's folder (`rlhf reward` makes one)")
    try:
        model_type = json.loads(path.read_text(encoding="utf-8"))["model_type"]
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{folder} is damaged ({error}): train the reward model again") from error
    known = {kind.config_class.model_type: kind for kind in KINDS.values()}
    if model_type not in known:
        held = "an agent" if model_type == AgentConfig.model_type else f"a model {model_type!r}"
        raise UserError(
            f"{folder} holds {held}, not a reward model: name the folder of a reward model (`rlhf reward` makes one)"
        )
    return known[model_type]
