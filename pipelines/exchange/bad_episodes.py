"""Episodes that cannot be imported: the import ends at the first of them, or leaves them out and names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn, TypeVar

from rlhf.records.episode import Episode
from rlhf.run.progress import bar
from rlhf.store import ParquetStore
from rlhf.store.group_writer import GroupWriter
from worlds.errors import UserError

OPTION = "--skip-bad"
_MOST_LINES = 20

Read = TypeVar("Read")


class BadEpisodes:
    """What an import does about episodes that it cannot read, the same for every format.

    Args:
      skip: leave them out; otherwise the first one ends the import.
    """

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self._reasons: dict[str, str] = {}
        self._has_read = False

    def read(self, name: str, make: Callable[[], Read]) -> Read | None:
        """Return what ``make`` returns; None for an episode that is left out, now or by an earlier call.

        Raises the UserError of ``make``, with the option that leaves the episode out.
        """
        if name in self._reasons:
            return None
        try:
            found = make()
        except UserError as error:
            if not self.skip:
                raise UserError(f"{error}; {OPTION} imports the rest") from error
            self._reasons[name] = str(error)
            return None
        self._has_read = True
        return found

    def write_all(self, store: ParquetStore, reads: Iterable[tuple[str, Callable[[], Episode]]], total: int) -> int:
        """Write every episode that can be read into ``store``, and return how many steps they have."""
        steps = 0
        with bar("importing", total, "episodes") as shown, GroupWriter(store.write_group) as writer:
            for name, make in reads:
                episode = self.read(name, make)
                if episode is not None:
                    writer.add(episode)
                    steps += len(episode)
                shown.advance()
        return steps

    def check_some(self, source: Path | str) -> None:
        """Raise UserError if all episodes of ``source`` that have been read are left out."""
        if self._reasons and not self._has_read:
            raise self.nothing(source)

    def nothing(self, source: Path | str) -> UserError:
        """Return the error of a source without any episode that can be imported."""
        reasons = [f": {reason}" for reason in self._reasons.values()]
        return UserError(f"{source} has no episode that can be imported{''.join(reasons[:1])}")

    def notes(self) -> list[str]:
        """Return a line for each reason, with the episodes that were left out for it."""
        names: dict[str, list[str]] = {}
        for name, reason in self._reasons.items():
            names.setdefault(reason, []).append(name)
        lines = [f"left out {', '.join(some)}: {reason}" for reason, some in names.items()]
        if len(lines) > _MOST_LINES:
            rest = [name for some in list(names.values())[_MOST_LINES - 1 :] for name in some]
            lines[_MOST_LINES - 1 :] = [f"left out for other reasons, {len(rest)} in all: {', '.join(rest)}"]
        return lines


def refuse(line: str) -> NoReturn:
    """Raise UserError instead of reading an episode that is not there."""
    raise UserError(line)
