"""Robustness: trials with kills, damage and wrong inputs, and the page of their figures.

    python -m benchmarks.robustness                     # every group, minutes
    python -m benchmarks.robustness --only marks-files  # one of them
    python -m benchmarks.robustness --docs              # and write the figures into docs/robustness.md

Every trial has a name, a folder of its own and an expectation that can be checked by a program. It holds or breaks;
the command exits with 1 if one broke. Linux only: a trial is a fork of a process that has imported everything.
"""
