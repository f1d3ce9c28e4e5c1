"""Every page of the web app in the states that look different, gone through as the people who see it.

A walk is a generator that goes on to the next state and yields its name and the page. Walks follow one another on one
study in the order of `WALKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, new_person, served
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.records.marks import Mark
from rlhf.store import open_store
from tests.e2e.browsers import GAME_SEC, kept_for_later, played_enough
from tests.e2e.scripted_study import work_on
from tests.e2e.test_judging_in_a_browser import played_suite
from tests.patience import PATIENCE_MS
from tests.unit.agents import made_up_play
from tests.unit.annotation.games.test_real_agents import SIZES
from tests.unit.rlhf import tiny_agent

States = Iterator[tuple[str, Any]]
CONSENT = "We keep the marks that you give, under a made-up name.\nYou may ask us to delete them at any time."


def make_whole_study(folder: Path) -> None:
    """Play with marks, known marks, a suite to judge, a reward model and an agent, in ``folder``."""
    study = folder / "study"
    make_study(study, 4, 100)
    work_on(study)
    store = open_store(study / "play")
    store.write_marks([Mark(store.ids()[-1], "oracle", step, sign, True) for step, sign in ((20, 1), (60, -1))])
    played_suite(folder)
    tokenizer = Tokenizer.train(["please lift the mug", "done"], 280)
    torch.manual_seed(0)
    sizes = tiny_agent.config(image_size=(72, 96), vocab_size=tokenizer.vocab_size)
    save_agent(InterTemporalRewardModel(sizes), tokenizer, study / "models" / "tiny")
    player: dict[str, Any] = SIZES | {"image_size": (24, 32)}
    agent = made_up_play.agent(**player)
    save_agent(agent, Tokenizer.train(["yes"], made_up_play.VOCABULARY), folder / "player")
    open_store(study / "people", create=True)
    world = WorldConfig(name="household", settings={"tasks": ["setup_table"]})
    record(RecordConfig(data=study / "with-helpers", episodes=1, steps=3, workers=1, world=world))


@dataclass(frozen=True)
class Place:
    """A study that is served, and browsers for its people.

    Attributes:
      url: the server's. link: the admin's. folder: the study's.
      context: makes a browser context with the looks that are asked for.
    """

    url: str
    link: str
    folder: Path
    context: Callable[[], Any]

    def comes(self, role: Role | None = None, name: str = "", at: str = "/") -> Any:
        """The page of somebody new; of a stranger without a role."""
        context = self.context()
        if role is not None:
            cookie = new_person(self.folder, role, name)
            context.add_cookies([{"name": COOKIE, "value": cookie, "url": self.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{self.url}{at}")
        return page


@contextmanager
def serving(folder: Path, context: Callable[[], Any]) -> Iterator[Place]:
    """The study of :func:`make_whole_study`, served."""
    study = folder / "study"
    with served(study, "--agents", "tiny", str(folder / "player"), "--episode-seconds", str(GAME_SEC)) as (
        _,
        url,
        link,
    ):
        yield Place(url, link, study, context)


def joining(place: Place) -> States:
    page = place.comes()
    page.get_by_label("Name").fill("nobody")
    page.get_by_label("Password").fill("nothing at all")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    yield "refused", page
    page.goto(place.link)
    page.get_by_label("What shall we call you?").fill("Ada")
    yield "join", page
    page.get_by_role("button", name="Join").click()
    page.get_by_role("heading", name="Hello, Ada").wait_for()
    page.get_by_text("Set a password").click()
    yield "home", page


def leading(place: Place) -> States:
    """The study leader's page, but for consent."""
    page = place.comes(Role.ADMIN, "Eve", "/study")
    page.get_by_role("button", name="Make a link").click()
    page.locator(".invitation-link").wait_for()
    page.get_by_role("button", name="Settings", exact=True).first.click()
    page.get_by_role("button", name="Settings of the clips of play").click()
    page.get_by_label("pairs of clips").fill("4")
    page.locator(".roles summary").first.click()
    page.get_by_role("row").filter(has_text="sts").first.wait_for()
    page.get_by_role("row").filter(has_text="Bob").get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete for good").wait_for()
    yield "study", page
    page.get_by_role("form", name="Settings of the clips of play").get_by_role("button", name="Save").click()
    page.get_by_text("of 4").wait_for()
    tabs = {
        "Progress": ".figures",
        "Submitted": "tbody tr",
        "Agreement": ".interval",
        "Gold episodes": "input[type=checkbox]",
    }
    for tab, seen in tabs.items():
        page.get_by_role("link", name=tab).click()
        page.locator(seen).first.wait_for()
        yield f"study: {tab}", page


