"""Share of augmented examples of wrong behaviour that are not wrong, by the world's ground truth.

    python -m benchmarks.wrong_words --data data/play

Every marked episode of scripted play in the Playhouse is altered a few times, as in the training of a reward model.
Where an instruction was exchanged, the episode is played again from its recorded controls and judged by the success
check of the *other* instruction, understood in the house at hand. A (+) that became a (-) is

* still right, if what was done within a rater's delay before it is progress under the other instruction too;
* late, if the marked event was before the exchanged instruction.

Where answers were exchanged, one that is right for the recorded question is still right. Reward models learn only
from texts and marks; the ground truth is only for this measurement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from annotation.scripted_rater import ScriptedRater
from benchmarks.timing import options
from reward_models.marks.augmentation import Alteration, Augmentation, Dialogue
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.pairs import PLUS
from rlhf.records.episode import Episode
from rlhf.store import open_store
from worlds import registry
from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.probes.probe import understand
from worlds.playhouse.requests import language
from worlds.playhouse.requests.ground_truth import describe_all
from worlds.playhouse.requests.language import NO, NUMBERS, YES, Described
from worlds.playhouse.world import Playhouse

ANSWERS = {"color": tuple(COLOURS), "count": NUMBERS, "exist": (YES, NO)}
DELAY = ScriptedRater().longest_delay


@dataclass(frozen=True)
class Change:
    """An altered episode: which rows' words are seen instead of its own, and the (+) that were turned, by step."""

    episode: Episode
    alteration: Alteration
    turned: np.ndarray


def main() -> None:
    chosen = options(
        __doc__,
        data=(None, "marked scripted play of the Playhouse", {"required": True, "type": Path}),
        episodes=(300, "how many"),
        times=(3, "alterations of each"),
    )
    store = open_store(chosen.data)
    episodes = [store.read(i) for i in store.ids(solver="scripted", split="train")][: chosen.episodes]
    print_counts(count(episodes, store.marks(), chosen.times))


def print_counts(found: Counter[str]) -> None:
    """Print shares of what was counted."""
    for what, whole in (("instructions", "instruction"), ("answers", "answer")):
        total = max(found[whole], 1)
        print(f"{found[whole]} {what} exchanged, {found[f'{whole}: (+) turned']} (+) turned")
        for key in sorted(k for k in found if k.startswith(f"{whole}: ")):
            print(f"  {key.partition(': ')[2]}: {found[key]} ({found[key] / total:.2%} of the exchanges)")


def count(episodes: list[Episode], marks: list[Any], times: int) -> Counter[str]:
    """Count the outcomes of ``times`` alterations of each of ``episodes``."""
    tokenizer = Tokenizer.train([t for e in episodes for t in (*e.setter_text, *e.utterance)], vocab_size=512)
    height, width = episodes[0].pictures().shape[1:3]
    config = AgentConfig(image_size=(height, width), vocab_size=tokenizer.vocab_size)
    play = mark_play(episodes, marks, tokenizer, config)
    texts = [text for episode in episodes for text in episode.setter_text]
    answers = [text for episode in episodes for text in episode.solver_text]
    world = registry.get(episodes[0].world).make(height=8, width=8, views=())
    assert isinstance(world, Playhouse), "only in the Playhouse requests can be understood"
    found: Counter[str] = Counter()
    for change in changes(episodes, play, times):
        own = np.arange(change.alteration.start, change.alteration.start + len(change.episode))
        if (exchanged := np.flatnonzero(change.alteration.setter_rows != own)).size:
            request = int(exchanged[0])
            other = texts[change.alteration.setter_rows[request]]
            judge_instruction(found, world, change, request, other)
        else:
            judge_answers(found, change, [answers[row] for row in change.alteration.solver_rows])
    return found


