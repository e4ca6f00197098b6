// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/differences.hpp"

#include <array>

#include "../markdown_table.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view memory_errors =
    "dstack memory: what is no size says what, where and what was expected";
constexpr std::string_view gpu_errors =
    "dstack GPU: a malformed specification says what, where and what was expected";
constexpr std::string_view ranges_test = "dstack ranges: ends may be open, a bare value is exact";
constexpr std::string_view cpu_test = "dstack CPU: architecture and count in any order";
constexpr std::string_view resources_test = "dstack resources: texts and mappings";
constexpr std::string_view resources_errors =
    "dstack resources: a mistake is named with line, column and offset";
constexpr std::string_view durations_test = "dstack durations: a whole number and a unit";
constexpr std::string_view run_errors = "dstack files: mistakes of runs";
constexpr std::string_view groups_errors = "dstack groups: mistakes";
constexpr std::string_view fleets_test = "dstack files: fleets";

constexpr std::string_view sizes_test =
    "dstack price list: sizes are whole bytes, or the nearest number of MiB";
constexpr std::string_view known_test =
    "dstack matching: GPUs by vendor, memory and compute capability";
constexpr std::string_view count_test = "dstack matching: GPUs by count and name";
constexpr std::string_view combine_profiles_test = "dstack combine: profiles of fleet and run";

constexpr std::string_view split_test = "split: what machines divide into, and what is left over";
constexpr std::string_view cores_test =
    "dstack plan: blocks that were sold by the CPU are found on the machine";
constexpr std::string_view reuse_test = "dstack plan: which instance, which blocks";
constexpr std::string_view create_test = "dstack plan: what is made";
constexpr std::string_view docker_test = "docker: what policy and placement become";

