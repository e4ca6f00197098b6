"""The machine: discovery and the real enforcers."""

from collections.abc import Iterable
import enum

import trestle


class DriverSource(enum.Enum):
    """
    Who is asked about accelerators, beside hwloc, /sys and /proc, which are always read. The names
    are those of AutoDetect= in Slurm's gres.conf, where `present` is called `full`.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    present = 0
    """every library below that is there; one that fails tells nothing"""

    off = 1
    """no library"""

    nvml = 2
    """libnvidia-ml.so.1"""

    rsmi = 3
    """librocm_smi64.so"""

    oneapi = 4
    """libze_loader.so.1"""

    nrt = 5
    """no library: /sys/devices/virtual/neuron_device has to be there"""

    nvidia = 6
    """no library: /proc/driver/nvidia has to be there"""

class DiscoverOptions:
    """
    Which machine to read. At most one of the first two fields is set; none: this machine.
    """

    def __init__(self, xml_file: str = '', fs_root: str = '', drivers: DriverSource = DriverSource.present, library_folder: str = '') -> None: ...

    @property
    def xml_file(self) -> str:
        """hwloc XML, format 1 or 2 (`lstopo machine.xml`) (str)"""

    @property
    def fs_root(self) -> str:
        """
        A folder with the /sys and /proc of another machine (hwloc-gather-topology). (str)
        """

    @property
    def drivers(self) -> DriverSource:
        """DriverSource"""

    @property
    def library_folder(self) -> str:
        """
        Where the libraries are; empty: where the dynamic linker looks. Libraries speak of this
        machine, so for another one they are asked only when this is set. (str)
        """

    def replace(self, *, xml_file: str = ..., fs_root: str = ..., drivers: DriverSource = ..., library_folder: str = ...) -> DiscoverOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DiscoverOptions: ...

    def __deepcopy__(self, memo: object) -> DiscoverOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class StartMethod(enum.Enum):
    """How a process gets into its group."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    automatic = 0
    """clone3(CLONE_INTO_CGROUP) where the kernel has it, else fork_and_move"""

    fork_and_move = 1
    """the child waits until it was written to cgroup.procs"""

class CgroupOptions:
    """How the cgroup enforcer starts and waits."""

    def __init__(self, start: StartMethod = StartMethod.automatic, patience: int = 30) -> None: ...

    @property
    def start(self) -> StartMethod:
        """StartMethod"""

    @property
    def patience(self) -> int:
        """how long freeze, remove and signal go on (int, seconds)"""

    def replace(self, *, start: StartMethod = ..., patience: int = ...) -> CgroupOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CgroupOptions: ...

    def __deepcopy__(self, memo: object) -> CgroupOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CgroupSupport:
    """What can be enforced below one directory."""

    def __init__(self, directory: str = '', is_usable: bool = False, reason: str = '', controllers: Iterable[str] = (), no_device_filter: str = '') -> None: ...

    @property
    def directory(self) -> str:
        """empty when none was found (str)"""

    @property
    def is_usable(self) -> bool:
        """groups can be made below the directory (bool)"""

    @property
    def reason(self) -> str:
        """one line: why it is not usable; else empty (str)"""

    @property
    def controllers(self) -> tuple[str, ...]:
        """that groups below can have, by name (each: str)"""

    @property
    def no_device_filter(self) -> str:
        """why no device filter can be loaded; empty: it can (str)"""

    def replace(self, *, directory: str = ..., is_usable: bool = ..., reason: str = ..., controllers: Iterable[str] = ..., no_device_filter: str = ...) -> CgroupSupport:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CgroupSupport: ...

    def __deepcopy__(self, memo: object) -> CgroupSupport: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def discover(options: DiscoverOptions = ...) -> trestle.Node:
    """
    Reads the machine. The result passes check(shape); equal input gives equal nodes.

    Cores are in tree order; those of faster kinds have a higher Core::kind if hwloc can rank the
    kinds. Groups are packages, dies and those L3 and L2 caches that join several cores; hwloc's
    Group objects are none, for what they mean differs from machine to machine (a NUMA node, a
    cluster, a tile), and what matters of it is told by domains and caches.
    Memory domains are the NUMA nodes that have memory; those without cores stay.
    Devices are PCI functions with a driver or a compute class, in the order of their bus ids:
    `gpu`  whatever CUDA, NVML, RSMI, Level Zero or OpenCL know, and display or accelerator
    functions of vendors that make GPUs; one Device however many of these name it. TPUs,
    which have no class, by their PCI numbers. AWS Neuron devices, whose bus ids are not
    told, come last, by number
    `nic`  functions with a network or InfiniBand interface of their own, not behind USB
    Where a driver tells model, UUID, memory or compute capability of a device, hwloc's word does
    not count; its cores count where hwloc knows no place. A GPU in MIG mode gives way to its
    compute instances, each a device with the parent's place and cores, its own UUID and memory, the
    type `a100_1g.10gb` (`a100_mig` where no library names the profile), and as files the parent's
    and those of its two capabilities; one whose ids nobody tells is left out. Without instances it
    is no device. GPUs inside of Intel's processors are none either. Virtual functions (SR-IOV) are
    parts of their physical function and no devices of their own; disks count into NodeShape::disk;
    loop devices, bridges and the like are nothing. A device has the files that exist, the vendor's
    own (/dev/nvidia0) first; what VFIO has goes by its group (/dev/vfio/7). A folder without /dev
    has no device nodes: then it has those that /sys and /proc name, with the numbers they tell.
    Device::switches: of the PCI-to-PCI bridges above a device, root ports (directly below a host
    bridge) and downstream ports are no switches, upstream ports are. PCI Express joins two ends by
    each link, so a bridge with several bridges directly below is an upstream port; one with a
    single bridge below (ports that lead nowhere are not recorded) is one if it lies below a root or
    a downstream port. Numbers rise as switches are met, device by device. Links come from all
    matrices of bandwidths that hwloc has (NVLinkBandwidth, XGMIBandwidth, XeLinkBandwidth, and
    those that users added), never from latencies. Strength is the bandwidth in MB/s: of the two
    directions the lower one, of several matrices the one that tells most, 2^32 - 1 at most. GPUs
    that meet through NVSwitches are linked to each other. Where a driver counts the links of two
    GPUs (NVLink, XGMI, Neuron), strength is their number instead; through switches the number of
    the GPU that has fewer. (Slurm counts direct ones alone.) A recording that does not name its
    architecture is taken for x86, one without host name is called `localhost`.

    Errors: InvalidArgument for a file that is no hwloc XML of format 1 or 2, for a folder that
    holds no machine, for both options at once, for an unknown architecture, and for a library asked
    about another machine without library_folder; NotFound and others from errno when something
    cannot be read. Of a source asked for by name: NotFound when the library, a function that it
    must have or the folder is not there, Unavailable when the library does not start or does not
    say how many devices there are; with `present` such a library tells nothing. A single question
    that a driver does not answer is no error; what it would tell stays unknown. One line with the
    path, or `this machine`.

    Not for use beside threads that touch the environment when `fs_root` is set: hwloc takes that
    folder from the environment only, so the call sets HWLOC_FSROOT and puts it back. Otherwise
    the call may run in parallel with itself. It binds no thread; hwloc itself may complain on
    stderr about broken firmware tables unless HWLOC_HIDE_ERRORS=2 is set. Libraries are started and
    shut down again (Level Zero cannot be), and stay mapped, for their exit handlers do.
    """

