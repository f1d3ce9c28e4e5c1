"""Stages of a study's arms, from demonstrations to results, with the inputs of each.

The inputs of a stage are its settings, the seed and the inputs of the stages before it, without paths and devices.
Stages of two studies with the same inputs have the same outputs, so one of them can be reused (see
:mod:`pipelines.studies.sharing`).
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

from pipelines.stages.clone import clone
from pipelines.stages.evaluate import REQUESTS, EvaluateConfig, Split, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import mark
from pipelines.stages.record import record
from pipelines.stages.reward import reward
from pipelines.stages.running.staged_run import Stage, resume_or_start
from pipelines.studies.config import (
    PLAYER,
    SCRIPTED_SOLVER,
    TRUTH,
    Arm,
    StudyConfig,
    agent_of,
    clone_folder,
    clone_name,
    curve_of,
    data_of,
    folder_of,
    improve_name,
    marks_stage,
    results_of,
    reward_folder,
    splits_of,
)
from rlhf.run.checkpoint import Checkpoints
from rlhf.store import share_play

_ALL = 1_000_000  # checkpoints kept of an arm with a curve over updates


def study_steps(config: StudyConfig, name: str, seed: int) -> list[Stage]:
    """Return the stages of one arm's results; stages shared with other arms have the same names there."""
    arm, found = config.arms[name], list[Stage]()
    if arm.clone != SCRIPTED_SOLVER:
        found += [_demonstrating(config, seed), _cloning(config, arm.clone, seed)]
    if arm.improve is not None:
        found += [_demonstrating(config, seed), _cloning(config, PLAYER, seed), _playing(config, seed)]
        found.append(_marking(config, arm.marks, seed))
        if arm.reward != TRUTH:
            found.append(_rewarding(config, arm, seed))
        found.append(_improving(config, name, seed))
    found += [_evaluating(config, name, seed, split) for split in splits_of(config)]
    if name in config.curves:
        found.append(_following(config, name, seed))
    return list({stage.name: stage for stage in found}.values())


def serves(there: Stage, wanted: Stage) -> bool:
    """Return true if the output of ``there`` includes that of ``wanted``, with all checkpoints it needs."""
    return there.of == wanted.of or (there.of[0] == "improve" and there.of == (*wanted.of[:-1], True))


def improving_config(config: StudyConfig, name: str, seed: int) -> ImproveConfig:
    """Configuration of an arm's improvement."""
    arm, folder = config.arms[name], folder_of(config, seed)
    assert arm.improve is not None
    return replace(
        arm.improve, data=(folder / "data",), replay=f"agent:{clone_name(PLAYER)}", runs=folder,
        name=improve_name(name), agent=clone_folder(folder, arm.clone), scripted_reward=arm.reward == TRUTH,
        reward_model=reward_folder(folder, arm) / "reward_model", seed=seed,
        world=config.play.world, device=config.device or arm.improve.device,
        keep_checkpoints=_ALL if name in config.curves else arm.improve.keep_checkpoints,
    )  # fmt: skip


def evaluating_config(config: StudyConfig, name: str, seed: int, split: Split | None = None) -> EvaluateConfig:
    """Configuration of an arm's evaluation, on the same episodes for all arms of one seed."""
    return replace(
        config.evaluate, agents={name: agent_of(config, name, seed)}, seed=seed, split=split or config.evaluate.split,
        out=results_of(config, name, seed, split), device=config.device or config.evaluate.device,
    )  # fmt: skip


# -- the stages, in their order ------------------------------------------------------------------------------------


def _demonstrating(config: StudyConfig, seed: int) -> Stage:
    shown = config.demonstrations
    recording = replace(shown, data=data_of(config, None, seed), seed=2 * seed)
    note = f"{shown.episodes} scripted episodes"
    return Stage("demonstrations", note, lambda: record(recording), recording.data, _shown(config, seed))


def _cloning(config: StudyConfig, name: str, seed: int) -> Stage:
    folder, cloning = folder_of(config, seed), config.clones[name]
    cloning = replace(
        cloning, data=(data_of(config, None, seed),), runs=folder, name=clone_name(name),
        training=replace(cloning.training, seed=seed), device=config.device or cloning.device,
    )  # fmt: skip
    of = _cloned(config, name, seed)
    return Stage(f"clone {name}", "BC", lambda: resume_or_start(clone, cloning), folder / cloning.name, of)


def _playing(config: StudyConfig, seed: int) -> Stage:
    playing = replace(
        config.play, data=data_of(config, None, seed), solver=str(clone_folder(folder_of(config, seed), PLAYER)),
        seed=2 * seed + 1, device=config.device or config.play.device,
    )  # fmt: skip

    def play() -> None:
        record(playing)
        if config.held_out_play:
            record(replace(playing, episodes=config.held_out_play, split="held_out"))

    return Stage("play", f"{playing.episodes} episodes of the cloned agent", play, playing.data, _played(config, seed))


