"""Games through the server: pictures a second of every player, their delay, and times of other requests.

    python -m benchmarks.playing

Two games of two people each in one server, and a client in a process of its own that plays all four as their browsers
do: inputs 30 times a second, word of every picture seen. Beside them raters' requests come at a steady rate, first
without play, then with it. Wanted: 15 pictures a second of at least 320x240 for every player.
"""

from __future__ import annotations

import asyncio
import json
import struct
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import connect

from annotation.games import Key
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import PATIENCE_SEC, make_study, new_people, served
from benchmarks.timing import options
from rlhf.store import open_store

INPUTS_PER_SECOND = 30
REQUESTS_PER_SECOND = 20
WARM_SEC = 3.0  # compiled code is loaded, speeds are constant


@dataclass
class Seen:
    """Measurements of one player: time and size of each picture, and reported speed and lag of the game."""

    came: list[float] = field(default_factory=list)
    kilobytes: list[float] = field(default_factory=list)
    speed: list[float] = field(default_factory=list)
    lag_ms: list[float] = field(default_factory=list)

    def per_second(self) -> float:
        """Pictures a second after the warm-up."""
        came = [moment for moment in self.came if moment > self.came[0] + WARM_SEC]
        return (len(came) - 1) / (came[-1] - came[0])

    def gaps_ms(self) -> np.ndarray:
        """Milliseconds between pictures."""
        return 1000 * np.diff([moment for moment in self.came if moment > self.came[0] + WARM_SEC])


class Person:
    """A player."""

    def __init__(self, url: str, cookie: str) -> None:
        self.url, self.cookie = url, cookie
        self.client = httpx.Client(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC)
        self.client.headers["X-CSRF-Token"] = self.ask("GET", "/api/me")["csrf"]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the server's answer."""
        return self.client.request(method, path, json=body).raise_for_status().json()

    async def play(self, game_id: str, seconds: float, seed: int) -> Seen:
        """Play for ``seconds``, with random inputs at every moment."""
        seen, rng = Seen(), np.random.default_rng(seed)
        url = self.url.replace("http", "ws") + f"/api/play/games/{game_id}/socket"
        async with connect(
            url, additional_headers={"Cookie": f"{COOKIE}={self.cookie}", "Origin": self.url}, proxy=None
        ) as socket:
            await socket.send(json.dumps({"do": "ready"}))
            acting = asyncio.create_task(_act(socket, rng))
            views, end = 0, time.monotonic() + PATIENCE_SEC
            while time.monotonic() < end:
                message = await socket.recv()
                if isinstance(message, str):
                    seen.lag_ms += [status["lag_ms"] for status in [json.loads(message)] if "lag_ms" in status]
                    continue
                views += 1
                await socket.send(json.dumps({"seen": views}))
                (length,) = struct.unpack(">I", message[:4])
                view = json.loads(message[4 : 4 + length])
                if view["state"] != "playing" or not view["frame"]:
                    continue
                if not seen.came:
                    end = time.monotonic() + WARM_SEC + seconds
                seen.came.append(time.monotonic())
                seen.kilobytes.append(len(message) / 1000)
                seen.speed.append(view["speed"])
            acting.cancel()
        return seen


async def _act(socket: Any, rng: np.random.Generator) -> None:
    while True:
        held = [key for key in Key if rng.random() < 0.2]
        say = "lift it" if rng.random() < 0.01 else ""
        inputs = {"held": held, "turn": float(rng.normal(0, 2)), "say": say}
        await socket.send(json.dumps({"inputs": inputs}))
        await asyncio.sleep(1 / INPUTS_PER_SECOND)


async def _requests(url: str, cookie: str, seconds: float) -> list[float]:
    """Return the milliseconds of requests at a constant rate, independent of earlier answers."""
    async with httpx.AsyncClient(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC) as client:

        async def ask() -> float:
            start = time.monotonic()
            (await client.get("/api/tasks/marking")).raise_for_status()
            return 1000 * (time.monotonic() - start)

        asked = []
        for _ in range(int(seconds * REQUESTS_PER_SECOND)):
            asked.append(asyncio.create_task(ask()))
            await asyncio.sleep(1 / REQUESTS_PER_SECOND)
        return list(await asyncio.gather(*asked))


def start_game(setter: Person, solver: Person) -> str:
    """Create a game that two people have joined, and return its id."""
    projects = setter.ask("GET", "/api/play")["projects"]
    project = next(each["id"] for each in projects if each["dataset"] == "people")
    body = {"project": project, "kind": "human-human", "role": "setter"}
    game_id = setter.ask("POST", "/api/play/games", body)["id"]
    solver.ask("POST", f"/api/play/games/{game_id}/join", {"role": "solver"})
    return game_id


async def measure(url: str, folder: Path, games: int, seconds: float) -> tuple[list[Seen], list[float], list[float]]:
    """Return each player's measurements, and the times of raters' requests without and beside play."""
    (rater,) = new_people(folder, Role.RATER, 1)
    setters = [Person(url, cookie) for cookie in new_people(folder, Role.SETTER, games)]
    solvers = [Person(url, cookie) for cookie in new_people(folder, Role.SOLVER, games)]
    alone = await _requests(url, rater, seconds / 3)
    playing = []
    for number, pair in enumerate(zip(setters, solvers, strict=True)):
        game_id = await asyncio.to_thread(start_game, *pair)
        playing += [person.play(game_id, seconds, 2 * number + i) for i, person in enumerate(pair)]

    async def beside() -> list[float]:
        await asyncio.sleep(2 * WARM_SEC)
        return await _requests(url, rater, seconds - WARM_SEC)

    seen, together = await asyncio.gather(asyncio.gather(*playing), beside())
    return seen, alone, together


def report(seen: list[Seen], alone: list[float], together: list[float]) -> None:
    for number, player in enumerate(seen):
        gaps = player.gaps_ms()
        print(
            f"  player {number}: {player.per_second():5.2f} pictures a second; gaps of {np.median(gaps):.0f} ms, "
            f"95% below {np.percentile(gaps, 95):.0f}, longest {gaps.max():.0f}; {np.mean(player.kilobytes):.1f} kB "
            f"each; to the player and back {np.median(player.lag_ms):.0f} ms; "
            f"game at {100 * np.mean(player.speed):.0f}% of its speed, at least {100 * min(player.speed):.0f}%"
        )
    for name, took in (("without play", alone), ("beside play", together)):
        median, most = np.median(took), np.percentile(took, 95)
        print(f"  raters' requests {name}: {median:.1f} ms, 95% below {most:.1f}, longest {max(took):.0f}")


def main() -> None:
    arguments = options(__doc__, seconds=(30.0, "of play that are measured"), games=2)
    print(f"{arguments.games} games of two people through the server, {arguments.seconds:.0f} s")
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder)
        make_study(study, episodes=1, steps=20)
        open_store(study / "people", create=True)
        with served(study, "--games", str(arguments.games)) as (_, url, _):
            report(*asyncio.run(measure(url, study, arguments.games, arguments.seconds)))


if __name__ == "__main__":
    main()
