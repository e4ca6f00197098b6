# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of README.md and docs/ run, page by page, and print what stands behind them.

TRESTLE_UPDATE_GOLDEN=1 writes what they print, and the tables of differences, into the pages."""

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import pytest
import trestle
from public_names import public_names

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(trestle.__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tests/tidy"), str(ROOT / "docs")]

import pages  # noqa: E402
import python_reference  # noqa: E402

UPDATE = os.environ.get("TRESTLE_UPDATE_GOLDEN", "0") not in ("", "0")


def with_python(page):
    return any(block.language == "python" for block in pages.blocks(page.read_text()))


@pytest.mark.parametrize("page", [page for page in pages.pages(ROOT) if with_python(page)],
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    names = {"__name__": "page"}
    printed = None
    for block in pages.blocks(text):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile("\n" * block.line + block.code, page, "exec"), names)
            printed = out.getvalue()
        elif block.language == "text" and printed is not None:
            if UPDATE:
                text = text.replace(f"```text\n{block.code}```", f"```text\n{printed}```", 1)
            else:
                assert block.code == printed, f"{page}:{block.line}"
            printed = None
        else:
            printed = None
    if text != page.read_text():
        page.write_text(text)


@pytest.mark.parametrize("dialect", [trestle.slurm, trestle.dstack], ids=["slurm", "dstack"])
def test_tables_of_differences_are_those_of_the_library(dialect):
    page = ROOT / f"docs/explanations/differences_{dialect.__name__.rpartition('.')[2]}.md"
    words, _, table = page.read_text().partition("| topic |")
    if UPDATE:
        page.write_text(words + dialect.differences_text())
    else:
        assert f"| topic |{table}" == dialect.differences_text(), "TRESTLE_UPDATE_GOLDEN=1 rewrites it"


def test_errors_page_names_every_constraint():
    page = (ROOT / "docs/reference/errors.md").read_text()
    assert [one.name for one in trestle.Constraint if f"`{one.name}`" not in page] == []


def test_every_public_name_has_a_place_in_the_reference():
    texts, places = python_reference.pages(PACKAGE, ROOT)
    members = set(re.findall(r"^ *- (?:class )?`(\w+)", "\n".join(texts.values()), re.M))
    missing = [line for line in public_names(PACKAGE)
               if not line.endswith(" module") and " is " not in line
               and line.rpartition(" ")[0] not in places
               and re.search(r"(\w+) \w+$", line)[1] not in members]
    assert missing == []
