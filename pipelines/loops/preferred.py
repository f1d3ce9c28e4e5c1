"""Which of two agents people prefer (`rlhf teach`): that of a round, or the one that played before it.

RUN/compared-1    both agents' play in the same held-out places, and people's clip pairs
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agents.roles import AGENT_PREFIX
from pipelines.loops.rounds import LoopConfig, resolve_round, round_folder
from pipelines.stages.record import record
from pipelines.stages.running.staged_run import Stage, run_stages
from rlhf.records.preferences import A, B, ClipPair
from rlhf.run.statistics import Interval, wilson_interval
from rlhf.store import ParquetStore, open_store
from rlhf.store.files.durable import UNFINISHED

COMPARED = "play to compare"  # the stage of a round


def compared_folder(run: Path, number: int) -> Path:
    """Return the dataset in which both agents of round ``number`` play."""
    return run / f"compared-{number}"


def record_both(config: LoopConfig, pairs: int) -> None:
    """Record both agents of the last round in the same held-out places, unless their play has no pictures.

    No round plays in these places. An interrupted recording is completed by the same call; the dataset has its name
    when it is complete.
    """
    one = resolve_round(config, config.rounds)
    folder = compared_folder(config.run, one.number)
    part = folder.with_name(folder.name + UNFINISHED)
    before = replace(one.play, data=part, episodes=max(pairs, 1), split="held_out")
    new = replace(before, solver=str(one.improve.runs / one.improve.name / "agent"), name=one.folder.name)

    def play() -> None:
        if pairs and not folder.is_dir() and open_store(one.play.data).description.image_size is not None:
            for agent in (before, new):
                record(agent, first=config.held_out_play)
            part.rename(folder)

    run_stages(one.folder, [Stage(COMPARED, f"both agents at {pairs} held-out requests", play)])


def count_pairs(store: ParquetStore) -> int:
    """Return in how many places both agents have played."""
    players = [row.solver for row in store.rows()]
    return min((players.count(player) for player in set(players)), default=0)


def answers(store: ParquetStore, run: Path, number: int) -> dict[str, list[bool | None]]:
    """Return, by rater, whether they preferred the agent of round ``number``; None where they saw no difference."""
    name = AGENT_PREFIX + round_folder(run, number).name
    new = {row.episode_id for row in store.rows() if row.solver == name}
    found: defaultdict[str, list[bool | None]] = defaultdict(list)
    for pair in store.preferences(ClipPair):
        chosen = {A: pair.episode_a, B: pair.episode_b}.get(pair.answer)
        found[pair.rater].append(None if chosen is None else chosen in new)
    return dict(found)


def share_preferred(said: Sequence[bool | None]) -> Interval | None:
    """Return Wilson's interval of the share of decided pairs in which the new agent is preferred; None without any."""
    decided = [one for one in said if one is not None]
    return wilson_interval(sum(decided), len(decided)) if decided else None
