"""An evaluation whose server is killed, or whose disk is full, loses neither its play nor a verdict that was shown.

A limit of the size of files stands for the full disk: the system refuses to write, as it does there.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import httpx
import pytest

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.games import GameConfig
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.server.serve import DeleteConfig, delete_person
from annotation.session.verdicts import read_verdicts
from benchmarks import serving
from benchmarks.serving import RaterClient, new_people, served
from rlhf.records.episode import Episode
from rlhf.store import open_store
from tests.e2e.browsers import GAME_SEC
from tests.e2e.patient_server import serve
from tests.patience import PATIENCE_SEC, until
from tests.processes import Printing
from tests.unit.agents import made_up_play
from tests.unit.annotation.games.test_real_agents import SIZES
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.players import Player
from tests.unit.annotation.server.test_removing import traces

pytestmark = pytest.mark.e2e

WORDS = ("lift the duck", "put it on the bed", "what is red?")
FULL = "the server's disk is full"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with an agent and an empty dataset to play into."""
    sizes: dict[str, Any] = SIZES | {"image_size": (24, 32)}
    save_agent(made_up_play.agent(**sizes), Tokenizer.train(["yes"], made_up_play.VOCABULARY), tmp_path / "agent")
    open_store(tmp_path / "live", create=True)
    return tmp_path


def serve_short_games(words: list[str]) -> int | None:
    """Do what servers of other tests do, and keep games however soon they are ended."""
    GameConfig.shortest = 1
    return serve(words)


@contextmanager
def evaluating(folder: Path) -> Iterator[tuple[Popen[str], str]]:
    """A server for evaluations, which their setter ends: its process and its URL."""
    settings = ("--agents", "made-up", str(folder / "agent"), "--episode-seconds", str(GAME_SEC))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "start", partial(Printing, serve_short_games))
        with served(folder, *settings) as (process, url, _):
            yield process, url


def browser(url: str, cookie: str) -> Browser:
    """A browser that is signed in."""
    client = httpx.Client(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC, headers={"Origin": url})
    found = Browser(client)  # type: ignore[arg-type]
    found.csrf = client.get("/api/me").raise_for_status().json()["csrf"]
    return found


def play(browser: Browser, words: tuple[str, ...] = WORDS) -> Player:
    """An evaluation in which these words have been said, one after the other."""
    projects = browser.client.get("/api/play").raise_for_status().json()["projects"]
    (project,) = [found["id"] for found in projects if found["dataset"] == "live"]
    game = {"project": project, "kind": "evaluation", "role": "setter"}
    started = browser.client.post("/api/play/games", json=game, headers={"X-CSRF-Token": browser.csrf})
    player = Player(browser, started.raise_for_status().json()["id"])
    player.say(do="ready")
    player.sees(state="playing")
    for number, line in enumerate(words):
        player.say(inputs={"say": line})
        until(lambda number=number: len(player.view["asked"]) > number, "the line")
    return player


def end(player: Player, folder: Path) -> None:
    """End the play, and wait until it is on the disk."""
    player.say(do="end")
    player.sees(state="judging")
    until(lambda: kept(folder), "the play on the disk")


def kept(folder: Path) -> list[Path]:
    """The games whose play is over and on the disk, but not in the dataset yet."""
    return list(folder.glob("annotation.games/*/kept/dataset.json"))


def judge(player: Player, number: int, said: str, is_shown: bool = True) -> None:
    """Say it of the line of that number, and wait until the page shows it."""
    player.say(judge={"request_step": player.view["asked"][number]["step"], "said": said})
    if is_shown:
        until(lambda: player.view["asked"][number]["said"] == said, "the verdict")


def stored(folder: Path) -> list[Episode]:
    """Every episode of the dataset, once there are some and no game is unfinished."""
    games = folder / "annotation.games"

    def rows() -> list:  # looks at the games first: an episode is stored before its game is gone
        unfinished = any(path.is_dir() for path in games.iterdir())
        return [] if unfinished else open_store(folder / "live").rows()

    found = until(rows, "episodes of finished games", 0.05)
    assert open_store(folder / "live").verify() == []
    return [open_store(folder / "live").read(row.episode_id) for row in found]


