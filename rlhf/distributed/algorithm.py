"""BC+RL as an RLlib algorithm: IMPALA's loop around this project's own runner and learner.

IMPALA's ``training_step`` is unchanged. It treats what runners return as references to hand on, so that overriding the
two classes at its ends is enough. Added here: every failure is reported.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import RayError
from ray.rllib.algorithms.impala import IMPALA, IMPALAConfig
from ray.rllib.core import ALL_MODULES
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, LEARNER_RESULTS, NUM_ENV_STEPS_TRAINED_LIFETIME

from agents.learning.workers import Workers
from rlhf.distributed.learner import PlayLearner
from rlhf.distributed.learner_group import PlayLearnerGroup
from rlhf.distributed.runner import DELIVERIES, PlayRunner
from rlhf.distributed.watch import Watch, WorkerDied, gist
from rlhf.learning.learner import Learner
from rlhf.learning.local_executor import RecordedPlay
from rlhf.replay.runner import Runner
from worlds.contract import action_space, observation_space

NOTICES = "notices"  # the metric that holds lines for people
MakeRunner = Callable[[int, int], Runner]
MakeLearner = Callable[[Workers], tuple[Learner, RecordedPlay]]


class BCRLConfig(IMPALAConfig):
    """IMPALA's configuration with :meth:`play`; settings of resources and faults have their usual meaning.

    Every setting of the update is in the learner that ``make_learner`` makes; RLlib's are ignored.
    """

    def __init__(self, algo_class: type | None = None) -> None:
        super().__init__(algo_class=algo_class or BCRL)
        self.make_runner: MakeRunner | None = None
        self.make_learner: MakeLearner | None = None
        self.stall_sec = 300.0
        self.replacements = 10
        self.recent = 8
        self.draw_seed = 0
        self.observation_space, self.action_space = observation_space(1, 1), action_space()  # RLlib wants to see some
        self.env_runner_cls = PlayRunner
        self.validate_env_runners_after_construction = False  # it would wait for ever for CPUs that are not there
        self.num_learners = self.num_aggregator_actors_per_learner = 0
        self.min_time_s_per_iteration = 0
        self.min_train_timesteps_per_iteration = 1  # so that one train() is one update
        self.timeout_s_sampler_manager = 0.05  # wait for runners without burning a CPU
        self.restart_failed_env_runners = True
        self.max_num_env_runner_restarts = -1  # ours to count
        self.delay_between_env_runner_restarts_s = 0.0
        self.env_runner_health_probe_timeout_s = 0.2  # others are playing meanwhile
        self.log_level = "ERROR"

    def play(
        self,
        *,
        make_runner: MakeRunner,
        make_learner: MakeLearner,
        slots: int,
        steps: int,
        stall_sec: float = 300.0,
        replacements: int = 10,
        recent: int = 8,
        draw_seed: int = 0,
    ) -> BCRLConfig:
        """Set what is played and learned.

        Args:
          make_runner: (index from 0, generation) -> a runner of ``slots`` slots and ``steps`` steps. Called in the
            runner's process; the generation is 0, and another number where it takes the place of a dead one.
          make_learner: workers -> the learner and its recorded play, called in the learner's process. With
            ``learners(num_learners=n)``, n above 1, there are n of them; each learns from its share of the
            columns. Both functions are pickled.
          stall_sec: seconds without an update after which the run gives up.
          recent: fragments kept for :meth:`BCRL.learn_again`.
        """
        self.make_runner, self.make_learner = make_runner, make_learner
        self.stall_sec, self.replacements, self.recent, self.draw_seed = stall_sec, replacements, recent, draw_seed
        self.num_envs_per_env_runner, self.rollout_fragment_length = slots, steps
        return self

    def get_default_learner_class(self) -> type:
        return PlayLearner

    def build_learner_group(
        self, *, env: Any = None, spaces: Any = None, rl_module_spec: Any = None, placement_group: Any = None
    ) -> PlayLearnerGroup:
        """Return a group of the class that keeps several learners in step."""
        module = rl_module_spec or self.get_multi_rl_module_spec(env=env, spaces=spaces)
        return PlayLearnerGroup(config=self.copy(), module_spec=module, placement_group=placement_group)

    def validate(self) -> None:
        """Check the configuration; one update is made from as many fragments as there are runners, side by side."""
        if self.make_runner is None or self.make_learner is None:
            raise ValueError("BCRLConfig.play(...) has to be called: it says what is played and learned")
        if self.num_env_runners < 1 and not self.in_evaluation:
            raise ValueError(f"{self.num_env_runners} runners: at least one has to play")
        slots, learners = self.num_env_runners * self.num_envs_per_env_runner, self.num_learners or 1
        if slots % learners:
            raise ValueError(f"{slots} slots cannot be shared out evenly among {learners} learners")
        if self.num_env_runners == 1:  # RLlib waits for all runners, at most this long; a single runner delays no other
            self.timeout_s_sampler_manager = 0.5
        self._train_batch_size_per_learner = slots * int(self.rollout_fragment_length) // learners
        super().validate()


class BCRL(IMPALA):
    """BC+RL. One ``train()`` is one update, on one fragment of play per runner.

    Its result has, beside RLlib's own entries, ``result["learners"]["update"]`` (what the update measured),
    ``result["env_runners"]["deliveries"]`` (``Delivery``) and ``result["notices"]`` (lines for
    people, about runners that died and were replaced).

    Raises (from ``train()``):
      WorkerDied: if a runner reports an exception, or its process dies again and again.
      RunStalled: if there is no update for ``stall_sec``.
      FloatingPointError: the learner's.
    """

    config: BCRLConfig

    @classmethod
    def get_default_config(cls) -> BCRLConfig:
        return BCRLConfig()

    def setup(self, config: BCRLConfig) -> None:
        self._reasons = _Reasons()
        self._reasons.listen()
        self._lost: set[int] = set()
        self._heard = self._trained = 0
        self._configuration: dict[str, Any] | None = None
        self._watch = Watch(self.config.num_env_runners, self.config.stall_sec, self.config.replacements)
        try:
            super().setup(config)
        except IndexError as error:  # all that RLlib makes of a first runner that does not answer
            raise WorkerDied(f"runner 1 could not be started: {self._reasons.of(1, self._watch)}") from error

    def step(self) -> dict[str, Any]:
        self._heard = 0  # results are emptied when a step ends
        self._watch.resume()
        try:
            return super().step()
        finally:
            self._watch.pause()

    def training_step(self) -> None:
        """Run IMPALA's step, then check its result."""
        super().training_step()
        deliveries = self.metrics.peek((ENV_RUNNER_RESULTS, DELIVERIES), default=[], compile=False)
        self._watch.hear(deliveries[self._heard :])
        for delivery in deliveries[self._heard :]:
            for line in delivery.notices:
                self._report(f"{self._watch.name(delivery.runner)}: {line}")
        self._heard = len(deliveries)
        trained = self.metrics.peek((LEARNER_RESULTS, ALL_MODULES, NUM_ENV_STEPS_TRAINED_LIFETIME), default=0)
        if trained > self._trained:
            self._trained = trained
            self._watch.progressed()
        for line in self._watch.check():
            self._report(line)

    def restore_env_runners(self, env_runner_group: Any) -> list[int]:
        """Have restarted runners play again, as RLlib does, and report deaths and replacements."""
        healthy = set(env_runner_group.healthy_env_runner_ids())
        for runner in sorted(self._watch.deaths.keys() - healthy - self._lost):
            self._lost.add(runner)
            self._report(self._watch.lost(runner, self._reasons.of(runner, self._watch)))
        restored = super().restore_env_runners(env_runner_group)
        for runner in restored:
            self._lost.discard(runner)
            self._report(self._watch.restored(runner))
        return restored

    def get_auto_filled_metrics(self, *arguments: Any, **settings: Any) -> dict[str, Any]:
        """Return RLlib's metrics without its deep copy of the configuration, which is half of the cost of a step."""
        if self._configuration is None:
            self._configuration = self.config.to_dict()
        given, self.config = self.config, self._configuration  # type: ignore[assignment]
        try:
            return super().get_auto_filled_metrics(*arguments, **settings)
        finally:
            self.config = given

    def learn_again(self) -> dict[str, float]:
        """Make one more update on recent fragments and return its metrics."""
        return self._learners(PlayLearner.learn_again)[0]

    def learned_weights(self) -> dict[str, np.ndarray]:
        """Return the learner's weights."""
        return self._learners(_weights_of_the_first)[0]

    def run_state(self) -> dict[str, Any]:
        """Return everything that determines the updates to come but weights and play; waits for fragments in progress.

        Like :meth:`rlhf.learning.local_executor.LocalExecutor.state_dict`, with None for a runner that does not answer.
        """
        answers = self.env_runner_group.foreach_env_runner(  # type: ignore[union-attr]
            lambda runner: (runner.worker_index, runner.play_state()),  # type: ignore[attr-defined]
            local_env_runner=False,
            timeout_seconds=self.config.stall_sec,
        )
        states = dict(answers)
        runners = [states.get(index) or None for index in range(1, self.config.num_env_runners + 1)]
        state, *_ = self._learners(_state_of_the_first)
        if state["learner"]["memory"] is not None:
            parts = zip(*self._learners(PlayLearner.memory), strict=True)
            state["learner"]["memory"] = tuple(torch.cat(part) for part in parts)
        return state | {"runners": runners}

    def set_run_state(self, state: dict[str, Any], weights: dict[str, np.ndarray]) -> None:
        """Resume from what :meth:`run_state` and :meth:`learned_weights` returned, with any number of runners."""

        def set_learner(learner: PlayLearner) -> dict[str, Any]:
            learner.set_run_state(state)
            learner.set_weights(weights)
            return learner.get_state(components="rl_module")

        newest = ray.put((self._learners(set_learner)[0], state["runners"]))

        def set_runner(runner: PlayRunner) -> None:
            weights, states = ray.get(newest)
            runner.set_state(weights)
            runner.set_play_state((states[runner.worker_index - 1 :] or [None])[0] or {})

        self.env_runner_group.foreach_env_runner(set_runner, local_env_runner=False)  # type: ignore[union-attr]

    def cleanup(self) -> None:
        """End all processes, also of runners that hang: RLlib would wait for them."""
        self._reasons.ignore()
        if getattr(self, "env_runner_group", None) is not None:
            self.env_runner_group.reset([])  # type: ignore[union-attr]
        super().cleanup()
        if self._storage is None:  # the empty folder that every Trainable makes in the user's home
            try:
                os.rmdir(self.logdir or "")
            except OSError:
                pass

    def _learners(self, call: Callable[[PlayLearner], Any]) -> list[Any]:
        return self.learner_group.ask(call)  # type: ignore[union-attr]

    def _report(self, line: str) -> None:
        self.metrics.log_value(NOTICES, line, reduce="item_series")


def _weights_of_the_first(learner: PlayLearner) -> dict[str, np.ndarray] | None:
    return None if learner.workers.rank else learner.weights()


def _state_of_the_first(learner: PlayLearner) -> dict[str, Any] | None:
    return None if learner.workers.rank else learner.run_state()


class _Reasons(logging.Filter):
    """Why runners' processes died, as far as Ray says.

    RLlib swallows these errors and merely logs them. Here they are kept instead, until the runner's death is reported.
    """

    _LOGGER = logging.getLogger("ray.rllib.utils.actor_manager")

    def __init__(self) -> None:
        super().__init__()
        self._errors: list[RayError] = []

    def listen(self) -> None:
        self._LOGGER.addFilter(self)

    def ignore(self) -> None:
        self._LOGGER.removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, RayError):
            self._errors.append(record.msg)
            return False
        return not str(record.msg).startswith(("Ray error (", "Bringing previously unhealthy"))

    def of(self, runner: int, watch: Watch) -> str:
        """Why ``runner`` died, in a few words."""
        mine = [error for error in self._errors if watch.runner_of(getattr(error, "actor_id", None)) in (runner, None)]
        self._errors = [error for error in self._errors if error not in mine]
        return gist(str(mine[-1])) if mine else "its process ended"
