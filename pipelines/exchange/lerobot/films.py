"""Which frames of a film belong to the rows of which episode.

Several episodes lie in a film one after the other, and its frames are counted: the seconds that a dataset says are
sums of rounded durations, which drift by whole frames. Seconds decide where they agree with a film that has other
numbers of frames than rows: the episodes fill it from its first frame to its end. Where count and seconds name
different frames and both could be right, or frames cannot be counted, the user has to give a tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipelines.exchange.lerobot.reader import FilmPlace, Place, Source
from pipelines.exchange.lerobot.video import FilmFrames
from worlds.errors import UserError

_OPTION = "--lerobot.tolerance-sec"
_OTHER_RATE = 0.02  # part by which the rate of a film may differ: 29.97 frames a second are called 30
_NAMED = 3  # films of a note
_EXACT = 0.1  # of the time from one row to the next: seconds that differ by less name the same frame


@dataclass(frozen=True)
class Claim:
    """The part of a film that an episode claims.

    Args:
      begin: second at which it begins, as the dataset says.
      end: second at which it ends; NaN if it does not say.
    """

    rows: int
    begin: float
    end: float = np.nan


@dataclass(frozen=True)
class Frames:
    """The frames of the episodes of a film.

    Args:
      numbers: for each episode the numbers of its frames [rows], or why it has none.
      note: how they were found, if not by counting that agrees with the seconds; "" otherwise.
    """

    numbers: Sequence[np.ndarray | str]
    note: str = ""


def frames_of(seconds: np.ndarray, claims: Sequence[Claim], rate: float, tolerance_sec: float | None = None) -> Frames:
    """Return the frames of each claim.

    Args:
      seconds: at which each frame of the film is shown, from 0 on.
      rate: rows per second.
      tolerance_sec: by which a frame may be shown before or after its row, where frames cannot be counted; None: by a
        tenth of the time from one row to the next, and only if all seconds agree with the film.
    """
    total, spans = sum(claim.rows for claim in claims), _spans(seconds, claims, rate)
    is_filled = spans is None or all(len(span) == claim.rows for span, claim in zip(spans, claims, strict=True))
    if is_filled and (len(seconds) == total or (tolerance_sec is None and _may_count(seconds, claims, rate))):
        return _counted(seconds, claims, rate)
    if tolerance_sec is None and (spans is None or len(seconds) == total):
        hint = f"{_OPTION} takes those that are shown at most so many seconds before or after their rows"
        why = f"it has {len(seconds)} frames for {total} rows, and it is not known which belong together"
        return Frames([f"{why}; {hint}"] * len(claims))
    tolerance = _EXACT / rate if tolerance_sec is None else tolerance_sec
    parts = [np.arange(len(seconds))] * len(claims) if spans is None else spans
    found = [
        part if spans is not None and len(part) == claim.rows else _nearest(seconds, claim, rate, tolerance, part)
        for claim, part in zip(claims, parts, strict=True)
    ]
    return Frames(found, f"frames cannot be counted; those within {tolerance:.3g} s of their rows were taken")


def _may_count(seconds: np.ndarray, claims: Sequence[Claim], rate: float) -> bool:
    """Return whether counting is right though there are more or fewer frames than rows.

    It is if the film has the rate of the rows, and the seconds name the same frames; or, where some frames are left
    over, if the seconds name no frames at all.
    """
    interval, exact = _interval(seconds, rate), _EXACT / rate
    is_regular = np.abs(seconds - np.arange(len(seconds)) * interval).max() <= exact
    if not is_regular or abs(interval * rate - 1) > _OTHER_RATE:
        return False
    counted = np.cumsum([0, *(claim.rows for claim in claims)], dtype=np.float64)
    named = np.array([claim.begin for claim in claims]) / interval
    agree = np.all(np.abs(named - counted[:-1]) <= _EXACT)
    return bool(agree or (len(seconds) > counted[-1] and np.any(np.abs(named - np.round(named)) > _EXACT)))


def _counted(seconds: np.ndarray, claims: Sequence[Claim], rate: float) -> Frames:
    numbers, begin, off = list[np.ndarray | str](), 0, 0.0
    for claim in claims:
        end = begin + claim.rows
        missing = f"it ends {end - len(seconds)} frames before the rows that begin at frame {begin} do"
        numbers.append(np.arange(begin, end) if end <= len(seconds) else missing)
        off = max(off, abs(seconds[begin] - claim.begin) if begin < len(seconds) else 0.0)
        begin = end
    notes = ["from_timestamp names others"] if off > _EXACT / rate else []
    notes += [f"the last {len(seconds) - begin} belong to no row"] if len(seconds) > begin else []
    return Frames(numbers, f"frames were counted; {' and '.join(notes)}" if notes else "")


def _interval(seconds: np.ndarray, rate: float) -> float:
    """Return the seconds from one frame to the next."""
    return float(np.median(np.diff(seconds))) if len(seconds) > 1 else 1 / rate


def _spans(seconds: np.ndarray, claims: Sequence[Claim], rate: float) -> list[np.ndarray] | None:
    """Return the frames that lie between begin and end of each claim; None unless the claims fill the whole film."""
    interval = _interval(seconds, rate)
    begins = np.array([claim.begin for claim in claims])
    ends = np.array([claim.end for claim in claims])
    first = np.searchsorted(seconds, begins - interval / 2)
    exact = _EXACT * min(interval, 1 / rate)
    fills = (
        abs(begins[0]) <= exact
        and np.all(np.abs(begins[1:] - ends[:-1]) <= exact)
        and abs(ends[-1] - (seconds[-1] + interval)) <= interval / 2
        and first[-1] < len(seconds)
        and np.all(np.abs(seconds[np.minimum(first, len(seconds) - 1)] - begins) <= exact)
        and np.all(np.diff(first) > 0)
    )
    return np.split(np.arange(len(seconds)), first[1:]) if fills else None


def _nearest(seconds: np.ndarray, claim: Claim, rate: float, tolerance: float, span: np.ndarray) -> np.ndarray | str:
    """Return the frames of ``span`` that are shown nearest to the rows of a claim, or why there are none."""
    if len(span) < claim.rows:
        return f"it has {len(span)} frames for {claim.rows} rows"
    wanted = claim.begin + np.arange(claim.rows) / rate
    shown = seconds[span]
    after = np.clip(np.searchsorted(shown, wanted), 1, len(shown) - 1)
    nearest = after - (wanted - shown[after - 1] <= shown[after] - wanted)
    apart = np.abs(shown[nearest] - wanted)
    if apart.max() > tolerance:
        row = int(np.argmax(apart > tolerance))
        return f"it has no frame within {tolerance:.3g} s of row {row}, but one {apart[row]:.3g} s away"
    if not np.all(np.diff(nearest) > 0):
        return f"it has no frame of its own for row {int(np.argmin(np.diff(nearest) > 0)) + 1}"
    return span[nearest]


class Films:
    """The pictures of the episodes of a dataset, which lie in films."""

    def __init__(self, source: Source, feature: str, tolerance_sec: float | None = None) -> None:
        self._source, self._feature, self._tolerance_sec = source, feature, tolerance_sec
        self._places: dict[tuple[int, int], list[Place]] = {}
        for place in source.episodes:
            if feature in place.films:
                self._places.setdefault(place.films[feature].file, []).append(place)
        self._open: tuple[Path, FilmFrames | UserError, dict[int, np.ndarray | str]] | None = None
        self._notes: dict[str, list[str]] = {}

    def read(self, place: Place) -> np.ndarray:
        """Return the pictures of an episode: uint8 [steps, height, width, 3].

        Raises UserError if the film is missing or damaged, or it is not known which of its frames they are.
        """
        lies = place.films.get(self._feature)
        if lies is None:
            raise UserError(f"{self._source.folder}: {place.name} has no place among the films of {self._feature}")
        path = self._source.film_path(self._feature, lies.file)
        if self._open is None or self._open[0] != path:
            self.close()
            self._open = path, *self._opened(path, lies)
        _, film, frames = self._open
        if isinstance(film, UserError):
            raise film
        numbers = frames[place.number]
        if isinstance(numbers, str):
            raise UserError(f"{path}: {numbers}")
        return film.read(numbers.tolist())

    def notes(self) -> Iterator[str]:
        """Yield a line for each way in which frames were found, if not just by counting."""
        for note, paths in self._notes.items():
            more = f" and {len(paths) - _NAMED} more films" if len(paths) > _NAMED else ""
            yield f"{', '.join(paths[:_NAMED])}{more}: {note}"

    def close(self) -> None:
        """Close the film that was read last."""
        if self._open is not None and isinstance(self._open[1], FilmFrames):
            self._open[1].close()

    def _opened(self, path: Path, lies: FilmPlace) -> tuple[FilmFrames | UserError, dict[int, np.ndarray | str]]:
        try:
            film = FilmFrames(path)
        except UserError as error:
            return error, {}
        places = sorted(self._places[lies.file], key=lambda place: place.films[self._feature].begin)
        claims = [Claim(each.steps, *_seconds(each.films[self._feature])) for each in places]
        frames = frames_of(film.seconds, claims, self._source.rate, self._tolerance_sec)
        if frames.note:
            self._notes.setdefault(frames.note, []).append(str(path.relative_to(self._source.folder)))
        return film, {place.number: some for place, some in zip(places, frames.numbers, strict=True)}


def _seconds(lies: FilmPlace) -> tuple[float, float]:
    return lies.begin, lies.end