def looking(place: Place) -> States:
    page = place.comes(Role.ADMIN, "Mia", "/look")
    page.locator("tbody tr").first.wait_for()
    yield "look", page
    page.get_by_label("dataset").select_option("play")
    page.get_by_label("said in the dialogue").fill("the")
    page.locator(".hit").first.wait_for()
    yield "look: search", page
    page.get_by_label("said in the dialogue").fill("")
    page.locator(f'a[title="{open_store(place.folder / "play").ids()[-1]}"]').click()
    page.get_by_label("reward model").select_option("models/tiny")
    page.locator("svg.trace").nth(1).wait_for()
    page.keyboard.press("]")
    yield "look: episode", page
    page.get_by_label("known marks: those of").select_option("oracle")
    page.get_by_role("button", name="Make it gold").click()
    page.get_by_text("it is given for training").wait_for()
    yield "look: gold", page
    page.goto(f"{place.url}/study#gold")
    page.get_by_role("button", name="No longer gold").wait_for()
    yield "study: gold with episodes", page


def marking(place: Place) -> States:
    """First the gold episode, and what is known of it; then one of play."""
    page = place.comes(Role.RATER, "Ben", "/mark")
    page.get_by_role("slider").wait_for()
    for key in ("Shift+ArrowRight", "+", "Shift+ArrowRight", "-"):
        page.keyboard.press(key)
    page.locator(".mark").nth(1).wait_for()
    page.locator('.saved[data-waiting="0"]').wait_for()
    yield "mark: practice", page
    page.get_by_role("button", name="Submit episode").click()
    page.get_by_role("alertdialog").wait_for()
    yield "mark: asked before submitting", page
    page.get_by_role("button", name="Submit all the same").click()
    page.get_by_text("known marks").first.wait_for()
    yield "mark: feedback", page
    page.get_by_role("button", name="Next episode").click()
    page.get_by_role("button", name="Submit episode").or_(page.get_by_text("All done.")).wait_for()
    kept_for_later(page)
    page.context.set_offline(True)
    page.reload()
    page.get_by_role("button", name="Try again").or_(page.get_by_role("slider")).wait_for()
    yield "mark: without connection", page


def judging(place: Place) -> States:
    page = place.comes(Role.JUDGE, "Jo", "/judge")
    page.get_by_role("slider").wait_for()
    for key in ("t", *["ArrowRight"] * 7, "s"):
        page.keyboard.press(key)
    page.locator(".verdict-said").filter(has_text="Succeeded").wait_for()
    yield "judge: a verdict", page


def comparing(place: Place) -> States:
    """The pairs that the leader has asked for in :func:`leading`."""
    page = place.comes(Role.RATER, "Cleo", "/compare")
    page.get_by_role("button", name="Stop (space)").click()
    page.locator(".pictures-state progress").wait_for(state="detached")
    page.locator("details.keys summary").click()
    page.keyboard.press("a")
    page.locator(".answer[aria-pressed=true]").wait_for()
    yield "compare: an answer", page


def learning(place: Place) -> States:
    """The tutorial."""
    page = place.comes(Role.SETTER, "Lea", "/play")
    page.get_by_role("button", name="Learn the keys").wait_for()
    yield "lobby: first visit", page
    page.get_by_role("button", name="Learn the keys").click()
    page.locator(".tutorial").wait_for()
    page.locator(".screen .sheet").wait_for(state="detached")
    yield "tutorial", page
    page.get_by_role("button", name="Leave").click()
    page.wait_for_url(f"{place.url}/play")


