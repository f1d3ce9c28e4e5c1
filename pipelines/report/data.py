"""What a report is made of: one frozen record, and its JSON form beside the run (``report.json``)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.stages.running.staged_run import FinishedStage
from rlhf.learning.guards import Alarm
from rlhf.records.json_records import BadRecord, from_json, to_json, with_new_settings
from rlhf.run.statistics import Interval
from rlhf.store import json_text
from rlhf.store.durable import write_file
from worlds.errors import UserError

DATA_FILE = "report.json"


@dataclass(frozen=True)
class Outcomes:
    """How one agent fared at one probe task: ``success[i]`` is of the episode with seed ``seeds[i]``.

    Args:
      run: seed from which the agent was trained; agents of the same run are compared, episode by episode.
      seeds: of the episodes; the same for every agent, in any order.
    """

    agent: str
    probe: str
    run: int
    seeds: tuple[int, ...]
    success: tuple[bool, ...]

    def __post_init__(self) -> None:
        name = f"{self.agent} at {self.probe}, run {self.run}"
        if len(self.seeds) != len(self.success) or not self.seeds:
            raise ValueError(f"{name}: {len(self.seeds)} seeds for {len(self.success)} outcomes")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"{name}: an episode's seed appears twice")


@dataclass(frozen=True)
class Curve:
    """A line of a chart: ``y[i]`` at ``x[i]``, x rising; nan leaves a gap.

    Args:
      name: what the legend says.
      x: places on the x axis.
      y: values there.
      dashed: by custom, what was measured on held-out episodes.
      counts: how many requests or plays lie behind each y; empty where that is not known.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    dashed: bool = False
    counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or len(self.counts) not in (0, len(self.y)):
            raise ValueError(f"curve {self.name}: {len(self.x)} x for {len(self.y)} y, {len(self.counts)} counts")