def changes(episodes: list[Episode], play: MarkedPlay, times: int) -> Iterator[Change]:
    """``times`` alterations of each episode that can be altered, with what they turned."""
    dialogue, augmentation = Dialogue.of(play.episodes, play.marks), Augmentation(probability=1.0)
    for number, episode in enumerate(episodes):
        rows, marks = play.rows(number), play.marks_of(number)
        for draw in range(times):
            alteration = augmentation.alter(dialogue, rows, marks, np.random.default_rng([draw, number]))
            if alteration is not None:
                lost = marks[..., PLUS].astype(int) - alteration.marks[..., PLUS]
                yield Change(episode, alteration, np.flatnonzero(lost.sum(axis=1) > 0))


def judge_instruction(found: Counter[str], world: Playhouse, change: Change, request: int, other: str) -> None:
    """Count what is wrong with an exchange from row ``request`` on, for the instruction ``other``."""
    progress = set(progress_under(world, change.episode, request, other))
    causes = {event.step for event in change.episode.truth if event.sign > 0}
    right = late = 0
    for step in change.turned.tolist():
        window = set(range(step - DELAY, step + 1))
        right += bool(progress & window)
        cause = max(causes & window, default=None)
        late += cause is not None and cause <= request
    found.update({"instruction": 1, "instruction: (+) turned": len(change.turned)})
    found.update({"instruction: (+) turned that are still right": right, "instruction: (+) turned that are late": late})
    found["instruction: with a (+) that is still right"] += right > 0
    found["instruction: with a (+) that is late"] += late > 0
    found["instruction: with either"] += right + late > 0


def progress_under(world: Playhouse, episode: Episode, request: int, other: str) -> Iterator[int]:
    """Steps of ``episode`` that are progress if ``other`` is what is asked from row ``request`` on."""
    world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    task = None
    for step in range(len(episode)):
        world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
        if step == request - 1:
            spec = understood(world, other)
            if spec is None:
                return
            task = registry.get(episode.world).make_task(spec)
        if task is not None:
            _, events = task.update(world, episode.utterance[step])
            yield from (event.step for event in events if event.sign > 0)


def understood(world: Playhouse, text: str) -> TaskSpec | None:
    """Return the task of ``text`` in the present house; None if it names a missing object, or several."""
    heard = understand(text)
    if heard is None:
        return None
    things = list(describe_all(world).values())
    if heard.name in ("count", "exist"):
        return TaskSpec(heard.name, text, {"answer": _answer(heard.name, heard.slots["x"], things)}, 10_000)
    named = {slot: language.resolve(heard.slots[slot], things) for slot in ("x", "y") if slot in heard.slots}
    if any(len(fitting) != 1 for fitting in named.values()):
        return None
    (target,) = named["x"]
    arguments = {"target": target.id, "answer": target.colour}
    if "y" in named:
        arguments["next_to"] = named["y"][0].id
    return TaskSpec(heard.name, text, arguments, 10_000)


def _answer(name: str, expression: str, things: list[Described]) -> str:
    colour, kind = language.combination(expression) or ("", "")
    here = [t for t in things if t.room != "another room"]
    number = sum(colour in (None, t.colour) and kind in (None, t.kind) for t in here)
    return NUMBERS[number] if name == "count" else (YES if number else NO)


def judge_answers(found: Counter[str], change: Change, heard: list[str]) -> None:
    """Count how many of the exchanged answers are right for what was asked."""
    episode, right = change.episode, 0
    own = np.array(episode.solver_text, dtype=object)
    for row in np.flatnonzero((own != np.array(heard, dtype=object)) & (own != np.roll(own, 1))).tolist():
        asked = [request.task for request in episode.requests if request.step < row]
        answer = asked[-1].arguments.get("answer") if asked else None
        right += answer is not None and language.answer_in(heard[row], ANSWERS.get(asked[-1].name, ())) == answer
    found.update({"answer": 1, "answer: (+) turned": len(change.turned)})
    found["answer: with one that is still right"] += right > 0


if __name__ == "__main__":
    main()