constexpr auto divergence_rows = std::to_array<Divergence>({
    {"negative sizes", "are taken", "errors", memory_errors},
    {"infinite sizes", "inf and nan are taken, and 1e308TB becomes inf", "errors", memory_errors},
    {"sizes beyond 2^63", "any floating number of GB", "errors", memory_errors},
    {"digits", "those of every script", "those of ASCII", memory_errors},
    {"parts of a byte", "sizes are floating numbers of GB", "sizes are whole bytes, else an error",
     memory_errors},
    {"sizes of price lists", "are rounded to MB",
     "only those that are not whole bytes, and a half up", sizes_test},
    {"printed sizes", "six digits, so that 1048576.5GB is read back as another",
     "without loss; the pretty line alone has six digits",
     "dstack memory: every number of bytes prints and is read back"},
    {"negative counts", "are taken in ranges", "errors", ranges_test},
    {"counts beyond 2^63", "any number", "errors", ranges_test},
    {"negative GPUs", "-1 is a count", "an error", gpu_errors},
    {"vendors among names", "nvidia,amd are two names", "an error that asks for a part of its own",
     gpu_errors},
    {"signs in names", "any behind the first letter", "letters, digits and -_.+/", gpu_errors},
    {"CPU counts", "8.0, +4 and 1_6 are unknown architectures", "counts, as they are elsewhere",
     cpu_test},
    {"no CPU", "0 is a count", "an error", cpu_test},
    {"GPUs as a number with a point", "2.0 is an error", "2, as it is elsewhere", resources_test},
    {"booleans", "are 0 and 1 where a number may stand", "errors", resources_errors},
    {"no name of a GPU", "an empty list matches nothing", "an error", resources_errors},
    {"compute capability 8.10", "is 8.1, as YAML numbers have no last zero",
     "is the tenth after 8.0, as the text says", resources_test},
    {"ranges of disks", "only text, or below size", "{min, max} as everywhere, too",
     "dstack resources: a range in the place of a disk"},
    {"errors of resources", "a short form in a range is reported twice, for both ends",
     "each mistake once, with line, column and offset",
     "dstack resources: all mistakes in one pass"},
    {"pretty compute capability", "prints (9, 0)", "prints 9.0",
     "dstack resources: dstack's own line"},
    {"line behind a duration", "1h and a new line is taken", "an error", durations_test},
    {"blanks around a duration", "are errors", "passed over", durations_test},
    {"infinite durations", "end the program", "errors", durations_test},
    {"parts of a second", "are cut off", "errors", run_errors},
    {"\"90.0\"", "an error as a text, and 90 as a number", "90 s in either form", durations_test},
    {"max_duration: 0", "is without end", "an error that names off", run_errors},
    {"stop_duration", "bounds the wait for volumes; the commands have 10 s, whatever it says",
     "is how long the commands have between SIGINT and SIGKILL; 10 s where it is absent",
     "dstack exit: when and how a run is ended"},
    {"max_duration: true", "is the default", "an error", run_errors},
    {"count and replicas of a group", "replicas counts", "an error", groups_errors},
    {"nodes: 0 of a fleet", "is a fleet without nodes", "an error; 0.. may have none", fleets_test},
    {"keys given twice", "the last one counts", "errors", run_errors},
    {"010 and 0x10", "are 8 and 16, as YAML 1.1 has them", "10, and an error",
     "dstack files: numbers are read as they are written"},
    {"large files", "are read, however deep", "more than 64 KiB or 64 levels are errors",
     "dstack files: more than 64 KiB or 64 levels are refused"},
    {"unknown backends", "are errors", "are words that no offer has, as backends are data",
     "dstack files: backends may be any words"},
    {"secrets of the server's config.yml", "are read", "are not kept",
     "dstack files: the server's configuration, without its secrets"},
    {"negative idle_duration", "any is kept and means off",
     "-1 means off as in older files; others are errors", run_errors},
    {"empty lists", "are kept", "errors", run_errors},
    {"prices", "floating numbers, also infinite", "dollars with at most six decimals", run_errors},
    {"nodes of a fleet", "1.5 and [1] end the program", "errors", fleets_test},
    {"blocks: true", "is one block", "an error", fleets_test},
    {"offers_max", "cuts the list before it puts last what cannot be had", "cuts it behind that",
     "dstack matching: order, and what cannot be had last"},
    {"offers of equal price", "of several providers come in any order",
     "backends in a given order, then rows",
     "Catalog: backends of the given order come first "
     "among equal prices"},
    {"no match", "is an empty list",
     "each offer says which test it failed, what was wanted and "
     "what it had; bare values to blame are named",
     "dstack explain: a bare value that leaves nothing is named"},
    {"malformed rows of a price list", "are skipped", "are named with row, column and token",
     "offers CSV: every mistake is named"},
    {"nvidia:..0", "nothing matches", "a machine without GPUs", count_test},
    {"a GPU without vendor in a price list", "is NVIDIA's", "is its known model's, else NVIDIA's",
     known_test},
    {"lists without a common name", "are an empty list that nothing matches",
     "are a refusal with both lists", combine_profiles_test},
    {"blocks of containers and pods", "are not looked at", "are refused: VMs and hosts are cut",
     "dstack matching: what backends can do"},
    {"GPUs that differ on a host", "all are taken for the first one",
     "stand in its offer as they "
     "are",
     "offer_of: devices that differ are kinds of their own"},
    {"MIG instances", "NVIDIA A100 MIG 1g.5gb is taken for an A100", "are no A100",
     "known_devices: the model of a driver's name"},
    {"blocks among the tests", "come last", "come before what a share is judged by",
     "dstack matching: what backends can do"},
    {"blocks: auto", "the smaller of CPUs and GPUs, refused when that does not divide",
     "the largest number that divides both", split_test},
    {"auto without GPUs", "one block a CPU",
     "the same for an offer; for a machine that is there one block a core, with all its threads",
     cores_test},
    {"GPUs of several models", "counted together, as many blocks as all of them allow",
     "each model divides, so that blocks are alike", split_test},
    {"replicas of a service", "each is assigned by itself, some of them later",
     "one of each group is planned, all in one fleet or none",
     "dstack groups: each is planned with its own resources"},
    {"memory that does not divide", "is lost to all jobs",
     "is listed, and the job that has all blocks gets it", split_test},
    {"shares", "lose architecture, zones and runtime, and have no CPUs of their own",
     "keep them, and name every CPU, byte and device",
     "blocks: a share keeps architecture, zones and runtime; all blocks have the rest"},
    {"GPUs of a share", "whichever idle ones come first, at random",
     "those of its blocks, neighbours where they can be",
     "blocks: the choice is the best of all, for every set of free blocks"},
    {"owners of blocks", "a counter of busy blocks, and GPU locks that any job may open",
     "an owner for each block; giving back what one does not have is an error",
     "blocks: taking twice, giving back twice or for another is an error"},
    {"failed GPUs", "the whole instance takes no new job",
     "the blocks with one take none, the others do",
     "blocks: of eight blocks seven can be had when a GPU failed"},
    {"instances made for a job", "are one block, whatever the fleet says",
     "have the blocks of their fleet",
     "dstack plan: instances made for a job have the blocks of their fleet"},
    {"instances of one price", "the first one, whole ones before blocks",
     "the smallest share, then the fullest instance", reuse_test},
    {"terminating shared instances", "take new jobs", "take none", reuse_test},
    {"instances that are being made", "take new jobs when they are shared, else none",
     "take new jobs when no running one can, whatever the price",
     "dstack plan: an instance that runs comes before a cheaper one that is being made"},
    {"offers looked at", "the first 100 of a fleet, of which 25 are tried", "all; a plan names one",
     create_test},
    {"resources of a fleet", "are intersected with those of a run",
     "are about the whole instance, the run's about its share", create_test},
    {"assignments", "a job may be placed by two decisions at once",
     "a decision is a value, applied to a state or refused",
     "dstack plan: a plan made before another was applied is refused"},
    {"instances for several nodes", "a fleet may be chosen that has too few",
     "all nodes in one place are found before a fleet is chosen",
     "dstack plan: distributed runs are in one place, or nowhere"},
    {"fleets for several nodes", "are compared by their cheapest instance",
     "by the number of new instances, then by the price of all that are reused",
     "dstack plan: fleets for several nodes"},
    {"instances of a run", "by name, host name, or fleet and number",
     "by name; others are errors that say so", "dstack run: instances by name"},
    {"RDMA", "its devices and unlimited memlock for every container",
     "for the job that has the whole host",
     "dstack job: documents of a whole host have RDMA and memlock, those of a share neither"},
    {"limits of a whole instance", "none: neither CPUs nor memory", "what it has, as for shares",
     "dstack job: a whole host is limited as a share is, to what it has"},
    {"CPUs of a container", "so much time, on any of the host's",
     "its own, with the memory near to them, and their time", docker_test},
    {"swap of a container", "Docker's default, as much as memory", "none, or what the policy says",
     docker_test},
    {"processes of a container", "any number", "at most what the policy says", docker_test},
    {"IPC of AMD and Gaudi", "always the host's, also for shares, with its /dev/shm",
     "the host's for a whole host without shm_size, else its own",
     "docker: whose IPC, and whose /dev/shm"},
    {"access to device files", "read, write and make nodes", "read and write",
     "docker: without NVIDIA's profile its GPUs go by their files"},
    {"TPUs in containers", "privileged, with all devices of the host",
     "their own files, and memlock without limit",
     "dstack job: a TPU host, which is not cut, may lock memory, as VFIO needs"},
    {"huge pages of Tenstorrent", "looked for when the container is made",
     "planned, and left out by a look at the machine",
     "with_device_numbers: folders that are not on the machine are left out"},
    {"requests and limits of a pod", "the lower and the upper end of what was asked",
     "both what the share has", "kubernetes: limits and requests"},
    {"GPUs in variables", "those of the host, on some roads", "those of the share",
     "dstack job: variables count the share, not the host"},
    {"ends", "an exit code, -1 for a shell that died by a signal",
     "out of memory, signal, user and time limit are distinguished",
     "dstack job: how an end is read"},
});

}  // namespace

std::span<const Divergence> differences() { return divergence_rows; }

std::string differences_text() {
    return markdown_table({"topic", "dstack", "here", "test"}, differences());
}

}  // namespace trestle::dstack
