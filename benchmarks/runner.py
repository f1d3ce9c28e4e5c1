"""Steps a second of the runner and of RLlib's stock SingleAgentEnvRunner, and the overhead of each.

    python -m benchmarks.runner
    python -m benchmarks.runner --data runs/demo/data --agent agents/pretrained/playhouse

Both play the demo's world by setter replay, with the very same network, memory and sampling, as many places at once,
and hand over fragments of as many steps, on the same cores. RLlib's runner gets the network as an RLModule and the
world as a Gymnasium environment whose texts are tokens already. It can step its places one after the other ("sync"),
each in a process of its own ("async"), or there may be one runner a core ("processes"); ours can step them on threads,
or there may be one runner a core, too. All are tried, and the fastest of each play against each other. Beside that,
ours plays against RLlib's as it comes: with one place a runner (its ``num_envs_per_env_runner``), one runner a core.

Ours does more: a frozen reference follows the play (its decisions to speak are in every fragment), and a reward model
may judge it. So it is measured three times: as bare as RLlib's, with the reference, and with both.

Most of a step is the world and the network, which are the same for both. What is left is the runner's own: it is
printed for one core, in processor time, as what a bare runner needs beyond the same steps of world and network alone.

Without --data a few episodes are recorded first, and the agent is untrained but speaks as rarely as a trained one.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from agents.acting import AgentSolvers
from agents.agent import AgentState, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.tokenizer import PAD_ID, Tokenizer
from benchmarks.pairs import alternate, report
from benchmarks.timing import options
from pipelines.presets.from_scratch import demo
from pipelines.presets.small import WORLD
from pipelines.stages.clone import read_episodes, spoken_texts
from pipelines.stages.record import record
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scores.scoring import StreamingScorer
from rlhf.distributed.connection import loopback_only
from rlhf.records.episode import Episode
from rlhf.replay.fragment import Fragment
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import EpisodeSampler, SetterReplay
from rlhf.run.machine import usable_cores
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, UTTERANCE_MAX_CHARS, Observation, movement_space

SPEAKING = -3.5  # log-odds of speaking of an agent that has learned nothing, about a trained one's


@dataclass(frozen=True)
class Setting:
    """Setting that both runners play."""

    data: Path
    agent: Path
    slots: int
    steps: int
    threads: int
    world: WorldConfig = WORLD

    def episodes(self) -> list[Episode]:
        """Read the episodes to replay, in every process."""
        return read_episodes([self.data], split="train")


class TokenReplay(gymnasium.Env):
    """:class:`SetterReplay` for RLlib's runner: texts are tokens, and every reset begins another episode."""

    def __init__(
        self, setting: Setting, config: AgentConfig, tokenizer: Tokenizer, episodes: Sequence[Episode]
    ) -> None:
        self._config, self._tokenizer = config, tokenizer
        self._replay = SetterReplay(setting.world.make(1)[0], episodes[0], truth=True)
        self._sampler = EpisodeSampler(episodes, seed=int.from_bytes(os.urandom(4)))
        self.observation_space, self.action_space = rllib_spaces(config)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        observation, _ = self._replay.reset(options={"episode": self._sampler.next()})
        return self._encoded(observation), {}

    def step(self, action: dict[str, np.ndarray]) -> tuple[dict, float, bool, bool, dict]:
        words = action["utterance"].tolist()
        text = self._tokenizer.decode(words)[:UTTERANCE_MAX_CHARS] if words[0] != PAD_ID else ""
        observation, reward, over, cut, _ = self._replay.step({"movement": action["movement"], "utterance": text})
        return self._encoded(observation), reward, over, cut, {}

    def _encoded(self, seen: Observation) -> dict[str, np.ndarray]:
        lengths = self._config.setter_text_length, self._config.solver_text_length
        return {
            "image": seen["image"],
            "setter_tokens": self._tokenizer.encode([seen["setter_text"]], lengths[0])[0],
            "solver_tokens": self._tokenizer.encode([seen["solver_text"]], lengths[1])[0],
            "previous_movement": seen["previous_movement"],
        }


