"""What a reward model says of episodes, for programs that must not load PyTorch: a process that is asked in lines.

    python -m reward_models.tracing

Each line it reads is a JSON object with ``model`` and ``dataset`` (folders) and ``episode_id``. For each it writes one
line: ``kind``, ``scale``, and ``utility``, ``reward`` [T] and, from a model that predicts marks, ``mark_probability``
[T, 2]; or ``error``, a sentence. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from rlhf.run.processes import end_with

_DIGITS = 6
_KEPT_MODELS = 2


def main() -> None:
    """Answer until there are no more questions."""
    end_with(os.getppid())
    os.nice(10)  # people are waiting for the server, and this can wait for them
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    serve(sys.stdin, answers)


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer each line of ``questions`` with one."""
    from reward_models.loaded import LoadedRewardModel

    models: dict[str, LoadedRewardModel] = {}
    for line in questions:
        asked = json.loads(line)
        try:
            said = trace(asked, models)
        except Exception as error:  # one episode that cannot be scored must not end the process
            said = {"error": " ".join(str(error).split()) or type(error).__name__}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def trace(asked: dict[str, str], models: dict[str, Any]) -> dict[str, Any]:
    """Score one episode.

    Raises:
      UserError: if model, dataset or episode cannot be read, or the model's images have another size.
      FloatingPointError: if what the model says is not finite.
    """
    from reward_models.loaded import load_with_tokenizer
    from rlhf.data.memory import encode_episodes
    from rlhf.store import open_store

    version = f"{asked['model']} {(Path(asked['model']) / 'model.safetensors').stat().st_mtime_ns}"
    if version not in models:
        while len(models) >= _KEPT_MODELS:
            models.pop(next(iter(models)))
        models[version] = load_with_tokenizer(Path(asked["model"]))
    model = models[version]
    episode = open_store(asked["dataset"]).read(asked["episode_id"])
    (scored,) = model.score(encode_episodes([episode], model.tokenizer, model.sizes))
    said: dict[str, Any] = {
        "kind": model.kind,
        "scale": model.scale,
        "utility": _numbers(scored.utility),
        "reward": _numbers(scored.reward),
    }
    if scored.mark_probability is not None:
        said["mark_probability"] = _numbers(scored.mark_probability)
    return said


def _numbers(values: np.ndarray) -> Any:
    if not np.isfinite(values).all():
        raise FloatingPointError("the model says values that are not finite")
    return np.round(values.astype(np.float64), _DIGITS).tolist()


if __name__ == "__main__":
    main()
