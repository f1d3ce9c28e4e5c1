"""The report: findings, numbers, and one HTML file that fetches nothing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipelines.report.charts import line_chart, short
from pipelines.report.clips import HOLD_STEPS, animate
from pipelines.report.command import ReportConfig, report
from pipelines.report.data import (
    DATA_FILE,
    Chart,
    Circumstances,
    Clip,
    ComparedClips,
    Curve,
    Outcomes,
    Picture,
    ReportData,
    WatchedRun,
    load_report_data,
    save_report_data,
)
from pipelines.report.file import write_report
from pipelines.report.findings import FEWEST_EPISODES, find
from pipelines.report.sections import monitor
from pipelines.stages.running.staged_run import FinishedStage
from rlhf.learning.guards import Alarm
from worlds.errors import UserError

PROBES = ("Go", "Lift", "Position", "Color", "Count", "Exist")


def outcomes(rates: dict[str, float], episodes: int = 100, runs: int = 1, seed: int = 0) -> tuple[Outcomes, ...]:
    """Made-up outcomes with about the given success of each agent at every probe."""
    rng = np.random.default_rng(seed)
    made = []
    for run in range(runs):
        for index, probe in enumerate(PROBES):
            ease = rng.uniform(size=episodes)  # an episode that is hard for one agent is hard for the other
            for agent, rate in rates.items():
                wins = ease + rng.normal(0, 0.15, episodes) < rate - 0.04 * index
                made.append(Outcomes(agent, probe, run, tuple(range(episodes)), tuple(bool(win) for win in wins)))
    return tuple(made)


def room(steps: int, seed: int, height: int = 36, width: int = 48) -> np.ndarray:
    """Made-up pictures in which a block moves: uint8 [steps, height, width, 3]."""
    frames = np.full((steps, height, width, 3), 120, np.uint8)
    for step in range(steps):
        frames[step, 9 : 18 + seed, (seed + step) % width] = (200, 4 * step, 30)
    return frames


def figure() -> bytes:
    """A made-up picture of a trace, as PNG."""
    file = io.BytesIO()
    Image.fromarray(np.full((120, 320, 3), 250, np.uint8)).save(file, "PNG")
    return file.getvalue()


def clips(left: np.ndarray, right: np.ndarray, message: str = "x") -> ComparedClips:
    return ComparedClips(message, "Go", Clip.of("BC", False, left), Clip.of("BC+RL", True, right))


def example(**changes: Any) -> ReportData:
    """A report's data with something in every part."""
    steps = tuple(float(1000 * i) for i in range(100))
    rising = tuple(np.linspace(0.2, 0.6, 100))
    curves = (Curve("training episodes", steps, rising), Curve("held-out episodes", steps, rising, dashed=True))
    success = (Curve("Go", steps, rising), Curve("Lift", steps, rising))
    data = ReportData(
        title="Demo",
        before="BC",
        after="BC+RL",
        reference="Scripted demonstrator",
        outcomes=outcomes({"Scripted demonstrator": 0.85, "BC": 0.42, "BC+RL": 0.6}),
        circumstances=Circumstances(
            command="rlhf demo",
            machine="8 cores of some processor, 16 GiB, no GPU",
            version="0.1.0",
            created="2026-01-31 12:00 UTC",
            commit="0123abcd",
            config={"clone": {"steps": 100}, "note": "a < b"},
            counts=(("recorded episodes", "600 (scripted)"), ("marks", "1,204 by scripted raters")),
            stages=(FinishedStage("record", 41.0, "600 episodes"), FinishedStage("improve", 410.0, "120,000 steps")),
        ),
        reward_over_training=Chart("Modelled reward per episode", "environment steps", curves),
        success_over_training=Chart("True success", "environment steps", success, share=True),
        traces=(Picture(figure(), "Lift: utility rises when the box is in hand"), Picture(figure(), "Go")),
        clips=(
            clips(room(60, 0), room(34, 0), "go to the red ball"),
            clips(room(60, 1), room(34, 1), "please lift the small <blue> box & hold it"),
        ),
        clips_note="The first episode of each probe.",
        training=(Chart("BC loss", "updates", (Curve("training", steps, rising),)),),
    )
    return replace(data, **changes)


def watched(*alarms: Alarm, run: str = "", since: int | None = 0) -> WatchedRun:
    return WatchedRun(run, since, alarms)


