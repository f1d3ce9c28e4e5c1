"""What further examples of wrong behaviour teach a reward model, on the demo's play.

    python -m benchmarks.reward_examples --run RUN

Records scripted demonstrations of all six requests in the demo's room, clones an agent, records its play, lets a
scripted rater mark all of it, and trains a reward model of each arm on the same marks from the same weights. Then every
model, ensembles of some of them and the mean of their weights are scored on all held-out marked play. What is in RUN
already is kept. The arms "cut", "between" and "all" have four examples of each kind in an update.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from benchmarks.timing import options
from pipelines.loops.wiring import Wiring, record_both_splits
from pipelines.presets.from_scratch import demo
from pipelines.presets.small import ALL_TASKS
from pipelines.stages.clone import clone
from pipelines.stages.mark import mark
from pipelines.stages.record import record
from pipelines.stages.reward import reward
from reward_models.ensemble import CombinedBy, average_weights, combine
from reward_models.learning.mark_signal import TOLERANCE, signal_tally, stack_signal
from reward_models.learning.told_answers import ToldAnswers, balanced_weights
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import agreement, score
from rlhf.run.statistics import ratio_interval
from rlhf.store import open_store

_ONE = {
    "hard": {"hard_answers": 0.8},
    "rewind": {"rewind": 0.33},
    "cut": {"cut_weight": 0.5},
    "between": {"between_weight": 0.5},
}
_ALL: dict[str, Any] = {name: value for one in _ONE.values() for name, value in one.items()}
ARMS: Mapping[str, Mapping[str, Any]] = {"default": {}, **_ONE, "all": _ALL}
EXAMPLES = 4  # of each kind of pairs of requests in an update
TOGETHER: tuple[CombinedBy, ...] = ("mean", "minimum", "mean_less_deviation")
MEMBERS = ("default", "hard", "rewind")  # of the ensembles: arms that differ in their examples alone
MOST_ANSWERS = 10_000  # all


class Scored(NamedTuple):
    """Utilities [T] of held-out episodes, and of excerpts with right answers and with wrong ones."""

    play: list[np.ndarray]
    right: list[np.ndarray]
    wrong: list[np.ndarray]


def main() -> None:
    chosen = options(
        __doc__,
        run=(None, "folder of all that is made", {"required": True, "type": Path}),
        seed=(0, "of the reward models"),
        updates=(220, "of each reward model"),
        arms=(list(ARMS), "(default: all)", {"nargs": "+", "choices": list(ARMS)}),
    )
    torch.set_num_threads(1)
    make_play(chosen.run)
    folders = {arm: train(chosen.run, arm, chosen.seed, chosen.updates) for arm in chosen.arms}
    print_table(chosen.run, folders)


def make_play(run: Path) -> None:
    """Record and mark the play, and clone the agent, unless that was done before."""
    base, wiring, data = demo(), Wiring(run, 0), run / "data"
    agent, players = run / "clone" / "agent", replace(demo().demonstrations.players, tasks=ALL_TASKS)
    shown = wiring.demonstrations(replace(base.demonstrations, players=players, episodes=1600, workers=1), data)
    record(shown)
    if not agent.exists():
        clone(wiring.clone(replace(base.clone, training=replace(base.clone.training, updates=1600)), data))
    played = replace(base.play, players=replace(base.play.players, tasks=ALL_TASKS), episodes=900)
    record_both_splits(wiring.play(played, data, agent), 160)
    record(replace(shown, episodes=150, seed=7, split="held_out"))
    mark(wiring.mark(base.mark, data))


def train(run: Path, arm: str, seed: int, updates: int) -> Path:
    """Train the reward model of ``arm``, unless that was done before, and return its folder."""
    base, name = demo().reward, f"{arm}-{seed}"
    training = replace(base.training, updates=updates, evaluate_every=updates, seed=seed, **ARMS[arm])
    if training.request_weights:
        training = replace(training, preferences=replace(training.preferences, batch=EXAMPLES))
    made = run / name / "reward_model"
    if not made.exists():
        reward(
            replace(
                base, data=(run / "data",), agent=run / "clone" / "agent", runs=run, name=name, wandb="disabled",
                checkpoint_every=10**6, training=training,
            )
        )  # fmt: skip
    return made


def print_table(run: Path, folders: Mapping[str, Path]) -> None:
    """Print the shares of every model, and of all of them together, on held-out play of both solvers and of each."""
    loaded = [load_reward_model(folder) for folder in folders.values()]
    models, tokenizer = [model for model, _ in loaded], loaded[0][1]
    store = open_store(run / "data")
    marks = store.marks()
    marked = {one.episode_id for one in marks}
    rows = [row for row in store.rows(split="held_out") if row.episode_id in marked]
    solvers = np.array([row.solver for row in rows])
    play = mark_play([store.read(row.episode_id) for row in rows], marks, tokenizer, models[0].config)
    answers = ToldAnswers.of(play, range(len(play)), MOST_ANSWERS)
    each = [Scored(score(model, play.episodes), *answers.utilities(model)) for model in models]
    scored = dict(zip(folders, each, strict=True))
    members = {arm: model for arm, model in zip(folders, models, strict=True) if arm in MEMBERS}
    if len(members) > 1:
        scales = [model.config.reward_scale for model in members.values()]
        scored |= {how: together([scored[arm] for arm in members], scales, how) for how in TOGETHER}
        mean = average_weights(list(members.values()))
        scored["mean of weights"] = Scored(score(mean, play.episodes), *answers.utilities(mean))
    for solver in ("", *np.unique(solvers)):
        chosen = np.flatnonzero(solvers == solver) if solver else np.arange(len(play))
        given = sum(int(play.marks_of(episode).sum()) for episode in chosen.tolist())
        asked = int(np.isin(answers.episode, chosen).sum())
        print(f"\n{solver or 'all'}: {len(chosen)} episodes, {given} marks, {asked} answers\n")
        print("| | got worse | got better | answers | signal to noise |\n|---|---|---|---|---|")
        for name, found in scored.items():
            print(f"| {name} | {' | '.join(cells(found, play, answers, chosen))} |", flush=True)


def together(each: Sequence[Scored], scales: Sequence[float], how: CombinedBy) -> Scored:
    """Combine the utilities of several models as an ensemble does."""

    def combined(utilities: tuple[np.ndarray, ...]) -> np.ndarray:
        gains = [scale * (u.astype(np.float64) - u[0]) for scale, u in zip(scales, utilities, strict=True)]
        return combine(torch.from_numpy(np.stack(gains)), how, 1.0).numpy()

    return Scored(*([combined(of) for of in zip(*parts, strict=True)] for parts in zip(*each, strict=True)))


def cells(scored: Scored, play: MarkedPlay, answers: ToldAnswers, chosen: np.ndarray) -> list[str]:
    """Shares with 95% intervals over episodes and over answers, and the signal to noise, on some episodes."""
    pairs = [agreement([scored.play[episode]], play, [episode]) for episode in chosen.tolist()]
    own = np.isin(answers.episode, chosen)
    told, weight = answers.told(scored.right, scored.wrong)[own], balanced_weights(answers.texts[own])
    tallies = [signal_tally(scored.play[e], play.marks_of(e).sum(axis=1), TOLERANCE) for e in chosen.tolist()]
    moved = stack_signal(tallies).weighted(np.ones(len(chosen)))
    shares = (
        (np.array([one.right_minus for one in pairs]), np.array([one.minus for one in pairs])),
        (np.array([one.right_plus for one in pairs]), np.array([one.plus for one in pairs])),
        (weight * told, weight),
    )
    found = [ratio_interval(right, total, seed=0) for right, total in shares]
    return [
        *("-" if one is None else f"{one.estimate:.0%} ({one.low:.0%} to {one.high:.0%})" for one in found),
        f"{float(moved.ratio):.2f}",
    ]


if __name__ == "__main__":
    main()
