"""`rlhf demo` and `rlhf iterate`: rounds of improvement (paper, section 6.7 and Figure 9).

A round records and marks play of the previous round's agent, trains a reward model on the marks of all rounds, trains
a new agent against it, from the cloned one or from the previous round's, and evaluates that agent. Folders:
``docs/rounds.md``.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from agents.folder import load_agent
from pipelines.loops.comparison import write_comparison
from pipelines.loops.peoples_marks import MarksMissing, wait_for_marks
from pipelines.loops.rounds import (
    CLONE,
    EVALUATED,
    MARKED,
    PLAYED,
    LoopConfig,
    Round,
    Start,
    agent_name,
    asked_play,
    resolve_config,
    resolve_round,
    resolve_start,
)
from pipelines.loops.wiring import record_both_splits
from pipelines.stages.clone import clone
from pipelines.stages.episodes.play_kinds import find_groups
from pipelines.stages.evaluate import evaluate
from pipelines.stages.evidence import check_evidence
from pipelines.stages.improve import improve
from pipelines.stages.mark import mark
from pipelines.stages.outcomes.evaluation_text import NEW_HOUSES
from pipelines.stages.record import record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import Stage, open_run, resume_or_start, run_stages
from reward_models import registry
from reward_models.registry import load_reward_model
from rlhf.records.preferences import PREFERENCES
from rlhf.run.config import CONFIG_FILE, load_config, lock_run
from rlhf.run.progress import announce
from rlhf.store import open_store
from rlhf.store.transfer.shared_play import share_play
from worlds.errors import UserError

__all__ = ["LoopConfig", "demo", "iterate"]

_PLACES = tuple(f"{stage}.device" for stage in ("demonstrations", "clone", "play", "reward", "improve", "evaluate"))
# Settings in which two commands for one run may differ.
FREE = ("run", "rounds", "least_marks", "wait", "device", "improve.anyway", *_PLACES)


def demo(config: LoopConfig) -> Path | None:
    """Run all rounds, from recorded play to a report, and return the report's path; see :func:`iterate`."""
    return iterate(config)


def iterate(config: LoopConfig) -> Path | None:
    """Run all rounds and return the report's path; None if the run has stopped for people to mark.

    The same command resumes a run that was interrupted or has stopped.

    Raises:
      UserError: if the run's folder holds a run with other settings, or anything else.
    """
    config = resolve_config(config)
    check_loop(config)
    open_run(config.run, config, "run", free=FREE)
    with lock_run(config.run):
        try:
            run_stages(config.run, _before_the_rounds(config), title="before the rounds, ")
            for number in range(1, config.rounds + 1):
                one = resolve_round(config, number)
                run_stages(one.folder, _round_stages(config, one), title=f"round {number}, ")
            return write_comparison(config)
        except MarksMissing as missing:
            announce(str(missing))
            return None


def _before_the_rounds(config: LoopConfig) -> list[Stage]:
    start = resolve_start(config)
    stages = []
    if config.data is None:
        shown = start.demonstrations
        stages.append(Stage("demonstrations", f"{shown.episodes} scripted episodes", lambda: record(shown)))
        if config.marked_demonstrations == "raters" and config.marks == "scripted":
            stages.append(Stage("marks on demonstrations", "by scripted raters", lambda: mark(start.mark)))
    if config.marked_demonstrations == "requests":
        stages.append(Stage("marks on demonstrations", "before each further request", lambda: _mark_requests(start)))
    if config.agent is None:
        stages.append(Stage("cloning (BC)", "where every round starts", lambda: resume_or_start(clone, start.clone)))
    return stages


