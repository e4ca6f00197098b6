# SPDX-License-Identifier: Apache-2.0
"""The notebook examples/python/tour.ipynb runs from top to bottom and shows what it says."""

import pytest

from notebooks import check_file, nbformat, outputs_of, path_of, pictures

pytest.importorskip("matplotlib")

NOTEBOOK = "tour.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return outputs_of(NOTEBOOK, tmp_path_factory.mktemp("jupyter"))


def text(outputs):
    return "".join(one.get("text", "") or one.get("data", {}).get("text/plain", "")
                   for one in outputs)


def test_the_file_is_valid_and_kept_without_outputs():
    check_file(NOTEBOOK)


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
    places = next(cell for cell in nbformat.read(path_of(NOTEBOOK), as_version=4).cells if cell.id == "imports")
    assert '"../traces"' in places.source
    assert (path_of(NOTEBOOK).parent / "../traces/server.xml").exists()