def setter(folder: Path) -> str:
    """The cookie of a new setter."""
    return new_people(folder, Role.SETTER, 1)[0]


def test_what_was_played_and_said_of_it_outlives_the_server(folder: Path) -> None:
    with evaluating(folder) as (server, url):
        player = play(browser(url, setter(folder)))
        judge(player, 0, "failure")
        end(player, folder)
        judge(player, 1, "success")
        server.kill()
        server.wait()
    assert len(open_store(folder / "live")) == 0, "it was to be judged further"
    for _ in range(2):  # servers that die soon after their start
        with evaluating(folder) as (server, _):
            time.sleep(random.uniform(0, 0.5))
            server.kill()
    with evaluating(folder) as (server, url):
        (episode,) = stored(folder)
        rater = RaterClient(url, new_people(folder, Role.RATER, 1)[0])
        assert rater.begin() is not None, "it waits to be marked"
    said = [(verdict.request, verdict.success) for verdict in read_verdicts(episode.notes)]
    assert said == [(WORDS[0], False), (WORDS[1], True)]
    assert episode.notes["ended"] == "ended by the setter" and len(episode) == player.view["step"]
    assert [words for words in episode.setter_utterance if words] == list(WORDS)


def test_killed_at_any_moment_of_its_end(folder: Path) -> None:
    rng = random.Random(0)
    with evaluating(folder):
        cookie = setter(folder)  # the server has made the database
    for number in range(3):
        with evaluating(folder) as (server, url):
            assert number == 0 or len(stored(folder)) == number, "each is there once"
            player = play(browser(url, cookie), WORDS[:1])
            end(player, folder)
            if number:  # the last verdict, upon which the episode is stored
                judge(player, 0, "success", is_shown=False)
                time.sleep(rng.uniform(0, 0.2))
            server.kill()
            shown = [line["said"] for line in player.view["asked"]]
    with evaluating(folder):
        episodes = stored(folder)
    assert len(episodes) == 3 and read_verdicts(episodes[0].notes) == ()
    if shown == ["success"]:
        assert [verdict.success for verdict in read_verdicts(episodes[-1].notes)] == [True]


@pytest.mark.parametrize("moment", ["playing", "judging"])
def test_who_is_deleted_while_they_play_is_gone_whatever_dies(moment: str, folder: Path) -> None:
    with evaluating(folder) as (server, url):
        ann = browser(url, setter(folder))
        about = ann.client.get("/api/me").json()
        player = play(ann)
        if moment == "judging":
            end(player, folder)
            assert any(about["id"] in trace for trace in traces(folder, about["id"]))
        delete_person(DeleteConfig(about["name"], data=folder, episodes=True))
        if moment == "judging":
            assert traces(folder, about["id"], about["name"], *WORDS) == []
        else:  # the game goes on for as long as the server has not noticed, and is kept when it ends
            player.say(do="end")
            until(lambda: player.end or kept(folder), "the end of the play")
        server.kill()
    with evaluating(folder):
        until(lambda: not left(folder, about["id"], about["name"], *WORDS), "the end of every trace", 0.1)
    assert len(open_store(folder / "live")) == 0


def left(folder: Path, *wanted: str) -> list[str]:
    """Traces, or games that are not finished yet."""
    games = [str(path) for path in (folder / "annotation.games").iterdir() if path.is_dir()]
    try:
        return games + traces(folder, *wanted)
    except FileNotFoundError:  # it is being removed
        return ["something"]


@contextmanager
def full_disk(server: Popen[str], room: int = 4096) -> Iterator[None]:
    """While inside, the server can write no file beyond ``room`` bytes."""
    before = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are Linux's")
def test_an_evaluation_waits_for_room_and_so_do_its_verdicts(folder: Path) -> None:
    with evaluating(folder) as (server, url):
        player = play(browser(url, setter(folder)))
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
            judge(player, 2, "no request", is_shown=False)
            until(lambda: player.view["state"] == "saving" and FULL in player.view["notice"], "the trouble")
            assert player.view["saved"] == ""
        player.sees(state="ended", notice="")
        (episode,) = stored(folder)
    assert episode.episode_id == player.view["saved"] and len(episode) == player.view["step"]
    assert [verdict.success for verdict in read_verdicts(episode.notes)] == [True, False]
