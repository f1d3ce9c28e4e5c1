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
      index: of the slot.
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
        self._movement: list[np.ndarray] = []  # of every step of the play
        self._continuous: list[np.ndarray] = []  # as well, where the world has such components
        self._spoken: list[str] = []
        self._given: list[Action] = []  # to a learned setter, at every step

    def begin(self, episode: Episode, steps: int | None) -> None:
        options: dict[str, Any] = {"episode": episode} | ({} if steps is None else {"steps": steps})
        self.episode_id, self.world, self.counts = episode.episode_id, episode.world, steps is None
        self._cut, self.failed, self.over, self.terminated = steps, False, False, False
        self.step = self.utterances = 0
        self._movement, self._continuous, self._spoken, self._given = [], [], [], []
        self.observation, _ = self._named_failure(lambda: self.env.reset(options=options))

    def give(self, action: Action) -> None:
        """Decide what the learned setter of the environment does at the step to come."""
        setter: Any = self.env.setter  # type: ignore[attr-defined]
        setter.give(action)
        self._given.append(action)

    def act(self, movement: np.ndarray, utterance: str, continuous: np.ndarray | None = None) -> float:
        """Step the environment and return its reward."""
        action: Action = {"movement": movement, "utterance": utterance}
        if continuous is not None:
            action["continuous"] = continuous
            self._continuous.append(np.array(continuous))
        self.observation, reward, self.terminated, truncated, info = self._named_failure(lambda: self.env.step(action))
        self.truth = info.get("truth")
        self._movement.append(np.array(movement))
        self._spoken.append(utterance)
        self.step += 1
        self.utterances += bool(utterance)
        self.over = self.terminated or truncated
        return float(reward)

    def state_dict(self) -> dict[str, Any]:
        """Return the play so far, for checkpoints: episode, cut, actions, return, and a digest of the observation."""
        return {"given": _packed_actions(self._given)} | {
            "episode_id": self.episode_id,
            "cut": self._cut,
            "movement": _packed(self._movement),
            "continuous": _packed(self._continuous),
            "said": list(self._spoken),
            "modelled_return": self.modelled_return,
            "observation": observation_digest(self.observation),
        }

    def load_state_dict(self, state: Mapping[str, Any], episode: Episode) -> None:
        """Rebuild the play that :meth:`state_dict` returned by repeating its actions.

        Args:
          state: what :meth:`state_dict` returned.
          episode: the one that is named there.

        Raises:
          RunnerError: if the environment does not arrive at the same observation, to the last bit, or fails.
        """
        self.begin(episode, state["cut"])
        movement = [] if state["movement"] is None else unpack_array(state["movement"])
        packed = state.get("continuous")  # older checkpoints have none
        continuous = [None] * len(movement) if packed is None else unpack_array(packed)
        given = _unpacked_actions(state.get("given"))
        for number, (step, utterance, values) in enumerate(zip(movement, state["said"], continuous, strict=True)):
            if given:
                self.give(given[number])
            self.act(step, utterance, values)
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


def _packed(steps: Sequence[np.ndarray]) -> dict[str, Any] | None:
    return pack_array(np.stack(steps)) if steps else None


def _packed_actions(actions: Sequence[Action]) -> dict[str, Any] | None:
    """Return actions as plain values, for checkpoints; None for none."""
    if not actions:
        return None
    return {
        "movement": _packed([action["movement"] for action in actions]),
        "continuous": _packed([action["continuous"] for action in actions if "continuous" in action]),
        "said": [action["utterance"] for action in actions],
    }


def _unpacked_actions(state: Mapping[str, Any] | None) -> list[Action]:
    """Return what :func:`_packed_actions` was called with."""
    if state is None:
        return []
    movement, said = unpack_array(state["movement"]), state["said"]
    actions: list[Action] = [{"movement": m, "utterance": u} for m, u in zip(movement, said, strict=True)]
    if state["continuous"] is not None:
        for action, values in zip(actions, unpack_array(state["continuous"]), strict=True):
            action["continuous"] = values
    return actions


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
