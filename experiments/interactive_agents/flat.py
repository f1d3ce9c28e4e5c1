"""The language games of the paper's A.8 in furnished rooms: BC, BC+RL and the demonstrator, three seeds.

`rlhf reproduce flat --episodes 20`, with the settings of :mod:`pipelines.presets.flat`, a twelfth of the updates of
cloning of :mod:`experiments.interactive_agents.probes` for five times as many tasks. Nothing here is tuned.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from pipelines.presets import flat


def experiment() -> ExperimentConfig:
    """`rlhf reproduce flat`."""
    base = flat.iterate()
    improve = replace(base.improve, replay="agent")
    return ExperimentConfig(
        demonstrations=base.demonstrations,
        clones={PLAYER: base.clone},
        play=base.play,
        held_out_play=base.held_out_play,
        mark=base.mark,
        rewards={"ibt": base.reward},
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=improve),
            "BC+RL (scripted reward)": Arm(improve=improve),
            "demonstrator": Arm(clone="scripted"),
        },
        evaluate=base.evaluate,
        also_evaluated_on=(),
    )