def playing(place: Place) -> States:
    """Two people's game, from the lobby to its end."""
    ann = place.comes(Role.SETTER, "Kim", "/play")
    ann.get_by_role("button", name="I know them already").click()
    yield "lobby", ann
    ann.get_by_role("radio", name="Two people").check()
    ann.get_by_role("combobox", name="into the dataset").select_option(label="people")
    ann.get_by_role("button", name="Start").click()
    ann.get_by_text("Waiting for the solver").wait_for()
    yield "game: waiting", ann
    bob = place.comes(Role.SOLVER, "Lou", "/play")
    bob.get_by_role("button", name="I know them already").click()
    bob.get_by_role("button", name="Join as solver").wait_for()
    yield "lobby: somebody waits", bob
    bob.get_by_role("button", name="Join as solver").click()
    bob.get_by_role("button", name="I am ready").wait_for()
    yield "game: ready", bob
    for page in (ann, bob):
        page.get_by_role("button", name="I am ready").click()
    for page in (ann, bob):
        page.locator(".screen .sheet").wait_for(state="detached")
    ann.keyboard.press("Enter")
    ann.keyboard.type("bring me the bottle")
    ann.keyboard.press("Enter")
    bob.locator(".spoken .words", has_text="bottle").wait_for()
    yield "game: setter", ann
    yield "game: solver", bob
    bob.close()
    ann.get_by_text("Paused").wait_for()
    yield "game: paused", ann
    ann.get_by_role("button", name="End").click()
    ann.get_by_role("link", name="All games").wait_for()
    yield "game: over", ann


def evaluating(place: Place) -> States:
    """An agent's evaluation. Two people play another game until enough of it is played to be kept."""
    ann = place.comes(Role.SETTER, "Zoe", "/play")
    ann.get_by_role("button", name="I know them already").click()
    ann.get_by_role("radio", name="Evaluate an agent").check()
    ann.get_by_role("combobox", name="into the dataset").select_option(label="people")
    ann.get_by_role("button", name="Start").click()
    ann.get_by_role("button", name="I am ready").click()
    ann.locator(".screen .sheet").wait_for(state="detached")
    for words in ("go to the bed", "is it red?"):
        ann.keyboard.press("Enter")
        ann.keyboard.type(words)
        ann.keyboard.press("Enter")
        ann.locator(".requests .words", has_text=words).wait_for()
        ann.keyboard.press("y" if "bed" in words else "ArrowLeft")
    yield "evaluation", ann
    yield from playing(place)
    played_enough(ann)
    ann.get_by_role("button", name="End").click()
    ann.get_by_text("Before you finish").wait_for()
    yield "evaluation: judging", ann
    ann.keyboard.press("n")
    ann.get_by_text("Saved. Thank you!").wait_for()


def helped(place: Place) -> States:
    """A person chooses what to do from a list, and rates the helper."""
    page = place.comes(Role.SETTER, "Fay", "/play")
    page.get_by_role("button", name="I know them already").click()
    page.get_by_role("radio", name="You act, a helper helps").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="I am ready").click()
    page.locator(".screen .sheet").wait_for(state="detached")
    for step in (1, 2):
        page.get_by_role("button", name="turn left", exact=True).click()
        page.get_by_text(f"step {step} of").wait_for()
        page.locator('.choosing[aria-busy="false"]').wait_for()
    yield "helped: what can be done", page
    page.get_by_role("button", name="End").click()
    page.get_by_text("How was the helper?").wait_for()
    yield "helped: ratings", page
    page.get_by_role("button", name="Leave").click()


def agreeing(place: Place) -> States:
    """The consent text is published, which asks everybody; so this comes last."""
    page = place.comes(Role.ADMIN, "Ida", "/study#consent")
    page.get_by_label("Consent text").fill(CONSENT)
    yield "study: Consent", page
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url(lambda url: "/consent#" in url)
    page.get_by_role("button", name="I have read this and agree").wait_for()
    yield "consent", page


WALKS = (joining, leading, looking, marking, judging, comparing, learning, evaluating, helped, agreeing)