class Page(HTMLParser):
    """The text of a page, and all addresses that a browser would fetch."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.fetched: list[str] = []
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "poster")]
        if tag not in ("meta", "link", "img", "br"):
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page_of(data: ReportData, folder: Path) -> Page:
    return Page(write_report(data, folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of(example(), tmp_path_factory.mktemp("report"))


def test_page_is_one_file_that_fetches_nothing(page: Page) -> None:
    assert page.fetched and all(address.startswith(("data:", "#")) for address in page.fetched)
    assert not re.search(r"url\(|@import", page.text)
    assert not {"script", "iframe", "object"} & page.tags
    assert page.opened == []  # every tag is closed


def test_page_shows_every_part(page: Page) -> None:
    for probe in (*PROBES, "All probes"):
        assert probe in page.text
    for part in ("0123abcd", "1,204 by scripted raters", "7 min 31 s in all", "rlhf demo", "go to the red ball"):
        assert part in page.text
    assert "No people were involved" in page.text
    assert "please lift the small <blue> box & hold it" in page.text  # escaped in the source, whole on the screen
    assert page.text.count("held-out episodes") == 2  # a legend and a tooltip
    assert sum(address.startswith("data:image/png") for address in page.fetched) == 2
    assert sum(address.startswith("data:image/webp") for address in page.fetched) == 2


@pytest.mark.parametrize(
    ("rates", "verdict", "word"),
    [
        ({"BC": 0.4, "BC+RL": 0.6}, "better", "better than BC"),
        ({"BC": 0.6, "BC+RL": 0.4}, "worse", "worse than BC"),
        ({"BC": 0.5, "BC+RL": 0.5}, "unclear", "No clear difference"),
    ],
)
def test_headline_follows_the_numbers(rates: dict[str, float], verdict: str, word: str) -> None:
    findings = find(example(outcomes=outcomes(rates), reference=None))
    assert findings.overall.verdict == verdict
    assert word in findings.headline
    pooled = {
        agent: np.mean([np.mean(one.success) for one in outcomes(rates) if one.agent == agent]) for agent in rates
    }
    assert f"{100 * pooled['BC+RL']:.0f}%" in findings.headline and f"{100 * pooled['BC']:.0f}%" in findings.headline


def test_the_page_says_of_which_requests_it_is(tmp_path: Path) -> None:
    for split, named, left_out in (
        ("held_out", "of held-out requests", "of training combinations"),
        ("train", "of requests of training combinations", "held-out requests"),
    ):
        data = example(outcomes=outcomes({"BC": 0.4, "BC+RL": 0.6}), reference=None, split=split)
        assert named in find(data).headline and left_out not in find(data).headline
        assert ("instructions that no agent was trained on" in page_of(data, tmp_path).text) == (split == "held_out")


def test_few_episodes_allow_no_verdict() -> None:
    seeds = tuple(range(FEWEST_EPISODES - 1))
    few = tuple(Outcomes(agent, "Go", 0, seeds, (agent != "BC",) * len(seeds)) for agent in ("BC", "BC+RL"))
    findings = find(example(outcomes=few, reference=None))
    assert findings.overall.verdict == "few" and "Too few" in findings.headline


def test_runs_are_paired_with_themselves_and_counted_together() -> None:
    findings = find(example(outcomes=outcomes({"BC": 0.4, "BC+RL": 0.5}, episodes=40, runs=3), reference=None))
    assert [row.agents["BC"].count for row in findings.rows] == [120] * 6
    assert findings.overall.agents["BC+RL"].count == 720


def test_over_optimisation_is_reported() -> None:
    falling = Chart("True success", "steps", (Curve("Go", (0, 1, 2), (0.5, 0.4, 0.2)),), share=True)
    assert not any("over-optimisation" in remark for remark in find(example()).remarks)
    assert any("over-optimisation" in remark for remark in find(example(success_over_training=falling)).remarks)


def test_alarms_are_listed_beside_modelled_reward_and_at_the_top(tmp_path: Path) -> None:
    alarm = Alarm(50_000, "over_optimisation", "over-optimisation: the return rose from <1> to 2")
    text = page_of(example(watched=(watched(alarm),)), tmp_path).text
    section = text[text.index("Modelled reward and true success while") : text.index("What the reward model learned")]
    assert "1 alarm was raised." in section and "update 50,000" in section
    assert "Over-optimisation: the return rose from <1> to 2." in section
    assert "While the agent improved, an alarm was raised (over-optimisation)" in text[: text.index("Success at the")]
    assert "No alarm was raised." in page_of(example(watched=(watched(),)), tmp_path).text
    assert monitor((None, None), ()) is None


def test_alarms_of_several_runs_are_named_by_run() -> None:
    runs = (watched(run="round-1"), watched(Alarm(7, "entropy", "low"), run="round-2"), watched(run="old", since=None))
    section = monitor((example().reward_over_training,), runs)
    assert section is not None
    text = Page("".join(section.parts)).text
    assert "1 alarm was raised." in text and "round-2: update 7 · Low." in text
    assert "old: Alarms are unknown" in text and "alarm at update" not in text


def test_data_of_versions_without_alarms_are_read(tmp_path: Path) -> None:
    path = tmp_path / DATA_FILE
    save_report_data(example(watched=(watched(Alarm(7, "entropy", "low")),)), path)
    later = ("watched", "rounds", "between")
    earlier = {name: value for name, value in json.loads(path.read_text()).items() if name not in later}
    path.write_text(json.dumps(earlier))
    assert load_report_data(path) == example()
    path.write_text(json.dumps({name: value for name, value in earlier.items() if name != "before"}))
    with pytest.raises(UserError, match="the setting before is missing"):
        load_report_data(path)


def test_data_survive_their_json_exactly(tmp_path: Path) -> None:
    data = example()
    holes = Chart("With holes", "steps", (Curve("a", (0.0, 1.0), (float("inf"), 0.1 + 0.2)),))
    alarms = (watched(Alarm(7, "entropy", "low"), run="a"), watched(run="b", since=None))
    data = replace(data, training=(*data.training, holes), watched=alarms)
    save_report_data(data, tmp_path / DATA_FILE)
    assert load_report_data(tmp_path / DATA_FILE) == data
    np.testing.assert_array_equal(load_report_data(tmp_path / DATA_FILE).clips[0].left.frames, room(60, 0))


def test_report_command_reads_the_runs_folder(tmp_path: Path) -> None:
    for content, line in (
        (None, "it has neither report.json nor config.json"),
        ('{"title": "x"}', "not the data of a report"),
        ('{"title', "damaged"),
    ):
        if content:
            (tmp_path / DATA_FILE).write_text(content)
        with pytest.raises(UserError, match=line):
            report(ReportConfig(run=tmp_path))
    save_report_data(example(scripted=False, training=()), tmp_path / DATA_FILE)
    assert report(ReportConfig(run=tmp_path)) == tmp_path / "report.html"
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["report.html", "report.json"]
    text = Page((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "No people were involved" not in text and "go to the red ball" in text


def test_agents_between_the_first_and_the_last_are_shown_and_must_have_played_the_same(tmp_path: Path) -> None:
    made = outcomes({"BC": 0.4, "Round 1": 0.5, "BC+RL": 0.6})
    data = example(outcomes=made, reference=None, between=("Round 1",))
    assert list(find(data).overall.agents) == ["BC", "Round 1", "BC+RL"]
    page = write_report(data, tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count('<div class="who">') == 3  # before, after, and their difference
    assert page.count("<th>Round 1</th>") == 1
    others = tuple(replace(one, seeds=tuple(range(1, 101))) if one.agent == "Round 1" else one for one in made)
    with pytest.raises(ValueError, match="BC and Round 1 must play the same episodes"):
        example(outcomes=others, reference=None, between=("Round 1",))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda made: made[:-1], "same probes"),
        (lambda made: (*made, made[0]), "appear twice"),
        (lambda made: (replace(made[0], seeds=tuple(range(1, 101))), *made[1:]), "same episodes"),
        (lambda made: (), "same probes"),
    ],
)
def test_outcomes_that_cannot_be_compared_are_refused(change: Callable[[Any], Any], complaint: str) -> None:
    made = outcomes({"BC": 0.4, "BC+RL": 0.5})
    with pytest.raises(ValueError, match=complaint):
        example(outcomes=change(made), reference=None)


def test_clips_run_side_by_side_and_the_shorter_one_stays_on_its_last_frame() -> None:
    left, right = room(20, 1), room(9, 2)
    file, media_type = animate(clips(left, right))
    picture: Any = Image.open(io.BytesIO(file))
    assert media_type == "image/webp" and picture.size == (6 * 48 * 2 + 12, 6 * 36)
    assert picture.n_frames <= 20 + HOLD_STEPS
    for index in (5, 19):
        picture.seek(index)
        frame = np.asarray(picture.convert("RGB"))
        assert np.array_equal(frame[::6, :288:6], left[index])
        assert np.array_equal(frame[::6, 300::6], right[min(index, 8)])
    with pytest.raises(ValueError, match="uint8"):
        Clip.of("BC", True, np.zeros((3, 4, 4, 3)))


def drawn(x: Sequence[float], y: Sequence[float], **how: Any) -> tuple[str, str]:
    """A chart of one curve, and the path of this curve."""
    svg = line_chart(Chart("t", "x", (Curve("a", tuple(x), tuple(y)),), **how), ["c1"])
    path = re.search(r'<title>a</title><path d="([^"]+)"', svg)
    return svg, path[1] if path else ""


def test_line_chart_draws_points_where_they_are() -> None:
    svg, path = drawn((0.0, 5.0, 10.0), (0.0, 0.5, 1.0), share=True)
    (left, bottom), (middle, half), (right, top) = (map(float, at) for at in re.findall(r"([\d.]+) ([\d.]+)", path))
    assert middle - left == pytest.approx(right - middle, abs=0.11)
    assert bottom - half == pytest.approx(half - top, abs=0.11)
    assert "stroke: var(--c1)" in svg and ">100%</text>" in svg and 'aria-label="t: a"' in svg
    assert [short(number) for number in (0, 12500, 2e6, -0.5)] == ["0", "12.5k", "2M", "\N{MINUS SIGN}0.5"]


def test_line_chart_has_gaps_at_nan_accepts_empty_curves_and_thins_long_ones() -> None:
    nan = float("nan")
    assert re.findall("[ML]", drawn((0, 1, 2, 3), (1, nan, 2, float("inf")))[1]) in (["M", "M"], ["M"])
    assert "Nothing was measured" in drawn((0.0,), (nan,))[0]
    assert "<svg" in drawn((3.0,), (0.0,))[0]  # one point, no extent
    assert len(drawn(range(10_000), [1.0, -1.0] * 5_000)[0]) < 20_000
