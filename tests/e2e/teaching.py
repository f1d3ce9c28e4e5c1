"""The page *Teach* in a real browser, served inside the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import uvicorn

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.serve import listening_socket
from annotation.server.services import people
from annotation.server.teacher import Teacher
from tests.e2e.browsers import chromium
from tests.e2e.visitors import Visitor


@contextmanager
def signed_in(serving: ServeConfig, teacher: Teacher, script: str = "", **context: Any) -> Iterator[Visitor]:
    """The person who has opened the link of `rlhf teach` and signed in, in whose browser nothing goes wrong.

    Args:
      script: JavaScript that every page runs first.
      context: of the browser, as Playwright takes it.
    """
    study = open_study(serving, teacher=teacher)
    with study.database.writing() as session:
        token = people.teachers_link(session, now())
    with listening_socket(serving) as listener, chromium() as browser:
        server = uvicorn.Server(uvicorn.Config(create_app(study), log_level="warning"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            visitor = Visitor(browser, **context)
            if script:
                visitor.page.add_init_script(script)
            visitor.page.goto(f"{serving.url(listener.getsockname()[1])}/join#{token}")
            visitor.click("Sign in")
            yield visitor
            assert visitor.complaints == []
        finally:
            server.should_exit = True
            thread.join()
