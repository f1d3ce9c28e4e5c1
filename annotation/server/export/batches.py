"""What every export of submitted work shares: project after project, and what a dataset has lost keeps nobody back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from worlds.errors import UserError

BATCH_SIZE = 500  # submissions of one transaction


def export_projects(projects: Iterable[tuple[str, str]], export_some: Callable[[str, str], int]) -> int:
    """Call ``export_some`` with each project's id and dataset until it returns 0; the sum of what it returned.

    Raises:
      UserError: if some project's raised it; the others are exported all the same.
    """
    done, trouble = 0, None
    for project_id, dataset in projects:
        try:
            while exported := export_some(project_id, dataset):
                done += exported
        except UserError as error:
            trouble = error
    if trouble is not None:
        raise trouble
    return done


def missing_episodes(gone: Sequence[str], dataset: str) -> UserError:
    """What to say of submitted work on episodes that the dataset has no more."""
    return UserError(
        f"{len(gone)} episodes with work on them are no longer in {dataset}, e.g. {gone[0]}; what was said of "
        "them stays in the database"
    )
