// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "../../gres_device_tags.hpp"
#include "gres_totals.hpp"
#include "task_cpus.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint64_t required_nodes_max = 100'000;

Status refused(std::string_view what) {
    return invalid_argument("{}: a request of the core cannot say it", what);
}

/// What would ask for something else when it were left out.
Status check_can_be_said(const JobOptions& options) {
    if (options.distribution && options.distribution->nodes == TaskSpread::arbitrary) {
        return refused("--distribution=arbitrary");
    }
    if (!options.nodefile.empty()) return refused("--nodefile");
    if (options.thread_spec) return refused("--thread-spec");
    if (options.overcommit && (options.gpus_per_task || options.tres_per_task)) {
        return refused("--overcommit with counts per task");
    }
    if (options.exclusive && *options.exclusive != ExclusiveKind::whole_node) {
        return invalid_argument("--exclusive={}: a request of the core cannot say it",
                                trestle::to_text(*options.exclusive));
    }
    if (options.partitions.size() > 1) return refused("--partition with several names");
    if (options.licenses && options.licenses->is_any_of && options.licenses->counts.size() > 1) {
        return refused("--licenses with |");
    }
    if (options.nodelist && options.nodelist->size() > required_nodes_max) {
        return refused("--nodelist of more than 100000 names");
    }
    if (options.exclude && options.exclude->size() > required_nodes_max) {
        return refused("--exclude of more than 100000 names");
    }
    return {};
}

Status set_nodes(const JobOptions& options, Request& request) {
    Range<Count>& nodes = request.nodes;
    if (options.nodes) {
        nodes = options.nodes->range;
        if (!nodes.max && !options.ntasks) nodes.max = nodes.min;  // the nodes that -w names
    } else if (options.ntasks) {
        nodes = Range<Count>::between(Count(1), *options.ntasks);
    }
    if (options.ntasks) {
        const Count tasks = *options.ntasks;
        nodes.max = nodes.max ? std::min(*nodes.max, tasks) : tasks;
        nodes.min = std::min(nodes.least(), tasks);
        if (options.ntasks_per_node) {
            const Count needed = div_ceil(tasks, options.ntasks_per_node->value());
            nodes.min = std::min(std::max(nodes.least(), needed), *nodes.max);
        }
    }
    if (!options.nodes || options.nodes->sizes.empty()) return {};
    for (const Count size : options.nodes->sizes) {
        if (nodes.contains(size)) request.node_counts.push_back(size);
    }
    if (!request.node_counts.empty()) return {};
    return invalid_argument("--nodes: no size fits --ntasks: {}: expected one in {}",
                            request.tasks.value_or(Count(1)).value(), trestle::to_text(nodes));
}

/// Where --ntasks-per-node leaves too little room for the tasks, Slurm ignores it.
void set_tasks_per_node(const JobOptions& options, Request& request) {
    if (!options.ntasks || !options.ntasks_per_node) return;
    const auto room = checked_mul(*options.ntasks_per_node, request.nodes.max->value());
    if (room && *room < *options.ntasks) return;
    request.tasks_per_node = Range<Count>::at_most(*options.ntasks_per_node);
}

Status set_tasks(const JobOptions& options, Request& request) {
    request.tasks = options.ntasks;
    const auto cpus = task_cpus(options);
    if (cpus) request.cpus_per_task = Range<Count>::exactly(*cpus);
    if (options.mincpus && cpus.value_or(Count(1)) < *options.mincpus) {
        const bool is_one_a_node = !options.ntasks || *options.ntasks == Count(1);
        if (!is_one_a_node) return refused("--mincpus with several tasks a node");
        request.cpus_per_task = Range<Count>::exactly(*options.mincpus);
    }
    request.tasks_per_core = options.ntasks_per_core;
    request.tasks_per_socket = options.ntasks_per_socket;
    const auto least = [](const std::optional<Range<Count>>& range) {
        return range ? range->min : std::nullopt;
    };
    request.sockets_per_node = least(options.sockets_per_node);
    request.cores_per_socket = least(options.cores_per_socket);
    request.threads_per_core = least(options.threads_per_core);
    if (options.hint && *options.hint != Hint::multithread) request.threads_per_core = Count(1);
    request.core_kind = options.core_kind;
    request.preferred_core_kind = options.preferred_core_kind;
    if (options.core_spec) request.system_cores = *options.core_spec;
    if (options.core_spec || options.exclusive) request.exclusivity = Exclusivity::whole_node;
    return {};
}

Distribution distribution_of(TaskSpread spread) {
    switch (spread) {
        case TaskSpread::cyclic:
            return Distribution::cyclic;
        case TaskSpread::fcyclic:
            return Distribution::fcyclic;
        case TaskSpread::plane:
            return Distribution::plane;
        case TaskSpread::block:
        case TaskSpread::arbitrary:
            break;
    }
    return Distribution::block;
}

void set_distribution(const JobOptions& options, Request& request) {
    if (!options.distribution) return;
    const TaskOrder& order = *options.distribution;
    if (order.nodes) request.distribution.nodes = distribution_of(*order.nodes);
    if (order.sockets) request.distribution.sockets = distribution_of(*order.sockets);
    if (order.plane_size) request.distribution.plane_size = *order.plane_size;
    if (order.pack && *order.pack) request.distribution.split = TaskDistribution::Split::packed;
}

