"""The runner: an agent plays N slots of setter replay in lock step and yields fragments of T steps.

Plain PyTorch and NumPy: it knows neither learners nor processes, and runs the same under any executor.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium
import numpy as np
import torch
from torch import Tensor

from agents.acting import observation_arrays, set_generator
from agents.agent import AgentState, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.encoding import decoded_actions
from agents.tokenizer import Tokenizer
from rlhf.records.episode import Episode
from rlhf.replay.fragment import Fragment, FragmentRows
from rlhf.replay.guard import LEAST
from rlhf.replay.setter_replay import EpisodeSampler
from rlhf.replay.slot import EpisodeResult, FailedPlay, RunnerError, Slot
from rlhf.run.progress import announce
from worlds.contract import Action
from worlds.errors import shows_tracebacks

if TYPE_CHECKING:
    from rlhf.replay.learned_setter import Setters

__all__ = ["EpisodeResult", "RewardSource", "Runner", "RunnerError"]

_ROWS_AT_ONCE = 64  # judged together: bounds memory, whatever the length of a fragment


class RewardSource(Protocol):
    """Source of rewards, step by step, with a memory per slot, which :meth:`state_dict` returns."""

    def rewards(self, observations: ObservationBatch, resets: Tensor) -> np.ndarray:
        """Return float32 [T, N], rewards that come with ``observations`` [T, N, ...]; 0 at ``resets``, bool [T, N]."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return what determines the rewards to come beside the play: plain values, for checkpoints.

        That is its memory of the plays in progress, and what it draws from.
        """
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned. What it lacks is as before the first step.

        Where the plays in progress are dropped, the next step of every slot is the first of an episode.
        """


