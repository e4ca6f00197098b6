"""The machine: discovery and the real enforcers."""

from collections.abc import Callable, Iterable
import enum

from typing_extensions import Self

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

    def __init__(self, start: StartMethod = StartMethod.automatic, patience: int = 30, scratch_root: str = '') -> None: ...

    @property
    def start(self) -> StartMethod:
        """StartMethod"""

    @property
    def patience(self) -> int:
        """
        How long spawn (1 s at least), freeze and remove go on; Seconds::max(): for ever. signal
        goes on for a second at most. (int, seconds)
        """

    @property
    def scratch_root(self) -> str:
        """
        Where scratch directories may be made: a folder of this machine that only the embedder may
        write, not even a sticky one as /tmp. Enforcers may share it. What one makes bears its mark,
        by the path of its root group, in the folder `.trestle` there; remove deletes nothing else.
        Empty: nowhere. (str)
        """

    def replace(self, *, start: StartMethod = ..., patience: int = ..., scratch_root: str = ...) -> CgroupOptions:
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

    def __init__(self, directory: str = '', is_usable: bool = False, reason: str = '', capabilities: trestle.Capabilities = trestle.Capabilities()) -> None: ...

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
    def capabilities(self) -> trestle.Capabilities:
        """of groups below a usable directory, for PlanOptions (Capabilities)"""

    def replace(self, *, directory: str = ..., is_usable: bool = ..., reason: str = ..., capabilities: trestle.Capabilities = ...) -> CgroupSupport:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CgroupSupport: ...

    def __deepcopy__(self, memo: object) -> CgroupSupport: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ReadingOptions:
    """Where to read."""

    def __init__(self, fs_root: str = '', library_folder: str = '') -> None: ...

    @property
    def fs_root(self) -> str:
        """a folder with the /sys of another machine (str)"""

    @property
    def library_folder(self) -> str:
        """empty: where the dynamic linker looks (str)"""

    def replace(self, *, fs_root: str = ..., library_folder: str = ...) -> ReadingOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ReadingOptions: ...

    def __deepcopy__(self, memo: object) -> ReadingOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GpuReading:
    """What a driver tells of a GPU now."""

    def __init__(self, index: int = 0, place: str = '', usage: trestle.GpuUsage = trestle.GpuUsage(), counters: trestle.DeviceCounters = trestle.DeviceCounters()) -> None: ...

    @property
    def index(self) -> int:
        """the driver's (int)"""

    @property
    def place(self) -> str:
        """`0000:34:00.0`; of an instance its GPU's; empty when not told (str)"""

    @property
    def usage(self) -> trestle.GpuUsage:
        """GpuUsage"""

    @property
    def counters(self) -> trestle.DeviceCounters:
        """of an instance none: they are its GPU's (DeviceCounters)"""

    def replace(self, *, index: int = ..., place: str = ..., usage: trestle.GpuUsage = ..., counters: trestle.DeviceCounters = ...) -> GpuReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuReading: ...

    def __deepcopy__(self, memo: object) -> GpuReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class XidEvent:
    """An error that NVIDIA's driver wrote to the kernel log."""

    def __init__(self, place: str = '', xid: int = 0) -> None: ...

    @property
    def place(self) -> str:
        """`0000:34:00.0` (str)"""

    @property
    def xid(self) -> int:
        """int"""

    def replace(self, *, place: str = ..., xid: int = ...) -> XidEvent:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> XidEvent: ...

    def __deepcopy__(self, memo: object) -> XidEvent: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def read_energy(options: ReadingOptions = ...) -> tuple[trestle.EnergyCounter, ...]:
    """
    The energy counters of all processor packages and their memory (RAPL, by /sys/class/powercap):
    `package-0`, `package-0/dram`. Parts of a package and the counter of the whole platform, which
    are counted in others already, are left out.
    Errors: NotFound where there is no such counter; PermissionDenied where only root may read it
    (every kernel since 5.10), and others from errno, with the path; FailedPrecondition for a file
    that holds no number.
    """

