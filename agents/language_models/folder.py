"""The folder of a language model that acts: ``language_model.json`` and ``examples.json``.

The model itself stays where it is. Commands that play an agent take such a folder in place of an agent's.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.language_models import LANGUAGE_MODEL_FILE
from agents.language_models.config import Budget, ModelSource, PromptConfig
from agents.language_models.model import LanguageModel
from agents.language_models.prompts import Example, PromptMaker, ShownStep
from agents.language_models.words import action_instructions
from agents.own_folder import make_own_folder
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec

EXAMPLES_FILE = "examples.json"
# Settings that do not change what the model answers.
_NOT_ANSWERED = ("key_variable", "timeout_sec", "retries", "parallel")


@dataclass(frozen=True)
class LanguageModelAgent:
    """A language model as an agent.

    Args:
      model: the model.
      prompt: what its prompts show.
      budget: what all calls of one command's results may cost.
      examples: recorded episodes that every prompt shows.
    """

    model: ModelSource
    prompt: PromptConfig = field(default_factory=PromptConfig)
    budget: Budget = field(default_factory=Budget)
    examples: tuple[Example, ...] = ()

    def prompts(self, action: ActionSpec) -> PromptMaker:
        """Return the maker of its prompts in a world with these actions."""
        instructions = self.prompt.instructions
        if instructions is None:
            instructions = action_instructions(action)
        return PromptMaker(instructions, self.examples, self.prompt.history)

    def digest(self) -> str:
        """Return a digest of all that decides what it answers, a local model's weights included.

        Raises:
          UserError: the local model's folder is missing.
        """
        about = _to_json(self)
        about.pop("budget")
        about["model"] = {name: value for name, value in about["model"].items() if name not in _NOT_ANSWERED}
        found = hashlib.sha256(json.dumps([about, _examples_to_json(self.examples)], sort_keys=True).encode())
        if self.model.folder is not None:
            files = sorted(self.model.folder.glob("*.safetensors")) + sorted(self.model.folder.glob("token*.json"))
            if not files:
                raise UserError(f"{self.model.folder} holds no language model with weights in safetensors")
            for path in files:
                with path.open("rb") as file:
                    found.update(hashlib.file_digest(file, "sha256").digest())
        return found.hexdigest()[:16]


def save_language_model(agent: LanguageModelAgent, folder: str | Path) -> Path:
    """Write ``agent`` into ``folder``, which is created if it does not exist, and return that."""
    folder = Path(folder)
    make_own_folder(folder)
    for name, content in ((EXAMPLES_FILE, _examples_to_json(agent.examples)), (LANGUAGE_MODEL_FILE, _to_json(agent))):
        (folder / name).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder


def load_language_model(folder: str | Path) -> LanguageModelAgent:
    """Read what :func:`save_language_model` wrote.

    Raises:
      UserError: a file is missing or damaged.
    """
    folder = Path(folder)
    try:
        about = json.loads((folder / LANGUAGE_MODEL_FILE).read_text(encoding="utf-8"))
        source = dict(about["model"])
        if source["folder"] is not None:
            source["folder"] = Path(source["folder"])
        examples = json.loads((folder / EXAMPLES_FILE).read_text(encoding="utf-8"))
        return LanguageModelAgent(
            ModelSource(**source),
            PromptConfig(**about["prompt"]),
            Budget(**about["budget"]),
            tuple(_example(each) for each in examples),
        )
    except FileNotFoundError as error:
        raise UserError(f"{error.filename} is missing; `rlhf language-model make` writes it") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{folder} is damaged ({error}); make it again with `rlhf language-model make`") from None


def open_model(source: ModelSource, device: str = "cpu", seed: int = 0) -> LanguageModel:
    """Return the language model of a source, ready to answer.

    Args:
      seed: of sampling, with a temperature above 0.

    Raises:
      UserError: no model is given, or it cannot be loaded.
    """
    source.check_given()
    if source.folder is not None:
        from agents.language_models.local import LocalModel

        return LocalModel(source, device, seed)
    from agents.language_models.address import RemoteModel

    return RemoteModel(source, seed)


def _to_json(agent: LanguageModelAgent) -> dict[str, Any]:
    folder = agent.model.folder
    source = replace(agent.model, folder=None if folder is None else folder.resolve())
    return {
        "model": asdict(source) | {"folder": None if source.folder is None else str(source.folder)},
        "prompt": asdict(agent.prompt),
        "budget": asdict(agent.budget),
    }


def _examples_to_json(examples: tuple[Example, ...]) -> list[dict[str, Any]]:
    return [asdict(each) for each in examples]


def _example(read: dict[str, Any]) -> Example:
    steps = tuple(ShownStep(str(step["seen"]), str(step["done"])) for step in read["steps"])
    if read["success"] not in (True, False, None):
        raise ValueError(f"success is {read['success']!r}")
    return Example(steps, read["success"])
