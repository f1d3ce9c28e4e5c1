"""Other uses of the same marks: a reward model and BC+RL, or refining on marked play, with and without BC+RL.

`rlhf reproduce marks-use`, on the demonstrations, the cloned agents, the play, the marks, the reward model and the
improvement of :mod:`pipelines.runs.probes`. The arms differ only in what is learned from the marks
(docs/using-marks.md). Each refinement has as many updates as the improvement, of the same number of steps of play, at
its learning rate. The methods' own settings are the defaults; none was tuned.

* "BC, refined without marks" continues cloning of the demonstrations for as many updates as the other refinements: the
  loss on windows has the weight 0.
* Arms with "+ RL" are improved against the same reward model as "BC+RL (IBT)".
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.runs import probes
from pipelines.runs.demo import refining
from pipelines.studies.config import Arm, StudyConfig
from rlhf.learning.refining_config import Method, RefiningConfig

NAMES: dict[Method, str] = {"weighted": "RA-BC", "conditioned": "RECAP", "kto": "KTO", "apo": "APO", "cpl": "CPL"}


def study() -> StudyConfig:
    """`rlhf reproduce marks-use`."""
    base, improve = probes.study(), probes.improving()
    refined = {name: Arm(reward="ibt", refine=method) for method, name in NAMES.items()}
    return replace(
        base,
        clones={"bc": base.clones["bc"]},
        rewards={"ibt": base.rewards["ibt"]},
        refinements={
            **{method: refining(RefiningConfig(method=method), improve) for method in NAMES},
            "conditioned by marks": refining(RefiningConfig(method="conditioned", indicated_by="marks"), improve),
            "without marks": refining(RefiningConfig(method="apo", preference_weight=0.0), improve),
        },
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=improve),
            **refined,
            **{f"{name} + RL": replace(arm, improve=improve) for name, arm in refined.items()},
            "RECAP by marks": Arm(refine="conditioned by marks"),
            "BC, refined without marks": Arm(refine="without marks"),
        },
        curves=(),
        also_compared_with=("BC+RL (IBT)",),
    )
