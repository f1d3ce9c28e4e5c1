"""The table of the commands of ``rlhf``.

Other packages add commands under the entry point group ``interactive_rlhf.commands``: each names a table like
:data:`CORE`.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, get_type_hints

from worlds.errors import UserError

ENTRY_POINT_GROUP = "interactive_rlhf.commands"


@dataclass(frozen=True)
class Verb:
    """One command, with the function that runs it.

    Args:
      name: the command, as typed.
      entry: its function as "module:name", whose only parameter is the frozen configuration.
      help: description in one line.
      kept: message about finished work when the command is interrupted or the disk is full.
      status: True if the function returns the exit status; False if its return is a success.
      preset: preset to start from if the user names none; None starts from the configuration's defaults.
    """

    name: str
    entry: str
    help: str
    kept: str = "all finished work is kept"
    status: bool = False
    preset: str | None = None

    @property
    def module(self) -> str:
        """Name of the function's module."""
        return self.entry.partition(":")[0]

    @property
    def function(self) -> str:
        """Name of the function."""
        return self.entry.partition(":")[2]

    def load(self) -> tuple[type, Callable[[Any], Any]]:
        """Import the command; return the class of its configuration, and its function.

        Raises:
          UserError: if a package is not installed.
        """
        try:
            run = getattr(importlib.import_module(self.module), self.function)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if not package or importlib.util.find_spec(package) is not None:
                raise  # a file is missing in a package that is there
            extra = "interactive-rlhf[ray]" if package == "ray" else "interactive-rlhf"
            raise UserError(
                f"the package {package} is not installed; pip install '{extra}' installs all that is needed"
            ) from error
        return get_type_hints(run)["config"], run


Groups = tuple[tuple[str, tuple[Verb, ...]], ...]  # commands under a heading each

_PLAYED = "every finished episode is kept in the dataset; the same command records the rest"
_ENDED = "every finished continuation is kept; the same command resumes"
ROUNDS = "every finished stage is kept; the same command resumes"
_BEGUN = "no run was begun; run the command again"

_PROBED = "every finished probe is kept; the same command resumes"
_DELETED = "the same command finishes the deletion"
_LOOKED = "the datasets are unchanged"
_ANSWERED = "every answer is kept; the same command resumes"
_UNCHANGED = "the dataset is as it was, or the same command resumes"
_SERVED = "everything shown as saved is kept"


