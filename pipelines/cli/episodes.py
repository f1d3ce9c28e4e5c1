"""``rlhf episodes list|show|verify|merge|drop|compact|push``: their functions and output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipelines.cli.contact_sheet import write_contact_sheet
from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import (
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    Statement,
    StretchScore,
)
from rlhf.run import terminal
from rlhf.run.progress import bar
from rlhf.store import EpisodeRow, Problem, open_store, rebuild_index
from rlhf.store.parquet import FILE_MB
from rlhf.store.transfer.hub import MANY_FILES, files_of_play, push
from worlds.errors import UserError

_WIDTH_WITHOUT_TERMINAL = 240  # nothing is cut where another program reads


def list_episodes(
    data: str | Path,
    split: str | None = None,
    limit: int = 50,
    solver: str | None = None,
    console: Console | None = None,
) -> None:
    """Print a table of the dataset's episodes and a line of totals.

    Args:
      data: dataset folder.
      split: split of the episodes; None lists all.
      limit: largest number of episodes to list; 0 lists all.
      solver: solver of the episodes; None lists all.
      console: console to print to; None is standard output.

    Raises:
      UserError: if ``data`` is no readable dataset or ``limit`` is negative.
    """
    if limit < 0:
        raise UserError(f"limit is {limit}; give the number of episodes to show, or 0 for all")
    console = console or _console()
    store = open_store(data)
    rows = store.rows(split, solver)
    listed = {row.episode_id for row in rows}
    marks = [mark for mark in store.marks() if mark.episode_id in listed]
    steps_per_second = store.description.steps_per_second
    of_episode = Counter((mark.episode_id, mark.sign) for mark in marks)
    table = Table(
        "episode", "steps", "time", "split", "setter", "solver", "asked", "done", "marks", "created", box=None
    )
    for row in islice(rows, limit or None):
        progress, regress = of_episode[row.episode_id, 1], of_episode[row.episode_id, -1]
        table.add_row(*map(Text, _cells(row, steps_per_second)), Text(f"+{progress} -{regress}"), Text(row.created))
    console.print(table)
    if 0 < limit < len(rows):
        _print_line(console, f"... and {len(rows) - limit} more (--limit 0 shows all)")
    _print_line(console, _totals(rows, marks, steps_per_second))


def show_episode(data: str | Path, episode_id: str, png: Path | None = None, console: Console | None = None) -> None:
    """Print the players, the requests, and step by step utterances, successes and marks.

    Args:
      data: dataset folder.
      episode_id: id of the episode.
      png: file for a contact sheet of the frames; None writes none.
      console: console to print to; None is standard output.

    Raises:
      UserError: if there is no such episode, it is damaged, or ``png`` cannot be written.
    """
    console = console or _console()
    store = open_store(data)
    episode = store.read(episode_id)
    marks, judgements = store.marks(episode_id), store.judgements(episode_id)
    size, steps_per_second = episode.spaces.image_size, store.description.steps_per_second
    pictures = "no pictures" if size is None else f"{size[0]}x{size[1]} pixels"
    lines = [
        f"{episode.episode_id}: {len(episode)} steps ({clock(len(episode), steps_per_second)}), {episode.split}",
        f"{episode.setter} asks, {episode.solver} does, in {episode.world} ({pictures})",
        f"seed {episode.seed}" + (f", recorded {episode.created}" if episode.created else ""),
    ]
    _print_line(console, "\n".join(lines))
    table = Table("step", "time", "who", "what", box=None)
    preferences = [one for kind in STATEMENTS.values() for one in store.preferences(kind, episode_id)]
    for step, who, what in timeline(episode, marks, judgements, preferences):
        table.add_row(str(step), clock(step, steps_per_second), Text(who), Text(what))
    console.print(table)
    if png is not None:
        write_contact_sheet(Path(png), episode, marks)
        _print_line(console, f"frames: {png}")


def verify_dataset(data: str | Path, rebuild: bool = False, console: Console | None = None) -> int:
    """Read the whole dataset and print its problems, each with a hint.

    Args:
      data: dataset folder.
      rebuild: rebuild the index first.
      console: console to print to; None is standard output.

    Returns:
      An exit status: 0 if there is no problem, or only ones that go away without a repair, else 1.

    Raises:
      UserError: if ``data`` is no dataset, or its index is damaged and is not to be rebuilt.
    """
    console = console or _console()
    if rebuild:
        _print_line(console, f"index rebuilt: {_count(rebuild_index(data), 'episode')} found")
    store = open_store(data)
    problems = store.verify()
    for problem in problems:
        console.print(_problem(problem), soft_wrap=True)
    serious = sum(not problem.ignorable for problem in problems)
    result = _count(serious, "problem") if serious else "no problems"
    _print_line(console, f"{store}: {_count(len(store), 'episode')} read, {result}")
    return 1 if serious else 0


def merge_datasets(source: str | Path, into: str | Path, console: Console | None = None) -> None:
    """Copy episodes, marks, judgements and other preferences that ``source`` has and ``into`` lacks.

    Args:
      source: dataset folder to copy from.
      into: dataset folder to copy to; it is created if it does not exist.
      console: console to print to; None is standard output.

    Raises:
      UserError: if one id stands for different episodes in the two (nothing is copied then), or their worlds
        or image sizes differ.
    """
    console = console or _console()
    other = open_store(source)
    store = open_store(into, create=True)
    merged = store.merge(other)
    for settings in other.description.play_settings:
        store.note_play_settings(settings)
    copied = [_count(merged.copied, "episode"), _count(merged.marks, "mark"), _count(merged.judgements, "judgement")]
    copied += [_count(merged.preferences, "other preference")] if merged.preferences else []
    skipped = f"; {_count(merged.skipped, 'episode')} there already" if merged.skipped else ""
    _print_line(console, f"copied {', '.join(copied)} from {other} into {into}{skipped}")


def drop_episodes(data: str | Path, ids: Iterable[str], console: Console | None = None) -> None:
    """Remove episodes with all records about them permanently.

    Args:
      data: dataset folder.
      ids: ids of the episodes.
      console: console to print to; None is standard output.

    Raises:
      UserError: if one of ``ids`` is unknown (nothing is removed then), or none is given.
    """
    console = console or _console()
    dropped = set(ids)
    if not dropped:
        raise UserError("no episode to drop is named; `rlhf episodes list` shows their ids")
    store = open_store(data)
    marks = sum(mark.episode_id in dropped for mark in store.marks())
    judgements = sum(judgement.episode_id in dropped for judgement in store.judgements())
    preferences = {one for kind in STATEMENTS.values() for name in dropped for one in store.preferences(kind, name)}
    number = store.drop(dropped)
    lost = f"{_count(marks, 'mark')} and {_count(judgements, 'judgement')}"
    lost += f", and {_count(len(preferences), 'other preference')}" if preferences else ""
    before = f", and {len(dropped) - number} had been before" if number < len(dropped) else ""
    _print_line(console, f"dropped {_count(number, 'episode')} with {lost}{before}; {len(store)} left in {store}")


def compact_dataset(data: str | Path, file_mb: float = FILE_MB, console: Console | None = None) -> None:
    """Gather a dataset's episodes in few large files, and all marks in one; nothing else changes.

    Args:
      data: dataset folder.
      file_mb: megabytes (10^6 bytes) of steps that a file has at least; the last one holds the rest.
      console: console to print to; None is standard output.

    Raises:
      UserError: if ``data`` is no dataset, or there is no space for one new file beside the old ones.
    """
    console = console or _console()
    store = open_store(data)
    with bar("gathering", unit="episodes") as shown:
        fewer = store.compact(file_mb, shown.advance)
    after = _files(store.folder)
    _print_line(console, f"{store}: {_count(len(store), 'episode')} in {_count(after, 'file')}, {after + fewer} before")


def push_dataset(data: str | Path, to: str, public: bool = False, console: Console | None = None) -> None:
    """Upload a dataset to a repository of the Hugging Face Hub.

    Args:
      data: dataset folder.
      to: repository, NAMESPACE/NAME; it is created if there is none.
      public: whether everyone may see it; if not, a new one is private and a public one is refused.
      console: console to print to; None is standard output.

    Raises:
      UserError: if ``data`` is no dataset, it has too many files, or the Hub refuses it.
    """
    console = console or _console()
    store = open_store(data)
    if (files := files_of_play(store.folder)) > MANY_FILES:
        _print_line(
            console,
            f"{store} has {files:,} files of play, which are slow to upload and to load; "
            f"`rlhf episodes compact {store}` gathers them in few",
        )
    pushed = push(store.folder, to, public)
    removed = f", {_count(pushed.removed, 'file')} removed" if pushed.removed else ""
    changed = f"{_count(pushed.uploaded, 'new file')}{removed}"
    _print_line(console, f"pushed {_count(pushed.episodes, 'episode')} to {pushed.url} ({changed})")


def _files(folder: Path) -> int:
    return len(list(folder.glob("steps/*.parquet")))


def timeline(
    episode: Episode, marks: Sequence[Mark], judgements: Sequence[Judgement], preferences: Sequence[Statement] = ()
) -> Iterator[tuple[int, str, str]]:
    """Yield (step, person or program, event) in order; marks and judgements of a step follow its play."""
    judged = [*_verdict_events(marks, judgements, len(episode) - 1), *_preference_events(preferences, episode)]
    yield from sorted([*_play_events(episode), *judged], key=lambda event: event[0])


def clock(step: int, steps_per_second: float) -> str:
    """Return the time at which a step begins, in minutes, seconds and tenths."""
    tenths = round(step / steps_per_second * 10)
    return f"{tenths // 600}:{tenths % 600 / 10:04.1f}"


def _play_events(episode: Episode) -> Iterator[tuple[int, str, str]]:
    successes = dict(zip(episode.success_step, episode.requests, strict=False))
    before = None
    for step in range(len(episode)):
        driver = "co-pilot" if episode.controller[step] == CO_PILOT else "solver"
        if driver != before and (step > 0 or driver == "co-pilot"):
            yield step, driver, "takes over"
        before = driver
        if episode.setter_utterance[step]:
            yield step, "setter", f'says "{episode.setter_utterance[step]}"'
        if episode.utterance[step]:
            yield step, driver, f'says "{episode.utterance[step]}"'
        if step in successes:
            yield step, driver, f'succeeds in "{successes[step].task.instruction}"'


def _verdict_events(
    marks: Sequence[Mark], judgements: Sequence[Judgement], last: int
) -> Iterator[tuple[int, str, str]]:
    for mark in marks:
        yield mark.step, f"rater {mark.rater}{_stand_in(mark)}", f"marks {mark.sign:+d}"
    for judgement in judgements:
        verdict = "judges it done" if judgement.success else "judges it not done"
        step = last if judgement.step is None else judgement.step
        yield step, f"judge {judgement.judge}{_stand_in(judgement)}", verdict


def _preference_events(preferences: Sequence[Statement], episode: Episode) -> Iterator[tuple[int, str, str]]:
    """Yield the preferences about stretches of ``episode``, each at the stretch's first step."""
    for one in preferences:
        for place, stretch in enumerate(one.stretches):
            if stretch.episode_id != episode.episode_id:
                continue
            until = f"up to step {stretch.end - 1}"
            if isinstance(one, ClipPair):
                other = one.stretches[1 - place]
                beside = f"step {other.begin} on of {other.episode_id}"
                what = f"compares clip {'ab'[place]} {until} with {beside}: {one.answer}"
            elif isinstance(one, RequestVerdict):
                what = f"judges the request {until}: {one.answer}"
            elif isinstance(one, StretchScore):
                what = f"scores what is {until} {one.score:g} (of {one.low:g} to {one.high:g})"
            elif isinstance(one, InferredGoal):
                what = f"infers the goal {goal_words(one.counts)} from what is {until}"
            elif isinstance(one, HelperRating):
                given = f"knew the goal {one.knew_goal}, helpful {one.helpful}, trusted {one.trusted}"
                what = f"rates the helper {until}, from 1 to 7: {given}"
            else:
                what = f"acts instead of the agent {until}"
            yield stretch.begin, f"rater {one.rater}{_stand_in(one)}", what


