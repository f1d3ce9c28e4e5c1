"""Rounds of improvement: their settings, their folders, and the settings of the stages of each round.

RUN/data, RUN/clone, RUN/results.json      demonstrations, cloned agent and its evaluation
RUN/round-1/data                           play of the previous agent, with its marks
RUN/round-1/reward, improve, results.json  reward model, improved agent and its evaluation
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from agents.ranges import Count, CountFromZero, Range, check_ranges
from pipelines.loops.wiring import StageSettings, Wiring
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.play_settings import (
    UNKNOWN,
    PlaySettings,
    settings_of_agent,
    settings_of_datasets,
)
from rlhf.run.place_seeds import LARGEST_SEED
from worlds.errors import UserError

CLONE, REFERENCE = "BC", "demonstrator"  # agents that were there before the first round
EVALUATED = "evaluation"  # the stage after which a round can be compared with others
MOST_ROUNDS = 19
_SEEDS = MOST_ROUNDS + 1  # of recordings in one run: the demonstrations' and one for each round


@dataclass(frozen=True)
class IterateConfig(StageSettings):
    """Settings of `rlhf iterate`. Folders and seeds of the stages follow from run, seed and the round.

    Args:
      run: folder of the run; a round writes into its folder "round-K".
      rounds: number of rounds, from 1 to 19; more of them continue the run later.
      seed: seed of everything, from 0 to 24.
      data: dataset with the demonstrations that BC imitates; None records them as demonstrations says.
      agent: folder of the cloned agent that all rounds start from; None clones one as clone says.
      marks: raters of each round's play: "scripted", or "people", for whom the run stops or waits.
      least_marks: marks of people that a round needs.
      wait: poll for people's marks every two seconds, instead of stopping until the command is given again.
      marked_demonstrations: train the reward model also on marks of the demonstrations, even where people mark
        the rounds' play and scripted raters the demonstrations. Scripted raters mark
        demonstrations that the run has recorded; of a dataset of the user, the marks in it are used.
      reward_start: start of the reward model in every round: the weights of the "clone", as in the paper, or the reward
        model of the "previous" round.
      improve_start: start of the agent in every round's improvement: the "clone", as in the paper, or the agent of the
        "previous" round, which is also the reference that its decisions to speak are kept close to.
      replay: replay setters of "all" rounds' play in improvement, or only those of the "latest".
      held_out_play: episodes of a round's play in held-out houses, which show the modelled reward on play that nothing
        is trained on; 0 records none.
      demonstrations: the scripted demonstrator's play.
      clone: the agent that imitates it.
      play: a round's recording.
      mark: the scripted raters.
      reward: a round's reward model.
      improve: a round's improvement.
      evaluate: the evaluation of every agent at the probes.
    """

    run: Path = Path("runs/iterate")
    rounds: Annotated[int, Range(least=1, most=MOST_ROUNDS)] = 2
    seed: Annotated[int, Range(least=0, most=LARGEST_SEED // _SEEDS - 1)] = 0
    data: Path | None = None
    agent: Path | None = None
    marks: Literal["scripted", "people"] = "scripted"
    least_marks: Count = 100
    wait: bool = False
    marked_demonstrations: bool = True
    reward_start: Literal["clone", "previous"] = "clone"
    improve_start: Literal["clone", "previous"] = "clone"
    replay: Literal["all", "latest"] = "all"
    held_out_play: CountFromZero = 60
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    clone: CloneConfig = field(default_factory=CloneConfig)
    play: RecordConfig = field(default_factory=RecordConfig)
    mark: MarkConfig = field(default_factory=MarkConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    improve: ImproveConfig = field(default_factory=ImproveConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        if self.agent is not None and self.data is None:
            raise UserError(
                "improvement imitates demonstrations: name the dataset that the agent was cloned from with --data"
            )


@dataclass(frozen=True)
class Start:
    """Settings of the stages before the first round."""

    demonstrations: RecordConfig
    mark: MarkConfig
    clone: CloneConfig
    agent: Path
    evaluate: EvaluateConfig

    @property
    def data(self) -> Path:
        """The dataset of the demonstrations."""
        return self.demonstrations.data


@dataclass(frozen=True)
class Round:
    """Settings of the stages of one round.

    Args:
      number: number of the round, counted from 1.
      folder: folder of the round.
      name: name, in reports, of the agent that it trains, whose folder is ``improve.runs / improve.name / "agent"``.
      play: recording of the previous agent's play.
      mark: scripted raters.
      reward: reward model.
      improve: improvement.
      evaluate: evaluation.
    """

    number: int
    folder: Path
    name: str
    play: RecordConfig
    mark: MarkConfig
    reward: RewardConfig
    improve: ImproveConfig
    evaluate: EvaluateConfig


def resolve_config(config: IterateConfig) -> IterateConfig:
    """Return the configuration with the settings that are the same for all rounds.

    Paths are absolute, recordings are of one split each, and world and players that a stage leaves open are those of
    the demonstrations.
    """
    data, agent = (None if path is None else path.absolute() for path in (config.data, config.agent))
    given = PlaySettings(config.demonstrations.world, config.demonstrations.players)
    if data is not None:
        known = UNKNOWN if agent is None else settings_of_agent(agent)
        given = known.or_else(settings_of_datasets([data], known)).or_else(given)
    improve = replace(config.improve, world=config.improve.world.or_else(given.world).complete())
    return replace(config, data=data, agent=agent, improve=improve).in_one_world(given)


def round_folder(run: Path, number: int) -> Path:
    """Return the folder of round ``number``."""
    return run / f"round-{number}"


def agent_name(number: int) -> str:
    """Return the name, in reports, of the agent that round ``number`` trains; 0 is the cloned one."""
    return CLONE if number == 0 else f"Round {number}"


def resolve_start(config: IterateConfig) -> Start:
    """Return the settings of the stages before the first round, with folders and seeds."""
    run, wiring = config.run, _wiring(config, config.run)
    data = config.data or run / "data"
    agent = config.agent or run / "clone" / "agent"
    return Start(
        demonstrations=wiring.demonstrations(config.demonstrations, data),
        mark=wiring.mark(config.mark, data),
        clone=wiring.clone(config.clone, data),
        agent=agent,
        evaluate=wiring.evaluate(config.evaluate, {CLONE: str(agent), REFERENCE: "scripted"}, run / "results.json"),
    )


def resolve_round(config: IterateConfig, number: int) -> Round:
    """Return the settings of round ``number``, counted from 1, with folders and seeds."""
    start = resolve_start(config)
    folders = [round_folder(config.run, earlier) for earlier in range(1, number + 1)]
    folder, before = folders[-1], folders[-2] if number > 1 else None
    wiring, played = _wiring(config, folder), tuple(each / "data" for each in folders)
    demonstrations = (start.data,) if config.marked_demonstrations else ()
    deployed = before / "improve" / "agent" if before else start.agent
    begun = deployed if config.improve_start == "previous" else start.agent
    return Round(
        number=number,
        folder=folder,
        name=agent_name(number),
        play=replace(
            wiring.play(config.play, folder / "data", deployed, number),
            name=before.name if before else CLONE,
        ),
        mark=wiring.mark(config.mark, folder / "data"),
        reward=replace(
            wiring.reward(config.reward, (*demonstrations, *played), start.agent),
            start=before / "reward" / "reward_model" if before and config.reward_start == "previous" else None,
            mix_raters=config.reward.mix_raters or (config.marks == "people" and config.marked_demonstrations),
        ),
        improve=replace(
            wiring.improve(config.improve, start.data, begun, folder / "reward" / "reward_model"),
            replay_data=played if config.replay == "all" else played[-1:],
            replay=None,
        ),
        evaluate=wiring.evaluate(
            config.evaluate, {agent_name(number): str(folder / "improve" / "agent")}, folder / "results.json"
        ),
    )


def _wiring(config: IterateConfig, folder: Path) -> Wiring:
    return Wiring(folder, config.seed, recordings=_SEEDS)
