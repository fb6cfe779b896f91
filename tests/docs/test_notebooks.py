"""The notebooks of the tutorials: their cells run in order, with the assertions in them."""

import json
import warnings

import pytest

from ..conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    """The code of a notebook, cell by cell."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def test_notebooks_hold_no_results():
    """What they show is made where they are run."""
    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs") and not cell.get("execution_count")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    session = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for code in cells(path):
            exec(compile(code, path.name, "exec"), session)
