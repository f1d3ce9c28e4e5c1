"""Scores of episodes for programs that must not load PyTorch: a process that answers requests line by line.

    python -m reward_models.scores.tracing

Each line of its input is a JSON object with ``model`` and ``dataset`` (folders) and ``episode_id``. For each it writes
one line: ``kind``, ``scale``, and ``utility``, ``reward`` [T] and, from a model that predicts marks,
``mark_probability`` [T, 2]; or ``error``, a sentence. The process ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from rlhf.run.processes import end_with
from rlhf.run.terminal import guard_process

_DIGITS = 6
_KEPT_MODELS = 2


def main() -> None:
    """Answer requests until the input ends."""
    end_with(os.getppid())
    os.nice(10)  # the server answers people and comes first
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    guard_process()
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    serve(sys.stdin, answers)


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer each line of ``requests`` with one line in ``answers``."""
    from reward_models.loaded import LoadedRewardModel

    models: dict[str, LoadedRewardModel] = {}
    for line in requests:
        request = json.loads(line)
        try:
            answer = trace(request, models)
        except Exception as error:  # one episode that cannot be scored must not end the process
            answer = {"error": " ".join(str(error).split()) or type(error).__name__}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def trace(request: dict[str, str], models: dict[str, Any]) -> dict[str, Any]:
    """Score one episode.

    Args:
      request: ``model``, ``dataset`` and ``episode_id``.
      models: loaded models by folder and time of change; the oldest are removed.

    Returns:
      The answer, as described at the top of this module.

    Raises:
      UserError: if model, dataset or episode cannot be read, or the model's images have another size.
      FloatingPointError: if the scores are not finite.
    """
    from reward_models.loaded import load_with_tokenizer
    from rlhf.data.memory import encode_episodes
    from rlhf.store import open_store

    version = f"{request['model']} {(Path(request['model']) / 'model.safetensors').stat().st_mtime_ns}"
    if version not in models:
        while len(models) >= _KEPT_MODELS:
            models.pop(next(iter(models)))
        models[version] = load_with_tokenizer(Path(request["model"]))
    model = models[version]
    episode = open_store(request["dataset"]).read(request["episode_id"])
    (scored,) = model.score(encode_episodes([episode], model.tokenizer, model.sizes))
    answer: dict[str, Any] = {
        "kind": model.kind,
        "scale": model.scale,
        "utility": _numbers(scored.utility),
        "reward": _numbers(scored.reward),
    }
    if scored.mark_probability is not None:
        answer["mark_probability"] = _numbers(scored.mark_probability)
    return answer


def _numbers(values: np.ndarray) -> Any:
    if not np.isfinite(values).all():
        raise FloatingPointError("the model's scores are not finite")
    return np.round(values.astype(np.float64), _DIGITS).tolist()


if __name__ == "__main__":
    main()
