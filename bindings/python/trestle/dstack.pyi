"""dstack: its files and price lists."""

from collections.abc import Iterable
import enum
from typing import Any, overload

import trestle
import trestle.container
import trestle.prometheus


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
        """any of these; their order says nothing (each: str)"""

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
        """1 to run_nodes_limit; tasks only (int, a count)"""

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

class SshHost:
    """A host of an SSH fleet."""

    def __init__(self, hostname: str = '', blocks: trestle.BlockCount | None = None, carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def hostname(self) -> str:
        """str"""

    @property
    def blocks(self) -> trestle.BlockCount | None:
        """absent: those of the fleet (BlockCount, or None)"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """port, user and the like (each: CarriedKey)"""

    def replace(self, *, hostname: str = ..., blocks: trestle.BlockCount | None = ..., carried: Iterable[CarriedKey] = ...) -> SshHost:
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

    def __init__(self, name: str = '', nodes: FleetNodes | None = None, resources: Resources = Resources(cpu=CpuSpec(count=trestle.Range(min=1)), memory=trestle.Range(min=0), disk=None), blocks: trestle.BlockCount = trestle.BlockCount(), placement: trestle.FleetPlacement = trestle.FleetPlacement.any, profile: Profile = Profile(), ssh_config: SshConfig | None = None, env: Iterable[EnvEntry] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

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
    def blocks(self) -> trestle.BlockCount:
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

    def replace(self, *, name: str = ..., nodes: FleetNodes | None = ..., resources: Resources = ..., blocks: trestle.BlockCount = ..., placement: trestle.FleetPlacement = ..., profile: Profile = ..., ssh_config: SshConfig | None = ..., env: Iterable[EnvEntry] = ..., carried: Iterable[CarriedKey] = ...) -> FleetConfiguration:
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

def memory_range_text(range: int | trestle.Range[int]) -> str:
    """Requires: an end is given."""

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

def blocks_of(fleet: FleetConfiguration, host: SshHost) -> trestle.BlockCount:
    """
    The parts that a host of the fleet is cut into: its own number, else the fleet's.
    """

def to_request(resources: Resources) -> trestle.Request:
    """
    What it asks of one node, for one task. A gpu of `0..` without any wish asks for no device. With
    a count of `0..4` a machine without GPUs will do whatever is said of them; with `..4` it is held
    against what is said, as in dstack, and `nvidia:..4` means 1..4 of NVIDIA's.
    """

def differences() -> list[dict[str, str]]:
    """
    Where this library and dstack part: topic, what dstack does, what is done here, and the test that holds to it.
    """

def differences_text() -> str:
    """The table in Markdown."""

class OffersReading:
    """What was read, and every mistake."""

    def __init__(self, offers: Iterable[trestle.Offer] = (), errors: Iterable[trestle.RowError] = ()) -> None: ...

    @property
    def offers(self) -> tuple[trestle.Offer, ...]:
        """of the rows without a mistake, in their order (each: Offer)"""

    @property
    def errors(self) -> tuple[trestle.RowError, ...]:
        """in the order of the rows; after the first 100 no more (each: RowError)"""

    def replace(self, *, offers: Iterable[trestle.Offer] = ..., errors: Iterable[trestle.RowError] = ...) -> OffersReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OffersReading: ...

    def __deepcopy__(self, memo: object) -> OffersReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def read_offers(source: object, known: Iterable[trestle.KnownDevice] = ...) -> OffersReading:
    """
    A price list: CSV text, dicts by column, or an Arrow table. Columns as in read_offers_csv; numbers of memory and disk are GB, prices are dollars. What is not written of a GPU is that of its model in `known`.
    """

def read_catalog(source: object, backend_order: Iterable[str] = ..., known: Iterable[trestle.KnownDevice] = ...) -> tuple[trestle.Catalog, list[trestle.RowError]]:
    """
    A catalog of the rows without a mistake, as in read_offers, and all mistakes.
    """

def parse_catalog(source: object, backend_order: Iterable[str] = ..., known: Iterable[trestle.KnownDevice] = ...) -> trestle.Catalog:
    """As read_catalog; the first mistake is raised."""

def parse_offers_csv(text: str, known: Iterable[trestle.KnownDevice] = ...) -> list[trestle.Offer]:
    """
    The same. Errors: InvalidArgument with line, column and what was expected.
    """

class MatchOptions:
    """What a run needs beside its resources and profile."""

    def __init__(self, nodes: int = 1, is_privileged: bool = False, has_instance_volumes: bool = False, interconnects: Iterable[trestle.Interconnect] = (), reservations: Iterable[trestle.Reservation] = (), blocks: trestle.BlockCount | None = None, offers_max: int | None = None, backends: Iterable[trestle.Backend] | None = None) -> None: ...

    @property
    def nodes(self) -> int:
        """
        several: of backends whose instances reach each other, and whole ones (int, a count)
        """

    @property
    def is_privileged(self) -> bool:
        """bool"""

    @property
    def has_instance_volumes(self) -> bool:
        """bool"""

    @property
    def interconnects(self) -> tuple[trestle.Interconnect, ...]:
        """any of these; empty: any (each: Interconnect)"""

    @property
    def reservations(self) -> tuple[trestle.Reservation, ...]:
        """
        What is known of reservations. One that the profile names and that is not here may be
        anywhere where reservations are. (each: Reservation)
        """

    @property
    def blocks(self) -> trestle.BlockCount | None:
        """
        offers are cut into these first; absent: as they are (BlockCount, or None)
        """

    @property
    def offers_max(self) -> int | None:
        """so many of the first; absent: all (int, a count, or None)"""

    @property
    def backends(self) -> tuple[trestle.Backend, ...] | None:
        """absent: known_backends(); empty: nobody knows (each: Backend, or None)"""

    def replace(self, *, nodes: int = ..., is_privileged: bool = ..., has_instance_volumes: bool = ..., interconnects: Iterable[trestle.Interconnect] = ..., reservations: Iterable[trestle.Reservation] = ..., blocks: trestle.BlockCount | None = ..., offers_max: int | None = ..., backends: Iterable[trestle.Backend] | None = ...) -> MatchOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MatchOptions: ...

    def __deepcopy__(self, memo: object) -> MatchOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TestCount:
    """How many offers failed one test first."""

    def __init__(self, test: trestle.OfferTest = trestle.OfferTest.availability, offers: int = 0) -> None: ...

    @property
    def test(self) -> trestle.OfferTest:
        """OfferTest"""

    @property
    def offers(self) -> int:
        """int, a count"""

    def replace(self, *, test: trestle.OfferTest = ..., offers: int = ...) -> TestCount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TestCount: ...

    def __deepcopy__(self, memo: object) -> TestCount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BareHint:
    """
    A value without `..` that leaves nothing, and how to write that more is welcome.
    """

    def __init__(self, key: str = '', written: str = '', instead: str = '') -> None: ...

    @property
    def key(self) -> str:
        """memory, gpu.memory (str)"""

    @property
    def written(self) -> str:
        """`32GB` (str)"""

    @property
    def instead(self) -> str:
        """`32GB..` (str)"""

    def replace(self, *, key: str = ..., written: str = ..., instead: str = ...) -> BareHint:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BareHint: ...

    def __deepcopy__(self, memo: object) -> BareHint: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OffersExplanation:
    """What became of the offers of a catalog."""

    def __init__(self, matches: int = 0, tests: Iterable[TestCount] = (), rejected: Iterable[trestle.RejectedOffer] = (), hints: Iterable[BareHint] = (), is_together: bool = False) -> None: ...

    @property
    def matches(self) -> int:
        """int, a count"""

    @property
    def tests(self) -> tuple[TestCount, ...]:
        """those that offers failed, in their order (each: TestCount)"""

    @property
    def rejected(self) -> tuple[trestle.RejectedOffer, ...]:
        """in the catalog's order (each: RejectedOffer)"""

    @property
    def hints(self) -> tuple[BareHint, ...]:
        """
        When nothing matches: the values of which each, written with `..`, would let offers in; or,
        when none would alone, all of those that would together. Empty when none are to blame. (each: BareHint)
        """

    @property
    def is_together(self) -> bool:
        """the hints count together only (bool)"""

    def replace(self, *, matches: int = ..., tests: Iterable[TestCount] = ..., rejected: Iterable[trestle.RejectedOffer] = ..., hints: Iterable[BareHint] = ..., is_together: bool = ...) -> OffersExplanation:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OffersExplanation: ...

    def __deepcopy__(self, memo: object) -> OffersExplanation: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def match_offers(catalog: trestle.Catalog, resources: Resources, profile: Profile = ..., options: MatchOptions = ...) -> trestle.CatalogMatches:
    """
    The offers that fit, as trestle::match_offers gives them: price, then the catalog's order of
    backends, then of rows; what cannot be had now comes last. `offers_max` is applied behind that.
    """

def explain_offers(catalog: trestle.Catalog, resources: Resources, profile: Profile = ..., options: MatchOptions = ...) -> OffersExplanation:
    """
    Why the offers that do not fit do not. `offers_max` plays no part.
    Complexity: each offer is tested once; without any match, each bare value is one search more.
    """

def request_of(resources: Resources, profile: Profile = ..., options: MatchOptions = ...) -> trestle.Request:
    """
    to_request with the profile's highest price; with several nodes it wants whole instances.
    """

def filter_of(profile: Profile = ..., options: MatchOptions = ...) -> trestle.OfferFilter:
    """What the profile and the options say of places."""

@overload
def combine(fleet: Resources, run: Resources) -> Resources | trestle.Refusal:
    """
    Resources that both accept. Ranges are intersected, also compute capability, of which the
    stronger bound wins; architecture and vendor are those of either, or equal; names of GPUs are
    those in both, without regard to case, in the fleet's order and spelling; shm_size is the
    smaller. A null gpu or disk leaves the other's.
    A Refusal names the key and what both sides say.
    """

@overload
def combine(fleet: Profile, run: Profile) -> Profile | trestle.Refusal:
    """
    Places and prices that both accept. Lists are intersected, without regard to case but for zones,
    in the fleet's order; reservation is that of either, or equal; spot_policy is equal, and auto
    gives way, where a silent fleet is auto and a silent run on-demand; max_price is the lower,
    idle_duration the shorter, off the longest. What only runs say (fleets, creation_policy, retry,
    max_duration, stop_duration) is the run's, retry the fleet's where the run has none. A Refusal
    names the key and what both sides say.
    """

def known_backends() -> tuple[trestle.Backend, ...]:
    """All backends that dstack knows, by name."""

@overload
def with_vendor(gpu: GpuSpec) -> GpuSpec: ...

@overload
def with_vendor(gpu: GpuSpec, known: Iterable[trestle.KnownDevice]) -> GpuSpec:
    """
    The specification with the vendor that its names tell: that of all of them, where they are
    known and have one in common. One with a vendor, or that wants no GPU, stays as it is.
    """

@overload
def gpus_of_type(type: str) -> tuple[GpuSpec, ...]: ...

@overload
def gpus_of_type(type: str, known: Iterable[trestle.KnownDevice]) -> tuple[GpuSpec, ...]:
    """
    The specifications that Slurm's type of a GRES stands for: `a100` is A100:40GB and A100:80GB,
    each with the vendor and one GPU or more. Empty when nothing is called so.
    """

def types_of(gpu: GpuSpec) -> tuple[str, ...]:
    """
    The types of GRES that the names of the specification stand for, each once: `a100`.
    """

def instance_of(node: trestle.Node, blocks: int = 1, known: Iterable[trestle.KnownDevice] = ...) -> trestle.Offer:
    """
    A node as an instance of an SSH fleet: offer_of with backend and region `remote`, cut into
    `blocks`.
    """

@overload
def to_table(offers: Iterable[trestle.Offer] | Iterable[trestle.Instance]) -> str:
    """
    The columns #, BACKEND (with the region), RESOURCES, INSTANCE TYPE (with `1/8` where it is cut
    into blocks), PRICE an hour, and a last one without a name: idle, busy, not available, no quota,
    no balance; nothing for what can be bought. Every line ends without blanks and with a line end.
    Requires: each offer divides into its blocks.
    """

@overload
def to_table(catalog: trestle.Catalog, matches: trestle.CatalogMatches, rows_max: int | None | None = None, blocks: trestle.BlockCount | None | None = None) -> str:
    """
    The same of what was found, each with the blocks that it takes; where more was found than
    `rows_max`, only the first, and a last line says how many of how many, and the highest price.
    `blocks` is what offers were cut into to be matched; absent: as they are.
    Requires: the matches are the catalog's, found with these `blocks`.
    """

def resources_text(offer: trestle.Offer, blocks: int) -> str:
    """
    `cpu=96 mem=680GB disk=100GB gpu=A100:40GB:8 (spot)`: what `blocks` of the offer hold, and the
    whole disk. Requires: the offer divides into its blocks, of which there are so many.
    """

class MetricsLine:
    """The columns of `dstack metrics`; `-` for what is not known."""

    def __init__(self, cpu: str = '', memory: str = '', gpu: str = '') -> None: ...

    @property
    def cpu(self) -> str:
        """
        `45%` of the CPUs granted; of one CPU where their number is not known (str)
        """

    @property
    def memory(self) -> str:
        """`16.27GB/200GB`; without a limit the first alone (str)"""

    @property
    def gpu(self) -> str:
        """
        `gpu=0 mem=72.48GB/80GB util=95%`, a GPU a line; empty without GPUs (str)
        """

    def replace(self, *, cpu: str = ..., memory: str = ..., gpu: str = ...) -> MetricsLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MetricsLine: ...

    def __deepcopy__(self, memo: object) -> MetricsLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobSample:
    """A job and a reading of it."""

    def __init__(self, labels: Iterable[trestle.prometheus.Label] = (), usage: trestle.Usage = trestle.Usage(), granted: trestle.Grant = trestle.Grant(), duration: int | None = None, price: int | None = None) -> None: ...

    @property
    def labels(self) -> tuple[trestle.prometheus.Label, ...]:
        """`dstack_project_name` and so on, by the caller (each: Label)"""

    @property
    def usage(self) -> trestle.Usage:
        """Usage"""

    @property
    def granted(self) -> trestle.Grant:
        """Grant"""

    @property
    def duration(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def price(self) -> int | None:
        """an hour (int, millionths of a US dollar, or None)"""

    def replace(self, *, labels: Iterable[trestle.prometheus.Label] = ..., usage: trestle.Usage = ..., granted: trestle.Grant = ..., duration: int | None = ..., price: int | None = ...) -> JobSample:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobSample: ...

    def __deepcopy__(self, memo: object) -> JobSample: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def metrics_line(before: trestle.Usage, after: trestle.Usage, granted: trestle.Grant) -> MetricsLine:
    """What happened between two readings, in dstack's words."""

def metric_memory(memory: int) -> str:
    """
    `72.48GB`, `80GB`, `512MB`: from 1024 MB on in GB; two decimals at most, no zeros behind them.
    """

def job_metrics(jobs: Iterable[JobSample]) -> tuple[trestle.prometheus.Metric, ...]:
    """
    The job metrics of dstack's server, by its names and in its order; those of a GPU have the
    further label `dstack_gpu_num`, its position. What is not known has no sample.
    """

class PlannedNode:
    """One node of a run."""

    def __init__(self, share: trestle.InstanceShare = trestle.InstanceShare(), offer: int | None = None, price: int = 0) -> None: ...

    @property
    def share(self) -> trestle.InstanceShare:
        """names the instance and the blocks (InstanceShare)"""

    @property
    def offer(self) -> int | None:
        """
        position in the catalog of what is bought; absent: reuse (int, or None)
        """

    @property
    def price(self) -> int:
        """of the whole instance, an hour (int, millionths of a US dollar)"""

    def replace(self, *, share: trestle.InstanceShare = ..., offer: int | None = ..., price: int = ...) -> PlannedNode:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PlannedNode: ...

    def __deepcopy__(self, memo: object) -> PlannedNode: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FleetAnswer:
    """What a fleet can do for a run."""

    def __init__(self, fleet: str = '', has_capacity: bool = False, reuse: trestle.Refusal | None = None, creation: trestle.Refusal | None = None, reuse_price: int | None = None, offer_price: int | None = None) -> None: ...

    @property
    def fleet(self) -> str:
        """str"""

    @property
    def has_capacity(self) -> bool:
        """bool"""

    @property
    def reuse(self) -> trestle.Refusal | None:
        """why not all nodes are instances that are there (Refusal, or None)"""

    @property
    def creation(self) -> trestle.Refusal | None:
        """why no instance can be made (Refusal, or None)"""

    @property
    def reuse_price(self) -> int | None:
        """
        of the reused instances together, an hour (int, millionths of a US dollar, or None)
        """

    @property
    def offer_price(self) -> int | None:
        """
        of the cheapest instance that can be made (int, millionths of a US dollar, or None)
        """

    def replace(self, *, fleet: str = ..., has_capacity: bool = ..., reuse: trestle.Refusal | None = ..., creation: trestle.Refusal | None = ..., reuse_price: int | None = ..., offer_price: int | None = ...) -> FleetAnswer:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FleetAnswer: ...

    def __deepcopy__(self, memo: object) -> FleetAnswer: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RunPlan:
    """The decision for a run."""

    def __init__(self, owner: int = 0, fleet: str = '', created: Iterable[trestle.Instance] = (), nodes: Iterable[PlannedNode] = (), fleets: Iterable[FleetAnswer] = (), hints: Iterable[BareHint] = (), is_together: bool = False) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def fleet(self) -> str:
        """empty: there is no capacity, and `fleets` says why (str)"""

    @property
    def created(self) -> tuple[trestle.Instance, ...]:
        """to be made; nobody has their blocks yet (each: Instance)"""

    @property
    def nodes(self) -> tuple[PlannedNode, ...]:
        """by rank, each on an instance of its own (each: PlannedNode)"""

    @property
    def fleets(self) -> tuple[FleetAnswer, ...]:
        """in the order of the fleets, then unknown ones (each: FleetAnswer)"""

    @property
    def hints(self) -> tuple[BareHint, ...]:
        """
        Without capacity: the bare values of the run to blame, as in OffersExplanation (hints_text). (each: BareHint)
        """

    @property
    def is_together(self) -> bool:
        """the hints count together only (bool)"""

    def replace(self, *, owner: int = ..., fleet: str = ..., created: Iterable[trestle.Instance] = ..., nodes: Iterable[PlannedNode] = ..., fleets: Iterable[FleetAnswer] = ..., hints: Iterable[BareHint] = ..., is_together: bool = ...) -> RunPlan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RunPlan: ...

    def __deepcopy__(self, memo: object) -> RunPlan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def has_capacity(self) -> bool:
        """True when the run has its nodes."""

def plan_run(fleets: Iterable[FleetConfiguration], instances: Iterable[trestle.Instance], catalog: trestle.Catalog, run: RunConfiguration, owner: int, options: MatchOptions = ...) -> RunPlan:
    """
    Decides where a run goes.

    What is there and what is offered is judged alike, by check_offer with filter_of and request_of
    the profile, resources_of the run, which adds what dstack infers of them, and options_of it.
    A run that names instances (`instances:`) has those only, and none is made for it. An instance
    is reused when it is running or being made, reachable, not failed, of the reservation that the
    run names, if any, when it meets the run's profile and the smallest number of its blocks that
    meets the resources is free; where its zone is unknown it may be any. An offer is made into an
    instance of a fleet when the fleet has room below the end of its nodes, the run may create, the
    offer meets what both profiles say together (combine) and, in the fleet's blocks, the fleet's
    resources as a whole and the run's in the smallest number of blocks. Without a policy a run
    takes on-demand instances only, a fleet any. `options` say what the run needs beside what it
    says itself, and what backends can do; `nodes` and `blocks` are those of the run and the fleets
    whatever they say, and `offers_max` plays no part. In a fleet with placement cluster only what
    backends with several nodes offer is made, for whatever run.

    Instances of a fleet are tried in this order: running ones first, cheapest, smallest share
    (GPUs, CPUs, bytes), fewest usable GPUs and CPUs left beside it, first in the list.
    Offers: in the catalog's order, that is cheapest, earlier backend, earlier row.

    A run of several nodes takes whole instances, all of one fleet with placement cluster and of one
    backend and region: as many that are there as possible, then new ones of the first offer; all or
    none. Of several places the one with the fewest new instances, then the cheapest reused ones,
    the cheapest offer, the first in the lists. In a fleet with that placement new instances are
    made only where it has some.

    Of the fleets that can take the run, the order is that of places: fewest new instances, cheapest
    reused ones, cheapest offer, first in the list; for one node that is dstack's.

    Errors: InvalidArgument for a fleet without a name of its own, an instance as at
    check(instance), a name that two have, a run of no nodes or of more than run_nodes_limit, new
    instances with more than created_blocks_limit blocks together, what options_of and instances_of
    refuse, or resources of a run or fleet as at check(request); FailedPrecondition, naming the
    instance, when the owner has blocks already. Complexity: fleets, times instances and
    match_offers of the catalog; a fleet that can make nothing looks once at each offer; without
    capacity each bare value of the run is one plan more.
    """

def resources_of(run: RunConfiguration, known: Iterable[trestle.KnownDevice] = ...) -> Resources:
    """
    The run's resources with what follows from it: the architecture of a run without an image is
    x86, the vendor of GPUs is that of their names (with_vendor), or NVIDIA without names and image.
    What is said stays; so does `gpu: 0` and null. Of an image nobody here knows what it is made
    for: it leaves both open. Facts of dstack 0.21.2.
    """

def options_of(run: RunConfiguration, options: MatchOptions = ...) -> MatchOptions:
    """
    `options` with what the run says: its nodes; that it is privileged (`privileged`, `docker`);
    that it mounts folders of the instance (`volumes`: `/there:/here`, or a mapping with
    instance_path). What `options` say more stays.
    Errors: InvalidArgument, with key and line, for a value that is none of these.
    """

def instances_of(run: RunConfiguration) -> tuple[str, ...]:
    """
    The names in `instances:`, to which the run is bound; empty: it may go anywhere.
    Errors: InvalidArgument, with the line, for anything but names, as texts or as {name}: what
    else dstack knows there (a host name, a number in a fleet) no instance here has.
    """

def apply_plan(instances: Iterable[trestle.Instance], plan: RunPlan) -> tuple[trestle.Instance, ...]:
    """
    The instances after a plan: new ones added, blocks taken. It need not be the state that was
    planned for: what others have taken since is an error, so nothing is assigned twice.
    Errors: NotFound for an instance that is gone; AlreadyExists for a new one whose name is taken;
    InvalidArgument as at check(instance), for a new one and for one of which blocks are taken, and
    as at take_blocks; FailedPrecondition as there, and for an instance that no longer takes work.
    """

def release_run(instances: Iterable[trestle.Instance], owner: int) -> tuple[trestle.Instance, ...]:
    """
    The instances after the end of a run: all blocks of `owner` are free.
    Errors: NotFound when it has none.
    """

class JobStatus(enum.Enum):
    """Where a job is, in order; the last four are the ends."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    submitted = 0

    provisioning = 1

    pulling = 2

    running = 3

    terminating = 4

    done = 5

    failed = 6

    terminated = 7

    aborted = 8

class TerminationReason(enum.Enum):
    """Why a job ended. The first reason that there is counts."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    done_by_runner = 0
    """its commands ended with 0"""

    container_exited_with_error = 1
    """they ended with something else"""

    executor_error = 2
    """devices, volumes or keys could not be had"""

    creating_container_error = 3
    """the image could not be pulled, or not started"""

    ports_binding_failed = 4

    volume_error = 5

    gateway_error = 6

    log_quota_exceeded = 7

    max_duration_exceeded = 8

    inactivity_duration_exceeded = 9
    """nobody was connected to a dev environment"""

    terminated_due_to_utilization_policy = 10

    terminated_by_user = 11

    aborted_by_user = 12

    terminated_by_server = 13

    scaled_down = 14

    failed_to_start_due_to_no_capacity = 15

    interrupted_by_no_capacity = 16
    """a spot instance was taken away"""

    instance_unreachable = 17

    instance_access_revoked = 18

    waiting_instance_limit_exceeded = 19

    waiting_runner_limit_exceeded = 20

class TerminationRule:
    """A row of the table."""

    def __init__(self, reason: TerminationReason = TerminationReason.done_by_runner, status: JobStatus = JobStatus.done, event: RetryEvent | None = None) -> None: ...

    @property
    def reason(self) -> TerminationReason:
        """TerminationReason"""

    @property
    def status(self) -> JobStatus:
        """what the job ends as (JobStatus)"""

    @property
    def event(self) -> RetryEvent | None:
        """absent: no retry applies (RetryEvent, or None)"""

    def replace(self, *, reason: TerminationReason = ..., status: JobStatus = ..., event: RetryEvent | None = ...) -> TerminationRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TerminationRule: ...

    def __deepcopy__(self, memo: object) -> TerminationRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def termination_rules() -> tuple[TerminationRule, ...]:
    """Every reason once, in the order of the enum."""

def rule_of(reason: TerminationReason) -> TerminationRule:
    """The row of a reason."""

class EndedAttempt:
    """How an attempt ended."""

    def __init__(self, reason: TerminationReason = TerminationReason.failed_to_start_due_to_no_capacity, at: int = 0) -> None: ...

    @property
    def reason(self) -> TerminationReason:
        """TerminationReason"""

    @property
    def at(self) -> int:
        """int, seconds"""

    def replace(self, *, reason: TerminationReason = ..., at: int = ...) -> EndedAttempt:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EndedAttempt: ...

    def __deepcopy__(self, memo: object) -> EndedAttempt: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RetryHistory:
    """What became of a run so far."""

    def __init__(self, submitted_at: int = 0, attempts: Iterable[EndedAttempt] = ()) -> None: ...

    @property
    def submitted_at(self) -> int:
        """int, seconds"""

    @property
    def attempts(self) -> tuple[EndedAttempt, ...]:
        """in the order of their ends (each: EndedAttempt)"""

    def replace(self, *, submitted_at: int = ..., attempts: Iterable[EndedAttempt] = ...) -> RetryHistory:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RetryHistory: ...

    def __deepcopy__(self, memo: object) -> RetryHistory: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RetryPacing:
    """
    How long to wait after the first end, the second, and so on; after further ones as after the
    last. Empty: not at all.
    """

    def __init__(self, delays: Iterable[int] = (15, 30, 60, 120, 300, 600)) -> None: ...

    @property
    def delays(self) -> tuple[int, ...]:
        """each: int, seconds"""

    def replace(self, *, delays: Iterable[int] = ...) -> RetryPacing:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RetryPacing: ...

    def __deepcopy__(self, memo: object) -> RetryPacing: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class RetryAction(enum.Enum):
    """
    What to do with a run that ended: start it again now, after a pause, or not at all.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    again = 0

    wait = 1

    give_up = 2

class RetryDecision:
    """What to do, and why."""

    def __init__(self, action: RetryAction = RetryAction.give_up, until: int = 0, reason: str = '') -> None: ...

    @property
    def action(self) -> RetryAction:
        """RetryAction"""

    @property
    def until(self) -> int:
        """for wait: when to ask again; else 0 (int, seconds)"""

    @property
    def reason(self) -> str:
        """for give_up: what speaks against it (str)"""

    def replace(self, *, action: RetryAction = ..., until: int = ..., reason: str = ...) -> RetryDecision:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RetryDecision: ...

    def __deepcopy__(self, memo: object) -> RetryDecision: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def retry(policy: Retry | None | None, history: RetryHistory, now: int, pacing: RetryPacing = ...) -> RetryDecision:
    """
    Whether to try again at `now`.

    What counts is the last attempt that had capacity: its event must be in the policy, and no more
    than the policy's duration may have passed since it ended. So a run that lost its instance and
    finds no other is tried as one that was interrupted. Of a run that never had capacity the event
    is no-capacity, and time runs from when it was submitted. An attempt that ended without an event
    (done, stopped, out of time) is the end of the run. Between attempts lies the pacing's delay,
    but the last attempt is made at the end of the duration, not behind it. A run without attempts
    is tried now. Absent policy: as one without events.
    """

class GangRole(enum.Enum):
    """
    What a job of a distributed run is to the others: the master is that of rank 0.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    master = 0

    worker = 1

class GangPart(enum.Enum):
    """Some of the jobs of a run."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    nobody = 0

    master = 1

    workers = 2

    everybody = 3

class StartupRule:
    """Who must be running, or have run, before a job starts."""

    def __init__(self, order: StartupOrder = StartupOrder.any, role: GangRole = GangRole.master, waits_for: GangPart = GangPart.nobody) -> None: ...

    @property
    def order(self) -> StartupOrder:
        """StartupOrder"""

    @property
    def role(self) -> GangRole:
        """GangRole"""

    @property
    def waits_for(self) -> GangPart:
        """GangPart"""

    def replace(self, *, order: StartupOrder = ..., role: GangRole = ..., waits_for: GangPart = ...) -> StartupRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StartupRule: ...

    def __deepcopy__(self, memo: object) -> StartupRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class StopRule:
    """Who must stop once a job has ended."""

    def __init__(self, criteria: StopCriteria = StopCriteria.all_done, role: GangRole = GangRole.master, is_done: bool = True, stops: GangPart = GangPart.nobody) -> None: ...

    @property
    def criteria(self) -> StopCriteria:
        """StopCriteria"""

    @property
    def role(self) -> GangRole:
        """of the job that ended (GangRole)"""

    @property
    def is_done(self) -> bool:
        """it is done; else it failed, was terminated or aborted (bool)"""

    @property
    def stops(self) -> GangPart:
        """GangPart"""

    def replace(self, *, criteria: StopCriteria = ..., role: GangRole = ..., is_done: bool = ..., stops: GangPart = ...) -> StopRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StopRule: ...

    def __deepcopy__(self, memo: object) -> StopRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GangStep:
    """What is to be done now."""

    def __init__(self, may_start: Iterable[int] = (), must_stop: Iterable[int] = (), outcome: JobStatus | None = None) -> None: ...

    @property
    def may_start(self) -> tuple[int, ...]:
        """ranks of jobs that are not running yet, rising (each: int)"""

    @property
    def must_stop(self) -> tuple[int, ...]:
        """ranks of jobs that have not ended, rising (each: int)"""

    @property
    def outcome(self) -> JobStatus | None:
        """
        How the run ends, or will when all have stopped; absent while it goes on. (JobStatus, or None)
        """

    def replace(self, *, may_start: Iterable[int] = ..., must_stop: Iterable[int] = ..., outcome: JobStatus | None = ...) -> GangStep:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GangStep: ...

    def __deepcopy__(self, memo: object) -> GangStep: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def startup_rules() -> tuple[StartupRule, ...]:
    """Each order with each role once."""

def stop_rules() -> tuple[StopRule, ...]:
    """Each criteria with each role and end once."""

def gang_step(order: StartupOrder, criteria: StopCriteria, jobs: Iterable[JobStatus]) -> GangStep:
    """
    What the tables say of a run whose jobs, by rank, are like this. Once anybody must stop, nobody
    may start. A job that is terminating is not asked to stop again. With master_done the outcome is
    done as soon as the master is, however workers end; with all_done when all are. Else it is
    aborted, failed or terminated, the first of these that any job is.
    Requires: there is a job. Complexity: jobs, times jobs that have not started.
    """

class JobAccess:
    """
    What the plan of a job and its container documents are to say. A default one is that of a share.
    """

    def __init__(self, network: trestle.container.NetworkMode = trestle.container.NetworkMode.bridge, has_rdma_devices: bool = False, limits: Iterable[trestle.ProcessLimit] = ()) -> None: ...

    @property
    def network(self) -> trestle.container.NetworkMode:
        """NetworkMode"""

    @property
    def has_rdma_devices(self) -> bool:
        """those in /dev/infiniband that its placement has (bool)"""

    @property
    def limits(self) -> tuple[trestle.ProcessLimit, ...]:
        """
        Beside what the image sets. RDMA pins what it sends, so whoever has it may lock any amount. (each: ProcessLimit)
        """

    def replace(self, *, network: trestle.container.NetworkMode = ..., has_rdma_devices: bool = ..., limits: Iterable[trestle.ProcessLimit] = ...) -> JobAccess:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobAccess: ...

    def __deepcopy__(self, memo: object) -> JobAccess: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def access_of(share: trestle.InstanceShare) -> JobAccess:
    """
    The whole host: network host, RDMA devices, memlock without a limit. A share: none of these;
    but one with a TPU may lock any amount, as its container kit says.
    """

class JobPlan:
    """What docker_container, oci_config and kubernetes_pod take."""

    def __init__(self, plan: trestle.Plan = trestle.Plan(), options: trestle.container.ContainerOptions = trestle.container.ContainerOptions()) -> None: ...

    @property
    def plan(self) -> trestle.Plan:
        """Plan"""

    @property
    def options(self) -> trestle.container.ContainerOptions:
        """with the network of the share (ContainerOptions)"""

    def replace(self, *, plan: trestle.Plan = ..., options: trestle.container.ContainerOptions = ...) -> JobPlan:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobPlan: ...

    def __deepcopy__(self, memo: object) -> JobPlan: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def plan_job(node: trestle.Node, share: trestle.InstanceShare, request: trestle.Request, policy: trestle.LimitPolicy, options: trestle.PlanOptions) -> JobPlan:
    """
    plan() for what a job has of an instance, with access_of(share): without the whole host no file
    in /dev/infiniband is handed over, nor an adapter that has no others; with it memlock is without
    limit, unless `options` names that limit. dstack's limits are the share's, so `policy.source` is
    LimitSource::capacity, whole hosts included. `node` is the one that the share is of, with the
    instance's shape: look_at may have cut its cores.
    Errors: InvalidArgument for a share without a placement, as nobody has looked at the machine, or
    of a shape whose cores have other CPUs, and those of plan().
    """

class RunNode:
    """A job's node, as its neighbours see it."""

    def __init__(self, address: str = '', gpus: int = 0) -> None: ...

    @property
    def address(self) -> str:
        """IPv4 or IPv6 among the nodes of the run; empty: unknown (str)"""

    @property
    def gpus(self) -> int:
        """of the share (int, a count)"""

    def replace(self, *, address: str = ..., gpus: int = ...) -> RunNode:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> RunNode: ...

    def __deepcopy__(self, memo: object) -> RunNode: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def gpus_of(share: trestle.InstanceShare) -> int:
    """The GPUs of a share."""

def mpi_hostfile(nodes: Iterable[RunNode]) -> str:
    """
    A line for each node, `<address> slots=<gpus>`, without slots for a node without GPUs. Empty
    when an address is unknown: MPI would start on the others alone.
    Errors: InvalidArgument for an address with anything but letters, digits and `.:-_%`.
    """

def run_environment(nodes: Iterable[RunNode], rank: int, hostfile: str) -> tuple[trestle.EnvironmentVariable, ...]:
    """
    What job `rank` sees, in this order: DSTACK_NODES_IPS (a line for each node, empty where it is
    unknown, so that the n-th line is node n), DSTACK_MASTER_NODE_IP, DSTACK_NODE_RANK,
    DSTACK_NODES_NUM, DSTACK_GPUS_PER_NODE (of this node), DSTACK_GPUS_NUM (of all nodes together),
    DSTACK_MPI_HOSTFILE (`hostfile`, the path where mpi_hostfile is written).
    Errors: InvalidArgument for no nodes, a rank that is none, an address as above, or more GPUs
    than can be counted.
    """

class JobEnding(enum.Enum):
    """
    How a job ended. The last one: for any other reason that its `reason` says.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    done = 0

    failed = 1

    out_of_memory = 2

    signaled = 3

    by_user = 4

    time_limit = 5

    stopped = 6

class JobExit:
    """How a job ended, in dstack's words too."""

    def __init__(self, ending: JobEnding = JobEnding.done, status: JobStatus = JobStatus.done, reason: TerminationReason = TerminationReason.done_by_runner, exit_code: int | None = None, signal_number: int | None = None) -> None: ...

    @property
    def ending(self) -> JobEnding:
        """JobEnding"""

    @property
    def status(self) -> JobStatus:
        """JobStatus"""

    @property
    def reason(self) -> TerminationReason:
        """TerminationReason"""

    @property
    def exit_code(self) -> int | None:
        """absent: a signal ended the shell itself (int, or None)"""

    @property
    def signal_number(self) -> int | None:
        """of the command, also when the shell reported it (int, or None)"""

    def replace(self, *, ending: JobEnding = ..., status: JobStatus = ..., reason: TerminationReason = ..., exit_code: int | None = ..., signal_number: int | None = ...) -> JobExit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobExit: ...

    def __deepcopy__(self, memo: object) -> JobExit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

@overload
def classify(outcome: trestle.Outcome, stopped: TerminationReason | None | None = None) -> JobExit:
    """
    What the end of a command means. `stopped`: why somebody had stopped the job before it ended;
    this is then the reason, whatever the command made of it. Else: 0 is done, all others failed;
    out of memory when a kill for memory was counted and SIGKILL ended the command, or the shell
    says so; by a signal for signals and for exit codes 129 to 192.
    Requires: `stopped` is neither done_by_runner nor container_exited_with_error.
    """

@overload
def classify(end: trestle.JobEnd) -> JobExit:
    """The same for a job that an EndSequence ended."""

def stop_reason(cause: trestle.StopCause) -> TerminationReason:
    """
    Why a job ended that somebody stopped: max_duration_exceeded, terminated_by_user,
    interrupted_by_no_capacity for preemption, terminated_by_server for a shutdown.
    """

def end_policy(profile: Profile) -> trestle.EndPolicy:
    """
    When and how dstack ends the commands of a run: max_duration, then SIGINT to the shell, and
    SIGKILL after 10 seconds, or after stop_duration where the profile has one; off: never.
    """
