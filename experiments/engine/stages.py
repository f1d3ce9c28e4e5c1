"""Stages of an experiment's arms, from demonstrations to results, with the inputs of each.

The inputs of a stage are its settings, the seed and the inputs of the stages before it, without paths, devices and
numbers of processes.
Stages of two experiments with the same inputs have the same outputs, so one of them can be reused (see
:mod:`experiments.engine.sharing`). Play of an agent that was interrupted and resumed has other draws of its actions.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from experiments.engine.config import (
    EVERY_PROBE,
    LIKELIEST,
    PLAYER,
    SCRIPTED_SOLVER,
    TRUTH,
    Arm,
    ExperimentConfig,
    agent_of,
    begun_folder,
    clone_folder,
    clone_name,
    curve_of,
    curve_probes,
    data_of,
    evaluations_of,
    folder_of,
    improve_name,
    marking_of,
    marks_stage,
    refine_name,
    results_of,
    reward_folder,
    uses_reward_model,
)
from pipelines.loops.wiring import Wiring, record_both_splits
from pipelines.stages.clone import clone
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.outcomes.evaluation_text import NEW_HOUSES
from pipelines.stages.record import record
from pipelines.stages.refine import refine
from pipelines.stages.reward import reward
from pipelines.stages.running.staged_run import Stage, resume_or_start
from rlhf.run.checkpoint import Checkpoints
from rlhf.store.transfer.shared_play import share_play

_ALL = 1_000_000  # checkpoints kept of an arm with a curve over updates


def mark_by_all(wiring: Wiring, raters: Sequence[MarkConfig], data: Path) -> None:
    """Have raters of several settings mark a dataset, one after the other."""
    for settings in raters:
        mark(wiring.mark(settings, data))


def serves(there: Stage, wanted: Stage) -> bool:
    """Return true if the output of ``there`` includes that of ``wanted``, with all checkpoints it needs."""
    return there.of == wanted.of or (there.of[0] == "improve" and there.of == (*wanted.of[:-1], True))


@dataclass(frozen=True)
class SeedStages:
    """Stages of one seed of an experiment. A stage that several arms share has one name."""

    config: ExperimentConfig
    seed: int

    @property
    def folder(self) -> Path:
        """Folder of all outputs."""
        return folder_of(self.config, self.seed)

    @property
    def data(self) -> Path:
        """Dataset of demonstrations, play and the usual marks."""
        return data_of(self.config, None, self.seed)

    @property
    def wiring(self) -> Wiring:
        """Folder, seed and device of the stages."""
        return Wiring(self.folder, self.seed, self.config.device)

    def arm(self, name: str) -> list[Stage]:
        """Return the stages of one arm's results, in their order."""
        arm, found = self.config.arms[name], list[Stage]()
        if arm.clone != SCRIPTED_SOLVER:
            found += [self.demonstrations(), *self.cloning(arm.clone)]
        if arm.improve is not None or arm.refine is not None:
            found += [self.demonstrations(), *self.cloning(PLAYER), self.play(), self.marks(arm.marks)]
            if uses_reward_model(self.config, arm) or (arm.improve is not None and arm.reward != TRUTH):
                found.append(self.reward(arm))
            if arm.refine is not None:
                found.append(self.refine(arm))
            if arm.improve is not None:
                found.append(self.improve(name))
        found += [self.evaluate(name, evaluation) for evaluation in evaluations_of(self.config)]
        if name in self.config.curves:
            found.append(self.curve(name))
        return list({stage.name: stage for stage in found}.values())

    def demonstrations(self) -> Stage:
        """Stage of the scripted demonstrator's play."""
        settings = self.config.demonstrations
        recording = self.wiring.demonstrations(settings, self.data)
        note, of = (
            f"{settings.episodes} scripted episodes",
            ("demonstrations", replace(settings, workers=None), self.seed),
        )
        return Stage("demonstrations", note, lambda: record(recording), self.data, of)

    def clone(self, name: str) -> Stage:
        """Stage of an agent that imitates the demonstrator."""
        if name == PLAYER and (given := self.config.agent) is not None:
            where = self.folder / clone_name(name)
            note, copy = f"given: {given}", partial(shutil.copytree, given, where / "agent", dirs_exist_ok=True)
            return Stage(f"clone {name}", note, copy, where, ("given", given))
        settings, before = self.config.clones[name], self.config.begins_with.get(name)
        cloning = self.wiring.clone(settings, self.data, clone_name(name))
        of = ("clone", settings, self.demonstrations().of)
        if before is not None:
            cloning, of = replace(cloning, agent=clone_folder(self.folder, before)), (*of, self.clone(before).of)
        note = "BC" if before is None else f"BC, further from {before}"
        return Stage(f"clone {name}", note, lambda: resume_or_start(clone, cloning), self.folder / cloning.name, of)

    def cloning(self, name: str) -> list[Stage]:
        """Return the stages of a cloned agent: the clones that it begins with, and its own."""
        before = self.config.begins_with.get(name)
        return [*([] if before is None else self.cloning(before)), self.clone(name)]

    def play(self) -> Stage:
        """Stage of the cloned agent's play, in training and in held-out houses."""
        settings, held_out = self.config.play, self.config.held_out_play
        playing = self.wiring.play(settings, self.data, clone_folder(self.folder, PLAYER))
        of = ("play", replace(settings, workers=None), held_out, self.clone(PLAYER).of)
        note = f"{settings.episodes} episodes of the cloned agent"
        return Stage("play", note, lambda: record_both_splits(playing, held_out), self.data, of)

    def marks(self, name: str | None) -> Stage:
        """Stage of marks: the usual ones in the dataset itself, others in one that shares its play."""
        settings = marking_of(self.config, name)
        marked, of = data_of(self.config, name, self.seed), ("marks", *settings, self.play().of)

        def share_and_mark() -> None:
            if name is not None:
                shutil.rmtree(marked, ignore_errors=True)  # left by an interrupted attempt
                share_play(self.data, marked)
            mark_by_all(self.wiring, settings, marked)

        return Stage(marks_stage(name), "by scripted raters", share_and_mark, marked, of)

    def reward(self, arm: Arm) -> Stage:
        """Stage of an arm's reward model."""
        settings, marks = self.config.rewards[arm.reward], self.marks(arm.marks)
        agent, where = clone_folder(self.folder, arm.clone), reward_folder(self.folder, arm)
        rewarding = self.wiring.reward(settings, (marks.makes,), agent, where.name)
        of = ("reward", settings, self.clone(arm.clone).of, marks.of)
        note = "learned from the marks"
        return Stage(f"reward {where.name}", note, lambda: resume_or_start(reward, rewarding), where, of)

    def refine(self, arm: Arm) -> Stage:
        """Stage of an arm's refinement on marked play."""
        assert arm.refine is not None
        settings, marks = self.config.refinements[arm.refine], self.marks(arm.marks)
        agent, model = clone_folder(self.folder, arm.clone), reward_folder(self.folder, arm) / "reward_model"
        refining = self.wiring.refine(settings, marks.makes, agent, model, refine_name(self.config, arm))
        source = self.reward(arm).of if uses_reward_model(self.config, arm) else None
        of, where = ("refine", settings, source, self.clone(arm.clone).of, marks.of), self.folder / refining.name
        return Stage(refining.name, "on marked play", lambda: resume_or_start(refine, refining), where, of)

    def begun(self, arm: Arm) -> Stage:
        """Stage of the agent that an arm is, or whose improvement begins with it."""
        return self.clone(arm.clone) if arm.refine is None else self.refine(arm)

    def improve(self, name: str) -> Stage:
        """Stage of an arm's improvement; the last of its inputs is true if all checkpoints are kept."""
        arm, improving = self.config.arms[name], self.improve_config(name)
        source = TRUTH if arm.reward == TRUTH else self.reward(arm).of
        settings = None if arm.improve is None else replace(arm.improve, threads=None)
        of = ("improve", settings, source, self.begun(arm).of, self.play().of, name in self.config.curves)
        where = self.folder / improving.name
        return Stage(f"improve {name}", "BC+RL", lambda: resume_or_start(improve, improving), where, of)

    def improve_config(self, name: str) -> ImproveConfig:
        """Return the settings of an arm's improvement."""
        arm, settings = self.config.arms[name], self.config.arms[name].improve
        assert settings is not None
        agent, model = begun_folder(self.config, arm, self.folder), reward_folder(self.folder, arm) / "reward_model"
        return replace(
            self.wiring.improve(settings, self.data, agent, model, improve_name(name)),
            replay=None if settings.replay is None else f"agent:{clone_name(PLAYER)}",
            scripted_reward=arm.reward == TRUTH,
            anyway=True,  # what a bad reward model does is measured, too
            world=self.config.play.world,
            keep_checkpoints=_ALL if name in self.config.curves else settings.keep_checkpoints,
        )

    def evaluate(self, name: str, evaluation: str = "") -> Stage:
        """Stage of one of an arm's evaluations."""
        evaluating, arm = self.evaluate_config(name, evaluation), self.config.arms[name]
        if arm.improve is not None:
            agent = self.improve(name).of[:-1]
        else:
            agent = SCRIPTED_SOLVER if arm.clone == SCRIPTED_SOLVER else self.begun(arm).of
        settings = evaluations_of(self.config)[evaluation]
        of = ("evaluate", settings, name, agent, self.seed)  # results have the arm's name
        preposition = "with" if evaluation == LIKELIEST else "on"
        title = f"evaluate {name}" + (f" {preposition} {evaluation}" if evaluation else "")
        note = NEW_HOUSES[settings.split]
        return Stage(title, note, lambda: evaluate(evaluating), evaluating.out, of)

    def evaluate_config(self, name: str, evaluation: str = "") -> EvaluateConfig:
        """Return the settings of an arm's evaluation, on the same episodes for all arms of one seed."""
        settings = evaluations_of(self.config)[evaluation]
        out = results_of(self.config, name, self.seed, evaluation)
        return self.wiring.evaluate(settings, {name: agent_of(self.config, name, self.seed)}, out)

    def curve(self, name: str) -> Stage:
        """Stage that evaluates an arm at its checkpoints, and the agent that it started from."""
        config, out = self.config, curve_of(self.config, name, self.seed)
        settings = replace(config.evaluate, probes=curve_probes(config), episodes=config.curve_episodes)

        def follow() -> None:
            improving = config.arms[name].improve
            assert improving is not None
            agents = {"0": str(begun_folder(config, config.arms[name], self.folder))}
            for checkpoint in Checkpoints(self.folder / improve_name(name)).all():
                # An interruption leaves a checkpoint at any update, which other seeds do not have.
                if checkpoint.step % improving.checkpoint_every == 0 or checkpoint.step == improving.updates:
                    agents[str(checkpoint.step)] = str(checkpoint.agent_folder)
            evaluate(self.wiring.evaluate(settings, agents, out))

        of = ("follow", config.evaluate, config.curve_probe, config.curve_episodes, self.improve(name).of)
        note = f"{'all probes' if config.curve_probe == EVERY_PROBE else config.curve_probe} over updates"
        return Stage(f"follow {name}", note, follow, out, of)
