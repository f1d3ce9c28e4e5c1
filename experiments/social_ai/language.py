"""The part "language-models": language models that read the school as text, beside chance and the demonstrator.

As the paper's study of language models (Section 5.4): rooms of 7 x 7 cells, 15 steps, an end when the apple is lost,
examples of recorded episodes in every prompt. A model is compared where the caller gives one; nothing is sent anywhere.

```
RUN/language-models/examples-ENVIRONMENT/: the dataset of which examples are taken
RUN/language-models/model-STUDY/: the given model, with its examples
RUN/language-models/STUDY-seed-S.json: results, resumed if they are incomplete; STUDY-seed-S.NAME.calls.jsonl: prompts
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agents.language_models import is_language_model
from agents.language_models.calls import read_calls
from agents.language_models.config import ModelSource, PromptConfig
from agents.language_models.folder import load_language_model
from experiments.engine.page import Section
from experiments.engine.rows import Row, rows_of_results
from experiments.engine.table import Cell, pooled, table
from pipelines.stages.evaluate import EvaluateConfig, evaluate, load_results
from pipelines.stages.language_model import MakeLanguageModelConfig, make_language_model
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.running.staged_run import Stage
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.solvers import calls_file
from worlds.errors import UserError

NAME = "language-models"
MODEL, CHANCE, ORACLE = "language model", "random", "perfect"
MOST_STEPS = 15
_SIZE = 7


@dataclass(frozen=True)
class LanguageCase:
    """What is played, and of what the examples are.

    Args:
      played: id of the environment, without its beginning and end.
    """

    played: str
    examples: str
    count: int
    question: str


LANGUAGE_CASES: Mapping[str, LanguageCase] = {
    "asocial-box": LanguageCase("AsocialBoxInformationSeeking", "AsocialBoxInformationSeeking", 6, "a box, alone"),
    "colour-boxes": LanguageCase("ColorBoxesLLMCS", "ColorBoxesLLMCS", 10, "the box whose colour a caretaker says"),
    "colour-boxes-of-others": LanguageCase(
        "ColorBoxesLLMCS", "ColorLLMCS", 10, "the same, with examples of the colour's use in other problems"
    ),
}


def stages(run: Path, seed: int, model: Path | None = None, episodes: int = 100) -> list[Stage]:
    """Return the stages of a seed: chance, the demonstrator without errors, and a model, in every case.

    Args:
      model: folder of a causal language model as transformers saves it; None leaves it out.

    Raises:
      UserError: the folder holds no model.
    """
    if model is not None and is_language_model(str(model)):
        raise UserError(f"{model} is an agent made of a language model; name the folder of the model itself")
    folder = run / NAME

    def play(name: str, case: LanguageCase) -> None:
        agents = {CHANCE: CHANCE, ORACLE: ORACLE}
        if model is not None:
            agents[MODEL] = str(_with_examples(folder, name, case, model))
        evaluate(
            EvaluateConfig(
                agents=agents, probes=("boxes",), episodes=episodes, seed=seed, slots=min(episodes, 20),
                out=folder / f"{name}-seed-{seed}.json", world=_world(case.played),
            )
        )  # fmt: skip

    note = "without a model" if model is None else "with a model"
    return [
        Stage(f"{NAME}: {name}, {note}", case.question, partial(play, name, case))
        for name, case in LANGUAGE_CASES.items()
    ]


def section(run: Path) -> Section:
    """Return the results so far; no paragraphs if nothing was played."""
    rows, files = list[Row](), dict[str, list[Path]]()
    for name in LANGUAGE_CASES:
        files[name] = sorted((run / NAME).glob(f"{name}-seed-[0-9]*.json"))
        for path in files[name]:
            seed = int(path.stem.rpartition("-")[2])
            for result in load_results(path):
                rows += rows_of_results(f"school/{NAME}/{name}", result.agent, seed, [result])
    if not rows:
        return Section()

    def case(row: Row) -> str:
        return row.experiment.rpartition("/")[2]

    def cost(place: int) -> Cell:
        return lambda own: _cost(files[case(own[0])], own[0].arm)[place]

    columns = (
        ("episodes", lambda own: str(len(own))), ("success", pooled), ("tokens a step", cost(0)),
        ("seconds a step", cost(1)),
    )  # fmt: skip
    about = (
        f"Rooms of {_SIZE}x{_SIZE} cells, {MOST_STEPS} steps, texts; 95% intervals of Wilson. `{CHANCE}` draws acts, "
        f"`{ORACLE}` is the demonstrator without errors."
    )
    made = table(rows, ("to open", "player"), columns, lambda row: (LANGUAGE_CASES[case(row)].question, row.arm))
    return Section(rows, [f"## {NAME}", about, made])


def _with_examples(folder: Path, name: str, case: LanguageCase, model: Path) -> Path:
    """Return the folder of the model with its examples; made if it is not there."""
    agent = folder / f"model-{name}"
    if is_language_model(str(agent)):
        if load_language_model(str(agent)).model.folder != model:
            raise UserError(f"{agent} is another model than {model}; use another --runs, or move that folder away")
        return agent
    data = folder / f"examples-{case.examples}"
    record(
        RecordConfig(
            data=data,
            episodes=4 * case.count,
            steps=1125,
            tail=0,
            split="train",
            workers=1,
            world=_world(case.examples),
        )
    )
    return make_language_model(
        MakeLanguageModelConfig(
            out=agent,
            model=ModelSource(folder=model, answer_tokens=6),
            prompt=PromptConfig(history=2),
            data=data,
            examples=case.count,
            most_steps=MOST_STEPS,
        )
    )


def _world(environment: str) -> WorldConfig:
    settings = {"environment": f"SocialAI-{environment}ParamEnv-v1", "size": _SIZE, "stop_when_lost": True}
    return WorldConfig(
        "school", options={"text": True, "published_text": True, "max_steps": MOST_STEPS}, settings=settings
    )


def _cost(results: Sequence[Path], agent: str) -> tuple[str, str]:
    """Tokens read and written, and seconds, of a mean step; "" of players who are no language models."""
    files = [calls_file(path.with_suffix(""), agent) for path in results]
    calls = [call for path in files if path.exists() for call in read_calls(path)]
    if not calls:
        return "", ""
    tokens = sum(call["prompt_tokens"] + call["answer_tokens"] for call in calls) / len(calls)
    return f"{tokens:.0f}", f"{sum(call['seconds'] for call in calls) / len(calls):.2f}"
