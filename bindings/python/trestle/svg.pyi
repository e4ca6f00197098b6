"""Pictures of nodes, of clusters and of time."""

from collections.abc import Iterable
from typing import overload

import trestle
import trestle._svg
from trestle._svg import Svg as Svg


class OwnerName:
    """What a picture calls an owner."""

    def __init__(self, owner: int = 0, name: str = '') -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def name(self) -> str:
        """str"""

    def replace(self, *, owner: int = ..., name: str = ...) -> OwnerName:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OwnerName: ...

    def __deepcopy__(self, memo: object) -> OwnerName: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Taken:
    """A part of the node that somebody has."""

    def __init__(self, owner: int | None = None, part: trestle.NodePlacement = trestle.NodePlacement()) -> None: ...

    @property
    def owner(self) -> int | None:
        """
        absent: nobody yet, a decision that is proposed (int, the caller's number of an owner, or None)
        """

    @property
    def part(self) -> trestle.NodePlacement:
        """NodePlacement"""

    def replace(self, *, owner: int | None = ..., part: trestle.NodePlacement = ...) -> Taken:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Taken: ...

    def __deepcopy__(self, memo: object) -> Taken: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PictureOptions:
    """How a picture looks, and what it shows beside the usage."""

    def __init__(self, width: int = 960, title: str = '', names: Iterable[OwnerName] = (), proposed: trestle.NodePlacement | None = None) -> None: ...

    @property
    def width(self) -> int:
        """in pixels; 480 to 4096, else the nearer of the two (int)"""

    @property
    def title(self) -> str:
        """empty: the name of the node (str)"""

    @property
    def names(self) -> tuple[OwnerName, ...]:
        """the first one of an owner counts; others are numbers (each: OwnerName)"""

    @property
    def proposed(self) -> trestle.NodePlacement | None:
        """
        What a decision would take, drawn dark over the usage. (NodePlacement, or None)
        """

    def replace(self, *, width: int = ..., title: str = ..., names: Iterable[OwnerName] = ..., proposed: trestle.NodePlacement | None = ...) -> PictureOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PictureOptions: ...

    def __deepcopy__(self, memo: object) -> PictureOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterPictureOptions:
    """How a picture of a cluster looks, and what it shows beside the usage."""

    def __init__(self, width: int = 960, title: str = '', names: Iterable[OwnerName] = (), cards: int = 64, proposed: trestle.Placement | None = None) -> None: ...

    @property
    def width(self) -> int:
        """in pixels; 480 to 4096, else the nearer of the two (int)"""

    @property
    def title(self) -> str:
        """empty: "cluster" (str)"""

    @property
    def names(self) -> tuple[OwnerName, ...]:
        """the first one of an owner counts; others are numbers (each: OwnerName)"""

    @property
    def cards(self) -> int:
        """up to so many nodes are cards, at most 1024; more are cells (int)"""

    @property
    def proposed(self) -> trestle.Placement | None:
        """
        What a decision would take: dark on cards, a dark frame around cells. (Placement, or None)
        """

    def replace(self, *, width: int = ..., title: str = ..., names: Iterable[OwnerName] = ..., cards: int = ..., proposed: trestle.Placement | None = ...) -> ClusterPictureOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterPictureOptions: ...

    def __deepcopy__(self, memo: object) -> ClusterPictureOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

@overload
def render_node(node: trestle.Node, placement: trestle.NodePlacement, options: PictureOptions = ...) -> trestle._svg.Svg:
    """
    The node, otherwise idle, with a placement on it. It takes the place of options.proposed.
    """

@overload
def render_node(node: trestle.Node, usage: trestle.NodeUsage, options: PictureOptions = ...) -> trestle._svg.Svg:
    """The node with what its owners have."""

@overload
def render_node(node: trestle.Node, taken: Iterable[Taken], options: PictureOptions = ...) -> trestle._svg.Svg:
    """
    The picture as one SVG document, the same for the same arguments. `taken` may overlap: cores,
    bytes and devices of several owners are split between them. The text of the node and of the
    names may be anything; what XML cannot say becomes U+FFFD. Requires: what is taken and proposed
    exists on the node, and check(*node.shape) is ok. Complexity: linear in the cores times what is
    taken of the node.
    """

class TimelinePictureOptions:
    """How a picture of a timeline looks, and what of it is shown."""

    def __init__(self, width: int = 960, title: str = '', names: Iterable[OwnerName] = (), nodes: trestle.NodeSet | None = None, last: int | None = None) -> None: ...

    @property
    def width(self) -> int:
        """in pixels; 480 to 4096, else the nearer of the two (int)"""

    @property
    def title(self) -> str:
        """empty: "timeline" (str)"""

    @property
    def names(self) -> tuple[OwnerName, ...]:
        """the first one of an owner counts; others are numbers (each: OwnerName)"""

    @property
    def nodes(self) -> trestle.NodeSet | None:
        """
        absent: all; of more than 2,048 the first ones, it says so (NodeSet, or None)
        """

    @property
    def last(self) -> int | None:
        """
        The right edge; absent, or not after now(): when the last one ends, else in an hour. (int, seconds since a moment of the caller's, or None)
        """

    def replace(self, *, width: int = ..., title: str = ..., names: Iterable[OwnerName] = ..., nodes: trestle.NodeSet | None = ..., last: int | None = ...) -> TimelinePictureOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TimelinePictureOptions: ...

    def __deepcopy__(self, memo: object) -> TimelinePictureOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def render_cluster(cluster: trestle.Cluster, options: ClusterPictureOptions = ...) -> trestle._svg.Svg:
    """
    The picture as one SVG document, the same for equal clusters and options. Nodes stand below the
    switches of the trees; without trees in their blocks; others, and all where there are neither,
    beside each other. Removed nodes, and switches and blocks without nodes, are left out. Texts may
    be anything, as in render_node. Requires: what is proposed exists. Complexity: linear in the
    nodes and switches; for cards, besides, in their cores times their owners.
    """

def render_timeline(timeline: trestle.Timeline, options: TimelinePictureOptions = ...) -> trestle._svg.Svg:
    """
    The picture as one SVG document, the same for equal timelines and options. The left edge is
    now(). Nodes that do not exist are left out, and what their owners have there. Texts may be
    anything, as in render_node. Complexity: linear in what runs and will, on each node in the
    square of it.
    """
