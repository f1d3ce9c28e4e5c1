"""``README.md``: the dataset card, from which Hugging Face ``datasets`` knows which files are which table."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rlhf.store.files.durable import write_file

CARD_FILE = "README.md"

# The first configuration is the one that is loaded by default and from which `datasets` knows the files' format.
CARD = """\
---
configs:
- config_name: steps
  default: true
  data_files: steps/*.parquet
- config_name: episodes
  data_files: episodes/*.parquet
- config_name: marks
  data_files: marks/*.parquet
- config_name: judgements
  data_files: judgements/*.parquet
- config_name: clip_pairs
  data_files: clip_pairs/*.parquet
- config_name: verdicts
  data_files: verdicts/*.parquet
- config_name: take_overs
  data_files: take_overs/*.parquet
- config_name: scores
  data_files: scores/*.parquet
- config_name: inferred_goals
  data_files: inferred_goals/*.parquet
- config_name: helper_ratings
  data_files: helper_ratings/*.parquet
tags:
- interactive-rlhf
---
# Recorded play of a setter and a solver

A *setter* asks for things and a *solver* does them, in a simulated world; raters mark where the solver made progress or
regressed, judges say whether it succeeded. Raters may also compare two stretches of play (`clip_pairs`), say whether a
stretch carried out its request (`verdicts`), take over from an agent (`take_overs`), score a stretch (`scores`), say
what the setter wanted (`inferred_goals`) or rate a solver that helped them (`helper_ratings`).
`dataset.json` names the world. Who played is in the columns `setter` and `solver`; records of stand-ins for people are
`scripted`.

```python
from datasets import load_dataset

steps = load_dataset("FOLDER")["train"]              # one row per step, with the solver's view as a picture
episodes = load_dataset("FOLDER", "episodes")["train"]
marks = load_dataset("FOLDER", "marks")["train"]     # where there are some; likewise the others
```

Rows belong together by `episode_id` and `step`. The columns are described in `docs/dataset-format.md` of
interactive-rlhf, whose `rlhf episodes list|show|verify` work on this folder.
"""


def add_card(folder: Path) -> None:
    """Give the dataset in ``folder`` a card, unless there is a file of that name, or it cannot be written."""
    path = folder / CARD_FILE
    if not path.exists():
        with suppress(OSError):  # nothing of the dataset depends on it
            write_file(path, CARD.encode())


def is_card(path: Path) -> bool:
    """Return whether the file at ``path`` is a card as ``add_card`` writes it."""
    return path.name == CARD_FILE and path.is_file() and path.read_bytes() == CARD.encode()
