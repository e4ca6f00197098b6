"""Metrics in the text format of Prometheus."""

from collections.abc import Iterable
import enum

import trestle


class MetricType(enum.Enum):
    """counter: only grows, until it starts again at 0."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    counter = 0

    gauge = 1

class Label:
    """What a sample is of."""

    def __init__(self, name: str = '', value: str = '') -> None: ...

    @property
    def name(self) -> str:
        """letters, digits and `_`, not a digit first (str)"""

    @property
    def value(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., value: str = ...) -> Label:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Label: ...

    def __deepcopy__(self, memo: object) -> Label: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Sample:
    """One number of a metric."""

    def __init__(self, labels: Iterable[Label] = (), value: float = 0.0) -> None: ...

    @property
    def labels(self) -> tuple[Label, ...]:
        """each: Label"""

    @property
    def value(self) -> float:
        """float"""

    def replace(self, *, labels: Iterable[Label] = ..., value: float = ...) -> Sample:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Sample: ...

    def __deepcopy__(self, memo: object) -> Sample: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Metric:
    """A metric with all of its samples."""

    def __init__(self, name: str = '', help: str = '', type: MetricType = MetricType.gauge, samples: Iterable[Sample] = ()) -> None: ...

    @property
    def name(self) -> str:
        """letters, digits, `_` and `:`, not a digit first (str)"""

    @property
    def help(self) -> str:
        """str"""

    @property
    def type(self) -> MetricType:
        """MetricType"""

    @property
    def samples(self) -> tuple[Sample, ...]:
        """each: Sample"""

    def replace(self, *, name: str = ..., help: str = ..., type: MetricType = ..., samples: Iterable[Sample] = ...) -> Metric:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Metric: ...

    def __deepcopy__(self, memo: object) -> Metric: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GroupUsage:
    """A reading of a group and the labels that say whose it is."""

    def __init__(self, labels: Iterable[Label] = (), usage: trestle.Usage = trestle.Usage()) -> None: ...

    @property
    def labels(self) -> tuple[Label, ...]:
        """each: Label"""

    @property
    def usage(self) -> trestle.Usage:
        """Usage"""

    def replace(self, *, labels: Iterable[Label] = ..., usage: trestle.Usage = ...) -> GroupUsage:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GroupUsage: ...

    def __deepcopy__(self, memo: object) -> GroupUsage: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def print_metrics(metrics: Iterable[Metric]) -> str:
    """
    Lines of HELP, TYPE and samples, in the order given, each with its end. Whole numbers have no
    point; others are the shortest that read back as the same.
    Errors: InvalidArgument for a name that Prometheus does not take, for a metric that is there
    twice, for a label that a sample has twice, and for two samples of the same labels.
    """

def usage_metrics(groups: Iterable[GroupUsage], prefix: str = 'trestle') -> tuple[Metric, ...]:
    """
    Metrics `<prefix>_cpu_seconds_total`, `<prefix>_memory_bytes` and so on, always in the same
    order, with a sample for each group that has the number; those that nobody has are left out.
    Pressure has the further labels `resource` and `kind`, a counter of energy `counter`, a GPU
    `gpu`, its UUID.
    """

def health_metrics(reports: Iterable[trestle.DeviceReport], prefix: str = 'trestle') -> tuple[Metric, ...]:
    """
    One metric `<prefix>_device_health`: for each device and each state 1 when it is in it, else 0,
    with the labels `place`, `uuid` and `state`.
    """
