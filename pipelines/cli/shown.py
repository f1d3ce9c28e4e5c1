"""The settings that ``--help`` of a command shows: those that people change. ``--help all`` shows the others, too."""

from __future__ import annotations

from collections.abc import Mapping

_LOOP = (
    "demonstrations.episodes", "demonstrations.steps", "demonstrations.workers",
    "clone.size", "clone.training.updates", "clone.training.batch", "play.episodes", "play.steps",
    "mark.delay", "mark.miss", "mark.mistake", "mark.per_five_minutes", "reward.kind",
    "reward.training.updates", "improve.updates", "improve.slots", "improve.learner.learning_rate",
    "evaluate.probes", "evaluate.episodes",
)  # fmt: skip
_TRAINING = (
    "runs", "name", "checkpoint_every", "resume", "device", "wandb", "training.updates", "training.max_seconds",
    "training.steps", "training.batch", "training.learning_rate", "training.decay", "training.shift", "training.seed",
    "training.frozen_vision", "training.css_weight",
)  # fmt: skip
# Of commands with more than forty settings, by the name of their configuration.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "CloneConfig": (
        "data", "role", "solver", "kinds", "agent", "size", "vocabulary", "text_length", "held_out", *_TRAINING,
        "training.movement_weight", "training.language_weight", "training.keep", "training.patience",
    ),
    "RewardConfig": (
        "kind", "data", "raters", "mix_raters", "agent", "start", "validation", *_TRAINING, "training.bc_weight",
        "training.unmarked_drift_weight", "training.augmentation", "training.raters", "training.rater_delay",
        "training.marks_later", "training.patience", "training.calibrate", "training.preferences.clip_pairs",
        "training.preferences.verdicts", "training.preferences.take_overs", "training.preferences.scores",
    ),
    "RefineConfig": (
        "data", "raters", "mix_raters", "agent", "reward_model", "held_out", *_TRAINING, "training.method",
        "training.window", "training.bc_weight", "training.temperature", "training.own_play", "training.indicated_by",
        "training.good_share", "training.beta", "training.windows",
    ),
    "ImproveConfig": (
        "data", "imitate", "kinds", "replay", "replay_data", "setters", "agent", "reward_model", "ensemble",
        "second_reward_model", "runs", "name", "scripted_reward", "slots", "steps", "updates", "batch",
        "evaluate_every", "checkpoint_every", "device", "seed", "executor", "resume", "wandb", "world.name",
        "learner.rl_movement_weight", "learner.rl_language_weight", "learner.value_weight",
        "learner.bc_movement_weight", "learner.bc_language_weight", "learner.css_weight", "learner.no_op_kl_weight",
        "learner.discount", "learner.learning_rate", "learner.decay", "guards.patience",
        "ray.address", "ray.runners", "ray.learners",
    ),
    "LoopConfig": (
        "run", "rounds", "seed", "device", "world.name", "data", "agent", "marks", "least_marks", "wait",
        "reward_start", "improve_start", "replayed_rounds", "held_out_play", *_LOOP,
    ),
}  # fmt: skip
