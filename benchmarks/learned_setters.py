"""Does a small learned setter ask for what there is?

    python -m benchmarks.learned_setters --updates 300 --seed 0

Records demonstrations in the demo's room, clones a setter from them, and has it ask in new rooms, with a scripted
solver. A sentence *makes sense* where it is a request of a probe that can be fulfilled in the room at hand and means
one thing, and *is read* where the Playhouse reads any request in it. Beside it stand the scripted setters' sentences,
each in its own room (the best that is possible) and in another one (what knowing the language alone is worth).
Intervals resample episodes. Everything is computed on one thread.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.timing import options
from pipelines.presets.from_scratch import demo
from pipelines.presets.small import WORLD
from pipelines.stages.clone import clone
from pipelines.stages.outcomes.headlines import share_text
from pipelines.stages.record import record
from rlhf.records.episode import Episode
from rlhf.run.statistics import ratio_interval
from rlhf.store import open_store
from worlds.contract import SETTER, SOLVER, World
from worlds.playhouse.games.asking import read_request
from worlds.playhouse.probes.probe import understand

PROBES = tuple(WORLD.entry().probes)


@dataclass(frozen=True)
class Sentences:
    """What was said in one episode, and how much of it makes sense there.

    Args:
      said: every sentence.
      sensible: number of those that are a feasible request of a probe task.
      grammatical: number of those that are a sentence of the probes' language, whatever it speaks of.
    """

    said: tuple[str, ...]
    sensible: int
    read: int
    grammatical: int


def judged(episodes: Sequence[Episode], words_of: Mapping[str, Episode]) -> list[Sentences]:
    """Judge sentences while episodes are replayed, each at the step at which it was said.

    Args:
      words_of: by the id of an episode, the one whose setter's words are judged in it.
    """
    with WORLD.opened(1, images=False) as (world,):
        return [_judged(world, episode, words_of[episode.episode_id]) for episode in episodes]


def _judged(world: World, episode: Episode, speaker: Episode) -> Sentences:
    world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    said, found = [], []
    for step in range(len(episode)):
        words = speaker.setter_utterance[step] if step < len(speaker) else ""
        if words:
            said.append(words)
            found.append(read_request(words, world))  # type: ignore[arg-type]
        world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
    return Sentences(
        tuple(said),
        sum(spec is not None and spec.name in PROBES for spec in found),
        sum(spec is not None for spec in found),
        sum(understand(words) is not None for words in said),
    )


def printed(who: str, sentences: Sequence[Sentences], known: frozenset[str]) -> None:
    """Print a row of the table."""
    said = np.array([len(one.said) for one in sentences])
    shares = []
    for name in ("sensible", "read", "grammatical"):
        interval = ratio_interval(np.array([getattr(one, name) for one in sentences]), said, seed=0)
        shares.append("-" if interval is None else share_text(interval.estimate, interval))
    every = [words for one in sentences for words in one.said]
    new = np.mean([words not in known for words in every]) if every else 0.0
    print(f"| {who} | {len(every)} | {said.mean():.2f} | {' | '.join(shares)} | {len(set(every))} | {new:.0%} |")


def read(folder: Path) -> list[Episode]:
    """Read the episodes of a dataset in the order of their ids."""
    store = open_store(folder)
    return list(store.stream(sorted(store.ids())))


def spoken(episodes: Iterable[Episode]) -> frozenset[str]:
    """Return everything that setters said."""
    return frozenset(words for episode in episodes for words in episode.setter_utterance if words)


def main() -> None:
    given = options(
        __doc__,
        updates=(300, "of cloning, of 192 steps each"),
        demonstrations=400,
        episodes=(60, "in new rooms"),
        folder=(None, "keeps what is recorded and trained, for a second run", Path),
        seed=0,
    )
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        here = given.folder or Path(folder)
        shown = replace(
            demo().demonstrations, data=here / "play", episodes=given.demonstrations, split="train", workers=1,
            seed=given.seed,
        )  # fmt: skip
        record(shown)
        training = replace(demo().clone.training, updates=given.updates, seed=given.seed, css_weight=1.0)
        agent = here / "setter" / "agent"
        if not (agent / "model.safetensors").is_file():
            clone(
                replace(
                    demo().clone, data=(shown.data,), role="setter", runs=here, name="setter", wandb="disabled",
                    text_length="auto", training=training,
                )
            )  # fmt: skip
        new = replace(shown, data=here / "scripted", episodes=given.episodes, split="held_out")
        record(new)
        record(replace(new, data=here / "asked", setters=Path(f"agent:{agent}"), slots=32))
        scripted, asked, known = read(here / "scripted"), read(here / "asked"), spoken(read(shown.data))
    others = scripted[1:] + scripted[:1]
    print("\n| setter | sentences | per episode | make sense | are read | probes' language | different | new |")
    print("|---|---|---|---|---|---|---|---|")
    printed("learned", judged(asked, {e.episode_id: e for e in asked}), known)
    printed("scripted, own room", judged(scripted, {e.episode_id: e for e in scripted}), known)
    elsewhere = {e.episode_id: other for e, other in zip(scripted, others, strict=True)}
    printed("scripted, another room", judged(scripted, elsewhere), known)
    print(f"\n{time.process_time():.0f} s of processor time")


if __name__ == "__main__":
    main()
