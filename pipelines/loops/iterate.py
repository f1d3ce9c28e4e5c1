"""`rlhf iterate`: rounds of improvement (paper, section 6.7 and Figure 9).

A round records and marks play of the previous round's agent, trains a reward model on the marks of all rounds, trains
a new agent against it, from the cloned one or from the previous round's, and evaluates that agent. Folders:
``docs/rounds.md``.
"""

from __future__ import annotations

from pathlib import Path

from agents.folder import load_agent
from pipelines.loops.comparison import write_comparison
from pipelines.loops.peoples_marks import MarksMissing, wait_for_marks
from pipelines.loops.rounds import (
    CLONE,
    EVALUATED,
    IterateConfig,
    Round,
    agent_name,
    resolve_config,
    resolve_round,
    resolve_start,
)
from pipelines.loops.wiring import record_both_splits
from pipelines.stages.clone import clone
from pipelines.stages.episodes.play_kinds import find_groups, parse_play_kinds
from pipelines.stages.evaluate import evaluate
from pipelines.stages.improve import improve
from pipelines.stages.mark import mark
from pipelines.stages.outcomes.evaluation_text import NEW_HOUSES
from pipelines.stages.record import record
from pipelines.stages.reward import reward
from pipelines.stages.running.staged_run import Stage, open_run, resume_or_start, run_stages
from reward_models import registry
from rlhf.run.config import lock_run
from rlhf.run.progress import announce
from rlhf.store import open_store
from worlds.errors import UserError

__all__ = ["IterateConfig", "iterate"]

_FREE = ("run", "rounds", "least_marks", "wait")  # two commands for one run may differ in these


def iterate(config: IterateConfig) -> Path | None:
    """Run all rounds and return the report's path; None if the run has stopped for people to mark.

    The same command resumes a run that was interrupted or has stopped.

    Raises:
      UserError: if the run's folder holds a run with other settings, or anything else.
    """
    config = resolve_config(config)
    _check(config)
    open_run(config.run, config, "run", free=_FREE)
    with lock_run(config.run):
        try:
            run_stages(config.run, _before_the_rounds(config), title="before the rounds, ")
            for number in range(1, config.rounds + 1):
                one = resolve_round(config, number)
                run_stages(one.folder, _round_stages(config, one), title=f"round {number}, ")
        except MarksMissing as missing:
            announce(str(missing))
            return None
        return write_comparison(config)


def _before_the_rounds(config: IterateConfig) -> list[Stage]:
    start = resolve_start(config)
    stages = []
    if config.data is None:
        shown = start.demonstrations
        stages.append(Stage("demonstrations", f"{shown.episodes} scripted episodes", lambda: record(shown)))
        if config.marked_demonstrations and config.marks == "scripted":
            stages.append(Stage("marks on demonstrations", "by scripted raters", lambda: mark(start.mark)))
    if config.agent is None:
        stages.append(Stage("cloning (BC)", "where every round starts", lambda: resume_or_start(clone, start.clone)))
    stages.append(Stage("evaluation of BC", NEW_HOUSES[start.evaluate.split], lambda: evaluate(start.evaluate)))
    return stages


def _round_stages(config: IterateConfig, one: Round) -> list[Stage]:
    """Return the stages of a round. Recording and marking skip what an earlier attempt has finished."""
    model = registry.get(one.reward.kind).short
    begun = agent_name(one.number - 1) if config.improve_start == "previous" else CLONE
    stages = [
        Stage(
            "play",
            f"{one.play.episodes} episodes of the agent before",
            lambda: record_both_splits(one.play, config.held_out_play),
        ),
        Stage("marks", "by people" if config.marks == "people" else "by scripted raters", lambda: _marks(config, one)),
        Stage(f"reward model ({model})", "from all marks so far", lambda: resume_or_start(reward, one.reward)),
        Stage("improvement (BC+RL)", f"a new agent from {begun}", lambda: resume_or_start(improve, one.improve)),
        Stage(EVALUATED, "on the same episodes", lambda: evaluate(one.evaluate)),
    ]
    if one.number < config.rounds:  # after the last it is written in any case
        stages.append(Stage("comparison", "of the rounds so far", lambda: write_comparison(config)))
    return stages


def _marks(config: IterateConfig, one: Round) -> None:
    if config.marks == "scripted":
        mark(one.mark)
    else:
        wait_for_marks(one.folder, one.number, config.least_marks, config.wait)


def _check(config: IterateConfig) -> None:
    """Refuse settings that would fail only rounds later, before the run's folder is created. Raises UserError."""
    playing = ("play", "improve", "evaluate") if config.data else ("demonstrations", "play", "improve", "evaluate")
    if any(getattr(config, stage).world != config.play.world for stage in playing):
        raise UserError(f"{', '.join(playing)} differ in their world: an agent plays where it was cloned")
    if config.agent is not None:
        config.play.world.check_fits(load_agent(config.agent)[0].config, config.agent)
    if config.data is None:
        return
    if parse_play_kinds(config.improve.kinds):
        find_groups((config.data,), "train", None, config.improve.kinds)
    elif not open_store(config.data).ids(split="train", solver=config.improve.imitate):
        raise UserError(
            f"{config.data} has no play by {config.improve.imitate} to imitate; --improve.imitate says by whom it is"
        )
