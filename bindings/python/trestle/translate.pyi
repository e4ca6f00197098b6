"""Jobs of Slurm as tasks of dstack, and back."""

from collections.abc import Iterable
import enum
from typing import overload

import trestle.dstack
import trestle.slurm


class LossKind(enum.Enum):
    """How much of it is lost."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    dropped = 0
    """nothing of it is in the result"""

    changed = 1
    """the result says something near it"""

    note = 2
    """nothing is lost by the translation; somebody has to look at it"""

class Loss:
    """One thing that was said and is not, or not quite, in the result."""

    def __init__(self, kind: LossKind = LossKind.dropped, what: str = '', value: str = '', why: str = '') -> None: ...

    @property
    def kind(self) -> LossKind:
        """LossKind"""

    @property
    def what(self) -> str:
        """
        as it is written: `--signal`, `resources.shm_size`, `SLURM_PROCID` (str)
        """

    @property
    def value(self) -> str:
        """in canonical form; empty: it has none (str)"""

    @property
    def why(self) -> str:
        """str"""

    def replace(self, *, kind: LossKind = ..., what: str = ..., value: str = ..., why: str = ...) -> Loss:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Loss: ...

    def __deepcopy__(self, memo: object) -> Loss: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TaskTranslation:
    """A task, and what of the job is not in it."""

    def __init__(self, value: trestle.dstack.RunConfiguration = trestle.dstack.RunConfiguration(), losses: Iterable[Loss] = ()) -> None: ...

    @property
    def value(self) -> trestle.dstack.RunConfiguration:
        """RunConfiguration"""

    @property
    def losses(self) -> tuple[Loss, ...]:
        """each: Loss"""

    def replace(self, *, value: trestle.dstack.RunConfiguration = ..., losses: Iterable[Loss] = ...) -> TaskTranslation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskTranslation: ...

    def __deepcopy__(self, memo: object) -> TaskTranslation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ScriptTranslation:
    """A batch script, and what of the run is not in it."""

    def __init__(self, value: trestle.slurm.BatchScript = trestle.slurm.BatchScript(), losses: Iterable[Loss] = ()) -> None: ...

    @property
    def value(self) -> trestle.slurm.BatchScript:
        """BatchScript"""

    @property
    def losses(self) -> tuple[Loss, ...]:
        """each: Loss"""

    def replace(self, *, value: trestle.slurm.BatchScript = ..., losses: Iterable[Loss] = ...) -> ScriptTranslation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ScriptTranslation: ...

    def __deepcopy__(self, memo: object) -> ScriptTranslation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SlurmToDstack:
    """What Slurm does not say."""

    def __init__(self, amounts: trestle.dstack.BareValue = trestle.dstack.BareValue.minimum, queue_for: int | None = None) -> None: ...

    @property
    def amounts(self) -> trestle.dstack.BareValue:
        """
        What amounts of CPUs, memory and disk become. A node of Slurm's may have more, so `32GB..`
        is nearer than `32GB`. (BareValue)
        """

    @property
    def queue_for(self) -> int | None:
        """tries again so long when there is no capacity (int, seconds, or None)"""

    def replace(self, *, amounts: trestle.dstack.BareValue = ..., queue_for: int | None = ...) -> SlurmToDstack:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SlurmToDstack: ...

    def __deepcopy__(self, memo: object) -> SlurmToDstack: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

@overload
def to_dstack(script: trestle.slurm.BatchScript, rules: SlurmToDstack = ...) -> TaskTranslation:
    """
    The first component as a task; further ones are losses, and so is every option that the table
    above does not name. Options are settled first.
    Errors: InvalidArgument of slurm::settle, and for a script without any component.
    Complexity: linear in the script.
    """

@overload
def to_dstack(submission: trestle.slurm.Submission, rules: SlurmToDstack = ...) -> TaskTranslation:
    """The same of options and a command without a script."""

def to_slurm(run: trestle.dstack.RunConfiguration) -> ScriptTranslation:
    """
    One component without a command. A GPU range that begins at 0 asks for none. Counts beyond what
    an option can hold (2^31 - 1; of time, minutes) are lost.
    Several commands become one that ends at the first that fails, as dstack runs them. The script
    can always be printed by slurm::script_text; what no line of options holds is lost.
    """
