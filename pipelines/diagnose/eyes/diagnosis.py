"""Diagnosis of an agent's eyes on recordings, step by step: replay, features, readings, findings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import InteractiveAgent
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from pipelines.charts.style import png
from pipelines.diagnose.eyes import report
from pipelines.diagnose.eyes.config import EyesConfig
from pipelines.diagnose.eyes.findings import EYES_FILE, EyesFindings, EyesMeasurer
from pipelines.diagnose.eyes.frames import Features, Truth, chosen_steps, features_of, joined, seen_at, truth_of
from pipelines.diagnose.eyes.learned import learned_episodes
from pipelines.diagnose.eyes.readings import READING_WORDS, Named, Reader
from pipelines.report.file import circumstances
from pipelines.stages.episodes.recordings import evenly_spaced, find_episodes
from rlhf.data.source import Source
from rlhf.records.episode import Episode
from rlhf.records.json_records import to_json
from rlhf.run.progress import announce, progress
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

_FEWEST = 2  # episodes to learn from, and to measure on


def diagnose_eyes(
    agent_folder: Path, data: Sequence[Path], episodes: int, config: EyesConfig, seed: int, settings: Any
) -> EyesFindings:
    """Measure what the agent in a folder makes out in the frames of recordings.

    Raises UserError if the agent cannot be read or has no pictures, there is too little play that it did not learn
    from, play does not replay, or its world does not say what its pictures show.
    """
    agent, tokenizer = load_agent(agent_folder)
    if agent.config.player.observation.image is None:
        raise UserError(f"the agent in {agent_folder} observes no pictures: it has no eyes to diagnose")
    found = find_episodes(data, solver=config.solver)
    learned = learned_episodes(agent_folder)
    unseen = [source for source in found if source.episode_id not in (learned or ())]
    if len(unseen) < _FEWEST and learned:
        raise UserError(
            f"the agent in {agent_folder} learned from {len(found) - len(unseen)} of the {len(found)} episodes of "
            f"{', '.join(map(str, data))}, which leaves too few to measure on; record others, or name them with --data"
        )
    sources, to_measure = _chosen(found, unseen, episodes, config.measured)
    features, truth = _gather(agent, tokenizer, sources, config)
    measured = np.isin(truth.episode, to_measure)
    measurer = EyesMeasurer(truth, measured, seed)
    if measurer.episodes < _FEWEST or len(np.unique(truth.episode[~measured])) < _FEWEST:
        raise UserError(
            f"{', '.join(map(str, data))} has too few episodes with a single thing in view ({measurer.episodes} to "
            "measure on); record more play, or raise --episodes"
        )
    reader, named = Reader(agent, tokenizer, features, truth, ~measured, config, seed), dict[str, Named]()
    for name, reading in reader.readings(_read(sources[0])):
        announce(f"eyes: {READING_WORDS[name]}")
        named[name] = reading
    colour, kind = measurer.commonest()
    return EyesFindings(
        agent=str(agent_folder),
        unseen_episodes=None if learned is None else len(unseen),
        learned_frames=int((~measured).sum()),
        measured_frames=len(measurer.rows),
        measured_episodes=measurer.episodes,
        colours=truth.colours,
        kinds=truth.kinds,
        commonest_colour=colour,
        commonest_kind=kind,
        readings=tuple(measurer.reading(name, reading) for name, reading in named.items()),
        steps=measurer.steps(named),
        circumstances=circumstances(settings, counts={"frames": len(measured), "measured": len(measurer.rows)}),
    )


def write_eyes(findings: EyesFindings, folder: Path) -> Path:
    """Write numbers, figure and page into ``folder`` and return the page's path."""
    write_file(folder / EYES_FILE, (json.dumps(to_json(findings), indent=1) + "\n").encode())
    (folder / "figures").mkdir(exist_ok=True)
    drawn = report.figure(findings)
    write_file(folder / "figures" / "eyes.png", png(drawn))
    write_file(folder / report.EYES_PAGE, report.page(findings, drawn).encode())
    for sentence in (report.headline(findings), *report.remarks(findings), *report.cause_sentences(findings)):
        announce(sentence)
    announce(f"diagnosis: {(folder / report.EYES_PAGE).resolve()}")
    return folder / report.EYES_PAGE


def _gather(
    agent: InteractiveAgent, tokenizer: Tokenizer, sources: Sequence[Source], config: EyesConfig
) -> tuple[Features, Truth]:
    """Replay the episodes; return the agent's features of the frames, and the truth about them."""
    seen, features, numbers = [], [], []
    chosen = chosen_steps([source.steps for source in sources], config.frames)
    for number, source in enumerate(progress(sources, len(sources), "replaying")):
        steps = chosen[number]
        if len(steps):
            episode = _read(source)
            seen += list(seen_at(episode, steps))
            features.append(features_of(agent, tokenizer, episode, steps))
            numbers += [number] * len(steps)
    return joined(features), truth_of(seen, np.array(numbers), config.least)


def _read(source: Source) -> Episode:
    return source.store.read(source.episode_id)


def _chosen(
    found: Sequence[Source], unseen: Sequence[Source], most: int, share: float
) -> tuple[list[Source], list[int]]:
    """Choose at most ``most`` episodes, and a ``share`` of them to measure on, evenly spaced.

    Returns the episodes in the order of ``found``, and the numbers of those to measure on.
    """
    count = min(len(found), most)
    measured = set(evenly_spaced(unseen, min(len(unseen), max(1, round(share * count)))))
    others = set(evenly_spaced([source for source in found if source not in measured], count - len(measured)))
    chosen = [source for source in found if source in measured or source in others]
    return chosen, [number for number, source in enumerate(chosen) if source in measured]