def read_gpus(options: ReadingOptions = ...) -> tuple[GpuReading, ...]:
    """
    All GPUs that NVML knows, in its order, each followed by its MIG instances, of which memory is
    told. One that is lost is there, with nothing known but that; what a GPU or driver does not
    support stays absent. XIDs are not asked: see xids_in.
    Errors: NotFound when the library is not there, Unavailable when it does not start or does not
    say how many GPUs it knows.
    """

def read_device_health(thresholds: trestle.HealthThresholds = ..., options: ReadingOptions = ...) -> tuple[trestle.DeviceReport, ...]:
    """The same, judged: one report a GPU. Errors: as read_gpus."""

def xids_in(kernel_log: str) -> tuple[XidEvent, ...]:
    """
    The XIDs in a piece of the kernel log (`dmesg`, /dev/kmsg), in order. Lines of another form are
    passed over. Pure.
    """

def with_xids(readings: Iterable[GpuReading], events: Iterable[XidEvent]) -> tuple[GpuReading, ...]:
    """
    The readings with the XIDs in the counters of the GPUs that they are of. A GPU whose place is
    known and that is not in the log has none; events of other GPUs are dropped. Pure.
    """

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
    mounted writable, and this user may make groups, move processes and hand controllers down. A
    host is not usable while cgroup v1 holds a controller that limits (/proc/cgroups), even where
    v2 has another.
    `capabilities` stay empty for a directory that is not usable. A file that only groups below
    would have is taken from the first of them, and where there is none, from the version of the
    kernel.
    """

def current_environment() -> tuple[trestle.EnvironmentVariable, ...]:
    """
    The variables of this process in their order; entries without `=` are passed over. Not for use
    beside threads that change the environment.
    """

def current_user() -> trestle.ProcessUser:
    """
    This process as it is: its effective uid and gid, its supplementary groups, capabilities left as
    they are, and no_new_privs. An embedder without rights may start processes as this user.
    """

def find_program(command: trestle.Command) -> str:
    """
    The file that the command's first word means along the PATH of its environment, as spawn will
    find it from the command's directory. Errors: InvalidArgument for an empty command or first
    word; NotFound when no regular file of that name may be executed; FailedPrecondition for a
    variable of which only the digest is known.
    """

def with_device_numbers(plan: trestle.Plan) -> trestle.Plan:
    """
    The plan with the numbers that the files of its filter have now. A file that does not exist
    keeps those that the plan has, or takes its driver's major number from /proc/devices; unknown
    numbers stay unknown. Folders that do not exist are taken out. Errors: InvalidArgument for a
    file that is no device of the kind; those of a file that is there but cannot be looked at.
    """

def monotonic_now() -> int:
    """What CLOCK_MONOTONIC shows."""

class StopRequest:
    """What ends a job from outside while run_to_end waits."""

    def __init__(self, fd: int = -1, cause: trestle.StopCause = trestle.StopCause.user_stop) -> None: ...

    @property
    def fd(self) -> int:
        """when it is readable the job is stopped; nothing is read from it (int)"""

    @property
    def cause(self) -> trestle.StopCause:
        """StopCause"""

    def replace(self, *, fd: int = ..., cause: trestle.StopCause = ...) -> StopRequest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StopRequest: ...

    def __deepcopy__(self, memo: object) -> StopRequest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TimeKeeper:
    """
    The time of one child. Wait for fd() in a loop of your own and call step(); or take run_to_end.
    The end signal thaws the group and is followed by SIGCONT, for what is frozen or stopped acts on
    no signal. Each signal is reported to the trace, also one that could not be sent.
    """

    @staticmethod
    def start(enforcer: trestle.Enforcer, plan: trestle.Plan, child: trestle.Child, trace: Callable[[trestle.TraceEvent], None] | None = None) -> TimeKeeper:
        """
        Begins to count now, by plan.end. `child` was spawned by `enforcer` for this plan and is
        reaped here, so neither waits for it besides. `enforcer` must outlive this.
        Calls go through `kernel`, which must outlive this too.
        Errors: InvalidArgument for signals that do not exist; those of the kernel's timers.
        """

    def fileno(self) -> int:
        """For poll(2) and the like: readable when step() has something to do."""

    def step(self) -> trestle.JobEnd | None:
        """
        Sends what is due and looks at the child; does not wait. A job that forks as fast as it is
        signalled takes a second or two of it at most, whatever the enforcer's patience, and SIGKILL
        comes. Gives the end once the child has been reaped and, if somebody ended the job, its
        group is empty or SIGKILL was sent to it. What else runs in the group stays for
        Enforcer::remove. Errors: SIGKILL could not be sent, which is tried again once a second; the
        child was reaped by somebody else; the timer could not be set, and fd() may tell nothing
        more: call step() again.
        """

    def stop(self, cause: trestle.StopCause, grace: int | None | None = None) -> None:
        """
        Ends the job: step() has something to do at once. Without a grace that of the plan. Nothing
        when the child has ended already. See EndSequence::stop.
        Errors: as step().
        """

    def set_time_limit(self, limit: int | None | None) -> None:
        """See EndSequence::set_time_limit."""

def run_to_end(enforcer: trestle.Enforcer, plan: trestle.Plan, child: trestle.Child, stop: StopRequest = ..., trace: Callable[[trestle.TraceEvent], None] | None = None) -> trestle.JobEnd:
    """
    Waits until the job has ended, and ends it as its plan says. Errors: as TimeKeeper::step; the
    child may still run then.
    """

class ServiceManager(enum.Enum):
    """Which systemd is asked."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    system = 0
    """of the machine; takes root, or a rule of polkit's"""

    user = 1
    """of the user; it hands down what it was given, cpuset and io seldom"""

