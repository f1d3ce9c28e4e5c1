"""The commands of experiments, a table like :data:`pipelines.cli.verbs.CORE`."""

from __future__ import annotations

from pipelines.cli.verbs import ROUNDS, Groups, Verb

_HOUSEHOLD = "experiments.watch_and_help.commands"

COMMANDS: Groups = (
    (
        "experiments",
        (
            Verb("reproduce", "experiments.engine.reproduce:reproduce", "a published result, over seeds", ROUNDS),
            Verb("household tasks", f"{_HOUSEHOLD}.tasks:write_tasks", "Watch-And-Help's tasks as JSON lines"),
            Verb(
                "household demonstrate",
                f"{_HOUSEHOLD}.demonstrate:record_demonstrations",
                "Alice's demonstrations, for people who infer her goals",
            ),
            Verb("household inferred", f"{_HOUSEHOLD}.inferred:report_inferred", "people's inferred goals"),
            Verb("household people", f"{_HOUSEHOLD}.people:report_people", "results of helped sessions, by helper"),
            Verb("household check", f"{_HOUSEHOLD}.check:check_home", "a graph of VirtualHome as a home"),
            Verb(
                "school tree",
                "experiments.social_ai.tree:show_tree",
                "the school's parameters, printed, drawn, sampled",
            ),
        ),
    ),
)
