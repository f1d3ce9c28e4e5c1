"""Experiments and their arms differ from what they are compared with in the settings that their pages name, only."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.engine.config import ExperimentConfig
from experiments.engine.declaration import experiments
from experiments.interactive_agents import ablations, how_many_marks, marks_use, plateau, probes, raters, rounds, sizes
from pipelines.presets import small, tower
from rlhf.records.json_records import differences, from_json, to_json

DECLARED = {
    one.__name__.rpartition(".")[2]: one.experiment()
    for one in (ablations, how_many_marks, marks_use, plateau, probes, raters, sizes)
}
DECLARED |= {"small": small.longer(), "tower": tower.iterate(), "rounds": rounds.seed_rounds()}
CSS, RATE = "training.css_weight", "training.learning_rate"
OF_PLATEAU = (
    "slots steps updates batch evaluate_every checkpoint_every learner.rl_language_weight learner.bc_language_weight "
    "learner.discount learner.decay learner.frozen_vision"
)
# What is compared, with what, and the settings that differ.
TABLE = [
    ("ablations", "probes", "arms clones curves rewards also_compared_with"),
    ("marks_use", "plateau",
     "arms clones curves rewards refinements also_compared_with also_with_likeliest_words"),
    ("plateau", "probes",
     "arms begins_with clones curves curve_episodes curve_probe demonstrations play rewards also_compared_with "
     "also_with_likeliest_words"),
    ("raters", "probes", "arms clones curves marks rewards also_compared_with"),
    ("sizes", "probes", "arms clones compared_with curves lines rewards also_compared_with"),
    ("ablations|arms|without BC", "ablations|arms|BC+RL (IBT)",
     "improve.learner.bc_movement_weight improve.learner.bc_language_weight"),
    ("ablations|arms|without KL", "ablations|arms|BC+RL (IBT)", "improve.learner.no_op_kl_weight"),
    ("ablations|arms|without augmentation", "ablations|arms|BC+RL (IBT)", "reward"),
    ("ablations|arms|without unmarked drift", "ablations|arms|BC+RL (IBT)", "reward"),
    ("ablations|arms|utility as reward", "ablations|arms|BC+RL (IBT)", "improve.pays"),
    ("ablations|arms|without CSS", "ablations|arms|BC+RL (IBT)", "clone reward improve.learner.css_weight"),
    ("ablations|clones|no css", "ablations|clones|bc", CSS),
    ("ablations|rewards|ibt no css", "ablations|rewards|ibt", CSS),
    ("ablations|rewards|ibt no unmarked drift", "ablations|rewards|ibt", "training.unmarked_drift_weight"),
    ("ablations|rewards|ibt no augmentation", "ablations|rewards|ibt", "training.augmentation"),
    ("marks_use|arms|BC+RL (scripted reward)", "marks_use|arms|BC+RL (IBT)", "reward"),
    *((f"marks_use|arms|{name} + RL", "marks_use|arms|BC+RL (IBT)", "refine") for name in marks_use.NAMES.values()),
    *((f"marks_use|arms|{name}", f"marks_use|arms|{name} + RL", "improve") for name in marks_use.NAMES.values()),
    *((f"marks_use|refinements|{method}", "marks_use|refinements|weighted", "training.method")
      for method in marks_use.NAMES if method != "weighted"),
    ("marks_use|refinements|without marks", "marks_use|refinements|apo", "training.preference_weight"),
    ("marks_use|rewards|further", "plateau|rewards|later", "training.rewind training.hard_answers"),
    ("marks_use|rewards|ar", "plateau|rewards|later", "kind"),
    ("plateau|rewards|later", "raters|rewards|later", "training.updates training.evaluate_every"),
    ("plateau|clones|short", "probes|clones|bc",
     "network.vision_norm network.glimpse text_length checkpoint_every training.updates"),
    ("plateau|clones|bc", "probes|clones|bc",
     f"checkpoint_every training.updates training.steps training.batch {RATE}"),
    ("plateau|clones|default", "probes|clones|bc", "checkpoint_every training.updates"),
    *((f"plateau|arms|{name}|improve", "small|improve", OF_PLATEAU) for name in plateau.FOLLOWED[:2]),
    (f"plateau|arms|{plateau.FOLLOWED[2]}|improve", "small|improve", "updates checkpoint_every"),
    *((f"raters|marks|{name}|0", "probes|mark", fields) for name, fields in (
        ("quarter", "share"), ("half", "share"), ("misses half", "miss"), ("late", "delay longest_delay"),
        ("mistaken", "mistake"), ("three", "raters longest_delay delays misses mistakes"))),
    ("raters|rewards|agreement", "probes|rewards|ibt", "training.raters"),
    ("raters|rewards|majority", "probes|rewards|ibt", "training.raters"),
    ("raters|rewards|later", "probes|rewards|ibt", "training.marks_later"),
    *((f"raters|arms|{name}", "raters|arms|usual raters", "marks") for name in (
        "1/4 of the episodes marked", "1/2 of the episodes marked", "half of the events missed", "four steps late",
        "1/4 of the signs wrong", "three raters, each")),
    *((f"raters|arms|three raters, {how}", "raters|arms|usual raters", "reward marks")
      for how in ("agreement", "majority")),
    ("raters|arms|usual raters, read later", "raters|arms|usual raters", "reward"),
    *((f"sizes|clones|{size}", "probes|clones|bc", f"size {RATE}") for size in sizes.SIZES[1:]),
    *((f"sizes|rewards|{size}", "probes|rewards|ibt", RATE) for size in sizes.SIZES[1:]),
    *((f"sizes|arms|BC+RL, {size}", "probes|arms|BC+RL (IBT)", "clone reward improve.learner.learning_rate")
      for size in sizes.SIZES[1:]),
    *((f"rounds|{stage}", f"tower|{stage}", "") for stage in ("demonstrations", "mark", "evaluate")),
    ("rounds|clone|training", "plateau|clones|bc|training", "updates"),
]  # fmt: skip


def found(path: str) -> Any:
    name, *parts = path.split("|")
    one: Any = DECLARED[name]
    for part in parts:
        if isinstance(one, tuple):
            one = one[int(part)]
        else:
            one = one[part] if isinstance(one, dict) else getattr(one, part)
    return one


@pytest.mark.parametrize(("one", "other", "fields"), TABLE, ids=lambda value: str(value)[:40])
def test_only_named_settings_differ(one: str, other: str, fields: str) -> None:
    named = {field for field, _, _ in differences(found(other), found(one))}
    wanted = set(fields.split())
    assert (named if "|" in one else {field.partition(".")[0] for field in named}) == wanted


@pytest.mark.parametrize("name", [name for name, one in DECLARED.items() if isinstance(one, ExperimentConfig)])
def test_an_experiment_can_be_written_and_read_back(name: str) -> None:
    assert name.replace("_", "-") in experiments()
    assert from_json(ExperimentConfig, to_json(DECLARED[name])) == DECLARED[name]
