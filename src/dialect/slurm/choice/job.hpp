// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request with everything derived that Slurm's client and submit path derive, as plain numbers.
//
// Layer: dialect/slurm, inside. Main types: ChoiceJob, GresWant; job_of makes a job of resolved
// options, in_partition shapes it by a partition. Memory is counted in MiB, as Slurm does.
// Pitfall: names of nodes are not here, select() looks them up; numbers are held
// below `unlimited`, so that sums of a few fit.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/release_rules.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"
#include "trestle/model/features.hpp"

namespace trestle::slurm::choice {

using Number = std::int64_t;

/// More than anything that is counted.
inline constexpr Number unlimited = Number{1} << 56;

/// Held at `unlimited`.
[[nodiscard]] constexpr Number product(Number a, Number b) {
    constexpr Number small = Number{1} << 28;  // a division takes longer than all the rest
    if (a >= 0 && b >= 0 && a <= small && b <= small) return a * b;
    if (a == 0 || b == 0) return 0;
    return a > unlimited / b ? unlimited : a * b;
}
/// Rounded up. Requires: b > 0.
[[nodiscard]] constexpr Number quotient_up(Number a, Number b) { return (a + b - 1) / b; }

struct ChoiceJob;

/// What is asked of one GRES name and type, by each of the ways of asking; 0: not asked.
struct GresWant {
    std::string name;
    std::string type;  ///< empty: any
    Number per_job = 0;
    Number per_node = 0;
    Number per_socket = 0;
    Number per_task = 0;
    Number cpus_per = 0;
    bool has_default_cpus = false;  ///< DefCpuPerGPU says how many, not the job
    Number memory_per = 0;

    /// GPUs, or parts of them.
    [[nodiscard]] bool is_of_gpus() const;
    /// Else nodes are to have some, but none are given.
    [[nodiscard]] bool is_counted() const {
        return per_job > 0 || per_node > 0 || per_socket > 0 || per_task > 0;
    }
    /// The fewest that the job can have, by every way that it was asked.
    [[nodiscard]] Number total(const ChoiceJob& job) const;

    friend bool operator==(const GresWant&, const GresWant&) = default;
};

/// Which nodes a job is asked about.
struct AskedNodes {
    bool are_idle = false;     ///< whatever other jobs have of them
    bool are_by_load = false;  ///< the least loaded ones
};

enum class CoreOrder { unsaid, block, cyclic };

struct ChoiceJob {
    const ReleaseRules* rules = &rules_of(default_release);
    std::optional<Number> ntasks;    ///< absent: one task a node
    bool says_ntasks = false;        ///< -n, or -G beside GPUs for each task
    bool has_implied_nodes = false;  ///< so many that limits of a partition do not look at them
    bool has_implied_tasks = false;
    bool has_too_few_tasks = false;  ///< fewer than the partition's MinNodes
    Number min_nodes = 1;
    std::optional<Number> max_nodes;
    Number wanted_nodes = 1;         ///< upper end of -N, the number aimed at
    std::vector<Number> node_sizes;  ///< rising: only so many nodes; empty: any number
    Number cpus_per_task = 1;
    std::optional<Number> cpus_before_limit;  ///< of a task, where MaxMemPerCPU raised them
    Number ordered_cpus = 0;                  ///< of a task, for the order of cores alone
    bool says_cpus_per_task = false;
    bool needs_task_a_node = false;  ///< and no node that has all devices
    Number ntasks_per_node = 0;
    bool says_ntasks_per_node = false;
    Number nodes_of_tasks = 1;  ///< that -n needs by --ntasks-per-node, whatever -N allows
    Number tasks_of_node = 0;   ///< --ntasks-per-node, whether --overcommit is said or not
    Number ntasks_per_socket = 0;
    Number ntasks_per_core = 0;
    bool has_implied_core_tasks = false;  ///< ntasks_per_core is of CR_ONE_TASK_PER_CORE
    bool has_cores_of_gpu_cpus = false;   ///< each task that CPUs of GPUs are for has its own
    Number ntasks_per_gpu = 0;
    Number tasks_of_gpus = 0;  ///< that GPUs and ntasks_per_gpu imply, whatever -n says
    Number chosen_tasks = 0;   ///< of -n: nodes are chosen for so many at least
    Number uneven_gpus = 0;    ///< of tasks_of_gpus, which the nodes do not divide; 0: they do
    Number threads_per_core = 0;
    Number sockets_per_node = 0;
    Number cores_per_socket = 0;
    Number min_cpus_per_node = 1;
    std::optional<Number> memory;  ///< of a node; 0: all of it
    std::optional<Number> memory_per_cpu;
    std::optional<Number> memory_per_gpu;
    bool has_default_memory = false;   ///< the configuration says how much, not the job
    bool has_memory_by_node = false;   ///< least_memory is of a node; else of each CPU
    bool has_cpus_for_memory = false;  ///< more than it asks for, as MaxMemPerCPU has it
    Number cpus_for_memory = 0;        ///< of a node, that MaxMemPerCPU brings for its tasks
    Number cpus_of_largest_node = 0;   ///< of the partition, where these are too few; else 0
    Number least_memory = 0;           ///< MiB that a node must have, counted or not
    Number limited_memory = 0;         ///< MiB that MaxMemPerNode bounds, counted or not
    std::vector<GresWant> gres;        ///< each with a count
    bool is_exclusive = false;
    bool may_share = false;  ///< cores with other jobs, where the partition lets it
    Number rows = 0;         ///< of the partition, to be shared in one of them; 0: cores alone
    bool is_contiguous = false;
    bool is_spread = false;
    bool enforces_binding = false;
    bool disables_binding = false;
    bool shares_several_devices = false;    ///< parts of several GPUs
    bool may_share_part_of_device = false;  ///< multiple-tasks-per-sharing
    bool has_one_part_a_device = false;     ///< each task parts of a GPU of its own
    bool overcommits = false;               ///< CPUs as for one task a node, however many there are
    CoreOrder core_order = CoreOrder::unsaid;
    Number plane = 0;
    FeatureExpression features;
    std::vector<FeatureCount> feature_counts;
    std::vector<FeatureExpression> feature_sets;
    std::optional<NodeConstraint> preferred;  ///< tried first, instead of those
    Number switches = 0;
    bool is_topology_exclusive = false;  ///< units of the network that it has nodes in are its own
    Number segment = 0;                  ///< nodes of one unit of the network together; 0: not said
    bool spreads_segments = false;
    bool consolidates_segments = false;
    std::optional<Number> core_spec;
    Number thread_spec = 0;
    Bytes disk;