class ScopeOptions:
    """The scope that is asked for."""

    def __init__(self, unit: str = '', description: str = '', slice: str = '', manager: ServiceManager = ServiceManager.system, patience: int = 30, library_folder: str = '') -> None: ...

    @property
    def unit(self) -> str:
        """`trestle.scope`; names the scope, also after a restart (str)"""

    @property
    def description(self) -> str:
        """shown by systemctl; empty: the unit's name (str)"""

    @property
    def slice(self) -> str:
        """`batch.slice`; empty: systemd's choice (str)"""

    @property
    def manager(self) -> ServiceManager:
        """ServiceManager"""

    @property
    def patience(self) -> int:
        """how long each call goes on; max(): for ever (int, seconds)"""

    @property
    def library_folder(self) -> str:
        """where libsystemd.so.0 is; empty: where the linker looks (str)"""

    def replace(self, *, unit: str = ..., description: str = ..., slice: str = ..., manager: ServiceManager = ..., patience: int = ..., library_folder: str = ...) -> ScopeOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ScopeOptions: ...

    def __deepcopy__(self, memo: object) -> ScopeOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SystemdScope:
    """
    A delegated scope, held open by a process of its own that does nothing. That process ends with
    this object, also when the program is killed; the scope then stays as long as a job is in it,
    so that the end of a scheduler ends no job.
    Errors of all calls: FailedPrecondition without libsystemd, without the bus, and where systemd
    refuses; PermissionDenied; DeadlineExceeded. The message has the name of the D-Bus error.

    As a context manager it is stopped at the end of the block.
    """

    @staticmethod
    def start(options: ScopeOptions) -> SystemdScope:
        """
        Makes the scope. One of this name that has failed is forgotten first.
        Errors: InvalidArgument for what is no name of a scope or slice; AlreadyExists when there is
        such a scope with processes in it: see adopt.
        """

    @staticmethod
    def adopt(options: ScopeOptions) -> SystemdScope:
        """
        Takes over the scope that an earlier start() made, with the groups in it.
        Errors: NotFound.
        """

    def directory(self) -> str:
        """
        For CgroupEnforcer::open: `jobs` below the scope's own group, in which all controllers of
        the scope may be handed down, but for those that the kernel refuses.
        """

    def unit(self) -> str:
        """The name of the unit."""

    def stop(self) -> None:
        """
        Kills all processes inside, and returns when systemd has removed the scope. Ok when it is
        gone already.
        """

    def abandon(self) -> None:
        """
        Tells systemd that nobody looks after the scope any more, and lets go of it: it goes away
        with the last job.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, type: object, error: object, traceback: object) -> None:
        """Stops the scope."""

class CgroupEnforcer(trestle.Enforcer):
    """
    See Enforcer for what each call means. Besides:
    - cpuset.cpus and cpuset.mems are compared with what the kernel made of them (.effective). A
    CPU that is offline or belongs to somebody else fails the step.
    - A device filter is added to those of the groups above, and replaces one that was loaded
    for the group before. Files are looked up when the filter is loaded, and again by verify.
    - The label is the attribute user.trestle.owner of the group's directory.
    - A command starts in a session of its own, with no signal blocked or handled, SIGPIPE and
    SIGXFSZ not ignored, and no file open but the standard three. Where the kernel cannot close
    the others at once (before 5.11) that takes /proc; without it spawn fails.
    - A command that becomes a user leaves the session keyring and the realtime class of the
    embedder; one that stays who it is keeps them.
    - A group of which a scratch directory is left is not made again before it is removed.
    - spawn into a group that is frozen is DeadlineExceeded when patience ends, and no process is
    left.
    - attach is InvalidArgument for a kernel thread, and on older kernels for a process that is
    being forked at this very moment: then it works a moment later.
    - signal reaches what the processes start meanwhile too, such as a program in a handler. It
    looks for that eight times and for a second at most: DeadlineExceeded where processes come
    as fast as they are signalled. SIGKILL reaches those, too.
    - freeze that fails leaves the processes running.
    - A source of events keeps the group's files open, three at most and two for pressure. Where
    its descriptor is polled by others, the kernel tells pressure to them and not to read(),
    which then looks at the time that was waited, and tells half the threshold too.
    - remove also removes the scratch directories of the group and those below, when all that ran
    there has ended, also where the group itself has gone. Only those that this enforcer made,
    or one before it with the same root group: also before a reboot, but not in an earlier
    container. Links in them are not followed; a file system that was mounted there is left, and
    an error.
    - recover tells, behind the groups, the names of those of which only that directory is left.
    - remove leaves a child that was spawned to be reaped by wait or poll, which still tell that
    it was killed for memory before.
    - A child that is stuck in the kernel before its program, where SIGKILL does not end it in
    10 s, is named by the error of spawn, and reaped when it has ended.
    Waits with poll(2), starts no thread and handles no signal; SIGCHLD must not be ignored.
    Errors: FailedPrecondition where the kernel offers no such controller or file and where
    processes stand in the way, DeadlineExceeded when patience ends, InvalidArgument for a process
    number below 1 and for the group `manager`, or one below, while this process is in it.
    """

    @staticmethod
    def open(directory: str, options: CgroupOptions = ...) -> CgroupEnforcer:
        """
        All system calls go through `kernel`, which outlives the enforcer.
        Errors: FailedPrecondition with the reason that probe_cgroup gives.
        """

class PlainEnforcer(trestle.Enforcer):
    """
    Groups are names here; they hold the children spawned into them, and their owner's label.
    Scratch directories are made and removed, as long as the enforcer lives: none after it knows
    them. What a command left running may keep using its own.
    Every other step, attach, freeze, thaw and events fail with FailedPrecondition and the reason
    given. signal and remove reach the children, not what these started. observe knows nothing, and
    verify finds nothing of what needs a group.
    """

    def __init__(self, reason: str, scratch_root: str = '') -> None:
        """
        `reason`: why there is no better one, as CgroupSupport::reason has it. `scratch_root`: see
        CgroupOptions.
        """
