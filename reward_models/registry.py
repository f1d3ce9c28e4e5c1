"""Registry of kinds of reward models by name, and loading of a saved one of any kind.

A kind registers itself with the decorator :func:`register`; another package names the module that does so under the
entry point group ``interactive_rlhf.reward_models``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import agents.registry
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from rlhf.store.columns import json_text
from worlds.errors import UserError
from worlds.foreign_code.plugins import Registry

if TYPE_CHECKING:
    from reward_models.contract import RewardModel

ENTRY_POINT_GROUP = "interactive_rlhf.reward_models"
MODEL_TYPE_SUFFIX = "_reward_model"
_BUILT_IN = {
    "inter_temporal": "reward_models.inter_temporal",
    "autoregressive": "reward_models.autoregressive",
    "ensemble": "reward_models.ensemble",
}

Kind = TypeVar("Kind", bound=type)

_registry: Registry[type] = Registry("reward model", ENTRY_POINT_GROUP, _BUILT_IN, UserError)


def register(kind: Kind) -> Kind:
    """Register a class of reward models; a decorator.

    Args:
      kind: a subclass of :class:`reward_models.contract.RewardModel`. The ``model_type`` of its ``config_class`` is its
        name and ``_reward_model``, e.g. "inter_temporal_reward_model".

    Raises:
      UserError: if another kind has that name, or the ``model_type`` ends otherwise.
    """
    model_type: str = kind.config_class.model_type
    name = model_type.removesuffix(MODEL_TYPE_SUFFIX)
    if name in ("", model_type):
        raise UserError(
            f"the model_type of {kind.config_class.__name__} is {model_type!r}; let it end in {MODEL_TYPE_SUFFIX!r}, "
            "after the name of the kind"
        )
    _registry.register(name, kind)
    return kind


def get(name: str) -> type[RewardModel]:
    """Return the kind of reward model registered as ``name``.

    Raises:
      UserError: if there is none (the message lists the known ones), or its module does not register it.
    """
    return _registry.get(name)


def names() -> list[str]:
    """Names of all kinds of reward models; none is imported."""
    return _registry.names()


def load_reward_model(folder: str | Path, device: str = "cpu") -> tuple[RewardModel, Tokenizer]:
    """Load the reward model that :func:`agents.folder.save_agent` wrote, of the kind that its configuration names.

    Raises:
      UserError: if the folder is missing, incomplete or damaged, or holds something else.
    """
    return load_agent(folder, _kind_of(Path(folder)), device)


def _kind_of(folder: Path) -> type[RewardModel]:
    path = folder / "config.json"
    if not path.is_file():
        raise UserError(f"{path} is missing: {folder} is not a reward model's folder (`rlhf reward` makes one)")
    try:
        model_type = str(json_text.from_json(path.read_text(encoding="utf-8"))["model_type"])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{folder} is damaged ({error}): train the reward model again") from error
    name = model_type.removesuffix(MODEL_TYPE_SUFFIX)
    if name == model_type or name not in names():
        held = "an agent" if model_type in agents.registry.names() else f"a model {model_type!r}"
        raise UserError(
            f"{folder} holds {held}, not a reward model: name the folder of a reward model (`rlhf reward` makes one)"
        )
    return get(name)
