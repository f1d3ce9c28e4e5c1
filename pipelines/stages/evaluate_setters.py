"""`rlhf evaluate --setters agent:FOLDER`: a learned setter asks, in new places, instead of probes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Protocol

from pipelines.stages.outcomes.results_file import LEARNED, fingerprint
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.solvers import open_setters, prompt_notes
from rlhf.replay.learned_setter import LearnedSetter
from rlhf.replay.play import Plan
from rlhf.replay.setter_side import prompt_of
from rlhf.run.place_seeds import probe_seed
from rlhf.run.progress import announce
from worlds.contract import Solver

if TYPE_CHECKING:
    from agents.acting import AgentSetters


class AskedEvaluation(Protocol):
    """Settings of an evaluation, as far as its setter is concerned."""

    @property
    def setter_agent(self) -> str | None: ...
    @property
    def setter_steps(self) -> int: ...
    @property
    def episodes(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def split(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def world(self) -> WorldConfig: ...


class Asked(Protocol):
    """What came of an episode."""

    @property
    def success_step(self) -> Sequence[int | None]: ...


def evaluation_setters(config: AskedEvaluation, slots: int) -> AgentSetters | None:
    """Return the agent that asks in ``slots`` places; None if probes are asked.

    Raises:
      UserError: the folder holds no setter, or one that does not fit the world.
    """
    if config.setter_agent is None:
        return None
    return open_setters(config.world, config.setter_agent, slots, config.device, config.seed + 1)


def asked_with(config: AskedEvaluation) -> str | None:
    """Return what identifies setter and length of episodes in a file of results; None if probes are asked."""
    if config.setter_agent is None:
        return None
    return f"{fingerprint(config.setter_agent)}, {config.setter_steps} steps"


def learned_plans(config: AskedEvaluation, prompted: bool, solver: Solver | None) -> Generator[Plan, None, None]:
    """Yield plans of ``config.episodes`` episodes in new places, each until the first request is over.

    Args:
      solver: the scripted solver, which plays one episode after the other; None where an agent plays.
    """
    entry, first = config.world.entry(), probe_seed(config.seed)
    for seed in range(first, first + config.episodes):
        prompt = prompt_of(prompt_notes(seed)) if prompted else ""
        yield Plan(
            episode_id=f"{LEARNED}-{seed}", config=config.world.sample_config(seed),
            setter=LearnedSetter(entry, prompt), seed=seed, steps=config.setter_steps, split=config.split, tail=0,
            solver=solver,
        )  # fmt: skip


def first_success(episode: Asked) -> int | None:
    """Return the step at which the first request was fulfilled; None if it was not, or there was none."""
    return episode.success_step[0] if episode.success_step else None


def announce_unread(agent: str, episodes: Sequence[Asked]) -> None:
    """Announce in how many episodes nothing that was asked could be checked."""
    if unread := sum(not episode.success_step for episode in episodes):
        announce(
            f"in {unread} of {len(episodes)} episodes of {agent} the setter made no request that can be checked; they "
            "count as not fulfilled"
        )
