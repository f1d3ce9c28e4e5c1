"""`rlhf episodes list|show|verify|merge|drop|compact|push`: the settings of the commands on recorded episodes."""

from __future__ import annotations

from pathlib import Path

from pipelines.cli import episodes as episodes_command
from rlhf.run.setting_forms import DatasetFolder, EpisodeId, EpisodeIds, Repository, SourceDataset, TargetDataset
from rlhf.store.parquet import FILE_MB
from worlds.ranges import CountFromZero, Megabytes
from worlds.settings import settings


@settings
class ListConfig:
    """Settings of `rlhf episodes list`.

    Args:
      data: folder of the dataset.
      split: list only episodes of this split, "train" or "held_out"; None lists all.
      solver: list only this solver's episodes; "agent" stands for every agent, None lists all.
      limit: episodes to list at most; 0 lists all.
    """

    data: DatasetFolder
    split: str | None = None
    solver: str | None = None
    limit: CountFromZero = 50


@settings
class ShowConfig:
    """Settings of `rlhf episodes show`.

    Args:
      data: folder of the dataset.
      episode: id of the episode.
      png: PNG file into which a sheet of the episode's frames is drawn; None draws none.
    """

    data: DatasetFolder
    episode: EpisodeId
    png: Path | None = None


@settings
class VerifyConfig:
    """Settings of `rlhf episodes verify`.

    Args:
      data: folder of the dataset.
      rebuild: first recreate the index from the recorded files.
    """

    data: DatasetFolder
    rebuild: bool = False


@settings
class MergeConfig:
    """Settings of `rlhf episodes merge`.

    Args:
      source: folder of the dataset to copy from.
      into: folder of the dataset to copy into; it is created if it does not exist.
    """

    source: SourceDataset
    into: TargetDataset


@settings
class DropConfig:
    """Settings of `rlhf episodes drop`.

    Args:
      data: folder of the dataset.
      episodes: ids of the episodes to remove permanently, with their marks and judgements.
    """

    data: DatasetFolder
    episodes: EpisodeIds


@settings
class CompactConfig:
    """Settings of `rlhf episodes compact`.

    Args:
      data: folder of the dataset.
      file_mb: megabytes (10^6 bytes) of steps that a file has at least; the last one holds the rest.
    """

    data: DatasetFolder
    file_mb: Megabytes = FILE_MB


@settings
class PushConfig:
    """Settings of `rlhf episodes push`.

    Args:
      data: folder of the dataset.
      to: repository of the Hugging Face Hub, NAMESPACE/NAME; it is created if there is none.
      public: let everyone see the repository; without it, a new one is private and a public one is refused.
    """

    data: DatasetFolder
    to: Repository
    public: bool = False


def list_episodes(config: ListConfig) -> None:
    """Print a table of a dataset's episodes."""
    episodes_command.list_episodes(config.data, config.split, config.limit, config.solver)


def show_episode(config: ShowConfig) -> None:
    """Print one episode step by step."""
    episodes_command.show_episode(config.data, config.episode, config.png)


def verify_episodes(config: VerifyConfig) -> int:
    """Print the problems of a dataset; return 1 if one of them needs a repair, else 0."""
    return episodes_command.verify_dataset(config.data, config.rebuild)


def merge_episodes(config: MergeConfig) -> None:
    """Copy one dataset into another."""
    episodes_command.merge_datasets(config.source, config.into)


def drop_episodes(config: DropConfig) -> None:
    """Remove episodes from a dataset."""
    episodes_command.drop_episodes(config.data, config.episodes)


def compact_episodes(config: CompactConfig) -> None:
    """Gather a dataset's episodes in few large files, which other programs open faster."""
    episodes_command.compact_dataset(config.data, config.file_mb)


def push_episodes(config: PushConfig) -> None:
    """Upload a dataset to a repository of the Hugging Face Hub."""
    episodes_command.push_dataset(config.data, config.to, config.public)
