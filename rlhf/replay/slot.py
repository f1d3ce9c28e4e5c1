"""One environment of a runner, the play in it, and the result of a play that has ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import numpy as np

from rlhf.records.episode import Episode
from rlhf.replay.packing import pack_array, unpack_array
from worlds.contract import Action, Observation
from worlds.errors import RunError, described
from worlds.foreign_code import witness
from worlds.foreign_code.faults import FOREIGN
from worlds.foreign_code.watchdog import NoAnswer, call_within


class RunnerError(RunError):
    """A play that failed; the message names the slot, the episode and the step."""


class FailedPlay(RunnerError):
    """A play whose world failed, so that its slot can begin another."""


@dataclass(frozen=True)
class EpisodeResult:
    """One finished play.

    Args:
      episode_id: id of the recorded episode whose setter was replayed.
      steps: length of the play.
      utterances: number of times that the agent spoke.
      modelled_return: sum of the rewards.
      success: success of every request that was made; empty where ground truth is not followed.
    """

    episode_id: str
    steps: int
    utterances: int
    modelled_return: float
    success: tuple[bool, ...]

    def state_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for checkpoints."""
        return asdict(self)

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any]) -> EpisodeResult:
        """Return the result that :meth:`state_dict` was called on."""
        return cls(**{**state, "success": tuple(state["success"])})


class Slot:
    """One environment and the play in it.

    ``state_dict`` holds the actions of the play so far, not the environment: an environment that is determined by its
    episode and the actions is rebuilt exactly by repeating them.

    Args:
      env: steps the world.
      step_limit_sec: seconds that a reset or a step may take; None sets no limit.
    """

    def __init__(self, index: int, env: gymnasium.Env, step_limit_sec: float | None = None) -> None:
        self.index, self.env, self.step_limit_sec = index, env, step_limit_sec
        self.observation: Observation
        self.truth: Any = None
        self.episode_id = self.world = ""
        self.step = self.utterances = 0
        self.modelled_return = 0.0
        self.counts = True  # a play that was cut short is no result
        self.failed = False  # the world has failed in this play
        self.over = False  # the play has ended, and the observation is its last
        self.terminated = False  # by the world's rules, not by a time limit
        self._cut: int | None = None
        self._done: list[Action] = []  # at every step of the play
        self._given: list[Action] = []  # to a learned setter, at every step

    def begin(self, episode: Episode, steps: int | None) -> None:
        options: dict[str, Any] = {"episode": episode} | ({} if steps is None else {"steps": steps})
        self.episode_id, self.world, self.counts = episode.episode_id, episode.world, steps is None
        self._cut, self.failed, self.over, self.terminated = steps, False, False, False
        self.step = self.utterances = 0
        self._done, self._given = [], []
        self.observation, _ = self._named_failure(lambda: self.env.reset(options=options))

    def give(self, action: Action) -> None:
        """Decide what the learned setter of the environment does at the step to come."""
        setter: Any = self.env.setter  # type: ignore[attr-defined]
        setter.give(action)
        self._given.append(action)

    def act(self, action: Action) -> float:
        """Step the environment and return its reward."""
        self.observation, reward, self.terminated, truncated, info = self._named_failure(lambda: self.env.step(action))
        self.truth = info.get("truth")
        self._done.append(_copied(action))
        self.step += 1
        self.utterances += bool(action["utterance"])
        self.over = self.terminated or truncated
        return float(reward)

    def state_dict(self) -> dict[str, Any]:
        """Return the play so far, for checkpoints: episode, cut, actions, return, and a digest of the observation."""
        return {
            "given": _packed(self._given),
            "episode_id": self.episode_id,
            "cut": self._cut,
            "done": _packed(self._done),
            "modelled_return": self.modelled_return,
            "observation": observation_digest(self.observation),
        }

    def load_state_dict(self, state: Mapping[str, Any], episode: Episode) -> None:
        """Rebuild the play that :meth:`state_dict` returned, in ``episode``, by repeating its actions.

        Raises:
          RunnerError: if the environment does not arrive at the same observation, to the last bit, or fails.
        """
        self.begin(episode, state["cut"])
        given = _unpacked(state["given"])
        for number, action in enumerate(_unpacked(state["done"])):
            if given:
                self.give(given[number])
            self.act(action)
        self.modelled_return = state["modelled_return"]
        if observation_digest(self.observation) != state["observation"]:
            raise RunnerError(
                f"slot {self.index}: the {self.step} steps of episode {self.episode_id} played before the checkpoint "
                "end in another observation when they are replayed: the world, the episode or the machine has "
                "changed, or the world is not exact; set drop_play to begin new plays instead"
            )

    def _named_failure(self, call: Callable[[], Any]) -> Any:
        doing = f"step {self.step} of episode {self.episode_id} in slot {self.index}"
        witness.begin(self.world, doing)
        try:
            return call_within(self.step_limit_sec, self.world, doing, call)
        except NoAnswer as error:
            raise FailedPlay(str(error)) from None
        except FOREIGN as error:
            where = f"world {self.world!r}, slot {self.index}, step {self.step} of episode {self.episode_id}"
            raise FailedPlay(f"{where}: {described(error)}") from error
        finally:
            witness.end()

    def result(self) -> EpisodeResult | None:
        """Return the result of the play that has just ended, without its return; None if it was cut short."""
        if not self.counts:
            return None
        success = () if self.truth is None else tuple(step is not None for step in self.truth.success_step)
        return EpisodeResult(self.episode_id, self.step, self.utterances, 0.0, success)


def _copied(action: Action) -> Action:
    """Return ``action`` with arrays of its own; three times as fast as a deep copy."""
    return {name: part if isinstance(part, str) else part.copy() for name, part in action.items()}  # type: ignore[return-value, union-attr]


def _packed(actions: Sequence[Action]) -> dict[str, Any] | None:
    """Return actions as plain values, for checkpoints; None for none."""
    if not actions:
        return None
    columns: dict[str, list[Any]] = {name: [dict(action)[name] for action in actions] for name in actions[0]}
    return {name: each if name == "utterance" else pack_array(np.stack(each)) for name, each in columns.items()}


def _unpacked(state: Mapping[str, Any] | None) -> list[Action]:
    """Return what :func:`_packed` was called with."""
    if state is None:
        return []
    columns = {name: part if name == "utterance" else unpack_array(part) for name, part in state.items()}
    return [dict(zip(columns, parts, strict=True)) for parts in zip(*columns.values(), strict=True)]  # type: ignore[misc]


def observation_digest(observation: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything in ``observation``, a mapping of arrays and texts, in hexadecimal."""
    digest = hashlib.sha256()
    for name in sorted(observation):
        value = observation[name]
        if isinstance(value, str):
            described, data = "text", value.encode()
        else:
            array = np.ascontiguousarray(value)
            described, data = f"{array.dtype.str}{array.shape}", array.tobytes()
        digest.update(f"{name} {described} {len(data)}\n".encode() + data)
    return digest.hexdigest()