class Runner:
    """Plays N slots with one agent.

    Memory of the agent, of the reference and of the reward source runs on from fragment to fragment. A play that is
    over has a last row with what the solver saw after its last action, which the reward source judges and from which
    returns bootstrap (:class:`rlhf.replay.fragment.Fragment`); in the next row another play begins. A replay is over
    where its recording is, a time limit, unless the world ends it first.

    Args:
      agent: the agent that plays; copied, so that learning does not change it within a fragment, see
        :meth:`set_weights`.
      reference: the frozen cloned agent, whose decisions to speak are recorded beside the player's.
      rewards: source of the rewards; None: the environments' own rewards (the scripted-reward baseline).
      slots: environments whose reset takes the options of :class:`rlhf.replay.setter_replay.SetterReplay`.
      steps: T, steps of a fragment.
      seed: seed of the agent's choices and the order of the episodes.
      threads: number of threads that step the slots; 1 steps them in this thread.
      stagger: cut the first play of each slot short at a different step, so that episodes do not begin together.
      step_limit_sec: seconds that a world may take for a reset or a step before its play is ended; None sets no limit.
      frozen_vision: the image encoder is the same in agent, reference and learner and never changes, so pictures are
        encoded once, and fragments have their tokens.
      setters: choose what the setters of all slots do, which are learned; the environments are of the class
        :class:`rlhf.replay.learned_setter.LearnedSetterPlay`.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        reference: InteractiveAgent,
        rewards: RewardSource | None,
        slots: Sequence[gymnasium.Env],
        episodes: Sequence[Episode],
        steps: int,
        seed: int = 0,
        device: torch.device | str = "cpu",
        threads: int = 1,
        stagger: bool = True,
        step_limit_sec: float | None = None,
        setters: Setters | None = None,
        frozen_vision: bool = False,
    ) -> None:
        if not slots or steps < 1 or threads < 1:
            raise ValueError(
                f"{len(slots)} slots, {steps} steps, {threads} threads: a runner needs one of each at least"
            )
        self.device = torch.device(device)
        self.steps, self.stagger, self.step_limit_sec = steps, stagger, step_limit_sec
        self.report: Callable[[str], object] = announce  # called with a line for each play that a failure ends
        self.failed_at = 0.0  # time.monotonic() of the last failure of a world
        self._agent: InteractiveAgent = copy.deepcopy(agent).to(self.device).eval()  # type: ignore[arg-type]
        self._reference: InteractiveAgent = copy.deepcopy(reference).to(self.device).eval()  # type: ignore[arg-type]
        self._config: AgentConfig = agent.config  # type: ignore[assignment]
        self._tokenizer, self._rewards, self._setters = tokenizer, rewards, setters
        vision = self._agent.trunk.vision if frozen_vision else None
        self._visual = None if vision is None else (vision.tokens, self._config.width)
        self._slots = [Slot(index, env, step_limit_sec) for index, env in enumerate(slots)]
        self._sampler = EpisodeSampler(episodes, seed)
        self._generator = torch.Generator(self.device).manual_seed(seed)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="slots") if threads > 1 else None
        self._results: list[EpisodeResult] = []
        self._first: dict[int, EpisodeResult] = {}
        self._whole = self._failed = 0  # plays
        self._last_row: tuple[np.ndarray, np.ndarray] | None = None  # reward and reference logit; None: not begun

    @property
    def columns(self) -> int:
        """N, the number of slots."""
        return len(self._slots)

    @torch.inference_mode()
    def sample(self) -> Fragment:
        """Play T steps in every slot.

        Raises:
          RunnerError: if environments fail in most plays, or a reward is not a finite number.
        """
        if self._last_row is None:
            self._begin()
        rows = FragmentRows(self.steps, self.columns, self._config, self._visual)
        memory, ended = self._memory, []
        for t in range(self.steps):
            batch, resets = self._see(rows, t)
            actions, log_probs, _, self._memory = self._agent.act(batch, self._memory, resets, self._generator)
            rows.do(t, actions, log_probs)
            ended += self._step(rows, t + 1)
        self._see(rows, self.steps)
        self._judge(rows)
        self._account(rows, ended)
        return rows.fragment(memory)

    def set_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Play on with ``weights``, an agent's ``state_dict``."""
        self._agent.load_state_dict(weights)

    def finished(self) -> list[EpisodeResult]:
        """The plays that ended since the last call, in order. Those that were cut short are not among them."""
        results, self._results = self._results, []
        return results

    def finished_first(self) -> dict[int, EpisodeResult]:
        """By slot, the first play that ended in the last fragment, unless it was cut short or failed."""
        return dict(self._first)

    def state_dict(self, plays: bool = True) -> dict[str, Any]:
        """Everything that determines the fragments to come but for the agent's weights, which the learner keeps.

        Args:
          plays: with the plays in progress; without them, every slot begins an episode when it is loaded.

        Returns:
          Plain values, as checkpoints take them.
        """
        state = {
            "sampler": self._sampler.state_dict(),
            "generator": self._generator.get_state(),
            "device": self.device.type,
            "rewards": {} if self._rewards is None else self._rewards.state_dict(),
        }
        if self._setters is not None:
            state["setters"] = self._setters.state_dict()
        return state | {"plays": self._plays_in_progress()} if plays else state

    def load_state_dict(self, state: Mapping[str, Any], plays: bool = True) -> None:
        """Resume from what :meth:`state_dict` returned; what is played then is what would have been played.

        On the same kind of device. On another one the choices to come follow from the state all the same, but are
        others than they would have been.

        Args:
          state: what :meth:`state_dict` returned; that of an older version holds no plays in progress.
          plays: resume the plays in progress, which takes the time of playing them again; without, or where
            ``state`` has none for as many slots, every slot begins its next episode.

        Raises:
          UserError: if it was of other episodes.
          RunnerError: naming the slot, if a play in progress cannot be rebuilt exactly.
        """
        self._sampler.load_state_dict(state["sampler"])
        set_generator(self._generator, state["generator"], state.get("device"))
        if self._rewards is not None and "rewards" in state:  # older checkpoints have none
            self._rewards.load_state_dict(state["rewards"])
        if self._setters is not None and "setters" in state:
            self._setters.load_state_dict(state["setters"])
        self._last_row, self._results = None, []
        in_progress = state.get("plays") if plays else None
        if in_progress is not None and len(in_progress["slots"]) == self.columns:
            self._resume_plays(in_progress)

    def close(self) -> None:
        """Close the environments and end the threads."""
        if self._pool is not None:
            self._pool.shutdown()
        for slot in self._slots:
            slot.env.close()

    def _plays_in_progress(self) -> dict[str, Any] | None:
        """The plays in progress with what is remembered of them, and finished ones not reported; None before the first.

        Memory of the reward source is the reward source's.
        """
        if self._last_row is None:
            return None
        return {
            "slots": [slot.state_dict() for slot in self._slots],
            "memory": [part.detach().cpu().clone() for part in self._memory],
            "reference_memory": [part.detach().cpu().clone() for part in self._reference_memory],
            "resets": torch.from_numpy(self._resets.copy()),
            "last_row": [torch.from_numpy(part.copy()) for part in self._last_row],
            "results": [result.state_dict() for result in self._results],
        }

    def _resume_plays(self, state: Mapping[str, Any]) -> None:
        """Rebuild what :meth:`_plays_in_progress` returned."""
        episodes = [self._sampler.find(slot["episode_id"]) for slot in state["slots"]]
        self._each(Slot.load_state_dict, self._slots, state["slots"], episodes)
        self._memory = AgentState(*(part.to(self.device) for part in state["memory"]))
        self._reference_memory = AgentState(*(part.to(self.device) for part in state["reference_memory"]))
        self._resets = state["resets"].numpy().copy()
        reward, logit = state["last_row"]
        self._last_row = reward.numpy().copy(), logit.numpy().copy()
        self._results = [EpisodeResult.from_state_dict(result) for result in state["results"]]

    def _begin(self) -> None:
        """Begin an episode in every slot, all memories empty."""
        self._memory = self._agent.initial_state(self.columns)
        self._reference_memory = self._reference.initial_state(self.columns)
        self._resets = np.ones(self.columns, np.bool_)
        episodes = [self._sampler.next() for _ in self._slots]
        cuts = [max(1, len(e) * (i + 1) // self.columns) if self.stagger else len(e) for i, e in enumerate(episodes)]
        steps = [cut if cut < len(episode) else None for cut, episode in zip(cuts, episodes, strict=True)]
        self._begin_plays(self._slots, episodes, steps)
        for slot in self._slots:
            slot.modelled_return = 0.0

    def _see(self, rows: FragmentRows, t: int) -> tuple[ObservationBatch, Tensor]:
        """Put the slots' observations into row t; return them as tensors [1, N, ...]."""
        seen = [slot.observation for slot in self._slots]
        terminated = np.array([slot.terminated for slot in self._slots])
        rows.see(t, observation_arrays(seen, self._tokenizer, self._config), self._resets, terminated)
        batch, resets = rows.observed(slice(t, t + 1), self.device)
        if rows.visual is not None:
            batch = self._agent.see(batch)
            assert batch.visual is not None
            rows.visual[t] = batch.visual[0].float().cpu().numpy()
        return batch, resets

    def _step(self, rows: FragmentRows, t: int) -> list[tuple[int, int, EpisodeResult | None]]:
        """Step every slot to row t with the actions of the row before, or begin the next play where one was over.

        Returns:
          Row, slot, and result without its return, of every play that has ended.
        """
        actions = decoded_actions(rows.movement[t - 1], rows.utterance[t - 1], self._tokenizer, self._config)
        if self._setters is not None:
            self._set(self._setters)
        begins = [slot for slot in self._slots if slot.over]
        acting = [slot for slot in self._slots if not slot.over]
        own = [slot.index for slot in acting]
        rows.reward[t, own] = self._each(self._act, acting, [actions[i] for i in own])
        ended = [(t, slot.index, slot.result()) for slot in acting if slot.over or slot.failed]
        self._whole += sum(slot.over for slot in acting)
        begins += [slot for slot in acting if slot.failed]  # nothing was seen after the last action
        self._resets = np.zeros(self.columns, np.bool_)
        self._resets[[slot.index for slot in begins]] = True
        self._begin_plays(begins, [self._sampler.next() for _ in begins], [None] * len(begins))
        return ended

    def _set(self, setters: Setters) -> None:
        """Choose what the setters of all slots do at this step; those of plays that are over do nothing."""
        seen: list[Any] = [slot.env.seen_by_setter for slot in self._slots]  # type: ignore[attr-defined]
        prompts: list[str] = [slot.env.setter.prompt for slot in self._slots]  # type: ignore[attr-defined]
        for slot, action in zip(self._slots, setters.set(seen, prompts, self._resets), strict=True):
            if not slot.over:
                slot.give(action)

    def _act(self, slot: Slot, action: Action) -> float:
        """Step a slot and return its reward; a play whose world fails has ended, and is no result."""
        try:
            return slot.act(action)
        except FailedPlay as error:
            slot.counts, slot.failed = False, True
            self._note(error)
            return 0.0

    def _begin_plays(self, slots: Sequence[Slot], episodes: Sequence[Episode], steps: Sequence[int | None]) -> None:
        """Begin an episode in each of ``slots``, and another one where the world fails at its reset."""
        while slots:
            begun = self._each(self._try_to_begin, slots, episodes, steps)
            slots = [slot for slot, is_begun in zip(slots, begun, strict=True) if not is_begun]
            episodes, steps = [self._sampler.next() for _ in slots], [None] * len(slots)

    def _try_to_begin(self, slot: Slot, episode: Episode, steps: int | None) -> bool:
        try:
            slot.begin(episode, steps)
        except FailedPlay as error:
            self._note(error)
            return False
        return True

    def _note(self, error: FailedPlay) -> None:
        """Report a failure of the world. Raises ``error`` if most plays have failed so far, and they are several."""
        self._failed += 1
        self.failed_at = time.monotonic()
        if shows_tracebacks() or self._failed >= max(LEAST, self.columns // 2, self._whole + 1):
            raise error
        self.report(f"{error}; the play is ended and counts for nothing, and another begins")

    def _judge(self, rows: FragmentRows) -> None:
        """Fill in rewards and the reference's logits; row 0 was judged as the last row of the fragment before."""
        first = 0
        if self._last_row is not None:
            first = 1
            rows.reward[0], rows.reference_speak_logit[0] = self._last_row
        for begin in range(first, self.steps + 1, _ROWS_AT_ONCE):
            part = slice(begin, min(begin + _ROWS_AT_ONCE, self.steps + 1))
            observations, resets = rows.observed(part, self.device)
            seen = observations._replace(visual=rows.tokens(part, self.device))
            output, self._reference_memory = self._reference(seen, self._reference_memory, resets)
            rows.reference_speak_logit[part] = output.speak_logit.float().cpu().numpy()
            if self._rewards is not None:
                rows.reward[part] = self._rewards.rewards(observations, resets)
        if self._rewards is not None and rows.reward[rows.resets].any():
            raise RunnerError("the reward source rewards an episode's first step, whose reward is 0 by definition")
        if not np.isfinite(rows.reward).all():
            t, slot = np.argwhere(~np.isfinite(rows.reward))[0]
            raise RunnerError(f"the reward of slot {slot} is {rows.reward[t, slot]} at row {t} of the fragment")
        self._last_row = rows.reward[-1].copy(), rows.reference_speak_logit[-1].copy()

    def _account(self, rows: FragmentRows, ended: list[tuple[int, int, EpisodeResult | None]]) -> None:
        """Add the rewards up and note the results of the plays that have ended."""
        begun = np.zeros(self.columns, np.int64)  # row up to which a slot's rewards have been added up
        self._first = {}
        for t, index, result in ended:
            slot = self._slots[index]
            total = slot.modelled_return + float(rows.reward[begun[index] + 1 : t + 1, index].sum())
            is_first, begun[index], slot.modelled_return = begun[index] == 0, t, 0.0
            if result is not None:
                result = replace(result, modelled_return=total)
                self._results.append(result)
                if is_first:
                    self._first[index] = result
        for slot in self._slots:
            slot.modelled_return += float(rows.reward[begun[slot.index] + 1 :, slot.index].sum())

    def _each(self, call: Callable[..., Any], slots: Sequence[Slot], *arguments: Sequence[Any]) -> list[Any]:
        """Return ``call(slot, ...)`` of every slot, in their order, computed on the threads if there are any."""
        jobs = list(zip(slots, *arguments, strict=True))
        if self._pool is None or len(jobs) < 2:
            return [call(*job) for job in jobs]
        shares = [jobs[k :: self._threads] for k in range(self._threads)]
        done = list(self._pool.map(lambda share: [call(*job) for job in share], shares))
        return [done[i % self._threads][i // self._threads] for i in range(len(jobs))]
