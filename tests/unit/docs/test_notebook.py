"""The quickstart notebook runs from its first cell to its last, and the site shows what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.docs.pages import ROOT, site

# The sizes that the notebook has, and those of the test: the same cells in less time. Of fewer episodes none may have a
# request to lift that is fulfilled, which a cell shows.
SMALLER = {
    "episodes=300": "episodes=60, workers=1",
    "updates=300": "updates=4",
    "updates=60": "updates=2",
    "evaluation_episodes=16": "evaluation_episodes=2",
    "updates=10, slots=32": "updates=1, slots=4, batch=4",
    "episodes=40": "episodes=2",
}
NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the notebook writes
    monkeypatch.delenv("MPLBACKEND", raising=False)  # or pictures are not shown in the notebook
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        for written, run in SMALLER.items():
            cell.source = cell.source.replace(written, run)
    client = nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # raises where a cell does
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    printed = "".join(output["text"] for output in outputs if output.get("name") == "stdout")
    assert "demonstrator  go" in printed and "BC+RL" in printed


def test_the_sizes_of_the_notebook_are_known() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert [written for written in SMALLER if written not in text] == []


def test_the_site_shows_the_notebook_with_its_outputs() -> None:
    text, pictures = site().notebook_page(NOTEBOOK)
    assert text.startswith("# Quickstart") and "```python\nfrom pathlib import Path" in text
    assert len(pictures) == 2 and all(picture.startswith(b"\x89PNG") for picture in pictures.values())
    assert all(f"]({name})" in text for name in pictures) and "demonstrator  go" in text


def test_the_saved_outputs_name_no_path_of_a_machine() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert "/tmp/" not in text and "/home/" not in text and "Traceback" not in text
