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
from pathlib import Path

from experiments.engine.config import slug
from experiments.engine.declaration import ReproduceConfig
from experiments.social_ai import language
from experiments.social_ai.cases import CASES, Case
from experiments.social_ai.feedback import part as feedback
from experiments.social_ai.ppo.settings import SMALL, PPOSettings
from experiments.social_ai.results import draw_curves, load_curves, section
from experiments.social_ai.training import SchoolTraining, train
from pipelines.diagnose.figures import png
from pipelines.report.file import made_by
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import lock_run
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

TABLE, FULL, PPO = "table.md", "full", "ppo"
_SIZES = ("", FULL, PPO, f"{FULL}/{PPO}")  # what may follow a case's name
_OTHERS = language.NAME, feedback.NAME  # parts that are no training by rewards alone


def run_school(
    run: Path,
    seeds: Sequence[int],
    parts: Sequence[str] = (),
    training: SchoolTraining | None = None,
    cases: Mapping[str, Case] = CASES,
    language_model: Path | None = None,
) -> Path:
    """Train and test the agents of cases, and write the tables. What is there is not trained again.

    Args:
      run: folder of all cases.
      seeds: of each agent.
      parts: names of cases; "NAME/full" has as many frames as the paper, "NAME/ppo" and "NAME/full/ppo" learn by PPO.
        None means all, at the smaller size, by V-trace.
      training: size of a case; None is the usual one, whose frames are the case's.
      cases: all cases by name.
      language_model: folder of a causal language model for the part "language-models"; None compares none.

    Returns:
      The tables, Markdown.

    Raises:
      UserError: there is no such case, or another process runs them.
    """
    names = parts or (*cases, *_OTHERS)
    chosen = list(_chosen([name for name in names if name not in _OTHERS], cases))
    run.mkdir(parents=True, exist_ok=True)
    with lock_run(run):
        if language.NAME in names:
            language.language_models(run, seeds, language_model)
        if feedback.NAME in names:
            feedback.run(run, seeds)
        for name, case, ppo in chosen:
            size = training or replace(SchoolTraining(), frames=case.frames)
            size = replace(size, agent={**size.agent, **case.agent}, ppo=ppo or size.ppo)
            for seed in seeds:
                _train_arms(run / name, case, size, seed)
                write_file(run / name / "curves.png", png(draw_curves(case, load_curves(run / name, case))))
                write_tables(run, cases)
        path = write_tables(run, cases)
    announce(f"tables: {path}")
    return path


def write_tables(run: Path, cases: Mapping[str, Case] = CASES) -> Path:
    """Write the page of results from all metrics there are, and return its path."""
    head = f"# The SocialAI school\n\n{made_by()}"
    sizes = [(f"{name}/{size}".strip("/"), size, case) for name, case in cases.items() for size in _SIZES]
    names = [(part, case if FULL in size else case.smaller()) for part, size, case in sizes]
    sections = [text for name, case in names if (text := section(name, case, run / name))]
    sections += [text for text in (language.section(run), feedback.section(run)) if text]
    path = run / TABLE
    write_file(path, ("\n\n".join([head, *(each.strip("\n") for each in sections)]) + "\n").encode())
    return path


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


def _train_arms(folder: Path, case: Case, size: SchoolTraining, seed: int) -> None:
    for name, arm in case.arms.items():
        where = folder / slug(name) / f"seed-{seed}"
        announce(f"{folder.name}: {name}, seed {seed}")
        before = None
        if arm.begins_with:
            before = Checkpoints(folder / slug(arm.begins_with) / f"seed-{seed}").latest().load_agent()[0]
        train(
            where, arm.environments(), case.tests, replace(size, frames=round(size.frames * arm.frames)), seed, before
        )


def run(config: ReproduceConfig) -> Path:
    """`rlhf reproduce school`."""
    return run_school(config.run, config.seeds, config.parts, language_model=config.source)