class AgentModule(TorchRLModule):
    """:class:`InteractiveAgent` for RLlib's runner. It samples its own actions, as for this project's."""

    def setup(self) -> None:
        self.agent, _ = load_agent(self.model_config["agent"])

    def is_stateful(self) -> bool:
        return True

    def get_initial_state(self) -> dict[str, np.ndarray]:
        zeros = np.zeros(self.agent.config.memory_width, np.float32)
        return {"hidden": zeros, "cell": zeros}

    @torch.inference_mode()
    def _forward_exploration(self, batch: dict[str, Any], **settings: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]  # [N, 1, ...]; a slot that begins an episode comes with an empty memory
        parts = (seen[name].transpose(0, 1) if name in seen else None for name in ObservationBatch._fields)
        observations = ObservationBatch(*parts)  # type: ignore[arg-type]
        state = AgentState(batch[Columns.STATE_IN]["hidden"], batch[Columns.STATE_IN]["cell"])
        resets = torch.zeros(observations.shape, dtype=torch.bool)
        actions, log_probs, _, after = self.agent.act(observations, state, resets)
        return {
            Columns.ACTIONS: {"movement": actions.movement[0][:, None], "utterance": actions.utterance[0][:, None]},
            Columns.ACTION_LOGP: (log_probs.movement + log_probs.language)[0][:, None],
            Columns.STATE_OUT: {"hidden": after.hidden, "cell": after.cell},
        }


def rllib_spaces(config: AgentConfig) -> tuple[spaces.Dict, spaces.Dict]:
    """Of observations and of actions."""

    def tokens(length: int) -> spaces.Box:
        return spaces.Box(0, config.vocab_size - 1, (length,), np.int64)

    seen = spaces.Dict(
        image=spaces.Box(0, 255, (*config.image_size, 3), np.uint8),
        setter_tokens=tokens(config.setter_text_length),
        solver_tokens=tokens(config.solver_text_length),
        previous_movement=spaces.Box(0, max(MOVEMENT_BINS), (TICKS_PER_STEP, len(MOVEMENT_BINS)), np.int8),
    )
    return seen, spaces.Dict(movement=movement_space(), utterance=tokens(config.utterance_length))


def stock_runner(setting: Setting, mode: str) -> SingleAgentEnvRunner:
    """RLlib's runner of ``setting.slots`` places, stepped in the way that ``mode`` names."""
    agent, tokenizer = load_agent(setting.agent)
    episodes = setting.episodes()  # read here: "async" forks, and a fork can neither read files nor use PyTorch
    observations, actions = rllib_spaces(agent.config)
    config = (
        PPOConfig()
        .environment(
            lambda _: TokenReplay(setting, agent.config, tokenizer, episodes),
            observation_space=observations,
            action_space=actions,
        )
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=setting.slots,
            rollout_fragment_length=setting.steps,
            gym_env_vectorize_mode=mode,
        )
        .rl_module(rl_module_spec=RLModuleSpec(AgentModule, model_config={"agent": str(setting.agent)}))
    )
    return SingleAgentEnvRunner(config=config, worker_index=0)


class NoReference(torch.nn.Module):
    """Stands where the frozen clone is, follows nothing, and takes no time."""

    def initial_state(self, _: int) -> None:
        return None

    def forward(self, _: ObservationBatch, state: None, resets: torch.Tensor) -> tuple[SimpleNamespace, None]:
        return SimpleNamespace(speak_logit=torch.zeros(resets.shape)), state


BARE, FOLLOWED, REWARDED = "bare", "with the reference", "with reference and reward model"


def our_runner(setting: Setting, kind: str) -> Runner:
    agent, tokenizer = load_agent(setting.agent)
    rewards = StreamingScorer(InterTemporalRewardModel(agent.config), setting.slots) if kind == REWARDED else None
    reference: Any = NoReference() if kind == BARE else agent
    episodes = setting.episodes()
    return Runner(
        agent, tokenizer, reference, rewards, replays(setting, episodes), episodes, setting.steps,
        threads=setting.threads,
    )  # fmt: skip


