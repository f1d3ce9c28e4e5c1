"""The disk of a running server fills up while people play: they are told, nothing is lost, and it goes on with room.

A limit of the size of files stands for the full disk: the system refuses to write, as it does there.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import httpx
import pytest

from annotation.server.security.visitors import Role
from annotation.session.verdicts import read_verdicts
from benchmarks.serving import new_people
from rlhf.store import open_store
from tests.e2e.evaluating import ask, browser, evaluating, judge, kept, make_study, play, setter, start, stored
from tests.patience import until
from tests.unit.annotation.server.players import Player

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are Linux's"),
]
FULL = "the server's disk is full"


@contextmanager
def full_disk(server: Popen[str], room: int = 4096) -> Iterator[None]:
    """While inside, the server can write no file beyond ``room`` bytes."""
    before = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, before)


def test_an_evaluation_waits_for_room_and_so_do_its_verdicts(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder)
    with evaluating(folder) as (server, url):
        player = play(browser(url, setter(folder)), ("lift the duck", "go to the bed", "what is red?"))
        with full_disk(server):
            player.say(do="end")
            player.sees(state="judging", notice=f"the episode is not saved yet ({FULL}); trying again")
            judge(player, 0, "success")
            assert FULL in player.view["notice"]
        player.sees(notice="")
        assert kept(folder)
        with full_disk(server, room=1):
            judge(player, 1, "failure")
            player.sees(notice=f"your latest verdict is not saved yet ({FULL}); trying again")
        player.sees(notice="")
        with full_disk(server):
            judge_last(player)
            until(lambda: player.view["state"] == "saving" and FULL in player.view["notice"], "the trouble")
            assert player.view["saved"] == ""
        player.sees(state="ended", notice="")
        (episode,) = stored(folder)
    assert episode.episode_id == player.view["saved"] and len(episode) == player.view["step"]
    assert [verdict.success for verdict in read_verdicts(episode.notes)] == [True, False]
    assert open_store(folder / "live").verify() == []


def judge_last(player: Player) -> None:
    player.say(judge={"request_step": player.view["asked"][2]["step"], "said": "no request"})


def test_a_game_of_two_waits_for_room_and_none_begins_without(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder)
    with evaluating(folder) as (server, url):
        ann = browser(url, setter(folder))
        bob = browser(url, new_people(folder, Role.SOLVER, 1)[0])
        with full_disk(server, room=1), pytest.raises(httpx.HTTPStatusError) as refused:
            start(ann, "human-human")
        answer = refused.value.response
        assert answer.status_code == 507 and FULL in answer.json()["error"] and str(folder) not in answer.text
        game_id = start(ann, "human-human")
        ask(bob, "POST", f"/api/play/games/{game_id}/join", {"role": "solver"})
        players = [Player(ann, game_id), Player(bob, game_id)]
        for player in players:
            player.say(do="ready")
        players[0].sees(state="playing")
        players[1].say(inputs={"held": ["forward"], "say": "i walk"})
        begun = until(lambda: [line["step"] for line in players[0].view["dialogue"]], "the solver's first step")[0]
        until(lambda: players[0].view["step"] > begun + 4, "some more")
        with full_disk(server):
            players[0].say(do="end")
            for player in players:
                until(lambda player=player: player.view["state"] == "saving" and FULL in player.view["notice"], "it")
                assert player.view["saved"] == ""
        for player in players:
            player.sees(state="ended", notice="")
        (episode,) = stored(folder)
    assert len(episode) == players[0].view["step"] and (episode.movement[:, :, 0] == 2).any()
    assert open_store(folder / "live").verify() == []
