"""The settings that ``--help`` of a command shows: those that people change. ``--help all`` shows the others, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, fields, is_dataclass, make_dataclass
from typing import Any, get_type_hints

_LOOP = (
    "demonstrations.episodes", "demonstrations.steps", "demonstrations.world.name", "demonstrations.workers",
    "clone.size", "clone.training.updates", "clone.training.batch", "clone.device", "play.episodes", "play.steps",
    "play.device", "held_out_play", "mark.delay", "mark.miss", "mark.mistake", "mark.per_five_minutes", "reward.kind",
    "reward.training.updates", "reward.device", "improve.updates", "improve.slots", "improve.learner.learning_rate",
    "improve.device", "evaluate.probes", "evaluate.episodes", "evaluate.device",
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
        "data", "imitate", "kinds", "replay", "replay_data", "setters", "agent", "reward_model", "ensemble", "runs",
        "name", "scripted_reward", "slots", "steps", "updates", "batch", "evaluate_every", "checkpoint_every", "device",
        "seed", "executor", "resume", "wandb", "world.name", "learner.movement_weight", "learner.language_weight",
        "learner.value_weight", "learner.bc_movement_weight", "learner.bc_language_weight", "learner.css_weight",
        "learner.no_op_kl_weight", "learner.discount", "learner.learning_rate", "learner.decay", "guards.patience",
        "ray.address", "ray.runners", "ray.learners",
    ),
    "DemoConfig": ("run", "seed", *_LOOP),
    "IterateConfig": (
        "run", "rounds", "seed", "data", "agent", "marks", "least_marks", "wait", "reward_start", "improve_start",
        "replay", *_LOOP,
    ),
}  # fmt: skip


def part_of(kind: type, default: Any, names: Collection[str]) -> tuple[type, Any]:
    """Return a dataclass with some settings of another one, and its default. It serves the help text only.

    Args:
      kind: class of the configuration, whose settings all have defaults.
      default: a configuration; None is that of the class.
      names: dotted names of the settings.
    """
    default = kind() if default is None else default
    hints, specs, values = get_type_hints(kind, include_extras=True), [], {}
    for one in fields(kind):
        inner = [name.partition(".")[2] for name in names if name.partition(".")[0] == one.name]
        if not inner:
            continue
        hint, value = hints[one.name], getattr(default, one.name)
        if is_dataclass(value) and any(inner):
            hint, value = part_of(type(value), value, inner)
        specs.append((one.name, hint, field(kw_only=True)))
        values[one.name] = value
    made = make_dataclass(kind.__name__, specs, namespace={"__doc__": kind.__doc__}, frozen=True)
    return made, made(**values)


def others(names: Iterable[str], shown: Collection[str], command: str) -> str:
    """Return the line about settings that are not shown, with the number of them in each group."""
    hidden = Counter(name.partition(".")[0] if "." in name else "others" for name in names if name not in shown)
    groups = ", ".join(f"{group} ({count})" for group, count in hidden.items())
    return f"{hidden.total()} more settings: {groups}; {command} --help all shows them"
