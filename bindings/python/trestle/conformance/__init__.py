# SPDX-License-Identifier: Apache-2.0
"""Recorded decisions of other schedulers, asked again: `python -m trestle conformance DIR`.

    cases = trestle.conformance.load_cases("slurm-oracle")
    scores = trestle.conformance.score(cases, trestle.conformance.answers_here(cases))
    print(trestle.conformance.report(scores, misses_max=20))
"""

from .answers import Answers as Answers
from .answers import Cases as Cases
from .answers import answers_here as answers_here
from .answers import load_cases as load_cases
from .answers import read_answers as read_answers
from .answers import score as score
from .answers import write_answers as write_answers
from .case import Score as Score
from .case import report as report
from .case import rows_by_cluster as rows_by_cluster
from .case import rows_by_kind as rows_by_kind
from .case import rows_by_option as rows_by_option
from .case import rows_by_release as rows_by_release
