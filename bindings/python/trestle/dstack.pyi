"""dstack: its files and price lists."""

from collections.abc import Iterable
import enum
from typing import Any

import trestle


class BareValue(enum.Enum):
    """
    What a value without `..` means where a range may stand: `32GB` is 32GB..32GB, as in the
    program, or 32GB.. as its guide has it. Numbers of nodes and blocks are not meant.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    exact = 0

    minimum = 1

class SpecError:
    """One mistake in a YAML text."""

    def __init__(self, line: int = 0, column: int = 0, key: str = '', error: trestle.TextError = trestle.TextError()) -> None: ...

    @property
    def line(self) -> int:
        """counts from 1; 0: the text as a whole (int)"""

    @property
    def column(self) -> int:
        """counts from 1 (int)"""

    @property
    def key(self) -> str:
        """whose value it is; empty for a key itself (str)"""

    @property
    def error(self) -> trestle.TextError:
        """its offset counts from the start of the value (TextError)"""

    def replace(self, *, line: int = ..., column: int = ..., key: str = ..., error: trestle.TextError = ...) -> SpecError:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SpecError: ...

    def __deepcopy__(self, memo: object) -> SpecError: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CarriedKey:
    """
    A key that dstack knows and this library has no use for, as it was written.
    """

    def __init__(self, name: str = '', line: int = 0, text: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def line(self) -> int:
        """where the name stood; counts from 1 (int)"""

    @property
    def text(self) -> str:
        """its value as YAML in one line, aliases written out (str)"""

    def replace(self, *, name: str = ..., line: int = ..., text: str = ...) -> CarriedKey:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CarriedKey: ...

    def __deepcopy__(self, memo: object) -> CarriedKey: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class CpuSpec:
    """`cpu:` of dstack, as `arm:4..8`."""

    def __init__(self, architecture: trestle.Architecture | None = None, count: int | trestle.Range[int] = trestle.Range(min=2)) -> None: ...

    @property
    def architecture(self) -> trestle.Architecture | None:
        """absent: any; x86 or arm (Architecture, or None)"""

    @property
    def count(self) -> trestle.Range[int]:
        """a Range of: int, a count"""

    def replace(self, *, architecture: trestle.Architecture | None = ..., count: int | trestle.Range[int] = ...) -> CpuSpec:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CpuSpec: ...

    def __deepcopy__(self, memo: object) -> CpuSpec: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class GpuSpec:
    """`gpu:` of dstack, as `A100:80GB:4..8`."""

    def __init__(self, vendor: str = '', names: Iterable[str] = (), count: int | trestle.Range[int] = trestle.Range(min=1), memory: int | trestle.Range[int] = trestle.Range(), total_memory: int | trestle.Range[int] = trestle.Range(), compute_capability: trestle.Version | trestle.Range[trestle.Version] = trestle.Range()) -> None: ...

    @property
    def vendor(self) -> str:
        """nvidia, amd, google, intel, tenstorrent; empty: any (str)"""

    @property
    def names(self) -> tuple[str, ...]:
        """any of these; empty: any (each: str)"""

    @property
    def count(self) -> trestle.Range[int]:
        """a Range of: int, a count"""

    @property
    def memory(self) -> trestle.Range[int]:
        """of each (a Range of: int, bytes)"""

    @property
    def total_memory(self) -> trestle.Range[int]:
        """of all together; no short form (a Range of: int, bytes)"""

    @property
    def compute_capability(self) -> trestle.Range[trestle.Version]:
        """no short form (a Range of: Version)"""

    def replace(self, *, vendor: str = ..., names: Iterable[str] = ..., count: int | trestle.Range[int] = ..., memory: int | trestle.Range[int] = ..., total_memory: int | trestle.Range[int] = ..., compute_capability: trestle.Version | trestle.Range[trestle.Version] = ...) -> GpuSpec:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuSpec: ...

    def __deepcopy__(self, memo: object) -> GpuSpec: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class Resources:
    """`resources:` of dstack; what is left out has dstack's default."""

    def __init__(self, cpu: CpuSpec = CpuSpec(), memory: int | trestle.Range[int] = trestle.Range(min=8589934592), gpu: GpuSpec | None = GpuSpec(count=trestle.Range(min=0)), disk: int | trestle.Range[int] | None = trestle.Range(min=107374182400), shm_size: int | None = None) -> None: ...

    @property
    def cpu(self) -> CpuSpec:
        """CpuSpec"""

    @property
    def memory(self) -> trestle.Range[int]:
        """a Range of: int, bytes"""

    @property
    def gpu(self) -> GpuSpec | None:
        """GpuSpec, or None"""

    @property
    def disk(self) -> trestle.Range[int] | None:
        """a Range of: int, bytes, or None"""

    @property
    def shm_size(self) -> int | None:
        """int, bytes, or None"""

    def replace(self, *, cpu: CpuSpec = ..., memory: int | trestle.Range[int] = ..., gpu: GpuSpec | None = ..., disk: int | trestle.Range[int] | None = ..., shm_size: int | None = ...) -> Resources:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Resources: ...

    def __deepcopy__(self, memo: object) -> Resources: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class ResourcesReading:
    """What was read, and every mistake."""

    def __init__(self, resources: Resources = Resources(), errors: Iterable[SpecError] = ()) -> None: ...

    @property
    def resources(self) -> Resources:
        """Resources"""

    @property
    def errors(self) -> tuple[SpecError, ...]:
        """
        in the order of the text; after the first 100 no more (each: SpecError)
        """

    def replace(self, *, resources: Resources = ..., errors: Iterable[SpecError] = ...) -> ResourcesReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ResourcesReading: ...

    def __deepcopy__(self, memo: object) -> ResourcesReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DurationLimit:
    """A duration, or none."""

    def __init__(self, is_off: bool = False, seconds: int = 0) -> None: ...

    @property
    def is_off(self) -> bool:
        """without end; `seconds` is 0 then (bool)"""

    @property
    def seconds(self) -> int:
        """int, seconds"""

    def replace(self, *, is_off: bool = ..., seconds: int = ...) -> DurationLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DurationLimit: ...

    def __deepcopy__(self, memo: object) -> DurationLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class SpotPolicy(enum.Enum):
    """Which prices are accepted."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    spot = 0

    on_demand = 1

    auto = 2

class CreationPolicy(enum.Enum):
    """Whether new instances may be made."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    reuse = 0

    reuse_or_create = 1