CORE: Groups = (
    (
        "the loop, one step at a time",
        (
            Verb("record", "pipelines.stages.record:record", "play episodes into a dataset", _PLAYED),
            Verb("mark", "pipelines.stages.mark:mark", "have scripted raters mark a dataset's episodes"),
            Verb("clone", "pipelines.stages.clone:clone", "train an agent to imitate it (BC)", _BEGUN),
            Verb("reward", "pipelines.stages.reward:reward", "train a reward model on marks", _BEGUN),
            Verb(
                "diagnose",
                "pipelines.diagnose.command:diagnose",
                "what reward models have learned, and an agent's eyes",
            ),
            Verb("refine", "pipelines.stages.refine:refine", "train the agent further on marked play", _BEGUN),
            Verb("improve", "pipelines.stages.improve:improve", "improve the agent (BC+RL)", _BEGUN),
            Verb("evaluate", "pipelines.stages.evaluate:evaluate", "measure agents at probes", _PROBED),
            Verb("report", "pipelines.report.command:report", "write a run's report as one HTML file"),
        ),
    ),
    (
        "language models",
        (
            Verb("language-model make", "pipelines.stages.language_model:make_language_model", "one as an agent"),
            Verb("language-model mark", "pipelines.stages.language_rater:mark_with_model", "one as a rater", _ANSWERED),
        ),
    ),
    (
        "the whole loop",
        (
            Verb("demo", "pipelines.loops.loop:demo", "all of it here, in minutes", ROUNDS, preset="demo"),
            Verb("iterate", "pipelines.loops.loop:iterate", "rounds of improvement", ROUNDS, preset="tower"),
            Verb("teach", "pipelines.cli.teach:teach", "improve an agent from your own marks, in a browser", ROUNDS),
        ),
    ),
    (
        "the test suite that people judge",
        (
            Verb("suite make", "pipelines.suite.make:make_suite", "draw scenarios from play"),
            Verb("suite play", "pipelines.suite.play:play_suite", "agents continue from them", _ENDED),
            Verb("suite judge", "pipelines.suite.judge:judge_suite", "scripted stand-ins judge"),
            Verb("suite live", "pipelines.suite.live:live_suite", "scripted setters judge during play", _PLAYED),
            Verb("suite report", "pipelines.suite.report:report_suite", "how people judged"),
        ),
    ),
    (
        "people",
        (
            Verb("serve", "pipelines.cli.serve:serve", "the web app in which people play, mark and judge", _SERVED),
            Verb("look", "pipelines.cli.serve:look", "episodes, marks and rewards of datasets", _LOOKED),
            Verb("people link", "annotation.server.serve:link_admin", "a new sign-in link for the study's admin"),
            Verb("people delete", "annotation.server.serve:delete_person", "a person's data, permanently", _DELETED),
            Verb("marks collect", "annotation.server.serve:collect", "what people submitted into the datasets"),
        ),
    ),
    (
        "recordings and machine",
        (
            Verb("runs list", "pipelines.cli.runs:list_runs", "the runs under a folder"),
            Verb("runs compare", "pipelines.cli.runs:compare_runs", "how runs differ"),
            Verb("episodes list", "pipelines.cli.episodes_settings:list_episodes", "the episodes of a dataset"),
            Verb("episodes show", "pipelines.cli.episodes_settings:show_episode", "one episode, step by step"),
            Verb("render", "pipelines.cli.render:render", "an episode as PNG, GIF or MP4"),
            Verb("episodes verify", "pipelines.cli.episodes_settings:verify_episodes", "look for damage", status=True),
            Verb("episodes merge", "pipelines.cli.episodes_settings:merge_episodes", "several datasets into one"),
            Verb("episodes drop", "pipelines.cli.episodes_settings:drop_episodes", "remove episodes from a dataset"),
            Verb("episodes compact", "pipelines.cli.episodes_settings:compact_episodes", "many episodes in a file"),
            Verb("episodes push", "pipelines.cli.episodes_settings:push_episodes", "a dataset to the Hugging Face Hub"),
            Verb(
                "episodes export", "pipelines.cli.exchange:export_dataset", "to the format of another library", _LOOKED
            ),
            Verb(
                "episodes import", "pipelines.cli.exchange:import_dataset", "from that of another library", _UNCHANGED
            ),
            Verb("marks import", "pipelines.cli.marks:import_into_dataset", "a file of marks into a dataset"),
            Verb("marks export", "pipelines.cli.marks:export_from_dataset", "a dataset's marks to a file"),
            Verb("preferences import", "pipelines.cli.preferences:import_into_dataset", "a file of other judgements"),
            Verb("preferences export", "pipelines.cli.preferences:export_from_dataset", "those of a dataset"),
            Verb("trust", "pipelines.cli.trust:trust_things", "code and addresses that others' data may name"),
            Verb("world check", "pipelines.cli.world:check", "what a world promises, by trying it", status=True),
            Verb("doctor", "pipelines.cli.doctor:doctor", "what this machine has and lacks", status=True),
        ),
    ),
)


def installed_groups() -> Iterator[tuple[str, tuple[Verb, ...]]]:
    """Yield the commands of this package and of others that are installed, by heading."""
    yield from CORE
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            yield from point.load()
        except Exception as error:  # of foreign code
            warnings.warn(f"the commands of {point.value} cannot be loaded: {error}", stacklevel=2)
