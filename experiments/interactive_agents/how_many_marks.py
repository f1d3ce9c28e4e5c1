"""One person's judgements against success: from none to thousands, of the pretrained agent's own play.

`rlhf reproduce how-many-marks`, with the settings of :mod:`pipelines.presets.demo`, and these differ:

* There are 6,000 episodes of the agent's own play, of which the raters mark a part, and as many in held-out houses in
  proportion. Nobody marks demonstrations.
* "marks" are of the usual scripted rater. "verdicts" say of a request whether it was carried out (`rlhf mark --from
  outcomes`), which takes a person one key, and as often wrong or missing. Half of "both" are marks.
* Every reward model begins as the pretrained one, which no rater has taught. "alone" begins with BC's weights.
* "free marks" has no judgements: the pretrained model learns further from a mark of progress before each further
  request in demonstrations. "scripted reward" is the tasks' own success check: what this learner can reach with a
  perfect reward model.

Judgements are counted on training and held-out play together, as one person gives them. The held-out ones select no
model; they show how well the kept one orders them.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.interactive_agents.probes import FREE_MARKS
from pipelines.presets.demo import demo
from pipelines.presets.teach import loop

COUNTS = (100, 300, 600, 1000, 3000)
FREE = "free marks"


def experiment() -> ExperimentConfig:
    """`rlhf reproduce how-many-marks`."""
    settings = demo()
    marking = replace(settings.mark, solver="agent")
    ways, learned = {FREE: (FREE_MARKS,)}, {FREE: "marks"}
    for count in COUNTS:
        marks = replace(marking, most=count)
        verdicts, half = replace(marks, from_="outcomes"), replace(marks, most=count // 2)
        ways |= {
            f"{count} marks": (marks,),
            f"{count} verdicts": (verdicts,),
            f"{count} both": (half, replace(half, from_="outcomes")),
            f"{count} marks alone": (marks,),
        }
        kinds = {"marks": "marks", "verdicts": "verdicts", "both": "verdicts", "marks alone": "alone"}
        learned |= {f"{count} {name}": model for name, model in kinds.items()}
    begun = replace(settings.reward, start=settings.reward_model)
    judging = replace(begun.training, preferences=loop().reward.training.preferences)
    return ExperimentConfig(
        agent=settings.agent,
        demonstrations=settings.demonstrations,
        clones={PLAYER: settings.clone},
        play=replace(settings.play, episodes=6000),
        held_out_play=600,
        mark=marking,
        rewards={"marks": begun, "verdicts": replace(begun, training=judging), "alone": settings.reward},
        marks=ways,
        arms={
            "BC": Arm(),
            **{f"BC+RL ({way})": Arm(reward=learned[way], improve=settings.improve, marks=way) for way in ways},
            "BC+RL (scripted reward)": Arm(improve=settings.improve),
        },
        evaluate=settings.evaluate,
        also_evaluated_on=(),
        also_compared_with=(f"BC+RL ({FREE})",),
    )
