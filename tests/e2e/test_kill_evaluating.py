"""``kill -9`` of the server loses no played episode, and no verdict that the setter saw on their page."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from annotation.server.security.visitors import Role
from annotation.server.serve import DeleteConfig, delete_person
from annotation.session.verdicts import read_verdicts
from benchmarks.serving import RaterClient, new_people
from rlhf.store import open_store
from tests.e2e.evaluating import browser, end, evaluating, judge, kept, make_study, play, setter, stored
from tests.patience import until
from tests.unit.annotation.server.test_removing import traces

WORDS = ("lift the duck", "put it on the bed", "what is red?")


@pytest.mark.e2e
def test_what_was_played_and_said_of_it_outlives_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder)
    with evaluating(folder) as (server, url):
        player = play(browser(url, setter(folder)), WORDS)
        judge(player, 0, "failure")
        end(player, folder)
        judge(player, 1, "success")
        server.kill()
        server.wait()
    assert len(open_store(folder / "live")) == 0, "it was to be judged further"
    for _ in range(3):  # servers that die soon after their start
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
    assert open_store(folder / "live").verify() == []


@pytest.mark.e2e
def test_killed_at_any_moment_of_its_end(tmp_path: Path) -> None:
    folder, rng = tmp_path / "study", random.Random(0)
    make_study(folder)
    with evaluating(folder):
        cookie = setter(folder)  # the server has made the database
    for number in range(3):
        with evaluating(folder) as (server, url):
            assert number == 0 or len(stored(folder)) == number, "each is there once"
            player = play(browser(url, cookie), WORDS[:1])
            end(player, folder)
            if number:
                judge_soon(player)
                time.sleep(rng.uniform(0, 0.2))
            server.kill()
            shown = [line["said"] for line in player.view["asked"]]
    with evaluating(folder):
        episodes = stored(folder)
    assert len(episodes) == 3 and open_store(folder / "live").verify() == []
    if shown == ["success"]:
        assert [verdict.success for verdict in read_verdicts(episodes[-1].notes)] == [True]
    assert read_verdicts(episodes[0].notes) == ()


def judge_soon(player) -> None:
    """Give the last verdict, upon which the episode is stored, and wait for nothing."""
    player.say(judge={"request_step": player.view["asked"][0]["step"], "said": "success"})


@pytest.mark.e2e
@pytest.mark.parametrize("moment", ["playing", "judging"])
def test_who_is_deleted_while_they_play_is_gone_whatever_dies(moment: str, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder)
    with evaluating(folder) as (server, url):
        ann = browser(url, setter(folder))
        about = ann.client.get("/api/me").json()
        player = play(ann, WORDS)
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
