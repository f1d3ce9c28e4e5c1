"""`rlhf school tree`: the parameter tree of the school, or of one of its environments, printed, drawn and sampled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.social_ai.tree_picture import draw_tree
from rlhf.run.progress import announce
from rlhf.run.setting_forms import OwnSettings
from worlds.ranges import CountFromZero, Seed
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.tree import combinations, format_combination, format_tree, narrow, sample
from worlds.settings import settings

WHOLE = "SocialAI-SocialAIParamEnv-v1"


@settings
class SchoolTreeConfig:
    """Settings of `rlhf school tree`.

    Args:
      environment: id of a published environment, e.g. EPointingBoxesTestInformationSeeking; by default the whole.
      only: values to which parameters are narrowed, by the code's or the paper's names, e.g. {"Problem": "Boxes"}.
      samples: combinations to draw and print.
      seed: of these.
      draw: file for a picture, .png, .svg or .pdf.
      paper: print the names of the paper.
    """

    environment: str = WHOLE
    only: OwnSettings = None
    samples: CountFromZero = 0
    seed: Seed = 0
    draw: Path | None = None
    paper: bool = False


def show_tree(config: SchoolTreeConfig) -> None:
    """Print a tree, its number of combinations and some of them, and draw it.

    Raises:
      UserError: there is no such environment or combination, or the picture cannot be written.
    """
    tree = tree_of(config.environment)
    tree = narrow(tree, config.only) if config.only else tree
    print(format_tree(tree, paper=config.paper), end="")
    print(f"\n{len(combinations(tree))} combinations")
    rng = np.random.default_rng(config.seed)
    for _ in range(config.samples):
        print(f"  {format_combination(sample(tree, rng), paper=config.paper)}")
    if config.draw is not None:
        draw_tree(tree, config.draw, paper=config.paper)
        announce(f"drew {config.draw}")
