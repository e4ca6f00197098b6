// SPDX-License-Identifier: Apache-2.0
#include "lost_options.hpp"

#include <array>

#include "word_reasons.hpp"

namespace trestle::translate {
namespace {

constexpr std::string_view no_accounts = "dstack has no accounts";
constexpr std::string_view no_cores = "dstack does not look at sockets and cores";
constexpr std::string_view no_binding = "dstack binds nothing to cores or devices";
constexpr std::string_view no_features = "instances have no features; see instance_types, regions";
constexpr std::string_view no_mail = "dstack sends no mail for a run's sake";
constexpr std::string_view no_network = "dstack does not know the network between instances";
constexpr std::string_view no_node_names = "dstack chooses by resources; see the key instances";
constexpr std::string_view no_steps = "it is of steps, which dstack has not";
constexpr std::string_view logs = "output goes to `dstack logs`, not to files";

constexpr std::array<WordReason, 76> lost_options{{
    {"account", no_accounts},
    {"array", "dstack has no arrays: submit a run for each id, with the id in env"},
    {"bb", "dstack has no burst buffers; see volumes"},
    {"bbf", "dstack has no burst buffers; see volumes"},
    {"begin", "dstack starts at once; see the key schedule for times that come again"},
    {"cluster-constraint", "dstack has no federation of clusters"},
    {"clusters", "dstack has no federation of clusters"},
    {"comment", "a run has no comment; see the key tags"},
    {"consolidate-segments", no_network},
    {"constraint", no_features},
    {"container-id", "dstack gives containers names of its own"},
    {"contiguous", no_network},
    {"core-kind", no_cores},
    {"core-spec", "dstack keeps no cores for the system"},
    {"cores-per-socket", no_cores},
    {"cpu-bind", no_binding},
    {"cpu-freq", "dstack sets no frequencies"},
    {"deadline", "dstack knows no deadlines"},
    {"dependency", "runs do not wait for other runs"},
    {"distribution", "dstack starts no tasks, so it does not spread them"},
    {"error", logs},
    {"exact", no_steps},
    {"exclude", no_node_names},
    {"export-file", "env names variables itself"},
    {"extra-node-info", no_cores},
    {"get-user-env", "a container has the environment of its image"},
    {"gpu-freq", "dstack sets no frequencies"},
    {"gpus-per-socket", no_cores},
    {"gres-flags", no_binding},
    {"hint", no_cores},
    {"hold", "dstack holds no runs back"},
    {"immediate", "without retry a run fails at once anyway"},
    {"input", "a run has no standard input"},
    {"kill-on-invalid-dep", "runs do not wait for other runs"},
    {"licenses", "dstack counts no licences"},
    {"mail-type", no_mail},
    {"mail-user", no_mail},
    {"mem-bind", no_binding},
    {"network", no_network},
    {"nice", "priority counts from 0 to 100, and only the order within a project"},
    {"no-kill", "a distributed run ends when one of its nodes fails"},
    {"nodefile", no_node_names},
    {"nodelist", no_node_names},
    {"ntasks-per-core", no_cores},
    {"ntasks-per-socket", no_cores},
    {"oom-kill-step", "a container out of memory is ended as a whole"},
    {"open-mode", logs},
    {"output", logs},
    {"overcommit", "dstack starts no tasks, so it does not count them"},
    {"overlap", no_steps},
    {"oversubscribe", "whether an instance is shared is what blocks of the fleet say"},
    {"prefer", no_features},
    {"preferred-core-kind", no_cores},
    {"priority", "priority counts from 0 to 100, and only the order within a project"},
    {"profile", "metrics are always gathered"},
    {"propagate", "a container has limits of its own"},
    {"qos", "dstack has no qualities of service; see priority"},
    {"reboot", "instances are not restarted for a run"},
    {"reservation", "dstack's reservation is one of a cloud's, not of the cluster's"},
    {"segment", no_network},
    {"signal", "dstack sends no warning before max_duration is over"},
    {"sockets-per-node", no_cores},
    {"spread-job", "a run takes the cheapest instances"},
    {"spread-segments", no_network},
    {"switches", no_network},
    {"thread-spec", "dstack keeps no cores for the system"},
    {"threads-per-core", no_cores},
    {"time-min", "a run has one time limit"},
    {"tres-bind", no_binding},
    {"uid", "the key user names one of the container's"},
    {"use-min-nodes", "a task has one number of nodes"},
    {"wait", "`dstack apply` without -d waits"},
    {"wait-all-nodes", "see startup_order"},
    {"wckey", no_accounts},
    {"whole", no_steps},
    {"x11", "no display is forwarded; see ports"},
}};

constexpr std::string_view no_offers = "Slurm chooses among the nodes it has, not among offers";
constexpr std::string_view no_services = "a job has no service behind a gateway";

constexpr std::array<WordReason, 39> lost_keys{{
    {"auth", no_services},
    {"availability_zones", no_offers},
    {"backend_options", no_offers},
    {"backends", no_offers},
    {"docker", "Slurm starts no Docker"},
    {"entrypoint", "an OCI bundle has its own"},
    {"files", "Slurm copies no files; see sbcast and shared folders"},
    {"gateway", no_services},
    {"home_dir", "a job has the home of its user"},
    {"https", no_services},
    {"ide", "a batch job has no editor; see salloc"},
    {"inactivity_duration", "Slurm does not watch for inactivity"},
    {"init", "a batch job runs its commands alone"},
    {"instance_types", no_offers},
    {"instances", "--nodelist takes all of its nodes, not any of them"},
    {"model", no_services},
    {"nvcc", "what is installed depends on the node; see environment modules"},
    {"path_prefix", no_services},
    {"port", no_services},
    {"ports", "Slurm forwards no ports"},
    {"privileged", "a job has the rights of its user"},
    {"probes", no_services},
    {"python", "what is installed depends on the node; see environment modules"},
    {"rate_limits", no_services},
    {"regions", no_offers},
    {"registry_auth", "an OCI bundle is a folder, and needs no registry"},
    {"replicas", no_services},
    {"repos", "Slurm clones no repositories"},
    {"router", no_services},
    {"scaling", no_services},
    {"schedule", "sbatch starts a job once; see scrontab"},
    {"setup", "a batch job runs its commands alone"},
    {"single_branch", "Slurm clones no repositories"},
    {"strip_prefix", no_services},
    {"tags", "a job has no tags; see --comment"},
    {"user", "a job runs as the user that submits it"},
    {"utilization_policy", "Slurm does not watch how busy devices are"},
    {"version", "a batch job has no editor; see salloc"},
    {"volumes", "a job sees the files of its node"},
}};

static_assert(are_sorted(lost_options) && are_sorted(lost_keys));

template <std::size_t N>
std::string_view why_in(const std::array<WordReason, N>& words, std::string_view word,
                        std::string_view otherwise) {
    const WordReason* const found = find_reason(words, word);
    return found != nullptr ? found->why : otherwise;
}

}  // namespace

std::string_view why_option_is_lost(std::string_view option) {
    return why_in(lost_options, option, "dstack has nothing like it");
}

std::string_view why_key_is_lost(std::string_view key) {
    return why_in(lost_keys, key, "Slurm has nothing like it");
}

}  // namespace trestle::translate
