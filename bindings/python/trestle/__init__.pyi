"""
Models resources, decides placements, enforces them.

Names equal those of C++, and so do the meanings; the docstrings are the comments of its headers.
What differs in Python:

- Values never change: `request.replace(memory=...)` makes a changed copy. So they hash, may be
  keys and may be shared between threads. Only Cluster, NodeUsage, JobState, the enforcers and the
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

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Sequence,
    Set
)
import enum
from typing import Annotated, Any, ClassVar, Literal, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import Self

from trestle import (
    _svg,
    container as container,
    dstack as dstack,
    os as os,
    prometheus as prometheus,
    slurm as slurm,
    svg as svg,
    testing as testing,
    translate as translate
)
from trestle._errors import (
    ContractViolation as ContractViolation,
    Error as Error
)
from trestle._range import Range as Range


def kib(n: int) -> int:
    """`n` KiB in bytes."""

def mib(n: int) -> int:
    """`n` MiB in bytes."""

def gib(n: int) -> int:
    """`n` GiB in bytes: n * 2**30."""

def tib(n: int) -> int:
    """`n` TiB in bytes."""

def cpus(n: int) -> int:
    """`n` CPUs in thousandths of a hardware thread."""

class Constraint(enum.Enum):
    """What stood in the way."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    nodes = 1

    node_state = 2

    features = 3

    cores = 4

    memory = 5

    devices = 6

    device_attributes = 7

    locality = 8

    disk = 9

    price = 10

    blocks = 11

    topology = 12

    partition = 13

    cluster_counts = 14

    candidates = 15

    predicate = 16

    gave_up = 17

class Refusal:
    """A reasoned no."""

    def __init__(self, constraint: Constraint = Constraint.none, reason: str = '') -> None: ...

    @property
    def constraint(self) -> Constraint:
        """Constraint"""

    @property
    def reason(self) -> str:
        """one line: what was asked, what there is (str)"""

    def replace(self, *, constraint: Constraint = ..., reason: str = ...) -> Refusal:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Refusal: ...

    def __deepcopy__(self, memo: object) -> Refusal: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __bool__(self) -> Literal[False]: ...

class TextError:
    """Why a text could not be read."""

    def __init__(self, offset: int = 0, token: str = '', what: str = '', expected: str = '') -> None: ...

    @property
    def offset(self) -> int:
        """in bytes from the start of the whole text (int)"""

    @property
    def token(self) -> str:
        """the offending piece; empty at the end of the text (str)"""

    @property
    def what(self) -> str:
        """what is wrong with it (str)"""

    @property
    def expected(self) -> str:
        """what would have been right (str)"""

    def replace(self, *, offset: int = ..., token: str = ..., what: str = ..., expected: str = ...) -> TextError:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TextError: ...

    def __deepcopy__(self, memo: object) -> TextError: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CoreSet:
    """
    A set of cores by their position in the hardware tree, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: CoreSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: CoreSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: CoreSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> CoreSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> CoreSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: CoreSet, /) -> CoreSet: ...

    def __and__(self, arg: CoreSet, /) -> CoreSet: ...

    def __sub__(self, arg: CoreSet, /) -> CoreSet: ...

    def __xor__(self, arg: CoreSet, /) -> CoreSet: ...

    def __le__(self, arg: CoreSet, /) -> bool: ...

    def __ge__(self, arg: CoreSet, /) -> bool: ...

    def __lt__(self, arg: CoreSet, /) -> bool: ...

    def __gt__(self, arg: CoreSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> CoreSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> CoreSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> CoreSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: CoreSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: CoreSet) -> bool:
        """As <=."""

    def issuperset(self, other: CoreSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: CoreSet) -> CoreSet:
        """As ^."""

    def union(self, *others: CoreSet) -> CoreSet:
        """As | with each."""

    def intersection(self, *others: CoreSet) -> CoreSet:
        """As & with each."""

    def difference(self, *others: CoreSet) -> CoreSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> CoreSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class PuSet:
    """
    A set of hardware threads as the kernel numbers them, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: PuSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: PuSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: PuSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> PuSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> PuSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: PuSet, /) -> PuSet: ...

    def __and__(self, arg: PuSet, /) -> PuSet: ...

    def __sub__(self, arg: PuSet, /) -> PuSet: ...

    def __xor__(self, arg: PuSet, /) -> PuSet: ...

    def __le__(self, arg: PuSet, /) -> bool: ...

    def __ge__(self, arg: PuSet, /) -> bool: ...

    def __lt__(self, arg: PuSet, /) -> bool: ...

    def __gt__(self, arg: PuSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> PuSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> PuSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> PuSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: PuSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: PuSet) -> bool:
        """As <=."""

    def issuperset(self, other: PuSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: PuSet) -> PuSet:
        """As ^."""

    def union(self, *others: PuSet) -> PuSet:
        """As | with each."""

    def intersection(self, *others: PuSet) -> PuSet:
        """As & with each."""

    def difference(self, *others: PuSet) -> PuSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> PuSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class DeviceSet:
    """
    A set of devices of one node, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: DeviceSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: DeviceSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: DeviceSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> DeviceSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> DeviceSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: DeviceSet, /) -> DeviceSet: ...

    def __and__(self, arg: DeviceSet, /) -> DeviceSet: ...

    def __sub__(self, arg: DeviceSet, /) -> DeviceSet: ...

    def __xor__(self, arg: DeviceSet, /) -> DeviceSet: ...

    def __le__(self, arg: DeviceSet, /) -> bool: ...

    def __ge__(self, arg: DeviceSet, /) -> bool: ...

    def __lt__(self, arg: DeviceSet, /) -> bool: ...

    def __gt__(self, arg: DeviceSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> DeviceSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> DeviceSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> DeviceSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: DeviceSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: DeviceSet) -> bool:
        """As <=."""

    def issuperset(self, other: DeviceSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: DeviceSet) -> DeviceSet:
        """As ^."""

    def union(self, *others: DeviceSet) -> DeviceSet:
        """As | with each."""

    def intersection(self, *others: DeviceSet) -> DeviceSet:
        """As & with each."""

    def difference(self, *others: DeviceSet) -> DeviceSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> DeviceSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class DomainSet:
    """
    A set of memory domains of one node, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: DomainSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: DomainSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: DomainSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> DomainSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> DomainSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: DomainSet, /) -> DomainSet: ...

    def __and__(self, arg: DomainSet, /) -> DomainSet: ...

    def __sub__(self, arg: DomainSet, /) -> DomainSet: ...

    def __xor__(self, arg: DomainSet, /) -> DomainSet: ...

    def __le__(self, arg: DomainSet, /) -> bool: ...

    def __ge__(self, arg: DomainSet, /) -> bool: ...

    def __lt__(self, arg: DomainSet, /) -> bool: ...

    def __gt__(self, arg: DomainSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> DomainSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> DomainSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> DomainSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: DomainSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: DomainSet) -> bool:
        """As <=."""

    def issuperset(self, other: DomainSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: DomainSet) -> DomainSet:
        """As ^."""

    def union(self, *others: DomainSet) -> DomainSet:
        """As | with each."""

    def intersection(self, *others: DomainSet) -> DomainSet:
        """As & with each."""

    def difference(self, *others: DomainSet) -> DomainSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> DomainSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class NodeSet:
    """
    A set of nodes of a cluster, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: NodeSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: NodeSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: NodeSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> NodeSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> NodeSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: NodeSet, /) -> NodeSet: ...

    def __and__(self, arg: NodeSet, /) -> NodeSet: ...

    def __sub__(self, arg: NodeSet, /) -> NodeSet: ...

    def __xor__(self, arg: NodeSet, /) -> NodeSet: ...

    def __le__(self, arg: NodeSet, /) -> bool: ...

    def __ge__(self, arg: NodeSet, /) -> bool: ...

    def __lt__(self, arg: NodeSet, /) -> bool: ...

    def __gt__(self, arg: NodeSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> NodeSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> NodeSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> NodeSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: NodeSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: NodeSet) -> bool:
        """As <=."""

    def issuperset(self, other: NodeSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: NodeSet) -> NodeSet:
        """As ^."""

    def union(self, *others: NodeSet) -> NodeSet:
        """As | with each."""

    def intersection(self, *others: NodeSet) -> NodeSet:
        """As & with each."""

    def difference(self, *others: NodeSet) -> NodeSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> NodeSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class SmallSet:
    """
    A set of numbers, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: SmallSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: SmallSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: SmallSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> SmallSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> SmallSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: SmallSet, /) -> SmallSet: ...

    def __and__(self, arg: SmallSet, /) -> SmallSet: ...

    def __sub__(self, arg: SmallSet, /) -> SmallSet: ...

    def __xor__(self, arg: SmallSet, /) -> SmallSet: ...

    def __le__(self, arg: SmallSet, /) -> bool: ...

    def __ge__(self, arg: SmallSet, /) -> bool: ...

    def __lt__(self, arg: SmallSet, /) -> bool: ...

    def __gt__(self, arg: SmallSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> SmallSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> SmallSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> SmallSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: SmallSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: SmallSet) -> bool:
        """As <=."""

    def issuperset(self, other: SmallSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: SmallSet) -> SmallSet:
        """As ^."""

    def union(self, *others: SmallSet) -> SmallSet:
        """As | with each."""

    def intersection(self, *others: SmallSet) -> SmallSet:
        """As & with each."""

    def difference(self, *others: SmallSet) -> SmallSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> SmallSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class IndexSet:
    """
    A set of numbers, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: IndexSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: IndexSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: IndexSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> IndexSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> IndexSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: IndexSet, /) -> IndexSet: ...

    def __and__(self, arg: IndexSet, /) -> IndexSet: ...

    def __sub__(self, arg: IndexSet, /) -> IndexSet: ...

    def __xor__(self, arg: IndexSet, /) -> IndexSet: ...

    def __le__(self, arg: IndexSet, /) -> bool: ...

    def __ge__(self, arg: IndexSet, /) -> bool: ...

    def __lt__(self, arg: IndexSet, /) -> bool: ...

    def __gt__(self, arg: IndexSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> IndexSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> IndexSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> IndexSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: IndexSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: IndexSet) -> bool:
        """As <=."""

    def issuperset(self, other: IndexSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: IndexSet) -> IndexSet:
        """As ^."""

    def union(self, *others: IndexSet) -> IndexSet:
        """As | with each."""

    def intersection(self, *others: IndexSet) -> IndexSet:
        """As & with each."""

    def difference(self, *others: IndexSet) -> IndexSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> IndexSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

def find_in_hierarchy(available: IndexSet, levels: Sequence[tuple[Iterable[IndexSet], int]]) -> IndexSet | None:
    """
    The first blocks that serve, outermost level first, and what is taken of them: at each level the
    first `count` in the order of `blocks`. A block of the last level serves when it has members and
    all are available; of another one when the levels below find theirs in it. Nothing when there
    are not enough somewhere. Where blocks of a level are disjoint, nothing means that no choice is
    possible. Requires: 1 to hierarchy_levels_max levels, counts of at least 1.
    Complexity: the product of the numbers of blocks, where all of them are looked at.
    """

class FeatureExpression:
    """
    Which features a node has to have. A default one is empty: every node meets it. Lists of one
    operator are merged, so that a & (b & c) equals (a & b) & c, and a double negation is none;
    otherwise equal means written alike: a | b and b | a differ.

    Made from its text, "a100&(ib|!old)", or from names, all of which are wanted; & | and ~ make one of others.
    """

    def __init__(self, features: str | Iterable[str] | FeatureExpression = "") -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def is_empty(self) -> bool:
        """True when every node meets it."""

    def __and__(self, arg: FeatureExpression, /) -> FeatureExpression:
        """Both; an empty one adds nothing."""

    def __or__(self, arg: FeatureExpression, /) -> FeatureExpression:
        """At least one; with an empty one: empty."""

    def __invert__(self) -> FeatureExpression:
        """
        The opposite. Requires: `a` is not empty, or no node would meet the result.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

def feature(name: str) -> FeatureExpression:
    """The feature called `name`, whatever characters it has."""

def matches(expression: FeatureExpression, features: Iterable[str]) -> bool:
    """
    True when a node with these features meets the expression. Complexity: the names in the
    expression times the features.
    """

class FeatureCount:
    """Of the nodes of a job, at least so many meet the expression."""

    def __init__(self, features: str | Iterable[str] | FeatureExpression = FeatureExpression(), nodes: int = 1) -> None: ...

    @property
    def features(self) -> FeatureExpression:
        """FeatureExpression, its text, or names, all wanted"""

    @property
    def nodes(self) -> int:
        """int, a count"""

    def replace(self, *, features: str | Iterable[str] | FeatureExpression = ..., nodes: int = ...) -> FeatureCount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FeatureCount: ...

    def __deepcopy__(self, memo: object) -> FeatureCount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterCount:
    """So many of a thing that the cluster as a whole has."""

    def __init__(self, name: str = '', count: int = 1) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def count(self) -> int:
        """int, a count"""

    def replace(self, *, name: str = ..., count: int = ...) -> ClusterCount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterCount: ...

    def __deepcopy__(self, memo: object) -> ClusterCount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SliceProfile:
    """One kind of instance: `3g.20gb`."""

    def __init__(self, name: str = '', compute_slices: int = 1, memory_slices: int = 1, memory: int = 0, starts: Iterable[int] = (), instances_max: int = 1) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def compute_slices(self) -> int:
        """int"""

    @property
    def memory_slices(self) -> int:
        """int"""

    @property
    def memory(self) -> int:
        """what a program sees of it (int, bytes)"""

    @property
    def starts(self) -> tuple[int, ...]:
        """legal first memory slices, rising (each: int)"""

    @property
    def instances_max(self) -> int:
        """at the same time on one device (int)"""

    def replace(self, *, name: str = ..., compute_slices: int = ..., memory_slices: int = ..., memory: int = ..., starts: Iterable[int] = ..., instances_max: int = ...) -> SliceProfile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SliceProfile: ...

    def __deepcopy__(self, memo: object) -> SliceProfile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SliceGeometry:
    """What instances a model of device allows. At most 64 memory slices."""

    def __init__(self, name: str = '', compute_slices: int = 0, memory_slices: int = 0, profiles: Iterable[SliceProfile] = ()) -> None: ...

    @property
    def name(self) -> str:
        """`a100-40gb` (str)"""

    @property
    def compute_slices(self) -> int:
        """int"""

    @property
    def memory_slices(self) -> int:
        """int"""

    @property
    def profiles(self) -> tuple[SliceProfile, ...]:
        """each: SliceProfile"""

    def replace(self, *, name: str = ..., compute_slices: int = ..., memory_slices: int = ..., profiles: Iterable[SliceProfile] = ...) -> SliceGeometry:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SliceGeometry: ...

    def __deepcopy__(self, memo: object) -> SliceGeometry: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def find(self, profile: str) -> SliceProfile | None:
        """The profile of that name, or None."""

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> SliceGeometry:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class SliceInstance:
    """
    An instance of a profile and where it lies. Ordered by where it starts.
    """

    def __init__(self, start: int = 0, size: int = 1, profile: str = '') -> None: ...

    @property
    def start(self) -> int:
        """its first memory slice (int)"""

    @property
    def size(self) -> int:
        """memory slices, as the profile says (int)"""

    @property
    def profile(self) -> str:
        """str"""

    def replace(self, *, start: int = ..., size: int = ..., profile: str = ...) -> SliceInstance:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SliceInstance: ...

    def __deepcopy__(self, memo: object) -> SliceInstance: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def end(self) -> int:
        """The memory slice behind its last one."""

class Slicing:
    """How one device may be cut, and how it is."""

    def __init__(self, geometry: SliceGeometry = SliceGeometry(), instances: Iterable[SliceInstance] = (), is_fixed: bool = False) -> None: ...

    @property
    def geometry(self) -> SliceGeometry:
        """SliceGeometry"""

    @property
    def instances(self) -> tuple[SliceInstance, ...]:
        """that exist, by start (each: SliceInstance)"""

    @property
    def is_fixed(self) -> bool:
        """
        True: only instances that exist are given. False: new ones may be made, and idle ones
        removed for them. (bool)
        """

    def replace(self, *, geometry: SliceGeometry = ..., instances: Iterable[SliceInstance] = ..., is_fixed: bool = ...) -> Slicing:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Slicing: ...

    def __deepcopy__(self, memo: object) -> Slicing: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Slicing:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def slice_geometries() -> tuple[SliceGeometry, ...]:
    """The geometries of all GPUs known here, by name."""

def find_slice_geometry(name: str) -> SliceGeometry | None:
    """The geometry of that name (`a100-40gb`), or None."""

class Health(enum.Enum):
    """How well a node or device is."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    healthy = 0

    warning = 1

    failure = 2

    unknown = 3

class Version:
    """
    Two numbers that order as a version does: 8.0 < 8.6 < 8.10 < 9.0. CUDA's compute capability.
    """

    def __init__(self, major: int = 0, minor: int = 0) -> None: ...

    @property
    def major(self) -> int:
        """int"""

    @property
    def minor(self) -> int:
        """int"""

    def replace(self, *, major: int = ..., minor: int = ...) -> Version:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Version: ...

    def __deepcopy__(self, memo: object) -> Version: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Attribute:
    """
    Something named that a request may test, such as `driver_version = 550.54`.
    """

    def __init__(self, name: str = '', value: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def value(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., value: str = ...) -> Attribute:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Attribute: ...

    def __deepcopy__(self, memo: object) -> Attribute: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceFile:
    """A device node below /dev. Several files may belong to one device."""

    def __init__(self, path: str = '', kind: DeviceFile.Kind = DeviceFile.Kind.character, major: int | None = None, minor: int | None = None) -> None: ...

    class Kind(enum.Enum):
        """Character or block device."""

        def __str__(self) -> str: ...

        def __repr__(self) -> str: ...

        character = 0

        block = 1

    @property
    def path(self) -> str:
        """str"""

    @property
    def kind(self) -> DeviceFile.Kind:
        """DeviceFile.Kind"""

    @property
    def major(self) -> int | None:
        """absent until the file has been looked at (int, or None)"""

    @property
    def minor(self) -> int | None:
        """int, or None"""

    def replace(self, *, path: str = ..., kind: DeviceFile.Kind = ..., major: int | None = ..., minor: int | None = ...) -> DeviceFile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceFile: ...

    def __deepcopy__(self, memo: object) -> DeviceFile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Device:
    """
    A device of a node: what it is, where it lies, how it is shared, its files.
    """

    def __init__(self, name: str = '', type: str = '', index: int = 0, vendor: str = '', model: str = '', uuid: str = '', memory: int = 0, compute_capability: Version | None = None, attributes: Iterable[Attribute] = (), files: Iterable[DeviceFile] = (), cores: CoreSet = CoreSet(), reserved_cores: CoreSet = CoreSet(), switches: Iterable[int] = (), shares: int = 1, slicing: Slicing | None = None, is_consumed: bool = True, health: Health = Health.healthy, is_drained: bool = False) -> None: ...

    @property
    def name(self) -> str:
        """the GRES name: `gpu`, `nic` (str)"""

    @property
    def type(self) -> str:
        """the GRES type: `a100`; empty when untyped (str)"""

    @property
    def index(self) -> int:
        """position among the node's devices of this name (int)"""

    @property
    def vendor(self) -> str:
        """lower case: `nvidia`, `amd` (str)"""

    @property
    def model(self) -> str:
        """as the vendor writes it (str)"""

    @property
    def uuid(self) -> str:
        """str"""

    @property
    def memory(self) -> int:
        """int, bytes"""

    @property
    def compute_capability(self) -> Version | None:
        """Version, or None"""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """each: Attribute"""

    @property
    def files(self) -> tuple[DeviceFile, ...]:
        """each: DeviceFile"""

    @property
    def cores(self) -> CoreSet:
        """the cores near it; empty: near to all alike (CoreSet)"""

    @property
    def reserved_cores(self) -> CoreSet:
        """
        Cores that only who gets this device, or a part of it, may use (RestrictedCoresPerGPU). (CoreSet)
        """

    @property
    def switches(self) -> tuple[int, ...]:
        """
        The PCI switches above it, outermost first, by numbers of the node's own. (each: int)
        """

    @property
    def shares(self) -> int:
        """
        How many shares it can be cut into (shards, thousandths). 1: it is given whole only. (int, a count)
        """

    @property
    def slicing(self) -> Slicing | None:
        """absent: it cannot be cut into instances (Slicing, or None)"""

    @property
    def is_consumed(self) -> bool:
        """
        False: it must be there and is given to any number of owners (Slurm's no_consume). (bool)
        """

    @property
    def health(self) -> Health:
        """Health"""

    @property
    def is_drained(self) -> bool:
        """takes no new work (bool)"""

    def replace(self, *, name: str = ..., type: str = ..., index: int = ..., vendor: str = ..., model: str = ..., uuid: str = ..., memory: int = ..., compute_capability: Version | None = ..., attributes: Iterable[Attribute] = ..., files: Iterable[DeviceFile] = ..., cores: CoreSet = ..., reserved_cores: CoreSet = ..., switches: Iterable[int] = ..., shares: int = ..., slicing: Slicing | None = ..., is_consumed: bool = ..., health: Health = ..., is_drained: bool = ...) -> Device:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Device: ...

    def __deepcopy__(self, memo: object) -> Device: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceLink:
    """
    How strongly two devices of a node are connected; more is better (NVLink count, bandwidth).
    """

    def __init__(self, a: int = 0, b: int = 0, strength: int = 0) -> None: ...

    @property
    def a(self) -> int:
        """int, position of a device"""

    @property
    def b(self) -> int:
        """int, position of a device"""

    @property
    def strength(self) -> int:
        """int"""

    def replace(self, *, a: int = ..., b: int = ..., strength: int = ...) -> DeviceLink:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceLink: ...

    def __deepcopy__(self, memo: object) -> DeviceLink: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def slice_geometry_for(device: Device) -> SliceGeometry | None:
    """
    The geometry of an NVIDIA device by a word of its model (of its type, when it has no model) and the nearest memory size, as sold, within 5 percent; None for any other device.
    """

class HardwareLevel(enum.Enum):
    """A level of the hardware tree, outermost first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    machine = 0

    package = 1

    die = 2

    numa = 3

    l3 = 4

    l2 = 5

    core = 6

    thread = 7

class MemoryKind(enum.Enum):
    """What a memory domain is made of."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    dram = 0

    high_bandwidth = 1

    persistent = 2

    device = 3

class Architecture(enum.Enum):
    """The processor family of a node."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    x86 = 0

    arm = 1

    power = 2

    riscv = 3

class Core:
    """One core: its hardware threads, lowest number first. At least one."""

    def __init__(self, threads: Iterable[int] = (), kind: int = 0) -> None: ...

    @property
    def threads(self) -> tuple[int, ...]:
        """each: int, the kernel's number"""

    @property
    def kind(self) -> int:
        """
        Rank of its kind on a node whose cores differ, faster kinds higher (0 efficiency cores, 1
        performance cores). All 0 when the cores are alike, or nobody knows. (int)
        """

    def replace(self, *, threads: Iterable[int] = ..., kind: int = ...) -> Core:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Core: ...

    def __deepcopy__(self, memo: object) -> Core: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CoreGroup:
    """The cores below one package, die or cache."""

    def __init__(self, level: HardwareLevel = HardwareLevel.package, os_index: int = 0, cores: CoreSet = CoreSet()) -> None: ...

    @property
    def level(self) -> HardwareLevel:
        """HardwareLevel"""

    @property
    def os_index(self) -> int:
        """
        the kernel's number of the group; its position where it has none (int, the kernel's number)
        """

    @property
    def cores(self) -> CoreSet:
        """CoreSet"""

    def replace(self, *, level: HardwareLevel = ..., os_index: int = ..., cores: CoreSet = ...) -> CoreGroup:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CoreGroup: ...

    def __deepcopy__(self, memo: object) -> CoreGroup: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HardwareTree:
    """
    Cores in tree order, and the groups that they form (package, die, l3, l2).
    """

    def __init__(self, cores: Iterable[Core] = (), groups: Iterable[CoreGroup] = ()) -> None: ...

    @property
    def cores(self) -> tuple[Core, ...]:
        """each: Core"""

    @property
    def groups(self) -> tuple[CoreGroup, ...]:
        """each: CoreGroup"""

    def replace(self, *, cores: Iterable[Core] = ..., groups: Iterable[CoreGroup] = ...) -> HardwareTree:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HardwareTree: ...

    def __deepcopy__(self, memo: object) -> HardwareTree: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def core_count(self) -> int:
        """The number of cores."""

    def all_cores(self) -> CoreSet:
        """Every core."""

    def all_threads(self) -> PuSet:
        """Every hardware thread."""

    def threads_of(self, cores: CoreSet) -> PuSet:
        """
        The hardware threads of `set`. Requires: every member is below core_count().
        """

    def cores_of(self, threads: PuSet) -> CoreSet:
        """
        The cores with at least one thread in `threads`; threads that do not exist are passed over.
        """

class MemoryDomain:
    """
    One NUMA node. Without cores it is a memory-only domain, near to nobody.
    """

    def __init__(self, os_index: int = 0, kind: MemoryKind = MemoryKind.dram, capacity: int = 0, cores: CoreSet = CoreSet(), reserved: int = 0) -> None: ...

    @property
    def os_index(self) -> int:
        """int, the kernel's number"""

    @property
    def kind(self) -> MemoryKind:
        """MemoryKind"""

    @property
    def capacity(self) -> int:
        """int, bytes"""

    @property
    def cores(self) -> CoreSet:
        """CoreSet"""

    @property
    def reserved(self) -> int:
        """of the capacity, for the system: not given to anybody (int, bytes)"""

    def replace(self, *, os_index: int = ..., kind: MemoryKind = ..., capacity: int = ..., cores: CoreSet = ..., reserved: int = ...) -> MemoryDomain:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryDomain: ...

    def __deepcopy__(self, memo: object) -> MemoryDomain: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def is_ordinary(domain: MemoryDomain) -> bool:
    """
    True for memory that ordinary requests are met from. A GPU's or persistent memory is not given
    to who asks for bytes.
    """

def allocatable(domain: MemoryDomain) -> int:
    """Bytes that are given to work: all but the system's."""

class NodeState(enum.Enum):
    """
    Whether a node takes work. removed: it is no longer there, and what is left is its number.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    up = 0

    drained = 1

    down = 2

    removed = 3

class NodeShape:
    """Everything about a machine that does not change while it runs."""

    def __init__(self, architecture: Architecture = Architecture.x86, hardware: HardwareTree = HardwareTree(), system_cores: CoreSet = CoreSet(), memory: Iterable[MemoryDomain] = (), distances: Iterable[int] = (), devices: Iterable[Device] = (), links: Iterable[DeviceLink] = (), disk: int = 0) -> None: ...

    @property
    def architecture(self) -> Architecture:
        """Architecture"""

    @property
    def hardware(self) -> HardwareTree:
        """HardwareTree"""

    @property
    def system_cores(self) -> CoreSet:
        """kept for the system (core specialisation) (CoreSet)"""

    @property
    def memory(self) -> tuple[MemoryDomain, ...]:
        """by DomainId (each: MemoryDomain)"""

    @property
    def distances(self) -> tuple[int, ...]:
        """row by row between domains; empty when unknown (each: int)"""

    @property
    def devices(self) -> tuple[Device, ...]:
        """by DeviceId (each: Device)"""

    @property
    def links(self) -> tuple[DeviceLink, ...]:
        """a < b, sorted, each pair at most once (each: DeviceLink)"""

    @property
    def disk(self) -> int:
        """int, bytes"""

    def replace(self, *, architecture: Architecture = ..., hardware: HardwareTree = ..., system_cores: CoreSet = ..., memory: Iterable[MemoryDomain] = ..., distances: Iterable[int] = ..., devices: Iterable[Device] = ..., links: Iterable[DeviceLink] = ..., disk: int = ...) -> NodeShape:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeShape: ...

    def __deepcopy__(self, memo: object) -> NodeShape: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def total_memory(self) -> int:
        """All memory domains together, in bytes."""

    def allocatable_cores(self) -> CoreSet:
        """Cores that are given to work: all but the system's."""

    def ordinary_memory(self) -> int:
        """
        What is given of the domains that requests for memory are met from: see is_ordinary.
        """

    def cpu_count(self) -> int:
        """Hardware threads, what Slurm and dstack call CPUs."""

    def find_device(self, name: str, index: int) -> int | None:
        """The device called `name` with this index within the name, or nothing."""

    def distance(self, from_domain: int, to_domain: int) -> int:
        """
        How far `to` is from `from` as the firmware tells (10 is local); 10 or 20 when unknown.
        """

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> NodeShape:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Node:
    """A machine: a shared shape and what is particular to the one."""

    def __init__(self, name: str = '', shape: NodeShape = NodeShape(), features: Iterable[str] = (), weight: int = 1, state: NodeState = NodeState.up, health: Health = Health.healthy) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def shape(self) -> NodeShape:
        """NodeShape"""

    @property
    def features(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def weight(self) -> int:
        """Slurm's Weight, carried: no policy here looks at it yet (int)"""

    @property
    def state(self) -> NodeState:
        """NodeState"""

    @property
    def health(self) -> Health:
        """Health"""

    def replace(self, *, name: str = ..., shape: NodeShape = ..., features: Iterable[str] = ..., weight: int = ..., state: NodeState = ..., health: Health = ...) -> Node:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Node: ...

    def __deepcopy__(self, memo: object) -> Node: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Node:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Switch:
    """
    A switch of the network. A leaf switch has nodes, an inner one is the parent of others; one with
    neither is an empty leaf.
    """

    def __init__(self, name: str = '', parent: int | None = None, nodes: NodeSet = NodeSet()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def parent(self) -> int | None:
        """int, a number, or None"""

    @property
    def nodes(self) -> NodeSet:
        """connected to it directly (NodeSet)"""

    def replace(self, *, name: str = ..., parent: int | None = ..., nodes: NodeSet = ...) -> Switch:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Switch: ...

    def __deepcopy__(self, memo: object) -> Switch: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TreeTopology:
    """Switches above nodes."""

    def __init__(self, name: str = '', switches: Iterable[Switch] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def switches(self) -> tuple[Switch, ...]:
        """by SwitchId, parents before children (each: Switch)"""

    def replace(self, *, name: str = ..., switches: Iterable[Switch] = ...) -> TreeTopology:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TreeTopology: ...

    def __deepcopy__(self, memo: object) -> TreeTopology: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NetworkBlock:
    """Nodes that share a fabric: a base block."""

    def __init__(self, name: str = '', nodes: NodeSet = NodeSet()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> NodeSet:
        """NodeSet"""

    def replace(self, *, name: str = ..., nodes: NodeSet = ...) -> NetworkBlock:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NetworkBlock: ...

    def __deepcopy__(self, memo: object) -> NetworkBlock: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BlockTopology:
    """Base blocks in order, and the sizes of aggregated blocks."""

    def __init__(self, name: str = '', blocks: Iterable[NetworkBlock] = (), sizes: Iterable[int] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def blocks(self) -> tuple[NetworkBlock, ...]:
        """each: NetworkBlock"""

    @property
    def sizes(self) -> tuple[int, ...]:
        """
        In nodes, rising: first the base block, then what may be aggregated, base x 2^k each.
        Empty: every level up to the one that holds all blocks. (each: int, a count)
        """

    def replace(self, *, name: str = ..., blocks: Iterable[NetworkBlock] = ..., sizes: Iterable[int] = ...) -> BlockTopology:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BlockTopology: ...

    def __deepcopy__(self, memo: object) -> BlockTopology: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TorusShape:
    """Lengths of a torus, or of a box of nodes on it, or a place."""

    def __init__(self, x: int = 1, y: int = 1, z: int = 1) -> None: ...

    @property
    def x(self) -> int:
        """int"""

    @property
    def y(self) -> int:
        """int"""

    @property
    def z(self) -> int:
        """int"""

    def replace(self, *, x: int = ..., y: int = ..., z: int = ...) -> TorusShape:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TorusShape: ...

    def __deepcopy__(self, memo: object) -> TorusShape: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def volume(self) -> int | None:
        """Places inside; nothing when these are more than 2^32 - 1."""

class Torus:
    """One torus."""

    def __init__(self, name: str = '', shape: TorusShape = TorusShape(), nodes: Iterable[int | None] = (None,)) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def shape(self) -> TorusShape:
        """TorusShape"""

    @property
    def nodes(self) -> tuple[int | None, ...]:
        """
        by place, x fastest; or nobody (each: int, position of a node, or None)
        """

    def replace(self, *, name: str = ..., shape: TorusShape = ..., nodes: Iterable[int | None] = ...) -> Torus:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Torus: ...

    def __deepcopy__(self, memo: object) -> Torus: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TorusTopology:
    """Tori beside each other; a job lies on one of them."""

    def __init__(self, name: str = '', toruses: Iterable[Torus] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def toruses(self) -> tuple[Torus, ...]:
        """each: Torus"""

    def replace(self, *, name: str = ..., toruses: Iterable[Torus] = ...) -> TorusTopology:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TorusTopology: ...

    def __deepcopy__(self, memo: object) -> TorusTopology: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Ring:
    """One ring."""

    def __init__(self, name: str = '', nodes: Iterable[int] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> tuple[int, ...]:
        """in order, the first follows the last (each: int, position of a node)"""

    def replace(self, *, name: str = ..., nodes: Iterable[int] = ...) -> Ring:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Ring: ...

    def __deepcopy__(self, memo: object) -> Ring: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RingTopology:
    """Rings beside each other; a job lies on one of them."""

    def __init__(self, name: str = '', rings: Iterable[Ring] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def rings(self) -> tuple[Ring, ...]:
        """each: Ring"""

    def replace(self, *, name: str = ..., rings: Iterable[Ring] = ...) -> RingTopology:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RingTopology: ...

    def __deepcopy__(self, memo: object) -> RingTopology: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyKind(enum.Enum):
    """How nodes are connected."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    tree = 0

    block = 1

    torus = 2

    ring = 3

class TopologyId:
    """Where a topology stands in a Network: in the list of its kind."""

    def __init__(self, kind: TopologyKind = TopologyKind.tree, position: int = 0) -> None: ...

    @property
    def kind(self) -> TopologyKind:
        """TopologyKind"""

    @property
    def position(self) -> int:
        """int"""

    def replace(self, *, kind: TopologyKind = ..., position: int = ...) -> TopologyId:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyId: ...

    def __deepcopy__(self, memo: object) -> TopologyId: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Network:
    """All topologies of a cluster. No two of them have the same name."""

    def __init__(self, trees: Iterable[TreeTopology] = (), blocks: Iterable[BlockTopology] = (), toruses: Iterable[TorusTopology] = (), rings: Iterable[RingTopology] = ()) -> None: ...

    @property
    def trees(self) -> tuple[TreeTopology, ...]:
        """each: TreeTopology"""

    @property
    def blocks(self) -> tuple[BlockTopology, ...]:
        """each: BlockTopology"""

    @property
    def toruses(self) -> tuple[TorusTopology, ...]:
        """each: TorusTopology"""

    @property
    def rings(self) -> tuple[RingTopology, ...]:
        """each: RingTopology"""

    def replace(self, *, trees: Iterable[TreeTopology] = ..., blocks: Iterable[BlockTopology] = ..., toruses: Iterable[TorusTopology] = ..., rings: Iterable[RingTopology] = ...) -> Network:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Network: ...

    def __deepcopy__(self, memo: object) -> Network: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_empty(self) -> bool:
        """True without a topology."""

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Network:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def nodes_below(tree: TreeTopology, top: int) -> NodeSet:
    """
    Every node below the switch, at any depth. Requires: the switch exists. Complexity: linear in
    the number of switches, times the set union.
    """

def levels_of(topology: BlockTopology) -> tuple[int, ...]:
    """
    The levels k of aggregated blocks of 2^k base blocks, rising, from 0 on: those of `sizes`, or
    all up to the one that holds every block. Requires: check(topology) is ok.
    """

def find_topology(network: Network, name: str) -> TopologyId | None:
    """The topology of that name."""

def core_groups(shape: NodeShape, level: HardwareLevel) -> tuple[CoreSet, ...]:
    """
    All cores of the node, parted by the groups of `level`, by lowest core. A core that is in no
    group of the level is together with the others like it: on a node that does not report the
    level, all cores are one group. Levels core and thread: each core by itself, but for groups of
    level core, which hold the threads of one where threads are handed out (with_unit).
    Complexity: linear in cores times groups.
    """

def widen(groups: Iterable[CoreSet], cores: CoreSet) -> CoreSet:
    """All cores of those groups that hold one of `cores`."""

def domains_near(shape: NodeShape, cores: CoreSet) -> DomainSet:
    """The ordinary memory domains with a core in `cores`."""

def with_unit(shape: NodeShape, level: HardwareLevel) -> NodeShape:
    """
    `shape` in which the groups of `level` are what is handed out, each as one core.

    thread: every hardware thread is a core of its own; those of an old core form a group of level
    core. core: the shape as it is. Wider levels: the cores of each group of core_groups(shape,
    level) are joined, by lowest core; what the system keeps of a group becomes a unit of its own,
    so that the rest of the group can be given.

    Sets of cores become the units that have a part in them: near to one core of a unit is near to
    the unit, and a core reserved for a device reserves its unit. Groups that cut a unit, which are
    those of narrower levels, are left out. Memory, devices and links stay.
    Requires: check(shape) is ok. Complexity: linear in cores times groups.
    """

class Per(enum.Enum):
    """What an amount is counted per."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    node = 0

    job = 1

    task = 2

    socket = 3

    cpu = 4

    device = 5

class Locality(enum.Enum):
    """How much nearness matters."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    ignore = 0

    prefer = 1

    require = 2

class Distribution(enum.Enum):
    """
    How tasks are dealt out to nodes, or to the packages of a node. block: fill one after the other.
    cyclic: a task to each in turn. fcyclic: inside a node, a core to each in turn. plane: as many
    tasks as the plane's size to each in turn.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    block = 0

    cyclic = 1

    fcyclic = 2

    plane = 3

class TaskDistribution:
    """
    Slurm's --distribution. Nodes: which task ids go where; the tasks of each node are counted
    before. Sockets: which packages give the cores, and which task gets them.
    """

    def __init__(self, nodes: Distribution = Distribution.block, sockets: Distribution = Distribution.block, plane_size: int = 1) -> None: ...

    @property
    def nodes(self) -> Distribution:
        """Distribution"""

    @property
    def sockets(self) -> Distribution:
        """Distribution"""

    @property
    def plane_size(self) -> int:
        """int, a count"""

    def replace(self, *, nodes: Distribution = ..., sockets: Distribution = ..., plane_size: int = ...) -> TaskDistribution:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskDistribution: ...

    def __deepcopy__(self, memo: object) -> TaskDistribution: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Prefer(enum.Enum):
    """Which end of a range of counts is wanted."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    fewest = 0

    most = 1

class Comparison(enum.Enum):
    """How two values compare in a test of an attribute."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    equal = 0

    not_equal = 1

    less = 2

    less_equal = 3

    greater = 4

    greater_equal = 5

class Exclusivity(enum.Enum):
    """
    Whether others may use the same nodes. A whole node is one that nobody uses; it gives all its
    cores, and memory and devices as asked.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    shared = 0

    whole_node = 1

class AttributeTest:
    """
    `name <comparison> value` on a device's attribute: as numbers when both are, else as text.
    A device without the attribute fails every test.
    """

    def __init__(self, name: str = '', comparison: Comparison = Comparison.equal, value: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def comparison(self) -> Comparison:
        """Comparison"""

    @property
    def value(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., comparison: Comparison = ..., value: str = ...) -> AttributeTest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> AttributeTest: ...

    def __deepcopy__(self, memo: object) -> AttributeTest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceRequest:
    """A demand for devices of one name."""

    def __init__(self, name: str = 'gpu', types: Iterable[str] = (), count: int | Range[int] = Range.exactly(1), per: Per = Per.node, prefer: Prefer = Prefer.fewest, shares: int = 0, shares_per: Per = Per.device, slice: str = '', vendor: str = '', models: Iterable[str] = (), memory: int | Range[int] = Range(), total_memory: int | Range[int] = Range(), compute_capability: Version | Range[Version] = Range(), attributes: Iterable[AttributeTest] = (), locality: Locality = Locality.prefer, locality_level: HardwareLevel | None = None, device_locality: Locality = Locality.ignore) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def types(self) -> tuple[str, ...]:
        """any of these; empty: any type (each: str)"""

    @property
    def count(self) -> Range[int]:
        """a Range of: int, a count"""

    @property
    def per(self) -> Per:
        """node, job, task or socket (Per)"""

    @property
    def prefer(self) -> Prefer:
        """Prefer"""

    @property
    def shares(self) -> int:
        """0: whole devices (int, a count)"""

    @property
    def shares_per(self) -> Per:
        """device: of each; node: of all chosen devices together (Per)"""

    @property
    def slice(self) -> str:
        """profile of the instances to count; empty: uncut devices (str)"""

    @property
    def vendor(self) -> str:
        """str"""

    @property
    def models(self) -> tuple[str, ...]:
        """any of these, without regard to case; empty: any (each: str)"""

    @property
    def memory(self) -> Range[int]:
        """of each device (a Range of: int, bytes)"""

    @property
    def total_memory(self) -> Range[int]:
        """of all chosen devices of a node together (a Range of: int, bytes)"""

    @property
    def compute_capability(self) -> Range[Version]:
        """a Range of: Version"""

    @property
    def attributes(self) -> tuple[AttributeTest, ...]:
        """all of them (each: AttributeTest)"""

    @property
    def locality(self) -> Locality:
        """to the chosen cores (Locality)"""

    @property
    def locality_level(self) -> HardwareLevel | None:
        """
        How far nearness to cores reaches: to all cores of the groups of this level that hold a core
        near the device. Absent: to these cores only. (HardwareLevel, or None)
        """

    @property
    def device_locality(self) -> Locality:
        """
        That each device lies below one PCI switch with a device of an earlier demand. (Locality)
        """

    def replace(self, *, name: str = ..., types: Iterable[str] = ..., count: int | Range[int] = ..., per: Per = ..., prefer: Prefer = ..., shares: int = ..., shares_per: Per = ..., slice: str = ..., vendor: str = ..., models: Iterable[str] = ..., memory: int | Range[int] = ..., total_memory: int | Range[int] = ..., compute_capability: Version | Range[Version] = ..., attributes: Iterable[AttributeTest] = ..., locality: Locality = ..., locality_level: HardwareLevel | None = ..., device_locality: Locality = ...) -> DeviceRequest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceRequest: ...

    def __deepcopy__(self, memo: object) -> DeviceRequest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyRequest:
    """Where the nodes of a job lie in the network. A default one: anywhere."""

    def __init__(self, topology: str = '', switches_max: int | None = None, switches: Locality = Locality.require, level: int | None = None, within: Locality = Locality.require, segment_size: int | None = None, shape: TorusShape | None = None, is_on_ring: bool = False, is_contiguous: bool = False) -> None: ...

    @property
    def topology(self) -> str:
        """by name; empty: the first of a kind that has what is asked (str)"""

    @property
    def switches_max(self) -> int | None:
        """leaf switches that the nodes hang at (int, a count, or None)"""

    @property
    def switches(self) -> Locality:
        """how much switches_max matters (Locality)"""

    @property
    def level(self) -> int | None:
        """
        All nodes below one switch of this height (0: a leaf switch), or in one aggregated block of
        2^level base blocks (0: a base block). (int, a count, or None)
        """

    @property
    def within(self) -> Locality:
        """how much level matters (Locality)"""

    @property
    def segment_size(self) -> int | None:
        """
        Nodes are taken in segments of so many, each inside one base block. (int, a count, or None)
        """

    @property
    def shape(self) -> TorusShape | None:
        """
        The nodes fill a box of these lengths on a torus, turned in any way. (TorusShape, or None)
        """

    @property
    def is_on_ring(self) -> bool:
        """nodes that follow each other on a ring (bool)"""

    @property
    def is_contiguous(self) -> bool:
        """consecutive node ids (bool)"""

    def replace(self, *, topology: str = ..., switches_max: int | None = ..., switches: Locality = ..., level: int | None = ..., within: Locality = ..., segment_size: int | None = ..., shape: TorusShape | None = ..., is_on_ring: bool = ..., is_contiguous: bool = ...) -> TopologyRequest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyRequest: ...

    def __deepcopy__(self, memo: object) -> TopologyRequest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Request:
    """
    What a job wants. A default one: one task with one CPU on one node, no memory.
    """

    def __init__(self, nodes: int | Range[int] = Range.exactly(1), node_counts: Iterable[int] = (), tasks: int | None = None, cpus_per_task: int | Range[int] = Range(min=1), milli_cpus: int = 0, threads_per_core: int | None = None, tasks_per_core: int | None = None, tasks_per_socket: int | None = None, sockets_per_node: int | None = None, cores_per_socket: int | None = None, core_locality: Locality = Locality.prefer, core_level: HardwareLevel = HardwareLevel.numa, distribution: TaskDistribution = TaskDistribution(), system_cores: int = 0, memory: int | Range[int] = Range(), memory_per: Per = Per.node, memory_locality: Locality = Locality.prefer, memory_level: HardwareLevel | None = None, devices: Iterable[DeviceRequest] = (), device_alternatives: Iterable[Iterable[DeviceRequest]] = (), cpus_per_device: int | None = None, disk: int | Range[int] = Range(), shm_size: int | None = None, architecture: Architecture | None = None, features: str | Iterable[str] | FeatureExpression = FeatureExpression(), feature_counts: Iterable[FeatureCount] = (), feature_sets: Iterable[str | Iterable[str] | FeatureExpression] = (), required_nodes: Iterable[str] = (), excluded_nodes: Iterable[str] = (), exclusivity: Exclusivity = Exclusivity.shared, topology: TopologyRequest = TopologyRequest(), time_limit: int | None = None, price_max: int | None = None, partition: str = '', cluster_counts: Iterable[ClusterCount] = (), components: Iterable[Request] = ()) -> None: ...

    @property
    def nodes(self) -> Range[int]:
        """a Range of: int, a count"""

    @property
    def node_counts(self) -> tuple[int, ...]:
        """
        Of the numbers in `nodes` only these, rising (Slurm's --nodes=1,4,8). Empty: any. (each: int, a count)
        """

    @property
    def tasks(self) -> int | None:
        """in all; absent: one a node (int, a count, or None)"""

    @property
    def cpus_per_task(self) -> Range[int]:
        """a Range of: int, a count"""

    @property
    def milli_cpus(self) -> int:
        """
        Thousandths of a CPU's time for each task, beside its cores: of the hardware threads of
        those cores of the node that nobody has for himself. 0: none. (int, thousandths of a hardware thread)
        """

    @property
    def threads_per_core(self) -> int | None:
        """
        CPUs used of each core: a node with fewer threads a core is out. Absent: all that it has. (int, a count, or None)
        """

    @property
    def tasks_per_core(self) -> int | None:
        """at most; absent: as many as have CPUs (int, a count, or None)"""

    @property
    def tasks_per_socket(self) -> int | None:
        """at most (int, a count, or None)"""

    @property
    def sockets_per_node(self) -> int | None:
        """at least so many packages that can give cores (int, a count, or None)"""

    @property
    def cores_per_socket(self) -> int | None:
        """packages with fewer free cores are left alone (int, a count, or None)"""

    @property
    def core_locality(self) -> Locality:
        """of the cores to each other (Locality)"""

    @property
    def core_level(self) -> HardwareLevel:
        """in as few groups of this level (HardwareLevel)"""

    @property
    def distribution(self) -> TaskDistribution:
        """TaskDistribution"""

    @property
    def system_cores(self) -> int:
        """
        Of a whole node, cores that the job leaves to the system, the last ones (--core-spec). (int, a count)
        """

    @property
    def memory(self) -> Range[int]:
        """a Range of: int, bytes"""

    @property
    def memory_per(self) -> Per:
        """node, cpu or device (Per)"""

    @property
    def memory_locality(self) -> Locality:
        """require: no spill to domains far away (Locality)"""

    @property
    def memory_level(self) -> HardwareLevel | None:
        """
        How far nearness of memory to cores reaches: to all domains with a core in the groups of
        this level that the cores lie in. Absent: to the domains of the cores. (HardwareLevel, or None)
        """

    @property
    def devices(self) -> tuple[DeviceRequest, ...]:
        """each: DeviceRequest"""

    @property
    def device_alternatives(self) -> tuple[tuple[DeviceRequest, ...], ...]:
        """
        What may stand in for `devices`, in order of preference: used where `devices` do not fit. (each: each: DeviceRequest)
        """

    @property
    def cpus_per_device(self) -> int | None:
        """at least so many CPUs for each device chosen (int, a count, or None)"""

    @property
    def disk(self) -> Range[int]:
        """a Range of: int, bytes"""

    @property
    def shm_size(self) -> int | None:
        """int, bytes, or None"""

    @property
    def architecture(self) -> Architecture | None:
        """Architecture, or None"""

    @property
    def features(self) -> FeatureExpression:
        """
        what every node meets (FeatureExpression, its text, or names, all wanted)
        """

    @property
    def feature_counts(self) -> tuple[FeatureCount, ...]:
        """
        Of all nodes together, at least so many meet each of these (Slurm's [rack1*2&rack2*4]); a
        node counts for as many as it meets. (each: FeatureCount)
        """

    @property
    def feature_sets(self) -> tuple[FeatureExpression, ...]:
        """
        All nodes meet the same one of these, which one is free (Slurm's [rack1|rack2]). Empty: no
        matter. (each: FeatureExpression, its text, or names, all wanted)
        """

    @property
    def required_nodes(self) -> tuple[str, ...]:
        """by name (each: str)"""

    @property
    def excluded_nodes(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def exclusivity(self) -> Exclusivity:
        """Exclusivity"""

    @property
    def topology(self) -> TopologyRequest:
        """TopologyRequest"""

    @property
    def time_limit(self) -> int | None:
        """int, seconds, or None"""

    @property
    def price_max(self) -> int | None:
        """an hour; offers only (int, millionths of a US dollar, or None)"""

    @property
    def partition(self) -> str:
        """empty: any (str)"""

    @property
    def cluster_counts(self) -> tuple[ClusterCount, ...]:
        """
        Of the cluster as a whole, for as long as the job has its nodes: licences and the like. (each: ClusterCount)
        """

    @property
    def components(self) -> tuple[Request, ...]:
        """
        Further groups of nodes of the job: workers beside a leader. The request itself is the first
        group. Each group is chosen as if it were a request of its own, on nodes that no other group
        has; all are granted, or none. What is the job's stands in the request alone, not in a
        component: time_limit, price_max, cluster_counts and components. A component's own topology
        is ignored: the job's applies to the nodes of all groups together. (each: Request)
        """

    def replace(self, *, nodes: int | Range[int] = ..., node_counts: Iterable[int] = ..., tasks: int | None = ..., cpus_per_task: int | Range[int] = ..., milli_cpus: int = ..., threads_per_core: int | None = ..., tasks_per_core: int | None = ..., tasks_per_socket: int | None = ..., sockets_per_node: int | None = ..., cores_per_socket: int | None = ..., core_locality: Locality = ..., core_level: HardwareLevel = ..., distribution: TaskDistribution = ..., system_cores: int = ..., memory: int | Range[int] = ..., memory_per: Per = ..., memory_locality: Locality = ..., memory_level: HardwareLevel | None = ..., devices: Iterable[DeviceRequest] = ..., device_alternatives: Iterable[Iterable[DeviceRequest]] = ..., cpus_per_device: int | None = ..., disk: int | Range[int] = ..., shm_size: int | None = ..., architecture: Architecture | None = ..., features: str | Iterable[str] | FeatureExpression = ..., feature_counts: Iterable[FeatureCount] = ..., feature_sets: Iterable[str | Iterable[str] | FeatureExpression] = ..., required_nodes: Iterable[str] = ..., excluded_nodes: Iterable[str] = ..., exclusivity: Exclusivity = ..., topology: TopologyRequest = ..., time_limit: int | None = ..., price_max: int | None = ..., partition: str = ..., cluster_counts: Iterable[ClusterCount] = ..., components: Iterable[Request] = ...) -> Request:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Request: ...

    def __deepcopy__(self, memo: object) -> Request: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Request:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Availability(enum.Enum):
    """Whether an offer can be had."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    unknown = 0

    available = 1

    idle = 2

    busy = 3

    no_quota = 5

    not_available = 4

    no_balance = 6

class Interconnect(enum.Enum):
    """What connects the instance to its like, as far as programs can use it."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    efa = 1

    gpudirect = 2

    roce = 3

    infiniband = 4

class OfferedDevices:
    """A number of equal devices of an offer."""

    def __init__(self, name: str = 'gpu', vendor: str = '', model: str = '', memory: int = 0, count: int = 1, compute_capability: Version | None = None) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def vendor(self) -> str:
        """str"""

    @property
    def model(self) -> str:
        """str"""

    @property
    def memory(self) -> int:
        """of each (int, bytes)"""

    @property
    def count(self) -> int:
        """int, a count"""

    @property
    def compute_capability(self) -> Version | None:
        """Version, or None"""

    def replace(self, *, name: str = ..., vendor: str = ..., model: str = ..., memory: int = ..., count: int = ..., compute_capability: Version | None = ...) -> OfferedDevices:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OfferedDevices: ...

    def __deepcopy__(self, memo: object) -> OfferedDevices: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Offer:
    """
    An instance that can be had; its price is for the whole of it, an hour.
    """

    def __init__(self, backend: str = '', region: str = '', instance: str = '', architecture: Architecture = Architecture.x86, cpus: int = 0, memory: int = 0, disk: int | None = None, devices: Iterable[OfferedDevices] = (), price: int = 0, is_spot: bool = False, availability: Availability = Availability.available, blocks: int = 1, availability_zones: Iterable[str] = (), interconnect: Interconnect | None = None) -> None: ...

    @property
    def backend(self) -> str:
        """str"""

    @property
    def region(self) -> str:
        """str"""

    @property
    def instance(self) -> str:
        """str"""

    @property
    def architecture(self) -> Architecture:
        """Architecture"""

    @property
    def cpus(self) -> int:
        """int, a count"""

    @property
    def memory(self) -> int:
        """int, bytes"""

    @property
    def disk(self) -> int | None:
        """absent: unknown, matches every demand (int, bytes, or None)"""

    @property
    def devices(self) -> tuple[OfferedDevices, ...]:
        """each: OfferedDevices"""

    @property
    def price(self) -> int:
        """an hour, for all of it (int, millionths of a US dollar)"""

    @property
    def is_spot(self) -> bool:
        """bool"""

    @property
    def availability(self) -> Availability:
        """Availability"""

    @property
    def blocks(self) -> int:
        """the equal parts that it is cut into (int, a count)"""

    @property
    def availability_zones(self) -> tuple[str, ...]:
        """where in the region; empty: nobody knows (each: str)"""

    @property
    def interconnect(self) -> Interconnect | None:
        """absent: nobody knows (Interconnect, or None)"""

    def replace(self, *, backend: str = ..., region: str = ..., instance: str = ..., architecture: Architecture = ..., cpus: int = ..., memory: int = ..., disk: int | None = ..., devices: Iterable[OfferedDevices] = ..., price: int = ..., is_spot: bool = ..., availability: Availability = ..., blocks: int = ..., availability_zones: Iterable[str] = ..., interconnect: Interconnect | None = ...) -> Offer:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Offer: ...

    def __deepcopy__(self, memo: object) -> Offer: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Offer:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class BlockShare:
    """What a number of blocks of an offer holds."""

    def __init__(self, blocks: int = 1, cpus: int = 0, memory: int = 0, devices: Iterable[OfferedDevices] = ()) -> None: ...

    @property
    def blocks(self) -> int:
        """int, a count"""

    @property
    def cpus(self) -> int:
        """int, a count"""

    @property
    def memory(self) -> int:
        """int, bytes"""

    @property
    def devices(self) -> tuple[OfferedDevices, ...]:
        """each: OfferedDevices"""

    def replace(self, *, blocks: int = ..., cpus: int = ..., memory: int = ..., devices: Iterable[OfferedDevices] = ...) -> BlockShare:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BlockShare: ...

    def __deepcopy__(self, memo: object) -> BlockShare: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PartitionState(enum.Enum):
    """
    Whether a partition takes and starts jobs (State). up: both. down: it takes them and starts
    none. drain: it takes none and starts those it has. inactive: neither.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    up = 0

    down = 1

    drain = 2

    inactive = 3

class OverSubscribe(enum.Enum):
    """
    Whether jobs may share cores (OverSubscribe). no: never. yes: those that ask for it. force: all,
    whatever they ask for. exclusive: never, and each has its nodes alone.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    no = 0

    yes = 1

    force = 2

    exclusive = 3

class Partition:
    """
    A named set of nodes with limits; partitions may overlap. What is absent is not limited.
    """

    def __init__(self, name: str = '', nodes: NodeSet = NodeSet(), is_default: bool = False, state: PartitionState = PartitionState.up, nodes_per_job: int | Range[int] = Range(), max_time: int | None = None, default_time: int | None = None, max_cpus_per_node: int | None = None, max_memory_per_node: int | None = None, oversubscribe: OverSubscribe = OverSubscribe.no, jobs_per_core: int = 4) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> NodeSet:
        """NodeSet"""

    @property
    def is_default(self) -> bool:
        """for jobs that name none (Default) (bool)"""

    @property
    def state(self) -> PartitionState:
        """PartitionState"""

    @property
    def nodes_per_job(self) -> Range[int]:
        """MinNodes, MaxNodes (a Range of: int, a count)"""

    @property
    def max_time(self) -> int | None:
        """MaxTime (int, seconds, or None)"""

    @property
    def default_time(self) -> int | None:
        """of jobs without a limit (DefaultTime) (int, seconds, or None)"""

    @property
    def max_cpus_per_node(self) -> int | None:
        """
        Of one node, for all jobs of the partition together (MaxCPUsPerNode). (int, a count, or None)
        """

    @property
    def max_memory_per_node(self) -> int | None:
        """of one node, for each job (MaxMemPerNode) (int, bytes, or None)"""

    @property
    def oversubscribe(self) -> OverSubscribe:
        """OverSubscribe"""

    @property
    def jobs_per_core(self) -> int:
        """
        that may share one where any may (the n of YES:n and FORCE:n) (int, a count)
        """

    def replace(self, *, name: str = ..., nodes: NodeSet = ..., is_default: bool = ..., state: PartitionState = ..., nodes_per_job: int | Range[int] = ..., max_time: int | None = ..., default_time: int | None = ..., max_cpus_per_node: int | None = ..., max_memory_per_node: int | None = ..., oversubscribe: OverSubscribe = ..., jobs_per_core: int = ...) -> Partition:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Partition: ...

    def __deepcopy__(self, memo: object) -> Partition: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Partition:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def refuse(partition: Partition, request: Request) -> Refusal | None:
    """
    Why the partition never takes this request, or nothing: its state is not up; more or fewer nodes
    than it allows or has; a time limit above max_time; on the fullest node more CPUs than
    max_cpus_per_node or more memory than max_memory_per_node, as far as the request alone tells
    (memory counted per node or CPU; cores are given whole and may be more). Of a request with
    components the first group is asked about; ask about the others with the job's time limit.
    Requires: check() is ok for both. Complexity: linear in node_counts.
    """

def effective_time_limit(partition: Partition, request: Request) -> int | None:
    """
    How long the job may run: what it asks for, else default_time, else max_time; absent: for ever.
    """

def effective_exclusivity(partition: Partition, request: Request) -> Exclusivity:
    """
    Whether the job has its nodes alone: as it asks, but always where the partition is exclusive,
    and never where it forces jobs to share.
    """

def effective_rows(partition: Partition, wanted: int) -> int:
    """
    How many jobs may share a core that this one has, when it asks for `wanted`: the rows of
    FitOptions.
    """

class FleetPlacement(enum.Enum):
    """Where the nodes of a fleet are wanted."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    any = 0

    cluster = 1

class Fleet:
    """Nodes that belong together; no node is in two fleets."""

    def __init__(self, name: str = '', nodes: NodeSet = NodeSet(), size: int | Range[int] = Range(), placement: FleetPlacement = FleetPlacement.any, blocks: int = 1) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> NodeSet:
        """NodeSet"""

    @property
    def size(self) -> Range[int]:
        """how many nodes it may have (a Range of: int, a count)"""

    @property
    def placement(self) -> FleetPlacement:
        """FleetPlacement"""

    @property
    def blocks(self) -> int:
        """the equal parts that each node is cut into (int, a count)"""

    def replace(self, *, name: str = ..., nodes: NodeSet = ..., size: int | Range[int] = ..., placement: FleetPlacement = ..., blocks: int = ...) -> Fleet:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Fleet: ...

    def __deepcopy__(self, memo: object) -> Fleet: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Fleet:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def fleet_of(fleets: Iterable[Fleet], node: int) -> Fleet | None:
    """The fleet that the node belongs to, or None."""

def add_node(fleets: Iterable[Fleet], name: str, node: int) -> tuple[Fleet, ...]:
    """
    Puts a node into the fleet called `name`; one that is there already stays. Errors: NotFound when
    there is no such fleet; FailedPrecondition, naming the fleet, when another has the node or this
    one has as many as it may. Nothing changes then. Complexity: linear in the fleets.

    Returns the changed fleets.
    """

def remove_node(fleets: Iterable[Fleet], name: str, node: int) -> tuple[Fleet, ...]:
    """
    Takes a node out of the fleet called `name`, which may then have fewer than it should: size is
    about what is wanted. Errors: NotFound when there is no such fleet or the node is not in it;
    nothing changes then. Complexity: linear in the fleets.

    Returns the changed fleets.
    """

class Gres:
    """A number of devices by name and type; an empty type means any."""

    def __init__(self, name: str = '', type: str = '', count: int = 1) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def count(self) -> int:
        """int, a count"""

    def replace(self, *, name: str = ..., type: str = ..., count: int = ...) -> Gres:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Gres: ...

    def __deepcopy__(self, memo: object) -> Gres: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Tres:
    """
    The name of a trackable resource: `cpu`, `mem`, `node`, `gres/gpu:a100`, `license/matlab`.
    """

    def __init__(self, type: str = '', name: str = '') -> None: ...

    @property
    def type(self) -> str:
        """str"""

    @property
    def name(self) -> str:
        """empty for the static ones (str)"""

    def replace(self, *, type: str = ..., name: str = ...) -> Tres:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Tres: ...

    def __deepcopy__(self, memo: object) -> Tres: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TresCounts:
    """
    How much of each TRES, sorted by type and name; what is not named counts zero.
    """

    def __init__(self, entries: Iterable[tuple[Tres, int]] = ()) -> None: ...

    @property
    def entries(self) -> tuple[tuple[Tres, int], ...]:
        """each: (Tres; int, a count)"""

    def replace(self, *, entries: Iterable[tuple[Tres, int]] = ...) -> TresCounts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TresCounts: ...

    def __deepcopy__(self, memo: object) -> TresCounts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def of(self, tres: Tres) -> int:
        """The count of one; 0 when it is not there."""

class MemoryShare:
    """Bytes taken from one memory domain of a node."""

    def __init__(self, domain: int = 0, bytes: int = 0) -> None: ...

    @property
    def domain(self) -> int:
        """int, position of a memory domain"""

    @property
    def bytes(self) -> int:
        """int, bytes"""

    def replace(self, *, domain: int = ..., bytes: int = ...) -> MemoryShare:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryShare: ...

    def __deepcopy__(self, memo: object) -> MemoryShare: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceShare:
    """Shares taken of one device, or one instance that it is cut into."""

    def __init__(self, device: int = 0, shares: int = 1, slice: SliceInstance | None = None) -> None: ...

    @property
    def device(self) -> int:
        """int, position of a device"""

    @property
    def shares(self) -> int:
        """1 for an instance (int, a count)"""

    @property
    def slice(self) -> SliceInstance | None:
        """absent: shares of the uncut device (SliceInstance, or None)"""

    def replace(self, *, device: int = ..., shares: int = ..., slice: SliceInstance | None = ...) -> DeviceShare:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceShare: ...

    def __deepcopy__(self, memo: object) -> DeviceShare: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodePlacement:
    """
    What one node gives. Memory and devices are sorted by id, each at most once, none of amount 0;
    instances of a sliced device are entries of their own, by where they start.
    """

    def __init__(self, node: int = 0, tasks: int = 1, cores: CoreSet = CoreSet(), threads_per_core: int = 0, row: int | None = None, milli_cpus: int = 0, memory: Iterable[MemoryShare] = (), devices: Iterable[DeviceShare] = (), component: int = 0) -> None: ...

    @property
    def node(self) -> int:
        """int, position of a node"""

    @property
    def tasks(self) -> int:
        """int, a count"""

    @property
    def cores(self) -> CoreSet:
        """CoreSet"""

    @property
    def threads_per_core(self) -> int:
        """
        Hardware threads used of each core, the first ones; 0: all. (int, a count)
        """

    @property
    def row(self) -> int | None:
        """
        Absent: the cores belong to nobody else. Else they are taken in this row only, and owners in
        other rows may have them too (OverSubscribe). (int, or None)
        """

    @property
    def milli_cpus(self) -> int:
        """
        For all tasks together, of the threads of cores that nobody has; not of `cores`. (int, thousandths of a hardware thread)
        """

    @property
    def memory(self) -> tuple[MemoryShare, ...]:
        """each: MemoryShare"""

    @property
    def devices(self) -> tuple[DeviceShare, ...]:
        """each: DeviceShare"""

    @property
    def component(self) -> int:
        """
        The group of the job that the node is for: 0 the request's own, i that of components[i - 1]. (int)
        """

    def replace(self, *, node: int = ..., tasks: int = ..., cores: CoreSet = ..., threads_per_core: int = ..., row: int | None = ..., milli_cpus: int = ..., memory: Iterable[MemoryShare] = ..., devices: Iterable[DeviceShare] = ..., component: int = ...) -> NodePlacement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodePlacement: ...

    def __deepcopy__(self, memo: object) -> NodePlacement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def total_memory(self) -> int:
        """All domains together, in bytes."""

    def device_set(self) -> DeviceSet:
        """The devices, whatever the share."""

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> NodePlacement:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Placement:
    """
    What all nodes give, in the order of their ids, each node once; and the cluster as a whole.
    """

    def __init__(self, nodes: Iterable[NodePlacement] = (), cluster_counts: Iterable[ClusterCount] = ()) -> None: ...

    @property
    def nodes(self) -> tuple[NodePlacement, ...]:
        """each: NodePlacement"""

    @property
    def cluster_counts(self) -> tuple[ClusterCount, ...]:
        """each: ClusterCount"""

    def replace(self, *, nodes: Iterable[NodePlacement] = ..., cluster_counts: Iterable[ClusterCount] = ...) -> Placement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Placement: ...

    def __deepcopy__(self, memo: object) -> Placement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Placement:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Allocation:
    """A placement that somebody owns."""

    def __init__(self, owner: int = 0, request: Request = Request(), placement: Placement = Placement()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def request(self) -> Request:
        """what was asked (Request)"""

    @property
    def placement(self) -> Placement:
        """what was granted (Placement)"""

    def replace(self, *, owner: int = ..., request: Request = ..., placement: Placement = ...) -> Allocation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Allocation: ...

    def __deepcopy__(self, memo: object) -> Allocation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Allocation:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class TraceEvent:
    """A commit, release, refusal or step as a value and a printable line."""

    def __init__(self, kind: TraceEvent.Kind = TraceEvent.Kind.commit, owner: int = 0, subject: str = '', detail: str = '') -> None: ...

    class Kind(enum.Enum):
        """What happened."""

        def __str__(self) -> str: ...

        def __repr__(self) -> str: ...

        commit = 0

        release = 1

        refusal = 2

        step = 3

    @property
    def kind(self) -> TraceEvent.Kind:
        """TraceEvent.Kind"""

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def subject(self) -> str:
        """the node, or the group that a step works on; may be empty (str)"""

    @property
    def detail(self) -> str:
        """what was given, taken, refused or written (str)"""

    def replace(self, *, kind: TraceEvent.Kind = ..., owner: int = ..., subject: str = ..., detail: str = ...) -> TraceEvent:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TraceEvent: ...

    def __deepcopy__(self, memo: object) -> TraceEvent: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def threads_of(shape: NodeShape, placement: NodePlacement) -> PuSet:
    """
    The hardware threads that a node placement uses, as the kernel numbers them.
    """

def tres_of(shape: NodeShape, placement: NodePlacement) -> TresCounts:
    """
    What a node placement counts as: cpu (all threads of its cores), cpu_milli (the thousandths that
    it has beside them, where it has any), mem (bytes), and for each device `gres/<name>` and, when
    it has a type, `gres/<name>:<type>`, whether or not the type was asked for. A device of which
    only a part is taken counts not as a device but its shares under `gres/<name>_share`, an
    instance under `gres/<name>_slice` and `gres/<name>_slice:<profile>`. What is not consumed is
    not counted.
    """

@overload
def is_usable(shape: NodeShape, placement: NodePlacement) -> bool:
    """
    True when new work may get all devices of the placement: none has failed or is drained. What of
    the blocks that a node is split into can be had.
    """

@overload
def is_usable(node: Node) -> bool:
    """True when new work may go to the node."""

@overload
def is_usable(device: Device) -> bool:
    """True when new work may get the device."""

def capacity_of(shape: NodeShape) -> TresCounts:
    """
    What an idle node of this shape has to give, counted as tres_of does: without what is kept for
    the system, and without devices that failed or are drained. Its CPUs stand under cpu alone,
    though they can be had in thousandths too.
    """

@overload
def check(value: Slicing) -> None:
    """
    Ok when profiles are no larger than the device and have rising starts inside it, and the
    instances that exist are of known profiles at legal starts, by start, none over another, and not
    more than can exist at a time.
    Errors: InvalidArgument that names the first breach.
    """

@overload
def check(value: NodeShape) -> None:
    """
    Ok when the placement has cores, or thousandths of CPUs, and takes nothing that the shape lacks.
    Errors: InvalidArgument that names the first breach.
    """

@overload
def check(value: Network) -> None:
    """
    Ok when every topology is, and no two have the same name. That the nodes exist is for the
    cluster to say. Errors: InvalidArgument that names the topology and what is wrong in it.
    """

@overload
def check(value: Request) -> None:
    """
    Ok when a request can be meant: ranges run upwards, at least one node, one task and one CPU (or
    some thousandths of one), devices have a name, shares and counts per unit make sense, lists of
    counts rise, and components are such requests and say nothing that only the job can.
    Errors: InvalidArgument that names the field and what was expected.
    """

@overload
def check(value: Partition) -> None:
    """
    Ok when the limits can be met: a rising range of nodes that holds 1 or more, some CPU, at least
    one job a core, and a default time that is not above the longest.
    Errors: InvalidArgument that names partition and field.
    """

@overload
def check(value: Iterable[Fleet]) -> None:
    """
    Ok when no node is in two fleets and every fleet cuts into at least one block.
    Errors: InvalidArgument that names both fleets and the node.
    """

@overload
def check(user: ProcessUser) -> None:
    """
    Ok for numbers that the kernel can take. Errors: InvalidArgument that names what is wrong.
    """

@overload
def check(policy: MemoryPolicy) -> None:
    """
    Ok when the mode has the nodes that it is about. Errors: InvalidArgument.
    """

@overload
def check(settings: ProcessSettings) -> None:
    """
    Ok for settings that a kernel could take: whether this one does shows when a process is started.
    Errors: InvalidArgument that names the first bad setting.
    """

@overload
def check(policy: EndPolicy) -> None:
    """
    Ok when the signals exist. Errors: ValueError that names the one that does not.
    """

@overload
def check(policy: LimitPolicy) -> None:
    """
    Ok when the kernel could take every number of the policy. Errors: ValueError.
    """

@overload
def check(shape: NodeShape, placement: NodePlacement) -> None:
    """
    Ok when the placement has cores and takes nothing that the shape lacks. Errors: ValueError.
    """

def is_available(offer: Offer) -> bool:
    """True when the offer may be taken now."""

class SlicePotential:
    """
    How many more instances of each profile, alone, a device could still give: by rank, which counts
    profiles from the largest down (memory slices, then compute slices, then name). More at the
    first rank that differs is better. Those of several devices add up rank by rank, whatever their
    geometries; what a pick costs is a difference, and may be negative.
    """

    def __init__(self, counts: Iterable[int] = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    @property
    def counts(self) -> tuple[int, ...]:
        """By rank (each: int)"""

    def __lt__(self, arg: SlicePotential, /) -> bool: ...

    def __le__(self, arg: SlicePotential, /) -> bool: ...

    def __gt__(self, arg: SlicePotential, /) -> bool: ...

    def __ge__(self, arg: SlicePotential, /) -> bool: ...

    def __add__(self, arg: SlicePotential, /) -> SlicePotential: ...

    def __sub__(self, arg: SlicePotential, /) -> SlicePotential: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

class SliceArrangement:
    """Where the instances lie that were wanted of one device."""

    def __init__(self, instances: Iterable[SliceInstance] = (), changes: int = 0, potential: SlicePotential = SlicePotential([])) -> None: ...

    @property
    def instances(self) -> tuple[SliceInstance, ...]:
        """the i-th answers the i-th wanted (each: SliceInstance)"""

    @property
    def changes(self) -> int:
        """instances made and idle ones removed for them (int)"""

    @property
    def potential(self) -> SlicePotential:
        """of the device when they are held (SlicePotential)"""

    def replace(self, *, instances: Iterable[SliceInstance] = ..., changes: int = ..., potential: SlicePotential = ...) -> SliceArrangement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SliceArrangement: ...

    def __deepcopy__(self, memo: object) -> SliceArrangement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SliceChanges:
    """What a tool does to a device before it hands instances out, by start."""

    def __init__(self, destroy: Iterable[SliceInstance] = (), create: Iterable[SliceInstance] = ()) -> None: ...

    @property
    def destroy(self) -> tuple[SliceInstance, ...]:
        """first (each: SliceInstance)"""

    @property
    def create(self) -> tuple[SliceInstance, ...]:
        """each: SliceInstance"""

    def replace(self, *, destroy: Iterable[SliceInstance] = ..., create: Iterable[SliceInstance] = ...) -> SliceChanges:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SliceChanges: ...

    def __deepcopy__(self, memo: object) -> SliceChanges: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def instances_possible(slicing: Slicing, held: Iterable[SliceInstance], profile: str) -> int:
    """
    How many more instances of the profile of that name, and no others, a device can give of which
    `held` is taken; 0 where there is no such profile. Requires: as SliceSpace.
    """

def slice_potential(slicing: Slicing, held: Iterable[SliceInstance]) -> SlicePotential:
    """
    What a device can still give of which `held` is taken. Requires: as SliceSpace.
    """

def arrange_slices(slicing: Slicing, held: Iterable[SliceInstance], wanted: Iterable[str]) -> SliceArrangement | None:
    """
    The best arrangement of one instance of each profile in `wanted` beside what is held; None where there is none. Best is: fewest changes; then the greatest potential; then the lowest starts.
    """

def slice_changes(slicing: Slicing, held: Iterable[SliceInstance], taken: Iterable[SliceInstance]) -> SliceChanges:
    """
    What a tool has to change before `taken` can be handed out beside `held`.
    Requires: as SliceSpace; `taken` is what arrange_slices gave.
    """

def geometry_after(slicing: Slicing, held: Iterable[SliceInstance], taken: Iterable[SliceInstance]) -> tuple[SliceInstance, ...]:
    """
    What the device is cut into after these changes, by start: `held`, `taken`, and what may stay of
    the idle instances. Those that lie under others go; of the rest, those with the fewest compute
    slices stay, then the lowest, as far as compute slices and instances_max reach.
    Requires: as slice_changes.
    """

class RowCores:
    """Cores that an owner has in one row of a partition that shares."""

    def __init__(self, row: int = 0, cores: CoreSet = CoreSet()) -> None: ...

    @property
    def row(self) -> int:
        """int"""

    @property
    def cores(self) -> CoreSet:
        """CoreSet"""

    def replace(self, *, row: int = ..., cores: CoreSet = ...) -> RowCores:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RowCores: ...

    def __deepcopy__(self, memo: object) -> RowCores: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Holding:
    """Shares are sorted and never zero, rows sorted and not empty."""

    def __init__(self, owner: int = 0, cores: CoreSet = CoreSet(), rows: Iterable[RowCores] = (), milli_cpus: int = 0, memory: Iterable[MemoryShare] = (), devices: Iterable[DeviceShare] = ()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def cores(self) -> CoreSet:
        """the owner's alone (CoreSet)"""

    @property
    def rows(self) -> tuple[RowCores, ...]:
        """others may have them in other rows (each: RowCores)"""

    @property
    def milli_cpus(self) -> int:
        """of cores that nobody has (int, thousandths of a hardware thread)"""

    @property
    def memory(self) -> tuple[MemoryShare, ...]:
        """each: MemoryShare"""

    @property
    def devices(self) -> tuple[DeviceShare, ...]:
        """each: DeviceShare"""

    def replace(self, *, owner: int = ..., cores: CoreSet = ..., rows: Iterable[RowCores] = ..., milli_cpus: int = ..., memory: Iterable[MemoryShare] = ..., devices: Iterable[DeviceShare] = ...) -> Holding:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Holding: ...

    def __deepcopy__(self, memo: object) -> Holding: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_empty(self) -> bool:
        """True when the owner has nothing."""

    def cores_in(self, row: int | None | None) -> CoreSet:
        """
        The cores in that row; without a row, those that are the owner's alone.
        """

    def all_cores(self) -> CoreSet:
        """Cores in any row, and alone."""

    def bytes_of(self, domain: int) -> int:
        """Bytes of a memory domain."""

    def shares_of(self, device: int, slice: SliceInstance | None | None = None) -> int:
        """Shares of the uncut device, or 1 for an instance of it that is held."""

class HeldSlice:
    """An instance of a device that somebody has."""

    def __init__(self, device: int = 0, instance: SliceInstance = SliceInstance()) -> None: ...

    @property
    def device(self) -> int:
        """int, position of a device"""

    @property
    def instance(self) -> SliceInstance:
        """SliceInstance"""

    def replace(self, *, device: int = ..., instance: SliceInstance = ...) -> HeldSlice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HeldSlice: ...

    def __deepcopy__(self, memo: object) -> HeldSlice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FreeState:
    """What a node has left, unit by unit."""

    def __init__(self, cores: CoreSet = CoreSet(), rows: Iterable[RowCores] = (), milli_cpus: int = 0, memory: Iterable[int] = (), shares: Iterable[int] = (), slices: Iterable[HeldSlice] = (), is_idle: bool = True) -> None: ...

    @property
    def cores(self) -> CoreSet:
        """that nobody has (CoreSet)"""

    @property
    def rows(self) -> tuple[RowCores, ...]:
        """taken in each row; rows without cores are left out (each: RowCores)"""

    @property
    def milli_cpus(self) -> int:
        """
        taken of the threads of `cores`, by all owners together (int, thousandths of a hardware thread)
        """

    @property
    def memory(self) -> tuple[int, ...]:
        """free, by DomainId (each: int, bytes)"""

    @property
    def shares(self) -> tuple[int, ...]:
        """
        Free of the uncut device, by DeviceId; none while an instance of it is held. (each: int, a count)
        """

    @property
    def slices(self) -> tuple[HeldSlice, ...]:
        """by device, then start (each: HeldSlice)"""

    @property
    def is_idle(self) -> bool:
        """nobody has anything (bool)"""

    def replace(self, *, cores: CoreSet = ..., rows: Iterable[RowCores] = ..., milli_cpus: int = ..., memory: Iterable[int] = ..., shares: Iterable[int] = ..., slices: Iterable[HeldSlice] = ..., is_idle: bool = ...) -> FreeState:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FreeState: ...

    def __deepcopy__(self, memo: object) -> FreeState: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def cores_in(self, row: int) -> CoreSet:
        """
        The cores that an owner in `row` could get: those that nobody has, and those that others
        have in other rows only.
        """

    def slices_of(self, device: int) -> tuple[SliceInstance, ...]:
        """The held instances of one device, by start."""

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> FreeState:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class NodeUsage:
    """
    What is taken on one node, and by whom, unit by unit. Changes: take and give_back; after an error it is what it was.
    """

    def __init__(self, shape: NodeShape) -> None:
        """Nothing taken of `shape`."""

    def free(self) -> FreeState:
        """What is left, which is all that a decision looks at."""

    def free_cores(self, row: int | None | None = None) -> CoreSet:
        """
        The cores that nobody has; with a row, also those that others have in other rows only.
        """

    def free_milli_cpus(self) -> int:
        """
        Thousandths of CPUs that nobody has, neither in thousandths nor as cores.
        """

    def free_memory(self, domain: int) -> int:
        """Free bytes of a memory domain, which has to exist."""

    def free_shares(self, device: int) -> int:
        """
        Shares of the uncut device that nobody has; none while an instance of it is held.
        Requires: the device exists.
        """

    def held_slices(self, device: int) -> tuple[SliceInstance, ...]:
        """The instances of the device that somebody has, by start."""

    def holdings(self) -> tuple[Holding, ...]:
        """By owner, none of them empty."""

    def is_idle(self) -> bool:
        """True when nobody has anything."""

    def owner_of_core(self, core: int) -> int | None:
        """
        Who has the core, the lowest of several; nothing when it is free. Complexity: linear in the
        owners.
        """

    def owner_of_device(self, device: int) -> int | None:
        """
        An owner with a share or an instance of the device, the lowest one; nothing when it is free.
        """

    def take(self, placement: NodePlacement, owner: int) -> None:
        """
        Gives what `placement` names to `owner`, in addition to what the owner has.
        Errors: InvalidArgument for a unit that does not exist, stands twice or out of order;
        FailedPrecondition, naming the unit and its owner, for one that is not free, and for cores
        whose CPUs others have in thousandths. Nothing changes then.
        """

    def give_back(self, placement: NodePlacement, owner: int) -> None:
        """
        Takes what `placement` names back from `owner`.
        Errors: InvalidArgument for a unit that does not exist, stands twice or out of order;
        FailedPrecondition, naming the unit and who has it, for one that `owner` does not have.
        Nothing changes then.
        """

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __copy__(self) -> NodeUsage: ...

    def __deepcopy__(self, memo: object) -> NodeUsage: ...

class NodePart:
    """
    Which part of a job a node takes: the `index`-th of `nodes`. Tasks and counts per job are split
    evenly; what is left over goes to the first nodes, one each.
    """

    def __init__(self, index: int = 0, nodes: int = 1) -> None: ...

    @property
    def index(self) -> int:
        """int"""

    @property
    def nodes(self) -> int:
        """int"""

    def replace(self, *, index: int = ..., nodes: int = ...) -> NodePart:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodePart: ...

    def __deepcopy__(self, memo: object) -> NodePart: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceDemand:
    """A number of devices with the properties of `request`."""

    def __init__(self, request: DeviceRequest = DeviceRequest(), count: int | Range[int] = Range(), sockets: int = 0) -> None: ...

    @property
    def request(self) -> DeviceRequest:
        """DeviceRequest"""

    @property
    def count(self) -> Range[int]:
        """on this node (a Range of: int, a count)"""

    @property
    def sockets(self) -> int:
        """
        Counted per socket: on exactly so many packages lie devices, on each of them as many as the
        request says. 0: wherever they lie. (int, a count)
        """

    def replace(self, *, request: DeviceRequest = ..., count: int | Range[int] = ..., sockets: int = ...) -> DeviceDemand:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceDemand: ...

    def __deepcopy__(self, memo: object) -> DeviceDemand: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeDemand:
    """
    Counts that are 0 say nothing, but for tasks, cpus_per_task, milli_cpus and memory.
    """

    def __init__(self, tasks: int = 1, cpus_per_task: int = 1, milli_cpus: int = 0, threads_per_core: int = 0, tasks_per_core: int = 0, tasks_per_socket: int = 0, sockets_per_node: int = 0, cores_per_socket: int = 0, core_locality: Locality = Locality.prefer, core_level: HardwareLevel = HardwareLevel.numa, distribution: Distribution = Distribution.block, plane_size: int = 1, system_cores: int = 0, memory: int = 0, memory_per: Per = Per.node, memory_locality: Locality = Locality.prefer, memory_level: HardwareLevel | None = None, devices: Iterable[DeviceDemand] = (), cpus_per_device: int = 0, exclusivity: Exclusivity = Exclusivity.shared) -> None: ...

    @property
    def tasks(self) -> int:
        """int, a count"""

    @property
    def cpus_per_task(self) -> int:
        """int, a count"""

    @property
    def milli_cpus(self) -> int:
        """
        for each task, of CPUs of cores that nobody has (int, thousandths of a hardware thread)
        """

    @property
    def threads_per_core(self) -> int:
        """int, a count"""

    @property
    def tasks_per_core(self) -> int:
        """int, a count"""

    @property
    def tasks_per_socket(self) -> int:
        """int, a count"""

    @property
    def sockets_per_node(self) -> int:
        """int, a count"""

    @property
    def cores_per_socket(self) -> int:
        """int, a count"""

    @property
    def core_locality(self) -> Locality:
        """Locality"""

    @property
    def core_level(self) -> HardwareLevel:
        """HardwareLevel"""

    @property
    def distribution(self) -> Distribution:
        """over the packages (Distribution)"""

    @property
    def plane_size(self) -> int:
        """int, a count"""

    @property
    def system_cores(self) -> int:
        """int, a count"""

    @property
    def memory(self) -> int:
        """counted per `memory_per` (int, bytes)"""

    @property
    def memory_per(self) -> Per:
        """Per"""

    @property
    def memory_locality(self) -> Locality:
        """Locality"""

    @property
    def memory_level(self) -> HardwareLevel | None:
        """HardwareLevel, or None"""

    @property
    def devices(self) -> tuple[DeviceDemand, ...]:
        """each: DeviceDemand"""

    @property
    def cpus_per_device(self) -> int:
        """for each device of the first demand's name (int, a count)"""

    @property
    def exclusivity(self) -> Exclusivity:
        """Exclusivity"""

    def replace(self, *, tasks: int = ..., cpus_per_task: int = ..., milli_cpus: int = ..., threads_per_core: int = ..., tasks_per_core: int = ..., tasks_per_socket: int = ..., sockets_per_node: int = ..., cores_per_socket: int = ..., core_locality: Locality = ..., core_level: HardwareLevel = ..., distribution: Distribution = ..., plane_size: int = ..., system_cores: int = ..., memory: int = ..., memory_per: Per = ..., memory_locality: Locality = ..., memory_level: HardwareLevel | None = ..., devices: Iterable[DeviceDemand] = ..., cpus_per_device: int = ..., exclusivity: Exclusivity = ...) -> NodeDemand:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeDemand: ...

    def __deepcopy__(self, memo: object) -> NodeDemand: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def cpus(self) -> int:
        """
        Hardware threads for all tasks together; the largest Count where they are more.
        """

    def all_milli_cpus(self) -> int:
        """
        Thousandths of CPUs for all tasks together; the largest MilliCpu where they are more.
        """

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> NodeDemand:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def cpus_of_task(request: Request) -> int:
    """
    Hardware threads that each task gets at the least: one, but where thousandths of CPUs alone are
    asked.
    """

def demand_of(request: Request, part: NodePart, sockets: int) -> NodeDemand:
    """
    What a node with this number of packages gives as its part of `request`.
    Requires: check(request) is ok; 0 <= part.index < part.nodes.
    """

def mismatch(device: Device, request: DeviceRequest) -> str | None:
    """
    The name of the first property in which `device` is not what `request` wants; nothing when it
    is. Health and drain marks are not looked at.
    """

def passes(device: Device, test: AttributeTest) -> bool:
    """True when the device's attribute passes the test."""

def cpus_per_core(shape: NodeShape) -> int:
    """
    CPUs that one core counts for: the fewest threads of any core that is given to work; 1 on a node
    without such cores.
    """

class WarningUse(enum.Enum):
    """
    When devices with Health::warning are chosen. last: only where healthy ones do not do.
    Devices that failed or are drained are never chosen; unknown health counts as healthy.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    last = 0

    alike = 1

    never = 2

class FitOptions:
    """
    How much work a search on one node may be, and what a site lets it choose.
    """

    def __init__(self, steps_max: int = 1000000, warning: WarningUse = WarningUse.last, rows: int = 1) -> None: ...

    @property
    def steps_max(self) -> int:
        """
        Work budget: a step is one subset of devices, of instances or of groups of cores. (int)
        """

    @property
    def warning(self) -> WarningUse:
        """WarningUse"""

    @property
    def rows(self) -> int:
        """
        Owners that may share a core (a partition's OverSubscribe), each in a row of its own: the
        first row in which the demand fits is taken. 0 and 1: cores are not shared. (int)
        """

    def replace(self, *, steps_max: int = ..., warning: WarningUse = ..., rows: int = ...) -> FitOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FitOptions: ...

    def __deepcopy__(self, memo: object) -> FitOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def fit(shape: NodeShape, usage: NodeUsage, demand: NodeDemand, options: FitOptions = ...) -> NodePlacement | Refusal:
    """
    The best placement of `demand` on a node of this shape and usage; its `node` is id 0.

    Best is, the first difference decides: the lowest row; counts of devices as preferred, in the
    order of the demands; fewest devices with a warning; fewest pairs of a core and a device far
    from it (demands with locality ignore do not count); fewest devices that are to lie below one
    switch with a device of an earlier demand and do not; least memory far from the cores; fewest
    groups of the core level; fewest untouched devices that would be given in part; fewest instances
    to make or remove, then the greatest potential for further ones; strongest links between the
    devices, in sum, then at the weakest pair of one name, then between the untouched devices that
    remain; lowest devices; lowest cores; lowest devices for the first demand, then for the second.
    What is required only rules out.

    Tasks that are dealt out to packages, or limited per socket, fix how many cores each package
    gives: packages near the chosen devices are dealt to first, then the lowest. Memory comes from
    the domains near the cores first, then from those at the least distance of one of these; among
    equals DRAM before fast memory, then the lowest (where nearness is ignored, all are equals).
    Other kinds of memory are never given. A demand that asks for no core gets none, and nothing is
    far from it.

    CPUs in thousandths are no cores' in particular: what is taken so, by others and now, is left in
    threads of cores that nobody has. A whole node gives them with its cores.

    Requires: check(shape) is ok, `usage` belongs to `shape`.
    A Refusal names what lacks; Constraint::gave_up says that the budget ended first, never a wrong
    no. Complexity: subsets of device classes times subsets of groups of cores, within the budget.
    """

class FitCache:
    """
    The answers of fit() for one demand on one shape, remembered by what is free.

    No value: it cannot be copied, and changes when it is asked.
    """

    def __init__(self, shape: NodeShape, demand: NodeDemand, options: FitOptions = ..., answers_max: int = 65536) -> None:
        """
        Remembers at most `answers_max` answers; when there are more it starts anew. With 0 every
        answer is worked out, from a demand that is prepared all the same.
        Requires: check(*shape) is ok.
        """

    def shape(self) -> NodeShape:
        """The shape that it was made for."""

    def demand(self) -> NodeDemand:
        """The demand that it was made for."""

    def size(self) -> int:
        """Answers that are remembered."""

    def __len__(self) -> int: ...

    def fit(self, state: FreeState) -> NodePlacement | Refusal:
        """
        What fit() says for any usage whose free() is `state`. Requires: `state` is of a node of the shape.
        """

class Removal:
    """What one constraint takes away of what the node has of one subject."""

    def __init__(self, constraint: Constraint = Constraint.none, subject: str = '', reason: str = '', before: int = 0, left: int = 0, asked: int = 0) -> None: ...

    @property
    def constraint(self) -> Constraint:
        """Constraint"""

    @property
    def subject(self) -> str:
        """
        `cores`, `milli_cpus`, `memory` (in bytes), or the name of devices, `gpu (2)` for the second
        demand of one name. Instances and shares in all are counted by themselves: `gpu 3g.20gb`,
        `gpu shares`. (str)
        """

    @property
    def reason(self) -> str:
        """`type a100`, `failed: gpu 3`, `held by owner 7` (str)"""

    @property
    def before(self) -> int:
        """int, a count"""

    @property
    def left(self) -> int:
        """less than before (int, a count)"""

    @property
    def asked(self) -> int:
        """at least (int, a count)"""

    def replace(self, *, constraint: Constraint = ..., subject: str = ..., reason: str = ..., before: int = ..., left: int = ..., asked: int = ...) -> Removal:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Removal: ...

    def __deepcopy__(self, memo: object) -> Removal: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Condition:
    """
    A part of a demand that can be taken by itself: `8 gpu`, `64GiB of memory`.
    """

    def __init__(self, constraint: Constraint = Constraint.none, text: str = '') -> None: ...

    @property
    def constraint(self) -> Constraint:
        """Constraint"""

    @property
    def text(self) -> str:
        """str"""

    def replace(self, *, constraint: Constraint = ..., text: str = ...) -> Condition:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Condition: ...

    def __deepcopy__(self, memo: object) -> Condition: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ChangeKind(enum.Enum):
    """What a relaxation changes, nearest first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    nearness = 0
    """where things lie; amounts and kinds stay"""

    properties = 1
    """which devices will do"""

    amount = 2
    """how much of one thing"""

    exclusivity = 3
    """whether others may be on the node"""

    several = 4
    """more than one of the above; only where no single one is enough"""

    repair = 5
    """devices that failed or are drained come back"""

    waiting = 6
    """owners end"""

class Relaxation:
    """A change after which the node says yes, and what it gives then."""

    def __init__(self, kind: ChangeKind = ChangeKind.nearness, text: str = '', demand: NodeDemand = NodeDemand(), options: FitOptions = FitOptions(), repaired: Iterable[int] = (), ended: Iterable[int] = (), placement: NodePlacement = NodePlacement()) -> None: ...

    @property
    def kind(self) -> ChangeKind:
        """ChangeKind"""

    @property
    def text(self) -> str:
        """`7 gpu instead of 8`, `when owner 7 ends` (str)"""

    @property
    def demand(self) -> NodeDemand:
        """as it is after the change (NodeDemand)"""

    @property
    def options(self) -> FitOptions:
        """likewise (FitOptions)"""

    @property
    def repaired(self) -> tuple[int, ...]:
        """that are usable then (each: int, position of a device)"""

    @property
    def ended(self) -> tuple[int, ...]:
        """who have nothing then (each: int, the caller's number of an owner)"""

    @property
    def placement(self) -> NodePlacement:
        """
        What fit() gives then; a possible one where it would give up, as it may on devices with many
        links. (NodePlacement)
        """

    def replace(self, *, kind: ChangeKind = ..., text: str = ..., demand: NodeDemand = ..., options: FitOptions = ..., repaired: Iterable[int] = ..., ended: Iterable[int] = ..., placement: NodePlacement = ...) -> Relaxation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Relaxation: ...

    def __deepcopy__(self, memo: object) -> Relaxation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FitExplanation:
    """What a node says to a demand, and why."""

    def __init__(self, fits: bool = False, why: Refusal = Refusal(), removed: Iterable[Removal] = (), alone: Condition | None = None, together: Iterable[Condition] = (), relaxations: Iterable[Relaxation] = (), is_complete: bool = True) -> None: ...

    @property
    def fits(self) -> bool:
        """what fit() says (bool)"""

    @property
    def why(self) -> Refusal:
        """what fit() says when it does not fit (Refusal)"""

    @property
    def removed(self) -> tuple[Removal, ...]:
        """devices, demand by demand, then CPUs, then memory (each: Removal)"""

    @property
    def alone(self) -> Condition | None:
        """
        The first condition that the node cannot meet even if nothing else is asked. (Condition, or None)
        """

    @property
    def together(self) -> tuple[Condition, ...]:
        """
        Where there is none: conditions that the node cannot meet at once, though it can as soon as
        any one of them is dropped. (each: Condition)
        """

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """nearest first (each: Relaxation)"""

    @property
    def is_complete(self) -> bool:
        """
        False when the budget ended before all questions were answered: what stands here is true,
        but something may be missing. (bool)
        """

    def replace(self, *, fits: bool = ..., why: Refusal = ..., removed: Iterable[Removal] = ..., alone: Condition | None = ..., together: Iterable[Condition] = ..., relaxations: Iterable[Relaxation] = ..., is_complete: bool = ...) -> FitExplanation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FitExplanation: ...

    def __deepcopy__(self, memo: object) -> FitExplanation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> FitExplanation:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def explain_fit(shape: NodeShape, usage: NodeUsage, demand: NodeDemand, options: FitOptions = ...) -> FitExplanation:
    """
    What fit() says, and why.

    Removals: for each demand for devices name, type, vendor, model, memory, compute capability,
    attributes; then health, drain mark, warning; how it can be shared or cut; who has it; switches.
    For cores what the system keeps, who has them (in the row with the most free ones), threads,
    cores_per_socket, devices that they are reserved for, nearness, who has CPUs in thousandths. For
    these likewise what the system keeps, who has the cores, who has thousandths. For memory what
    the system keeps, who has it, nearness. Steps that remove nothing and subjects of which nothing
    is asked are left out.

    Relaxations: changes of one thing after which it fits, in the order of ChangeKind; amounts by
    the share of what was asked that is lost, least first; equal ones in the order of the demand. An
    amount is as large as it can be, memory in round steps, each about a thousandth or less. Where
    no one change of the demand is enough, one combination of which nothing can be left out. Devices
    and owners: each that is enough by itself, else one group of which none can be left out, of the
    first 32.

    Where fit() gave up nothing is explained but what was removed.
    Requires: check(shape) is ok, `usage` belongs to `shape`. Complexity: fit(), and at most 256
    further questions to it, each with a 64th of `steps_max`; see FitExplanation::is_complete.
    """

class RegistrationIssue(enum.Enum):
    """What the report and the description do not agree about."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    cores = 0

    cpus = 1
    """of the cores that both have"""

    memory = 2

    disk = 3

    device_count = 4

    device_shares = 5
    """of the devices that both have"""

    device_type = 6

    device_file = 7

class Consequence(enum.Enum):
    """What follows from a finding, the mildest first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    ignore = 0
    """there is more than described; nobody is given it"""

    drain = 1
    """
    something is missing that nobody has: no new work until description or machine are mended
    """

    refuse = 2
    """
    something that an owner has is gone or changed: what the description says has to stand until that owner has ended
    """

class RegistrationFinding:
    """One difference."""

    def __init__(self, issue: RegistrationIssue = RegistrationIssue.cores, consequence: Consequence = Consequence.ignore, device: str = '', described: str = '', reported: str = '', owners: Iterable[int] = ()) -> None: ...

    @property
    def issue(self) -> RegistrationIssue:
        """RegistrationIssue"""

    @property
    def consequence(self) -> Consequence:
        """Consequence"""

    @property
    def device(self) -> str:
        """name of the devices; empty where it is not about devices (str)"""

    @property
    def described(self) -> str:
        """count, bytes, type or path (str)"""

    @property
    def reported(self) -> str:
        """the same; empty when there is none (str)"""

    @property
    def owners(self) -> tuple[int, ...]:
        """
        who has what is gone or changed, rising (each: int, the caller's number of an owner)
        """

    def replace(self, *, issue: RegistrationIssue = ..., consequence: Consequence = ..., device: str = ..., described: str = ..., reported: str = ..., owners: Iterable[int] = ...) -> RegistrationFinding:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RegistrationFinding: ...

    def __deepcopy__(self, memo: object) -> RegistrationFinding: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> RegistrationFinding:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def check_registration(described: NodeShape, reported: NodeShape, usage: NodeUsage) -> tuple[RegistrationFinding, ...]:
    """
    What differs between a node's description and what the machine reports: cores, CPUs of the cores
    that both have, memory and disk, then for each name of devices their number and the shares of
    those that both have, then for each described device that is there its type and files. Cores and
    devices are the same when their numbers are: core 3 is core 3, gpu 1 is gpu 1. Shares are not
    compared where all devices of a name are reported with one share, as os::discover does, for
    hardware knows nothing of parts. Less memory than owners have together concerns all of these.
    Nothing for a machine as described.
    Requires: `usage` is of a node of the shape `described`.
    Complexity: devices times devices.
    """

def worst_of(findings: Iterable[RegistrationFinding]) -> Consequence:
    """The worst of what follows; ignore when nothing was found."""

class ClusterParts:
    """What a cluster is made of."""

    def __init__(self, nodes: Iterable[Node] = (), network: Network = Network(), partitions: Iterable[Partition] = (), fleets: Iterable[Fleet] = (), counts: Iterable[ClusterCount] = ()) -> None: ...

    @property
    def nodes(self) -> tuple[Node, ...]:
        """by NodeId; names differ (each: Node)"""

    @property
    def network(self) -> Network:
        """Network"""

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """each: Partition"""

    @property
    def fleets(self) -> tuple[Fleet, ...]:
        """each: Fleet"""

    @property
    def counts(self) -> tuple[ClusterCount, ...]:
        """
        licences and the like: all there are, sorted by name (each: ClusterCount)
        """

    def replace(self, *, nodes: Iterable[Node] = ..., network: Network = ..., partitions: Iterable[Partition] = ..., fleets: Iterable[Fleet] = ..., counts: Iterable[ClusterCount] = ...) -> ClusterParts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterParts: ...

    def __deepcopy__(self, memo: object) -> ClusterParts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> ClusterParts:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class NameRun:
    """
    Nodes that follow each other in ids and in names: prefix, then a number that counts up.
    """

    def __init__(self, first_node: int = 0, count: int = 0, prefix: str = '', first_number: int = 0, digits: int = 0) -> None: ...

    @property
    def first_node(self) -> int:
        """int"""

    @property
    def count(self) -> int:
        """int"""

    @property
    def prefix(self) -> str:
        """str"""

    @property
    def first_number(self) -> int:
        """int"""

    @property
    def digits(self) -> int:
        """numbers have at least so many; 0: the name is the prefix alone (int)"""

    def replace(self, *, first_node: int = ..., count: int = ..., prefix: str = ..., first_number: int = ..., digits: int = ...) -> NameRun:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NameRun: ...

    def __deepcopy__(self, memo: object) -> NameRun: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeKind:
    """
    What nodes have in common but their partitions: a Node without its name.
    """

    def __init__(self, shape: int = 0, features: Iterable[str] = (), weight: int = 1, state: NodeState = NodeState.up, health: Health = Health.healthy) -> None: ...

    @property
    def shape(self) -> int:
        """position in ClusterOutline::shapes (int)"""

    @property
    def features(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def weight(self) -> int:
        """int"""

    @property
    def state(self) -> NodeState:
        """NodeState"""

    @property
    def health(self) -> Health:
        """Health"""

    def replace(self, *, shape: int = ..., features: Iterable[str] = ..., weight: int = ..., state: NodeState = ..., health: Health = ...) -> NodeKind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeKind: ...

    def __deepcopy__(self, memo: object) -> NodeKind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeRun:
    """Nodes of one kind that follow each other."""

    def __init__(self, kind: int = 0, count: int = 0) -> None: ...

    @property
    def kind(self) -> int:
        """position in ClusterOutline::kinds (int)"""

    @property
    def count(self) -> int:
        """int"""

    def replace(self, *, kind: int = ..., count: int = ...) -> NodeRun:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeRun: ...

    def __deepcopy__(self, memo: object) -> NodeRun: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterOutline:
    """
    ClusterParts in short. Shapes and kinds differ from each other and stand in the order of their
    first node.
    """

    def __init__(self, names: Iterable[NameRun] = (), shapes: Iterable[NodeShape] = (), kinds: Iterable[NodeKind] = (), nodes: Iterable[NodeRun] = (), network: Network = Network(), partitions: Iterable[Partition] = (), fleets: Iterable[Fleet] = (), counts: Iterable[ClusterCount] = ()) -> None: ...

    @property
    def names(self) -> tuple[NameRun, ...]:
        """each: NameRun"""

    @property
    def shapes(self) -> tuple[NodeShape, ...]:
        """each: NodeShape"""

    @property
    def kinds(self) -> tuple[NodeKind, ...]:
        """each: NodeKind"""

    @property
    def nodes(self) -> tuple[NodeRun, ...]:
        """each: NodeRun"""

    @property
    def network(self) -> Network:
        """Network"""

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """each: Partition"""

    @property
    def fleets(self) -> tuple[Fleet, ...]:
        """each: Fleet"""

    @property
    def counts(self) -> tuple[ClusterCount, ...]:
        """each: ClusterCount"""

    def replace(self, *, names: Iterable[NameRun] = ..., shapes: Iterable[NodeShape] = ..., kinds: Iterable[NodeKind] = ..., nodes: Iterable[NodeRun] = ..., network: Network = ..., partitions: Iterable[Partition] = ..., fleets: Iterable[Fleet] = ..., counts: Iterable[ClusterCount] = ...) -> ClusterOutline:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterOutline: ...

    def __deepcopy__(self, memo: object) -> ClusterOutline: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeClass:
    """All that nodes of one kind have in common."""

    def __init__(self, shape: NodeShape = NodeShape(), features: Iterable[str] = (), weight: int = 1, state: NodeState = NodeState.up, health: Health = Health.healthy, partitions: Iterable[int] = ()) -> None: ...

    @property
    def shape(self) -> NodeShape:
        """NodeShape"""

    @property
    def features(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def weight(self) -> int:
        """int"""

    @property
    def state(self) -> NodeState:
        """NodeState"""

    @property
    def health(self) -> Health:
        """Health"""

    @property
    def partitions(self) -> tuple[int, ...]:
        """positions among the cluster's, rising (each: int)"""

    def replace(self, *, shape: NodeShape = ..., features: Iterable[str] = ..., weight: int = ..., state: NodeState = ..., health: Health = ..., partitions: Iterable[int] = ...) -> NodeClass:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeClass: ...

    def __deepcopy__(self, memo: object) -> NodeClass: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Cluster:
    """
    Nodes, what they are connected by, and who has what.

    A copy is independent of the original, and cheap.
    """

    def __init__(self) -> None:
        """A cluster without nodes."""

    @staticmethod
    def create(parts: ClusterParts) -> Cluster:
        """
        An idle cluster. Errors: InvalidArgument for two nodes of one name, a shape that check()
        refuses, a node in two fleets, a network, partition or fleet that names an absent node.
        Complexity: linear in the nodes.
        """

    @staticmethod
    def from_outline(outline: ClusterOutline) -> Cluster:
        """
        The same of nodes as ranges. Errors: those of create(), and runs that do not go together.
        Complexity: linear in the nodes, but a node costs little.
        """

    @staticmethod
    def from_text(text: str) -> Cluster:
        """
        The idle cluster that a line describes, as `64 x (2s16c2t mem=512G gpu:4) 4 per switch`; see trestle.testing. Errors: ValueError.
        """

    def trial(self) -> Trial:
        """
        `with x.trial() as trial:` undoes at the end of the block what happened to x in it, unless trial.keep() was called. Without a `with` nothing begins, and nothing is undone.
        """

    def parts(self) -> ClusterParts:
        """
        What create() would make this cluster of, but for what is allocated.
        Complexity: linear in the nodes.
        """

    def outline(self) -> ClusterOutline:
        """The same in short, with nodes as ranges."""

    def node_count(self) -> int:
        """Numbers of nodes below this; those of removed nodes stay."""

    def node(self, id: int) -> Node:
        """The node, which has to exist."""

    def name(self, id: int) -> str:
        """Empty for a node that was removed. Requires: the node exists."""

    def class_of(self, id: int) -> NodeClass:
        """What the node has in common with others. Requires: the node exists."""

    def find_node(self, name: str) -> int | None:
        """
        The node called `name`, or nothing. Complexity: logarithmic in the ranges of names.
        """

    def network(self) -> Network:
        """How the nodes are connected."""

    def partitions(self) -> tuple[Partition, ...]:
        """Sets of nodes with limits, which may overlap."""

    def fleets(self) -> tuple[Fleet, ...]:
        """Sets of nodes that do not overlap."""

    def counts(self) -> tuple[ClusterCount, ...]:
        """Licences and the like: all there are, and what of them nobody has."""

    def free_counts(self) -> tuple[ClusterCount, ...]:
        """What nobody has of the licences and the like."""

    def free(self, id: int) -> FreeState:
        """What is left of a node. Requires: the node exists."""

    def usage(self, id: int) -> NodeUsage:
        """
        Who has what of a node. Requires: the node exists. Complexity: linear in its owners.
        """

    def owners_on(self, id: int) -> tuple[int, ...]:
        """The owners on a node, rising. Requires: the node exists."""

    def allocations(self) -> tuple[Allocation, ...]:
        """All allocations, by owner."""

    def allocation_count(self) -> int:
        """How many owners have something."""

    def find_allocation(self, owner: int) -> Allocation | None:
        """What the owner has, or None."""

    def commit(self, allocation: Allocation, sink: Callable[[TraceEvent], None] | None = None) -> None:
        """
        Gives the allocation's placement to its owner. The sink of this and of the releases hears
        one event a node, or one refusal, when all is done. Errors: FailedPrecondition when the
        owner has an allocation already, or a unit is not free (the message names node, unit and
        owner); InvalidArgument for nodes or units that do not exist or stand twice. Nothing changes
        then.
        """

    def adopt(self, owner: int, placement: Placement, sink: Callable[[TraceEvent], None] | None = None) -> None:
        """
        Enters what runs already, as after a restart or by another's decision: commit() of a
        placement that nobody asked for here.
        """

    def extend(self, owner: int, more: Placement, sink: Callable[[TraceEvent], None] | None = None) -> None:
        """
        Gives the owner more, beside what it has, on the same nodes or on others; tasks add up.
        Errors: NotFound when the owner has nothing; FailedPrecondition for cores of another row,
        other threads_per_core or another component than the owner has on the node; else those of
        commit(). Nothing changes then.
        """

    def release(self, owner: int, sink: Callable[[TraceEvent], None] | None = None) -> Allocation:
        """
        Takes everything back from `owner` and returns what it was.
        Errors: NotFound when the owner has nothing, as after a first release.
        """

    def release_part(self, owner: int, part: Placement, sink: Callable[[TraceEvent], None] | None = None) -> None:
        """
        Takes a part back: the nodes, cores, bytes, devices and counts named, all of which `owner`
        has. Its tasks stay. Errors: NotFound when the owner has nothing; FailedPrecondition for a
        unit that somebody else has or nobody, naming who. Nothing changes then.
        """

    def add_node(self, node: Node) -> int:
        """
        Adds a node behind the others. Errors: InvalidArgument when the name is empty or known, or
        check(shape) refuses. Complexity: the ranges of names, which are sorted anew, here and at
        remove_node().
        """

    def remove_node(self, id: int) -> None:
        """
        Takes a node out of the cluster, its partitions, fleets and network; its number stays.
        Errors: NotFound when it was removed; FailedPrecondition, naming the owner, when somebody
        has something on it. Requires: the node was added.
        """

    def set_node_state(self, id: int, state: NodeState) -> None:
        """
        Lets a node take work or not; what runs there stays. It is place() that passes over nodes
        which take none: commit() believes the placement. Requires: the node exists and was not
        removed, here and below. Complexity: linear in the classes of nodes, which are all that ever
        were: a weight is no place for a value that changes all the time.
        """

    def set_node_health(self, id: int, health: Health) -> None:
        """A node that failed takes no new work; what runs there stays."""

    def set_node_weight(self, id: int, weight: int) -> None:
        """Nodes of lower weight are taken first, by the policy that looks at it."""

    def set_node_features(self, id: int, features: Iterable[str]) -> None:
        """What requests may ask nodes to have."""

    def set_partitions(self, partitions: Iterable[Partition]) -> None:
        """
        Errors: InvalidArgument for what create() would refuse. Nothing changes then.
        Complexity: linear in the nodes for partitions.
        """

    def set_fleets(self, fleets: Iterable[Fleet]) -> None:
        """
        All fleets anew. Errors: ValueError for a node in two, or one that does not exist.
        """

    def add_to_fleet(self, fleet: str, node: int) -> None:
        """
        Puts a node into a fleet; one that is there already stays. Errors: NotFound when there is no
        such fleet or the node was removed; FailedPrecondition, naming the fleet, when another has
        the node or this one has as many as it may. Nothing changes then.
        """

    def remove_from_fleet(self, fleet: str, node: int) -> None:
        """
        Takes a node out of a fleet. Errors: NotFound when there is no such fleet, or the node is
        not in it. Nothing changes then.
        """

    def set_network(self, network: Network) -> None:
        """The network anew. Errors: ValueError for a node that does not exist."""

    def set_counts(self, counts: Iterable[ClusterCount]) -> None:
        """
        Errors: FailedPrecondition when owners have more of a name than there would be; else as
        above.
        """

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def to_bytes(self) -> bytes:
        """
        The canonical bytes. Complexity: linear in the runs of nodes and in the allocations, and little
        for each node.
        """

    @staticmethod
    def from_bytes(bytes: bytes) -> Cluster:
        """
        The cluster that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
        what was expected, for other bytes, another version, damage, and a cluster that cannot be.
        """

    def __copy__(self) -> Cluster: ...

    def __deepcopy__(self, memo: object) -> Cluster: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Cluster:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class TrialMark:
    """
    Made by Trial::mark() or TimelineTrial::mark(), and good for that trial alone.
    """

class Trial:
    """
    A time in the life of a cluster that is undone when it ends. Trials end in the order opposite to
    that in which they began, and the cluster outlives them where it is.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def undo(self) -> None:
        """Makes the cluster what it was when the trial began; the trial goes on."""

    def keep(self) -> None:
        """What happened stays; an outer trial may still undo it."""

    def mark(self) -> TrialMark:
        """Now, to come back to. Complexity: constant."""

    def rollback(self, mark: TrialMark) -> None:
        """
        Makes the cluster what it was at the mark, which stays good; those made since go.
        Requires: the mark is of this trial and was not rolled back itself; trials that began since
        have ended. Complexity: what changed since.
        """

class NodeChange:
    """
    A node that was added, changed, or removed: then it is there still, without a name.
    """

    def __init__(self, key: int = 0, before: Node | None = None, after: Node | None = None) -> None: ...

    @property
    def key(self) -> int:
        """int, position of a node"""

    @property
    def before(self) -> Node | None:
        """Node, or None"""

    @property
    def after(self) -> Node | None:
        """Node, or None"""

    def replace(self, *, key: int = ..., before: Node | None = ..., after: Node | None = ...) -> NodeChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeChange: ...

    def __deepcopy__(self, memo: object) -> NodeChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class AllocationChange:
    """An owner whose allocation came, went or changed."""

    def __init__(self, key: int = 0, before: Allocation | None = None, after: Allocation | None = None) -> None: ...

    @property
    def key(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def before(self) -> Allocation | None:
        """Allocation, or None"""

    @property
    def after(self) -> Allocation | None:
        """Allocation, or None"""

    def replace(self, *, key: int = ..., before: Allocation | None = ..., after: Allocation | None = ...) -> AllocationChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> AllocationChange: ...

    def __deepcopy__(self, memo: object) -> AllocationChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PartitionChange:
    """A partition that is new, gone, other or elsewhere in the list."""

    def __init__(self, key: str = '', before: Partition | None = None, after: Partition | None = None) -> None: ...

    @property
    def key(self) -> str:
        """str"""

    @property
    def before(self) -> Partition | None:
        """Partition, or None"""

    @property
    def after(self) -> Partition | None:
        """Partition, or None"""

    def replace(self, *, key: str = ..., before: Partition | None = ..., after: Partition | None = ...) -> PartitionChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PartitionChange: ...

    def __deepcopy__(self, memo: object) -> PartitionChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FleetChange:
    """A fleet that is new, gone, other or elsewhere in the list."""

    def __init__(self, key: str = '', before: Fleet | None = None, after: Fleet | None = None) -> None: ...

    @property
    def key(self) -> str:
        """str"""

    @property
    def before(self) -> Fleet | None:
        """Fleet, or None"""

    @property
    def after(self) -> Fleet | None:
        """Fleet, or None"""

    def replace(self, *, key: str = ..., before: Fleet | None = ..., after: Fleet | None = ...) -> FleetChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FleetChange: ...

    def __deepcopy__(self, memo: object) -> FleetChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CountChange:
    """A cluster-wide count of which there are more or fewer."""

    def __init__(self, key: str = '', before: ClusterCount | None = None, after: ClusterCount | None = None) -> None: ...

    @property
    def key(self) -> str:
        """str"""

    @property
    def before(self) -> ClusterCount | None:
        """ClusterCount, or None"""

    @property
    def after(self) -> ClusterCount | None:
        """ClusterCount, or None"""

    def replace(self, *, key: str = ..., before: ClusterCount | None = ..., after: ClusterCount | None = ...) -> CountChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CountChange: ...

    def __deepcopy__(self, memo: object) -> CountChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterDiff:
    """All that differs between two clusters."""

    def __init__(self, nodes: Iterable[NodeChange] = (), allocations: Iterable[AllocationChange] = (), partitions: Iterable[PartitionChange] = (), fleets: Iterable[FleetChange] = (), counts: Iterable[CountChange] = (), network: tuple[Network, Network] | None = None) -> None: ...

    @property
    def nodes(self) -> tuple[NodeChange, ...]:
        """rising (each: NodeChange)"""

    @property
    def allocations(self) -> tuple[AllocationChange, ...]:
        """by owner (each: AllocationChange)"""

    @property
    def partitions(self) -> tuple[PartitionChange, ...]:
        """each: PartitionChange"""

    @property
    def fleets(self) -> tuple[FleetChange, ...]:
        """each: FleetChange"""

    @property
    def counts(self) -> tuple[CountChange, ...]:
        """by name (each: CountChange)"""

    @property
    def network(self) -> tuple[Network, Network] | None:
        """before and after; absent: the same ((Network; Network), or None)"""

    def replace(self, *, nodes: Iterable[NodeChange] = ..., allocations: Iterable[AllocationChange] = ..., partitions: Iterable[PartitionChange] = ..., fleets: Iterable[FleetChange] = ..., counts: Iterable[CountChange] = ..., network: tuple[Network, Network] | None = ...) -> ClusterDiff:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterDiff: ...

    def __deepcopy__(self, memo: object) -> ClusterDiff: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_empty(self) -> bool:
        """True when nothing differs."""

@overload
def diff(before: Cluster, after: Cluster) -> ClusterDiff:
    """
    What has to happen to `before` to make it `after`.
    Complexity: that of what they do not share, and of the partitions, fleets and counts.
    """

@overload
def diff(before: Timeline, after: Timeline) -> TimelineDiff:
    """
    What differs between two timelines; its cost is that of what they do not share.
    """

class BackendKind(enum.Enum):
    """What an instance of a backend is."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    vm = 0

    container = 1

    ssh = 2

    kubernetes = 3

class Backend:
    """What a backend can do."""

    def __init__(self, name: str = '', kind: BackendKind = BackendKind.vm, has_multinode: bool = False, has_reservations: bool = False, has_privileged: bool = False, has_instance_volumes: bool = False, has_spot: bool = False, disk: int | Range[int] = Range()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def kind(self) -> BackendKind:
        """BackendKind"""

    @property
    def has_multinode(self) -> bool:
        """instances reach each other (bool)"""

    @property
    def has_reservations(self) -> bool:
        """instances can be had from a reservation (bool)"""

    @property
    def has_privileged(self) -> bool:
        """containers may be privileged (bool)"""

    @property
    def has_instance_volumes(self) -> bool:
        """folders of the instance can be mounted (bool)"""

    @property
    def has_spot(self) -> bool:
        """instances that may be taken back (bool)"""

    @property
    def disk(self) -> Range[int]:
        """
        The disks that can be had with an instance whose offer names none. Open: any. (a Range of: int, bytes)
        """

    def replace(self, *, name: str = ..., kind: BackendKind = ..., has_multinode: bool = ..., has_reservations: bool = ..., has_privileged: bool = ..., has_instance_volumes: bool = ..., has_spot: bool = ..., disk: int | Range[int] = ...) -> Backend:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Backend: ...

    def __deepcopy__(self, memo: object) -> Backend: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Pricing(enum.Enum):
    """How an instance may be paid."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    any = 0

    on_demand = 1

    spot = 2

class Unavailable(enum.Enum):
    """What becomes of offers that cannot be had now."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    leave_out = 0

    last = 1

class Reservation:
    """Instances that a user has set aside with a backend. Empty texts: any."""

    def __init__(self, name: str = '', backend: str = '', region: str = '', instance: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def backend(self) -> str:
        """str"""

    @property
    def region(self) -> str:
        """str"""

    @property
    def instance(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., backend: str = ..., region: str = ..., instance: str = ...) -> Reservation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Reservation: ...

    def __deepcopy__(self, memo: object) -> Reservation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BlockCount:
    """The equal parts that an instance is cut into."""

    def __init__(self, is_auto: bool = False, count: int = 1) -> None: ...

    @property
    def is_auto(self) -> bool:
        """as many as divide it evenly; `count` is 1 then (bool)"""

    @property
    def count(self) -> int:
        """1 or more (int, a count)"""

    def replace(self, *, is_auto: bool = ..., count: int = ...) -> BlockCount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BlockCount: ...

    def __deepcopy__(self, memo: object) -> BlockCount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class OfferFilter:
    """What is wanted of an offer beside its resources."""

    def __init__(self, backends: Iterable[str] = (), regions: Iterable[str] = (), instances: Iterable[str] = (), availability_zones: Iterable[str] = (), interconnects: Iterable[Interconnect] = (), pricing: Pricing = Pricing.any, reservation: Reservation | None = None, needs_multinode: bool = False, needs_privileged: bool = False, needs_instance_volumes: bool = False, capabilities: Iterable[Backend] = (), unavailable: Unavailable = Unavailable.leave_out, blocks: BlockCount | None = None, offers_max: int | None = None) -> None: ...

    @property
    def backends(self) -> tuple[str, ...]:
        """any of these, without regard to case (each: str)"""

    @property
    def regions(self) -> tuple[str, ...]:
        """the same (each: str)"""

    @property
    def instances(self) -> tuple[str, ...]:
        """names of instance types; the same (each: str)"""

    @property
    def availability_zones(self) -> tuple[str, ...]:
        """any of these, with regard to case (each: str)"""

    @property
    def interconnects(self) -> tuple[Interconnect, ...]:
        """any of these (each: Interconnect)"""

    @property
    def pricing(self) -> Pricing:
        """Pricing"""

    @property
    def reservation(self) -> Reservation | None:
        """
        Only instances of this one: of a backend that has reservations, and not spot. (Reservation, or None)
        """

    @property
    def needs_multinode(self) -> bool:
        """bool"""

    @property
    def needs_privileged(self) -> bool:
        """bool"""

    @property
    def needs_instance_volumes(self) -> bool:
        """bool"""

    @property
    def capabilities(self) -> tuple[Backend, ...]:
        """
        What backends can do. Empty: nobody knows, and what a backend can do is not looked at; nor
        is it of an offer without a backend. (each: Backend)
        """

    @property
    def unavailable(self) -> Unavailable:
        """Unavailable"""

    @property
    def blocks(self) -> BlockCount | None:
        """
        offers are cut into these first; absent: as they are (BlockCount, or None)
        """

    @property
    def offers_max(self) -> int | None:
        """so many of the first; absent: all (int, a count, or None)"""

    def replace(self, *, backends: Iterable[str] = ..., regions: Iterable[str] = ..., instances: Iterable[str] = ..., availability_zones: Iterable[str] = ..., interconnects: Iterable[Interconnect] = ..., pricing: Pricing = ..., reservation: Reservation | None = ..., needs_multinode: bool = ..., needs_privileged: bool = ..., needs_instance_volumes: bool = ..., capabilities: Iterable[Backend] = ..., unavailable: Unavailable = ..., blocks: BlockCount | None = ..., offers_max: int | None = ...) -> OfferFilter:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OfferFilter: ...

    def __deepcopy__(self, memo: object) -> OfferFilter: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RowError:
    """Why a row is no offer."""

    def __init__(self, row: int = 0, column: str = '', error: TextError = TextError()) -> None: ...

    @property
    def row(self) -> int:
        """counts from 1, as lines do in a text; 0: the list as a whole (int)"""

    @property
    def column(self) -> str:
        """its name; empty for the row as a whole (str)"""

    @property
    def error(self) -> TextError:
        """
        its offset counts from the start of the row's text, if it has one (TextError)
        """

    def replace(self, *, row: int = ..., column: str = ..., error: TextError = ...) -> RowError:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RowError: ...

    def __deepcopy__(self, memo: object) -> RowError: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OfferTest(enum.Enum):
    """The tests of an offer, in their order."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    availability = 0

    multinode = 1

    privileged = 2

    instance_volumes = 3

    reservation = 4

    price = 5

    pricing = 6

    architecture = 7

    blocks = 8

    cpus = 9

    memory = 10

    devices = 11

    device_vendor = 12

    device_count = 13

    device_model = 14

    compute_capability = 15

    device_memory = 16

    device_total_memory = 17

    device_attributes = 18

    disk = 19

    backend = 20

    region = 21

    instance = 22

    availability_zone = 23

    interconnect = 24

class OfferRefusal:
    """The first test that an offer failed."""

    def __init__(self, test: OfferTest = OfferTest.availability, wanted: str = '', had: str = '', reason: str = '') -> None: ...

    @property
    def test(self) -> OfferTest:
        """OfferTest"""

    @property
    def wanted(self) -> str:
        """`40GiB..80GiB` (str)"""

    @property
    def had(self) -> str:
        """`24GiB` (str)"""

    @property
    def reason(self) -> str:
        """both in one line (str)"""

    def replace(self, *, test: OfferTest = ..., wanted: str = ..., had: str = ..., reason: str = ...) -> OfferRefusal:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OfferRefusal: ...

    def __deepcopy__(self, memo: object) -> OfferRefusal: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RejectedOffer:
    """An offer of a catalog that was left out."""

    def __init__(self, offer: int = 0, refusal: OfferRefusal = OfferRefusal()) -> None: ...

    @property
    def offer(self) -> int:
        """position in the catalog (int)"""

    @property
    def refusal(self) -> OfferRefusal:
        """OfferRefusal"""

    def replace(self, *, offer: int = ..., refusal: OfferRefusal = ...) -> RejectedOffer:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RejectedOffer: ...

    def __deepcopy__(self, memo: object) -> RejectedOffer: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CatalogMatch:
    """An offer of a catalog that fits."""

    def __init__(self, offer: int = 0, blocks: int = 0) -> None: ...

    @property
    def offer(self) -> int:
        """position in the catalog (int)"""

    @property
    def blocks(self) -> int:
        """
        The fewest that meet the request. What they hold says share_of, of the offer in the blocks
        of the filter. (int)
        """

    def replace(self, *, offer: int = ..., blocks: int = ...) -> CatalogMatch:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CatalogMatch: ...

    def __deepcopy__(self, memo: object) -> CatalogMatch: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OfferMatch:
    """An offer that fits, and the part of it that is enough."""

    def __init__(self, offer: int = 0, share: BlockShare = BlockShare(), price: int = 0) -> None: ...

    @property
    def offer(self) -> int:
        """position in the list that was searched (int)"""

    @property
    def share(self) -> BlockShare:
        """the fewest blocks that meet the request (BlockShare)"""

    @property
    def price(self) -> int:
        """of the whole instance, an hour (int, millionths of a US dollar)"""

    def replace(self, *, offer: int = ..., share: BlockShare = ..., price: int = ...) -> OfferMatch:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OfferMatch: ...

    def __deepcopy__(self, memo: object) -> OfferMatch: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> OfferMatch:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class KnownDevice:
    """One kind of device."""

    def __init__(self, vendor: str = '', model: str = '', memory: int = 0, compute_capability: Version | None = None) -> None: ...

    @property
    def vendor(self) -> str:
        """lower case: nvidia, amd, intel, tenstorrent, google (str)"""

    @property
    def model(self) -> str:
        """as offers call it: A100, RTX4090, MI300X (str)"""

    @property
    def memory(self) -> int:
        """0: not stated (int, bytes)"""

    @property
    def compute_capability(self) -> Version | None:
        """of NVIDIA (Version, or None)"""

    def replace(self, *, vendor: str = ..., model: str = ..., memory: int = ..., compute_capability: Version | None = ...) -> KnownDevice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KnownDevice: ...

    def __deepcopy__(self, memo: object) -> KnownDevice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def has_blocks(backend: Backend) -> bool:
    """
    True when instances can be cut into blocks: machines of one's own, not containers.
    """

class Catalog:
    """
    Offers in the order in which they are wanted: what can be had first, then by price, by backend, by row.

    A sequence that never changes. ValueError where an offer has a mistake; `read` lists them all.
    """

    def __init__(self, offers: Iterable[Offer] = (), backend_order: Iterable[str] = ()) -> None:
        """
        All offers without errors, and the errors of the others. Among equal prices the backends of
        `backend_order` come first, as they stand there (without regard to case), then the others as
        they first appear. Row numbers count from 1.
        Requires: below 2^32 offers. Complexity: n log n.
        """

    @staticmethod
    def read(offers: Iterable[Offer], backend_order: Iterable[str] = ()) -> tuple[Catalog, tuple[RowError, ...]]:
        """
        All offers without errors, and the errors of the others. Among equal prices the backends of
        `backend_order` come first, as they stand there (without regard to case), then the others as
        they first appear. Row numbers count from 1.
        Requires: below 2^32 offers. Complexity: n log n.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def __len__(self) -> int: ...

    def __getitem__(self, position: int) -> Offer: ...

    def offers(self) -> tuple[Offer, ...]:
        """All of them. Complexity: linear, and every text is copied."""

    def rows(self) -> tuple[int, ...]:
        """
        Of each offer its row in the list that the catalog was made of, from 0.
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

class CatalogMatches:
    """
    Offers of a catalog that fit: a sequence of CatalogMatch in the catalog's order.
    """

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __len__(self) -> int: ...

    def __getitem__(self, position: int) -> CatalogMatch: ...

    def __repr__(self) -> str: ...

    @property
    def offers(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """All positions in the catalog, as a NumPy array that nobody can write."""

    @property
    def blocks(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """The blocks of each, the same way."""

def check_offer(offer: Offer, request: Request, filter: OfferFilter = ...) -> OfferMatch | Refusal:
    """
    The smallest part of `offer` that meets `request` and `filter`, or why there is none, as
    explain_offer says. With device_alternatives the first list that is met decides. Devices are
    counted as the share has them, so memory per device is that of all of them; kinds that only
    together are as many as wanted count together. Thousandths of CPUs count as the whole CPUs that
    have them. The match's `offer` is 0; `offers_max` plays no part. Requires: check(request) is ok.
    Complexity: blocks times device demands times kinds of devices.
    """

def explain_offer(offer: Offer, request: Request, filter: OfferFilter = ...) -> OfferRefusal | None:
    """
    The first test that the offer fails, in the order of OfferTest; nothing when it fits. Of device
    alternatives that are all refused the reason is that of the request's own devices; of blocks it
    is that of the whole instance. Requires: check(request) is ok.
    """

def match_offers(catalog: Catalog, request: Request, filter: OfferFilter = ...) -> CatalogMatches:
    """
    Every offer of the catalog to which check_offer says yes, in the catalog's order; with
    `offers_max` the first of them. Requires: check(request) is ok.
    Complexity: kinds of devices, specs of the kinds that fit, places, and offers of the specs that
    fit; nothing is sorted.
    """

def explain_offers(catalog: Catalog, request: Request, filter: OfferFilter = ...) -> tuple[RejectedOffer, ...]:
    """
    Every offer to which check_offer says no, in the catalog's order, with the first test that it
    fails. `offers_max` plays no part. Requires: check(request) is ok. Complexity: n check_offer.
    """

def zones_left(offer: Offer, filter: OfferFilter) -> tuple[str, ...]:
    """
    The zones that are left of an offer's when only those of the filter are wanted, in the offer's
    order. Without wishes all of them.
    """

def disk_of(offer: Offer, request: Request, filter: OfferFilter) -> int | None:
    """
    The disk that an instance of this offer has: its own, else the least that the request takes and
    its backend gives. Nothing when neither says anything. Requires: check_offer is a yes.
    """

def row_errors(offer: Offer, row: int) -> tuple[RowError, ...]:
    """
    What makes this offer none, one error for each column. Its row is `row`.
    """

def known_devices() -> tuple[KnownDevice, ...]:
    """
    The devices that price lists name. A model with several memories stands there for each.
    """

def find_device(known: Iterable[KnownDevice], model: str) -> KnownDevice | None:
    """
    The first device of the model, without regard to case, or null. `v5litepod-8`, a TPU with the
    number of its cores, is a v5litepod. Complexity: linear.
    """

def vendor_of(known: Iterable[KnownDevice], models: Iterable[str]) -> str | None:
    """
    The only vendor of these models; nothing when a model is unknown, when two vendors have a model
    of them, or without models.
    """

def device_of_driver_name(known: Iterable[KnownDevice], name: str) -> KnownDevice | None:
    """
    The known device that a driver calls `name`: `NVIDIA A100-SXM4-40GB` is an A100, `NVIDIA GeForce
    RTX 4060 Ti` an RTX4060Ti, `AMD Instinct MI300X` an MI300X. The longest model counts whose
    letters are whole words of the name in a row, of these the first in the name. Null when there is
    none, and for a part of a device (`... MIG 1g.5gb`), which is not a device of that model.
    Complexity: words times devices.
    """

def snap_memory(known: Iterable[KnownDevice], model: str, memory: int) -> int:
    """
    The memory that a device of this model is sold with, where a driver says a little less: the
    nearest known one within 7 %, else what the driver says in whole GB, rounded. 0 stays 0.
    """

def devices_of_type(known: Iterable[KnownDevice], type: str) -> tuple[KnownDevice, ...]:
    """
    What Slurm's type of a GRES means: `a100` every known A100, `a100_80gb` and `a100-80g` the one
    with 80 GB. The other way round see type_of. Empty when nothing is called so.
    """

def type_of(device: KnownDevice) -> str:
    """
    The type of a GRES that means this model: its letters and digits and `-`, in lower case.
    """

@overload
def offer_of(node: Node, known: Iterable[KnownDevice] = ...) -> Offer:
    """
    What the node would be as an offer now: as that of its shape, but with all devices that take
    work, whatever they are. Its `instance` is the node's name, and it is idle when new work may go
    there and not_available when not.
    """

@overload
def offer_of(shape: NodeShape, known: Iterable[KnownDevice] = ...) -> Offer:
    """
    What a machine would be as an offer. Names and places are empty, its price is 0. CPUs are the
    hardware threads of cores that work may have, memory is the ordinary one, both without what is
    kept for the system. A disk of 0 bytes is an unknown one. Devices are those that are used up by
    whoever has them and that decide how it is cut (divided_devices), those alike as one kind, in
    the order of the machine; failed ones count: they are there, in blocks that cannot be had.
    Complexity: devices times kinds and known devices.
    """

@overload
def offer_of(instance: Instance) -> Offer:
    """
    The instance as an offer: idle while a block of it can be had, busy when none can, not_available
    when it takes no work at all.
    """

class BlockSet:
    """
    A set of blocks of one host, immutable.

    Made from an iterable of int, an array, or a text like "0-3,8". <= is subset, as in Python's own sets; positions and slices are those of the members in rising order. What else procset.ProcSet has is here by its names.
    """

    def __init__(self, members: Iterable[int] | str = ()) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def contains(self, index: int) -> bool:
        """True when `index` is a member. O(1)."""

    def __contains__(self, index: object, /) -> bool: ...

    def contains_all(self, other: BlockSet) -> bool:
        """True when `other` is a subset of this; the empty set always is."""

    def intersects(self, other: BlockSet) -> bool:
        """True when a member is in both."""

    def is_empty(self) -> bool:
        """True without members."""

    def __len__(self) -> int: ...

    def count_in(self, run: range) -> int:
        """Members inside `run`."""

    def count_and(self, other: BlockSet) -> int:
        """The size of the intersection, without building it."""

    def first(self) -> int | None:
        """The smallest member; nothing for the empty set."""

    def last(self) -> int | None:
        """The largest member; None for the empty set."""

    def next(self, i: int) -> int | None:
        """The smallest member >= `i`."""

    def nth(self, k: int) -> int | None:
        """The member with exactly `k` members below it."""

    def rank(self, i: int) -> int:
        """How many members are below `i`, which need not be one."""

    def first_k(self, k: int) -> BlockSet:
        """The `k` smallest members; all of them when there are fewer."""

    def first_run(self, k: int) -> range | None:
        """
        The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
        """

    def complement(self, run: range) -> BlockSet:
        """
        The numbers of `run` that are no members. Requires: run.last <= index_limit.
        """

    def __or__(self, arg: BlockSet, /) -> BlockSet: ...

    def __and__(self, arg: BlockSet, /) -> BlockSet: ...

    def __sub__(self, arg: BlockSet, /) -> BlockSet: ...

    def __xor__(self, arg: BlockSet, /) -> BlockSet: ...

    def __le__(self, arg: BlockSet, /) -> bool: ...

    def __ge__(self, arg: BlockSet, /) -> bool: ...

    def __lt__(self, arg: BlockSet, /) -> bool: ...

    def __gt__(self, arg: BlockSet, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, positions: slice) -> BlockSet: ...

    def select(self, position: int) -> int:
        """
        The member with so many members below it, as nth(); from the end where negative. Errors: IndexError.
        """

    def take(self, k: int) -> BlockSet:
        """The `k` smallest members; all of them when there are fewer."""

    @property
    def min(self) -> int:
        """int. The smallest member. Errors: ValueError for the empty set."""

    @property
    def max(self) -> int:
        """int. The largest member. Errors: ValueError for the empty set."""

    def count(self) -> int:
        """The number of intervals, as procset counts; that of members is len()."""

    def iscontiguous(self) -> bool:
        """True for one interval, and for the empty set."""

    def aggregate(self) -> BlockSet:
        """All from the smallest member to the largest."""

    def intervals(self) -> Iterator[range]:
        """The runs of members that follow each other, upwards, as ranges."""

    def __reversed__(self) -> Iterator[int]: ...

    def isdisjoint(self, other: BlockSet) -> bool:
        """True when no member is in both."""

    def issubset(self, other: BlockSet) -> bool:
        """As <=."""

    def issuperset(self, other: BlockSet) -> bool:
        """As >=."""

    def symmetric_difference(self, other: BlockSet) -> BlockSet:
        """As ^."""

    def union(self, *others: BlockSet) -> BlockSet:
        """As | with each."""

    def intersection(self, *others: BlockSet) -> BlockSet:
        """As & with each."""

    def difference(self, *others: BlockSet) -> BlockSet:
        """As - with each."""

    @staticmethod
    def from_str(text: str, insep: str = '-', outsep: str | None = None) -> BlockSet:
        """
        A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one character within an interval, one between two. Errors: ValueError with the offset.
        """

    def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The members, upwards, in an array of its own."""

    def __array__(self, dtype: object = None, copy: object = None) -> numpy.typing.NDArray[numpy.uint32]: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...], /) -> None: ...

class BlockSplit:
    """
    A machine cut into equal parts. blocks, rest and reserve together are the machine, each unit
    once; a device that is not consumed is in every block.
    """

    def __init__(self, blocks: Iterable[NodePlacement] = (), rest: NodePlacement = NodePlacement(), reserve: NodePlacement = NodePlacement()) -> None: ...

    @property
    def blocks(self) -> tuple[NodePlacement, ...]:
        """equal in CPUs, bytes and GPUs of each kind (each: NodePlacement)"""

    @property
    def rest(self) -> NodePlacement:
        """what does not divide; only who has all blocks gets it (NodePlacement)"""

    @property
    def reserve(self) -> NodePlacement:
        """cores and bytes that the system keeps (NodePlacement)"""

    def replace(self, *, blocks: Iterable[NodePlacement] = ..., rest: NodePlacement = ..., reserve: NodePlacement = ...) -> BlockSplit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BlockSplit: ...

    def __deepcopy__(self, memo: object) -> BlockSplit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HostBlocks:
    """The blocks of a host and who has each."""

    def __init__(self, owners: Iterable[int | None] = (None,), split: BlockSplit | None = None) -> None: ...

    @property
    def owners(self) -> tuple[int | None, ...]:
        """
        By BlockId; absent: nobody. One or more. (each: int, the caller's number of an owner, or None)
        """

    @property
    def split(self) -> BlockSplit | None:
        """
        Absent: nobody has looked at the machine yet, its blocks are known by number only. (BlockSplit, or None)
        """

    def replace(self, *, owners: Iterable[int | None] = ..., split: BlockSplit | None = ...) -> HostBlocks:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HostBlocks: ...

    def __deepcopy__(self, memo: object) -> HostBlocks: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @staticmethod
    def unseen(blocks: int) -> HostBlocks:
        """
        A host of so many blocks that nobody has looked at. Requires: 1 to BlockSet::index_limit.
        """

    def count(self) -> int:
        """How many there are."""

    def all(self) -> BlockSet:
        """All of them."""

    def free(self) -> BlockSet:
        """The blocks that nobody has."""

    def blocks_of(self, owner: int | None | None) -> BlockSet:
        """
        The blocks of `owner`; with nothing for an owner those that nobody has.
        """

    def is_idle(self) -> bool:
        """True when nobody has a block."""

class InstanceState(enum.Enum):
    """The life of an instance."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    provisioning = 0

    running = 1

    terminating = 2

    terminated = 3

class Instance:
    """A machine of a fleet."""

    def __init__(self, name: str = '', fleet: str = '', offer: Offer = Offer(), reservation: str = '', runtime: str = '', state: InstanceState = InstanceState.running, is_reachable: bool = True, health: Health = Health.healthy, shape: NodeShape | None = None, blocks: HostBlocks = HostBlocks()) -> None: ...

    @property
    def name(self) -> str:
        """no two instances have the same (str)"""

    @property
    def fleet(self) -> str:
        """the fleet that it belongs to (str)"""

    @property
    def offer(self) -> Offer:
        """
        What it was bought as; its `blocks` is how many it is cut into, its zones are those that it
        may be in. Its availability is not looked at: `state` and `blocks` say more. (Offer)
        """

    @property
    def reservation(self) -> str:
        """empty: none (str)"""

    @property
    def runtime(self) -> str:
        """what starts jobs there; carried to the share (str)"""

    @property
    def state(self) -> InstanceState:
        """InstanceState"""

    @property
    def is_reachable(self) -> bool:
        """bool"""

    @property
    def health(self) -> Health:
        """Health"""

    @property
    def shape(self) -> NodeShape | None:
        """absent: nobody has looked at the machine yet (NodeShape, or None)"""

    @property
    def blocks(self) -> HostBlocks:
        """HostBlocks"""

    def replace(self, *, name: str = ..., fleet: str = ..., offer: Offer = ..., reservation: str = ..., runtime: str = ..., state: InstanceState = ..., is_reachable: bool = ..., health: Health = ..., shape: NodeShape | None = ..., blocks: HostBlocks = ...) -> Instance:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Instance: ...

    def __deepcopy__(self, memo: object) -> Instance: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Instance:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class InstanceShare:
    """What a job has of an instance."""

    def __init__(self, instance: str = '', architecture: Architecture = Architecture.x86, availability_zones: Iterable[str] = (), runtime: str = '', blocks: BlockSet = BlockSet(), total_blocks: int = 1, cpus: int = 0, memory: int = 0, devices: Iterable[OfferedDevices] = (), disk: int | None = None, placement: NodePlacement | None = None, threads: PuSet = PuSet()) -> None: ...

    @property
    def instance(self) -> str:
        """str"""

    @property
    def architecture(self) -> Architecture:
        """the instance's, as the next two are (Architecture)"""

    @property
    def availability_zones(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def runtime(self) -> str:
        """str"""

    @property
    def blocks(self) -> BlockSet:
        """BlockSet"""

    @property
    def total_blocks(self) -> int:
        """of the instance (int, a count)"""

    @property
    def cpus(self) -> int:
        """hardware threads (int, a count)"""

    @property
    def memory(self) -> int:
        """of the ordinary domains (int, bytes)"""

    @property
    def devices(self) -> tuple[OfferedDevices, ...]:
        """each: OfferedDevices"""

    @property
    def disk(self) -> int | None:
        """of the whole instance: blocks share it (int, bytes, or None)"""

    @property
    def placement(self) -> NodePlacement | None:
        """
        Exactly which cores, bytes and devices; absent while nobody has looked at the machine. (NodePlacement, or None)
        """

    @property
    def threads(self) -> PuSet:
        """the CPUs as the kernel numbers them; empty without a placement (PuSet)"""

    def replace(self, *, instance: str = ..., architecture: Architecture = ..., availability_zones: Iterable[str] = ..., runtime: str = ..., blocks: BlockSet = ..., total_blocks: int = ..., cpus: int = ..., memory: int = ..., devices: Iterable[OfferedDevices] = ..., disk: int | None = ..., placement: NodePlacement | None = ..., threads: PuSet = ...) -> InstanceShare:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> InstanceShare: ...

    def __deepcopy__(self, memo: object) -> InstanceShare: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_whole(self) -> bool:
        """True when it is all blocks of the instance."""

def check_blocks(offer: Offer) -> Refusal | None:
    """
    Nothing when `offer` divides into its blocks; else which count does not.
    """

@overload
def share_of(offer: Offer, blocks: int) -> BlockShare:
    """
    What `blocks` blocks of the offer hold. All blocks hold everything; fewer hold their part of the
    memory, and of devices that are no GPUs, rounded down. Devices of which the part is none are
    left out. Requires: check_blocks(offer) is nothing; 1 <= blocks <= offer.blocks.
    """

@overload
def share_of(instance: Instance, blocks: BlockSet) -> InstanceShare:
    """
    What these blocks of the instance are, whoever has them: exact where the machine is known, else
    as the offer has it. Requires: check(instance) is ok; the blocks exist, one or more.
    """

@overload
def even_blocks(offer: Offer) -> int:
    """
    The largest number of equal blocks that the offer divides into: the greatest common divisor of
    its CPUs and of its GPUs, kind by kind. 1 for an offer without a CPU. An offer does not say
    which CPUs are of one core; even_blocks of a machine does not cut cores.
    """

@overload
def even_blocks(shape: NodeShape) -> int:
    """
    The largest number of equal blocks that a machine divides into, as of an offer: of its cores by
    number of threads, and of its GPUs by model. Cores are not cut: a machine without GPUs has one
    block a core at most. Requires: check(shape) is ok.
    """

def with_blocks(offer: Offer, blocks: BlockCount) -> Offer:
    """The offer in so many blocks; with `auto` in even_blocks of them."""

def split(shape: NodeShape, blocks: int | None | None = None) -> BlockSplit | Refusal:
    """
    Cuts a machine into `blocks` equal parts; absent: into even_blocks(shape) of them. Each has the
    same number of cores with the same threads, of bytes of ordinary memory, and of GPUs of each
    model; the disk is shared. Cores lie in runs of the core order, GPUs of a block are the best
    linked ones (device_groups.hpp), and both in the same order, so that near falls to near. Other
    devices are dealt as far as they go round. `rest` has what does not go round: fewer bytes of
    each pool than there are blocks, and devices that are no GPUs. A block with a failed device is
    there, and is_usable says so. A Refusal (blocks) when there are no cores, `blocks` is zero, or
    cores or GPUs do not divide; it says how many would. Requires: check(shape) is ok. Complexity:
    cores times kinds, and for GPUs see device_groups.hpp.
    """

def look_at(instance: Instance, shape: NodeShape, blocks: int | None | None = None) -> Instance:
    """
    Tells an instance what machine it is: its offer's resources become what the machine has, and its
    blocks become exact cores, bytes and devices. The offer keeps its words for GPUs where the
    machine has as many, kind by kind: price lists name models as users do. Owners keep their
    blocks, by number. `blocks` cuts it anew; absent: into as many as it has.
    Offers count CPUs and know no cores. Where cores do not divide into the blocks and CPUs do, the
    cores are cut: the instance's shape is then with_unit(shape, thread), and a block may have one
    CPU of a core and its neighbour the other. Cores that divide stay whole.
    Errors: InvalidArgument when the machine does not divide, with what would; FailedPrecondition,
    naming an owner, when it is cut anew while somebody has a block. Nothing changes then.
    """

def usable_blocks(instance: Instance) -> BlockSet:
    """The free blocks that can be had: none with a failed or drained device."""

def takes_work(instance: Instance) -> bool:
    """
    True while the instance takes new work: running or being made, reachable, not failed.
    """

def choose_blocks(instance: Instance, count: int) -> BlockSet | Refusal:
    """
    The best `count` of the usable blocks (choose_blocks); the lowest where nobody has looked at the
    machine. A Refusal (blocks) when there are not so many. Requires: check(instance) is ok; count
    >= 1.
    """

def take_blocks(instance: Instance, blocks: BlockSet, owner: int) -> Instance:
    """
    Gives the blocks to `owner`, in addition to what the owner has.
    Errors: InvalidArgument for a block that does not exist, or none at all; FailedPrecondition,
    naming the block and its owner, for one that is not free, or with a failed device. Nothing
    changes then.
    """

def give_back_blocks(instance: Instance, blocks: BlockSet, owner: int) -> Instance:
    """
    Takes the blocks back from `owner`.
    Errors: InvalidArgument as above; FailedPrecondition, naming the block and who has it, for one
    that `owner` does not have. Nothing changes then.
    """

class PolicyColumns:
    """
    What a caller's policy makes scores from: a row for each state that nodes are in.

    The policy gives one float64 for each row: the highest comes first, of equal ones the lowest node, and where it is NaN no node is taken. It is called once for each different part of a job, with the states that are new since the last time: a score may depend on its own row alone. `lambda columns: -1.0 * columns.devices_after` leaves least devices. The arrays are read-only, need NumPy, and stay good.
    """

    def __len__(self) -> int:
        """How many rows."""

    @property
    def milli_cpus_before(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Thousandths of hardware threads that are free."""

    @property
    def milli_cpus_after(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """The same when the part is there."""

    @property
    def memory_before(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Bytes that are free."""

    @property
    def memory_after(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """The same when the part is there."""

    @property
    def devices_before(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """
        Thousandths of a device that are free, of all that PolicyOptions.device names.
        """

    @property
    def devices_after(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """The same when the part is there."""

    @property
    def each_device_before(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', writable=False)]:
        """
        Of each device its free thousandths: a row for each state, -1 where a node has fewer devices than others.
        """

    @property
    def each_device_after(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', writable=False)]:
        """The same when the part is there."""

    @property
    def is_idle(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', writable=False)]:
        """True where nobody has anything of the node."""

    @property
    def node_class(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Position in `classes`."""

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """
        What nodes have in common that a score may look at besides: shape, features, weight. Their order says nothing.
        """

class Policy(enum.Enum):
    """
    Which node comes first among those that fit; of equal ones always the lowest node id.

    Names after Slurm (first_fit to weight) and after "Beware of Fragmentation" (USENIX ATC 2023),
    whose terms are measured against the largest node of the cluster.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    first_fit = 0
    """no order but the ids"""

    best_fit = 1
    """least left afterwards: the mean of CPUs and devices"""

    worst_fit = 2
    """most left afterwards"""

    least_loaded = 3
    """largest part of its CPUs free before (LLN)"""

    pack_nodes = 4
    """fewest CPUs free before, nodes in use first (CR_Pack_Nodes)"""

    weight = 5
    """lowest weight of the node, then best_fit"""

    dot_product = 6
    """smallest product of what is left and what is asked"""

    packing = 7
    """nodes and devices in use before idle ones"""

    clustering = 8
    """nodes that host jobs of the same kind before others"""

    fgd = 9
    """least growth of fragments that typical jobs cannot use"""

    future_fit = 10
    """
    least loss of room for typical jobs, the scarcest first: future_value.hpp
    """

    random = 11
    """any node, a part of one device of any that has it, by the seed"""

class TypicalJob:
    """
    A kind of job that is expected, and how often. What fgd and future_fit know of the future.
    """

    def __init__(self, cpus: int = 0, devices: int = 0, thousandths: int = 1000, types: Iterable[str] = (), seen: int = 1) -> None: ...

    @property
    def cpus(self) -> int:
        """int, thousandths of a hardware thread"""

    @property
    def devices(self) -> int:
        """0: a job without (int, a count)"""

    @property
    def thousandths(self) -> int:
        """of each device (int, a count)"""

    @property
    def types(self) -> tuple[str, ...]:
        """of devices, any of these; empty: any (each: str)"""

    @property
    def seen(self) -> int:
        """how often; its part of all is what counts (int, a count)"""

    def replace(self, *, cpus: int = ..., devices: int = ..., thousandths: int = ..., types: Iterable[str] = ..., seen: int = ...) -> TypicalJob:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TypicalJob: ...

    def __deepcopy__(self, memo: object) -> TypicalJob: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PolicyOptions:
    """What a policy has to know besides the cluster and the demand."""

    def __init__(self, device: str = 'gpu', score_steps: int = 0, seed: int = 0, typical_jobs: Iterable[TypicalJob] = ()) -> None: ...

    @property
    def device(self) -> str:
        """the devices that count (str)"""

    @property
    def score_steps(self) -> int:
        """
        Scores of best_fit, dot_product and fgd are cut to so many steps, as Kubernetes' hundred;
        0: they are not. (int)
        """

    @property
    def seed(self) -> int:
        """of random (int)"""

    @property
    def typical_jobs(self) -> tuple[TypicalJob, ...]:
        """for fgd and future_fit (each: TypicalJob)"""

    def replace(self, *, device: str = ..., score_steps: int = ..., seed: int = ..., typical_jobs: Iterable[TypicalJob] = ...) -> PolicyOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PolicyOptions: ...

    def __deepcopy__(self, memo: object) -> PolicyOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PlaceOptions:
    """How a place is chosen among those that fit."""

    def __init__(self, policy: Policy = Policy.first_fit, policy_options: PolicyOptions = PolicyOptions(), fit: FitOptions = FitOptions(), spare_devices: bool = False) -> None: ...

    @property
    def policy(self) -> Policy:
        """Policy"""

    @property
    def policy_options(self) -> PolicyOptions:
        """PolicyOptions"""

    @property
    def fit(self) -> FitOptions:
        """FitOptions"""

    @property
    def spare_devices(self) -> bool:
        """
        A group of a job that asks for none of PolicyOptions::device comes to nodes with such
        devices, if they are usable and can be used up, only behind all others, whatever the policy
        says. On a node its cores are fit()'s choice, which does not look at devices that are not
        asked for; Device::reserved_cores keeps cores for those who are. (bool)
        """

    def replace(self, *, policy: Policy = ..., policy_options: PolicyOptions = ..., fit: FitOptions = ..., spare_devices: bool = ...) -> PlaceOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlaceOptions: ...

    def __deepcopy__(self, memo: object) -> PlaceOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Placer:
    """
    place() with a memory, for whoever decides more than once.

    It answers as place() does, and remembers what the nodes said: a decision costs what changed in the cluster since the last one. A `policy`, by name or a function of the caller's own from PolicyColumns to an array of scores, stands in place of the options' policy.
    """

    def __init__(self, options: PlaceOptions = ..., policy: Policy | Callable[[PolicyColumns], numpy.typing.NDArray[numpy.float64]] | None = None) -> None: ...

    def options(self) -> PlaceOptions:
        """What it decides by."""

    def place(self, cluster: Cluster, request: Request, candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None) -> Placement | Refusal:
        """
        place(cluster, request, options(), filter). A request that is asked about again should be
        the same object in memory: it is then known without comparing.
        Requires: check(*request) is ok. What a function of the caller's throws goes through.
        """

class JobOrder:
    """A job, and whose it is."""

    def __init__(self, owner: int = 0, request: Request = Request()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def request(self) -> Request:
        """Request"""

    def replace(self, *, owner: int = ..., request: Request = ...) -> JobOrder:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobOrder: ...

    def __deepcopy__(self, memo: object) -> JobOrder: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OnFailure(enum.Enum):
    """
    What becomes of the jobs behind one that finds no place. stop: they are not looked at. skip:
    they have their turn.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    stop = 0

    skip = 1

class PlaceManyOptions:
    """How place_many() goes on."""

    def __init__(self, on_failure: OnFailure = OnFailure.stop) -> None: ...

    @property
    def on_failure(self) -> OnFailure:
        """OnFailure"""

    def replace(self, *, on_failure: OnFailure = ...) -> PlaceManyOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlaceManyOptions: ...

    def __deepcopy__(self, memo: object) -> PlaceManyOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RefusedJob:
    """A job that found no place."""

    def __init__(self, job: int = 0, why: Refusal = Refusal()) -> None: ...

    @property
    def job(self) -> int:
        """position in the list (int)"""

    @property
    def why(self) -> Refusal:
        """Refusal"""

    def replace(self, *, job: int = ..., why: Refusal = ...) -> RefusedJob:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RefusedJob: ...

    def __deepcopy__(self, memo: object) -> RefusedJob: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PlacedJobs:
    """
    What became of a list. What a job has been given says the cluster, by owner.
    """

    def __init__(self, placed: Iterable[int] = (), refused: Iterable[RefusedJob] = (), looked_at: int = 0) -> None: ...

    @property
    def placed(self) -> tuple[int, ...]:
        """positions in the list, rising (each: int)"""

    @property
    def refused(self) -> tuple[RefusedJob, ...]:
        """rising (each: RefusedJob)"""

    @property
    def looked_at(self) -> int:
        """the jobs from here on had no turn (int)"""

    def replace(self, *, placed: Iterable[int] = ..., refused: Iterable[RefusedJob] = ..., looked_at: int = ...) -> PlacedJobs:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlacedJobs: ...

    def __deepcopy__(self, memo: object) -> PlacedJobs: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def place_many(cluster: Cluster, jobs: Iterable[JobOrder], placer: Placer, options: PlaceManyOptions = ...) -> PlacedJobs:
    """
    Places each job where placer.place() says and commits it, before the next one has its turn.
    Errors: FailedPrecondition for an owner that has an allocation already or stands twice; nothing
    changes then. Requires: check(*job.request) is ok for all.
    Complexity: that of the decisions; jobs that share a request object are known without comparing.
    """

def release_many(cluster: Cluster, owners: Iterable[int]) -> None:
    """
    Takes everything back from each owner.
    Errors: NotFound for an owner that has nothing, FailedPrecondition for one that stands twice;
    nothing changes then. Complexity: that of as many releases.
    """

class ConstraintCount:
    """
    How many nodes one constraint removed, and what it said of the first of them.
    """

    def __init__(self, constraint: Constraint = Constraint.none, nodes: int = 0, example: str = '') -> None: ...

    @property
    def constraint(self) -> Constraint:
        """Constraint"""

    @property
    def nodes(self) -> int:
        """int, a count"""

    @property
    def example(self) -> str:
        """`n3: asked 2 gpu, 1 free of ...` (str)"""

    def replace(self, *, constraint: Constraint = ..., nodes: int = ..., example: str = ...) -> ConstraintCount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ConstraintCount: ...

    def __deepcopy__(self, memo: object) -> ConstraintCount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PlaceChangeKind(enum.Enum):
    """What a relaxation changes, nearest first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    topology = 0
    """where the nodes lie in the network"""

    nodes = 1
    """fewer of them"""

    by_name = 2
    """nodes that are required or excluded, candidates"""

    features = 3
    """which nodes will do"""

    partition = 4
    """whose nodes"""

    counts = 5
    """licences and the like"""

    repair = 6
    """a node that is drained, down or broken comes back"""

    ending = 7
    """running allocations end"""

class PlaceRelaxation:
    """One change with which the request would be placed."""

    def __init__(self, kind: PlaceChangeKind = PlaceChangeKind.topology, text: str = '', owners: Iterable[int] = ()) -> None: ...

    @property
    def kind(self) -> PlaceChangeKind:
        """PlaceChangeKind"""

    @property
    def text(self) -> str:
        """`2 switches instead of 1` (str)"""

    @property
    def owners(self) -> tuple[int, ...]:
        """
        whose allocations would have to end (each: int, the caller's number of an owner)
        """

    def replace(self, *, kind: PlaceChangeKind = ..., text: str = ..., owners: Iterable[int] = ...) -> PlaceRelaxation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlaceRelaxation: ...

    def __deepcopy__(self, memo: object) -> PlaceRelaxation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Explanation:
    """What each node says to a request, counted by constraint."""

    def __init__(self, fits: bool = False, why: Refusal = Refusal(), fitting: int = 0, removed: Iterable[ConstraintCount] = (), nearest: str = '', relaxations: Iterable[PlaceRelaxation] = ()) -> None: ...

    @property
    def fits(self) -> bool:
        """place() finds a placement (bool)"""

    @property
    def why(self) -> Refusal:
        """what place() says when it finds none (Refusal)"""

    @property
    def fitting(self) -> int:
        """nodes that can take the largest part (int, a count)"""

    @property
    def removed(self) -> tuple[ConstraintCount, ...]:
        """most nodes first (each: ConstraintCount)"""

    @property
    def nearest(self) -> str:
        """
        What one of the nodes would take instead, `n3: 7 gpu instead of 8`: the nearest relaxation
        of the largest part among the first nodes that each constraint removed. Empty when it fits,
        or when none of these has one. (str)
        """

    @property
    def relaxations(self) -> tuple[PlaceRelaxation, ...]:
        """
        Single changes to the request as a whole, or to the cluster, with which it was placed when
        tried; the last names the allocations that would have to end. Empty when it fits. (each: PlaceRelaxation)
        """

    def replace(self, *, fits: bool = ..., why: Refusal = ..., fitting: int = ..., removed: Iterable[ConstraintCount] = ..., nearest: str = ..., relaxations: Iterable[PlaceRelaxation] = ...) -> Explanation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Explanation: ...

    def __deepcopy__(self, memo: object) -> Explanation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Explanation:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def explain(cluster: Cluster, request: Request, options: PlaceOptions = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None, trials_max: int = 1000) -> Explanation:
    """
    What the nodes say to the largest part of the request with its preferred devices.
    Requires: check(request) is ok. Complexity: the states that nodes are in, with a filter the
    nodes; where the request does not fit, also a few dozen placements and plan_preemption() with
    `trials_max`, in which any may end at the same cost.
    """

class Victim:
    """An owner that may be ended."""

    def __init__(self, owner: int = 0, cost: int = 1, grace: int = 0) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def cost(self) -> int:
        """of its end; at least 0 (int)"""

    @property
    def grace(self) -> int:
        """the time that it has between being told and its end (int, seconds)"""

    def replace(self, *, owner: int = ..., cost: int = ..., grace: int = ...) -> Victim:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Victim: ...

    def __deepcopy__(self, memo: object) -> Victim: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PreemptionRules:
    """What a plan may be, and how long it is looked for."""

    def __init__(self, victims_max: int | None = None, cost_max: int | None = None, grace_max: int | None = None, trials_max: int = 10000) -> None: ...

    @property
    def victims_max(self) -> int | None:
        """int, a count, or None"""

    @property
    def cost_max(self) -> int | None:
        """of all of them together; at least 0 (int, or None)"""

    @property
    def grace_max(self) -> int | None:
        """who has a longer one is spared (int, seconds, or None)"""

    @property
    def trials_max(self) -> int:
        """
        Trials that make the plan cheaper. What it takes to find a first one is not counted, but
        where victims_max forbids that one: there a plan may take any number of trials. (int)
        """

    def replace(self, *, victims_max: int | None = ..., cost_max: int | None = ..., grace_max: int | None = ..., trials_max: int = ...) -> PreemptionRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PreemptionRules: ...

    def __deepcopy__(self, memo: object) -> PreemptionRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PreemptionPlan:
    """Who ends, and what the request has then."""

    def __init__(self, victims: Iterable[Victim] = (), cost: int = 0, grace: int = 0, placement: Placement = Placement(), is_cheapest: bool = True) -> None: ...

    @property
    def victims(self) -> tuple[Victim, ...]:
        """in the caller's order (each: Victim)"""

    @property
    def cost(self) -> int:
        """of all of them together (int)"""

    @property
    def grace(self) -> int:
        """the longest: so long the request waits (int, seconds)"""

    @property
    def placement(self) -> Placement:
        """what place() gives once they have ended (Placement)"""

    @property
    def is_cheapest(self) -> bool:
        """
        No other plan comes before this one. False when the trials ended before that was known, or
        place() gave up on some of them. (bool)
        """

    def replace(self, *, victims: Iterable[Victim] = ..., cost: int = ..., grace: int = ..., placement: Placement = ..., is_cheapest: bool = ...) -> PreemptionPlan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PreemptionPlan: ...

    def __deepcopy__(self, memo: object) -> PreemptionPlan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def plan_preemption(cluster: Cluster, request: Request, victims: Iterable[Victim], rules: PreemptionRules = ..., options: PlaceOptions = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None) -> PreemptionPlan | Refusal:
    """
    The victims whose end lets place() find a placement: those that cost least together; among such
    the fewest; among such those whose positions in the caller's list, read from the lowest on, are
    the lower at the first difference. A request that fits already needs nobody. Where there is no
    plan: why place() finds nothing even if all have ended whom the rules do not spare; else that
    the rules allow too little, or gave_up when the trials ended first.

    Up to `trials_max` that is exact, and the plan says so (`is_cheapest`); else it is the best that
    was found: more trials never make it worse. A trial is the end of some, the question whether the
    request then has a place, and what undoes both; it counts as 1 and one more for each 64 of those
    who end and, but where nodes answer for themselves, of the nodes asked, together. Nodes do that
    for jobs of one node, or of equal parts whose victims are on one node each, without wishes to
    the network: then the trials are those on each node, once for nodes in equal states with equal
    victims. For other jobs all sets of victims are in question, which is exact for a dozen or two.
    Requires: check(request) is ok. Errors: NotFound for a victim that has nothing; InvalidArgument
    for one that stands twice or costs less than 0, for costs that do not add up, and for a cost_max
    below 0. Each names the victim. Complexity: beside the trials a look at what the victims have,
    and twice the logarithm of the nodes to be emptied placements for a first plan.
    """

def place(cluster: Cluster, request: Request, options: PlaceOptions = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None, policy: Policy | Callable[[PolicyColumns], numpy.typing.NDArray[numpy.float64]] | None = None) -> Placement | Refusal:
    """
    The best placement under the order above, or why there is none. Alternatives to the devices are
    for the whole job: they are looked at where the preferred ones find no placement.
    Requires: check(request) is ok. Complexity: one fit() for each state that nodes are in, for each
    different part of the job; not the nodes.
    A `policy`, by name or a function of the caller's own from PolicyColumns to an array of scores,
    stands in place of the options' policy.
    """

def refuse_node(cluster: Cluster, id: int, request: Request) -> Refusal | None:
    """
    Why a node may not take the request at all, whatever is free on it; nothing when it may.
    Requires: the node exists.
    """

def socket_count(shape: NodeShape) -> int:
    """Packages of a node, at least 1."""

def to_text(placement: Placement, cluster: Cluster) -> str:
    """
    One line a node. Requires: the nodes exist in the cluster, and as for to_text(part, node).
    """

def feasible(cluster: Cluster, requests: Iterable[Request], options: PlaceOptions = ...) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
    """
    Which nodes could take each request now: a row for each request, a column for each node.

    A request for several nodes is asked of each by its largest part, on the fewest nodes that it accepts. Whether enough nodes are left, and what the network says, is for place(), and components are requests of their own. Needs NumPy.
    """

def fit_count(cluster: Cluster, request: Request, policy: Policy | Callable[[PolicyColumns], numpy.typing.NDArray[numpy.float64]] | None = None, options: PlaceOptions = ...) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """
    How many such jobs each node could take one after the other, if all were put there; licences count for the first only.

    Needs NumPy.
    """

def score(cluster: Cluster, request: Request, policy: Policy | Callable[[PolicyColumns], numpy.typing.NDArray[numpy.float64]] | None = None, options: PlaceOptions = ...) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    What `policy`, or that of the options, finds of each node; NaN where the node cannot take the request.

    place() takes the highest, of equal ones by what the policy says second, then the lowest node; nodes that options.spare_devices puts last come behind all others, and Policy.random gives all 0. Needs NumPy.
    """

def placed_table(cluster: Cluster, jobs: Iterable[JobOrder], placed: PlacedJobs) -> numpy.typing.NDArray[Any]:
    """
    What place_many() did, as a structured array with a row for each job: `owner` uint64; `node` int64, the lowest one, -1 where the job was not placed; `nodes` int32, how many; `refused_by`, the name of a Constraint, empty for who was placed or had no turn.

    Errors: ValueError for what was placed from another list, or in another cluster. Needs NumPy.
    """

class ObserveOptions:
    """What an observation counts."""

    def __init__(self, device: str = 'gpu', typical_jobs: Iterable[TypicalJob] = ()) -> None: ...

    @property
    def device(self) -> str:
        """
        Devices of this name have a column each, and it is they that are in fragments. (str)
        """

    @property
    def typical_jobs(self) -> tuple[TypicalJob, ...]:
        """
        Jobs that are expected, which say what a fragment is; none: all fragments are 0. (each: TypicalJob)
        """

    def replace(self, *, device: str = ..., typical_jobs: Iterable[TypicalJob] = ...) -> ObserveOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ObserveOptions: ...

    def __deepcopy__(self, memo: object) -> ObserveOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ObservationLayout:
    """How large the tables are, and what their columns are."""

    def __init__(self, nodes: int = 0, resources: Iterable[str] = (), devices: int = 0, core_words: int = 0) -> None: ...

    @property
    def nodes(self) -> int:
        """int"""

    @property
    def resources(self) -> tuple[str, ...]:
        """
        Columns of `free`: "cpu" in thousandths of hardware threads, "memory" in bytes, then the
        names of consumed devices in order of the alphabet, in thousandths of a device. (each: str)
        """

    @property
    def devices(self) -> int:
        """columns of `devices`: the most that a node has (int)"""

    @property
    def core_words(self) -> int:
        """columns of `cores` (int)"""

    def replace(self, *, nodes: int = ..., resources: Iterable[str] = ..., devices: int = ..., core_words: int = ...) -> ObservationLayout:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ObservationLayout: ...

    def __deepcopy__(self, memo: object) -> ObservationLayout: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Observer:
    """
    Tables of what a cluster has left, kept up to date.

    The tables are made here, or those of `out`, a dict with some of these names: `free` [nodes, resources] int64, `devices` [nodes, devices] int64, `cores` [nodes, core_words] uint64, `fragments` [nodes] float64, `is_usable` [nodes] bool, as Observation says; the columns are in ObservationLayout. Needs NumPy.
    """

    def __init__(self, cluster: Cluster, out: dict[str, numpy.typing.NDArray[Any]] | None = None, options: ObserveOptions = ...) -> None: ...

    @property
    def layout(self) -> ObservationLayout:
        """How large the tables are."""

    @property
    def tables(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """The arrays by name."""

    def observe(self, cluster: Cluster) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Writes the rows of nodes that changed since the last call, the first time all. Gives the nodes whose rows were written, rising. Errors: ValueError where the cluster has other nodes or devices than the one that this was made for.
        """

    def restart(self) -> None:
        """The next call writes all rows."""

def observe(cluster: Cluster, out: dict[str, numpy.typing.NDArray[Any]] | None = None, options: ObserveOptions = ...) -> dict[str, numpy.typing.NDArray[Any]]:
    """
    What a cluster has left, in tables with a row for each node.

    Fills the arrays of `out`, a dict with some of these names, or makes all: `free` [nodes, resources] int64, `devices` [nodes, devices] int64, `cores` [nodes, core_words] uint64, `fragments` [nodes] float64, `is_usable` [nodes] bool, as Observation says; the columns are in ObservationLayout. Needs NumPy.
    """

class Move:
    """An owner goes from what it has to something else."""

    def __init__(self, owner: int = 0, from_: Placement = Placement(), to: Placement = Placement()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def to(self) -> Placement:
        """
        what place() gives for its request, on other units or other nodes (Placement)
        """

    def replace(self, *, owner: int = ..., from_: Placement = ..., to: Placement = ...) -> Move:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Move: ...

    def __deepcopy__(self, memo: object) -> Move: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CompactionRules:
    """How owners may be moved, and how long to search."""

    def __init__(self, is_live: bool = False, moves_max: int | None = None, destinations: NodeSet | None = None, trials_max: int = 10000) -> None: ...

    @property
    def is_live(self) -> bool:
        """
        True: a job runs on while it moves, so that the new place is free before the old one is
        given back. False: it is stopped and started again, on units that may be its own. What it
        has of cluster-wide counts goes with it either way. (bool)
        """

    @property
    def moves_max(self) -> int | None:
        """in a plan; absent: each owner once (int, a count, or None)"""

    @property
    def destinations(self) -> NodeSet | None:
        """Nodes that moved owners may come to; absent: all. (NodeSet, or None)"""

    @property
    def trials_max(self) -> int:
        """
        Placements that are tried at most; one without n owners counts as 1 + n / 16, and a set of
        owners whose moves are looked for as one more. (int)
        """

    def replace(self, *, is_live: bool = ..., moves_max: int | None = ..., destinations: NodeSet | None = ..., trials_max: int = ...) -> CompactionRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CompactionRules: ...

    def __deepcopy__(self, memo: object) -> CompactionRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CompactionPlan:
    """Moves after which a request fits."""

    def __init__(self, moves: Iterable[Move] = (), placement: Placement = Placement(), is_smallest: bool = False) -> None: ...

    @property
    def moves(self) -> tuple[Move, ...]:
        """in the order of their turns, each owner at most once (each: Move)"""

    @property
    def placement(self) -> Placement:
        """of the request, after the moves (Placement)"""

    @property
    def is_smallest(self) -> bool:
        """known: nothing that fewer moves can do is enough (bool)"""

    def replace(self, *, moves: Iterable[Move] = ..., placement: Placement = ..., is_smallest: bool = ...) -> CompactionPlan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CompactionPlan: ...

    def __deepcopy__(self, memo: object) -> CompactionPlan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FragmentationPlan:
    """Moves of which each leaves less in fragments."""

    def __init__(self, moves: Iterable[Move] = (), before: int = 0, after: int = 0, is_settled: bool = False) -> None: ...

    @property
    def moves(self) -> tuple[Move, ...]:
        """in the order of their turns, each owner at most once (each: Move)"""

    @property
    def before(self) -> int:
        """expected_fragments() without them (int)"""

    @property
    def after(self) -> int:
        """and behind the last (int)"""

    @property
    def is_settled(self) -> bool:
        """
        Known: nobody who has not moved would lower it further where place() would put it. (bool)
        """

    def replace(self, *, moves: Iterable[Move] = ..., before: int = ..., after: int = ..., is_settled: bool = ...) -> FragmentationPlan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FragmentationPlan: ...

    def __deepcopy__(self, memo: object) -> FragmentationPlan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def plan_compaction(cluster: Cluster, request: Request, movable: Iterable[int], rules: CompactionRules = ..., options: PlaceOptions = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None) -> CompactionPlan | Refusal:
    """
    Moves of `movable` owners, each feasible when its turn comes, after which the request fits: the
    fewest that the budget finds; none where it fits as it is. A refusal says what place() says, and
    how far the search went: gave_up when the budget ended or place() gave up on something, else
    nothing that was asked for helps. The filter is for the request; CompactionRules::destinations
    for those who move.
    Errors: InvalidArgument for an owner that stands twice or whose request check() refuses,
    NotFound for one that has nothing, naming it. Requires: check(*request) is ok. Complexity: what
    CompactionRules::trials_max allows; a trial is a placement, and the moves that it is tried
    after.
    """

def plan_defragmentation(cluster: Cluster, movable: Iterable[int], rules: CompactionRules = ..., options: PlaceOptions = ...) -> FragmentationPlan:
    """
    Moves of `movable` owners, each feasible when its turn comes and each with less
    expected_fragments() behind it than before: the one that lowers them most has the first turn,
    as far as the gains are known, the lowest owner where several do. An owner goes where place()
    puts it by the options without what it has now, and nowhere else; Policy::fgd looks for the
    least fragments there too. Errors: those of plan_compaction() for `movable`, and those of
    expected_fragments(). Complexity: a trial for each owner, and some for each move.
    """

def expected_fragments(cluster: Cluster, options: PolicyOptions) -> int:
    """
    Millionths of a device that a typical job of the options cannot use, expected of all nodes that
    take work together: the measure of "Beware of Fragmentation", see TypicalJobs::fragments().
    Errors: InvalidArgument when the options name no typical job that has been seen, or one that
    wants more devices than can be counted.
    Complexity: the states that nodes are in, times the jobs.
    """

class OwnerPeriod:
    """When somebody has something."""

    def __init__(self, period: range = range(0, 0), owner: int = 0) -> None: ...

    @property
    def period(self) -> range:
        """a range of step 1"""

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    def replace(self, *, period: range = ..., owner: int = ...) -> OwnerPeriod:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OwnerPeriod: ...

    def __deepcopy__(self, memo: object) -> OwnerPeriod: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TimedAllocation:
    """What somebody has, or will have, and when."""

    def __init__(self, allocation: Allocation = Allocation(), period: range = range(0, 0)) -> None: ...

    @property
    def allocation(self) -> Allocation:
        """Allocation"""

    @property
    def period(self) -> range:
        """a range of step 1"""

    def replace(self, *, allocation: Allocation = ..., period: range = ...) -> TimedAllocation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TimedAllocation: ...

    def __deepcopy__(self, memo: object) -> TimedAllocation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TimelineParts:
    """What a timeline is made of, besides its cluster."""

    def __init__(self, now: int = 0, running: Iterable[OwnerPeriod] = (), reservations: Iterable[TimedAllocation] = ()) -> None: ...

    @property
    def now(self) -> int:
        """int, seconds since a moment of the caller's"""

    @property
    def running(self) -> tuple[OwnerPeriod, ...]:
        """owners of the cluster; absent: from now for ever (each: OwnerPeriod)"""

    @property
    def reservations(self) -> tuple[TimedAllocation, ...]:
        """that begin later (each: TimedAllocation)"""

    def replace(self, *, now: int = ..., running: Iterable[OwnerPeriod] = ..., reservations: Iterable[TimedAllocation] = ...) -> TimelineParts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TimelineParts: ...

    def __deepcopy__(self, memo: object) -> TimelineParts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Timeline:
    """
    A cluster now, and what of it is taken and given back later.

    Moments are seconds since one that the caller chooses, periods ranges of them. A copy is independent of the original, and cheap.
    """

    def __init__(self, cluster: Cluster = ..., now: int = 0) -> None:
        """
        What the cluster's owners have they have from now on, and for ever until set_end().
        """

    @staticmethod
    def create(cluster: Cluster, parts: TimelineParts) -> Timeline:
        """
        Errors: InvalidArgument for a running owner who has nothing in the cluster, stands twice, or
        whose period does not hold `now`; those of reserve().
        """

    def trial(self) -> TimelineTrial:
        """
        `with x.trial() as trial:` undoes at the end of the block what happened to x in it, unless trial.keep() was called. Without a `with` nothing begins, and nothing is undone.
        """

    def cluster(self) -> Cluster:
        """
        A copy of the cluster as it is now: what runs, without what comes later.
        """

    def now(self) -> int:
        """The moment that the timeline has come to, in seconds."""

    def size(self) -> int:
        """Allocations that run or will."""

    def period_of(self, owner: int) -> range | None:
        """When the owner has what it has, or None for a stranger."""

    def find_allocation(self, owner: int) -> Allocation | None:
        """What the owner has or will have, or None."""

    def reservations(self) -> tuple[TimedAllocation, ...]:
        """All that runs or will, by owner. Complexity: linear in it."""

    def parts(self) -> TimelineParts:
        """
        What create() would make this timeline of, besides cluster(): running ones and reservations
        by owner. Complexity: linear in them.
        """

    def free_at(self, at: int) -> Cluster:
        """
        The cluster at a moment: what has ended by then is given back, what has begun is committed.
        Errors: InvalidArgument for a moment before now().
        Complexity: what differs from now, and the reservations that begin before.
        """

    def free_counts(self, period: range) -> tuple[ClusterCount, ...]:
        """
        Licences and the like, each as at the worst moment of the period.
        Complexity: n log n in those who have any then, and a look at all who have before its end.
        """

    def most_cpus(self, node: int, partition: str, period: range) -> int:
        """
        The CPUs that jobs of a partition have of a node, at the worst moment of the period.
        Complexity: those who have something of the node then.
        """

    def reserve(self, allocation: Allocation, period: range) -> None:
        """
        Gives the allocation to its owner for a period; one that begins now runs at once.
        Errors: InvalidArgument for a period that begins before now() or has no moment, and for what
        Cluster::commit() calls so; FailedPrecondition when the owner has something already, or a
        unit is not free at some moment: the message names node, moment, unit and who is there.
        Nothing changes then. Complexity: who is on the nodes in the period.
        """

    def cancel(self, owner: int) -> TimedAllocation:
        """
        Takes back what runs, or drops what has not begun, and returns it with its period.
        Errors: NotFound when the owner has nothing.
        """

    def set_end(self, owner: int, end: int) -> None:
        """
        Moves the end, earlier or later. Errors: NotFound as above; InvalidArgument for an end that
        is not after now() and the start; FailedPrecondition for units that others have by then.
        Nothing changes then.
        """

    def advance(self, to: int) -> None:
        """
        Goes to a later moment: by time, what ends is given back, and what begins runs.
        Errors: InvalidArgument for one before now(). Complexity: what ends and begins.
        """

    def change_cluster(self, change: Callable[[Cluster], object]) -> None:
        """
        Changes what there is: `change(cluster)` may do all but give and take, as to drain a node or set partitions. Errors: those of `change`; Error, naming the owner, when a reservation has no place any more, or when something was given or taken. Nothing changes then.
        """

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def to_bytes(self) -> bytes:
        """
        The timeline as bytes, equal for equal timelines, however they came about.
        """

    @staticmethod
    def from_bytes(bytes: bytes) -> Timeline:
        """
        The timeline that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
        what was expected, for other bytes, another version, damage, and a timeline that cannot be.
        """

    def __copy__(self) -> Timeline: ...

    def __deepcopy__(self, memo: object) -> Timeline: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Timeline:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class TimelineTrial:
    """
    A time in the life of a timeline that is undone when it ends, unless it was kept. Trials end in
    the order opposite to that in which they began.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def undo(self) -> None:
        """
        Makes the timeline what it was when the trial began; the trial goes on.
        """

    def keep(self) -> None:
        """What happened stays; an outer trial may still undo it."""

    def mark(self) -> TrialMark:
        """Now, to come back to. Complexity: constant."""

    def rollback(self, mark: TrialMark) -> None:
        """
        Makes the timeline what it was at the mark, which stays good; those made since go.
        Requires: the mark is of this trial and was not rolled back itself.
        """

class ReservationChange:
    """
    An owner who has something else, at another time, no longer, or for the first time.
    """

    def __init__(self, key: int = 0, before: TimedAllocation | None = None, after: TimedAllocation | None = None) -> None: ...

    @property
    def key(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def before(self) -> TimedAllocation | None:
        """TimedAllocation, or None"""

    @property
    def after(self) -> TimedAllocation | None:
        """TimedAllocation, or None"""

    def replace(self, *, key: int = ..., before: TimedAllocation | None = ..., after: TimedAllocation | None = ...) -> ReservationChange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ReservationChange: ...

    def __deepcopy__(self, memo: object) -> ReservationChange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TimelineDiff:
    """All that differs between two timelines."""

    def __init__(self, cluster: ClusterDiff = ClusterDiff(), reservations: Iterable[ReservationChange] = (), now: tuple[int, int] | None = None) -> None: ...

    @property
    def cluster(self) -> ClusterDiff:
        """of now (ClusterDiff)"""

    @property
    def reservations(self) -> tuple[ReservationChange, ...]:
        """by owner, of what runs too (each: ReservationChange)"""

    @property
    def now(self) -> tuple[int, int] | None:
        """
        before and after; absent: the same ((int, seconds since a moment of the caller's; int, seconds since a moment of the caller's), or None)
        """

    def replace(self, *, cluster: ClusterDiff = ..., reservations: Iterable[ReservationChange] = ..., now: tuple[int, int] | None = ...) -> TimelineDiff:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TimelineDiff: ...

    def __deepcopy__(self, memo: object) -> TimelineDiff: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_empty(self) -> bool:
        """True when nothing differs."""

def whole_nodes(cluster: Cluster, nodes: NodeSet) -> Placement:
    """
    All that there is on the nodes, for a window of maintenance: cores, memory and devices that are
    not the system's. Errors: InvalidArgument for a node that does not exist.
    """

END_OF_TIME: int = 9223372036854775807

class StartQuestion:
    """From when on, and how long."""

    def __init__(self, after: int | None = None, duration: int | None = None, not_beyond: int | None = None) -> None: ...

    @property
    def after(self) -> int | None:
        """
        not before; absent: now (int, seconds since a moment of the caller's, or None)
        """

    @property
    def duration(self) -> int | None:
        """absent: that of time_limit_of() (int, seconds, or None)"""

    @property
    def not_beyond(self) -> int | None:
        """
        starts behind this moment are not looked for (int, seconds since a moment of the caller's, or None)
        """

    def replace(self, *, after: int | None = ..., duration: int | None = ..., not_beyond: int | None = ...) -> StartQuestion:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StartQuestion: ...

    def __deepcopy__(self, memo: object) -> StartQuestion: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Start:
    """When and where."""

    def __init__(self, period: range = range(0, 0), placement: Placement = Placement(), waits_for: Refusal | None = None, is_earliest: bool = True) -> None: ...

    @property
    def period(self) -> range:
        """a range of step 1"""

    @property
    def placement(self) -> Placement:
        """Placement"""

    @property
    def waits_for(self) -> Refusal | None:
        """why not at the moment asked for; absent: it is then (Refusal, or None)"""

    @property
    def is_earliest(self) -> bool:
        """false where place() gave up on an earlier moment (bool)"""

    def replace(self, *, period: range = ..., placement: Placement = ..., waits_for: Refusal | None = ..., is_earliest: bool = ...) -> Start:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Start: ...

    def __deepcopy__(self, memo: object) -> Start: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class StartFinder:
    """
    earliest_start() with a memory, for whoever asks more than once: quick where it is asked about
    one timeline as it changes. Its answers are the same. No two threads may ask one at a time.
    """

    def __init__(self, options: PlaceOptions = ...) -> None: ...

    def options(self) -> PlaceOptions:
        """What it decides by."""

    def earliest_start(self, timeline: Timeline, request: Request, question: StartQuestion = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None) -> Start | Refusal:
        """
        The earliest start, or why there is none: Constraint::gave_up where place() gave up on any
        of the moments, which is not a no. A request that is asked about again should be the same
        object in memory. Requires: check(*request) is ok. Errors: InvalidArgument for a duration of
        0, a start before now(), and one after which the duration does not fit into time.
        """

def earliest_start(timeline: Timeline, request: Request, question: StartQuestion = ..., options: PlaceOptions = ..., candidates: NodeSet | None | None = None, predicate: Callable[[int], bool] | None = None) -> Start | Refusal:
    """
    The earliest start, or why there is none. Errors and requirements: those of
    StartFinder::earliest_start. Complexity: one place() for each moment that is looked at.
    """

class QueuedJob:
    """A job that waits."""

    def __init__(self, owner: int = 0, request: Request = Request(), duration: int | None = None, priority: int = 0) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def request(self) -> Request:
        """Request"""

    @property
    def duration(self) -> int | None:
        """absent: that of time_limit_of() (int, seconds, or None)"""

    @property
    def priority(self) -> int:
        """the caller's; higher first, where that is the order (int)"""

    def replace(self, *, owner: int = ..., request: Request = ..., duration: int | None = ..., priority: int = ...) -> QueuedJob:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> QueuedJob: ...

    def __deepcopy__(self, memo: object) -> QueuedJob: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class QueueOrder(enum.Enum):
    """
    Who has the first turn. as_queued: who stands first. by_priority: who has the highest.
    shortest_first: who takes least time. Between equal ones who stands first.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    as_queued = 0

    by_priority = 1

    shortest_first = 2

class Discipline:
    """How a pass goes over a queue."""

    def __init__(self, order: QueueOrder = QueueOrder.as_queued, promises_max: int | None = None, depth: int | None = None, horizon: int | None = None) -> None: ...

    @property
    def order(self) -> QueueOrder:
        """QueueOrder"""

    @property
    def promises_max(self) -> int | None:
        """
        Promises to those who cannot start now; absent: to all. 0: the first of them ends the pass. (int, a count, or None)
        """

    @property
    def depth(self) -> int | None:
        """
        Jobs that are looked at and do not start, at most; absent: all. (int, a count, or None)
        """

    @property
    def horizon(self) -> int | None:
        """
        No promise is made for a start behind now() and this; who would need one waits without. (int, seconds, or None)
        """

    def replace(self, *, order: QueueOrder = ..., promises_max: int | None = ..., depth: int | None = ..., horizon: int | None = ...) -> Discipline:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Discipline: ...

    def __deepcopy__(self, memo: object) -> Discipline: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @staticmethod
    def strict(order: QueueOrder = QueueOrder.as_queued) -> Discipline:
        """Nobody overtakes: the first that cannot start ends the pass."""

    @staticmethod
    def easy(order: QueueOrder = QueueOrder.as_queued) -> Discipline:
        """
        The first that cannot start is promised when; whoever does not delay it may overtake.
        """

    @staticmethod
    def conservative(order: QueueOrder = QueueOrder.as_queued) -> Discipline:
        """Each that cannot start is promised when; nobody delays any of them."""

class WaitingJob:
    """A job that does not start now."""

    def __init__(self, job: int = 0, why: Refusal = Refusal(), until: int | None = None, is_earliest: bool = True) -> None: ...

    @property
    def job(self) -> int:
        """position in the queue (int)"""

    @property
    def why(self) -> Refusal:
        """what stands in its way now (Refusal)"""

    @property
    def until(self) -> int | None:
        """
        the promised start; absent: none was made (int, seconds since a moment of the caller's, or None)
        """

    @property
    def is_earliest(self) -> bool:
        """Start::is_earliest of the promise (bool)"""

    def replace(self, *, job: int = ..., why: Refusal = ..., until: int | None = ..., is_earliest: bool = ...) -> WaitingJob:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> WaitingJob: ...

    def __deepcopy__(self, memo: object) -> WaitingJob: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PassResult:
    """
    What a pass says. Each job of the queue is in `starts` or in `waiting`.
    """

    def __init__(self, starts: Iterable[TimedAllocation] = (), promises: Iterable[TimedAllocation] = (), waiting: Iterable[WaitingJob] = ()) -> None: ...

    @property
    def starts(self) -> tuple[TimedAllocation, ...]:
        """from now on, in the order of their turns (each: TimedAllocation)"""

    @property
    def promises(self) -> tuple[TimedAllocation, ...]:
        """later, in the order of their turns (each: TimedAllocation)"""

    @property
    def waiting(self) -> tuple[WaitingJob, ...]:
        """in the order of their turns (each: WaitingJob)"""

    def replace(self, *, starts: Iterable[TimedAllocation] = ..., promises: Iterable[TimedAllocation] = ..., waiting: Iterable[WaitingJob] = ...) -> PassResult:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PassResult: ...

    def __deepcopy__(self, memo: object) -> PassResult: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> PassResult:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def schedule_pass(timeline: Timeline, queue: Iterable[QueuedJob], discipline: Discipline = ..., finder: StartFinder | None = None) -> PassResult:
    """
    One pass. Errors: FailedPrecondition for an owner that stands twice or has something already;
    InvalidArgument for a duration that earliest_start() refuses, naming the owner. Requires:
    check(*job.request) is ok for all. Complexity: one earliest_start() for each job that has a
    turn; jobs that share a request object are known without comparing.
    """

class DependencyKind(enum.Enum):
    """What has to happen to other jobs first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    after = 0
    """all have started, or ended without a start"""

    afterany = 1
    """all have ended"""

    afterok = 2
    """all have ended well"""

    afternotok = 3
    """all have ended, and one of them not well"""

    singleton = 4
    """no job of this name runs, and none stands before this one in the queue"""

class Dependency:
    """One condition on one or more jobs together."""

    def __init__(self, kind: DependencyKind = DependencyKind.afterok, jobs: Iterable[int] = (), delay: int = 0, array: int | None = None) -> None: ...

    @property
    def kind(self) -> DependencyKind:
        """DependencyKind"""

    @property
    def jobs(self) -> tuple[int, ...]:
        """
        none for singleton, else one or more, or an array (each: int, the caller's number of an owner)
        """

    @property
    def delay(self) -> int:
        """counted from the last of the starts (after) or ends (int, seconds)"""

    @property
    def array(self) -> int | None:
        """
        with all jobs whose terms say that they are its tasks (int, a number, or None)
        """

    def replace(self, *, kind: DependencyKind = ..., jobs: Iterable[int] = ..., delay: int = ..., array: int | None = ...) -> Dependency:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Dependency: ...

    def __deepcopy__(self, memo: object) -> Dependency: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobTerms:
    """On what terms a job starts. Who has none has no conditions."""

    def __init__(self, owner: int = 0, dependencies: Iterable[Dependency] = (), is_any_of: bool = False, begin: int | None = None, is_held: bool = False, array: int | None = None, name: str = '', requeues: int = 0) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        """each: Dependency"""

    @property
    def is_any_of(self) -> bool:
        """one of the dependencies is enough (bool)"""

    @property
    def begin(self) -> int | None:
        """not before (int, seconds since a moment of the caller's, or None)"""

    @property
    def is_held(self) -> bool:
        """bool"""

    @property
    def array(self) -> int | None:
        """that it is a task of (int, a number, or None)"""

    @property
    def name(self) -> str:
        """
        that singleton goes by, as user and job name are in Slurm; empty: none (str)
        """

    @property
    def requeues(self) -> int:
        """how often it went back into the queue (int, a count)"""

    def replace(self, *, owner: int = ..., dependencies: Iterable[Dependency] = ..., is_any_of: bool = ..., begin: int | None = ..., is_held: bool = ..., array: int | None = ..., name: str = ..., requeues: int = ...) -> JobTerms:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobTerms: ...

    def __deepcopy__(self, memo: object) -> JobTerms: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ArrayTerms:
    """The throttle of an array; one without is not throttled."""

    def __init__(self, array: int = 0, at_once_max: int = 1) -> None: ...

    @property
    def array(self) -> int:
        """int, a number"""

    @property
    def at_once_max(self) -> int:
        """tasks that run at the same time; 1 or more (int, a count)"""

    def replace(self, *, array: int = ..., at_once_max: int = ...) -> ArrayTerms:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ArrayTerms: ...

    def __deepcopy__(self, memo: object) -> ArrayTerms: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobPhase(enum.Enum):
    """What became of a job. Only `completed` is a good end."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    running = 0

    completed = 1

    failed = 2

    cancelled = 3

class JobRecord:
    """A job that waits no more."""

    def __init__(self, owner: int = 0, phase: JobPhase = JobPhase.running, started: int | None = None, ended: int | None = None) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def phase(self) -> JobPhase:
        """JobPhase"""

    @property
    def started(self) -> int | None:
        """
        absent: it failed or was cancelled before (int, seconds since a moment of the caller's, or None)
        """

    @property
    def ended(self) -> int | None:
        """
        absent while it runs, and only then (int, seconds since a moment of the caller's, or None)
        """

    def replace(self, *, owner: int = ..., phase: JobPhase = ..., started: int | None = ..., ended: int | None = ...) -> JobRecord:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobRecord: ...

    def __deepcopy__(self, memo: object) -> JobRecord: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class QueueState:
    """
    What is known of jobs besides what they ask for. No list has an order that matters.
    """

    def __init__(self, terms: Iterable[JobTerms] = (), records: Iterable[JobRecord] = (), arrays: Iterable[ArrayTerms] = ()) -> None: ...

    @property
    def terms(self) -> tuple[JobTerms, ...]:
        """an owner once at most, here and in the next (each: JobTerms)"""

    @property
    def records(self) -> tuple[JobRecord, ...]:
        """of jobs that are not in the queue (each: JobRecord)"""

    @property
    def arrays(self) -> tuple[ArrayTerms, ...]:
        """an array once at most (each: ArrayTerms)"""

    def replace(self, *, terms: Iterable[JobTerms] = ..., records: Iterable[JobRecord] = ..., arrays: Iterable[ArrayTerms] = ...) -> QueueState:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> QueueState: ...

    def __deepcopy__(self, memo: object) -> QueueState: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EligibleJobs:
    """Each job of the queue is in one of these, in the queue's order."""

    def __init__(self, eligible: Iterable[QueuedJob] = (), waiting: Iterable[WaitingJob] = (), never: Iterable[WaitingJob] = ()) -> None: ...

    @property
    def eligible(self) -> tuple[QueuedJob, ...]:
        """each: QueuedJob"""

    @property
    def waiting(self) -> tuple[WaitingJob, ...]:
        """
        `until`: the moment from which the job may start if nothing but time passes; absent where
        that is not enough. (each: WaitingJob)
        """

    @property
    def never(self) -> tuple[WaitingJob, ...]:
        """
        With a dependency that cannot be met any more, however those end that have not, or by which
        the job waits for itself; with is_any_of all are such. (each: WaitingJob)
        """

    def replace(self, *, eligible: Iterable[QueuedJob] = ..., waiting: Iterable[WaitingJob] = ..., never: Iterable[WaitingJob] = ...) -> EligibleJobs:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EligibleJobs: ...

    def __deepcopy__(self, memo: object) -> EligibleJobs: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def eligible_jobs(queue: Iterable[QueuedJob], state: QueueState, now: int) -> EligibleJobs:
    """
    Which jobs may start now. A task is throttled behind all else: the first in the queue that may
    start but for its array do, as long as the array runs fewer than it may at once. Jobs that wait
    for each other in a circle, and have no other way, keep nobody but themselves and those who wait
    for them: see check_cycles().
    Errors: those of check() for terms and records; InvalidArgument for a record from after `now`;
    FailedPrecondition for an owner that stands twice in the queue, has a record beside it, or has
    terms or records twice, and for an array that has terms twice.
    Complexity: linear in jobs, records and dependencies; n log n in tasks of arrays.
    """

def check_cycles(queue: Iterable[QueuedJob], state: QueueState) -> None:
    """
    Ok when the jobs of the queue can start one after the other, as far as they wait for each other;
    asked before a job is entered, and its terms are refused. Dependencies that are met already do
    not count; those of which one is enough all do.
    Errors: those of eligible_jobs() for jobs, terms and records; InvalidArgument for a cycle, with
    all its owners in order, from the first in the queue on, also one that leads over a name or an
    array. Complexity: that of eligible_jobs().
    """

class RequeueRules:
    """When a job that was put back starts again."""

    def __init__(self, delay: int = 0, requeues_max: int | None = None) -> None: ...

    @property
    def delay(self) -> int:
        """from its end on (int, seconds)"""

    @property
    def requeues_max(self) -> int | None:
        """
        whoever comes back more often is held; absent: nobody (int, a count, or None)
        """

    def replace(self, *, delay: int = ..., requeues_max: int | None = ...) -> RequeueRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RequeueRules: ...

    def __deepcopy__(self, memo: object) -> RequeueRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def requeued(terms: JobTerms, record: JobRecord, rules: RequeueRules = ...) -> JobTerms:
    """
    The terms of the job's next start: not before the delay has passed, and held where it has come
    back too often. Errors: those of check() for both; InvalidArgument when they are not of one
    owner; FailedPrecondition when the job still runs.
    """

def inside_reservation(timeline: Timeline, reservation: int) -> Timeline:
    """
    The reservation from inside, from now on, with nobody in it yet. Licences and the like are
    inside as far as the owner has them. Errors: NotFound when the owner has nothing;
    FailedPrecondition when that is not whole nodes as whole_nodes() makes them, naming the first
    that is not, and when somebody has one of the three ids above. Complexity: linear in the nodes
    of the cluster and in who has something of them now.
    """

OUTSIDE_OF_RESERVATION: int = 18446744073709551615

BEFORE_RESERVATION: int = 18446744073709551614

AFTER_RESERVATION: int = 18446744073709551613

class TaskPlacement:
    """Where one task runs."""

    def __init__(self, task: int = 0, node: int = 0, cores: CoreSet = CoreSet(), threads: PuSet = PuSet(), devices: Iterable[DeviceShare] = ()) -> None: ...

    @property
    def task(self) -> int:
        """its number in the job, from 0 (int)"""

    @property
    def node(self) -> int:
        """int, position of a node"""

    @property
    def cores(self) -> CoreSet:
        """that its threads are of (CoreSet)"""

    @property
    def threads(self) -> PuSet:
        """its own (PuSet)"""

    @property
    def devices(self) -> tuple[DeviceShare, ...]:
        """that it sees: see bind_devices; empty before (each: DeviceShare)"""

    def replace(self, *, task: int = ..., node: int = ..., cores: CoreSet = ..., threads: PuSet = ..., devices: Iterable[DeviceShare] = ...) -> TaskPlacement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskPlacement: ...

    def __deepcopy__(self, memo: object) -> TaskPlacement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def layout_tasks(nodes: Iterable[Node], placement: Placement, request: Request) -> tuple[TaskPlacement, ...] | Refusal:
    """
    Where each task of the placement runs, by task.

    Numbers go to the nodes as request.distribution.nodes says: block: to one node after the other;
    cyclic: one to each node in turn while it has tasks left; plane: plane_size in turn. How many
    a node has is NodePlacement::tasks.

    On a node a task has cpus_per_task of the placement's threads (the first threads_per_core of
    each core). Tasks share a core only when it has threads for several, at most tasks_per_core of
    them; a task that needs more than a core has cores of its own. Tasks are dealt to the packages
    as request.distribution.sockets says: block: a package until it is full; cyclic: one to each in
    turn; plane: plane_size in turn; at most tasks_per_socket to each; inside a package by rising
    cores. fcyclic is cyclic for tasks that fit into a core; for larger ones the cores are dealt,
    one of each package in turn. Where not all tasks fit into packages, they take the cores in
    order, over the ends of packages; where that is too little as well, the threads in order, over
    the ends of cores. A limit of tasks_per_socket or tasks_per_core rules out the first, or the
    second.

    Returns a refusal (Constraint::cores, `node n1: ...`) when the CPUs do not suffice: nothing is
    overcommitted. Without limits they suffice whenever there are tasks x cpus_per_task threads.
    Tasks that ask for thousandths of CPUs alone have no thread in particular.
    Requires: the nodes (by NodeId) and cores of the placement exist; check(request) is ok.
    Complexity: linear in threads and tasks. Rules: Slurm's dist_tasks.c; a core is never split
    between tasks by turns, as Slurm's fcyclic does with hardware threads.
    """

class BindRule(enum.Enum):
    """How tasks come to their devices."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0
    """each task sees all"""

    closest = 1
    """those nearest to its cores"""

    single = 2
    """one, and a device at most `count` tasks"""

    per_task = 3
    """`count` devices that no other task sees"""

    shares = 4
    """
    `count` shares of its own, of as few devices as possible (Slurm: per_task of a shared GRES)
    """

    map = 5
    """the one in the list, by task"""

    mask = 6
    """those in the set, by task"""

class BindNumbers(enum.Enum):
    """What the numbers of map and mask count."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    own = 0
    """the job's devices of the name on the node, from 0"""

    node = 1
    """all devices of the name on the node: Device::index"""

class DeviceBind:
    """How the tasks of a job come to the devices of one name."""

    def __init__(self, name: str = 'gpu', rule: BindRule = BindRule.none, count: int = 1, map: Iterable[int] = (), masks: Iterable[SmallSet] = (), numbers: BindNumbers = BindNumbers.own) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def rule(self) -> BindRule:
        """BindRule"""

    @property
    def count(self) -> int:
        """of single, per_task and shares (int, a count)"""

    @property
    def map(self) -> tuple[int, ...]:
        """from the start again when there are more tasks (each: int)"""

    @property
    def masks(self) -> tuple[SmallSet, ...]:
        """likewise (each: SmallSet)"""

    @property
    def numbers(self) -> BindNumbers:
        """BindNumbers"""

    def replace(self, *, name: str = ..., rule: BindRule = ..., count: int = ..., map: Iterable[int] = ..., masks: Iterable[SmallSet] = ..., numbers: BindNumbers = ...) -> DeviceBind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceBind: ...

    def __deepcopy__(self, memo: object) -> DeviceBind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def check_bind(bind: DeviceBind) -> None:
    """
    Ok when there is a name, and what the rule needs: a count of 1 or more, a list that is not
    empty. Errors: InvalidArgument.
    """

def bind_devices(nodes: Iterable[Node], placement: Placement, tasks: Iterable[TaskPlacement], bind: DeviceBind) -> tuple[TaskPlacement, ...] | Refusal:
    """
    `tasks` with the devices called bind.name that each of them sees, instead of those of that name
    that it saw before; devices of other names stay.

    A device is near to a task that has one of its cores (Device::cores), and to all tasks when it
    has none. An instance of a sliced device counts as a device.
    - none: each task sees all that the job has on its node.
    - closest: those that are near; where none is, those of the narrowest level of the hardware
    (core to machine) of which both have a core.
    - single: each task sees one device, each device is seen by at most `count` tasks.
    - per_task: each task sees `count` devices that no other task sees.
    - shares: each task sees `count` shares of one device; where that cannot be, of several.
    - map, mask: the tasks of a node take the elements of the list in turn, and when it ends from
    the start again.
    With single, per_task and shares there are as many pairs of a task and a near device as
    possible; among such assignments the first task has the lowest near devices, then the second,
    and so on. What is missing then comes from the nearest and lowest of what is left, task by task.

    Returns a refusal (Constraint::devices, `node n1: ...`) when devices do not suffice for single,
    per_task or shares, or a list names one that the job does not have. Slurm deals first come,
    first served, and in these two cases, as in closest without a near device, gives the first
    device of the job (tres_bind, gres.c). Requires: check(bind) is ok; the placement's nodes (by
    NodeId) and devices exist; tasks, by number, are those of layout_tasks for this placement.
    Complexity: on a node, tasks squared times devices squared.
    """

class TaskBindTo(enum.Enum):
    """To what a task is bound."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0
    """to all threads that the job has on the node"""

    threads = 1
    """to its own threads"""

    cores = 2
    """to the cores that its threads are of"""

    l3 = 3
    """to the last-level caches of these cores"""

    numa = 4
    """to their NUMA domains"""

    sockets = 5
    """to their sockets"""

    rank = 6
    """task i of the node to the i-th thread"""

    rank_numa = 7
    """task i of the node to the i-th NUMA domain"""

    map = 8
    """to the thread in the list, by task"""

    mask = 9
    """to the threads in the list, by task"""

    map_numa = 10
    """to the NUMA domain in the list, by task"""

    mask_numa = 11
    """to the NUMA domains in the list, by task"""

class TaskBind:
    """How the tasks of a job come to hardware threads."""

    def __init__(self, to: TaskBindTo = TaskBindTo.threads, map: Iterable[int] = (), masks: Iterable[SmallSet] = ()) -> None: ...

    @property
    def to(self) -> TaskBindTo:
        """TaskBindTo"""

    @property
    def map(self) -> tuple[int, ...]:
        """from the start again when there are more tasks (each: int)"""

    @property
    def masks(self) -> tuple[SmallSet, ...]:
        """likewise (each: SmallSet)"""

    def replace(self, *, to: TaskBindTo = ..., map: Iterable[int] = ..., masks: Iterable[SmallSet] = ...) -> TaskBind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskBind: ...

    def __deepcopy__(self, memo: object) -> TaskBind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def bind_cpus(nodes: Iterable[Node], placement: Placement, tasks: Iterable[TaskPlacement], bind: TaskBind) -> tuple[PuSet, ...] | Refusal:
    """
    The hardware threads on which each of `tasks` may run, in their order. All are the job's on the
    task's node.

    - none: all of them. threads: the task's own.
    - cores, l3, numa, sockets: those of each such unit that has one of the task's cores. Tasks that
    share a unit share its threads.
    - rank: task i of the node has the i-th thread: the first of each core by rising cores, then the
    second of each. rank_numa: those of the i-th NUMA domain of which the job has a core.
    - map, mask, map_numa, mask_numa: the tasks of a node take the elements of the list in turn.
    Ranks and lists begin from the start again when they end. A job that has no thread in particular
    (thousandths of CPUs) has tasks without any: an empty set.

    Returns a refusal (Constraint::cores, `node n1: ...`) when a list names a CPU that is none of
    the job's, or a NUMA domain without any; Slurm leaves such a CPU out, and where nothing is left
    gives all. Requires: check(bind) is ok; the placement's nodes (by NodeId) exist; tasks, by
    number, are those of layout_tasks for this placement.
    """

class StepUse(enum.Enum):
    """
    Whether what a step has is kept from other steps. Steps that overlap may use whatever the job
    has, and take nothing away from anybody (srun --overlap).
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    alone = 0

    overlap = 1

class JobStep:
    """A part of a job that runs."""

    def __init__(self, id: int = 0, use: StepUse = StepUse.alone, placement: Placement = Placement()) -> None: ...

    @property
    def id(self) -> int:
        """int, a number"""

    @property
    def use(self) -> StepUse:
        """StepUse"""

    @property
    def placement(self) -> Placement:
        """Placement"""

    def replace(self, *, id: int = ..., use: StepUse = ..., placement: Placement = ...) -> JobStep:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobStep: ...

    def __deepcopy__(self, memo: object) -> JobStep: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def find_node(self, node: int) -> NodePlacement | None:
        """What the step has on the node, or None."""

class JobNode:
    """
    One node of a job: what the job has there, and what of it no step has. Steps have thousandths of
    CPUs first of those that the job has, then of the threads of its cores that no step has.
    """

    def __init__(self, name: str = '', shape: NodeShape = NodeShape(), granted: NodePlacement = NodePlacement(), free: Holding = Holding()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def shape(self) -> NodeShape:
        """NodeShape"""

    @property
    def granted(self) -> NodePlacement:
        """NodePlacement"""

    @property
    def free(self) -> Holding:
        """Holding"""

    def replace(self, *, name: str = ..., shape: NodeShape = ..., granted: NodePlacement = ..., free: Holding = ...) -> JobNode:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobNode: ...

    def __deepcopy__(self, memo: object) -> JobNode: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobDevices:
    """
    The devices of one name and type that a job has on one node. Counts are shares: 1 for a device
    that is given whole only, and for an instance of a sliced one.
    """

    def __init__(self, name: str = '', type: str = '', count: int = 0, indexes: SmallSet = SmallSet(), step_count: int = 0, step_indexes: SmallSet = SmallSet()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def count(self) -> int:
        """int, a count"""

    @property
    def indexes(self) -> SmallSet:
        """SmallSet"""

    @property
    def step_count(self) -> int:
        """of these, what steps have to themselves (int, a count)"""

    @property
    def step_indexes(self) -> SmallSet:
        """SmallSet"""

    def replace(self, *, name: str = ..., type: str = ..., count: int = ..., indexes: SmallSet = ..., step_count: int = ..., step_indexes: SmallSet = ...) -> JobDevices:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobDevices: ...

    def __deepcopy__(self, memo: object) -> JobDevices: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobState:
    """
    An allocation as something to allocate from.

    Changes: start, end, add_node, grow_node and remove_node; after an error it is what it was. A copy is independent of the original.
    """

    def __init__(self) -> None:
        """A job of nobody's without nodes."""

    @staticmethod
    def create(nodes: Iterable[Node], allocation: Allocation) -> JobState:
        """
        The job that has `allocation`, without steps; `nodes` are the cluster's, by NodeId.
        Errors: InvalidArgument for nodes that do not exist, stand twice or out of order; otherwise
        those of add_node.
        """

    def owner(self) -> int:
        """Whose it is."""

    def nodes(self) -> tuple[JobNode, ...]:
        """The job's nodes, by NodeId."""

    def steps(self) -> tuple[JobStep, ...]:
        """The steps that run, by id."""

    def allocation(self) -> Allocation:
        """What the job has now. The request is the one that it was made with."""

    def find_node(self, id: int) -> JobNode | None:
        """What the job has on the node, or None."""

    def find_step(self, id: int) -> JobStep | None:
        """The step that runs, or None."""

    def start(self, step: JobStep) -> None:
        """
        Starts a step on the units that it names. Errors: FailedPrecondition when the id runs
        already, the job does not have a node or unit, or another step has it (the message names
        that step); InvalidArgument for a step without nodes, for units that do not exist, stand
        twice or out of order, and for cores in another row or with more threads than the job has.
        Nothing changes then.
        """

    def end(self, id: int) -> JobStep:
        """
        Ends a step; what it had is the job's to give again.
        Errors: NotFound when no step with that id runs.
        """

    def add_node(self, node: Node, granted: NodePlacement) -> None:
        """
        Adds a node with what the job has of it. The entries of the other nodes stay as they are.
        Errors: FailedPrecondition when the job has the node, or one of that name, already, and for
        more memory than a domain has; InvalidArgument for a node without a name or that check()
        refuses, and for units that do not exist, stand twice or out of order. Nothing changes then.
        """

    def grow_node(self, whole: NodePlacement) -> None:
        """
        Makes what the job has of one of its nodes `whole`, which holds all that it had there, as
        after Cluster::extend; what is new no step has. Steps there go on.
        Errors: NotFound when the node is not the job's; FailedPrecondition when `whole` lacks a
        unit of the job's, is of another row or uses cores otherwise; else those of add_node.
        Nothing changes then.
        """

    def remove_node(self, id: int) -> Placement:
        """
        Takes a node out and returns what the job had there, for Cluster::release_part. The entries
        of the other nodes stay as they are; the last node may go too.
        Errors: NotFound when the node is not the job's; FailedPrecondition while a step runs there,
        overlapping or not: the message names the first. Nothing changes then.
        """

    def __eq__(self, other: object, /) -> bool: ...

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __str__(self) -> str: ...

    def __copy__(self) -> JobState: ...

    def __deepcopy__(self, memo: object) -> JobState: ...

    def __getstate__(self) -> tuple[Allocation, tuple[tuple[JobNode, ...], tuple[JobStep, ...]]]: ...

    def __setstate__(self, arg: tuple[Allocation, tuple[Iterable[JobNode], Iterable[JobStep]]], /) -> None: ...

    def __repr__(self) -> str: ...

class StepOptions:
    """How a step takes its part of a job."""

    def __init__(self, use: StepUse = StepUse.alone, place: PlaceOptions = PlaceOptions()) -> None: ...

    @property
    def use(self) -> StepUse:
        """StepUse"""

    @property
    def place(self) -> PlaceOptions:
        """PlaceOptions"""

    def replace(self, *, use: StepUse = ..., place: PlaceOptions = ...) -> StepOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StepOptions: ...

    def __deepcopy__(self, memo: object) -> StepOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def devices_of(node: JobNode) -> tuple[JobDevices, ...]:
    """
    What the job has of each name and type on the node, in the order of their first device.
    """

def cluster_of(job: JobState, use: StepUse) -> Cluster:
    """
    The job's nodes, in their order, as a cluster in which its steps have what they have, each as
    the owner with its number; for a step that overlaps, nobody has anything. What the job does not
    have is not there: its cores are the system's, its memory is empty, its devices have other
    names. Of a device the job's shares are all: two of four make the whole. Thousandths of CPUs are
    those of the job's cores; what it has beside them is not there. Complexity: linear in
    the descriptions of the job's nodes and in its steps.
    """

def place_step(job: JobState, request: Request, options: StepOptions = ...) -> Placement | Refusal:
    """
    The part of the job that meets `request`, for JobState::start. place() decides, so nodes, tasks
    and counts per job are those of the step; with the first policy the lowest nodes, on each of
    them what is near, then what is lowest. A whole node is all that the job has there, and is
    refused while another step has anything of it. Thousandths of CPUs are found in the job's cores;
    those that it has beside them are for steps that name them. What only concerns the choice of
    nodes for the job (features, partition, architecture, topology, cluster-wide counts) is not
    looked at; nodes are required and excluded by name as ever.

    Returns a refusal that names the steps that run. The job is not changed.
    Requires: check(request) is ok. Complexity: that of place() on the job's nodes.
    """

class DeviceAccess:
    """What may be done with a device node: any of read, write, mknod."""

    def __init__(self, can_read: bool = False, can_write: bool = False, can_mknod: bool = False) -> None: ...

    @property
    def can_read(self) -> bool:
        """bool"""

    @property
    def can_write(self) -> bool:
        """bool"""

    @property
    def can_mknod(self) -> bool:
        """bool"""

    def replace(self, *, can_read: bool = ..., can_write: bool = ..., can_mknod: bool = ...) -> DeviceAccess:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceAccess: ...

    def __deepcopy__(self, memo: object) -> DeviceAccess: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @staticmethod
    def read_write() -> DeviceAccess:
        """Read and write."""

    @staticmethod
    def all() -> DeviceAccess:
        """Read, write and mknod."""

    def bits(self) -> int:
        """The kernel's bits: 1 mknod, 2 read, 4 write."""

class DeviceRule:
    """
    Access to the devices of one kind with these numbers; an absent number means every one.
    """

    def __init__(self, kind: DeviceFile.Kind = DeviceFile.Kind.character, major: int | None = None, minor: int | None = None, access: DeviceAccess = DeviceAccess()) -> None: ...

    @property
    def kind(self) -> DeviceFile.Kind:
        """DeviceFile.Kind"""

    @property
    def major(self) -> int | None:
        """int, or None"""

    @property
    def minor(self) -> int | None:
        """int, or None"""

    @property
    def access(self) -> DeviceAccess:
        """DeviceAccess"""

    def replace(self, *, kind: DeviceFile.Kind = ..., major: int | None = ..., minor: int | None = ..., access: DeviceAccess = ...) -> DeviceRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceRule: ...

    def __deepcopy__(self, memo: object) -> DeviceRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceRules:
    """
    Rules in canonical form: sorted by kind, major, minor (every before any number), one for each
    of these, none without access. Kept so by add().
    """

    def __init__(self, rules: Iterable[DeviceRule] = ()) -> None: ...

    @property
    def rules(self) -> tuple[DeviceRule, ...]:
        """each: DeviceRule"""

    def replace(self, *, rules: Iterable[DeviceRule] = ...) -> DeviceRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceRules: ...

    def __deepcopy__(self, memo: object) -> DeviceRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceProbe:
    """
    One try to use a device: its numbers, and everything that is asked at once (open(O_RDWR) asks
    for read and write together).
    """

    def __init__(self, kind: DeviceFile.Kind = DeviceFile.Kind.character, major: int = 0, minor: int = 0, access: DeviceAccess = DeviceAccess()) -> None: ...

    @property
    def kind(self) -> DeviceFile.Kind:
        """DeviceFile.Kind"""

    @property
    def major(self) -> int:
        """int"""

    @property
    def minor(self) -> int:
        """int"""

    @property
    def access(self) -> DeviceAccess:
        """DeviceAccess"""

    def replace(self, *, kind: DeviceFile.Kind = ..., major: int = ..., minor: int = ..., access: DeviceAccess = ...) -> DeviceProbe:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceProbe: ...

    def __deepcopy__(self, memo: object) -> DeviceProbe: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Presence(enum.Enum):
    """Whether a device file has to exist when the plan is applied."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    required = 0

    optional = 1

class AllowedFile:
    """
    A device file that the filter admits. Its numbers may be unknown when the plan is made: whoever
    applies the plan looks at the file, or, where it does not exist yet, takes the major number that
    /proc/devices gives for `driver` together with `file.minor`.
    """

    def __init__(self, file: DeviceFile = DeviceFile(), access: DeviceAccess = DeviceAccess(can_read=True, can_write=True), presence: Presence = Presence.required, driver: str = '') -> None: ...

    @property
    def file(self) -> DeviceFile:
        """DeviceFile"""

    @property
    def access(self) -> DeviceAccess:
        """DeviceAccess"""

    @property
    def presence(self) -> Presence:
        """Presence"""

    @property
    def driver(self) -> str:
        """name in /proc/devices; empty: look at the file only (str)"""

    def replace(self, *, file: DeviceFile = ..., access: DeviceAccess = ..., presence: Presence = ..., driver: str = ...) -> AllowedFile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> AllowedFile: ...

    def __deepcopy__(self, memo: object) -> AllowedFile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceAllowList:
    """What a group may open: rules with known numbers, and files."""

    def __init__(self, rules: DeviceRules = DeviceRules(), files: Iterable[AllowedFile] = ()) -> None: ...

    @property
    def rules(self) -> DeviceRules:
        """DeviceRules"""

    @property
    def files(self) -> tuple[AllowedFile, ...]:
        """each: AllowedFile"""

    def replace(self, *, rules: DeviceRules = ..., files: Iterable[AllowedFile] = ...) -> DeviceAllowList:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceAllowList: ...

    def __deepcopy__(self, memo: object) -> DeviceAllowList: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceNumbering(enum.Enum):
    """How a visibility variable counts devices."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    local = 0
    """
    from 0 among those granted: what a program sees when the filter hides the others
    """

    global_ = 1

    uuid = 2
    """by UUID; local unless every granted device has one"""

    uuid_or_global = 3
    """
    Right whether a filter hides the others or not, by UUID, where every granted device has one
    and the variable knows them; else global, which with the others hidden may show no device,
    and without never shows somebody else's.
    """

class VisibilityVariable:
    """A variable that lists the visible devices, separated by commas."""

    def __init__(self, name: str = '', numberings: Iterable[DeviceNumbering] = (DeviceNumbering.local, DeviceNumbering.global_, DeviceNumbering.uuid), count_attribute: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def numberings(self) -> tuple[DeviceNumbering, ...]:
        """each: DeviceNumbering"""

    @property
    def count_attribute(self) -> str:
        """
        The attribute that says how many numbers in a row each device has, such as one for each of
        its cores; empty: one. Where a device of the kit does not have it, nothing is set. (str)
        """

    def replace(self, *, name: str = ..., numberings: Iterable[DeviceNumbering] = ..., count_attribute: str = ...) -> VisibilityVariable:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> VisibilityVariable: ...

    def __deepcopy__(self, memo: object) -> VisibilityVariable: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeviceKit:
    """What one vendor's devices need."""

    def __init__(self, vendor: str = '', name: str = '', file_prefix: str = '', companions: Iterable[AllowedFile] = (), variables: Iterable[VisibilityVariable] = (), folders: Iterable[str] = ()) -> None: ...

    @property
    def vendor(self) -> str:
        """Device::vendor; empty: any, the files decide (str)"""

    @property
    def name(self) -> str:
        """Device::name (str)"""

    @property
    def file_prefix(self) -> str:
        """recognises a device whose vendor is unknown; empty: never (str)"""

    @property
    def companions(self) -> tuple[AllowedFile, ...]:
        """
        Open beside the device. A `*` in a path stands for the number at the end of the device's
        first file, so that each device has its own; one without a number has none. (each: AllowedFile)
        """

    @property
    def variables(self) -> tuple[VisibilityVariable, ...]:
        """each: VisibilityVariable"""

    @property
    def folders(self) -> tuple[str, ...]:
        """of the host, that its programs use where they exist (each: str)"""

    def replace(self, *, vendor: str = ..., name: str = ..., file_prefix: str = ..., companions: Iterable[AllowedFile] = ..., variables: Iterable[VisibilityVariable] = ..., folders: Iterable[str] = ...) -> DeviceKit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceKit: ...

    def __deepcopy__(self, memo: object) -> DeviceKit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PlannedDevice:
    """
    A device that a plan hands out: what a container runtime has to know of it.
    """

    def __init__(self, name: str = '', type: str = '', index: int = 0, vendor: str = '', model: str = '', uuid: str = '', shares: int = 1, shares_max: int = 1, slice: SliceInstance | None = None, profile: str = '', paths: Iterable[str] = ()) -> None: ...

    @property
    def name(self) -> str:
        """`gpu` (str)"""

    @property
    def type(self) -> str:
        """`a100` (str)"""

    @property
    def index(self) -> int:
        """among the node's devices of this name (int)"""

    @property
    def vendor(self) -> str:
        """str"""

    @property
    def model(self) -> str:
        """str"""

    @property
    def uuid(self) -> str:
        """str"""

    @property
    def shares(self) -> int:
        """taken of shares_max (int, a count)"""

    @property
    def shares_max(self) -> int:
        """what the device can be cut into (int, a count)"""

    @property
    def slice(self) -> SliceInstance | None:
        """absent: shares of the uncut device (SliceInstance, or None)"""

    @property
    def profile(self) -> str:
        """
        of the slice, or of the instance that the device is; empty: whole (str)
        """

    @property
    def paths(self) -> tuple[str, ...]:
        """its own files, then those of its kit (each: str)"""

    def replace(self, *, name: str = ..., type: str = ..., index: int = ..., vendor: str = ..., model: str = ..., uuid: str = ..., shares: int = ..., shares_max: int = ..., slice: SliceInstance | None = ..., profile: str = ..., paths: Iterable[str] = ...) -> PlannedDevice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlannedDevice: ...

    def __deepcopy__(self, memo: object) -> PlannedDevice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BpfInstruction:
    """One instruction, in memory the same as the kernel's struct bpf_insn."""

    def __init__(self, code: int = 0, registers: int = 0, offset: int = 0, immediate: int = 0) -> None: ...

    @property
    def code(self) -> int:
        """int"""

    @property
    def registers(self) -> int:
        """two nibbles; see pack (int)"""

    @property
    def offset(self) -> int:
        """int"""

    @property
    def immediate(self) -> int:
        """int"""

    def replace(self, *, code: int = ..., registers: int = ..., offset: int = ..., immediate: int = ...) -> BpfInstruction:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BpfInstruction: ...

    def __deepcopy__(self, memo: object) -> BpfInstruction: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def allowed(rules: DeviceRules, probe: DeviceProbe) -> bool:
    """
    True when the rules that match the device together grant all that is asked. A device that no
    rule names is denied even when nothing is asked of it. O(rules).
    """

def pseudo_devices() -> DeviceRules:
    """
    The pseudo-devices that ordinary programs need: null, zero, full, random, urandom, tty, ptmx and
    the terminals below /dev/pts. OCI's default list without console (the host's) and without the
    right to make nodes of every other device.
    """

def resolved_rules(list: DeviceAllowList) -> DeviceRules:
    """
    All rules of the list, files turned into rules by their numbers. An optional file without
    numbers is left out.
    Errors: NotFound that names a required file without numbers.
    """

def compile_filter(rules: DeviceRules) -> tuple[BpfInstruction, ...]:
    """
    The program that decides as allowed(rules, ...) does for every device and access.
    Errors: ResourceExhausted when a jump would be longer than 2^15 instructions, which takes more
    than 5,000 rules for minors far from each other. Determinism: equal rules give equal programs.
    Complexity: O(n log n) for n rules; each major times the rules without a major number.
    """

class EnvironmentValue:
    """
    The text of a variable, and whether it may be shown. A digest is the start of SHA-256: it tells
    values apart, and lets everybody check a guess, so that it hides no value that is easily
    guessed.
    """

    def __init__(self, text: str = '') -> None:
        """A secret."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    @staticmethod
    def shown(text: str) -> EnvironmentValue:
        """A value that everybody may see."""

    @staticmethod
    def of_digest(digest: str) -> EnvironmentValue:
        """
        The secret that has this digest, `sha256:1a2b3c4d5e6f`.
        Errors: InvalidArgument for another text, which is not repeated.
        """

    def is_secret(self) -> bool:
        """False: everybody may see it."""

    def is_known(self) -> bool:
        """False when only the digest is known."""

    def digest(self) -> str:
        """`sha256:1a2b3c4d5e6f`."""

    def reveal(self) -> str:
        """The text itself. Errors: trestle.Error when only the digest is known."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

class EnvironmentVariable:
    """A name and its value: `{"TOKEN", "x"}` is a secret."""

    def __init__(self, name: str = '', value: str | EnvironmentValue = EnvironmentValue.of_digest('sha256:e3b0c44298fc')) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def value(self) -> EnvironmentValue:
        """EnvironmentValue, or a text, which is a secret"""

    def replace(self, *, name: str = ..., value: str | EnvironmentValue = ...) -> EnvironmentVariable:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EnvironmentVariable: ...

    def __deepcopy__(self, memo: object) -> EnvironmentVariable: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def shown_variable(name: str, text: str) -> EnvironmentVariable:
    """A variable that everybody may see."""

def check_group_name(group: str) -> None:
    """
    Ok for one to eight parts separated by `/`, each of 1 to 255 bytes without control characters,
    starting neither with a dot (so no part is `.` or `..`) nor with the prefix of the kernel's own
    files (`memory.`, `cgroup.`), where a later kernel may add a file of that very name.
    Errors: InvalidArgument that says where and why.
    """

def parent_group(group: str) -> str:
    """
    `job_42` for `job_42/step_0`; empty, which is the enforcer's root, for `job_42`.
    """

def is_below(name: str, group: str) -> bool:
    """
    True for `group` itself and every group below it; all are below the root, which is empty.
    """

class ProcessResource(enum.Enum):
    """What setrlimit(2) limits, by the names of that page without RLIMIT_."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    cpu = 0

    fsize = 1

    data = 2

    stack = 3

    core = 4

    rss = 5

    nproc = 6

    nofile = 7

    memlock = 8

    as_ = 9

class ProcessLimit:
    """
    One resource limit; an absent number means unlimited. Each process has its own count.
    """

    def __init__(self, resource: ProcessResource = ProcessResource.core, soft: int | None = None, hard: int | None = None) -> None: ...

    @property
    def resource(self) -> ProcessResource:
        """ProcessResource"""

    @property
    def soft(self) -> int | None:
        """int, or None"""

    @property
    def hard(self) -> int | None:
        """int, or None"""

    def replace(self, *, resource: ProcessResource = ..., soft: int | None = ..., hard: int | None = ...) -> ProcessLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ProcessLimit: ...

    def __deepcopy__(self, memo: object) -> ProcessLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class LinuxCapability(enum.Enum):
    """The capabilities of capabilities(7), by the numbers of the kernel."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    CAP_CHOWN = 0

    CAP_DAC_OVERRIDE = 1

    CAP_DAC_READ_SEARCH = 2

    CAP_FOWNER = 3

    CAP_FSETID = 4

    CAP_KILL = 5

    CAP_SETGID = 6

    CAP_SETUID = 7

    CAP_SETPCAP = 8

    CAP_LINUX_IMMUTABLE = 9

    CAP_NET_BIND_SERVICE = 10

    CAP_NET_BROADCAST = 11

    CAP_NET_ADMIN = 12

    CAP_NET_RAW = 13

    CAP_IPC_LOCK = 14

    CAP_IPC_OWNER = 15

    CAP_SYS_MODULE = 16

    CAP_SYS_RAWIO = 17

    CAP_SYS_CHROOT = 18

    CAP_SYS_PTRACE = 19

    CAP_SYS_PACCT = 20

    CAP_SYS_ADMIN = 21

    CAP_SYS_BOOT = 22

    CAP_SYS_NICE = 23

    CAP_SYS_RESOURCE = 24

    CAP_SYS_TIME = 25

    CAP_SYS_TTY_CONFIG = 26

    CAP_MKNOD = 27

    CAP_LEASE = 28

    CAP_AUDIT_WRITE = 29

    CAP_AUDIT_CONTROL = 30

    CAP_SETFCAP = 31

    CAP_MAC_OVERRIDE = 32

    CAP_MAC_ADMIN = 33

    CAP_SYSLOG = 34

    CAP_WAKE_ALARM = 35

    CAP_BLOCK_SUSPEND = 36

    CAP_AUDIT_READ = 37

    CAP_PERFMON = 38

    CAP_BPF = 39

    CAP_CHECKPOINT_RESTORE = 40

class ProcessUser:
    """
    As whom a process runs. All of it is set after the process is in its group and behind the device
    filter, and before its program is executed.

    Of an ordinary user all capabilities are gone, and with no_new_privs nothing that it executes
    has more: neither a set-uid program nor one with capabilities of its own. Without no_new_privs a
    set-uid program has its owner's uid, with what that user may do to files and processes by
    ownership, but of the capabilities only those that are kept; with none kept, a set-uid root
    program can neither mount nor change its uid back and forth.
    Of root (uid 0) it has those that are kept.

    Another user takes an embedder with CAP_SETUID and CAP_SETGID, a smaller bounding set
    CAP_SETPCAP. What already is as wanted is not asked of the kernel, so that an ordinary user can
    run as itself, with `capabilities` absent (see os::current_user).
    """

    def __init__(self, uid: int = 0, gid: int = 0, groups: Iterable[int] = (), capabilities: Iterable[LinuxCapability] | None = (), no_new_privs: bool = True) -> None: ...

    @property
    def uid(self) -> int:
        """real, effective and saved (int)"""

    @property
    def gid(self) -> int:
        """int"""

    @property
    def groups(self) -> tuple[int, ...]:
        """the supplementary groups, these and no others (each: int)"""

    @property
    def capabilities(self) -> tuple[LinuxCapability, ...] | None:
        """
        The bounding set: what may still be gained; absent: as it is. (each: LinuxCapability, or None)
        """

    @property
    def no_new_privs(self) -> bool:
        """bool"""

    def replace(self, *, uid: int = ..., gid: int = ..., groups: Iterable[int] = ..., capabilities: Iterable[LinuxCapability] | None = ..., no_new_privs: bool = ...) -> ProcessUser:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ProcessUser: ...

    def __deepcopy__(self, memo: object) -> ProcessUser: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class MemoryMode(enum.Enum):
    """The modes of set_mempolicy(2)."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    default = 0

    bind = 1
    """from these nodes and no others"""

    preferred = 2
    """
    from these nodes while they have any (several: Linux 5.15), else from others
    """

    interleave = 3
    """page by page from each in turn"""

    local = 4
    """near the CPU that asks, whatever was inherited"""

class MemoryPolicy:
    """From which NUMA nodes a process gets its memory."""

    def __init__(self, mode: MemoryMode = MemoryMode.default, nodes: PuSet = PuSet()) -> None: ...

    @property
    def mode(self) -> MemoryMode:
        """MemoryMode"""

    @property
    def nodes(self) -> PuSet:
        """as the kernel numbers them; none for default and local (PuSet)"""

    def replace(self, *, mode: MemoryMode = ..., nodes: PuSet = ...) -> MemoryPolicy:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryPolicy: ...

    def __deepcopy__(self, memo: object) -> MemoryPolicy: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Scratch:
    """A scratch directory that a plan is to make."""

    def __init__(self, root: str = '', variables: Iterable[str] = ('SLURM_TMPDIR', 'TMPDIR')) -> None: ...

    @property
    def root(self) -> str:
        """an absolute folder of the machine: the enforcer's scratch_root (str)"""

    @property
    def variables(self) -> tuple[str, ...]:
        """are set to its path (each: str)"""

    def replace(self, *, root: str = ..., variables: Iterable[str] = ...) -> Scratch:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Scratch: ...

    def __deepcopy__(self, memo: object) -> Scratch: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ScratchDirectory:
    """A scratch directory as it is made, with mode 0700; no root: none."""

    def __init__(self, root: str = '', name: str = '', uid: int | None = None, gid: int | None = None) -> None: ...

    @property
    def root(self) -> str:
        """str"""

    @property
    def name(self) -> str:
        """str"""

    @property
    def uid(self) -> int | None:
        """its owner; absent: the embedder (int, or None)"""

    @property
    def gid(self) -> int | None:
        """int, or None"""

    def replace(self, *, root: str = ..., name: str = ..., uid: int | None = ..., gid: int | None = ...) -> ScratchDirectory:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ScratchDirectory: ...

    def __deepcopy__(self, memo: object) -> ScratchDirectory: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ProcessSettings:
    """What is set between fork and exec; none of it needs a cgroup."""

    def __init__(self, affinity: PuSet = PuSet(), environment: Iterable[EnvironmentVariable] = (), limits: Iterable[ProcessLimit] = (), user: ProcessUser | None = None, nice: int | None = None, oom_score_adj: int | None = None, memory_policy: MemoryPolicy | None = None, umask: int | None = None, keeps_session: bool = False) -> None: ...

    @property
    def affinity(self) -> PuSet:
        """hardware threads; empty: unchanged (PuSet)"""

    @property
    def environment(self) -> tuple[EnvironmentVariable, ...]:
        """overrides the command's, by name (each: EnvironmentVariable)"""

    @property
    def limits(self) -> tuple[ProcessLimit, ...]:
        """each: ProcessLimit"""

    @property
    def user(self) -> ProcessUser | None:
        """absent: that of the embedder (ProcessUser, or None)"""

    @property
    def nice(self) -> int | None:
        """-20 to 19, itself; absent: unchanged (int, or None)"""

    @property
    def oom_score_adj(self) -> int | None:
        """-1000 to 1000; absent: unchanged (int, or None)"""

    @property
    def memory_policy(self) -> MemoryPolicy | None:
        """absent: unchanged (MemoryPolicy, or None)"""

    @property
    def umask(self) -> int | None:
        """0 to 0777; absent: unchanged (int, or None)"""

    @property
    def keeps_session(self) -> bool:
        """
        False: a session of its own, so that the keys of the embedder's terminal (Ctrl-C) do not
        reach it, and it cannot open, read or type into that terminal as /dev/tty. True for what is
        to be used at the terminal, by somebody who is trusted with it. (bool)
        """

    def replace(self, *, affinity: PuSet = ..., environment: Iterable[EnvironmentVariable] = ..., limits: Iterable[ProcessLimit] = ..., user: ProcessUser | None = ..., nice: int | None = ..., oom_score_adj: int | None = ..., memory_policy: MemoryPolicy | None = ..., umask: int | None = ..., keeps_session: bool = ...) -> ProcessSettings:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ProcessSettings: ...

    def __deepcopy__(self, memo: object) -> ProcessSettings: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def has_nodes(mode: MemoryMode) -> bool:
    """True for the modes that are about nodes in particular."""

def scratch_name(group: str) -> str:
    """
    The directory's name for a group: `job_42%2fstep_0`, with `%25` for `%`, so that no two groups
    have one directory.
    """

def scratch_directory(scratch: Scratch, group: str, user: ProcessUser | None | None = None) -> ScratchDirectory:
    """
    The directory for `group`, of `user` where there is one. Requires: the group's name is good.
    Errors: InvalidArgument for a root that is not absolute, and where the name is too long.
    """

def scratch_environment(scratch: Scratch, directory: ScratchDirectory) -> tuple[EnvironmentVariable, ...]:
    """The variables that name the directory; everybody may see them."""

def settings_lines(settings: ProcessSettings) -> tuple[str, ...]:
    """
    One setting a line, in the order in which they are set: `process nice 5`.
    """

class Command:
    """
    A program to start. Standard input, output and error are those of the starting process.
    """

    def __init__(self, arguments: Iterable[str] = (), environment: Iterable[EnvironmentVariable] = (), directory: str = '') -> None: ...

    @property
    def arguments(self) -> tuple[str, ...]:
        """the program first, found along PATH; not empty (each: str)"""

    @property
    def environment(self) -> tuple[EnvironmentVariable, ...]:
        """each: EnvironmentVariable"""

    @property
    def directory(self) -> str:
        """empty: that of the starting process (str)"""

    def replace(self, *, arguments: Iterable[str] = ..., environment: Iterable[EnvironmentVariable] = ..., directory: str = ...) -> Command:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Command: ...

    def __deepcopy__(self, memo: object) -> Command: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Command:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Ending(enum.Enum):
    """How a command ended."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    exited = 0

    signaled = 1

    out_of_memory = 2

class Outcome:
    """How a command ended."""

    def __init__(self, ending: Ending = Ending.exited, exit_code: int = 0, signal_number: int = 0, oom_kills: int | None = None) -> None: ...

    @property
    def ending(self) -> Ending:
        """Ending"""

    @property
    def exit_code(self) -> int:
        """when it exited (int)"""

    @property
    def signal_number(self) -> int:
        """when a signal ended it, SIGKILL for out_of_memory (int)"""

    @property
    def oom_kills(self) -> int | None:
        """processes of the group killed for memory (int, a count, or None)"""

    def replace(self, *, ending: Ending = ..., exit_code: int = ..., signal_number: int = ..., oom_kills: int | None = ...) -> Outcome:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Outcome: ...

    def __deepcopy__(self, memo: object) -> Outcome: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Outcome:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Child:
    """A process that an enforcer started and has not reaped."""

    def __init__(self, group: str = '', pid: int = 0) -> None: ...

    @property
    def group(self) -> str:
        """str"""

    @property
    def pid(self) -> int:
        """int"""

    def replace(self, *, group: str = ..., pid: int = ...) -> Child:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Child: ...

    def __deepcopy__(self, memo: object) -> Child: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GroupState:
    """A group as it is found below the enforcer's root."""

    def __init__(self, group: str = '', processes: Iterable[int] = (), owner: int | None = None, is_populated: bool = False, is_frozen: bool = False, is_scratch_only: bool = False) -> None: ...

    @property
    def group(self) -> str:
        """str"""

    @property
    def processes(self) -> tuple[int, ...]:
        """in the group itself, rising; zombies do not count (each: int)"""

    @property
    def owner(self) -> int | None:
        """
        The label that the plan left there; absent where there is none, or none that is a number. A
        job that is root on the machine can write it, and so can one of the manager's own user (rows
        c and d of the threat model), so it says whom to ask, not whom to believe. (int, the caller's number of an owner, or None)
        """

    @property
    def is_populated(self) -> bool:
        """a process runs in it or below (bool)"""

    @property
    def is_frozen(self) -> bool:
        """by its own freeze or that of a group above (bool)"""

    @property
    def is_scratch_only(self) -> bool:
        """
        The group has gone, as after a reboot, and its scratch directory has not: remove(group)
        takes it away. (bool)
        """

    def replace(self, *, group: str = ..., processes: Iterable[int] = ..., owner: int | None = ..., is_populated: bool = ..., is_frozen: bool = ..., is_scratch_only: bool = ...) -> GroupState:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GroupState: ...

    def __deepcopy__(self, memo: object) -> GroupState: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Drift:
    """Something of a plan that does not hold."""

    def __init__(self, resource: str = '', file: str = '', expected: str = '', found: str = '', why: str = '') -> None: ...

    @property
    def resource(self) -> str:
        """of the step: `cpu`, `memory`, ... (str)"""

    @property
    def file(self) -> str:
        """what was looked at; `device filter` for the program (str)"""

    @property
    def expected(self) -> str:
        """str"""

    @property
    def found(self) -> str:
        """`unknown` where nobody can tell; empty: nothing is there (str)"""

    @property
    def why(self) -> str:
        """one line (str)"""

    def replace(self, *, resource: str = ..., file: str = ..., expected: str = ..., found: str = ..., why: str = ...) -> Drift:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Drift: ...

    def __deepcopy__(self, memo: object) -> Drift: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Shortfall:
    """Something of the plan that this machine does not enforce, and why."""

    def __init__(self, resource: str = '', step: str = '', reason: str = '') -> None: ...

    @property
    def resource(self) -> str:
        """str"""

    @property
    def step(self) -> str:
        """as printed (str)"""

    @property
    def reason(self) -> str:
        """one line (str)"""

    def replace(self, *, resource: str = ..., step: str = ..., reason: str = ...) -> Shortfall:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Shortfall: ...

    def __deepcopy__(self, memo: object) -> Shortfall: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Applied:
    """
    What apply or update did not do of the steps that are best effort; empty: all of it holds.
    """

    def __init__(self, shortfalls: Iterable[Shortfall] = ()) -> None: ...

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        """
        Those of the plan, then at most one for each resource, in order of the steps. (each: Shortfall)
        """

    def replace(self, *, shortfalls: Iterable[Shortfall] = ...) -> Applied:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Applied: ...

    def __deepcopy__(self, memo: object) -> Applied: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def exited(exit_code: int, oom_kills: int | None | None = None) -> Outcome:
    """A command that left by itself."""

def signaled(signal_number: int, oom_kills: int | None | None = None) -> Outcome:
    """
    A command that a signal ended: out of memory when it was SIGKILL and the kernel counts a kill
    for memory in the group. One that outlived the death of its child for memory has just exited.
    """

@overload
def exit_status(outcome: Outcome) -> int:
    """
    For a shell: the command's own status; 128+n for signal n; 125 when killed for memory.
    """

@overload
def exit_status(end: JobEnd) -> int:
    """
    For a shell: 124 at the time limit, as timeout(1) has it, whatever the command made of it; else
    that of the outcome.
    """

class SignalTarget(enum.Enum):
    """Who gets a signal."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    every_process = 0
    """of the group and those below"""

    leader = 1
    """the command that was started, and nothing that it started"""

class WarningSignal:
    """A signal ahead of the time limit."""

    def __init__(self, signal_number: int = 10, before: int = 60, target: SignalTarget = SignalTarget.every_process) -> None: ...

    @property
    def signal_number(self) -> int:
        """int"""

    @property
    def before(self) -> int:
        """the time limit; longer than that: sent at once (int, seconds)"""

    @property
    def target(self) -> SignalTarget:
        """SignalTarget"""

    def replace(self, *, signal_number: int = ..., before: int = ..., target: SignalTarget = ...) -> WarningSignal:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> WarningSignal: ...

    def __deepcopy__(self, memo: object) -> WarningSignal: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EndPolicy:
    """
    When and by which signals a job is ended: a warning ahead of its time limit, the end signal, and
    after the grace SIGKILL for everything. A grace of 0 leaves the end signal out.
    """

    def __init__(self, time_limit: int | None = None, over_time: int = 0, warning: WarningSignal | None = None, end_signal: int = 15, end_target: SignalTarget = SignalTarget.every_process, grace: int = 30) -> None: ...

    @property
    def time_limit(self) -> int | None:
        """since its start; 0: at once; absent: none (int, seconds, or None)"""

    @property
    def over_time(self) -> int:
        """let pass beyond it; Seconds::max(): any (int, seconds)"""

    @property
    def warning(self) -> WarningSignal | None:
        """nothing without a time limit (WarningSignal, or None)"""

    @property
    def end_signal(self) -> int:
        """int"""

    @property
    def end_target(self) -> SignalTarget:
        """SignalTarget"""

    @property
    def grace(self) -> int:
        """
        from the end signal to SIGKILL; Seconds::max(): for ever (int, seconds)
        """

    def replace(self, *, time_limit: int | None = ..., over_time: int = ..., warning: WarningSignal | None = ..., end_signal: int = ..., end_target: SignalTarget = ..., grace: int = ...) -> EndPolicy:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EndPolicy: ...

    def __deepcopy__(self, memo: object) -> EndPolicy: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class StopCause(enum.Enum):
    """Why somebody else than the job ends it."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    time_limit = 0

    user_stop = 1
    """its owner, or an operator"""

    preempted = 2
    """for another job"""

    shutdown = 3
    """the machine or its manager goes away"""

class JobEnd:
    """How a job ended, and who wanted it to."""

    def __init__(self, outcome: Outcome = Outcome(), cause: StopCause | None = None, is_killed: bool = False) -> None: ...

    @property
    def outcome(self) -> Outcome:
        """of the command that was started (Outcome)"""

    @property
    def cause(self) -> StopCause | None:
        """the first one; absent: it ended by itself (StopCause, or None)"""

    @property
    def is_killed(self) -> bool:
        """SIGKILL was sent: the grace was over, or there was none (bool)"""

    def replace(self, *, outcome: Outcome = ..., cause: StopCause | None = ..., is_killed: bool = ...) -> JobEnd:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobEnd: ...

    def __deepcopy__(self, memo: object) -> JobEnd: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EndReason(enum.Enum):
    """The two halves of a JobEnd in one word."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    exited = 0

    signaled = 1

    out_of_memory = 2

    time_limit = 3

    user_stop = 4

    preempted = 5

    shutdown = 6

class EndStage(enum.Enum):
    """
    The steps of an end, in the order in which they come; any may be left out.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    warning = 0

    end_signal = 1

    kill = 2

class EndAction:
    """A signal to send now."""

    def __init__(self, stage: EndStage = EndStage.kill, signal_number: int = 9, target: SignalTarget = SignalTarget.every_process) -> None: ...

    @property
    def stage(self) -> EndStage:
        """EndStage"""

    @property
    def signal_number(self) -> int:
        """int"""

    @property
    def target(self) -> SignalTarget:
        """SignalTarget"""

    def replace(self, *, stage: EndStage = ..., signal_number: int = ..., target: SignalTarget = ...) -> EndAction:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EndAction: ...

    def __deepcopy__(self, memo: object) -> EndAction: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def reason_of(end: JobEnd) -> EndReason:
    """
    Who was out of memory was, whoever ended the rest of it; then the cause; then the outcome.
    """

def signal_text(number: int) -> str:
    """`SIGTERM`; `signal 40` where there is no name."""

class EndSequence:
    """
    The end of one job. Times are those of one clock, whatever it counts from; one that runs
    backwards stands still here. Each signal is handed out at most once, a warning before the end
    signal and that before SIGKILL, to which everything comes in the end: a job that has a cause to
    end is killed at the latest when its shortest grace is over.

    The first cause is kept and reported. A later one may bring SIGKILL forward, never put it off:
    preemption with less grace, a shutdown at once. The same stop again changes nothing, because
    requests get repeated; whoever wants the job dead now gives a grace of 0 (scancel -s KILL, the
    second Ctrl-C).
    """

    def __init__(self, policy: EndPolicy, started_at: int) -> None:
        """
        The end of a job that started then. Errors: ValueError for a signal that does not exist.
        """

    def next_at(self) -> int | None:
        """
        When advance() has something to do, if nothing else happens; in the past when it has now.
        Nothing: only a stop, or the end of the job, can change anything.
        """

    def advance(self, now: int) -> tuple[EndAction, ...]:
        """
        What to send now, in order. A warning that was missed comes all the same, ahead of the end
        signal, when it is the time limit that ends the job.
        """

    def stop(self, cause: StopCause, now: int, grace: int | None | None = None) -> None:
        """
        Somebody ends the job: the end signal is due now, SIGKILL after `grace`, by default the
        policy's. Seconds(0): SIGKILL now, and no end signal any more.
        A time limit that had been reached before came first.
        """

    def set_time_limit(self, limit: int | None | None, now: int) -> None:
        """
        Another time limit since the start, or none. Nothing happens to a job that has a cause to
        end by now. A warning that was sent is not sent again.
        """

    def cause(self) -> StopCause | None:
        """Why the job ends; nothing as long as nobody but itself ends it."""

    def is_killed(self) -> bool:
        """True once SIGKILL was handed out."""

    def policy(self) -> EndPolicy:
        """The policy, with the time limit that counts now."""

    def end_of(self, outcome: Outcome) -> JobEnd:
        """
        The job's end, when its command ended so. A SIGKILL of ours is not the kernel's for memory,
        even if others of the group had been killed for it.
        """

class LimitSource(enum.Enum):
    """
    Whose number becomes the limit. Slurm: ask for 16 GB, get 16 GB. dstack: ask for `200GB..`, get
    all of the 256 GB that the offer or block has.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    request = 0

    capacity = 1

class Requirement(enum.Enum):
    """What happens when the machine cannot enforce something."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    require = 0
    """the plan fails and nothing of it is left"""

    best_effort = 1
    """go on, and report it"""

    skip = 2
    """do not try"""

class Requirements:
    """How much each resource's enforcement matters."""

    def __init__(self, cpu: Requirement = Requirement.require, memory: Requirement = Requirement.require, swap: Requirement = Requirement.require, pids: Requirement = Requirement.require, devices: Requirement = Requirement.require, io: Requirement = Requirement.require, hugetlb: Requirement = Requirement.require, rdma: Requirement = Requirement.require, misc: Requirement = Requirement.require, partition: Requirement = Requirement.require) -> None: ...

    @property
    def cpu(self) -> Requirement:
        """which CPUs and memory nodes, quota and weight (Requirement)"""

    @property
    def memory(self) -> Requirement:
        """Requirement"""

    @property
    def swap(self) -> Requirement:
        """Requirement"""

    @property
    def pids(self) -> Requirement:
        """Requirement"""

    @property
    def devices(self) -> Requirement:
        """Requirement"""

    @property
    def io(self) -> Requirement:
        """bandwidth and weight (Requirement)"""

    @property
    def hugetlb(self) -> Requirement:
        """Requirement"""

    @property
    def rdma(self) -> Requirement:
        """Requirement"""

    @property
    def misc(self) -> Requirement:
        """Requirement"""

    @property
    def partition(self) -> Requirement:
        """that nobody else uses the CPUs (Requirement)"""

    def replace(self, *, cpu: Requirement = ..., memory: Requirement = ..., swap: Requirement = ..., pids: Requirement = ..., devices: Requirement = ..., io: Requirement = ..., hugetlb: Requirement = ..., rdma: Requirement = ..., misc: Requirement = ..., partition: Requirement = ...) -> Requirements:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Requirements: ...

    def __deepcopy__(self, memo: object) -> Requirements: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @staticmethod
    def all(requirement: Requirement) -> Requirements:
        """The same for each."""

class MemoryRule:
    """
    How memory becomes limits that are not simply it, in parts of it and of what the node has. Parts
    are per million, one below 0 counts as 0; what they come to is rounded down.
    """

    def __init__(self, max_ppm: int = 1000000, swap_ppm: int = 0, least: int = 0, node_ppm: int = 1000000, node_swap_ppm: int = 1000000, has_one_limit: bool = False) -> None: ...

    @property
    def max_ppm(self) -> int:
        """of the memory: where the group has no more (int)"""

    @property
    def swap_ppm(self) -> int:
        """of the memory: swap beside that (int)"""

    @property
    def least(self) -> int:
        """no limit is lower, whatever the node has (int, bytes)"""

    @property
    def node_ppm(self) -> int:
        """of what the node has: the most memory (int)"""

    @property
    def node_swap_ppm(self) -> int:
        """of what the node has: the most swap, beside that (int)"""

    @property
    def has_one_limit(self) -> bool:
        """
        Swap counts as memory: one limit for both, all of which may be memory. (bool)
        """

    def replace(self, *, max_ppm: int = ..., swap_ppm: int = ..., least: int = ..., node_ppm: int = ..., node_swap_ppm: int = ..., has_one_limit: bool = ...) -> MemoryRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryRule: ...

    def __deepcopy__(self, memo: object) -> MemoryRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CpusetPartition(enum.Enum):
    """
    Whether others may use the CPUs of a group, as cpuset.cpus.partition says it.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    member = 0
    """they may"""

    root = 1
    """they may not: the CPUs are a scheduling domain of the group's own"""

    isolated = 2
    """and the kernel balances no load among them"""

class IoLimit:
    """
    How fast a group may use one block device: bytes and operations a second.
    """

    def __init__(self, major: int = 0, minor: int = 0, read_bytes: int | None = None, write_bytes: int | None = None, reads: int | None = None, writes: int | None = None) -> None: ...

    @property
    def major(self) -> int:
        """of the whole disk; the kernel knows no limit of a partition (int)"""

    @property
    def minor(self) -> int:
        """int"""

    @property
    def read_bytes(self) -> int | None:
        """int, bytes, or None"""

    @property
    def write_bytes(self) -> int | None:
        """int, bytes, or None"""

    @property
    def reads(self) -> int | None:
        """int, a count, or None"""

    @property
    def writes(self) -> int | None:
        """int, a count, or None"""

    def replace(self, *, major: int = ..., minor: int = ..., read_bytes: int | None = ..., write_bytes: int | None = ..., reads: int | None = ..., writes: int | None = ...) -> IoLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> IoLimit: ...

    def __deepcopy__(self, memo: object) -> IoLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HugetlbLimit:
    """
    How much of the huge pages of one size a group may have, reserved ones (mmap) as well as used.
    """

    def __init__(self, page_size: int = 0, max: int = 0) -> None: ...

    @property
    def page_size(self) -> int:
        """int, bytes"""

    @property
    def max(self) -> int:
        """a multiple of the page size (int, bytes)"""

    def replace(self, *, page_size: int = ..., max: int = ...) -> HugetlbLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HugetlbLimit: ...

    def __deepcopy__(self, memo: object) -> HugetlbLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RdmaLimit:
    """
    What a group may have of one RDMA device: opened handles, and objects (queue pairs, memory
    regions, ...) made by them.
    """

    def __init__(self, device: str = '', hca_handles: int | None = None, hca_objects: int | None = None) -> None: ...

    @property
    def device(self) -> str:
        """`mlx5_0`, as in /sys/class/infiniband (str)"""

    @property
    def hca_handles(self) -> int | None:
        """int, a count, or None"""

    @property
    def hca_objects(self) -> int | None:
        """int, a count, or None"""

    def replace(self, *, device: str = ..., hca_handles: int | None = ..., hca_objects: int | None = ...) -> RdmaLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RdmaLimit: ...

    def __deepcopy__(self, memo: object) -> RdmaLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class MiscLimit:
    """What a group may have of a resource that the kernel counts by name."""

    def __init__(self, name: str = '', max: int = 0) -> None: ...

    @property
    def name(self) -> str:
        """`sev`, as misc.capacity of the root group has it (str)"""

    @property
    def max(self) -> int:
        """int, a count"""

    def replace(self, *, name: str = ..., max: int = ...) -> MiscLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MiscLimit: ...

    def __deepcopy__(self, memo: object) -> MiscLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class LimitPolicy:
    """How an embedder wants placements to be limited."""

    def __init__(self, source: LimitSource = LimitSource.request, swap: int = 0, has_oom_group: bool = True, has_cpu_quota: bool = False, pids_max: int | None = None, requirements: Requirements = Requirements(), memory_rule: MemoryRule | None = None, cpu_weight: int | None = None, memory_low: int | None = None, memory_min: int | None = None, memory_high: int | None = None, partition: CpusetPartition = CpusetPartition.member, io: Iterable[IoLimit] = (), io_weight: int | None = None, hugetlb: Iterable[HugetlbLimit] = (), rdma: Iterable[RdmaLimit] = (), misc: Iterable[MiscLimit] = ()) -> None: ...

    @property
    def source(self) -> LimitSource:
        """LimitSource"""

    @property
    def swap(self) -> int:
        """beside the memory; 0: memory is never swapped out (int, bytes)"""

    @property
    def has_oom_group(self) -> bool:
        """over memory: all processes of the group die, not one (bool)"""

    @property
    def has_cpu_quota(self) -> bool:
        """also limit CPU time, beside naming the CPUs (bool)"""

    @property
    def pids_max(self) -> int | None:
        """processes and threads; absent: no limit (int, a count, or None)"""

    @property
    def requirements(self) -> Requirements:
        """Requirements"""

    @property
    def memory_rule(self) -> MemoryRule | None:
        """then `swap` is not looked at (MemoryRule, or None)"""

    @property
    def cpu_weight(self) -> int | None:
        """1 to 10000; see cpu_weight_of_shares (int, a count, or None)"""

    @property
    def memory_low(self) -> int | None:
        """
        Memory that others cannot take from the group by needing more: as long as there is
        other memory to reclaim (low), or at all (min). Never more than the group's limit. (int, bytes, or None)
        """

    @property
    def memory_min(self) -> int | None:
        """int, bytes, or None"""

    @property
    def memory_high(self) -> int | None:
        """
        From here on the group is slowed down; with a rule, the lower of the two. (int, bytes, or None)
        """

    @property
    def partition(self) -> CpusetPartition:
        """
        Whether others may use the CPUs; nothing for a placement without CPUs of its own. (CpusetPartition)
        """

    @property
    def io(self) -> tuple[IoLimit, ...]:
        """one for each block device (each: IoLimit)"""

    @property
    def io_weight(self) -> int | None:
        """1 to 10000, for every block device (int, a count, or None)"""

    @property
    def hugetlb(self) -> tuple[HugetlbLimit, ...]:
        """one for each size (each: HugetlbLimit)"""

    @property
    def rdma(self) -> tuple[RdmaLimit, ...]:
        """one for each device (each: RdmaLimit)"""

    @property
    def misc(self) -> tuple[MiscLimit, ...]:
        """one for each name (each: MiscLimit)"""

    def replace(self, *, source: LimitSource = ..., swap: int = ..., has_oom_group: bool = ..., has_cpu_quota: bool = ..., pids_max: int | None = ..., requirements: Requirements = ..., memory_rule: MemoryRule | None = ..., cpu_weight: int | None = ..., memory_low: int | None = ..., memory_min: int | None = ..., memory_high: int | None = ..., partition: CpusetPartition = ..., io: Iterable[IoLimit] = ..., io_weight: int | None = ..., hugetlb: Iterable[HugetlbLimit] = ..., rdma: Iterable[RdmaLimit] = ..., misc: Iterable[MiscLimit] = ...) -> LimitPolicy:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> LimitPolicy: ...

    def __deepcopy__(self, memo: object) -> LimitPolicy: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> LimitPolicy:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Limits:
    """What the kernel is told. Absent or empty: it is told nothing."""

    def __init__(self, cpus: PuSet = PuSet(), mems: PuSet = PuSet(), cpu_max: int | None = None, memory_max: int | None = None, swap_max: int | None = None, is_oom_group: bool = False, pids_max: int | None = None, memory_high: int | None = None, memory_low: int | None = None, memory_min: int | None = None, cpu_weight: int | None = None, partition: CpusetPartition = CpusetPartition.member, io: Iterable[IoLimit] = (), io_weight: int | None = None, hugetlb: Iterable[HugetlbLimit] = (), rdma: Iterable[RdmaLimit] = (), misc: Iterable[MiscLimit] = ()) -> None: ...

    @property
    def cpus(self) -> PuSet:
        """hardware threads (PuSet)"""

    @property
    def mems(self) -> PuSet:
        """NUMA nodes (PuSet)"""

    @property
    def cpu_max(self) -> int | None:
        """CPU time (int, thousandths of a hardware thread, or None)"""

    @property
    def memory_max(self) -> int | None:
        """int, bytes, or None"""

    @property
    def swap_max(self) -> int | None:
        """int, bytes, or None"""

    @property
    def is_oom_group(self) -> bool:
        """bool"""

    @property
    def pids_max(self) -> int | None:
        """int, a count, or None"""

    @property
    def memory_high(self) -> int | None:
        """
        below memory_max: from here on the group is slowed down (int, bytes, or None)
        """

    @property
    def memory_low(self) -> int | None:
        """
        kept from others while there is other memory to take (int, bytes, or None)
        """

    @property
    def memory_min(self) -> int | None:
        """kept from others in any case (int, bytes, or None)"""

    @property
    def cpu_weight(self) -> int | None:
        """1 to 10000 (int, a count, or None)"""

    @property
    def partition(self) -> CpusetPartition:
        """another only where CPUs are named (CpusetPartition)"""

    @property
    def io(self) -> tuple[IoLimit, ...]:
        """each: IoLimit"""

    @property
    def io_weight(self) -> int | None:
        """1 to 10000 (int, a count, or None)"""

    @property
    def hugetlb(self) -> tuple[HugetlbLimit, ...]:
        """each: HugetlbLimit"""

    @property
    def rdma(self) -> tuple[RdmaLimit, ...]:
        """each: RdmaLimit"""

    @property
    def misc(self) -> tuple[MiscLimit, ...]:
        """each: MiscLimit"""

    def replace(self, *, cpus: PuSet = ..., mems: PuSet = ..., cpu_max: int | None = ..., memory_max: int | None = ..., swap_max: int | None = ..., is_oom_group: bool = ..., pids_max: int | None = ..., memory_high: int | None = ..., memory_low: int | None = ..., memory_min: int | None = ..., cpu_weight: int | None = ..., partition: CpusetPartition = ..., io: Iterable[IoLimit] = ..., io_weight: int | None = ..., hugetlb: Iterable[HugetlbLimit] = ..., rdma: Iterable[RdmaLimit] = ..., misc: Iterable[MiscLimit] = ...) -> Limits:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Limits: ...

    def __deepcopy__(self, memo: object) -> Limits: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Exceeded(enum.Enum):
    """What happens to a process that wants more than its limit."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    killed = 0

    throttled = 1
    """it waits"""

    refused = 2
    """the call fails"""

    nothing = 3
    """it gets more"""

class LimitRow:
    """One resource; `-` stands where there is nothing to say."""

    def __init__(self, resource: str = '', asked: str = '', granted: str = '', limited_to: str = '', mechanism: str = '', when_exceeded: Exceeded = Exceeded.nothing) -> None: ...

    @property
    def resource(self) -> str:
        """str"""

    @property
    def asked(self) -> str:
        """str"""

    @property
    def granted(self) -> str:
        """str"""

    @property
    def limited_to(self) -> str:
        """str"""

    @property
    def mechanism(self) -> str:
        """str"""

    @property
    def when_exceeded(self) -> Exceeded:
        """Exceeded"""

    def replace(self, *, resource: str = ..., asked: str = ..., granted: str = ..., limited_to: str = ..., mechanism: str = ..., when_exceeded: Exceeded = ...) -> LimitRow:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> LimitRow: ...

    def __deepcopy__(self, memo: object) -> LimitRow: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> LimitRow:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class StepKind(enum.Enum):
    """What a step of a plan does."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    enable_controller = 0
    """`value` names it; for the children of `group`"""

    make_group = 1
    """`group` must not exist, its parent must"""

    label_group = 2
    """`value`, the number of the owner, on `group` for who finds it later"""

    write_value = 3
    """`value` into `file` of `group`"""

    load_filter = 4
    """`devices` for `group`, at once instead of the filter that it has"""

    freeze = 5
    """every process of `group` stands still until thaw"""

    thaw = 6

    make_scratch = 7
    """`scratch` for `group`; it must not exist"""

class Step:
    """
    One thing to do. Either it is done as a whole, or it fails and has changed nothing.
    """

    def __init__(self, kind: StepKind = StepKind.make_group, requirement: Requirement = Requirement.require, resource: str = '', group: str = '', file: str = '', value: str = '', devices: DeviceAllowList = DeviceAllowList(), scratch: ScratchDirectory = ScratchDirectory()) -> None: ...

    @property
    def kind(self) -> StepKind:
        """StepKind"""

    @property
    def requirement(self) -> Requirement:
        """never skip: what is skipped has no step (Requirement)"""

    @property
    def resource(self) -> str:
        """`cpu`, `memory`, ... as in explain_limits; empty for make_group (str)"""

    @property
    def group(self) -> str:
        """relative to the enforcer's root; empty: the root itself (str)"""

    @property
    def file(self) -> str:
        """str"""

    @property
    def value(self) -> str:
        """empty: nothing, which makes a CPU list its parent's (str)"""

    @property
    def devices(self) -> DeviceAllowList:
        """DeviceAllowList"""

    @property
    def scratch(self) -> ScratchDirectory:
        """ScratchDirectory"""

    def replace(self, *, kind: StepKind = ..., requirement: Requirement = ..., resource: str = ..., group: str = ..., file: str = ..., value: str = ..., devices: DeviceAllowList = ..., scratch: ScratchDirectory = ...) -> Step:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Step: ...

    def __deepcopy__(self, memo: object) -> Step: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Capabilities:
    """
    What groups below one directory can have. A default one offers nothing but groups.
    """

    def __init__(self, kernel: str = '', controllers: Iterable[str] = (), is_delegated: bool = False, no_device_filter: str = '', has_kill: bool = False, has_peak: bool = False, can_reset_peak: bool = False, has_exclusive_cpus: bool = False, can_limit_swap: bool = False, has_swap: bool = False, has_pressure: bool = False, has_user_xattrs: bool = False, has_io_weight: bool = False, has_hugetlb_reservation: bool = False, huge_page_sizes: Iterable[int] = (), can_start_inside: bool = False) -> None: ...

    @property
    def kernel(self) -> str:
        """its version as it says it: `6.12.117-amd64` (str)"""

    @property
    def controllers(self) -> tuple[str, ...]:
        """that groups below can have, by name (each: str)"""

    @property
    def is_delegated(self) -> bool:
        """
        The directory is not the top of its hierarchy: somebody handed it down, and its own
        attributes are not ours to write. (bool)
        """

    @property
    def no_device_filter(self) -> str:
        """why no device filter can be loaded; empty: it can (str)"""

    @property
    def has_kill(self) -> bool:
        """cgroup.kill, Linux 5.14 (bool)"""

    @property
    def has_peak(self) -> bool:
        """memory.peak, 5.19 (bool)"""

    @property
    def can_reset_peak(self) -> bool:
        """6.12 (bool)"""

    @property
    def has_exclusive_cpus(self) -> bool:
        """cpuset.cpus.exclusive, 6.7 (bool)"""

    @property
    def can_limit_swap(self) -> bool:
        """memory.swap.max (bool)"""

    @property
    def has_swap(self) -> bool:
        """there is swap space (bool)"""

    @property
    def has_pressure(self) -> bool:
        """PSI: cpu.pressure and so on (bool)"""

    @property
    def has_user_xattrs(self) -> bool:
        """user.* attributes of groups, 5.7 (bool)"""

    @property
    def has_io_weight(self) -> bool:
        """io.weight; needs the iocost controller (bool)"""

    @property
    def has_hugetlb_reservation(self) -> bool:
        """hugetlb.<size>.rsvd.max, 5.7 (bool)"""

    @property
    def huge_page_sizes(self) -> tuple[int, ...]:
        """rising (each: int, bytes)"""

    @property
    def can_start_inside(self) -> bool:
        """clone3 with CLONE_INTO_CGROUP, 5.7 (bool)"""

    def replace(self, *, kernel: str = ..., controllers: Iterable[str] = ..., is_delegated: bool = ..., no_device_filter: str = ..., has_kill: bool = ..., has_peak: bool = ..., can_reset_peak: bool = ..., has_exclusive_cpus: bool = ..., can_limit_swap: bool = ..., has_swap: bool = ..., has_pressure: bool = ..., has_user_xattrs: bool = ..., has_io_weight: bool = ..., has_hugetlb_reservation: bool = ..., huge_page_sizes: Iterable[int] = ..., can_start_inside: bool = ...) -> Capabilities:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Capabilities: ...

    def __deepcopy__(self, memo: object) -> Capabilities: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Capabilities:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Plan:
    """
    Steps in the order in which they are applied, and the settings of the processes started then.
    Until the last step is done no process is inside, so no moment is looser than the plan.
    """

    def __init__(self, owner: int = 0, group: str = '', steps: Iterable[Step] = (), limits: Limits = Limits(), process: ProcessSettings = ProcessSettings(), devices: Iterable[PlannedDevice] = (), shm_size: int | None = None, disk: int | Range[int] = Range(), end: EndPolicy = EndPolicy(), folders: Iterable[str] = (), shortfalls: Iterable[Shortfall] = ()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def group(self) -> str:
        """str"""

    @property
    def steps(self) -> tuple[Step, ...]:
        """each: Step"""

    @property
    def limits(self) -> Limits:
        """Limits"""

    @property
    def process(self) -> ProcessSettings:
        """ProcessSettings"""

    @property
    def devices(self) -> tuple[PlannedDevice, ...]:
        """whose files the filter admits (each: PlannedDevice)"""

    @property
    def shm_size(self) -> int | None:
        """
        Asked of /dev/shm. Groups do not limit it; containers do (dialect/container). (int, bytes, or None)
        """

    @property
    def disk(self) -> Range[int]:
        """asked; no step limits it (a Range of: int, bytes)"""

    @property
    def end(self) -> EndPolicy:
        """
        When and how the job is ended. No step does it: whoever runs the job keeps the time
        (os/time_keeper.hpp). (EndPolicy)
        """

    @property
    def folders(self) -> tuple[str, ...]:
        """
        Of the host, that programs of the devices use: containers bind them. They may not exist:
        os::with_device_numbers takes out those that do not. (each: str)
        """

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        """
        Best-effort steps that were left out because the machine lacks what they need
        (PlanOptions::capabilities), at most one for each resource. (each: Shortfall)
        """

    def replace(self, *, owner: int = ..., group: str = ..., steps: Iterable[Step] = ..., limits: Limits = ..., process: ProcessSettings = ..., devices: Iterable[PlannedDevice] = ..., shm_size: int | None = ..., disk: int | Range[int] = ..., end: EndPolicy = ..., folders: Iterable[str] = ..., shortfalls: Iterable[Shortfall] = ...) -> Plan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Plan: ...

    def __deepcopy__(self, memo: object) -> Plan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Plan:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class TaskSettings:
    """What one task of a job has of its own."""

    def __init__(self, cpus: PuSet = PuSet(), memory_policy: MemoryPolicy | None = None, environment: Iterable[EnvironmentVariable] = ()) -> None: ...

    @property
    def cpus(self) -> PuSet:
        """empty: those of the plan (PuSet)"""

    @property
    def memory_policy(self) -> MemoryPolicy | None:
        """absent: that of the plan (MemoryPolicy, or None)"""

    @property
    def environment(self) -> tuple[EnvironmentVariable, ...]:
        """wins over the plan's (each: EnvironmentVariable)"""

    def replace(self, *, cpus: PuSet = ..., memory_policy: MemoryPolicy | None = ..., environment: Iterable[EnvironmentVariable] = ...) -> TaskSettings:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskSettings: ...

    def __deepcopy__(self, memo: object) -> TaskSettings: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def task_plan(plan: Plan, task: TaskSettings) -> Plan:
    """
    The plan with the settings of one task: apply the job's plan once, and spawn each task with its
    own. Errors: InvalidArgument for a CPU or NUMA node that is none of the plan's, and for bad
    variables.
    """

class PlanOptions:
    """What a plan needs beside placement and policy."""

    def __init__(self, group: str = '', owner: int = 0, environment: Iterable[EnvironmentVariable] = (), limits: Iterable[ProcessLimit] = (), kits: Iterable[DeviceKit] = ..., pseudo_devices: DeviceRules = ..., end: EndPolicy = EndPolicy(), numbering: DeviceNumbering | None = None, capabilities: Capabilities | None = None, user: ProcessUser | None = None, nice: int | None = None, oom_score_adj: int | None = None, umask: int | None = None, memory_mode: MemoryMode | None = None, scratch: Scratch | None = None) -> None: ...

    @property
    def group(self) -> str:
        """`job_42`; `job_42/step_0` below an existing group (str)"""

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def environment(self) -> tuple[EnvironmentVariable, ...]:
        """
        Wins over the device kits' variables. `{"A", "b"}` is a secret: see environment.hpp. (each: EnvironmentVariable)
        """

    @property
    def limits(self) -> tuple[ProcessLimit, ...]:
        """each: ProcessLimit"""

    @property
    def kits(self) -> tuple[DeviceKit, ...]:
        """each: DeviceKit"""

    @property
    def pseudo_devices(self) -> DeviceRules:
        """DeviceRules"""

    @property
    def end(self) -> EndPolicy:
        """without a time limit it gets the request's (EndPolicy)"""

    @property
    def numbering(self) -> DeviceNumbering | None:
        """
        Absent: local when the plan has a device filter that it requires, global when it has none.
        One that is best effort may turn out to be a shortfall of apply, and a job that counts from
        0 would then use somebody else's device: uuid_or_global. AMD's and NVIDIA's variables take
        UUIDs; Intel's and Neuron's only indexes, so that behind a filter that holds their programs
        may find no device. Who wants them to, plans once more with `local` when apply has reported
        no shortfall of devices, and spawns with that plan: its steps are the same. Containers have
        the granted devices only: local. (DeviceNumbering, or None)
        """

    @property
    def capabilities(self) -> Capabilities | None:
        """
        What the machine offers. Absent: unknown, so every step is planned and apply finds out. (Capabilities, or None)
        """

    @property
    def user(self) -> ProcessUser | None:
        """absent: that of the embedder (ProcessUser, or None)"""

    @property
    def nice(self) -> int | None:
        """absent: unchanged (int, or None)"""

    @property
    def oom_score_adj(self) -> int | None:
        """absent: unchanged (int, or None)"""

    @property
    def umask(self) -> int | None:
        """absent: unchanged (int, or None)"""

    @property
    def memory_mode(self) -> MemoryMode | None:
        """
        Absent: unchanged. The nodes are those near the cores, of which memory was granted; where
        that is none, those of which it was granted. (MemoryMode, or None)
        """

    @property
    def scratch(self) -> Scratch | None:
        """absent: none. Its variables give way to environment (Scratch, or None)"""

    def replace(self, *, group: str = ..., owner: int = ..., environment: Iterable[EnvironmentVariable] = ..., limits: Iterable[ProcessLimit] = ..., kits: Iterable[DeviceKit] = ..., pseudo_devices: DeviceRules = ..., end: EndPolicy = ..., numbering: DeviceNumbering | None = ..., capabilities: Capabilities | None = ..., user: ProcessUser | None = ..., nice: int | None = ..., oom_score_adj: int | None = ..., umask: int | None = ..., memory_mode: MemoryMode | None = ..., scratch: Scratch | None = ...) -> PlanOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlanOptions: ...

    def __deepcopy__(self, memo: object) -> PlanOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def plan(node: Node, placement: NodePlacement, request: Request, policy: LimitPolicy, options: PlanOptions) -> Plan:
    """
    The plan for one node's part of a placement: make the group, write the limits, load the filter.
    With options.capabilities, best-effort steps that the machine cannot do are left out and listed
    in Plan::shortfalls; `limits` and the process settings stay as wanted.
    Errors: InvalidArgument for a bad group name, a bad variable or another
    bad setting of the processes, a policy that check() refuses, a
    signal that does not exist, a placement that fits neither the node nor the request, and a
    required partition without CPUs; FailedPrecondition for a required step that the machine cannot
    do, naming resource and lack.
    """

class UpdateEffect(enum.Enum):
    """What a step of an update does to what the processes may do."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0
    """nothing: controllers are enabled, processes stand still or go on"""

    tightens = 1
    """less than before"""

    moves = 2
    """something else: two sets of CPUs have nothing in common"""

    loosens = 3
    """more than before"""

class UpdateStep:
    """
    One step of an update, and the step that takes it back, when there is anything to take back:
    a controller that was enabled stays so.
    """

    def __init__(self, step: Step = Step(), inverse: Step | None = None, effect: UpdateEffect = UpdateEffect.none) -> None: ...

    @property
    def step(self) -> Step:
        """Step"""

    @property
    def inverse(self) -> Step | None:
        """Step, or None"""

    @property
    def effect(self) -> UpdateEffect:
        """UpdateEffect"""

    def replace(self, *, step: Step = ..., inverse: Step | None = ..., effect: UpdateEffect = ...) -> UpdateStep:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> UpdateStep: ...

    def __deepcopy__(self, memo: object) -> UpdateStep: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PlanUpdate:
    """What leads from one plan to another."""

    def __init__(self, owner: int = 0, group: str = '', steps: Iterable[UpdateStep] = (), for_new_processes: Iterable[str] = (), besides: Iterable[str] = ()) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def group(self) -> str:
        """str"""

    @property
    def steps(self) -> tuple[UpdateStep, ...]:
        """each: UpdateStep"""

    @property
    def for_new_processes(self) -> tuple[str, ...]:
        """
        Process settings that differ, as plan_diff() prints them. Running processes keep theirs (the
        kernel moves them to CPUs that they may still use); new ones have the new ones. (each: str)
        """

    @property
    def besides(self) -> tuple[str, ...]:
        """
        What differs and no step does, as plan_diff() prints it: how the job is ended, which whoever
        keeps its time has to be told; what containers are given; controllers that stay enabled. (each: str)
        """

    def replace(self, *, owner: int = ..., group: str = ..., steps: Iterable[UpdateStep] = ..., for_new_processes: Iterable[str] = ..., besides: Iterable[str] = ...) -> PlanUpdate:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlanUpdate: ...

    def __deepcopy__(self, memo: object) -> PlanUpdate: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> PlanUpdate:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def plan_update(before: Plan, after: Plan) -> PlanUpdate:
    """
    The steps from one plan to another of the same group: enable what is new, go down to what both
    plans allow, then up to the new one. Until the first step up the state is within the old plan,
    from it on within the new one. What has nothing in common with its successor, two sets of CPUs,
    goes over in one write in between; where two things are like this, the group is frozen
    meanwhile. A plan without filter after one with it: the filter then admits every device.
    Equal plans: no steps. The state before is taken to be that of `from`: best-effort steps that
    failed may have left it looser. The groups below stay as they are. After a freeze of its own the
    group is thawed, also where the caller had frozen it. Whether a step is required matters where
    it is done; that alone is no reason to do it again.
    Errors: InvalidArgument for plans of different groups, for a file of one plan only that is not
    known here, and for what cannot change while processes run: another scratch directory, a label
    that is taken away, an owner whom no label names, and steps that are none of such a plan's.
    """

def steps_back(update: PlanUpdate, done: int) -> tuple[Step, ...]:
    """
    The steps that take back the first `done` steps of the update, in order. Each of them leads
    to a state that was there on the way, so no moment of the way back is looser either.
    Requires: done <= update.steps.size().
    """

def lack_of(step: Step, machine: Capabilities) -> str:
    """
    Why the machine cannot do the step, in one line; empty when nothing is known against it.
    """

def cpu_weight_of_shares(shares: int) -> int:
    """
    The cpu.weight that stands for so many cpu.shares of cgroup v1, as runc and crun count since
    2025: 10^((l^2 + 125 l - 126) / 612) rounded up, l the binary logarithm of the shares. It takes
    2, 1024 (the default) and 262144 to 1, 100 and 10000; what lies outside counts as the nearer
    end. 0, which OCI takes for "not said", is the caller's to leave out. cpu.idle, with which the
    kernel refuses a weight, is never written.
    """

def huge_page_name(page_size: int) -> str:
    """
    A size of huge pages as the kernel's file names have it: `2MB`, `1GB`, `64KB`.
    """

def plan_diff(before: Plan, after: Plan) -> tuple[str, ...]: ...

class CredentialDevice:
    """
    What an id of a device in the placement means, so that a machine that numbers its devices
    otherwise gives the right one.
    """

    def __init__(self, device: int = 0, name: str = '', type: str = '', index: int = 0) -> None: ...

    @property
    def device(self) -> int:
        """int, position of a device"""

    @property
    def name(self) -> str:
        """str"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def index(self) -> int:
        """among the node's devices of this name (int)"""

    def replace(self, *, device: int = ..., name: str = ..., type: str = ..., index: int = ...) -> CredentialDevice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CredentialDevice: ...

    def __deepcopy__(self, memo: object) -> CredentialDevice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CredentialNode:
    """What the numbers of one node's part mean."""

    def __init__(self, name: str = '', cores: int = 0, memory_domains: int = 0, devices: Iterable[CredentialDevice] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def cores(self) -> int:
        """of the node (int)"""

    @property
    def memory_domains(self) -> int:
        """of the node (int)"""

    @property
    def devices(self) -> tuple[CredentialDevice, ...]:
        """those of the placement, each once (each: CredentialDevice)"""

    def replace(self, *, name: str = ..., cores: int = ..., memory_domains: int = ..., devices: Iterable[CredentialDevice] = ...) -> CredentialNode:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CredentialNode: ...

    def __deepcopy__(self, memo: object) -> CredentialNode: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Credential:
    """An allocation, and what its numbers mean."""

    def __init__(self, allocation: Allocation = Allocation(), nodes: Iterable[CredentialNode] = (), issued_at: int = 0) -> None: ...

    @property
    def allocation(self) -> Allocation:
        """Allocation"""

    @property
    def nodes(self) -> tuple[CredentialNode, ...]:
        """as the nodes of the placement (each: CredentialNode)"""

    @property
    def issued_at(self) -> int:
        """by the clock of who issued it, since 1970 (int, seconds)"""

    def replace(self, *, allocation: Allocation = ..., nodes: Iterable[CredentialNode] = ..., issued_at: int = ...) -> Credential:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Credential: ...

    def __deepcopy__(self, memo: object) -> Credential: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Credential:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def credential_of(allocation: Allocation, cluster: Cluster, issued_at: int = 0) -> Credential:
    """
    The credential of an allocation; `node_of(id)` gives the cluster's node.
    Errors: InvalidArgument for a placement without cores, or that takes what its nodes lack.
    """

def part_of(credential: Credential, node: Node) -> NodePlacement:
    """
    What the credential gives of `node`, by the numbers of that node. The node is found by its name,
    a device by name and index. Errors: NotFound when the credential has no node of that name;
    FailedPrecondition when the node has another number of cores or memory domains, or does not have
    a device, or one of another type (where both name one).
    """

def plan_of(credential: Credential, node: Node, policy: LimitPolicy, options: PlanOptions) -> Plan:
    """
    plan() of that part, for the component of the request that it belongs to. `options.owner` is set
    to the credential's. Errors: those of part_of and plan.
    """

def limits_of(request: Request, shape: NodeShape, placement: NodePlacement, policy: LimitPolicy) -> Limits:
    """
    The limits of one placement. One with cores only may use their threads, and with has_cpu_quota
    as much time as these have. One with thousandths of CPUs has these on any CPU, so its time is
    limited, that of its cores included, and no set of CPUs is named, nor a partition. Memory is
    limited to what was asked (LimitSource::request, never above the grant) or granted (capacity),
    or to what the policy's rule makes of that, with memory_high where it is less than the limit;
    where that is nothing there is no limit. All else is as the policy has it. Requires: the
    placement fits the shape (see check in plan.hpp). A policy is taken as it is, also one that
    check() refuses.
    """

def asked_memory(request: Request, shape: NodeShape, placement: NodePlacement) -> int:
    """
    The memory that `request` asks of the node of `placement`, the lower end of its range (the upper
    one where there is no lower; 0 for no range at all): per node as it stands, per CPU
    times the hardware threads granted, per device times the devices granted.
    Bytes::max() when the product exceeds it.
    """

def memory_policy_of(shape: NodeShape, placement: NodePlacement, mode: MemoryMode) -> MemoryPolicy:
    """
    The policy that a mode becomes for this placement: see PlanOptions::memory_mode.
    Requires: the placement fits the shape.
    """

def explain_limits(request: Request, shape: NodeShape, placement: NodePlacement, policy: LimitPolicy) -> tuple[LimitRow, ...]:
    """
    One row for each resource in a fixed order: cpu, memory, swap, devices, pids, and, when asked
    for or in the policy, weights, the partition, block devices, huge pages, RDMA, misc, disk,
    shared memory and time. Rows that nothing enforces say so. Requires: the placement fits the
    shape (see check in plan.hpp).
    """

def limit_table(rows: Iterable[LimitRow]) -> str:
    """
    A table with a line of headings, columns padded with blanks, one row a line.
    """

def nvidia_kit() -> DeviceKit:
    """
    NVIDIA: control, unified memory and modeset nodes. The majors of the uvm nodes are dynamic, and
    the nodes appear at the first use of the driver (nvidia-modprobe).
    """

def amd_kit() -> DeviceKit:
    """
    AMD: the compute node that all GPUs share. The render node is the device's own file, and amdkfd
    itself asks the filter for it (kfd_devcgroup_check_permission). What ROCR_VISIBLE_DEVICES leaves
    is counted from 0 by the runtimes above it, which read GPU_DEVICE_ORDINAL (ROCm documentation,
    GPU isolation techniques).
    """

def intel_kit() -> DeviceKit:
    """
    Intel: card and render node are the device's own files. The mask has numbers only.
    """

def gaudi_kit() -> DeviceKit:
    """
    Intel Gaudi: a node to control each card beside that to use it. The variable is read outside of
    the job, by the vendor's container runtime, which knows all cards of the node.
    """

def neuron_kit() -> DeviceKit:
    """
    AWS Neuron: the runtime counts cores, of which a device has several (attribute `neuron_cores`).
    """

def vfio_kit() -> DeviceKit:
    """
    What is reached through VFIO, as TPUs are since v5: the container that holds its groups. Older
    TPUs need their own file alone. No variable is set: TPU_VISIBLE_CHIPS wants the shape of the
    chips beside it, which the framework knows.
    """

def tenstorrent_kit() -> DeviceKit:
    """
    Tenstorrent: the driver shares huge pages with the cards, where some are set aside.
    """

def rdma_kit() -> DeviceKit:
    """
    RDMA adapters of any maker: connections are made through the one node that all of them share.
    """

def standard_device_kits() -> tuple[DeviceKit, ...]: ...

def kit_of(kits: Iterable[DeviceKit], device: Device) -> DeviceKit | None:
    """The kit for a device: the first that fits, or none."""

def companions_of(kit: DeviceKit, device: Device) -> tuple[AllowedFile, ...]:
    """The kit's companions for one device, each `*` filled in."""

def allowed_files(shape: NodeShape, placement: NodePlacement, kits: Iterable[DeviceKit]) -> tuple[AllowedFile, ...]:
    """
    The files of the placement's devices, then the companions that their kits name, each path once.
    Requires: the devices exist.
    """

def host_folders(shape: NodeShape, placement: NodePlacement, kits: Iterable[DeviceKit]) -> tuple[str, ...]:
    """
    The folders that the kits of the placement's devices name, each once. Requires: the devices
    exist.
    """

def planned_devices(shape: NodeShape, placement: NodePlacement, kits: Iterable[DeviceKit]) -> tuple[PlannedDevice, ...]:
    """
    The devices of the placement, in its order. Requires: the devices exist.
    """

def visibility(shape: NodeShape, placement: NodePlacement, kits: Iterable[DeviceKit], numbering: DeviceNumbering) -> tuple[EnvironmentVariable, ...]:
    """
    The visibility variables of all kits of which the placement has a device, in the order of the
    kits. Requires: the devices exist.
    """

def is_within(narrow: DeviceAllowList, wide: DeviceAllowList) -> bool:
    """
    True when everything that `narrow` admits is admitted by `wide`. A file counts as another one's
    equal by path, numbers and driver. O(n m).
    """

def common_devices(a: DeviceAllowList, b: DeviceAllowList) -> DeviceAllowList:
    """
    A list that admits nothing but what both admit: all of that, except what only the numbers of a
    file could tell. Its order is that of `b`, then `a`. O(n m).
    """

def every_device() -> DeviceAllowList:
    """
    A filter that keeps nobody from anything, which is how a group with a filter goes without.
    """

class Pressure:
    """
    How much of the last ten seconds some process, or all of them at once, waited for a resource
    (the kernel's pressure stall information).
    """

    def __init__(self, some: int | None = None, full: int | None = None) -> None: ...

    @property
    def some(self) -> int | None:
        """int, hundredths of a percent, or None"""

    @property
    def full(self) -> int | None:
        """int, hundredths of a percent, or None"""

    def replace(self, *, some: int | None = ..., full: int | None = ...) -> Pressure:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Pressure: ...

    def __deepcopy__(self, memo: object) -> Pressure: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EnergyCounter:
    """
    A counter of energy, such as that of a processor package (RAPL), which starts again at 0 when it
    has reached its range.
    """

    def __init__(self, name: str = '', energy: int = 0, range: int | None = None) -> None: ...

    @property
    def name(self) -> str:
        """`package-0`, `package-0/dram`; the same at every reading (str)"""

    @property
    def energy(self) -> int:
        """int, microjoules"""

    @property
    def range(self) -> int | None:
        """absent: it never starts again (int, microjoules, or None)"""

    def replace(self, *, name: str = ..., energy: int = ..., range: int | None = ...) -> EnergyCounter:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EnergyCounter: ...

    def __deepcopy__(self, memo: object) -> EnergyCounter: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GpuUsage:
    """What a GPU, or an instance of one, uses, whoever uses it."""

    def __init__(self, uuid: str = '', memory_used: int | None = None, memory_total: int | None = None, utilisation: int | None = None, temperature: int | None = None, power: int | None = None, energy: int | None = None) -> None: ...

    @property
    def uuid(self) -> str:
        """str"""

    @property
    def memory_used(self) -> int | None:
        """int, bytes, or None"""

    @property
    def memory_total(self) -> int | None:
        """int, bytes, or None"""

    @property
    def utilisation(self) -> int | None:
        """
        of the time since the driver last looked (int, hundredths of a percent, or None)
        """

    @property
    def temperature(self) -> int | None:
        """int, degrees Celsius, or None"""

    @property
    def power(self) -> int | None:
        """int, milliwatts, or None"""

    @property
    def energy(self) -> int | None:
        """since the driver was loaded (int, microjoules, or None)"""

    def replace(self, *, uuid: str = ..., memory_used: int | None = ..., memory_total: int | None = ..., utilisation: int | None = ..., temperature: int | None = ..., power: int | None = ..., energy: int | None = ...) -> GpuUsage:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuUsage: ...

    def __deepcopy__(self, memo: object) -> GpuUsage: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Usage:
    """What a group uses and has used. Absent: not known here."""

    def __init__(self, memory: int | None = None, memory_peak: int | None = None, oom_kills: int | None = None, cpu_time: int | None = None, throttled_time: int | None = None, pids: int | None = None, pids_peak: int | None = None, at: int | None = None, cpu_user: int | None = None, cpu_system: int | None = None, cpu_periods: int | None = None, throttled_periods: int | None = None, working_set: int | None = None, memory_anon: int | None = None, memory_file: int | None = None, swap: int | None = None, read_bytes: int | None = None, written_bytes: int | None = None, reads: int | None = None, writes: int | None = None, cpu_pressure: Pressure = Pressure(), memory_pressure: Pressure = Pressure(), io_pressure: Pressure = Pressure(), energy: Iterable[EnergyCounter] = (), gpus: Iterable[GpuUsage] = ()) -> None: ...

    @property
    def memory(self) -> int | None:
        """with the file cache (int, bytes, or None)"""

    @property
    def memory_peak(self) -> int | None:
        """int, bytes, or None"""

    @property
    def oom_kills(self) -> int | None:
        """int, a count, or None"""

    @property
    def cpu_time(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def throttled_time(self) -> int | None:
        """waited for the CPU quota, over all CPUs (int, microseconds, or None)"""

    @property
    def pids(self) -> int | None:
        """threads count (int, a count, or None)"""

    @property
    def pids_peak(self) -> int | None:
        """int, a count, or None"""

    @property
    def at(self) -> int | None:
        """
        When this was read, by a clock that only goes forward and is the same at every reading. (int, microseconds, or None)
        """

    @property
    def cpu_user(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def cpu_system(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def cpu_periods(self) -> int | None:
        """of the CPU quota, in which something ran (int, a count, or None)"""

    @property
    def throttled_periods(self) -> int | None:
        """int, a count, or None"""

    @property
    def working_set(self) -> int | None:
        """memory without file pages that are not in use (int, bytes, or None)"""

    @property
    def memory_anon(self) -> int | None:
        """int, bytes, or None"""

    @property
    def memory_file(self) -> int | None:
        """int, bytes, or None"""

    @property
    def swap(self) -> int | None:
        """int, bytes, or None"""

    @property
    def read_bytes(self) -> int | None:
        """of block devices, as are the next three (int, bytes, or None)"""

    @property
    def written_bytes(self) -> int | None:
        """int, bytes, or None"""

    @property
    def reads(self) -> int | None:
        """int, a count, or None"""

    @property
    def writes(self) -> int | None:
        """int, a count, or None"""

    @property
    def cpu_pressure(self) -> Pressure:
        """Pressure"""

    @property
    def memory_pressure(self) -> Pressure:
        """Pressure"""

    @property
    def io_pressure(self) -> Pressure:
        """Pressure"""

    @property
    def energy(self) -> tuple[EnergyCounter, ...]:
        """of the machine; empty: not known (each: EnergyCounter)"""

    @property
    def gpus(self) -> tuple[GpuUsage, ...]:
        """of those that the group has; empty: not known (each: GpuUsage)"""

    def replace(self, *, memory: int | None = ..., memory_peak: int | None = ..., oom_kills: int | None = ..., cpu_time: int | None = ..., throttled_time: int | None = ..., pids: int | None = ..., pids_peak: int | None = ..., at: int | None = ..., cpu_user: int | None = ..., cpu_system: int | None = ..., cpu_periods: int | None = ..., throttled_periods: int | None = ..., working_set: int | None = ..., memory_anon: int | None = ..., memory_file: int | None = ..., swap: int | None = ..., read_bytes: int | None = ..., written_bytes: int | None = ..., reads: int | None = ..., writes: int | None = ..., cpu_pressure: Pressure = ..., memory_pressure: Pressure = ..., io_pressure: Pressure = ..., energy: Iterable[EnergyCounter] = ..., gpus: Iterable[GpuUsage] = ...) -> Usage:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Usage: ...

    def __deepcopy__(self, memo: object) -> Usage: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Usage:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class Grant:
    """What a group may use: the whole of which its shares are parts."""

    def __init__(self, cpus: int = 0, memory: int | None = None) -> None: ...

    @property
    def cpus(self) -> int:
        """0: not limited (int, thousandths of a hardware thread)"""

    @property
    def memory(self) -> int | None:
        """absent: not limited (int, bytes, or None)"""

    def replace(self, *, cpus: int = ..., memory: int | None = ...) -> Grant:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Grant: ...

    def __deepcopy__(self, memo: object) -> Grant: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GpuRates:
    """What a GPU did between two readings."""

    def __init__(self, uuid: str = '', memory: int | None = None, utilisation: int | None = None, power: int | None = None) -> None: ...

    @property
    def uuid(self) -> str:
        """str"""

    @property
    def memory(self) -> int | None:
        """used of all (int, hundredths of a percent, or None)"""

    @property
    def utilisation(self) -> int | None:
        """as the driver told last (int, hundredths of a percent, or None)"""

    @property
    def power(self) -> int | None:
        """
        By its counter of energy; without one, or without a first reading, as the driver told last. (int, milliwatts, or None)
        """

    def replace(self, *, uuid: str = ..., memory: int | None = ..., utilisation: int | None = ..., power: int | None = ...) -> GpuRates:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuRates: ...

    def __deepcopy__(self, memo: object) -> GpuRates: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Rates:
    """What a group did between two readings, rounded to the nearest."""

    def __init__(self, elapsed: int | None = None, cpu: int | None = None, cpu_granted: int | None = None, throttled: int | None = None, memory: int | None = None, read_bytes: int | None = None, written_bytes: int | None = None, reads: int | None = None, writes: int | None = None, power: int | None = None, gpus: Iterable[GpuRates] = ()) -> None: ...

    @property
    def elapsed(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def cpu(self) -> int | None:
        """
        of one CPU: two busy ones are 20000 (int, hundredths of a percent, or None)
        """

    @property
    def cpu_granted(self) -> int | None:
        """of the CPUs granted (int, hundredths of a percent, or None)"""

    @property
    def throttled(self) -> int | None:
        """
        of the periods of the CPU quota (int, hundredths of a percent, or None)
        """

    @property
    def memory(self) -> int | None:
        """
        the last working set, of the memory granted (int, hundredths of a percent, or None)
        """

    @property
    def read_bytes(self) -> int | None:
        """a second, as are the next three (int, bytes, or None)"""

    @property
    def written_bytes(self) -> int | None:
        """int, bytes, or None"""

    @property
    def reads(self) -> int | None:
        """int, a count, or None"""

    @property
    def writes(self) -> int | None:
        """int, a count, or None"""

    @property
    def power(self) -> int | None:
        """of the counters of energy together (int, milliwatts, or None)"""

    @property
    def gpus(self) -> tuple[GpuRates, ...]:
        """those of the last reading (each: GpuRates)"""

    def replace(self, *, elapsed: int | None = ..., cpu: int | None = ..., cpu_granted: int | None = ..., throttled: int | None = ..., memory: int | None = ..., read_bytes: int | None = ..., written_bytes: int | None = ..., reads: int | None = ..., writes: int | None = ..., power: int | None = ..., gpus: Iterable[GpuRates] = ...) -> Rates:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Rates: ...

    def __deepcopy__(self, memo: object) -> Rates: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> Rates:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

def grant_of(limits: Limits) -> Grant:
    """
    The CPUs of the limits, or their CPU time where that is less; their memory.
    """

def energy_between(before: Iterable[EnergyCounter], after: Iterable[EnergyCounter]) -> int | None:
    """
    What all counters together counted between two readings. A counter that is lower than before has
    started again once, so readings must be closer together than its range lasts (RAPL: 262 kJ are
    22 minutes at 200 W). Nothing when there is no counter, when one was not there before or is
    there no more, and when one went back though it has no range.
    """

def rates(before: Usage, after: Usage, granted: Grant) -> Rates:
    """
    What happened from `before` to `after`. GPUs are told apart by their UUID.
    """

class DeviceCounters:
    """
    What a driver has counted since it was loaded, or since the look before (counted_since()).
    Absent: it does not tell.
    """

    def __init__(self, is_lost: bool | None = None, corrected_errors: int | None = None, uncorrected_errors: int | None = None, is_repair_pending: bool | None = None, has_repair_failed: bool | None = None, pcie_replays: int | None = None, pcie_errors: int | None = None, nvlink_replays: int | None = None, nvlink_errors: int | None = None, xids: Iterable[int] | None = None, temperature: int | None = None, slowdown_temperature: int | None = None, shutdown_temperature: int | None = None) -> None: ...

    @property
    def is_lost(self) -> bool | None:
        """fell off the bus: it no longer answers (bool, or None)"""

    @property
    def corrected_errors(self) -> int | None:
        """of memory (ECC) (int, a count, or None)"""

    @property
    def uncorrected_errors(self) -> int | None:
        """of memory (ECC) (int, a count, or None)"""

    @property
    def is_repair_pending(self) -> bool | None:
        """pages to retire, rows to remap at a reset (bool, or None)"""

    @property
    def has_repair_failed(self) -> bool | None:
        """no spare rows are left (bool, or None)"""

    @property
    def pcie_replays(self) -> int | None:
        """packets sent once more; some are usual (int, a count, or None)"""

    @property
    def pcie_errors(self) -> int | None:
        """that were not corrected (int, a count, or None)"""

    @property
    def nvlink_replays(self) -> int | None:
        """packets sent once more, over all links (int, a count, or None)"""

    @property
    def nvlink_errors(self) -> int | None:
        """links that had to be trained again (int, a count, or None)"""

    @property
    def xids(self) -> tuple[int, ...] | None:
        """NVIDIA's numbers of errors (each: int, or None)"""

    @property
    def temperature(self) -> int | None:
        """int, degrees Celsius, or None"""

    @property
    def slowdown_temperature(self) -> int | None:
        """from here on it slows itself down (int, degrees Celsius, or None)"""

    @property
    def shutdown_temperature(self) -> int | None:
        """from here on it turns itself off (int, degrees Celsius, or None)"""

    def replace(self, *, is_lost: bool | None = ..., corrected_errors: int | None = ..., uncorrected_errors: int | None = ..., is_repair_pending: bool | None = ..., has_repair_failed: bool | None = ..., pcie_replays: int | None = ..., pcie_errors: int | None = ..., nvlink_replays: int | None = ..., nvlink_errors: int | None = ..., xids: Iterable[int] | None = ..., temperature: int | None = ..., slowdown_temperature: int | None = ..., shutdown_temperature: int | None = ...) -> DeviceCounters:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceCounters: ...

    def __deepcopy__(self, memo: object) -> DeviceCounters: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> DeviceCounters:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class HealthThresholds:
    """From which number on something is a finding. Absent: it never is."""

    def __init__(self, corrected_errors: int | None = 1, uncorrected_errors: int | None = 1, pcie_replays: int | None = None, pcie_errors: int | None = 1, nvlink_replays: int | None = None, nvlink_errors: int | None = 1, warning_temperature: int | None = None, failure_temperature: int | None = None) -> None: ...

    @property
    def corrected_errors(self) -> int | None:
        """int, a count, or None"""

    @property
    def uncorrected_errors(self) -> int | None:
        """int, a count, or None"""

    @property
    def pcie_replays(self) -> int | None:
        """
        Only what happened between two looks can be judged by this; DCGM warns above 8 a minute. (int, a count, or None)
        """

    @property
    def pcie_errors(self) -> int | None:
        """int, a count, or None"""

    @property
    def nvlink_replays(self) -> int | None:
        """int, a count, or None"""

    @property
    def nvlink_errors(self) -> int | None:
        """int, a count, or None"""

    @property
    def warning_temperature(self) -> int | None:
        """
        Absent: where the device slows itself down, and where it turns itself off. (int, degrees Celsius, or None)
        """

    @property
    def failure_temperature(self) -> int | None:
        """int, degrees Celsius, or None"""

    def replace(self, *, corrected_errors: int | None = ..., uncorrected_errors: int | None = ..., pcie_replays: int | None = ..., pcie_errors: int | None = ..., nvlink_replays: int | None = ..., nvlink_errors: int | None = ..., warning_temperature: int | None = ..., failure_temperature: int | None = ...) -> HealthThresholds:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HealthThresholds: ...

    def __deepcopy__(self, memo: object) -> HealthThresholds: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> HealthThresholds:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class HealthCause(enum.Enum):
    """What a finding is about."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    lost = 0

    memory = 1

    pcie = 2

    nvlink = 3

    xid = 4

    temperature = 5

    dcgm = 6

class HealthFinding:
    """One thing that is not as it should be."""

    def __init__(self, health: Health = Health.warning, cause: HealthCause = HealthCause.memory, what: str = '') -> None: ...

    @property
    def health(self) -> Health:
        """warning or failure (Health)"""

    @property
    def cause(self) -> HealthCause:
        """HealthCause"""

    @property
    def what(self) -> str:
        """one line (str)"""

    def replace(self, *, health: Health = ..., cause: HealthCause = ..., what: str = ...) -> HealthFinding:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HealthFinding: ...

    def __deepcopy__(self, memo: object) -> HealthFinding: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HealthReport:
    """
    How well something is, and why: failures first, otherwise in the order of HealthCause.
    """

    def __init__(self, health: Health = Health.unknown, findings: Iterable[HealthFinding] = ()) -> None: ...

    @property
    def health(self) -> Health:
        """Health"""

    @property
    def findings(self) -> tuple[HealthFinding, ...]:
        """each: HealthFinding"""

    def replace(self, *, health: Health = ..., findings: Iterable[HealthFinding] = ...) -> HealthReport:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HealthReport: ...

    def __deepcopy__(self, memo: object) -> HealthReport: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> HealthReport:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class DeviceReport:
    """How well a device is."""

    def __init__(self, place: str = '', uuid: str = '', report: HealthReport = HealthReport()) -> None: ...

    @property
    def place(self) -> str:
        """`0000:34:00.0`; empty when it does not tell (str)"""

    @property
    def uuid(self) -> str:
        """empty when it does not tell (str)"""

    @property
    def report(self) -> HealthReport:
        """HealthReport"""

    def replace(self, *, place: str = ..., uuid: str = ..., report: HealthReport = ...) -> DeviceReport:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DeviceReport: ...

    def __deepcopy__(self, memo: object) -> DeviceReport: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> DeviceReport:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class NodeJudgement:
    """What is to become of a node, and why."""

    def __init__(self, state: NodeState = NodeState.up, health: Health = Health.healthy, reason: str = '') -> None: ...

    @property
    def state(self) -> NodeState:
        """NodeState"""

    @property
    def health(self) -> Health:
        """Health"""

    @property
    def reason(self) -> str:
        """one line; empty when nothing is wrong (str)"""

    def replace(self, *, state: NodeState = ..., health: Health = ..., reason: str = ...) -> NodeJudgement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeJudgement: ...

    def __deepcopy__(self, memo: object) -> NodeJudgement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def worse(a: Health, b: Health) -> Health:
    """
    The worse of two: failure, warning, healthy, unknown. What nobody looked at does not make worse
    what is known.
    """

def joined_reports(reports: Iterable[HealthReport]) -> HealthReport:
    """
    One report of many, such as of all devices of a node: the worst, and all findings.
    """

def xid_health(xid: int) -> Health:
    """
    What NVIDIA's number of an error says of the device. healthy: an error of the program that ran
    on it (those that NVIDIA's device plugin for Kubernetes passes over). warning: an error that was
    contained or repaired, or needs a reset at leisure. failure: any other, also an unknown one.
    """

def classify(counters: DeviceCounters, thresholds: HealthThresholds = ...) -> HealthReport:
    """
    The table: lost, uncorrected errors of memory, failed repairs, errors of PCIe and NVLink, and
    XIDs by xid_health() are failures; corrected errors of memory, repairs that wait for a reset and
    packets sent again are warnings; temperature is either, by its thresholds.
    """

def counted_since(before: DeviceCounters, after: DeviceCounters) -> DeviceCounters:
    """
    What was counted between two looks; the rest is as it is now. A counter that went back, because
    the driver was loaded anew, counts from 0.
    """

def dcgm_report(result: int, incident: str = '') -> HealthReport:
    """
    What DCGM's health check gives: 0 passes, 10 warns, 20 fails; another number is unknown.
    `incident` is its message.
    """

def with_device_health(shape: NodeShape, reports: Iterable[DeviceReport]) -> NodeShape:
    """
    The shape with the health of those devices that reports speak of, by UUID or PCI bus id; of
    several reports the worst. Others stay as they are, and so does one of which nothing is known.
    """

def after_health_program(state: NodeState, outcome: Outcome, output: str = '') -> NodeJudgement:
    """
    What becomes of a node whose health program ended so (Slurm's HealthCheckProgram). Exit code 0:
    healthy, in the state that it has. Anything else, a signal or a death for memory too, is a
    failure and drains a node that is up; one that is drained, down or removed stays so. The reason
    is the first line that the program printed, else how it ended.
    """

class EventKind(enum.Enum):
    """
    What happens to a group. Those below count as well, except where the kernel is older than the
    count: pids_max before 6.12 is that of the group alone.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    populated = 0
    """it has a process now"""

    frozen = 1
    """all of its processes stand still"""

    thawed = 2
    """they go on"""

    memory_high = 3
    """memory was above memory.high, and processes were slowed down"""

    memory_max = 4
    """memory was about to go above memory.max"""

    oom = 5
    """
    nothing could be reclaimed below memory.max; whoever asked may be killed
    """

    oom_kill = 6
    """a process was killed for memory"""

    oom_group_kill = 7
    """all processes of a memory.oom.group were"""

    pids_max = 8
    """a fork was refused"""

    memory_pressure = 9
    """processes waited for memory as long as EventOptions says"""

    emptied = 10
    """it has no process any more; zombies do not count"""

    removed = 11
    """the group does not exist any more: the last event of a source"""

class GroupEvent:
    """Something that happened to a group since the source was read last."""

    def __init__(self, group: str = '', kind: EventKind = EventKind.populated, count: int = 1) -> None: ...

    @property
    def group(self) -> str:
        """str"""

    @property
    def kind(self) -> EventKind:
        """EventKind"""

    @property
    def count(self) -> int:
        """how often, for what is counted; else 1 (int, a count)"""

    def replace(self, *, group: str = ..., kind: EventKind = ..., count: int = ...) -> GroupEvent:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GroupEvent: ...

    def __deepcopy__(self, memo: object) -> GroupEvent: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Stall(enum.Enum):
    """Who has to wait for memory before it is pressure."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    some = 0

    full = 1

class PressureTrigger:
    """
    Memory pressure: within `window`, some process (or all at once) waited for memory for
    `threshold`. The kernel takes windows of 0.5 to 10 s, from users without rights multiples of 2 s
    only.
    """

    def __init__(self, who: Stall = Stall.some, threshold: int = 200000, window: int = 2000000) -> None: ...

    @property
    def who(self) -> Stall:
        """Stall"""

    @property
    def threshold(self) -> int:
        """int, microseconds"""

    @property
    def window(self) -> int:
        """int, microseconds"""

    def replace(self, *, who: Stall = ..., threshold: int = ..., window: int = ...) -> PressureTrigger:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PressureTrigger: ...

    def __deepcopy__(self, memo: object) -> PressureTrigger: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EventOptions:
    """Which events a source gives besides those that cost nothing."""

    def __init__(self, memory_pressure: PressureTrigger | None = None) -> None: ...

    @property
    def memory_pressure(self) -> PressureTrigger | None:
        """PressureTrigger, or None"""

    def replace(self, *, memory_pressure: PressureTrigger | None = ...) -> EventOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EventOptions: ...

    def __deepcopy__(self, memo: object) -> EventOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EventSource:
    """
    Tells what happens to one group. The first read gives the state at the time of opening:
    populated or emptied, frozen when it is, and what was counted since the group was made. Each
    further one gives what is different since, in the order of EventKind, not of time. A group that
    filled and emptied between two reads is told as emptied again. After `removed` there are no more
    events. Must not outlive its enforcer, and is used from the enforcer's thread.
    """

    def fileno(self) -> int:
        """
        For poll(2), epoll and the like in a loop of the caller's: readable while there is something
        to read, and sometimes when there is not. -1 where there is no machine.
        """

    def read(self) -> tuple[GroupEvent, ...]:
        """What has happened since the last read, perhaps nothing. Does not wait."""

    def next(self, timeout: int) -> tuple[GroupEvent, ...]:
        """As read, but waits until there is something; nothing after `timeout`."""

class Enforcer:
    """
    Makes plans hold. Errors of a machine carry path and errno text; a group that does not exist is
    NotFound unless stated. Not thread-safe: one thread at a time for one enforcer.
    """

    def apply(self, plan: Plan, trace: Callable[[TraceEvent], None] | None = None) -> Applied:
        """
        Runs all steps. When a required one fails, what the plan made is removed again and the error
        names the step; where that removal fails too, the error ends in `left behind: <group>`, and
        remove(group) finishes the work. Controllers enabled for the parent stay enabled: others may
        rely on them by now. After the first failure of a best-effort step the other steps of the
        same resource are not tried.
        Each step tried is reported to `trace`, when there is one.
        """

    def update(self, update: PlanUpdate, trace: Callable[[TraceEvent], None] | None = None) -> Applied:
        """
        Runs the steps of an update, which plan_update makes of two plans. When a required one
        fails, those that were done are taken back, last first, and the error names the step; where
        that fails too, what was tightened before stays so, and the error ends in
        `not taken back: <step>` for each that is left. That is within the new plan, but for one
        case: of two things that moved, one could not be taken back; then it is a mixture. A
        controller that was enabled stays so. Best effort and `trace` are as for apply; steps taken
        back are reported too. Where a best-effort step that tightens or moves falls short, moves
        that were done are taken back, and no step moves or loosens any more: a best-effort one is a
        shortfall, a required one fails the update. The group then has no more than the old plan
        gave it. Plans made with capabilities have no steps that the machine cannot do, and so keep
        clear of this.
        """

    def run(self, step: Step) -> None:
        """
        Does one step, or fails and has changed nothing.
        Errors: AlreadyExists for a group that is there; others as the machine gives them.
        """

    def spawn(self, plan: Plan, command: Command) -> Child:
        """
        Starts the command inside plan.group, which apply has made, with the plan's process
        settings. The command never runs outside the group, not even for a moment. Errors: NotFound
        for a program that does not exist, InvalidArgument for an empty command, FailedPrecondition
        for a variable of which only the digest is known; after an error there is no process. In a
        group that is frozen no program comes to run: that is an error when patience ends.
        """

    def attach(self, group: str, pid: int) -> None:
        """
        Moves a running process into the group. Its environment and open files stay as they are, so
        a device that it has opened stays open to it. Limits on the number of processes do not keep
        it out.
        """

    def wait(self, child: Child) -> Outcome:
        """
        Waits until the child has ended, and reaps it. The group and what else runs in it stay.
        """

    def poll(self, child: Child) -> Outcome | None:
        """As wait, but gives nothing while the child is still running."""

    def signal(self, group: str, signal_number: int) -> None:
        """
        Sends a signal to every process of the group and the groups below. One that may not be
        signalled, as a set-uid program, keeps it from no other: the error comes after the last.
        """

    def signal_child(self, child: Child, signal_number: int) -> None:
        """
        Sends a signal to the child only, not to what it started. Ok when it has ended and is not
        reaped: no other process has its number until then. Errors: NotFound when it was reaped.
        """

    def freeze(self, group: str) -> None:
        """
        Stops every process of the group until thaw; returns when all stand still.
        """

    def thaw(self, group: str) -> None:
        """Lets a frozen group go on."""

    def observe(self, group: str) -> Usage:
        """What the group uses and has used."""

    def events(self, group: str, options: EventOptions = ...) -> EventSource:
        """
        Tells what happens to the group from now on. Counters are gone with the group, so read the
        source before you remove it. Errors: FailedPrecondition for a pressure trigger where the
        kernel has none.
        """

    def verify(self, plan: Plan) -> tuple[Drift, ...]:
        """
        What of the plan's steps does not hold now, in their order; empty when all does. Looks at
        what the machine makes of a value, not only at what is written, and at the device filter
        that is loaded. Steps that apply reported as shortfalls are among it. What this process may
        not look at is a Drift found `unknown`. Looks at the plan's own groups only: of what groups
        above are limited to it sees their CPUs and memory nodes, as far as they narrow this one's,
        and no memory, time or processes. Changes nothing.
        """

    def remove(self, group: str) -> None:
        """
        Kills everything inside the group and the groups below, also what daemonised or is frozen,
        and removes them. Ok when there is no such group. An error names what is left.
        """

    def recover(self) -> tuple[GroupState, ...]:
        """
        All groups below the root, by the tree alone: also those of a predecessor that died at any
        moment; one that died between making a group and labelling it left no owner. Parents before
        children, otherwise by name. Behind them those of which only a scratch directory is left.
        """

class MemoryEnforcer(Enforcer):
    """
    An enforcer without a machine: groups, files and processes are entries in memory.
    """

    def __init__(self, controllers: Set[str] = ...) -> None:
        """`controllers` are those of the root, as cgroup.controllers names them."""

    def files(self, group: str) -> dict[str, str] | None:
        """What was written into a group, by file; None without the group."""

    def command(self, child: Child) -> Command | None:
        """The command of a child that is not reaped yet, or None."""

    def calls(self) -> tuple[str, ...]:
        """One line for each call, in order, also those that failed."""

    def set_usage(self, group: str, usage: Usage) -> None:
        """What observe gives from now on."""

    def end_process(self, pid: int, outcome: Outcome) -> None:
        """Lets a child end."""

    def count_event(self, group: str, kind: EventKind) -> None:
        """
        Counts an event, in the group and those above. Errors: NotFound; InvalidArgument for a kind
        that follows from what the groups hold: populated, emptied, frozen, thawed, removed.
        """

class Fault:
    """Which calls fail, counted from 0."""

    def __init__(self, calls: range = range(0, 0)) -> None: ...

    @property
    def calls(self) -> range:
        """a range of step 1"""

    def replace(self, *, calls: range = ...) -> Fault:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Fault: ...

    def __deepcopy__(self, memo: object) -> Fault: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @staticmethod
    def once(call: int) -> Fault:
        """This call alone, counted from 0."""

    @staticmethod
    def for_good(call: int) -> Fault:
        """This call and all that follow."""

class FaultyEnforcer(Enforcer):
    """An enforcer in front of another one that fails chosen calls."""

    def __init__(self, inner: Enforcer, fault: Fault = ...) -> None:
        """Calls go to `inner`, except those that fail."""

    def call_count(self) -> int:
        """How many calls were made, failed ones too."""

    def set_fault(self, fault: Fault) -> None:
        """
        From now on other calls fail, counted as before. A default Fault fails none.
        """

def write_credential(credential: Credential, sign: Callable[[bytes], bytes] | None = None) -> str:
    """
    The credential as one line of JSON; without a signer it has no signature.
    Errors: those of the signer.
    """

def read_credential(text: str, verify: Callable[[bytes, bytes], bool] | None = None) -> Credential:
    """
    The credential that write_credential wrote. With a verifier it has to have a signature that the
    verifier accepts, before anything of the content is read.
    Errors: InvalidArgument, one line with what was expected, for a text that is none, another
    version and a checksum that differs; PermissionDenied without a signature where one is verified;
    those of the verifier.
    """

def render_cluster(cluster: Cluster, options: svg.ClusterPictureOptions = ...) -> _svg.Svg:
    """
    The picture as one SVG document, the same for equal clusters and options. Nodes stand below the
    switches of the trees; without trees in their blocks; others, and all where there are neither,
    beside each other. Removed nodes, and switches and blocks without nodes, are left out. Texts may
    be anything, as in render_node. Requires: what is proposed exists. Complexity: linear in the
    nodes and switches; for cards, besides, in their cores times their owners.
    """

def render_timeline(timeline: Timeline, options: svg.TimelinePictureOptions = ...) -> _svg.Svg:
    """
    The picture as one SVG document, the same for equal timelines and options. The left edge is
    now(). Nodes that do not exist are left out, and what their owners have there. Texts may be
    anything, as in render_node. Complexity: linear in what runs and will, on each node in the
    square of it.
    """

__version__: str

from trestle import enforce as enforce
