"""Parts of reports, gathered from the files of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipelines.report.data import (
    Chart,
    Clip,
    ComparedClips,
    Curve,
    Outcomes,
    Picture,
    WatchedRun,
)
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, probe_episodes
from pipelines.stages.improve import held_out_episodes
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.outcomes.replay_change import FEWEST, Metric, Replays, requests_behind
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import score
from rlhf.data.memory import encode_episodes
from rlhf.learning.alarms import read_alarms
from rlhf.records.episode import Episode
from rlhf.run.json_lines import Row
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store


def outcome(result: ProbeResult, run: int) -> Outcomes:
    """Convert one agent's results at one probe for the report."""
    return Outcomes(result.agent, result.probe, run, result.seeds, result.success)


def reward_traces(improve: ImproveConfig, most: int = 3) -> tuple[Picture, ...]:
    """Draw the paper's Figure 3: utility and reward along the held-out episodes with the most marks."""
    model, tokenizer = load_reward_model(improve.reward_model)
    marks = [mark for folder in improve.replay_folders for mark in open_store(folder).marks()]
    counts = {episode_id: 0 for episode_id in {mark.episode_id for mark in marks}}
    for mark in marks:
        counts[mark.episode_id] += 1
    episodes = [episode for episode in held_out_episodes(improve, 10_000) if episode.episode_id in counts]
    episodes = sorted(episodes, key=lambda episode: -counts[episode.episode_id])[:most]
    if not episodes:
        return ()
    utilities = score(model, encode_episodes(episodes, tokenizer, model.config))
    return tuple(_trace(e, u, marks, model.config.reward_scale) for e, u in zip(episodes, utilities, strict=True))


def _trace(episode: Episode, utility: np.ndarray, marks: list, scale: float) -> Picture:
    from pipelines.charts import style, trace  # matplotlib takes a second to import

    drawn = trace.trace(episode, utility, marks, scale)
    return Picture(style.png(trace.draw(drawn)), f"Held-out episode {episode.episode_id}, played by {episode.solver}.")


def clips(evaluate: EvaluateConfig, before: str, after: str) -> tuple[ComparedClips, ...]:
    """Record two of the evaluated agents on the first episode of every probe; none where there are no pictures."""
    if evaluate.world.solver_spec().observation.image is None:
        return ()
    pairs = []
    one = replace(evaluate, episodes=1, slots=1)
    for probe in evaluate.probes or tuple(evaluate.world.entry().probes):
        (left,), (right,) = (list(probe_episodes(one, evaluate.agents[name], probe)) for name in (before, after))
        assert isinstance(left, Episode) and isinstance(right, Episode)  # a failure of the only episode is raised
        instruction = left.requests[0].task.instruction
        pairs.append(ComparedClips(instruction, probe, _clip(before, left), _clip(after, right)))
    return tuple(pairs)


def _clip(agent: str, episode: Episode) -> Clip:
    steps_per_second = episode.spaces.solver.action.steps_per_second
    return Clip.of(agent, episode.success_step[0] is not None, episode.rgb(), steps_per_second)


def reward_over_training(rows: list[Row]) -> Chart:
    """Chart of the modelled reward of training and held-out episodes in a run of BC+RL."""
    return _over_training(rows, "modelled_return", "Modelled reward per episode")


def success_over_training(rows: list[Row]) -> Chart:
    """Chart of the true success of training and held-out episodes in a run of BC+RL."""
    return _over_training(rows, "true_success", "True success")


def second_over_training(rows: list[Row]) -> Chart | None:
    """Chart of the return of held-out episodes by the second reward model of a run of BC+RL; None without one."""
    curve = replay_curve(rows, "held_out", "second_return", "held-out episodes")
    title = "Return by the second reward model per episode"
    return Chart(title, "updates", (curve,), note="The agent is not trained against it.") if curve.x else None


def _over_training(rows: list[Row], metric: Metric, title: str) -> Chart:
    names = {"train": "training episodes", "held_out": "held-out episodes"}
    curves = [replay_curve(rows, replays, metric, names[replays]) for replays in ("train", "held_out")]
    measured = tuple(curve for curve in curves if curve.x)
    return Chart(title, "updates", measured, share=metric == "true_success")


def replay_curve(rows: list[Row], replays: Replays, metric: Metric, name: str) -> Curve:
    """Curve of ``metric`` over updates, dashed for held-out replays.

    A curve of training replays begins where enough plays have ended; if that is never so, all of it is drawn.
    """
    found = [row for row in rows if f"{replays}/{metric}" in row]
    counts = [requests_behind(row, replays, metric) for row in found]
    if replays == "train" and any(count >= FEWEST[replays] for count in counts):
        begin = next(index for index, count in enumerate(counts) if count >= FEWEST[replays])
        found, counts = found[begin:], counts[begin:]
    return Curve(
        name,
        tuple(float(row["step"]) for row in found),
        tuple(row[f"{replays}/{metric}"] for row in found),
        dashed=replays == "held_out",
        counts=tuple(counts),
    )


def watched(folder: Path, run: str = "") -> WatchedRun:
    """Alarms of the run of BC+RL in ``folder``, named ``run`` in a report of several."""
    kept = read_alarms(folder)
    return WatchedRun(run, None) if kept is None else WatchedRun(run, kept.since, kept.raised)


def losses(folder: Path, title: str, names: Sequence[str]) -> Chart:
    """Chart of the metrics ``names`` of the run in ``folder``."""
    rows = read_metrics(folder)
    found = {name: column(rows, name) for name in names}
    curves = [Curve(name, tuple(map(float, x)), tuple(y)) for name, (x, y) in found.items() if x]
    return Chart(f"{title}: negative log-likelihood of a step's movement", "updates", tuple(curves))
