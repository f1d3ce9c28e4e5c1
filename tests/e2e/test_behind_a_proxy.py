"""The web app in a browser, behind a proxy that shows it below a path."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import make_study, served
from tests.e2e.browsers import chromium
from tests.e2e.visitors import Visitor
from tests.unit.annotation.server.reverse_proxy import ReverseProxy


@pytest.mark.e2e
def test_every_page_and_the_game_are_found_below_a_path(tmp_path: Path) -> None:
    make_study(tmp_path / "study", 1, 20)
    proxy = ReverseProxy("/study1", strips=True)
    with chromium() as browser, free_port() as port:
        settings = ("--public-url", proxy.url, "--port", str(port))
        with served(tmp_path / "study", *settings) as (_, url, link):
            finds_every_page(browser, proxy, url, link, port)
    proxy.close()


@contextmanager
def free_port() -> Iterator[int]:
    """A port that no other program gets while this is open, though one that asks for it may listen there."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        if sys.platform != "linux":  # elsewhere two sockets cannot share a port so
            held.close()
        yield port


def finds_every_page(browser: Any, proxy: ReverseProxy, url: str, link: str, port: int) -> None:
    assert url == proxy.url
    proxy.pass_on_to(port)
    eve = Visitor(browser)
    eve.join(link, "Eve")
    page = eve.page
    page.get_by_role("link", name="Run the study").click()
    page.get_by_role("rowheader", name="Eve").wait_for()
    page.get_by_role("button", name="Make a link").click()
    invitation = page.locator(".invitation-link").input_value()
    assert invitation.startswith(f"{proxy.url}/join#")
    page.get_by_role("link", name="interactive-rlhf").click()
    page.get_by_role("link", name="Look at episodes").click()
    page.locator("tbody tr").first.wait_for()
    page.goto(f"{proxy.url}/play")
    page.get_by_role("button", name="Learn the keys").click()
    page.locator(".tutorial").wait_for()
    page.locator(".screen .sheet").wait_for(state="detached")  # the game's WebSocket is open
    page.get_by_role("button", name="Leave").click()
    page.wait_for_url(f"{proxy.url}/play")
    ann = Visitor(browser)
    ann.join(invitation, "Ann")
    ann.page.get_by_role("link", name="Mark episodes").click()
    ann.page.get_by_role("slider").wait_for()
    ann.page.get_by_role("button", name="Sign out").click()
    ann.page.get_by_role("button", name="Sign in").wait_for()
    assert ann.page.url == f"{proxy.url}/"
    assert eve.complaints == [] and ann.complaints == []
