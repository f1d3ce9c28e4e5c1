"""A dataset as a repository of the Hugging Face Hub.

The files are uploaded unchanged, in one commit. A download of the repository is a dataset that this program reads, and
``datasets.load_dataset`` finds its tables by the card.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rlhf.store.columns.tables import TABLE_NAMES
from rlhf.store.files.durable import LOCK_FILE, Busy, explained, only_writer
from rlhf.store.folder import description
from rlhf.store.folder.card import CARD_FILE, is_card
from rlhf.store.folder.index import EpisodeIndex
from rlhf.store.transfer.shared_play import share_dataset
from worlds.errors import UserError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

MOST_FILES = 10_000  # that the Hub takes in one folder
MANY_FILES = 100  # from which on an upload and ``load_dataset`` are slow
_CLIENTS = ("huggingface_hub", "httpx", "httpx2", "requests")  # packages whose errors are those of an upload


@dataclass(frozen=True)
class Pushed:
    """An upload.

    Args:
      url: of the repository.
      episodes: number of episodes.
      uploaded: number of files that the repository did not have.
      removed: number of files of earlier uploads that the dataset no longer has.
    """

    url: str
    episodes: int
    uploaded: int
    removed: int


def files_of_play(folder: Path) -> int:
    """Return the number of files in which the episodes of a dataset lie, in each of its two folders of play."""
    return len({entry.file for entry in EpisodeIndex(folder).entries().values()})


def push(folder: Path, repository: str, public: bool = False) -> Pushed:
    """Make a repository of the Hub hold the dataset in ``folder`` as it is now, and nothing older of it.

    Others may read and record meanwhile. The token is that of ``hf auth login`` or of the variable ``HF_TOKEN``, and
    the Hub that of ``HF_ENDPOINT``. An interrupted upload leaves the repository as it was; the next one resumes it.

    Args:
      repository: NAMESPACE/NAME; it is created if there is none.
      public: whether everyone may see it; if not, a new one is private and a public one is refused.

    Raises:
      UserError: if there is no such dataset, it has too many files, or the Hub refuses it.
    """
    description.load(folder)
    files = files_of_play(folder)
    if files > MOST_FILES:
        raise UserError(
            f"{folder} has {files:,} files in one folder, the Hub takes {MOST_FILES:,}; "
            f"gather its episodes first: `rlhf episodes compact {folder}`"
        )
    with _refusals(repository) as api:
        there = _files_there(api, repository, public)
        with _copied(folder.absolute()) as copy:
            return _upload(api, repository, copy, there)


@contextmanager
def _copied(folder: Path) -> Iterator[Path]:
    """Make a copy of the dataset that no writer changes and that takes next to no room, and remove it afterwards.

    Copies that killed uploads left are removed first; a running one holds the lock of its own.
    """
    prefix = f".{folder.name}-push-"
    for left in folder.parent.iterdir():
        if left.name.startswith(prefix):
            with suppress(Busy, OSError), only_writer(left, wait_sec=0):
                shutil.rmtree(left)
    with ExitStack() as stack:
        with explained("a copy to upload", folder.parent):
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder.parent, prefix=prefix)))
            stack.enter_context(only_writer(copy))
            share_dataset(folder, copy)
        yield copy


def _files_there(api: HfApi, repository: str, public: bool) -> set[str]:
    """Return the files of the repository, which is created if there is none."""
    api.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True)
    info = api.dataset_info(repository)
    if not (public or info.private):
        hint = "add --public to publish the dataset, or name another repository"
        raise UserError(f"everyone may see {repository}; {hint}")
    return {file.rfilename for file in info.siblings or ()}


def _upload(api: HfApi, repository: str, copy: Path, there: set[str]) -> Pushed:
    """Upload the files of ``copy`` that are not ``there``, and remove what only an earlier upload had."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    files = {path.relative_to(copy).as_posix(): path for path in sorted(copy.rglob("*")) if path.is_file()}
    del files[LOCK_FILE]
    if CARD_FILE in there and is_card(copy / CARD_FILE):
        del files[CARD_FILE]  # it may have been edited there
    ours = {name for name in there if name.endswith(".parquet") and name.partition("/")[0] in TABLE_NAMES}
    removed = sorted(ours - files.keys())
    episodes = len(EpisodeIndex(copy).entries())
    api.create_commit(
        repository,
        [
            *(CommitOperationAdd(path_in_repo=name, path_or_fileobj=path) for name, path in files.items()),
            *(CommitOperationDelete(path_in_repo=name) for name in removed),
        ],
        commit_message=f"{episodes} episode{'s' * (episodes != 1)}",
        repo_type="dataset",
    )
    return Pushed(f"{api.endpoint}/datasets/{repository}", episodes, len(files.keys() - there), len(removed))


@contextmanager
def _refusals(repository: str) -> Iterator[HfApi]:
    """Give access to the Hub, and turn its refusals into one line.

    Raises:
      UserError: naming the Hub or the repository, and the fix.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError, LocalTokenNotFoundError, OfflineModeIsEnabled

    api = HfApi()
    try:
        yield api
    except HFValidationError as error:
        raise UserError(f"{repository!r} is no name of a repository; write NAMESPACE/NAME") from error
    except OfflineModeIsEnabled as error:
        raise UserError("HF_HUB_OFFLINE forbids to reach the Hub; unset it to upload") from error
    except Exception as error:
        refusal = _of_client(error)
        if refusal is None:
            raise
        status = getattr(getattr(refusal, "response", None), "status_code", None)
        if status in (401, 403) or isinstance(refusal, LocalTokenNotFoundError):
            hint = "log in with `hf auth login`, or set HF_TOKEN to a token that may write there"
            raise UserError(f"{api.endpoint} does not let you write to {repository}; {hint}") from error
        why = " ".join(str(refusal).split())[:200]
        if status is None:
            raise UserError(f"{api.endpoint} cannot be reached ({why}); check the network and HF_ENDPOINT") from error
        raise UserError(f"{api.endpoint} refused {repository} ({why}); run the command again to resume") from error


def _of_client(error: BaseException | None) -> BaseException | None:
    """Return ``error``, or what caused it, if it is one of an upload; None if none is."""
    while error is not None and type(error).__module__.partition(".")[0] not in _CLIENTS:
        error = error.__cause__
    return error
