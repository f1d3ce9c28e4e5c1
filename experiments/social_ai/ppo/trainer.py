"""RLlib's PPO of one agent, an update at a time."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import gymnasium
import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, LEARNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
from ray.tune.registry import register_env

from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from experiments.social_ai.ppo.encoded_env import EncodedEnv, encoded_action_space, encoded_observation_space
from experiments.social_ai.ppo.module import AGENT, AgentModule
from experiments.social_ai.ppo.settings import PPOSettings
from rlhf.distributed.config import RayConfig
from rlhf.distributed.connection import connect
from worlds.errors import UserError

_ENVIRONMENTS = "interactive-rlhf-ppo"  # the name under which RLlib knows how they are made
_ID = "rllib-single-agent-env-v0"  # the name under which RLlib registers them with Gymnasium
_SUCCESSES = "successes"  # the metric that has an entry, 0 or 1, an episode
MakeEnv = Callable[[int], gymnasium.Env]


class _Successes(RLlibCallback):
    """Notes what environments say of each episode's success."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        """Note one episode."""
        success = float(bool(episode.get_infos(-1).get("success")))
        metrics_logger.log_value(_SUCCESSES, success, reduce="item_series")


class _Learner(PPOTorchLearner):
    """RLlib's, with the published settings of Adam."""

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Make Adam for a module."""
        settings: PPOSettings = config.learner_config_dict["settings"]
        parameters: Any = self.get_parameters(self.module[module_id])
        adam = torch.optim.Adam(parameters, betas=(settings.beta1, settings.beta2), eps=settings.epsilon)
        self.register_optimizer(
            module_id=module_id, optimizer=adam, params=parameters, lr_or_lr_schedule=settings.learning_rate
        )


class PPOTrainer:
    """Improves one agent, in place, by RLlib's PPO in environments that give rewards.

    With ``settings.runners`` 0 an agent is determined by its seed. RLlib seeds this process's global generators for it,
    which are as before when the trainer is made, but not afterwards.

    Args:
      make_env: number from 0 -> an environment whose observations and actions are those of a solver.
      seed: of play and of the order in which is learned.

    Raises:
      UserError: agents of this kind cannot be learned so, or Ray does not start.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        make_env: MakeEnv,
        settings: PPOSettings | None = None,
        seed: int = 0,
        config: RayConfig | None = None,
    ) -> None:
        self.agent, self.settings = agent, settings or PPOSettings()
        self._frames, self._successes = 0, list[bool]()
        self._algorithm: PPO | None = None
        configured = _configured(agent, tokenizer, make_env, self.settings, seed)  # refuses before Ray is started
        self._started = connect(config or RayConfig(runners=max(1, self.settings.runners)))
        gymnasium.registry.pop(_ID, None)  # an earlier trainer's, of which Gymnasium would warn
        try:
            self._algorithm = configured.build_algo()  # type: ignore[assignment]
            self._send_weights()
        except BaseException:
            self.close()
            raise

    def update(self) -> dict[str, float]:
        """Play the frames of an update, and learn from them; the agent has the new weights then.

        Returns:
          Metrics by name.

        Raises:
          UserError: nothing was played.
          FloatingPointError: the loss is not a finite number.
        """
        assert self._algorithm is not None, "closed"
        result = self._algorithm.train()
        played, learned = result[ENV_RUNNER_RESULTS], result[LEARNER_RESULTS].get(DEFAULT_MODULE_ID, {})
        frames = int(played.get(NUM_ENV_STEPS_SAMPLED_LIFETIME, 0))
        if frames <= self._frames or not learned:
            raise UserError("ppo: the processes that play have delivered nothing; their messages say why")
        if not math.isfinite(float(learned["total_loss"])):
            raise FloatingPointError(f"ppo: the loss is {learned['total_loss']} after {frames} frames")
        self._frames = frames
        ended = played.get(_SUCCESSES, [])
        self._successes += [bool(each) for each in (ended if isinstance(ended, list) else [ended])]
        self.agent.load_state_dict(self._learners(_weights))
        names = {"entropy": "entropy", "vf_explained_var": "explained", "policy_loss": "policy", "vf_loss": "value"}
        return {ours: float(learned[theirs]) for theirs, ours in names.items()}

    @property
    def frames(self) -> int:
        """Frames played so far, a few more than asked for: all environments finish a step together."""
        return self._frames

    def finished(self) -> list[bool]:
        """Return the success of all episodes that ended since the last call."""
        ended, self._successes = self._successes, []
        return ended

    def state_dict(self) -> dict[str, Any]:
        """Return what the updates to come depend on beside the weights: Adam's state. Play in progress is not in it."""
        return {"optimizer": self._learners(lambda learner: _adam(learner).state_dict())}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume with the weights that the agent has, and what :meth:`state_dict` returned; new episodes begin."""
        self._send_weights()
        self._learners(lambda learner: _adam(learner).load_state_dict(state["optimizer"]))

    def call(self, method: str, *arguments: Any) -> None:
        """Call a method of every environment, in all processes."""
        assert self._algorithm is not None and self._algorithm.env_runner_group is not None
        self._algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.env and runner.env.unwrapped.call(method, *arguments)  # this one may play nothing
        )

    def close(self) -> None:
        """End every process of the run, and Ray too if it was started here. Closing twice does no harm."""
        algorithm, self._algorithm = self._algorithm, None
        if algorithm is not None:
            algorithm.stop()
            with suppress(OSError):
                os.rmdir(algorithm.logdir or "")  # the empty folder that every Trainable makes in the user's home
        if self._started:
            self._started = False
            ray.shutdown()

    def _send_weights(self) -> None:
        """Give learner and players the agent's weights."""
        assert self._algorithm is not None
        weights = {name: part.detach().cpu().clone() for name, part in self.agent.state_dict().items()}
        self._learners(lambda learner: _module(learner).agent.load_state_dict(weights))
        self._algorithm.env_runner_group.sync_weights(  # type: ignore[union-attr]
            from_worker_or_learner_group=self._algorithm.learner_group, timeout_seconds=None, inference_only=True
        )

    def _learners(self, call: Callable[[Any], Any]) -> Any:
        """Return what ``call`` returns of the learner, which is in this process."""
        assert self._algorithm is not None and self._algorithm.learner_group is not None
        (answer,) = self._algorithm.learner_group.foreach_learner(call)  # type: ignore[misc]
        return answer.get()


