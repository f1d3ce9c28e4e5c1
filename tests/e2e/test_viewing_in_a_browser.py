"""Looking at a dataset without a study: search, filters, every rater's marks, and the trace of a real reward model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from benchmarks.serving import running
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.loaded import load_with_tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.e2e.browsers import chromium, wait_in
from tests.e2e.scripted_study import play
from tests.e2e.visitors import SHOTS, Visitor
from tests.unit.rlhf import tiny_agent

EPISODES, STEPS = 70, 60
SIZE = (144, 192) if SHOTS else (48, 64)
WITH_MARKS = (3, 7, 20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset, some of it marked, and beside it a reward model that has learned nothing."""
    store = open_store(tmp_path / "data" / "play", create=True)
    if SHOTS:  # in a house, which is more to look at
        store = play(tmp_path / "data", EPISODES, STEPS)
    else:
        for seed in range(EPISODES):
            store.write(synthetic_episode(seed, steps=STEPS, height=SIZE[0], width=SIZE[1]))
    for number in WITH_MARKS:
        episode_id = store.ids()[number]
        store.write_marks([Mark(episode_id, "pann", 10, 1, False), Mark(episode_id, "pann", 30, -1, False)])
        store.write_marks([Mark(episode_id, "pbob", 12, 1, False)])
    tokenizer = Tokenizer.train(["please lift the mug", "done"], 280)
    torch.manual_seed(0)
    sizes = tiny_agent.config(image_size=SIZE, vocab_size=tokenizer.vocab_size)
    save_agent(InterTemporalRewardModel(sizes), tokenizer, tmp_path / "data" / "models" / "tiny")
    return tmp_path / "data"


@pytest.mark.e2e
def test_a_dataset_is_looked_at(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = open_store(folder / "play")
    with chromium() as browser, running("look", folder, "--reward-models", "mine", str(folder / "models" / "tiny")) as (
        _, _, link,
    ):  # fmt: skip
        viewer = Visitor(browser)
        viewer.page.goto(link)
        viewer.page.get_by_role("button", name="Sign in").click()
        viewer.page.get_by_text(f"{EPISODES} episodes", exact=True).wait_for()
        finds_by_filters(viewer)
        step = finds_what_was_said(viewer, store)
        sees_the_trace(viewer, folder, store, step)
        assert viewer.complaints == []
    assert sorted(os.listdir(folder)) == ["models", "play"]  # nothing was written beside the dataset


def finds_by_filters(viewer: Visitor) -> None:
    page = viewer.page
    assert "1 of 2" in page.get_by_role("navigation", name="Pages").inner_text().replace("\n", " ")
    page.get_by_role("button", name="older").click()
    page.get_by_text("2 of 2").wait_for()
    page.get_by_label("marks").select_option("yes")
    page.get_by_text(f"{len(WITH_MARKS)} episodes", exact=True).wait_for()
    cells = page.locator("tbody tr th").all_inner_texts()
    assert [cell.strip()[-2:] for cell in cells] == [f"{number:02}" for number in reversed(WITH_MARKS)]
    page.get_by_role("button", name="Clear").click()
    page.get_by_text(f"{EPISODES} episodes", exact=True).wait_for()


def finds_what_was_said(viewer: Visitor, store: ParquetStore) -> int:
    """Search, and follow the hit to its moment; the step."""
    page, episode = viewer.page, store.read(store.ids()[WITH_MARKS[1]])
    asked = next(step for step, words in enumerate(episode.setter_utterance) if words)
    page.get_by_label("said in the dialogue").fill(episode.setter_utterance[asked].upper())
    page.get_by_label("marks").select_option("yes")
    hit = page.locator("tr", has=page.get_by_title(episode.episode_id)).locator("+ tr .hit").first
    hit.wait_for()
    viewer.shot("look-search")
    assert episode.setter_utterance[asked] in hit.inner_text()
    hit.click()
    slider = page.get_by_role("slider")
    slider.wait_for()
    wait_in(page, "step => document.querySelector('[role=slider]').ariaValueNow === step", arg=str(asked))
    rows = page.locator(".row-track")
    found = {
        row.locator(".row-label span").first.inner_text(): row.locator(".small-mark").count() for row in rows.all()
    }
    assert found == {"said": 0, "pann": 2, "pbob": 1}
    viewer.press("]")
    assert slider.get_attribute("aria-valuenow") == "10"
    return 10


def sees_the_trace(viewer: Visitor, folder: Path, store: ParquetStore, step: int) -> None:
    """What is said at the step is what the model says when it is asked directly."""
    page, model = viewer.page, load_with_tokenizer(folder / "models" / "tiny")
    assert page.get_by_label("reward model").locator("option").all_inner_texts() == ["none", "mine", "models/tiny"]
    page.get_by_label("reward model").select_option("mine")
    page.locator("svg.trace").nth(1).wait_for()
    episode = store.read(store.ids()[WITH_MARKS[1]])
    (scores,) = model.score(encode_episodes([episode], model.tokenizer, model.sizes))
    for name, values in (("utility", scores.utility), ("reward", scores.reward)):
        row = page.locator(".row-track", has=page.locator(".row-label span", has_text=name))
        assert float(row.locator(".row-label > small").first.inner_text()) == pytest.approx(
            float(values[step]), abs=6e-4
        )
    points = page.locator("svg.trace polyline").get_attribute("points").split()
    assert len(points) == STEPS
    viewer.shot("look-episode")
