"""`rlhf teach`: improve an agent from what people say of its play, in one page of the browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from agents import pretrained
from agents.computing import usable_device
from annotation.server import serve as server
from annotation.server.config import Port, ServeConfig
from pipelines.cli.serve import TRACER
from pipelines.loops.loop import FREE, check_loop
from pipelines.loops.rounds import LoopConfig, resolve_config
from pipelines.loops.teaching import Lessons
from pipelines.presets.demo import WORLD
from pipelines.presets.teach import loop
from pipelines.stages.running.staged_run import open_run
from pipelines.stages.settings.play_settings import settings_of_agent
from rlhf.run.place_seeds import LARGEST_SEED
from worlds.errors import UserError
from worlds.settings import settings

ASKED_SEC = 60  # of play in which a person asks the agent


@settings
class TeachConfig:
    """Settings of `rlhf teach`. Those of training are :mod:`pipelines.presets.teach`'s.

    Args:
      run: folder of all that is said and made.
      agent: folder of the agent that is taught; the pretrained one by default.
      data: dataset of demonstrations, which it goes on imitating; None records some in the agent's world.
      clips: requests that the agent carries out for people to mark, in each round; a tenth in held-out places.
      pairs: requests that the new agent of a round and the one before both carry out, for people to compare.
      seed: seed of everything, from 0 to 24.
      device: device of play and training: "cpu", "cuda" or "cuda:1".
      host: address to listen at. Only this machine reaches the default; beyond it, put HTTPS in front.
      port: port to listen at, up to 65535; 0 takes a free one.
      public_url: how people's browsers reach the server, if not by host and port, e.g. https://study.example.org.
    """

    run: Path = Path("runs/teach")
    agent: Path = pretrained.PLAYHOUSE
    data: Path | None = None
    clips: Annotated[int, Field(ge=2, le=100_000)] = 600
    pairs: Annotated[int, Field(ge=0, le=1000)] = 20
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED // 20 - 1)] = 0
    device: str | None = None
    host: str = "127.0.0.1"
    port: Port = 8080
    public_url: str = ""

    @property
    def loop(self) -> LoopConfig:
        """The rounds behind the page."""
        known = settings_of_agent(self.agent).world
        elsewhere = known.name is not None and known.complete() != WORLD.complete()
        found = loop(self.agent == pretrained.PLAYHOUSE, elsewhere)
        given = {name: getattr(self, name) for name in ("run", "agent", "data", "seed", "device")}
        held_out = max(self.clips // 10, 1)  # which show how well the reward model knows what it has not learned
        play = replace(found.play, episodes=self.clips - held_out)
        return replace(found, play=play, held_out_play=held_out, **given)

    @property
    def serving(self) -> ServeConfig:
        """The server of the page; everything that people ask is learned from, so nothing of it is held out."""
        return ServeConfig(
            data=self.run, host=self.host, port=self.port, public_url=self.public_url,
            episode_seconds=ASKED_SEC, held_out=0.0,
        )  # fmt: skip


def teach(config: TeachConfig) -> None:
    """Serve the page *Teach* until Ctrl-C.

    Raises:
      UserError: if there is no such agent or dataset, the folder holds another run, or the server cannot begin.
    """
    for name, what, folder in (("agent", "agent", config.agent), ("data", "dataset", config.data)):
        if folder is not None and not folder.is_dir():
            raise UserError(f"there is no {what} in {folder}; name another with --{name}, or leave it out")
    rounds = resolve_config(config.loop)
    check_loop(rounds)
    if config.device is not None:
        usable_device(config.device)
    open_run(rounds.run, rounds, "run", free=FREE)
    lessons = Lessons(rounds, config.pairs)
    lessons.begin()
    try:
        server.serve(config.serving, TRACER, lessons)
    finally:
        lessons.close()
