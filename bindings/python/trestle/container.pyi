"""Documents for Docker, OCI runtimes and Kubernetes."""

from collections.abc import Iterable
import enum

import trestle


class Keeper(enum.Enum):
    """Who holds a container to a limit."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    receiver = 0
    """who is handed the document"""

    nobody = 1

class KeptLimit:
    """
    One limit, and what becomes of it. `-` as the limit: the plan has none.
    """

    def __init__(self, resource: str = '', limit: str = '', keeper: Keeper = Keeper.nobody, how: str = '') -> None: ...

    @property
    def resource(self) -> str:
        """`memory`, as in explain_limits (str)"""

    @property
    def limit(self) -> str:
        """`16GiB` (str)"""

    @property
    def keeper(self) -> Keeper:
        """Keeper"""

    @property
    def how(self) -> str:
        """the part of the document that says it, or why nobody keeps it (str)"""

    def replace(self, *, resource: str = ..., limit: str = ..., keeper: Keeper = ..., how: str = ...) -> KeptLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KeptLimit: ...

    def __deepcopy__(self, memo: object) -> KeptLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NetworkMode(enum.Enum):
    """Whose network the container uses."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    bridge = 0
    """one of its own: a part of a machine"""

    host = 1
    """the machine's: all of it"""

class ContainerKit:
    """What containers with devices of one kind need. Empty: nothing."""

    def __init__(self, vendor: str = '', name: str = '', file_prefix: str = '', docker_driver: str = '', driver_capabilities: Iterable[str] = (), docker_runtime: str = '', runtime_variable: str = '', capabilities: Iterable[str] = (), wants_no_seccomp: bool = False, wants_host_ipc: bool = False, environment: Iterable[trestle.EnvironmentVariable] = (), limits: Iterable[trestle.ProcessLimit] = (), kubernetes_resource: str = '', kubernetes_slice_prefix: str = '') -> None: ...

    @property
    def vendor(self) -> str:
        """PlannedDevice::vendor; empty: any, the files decide (str)"""

    @property
    def name(self) -> str:
        """PlannedDevice::name (str)"""

    @property
    def file_prefix(self) -> str:
        """one of its files starts so; empty: the vendor alone decides (str)"""

    @property
    def docker_driver(self) -> str:
        """
        Docker: the driver of a DeviceRequest that names devices by UUID. Empty: by files. (str)
        """

    @property
    def driver_capabilities(self) -> tuple[str, ...]:
        """of that DeviceRequest (each: str)"""

    @property
    def docker_runtime(self) -> str:
        """Docker's `Runtime` (str)"""

    @property
    def runtime_variable(self) -> str:
        """
        What the vendor's runtime reads: the indexes of the devices to show. Docker is told `void`
        where there is none, since images ask for all and a runtime may be the daemon's default. (str)
        """

    @property
    def capabilities(self) -> tuple[str, ...]:
        """of the kernel, without `CAP_` (each: str)"""

    @property
    def wants_no_seccomp(self) -> bool:
        """system calls are not filtered (bool)"""

    @property
    def wants_host_ipc(self) -> bool:
        """given only where the whole host is (bool)"""

    @property
    def environment(self) -> tuple[trestle.EnvironmentVariable, ...]:
        """each: EnvironmentVariable"""

    @property
    def limits(self) -> tuple[trestle.ProcessLimit, ...]:
        """each: ProcessLimit"""

    @property
    def kubernetes_resource(self) -> str:
        """`nvidia.com/gpu`; empty: no name is known (str)"""

    @property
    def kubernetes_slice_prefix(self) -> str:
        """`nvidia.com/mig-`, before a profile (str)"""

    def replace(self, *, vendor: str = ..., name: str = ..., file_prefix: str = ..., docker_driver: str = ..., driver_capabilities: Iterable[str] = ..., docker_runtime: str = ..., runtime_variable: str = ..., capabilities: Iterable[str] = ..., wants_no_seccomp: bool = ..., wants_host_ipc: bool = ..., environment: Iterable[trestle.EnvironmentVariable] = ..., limits: Iterable[trestle.ProcessLimit] = ..., kubernetes_resource: str = ..., kubernetes_slice_prefix: str = ...) -> ContainerKit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ContainerKit: ...

    def __deepcopy__(self, memo: object) -> ContainerKit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def is_for(self, device: trestle.PlannedDevice) -> bool:
        """
        True when name and vendor are those of the device, as far as both name a vendor, and one of
        its files starts with the prefix. A device without files is known by its vendor, one without
        a vendor by its files.
        """

class ContainerOptions:
    """
    What every document needs beside the plan. Of the plan's user a container has all that the
    receiver has words for; a plan that keeps some capabilities only keeps them from kits, too.
    The scratch directory is seen at its own path. Docker and OCI runtimes bind it from the host: it
    has to be there, with the plan's owner, when the container starts.
    """

    def __init__(self, network: NetworkMode = NetworkMode.bridge, uid: int | None = None, gid: int | None = None, kits: Iterable[ContainerKit] = ...) -> None: ...

    @property
    def network(self) -> NetworkMode:
        """NetworkMode"""

    @property
    def uid(self) -> int | None:
        """
        The user inside the container; absent: the plan's, else root. Where the plan has another,
        this one wins and a row says so; groups, capabilities and no_new_privs stay the plan's. (int, or None)
        """

    @property
    def gid(self) -> int | None:
        """int, or None"""

    @property
    def kits(self) -> tuple[ContainerKit, ...]:
        """each: ContainerKit"""

    def replace(self, *, network: NetworkMode = ..., uid: int | None = ..., gid: int | None = ..., kits: Iterable[ContainerKit] = ...) -> ContainerOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ContainerOptions: ...

    def __deepcopy__(self, memo: object) -> ContainerOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def standard_container_kits() -> tuple[ContainerKit, ...]:
    """
    NVIDIA and AMD GPUs, Intel Gaudi (vendor habana, or intel with files of an accelerator) and
    Intel GPUs, TPUs, AWS Neuron. TPUs bring memlock without a limit to shares as well, since VFIO
    works on locked memory alone; the memory limit holds for that, too. RDMA adapters go by their
    files: how much their programs may lock is for the plan to say (dstack::plan_job does).
    """

