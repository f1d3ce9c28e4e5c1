"""Experiments of "Improving Multimodal Interactive Agents with Reinforcement Learning from Human Feedback" (2022)."""

from experiments.engine.declaration import Experiment

_HERE = "experiments.interactive_agents"
_FURTHER = "begins with the agents of `rlhf reproduce plateau`"

EXPERIMENTS = (
    Experiment("demo", "pipelines.presets.demo:demo", "demo"),
    Experiment("pretrained", f"{_HERE}.pretrained:plan", "own", frozenset({"episodes", "device"})),
    Experiment("probes", f"{_HERE}.probes:experiment"),
    Experiment("plateau", f"{_HERE}.plateau:experiment"),
    Experiment("ablations", f"{_HERE}.ablations:experiment"),
    Experiment("raters", f"{_HERE}.raters:experiment"),
    Experiment("how-many-marks", f"{_HERE}.how_many_marks:experiment"),
    Experiment("marks-use", f"{_HERE}.marks_use:experiment"),
    Experiment("sizes", f"{_HERE}.sizes:experiment"),
    Experiment("flat", f"{_HERE}.flat:experiment"),
    Experiment("fresh-marks", f"{_HERE}.fresh_marks:plan", "own", frozenset({"source", "docs"}), _FURTHER),
    Experiment("judged", f"{_HERE}.judged:plan", "own", frozenset({"source", "docs"}), _FURTHER),
    Experiment("rounds", f"{_HERE}.rounds:plan", "own", frozenset({"source", "docs"}), _FURTHER),
)
