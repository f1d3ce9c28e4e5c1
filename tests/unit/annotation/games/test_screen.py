"""Views on their way to people."""

from __future__ import annotations

import asyncio
import io
import json
import struct
import threading
from dataclasses import replace

import numpy as np
from PIL import Image

from annotation.games.screen import Screen, Screens, SpokenLine, View, encode, notice
from annotation.session.states import Kind, PlaySession, Role, State
from annotation.session.verdicts import SetterLine
from tests.patience import PATIENCE_SEC

VIEW = View(
    state=State.PLAYING, step=3, steps=1125, seconds_left=299.2, limit_sec=None, in_control=Role.SOLVER, can=("end",),
    here=(Role.SETTER,), ready=(Role.SETTER,), lost=(),
    dialogue=(SpokenLine(2, Role.SETTER, "lift the ‹duck›"),), asked=(),
    notice="", speed=1.0, saved="", frame=b"\xff\xd8picture",
)  # fmt: skip


def test_a_message_is_header_and_picture():
    message = VIEW.message()
    (length,) = struct.unpack(">I", message[:4])
    header = json.loads(message[4 : 4 + length])
    assert message[4 + length :] == VIEW.frame and header["frame"] == len(VIEW.frame or b"")
    assert header == json.loads(json.dumps(VIEW.header() | {"said": 0}))
    assert header["dialogue"] == [{"step": 2, "role": "setter", "words": "lift the ‹duck›"}]
    assert header["state"] == "playing" and header["in_control"] == "solver"
    assert replace(VIEW, frame=None).message()[4:].endswith(b"}")


def sent(view: View, before: View | None) -> dict:
    """The header of a view to who had another one before."""
    return json.loads(view.message(before)[4:])


def test_requests_and_lines_of_dialogue_are_sent_once_to_a_connection() -> None:
    first = replace(VIEW, asked=(SetterLine(3, "lift it"),), frame=None)
    whole = json.loads(json.dumps(first.header()))["asked"]
    for before, asked in ((None, whole), (VIEW, whole), (first, None), (replace(first, step=9), None)):
        assert sent(first, before)["asked"] == asked and sent(first, before)["step"] == first.step
    later = replace(VIEW, dialogue=(*VIEW.dialogue, SpokenLine(5, Role.SOLVER, "which one?")), frame=None)
    for before, said in ((None, 0), (VIEW, 1), (later, 2)):
        header = sent(later, before)
        assert header["said"] == said and [line["step"] for line in header["dialogue"]] == [2, 5][said:]


def test_people_see_what_they_wait_for():
    paused = PlaySession(Kind.HUMAN_HUMAN, State.PAUSED, lost=frozenset({Role.SOLVER, Role.SETTER}))
    assert notice(paused, False, 1.0) == "waiting for the setter and the solver, whose connection is lost"
    playing = replace(paused, state=State.PLAYING, lost=frozenset())
    assert "at 50% of its speed" in notice(playing, False, 0.5) and notice(playing, False, 0.95) == ""
    assert "getting ready" in notice(replace(playing, state=State.WAITING), True, 1.0)
    assert notice(replace(playing, state=State.ABANDONED, why="nobody came"), False, 1.0) == "nobody came"


def test_pictures_keep_size_and_colours():
    picture = np.zeros((240, 320, 3), np.uint8)
    picture[:, 160:] = (200, 30, 40)
    picture[100:108, 100:108] = (30, 60, 220)  # a small blue thing
    shown = np.asarray(Image.open(io.BytesIO(encode(picture, 85))).convert("RGB")).astype(int)
    assert shown.shape == picture.shape
    assert np.abs(shown - picture).mean() < 2.0
    assert np.abs(shown[102:106, 102:106] - (30, 60, 220)).max() < 25


class _Stage:
    """A picture that shows its moment, and the moments that were drawn."""

    moment = 0

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def picture(self, player: str) -> np.ndarray:
        self.drawn.append(self.moment)
        return np.full((8, 8, 3), self.moment, np.uint8)


def test_each_moment_is_drawn_once_and_only_for_those_who_watch() -> None:
    screens, stage = Screens({Role.SOLVER: "solver"}, quality=85), _Stage()
    screens.draw(stage)
    assert screens.frame(Role.SOLVER) is None, "nobody watches"
    loop, views = asyncio.new_event_loop(), screens.of(Role.SOLVER).views()
    screens.show(lambda role: VIEW)
    loop.run_until_complete(anext(views))
    for moment in (0, 0, 1, 1, 2):
        stage.moment = moment
        screens.draw(stage)
    assert stage.drawn == [0, 1, 2]
    loop.run_until_complete(views.aclose())
    loop.close()


def test_a_slow_browser_gets_the_newest_view_and_the_last():
    screen = Screen()
    views = [replace(VIEW, step=step) for step in range(200)]

    async def watch() -> list[int]:
        seen = []
        async for view in screen.views():
            if not seen:
                assert screen.watched
                threading.Thread(target=lambda: ([screen.show(v) for v in views[1:]], screen.close())).start()
            seen.append(view.step)
            await asyncio.sleep(0.02)
        return seen

    screen.show(views[0])
    seen = asyncio.run(asyncio.wait_for(watch(), PATIENCE_SEC))
    assert seen[0] == 0 and seen[-1] == 199 and seen == sorted(set(seen)) and len(seen) < 200
    assert not screen.watched


def test_a_closed_event_loop_is_ignored():
    screen, loop = Screen(), asyncio.new_event_loop()
    views = screen.views()
    screen.show(VIEW)
    loop.run_until_complete(anext(views))
    loop.close()
    screen.show(replace(VIEW, step=4))
    assert screen.latest is not None and screen.latest.step == 4
