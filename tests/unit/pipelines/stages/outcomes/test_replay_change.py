"""Headlines of a run's replays: intervals at both ends, or that too few ended to compare them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipelines.report.gathered import reward_over_training, success_over_training
from pipelines.stages.improve import summary
from pipelines.stages.outcomes import headlines
from pipelines.stages.outcomes.replay_change import Replays, change_of, compared_replays
from rlhf.learning.guards import Guards
from rlhf.replay.slot import EpisodeResult
from rlhf.run.json_lines import Row
from rlhf.run.statistics import mean_of


def measured(replays: Replays, numbers: Sequence[tuple[int, float, int]], steps: int = 100) -> list[Row]:
    """Rows of (update, true success, requests), with so many ``steps`` played in every update."""
    return [
        {"step": update, "played_steps": steps * update}
        | {f"{replays}/true_success": share, f"{replays}/requests": count, f"{replays}/modelled_return": 2 * share}
        for update, share, count in numbers
    ]


def test_the_beginning_is_read_where_enough_plays_have_ended() -> None:
    rows = measured("train", [(1, 0.0, 1), (5, 0.2, 30), (9, 0.25, 60), (20, 0.3, 150), (90, 0.32, 200)])
    found = change_of(rows, "train", "true_success")
    assert found.first is not None and found.last is not None
    assert (found.first.update, found.first.value, found.first.count) == (9, 0.25, 60)
    assert (found.last.update, found.last.value, found.last.count) == (90, 0.32, 200)
    assert found.last.interval is not None and 0.25 < found.last.interval.low < 0.32 < found.last.interval.high < 0.4


@pytest.mark.parametrize(
    "numbers",
    [
        [(1, 0.0, 1), (9, 0.3, 49)],
        [(9, 0.25, 60)],
        [(9, 0.25, 60), (12, 0.3, 80)],  # 60 of those 80 are the same
    ],
)
def test_too_few_plays_are_not_compared(numbers: list[tuple[int, float, int]]) -> None:
    rows, (_, share, count) = measured("train", numbers), numbers[-1]
    assert not change_of(rows, "train", "true_success").known
    message = headlines.improvement_headline(rows)
    assert message.startswith(f"Too few finished requests on training replays ({count}) to compare beginning and end")
    assert f"true success so far: {100 * share:.0f}% (" in message and "went" not in message


def test_held_out_replays_come_first_where_they_suffice() -> None:
    few = measured("held_out", [(0, 0.3, 8), (90, 0.4, 8)])
    enough = measured("held_out", [(0, 0.3, 64), (90, 0.4, 64)])
    training = measured("train", [(9, 0.25, 60), (90, 0.32, 200)])
    assert compared_replays([*enough, *training]) == "held_out"
    assert compared_replays([*few, *training]) == "train"
    assert compared_replays(few) == "held_out" and compared_replays([]) == "train"
    assert "to 40% (29 to 53%) (95% intervals; 64 and 64 requests)." in headlines.improvement_headline(enough)


def test_a_summary_has_the_number_of_plays_and_their_spread() -> None:
    results = [EpisodeResult("a", 5, 0, value, (True,)) for value in (1.0, 3.0)]
    found = summary(results, "train")
    assert found["train/plays"] == 2 and found["train/modelled_return_sd"] == pytest.approx(2**0.5)
    assert "train/modelled_return_sd" not in summary(results[:1], "train")
    interval = mean_of(found["train/modelled_return"], found["train/modelled_return_sd"], 2)
    assert interval is not None and interval.low < 0 and mean_of(1.0, 0.0, 1) is None


def test_charts_of_training_replays_begin_where_enough_have_ended() -> None:
    rows = measured("train", [(1, 0.0, 1), (9, 0.25, 60), (90, 0.32, 200)])
    for chart in (reward_over_training(rows), success_over_training(rows)):
        (curve,) = chart.curves
        assert curve.x == (9.0, 90.0) and curve.counts == (60, 200)
    (curve,) = success_over_training(rows[:1]).curves
    assert curve.x == (1.0,)


def test_true_success_is_of_the_same_requests_as_modelled_return() -> None:
    """The second request of every play is no longer fulfilled while the modelled return rises: that is an alarm."""
    before = [EpisodeResult(f"{i}", 20, 0, 1.0, (True, True)) for i in range(50)]
    after = [EpisodeResult(f"{i}", 20, 0, 3.0, (True, False)) for i in range(50)]
    first, last = summary(before, "held_out"), summary(after, "held_out")
    assert (first["held_out/true_success"], first["held_out/requests"]) == (1.0, 100)
    assert (last["held_out/true_success"], last["held_out/requests"]) == (0.5, 100)
    guards = Guards()
    assert guards.look(0, first) == []
    (alarm,) = guards.look(100, last)
    assert alarm.kind == "over_optimisation" and "from 100% to 50%" in alarm.text
