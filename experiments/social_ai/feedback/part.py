"""The part "feedback-or-bonus": agents that learn from marks, and agents that explore, in as many environment steps.

Agents of the first kind imitate a scripted demonstrator, play, are marked by a scripted rater, and are improved against
a reward model of the marks, while recorded setters are replayed: their caretaker follows its script, so it reacts to
them. Agents of the second kind learn from the environment's own rewards by V-trace, with an exploration bonus or
without. They play as many steps as were recorded and played for the first kind together.

```
RUN/feedback-or-bonus/marked/...: an experiment (:mod:`experiments.engine.running`) of BC and BC+RL
RUN/feedback-or-bonus/ARM/seed-S/...: an agent that explores (:mod:`experiments.social_ai.training`)
RUN/feedback-or-bonus/results/seed-S-learned.json, seed-S-held-out.json: all agents, at the same episodes
RUN/feedback-or-bonus/costs.json: steps and marks of every seed
```
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from experiments.engine.config import ExperimentConfig, agent_of, data_of, resolve_config, slug
from experiments.engine.page import Section
from experiments.engine.rows import Row, Rows, rows_of, rows_of_results
from experiments.engine.stages import SeedStages
from experiments.engine.table import Cell, mean, spread, table
from experiments.social_ai.cases import WIDER, Arm
from experiments.social_ai.feedback.settings import HELD_OUT, LEARNED, MARKED, PLACE, TREE, marked_study, world_of
from experiments.social_ai.results import p_text, welch_of
from experiments.social_ai.training import SchoolTraining, train
from pipelines.stages.evaluate import evaluate, load_results
from pipelines.stages.running.staged_run import Stage
from rlhf.run.checkpoint import Checkpoints
from rlhf.store import open_store
from rlhf.store.files.durable import write_file

NAME = "feedback-or-bonus"
SPLITS = {"learned": LEARNED, "held-out": HELD_OUT}
# Scales are those of the published pilot study, before they are divided by 40.
BONUSES: Mapping[str, tuple[str, float]] = {
    "V-trace": ("", 0.0),
    "V-trace, CB": ("cb", 2.0),
    "V-trace, CBL": ("cbl", 10.0),
}
_COSTS = "costs.json"


@dataclass(frozen=True)
class FeedbackPart:
    """Size of the part.

    Args:
      marked: the experiment of agents that learn from marks.
      training: of the agents that explore; its frames are those of the others.
    """

    marked: ExperimentConfig = field(default_factory=marked_study)
    training: SchoolTraining = field(default_factory=lambda: SchoolTraining(agent={**SchoolTraining().agent, **WIDER}))


@dataclass(frozen=True)
class Costs:
    """What the agents of a seed that learn from marks have cost.

    Args:
      recorded: environment steps of demonstrations and of play that is marked.
    """

    recorded: int
    improving: int
    marks: int

    @property
    def steps(self) -> int:
        """All environment steps."""
        return self.recorded + self.improving


def stages(run_folder: Path, seed: int, size: FeedbackPart | None = None) -> list[Stage]:
    """Return the stages of a seed: agents that learn from marks, agents that explore, and their evaluation.

    Args:
      size: of the part; None is the usual one.
    """
    size, folder = size or FeedbackPart(), run_folder / NAME
    marked = resolve_config(replace(size.marked, run=folder / "marked"))
    agents = {name: agent_of(marked, name, seed) for name in marked.arms}
    agents |= {name: str(_folder(folder, name, seed)) for name in BONUSES}

    def explore(name: str) -> None:
        steps = _noted(folder, seed, marked).steps
        _explore(_folder(folder, name, seed), name, seed, replace(size.training, frames=steps))

    def test() -> None:
        explored = {name: str(Checkpoints(Path(agents[name])).latest().agent_folder) for name in BONUSES}
        for split, combinations in SPLITS.items():
            out, world = results_file(folder, seed, split), world_of(combinations)
            evaluate(replace(marked.evaluate, agents=agents | explored, seed=seed, world=world, out=out))

    return [
        *{stage.name: stage for arm in marked.arms for stage in SeedStages(marked, seed).arm(arm)}.values(),
        *(Stage(f"{NAME}: {name}", "explores", partial(explore, name)) for name in BONUSES),
        Stage(f"{NAME}: evaluation", "learned and held-out combinations", test),
    ]


def _folder(folder: Path, name: str, seed: int) -> Path:
    """Return the folder of the training of an agent that explores."""
    return folder / slug(name) / f"seed-{seed}"


def results_file(folder: Path, seed: int, split: str) -> Path:
    """Return the file of all agents of a seed at the combinations of a split."""
    return folder / "results" / f"seed-{seed}-{split}.json"


def load_costs(folder: Path) -> dict[int, Costs]:
    """Return the costs of every seed so far."""
    path = folder / _COSTS
    if not path.exists():
        return {}
    return {int(seed): Costs(**costs) for seed, costs in json.loads(path.read_text()).items()}


def _noted(folder: Path, seed: int, marked: ExperimentConfig) -> Costs:
    """Count what the agents that learn from marks have cost, and note it."""
    store = open_store(data_of(marked, None, seed))
    improved = marked.arms[MARKED].improve
    assert improved is not None
    costs = Costs(
        sum(row.steps for row in store.rows()),
        improved.updates * improved.slots * improved.steps,
        sum(store.mark_counts().values()),
    )
    every = load_costs(folder) | {seed: costs}
    text = json.dumps({each: vars(one) for each, one in sorted(every.items())}, indent=1)
    write_file(folder / _COSTS, (text + "\n").encode())
    return costs


def _explore(where: Path, name: str, seed: int, training: SchoolTraining) -> None:
    """Train an agent that explores."""
    bonus, scale = BONUSES[name]
    learned = [Arm(TREE, one, PLACE, bonus=bonus, scale=scale) for one in LEARNED]
    tests = {
        f"{split}: {one['Cue_type']}, {one['Problem']}": Arm(TREE, one, PLACE)
        for split, combinations in SPLITS.items()
        for one in combinations
    }
    train(where, learned, tests, training, seed)


def section(run_folder: Path) -> Section:
    """Return the results so far; no paragraphs without any."""
    folder = run_folder / NAME
    costs = load_costs(folder)
    seeds = [seed for seed in costs if all(results_file(folder, seed, split).exists() for split in SPLITS)]
    if not seeds:
        return Section()
    rows = [row for seed in seeds for row in _rows(folder, seed, costs[seed])]
    marked = {split: rows_of((row for row in rows if row.arm == MARKED), _place(split)) for split in SPLITS}

    def of_split(split: str) -> Cell:
        return lambda own: spread("success", unit="%", scale=100)(rows_of(own, _place(split)))

    def against(own: Rows) -> str:
        p = welch_of(rows_of(own, _place("held-out")), marked["held-out"], "success")
        return "" if own[0].arm == MARKED else p_text(p)

    columns = (
        ("thousand steps", mean("steps", scale=1e-3)),
        ("marks", mean("marks")),
        *((f"success, {split}", of_split(split)) for split in SPLITS),
        (f"p, against {MARKED}", against),
    )
    about = (
        "Does feedback buy social skill cheaper than exploration bonuses? Learned: pointing at boxes and the colours "
        "of doors; held out: pointing at doors and the colours of boxes. Who ignores the cue succeeds in half of the "
        f"episodes. {len(seeds)} seeds; means, with the least and the greatest; Welch's test of the held-out success."
    )
    return Section(rows, [f"## {NAME}", about, table(rows, "agent", columns)])


def _place(split: str) -> str:
    return f"school/{NAME}/{split}"


def _rows(folder: Path, seed: int, costs: Costs) -> Iterator[Row]:
    """Yield every episode of a seed; each has the environment steps and the marks that its agent took in all."""
    for split in SPLITS:
        for result in load_results(results_file(folder, seed, split)):
            cloned = result.agent == "BC"
            marks = 0 if cloned or result.agent in BONUSES else costs.marks
            spent = {"steps": costs.recorded if cloned else costs.steps, "marks": marks}
            yield from rows_of_results(_place(split), result.agent, seed, [result], spent)