@dataclass(frozen=True)
class Chart:
    """Curves over one x axis. With ``share``, y is a share of 1, shown in per cent from 0 to 100."""

    title: str
    x_label: str
    curves: tuple[Curve, ...]
    share: bool = False
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A PNG with a line about what it shows."""

    png: bytes
    caption: str


@dataclass(frozen=True)
class Clip:
    """What one agent saw, step by step. Made by :meth:`of`; the frames are kept compressed."""

    agent: str
    success: bool
    shape: tuple[int, int, int, int]
    packed: bytes

    @classmethod
    def of(cls, agent: str, success: bool, frames: np.ndarray) -> Clip:
        """A clip of ``frames``: uint8 [T, H, W, 3], T > 0. Raises ValueError for other arrays."""
        if frames.ndim != 4 or frames.shape[-1] != 3 or frames.dtype != np.uint8 or len(frames) == 0:
            raise ValueError(f"a clip's frames are uint8 [T, H, W, 3], not {frames.dtype} {frames.shape}")
        steps, height, width, _ = map(int, frames.shape)
        return cls(
            agent, bool(success), (steps, height, width, 3), zlib.compress(np.ascontiguousarray(frames).tobytes())
        )

    @property
    def frames(self) -> np.ndarray:
        """uint8 [T, H, W, 3]."""
        return np.frombuffer(zlib.decompress(self.packed), dtype=np.uint8).reshape(self.shape)


@dataclass(frozen=True)
class ClipPair:
    """Two agents on the same request in the same place."""

    instruction: str
    probe: str
    left: Clip
    right: Clip


@dataclass(frozen=True)
class WatchedRun:
    """Alarms of a run of BC+RL.

    Args:
      run: its name where a report shows several, else "".
      since: update from which on alarms were kept; None if the run, being of an older version, kept none.
    """

    run: str
    since: int | None
    alarms: tuple[Alarm, ...] = ()


@dataclass(frozen=True)
class Circumstances:
    """Under what circumstances the numbers came about.

    Args:
      config: the resolved configuration, as JSON.
      counts: what there was, e.g. ("recorded episodes", "600"), in the order to show.
    """

    command: str
    machine: str
    version: str
    created: str
    commit: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    counts: tuple[tuple[str, str], ...] = ()
    stages: tuple[FinishedStage, ...] = ()


@dataclass(frozen=True)
class RoundResult:
    """What one round of improvement came to.

    Args:
      number: from 1 on. agent: the one it trained. deployed: the one whose play was marked for it.
      episodes, held_out_episodes: of that play. progress, regress: the marks on it; by_people: how many are people's.
      accuracy: of the reward model on held-out play; where there is none, on play set aside; None if unknown.
      modelled_return, true_success: per replayed episode at first and last, as the round's own reward model and as the
        tasks' checks see it; None if too few plays ended to compare the two.
      success: interval by probe, and over all of them where there are several.
      on_clone, on_deployed: success less that of the cloned and of the deployed agent, paired by episode.
    """

    number: int
    agent: str
    deployed: str
    episodes: int
    held_out_episodes: int
    progress: int
    regress: int
    by_people: int
    accuracy: float | None
    modelled_return: tuple[float, float] | None
    true_success: tuple[float, float] | None
    success: Mapping[str, Interval]
    on_clone: Interval
    on_deployed: Interval

    @property
    def marks(self) -> int:
        """How many marks its play got."""
        return self.progress + self.regress


@dataclass(frozen=True)
class RoundsCompared:
    """Rounds of improvement side by side (the paper's Figure 9).

    Args:
      clone: name of the agent that all rounds start from. clone_success, reference_success: interval by probe, as in
        the rounds; of the demonstrator None if it was not evaluated.
    """

    clone: str
    clone_success: Mapping[str, Interval]
    reference_success: Mapping[str, Interval] | None
    rounds: tuple[RoundResult, ...]


@dataclass(frozen=True)
class ReportData:
    """All that a report shows; whatever it concludes is computed from this.

    Args:
      outcomes: of the agents ``before`` and ``after`` (and of ``reference``, the demonstrator), on held-out episodes.
      scripted: whether setters, solvers and raters were scripted stand-ins; False only if all were people.
      reward_over_training: modelled reward of training and held-out episodes while the agent improved (Figure 4).
      success_over_training: true success over the same x.
      traces: utility and reward along episodes with the marks on them (Figure 3).
      clips_note: how the clips were chosen, e.g. "The first episode of each probe."
      training: further curves, e.g. losses.
      resampling_seed: of the bootstrap intervals.
      between: further agents, shown between ``before`` and ``after``. rounds: of improvement, side by side.
      watched: alarms of the runs that improved the agent; none if that is not known.
    """

    title: str
    before: str
    after: str
    outcomes: tuple[Outcomes, ...]
    circumstances: Circumstances
    reference: str | None = None
    scripted: bool = True
    reward_over_training: Chart | None = None
    success_over_training: Chart | None = None
    traces: tuple[Picture, ...] = ()
    clips: tuple[ClipPair, ...] = ()
    clips_note: str = ""
    training: tuple[Chart, ...] = ()
    resampling_seed: int = 0
    between: tuple[str, ...] = ()
    rounds: RoundsCompared | None = None
    watched: tuple[WatchedRun, ...] = ()

    def __post_init__(self) -> None:
        cells = [(outcome.agent, outcome.probe, outcome.run) for outcome in self.outcomes]
        for cell in cells:
            if cells.count(cell) > 1:
                raise ValueError(f"the outcomes of {cell[0]} at {cell[1]}, run {cell[2]}, appear twice")
        seeds = {(outcome.probe, outcome.run, outcome.agent): set(outcome.seeds) for outcome in self.outcomes}
        agents = (self.before, *self.between, self.after)
        places = {name: {(probe, run) for probe, run, agent in seeds if agent == name} for name in agents}
        first = places[self.before]
        for name in agents[1:]:
            if not first or places[name] != first:
                raise ValueError(f"{self.before} and {name} must be evaluated at the same probes, in the same runs")
            for probe, run in first:
                if seeds[probe, run, self.before] != seeds[probe, run, name]:
                    raise ValueError(f"{self.before} and {name} must play the same episodes of {probe}, run {run}")
        if len({frozenset(probe for probe, run in first if run == one) for _, one in first}) != 1:
            raise ValueError("every run must have the same probes")


def save_report_data(data: ReportData, path: Path) -> None:
    """Write ``data`` as JSON to ``path``; a reader sees the whole file or none."""
    write_file(path, (json.dumps(to_json(data)) + "\n").encode())


def load_report_data(path: Path) -> ReportData:
    """What :func:`save_report_data` wrote; parts that its version did not know yet are empty.

    Raises:
      UserError: if the file is missing, damaged or of a later version.
    """
    try:
        record = json_text.from_json(path.read_text(encoding="utf-8"))
        return from_json(ReportData, with_new_settings(ReportData, record))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} does not exist; name the folder of a run that has been evaluated") from None
    except BadRecord as error:
        raise UserError(f"{path} is not the data of a report ({error}); make the run's report again") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged ({error}); make the run's report again") from None