    /// The number of tasks that every decision uses.
    [[nodiscard]] Number tasks() const { return ntasks.value_or(min_nodes); }
    /// Nodes that -n leaves to the job.
    [[nodiscard]] Number most_nodes_by_tasks(AskedNodes nodes = {}) const;
    /// Each node has the tasks of --ntasks-per-node, whatever -n says.
    [[nodiscard]] bool has_all_tasks_of_nodes() const;
    /// -N allows too few nodes for the tasks, and no GPUs of the job make up for them by CPUs. In
    /// newer releases one whole node never lacks them.
    [[nodiscard]] bool lacks_nodes_of_tasks() const;
    /// Newer releases give a single task of cores alone no node that is to have more tasks.
    [[nodiscard]] bool lacks_tasks_of_nodes() const;
    /// Tasks that GPUs imply are as many on each of a fixed number of nodes.
    [[nodiscard]] bool has_even_tasks_of_gpus() const {
        return ntasks_per_gpu > 0 && min_nodes == max_nodes;
    }
    /// A count of the job has fewer devices than the job has nodes.
    [[nodiscard]] bool has_too_few_devices() const;
    /// Tasks have devices of their own.
    [[nodiscard]] bool has_devices_of_tasks() const;
    /// Some devices are counted for the job, on whichever nodes.
    [[nodiscard]] bool counts_by_job() const;
    /// CPUs that the chosen nodes have together.
    [[nodiscard]] Number min_cpus() const;
    /// Of these, what ReqTRES shows: of 22.05 without those that GPUs bring, later without those of
    /// --mincpus and of tasks by node beyond -n.
    [[nodiscard]] Number asked_cpus() const;
    /// Of these, what limits of a partition look at: CPUs of --mincpus in any case, and of the
    /// tasks of -n those alone.
    [[nodiscard]] Number limited_cpus() const;
    [[nodiscard]] bool has_whole_nodes() const {
        return is_exclusive || core_spec.has_value() || thread_spec > 0;
    }

    friend bool operator==(const ChoiceJob&, const ChoiceJob&) = default;
};

/// The job of resolved options; `said` are those before resolving, as some rules ask whether an
/// option was given. Errors: InvalidArgument for counts of GRES that do not go together.
/// `replaced`: -n, where GPUs of the job and tasks per GPU go before it.
[[nodiscard]] StatusOr<ChoiceJob> job_of(const JobOptions& said, const ResolvedOptions& done,
                                         std::optional<Count> replaced, Release release);

/// What -C or --prefer say.
void set_features(const NodeConstraint& constraint, ChoiceJob& job);

/// The job with the features that it prefers, of `[a|b]` with each; none: it prefers none.
[[nodiscard]] std::vector<ChoiceJob> preferring_jobs(const ChoiceJob& job);

/// Adds the job with the features that it needs, of `[a|b]` with each.
void add_feature_alternatives(const ChoiceJob& job, std::vector<ChoiceJob>& jobs);

/// What limits of memory take for the size of a node, before any is chosen.
struct TypicalNode {
    Number memory = 0;     ///< MiB of the partition's first node: what --mem=0 asks for
    Number cpus = 0;       ///< of that node
    Number most_cpus = 0;  ///< of any node of the partition
};

/// MiB that a job may have of a node, or by CPU; absent: no limit. Either limit of the partition
/// hides both of the cluster.
struct MemoryLimits {
    std::optional<Number> of_node;
    std::optional<Number> by_cpu;
};
[[nodiscard]] MemoryLimits memory_limits_of(const PartitionLine& partition,
                                            const ClusterParameters& parameters);

/// The job as the partition's limits and the defaults of memory and of GPUs reshape it.
[[nodiscard]] ChoiceJob in_partition(ChoiceJob job, const PartitionLine& partition,
                                     const ClusterParameters& parameters, const TypicalNode& node);

}  // namespace trestle::slurm::choice
