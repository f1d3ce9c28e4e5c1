"""A pretrained vision model that a user gives as a local folder, as Hugging Face's ``transformers`` saves it.

Vision Transformers whose last tokens are those of the patches, row by row: DINOv2, DINOv3, SigLIP and SigLIP 2 of a
fixed patch, ViT. Nothing is downloaded, and no code of the folder is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers.models.auto.configuration_auto import AutoConfig
from transformers.models.auto.modeling_auto import AutoModel
from transformers.utils.logging import disable_progress_bar

from agents.remote_code import refuse_remote_code
from worlds.errors import UserError

PREPROCESSOR_FILE = "preprocessor_config.json"
_HALF = (0.5, 0.5, 0.5)  # mean and deviation without that file
_UNREADABLE = (
    OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError, ImportError, SafetensorError
)  # fmt: skip
_NEEDS = "an agent sees through vision Transformers such as DINOv2, DINOv3 and SigLIP"


@dataclass(frozen=True, eq=False)
class VisionModel:
    """A pretrained vision model.

    Args:
      settings: its configuration, as JSON, from which :func:`untrained_model` builds the network.
      weights: its state.
      mean: of the colours that it expects, from 0 to 1.
      deviation: likewise.
    """

    settings: Mapping[str, Any]
    weights: Mapping[str, Tensor]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]


def untrained_model(settings: Mapping[str, Any]) -> nn.Module:
    """Return the network of a configuration, with random weights.

    Raises:
      ValueError: it is the configuration of no vision Transformer.
    """
    rest = {name: value for name, value in settings.items() if name != "model_type"}
    refuse_remote_code()
    try:
        config = AutoConfig.for_model(settings["model_type"], **rest)
        if not all(isinstance(getattr(config, name, None), int) for name in ("patch_size", "hidden_size")):
            raise ValueError(f"a model of the type {settings['model_type']} has no patches")
        return AutoModel.from_config(config, trust_remote_code=False)
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"vision_model describes no vision Transformer ({error}); {_NEEDS}") from error


def read_vision_model(folder: Path) -> VisionModel:
    """Read a pretrained vision model; of a model of texts and pictures, its part for pictures.

    Raises:
      UserError: the folder is missing, incomplete, damaged, or holds another kind of model.
    """
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder / 'config.json'} is missing: {folder} is not the folder of a pretrained vision model")
    disable_progress_bar()  # a bar for one file is noise
    refuse_remote_code()
    try:
        model, found = AutoModel.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True, output_loading_info=True
        )
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RuntimeError,
        ImportError,
        SafetensorError,
    ) as error:
        reason = str(error).strip().splitlines()[0]
        raise UserError(f"{folder} cannot be read as a pretrained vision model ({reason}); {_NEEDS}") from error
    if found["missing_keys"]:
        raise UserError(f"{folder} lacks the weights {min(found['missing_keys'])}; download the model again")
    part = getattr(model, "vision_model", None) if hasattr(model.config, "vision_config") else model
    config: Any = model.config if part is model else model.config.vision_config
    if part is None or not isinstance(getattr(config, "patch_size", None), int):
        raise UserError(f"{folder} holds a model of the type {model.config.model_type}; {_NEEDS}")
    settings = json.loads(config.to_json_string(use_diff=False))
    try:
        own = untrained_model(settings).state_dict()
    except ValueError as error:
        raise UserError(f"{folder}: {error}") from error
    weights = _fitted(dict(part.state_dict()), own.keys())
    if weights.keys() != own.keys():
        raise UserError(f"{folder} holds a model of the type {model.config.model_type}, whose weights do not fit")
    return VisionModel(settings, weights, *_colours(folder))


def _fitted(weights: Mapping[str, Tensor], wanted: Any) -> dict[str, Tensor]:
    """Return the weights under the names that a model of its own has, whose part they may be."""
    prefixes = ("", "vision_model.")
    named = {prefix: {f"{prefix}{name}": value for name, value in weights.items()} for prefix in prefixes}
    return next((own for own in named.values() if own.keys() == wanted), dict(weights))


def _colours(folder: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and deviation of the colours that the model expects. Raises UserError if they are not three numbers each."""
    path = folder / PREPROCESSOR_FILE
    if not path.is_file():
        return _HALF, _HALF
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        mean, deviation = (tuple(float(v) for v in about[name]) for name in ("image_mean", "image_std"))
        if len(mean) != 3 or len(deviation) != 3 or min(deviation) <= 0:
            raise ValueError("image_mean and image_std are three numbers each, deviations above 0")
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} has no usable image_mean and image_std ({error}); download the model again") from error
    return mean, deviation


def patch_tokens(model: nn.Module, pixels: Tensor, count: int) -> Tensor:
    """Return the last ``count`` tokens of pictures [N, 3, H, W], those of the patches: [N, count, hidden_size]."""
    own: Any = model
    interpolated = {"interpolate_pos_encoding": True} if own.config.model_type in _FIXED_PLACES else {}
    with torch.no_grad():
        return own(pixel_values=pixels, **interpolated).last_hidden_state[:, -count:]


# Models whose learned places are those of one size of picture, unless they are asked to interpolate.
_FIXED_PLACES = ("siglip_vision_model", "vit")
