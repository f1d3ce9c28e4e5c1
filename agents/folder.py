"""An agent's folder: weights, configuration and tokenizer, in the form that ``transformers`` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import safetensors.torch
import torch
from transformers.utils.logging import disable_progress_bar

from agents import registry
from agents.agent import InteractiveAgent
from agents.card import ModelCard, write_card
from agents.computing import usable_device
from agents.config import AgentConfig
from agents.language_models import is_language_model
from agents.own_folder import make_own_folder
from agents.play_settings import save_play_settings
from agents.roles import check_role
from agents.tokenizer import Tokenizer
from worlds.contract import SOLVER
from worlds.errors import UserError, check_utf8

A = TypeVar("A", bound=InteractiveAgent)

_REWARD_MODEL = "reward_model"  # ends the ``model_type`` of all reward models
_INSTALL = f", or install the package that announces this kind under the entry point group {registry.ENTRY_POINT_GROUP}"


def save_agent(
    agent: InteractiveAgent, tokenizer: Tokenizer, folder: str | Path, card: ModelCard | None = None
) -> Path:
    """Write ``agent`` and its tokenizer into ``folder``.

    Files: model.safetensors, config.json with the tokenizer's digest, tokenizer.json, README.md and, where the card has
    them, the settings of the play that the agent learned from (play_settings.json).

    Args:
      agent: an agent or a reward model.
      folder: where to write; created if it does not exist.
      card: content of README.md; None uses the agent's configuration.

    Returns:
      The folder.

    Raises:
      ValueError: the agent's configuration notes another tokenizer.
    """
    folder, digest = Path(folder), tokenizer.digest
    if agent.config.tokenizer_digest not in (None, digest):
        raise ValueError(f"the agent for {folder} was made with another tokenizer: save it with its own")
    agent.config.tokenizer_digest = digest
    make_own_folder(folder)
    disable_progress_bar()  # a bar for one small file is noise
    # `transformers` would give a pretrained vision model inside the agent the names of its first versions.
    own_names = {} if agent.config.vision_model is None else {"save_original_format": False}
    agent.save_pretrained(folder, **own_names)
    tokenizer.save(folder)
    write_card(agent, folder, card)
    if card is not None and card.play_settings is not None:
        save_play_settings(card.play_settings, folder)
    return folder


@overload
def load_agent(
    folder: str | Path, kind: None = None, device: str = "cpu", role: str | None = SOLVER
) -> tuple[InteractiveAgent, Tokenizer]: ...


@overload
def load_agent(
    folder: str | Path, kind: type[A], device: str = "cpu", role: str | None = SOLVER
) -> tuple[A, Tokenizer]: ...


def load_agent(
    folder: str | Path, kind: type[A] | None = None, device: str = "cpu", role: str | None = SOLVER
) -> tuple[Any, Tokenizer]:
    """Read what :func:`save_agent` wrote.

    Args:
      kind: its class; None finds the registered kind of agent that its configuration names.
      device: where its weights are put.
      role: in which it is to play, "solver" or "setter"; None loads an agent of any role, e.g. to train it further.

    Returns:
      The agent, in evaluation mode, and its tokenizer.

    Raises:
      UserError: the folder is missing, incomplete or damaged, it holds another kind of model or an agent of
        another role, its weights have another size or are not finite, its tokenizer is not the one that it was saved
        with, or there is no such device.
    """
    place, folder = usable_device(device), Path(folder)
    if is_language_model(folder):
        raise UserError(f"{folder} holds a language model, which only `rlhf evaluate` and `rlhf record` play")
    config_path, weights_path = folder / "config.json", folder / "model.safetensors"
    for path in (config_path, weights_path):
        if not path.is_file():
            raise UserError(f"{path} is missing: {folder} is not an agent's folder (`rlhf clone` makes one)")
        with path.open("rb"):  # if it may not be read, this names it
            check_utf8(path)
    try:
        settings = json.loads(config_path.read_text(encoding="utf-8"))
        if not isinstance(settings, dict):
            raise TypeError(f"config.json is no JSON object but a {type(settings).__name__}")
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(f"{folder} is damaged ({error}): restore it from a checkpoint or train it again") from error
    made: type[InteractiveAgent] = _registered_kind(folder, settings) if kind is None else kind
    config_kind: Any = made.config_class or AgentConfig
    _check_kind(settings, config_kind.model_type, folder)
    try:
        config = config_kind.from_dict(settings)
        agent = made(config)
        weights = safetensors.torch.load_file(weights_path)
    except (ValueError, TypeError, ArithmeticError, RuntimeError, safetensors.SafetensorError) as error:
        raise UserError(f"{folder} is damaged ({error}): restore it from a checkpoint or train it again") from error
    if role is not None:
        check_role(agent.config.role, role, folder)
    load_weights(agent, weights, str(folder))
    try:
        tokenizer = Tokenizer.load(folder)
    except (FileNotFoundError, ValueError) as error:
        raise UserError(str(error)) from error
    if tokenizer.vocab_size > agent.config.vocab_size:
        raise UserError(
            f"{folder} holds a tokenizer of {tokenizer.vocab_size} tokens, of which its agent knows "
            f"{agent.config.vocab_size}: put back the tokenizer that it was trained with"
        )
    noted = agent.config.tokenizer_digest
    if noted is not None and noted != tokenizer.digest:
        raise UserError(
            f"{folder / 'tokenizer.json'} is not the tokenizer that the agent was trained with (digest "
            f"{tokenizer.digest[:12]} instead of {str(noted)[:12]}): put back the agent's own"
        )
    try:
        torch.nn.Module.to(agent, place)
    except RuntimeError as error:  # it is there, but full or broken
        reason = str(error).splitlines()[0]
        raise UserError(f"device {device!r} cannot be used here ({reason}): use cpu, or see `rlhf doctor`") from error
    return agent.eval(), tokenizer


def _registered_kind(folder: Path, settings: Mapping[str, Any]) -> type[InteractiveAgent]:
    """Return the kind of agent that the configuration in ``folder`` names. Raises UserError if it is none."""
    name = str(settings.get("model_type", registry.BUILT_IN))
    try:
        return registry.get(name)
    except ValueError as error:
        if name in registry.names():  # its module is broken
            raise UserError(str(error)) from error
        _check_kind({"model_type": name}, registry.BUILT_IN, folder, hint=_INSTALL)
        raise


def _check_kind(settings: Mapping[str, Any], wanted: str, folder: Path, hint: str = "") -> None:
    """Raise UserError if the configuration ``settings`` in ``folder`` is that of another kind of model."""
    held = str(settings.get("model_type", wanted))
    if held == wanted:
        return
    one, other = _described(held), _described(wanted)
    hint = "" if held.endswith(_REWARD_MODEL) else hint
    raise UserError(f"{folder} holds {one}, not {other}: name the folder of {other}{hint}")


def _described(model_type: str) -> str:
    if model_type.endswith(_REWARD_MODEL):
        return "a reward model"
    return "an agent" if model_type in registry.names() else f"a model {model_type!r}"


def load_weights(agent: torch.nn.Module, weights: dict[str, torch.Tensor], where: str) -> None:
    """Put ``weights`` into ``agent``. Raises UserError, naming ``where`` and the first misfit, if they do not fit."""
    own = agent.state_dict()
    missing, unknown = sorted(own.keys() - weights.keys()), sorted(weights.keys() - own.keys())
    wrong = [name for name in own.keys() & weights.keys() if own[name].shape != weights[name].shape]
    if missing or unknown or wrong:
        misfit = (
            f"{wrong[0]} is {tuple(weights[wrong[0]].shape)} there and {tuple(own[wrong[0]].shape)} here"
            if wrong
            else f"{(missing or unknown)[0]} is {'missing' if missing else 'unknown'}"
        )
        raise UserError(f"{where} holds an agent of another size ({misfit}): use the configuration it was trained with")
    broken = [name for name, value in weights.items() if not torch.isfinite(value).all()]
    if broken:
        raise UserError(f"{where} holds values that are not finite in {broken[0]}: use an earlier checkpoint")
    agent.load_state_dict(weights)
