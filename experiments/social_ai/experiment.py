"""Case studies of the SocialAI school: pointing, language, joint attention, imitation, role reversal and others.

`rlhf reproduce school --parts pointing`; `--parts pointing/full` has as many frames as the paper, and
`--parts pointing/ppo` learns by PPO on Ray. `--parts language-models --source FOLDER` lets a language model act.

The school's case studies: agents that learn from rewards, and the page of results.

```
RUN/CASE/ARM/seed-S/...: one agent (:mod:`experiments.social_ai.training`); CASE may end in "/full" or "/ppo"
RUN/CASE/curves.png
RUN/language-models/...: see :mod:`experiments.social_ai.language`
RUN/feedback-or-bonus/...: see :mod:`experiments.social_ai.feedback.part`
RUN/table.md: tables of all cases that have results
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from experiments.engine.config import slug
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import write_page
from experiments.engine.plan import Plan
from experiments.social_ai import language
from experiments.social_ai.cases import CASES, Arm, Case
from experiments.social_ai.feedback import part as feedback
from experiments.social_ai.ppo.settings import SMALL, PPOSettings
from experiments.social_ai.results import draw_curves, load_curves, section
from experiments.social_ai.training import SchoolTraining, train
from pipelines.charts.style import png
from pipelines.stages.running.staged_run import Stage
from rlhf.run.checkpoint import Checkpoints
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

FULL, PPO = "full", "ppo"
_SIZES = ("", FULL, PPO, f"{FULL}/{PPO}")  # what may follow a case's name
_OTHERS = language.NAME, feedback.NAME  # parts that are no training by rewards alone


def plan_school(
    run: Path,
    seeds: Sequence[int],
    parts: Sequence[str] = (),
    training: SchoolTraining | None = None,
    cases: Mapping[str, Case] = CASES,
    language_model: Path | None = None,
) -> Plan:
    """Return the plan that trains and tests the agents of cases, and writes the tables.

    Args:
      parts: names of cases; "NAME/full" has as many frames as the paper, "NAME/ppo" and "NAME/full/ppo" learn by PPO.
        None means all, at the smaller size, by V-trace.
      training: size of a case; None is the usual one, whose frames are the case's.
      language_model: folder of a causal language model for the part "language-models"; None compares none.

    Raises:
      UserError: there is no such case.
    """
    names = parts or (*cases, *_OTHERS)
    chosen = {name: (case, ppo) for name, case, ppo in _chosen([each for each in names if each not in _OTHERS], cases)}

    def stages(part: str, seed: int) -> list[Stage]:
        if part == language.NAME:
            return language.stages(run, seed, language_model)
        if part == feedback.NAME:
            return feedback.stages(run, seed)
        case, ppo = chosen[part]
        size = training or replace(SchoolTraining(), frames=case.frames)
        size = replace(size, agent={**size.agent, **case.agent}, ppo=ppo or size.ppo)
        return _stages(run / part, part, case, size, seed)

    def report(part: str, _: Sequence[int]) -> Path:
        for name in [part] if part else chosen:
            case = chosen[name][0] if name in chosen else None
            if case is not None and (rows := load_curves(name, run / name, case)):
                write_file(run / name / "curves.png", png(draw_curves(case, rows)))
        return write_tables(run, cases)

    others = [name for name in _OTHERS if name in names]
    return Plan(run, seeds, stages, report, parts=(*others, *chosen))


def write_tables(run: Path, cases: Mapping[str, Case] = CASES) -> Path:
    """Write the page of results from all metrics there are, and return its path."""
    sizes = [(f"{name}/{size}".strip("/"), size, case) for name, case in cases.items() for size in _SIZES]
    sections = [section(part, case if FULL in size else case.smaller(), run / part) for part, size, case in sizes]
    return write_page(run, "The SocialAI school", [*sections, language.section(run), feedback.section(run)])


def _chosen(parts: Sequence[str], cases: Mapping[str, Case]) -> Iterator[tuple[str, Case, PPOSettings | None]]:
    """Yield name, case and settings of PPO, None for V-trace, of every part."""
    for part in parts:
        name, _, size = part.partition("/")
        if name not in cases or size not in _SIZES:
            known = ", ".join(cases)
            full = f"each also as NAME/{FULL}, with the paper's frames, NAME/{PPO} and NAME/{FULL}/{PPO}, by PPO"
            raise UserError(f"no part {part!r}; known: {known}, {full}, {', '.join(_OTHERS)}")
        full, ppo = FULL in size.split("/"), PPO in size.split("/")
        case = cases[name] if full else cases[name].smaller()
        yield part, case, (PPOSettings() if full else SMALL) if ppo else None


def _stages(folder: Path, part: str, case: Case, size: SchoolTraining, seed: int) -> list[Stage]:
    """Return the stages of a case: one an arm, which begins with the agent of an earlier one where it says so."""

    def learn(name: str, arm: Arm) -> None:
        where, before = folder / slug(name) / f"seed-{seed}", None
        if arm.begins_with:
            before = Checkpoints(folder / slug(arm.begins_with) / f"seed-{seed}").latest().load_agent()[0]
        sized = replace(size, frames=round(size.frames * arm.frames))
        train(where, arm.environments(), case.tests, sized, seed, before)

    return [
        Stage(f"{part}: {name}", "learns from rewards", partial(learn, name, arm)) for name, arm in case.arms.items()
    ]


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce school`."""
    return plan_school(config.run, config.seeds, config.parts, language_model=config.source)
