"""Tools for tests of schedulers."""

from collections.abc import Iterable
import enum
from typing import overload

import trestle


def node_from_text(text: str) -> trestle.Node:
    """
    The node that a line describes.
    Errors: InvalidArgument, one line: what is wrong, the offset and word, what was expected.
    """

def node_to_text(node: trestle.Node) -> str | None:
    """
    The line that makes this very node: node_from_text(*node_to_text(x)) == x. Nothing when no line
    does: the node is irregular, or has what lines cannot say, such as device files.
    """

def cluster_from_text(text: str) -> trestle.Cluster:
    """
    The idle cluster that a line describes. Errors: as cluster_parts_from_text.
    """

def cluster_parts_from_text(text: str) -> trestle.ClusterParts:
    """
    The nodes and the network that a line describes. Nodes of a group share one shape.
    Errors: InvalidArgument, one line: what is wrong, the offset and word, what was expected; a name
    that stands twice.
    """

def cluster_to_text(parts: trestle.ClusterParts) -> str | None:
    """
    The line that makes these very parts, or nothing when no line does: a node is irregular, names
    or switches are others, there are partitions or fleets.
    """

@overload
def diff(before: trestle.Placement, after: trestle.Placement) -> str: ...

@overload
def diff(before: trestle.Plan, after: trestle.Plan) -> str:
    """
    The lines that differ: `- ` only before, `+ ` only after; empty when equal.
    """

class Operation:
    """One thing that happens to a cluster."""

    def __init__(self, kind: Operation.Kind = Operation.Kind.submit, owner: int = 0, request: trestle.Request = trestle.Request(), node: int = 0) -> None: ...

    class Kind(enum.Enum):
        """What happens to a cluster."""

        def __str__(self) -> str: ...

        def __repr__(self) -> str: ...

        submit = 0

        release = 1

        drain = 2

        resume = 3

    @property
    def kind(self) -> Operation.Kind:
        """Operation.Kind"""

    @property
    def owner(self) -> int:
        """of a submit or release (int, the caller's number of an owner)"""

    @property
    def request(self) -> trestle.Request:
        """of a submit (Request)"""

    @property
    def node(self) -> int:
        """of a drain or resume (int, position of a node)"""

    def replace(self, *, kind: Operation.Kind = ..., owner: int = ..., request: trestle.Request = ..., node: int = ...) -> Operation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Operation: ...

    def __deepcopy__(self, memo: object) -> Operation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def any_node(seed: int) -> trestle.Node:
    """A node that check() accepts; the same for the same seed, everywhere."""

def any_request(seed: int) -> trestle.Request:
    """
    A request that check() accepts; the same for the same seed, everywhere.
    """

def any_cluster(seed: int) -> trestle.Cluster:
    """An idle cluster; the same for the same seed, everywhere."""

def any_operations(seed: int, nodes: int) -> tuple[Operation, ...]:
    """
    Submits, releases and drains on a cluster of `nodes` nodes; the same for the same seed.
    """

def play(cluster: trestle.Cluster, operation: Operation) -> None:
    """
    Lets an operation happen: a submit is committed when place() finds room. What does not fit, and
    a release of nothing, changes nothing. Requires: the node exists.
    """

def seconds(n: int) -> int:
    """`n` seconds in microseconds."""

def milliseconds(n: int) -> int:
    """`n` milliseconds in microseconds."""

class ManualClock:
    """Time in microseconds from 0, which passes when the test says so."""

    def __init__(self) -> None:
        """At 0."""

    def now(self) -> int:
        """Microseconds since the start."""

    def advance(self, duration: int) -> None:
        """In microseconds."""

    def advance_to(self, time: int) -> None:
        """Requires: `time` is not in the past."""

class MemoryPoint:
    """From `at` after its start on, a command uses so much memory."""

    def __init__(self, at: int = 0, memory: int = 0) -> None: ...

    @property
    def at(self) -> int:
        """int, microseconds"""

    @property
    def memory(self) -> int:
        """int, bytes"""

    def replace(self, *, at: int = ..., memory: int = ...) -> MemoryPoint:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryPoint: ...

    def __deepcopy__(self, memo: object) -> MemoryPoint: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Script:
    """
    What a command does when nobody interferes. A default one ends at once with exit code 0.
    """

    def __init__(self, duration: int | None = 0, outcome: trestle.Outcome = trestle.Outcome(), memory: Iterable[MemoryPoint] = (), cpu: int = 1000, pids: int = 1, ignored_signals: Iterable[int] = ()) -> None: ...

    @property
    def duration(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def outcome(self) -> trestle.Outcome:
        """how it ends by itself (Outcome)"""

    @property
    def memory(self) -> tuple[MemoryPoint, ...]:
        """in order of time (each: MemoryPoint)"""

    @property
    def cpu(self) -> int:
        """int, thousandths of a hardware thread"""

    @property
    def pids(self) -> int:
        """int, a count"""

    @property
    def ignored_signals(self) -> tuple[int, ...]:
        """SIGKILL cannot be among them (each: int)"""

    def replace(self, *, duration: int | None = ..., outcome: trestle.Outcome = ..., memory: Iterable[MemoryPoint] = ..., cpu: int = ..., pids: int = ..., ignored_signals: Iterable[int] = ...) -> Script:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Script: ...

    def __deepcopy__(self, memo: object) -> Script: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ScriptedEnforcer(trestle.Enforcer):
    """
    An enforcer whose commands do what a script says, in the time of a manual clock.
    """

    def __init__(self, clock: ManualClock) -> None:
        """
        All commands end at once with exit code 0 until a script says otherwise.
        """

    def set_script(self, program: str, script: Script) -> None:
        """
        What commands with this program (the first argument) do from now on. An empty name stands
        for all programs without a script of their own.
        """

    def state(self) -> trestle.MemoryEnforcer:
        """Groups, files and calls as they are now."""
