# SPDX-License-Identifier: Apache-2.0
"""Notebooks of examples/python as tests run them: outputs_of() and check_file().

Pitfall: tests that import this skip themselves where nbformat, nbclient or ipykernel is missing.
"""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).resolve().parents[2]


def path_of(name):
    return ROOT / "examples/python" / name


def outputs_of(name, folder, **sources):
    """The outputs of each cell, by the cell's id, run with nothing of the user's own.

    sources: other sources of cells, by id. folder: for what Jupyter keeps.
    """
    notebook = nbformat.read(path_of(name), as_version=4)
    for cell_id, source in sources.items():
        (cell,) = (one for one in notebook.cells if one.id == cell_id)
        cell.source = source
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR",
                         "MPLCONFIGDIR"):
            patch.setenv(variable, str(folder / variable.lower()))
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                resources={"metadata": {"path": str(ROOT)}}).execute()
    return {cell.id: cell.get("outputs", []) for cell in notebook.cells}


def pictures(outputs):
    return [kind for one in outputs for kind in one.get("data", {}) if kind.startswith("image/")]


def check_file(name):
    """The file is valid, and kept without outputs."""
    notebook = nbformat.read(path_of(name), as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
