"""`rlhf diagnose`: reward models (paper, section 6.1), or an agent's eyes, in numbers, figures and one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pipelines.charts import trace
from pipelines.charts.style import png
from pipelines.diagnose import sentences
from pipelines.diagnose.diagnosis import PART_WORDS, Diagnosis, ModelFindings, save_diagnosis
from pipelines.diagnose.eyes.config import EyesConfig
from pipelines.diagnose.figures import figures
from pipelines.diagnose.measures import Measurer
from pipelines.diagnose.page import page
from pipelines.diagnose.scored_play import (
    Group,
    GroupPlay,
    GroupScores,
    ModelScores,
    Recordings,
    group_rows,
    score_models,
)
from pipelines.report.data import Picture
from pipelines.report.file import circumstances
from pipelines.stages.episodes.division import Division, division_of
from reward_models.loaded import LoadedRewardModel, load_with_tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.records.marks import Mark
from rlhf.run.config import whole_run
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero, Seed, Steps
from worlds.settings import settings

PAGE_FILE = "diagnostics.html"


@settings
class DiagnoseConfig:
    """Settings of `rlhf diagnose`.

    Args:
      reward_model: folders of the reward models to compare side by side.
      data: dataset folders with marks.
      runs: folder of all runs.
      name: name of this run's folder in it.
      parts: parts of the play to measure on: held_out, validation, transfer, learned; docs/diagnostics.md describes
        each.
      episodes: largest number of episodes of each part and solver.
      reach: steps on either side of a peak of the reward in which no other peak counts.
      tolerance: steps by which a predicted mark may be early or late.
      delay: usual delay of raters' marks, in steps.
      window: steps after a moment that are scored under other words.
      traces: number of whole episodes drawn for every model.
      seed: seed of the intervals, of the exchanged words and of the probes of an agent's eyes.
      agent: folder of an agent whose eyes are diagnosed instead of reward models, on all play of the datasets; none
        diagnoses reward models. docs/diagnostics.md describes it.
      eyes: how an agent's eyes are measured.
    """

    reward_model: tuple[Path, ...] = (Path("runs/reward/reward_model"),)
    data: tuple[Path, ...] = (Path("data/play"),)
    runs: Path = Path("runs")
    name: str = "diagnose"
    parts: tuple[str, ...] = ("held_out", "validation", "transfer")
    episodes: Count = 200
    reach: Steps = 2
    tolerance: Steps = 4
    delay: Steps = 1
    window: Count = 8
    traces: CountFromZero = 3
    seed: Seed = 0
    agent: Path | None = None
    eyes: EyesConfig = field(default_factory=EyesConfig)

    def __post_init__(self) -> None:
        if not self.reward_model or not self.data:
            raise UserError("name at least one reward model with --reward-model and one dataset with --data")
        if len({folder.resolve() for folder in self.reward_model}) < len(self.reward_model):
            raise UserError("a reward model is named twice; name each once")
        unknown = sorted(set(self.parts) - set(PART_WORDS))
        if unknown or not self.parts:
            raise UserError(f"parts are some of {', '.join(PART_WORDS)}, not {', '.join(unknown) or 'none'}")


def diagnose(config: DiagnoseConfig) -> Path:
    """Diagnose the reward models, or the agent's eyes, and return the page's path.

    Raises UserError if a model or dataset cannot be read, there is no play of the parts, or it has no marks; of an
    agent, see :func:`pipelines.diagnose.eyes.diagnosis.diagnose_eyes`.
    """
    if config.agent is not None:
        return _diagnose_eyes(config, config.agent)
    models = [load_with_tokenizer(folder) for folder in config.reward_model]
    divisions = [division_of(folder) for folder in config.reward_model]
    recordings = Recordings(config.data)
    groups = _groups_to_measure(config, recordings, divisions)
    with whole_run(config, PAGE_FILE) as folder:
        scored = score_models(recordings, groups, models, config.window, config.seed).pooled()
        names = model_names(models, config.reward_model)
        diagnosis = _conclude(config, models, names, divisions, recordings, scored)
        drawn = figures(diagnosis)
        traces = list(_traces(config, models, names, recordings, groups))
        _write(folder, diagnosis, drawn, traces)
    announce(sentences.headline(diagnosis))
    announce(f"diagnosis: {(folder / PAGE_FILE).resolve()}")
    return folder / PAGE_FILE


def _diagnose_eyes(config: DiagnoseConfig, agent: Path) -> Path:
    from pipelines.diagnose.eyes.diagnosis import diagnose_eyes, write_eyes  # replays need the worlds
    from pipelines.diagnose.eyes.report import EYES_PAGE

    findings = diagnose_eyes(agent, config.data, config.episodes, config.eyes, config.seed, config)
    with whole_run(config, EYES_PAGE) as folder:
        return write_eyes(findings, folder)


def _groups_to_measure(
    config: DiagnoseConfig, recordings: Recordings, divisions: Sequence[Division]
) -> dict[Group, list[str]]:
    """Groups to measure on, in the order of the parts."""
    found = group_rows(recordings, divisions, config.episodes)
    order = [part for part in PART_WORDS if part in config.parts]
    groups = {group: ids for part in order for group, ids in found.items() if group[0] == part}
    where = ", ".join(map(str, config.data))
    if not groups:
        raise UserError(f"{where} has no play of the parts {', '.join(config.parts)}; choose others with --parts")
    if not any(recordings.marks.get(episode_id) for ids in groups.values() for episode_id in ids):
        raise UserError(f"none of the episodes of {where} to measure on has a mark; mark some (`rlhf mark`)")
    return groups


def model_names(models: Sequence[LoadedRewardModel], folders: Sequence[Path]) -> list[str]:
    """Names of the models: their kind; if not unique, with the run; else with the whole path."""
    kinds = [model.kind for model in models]
    runs = [f"{kind} {folder.resolve().parent.name}" for kind, folder in zip(kinds, folders, strict=True)]
    paths = [f"{kind} {folder}" for kind, folder in zip(kinds, folders, strict=True)]
    return next((names for names in (kinds, runs) if len(set(names)) == len(names)), paths)


def _conclude(
    config: DiagnoseConfig,
    models: Sequence[LoadedRewardModel],
    names: Sequence[str],
    divisions: Sequence[Division],
    recordings: Recordings,
    scored: ModelScores,
) -> Diagnosis:
    measurer = Measurer(config.reach, config.tolerance, config.delay, config.seed)
    found, remarks = [], []
    for number, (model, name) in enumerate(zip(models, names, strict=True)):
        threshold, remark = _threshold(measurer, scored.play, scored.scores[number])
        remarks += [f"{name}: {remark}"] if remark else []
        own = scored.scores[number]
        announce(f"measuring {name}")
        found.append(
            ModelFindings(
                name=name,
                kind=model.kind,
                folder=str(config.reward_model[number]),
                known_division=divisions[number].certain,
                groups=tuple(measurer.group(g, play, own[g], threshold) for g, play in scored.play.items()),
            )
        )
        if not divisions[number].certain:
            remarks.append(
                f"{name}: its run has no record of its training episodes; they were inferred from its settings and the "
                "current marks, which is wrong if further episodes were marked since."
            )
    marks = [mark for play in scored.play.values() for i in play.ids for mark in recordings.marks.get(i, ())]
    episodes = {episode_id for play in scored.play.values() for episode_id in play.ids}
    return Diagnosis(
        models=tuple(found),
        comparisons=measurer.compare(scored, names),
        remarks=tuple(remarks),
        scripted=all(mark.scripted for mark in marks),
        circumstances=circumstances(config, counts={"episodes measured on": len(episodes), "marks": len(set(marks))}),
    )


def _threshold(
    measurer: Measurer, play: Mapping[Group, GroupPlay], found: Mapping[Group, GroupScores]
) -> tuple[float | None, str]:
    """Threshold of peaks, chosen on all validation play, and a remark if there is none."""
    own = [group for group in play if group[0] == "validation"]
    if not own:
        return None, "there is no validation play to choose the threshold of peaks on, so no marks are predicted."
    every = max(own, key=lambda group: len(play[group].ids))  # all solvers, or the only one
    threshold = measurer.threshold(play[every], found[every])
    return (
        threshold,
        "" if threshold else "no threshold of peaks can be chosen on validation play, so no marks are predicted.",
    )


def _traces(
    config: DiagnoseConfig,
    models: Sequence[LoadedRewardModel],
    names: Sequence[str],
    recordings: Recordings,
    groups: Mapping[Group, Sequence[str]],
) -> list[Picture]:
    """Draw the episodes of the first part with the most marks of both signs, for every model."""
    part = next(part for part in PART_WORDS if any(group[0] == part for group in groups))
    ids = [episode_id for group, own in groups.items() if group[0] == part for episode_id in own]
    chosen = [i for i in sorted(ids, key=lambda i: _interest(recordings.marks.get(i, ())), reverse=True)]
    episodes = recordings.read([i for i in chosen[: config.traces] if recordings.marks.get(i)])
    pictures = []
    for model, name in zip(models, names, strict=True):
        scores = model.score(encode_episodes(episodes, model.tokenizer, model.sizes)) if episodes else []
        for episode, scored in zip(episodes, scores, strict=True):
            marks = recordings.marks[episode.episode_id]
            drawn = trace.trace(episode, scored.utility, marks, model.scale, title=_trace_title(scored.reward, marks))
            caption = f"{name} on {episode.episode_id} ({PART_WORDS[part]}), played by {episode.solver}."
            pictures.append(Picture(png(trace.draw(drawn)), caption))
    return pictures


def _interest(marks: Sequence[Mark]) -> tuple[int, int]:
    plus = sum(mark.sign > 0 for mark in marks)
    return min(plus, len(marks) - plus), len(marks)


def _trace_title(reward: np.ndarray, marks: Sequence[Mark]) -> str:
    """Title with the number of marks whose sign the largest reward within two steps has."""
    agrees = 0
    for mark in marks:
        near = reward[max(0, mark.step - 2) : mark.step + 3]
        agrees += bool(mark.sign * near[np.abs(near).argmax()] > 0)
    return f"The largest reward around a mark has its sign at {agrees} of {len(marks)} marks"


def _write(folder: Path, diagnosis: Diagnosis, drawn: Mapping[str, Figure], traces: Sequence[Picture]) -> None:
    save_diagnosis(diagnosis, folder)
    (folder / "figures").mkdir(exist_ok=True)
    for name, figure in drawn.items():
        write_file(folder / "figures" / f"{name}.png", png(figure))
    for number, picture in enumerate(traces):
        write_file(folder / "figures" / f"trace-{number}.png", picture.png)
    write_file(folder / PAGE_FILE, page(diagnosis, drawn, traces).encode())