def _configured(
    agent: InteractiveAgent, tokenizer: Tokenizer, make_env: MakeEnv, settings: PPOSettings, seed: int
) -> PPOConfig:
    """Return RLlib's configuration of a run."""
    players = settings.runners or 1
    spaces = encoded_observation_space(agent.config), encoded_action_space(agent.config)
    spec = RLModuleSpec(
        module_class=AgentModule,
        observation_space=spaces[0],
        action_space=spaces[1],
        model_config={AGENT: agent.config, "max_seq_len": settings.recurrence},
    )
    each, config = settings.envs // players, PPOConfig()
    made = _Environments(make_env, tokenizer, agent.config, settings.largest_reward, each)
    register_env(_ENVIRONMENTS, made)
    config.environment(
        _ENVIRONMENTS,
        observation_space=spaces[0],
        action_space=spaces[1],
        disable_env_checking=True,
    )
    config.env_runners(
        num_env_runners=settings.runners, num_envs_per_env_runner=each, rollout_fragment_length=settings.steps
    )
    config.training(
        gamma=settings.discount,
        lambda_=settings.lambda_,
        lr=settings.learning_rate,
        clip_param=settings.ratio,
        vf_clip_param=float("inf"),
        vf_loss_coeff=settings.value_weight,
        entropy_coeff=settings.entropy_weight,
        use_kl_loss=False,
        grad_clip=settings.clip,
        grad_clip_by="global_norm",
        num_epochs=settings.epochs,
        train_batch_size_per_learner=settings.frames,
        minibatch_size=settings.minibatch,
        shuffle_batch_per_epoch=True,
    )
    config.learners(num_learners=0, learner_class=_Learner, learner_config_dict={"settings": settings})
    config.rl_module(rl_module_spec=spec)
    config.callbacks(_Successes)
    config.fault_tolerance(restart_failed_env_runners=False)
    config.reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=0)
    return config.debugging(seed=seed, log_level="ERROR")


class _Environments:
    """Makes the environments of one process, each of another number.

    Args:
      make_env: number -> an environment.
      each: environments of every process.
    """

    def __init__(self, make_env: MakeEnv, tokenizer: Tokenizer, config: Any, largest_reward: float, each: int) -> None:
        self._make_env, self._each = make_env, each
        self._about = tokenizer, config, largest_reward
        self._numbers = itertools.count()

    def __call__(self, context: Any) -> EncodedEnv:
        """Make the next environment of the process that ``context`` names."""
        number = max(0, context.worker_index - 1) * self._each + next(self._numbers) % self._each
        return EncodedEnv(self._make_env(number), *self._about)


def _module(learner: Any) -> AgentModule:
    return learner.module[DEFAULT_MODULE_ID].unwrapped()


def _adam(learner: Any) -> torch.optim.Optimizer:
    ((_, optimizer),) = learner.get_optimizers_for_module(DEFAULT_MODULE_ID)
    return optimizer


def _weights(learner: Any) -> dict[str, torch.Tensor]:
    return {name: part.detach().cpu().clone() for name, part in _module(learner).agent.state_dict().items()}