def _round_stages(config: LoopConfig, one: Round) -> list[Stage]:
    """Return the stages of a round. Recording and marking skip what an earlier attempt has finished."""
    model = registry.get(one.reward.kind).short
    begun = agent_name(one.number - 1) if config.improve_start == "previous" else CLONE
    stages = [
        Stage(
            PLAYED,
            f"{one.play.episodes} episodes of the agent before",
            lambda: record_both_splits(one.play, config.held_out_play),
        ),
        Stage(MARKED, "by people" if config.marks == "people" else "by scripted raters", lambda: _marks(config, one)),
        Stage(f"reward model ({model})", "from all marks so far", lambda: _reward(one)),
        Stage("improvement (BC+RL)", f"a new agent from {begun}", lambda: resume_or_start(improve, one.improve)),
        Stage(EVALUATED, "on the same episodes", lambda: evaluate(one.evaluate)),
    ]
    if one.number == 1:  # not before people may mark
        first = resolve_start(config).evaluate
        stages.insert(-1, Stage("evaluation of BC", NEW_HOUSES[first.split], lambda: evaluate(first)))
    if one.number < config.rounds:  # after the last it is written in any case
        stages.append(Stage("comparison", "of the rounds so far", lambda: write_comparison(config)))
    return stages


def _reward(one: Round) -> None:
    """Train the reward model. One that would do harm is set aside, so that the same command learns from further marks.

    Raises:
      UserError: if it would.
    """
    folder = one.reward.runs / one.reward.name
    asked = asked_play(one.folder.parent, range(1, one.number + 1))
    config = replace(one.reward, data=(*one.reward.data, *asked))
    resume_or_start(reward, of_what_was_said(config, folder))
    if one.improve.anyway or one.improve.scripted_reward:
        return
    try:
        check_evidence([folder / "reward_model"])
    except UserError:
        refused = folder.with_name(f"{folder.name}-refused")
        shutil.rmtree(refused, ignore_errors=True)
        folder.rename(refused)
        raise


def of_what_was_said(config: RewardConfig, folder: Path) -> RewardConfig:
    """Leave out kinds of preferences that nobody has stated of training play, as people may give only marks.

    What an interrupted training in ``folder`` has begun with stays.
    """
    if (folder / CONFIG_FILE).is_file():
        preferences = load_config(folder, RewardConfig).training.preferences
    else:
        stores = [open_store(data) for data in config.data]
        training = {episode_id for store in stores for episode_id in store.ids(split="train")}
        stated = {
            table
            for table in config.training.preferences.weights
            for store in stores
            for one in store.preferences(PREFERENCES[table])
            if one.stretches[0].episode_id in training
        }
        left_out = {table: 0.0 for table in config.training.preferences.weights if table not in stated}
        preferences = replace(config.training.preferences, **left_out)
    return replace(config, training=replace(config.training, preferences=preferences))


def _mark_requests(start: Start) -> None:
    """Mark the demonstrations before each further request, in a dataset that shares their play if it is the user's."""
    if start.mark.data != start.data and not start.mark.data.is_dir():
        share_play(start.data, start.mark.data)
    mark(start.mark)


def _marks(config: LoopConfig, one: Round) -> None:
    if config.marks == "scripted":
        mark(one.mark)
    else:
        asked = asked_play(config.run, [one.number])
        wait_for_marks(one.play.data, one.folder, one.number, config.least_marks, config.wait, asked)


def check_loop(config: LoopConfig) -> None:
    """Refuse settings that would fail only rounds later, before the run's folder is created. Raises UserError."""
    if config.agent is not None:
        agent, words = load_agent(config.agent)
        config.play.world.check_fits(agent.config, config.agent)
        if config.reward_model is not None and not load_reward_model(config.reward_model)[1].cuts_like(words):
            raise UserError(
                f"{config.reward_model} was made for another agent than {config.agent}: name that agent's "
                "with --reward-model, or none"
            )
    if config.data is None:
        return
    if config.improve.kinds:
        find_groups((config.data,), "train", None, config.improve.kinds)
    elif not open_store(config.data).ids(split="train", solver=config.improve.imitate):
        raise UserError(
            f"{config.data} has no play by {config.improve.imitate} to imitate; --improve.imitate says by whom it is"
        )
