"""Data of a report: one frozen record, and its JSON form beside the run (``report.json``)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.stages.outcomes.results_file import Split
from pipelines.stages.running.staged_run import FinishedStage
from rlhf.learning.guards import Alarm
from rlhf.records.json_records import from_json, to_json
from rlhf.run.statistics import Interval
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError
from worlds.settings import BadValue

DATA_FILE = "report.json"


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of one agent at one probe: ``success[i]`` is of the episode with seed ``seeds[i]``.

    Args:
      run: seed from which the agent was trained; agents of the same run are compared, episode by episode.
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
    """Line of a chart: ``y[i]`` at ``x[i]``, x rising; nan leaves a gap.

    Args:
      dashed: true by convention for measurements on held-out episodes.
      counts: number of requests or plays behind each y; empty where it is unknown.
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
    """PNG with its caption."""

    png: bytes
    caption: str


@dataclass(frozen=True)
class Clip:
    """Frames that one agent saw, step by step, compressed. Create it with :meth:`of`."""

    agent: str
    success: bool
    shape: tuple[int, int, int, int]
    packed: bytes
    steps_per_second: float = STEPS_PER_SECOND

    @classmethod
    def of(cls, agent: str, success: bool, frames: np.ndarray, steps_per_second: float = STEPS_PER_SECOND) -> Clip:
        """Create a clip.

        Args:
          success: true if the request succeeded.
          frames: uint8 [T, H, W, 3], T > 0.

        Raises ValueError if ``frames`` is another array.
        """
        if frames.ndim != 4 or frames.shape[-1] != 3 or frames.dtype != np.uint8 or len(frames) == 0:
            raise ValueError(f"a clip's frames are uint8 [T, H, W, 3], not {frames.dtype} {frames.shape}")
        steps, height, width, _ = map(int, frames.shape)
        packed = zlib.compress(np.ascontiguousarray(frames).tobytes())
        return cls(agent, bool(success), (steps, height, width, 3), packed, steps_per_second)

    @property
    def frames(self) -> np.ndarray:
        """Frames uint8 [T, H, W, 3]."""
        return np.frombuffer(zlib.decompress(self.packed), dtype=np.uint8).reshape(self.shape)


@dataclass(frozen=True)
class ComparedClips:
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
      since: first update at which alarms were saved; None if the run's older version saved none.
    """

    run: str
    since: int | None
    alarms: tuple[Alarm, ...] = ()


@dataclass(frozen=True)
class Circumstances:
    """Circumstances of the numbers of a report.

    Args:
      commit: of Git, if known.
      counts: names and numbers, e.g. ("recorded episodes", "600"), in the order to show.
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
    """Result of one round of improvement.

    Args:
      number: of the round, from 1.
      accuracy: of the reward model on held-out play, or on validation play where there is none; None if unknown.
      modelled_return: reward of a replayed episode by the round's own reward model, at first and last; None if too few
        plays ended to compare the two.
      true_success: share of replayed requests that succeeded by the tasks' checks, at first and last; None likewise.
      success: interval by probe, and over all of them where there are several.
      on_clone: success less that of the cloned agent, paired by episode.
      on_deployed: success less that of the deployed agent, paired by episode.
      preferred: by rater, share of the pairs of clips that they decided in which they preferred this agent to the
        deployed one.
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
    preferred: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def marks(self) -> int:
        """Number of marks on its play."""
        return self.progress + self.regress


@dataclass(frozen=True)
class RoundsCompared:
    """Rounds of improvement side by side (the paper's Figure 9).

    Args:
      clone: name of the agent that all rounds start from.
      reference_success: interval of the demonstrator by probe; None if it was not evaluated.
    """

    clone: str
    clone_success: Mapping[str, Interval]
    reference_success: Mapping[str, Interval] | None
    rounds: tuple[RoundResult, ...]


@dataclass(frozen=True)
class ReportData:
    """All data of a report; its conclusions are computed from them.

    Args:
      scripted: true if setters, solvers and raters were scripted stand-ins; false only if all were people.
      reward_over_training: modelled reward of training and held-out episodes while the agent improved (Figure 4).
      second_over_training: return of held-out episodes by a second reward model; None without one.
      traces: utility and reward along episodes with the marks on them (Figure 3).
      clips_note: choice of the clips, e.g. "The first episode of each probe."
      watched: alarms of the runs that improved the agent; empty if unknown.
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
    second_over_training: Chart | None = None
    traces: tuple[Picture, ...] = ()
    clips: tuple[ComparedClips, ...] = ()
    clips_note: str = ""
    training: tuple[Chart, ...] = ()
    resampling_seed: int = 0
    between: tuple[str, ...] = ()
    rounds: RoundsCompared | None = None
    watched: tuple[WatchedRun, ...] = ()
    split: Split = "held_out"

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
    """Read what :func:`save_report_data` wrote; parts missing from an older version are empty.

    Raises UserError if the file is missing, damaged or of a later version.
    """
    try:
        record = json_text.from_json(path.read_text(encoding="utf-8"))
        return from_json(ReportData, record)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} does not exist; name the folder of a run that has been evaluated") from None
    except BadValue as error:
        raise UserError(f"{path} is not the data of a report ({error}); make the run's report again") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged ({error}); make the run's report again") from None