def goal_words(counts: Mapping[str, int]) -> str:
    """Return the counts of a goal in one line, e.g. "on_plate_kitchentable 2"."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "of nothing"


def _stand_in(record: Mark | Judgement | Statement) -> str:
    return " (scripted)" if record.scripted else ""


def _cells(row: EpisodeRow, steps_per_second: float) -> tuple[str, ...]:
    done = f"{row.successes}/{row.requests}" if row.requests else ""
    time = clock(row.steps, steps_per_second)
    return row.episode_id, str(row.steps), time, row.split, row.setter, row.solver, row.asked, done


def _totals(rows: Sequence[EpisodeRow], marks: Sequence[Mark], steps_per_second: float) -> str:
    steps = sum(row.steps for row in rows)
    people = {mark.rater for mark in marks if not mark.scripted}
    scripted = {mark.rater for mark in marks if mark.scripted}
    by = [_count(len(raters), noun) for raters, noun in ((people, "person"), (scripted, "scripted rater")) if raters]
    by_whom = f" by {' and '.join(by)}" if by else ""
    hours = steps / steps_per_second / 3600
    return f"{_count(len(rows), 'episode')}, {steps:,} steps ({hours:.2f} hours), {_count(len(marks), 'mark')}{by_whom}"


def _problem(problem: Problem) -> Text:
    """Format a problem as one line, as a table would cut names."""
    return Text(f"{problem.file}: {problem.what}; {problem.hint}", "dim" if problem.ignorable else "")


def _count(number: int, noun: str) -> str:
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


def _print_line(console: Console, text: str) -> None:
    """Print a line without markup or line breaks, as it has names of episodes and files."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _console() -> Console:
    """Return the console of standard output, wide enough that nothing is cut if it is not a terminal."""
    found = terminal.console()
    return found if found.is_terminal else terminal.console(width=_WIDTH_WITHOUT_TERMINAL)
