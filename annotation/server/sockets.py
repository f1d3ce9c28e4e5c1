"""A player's connection: inputs up; views down, as many as the connection carries and always the newest."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from annotation.games import Inputs
from annotation.server.routes.schema import PlayerMessage
from annotation.server.security.limits import RateLimit
from annotation.server.services.active_game import ActiveGame
from annotation.session import states as session
from annotation.session.ratings import HelperRatings
from annotation.session.states import Role, SessionEvent

MESSAGE_CHARS = 4096
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 100.0, 500.0  # inputs come 30 times a second, views are noted 15 times
UNSEEN_VIEWS = 4  # on their way at once: more would only make the delay longer
WATCH_SEC = 1.0
SILENT_SEC = 8.0  # then the connection is lost, whatever the network says
ADMITTED_SEC = 15.0  # between two checks that the player may still take part

_log = logging.getLogger("rlhf.serve")


@dataclass(frozen=True)
class End:
    """The reason why a connection ends.

    Args:
      code: WebSocket's code, or one of ours from 4000.
    """

    code: int
    said: str


OVER = End(1000, "the game is over")
LEFT = End(1000, "you have left the game")
GONE = End(1001, "the connection was lost")
NOT_UNDERSTOOD = End(1008, "the server received an unknown message from your browser; load the page again")
TOO_MANY = End(1008, "your browser sends too many messages; load the page again")
TOO_LONG = End(1009, f"a message has at most {MESSAGE_CHARS} letters")
ELSEWHERE = End(4001, "you continue this game in another window")
SILENT = End(4002, "the server has received nothing from your browser for a while")
SIGNED_OUT = End(4003, "you are signed out")
TERMS_CHANGED = End(4003, "the study's terms have changed: read them, and return to the game within a minute")
TAKEN_OUT = End(4003, "you do not take part in this any more; ask the study's leader")


class PlayerSocket:
    """One connection of one player.

    Args:
      barred: returns why the player may not be here any more, None if they may; it may take long.
    """

    def __init__(self, socket: WebSocket, running: ActiveGame, role: Role, barred: Callable[[], End | None]) -> None:
        self._socket, self._running, self._role, self._barred = socket, running, role, barred
        self._rate = RateLimit(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE)
        self._sending = asyncio.Lock()
        self._replaced = asyncio.Event()
        self._room = asyncio.Event()
        self._sent, self._unseen = 0, deque[tuple[int, float]]()
        self._heard, self._lag_sec = time.monotonic(), 0.0
        self.connection = 0

    async def serve(self) -> End:
        """Serve until the game or the connection ends; return which. Raises Refused if the player has left the game."""
        loop = asyncio.get_running_loop()
        self.connection = self._running.connect(
            self._role, lambda: loop.call_soon_threadsafe(self._replaced.set) and None
        )
        work = [asyncio.create_task(part()) for part in (self._show, self._hear, self._watch, self._wait_replaced)]
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            end = _result(done)
        finally:
            self._running.disconnect(self._role, self.connection)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
            await self._socket.close(end.code, end.said)
        return end

    async def _show(self) -> End:
        """Send views until the game is over."""
        async with aclosing(self._running.game.screen(self._role).views()) as views:
            self._room.set()
            before = None
            while True:
                await self._room.wait()
                try:
                    view = await anext(views)
                except StopAsyncIteration:
                    return OVER
                for part in view.parts(before):
                    self._sent += 1
                    self._unseen.append((self._sent, time.monotonic()))
                    if len(self._unseen) >= UNSEEN_VIEWS:
                        self._room.clear()
                    async with self._sending:
                        await self._socket.send_bytes(part.message(before))
                    before = part

    async def _hear(self) -> End:
        """Take messages of the browser."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return GONE
            text = message.get("text")
            self._heard = time.monotonic()
            if text is None:
                return NOT_UNDERSTOOD
            if len(text) > MESSAGE_CHARS:
                return TOO_LONG
            if self._rate.wait("") > 0:
                return TOO_MANY
            try:
                said = PlayerMessage.model_validate_json(text)
            except ValidationError:
                return NOT_UNDERSTOOD
            try:
                self._obey(said)
            except session.TransitionRefused as refused:
                await self._tell({"refused": str(refused)})
            if said.do == SessionEvent.LEAVE:
                return LEFT

    def _obey(self, said: PlayerMessage) -> None:
        """Pass a message on to the game. Raises session.TransitionRefused."""
        game = self._running.game
        if said.seen is not None:
            self._note_seen(said.seen)
        if said.inputs is not None:
            game.give(self._role, _inputs(said))
        if said.judge is not None:
            game.judge(self._role, said.judge.request_step, said.judge.said)
        if said.rate is not None:
            game.rate(self._role, HelperRatings(said.rate.knew_goal, said.rate.helpful, said.rate.trusted))
        if said.do == SessionEvent.LEAVE:
            self._running.leave(self._role)
        elif said.do is not None:
            game.do(self._role, SessionEvent(said.do))

    def _note_seen(self, seen: int) -> None:
        while self._unseen and self._unseen[0][0] <= seen:
            self._lag_sec = time.monotonic() - self._unseen.popleft()[1]
        if len(self._unseen) < UNSEEN_VIEWS:
            self._room.set()

    async def _watch(self) -> End:
        """Send the browser its delay; end the connection when nothing has come from it for long."""
        asked, silent = time.monotonic(), 0
        while True:
            await asyncio.sleep(WATCH_SEC)
            now = time.monotonic()
            silent = silent + 1 if now - self._heard > SILENT_SEC else 0
            if silent > 1:  # twice, as the server itself may have been busy
                return SILENT
            if now - asked > ADMITTED_SEC:
                asked = now
                if (barred := await asyncio.to_thread(self._barred)) is not None:
                    return barred
            waited = now - self._unseen[0][1] if self._unseen else 0.0
            # Nothing may be sendable to a browser that is gone: that must not keep its silence from being noticed.
            with suppress(TimeoutError):
                async with asyncio.timeout(WATCH_SEC):
                    await self._tell({"lag_ms": round(1000 * max(self._lag_sec, waited))})

    async def _wait_replaced(self) -> End:
        await self._replaced.wait()
        return ELSEWHERE

    async def _tell(self, message: dict[str, Any]) -> None:
        async with self._sending:
            await self._socket.send_text(json.dumps(message))


def _inputs(said: PlayerMessage) -> Inputs:
    given = said.inputs
    assert given is not None
    return Inputs(
        frozenset(given.held), frozenset(given.tapped), given.turn, given.look, given.reach, given.say,
        tuple(given.pressed), given.chosen, given.chosen_at,
    )  # fmt: skip


def _result(done: set[asyncio.Task[End]]) -> End:
    """Return why a connection ended: the game's end and the newer window count before a lost connection."""
    ends = []
    for task in done:
        error = task.exception()
        if error is None:
            ends.append(task.result())
        elif not isinstance(error, (WebSocketDisconnect, RuntimeError, OSError)):
            _log.error("a player's connection failed", exc_info=error)
    return min(ends, key=lambda end: (end is GONE, end.code), default=GONE)
