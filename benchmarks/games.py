"""Cost of running games: processor time for each second of play, by part, in one process or one each.

    python -m benchmarks.games

Two games of two people each, whose views are drawn at the size and rate of the defaults (320x240, 15 a second) while
they walk, turn, look, grab and talk all the time. Processor time, not the clock: on a shared machine the clock says as
much of the other work there. Games run as fast as they can; a second of play is 30 ticks.
"""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from annotation.games import Game, GameConfig, Inputs, Key
from annotation.games.pace import Pace
from annotation.games.screen import encode
from annotation.session.states import Kind, Role, SessionEvent
from benchmarks.timing import options
from rlhf.store import MemoryStore
from rlhf.store.columns import png
from worlds.contract import STEPS_PER_SECOND

PEOPLE = (Role.SETTER, Role.SOLVER)


def game_of(seconds: float, seed: int, also: Callable[[Game], None] = lambda game: None, **settings: object) -> Game:
    """Create a game of two players of whom one acts at every tick; ``also`` is called at each tick."""
    steps = max(1, round(seconds * STEPS_PER_SECOND))
    rng, clock = np.random.default_rng(seed), [0.0]

    def act(wait: float) -> None:
        clock[0] += wait
        role = PEOPLE[int(rng.integers(2))]
        held = frozenset(key for key in Key if rng.random() < 0.2)
        game.give(role, Inputs(held=held, turn=float(rng.normal(0, 2)), say="lift it" if rng.random() < 0.01 else ""))
        also(game)

    config = GameConfig(kind=Kind.HUMAN_HUMAN, seed=seed, steps=steps, shortest=1, **settings)  # type: ignore[arg-type]
    game = Game(config, MemoryStore(), pace=Pace(clock=lambda: clock[0], sleep=act))
    for role in PEOPLE:
        game.join(role, role.value)
    for role in PEOPLE:
        game.do(role, SessionEvent.READY)
    return game


async def _watched(games: list[Game]) -> int:
    """Run the games in this process, with all players watching, and return the bytes sent to them."""

    async def watch(game: Game, role: Role) -> int:
        return sum([len(view.message()) async for view in game.screen(role).views()])

    watchers = [asyncio.create_task(watch(game, role)) for game in games for role in PEOPLE]
    await asyncio.sleep(0)
    for game in games:
        game.start()
    return sum(await asyncio.gather(*watchers))


def in_one_process(seconds: float, seeds: list[int], **settings: Any) -> tuple[float, float]:
    """(processor seconds, kilobytes sent) for each second of play and game."""
    games = [game_of(seconds, seed, **settings) for seed in seeds]
    start = time.process_time()
    sent = asyncio.run(_watched(games))
    played = seconds * len(seeds)
    return (time.process_time() - start) / played, sent / played / 1000


def _single_game(seconds: float, seed: int, answer) -> None:
    answer.put(in_one_process(seconds, [seed])[0])


def one_process_each(seconds: float, seeds: list[int]) -> float:
    """Processor seconds for each second of play and game, each game in a process of its own, without start-up."""
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    work = [context.Process(target=_single_game, args=(seconds, seed, answer)) for seed in seeds]
    for process in work:
        process.start()
    rates = [answer.get() for _ in work]
    for process in work:
        process.join()
    return float(np.mean(rates))


def start_up_sec() -> float:
    """Processor seconds of a process's start-up."""
    before = os.times()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=game_of, args=(1.0, 0))
    process.start()
    process.join()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def processor_ms(work: Callable[[], object]) -> float:
    """Processor milliseconds of this thread for ``work``."""
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1e3


def _pillow(picture: np.ndarray, kind: str, **settings: object) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, kind, **settings)  # type: ignore[arg-type]
    return file.getvalue()


CODECS: dict[str, Callable[[np.ndarray], bytes]] = {
    "JPEG 85, full colour (ours)": lambda p: encode(p, 85),
    "JPEG 75, half colour": lambda p: _pillow(p, "JPEG", quality=75),
    "WebP 80": lambda p: _pillow(p, "WEBP", quality=80, method=0),
    "WebP without loss": lambda p: _pillow(p, "WEBP", lossless=True, quality=0, method=0),
    "PNG as stored": lambda p: png.encode_frames(p[None])[0],
}


def report_parts(seconds: float) -> None:
    """Print the cost of a tick, of a picture and of each encoding, over pictures of a whole game."""
    drawing, pictures = [0.0], []

    def look(game: Game) -> None:
        start = time.thread_time()
        pictures.append(game._live_world.picture("setter"))
        drawing[0] += time.thread_time() - start

    game_of(1.0, 1, also=look).run()  # compiled code is loaded now
    pictures.clear()
    drawing[0], start = 0.0, time.thread_time()
    game_of(seconds, 0, also=look).run()
    played = time.thread_time() - start - drawing[0]
    print(f"  {played / len(pictures) * 1e3:7.3f} ms a tick of inputs, physics and recording")
    print(f"  {drawing[0] / len(pictures) * 1e3:7.3f} ms a picture of {pictures[0].shape}")
    some = pictures[:: max(1, len(pictures) // 100)]
    for name, codec in CODECS.items():
        files = [codec(picture) for picture in some]
        encoding = processor_ms(lambda codec=codec: [codec(picture) for picture in some]) / len(some)
        decoding = processor_ms(lambda files=files: [_decoded(file) for file in files]) / len(some)
        size = np.mean([len(file) for file in files]) / 1000
        print(f"  {encoding:7.3f} ms to encode, {decoding:.3f} to decode, {size:5.1f} kB: {name}")


def _decoded(file: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))


def report(seconds: float, games: int) -> None:
    print("\nparts, processor time")
    report_parts(seconds)
    print(
        f"\n{games} games of {seconds:.0f} s of play, two people each; processor time of each second of play and game"
    )
    for name, settings in {
        "320x240, 15 a second (the defaults)": {},
        "320x240, 30 a second": {"ticks_per_frame": 1},
        "640x480, 15 a second": {"view": (480, 640)},
    }.items():
        cost, sent = in_one_process(seconds, list(range(games)), **settings)
        print(f"  {1e3 * cost:7.1f} ms, {sent:6.1f} kB sent: {name}, all in one process")
    print(f"  {1e3 * one_process_each(seconds, list(range(games))):7.1f} ms: the defaults, one process each")
    print(f"  {1e3 * start_up_sec():7.0f} ms once for each process")


def main() -> None:
    arguments = options(__doc__, seconds=(30.0, "of play, each game"), games=2)
    report(arguments.seconds, arguments.games)


if __name__ == "__main__":
    main()
