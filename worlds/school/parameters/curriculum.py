"""Expert curricula of the scaffolding study: which introductions, and whether with help, until the agent succeeds."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from worlds.errors import UserError
from worlds.school.parameters.names import INTRODUCTIONS
from worlds.school.parameters.tree import Parameter, narrow

_LAST = {"Pragmatic_frame_complexity": ["Ask_Eye_contact"], "Scaffolding": ["N"]}
# What is allowed in each phase, by the kind of curriculum.
PHASES: Mapping[str, tuple[Mapping[str, Sequence[str]], ...]] = {
    "intro_seq": ({"Pragmatic_frame_complexity": INTRODUCTIONS, "Scaffolding": ["N"]}, _LAST),
    "intro_seq_scaf": ({"Pragmatic_frame_complexity": INTRODUCTIONS, "Scaffolding": ["N", "Y"]}, _LAST),
}


@dataclass(frozen=True)
class CurriculumConfig:
    """Settings of a curriculum.

    Args:
      kind: "intro_seq" trains all introductions without help, "intro_seq_scaf" also with help; both then train asking
        during eye contact, without help.
      thresholds: shares of successful episodes, from 0 to 1; the first one ends the first phase. The published runs
        pass four, of which the others are not used.
      window: latest episodes over which success is averaged.
      minimum_episodes: a phase has more episodes than this.
    """

    kind: str
    thresholds: tuple[float, ...]
    window: int = 500
    minimum_episodes: int = 1000

    @classmethod
    def of(cls, given: CurriculumConfig | Mapping[str, Any]) -> CurriculumConfig:
        """Return a configuration, perhaps of its fields by name."""
        if isinstance(given, CurriculumConfig):
            return given
        known = [each.name for each in fields(cls)]
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            raise UserError(f"a curriculum has no setting {unknown!r}; known: {', '.join(known)}")
        if "kind" not in given:
            raise UserError(f"a curriculum needs its kind: {' or '.join(PHASES)}")
        return cls(**{**given, "thresholds": tuple(given.get("thresholds", ()))})

    def __post_init__(self) -> None:
        if self.kind not in PHASES:
            raise UserError(f"no curriculum named {self.kind!r}; known: {', '.join(PHASES)}")
        if not self.thresholds:
            raise UserError(f"the curriculum {self.kind!r} needs thresholds: the share of success that ends a phase")
        wrong = next((each for each in self.thresholds if not 0 <= each <= 1), None)
        if wrong is not None:
            raise UserError(f"a threshold of the curriculum is a share from 0 to 1, not {wrong}")
        if self.window < 1 or self.minimum_episodes < 0:
            raise UserError("a curriculum averages at least 1 episode, and a phase has at least 0")


class Curriculum:
    """Parts of a tree, one after another: the next one once enough of the latest episodes have succeeded."""

    def __init__(self, tree: Parameter, config: CurriculumConfig) -> None:
        self.config = config
        self._trees = [narrow(tree, allowed) for allowed in PHASES[config.kind]]
        self.phase = 1
        self._successes: deque[bool] = deque(maxlen=config.window)
        self._episodes = 0
        self.best_success = 0.0  # largest mean of this phase so far

    @property
    def tree(self) -> Parameter:
        """The part of the tree from which the next episode is sampled."""
        return self._trees[self.phase - 1]

    @property
    def mean_success(self) -> float:
        """Share of success over the latest episodes of this phase; 0 before the first."""
        return sum(self._successes) / max(1, len(self._successes))

    def record(self, success: bool) -> None:
        """Note the outcome of an episode, and begin the next phase if it ends this one."""
        self._successes.append(success)
        self._episodes += 1
        self.best_success = max(self.best_success, self.mean_success)
        enough = self._episodes > self.config.minimum_episodes and self.mean_success >= self.config.thresholds[0]
        if enough and self.phase < len(self._trees):
            self.phase += 1
            self._successes.clear()
            self._episodes, self.best_success = 0, 0.0

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold, as JSON: the phase, its episodes, the latest outcomes and the best."""
        successes = list(self._successes)
        return {"phase": self.phase, "episodes": self._episodes, "successes": successes, "best": self.best_success}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a result of :meth:`state`."""
        self.phase, self._episodes = int(state["phase"]), int(state["episodes"])
        self._successes = deque((bool(each) for each in state["successes"]), maxlen=self.config.window)
        self.best_success = float(state.get("best", self.mean_success))
