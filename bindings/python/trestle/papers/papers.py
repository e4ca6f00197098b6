# SPDX-License-Identifier: Apache-2.0
"""All experiments, by name."""

import time
from typing import Dict, List

from . import fgd, hived, mig, nvl72, pwr, torus
from .paper import Options, Paper, Row

__all__ = ["PAPERS", "run"]

PAPERS: Dict[str, Paper] = {
    one.name: one
    for one in (fgd.PAPER, pwr.PAPER, mig.PAPER, hived.PAPER, nvl72.PAPER, torus.PAPER)}
"""In the order of the table."""


def run(name: str, options: Options = Options()) -> List[Row]:
    """The rows of an experiment. The same arguments give the same rows but for `seconds`.

    Errors: LookupError for an unknown name, and where the openb trace is needed and absent;
    ImportError where NumPy is.
    """
    if name not in PAPERS:
        raise LookupError(f"{name}: expected one of {', '.join(PAPERS)}")
    paper = PAPERS[name]
    begun = time.process_time()
    found = paper.measure(options)
    seconds = time.process_time() - begun
    data, seeds = paper.data, paper.seeds
    if options.is_quick:
        data, seeds = paper.quick_data, seeds.split(" ")[0]
    return [Row(paper.name, paper.source, data, seeds, one.measure, one.published, one.ours,
                round(seconds, 1)) for one in found]
