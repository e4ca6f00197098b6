# SPDX-License-Identifier: Apache-2.0
"""The notebook examples/python/tour.ipynb runs from top to bottom and shows what it says."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "examples/python/tour.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The outputs of each cell, by the cell's id, run with nothing of the user's own."""
    folder = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR",
                     "MPLCONFIGDIR"):
            patch.setenv(name, str(folder / name.lower()))
        notebook = nbformat.read(TOUR, as_version=4)
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                         resources={"metadata": {"path": str(ROOT)}})
        client.execute()
    return {cell.id: cell.get("outputs", []) for cell in notebook.cells}


def text(outputs):
    return "".join(one.get("text", "") or one.get("data", {}).get("text/plain", "")
                   for one in outputs)


def pictures(outputs):
    return [kind for one in outputs for kind in one.get("data", {}) if kind.startswith("image/")]


def test_the_file_is_valid_and_kept_without_outputs():
    notebook = nbformat.read(TOUR, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_pictures_are_shown(shown):
    assert pictures(shown["place-job"]) == ["image/svg+xml"]
    assert pictures(shown["replay"]) == ["image/png"]
    assert pictures(shown["schedule"]) == ["image/svg+xml"]


def test_a_no_is_explained(shown):
    assert "False devices: asked 1 gpu, 0 of 4 are free" in text(shown["explain-no"])
    assert "4 jobs again" in text(shown["try-it"])


def test_the_answers_are_those_that_the_text_promises(shown):
    assert text(shown["read-machine"]).count("a100") == 4
    assert "cores=0-1 memory=0:32GiB devices=0" in text(shown["place-job"])
    assert "whole_gpus_last" in text(shown["own-policy"])
    assert text(shown["schedule"]).splitlines()[:2] == [
        "job 4 from 0 to 1", "job 2 from 1 to 2"]


def test_it_runs_from_its_own_folder_too():
    places = next(cell for cell in nbformat.read(TOUR, as_version=4).cells if cell.id == "imports")
    assert '"../traces"' in places.source
    assert (TOUR.parent / "../traces/server.xml").exists()