void set_memory(const JobOptions& options, Request& request) {
    if (options.mem || options.mem_per_cpu == Bytes(0)) {  // 0: all of the node, as --mem=0
        const Bytes memory = options.mem.value_or(Bytes(0));
        request.memory =
            memory.is_zero() ? Range<Bytes>::at_least(memory) : Range<Bytes>::exactly(memory);
    } else if (options.mem_per_cpu) {
        request.memory = Range<Bytes>::exactly(*options.mem_per_cpu);
        request.memory_per = Per::cpu;
    } else if (options.mem_per_gpu && !options.mem_per_gpu->is_zero()) {
        request.memory = Range<Bytes>::exactly(*options.mem_per_gpu);
        request.memory_per = Per::device;
    }
    if (options.tmp) request.disk = Range<Bytes>::at_least(*options.tmp);
}

/// Shards and mps, in any case, are parts of one GPU.
void make_gpu_share(DeviceRequest& device) {
    device.share_kind = part_kind(device.name);
    device.name = "gpu";
    device.shares = *device.count.min;
    device.count = Range<Count>::exactly(Count(1));
}

/// By the smallest unit that was named: larger ones follow, once the options are resolved.
Status set_devices(const JobOptions& options, Request& request) {
    Strictness locality = Strictness::prefer;
    if (options.gres_flags && options.gres_flags->enforce_binding) locality = Strictness::require;
    if (options.gres_flags && options.gres_flags->disable_binding) locality = Strictness::ignore;
    for (const GresTotal& total : gres_totals(options)) {
        if (total.job && total.socket && !total.task) {
            return refused("--gpus with --gpus-per-socket");
        }
        DeviceRequest device;
        device.name = total.name;
        if (!total.type.empty()) device.types = {total.type};
        device.per = total.task     ? Per::task
                     : total.socket ? Per::socket
                     : total.node   ? Per::node
                                    : Per::job;
        const auto& count = total.task     ? total.task
                            : total.socket ? total.socket
                            : total.node   ? total.node
                                           : total.job;
        device.count = Range<Count>::exactly(*count);
        if (is_shared_gres(total.name)) make_gpu_share(device);
        device.locality = locality;
        request.devices.push_back(std::move(device));
    }
    const auto is_gpu = [](const DeviceRequest& device) {
        return device.name == "gpu" && device.shares.is_zero();
    };
    const std::size_t gpus = static_cast<std::size_t>(
        std::count_if(request.devices.begin(), request.devices.end(), is_gpu));
    const bool asks_memory = options.mem_per_gpu && !options.mem_per_gpu->is_zero();
    if (gpus == 0) return {};              // there is nothing that CPUs could be counted by
    if (gpus != request.devices.size()) {  // which would be counted too
        if (options.cpus_per_gpu) return refused("--cpus-per-gpu beside other devices");
        if (asks_memory) return refused("--mem-per-gpu beside other devices");
    }
    request.cpus_per_device = options.cpus_per_gpu;
    return {};
}

/// Whole nodes come with all of their GPUs, and with all devices of the names that were asked for:
/// where the count is not of a node, or of one type, beside those that it asks. `is_said`: by
/// --exclusive, else by --core-spec.
Status add_whole_node_devices(Request& request, bool is_said) {
    std::vector<std::string> rest{"gpu"};
    for (DeviceRequest& device : request.devices) {
        if (!device.shares.is_zero()) {
            return refused(is_said ? "--exclusive with parts of a GPU"
                                   : "--core-spec with parts of a GPU");
        }
        if (device.per == Per::node && device.types.empty()) {
            device.count = Range<Count>::at_least(device.count.least());
            device.prefer = DeviceRequest::Prefer::most;
            std::erase(rest, device.name);
        } else if (std::find(rest.begin(), rest.end(), device.name) == rest.end()) {
            rest.push_back(device.name);
        }
    }
    for (std::string& name : rest) {
        DeviceRequest& all = request.devices.emplace_back();
        all.name = std::move(name);
        all.count = Range<Count>::at_least(Count(0));
        all.prefer = DeviceRequest::Prefer::most;
    }
    return {};
}

void set_places(const JobOptions& options, Request& request) {
    if (options.constraint) {
        request.features = options.constraint->features;
        request.feature_counts = options.constraint->counts;
        request.feature_sets = options.constraint->one_of;
    }
    if (options.nodelist) request.required_nodes = options.nodelist->sorted().names();
    if (options.exclude) request.excluded_nodes = options.exclude->sorted().names();
    if (!options.partitions.empty()) request.partition = options.partitions.front();
    if (options.switches) request.topology.switches_max = options.switches->count;
    if (options.segment && !options.segment->is_zero()) {
        request.topology.segment_size = options.segment;
    }
    request.topology.is_contiguous = options.contiguous;
    if (options.time) request.time_limit = options.time->limit;
}