class RetryEvent(enum.Enum):
    """After what a run is tried again."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    no_capacity = 0

    interruption = 1

    error = 2

class Retry:
    """When, and for how long, a run is tried again."""

    def __init__(self, on_events: Iterable[RetryEvent] = (), duration: int = 3600) -> None: ...

    @property
    def on_events(self) -> tuple[RetryEvent, ...]:
        """each once; empty: never (each: RetryEvent)"""

    @property
    def duration(self) -> int:
        """dstack's default (int, seconds)"""

    def replace(self, *, on_events: Iterable[RetryEvent] = ..., duration: int = ...) -> Retry:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Retry: ...

    def __deepcopy__(self, memo: object) -> Retry: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class Profile:
    """
    What is accepted of offers, and what becomes of runs and instances. Absent and empty: nothing
    was said.
    """

    def __init__(self, backends: Iterable[str] = (), regions: Iterable[str] = (), availability_zones: Iterable[str] = (), instance_types: Iterable[str] = (), reservation: str = '', spot_policy: SpotPolicy | None = None, max_price: int | None = None, fleets: Iterable[str] = (), creation_policy: CreationPolicy | None = None, retry: Retry | None = None, max_duration: DurationLimit | None = None, stop_duration: DurationLimit | None = None, idle_duration: DurationLimit | None = None) -> None: ...

    @property
    def backends(self) -> tuple[str, ...]:
        """in order of preference (each: str)"""

    @property
    def regions(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def availability_zones(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def instance_types(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def reservation(self) -> str:
        """str"""

    @property
    def spot_policy(self) -> SpotPolicy | None:
        """absent: on-demand (SpotPolicy, or None)"""

    @property
    def max_price(self) -> int | None:
        """
        an hour, for the whole instance; above 0 (int, millionths of a US dollar, or None)
        """

    @property
    def fleets(self) -> tuple[str, ...]:
        """by name; runs only (each: str)"""

    @property
    def creation_policy(self) -> CreationPolicy | None:
        """runs only (CreationPolicy, or None)"""

    @property
    def retry(self) -> Retry | None:
        """Retry, or None"""

    @property
    def max_duration(self) -> DurationLimit | None:
        """of the commands; runs only; above 0 (DurationLimit, or None)"""

    @property
    def stop_duration(self) -> DurationLimit | None:
        """runs only (DurationLimit, or None)"""

    @property
    def idle_duration(self) -> DurationLimit | None:
        """of an instance (DurationLimit, or None)"""

    def replace(self, *, backends: Iterable[str] = ..., regions: Iterable[str] = ..., availability_zones: Iterable[str] = ..., instance_types: Iterable[str] = ..., reservation: str = ..., spot_policy: SpotPolicy | None = ..., max_price: int | None = ..., fleets: Iterable[str] = ..., creation_policy: CreationPolicy | None = ..., retry: Retry | None = ..., max_duration: DurationLimit | None = ..., stop_duration: DurationLimit | None = ..., idle_duration: DurationLimit | None = ...) -> Profile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Profile: ...

    def __deepcopy__(self, memo: object) -> Profile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class RunKind(enum.Enum):
    """The kinds of runs, by their names in `type:`."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    task = 0

    service = 1

    dev_environment = 2

class StartupOrder(enum.Enum):
    """Which nodes of a distributed task start first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    any = 0

    master_first = 1

    workers_first = 2

class StopCriteria(enum.Enum):
    """When a distributed task is done."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    all_done = 0

    master_done = 1

class EnvEntry:
    """A variable that a run gets."""

    def __init__(self, name: str = '', value: str | None = None) -> None: ...

    @property
    def name(self) -> str:
        """a letter or `_`, then letters, digits and `_` (str)"""

    @property
    def value(self) -> str | None:
        """absent: that of whoever submits the run (str, or None)"""

    def replace(self, *, name: str = ..., value: str | None = ...) -> EnvEntry:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EnvEntry: ...

    def __deepcopy__(self, memo: object) -> EnvEntry: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class RunConfiguration:
    """`type: task`, `service` or `dev-environment`."""

    def __init__(self, kind: RunKind = RunKind.task, name: str = '', nodes: int = 1, resources: Resources = Resources(), priority: int = 0, profile: Profile = Profile(), startup_order: StartupOrder | None = None, stop_criteria: StopCriteria | None = None, env: Iterable[EnvEntry] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def kind(self) -> RunKind:
        """RunKind"""

    @property
    def name(self) -> str:
        """empty: dstack makes one up (str)"""

    @property
    def nodes(self) -> int:
        """1 or more; tasks only (int, a count)"""

    @property
    def resources(self) -> Resources:
        """Resources"""

    @property
    def priority(self) -> int:
        """0 to 100 (int, a count)"""

    @property
    def profile(self) -> Profile:
        """Profile"""

    @property
    def startup_order(self) -> StartupOrder | None:
        """absent: any (StartupOrder, or None)"""

    @property
    def stop_criteria(self) -> StopCriteria | None:
        """absent: all-done (StopCriteria, or None)"""

    @property
    def env(self) -> tuple[EnvEntry, ...]:
        """each name once (each: EnvEntry)"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """each: CarriedKey"""

    def replace(self, *, kind: RunKind = ..., name: str = ..., nodes: int = ..., resources: Resources = ..., priority: int = ..., profile: Profile = ..., startup_order: StartupOrder | None = ..., stop_criteria: StopCriteria | None = ..., env: Iterable[EnvEntry] = ..., carried: Iterable[CarriedKey] = ...) -> RunConfiguration:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RunConfiguration: ...

    def __deepcopy__(self, memo: object) -> RunConfiguration: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class FleetNodes:
    """How many nodes a fleet has: `2`, `1..4`, `{min, target, max}`."""

    def __init__(self, min: int = 0, target: int = 0, max: int | None = None) -> None: ...

    @property
    def min(self) -> int:
        """int, a count"""

    @property
    def target(self) -> int:
        """how many are made at first; min <= target <= max (int, a count)"""

    @property
    def max(self) -> int | None:
        """absent: no end (int, a count, or None)"""

    def replace(self, *, min: int = ..., target: int = ..., max: int | None = ...) -> FleetNodes:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FleetNodes: ...

    def __deepcopy__(self, memo: object) -> FleetNodes: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class BlockCount:
    """The equal parts that each node is cut into."""

    def __init__(self, is_auto: bool = False, count: int = 1) -> None: ...

    @property
    def is_auto(self) -> bool:
        """as many as divide the node evenly; `count` is 1 then (bool)"""

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

class SshHost:
    """A host of an SSH fleet."""

    def __init__(self, hostname: str = '', blocks: BlockCount | None = None, carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def hostname(self) -> str:
        """str"""

    @property
    def blocks(self) -> BlockCount | None:
        """absent: those of the fleet (BlockCount, or None)"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """port, user and the like (each: CarriedKey)"""

    def replace(self, *, hostname: str = ..., blocks: BlockCount | None = ..., carried: Iterable[CarriedKey] = ...) -> SshHost:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SshHost: ...

    def __deepcopy__(self, memo: object) -> SshHost: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class SshConfig:
    """`ssh_config:` of a fleet of hosts that are there already."""

    def __init__(self, hosts: Iterable[SshHost] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def hosts(self) -> tuple[SshHost, ...]:
        """each: SshHost"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """each: CarriedKey"""

    def replace(self, *, hosts: Iterable[SshHost] = ..., carried: Iterable[CarriedKey] = ...) -> SshConfig:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SshConfig: ...

    def __deepcopy__(self, memo: object) -> SshConfig: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class FleetConfiguration:
    """`type: fleet`."""

    def __init__(self, name: str = '', nodes: FleetNodes | None = None, resources: Resources = Resources(cpu=CpuSpec(count=trestle.Range(min=1)), memory=trestle.Range(min=0), disk=None), blocks: BlockCount = BlockCount(), placement: trestle.FleetPlacement = trestle.FleetPlacement.any, profile: Profile = Profile(), ssh_config: SshConfig | None = None, env: Iterable[EnvEntry] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def name(self) -> str:
        """empty: dstack makes one up (str)"""

    @property
    def nodes(self) -> FleetNodes | None:
        """FleetNodes, or None"""

    @property
    def resources(self) -> Resources:
        """Resources"""

    @property
    def blocks(self) -> BlockCount:
        """BlockCount"""

    @property
    def placement(self) -> trestle.FleetPlacement:
        """FleetPlacement"""

    @property
    def profile(self) -> Profile:
        """Profile"""

    @property
    def ssh_config(self) -> SshConfig | None:
        """SshConfig, or None"""

    @property
    def env(self) -> tuple[EnvEntry, ...]:
        """each: EnvEntry"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """each: CarriedKey"""

    def replace(self, *, name: str = ..., nodes: FleetNodes | None = ..., resources: Resources = ..., blocks: BlockCount = ..., placement: trestle.FleetPlacement = ..., profile: Profile = ..., ssh_config: SshConfig | None = ..., env: Iterable[EnvEntry] = ..., carried: Iterable[CarriedKey] = ...) -> FleetConfiguration:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FleetConfiguration: ...

    def __deepcopy__(self, memo: object) -> FleetConfiguration: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class Configuration:
    """A file: one of the two."""

    def __init__(self, run: RunConfiguration | None = None, fleet: FleetConfiguration | None = None) -> None: ...

    @property
    def run(self) -> RunConfiguration | None:
        """RunConfiguration, or None"""

    @property
    def fleet(self) -> FleetConfiguration | None:
        """FleetConfiguration, or None"""

    def replace(self, *, run: RunConfiguration | None = ..., fleet: FleetConfiguration | None = ...) -> Configuration:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Configuration: ...

    def __deepcopy__(self, memo: object) -> Configuration: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in seconds, prices in millionths of a dollar.
        """

class ConfigurationReading:
    """What was read, and every mistake."""

    def __init__(self, configuration: Configuration = Configuration(), errors: Iterable[SpecError] = ()) -> None: ...

    @property
    def configuration(self) -> Configuration:
        """neither of the two when there is no known type (Configuration)"""

    @property
    def errors(self) -> tuple[SpecError, ...]:
        """
        in the order of the text; after the first 100 no more (each: SpecError)
        """

    def replace(self, *, configuration: Configuration = ..., errors: Iterable[SpecError] = ...) -> ConfigurationReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ConfigurationReading: ...

    def __deepcopy__(self, memo: object) -> ConfigurationReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def parse_cpu(value: object | None, bare: BareValue = BareValue.exact) -> CpuSpec:
    """`cpu:` as a YAML loader gives it: a text, a number or a mapping."""

def parse_gpu(value: object | None, bare: BareValue = BareValue.exact) -> GpuSpec:
    """`gpu:` as a YAML loader gives it: a text, a number or a mapping."""

def parse_disk(value: object | None, bare: BareValue = BareValue.exact) -> trestle.Range[int]:
    """
    `disk:` as a YAML loader gives it: a text, a number or a mapping. In bytes.
    """

def parse_memory(value: object | None) -> int:
    """One size, a text or a number of GB. In bytes."""

def parse_range(value: object, bare: BareValue = BareValue.exact) -> trestle.Range[int]:
    """
    A range: a text, a number or a mapping of min and max. Of sizes in bytes where one of its ends holds a letter (`24GB..80`), else of counts (`24..80`), as in the short form of a GPU.
    """

def parse_duration(value: object | None) -> int:
    """A text or a number of seconds. In seconds."""

def parse_duration_limit(value: object | None) -> DurationLimit:
    """A text, a number of seconds, or False for off."""

def parse_price(value: object | None) -> int:
    """A text or a number of dollars an hour. In millionths of a dollar."""

def parse_memory_range(text: str, bare: BareValue = BareValue.exact) -> trestle.Range[int]:
    """
    `a..b`, `a..`, `..b` or `a`, both ends included. Errors: no end at all, ends that go down, an
    end that is no size.
    """

def parse_count_range(text: str, bare: BareValue = BareValue.exact) -> trestle.Range[int]:
    """The same of whole numbers (`8`, `1_000`, `4.0`)."""

def parse_version_range(text: str, bare: BareValue = BareValue.exact) -> trestle.Range[trestle.Version]:
    """
    The same of versions with two parts: `8.0..9.0`. `8.10` is the tenth after `8.0`, whatever a
    reader of decimal numbers would make of it.
    """

def memory_text(memory: int) -> str:
    """
    `32GB`, `512MB`, `0.5MB`: exact, in whole GB or else in MB. parse_memory reads it back.
    """

def duration_text(duration: int) -> str:
    """
    `2h`, `90s`: in the largest unit that leaves no rest. parse_duration reads it back.
    """

def price_text(price: int) -> str:
    """`2.03`; parse_price reads it back up to a billion dollars."""

def pretty_text(resources: Resources) -> str:
    """
    dstack's own line: `cpu=2.. mem=8GB.. disk=100GB.. gpu=A100:80GB:1..`. For people: sizes have
    six digits, and a vendor gives way to names; nothing reads it back. Requires: as to_text.
    """

def parse_offers_csv(text: str) -> tuple[trestle.Offer, ...]:
    """
    Reads offers in the order of the text. The first line names the columns, in any order, all of
    them once: backend, region, instance, cpus, memory, disk, gpu_count, gpu_name, gpu_memory,
    gpu_vendor, price, spot. Sizes are written as parse_memory wants them; disk may be empty
    (unknown); the three gpu cells are empty when gpu_count is 0; price is in dollars an hour with
    at most six decimals; spot is true or false. Blank lines and lines that start with `#` are
    skipped. Errors: InvalidArgument with line, column and what was expected.
    """

def read_resources(value: object | None, bare: BareValue = BareValue.exact) -> ResourcesReading:
    """
    Reads YAML: a mapping with the keys cpu, memory, gpu, disk, shm_size, or one whose only key is
    `resources` with such a mapping. Values are texts or mappings: `{min, max}` for a range,
    `{arch, count}` for cpu, `{size}` for disk, and the fields of GpuSpec (with `name` a text or a
    list) for gpu. gpu, disk and shm_size may be null.
    Errors, all in one pass but for broken YAML: an unknown or repeated key, a boolean, a value that
    its grammar refuses, more than 64 KiB, more than 64 levels, more than 100,000 keys and items
    with aliases written out.
    """

def parse_resources(value: object | None, bare: BareValue = BareValue.exact) -> Resources:
    """
    As read_resources, of YAML text or a mapping; the first mistake is raised.
    """

def read_configuration(value: object | None, bare: BareValue = BareValue.exact) -> ConfigurationReading:
    """
    Reads a file of YAML, at most 64 KiB and 64 levels. A key that is null counts as left out where
    dstack lets it be null.
    Errors, all in one pass but for broken YAML: no type or an unknown one (the keys are then held
    against the nearest), an unknown or repeated key, a boolean, an empty list, a value that its
    grammar refuses.
    """

def parse_configuration(value: object | None, bare: BareValue = BareValue.exact) -> Configuration:
    """
    As read_configuration, of YAML text or a mapping; the first mistake is raised.
    """

def blocks_of(fleet: FleetConfiguration, host: SshHost) -> BlockCount:
    """
    The parts that a host of the fleet is cut into: its own number, else the fleet's.
    """

def to_request(resources: Resources) -> trestle.Request:
    """
    What it asks of one node, for one task. A gpu of `0..` without any wish asks for no device.
    """

def differences() -> list[dict[str, str]]:
    """
    Where this library and dstack part: topic, what dstack does, what is done here, and the test that holds to it.
    """

def differences_text() -> str:
    """The table in Markdown."""