def _marking(config: StudyConfig, name: str | None, seed: int) -> Stage:
    """Stage of marks: the usual ones in the dataset itself, others in one that shares its play."""
    played, marked = data_of(config, None, seed), data_of(config, name, seed)
    marking = replace(config.mark if name is None else config.marks[name], data=marked, seed=seed)
    of = _marked(config, name, seed)
    if name is None:
        return Stage(marks_stage(name), "by scripted raters", lambda: mark(marking), marked, of)

    def share_and_mark() -> None:
        shutil.rmtree(marked, ignore_errors=True)  # left by an interrupted attempt
        share_play(played, marked)
        mark(marking)

    return Stage(marks_stage(name), "by other scripted raters", share_and_mark, marked, of)


def _rewarding(config: StudyConfig, arm: Arm, seed: int) -> Stage:
    folder, settings = folder_of(config, seed), config.rewards[arm.reward]
    where = reward_folder(folder, arm)
    rewarding = replace(
        settings, data=(data_of(config, arm.marks, seed),), agent=clone_folder(folder, arm.clone), runs=folder,
        name=where.name, training=replace(settings.training, seed=seed), device=config.device or settings.device,
    )  # fmt: skip
    note, of = "learned from the marks", _rewarded(config, arm, seed)
    return Stage(f"reward {where.name}", note, lambda: resume_or_start(reward, rewarding), where, of)


def _improving(config: StudyConfig, name: str, seed: int) -> Stage:
    improving = improving_config(config, name, seed)
    where, of = improving.runs / improving.name, _improved(config, name, seed)
    return Stage(f"improve {name}", "BC+RL", lambda: resume_or_start(improve, improving), where, of)


def _evaluating(config: StudyConfig, name: str, seed: int, split: Split) -> Stage:
    evaluating, arm = evaluating_config(config, name, seed, split), config.arms[name]
    if arm.improve is not None:
        agent = _improved(config, name, seed)[:-1]
    else:
        agent = SCRIPTED_SOLVER if arm.clone == SCRIPTED_SOLVER else _cloned(config, arm.clone, seed)
    of = ("evaluate", replace(config.evaluate, split=split), name, agent, seed)  # results have the arm's name
    title = f"evaluate {name}" if split == config.evaluate.split else f"evaluate {name} on {split}"
    return Stage(title, f"{REQUESTS[split]} in new houses", lambda: evaluate(evaluating), evaluating.out, of)


def _following(config: StudyConfig, name: str, seed: int) -> Stage:
    """Stage that evaluates an arm at its checkpoints, and the agent that it started from."""

    def follow() -> None:
        checkpoints = Checkpoints(folder_of(config, seed) / improve_name(name)).all()
        agents = {"0": str(clone_folder(folder_of(config, seed), config.arms[name].clone))}
        agents |= {str(checkpoint.step): str(checkpoint.agent_folder) for checkpoint in checkpoints}
        evaluate(
            replace(
                config.evaluate, agents=agents, seed=seed, probes=(config.curve_probe,), episodes=config.curve_episodes,
                out=curve_of(config, name, seed), device=config.device or config.evaluate.device,
            )
        )  # fmt: skip

    of = ("follow", config.evaluate, config.curve_probe, config.curve_episodes, _improved(config, name, seed))
    return Stage(f"follow {name}", f"{config.curve_probe} over updates", follow, curve_of(config, name, seed), of)


# -- inputs of the stages ------------------------------------------------------------------------------------------


def _shown(config: StudyConfig, seed: int) -> tuple[Any, ...]:
    return "demonstrations", config.demonstrations, seed


def _cloned(config: StudyConfig, name: str, seed: int) -> tuple[Any, ...]:
    return "clone", config.clones[name], _shown(config, seed)


def _played(config: StudyConfig, seed: int) -> tuple[Any, ...]:
    return "play", config.play, config.held_out_play, _cloned(config, PLAYER, seed)


def _marked(config: StudyConfig, name: str | None, seed: int) -> tuple[Any, ...]:
    return "marks", config.mark if name is None else config.marks[name], _played(config, seed)


def _rewarded(config: StudyConfig, arm: Arm, seed: int) -> tuple[Any, ...]:
    inputs = _cloned(config, arm.clone, seed), _marked(config, arm.marks, seed)
    return "reward", config.rewards[arm.reward], *inputs


def _improved(config: StudyConfig, name: str, seed: int) -> tuple[Any, ...]:
    """Inputs of an improvement; the last is true if all checkpoints are kept."""
    arm = config.arms[name]
    source = TRUTH if arm.reward == TRUTH else _rewarded(config, arm, seed)
    cloned, played = _cloned(config, arm.clone, seed), _played(config, seed)
    return "improve", arm.improve, source, cloned, played, name in config.curves