/// Licences of the job and of all its tasks.
Status set_licenses(const JobOptions& options, std::vector<ClusterCount>& counts) {
    std::vector<ClusterCount> all;
    if (options.licenses) all = options.licenses->counts;
    if (options.tres_per_task) {
        const Count tasks = options.ntasks.value_or(Count(1));
        for (const ClusterCount& one : options.tres_per_task->licenses) {
            const auto product = checked_mul(one.count, tasks.value());
            if (!product) return invalid_argument("--tres-per-task: too many licences");
            all.push_back({one.name, *product});
        }
    }
    for (const ClusterCount& one : all) {
        const auto at = std::find_if(counts.begin(), counts.end(), [&](const ClusterCount& known) {
            return known.name == one.name;
        });
        if (at == counts.end()) {
            counts.push_back(one);
            continue;
        }
        const auto sum = checked_add(at->count, one.count);
        if (!sum) return invalid_argument("--licenses: too many of {}", one.name);
        at->count = *sum;
    }
    std::sort(counts.begin(), counts.end());
    return {};
}

/// --overcommit gives CPUs as for one task a node, whatever tasks there are; how many nodes they
/// need stays.
JobOptions with_one_task_a_node(JobOptions options) {
    if (options.ntasks && options.ntasks_per_node) {
        const Count needed = div_ceil(*options.ntasks, options.ntasks_per_node->value());
        if (!options.nodes) options.nodes = NodeCounts{Range<Count>::exactly(needed), {}};
        Range<Count>& nodes = options.nodes->range;
        nodes.min = std::max(nodes.least(), needed);
        if (nodes.max) nodes.max = std::max(*nodes.max, needed);
    }
    options.ntasks.reset();
    options.ntasks_per_node.reset();
    options.ntasks_per_socket.reset();
    options.ntasks_per_core.reset();
    return options;
}

/// Without the licences, which are the whole job's.
StatusOr<Request> request_of_resolved(const JobOptions& given) {
    const JobOptions options = given.overcommit ? with_one_task_a_node(given) : given;
    TRESTLE_TRY_STATUS(check_can_be_said(options));
    Request request;
    TRESTLE_TRY_STATUS(set_tasks(options, request));
    TRESTLE_TRY_STATUS(set_nodes(options, request));
    set_tasks_per_node(options, request);
    set_distribution(options, request);
    set_memory(options, request);
    TRESTLE_TRY_STATUS(set_devices(options, request));
    if (request.exclusivity == Exclusivity::whole_node) {
        TRESTLE_TRY_STATUS(add_whole_node_devices(request, options.exclusive.has_value()));
    }
    set_places(options, request);
    return request;
}

/// A job's request, with the options that it was made from.
struct ResolvedJob {
    Request request;
    JobOptions first;  ///< of the first component, resolved
};

StatusOr<ResolvedJob> resolved_job(std::span<const JobComponent> components) {
    Request job;
    JobOptions first;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const std::string where = "component " + std::to_string(i + 1);
        auto resolved = resolve(components[i].options);
        if (!resolved.ok()) {
            return components.size() == 1 ? resolved.status()
                                          : with_context(where, resolved.status());
        }
        auto made = request_of_resolved(resolved->options);
        if (!made.ok()) {
            return components.size() == 1 ? made.status() : with_context(where, made.status());
        }
        std::vector<ClusterCount> counts = std::move(job.cluster_counts);
        TRESTLE_TRY_STATUS(set_licenses(resolved->options, counts));
        if (i == 0) {
            job = *std::move(made);
        } else {
            const auto limit = std::exchange(made->time_limit, std::nullopt);
            job.time_limit =
                job.time_limit && limit ? std::max(job.time_limit, limit) : std::nullopt;
            job.components.push_back(*std::move(made));
            job.component_nodes =
                Request::ComponentNodes::shared;  // each is a job of its own to Slurm
        }
        job.cluster_counts = std::move(counts);
        if (i == 0) first = std::move(resolved->options);
    }
    TRESTLE_TRY_STATUS(check(job));
    return ResolvedJob{std::move(job), std::move(first)};
}

}  // namespace

StatusOr<Request> request_of(const JobOptions& options) {
    const JobComponent component{options, {}};
    TRESTLE_TRY(ResolvedJob job, resolved_job({&component, 1}));
    return std::move(job.request);
}

StatusOr<Request> request_of(const Submission& submission) {
    TRESTLE_TRY(ResolvedJob job, resolved_job(submission.components));
    return std::move(job.request);
}

StatusOr<ParsedOptions> parse_options(std::span<const std::string> arguments,
                                      const KnownOptions& known) {
    TRESTLE_TRY(Submission submission,
                submission_or_first_error(read_arguments(arguments, Tool::sbatch, known)));
    TRESTLE_TRY(ResolvedJob job, resolved_job(submission.components));
    ParsedOptions parsed;
    parsed.request = std::move(job.request);
    parsed.options = std::move(job.first);
    parsed.command = std::move(submission.components.front().command);
    parsed.wants_all_memory =
        parsed.options.mem == Bytes(0) || parsed.options.mem_per_cpu == Bytes(0);
    return parsed;
}

}  // namespace trestle::slurm
