"""Players who are not people: scripted ones in the game's process, agents in their own.

A stand-in is asked once a step. One that does not answer in time does nothing in that step, and the pages report it.
An agent still observes every step in order: its late answers are dropped, and its memory has seen what happened. The
same holds while a co-pilot has taken over (paper, A.1).
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from rlhf.run.processes import Worker
from worlds.contract import Action, Observation, Setter, Solver, World, body_spec
from worlds.errors import UserError
from worlds.spaces.differences import differences
from worlds.spaces.observation import PlayerSpec

STARTING, AT_WORK, GONE = "starting", "at work", "gone"
_log = logging.getLogger(__name__)


class StandIn(Protocol):
    """A player of a game who is not a person."""

    name: str  # in recordings
    trouble: str  # why it is GONE, for people to read

    @property
    def state(self) -> str:
        """STARTING, AT_WORK or GONE."""
        ...

    def begin(self, world: World, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        ...

    def ask(self, step: int, observation: Observation) -> None:
        """Pass on the observation of ``step``; return at once."""
        ...

    def answer(self, step: int, timeout_sec: float) -> Action | None:
        """Return its action at ``step``; None if it is late."""
        ...

    def close(self) -> None:
        """Release its resources; it is asked no more."""
        ...


class ScriptedPlayer:
    """A scripted setter or solver. It knows the world's ground truth, so it lives in the game's process.

    A scripted solver with a method ``objection(words)``, which returns what it says to a request that it cannot
    follow and "" to others, says that once and gives no answer.
    """

    name, trouble, state = "scripted", "", AT_WORK

    def __init__(self, player: Setter | Solver) -> None:
        self.player = player
        self._asked: tuple[int, Observation] | None = None
        self._heard, self._objects = "", False

    def begin(self, world: World, seed: int) -> None:
        self.player.reset(world, seed)

    def ask(self, step: int, observation: Observation) -> None:
        self._asked = step, observation

    def answer(self, step: int, timeout_sec: float) -> Action | None:
        """See :meth:`StandIn.answer`; it takes a millisecond."""
        assert self._asked is not None and self._asked[0] == step
        observation = self._asked[1]
        action, words = self.player.act(observation), observation["setter_text"]
        objection = getattr(self.player, "objection", None)
        if objection is None:
            return action
        said = ""
        if words != self._heard:
            said = objection(words)
            self._heard, self._objects = words, bool(said)
        return {"movement": action["movement"], "utterance": said} if self._objects else action

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class AgentComputing:
    """Threads and device of the agents in games.

    Args:
      device: "cpu", "cuda" or "cuda:1".
    """

    threads: int = 1
    device: str = "cpu"


class AgentPlayer:
    """An agent in a process of its own; nothing else in the game waits for it.

    Args:
      name: name of the agent in recordings.
      folder: folder of the agent, as ``rlhf clone`` writes it.
      seed: seed of its choices.
      spaces: spaces of the game's solver; None are those of the Playhouse with pictures of 72x96 pixels.
      load: returns the solver that acts; runs in the new process. None loads the agent in ``folder``.
      computing: threads and device of the agent.
    """

    def __init__(
        self,
        name: str,
        folder: str | Path,
        seed: int = 0,
        spaces: PlayerSpec | None = None,
        load: Callable[[str, int, PlayerSpec], Any] | None = None,
        computing: AgentComputing | None = None,
    ) -> None:
        self.name, self.trouble = name, ""
        self._state = STARTING
        self._questions: queue.SimpleQueue[tuple[int, Observation] | None] = queue.SimpleQueue()
        self._answered = threading.Condition()
        self._last: tuple[int, Action] | None = None
        load = load or partial(load_agent, computing=computing or AgentComputing())
        self._worker = Worker(_serve, load, str(folder), seed, spaces or body_spec(72, 96))
        self._thread = threading.Thread(target=self._talk, daemon=True, name=f"agent {name}")
        self._thread.start()

    @property
    def state(self) -> str:
        return self._state

    @property
    def pid(self) -> int:
        """Id of its process."""
        return self._worker.pid

    def begin(self, world: World, seed: int) -> None:
        """See :meth:`StandIn.begin`; an agent knows only its observations."""

    def ask(self, step: int, observation: Observation) -> None:
        self._questions.put((step, observation))

    def answer(self, step: int, timeout_sec: float) -> Action | None:

        def here() -> bool:
            return self._state == GONE or (self._last is not None and self._last[0] >= step)

        with self._answered:
            self._answered.wait_for(here, timeout_sec)
            return self._last[1] if self._last is not None and self._last[0] == step else None

    def close(self) -> None:
        """See :meth:`StandIn.close`; a running computation is cut short."""
        self._questions.put(None)
        self._worker.join(0.5)
        self._worker.kill()
        self._thread.join()
        self._worker.close()

    def _talk(self) -> None:
        """Pass on observations one by one until there are no more or the process has died."""
        connection = self._worker.connection
        try:
            self._hear(connection)
            self._become(AT_WORK)
            while (question := self._questions.get()) is not None:
                connection.send(question)
                answer = self._hear(connection)
                with self._answered:
                    self._last = question[0], answer
                    self._answered.notify_all()
        except (EOFError, OSError):
            self.trouble = f"the agent {self.name} has died"
        except UserError as error:
            _log.error("the agent %s cannot play: %s", self.name, error)  # it may name folders: not for people
            self.trouble = f"the agent {self.name} cannot play; the study's leader finds the reason in the server's log"
        finally:
            connection.close()
            self._become(GONE)

    def _hear(self, connection: Connection) -> Any:
        """Return the process's answer. Raises EOFError if it has died, UserError with what stopped it."""
        what, value = connection.recv()
        if what == "trouble":
            raise UserError(value)
        return value

    def _become(self, state: str) -> None:
        with self._answered:
            self._state = state
            self._answered.notify_all()


def load_agent(folder: str, seed: int, spaces: PlayerSpec, computing: AgentComputing) -> Any:
    """Return the agent in ``folder`` as solvers of one slot, for a game whose solver has ``spaces``.

    Raises:
      UserError: if it was made for other spaces, such as pictures of another size, or there is no such device.
    """
    import torch

    from agents.acting import AgentSolvers
    from agents.folder import load_agent as load

    torch.set_num_threads(computing.threads)
    agent, tokenizer = load(folder, device=computing.device)
    if agent.config.player != spaces:
        first = differences(agent.config.player, spaces, ("the agent", "the game"))[0]
        raise UserError(f"it was made for other spaces: {first}; play with an agent that was cloned from this play")
    return AgentSolvers(agent, tokenizer, 1, seed)


def _serve(connection: Connection, load: Callable[..., Any], folder: str, seed: int, spaces: PlayerSpec) -> None:
    """The agent's process: load it, try it once, then one action for each observation."""
    try:
        solvers = load(folder, seed, spaces)
        solvers.act([spaces.blank()], np.array([True]))  # the first call compiles and allocates
        connection.send(("ready", None))
        first = True
        while True:
            _, observation = connection.recv()
            action = solvers.act([observation], np.array([first]))[0]
            first = False
            connection.send(("action", action))
    except (EOFError, BrokenPipeError):
        return  # the game is over
    except Exception as error:  # the game continues without the agent
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        connection.send(("trouble", " ".join(said.split())))
