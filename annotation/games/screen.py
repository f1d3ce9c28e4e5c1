"""Views for people, and their way to them: always the newest, never a queue."""

from __future__ import annotations

import asyncio
import io
import json
import struct
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np
from PIL import Image

from annotation.session.states import PlaySession, Refusal, Role, State, TransitionRefused
from annotation.session.verdicts import SetterLine
from worlds.contract.live_play import Board

MIME = "image/jpeg"
SLOW = 0.9  # of real time, below which the page says so


@dataclass(frozen=True)
class SpokenLine:
    """One utterance and the step in which it was said."""

    step: int
    role: Role
    words: str


@dataclass(frozen=True)
class View:
    """The page of one person at one moment.

    Args:
      seconds_left: seconds of play that are left, at full speed.
      limit_sec: seconds until the state times out; None where it has no limit.
      can: names of the events that this person can cause.
      asked: lines of an evaluation's setter, with their verdicts.
      notice: message for the person; "" for none.
      speed: speed of the game, as a share of real time.
      saved: id of the episode once it is durable; "" before.
      frame: the picture as a file of type MIME; None before the first.
      grabs: what a grab would take now, e.g. "the red ball"; "" for nothing.
      grab_failed: why a recent grab failed; "" if none did.
      board: what the person can do now, where people choose among that; None elsewhere, and while nothing is played.
      fulfilled: after the game, whether each request was fulfilled, where the world checks them; () elsewhere.
    """

    state: State
    step: int
    steps: int
    seconds_left: float
    limit_sec: float | None
    in_control: Role
    can: tuple[str, ...]
    here: tuple[Role, ...]
    ready: tuple[Role, ...]
    lost: tuple[Role, ...]
    dialogue: tuple[SpokenLine, ...]
    asked: tuple[SetterLine, ...]
    notice: str
    speed: float
    saved: str
    frame: bytes | None = None
    grabs: str = ""
    grab_failed: str = ""
    fulfilled: tuple[bool, ...] = ()
    board: Board | None = None

    def header(self) -> dict[str, Any]:
        """Return everything but the picture, JSON-serialisable."""
        board = None if self.board is None else self.board.message()
        return asdict(replace(self, frame=None, board=None)) | {"frame": len(self.frame or b""), "board": board}

    def parts(self, before: View | None) -> tuple[View, ...]:
        """Return the views to send one after another: a new board comes without the picture first, for slow lines.

        Args:
          before: the view that the connection got last; None for its first.
        """
        new = self.board is not None and (before is None or before.board is not self.board)
        return (replace(self, frame=None), self) if new and self.frame else (self,)

    def message(self, before: View | None = None) -> bytes:
        """Return the view as one message: length of the header (uint32, big-endian), header (UTF-8 JSON), picture.

        What grows during a game is sent once to each connection. ``dialogue`` has the lines that are new since
        ``before``, ``said`` how many there were before them. ``asked`` is null if it has not changed,
        ``board`` then "same".
        """
        said = len(before.dialogue) if before is not None else 0
        fields = replace(self, dialogue=self.dialogue[said:]).header() | {"said": said}
        if before is not None and before.asked == self.asked:
            fields["asked"] = None
        if before is not None and self.board is not None and before.board is self.board:
            fields["board"] = "same"
        header = json.dumps(fields, separators=(",", ":")).encode()
        return struct.pack(">I", len(header)) + header + (self.frame or b"")


def encode(picture: np.ndarray, quality: int) -> bytes:
    """Encode a picture, uint8 [height, width, 3], as a file of type MIME.

    JPEG is the fastest to encode (see ``benchmarks/games.py``). Colours keep their full resolution: people are asked
    about colours of small things.
    """
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality, subsampling=0)
    return file.getvalue()


def notice(session: PlaySession, starting: bool, speed: float) -> str:
    """Return a message for everybody; "" for none."""
    if session.state is State.PAUSED:
        return f"waiting for the {' and the '.join(sorted(session.lost))}, whose connection is lost"
    if session.state is State.ABANDONED:
        return session.why
    if starting:
        return "the agent is getting ready"
    if session.state is State.PLAYING and speed < SLOW:
        return f"this machine is busy: the game runs at {100 * speed:.0f}% of its speed"
    return ""


class Screen:
    """The newest view for one person. The game sets it; any thread or event loop reads it.

    A connection that is slower than the game misses views, and its delay stays that of one view.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._view: View | None = None
        self._number = 0
        self._closed = False
        self._watchers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    @property
    def watched(self) -> bool:
        """True if a player watches this screen."""
        return bool(self._watchers)

    @property
    def latest(self) -> View | None:
        """The newest view; None before the first."""
        return self._view

    def show(self, view: View) -> None:
        """Set the newest view."""
        with self._changed:
            self._view, self._number = view, self._number + 1
            self._tell()

    def close(self) -> None:
        """End the views; watchers still get the last one."""
        with self._changed:
            self._closed = True
            self._tell()

    async def views(self) -> AsyncGenerator[View, None]:
        """Yield the newest view whenever there is a new one; end with the game."""
        watcher = asyncio.get_running_loop(), asyncio.Event()
        with self._changed:
            self._watchers.append(watcher)
        seen = 0
        try:
            while True:
                watcher[1].clear()
                with self._changed:
                    number, view, closed = self._number, self._view, self._closed
                if view is not None and number > seen:
                    seen = number
                    yield view
                elif closed:
                    return
                else:
                    await watcher[1].wait()
        finally:
            with self._changed:
                self._watchers.remove(watcher)

    def _tell(self) -> None:
        self._changed.notify_all()
        for loop, event in self._watchers:
            with suppress(RuntimeError):  # that loop has been closed; its connection is gone
                loop.call_soon_threadsafe(event.set)


class PictureSource(Protocol):
    """A source of pictures, see :class:`annotation.games.live_world.LiveWorld`."""

    @property
    def moment(self) -> int:
        """Number of the moment that a picture shows now; it grows."""
        ...

    def picture(self, player: str) -> np.ndarray:
        """Return what ``player`` sees now: uint8 [height, width, 3]."""
        ...


class Screens:
    """The screens of a game's people.

    Args:
      players: player of the world through whose eyes each role sees.
      quality: JPEG quality of pictures, 1 to 95.
    """

    def __init__(self, players: Mapping[Role, str], quality: int) -> None:
        self._players, self._quality = players, quality
        self._screens = {role: Screen() for role in players}
        self._frames: dict[str, bytes] = {}
        self._moments: dict[str, int] = {}  # that the frames show

    def of(self, role: Role) -> Screen:
        """Return the screen of the person in ``role``. Raises TransitionRefused if no person plays it."""
        if role not in self._screens:
            raise TransitionRefused(Refusal.NO_SUCH_ROLE)
        return self._screens[role]

    def draw(self, stage: PictureSource) -> None:
        """Draw new pictures for the roles that are watched, unless theirs shows this moment."""
        watched = {self._players[role] for role, screen in self._screens.items() if screen.watched}
        for player in watched:
            if self._moments.get(player) != stage.moment:
                self._frames[player] = encode(stage.picture(player), self._quality)
                self._moments[player] = stage.moment

    def frame(self, role: Role) -> bytes | None:
        """Return the newest picture for ``role``; None before the first."""
        return self._frames.get(self._players[role])

    def show(self, view_of: Callable[[Role], View]) -> None:
        """Set the view of every screen."""
        for role, screen in self._screens.items():
            screen.show(view_of(role))

    def close(self) -> None:
        """End the views of every screen."""
        for screen in self._screens.values():
            screen.close()
