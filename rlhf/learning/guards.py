"""Guards of an unattended run of BC+RL: gradients, entropy and over-optimisation.

Alarms are lines for people. Only disagreement changes a run: it exhausts its patience.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.ranges import LARGEST
from worlds.settings import settings

Watched = Literal["gradient", "entropy", "over_optimisation", "disagreement"]
Patience = Annotated[int, Field(ge=1, le=LARGEST)]
Limit = Annotated[float, Field(gt=0)]

_USUAL = 100  # updates whose gradients are the usual ones
_FEWEST = 20  # below which nothing is usual yet


@settings
class GuardConfig:
    """Thresholds of alarms, and when to stop.

    Args:
      gradient: alarm when a gradient's norm is this many times the usual one (the median of the last 100 updates).
      entropy: alarm when the movement policy's entropy has fallen below this share of what it was at first.
      over_optimisation: alarm when the modelled return of held-out replays has risen since the first of them while
        their true success has fallen by more than this many standard errors. It needs scripted ground truth.
      disagreement: alarm when the modelled return of held-out replays has risen since the first of them while their
        return by the second reward model has fallen by more than this many standard errors, paired by episode.
      patience: stop after this many plays of the held-out episodes without a higher modelled return, and keep the
        agent that had the highest, which may be the first; None learns to the end and keeps the last. With a second
        reward model, the return by that counts instead, and an alarm of disagreement stops at once.
    """

    gradient: Limit = 30.0
    entropy: Limit = 0.2
    over_optimisation: Limit = 2.0
    disagreement: Limit = 2.0
    patience: Patience | None = None


@dataclass(frozen=True)
class Alarm:
    """A problem found at an update, with a hint how to solve it."""

    update: int
    kind: Watched
    text: str

    @property
    def stops(self) -> bool:
        """True if it exhausts the patience of a run."""
        return self.kind == "disagreement"

    def __str__(self) -> str:
        return f"update {self.update}: {self.text}"


class Guards:
    """Follows one run's metrics, update by update. ``state_dict`` resumes exactly."""

    def __init__(self, config: GuardConfig | None = None) -> None:
        self.config = config or GuardConfig()
        self._gradients: deque[float] = deque(maxlen=_USUAL)
        self._entropies: list[float] = []  # the first ones
        self._first: dict[str, float] = {}  # held-out play before learning
        self._raised: set[str] = set()

    def look(self, update: int, metrics: Mapping[str, float]) -> list[Alarm]:
        """Take note of one update's ``metrics``; alarms of what is wrong now and was not before."""
        alarms: dict[Watched, str | None] = {}
        if (norm := metrics.get("gradient_norm")) is not None:
            alarms["gradient"] = self._gradient(norm)
        if (entropy := metrics.get("policy/entropy")) is not None:
            alarms["entropy"] = self._entropy(entropy)
        if "held_out/modelled_return" in metrics:
            alarms["over_optimisation"] = self._over_optimisation(metrics)
        if "held_out/second_change" in metrics:
            alarms["disagreement"] = self._disagreement(metrics)
        raised = [Alarm(update, name, line) for name, line in alarms.items() if line and name not in self._raised]
        for name, line in alarms.items():
            (self._raised.add if line else self._raised.discard)(name)
        return raised

    def state_dict(self) -> dict[str, Any]:
        return {
            "gradients": list(self._gradients),
            "entropies": list(self._entropies),
            "first": dict(self._first),
            "raised": sorted(self._raised),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._gradients = deque(state["gradients"], maxlen=_USUAL)
        self._entropies, self._first = list(state["entropies"]), dict(state["first"])
        self._raised = set(state["raised"])

    def _gradient(self, norm: float) -> str | None:
        usual = median(self._gradients) if len(self._gradients) >= _FEWEST else None
        self._gradients.append(norm)
        if usual is None or norm <= self.config.gradient * usual:
            return None
        return (
            f"the gradient's norm is {norm:.3g}, {norm / usual:.0f} times the usual {usual:.3g}; if that continues, "
            "lower learner.learning_rate or learner.clip"
        )

    def _entropy(self, entropy: float) -> str | None:
        if len(self._entropies) < _FEWEST:
            self._entropies.append(entropy)
            return None
        first = median(self._entropies)
        if first <= 0 or entropy >= self.config.entropy * first:
            return None
        return (
            f"the movement policy's entropy is {entropy:.3g} nats a step, at first it was {first:.3g}: it hardly tries "
            "anything else; raise learner.entropy_weight or learner.bc_movement_weight"
        )

    def _over_optimisation(self, metrics: Mapping[str, float]) -> str | None:
        now = {name: metrics[f"held_out/{name}"] for name in _FOLLOWED if f"held_out/{name}" in metrics}
        self._first = self._first or now
        if len(now) < len(_FOLLOWED) or len(self._first) < len(_FOLLOWED):
            return None
        first = self._first
        errors = math.hypot(*(standard_error(one["true_success"], one["requests"]) for one in (first, now)))
        fell = first["true_success"] - now["true_success"]
        if now["modelled_return"] <= first["modelled_return"] or fell <= self.config.over_optimisation * errors:
            return None
        return (
            f"over-optimisation: on held-out replays the modelled return rose from {first['modelled_return']:.2f} to "
            f"{now['modelled_return']:.2f} while true success fell from {first['true_success']:.0%} to "
            f"{now['true_success']:.0%}; stop earlier, raise learner.bc_movement_weight, or mark this agent's play"
        )

    def _disagreement(self, metrics: Mapping[str, float]) -> str | None:
        first, now = self._first["modelled_return"], metrics["held_out/modelled_return"]
        change, error = metrics["held_out/second_change"], metrics["held_out/second_change_error"]
        if now <= first or -change <= self.config.disagreement * error:
            return None
        return (
            f"disagreement: on held-out replays the modelled return rose from {first:.2f} to {now:.2f} while the "
            f"return by the second reward model fell by {-change:.2f} (standard error {error:.2f}); stop earlier, "
            "raise learner.bc_movement_weight, or mark this agent's play"
        )


_FOLLOWED = ("modelled_return", "true_success", "requests")


def standard_error(share: float, count: float) -> float:
    """The standard error of a share of ``count`` requests; Laplace's estimate keeps it above 0 at shares of 0 and 1."""
    smooth = (share * count + 1.0) / (count + 2.0)
    return math.sqrt(smooth * (1.0 - smooth) / count)


def paired_change(first: Mapping[str, float], now: Mapping[str, float]) -> tuple[float, float] | None:
    """Return the mean change of the returns of the episodes in both, and its standard error; None of fewer than two.

    The error is that of the mean of the episodes' own changes: differences between episodes cancel.
    """
    changes = [now[episode] - before for episode, before in first.items() if episode in now]
    if len(changes) < 2:
        return None
    return fmean(changes), stdev(changes) / math.sqrt(len(changes))
