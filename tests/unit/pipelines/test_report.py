"""The report: honest words, the right numbers, one file that asks nobody for anything."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pipelines.findings import FEWEST_EPISODES, find
from pipelines.report import ReportConfig, report, write_report
from pipelines.report_charts import line_chart, short, ticks
from pipelines.report_clips import HOLD_STEPS, animate
from pipelines.report_data import (
    DATA_FILE,
    Chart,
    Circumstances,
    Clip,
    ClipPair,
    Curve,
    Outcomes,
    Picture,
    ReportData,
    Stage,
    load_report_data,
    save_report_data,
)
from rlhf.errors import UserError

PROBES = ("Go", "Lift", "Position", "Color", "Count", "Exist")


def outcomes(rates: dict[str, float], episodes: int = 100, runs: int = 1, seed: int = 0) -> tuple[Outcomes, ...]:
    """Made-up outcomes with about the given success of each agent at every probe."""
    rng = np.random.default_rng(seed)
    made = []
    for run in range(runs):
        for index, probe in enumerate(PROBES):
            ease = rng.uniform(size=episodes)  # what is hard for one agent is hard for the other
            for agent, rate in rates.items():
                wins = ease + rng.normal(0, 0.15, episodes) < rate - 0.04 * index
                made.append(Outcomes(agent, probe, run, tuple(range(episodes)), tuple(bool(win) for win in wins)))
    return tuple(made)


def room(steps: int, seed: int, height: int = 36, width: int = 48) -> np.ndarray:
    """A made-up walk past coloured blocks: uint8 [steps, height, width, 3]."""
    rng = np.random.default_rng(seed)
    frames = np.empty((steps, height, width, 3), np.uint8)
    frames[:, : height // 2] = (196, 205, 214)
    frames[:, height // 2 :] = (141, 122, 103)
    for _ in range(4):
        at, size, colour = rng.integers(width), int(rng.integers(5, 12)), rng.integers(40, 230, 3)
        for step in range(steps):
            left = (at + step) % width
            grown = size + step // 9
            frames[step, height // 2 : height // 2 + grown, left : left + grown] = colour
    return frames


def figure() -> bytes:
    """A made-up picture of a trace, as PNG."""
    file = io.BytesIO()
    Image.fromarray(np.full((120, 320, 3), 250, np.uint8)).save(file, "PNG")
    return file.getvalue()


def example(**changes: object) -> ReportData:
    """A report's data with something in every part."""
    rng = np.random.default_rng(1)
    steps = tuple(float(1000 * i) for i in range(100))
    wander = np.cumsum(rng.normal(0.02, 0.1, 100))
    reward = Chart(
        "Modelled reward per episode",
        "environment steps",
        (Curve("training episodes", steps, tuple(wander)), Curve("held-out episodes", steps, tuple(0.8 * wander), dashed=True)),
    )
    success = Chart(
        "True success on held-out episodes",
        "environment steps",
        (Curve("Go", steps[::10], tuple(np.linspace(0.4, 0.6, 10))), Curve("Lift", steps[::10], tuple(np.linspace(0.2, 0.35, 10)))),
        share=True,
    )
    losses = tuple(
        Chart(name, "updates", (Curve("training", steps, tuple(2 * np.exp(-np.arange(100) / 30) + rng.normal(0, 0.1, 100))),))
        for name in ("BC loss", "Reward model: held-out pair accuracy", "V-trace policy loss")
    )
    pairs = tuple(
        ClipPair(said, probe, Clip.of("BC", False, room(60, number)), Clip.of("BC+RL", True, room(34, number)))
        for number, (said, probe) in enumerate([("go to the red ball", "Go"), ("please lift the small <blue> box & hold it", "Lift")])
    )
    data = ReportData(
        title="Demo",
        before="BC",
        after="BC+RL",
        reference="Scripted demonstrator",
        outcomes=outcomes({"Scripted demonstrator": 0.85, "BC": 0.42, "BC+RL": 0.6}),
        circumstances=Circumstances(
            command="rlhf demo",
            machine="8 cores of some processor, 16 GiB, no GPU",
            version="0.1.0",
            created="2026-01-31 12:00 UTC",
            commit="0123abcd",
            config={"clone": {"steps": 100}, "note": "a < b"},
            counts=(("recorded episodes", "600 (scripted)"), ("marks", "1,204 by scripted raters")),
            stages=(Stage("record", 41.0, "600 episodes"), Stage("clone", 150.0), Stage("improve", 260.0, "120,000 steps")),
        ),
        reward_over_training=reward,
        success_over_training=success,
        traces=(Picture(figure(), "Lift: utility rises when the box is in hand"), Picture(figure(), "Go")),
        clips=pairs,
        clips_note="The first episode of each probe.",
        training=losses,
    )
    return replace(data, **changes)