def replays(setting: Setting, episodes: Sequence[Episode]) -> list[SetterReplay]:
    return [SetterReplay(world, episodes[0], truth=True) for world in setting.world.make(setting.slots)]


Play = Callable[[], int]  # plays a fragment and says how many steps that were
Way = Callable[[Setting], AbstractContextManager[Play]]


@contextmanager
def ours(setting: Setting, kind: str) -> Iterator[Play]:
    with closing(our_runner(setting, kind)) as runner:
        yield lambda: runner.sample().resets[1:].size


@contextmanager
def theirs(setting: Setting, mode: str) -> Iterator[Play]:
    runner = stock_runner(setting, mode)
    try:
        yield lambda: sum(map(len, runner.sample()))
    finally:
        runner.stop()


class Remote:
    """A runner in a process of its own. What it plays stays where it is, in Ray's memory, for a learner to fetch."""

    def __init__(self, setting: Setting, kind: str | None) -> None:
        self._sample = our_runner(setting, kind).sample if kind else stock_runner(setting, "sync").sample

    def sample(self) -> int:
        played: Any = self._sample()
        ray.put(played)
        return played.resets[1:].size if isinstance(played, Fragment) else sum(map(len, played))


@contextmanager
def processes(setting: Setting, kind: str | None = None) -> Iterator[Play]:
    """Runners (ours of a ``kind``, or RLlib's) in as many processes as there are threads, the places shared out."""
    share = replace(setting, slots=setting.slots // setting.threads, threads=1)
    runners = [ray.remote(num_cpus=1)(Remote).remote(share, kind) for _ in range(setting.threads)]
    try:
        yield lambda: sum(ray.get([runner.sample.remote() for runner in runners]))
    finally:
        for runner in runners:
            ray.kill(runner)  # type: ignore[arg-type]


def our_ways(kind: str) -> dict[str, Way]:
    return {"threads": partial(ours, kind=kind), "processes": partial(processes, kind=kind)}


THEIR_WAYS: dict[str, Way] = {
    "sync": partial(theirs, mode="sync"),
    "async": partial(theirs, mode="async"),
    "processes": processes,
}


def as_it_comes(setting: Setting) -> AbstractContextManager[Play]:
    """RLlib's runners as its configuration makes them by default: of one place each."""
    return processes(replace(setting, slots=setting.threads))


@contextmanager
def bare_steps(setting: Setting) -> Iterator[Play]:
    """World and network alone: the same steps, without storing the play."""
    agent, tokenizer = load_agent(setting.agent)
    episodes = setting.episodes()
    places, sampler = replays(setting, episodes), EpisodeSampler(episodes, seed=0)
    seen = [place.reset(options={"episode": sampler.next()})[0] for place in places]
    solvers = AgentSolvers(agent, tokenizer, setting.slots)
    resets = np.ones(setting.slots, np.bool_)

    def play() -> int:
        for _ in range(setting.steps):
            for slot, action in enumerate(solvers.act(seen, resets)):
                seen[slot], _, over, cut, _ = places[slot].step(action)
                resets[slot] = over or cut
                if resets[slot]:
                    seen[slot], _ = places[slot].reset(options={"episode": sampler.next()})
        return setting.steps * setting.slots

    yield play


def speed(sample: Play, seconds: float) -> float:
    """Steps a second of ``sample``, which says how many it has played, for so long at least."""
    began, played = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        played += sample()
    return played / (time.perf_counter() - began)


def processor_time(sample: Play) -> float:
    """Microseconds of processor time a step."""
    began = time.process_time()
    played = sample()
    return (time.process_time() - began) * 1e6 / played


def fastest(ways: dict[str, Way], setting: Setting, whose: str, seconds: float) -> str:
    """Name of the fastest of ``ways``; all of them are printed."""
    speeds = {}
    for name, way in ways.items():
        with way(setting) as sample:
            sample()  # houses are built, processes started
            speeds[name] = speed(sample, seconds)
        print(f"  {whose}, {name:12} {speeds[name]:8,.0f} steps/s")
    return max(speeds, key=lambda name: speeds[name])


def compare(setting: Setting, rounds: int, seconds: float) -> None:
    """Print the speed of the fastest ways of both, by the clock."""
    print(f"{setting.slots} places, T = {setting.steps}, {setting.threads} cores")
    their_way = fastest(THEIR_WAYS, setting, "RLlib's", seconds)
    our_way = fastest(our_ways(BARE), setting, "ours, bare", seconds)
    against(THEIR_WAYS[their_way], their_way, our_way, setting, rounds, seconds)
    against(as_it_comes, "one place each", our_way, setting, rounds, seconds)


def against(way: Way, name: str, our_way: str, setting: Setting, rounds: int, seconds: float) -> None:
    """Print the speed of each kind of ours beside RLlib's runners of one ``way``."""
    with way(setting) as other:
        for kind in (BARE, FOLLOWED, REWARDED):
            with our_ways(kind)[our_way](setting) as mine:
                mine()
                other()
                pairs = alternate(lambda: speed(mine, seconds), lambda: speed(other, seconds), rounds)
            print(f"  ours {kind}")
            report(pairs, (our_way, f"RLlib's, {name}"), "steps/s", "{} times the steps of RLlib's")


def dissect(setting: Setting, rounds: int) -> None:
    """Print what a runner adds to world and network, on one core and in processor time."""
    setting = replace(setting, threads=1)
    with bare_steps(setting) as alone, ours(setting, BARE) as mine, theirs(setting, "sync") as other:
        times = [[processor_time(play) for play in (alone, mine, other)] for _ in range(rounds + 1)][1:]
    common, our_time, their_time = np.median(times, axis=0)
    added = our_time - common, their_time - common
    print(f"  world and network alone {common:.0f} us of a core a step, ours {our_time:.0f}, RLlib's {their_time:.0f}")
    print(f"  so ours adds {added[0]:.0f} us to a step and RLlib's {added[1]:.0f}")


def prepare(folder: Path) -> tuple[Path, Path]:
    """A little of the demo's recorded play and an agent that speaks as rarely as a trained one; their folders."""
    settings = replace(demo().play, data=folder / "data", episodes=64, solver="scripted", workers=1)
    record(settings)
    episodes = read_episodes([settings.data], split="train")
    tokenizer = Tokenizer.train(spoken_texts(episodes), 512)
    torch.manual_seed(0)
    agent = InteractiveAgent(AgentConfig.preset("nano", vocab_size=tokenizer.vocab_size))
    assert agent.language is not None
    torch.nn.init.constant_(agent.language.speak.bias, SPEAKING)
    return settings.data, save_agent(agent, tokenizer, folder / "agent")


@contextmanager
def ray_here(cores: int) -> Iterator[None]:
    """A Ray for the processes, on this machine alone."""
    path = os.pathsep.join(filter(None, sys.path))
    with loopback_only():
        ray.init(
            "local", num_cpus=2 * cores, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR,
            runtime_env={"env_vars": {"PYTHONPATH": path}},
        )  # fmt: skip
    yield
    ray.shutdown()


def main() -> None:
    arguments = options(
        __doc__,
        data=(None, "recorded play to replay, of the demo's world", Path),
        agent=(None, "the agent that plays", Path),
        slots=(demo().improve.slots, "places played at once", int),
        steps=(demo().improve.steps, "T", int),
        threads=(usable_cores(), "of ours that step places; and processes, of both", int),
        torch_threads=(1, "of both sides"),
        rounds=8,
        seconds=(2.0, "of each side, in every round"),
    )
    if (arguments.data is None) != (arguments.agent is None):
        raise SystemExit("--data and --agent go together")
    torch.set_num_threads(arguments.torch_threads)
    with tempfile.TemporaryDirectory() as folder:
        data, agent = (arguments.data, arguments.agent) if arguments.data else prepare(Path(folder))
        setting = Setting(data.absolute(), agent.absolute(), arguments.slots, arguments.steps, arguments.threads)
        dissect(setting, 3 * arguments.rounds)
        with ray_here(arguments.threads):
            compare(setting, arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
