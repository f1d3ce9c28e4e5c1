"""Settings in which the agents of a published table differ from the paper's, as a table.

Only settings are compared. What no setting says, such as whose houses and networks they are, is in the
experiment's README.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from experiments.engine.config import ExperimentConfig, resolve_config
from experiments.engine.results_docs import ResultTable
from pipelines.loops.wiring import StageSettings
from pipelines.stages.settings.play_settings import PlaySettings
from rlhf.records.json_records import differences

# Settings that neither teach nor test: files, machines, seeds, how often something is measured or saved, and what
# follows from the order of the stages.
_LEFT_OUT = frozenset(
    (
        "agent", "agents", "checkpoint_every", "computing", "data", "device", "evaluate_every", "evaluation_episodes",
        "execution", "executor", "guards", "head_seed", "in_memory_gb", "keep_checkpoints", "name", "out", "ray",
        "reading", "replay", "reward_model", "runs", "seed", "setter_agent", "solver", "start", "step_limit_sec",
        "threads", "torch_threads", "wandb", "workers",
    )
)  # fmt: skip
_OF_NEW_AGENTS = ("size", "network", "vision_model", "vocabulary", "text_length")  # a clone trained further keeps them
_MOST_NAMES = 8  # of a list that is shown; a longer one is counted


def differing_settings(name: str, experiment: ExperimentConfig, theirs: StageSettings) -> ResultTable:
    """Return all settings that differ, in the order of the stages; one that differs alike in several is one row."""
    theirs = theirs.in_one_world(PlaySettings(theirs.demonstrations.world, theirs.demonstrations.players))
    experiment = resolve_config(experiment)
    stages = list(_stages(experiment))
    playing = [title for title, own, _ in stages if hasattr(own, "world")]
    further = [experiment.clones[name] for name in experiment.begins_with]
    found = dict[tuple[str, str, str], list[str]]()
    for title, own, stage in stages:
        for row in _differing(getattr(theirs, stage), own, stage):
            if own not in further or row[0] not in _OF_NEW_AGENTS:
                found.setdefault(row, []).append(title)
    rows = (("all play" if titles == playing else ", ".join(titles), *row) for row, titles in found.items())
    return ResultTable(("stage or arm", "setting", "paper", name), tuple(rows))


def _stages(experiment: ExperimentConfig) -> Iterator[tuple[str, Any, str]]:
    """Yield every stage of an experiment: its title, its settings, and the name of the paper's stage."""
    yield "demonstrations", experiment.demonstrations, "demonstrations"
    for name, clone in experiment.clones.items():
        yield f"cloning `{name}`", clone, "clone"
    yield "play", experiment.play, "play"
    yield "marks", experiment.mark, "mark"
    for name, raters in experiment.marks.items():
        for marks in raters:
            yield f"marks `{name}`", marks, "mark"
    for name, reward in experiment.rewards.items():
        yield f"reward model `{name}`", reward, "reward"
    for name, arm in experiment.arms.items():
        if arm.improve is not None:
            yield f"`{name}`", arm.improve, "improve"
    yield "evaluation", experiment.evaluate, "evaluate"


def _differing(theirs: Any, own: Any, stage: str) -> Iterator[tuple[str, str, str]]:
    """Yield each setting of a stage that differs, and both values."""
    tasks: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for setting, *values in differences(theirs, own):
        first, *parts = setting.split(".")
        if parts[:1] == ["tasks"]:
            for mapping, value in zip(tasks, values, strict=True):
                mapping.update({} if value is None else {parts[1]: value})
        elif not ({first, *parts[-1:]} & _LEFT_OUT or (first == "slots" and stage != "improve")):
            yield setting, _shown(values[0]), _shown(values[1])
    if any(tasks):
        yield "players.tasks", _shown(tasks[0]), _shown(tasks[1])


def _shown(value: Any) -> str:
    """Return a value as text; a dash for the default."""
    if isinstance(value, list | dict) and len(value) > _MOST_NAMES:
        return f"{len(value)} kinds"
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    if value is None or value in ([], "", "{}"):
        return "–"
    return value if isinstance(value, str) else json.dumps(value)
