# SPDX-License-Identifier: Apache-2.0
"""Published results beside what Trestle measures: one experiment a file, seeds pinned.

    for row in trestle.papers.run("torus", trestle.papers.Options(is_quick=True)):
        print(row.measure, row.published, row.ours)

`python -m trestle papers` prints the table. A published number that was not found is None; nothing
is estimated. Needs NumPy (`trestle[sim]`) where GPU traces are replayed.
"""

from .paper import Options as Options
from .paper import Row as Row
from .papers import PAPERS as PAPERS
from .papers import run as run
from .table import table as table

__all__ = ["Options", "PAPERS", "Row", "run", "table"]
