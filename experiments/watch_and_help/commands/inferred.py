"""`rlhf household inferred`: how well people inferred the goals of demonstrations."""

from __future__ import annotations

from pathlib import Path

from experiments.watch_and_help.watching.people import people_table, watched_in
from rlhf.run.progress import announce
from rlhf.store import open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.settings import settings


@settings
class HouseholdInferredConfig:
    """Settings of `rlhf household inferred`.

    Args:
      data: folder of the dataset of demonstrations.
      experiment: folder of `rlhf reproduce watch-and-help`, whose models inferred goals of the same tasks; none leaves
        them out.
      out: file to write the table to, as Markdown; without it, it is only printed.
    """

    data: Path = Path("experiment/demonstrations")
    experiment: Path | None = None
    out: Path | None = None


def report_inferred(config: HouseholdInferredConfig) -> str:
    """Print precision and recall of people's inferred goals, with 95% intervals; return the table.

    Raises:
      UserError: no person has inferred a goal in this dataset, or there is no such experiment.
    """
    if config.experiment is not None and not (config.experiment / "watch").is_dir():
        raise UserError(f"{config.experiment} has no part watch of `rlhf reproduce watch-and-help`; name its folder")
    watched = watched_in(open_store(config.data))
    if not watched:
        raise UserError(f"nobody has inferred a goal in {config.data}; raters do so in `rlhf serve --data FOLDER`")
    table = people_table(watched, config.experiment).markdown()
    print(table, end="")
    if config.out is not None:
        config.out.parent.mkdir(parents=True, exist_ok=True)
        write_file(config.out, table.encode())
        announce(f"wrote the table to {config.out}")
    return table
