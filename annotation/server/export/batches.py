"""Exports in batches, project after project; an episode that a dataset has lost does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from worlds.errors import UserError

BATCH_SIZE = 500  # submissions of one transaction


def export_projects(projects: Iterable[tuple[str, str]], export_some: Callable[[str, str], int]) -> int:
    """Call ``export_some`` for each project until it returns 0.

    Args:
      projects: id and dataset of each.
      export_some: takes both, exports a batch, and returns its size.

    Returns:
      how many submissions were exported.

    Raises:
      UserError: if ``export_some`` raised it for a project; the others are exported all the same.
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
    """Return the error of submissions whose episodes are no longer in the dataset."""
    return UserError(
        f"{len(gone)} episodes with submissions are no longer in {dataset}, e.g. {gone[0]}; the submissions "
        "stay in the database"
    )
