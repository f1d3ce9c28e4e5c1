"""Rounds of improvement: their settings, their folders, and the settings of the stages of each round.

RUN/data, RUN/clone, RUN/results.json      demonstrations, cloned agent and its evaluation
RUN/play-1                                 play of the previous agent, with its marks
RUN/asked-1                                the same agent with people who ask it themselves (`rlhf teach`)
RUN/round-1/reward, improve, results.json  reward model, improved agent and its evaluation
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

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
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import SCRIPTED
from rlhf.run.place_seeds import LARGEST_SEED
from rlhf.run.setting_forms import without
from rlhf.run.tracking import WandbMode
from rlhf.store import open_store
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero
from worlds.settings import settings

CLONE, REFERENCE = "BC", "demonstrator"  # agents that no round trains
PLAYED, MARKED = "play", "marks"  # stages of a round: before and after the second, people mark
EVALUATED = "evaluation"  # the stage after which a round can be compared with others
MOST_ROUNDS = 19
_SEEDS = MOST_ROUNDS + 1  # of recordings in one run: the demonstrations' and one for each round

_Trained = ("data", "runs", "name", "resume", "device", "wandb")
_Recorded = ("data", "seed", "split", "held_out", "world", "solver", "device", "name")
Demonstrations = Annotated[
    RecordConfig, without(*_Recorded, "slots", "shared_control", "co_pilot", "greedy_words", "setters")
]
Play = Annotated[RecordConfig, without(*_Recorded, "workers")]
Marking = Annotated[MarkConfig, without("data", "seed")]
Cloning = Annotated[CloneConfig, without(*_Trained, "role", "training.seed")]
Rewarding = Annotated[RewardConfig, without(*_Trained, "agent", "start", "training.seed")]
Improving = Annotated[
    ImproveConfig, without(*_Trained, "agent", "reward_model", "replay_data", "seed", "world", "drop_play")
]
Evaluating = Annotated[
    EvaluateConfig, without("agents", "out", "baseline", "seed", "device", "slots", "world", "players")
]


@settings
class LoopConfig(StageSettings):
    """Settings of `rlhf demo` and `rlhf iterate`. Folders and seeds of the stages follow from run, seed and the round.

    Args:
      run: folder of the run; a round writes into its folder "round-K".
      rounds: number of rounds, from 1 to 19; more of them continue the run later.
      seed: seed of everything, from 0 to 24.
      device: device of play, training and evaluation: "cpu", "cuda" or "cuda:1"; None keeps each stage's own.
      wandb: whether metrics also go to Weights & Biases: "offline" (a local folder), "online" or "disabled"; None keeps
        each stage's own.
      world: world of every stage, with its settings.
      data: dataset with the demonstrations that agents imitate; None records them as demonstrations says.
      agent: folder of the cloned agent that all rounds start from; None clones one as clone says.
      reward_model: folder of a reward model that was made from that agent, whose weights every round's begins with in
        place of the clone's; None begins with the clone's, as the paper does.
      marks: raters of each round's play: "scripted", or "people", for whom the run stops or waits.
      least_marks: marks and verdicts of people that a round needs.
      wait: poll for people's marks every two seconds, instead of stopping until the command is given again.
      marked_demonstrations: whose marks of the demonstrations the reward model learns from beside those of the rounds'
        play, even where people mark that: "raters": scripted raters mark demonstrations that the run has recorded, and
        of a dataset of the user, the marks in it are used; "requests": a mark of progress before each further request
        (`rlhf mark --from requests`), which nobody has to give; "none": no marks.
      reward_start: start of the reward model in every round: the weights of the "clone", as in the paper, or the reward
        model of the "previous" round.
      improve_start: start of the agent in every round's improvement: the "clone", as in the paper, or the agent of the
        "previous" round, which is also the reference that its decisions to speak are kept close to.
      replayed_rounds: replay setters of "all" rounds' play in improvement, or only those of the "latest".
      held_out_play: episodes of a round's play in held-out houses, which show the modelled reward on play that nothing
        is trained on; 0 records none.
      demonstrations: the scripted demonstrator's play.
      clone: the agent that imitates it.
      play: a round's recording. Its players and slots are also those of the evaluation.
      mark: the scripted raters.
      reward: a round's reward model.
      improve: a round's improvement.
      evaluate: the evaluation of every agent at the probes.
    """

    run: Path = Path("runs/iterate")
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 2
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED // _SEEDS - 1)] = 0
    device: str | None = None
    wandb: WandbMode | None = None
    world: WorldConfig = field(default_factory=WorldConfig)
    data: Path | None = None
    agent: Path | None = None
    reward_model: Path | None = None
    marks: Literal["scripted", "people"] = "scripted"
    least_marks: Count = 100
    wait: bool = False
    marked_demonstrations: Literal["raters", "requests", "none"] = "raters"
    reward_start: Literal["clone", "previous"] = "clone"
    improve_start: Literal["clone", "previous"] = "clone"
    replayed_rounds: Literal["all", "latest"] = "all"
    held_out_play: CountFromZero = 60
    demonstrations: Demonstrations = field(default_factory=RecordConfig)
    clone: Cloning = field(default_factory=CloneConfig)
    play: Play = field(default_factory=RecordConfig)
    mark: Marking = field(default_factory=MarkConfig)
    reward: Rewarding = field(default_factory=RewardConfig)
    improve: Improving = field(default_factory=ImproveConfig)
    evaluate: Evaluating = field(default_factory=EvaluateConfig)

    def __post_init__(self) -> None:
        if self.reward_model is not None and self.agent is None:
            raise UserError("name the agent that the reward model was made from with --agent")
        players = self.play.players.or_else(self.evaluate.players)
        object.__setattr__(self, "evaluate", replace(self.evaluate, players=players, slots=self.play.slots))
        for name in ("demonstrations", "play", "clone", "reward", "improve", "evaluate"):
            object.__setattr__(self, name, self._shared(getattr(self, name)))

    def _shared(self, stage: Any) -> Any:
        """Return the settings of a stage with those that all stages share."""
        shared = {"device": self.device, "wandb": self.wandb}
        given: dict[str, Any] = {
            name: value for name, value in shared.items() if value is not None and hasattr(stage, name)
        }
        if hasattr(stage, "world"):
            given["world"] = self.world.or_else(stage.world)
        return replace(stage, **given)


@dataclass(frozen=True)
class Start:
    """Settings of the stages before the first round.

    Args:
      demonstrations: recording of the demonstrations.
      mark: marking of them, in their dataset or in one that shares their play.
      clone: the agent that imitates them.
      agent: folder of the agent that the first round begins with.
      evaluate: evaluation of that agent.
    """

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


def resolve_config(config: LoopConfig) -> LoopConfig:
    """Return the configuration with the settings that are the same for all rounds.

    Paths are absolute, recordings are of one split each, and world and players that a stage leaves open are those of
    the demonstrations.

    Raises:
      UserError: if the stages differ in their world.
    """
    given = config.data, config.agent, config.reward_model
    data, agent, model = (None if path is None else path.absolute() for path in given)
    shown = PlaySettings(config.demonstrations.world, config.demonstrations.players)
    known = UNKNOWN if agent is None else settings_of_agent(agent)
    if data is not None:
        known = known.or_else(settings_of_datasets([data], known))
    shown = known.or_else(shown) if data is not None else shown.or_else(known)
    improve = replace(config.improve, world=config.improve.world.or_else(shown.world).complete())
    config = replace(config, data=data, agent=agent, reward_model=model, improve=improve).in_one_world(shown)
    playing = ("play", "improve", "evaluate") if config.data else ("demonstrations", "play", "improve", "evaluate")
    if any(getattr(config, stage).world != config.play.world for stage in playing):
        raise UserError(f"{', '.join(playing)} differ in their world: an agent plays where it was cloned")
    return config


def round_folder(run: Path, number: int) -> Path:
    """Return the folder of round ``number``."""
    return run / f"round-{number}"


def play_folder(run: Path, number: int) -> Path:
    """Return the dataset with the play of round ``number``, beside that of demonstrations: `rlhf serve` serves both."""
    return run / f"play-{number}"


def asked_folder(run: Path, number: int) -> Path:
    """Return the dataset with the play in which people asked the agent of round ``number`` themselves."""
    return run / f"asked-{number}"


def asked_play(run: Path, numbers: Iterable[int]) -> tuple[Path, ...]:
    """Return the datasets of these rounds in which people asked the agent themselves, without empty ones."""
    folders = [asked_folder(run, number) for number in numbers]
    return tuple(one for one in folders if (one / DESCRIPTION_FILE).is_file() and open_store(one).ids())


def agent_name(number: int) -> str:
    """Return the name, in reports, of the agent that round ``number`` trains; 0 is the cloned one."""
    return CLONE if number == 0 else f"Round {number}"


def resolve_start(config: LoopConfig) -> Start:
    """Return the settings of the stages before the first round, with folders and seeds."""
    run, wiring = config.run, _wiring(config, config.run)
    unserved = run / "demonstrations" / "data"  # deeper than what `rlhf serve --data RUN` serves
    by_nobody = config.marks == "people" and config.marked_demonstrations != "raters"
    data = config.data or (unserved if by_nobody else run / "data")
    mark = wiring.mark(config.mark, data)
    if config.marked_demonstrations == "requests":
        marked = unserved if config.data else data  # a dataset that was given is never written to
        mark = MarkConfig(data=marked, from_="requests", solver=SCRIPTED)
    agent = config.agent or run / "clone" / "agent"
    return Start(
        demonstrations=wiring.demonstrations(config.demonstrations, data),
        mark=mark,
        clone=wiring.clone(config.clone, data),
        agent=agent,
        evaluate=wiring.evaluate(config.evaluate, {CLONE: str(agent), REFERENCE: "scripted"}, run / "results.json"),
    )


def resolve_round(config: LoopConfig, number: int) -> Round:
    """Return the settings of round ``number``, counted from 1, with folders and seeds."""
    start = resolve_start(config)
    folders = [round_folder(config.run, earlier) for earlier in range(1, number + 1)]
    folder, before = folders[-1], folders[-2] if number > 1 else None
    wiring = _wiring(config, folder)
    played = tuple(play_folder(config.run, earlier) for earlier in range(1, number + 1))
    demonstrations = () if config.marked_demonstrations == "none" else (start.mark.data,)
    imitated = (start.data,) if config.reward.imitate == "all" and not demonstrations else ()
    deployed = before / "improve" / "agent" if before else start.agent
    begun = deployed if config.improve_start == "previous" else start.agent
    model = config.reward_model
    if before and config.reward_start == "previous":
        model = before / "reward" / "reward_model"
    return Round(
        number=number,
        folder=folder,
        name=agent_name(number),
        play=replace(
            wiring.play(config.play, played[-1], deployed, number),
            name=before.name if before else CLONE,
        ),
        mark=wiring.mark(config.mark, played[-1]),
        reward=replace(
            wiring.reward(config.reward, (*demonstrations, *imitated, *played), start.agent),
            start=model,
            mix_raters=config.reward.mix_raters or (config.marks == "people" and bool(demonstrations)),
        ),
        improve=replace(
            wiring.improve(config.improve, start.data, begun, folder / "reward" / "reward_model"),
            replay_data=played if config.replayed_rounds == "all" else played[-1:],
            replay=None,
        ),
        evaluate=wiring.evaluate(
            config.evaluate, {agent_name(number): str(folder / "improve" / "agent")}, folder / "results.json"
        ),
    )


def _wiring(config: LoopConfig, folder: Path) -> Wiring:
    return Wiring(folder, config.seed, recordings=_SEEDS)
