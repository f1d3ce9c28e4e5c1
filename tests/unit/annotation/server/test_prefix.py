"""A study behind a proxy that shows it below a path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.services import people
from annotation.server.study import Study
from tests.unit.annotation.server.players import listening
from tests.unit.annotation.server.reverse_proxy import ReverseProxy
from worlds.errors import UserError


@pytest.fixture(params=["strips", "keeps"])
def proxy(request: pytest.FixtureRequest) -> Iterator[ReverseProxy]:
    proxy = ReverseProxy("/study1", strips=request.param == "strips")
    yield proxy
    proxy.close()


@pytest.fixture
def study(folder: Path, proxy: ReverseProxy) -> Iterator[Study]:
    """The study, served behind the proxy."""
    study = open_study(ServeConfig(data=folder, public_url=f"{proxy.url}/"))
    with listening(create_app(study)) as stranger:
        proxy.pass_on_to(stranger().client.base_url.port or 80)
        yield study


def test_pages_links_and_cookies_work_below_a_path(study: Study, proxy: ReverseProxy) -> None:
    with study.database.writing() as session:
        token = people.admin_link(session, now())
    assert study.config.url(0) == proxy.url  # links begin with it
    with httpx.Client(headers={"Origin": proxy.url.removesuffix("/study1")}) as browser:
        page = browser.get(f"{proxy.url}/mark")
        files = re.findall(r'(?:href|src)="([^"]+)"', page.text)
        assert len(files) == 3
        assert [browser.get(page.url.join(file)).status_code for file in files] == [200] * 3
        answer = browser.post(f"{proxy.url}/api/sign-in/link", json={"token": token, "name": "Eve"})
        assert answer.status_code == 200 and "Path=/study1;" in answer.headers["set-cookie"]
        me = browser.get(f"{proxy.url}/api/me").json()
        assert me["name"] == "Eve"
        assert browser.get(f"{proxy.url}/api/study").status_code == 200
        out = browser.post(f"{proxy.url}/api/sign-out", headers={"X-CSRF-Token": me["csrf"]})
        assert out.status_code == 200 and browser.get(f"{proxy.url}/api/me").status_code == 401


def test_an_unknown_page_leads_home(study: Study, proxy: ReverseProxy) -> None:
    page = httpx.get(f"{proxy.url}/no/such/page", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404 and 'href="/study1/"' in page.text
    for path, accept in (("/no/such/page", "*/*"), ("/api/nothing", "text/html")):
        answer = httpx.get(f"{proxy.url}{path}", headers={"Accept": accept})
        assert answer.status_code == 404 and answer.json() == {"error": "not found"}
    if not proxy._strips:  # such a proxy adds the slash itself
        assert str(httpx.get(proxy.url, follow_redirects=True).url) == f"{proxy.url}/"


def test_a_path_of_the_servers_own_is_refused(study: Study) -> None:
    """Such a proxy may take the path off: nothing then distinguishes /study of the browser from /study/study."""
    own = {route.path.partition("{")[0].rstrip("/") for route in create_app(study).routes} - {""}  # type: ignore[attr-defined]
    assert {"/study", "/api/me", "/static", "/service-worker.js"} <= own
    for path in own | {"/api", "/api/more"}:
        with pytest.raises(UserError, match="a path of the server's own; take another"):
            ServeConfig(public_url=f"https://example.org{path}")
    for path in ("/study1", "/study/a", "/a/study", "/apis", "/staticky"):
        assert ServeConfig(public_url=f"https://example.org{path}/").prefix == path


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Study.Example.org/study1/", "https://study.example.org"),
        ("https://example.org:443/study1", "https://example.org"),
        ("http://example.org:443/", "http://example.org:443"),
        ("http://[::1]:80", "http://[::1]"),
        ("", ""),
    ],
)
def test_the_origin_is_as_browsers_write_it(url: str, origin: str) -> None:
    assert ServeConfig(public_url=url).public_origin == origin


@pytest.mark.parametrize(
    "wrong",
    [
        "study.example", "ftp://a", "https://a/b c", "https://a/b?c", 'https://a/"x', "https://", "https://u:p@a",
        "https://a:99999", "https://a:x", "https://a/..", "https://a/./b", "https://ä.example",
    ],
)  # fmt: skip
def test_a_public_url_that_cannot_be_one_is_refused(wrong: str) -> None:
    with pytest.raises(UserError, match="public-url is like"):
        ServeConfig(public_url=wrong)