def device_type(model: str) -> str:
    """
    The GRES type for a GPU model as vendors write it: `a100` for "NVIDIA A100-SXM4-80GB", `h100`
    for "GH100 [H100 SXM5 80GB]", `mi300x` for "AMD Instinct MI300X", `rtx4090` for "NVIDIA GeForce
    RTX 4090". The first word that starts with a letter and holds a digit, or a number with the word
    before it; in brackets if there are any. Empty when there is no such word.
    """

def probe_cgroup(directory: str | None | None = None) -> CgroupSupport:
    """
    Looks at `directory`. Usable means: cgroup v2 with at least one controller that plans use,
    mounted writable, and this user may make groups, move processes and hand controllers down.
    """

def current_environment() -> tuple[trestle.EnvironmentVariable, ...]:
    """
    The variables of this process in their order; entries without `=` are passed over. Not for use
    beside threads that change the environment.
    """

def find_program(command: trestle.Command) -> str:
    """
    The file that the command's first word means along the PATH of its environment, as spawn will
    find it from the command's directory. Errors: InvalidArgument for an empty command or first
    word; NotFound when no regular file of that name may be executed.
    """

def with_device_numbers(plan: trestle.Plan) -> trestle.Plan:
    """
    The plan with the numbers that the files of its filter have now. A file that does not exist
    keeps those that the plan has, or takes its driver's major number from /proc/devices; unknown
    numbers stay unknown. Folders that do not exist are taken out. Errors: InvalidArgument for a
    file that is no device of the kind.
    """

class CgroupEnforcer(trestle.Enforcer):
    """
    See Enforcer for what each call means. Besides:
    - cpuset.cpus and cpuset.mems are compared with what the kernel made of them (.effective). A
    CPU that is offline or belongs to somebody else fails the step.
    - A device filter is added to those of the groups above. Files are looked up when the filter
    is loaded.
    - A command starts with no signal blocked or handled, SIGPIPE and SIGXFSZ not ignored, and no
    file open but the standard three.
    - freeze that fails leaves the processes running.
    - remove leaves a child that was spawned to be reaped by wait or poll.
    Waits with poll(2), starts no thread and handles no signal; SIGCHLD must not be ignored.
    Errors: FailedPrecondition where the kernel offers no such controller or file and where
    processes stand in the way, DeadlineExceeded when patience ends, InvalidArgument for a process
    number below 1 and for the group `manager`, or one below, while this process is in it.
    """

    @staticmethod
    def open(directory: str, options: CgroupOptions = ...) -> CgroupEnforcer:
        """Errors: FailedPrecondition with the reason that probe_cgroup gives."""

class PlainEnforcer(trestle.Enforcer):
    """
    Groups are names here; they hold the children spawned into them. Every other step, attach,
    freeze and thaw fail with FailedPrecondition and the reason given. signal and remove reach the
    children, not what these started. observe knows nothing.
    """

    def __init__(self, reason: str) -> None:
        """`reason`: why there is no better one, as CgroupSupport::reason has it."""
