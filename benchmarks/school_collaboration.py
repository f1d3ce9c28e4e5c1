"""Success of the school's demonstrator of Collaboration, and steps a second with it, by problem and role.

python -m benchmarks.school_collaboration --episodes 1000
"""

from __future__ import annotations

import time

from benchmarks.timing import options
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.tree import combinations, narrow
from worlds.school.players.collaborator import collaborate
from worlds.school.problems.collaboration import Collaboration
from worlds.school.problems.problem import Settings
from worlds.school.problems.types import make_problem


def main() -> None:
    """Print a line for each problem, role and version."""
    args = options(
        __doc__, episodes=(1000, "of each problem, role and version"), size=(10, "cells of a side of the largest room")
    )
    for parameters, _ in combinations(narrow(FULL, {"Env_type": "Collaboration"})):
        begun, solved, steps = time.process_time(), 0, 0
        for seed in range(args.episodes):
            problem = make_problem(parameters, Settings(size=args.size), seed)
            assert isinstance(problem, Collaboration)
            while not problem.ended:
                problem.step(collaborate(problem), None)
                problem.observe()
            solved, steps = solved + problem.success, steps + problem.steps
        speed = steps / (time.process_time() - begun)
        name = f"{parameters['Problem']} {parameters['Role']} {parameters['Version']}"
        share, length = solved / args.episodes, steps / args.episodes
        print(f"{name:22} solved {share:6.1%}, {length:4.1f} steps an episode, {speed:6,.0f} steps/s")


if __name__ == "__main__":
    main()
