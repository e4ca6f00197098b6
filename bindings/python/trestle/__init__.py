# SPDX-License-Identifier: Apache-2.0
"""Models resources, decides placements, enforces them.

Names equal those of C++, and so do the meanings; the docstrings are the comments of its headers.
What differs in Python:

- Values never change: `request.replace(memory=...)` makes a changed copy. So they hash, may be
  keys and may be shared between threads. Only Cluster, NodeLedger, JobState, the enforcers and the
  clock do.
- Bytes, counts, ids and times are int; C++'s Interval is `range`, its Range is Range.
- "Does not fit" is a value: a Refusal, which is false and has `constraint` and `reason`.
- Errors are exceptions: ValueError (bad text, bad description), LookupError, PermissionError,
  IndexError, NotImplementedError, and Error with a `code` for all others. A broken precondition is
  a ContractViolation.
- Sets count as procset's do: `count()` is of intervals, `len()` of members.
- str(value) is C++'s to_text(value); repr(value) evaluates back (a set of up to 1,048,576 members).
- trestle.enforce has jobs as context managers.

`import trestle.replay` (traces replayed), `trestle.traces` (loaders), `trestle.conformance` and
`trestle.batsim` bring the tools of `python -m trestle`; they are not imported with the package.
"""

from ._core import *  # noqa: F403
from ._core import __version__ as __version__
from ._errors import ContractViolation as ContractViolation
from ._errors import Error as Error
from ._range import Range as Range
from . import enforce as enforce
