"""`rlhf report`: the results of a run, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from pipelines.report.data import DATA_FILE, load_report_data
from pipelines.report.file import write_page, write_report
from pipelines.report.training_state import TRAININGS
from rlhf.run.config import CONFIG_FILE, read_record
from worlds.errors import UserError
from worlds.settings import settings

_NAMED = 6  # folders in a message at most


@settings
class ReportConfig:
    """Settings of `rlhf report`.

    Args:
      run: folder of a run that has been evaluated (a demo, rounds, a reproduced result), or of a single training (by
        `rlhf clone`, `rlhf reward`, `rlhf refine` or `rlhf improve`), running or finished.
      out: the HTML file to write; None writes report.html into the run's folder.
    """

    run: Path = Path("runs/demo")
    out: Path | None = None


def report(config: ReportConfig) -> Path:
    """Write the report of a run and return its path.

    Raises UserError if the folder has nothing for a report, or its files are damaged.
    """
    run, out = config.run, config.out or config.run / "report.html"
    if (run / DATA_FILE).is_file():
        return write_report(load_report_data(run / DATA_FILE), out)
    _check_training(run)
    from pipelines.report import training as training_report  # imports PyTorch, which needs seconds
    from pipelines.report import training_page

    built = training_report.training_report(run)
    return write_page(training_page.page(built), built.headline, out)


def _check_training(run: Path) -> None:
    """Check that ``run`` is the folder of a single training.

    Raises UserError if it is not; the message names the runs inside it.
    """
    if not run.is_dir():
        raise UserError(f"{run} {'is a file, not' if run.exists() else 'does not exist; name'} a run's folder")
    if (run / CONFIG_FILE).is_file() and (kind := read_record(run)["kind"]) in TRAININGS:
        return
    trained = [path.parent for path in sorted(run.glob(f"*/{CONFIG_FILE}")) if _is_run(path.parent)]
    instead = f"; there are runs in it: {', '.join(map(str, trained[:_NAMED]))}" if trained else ""
    if not (run / CONFIG_FILE).is_file():
        raise UserError(f"{run} is not a run's folder, it has neither {DATA_FILE} nor {CONFIG_FILE}{instead}")
    what = kind.removesuffix("Config").lower()
    raise UserError(f"{run} has no {DATA_FILE}: its {what} has not finished{instead}")


def _is_run(folder: Path) -> bool:
    """Return true if ``folder`` is a run that can be reported; an agent's folder, too, has a ``config.json``."""
    try:
        return read_record(folder)["kind"] in TRAININGS or (folder / DATA_FILE).is_file()
    except UserError:
        return False
