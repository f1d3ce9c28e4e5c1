"""Charts of a training: their metrics and the names of the curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.report.data import Chart, Curve
from rlhf.records.preferences import NOUNS, PREFERENCES
from rlhf.run.json_lines import Row
from rlhf.run.tracking import column


@dataclass(frozen=True)
class ChartPlan:
    """Chart to be drawn of metrics.

    Args:
      curves: metric and name of the curve, in the order to draw; metrics without values are left out. A curve named
        "held-out" is dashed.
      share: true if values are shares of 1.
      least: lower values are drawn there, so that one outlier does not flatten the rest.
      level: metric measured once and drawn as a constant for comparison, and its name.
    """

    title: str
    curves: tuple[tuple[str, str], ...]
    note: str = ""
    share: bool = False
    least: float | None = None
    level: tuple[str, str] | None = None


def one(title: str, metric: str, note: str = "", least: float | None = None) -> ChartPlan:
    """Plan a chart of a single metric, with the name of the chart."""
    return ChartPlan(title, ((metric, title),), note, least=least)


IMPROVEMENT = (
    ChartPlan("Policy loss", (("rl/movement", "movement"), ("rl/language", "language"))),
    one("Value loss", "rl/value"),
    ChartPlan("Value and its target", (("vtrace/value", "the agent's value"), ("vtrace/target", "V-trace's target"))),
    one(
        "Variance explained by the value", "vtrace/explained", "1 is a perfect value, 0 no better than a constant.", -1
    ),
    one("Entropy of movement", "policy/entropy", "Nats a step."),
    one("Gradient norm", "gradient_norm", "Before clipping."),
    one("Imitation: movement", "bc/movement", "Nats a step."),
    one("Imitation: language", "bc/language", "Nats a step."),
    one("Contrastive loss (CSS)", "bc/css"),
    one("Reward a step", "play/reward"),
    ChartPlan("Speech", (("play/spoke", "share of steps"), ("rl/no_op_kl", "KL from the cloned agent"))),
    ChartPlan("Importance ratio", (("vtrace/rho", "mean ratio"), ("vtrace/behind", "mean log, played over learned"))),
    ChartPlan("Seconds an update", (("seconds/play", "play"), ("seconds/update", "learning"))),
)

CLONING = (
    ChartPlan(
        "Movement",
        (("bc/movement", "training"), ("bc_held_out/movement", "held-out")),
        "Nats a step.",
        level=("bc/marginal_entropy", "constant prediction"),
    ),
    ChartPlan("Language", (("bc/language", "training"), ("bc_held_out/language", "held-out")), "Nats a step."),
    ChartPlan("Contrastive loss (CSS)", (("bc/css", "training"), ("bc_held_out/css", "held-out"))),
    one("Weighted loss", "bc/loss"),
    one("Gradient norm", "bc/gradient_norm", "Before clipping."),
    one("Learning rate", "bc/learning_rate"),
    one("Frames a second", "bc/frames_per_second"),
)

REWARD_TRAINING = (
    ChartPlan("Loss of the marks", (("reward_model/ibt", "inter-temporal"), ("reward_model/ar", "autoregressive"))),
    one("Imitation: movement", "reward_model/movement", "Nats a step."),
    one("Imitation: language", "reward_model/language", "Nats a step."),
    one("Contrastive loss (CSS)", "reward_model/css"),
    one("Gradient norm", "reward_model/gradient_norm", "Before clipping."),
    one("Learning rate", "reward_model/learning_rate"),
    one("Frames a second", "reward_model/frames_per_second"),
)

PAIRS = ChartPlan(
    "Pairs of moments put in the right order",
    (
        ("reward_model_validation/pair_accuracy", "all pairs"),
        ("reward_model_validation/balanced_accuracy", "mean of better and worse"),
        ("reward_model_validation/majority", "always predicting the more frequent sign"),
    ),
    "In validation episodes. The best model has the highest mean of better and worse.",
    share=True,
)
WORDS = ChartPlan(
    "Pairs by their direction",
    (
        ("reward_model_validation/accuracy_plus", "progress"),
        ("reward_model_validation/accuracy_minus", "regress"),
        ("reward_model_validation/wrong_words_accuracy", "progress, but other words: falls"),
        ("reward_model_validation/answers_accuracy", "right answers: above plausible wrong ones"),
    ),
    "In the same episodes.",
    share=True,
)

PREFERENCE_LOSS = ChartPlan(
    "Loss of other preferences",
    (
        *((f"reward_model/{kind}", NOUNS[kind]) for kind in PREFERENCES),
        ("reward_model/cut", "requests against the same ones cut"),
        ("reward_model/between", "requests against failures of the same ones"),
    ),
    "Unweighted. Without any knowledge it is 0.69.",
)
AGREED = ChartPlan(
    "Other preferences ordered as raters did",
    tuple((f"reward_model_validation/{kind}_accuracy", NOUNS[kind]) for kind in PREFERENCES),
    "Decided examples of validation episodes.",
    share=True,
)


def charts(rows: list[Row], plans: Sequence[ChartPlan]) -> tuple[Chart, ...]:
    """Charts of ``plans`` that have at least one measured metric."""
    drawn = (_chart(rows, plan) for plan in plans)
    return tuple(chart for chart in drawn if chart.curves)


def _chart(rows: list[Row], plan: ChartPlan) -> Chart:
    curves = [_curve(rows, metric, name, plan.least) for metric, name in plan.curves]
    if plan.level is not None:
        curves.append(_level(rows, *plan.level))
    lowest = min((value for metric, _ in plan.curves for value in column(rows, metric)[1]), default=0.0)
    cut = f"Lower values are drawn at {plan.least:g}." if plan.least is not None and lowest < plan.least else ""
    found, note = tuple(curve for curve in curves if curve.x), f"{plan.note} {cut}".strip()
    return Chart(plan.title, "updates", found, share=plan.share, note=note)


def _curve(rows: list[Row], metric: str, name: str, least: float | None) -> Curve:
    x, y = column(rows, metric)
    shown = tuple(value if least is None else max(least, value) for value in y)
    return Curve(name, tuple(map(float, x)), shown, dashed=name == "held-out")


def _level(rows: list[Row], metric: str, name: str) -> Curve:
    """Constant curve of the first value of a metric, from the first row to the last."""
    measured = column(rows, metric)[1][:1]
    ends = (float(rows[0]["step"]), float(rows[-1]["step"])) if measured else ()
    return Curve(name, ends, tuple(measured) * 2)
