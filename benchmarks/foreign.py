"""Steps a second of wrapped environments, as a share of what the bare environment does in the same run.

    python -m benchmarks.foreign

Bare and wrapped play take turns, the same actions in the same places, and the rates are those of processor time, so
that other load on the machine hits both. "Recording" is `rlhf record` with BabyAI's bot in one process, with all that
is stored, against the bare environment played by the same bot without its imperfections. A recorded mission has more
steps than the bot's: the setter may speak at the second or third, and the end is shown for four more. So missions a
second are compared, too. What a process imports once is not counted.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from benchmarks.timing import options
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from worlds import registry
from worlds.contract import SOLVER
from worlds.foreign.minigrid import quiet

BABYAI = "BabyAI-GoToLocal-v0"
RECORDED = ("BabyAI-GoToObj-v0", "BabyAI-GoToLocal-v0", "BabyAI-PutNextLocal-v0")
SYMBOLS_WANTED, RECORDING_WANTED = 0.7, 0.9  # of the bare rate
EPISODES = 80  # of one recording


def bare_rate(env: Any, actions: np.ndarray, steps: int) -> float:
    """Steps a second of processor time of an environment that plays ``actions``, resets included."""
    env.reset(seed=0)
    chosen = actions.tolist()
    began = time.process_time()
    for step in range(steps):
        _, _, terminated, truncated, _ = env.step(chosen[step % len(chosen)])
        if terminated or truncated:
            env.reset(seed=step)
    return steps / (time.process_time() - began)


def wrapped_rate(world: Any, actions: np.ndarray, steps: int) -> float:
    """The same of a world, which does not show its last observation again."""
    world.reset(options={"config": {"seed": 0}})
    silent = world.spec(SOLVER).action.silent()
    chosen = [silent | {"movement": np.full((1, 1), action, np.int8)} for action in actions]
    began = time.process_time()
    for step in range(steps):
        world.step({SOLVER: chosen[step % len(chosen)]})
        if not world.agents:
            world.reset(options={"config": {"seed": step}})
    return steps / (time.process_time() - began)


class Rates(NamedTuple):
    """Rates of processor time.

    Args:
      steps: a second.
      missions: a second.
    """

    steps: float
    missions: float


def bot_rates(env: Any, episodes: int) -> Rates:
    """Return the rates of BabyAI's bot alone."""
    from minigrid.utils.baby_ai_bot import BabyAIBot

    began, steps = time.process_time(), 0
    for seed in range(episodes):
        env.reset(seed=seed)
        bot: Any = BabyAIBot(env)
        action, over = None, False
        while not over:
            action = bot.replan(action)
            _, _, terminated, truncated, _ = env.step(action)
            over, steps = terminated or truncated, steps + 1
    passed = time.process_time() - began
    return Rates(steps / passed, episodes / passed)


def recording_rates(name: str, folder: Path, episodes: int) -> Rates:
    """Return the rates of a recording with the bot, in this process."""
    config = RecordConfig(
        data=folder, episodes=episodes, steps=200, held_out=0.0, workers=1,
        world=WorldConfig(f"gym:{name}"), players=PlayersConfig(solver={"perfect": True}),
    )  # fmt: skip
    from rlhf.store import open_store

    began = time.process_time()
    record(config)
    passed = time.process_time() - began
    return Rates(sum(row.steps for row in open_store(folder).rows()) / passed, episodes / passed)


def compared(
    name: str, bare: Callable[[], float], ours: Callable[[], float], rounds: int, wanted: float | None = None
) -> None:
    """Measure both in turns, and print them."""
    report(name, "steps", [(bare(), ours()) for _ in range(rounds)], wanted)


def report(name: str, unit: str, pairs: Sequence[tuple[float, float]], wanted: float | None = None) -> None:
    """Print both rates and their ratio: the median of all pairs, and the lowest and highest."""
    shares = sorted(mine / other for other, mine in pairs)
    one, two = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    aim = "" if wanted is None else f"; at least {wanted:.0%} wanted"
    print(
        f"{name}: {two:,.0f} of {one:,.0f} {unit} a second, {statistics.median(shares):.0%} "
        f"({shares[0]:.0%} to {shares[-1]:.0%} in {len(pairs)} pairs){aim}",
        flush=True,
    )


def report_recording(name: str, rounds: int, episodes: int) -> None:
    """Compare recordings of one environment with its bot alone, in turns."""
    with tempfile.TemporaryDirectory(dir=".") as folder:  # not on a disk in memory
        recording_rates(name, Path(folder) / "first", 2)
        env = gymnasium.make(name)
        pairs = [
            (bot_rates(env, episodes), recording_rates(name, Path(folder) / str(number), episodes))
            for number in range(rounds)
        ]
    about = f"recording {name} with its bot, against the bot alone"
    report(about, "steps", [(bot.steps, ours.steps) for bot, ours in pairs], RECORDING_WANTED)
    report(about, "missions", [(bot.missions, ours.missions) for bot, ours in pairs])


def main() -> None:
    """Print every comparison."""
    given = options(
        __doc__,
        steps=(3000, "of one measurement"),
        rounds=(5, "pairs of measurements"),
        episodes=(EPISODES, "of one recording"),
    )
    import minigrid  # noqa: F401  it registers its environments
    from minigrid.wrappers import RGBImgPartialObsWrapper

    quiet()
    moves = np.random.default_rng(0).integers(0, 6, 997)
    name = f"gym:{BABYAI}"
    checked, plain = gymnasium.make(BABYAI), gymnasium.make(BABYAI, disable_env_checker=True)
    world = registry.get(name).make(linger=0)
    for label, bare in (
        ("as gymnasium.make makes it", checked),
        ("without Gymnasium's checker", plain),
    ):
        compared(
            f"symbols, against the environment {label}",
            lambda bare=bare: bare_rate(bare, moves, given.steps),
            lambda: wrapped_rate(world, moves, given.steps),
            given.rounds,
            SYMBOLS_WANTED,
        )
    drawn, pictured = RGBImgPartialObsWrapper(plain, tile_size=8), registry.get(name).make(linger=0, picture=56)
    compared(
        "pictures of 56x56, against MiniGrid's wrapper",
        lambda: bare_rate(drawn, moves, given.steps // 4),
        lambda: wrapped_rate(pictured, moves, given.steps // 4),
        given.rounds,
    )
    pole, pushes = gymnasium.make("CartPole-v1"), moves % 2
    held = registry.get("gym:CartPole-v1").make(linger=0)
    compared(
        "CartPole",
        lambda: bare_rate(pole, pushes, given.steps),
        lambda: wrapped_rate(held, pushes, given.steps),
        given.rounds,
    )
    for name in RECORDED:
        report_recording(name, given.rounds, given.episodes)


if __name__ == "__main__":
    main()
