"""Headlines of a run's replays: intervals at both ends, or that too few ended to compare them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipelines.report.data import Chart, Curve
from pipelines.report.findings import over_optimisation
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
        [(1, 0.0, 1)],
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


# Warnings and charts


def test_chance_is_no_over_optimisation() -> None:
    rising = Chart("Reward", "updates", (Curve("a", (0, 1), (0.1, 0.9)),))

    def falling(count: int) -> Chart:
        return Chart("Success", "updates", (Curve("a", (0, 1), (0.5, 0.4), counts=(count, count)),), share=True)

    assert over_optimisation(rising, falling(10)) == []
    assert len(over_optimisation(rising, falling(1000))) == 1


def test_charts_of_training_replays_begin_where_enough_have_ended() -> None:
    rows = measured("train", [(1, 0.0, 1), (9, 0.25, 60), (90, 0.32, 200)])
    for chart in (reward_over_training(rows), success_over_training(rows)):
        (curve,) = chart.curves
        assert curve.x == (9.0, 90.0) and curve.counts == (60, 200)
    (curve,) = success_over_training(rows[:1]).curves
    assert curve.x == (1.0,)


# Clones and reward models


def test_a_clone_is_reported_beside_the_loss_of_a_blind_agent() -> None:
    rows: list[Row] = [{"step": 0, "bc/marginal_entropy": 3.05}]
    assert "not measured yet" in headlines.cloning_headline(rows)
    rows += [{"step": 10, "bc_held_out/movement": 2.5}]
    assert headlines.cloning_headline(rows, 12) == (
        "The loss of a step's movement on held-out play (12 episodes) is 2.50 nats; a constant prediction has 3.05."
    )
    rows += [{"step": 20, "bc_held_out/movement": 1.9}]
    assert "went from 2.50 to 1.90 nats; a constant prediction has 3.05." in headlines.cloning_headline(rows, 12)
    assert "no held-out play was measured" in headlines.cloning_headline([{"step": 1, "bc/movement": 2.0}])


def test_a_reward_model_is_reported_with_an_interval_once_it_is_kept() -> None:
    where = "reward_model_validation"
    rows: list[Row] = [{"step": 10, f"{where}/pair_accuracy": 0.7, f"{where}/majority": 0.6}]
    assert headlines.reward_headline(rows) == (
        "At best 70% of the pairs of moments in validation play are put in the right order; "
        "always predicting the more frequent sign: 60%."
    )
    kept = {"accuracy": 0.7, "accuracy_low": 0.55, "accuracy_high": 0.82, "episodes": 14}
    rows += [{"step": 20} | {f"{where}/kept_{name}": value for name, value in kept.items()}]
    assert headlines.reward_headline(rows).startswith(
        "70% (55 to 82%) of the pairs of moments in validation play (14 ep"
    )


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
