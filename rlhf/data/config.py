"""Settings of reading recorded play. Imports nothing heavy."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worlds.ranges import Count
from worlds.settings import settings

Gigabytes = Annotated[float, Field(ge=0)]


@settings
class ReadingConfig:
    """Settings of reading recorded play. The trained weights do not depend on them, to the last bit.

    Args:
      in_memory_gb: gigabytes above which recordings are streamed from their datasets during training; 0 streams all,
        None takes half of the memory that this process may use. A frame of 96x72 pixels takes 21 KB, so an hour of play
        0.3 GB.
      cache_gb: gigabytes of a streamed recording that are kept in memory, with frames as PNG files (in plain houses a
        tenth of their size, in furnished ones two fifths). Fastest if it holds the episodes of all trajectories of a
        batch: 96 of five minutes take about 0.2 GB in plain houses.
      threads: number of threads that read and decode.
      ahead: windows that are made before they are needed.
    """

    in_memory_gb: Gigabytes | None = None
    cache_gb: Gigabytes = 1.0
    threads: Count = 2
    ahead: Count = 2