def losses(limits: Iterable[KeptLimit]) -> tuple[KeptLimit, ...]:
    """The limits that the plan has and nobody keeps."""

def kept_table(limits: Iterable[KeptLimit]) -> str:
    """
    A table with a line of headings, columns padded with blanks, one row a line.
    """

class DockerDeviceRequest:
    """Devices that a driver of Docker's finds by itself."""

    def __init__(self, driver: str = '', device_ids: Iterable[str] = (), capabilities: Iterable[Iterable[str]] = ()) -> None: ...

    @property
    def driver(self) -> str:
        """`nvidia` (str)"""

    @property
    def device_ids(self) -> tuple[str, ...]:
        """UUIDs (each: str)"""

    @property
    def capabilities(self) -> tuple[tuple[str, ...], ...]:
        """any of these sets (each: each: str)"""

    def replace(self, *, driver: str = ..., device_ids: Iterable[str] = ..., capabilities: Iterable[Iterable[str]] = ...) -> DockerDeviceRequest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DockerDeviceRequest: ...

    def __deepcopy__(self, memo: object) -> DockerDeviceRequest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DockerDevice:
    """A device file of the host, and what may be done with it."""

    def __init__(self, path_on_host: str = '', path_in_container: str = '', cgroup_permissions: str = '') -> None: ...

    @property
    def path_on_host(self) -> str:
        """str"""

    @property
    def path_in_container(self) -> str:
        """str"""

    @property
    def cgroup_permissions(self) -> str:
        """of `rwm` (str)"""

    def replace(self, *, path_on_host: str = ..., path_in_container: str = ..., cgroup_permissions: str = ...) -> DockerDevice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DockerDevice: ...

    def __deepcopy__(self, memo: object) -> DockerDevice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DockerUlimit:
    """A limit of setrlimit(2)."""

    def __init__(self, name: str = '', soft: int = 0, hard: int = 0) -> None: ...

    @property
    def name(self) -> str:
        """`memlock` (str)"""

    @property
    def soft(self) -> int:
        """-1: unlimited (int)"""

    @property
    def hard(self) -> int:
        """int"""

    def replace(self, *, name: str = ..., soft: int = ..., hard: int = ...) -> DockerUlimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DockerUlimit: ...

    def __deepcopy__(self, memo: object) -> DockerUlimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HostConfig:
    """
    Absent and empty fields are left out of the JSON: Docker has its own defaults for them.
    """

    def __init__(self, memory: int | None = None, memory_swap: int | None = None, nano_cpus: int | None = None, cpu_period: int | None = None, cpu_quota: int | None = None, cpuset_cpus: str = '', cpuset_mems: str = '', pids_limit: int | None = None, shm_size: int | None = None, network_mode: str = '', ipc_mode: str = '', runtime: str = '', device_requests: Iterable[DockerDeviceRequest] = (), devices: Iterable[DockerDevice] = (), device_cgroup_rules: Iterable[str] = (), group_add: Iterable[str] = (), cap_drop: Iterable[str] = (), cap_add: Iterable[str] = (), oom_score_adj: int | None = None, security_opt: Iterable[str] = (), ulimits: Iterable[DockerUlimit] = (), binds: Iterable[str] = ()) -> None: ...

    @property
    def memory(self) -> int | None:
        """int, bytes, or None"""

    @property
    def memory_swap(self) -> int | None:
        """memory and swap together; -1: no limit (int, or None)"""

    @property
    def nano_cpus(self) -> int | None:
        """thousand-millionths of a CPU's time (int, or None)"""

    @property
    def cpu_period(self) -> int | None:
        """microseconds; where NanoCpus is too coarse (int, or None)"""

    @property
    def cpu_quota(self) -> int | None:
        """int, or None"""

    @property
    def cpuset_cpus(self) -> str:
        """`8-11,24-27` (str)"""

    @property
    def cpuset_mems(self) -> str:
        """str"""

    @property
    def pids_limit(self) -> int | None:
        """int, a count, or None"""

    @property
    def shm_size(self) -> int | None:
        """int, bytes, or None"""

    @property
    def network_mode(self) -> str:
        """str"""

    @property
    def ipc_mode(self) -> str:
        """str"""

    @property
    def runtime(self) -> str:
        """str"""

    @property
    def device_requests(self) -> tuple[DockerDeviceRequest, ...]:
        """each: DockerDeviceRequest"""

    @property
    def devices(self) -> tuple[DockerDevice, ...]:
        """each: DockerDevice"""

    @property
    def device_cgroup_rules(self) -> tuple[str, ...]:
        """`c 10:200 rwm` (each: str)"""

    @property
    def group_add(self) -> tuple[str, ...]:
        """supplementary groups, by number (each: str)"""

    @property
    def cap_drop(self) -> tuple[str, ...]:
        """`ALL`, before what is added (each: str)"""

    @property
    def cap_add(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def oom_score_adj(self) -> int | None:
        """int, or None"""

    @property
    def security_opt(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def ulimits(self) -> tuple[DockerUlimit, ...]:
        """each: DockerUlimit"""

    @property
    def binds(self) -> tuple[str, ...]:
        """each: str"""

    def replace(self, *, memory: int | None = ..., memory_swap: int | None = ..., nano_cpus: int | None = ..., cpu_period: int | None = ..., cpu_quota: int | None = ..., cpuset_cpus: str = ..., cpuset_mems: str = ..., pids_limit: int | None = ..., shm_size: int | None = ..., network_mode: str = ..., ipc_mode: str = ..., runtime: str = ..., device_requests: Iterable[DockerDeviceRequest] = ..., devices: Iterable[DockerDevice] = ..., device_cgroup_rules: Iterable[str] = ..., group_add: Iterable[str] = ..., cap_drop: Iterable[str] = ..., cap_add: Iterable[str] = ..., oom_score_adj: int | None = ..., security_opt: Iterable[str] = ..., ulimits: Iterable[DockerUlimit] = ..., binds: Iterable[str] = ...) -> HostConfig:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HostConfig: ...

    def __deepcopy__(self, memo: object) -> HostConfig: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> HostConfig:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class DockerContainer:
    """What a container is created with, as far as the plan says it."""

    def __init__(self, user: str = '', env: Iterable[str] = (), host_config: HostConfig = HostConfig()) -> None: ...

    @property
    def user(self) -> str:
        """`0:0` (str)"""

    @property
    def env(self) -> tuple[str, ...]:
        """`NAME=value` (each: str)"""

    @property
    def host_config(self) -> HostConfig:
        """HostConfig"""

    def replace(self, *, user: str = ..., env: Iterable[str] = ..., host_config: HostConfig = ...) -> DockerContainer:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DockerContainer: ...

    def __deepcopy__(self, memo: object) -> DockerContainer: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> DockerContainer:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class DockerDocument:
    """A container for Docker, and who keeps which limit."""

    def __init__(self, content: DockerContainer = DockerContainer(), limits: Iterable[KeptLimit] = ()) -> None: ...

    @property
    def content(self) -> DockerContainer:
        """DockerContainer"""

    @property
    def limits(self) -> tuple[KeptLimit, ...]:
        """each: KeptLimit"""

    def replace(self, *, content: DockerContainer = ..., limits: Iterable[KeptLimit] = ...) -> DockerDocument:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DockerDocument: ...

    def __deepcopy__(self, memo: object) -> DockerDocument: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def docker_container(plan: trestle.Plan, options: ContainerOptions = ...) -> DockerDocument:
    """
    The plan for Docker. NanoCpus is the plan's CPU time or, where it has none, as many CPUs as
    CpusetCpus names, for whoever looks at that number alone; below a hundredth of a CPU it is a
    quota of a whole second. NVIDIA's GPUs go by UUID to Docker's driver, other devices by files. A
    slice, whose own UUID the plan does not know, is not handed over. The host's IPC is given to
    devices that want it only with the host's network and where no size of /dev/shm was asked.
    Errors: InvalidArgument for a plan without device filter (the container has one whatever the
    plan says), less memory than the 6 MiB that Docker takes, a GPU without UUID, and a scratch
    directory with a colon in its path.
    """

class OciUser:
    """Who the process is inside the container."""

    def __init__(self, uid: int = 0, gid: int = 0, additional_gids: Iterable[int] = (), umask: int | None = None) -> None: ...

    @property
    def uid(self) -> int:
        """int"""

    @property
    def gid(self) -> int:
        """int"""

    @property
    def additional_gids(self) -> tuple[int, ...]:
        """each: int"""

    @property
    def umask(self) -> int | None:
        """int, or None"""

    def replace(self, *, uid: int = ..., gid: int = ..., additional_gids: Iterable[int] = ..., umask: int | None = ...) -> OciUser:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciUser: ...

    def __deepcopy__(self, memo: object) -> OciUser: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciCapabilities:
    """Capabilities of the kernel, with `CAP_`."""

    def __init__(self, bounding: Iterable[str] = (), effective: Iterable[str] = (), permitted: Iterable[str] = ()) -> None: ...

    @property
    def bounding(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def effective(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def permitted(self) -> tuple[str, ...]:
        """each: str"""

    def replace(self, *, bounding: Iterable[str] = ..., effective: Iterable[str] = ..., permitted: Iterable[str] = ...) -> OciCapabilities:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciCapabilities: ...

    def __deepcopy__(self, memo: object) -> OciCapabilities: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciRlimit:
    """A limit of setrlimit(2)."""

    def __init__(self, type: str = '', soft: int = 0, hard: int = 0) -> None: ...

    @property
    def type(self) -> str:
        """`RLIMIT_MEMLOCK` (str)"""

    @property
    def soft(self) -> int:
        """2^64 - 1: unlimited (int)"""

    @property
    def hard(self) -> int:
        """int"""

    def replace(self, *, type: str = ..., soft: int = ..., hard: int = ...) -> OciRlimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciRlimit: ...

    def __deepcopy__(self, memo: object) -> OciRlimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciProcess:
    """What is started."""

    def __init__(self, user: OciUser | None = None, args: Iterable[str] = (), env: Iterable[str] = (), cwd: str = '', capabilities: OciCapabilities = OciCapabilities(), rlimits: Iterable[OciRlimit] = (), oom_score_adj: int | None = None, no_new_privileges: bool = False) -> None: ...

    @property
    def user(self) -> OciUser | None:
        """OciUser, or None"""

    @property
    def args(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def env(self) -> tuple[str, ...]:
        """`NAME=value` (each: str)"""

    @property
    def cwd(self) -> str:
        """str"""

    @property
    def capabilities(self) -> OciCapabilities:
        """OciCapabilities"""

    @property
    def rlimits(self) -> tuple[OciRlimit, ...]:
        """each: OciRlimit"""

    @property
    def oom_score_adj(self) -> int | None:
        """int, or None"""

    @property
    def no_new_privileges(self) -> bool:
        """bool"""

    def replace(self, *, user: OciUser | None = ..., args: Iterable[str] = ..., env: Iterable[str] = ..., cwd: str = ..., capabilities: OciCapabilities = ..., rlimits: Iterable[OciRlimit] = ..., oom_score_adj: int | None = ..., no_new_privileges: bool = ...) -> OciProcess:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciProcess: ...

    def __deepcopy__(self, memo: object) -> OciProcess: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciRoot:
    """The container's root file system."""

    def __init__(self, path: str = '', readonly: bool = False) -> None: ...

    @property
    def path(self) -> str:
        """relative to the bundle, or absolute (str)"""

    @property
    def readonly(self) -> bool:
        """bool"""

    def replace(self, *, path: str = ..., readonly: bool = ...) -> OciRoot:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciRoot: ...

    def __deepcopy__(self, memo: object) -> OciRoot: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciMount:
    """A mount, in the order in which they are made."""

    def __init__(self, destination: str = '', type: str = '', source: str = '', options: Iterable[str] = ()) -> None: ...

    @property
    def destination(self) -> str:
        """str"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def source(self) -> str:
        """str"""

    @property
    def options(self) -> tuple[str, ...]:
        """each: str"""

    def replace(self, *, destination: str = ..., type: str = ..., source: str = ..., options: Iterable[str] = ...) -> OciMount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciMount: ...

    def __deepcopy__(self, memo: object) -> OciMount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciNamespace:
    """Something that the container has of its own: `pid`, `network`."""

    def __init__(self, type: str = '', path: str = '') -> None: ...

    @property
    def type(self) -> str:
        """str"""

    @property
    def path(self) -> str:
        """of one that exists; empty: a new one (str)"""

    def replace(self, *, type: str = ..., path: str = ...) -> OciNamespace:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciNamespace: ...

    def __deepcopy__(self, memo: object) -> OciNamespace: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciDevice:
    """A device node to make."""

    def __init__(self, path: str = '', type: str = '', major: int = 0, minor: int = 0, file_mode: int = 0, uid: int = 0, gid: int = 0) -> None: ...

    @property
    def path(self) -> str:
        """str"""

    @property
    def type(self) -> str:
        """`c` or `b` (str)"""

    @property
    def major(self) -> int:
        """int"""

    @property
    def minor(self) -> int:
        """int"""

    @property
    def file_mode(self) -> int:
        """int"""

    @property
    def uid(self) -> int:
        """int"""

    @property
    def gid(self) -> int:
        """int"""

    def replace(self, *, path: str = ..., type: str = ..., major: int = ..., minor: int = ..., file_mode: int = ..., uid: int = ..., gid: int = ...) -> OciDevice:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciDevice: ...

    def __deepcopy__(self, memo: object) -> OciDevice: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciDeviceRule:
    """
    Who may use which device; the last rule that speaks of a device decides.
    """

    def __init__(self, allow: bool = False, type: str = '', major: int | None = None, minor: int | None = None, access: str = '') -> None: ...

    @property
    def allow(self) -> bool:
        """bool"""

    @property
    def type(self) -> str:
        """`c`, `b`; empty: both (str)"""

    @property
    def major(self) -> int | None:
        """absent: every one (int, or None)"""

    @property
    def minor(self) -> int | None:
        """int, or None"""

    @property
    def access(self) -> str:
        """of `rwm` (str)"""

    def replace(self, *, allow: bool = ..., type: str = ..., major: int | None = ..., minor: int | None = ..., access: str = ...) -> OciDeviceRule:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciDeviceRule: ...

    def __deepcopy__(self, memo: object) -> OciDeviceRule: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciMemory:
    """Bytes."""

    def __init__(self, limit: int | None = None, swap: int | None = None, reservation: int | None = None) -> None: ...

    @property
    def limit(self) -> int | None:
        """int, bytes, or None"""

    @property
    def swap(self) -> int | None:
        """memory and swap together (int, bytes, or None)"""

    @property
    def reservation(self) -> int | None:
        """memory.low (int, bytes, or None)"""

    def replace(self, *, limit: int | None = ..., swap: int | None = ..., reservation: int | None = ...) -> OciMemory:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciMemory: ...

    def __deepcopy__(self, memo: object) -> OciMemory: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciCpu:
    """CPU time in microseconds, and which CPUs."""

    def __init__(self, quota: int | None = None, period: int | None = None, cpus: str = '', mems: str = '') -> None: ...

    @property
    def quota(self) -> int | None:
        """int, or None"""

    @property
    def period(self) -> int | None:
        """int, or None"""

    @property
    def cpus(self) -> str:
        """`8-11,24-27` (str)"""

    @property
    def mems(self) -> str:
        """str"""

    def replace(self, *, quota: int | None = ..., period: int | None = ..., cpus: str = ..., mems: str = ...) -> OciCpu:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciCpu: ...

    def __deepcopy__(self, memo: object) -> OciCpu: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciPids:
    """Processes and threads."""

    def __init__(self, limit: int | None = None) -> None: ...

    @property
    def limit(self) -> int | None:
        """int, a count, or None"""

    def replace(self, *, limit: int | None = ...) -> OciPids:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciPids: ...

    def __deepcopy__(self, memo: object) -> OciPids: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciThrottle:
    """How much or how many a second of one block device."""

    def __init__(self, major: int = 0, minor: int = 0, rate: int = 0) -> None: ...

    @property
    def major(self) -> int:
        """int"""

    @property
    def minor(self) -> int:
        """int"""

    @property
    def rate(self) -> int:
        """int"""

    def replace(self, *, major: int = ..., minor: int = ..., rate: int = ...) -> OciThrottle:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciThrottle: ...

    def __deepcopy__(self, memo: object) -> OciThrottle: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciBlockIo:
    """Block devices: io.max."""

    def __init__(self, throttle_read_bps_device: Iterable[OciThrottle] = (), throttle_write_bps_device: Iterable[OciThrottle] = (), throttle_read_iops_device: Iterable[OciThrottle] = (), throttle_write_iops_device: Iterable[OciThrottle] = ()) -> None: ...

    @property
    def throttle_read_bps_device(self) -> tuple[OciThrottle, ...]:
        """each: OciThrottle"""

    @property
    def throttle_write_bps_device(self) -> tuple[OciThrottle, ...]:
        """each: OciThrottle"""

    @property
    def throttle_read_iops_device(self) -> tuple[OciThrottle, ...]:
        """each: OciThrottle"""

    @property
    def throttle_write_iops_device(self) -> tuple[OciThrottle, ...]:
        """each: OciThrottle"""

    def replace(self, *, throttle_read_bps_device: Iterable[OciThrottle] = ..., throttle_write_bps_device: Iterable[OciThrottle] = ..., throttle_read_iops_device: Iterable[OciThrottle] = ..., throttle_write_iops_device: Iterable[OciThrottle] = ...) -> OciBlockIo:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciBlockIo: ...

    def __deepcopy__(self, memo: object) -> OciBlockIo: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciHugepageLimit:
    """
    Huge pages of one size; a runtime writes .rsvd.max too where the kernel has it.
    """

    def __init__(self, page_size: str = '', limit: int = 0) -> None: ...

    @property
    def page_size(self) -> str:
        """`2MB` (str)"""

    @property
    def limit(self) -> int:
        """int"""

    def replace(self, *, page_size: str = ..., limit: int = ...) -> OciHugepageLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciHugepageLimit: ...

    def __deepcopy__(self, memo: object) -> OciHugepageLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciRdma:
    """
    RDMA devices by name. In JSON an object: `{"mlx5_0": {"hcaHandles": 2}}`.
    """

    def __init__(self, limits: Iterable[trestle.RdmaLimit] = ()) -> None: ...

    @property
    def limits(self) -> tuple[trestle.RdmaLimit, ...]:
        """each: RdmaLimit"""

    def replace(self, *, limits: Iterable[trestle.RdmaLimit] = ...) -> OciRdma:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciRdma: ...

    def __deepcopy__(self, memo: object) -> OciRdma: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciUnifiedFile:
    """A file of a group, and what is written into it."""

    def __init__(self, file: str = '', value: str = '') -> None: ...

    @property
    def file(self) -> str:
        """str"""

    @property
    def value(self) -> str:
        """str"""

    def replace(self, *, file: str = ..., value: str = ...) -> OciUnifiedFile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciUnifiedFile: ...

    def __deepcopy__(self, memo: object) -> OciUnifiedFile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciUnified:
    """
    Files of cgroup v2 that have no field of their own. In JSON an object: `{"file": "value"}`.
    """

    def __init__(self, files: Iterable[OciUnifiedFile] = ()) -> None: ...

    @property
    def files(self) -> tuple[OciUnifiedFile, ...]:
        """each: OciUnifiedFile"""

    def replace(self, *, files: Iterable[OciUnifiedFile] = ...) -> OciUnified:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciUnified: ...

    def __deepcopy__(self, memo: object) -> OciUnified: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciResources:
    """`linux.resources`."""

    def __init__(self, devices: Iterable[OciDeviceRule] = (), memory: OciMemory = OciMemory(), cpu: OciCpu = OciCpu(), pids: OciPids = OciPids(), block_io: OciBlockIo = OciBlockIo(), hugepage_limits: Iterable[OciHugepageLimit] = (), rdma: OciRdma = OciRdma(), unified: OciUnified = OciUnified()) -> None: ...

    @property
    def devices(self) -> tuple[OciDeviceRule, ...]:
        """each: OciDeviceRule"""

    @property
    def memory(self) -> OciMemory:
        """OciMemory"""

    @property
    def cpu(self) -> OciCpu:
        """OciCpu"""

    @property
    def pids(self) -> OciPids:
        """OciPids"""

    @property
    def block_io(self) -> OciBlockIo:
        """OciBlockIo"""

    @property
    def hugepage_limits(self) -> tuple[OciHugepageLimit, ...]:
        """each: OciHugepageLimit"""

    @property
    def rdma(self) -> OciRdma:
        """OciRdma"""

    @property
    def unified(self) -> OciUnified:
        """OciUnified"""

    def replace(self, *, devices: Iterable[OciDeviceRule] = ..., memory: OciMemory = ..., cpu: OciCpu = ..., pids: OciPids = ..., block_io: OciBlockIo = ..., hugepage_limits: Iterable[OciHugepageLimit] = ..., rdma: OciRdma = ..., unified: OciUnified = ...) -> OciResources:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciResources: ...

    def __deepcopy__(self, memo: object) -> OciResources: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> OciResources:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class OciLinux:
    """`linux`."""

    def __init__(self, cgroups_path: str = '', namespaces: Iterable[OciNamespace] = (), devices: Iterable[OciDevice] = (), resources: OciResources = OciResources(), masked_paths: Iterable[str] = (), readonly_paths: Iterable[str] = ()) -> None: ...

    @property
    def cgroups_path(self) -> str:
        """absolute below the runtime's cgroup mount (str)"""

    @property
    def namespaces(self) -> tuple[OciNamespace, ...]:
        """each: OciNamespace"""

    @property
    def devices(self) -> tuple[OciDevice, ...]:
        """each: OciDevice"""

    @property
    def resources(self) -> OciResources:
        """OciResources"""

    @property
    def masked_paths(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def readonly_paths(self) -> tuple[str, ...]:
        """each: str"""

    def replace(self, *, cgroups_path: str = ..., namespaces: Iterable[OciNamespace] = ..., devices: Iterable[OciDevice] = ..., resources: OciResources = ..., masked_paths: Iterable[str] = ..., readonly_paths: Iterable[str] = ...) -> OciLinux:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciLinux: ...

    def __deepcopy__(self, memo: object) -> OciLinux: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciConfig:
    """
    config.json. `linux` is a macro of some compilers, so the member has an underscore.
    """

    def __init__(self, oci_version: str = '', process: OciProcess = OciProcess(), root: OciRoot = OciRoot(), hostname: str = '', mounts: Iterable[OciMount] = (), linux: OciLinux = OciLinux()) -> None: ...

    @property
    def oci_version(self) -> str:
        """str"""

    @property
    def process(self) -> OciProcess:
        """OciProcess"""

    @property
    def root(self) -> OciRoot:
        """OciRoot"""

    @property
    def hostname(self) -> str:
        """str"""

    @property
    def mounts(self) -> tuple[OciMount, ...]:
        """each: OciMount"""

    @property
    def linux(self) -> OciLinux:
        """OciLinux"""

    def replace(self, *, oci_version: str = ..., process: OciProcess = ..., root: OciRoot = ..., hostname: str = ..., mounts: Iterable[OciMount] = ..., linux: OciLinux = ...) -> OciConfig:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciConfig: ...

    def __deepcopy__(self, memo: object) -> OciConfig: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> OciConfig:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class OciBundle:
    """What a bundle has beside its limits."""

    def __init__(self, command: trestle.Command = trestle.Command(), root: str = 'rootfs', is_root_readonly: bool = False, cgroup_parent: str = '/') -> None: ...

    @property
    def command(self) -> trestle.Command:
        """its environment is overridden by the plan's (Command)"""

    @property
    def root(self) -> str:
        """str"""

    @property
    def is_root_readonly(self) -> bool:
        """bool"""

    @property
    def cgroup_parent(self) -> str:
        """absolute; the plan's group lies below it (str)"""

    def replace(self, *, command: trestle.Command = ..., root: str = ..., is_root_readonly: bool = ..., cgroup_parent: str = ...) -> OciBundle:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciBundle: ...

    def __deepcopy__(self, memo: object) -> OciBundle: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OciDocument:
    """A config.json, and who keeps which limit."""

    def __init__(self, content: OciConfig = OciConfig(), limits: Iterable[KeptLimit] = ()) -> None: ...

    @property
    def content(self) -> OciConfig:
        """OciConfig"""

    @property
    def limits(self) -> tuple[KeptLimit, ...]:
        """each: KeptLimit"""

    def replace(self, *, content: OciConfig = ..., limits: Iterable[KeptLimit] = ...) -> OciDocument:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OciDocument: ...

    def __deepcopy__(self, memo: object) -> OciDocument: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def oci_config(plan: trestle.Plan, bundle: OciBundle, options: ContainerOptions = ...) -> OciDocument:
    """
    The plan for an OCI runtime. /dev/shm has the size asked, else 64 MiB. The process keeps few
    capabilities (none of them to make device nodes), those of the devices' kits among them; a user
    other than 0 only as a bound. What OCI counts in units of cgroup v1 (weights) or has no field
    for goes as a file (`unified`), as it stands in the plan. An optional device file without
    numbers is left out and is a loss. Errors: InvalidArgument for a plan without device filter, an
    empty command and a cgroup_parent that is not absolute; NotFound for a required device file
    without numbers.
    """

class ExtendedResource:
    """A number of devices under the name that a device plugin gave them."""

    def __init__(self, name: str = '', count: int = 0) -> None: ...

    @property
    def name(self) -> str:
        """`nvidia.com/gpu` (str)"""

    @property
    def count(self) -> int:
        """int, a count"""

    def replace(self, *, name: str = ..., count: int = ...) -> ExtendedResource:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ExtendedResource: ...

    def __deepcopy__(self, memo: object) -> ExtendedResource: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ResourceAmounts:
    """
    `limits:` or `requests:`. In JSON an object of quantities: `{"cpu": "8", "memory": "32Gi"}`.
    """

    def __init__(self, cpu: int | None = None, memory: int | None = None, ephemeral_storage: int | None = None, extended: Iterable[ExtendedResource] = ()) -> None: ...

    @property
    def cpu(self) -> int | None:
        """int, thousandths of a hardware thread, or None"""

    @property
    def memory(self) -> int | None:
        """int, bytes, or None"""

    @property
    def ephemeral_storage(self) -> int | None:
        """`ephemeral-storage` (int, bytes, or None)"""

    @property
    def extended(self) -> tuple[ExtendedResource, ...]:
        """by name, each once (each: ExtendedResource)"""

    def replace(self, *, cpu: int | None = ..., memory: int | None = ..., ephemeral_storage: int | None = ..., extended: Iterable[ExtendedResource] = ...) -> ResourceAmounts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ResourceAmounts: ...

    def __deepcopy__(self, memo: object) -> ResourceAmounts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class KubernetesResources:
    """`resources:` of a container."""

    def __init__(self, limits: ResourceAmounts = ResourceAmounts(), requests: ResourceAmounts = ResourceAmounts()) -> None: ...

    @property
    def limits(self) -> ResourceAmounts:
        """ResourceAmounts"""

    @property
    def requests(self) -> ResourceAmounts:
        """ResourceAmounts"""

    def replace(self, *, limits: ResourceAmounts = ..., requests: ResourceAmounts = ...) -> KubernetesResources:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesResources: ...

    def __deepcopy__(self, memo: object) -> KubernetesResources: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> KubernetesResources:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class KubernetesCapabilities:
    """
    Capabilities of the kernel to add, without `CAP_`, after those to drop: `ALL`.
    """

    def __init__(self, add: Iterable[str] = (), drop: Iterable[str] = ()) -> None: ...

    @property
    def add(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def drop(self) -> tuple[str, ...]:
        """each: str"""

    def replace(self, *, add: Iterable[str] = ..., drop: Iterable[str] = ...) -> KubernetesCapabilities:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesCapabilities: ...

    def __deepcopy__(self, memo: object) -> KubernetesCapabilities: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SeccompProfile:
    """Which system calls are let through."""

    def __init__(self, type: str = '') -> None: ...

    @property
    def type(self) -> str:
        """`Unconfined` (str)"""

    def replace(self, *, type: str = ...) -> SeccompProfile:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SeccompProfile: ...

    def __deepcopy__(self, memo: object) -> SeccompProfile: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SecurityContext:
    """`securityContext:` of a container."""

    def __init__(self, run_as_user: int | None = None, run_as_group: int | None = None, allow_privilege_escalation: bool | None = None, capabilities: KubernetesCapabilities = KubernetesCapabilities(), seccomp_profile: SeccompProfile = SeccompProfile()) -> None: ...

    @property
    def run_as_user(self) -> int | None:
        """int, or None"""

    @property
    def run_as_group(self) -> int | None:
        """int, or None"""

    @property
    def allow_privilege_escalation(self) -> bool | None:
        """false: no_new_privs (bool, or None)"""

    @property
    def capabilities(self) -> KubernetesCapabilities:
        """KubernetesCapabilities"""

    @property
    def seccomp_profile(self) -> SeccompProfile:
        """SeccompProfile"""

    def replace(self, *, run_as_user: int | None = ..., run_as_group: int | None = ..., allow_privilege_escalation: bool | None = ..., capabilities: KubernetesCapabilities = ..., seccomp_profile: SeccompProfile = ...) -> SecurityContext:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SecurityContext: ...

    def __deepcopy__(self, memo: object) -> SecurityContext: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class VolumeMount:
    """Where a volume of the pod is seen in the container."""

    def __init__(self, name: str = '', mount_path: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def mount_path(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., mount_path: str = ...) -> VolumeMount:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> VolumeMount: ...

    def __deepcopy__(self, memo: object) -> VolumeMount: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EmptyDir:
    """`emptyDir:`, a folder that goes with the pod."""

    def __init__(self, medium: str = '', size_limit: str = '') -> None: ...

    @property
    def medium(self) -> str:
        """`Memory`; empty: the node's disk (str)"""

    @property
    def size_limit(self) -> str:
        """a quantity (str)"""

    def replace(self, *, medium: str = ..., size_limit: str = ...) -> EmptyDir:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EmptyDir: ...

    def __deepcopy__(self, memo: object) -> EmptyDir: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class HostPath:
    """`hostPath:`, a folder of the node."""

    def __init__(self, path: str = '') -> None: ...

    @property
    def path(self) -> str:
        """str"""

    def replace(self, *, path: str = ...) -> HostPath:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HostPath: ...

    def __deepcopy__(self, memo: object) -> HostPath: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class KubernetesVolume:
    """A volume of the pod, of one kind or the other."""

    def __init__(self, name: str = '', empty_dir: EmptyDir | None = None, host_path: HostPath = HostPath()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def empty_dir(self) -> EmptyDir | None:
        """EmptyDir, or None"""

    @property
    def host_path(self) -> HostPath:
        """HostPath"""

    def replace(self, *, name: str = ..., empty_dir: EmptyDir | None = ..., host_path: HostPath = ...) -> KubernetesVolume:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesVolume: ...

    def __deepcopy__(self, memo: object) -> KubernetesVolume: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class KubernetesVariable:
    """A variable of a container, with its value as it is."""

    def __init__(self, name: str = '', value: str = '') -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def value(self) -> str:
        """str"""

    def replace(self, *, name: str = ..., value: str = ...) -> KubernetesVariable:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesVariable: ...

    def __deepcopy__(self, memo: object) -> KubernetesVariable: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class KubernetesContainer:
    """One of the pod's containers."""

    def __init__(self, name: str = '', env: Iterable[KubernetesVariable] = (), resources: KubernetesResources = KubernetesResources(), security_context: SecurityContext = SecurityContext(), volume_mounts: Iterable[VolumeMount] = ()) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def env(self) -> tuple[KubernetesVariable, ...]:
        """each: KubernetesVariable"""

    @property
    def resources(self) -> KubernetesResources:
        """KubernetesResources"""

    @property
    def security_context(self) -> SecurityContext:
        """SecurityContext"""

    @property
    def volume_mounts(self) -> tuple[VolumeMount, ...]:
        """each: VolumeMount"""

    def replace(self, *, name: str = ..., env: Iterable[KubernetesVariable] = ..., resources: KubernetesResources = ..., security_context: SecurityContext = ..., volume_mounts: Iterable[VolumeMount] = ...) -> KubernetesContainer:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesContainer: ...

    def __deepcopy__(self, memo: object) -> KubernetesContainer: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PodSecurityContext:
    """`securityContext:` of the pod."""

    def __init__(self, supplemental_groups: Iterable[int] = ()) -> None: ...

    @property
    def supplemental_groups(self) -> tuple[int, ...]:
        """each: int"""

    def replace(self, *, supplemental_groups: Iterable[int] = ...) -> PodSecurityContext:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PodSecurityContext: ...

    def __deepcopy__(self, memo: object) -> PodSecurityContext: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class KubernetesPod:
    """A piece of a pod's spec."""

    def __init__(self, host_network: bool | None = None, host_ipc: bool | None = None, security_context: PodSecurityContext = PodSecurityContext(), containers: Iterable[KubernetesContainer] = (), volumes: Iterable[KubernetesVolume] = ()) -> None: ...

    @property
    def host_network(self) -> bool | None:
        """bool, or None"""

    @property
    def host_ipc(self) -> bool | None:
        """`hostIPC` (bool, or None)"""

    @property
    def security_context(self) -> PodSecurityContext:
        """PodSecurityContext"""

    @property
    def containers(self) -> tuple[KubernetesContainer, ...]:
        """each: KubernetesContainer"""

    @property
    def volumes(self) -> tuple[KubernetesVolume, ...]:
        """each: KubernetesVolume"""

    def replace(self, *, host_network: bool | None = ..., host_ipc: bool | None = ..., security_context: PodSecurityContext = ..., containers: Iterable[KubernetesContainer] = ..., volumes: Iterable[KubernetesVolume] = ...) -> KubernetesPod:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesPod: ...

    def __deepcopy__(self, memo: object) -> KubernetesPod: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_json(self) -> str:
        """The value as JSON in one line; equal values have equal text."""

    @staticmethod
    def from_json(text: str) -> KubernetesPod:
        """
        The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.
        """

class KubernetesDocument:
    """A piece of a pod's spec, and who keeps which limit."""

    def __init__(self, content: KubernetesPod = KubernetesPod(), limits: Iterable[KeptLimit] = ()) -> None: ...

    @property
    def content(self) -> KubernetesPod:
        """KubernetesPod"""

    @property
    def limits(self) -> tuple[KeptLimit, ...]:
        """each: KeptLimit"""

    def replace(self, *, content: KubernetesPod = ..., limits: Iterable[KeptLimit] = ...) -> KubernetesDocument:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> KubernetesDocument: ...

    def __deepcopy__(self, memo: object) -> KubernetesDocument: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def kubernetes_pod(plan: trestle.Plan, options: ContainerOptions = ..., name: str = 'main') -> KubernetesDocument:
    """
    The plan for Kubernetes, as one container called `name`. Requests equal limits (quality of
    service Guaranteed, so the kubelet's static CPU policy gives whole CPUs of the container's own),
    but for the disk: its least amount is the request, its largest the limit. CPU time is the plan's
    or, where it has none, that of the CPUs it names. In place of the plan's scratch directory there
    is a volume of the pod's own at its path, which the kubelet makes and removes.
    Errors: InvalidArgument for a plan without device filter, and a name that is no DNS label.
    """

class UnitProperty:
    """
    One setting, as `systemd-run --property=NAME=VALUE` takes it. Values hold no blank that a quote
    would have to keep together, and no line end.
    """

    def __init__(self, name: str = '', value: str = '') -> None: ...

    @property
    def name(self) -> str:
        """`MemoryMax` (str)"""

    @property
    def value(self) -> str:
        """`17179869184` (str)"""

    def replace(self, *, name: str = ..., value: str = ...) -> UnitProperty:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> UnitProperty: ...

    def __deepcopy__(self, memo: object) -> UnitProperty: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SystemdUnit:
    """A transient service."""

    def __init__(self, name: str = '', slice: str = '', properties: Iterable[UnitProperty] = (), environment: Iterable[trestle.EnvironmentVariable] = (), directory: str = '', arguments: Iterable[str] = ()) -> None: ...

    @property
    def name(self) -> str:
        """`job_42.service` (str)"""

    @property
    def slice(self) -> str:
        """str"""

    @property
    def properties(self) -> tuple[UnitProperty, ...]:
        """each: UnitProperty"""

    @property
    def environment(self) -> tuple[trestle.EnvironmentVariable, ...]:
        """secrets stand in the EnvironmentFile only (each: EnvironmentVariable)"""

    @property
    def directory(self) -> str:
        """empty: the root (str)"""

    @property
    def arguments(self) -> tuple[str, ...]:
        """the program first (each: str)"""

    def replace(self, *, name: str = ..., slice: str = ..., properties: Iterable[UnitProperty] = ..., environment: Iterable[trestle.EnvironmentVariable] = ..., directory: str = ..., arguments: Iterable[str] = ...) -> SystemdUnit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SystemdUnit: ...

    def __deepcopy__(self, memo: object) -> SystemdUnit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class UnitOptions:
    """What a service needs beside the plan."""

    def __init__(self, command: trestle.Command = trestle.Command(), slice: str = '', secret_file: str = '') -> None: ...

    @property
    def command(self) -> trestle.Command:
        """its environment is overridden by the plan's (Command)"""

    @property
    def slice(self) -> str:
        """`batch.slice`; empty: systemd's choice (str)"""

    @property
    def secret_file(self) -> str:
        """
        The EnvironmentFile of the service: an absolute path, where the caller puts secret_text()
        for root alone to read before the service starts, and takes it away again. Without the file
        systemd does not start the service. Empty: none, and variables that are secrets are losses. (str)
        """

    def replace(self, *, command: trestle.Command = ..., slice: str = ..., secret_file: str = ...) -> UnitOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> UnitOptions: ...

    def __deepcopy__(self, memo: object) -> UnitOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SystemdDocument:
    """A service for systemd, and who keeps which limit."""

    def __init__(self, content: SystemdUnit = SystemdUnit(), limits: Iterable[KeptLimit] = ()) -> None: ...

    @property
    def content(self) -> SystemdUnit:
        """SystemdUnit"""

    @property
    def limits(self) -> tuple[KeptLimit, ...]:
        """each: KeptLimit"""

    def replace(self, *, content: SystemdUnit = ..., limits: Iterable[KeptLimit] = ...) -> SystemdDocument:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SystemdDocument: ...

    def __deepcopy__(self, memo: object) -> SystemdDocument: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def systemd_unit(plan: trestle.Plan, options: UnitOptions) -> SystemdDocument:
    """
    The plan for systemd: every value that the plan writes and that systemd has a word for. What it
    has none for is a loss, as are variables that systemd refuses (names that are no identifiers,
    values that are no text) and secrets without options.secret_file. CPU time is rounded down to
    hundredths of a percent, systemd's unit. Errors: InvalidArgument for an empty command, a word
    with a NUL byte, a folder that is not absolute, a slice or a group whose name is none, a
    secret_file that is no plain absolute path, and a step that no plan makes; FailedPrecondition
    for a variable of which only the digest is known.
    """

def unit_name(group: str) -> str:
    """
    The name of a service for a group, as systemd-escape(1) would have it for a path: letters,
    digits, `:`, `_` and `.` stay, `/` becomes `-`, all else `\\x2d` and its like.
    """

def systemd_run_words(unit: SystemdUnit) -> tuple[str, ...]:
    """
    `systemd-run --unit=job_42.service ...`, a word each: it runs the command, waits for it and ends
    with its status. What systemd would expand in the command (`$`) is kept from it.
    """

def systemd_run_line(unit: SystemdUnit) -> str:
    """The same as one line for a POSIX shell."""

def unit_text(unit: SystemdUnit) -> str:
    """The same as a unit file, for /run/systemd/system."""

def secret_text(unit: SystemdUnit) -> str:
    """
    SECRET. The content of UnitOptions::secret_file: the variables that are secrets, a
    `NAME="value"` each, in clear, as systemd.exec(5) reads an EnvironmentFile. Empty: there is
    none, and no property names the file. Requires: check_known(unit.environment) is ok.
    """

class ShellScripts:
    """What is handed to the shell."""

    def __init__(self, start: str = '', remove: str = '') -> None: ...

    @property
    def start(self) -> str:
        """
        SECRET: holds the values of variables in clear.
        Makes the group, writes and checks its limits, goes into it and becomes the command. When
        something required fails, it says what on stderr, takes the group away again and ends with
        1; what is best effort is a warning. Controllers that it handed down stay so, since another
        group may rely on them by now. (str)
        """

    @property
    def remove(self) -> str:
        """
        Kills what is in the group and below, and removes it; ends with 1 when that takes more than
        30 s. Without the group there is nothing to do. (str)
        """

    def replace(self, *, start: str = ..., remove: str = ...) -> ShellScripts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ShellScripts: ...

    def __deepcopy__(self, memo: object) -> ShellScripts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ScriptOptions:
    """What the scripts need beside the plan."""

    def __init__(self, command: trestle.Command = trestle.Command(), directory: str = '/sys/fs/cgroup') -> None: ...

    @property
    def command(self) -> trestle.Command:
        """
        Its environment is overridden by the plan's, and added to that of the script's caller.
        Empty: the script makes the group and is done, as a prolog is. (Command)
        """

    @property
    def directory(self) -> str:
        """absolute; the plan's group lies below it (str)"""

    def replace(self, *, command: trestle.Command = ..., directory: str = ...) -> ScriptOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ScriptOptions: ...

    def __deepcopy__(self, memo: object) -> ScriptOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ShellDocument:
    """Scripts for a POSIX shell, and who keeps which limit."""

    def __init__(self, content: ShellScripts = ShellScripts(), limits: Iterable[KeptLimit] = ()) -> None: ...

    @property
    def content(self) -> ShellScripts:
        """ShellScripts"""

    @property
    def limits(self) -> tuple[KeptLimit, ...]:
        """each: KeptLimit"""

    def replace(self, *, content: ShellScripts = ..., limits: Iterable[KeptLimit] = ...) -> ShellDocument:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ShellDocument: ...

    def __deepcopy__(self, memo: object) -> ShellDocument: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def shell_scripts(plan: trestle.Plan, options: ScriptOptions = ...) -> ShellDocument:
    """
    The plan for a shell. Variables whose names are no identifiers are losses.
    Errors: InvalidArgument for a word with a NUL byte, a directory that is not absolute, a group
    whose name is none, and a step that no plan makes; FailedPrecondition for a variable of which
    only the digest is known.
    """
