// SPDX-License-Identifier: Apache-2.0
// The arithmetic between --gpus, --gpus-per-node, --gpus-per-socket, --gpus-per-task and the counts
// of nodes, sockets and tasks: Slurm's gres.c, gres_job_state_validate and _test_gres_cnt, in its
// order.
#include "gres_totals.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "task_cpus.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm {
namespace {

using Amount = std::optional<Count> GresTotal::*;

void add_totals(std::vector<GresTotal>& totals, const std::vector<Gres>& list, Amount amount) {
    for (const Gres& one : list) {
        auto at = std::find_if(totals.begin(), totals.end(), [&](const GresTotal& known) {
            return known.name == one.name && known.type == one.type;
        });
        if (at == totals.end()) {
            totals.push_back({one.name, one.type, {}, {}, {}, {}});
            at = totals.end() - 1;
        }
        (*at).*amount = one.count;
    }
}

/// What two options say when they do not agree.
Status disagree(std::string_view first, Count a, std::string_view second, Count b,
                std::string_view expected) {
    return invalid_argument("{}: {} disagrees with {}: {}: expected {}", first, a.value(), second,
                            b.value(), expected);
}

bool divides(Count part, Count whole) { return whole.value() % part.value() == 0; }

/// Fixes `known`, or says that it is something else already.
Status fix(std::optional<Count>& known, std::string_view name, Count derived,
           std::string_view source, Count amount) {
    if (known && *known != derived) {
        return disagree(name, *known, source, amount, std::to_string(derived.value()));
    }
    known = derived;
    return {};
}

Count nodes_min(const JobOptions& options) {
    return options.nodes ? options.nodes->range.least() : Count(1);
}

/// The checks for one name and type.
class GresCheck {
  public:
    GresCheck(JobOptions& options, GresTotal& total) : options_(options), total_(total) {
        is_gpu_ = total.name == "gpu";
        job_ = "--gpus";
        node_ = is_gpu_ ? node_option(options) : "--gres";
        socket_ = "--gpus-per-socket";
        task_ = task_option(options);
    }

    Status run() {
        TRESTLE_TRY_STATUS(check_order());
        TRESTLE_TRY_STATUS(check_nodes());
        TRESTLE_TRY_STATUS(check_sockets());
        TRESTLE_TRY_STATUS(check_tasks());
        TRESTLE_TRY_STATUS(check_tasks_in_parts());
        return check_job_and_nodes();
    }

  private:
    /// What is counted for a larger unit is no less: job, node, socket, task.
    Status check_order() const {
        const std::array<std::pair<std::optional<Count>, std::string_view>, 4> amounts{
            {{total_.job, job_},
             {total_.node, node_},
             {total_.socket, socket_},
             {total_.task, task_}}};
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = i + 1; j < amounts.size(); ++j) {
                const auto& [large, large_name] = amounts[i];
                const auto& [small, small_name] = amounts[j];
                if (!large || !small || !(*large < *small)) continue;
                return disagree(large_name, *large, small_name, *small, "no fewer");
            }
        }
        if (total_.socket && !(options_.sockets_per_node && options_.sockets_per_node->min)) {
            return invalid_argument("{}: expected --sockets-per-node beside it", socket_);
        }
        return {};
    }

    Status check_nodes() {
        if (!total_.job || !total_.node) return {};
        if (!divides(*total_.node, *total_.job)) {
            return disagree(job_, *total_.job, node_, *total_.node, "a multiple of it");
        }
        const Count nodes = div_floor(*total_.job, total_.node->value());
        if (options_.nodes && !options_.nodes->range.contains(nodes)) {
            return invalid_argument("{} and {}: {} nodes, expected a number within --nodes", job_,
                                    node_, nodes.value());
        }
        options_.nodes = NodeCounts{Range<Count>::exactly(nodes), {}};
        return {};
    }

    Status check_sockets() {
        if (!total_.node || !total_.socket) return {};
        if (!divides(*total_.socket, *total_.node)) {
            return disagree(node_, *total_.node, socket_, *total_.socket, "a multiple of it");
        }
        const Count sockets = div_floor(*total_.node, total_.socket->value());
        if (options_.sockets_per_node->least() != sockets) {
            return disagree("--sockets-per-node", options_.sockets_per_node->least(), socket_,
                            *total_.socket, "GPUs per node divided by it");
        }
        return {};
    }

    Status check_tasks() {
        if (!total_.task) return {};
        if (total_.job) {
            if (!divides(*total_.task, *total_.job)) {
                return disagree(job_, *total_.job, task_, *total_.task, "a multiple of it");
            }
            return fix(options_.ntasks, "--ntasks", div_floor(*total_.job, total_.task->value()),
                       task_, *total_.task);
        }
        if (!options_.ntasks) {
            return invalid_argument("{}: expected --ntasks or --gpus beside it", task_);
        }
        total_.job = checked_mul(*total_.task, options_.ntasks->value());
        if (!total_.job) return invalid_argument("{}: more devices than can be counted", task_);
        return {};
    }

    Status check_tasks_in_parts() {
        if (!total_.task) return {};
        if (total_.node) {
            if (!divides(*total_.task, *total_.node)) {
                return disagree(node_, *total_.node, task_, *total_.task, "a multiple of it");
            }
            TRESTLE_TRY_STATUS(fix(options_.ntasks_per_node, "--ntasks-per-node",
                                   div_floor(*total_.node, total_.task->value()), task_,
                                   *total_.task));
        }
        if (total_.socket) {
            if (!divides(*total_.task, *total_.socket)) {
                return disagree(socket_, *total_.socket, task_, *total_.task, "a multiple of it");
            }
            TRESTLE_TRY_STATUS(fix(options_.ntasks_per_socket, "--ntasks-per-socket",
                                   div_floor(*total_.socket, total_.task->value()), task_,
                                   *total_.task));
        }
        if (!is_gpu_ || !options_.cpus_per_gpu || !options_.cpus_per_task) return {};
        const auto cpus = checked_mul(*options_.cpus_per_gpu, total_.task->value());
        if (cpus == options_.cpus_per_task) return {};
        return disagree("--cpus-per-task", *options_.cpus_per_task, "--cpus-per-gpu",
                        *options_.cpus_per_gpu, "its product with the GPUs of a task");
    }

    Status check_job_and_nodes() {
        if (!total_.job) return {};
        if (*total_.job < nodes_min(options_)) {
            return disagree(job_, *total_.job, "--nodes", nodes_min(options_), "one for each node");
        }
        if (!options_.nodes || !options_.nodes->range.max) return {};
        NodeCounts& nodes = *options_.nodes;
        nodes.range.max = std::min(*nodes.range.max, *total_.job);
        nodes.sizes.erase(
            std::upper_bound(nodes.sizes.begin(), nodes.sizes.end(), *nodes.range.max),
            nodes.sizes.end());
        if (!nodes.sizes.empty()) nodes.range.max = nodes.sizes.back();
        return {};
    }

    JobOptions& options_;
    GresTotal& total_;
    bool is_gpu_ = false;
    std::string_view job_, node_, socket_, task_;
};

bool is_shared_name(const GresTotal& total) { return is_shared_gres(total.name); }

Status check_kinds(const std::vector<GresTotal>& totals, const JobOptions& options) {
    const auto has = [&](auto predicate) {
        return std::any_of(totals.begin(), totals.end(), predicate);
    };
    const bool has_gpu = has([](const GresTotal& one) { return one.name == "gpu"; });
    const bool has_shared = has(is_shared_name);
    if (has_gpu && has_shared) {
        return invalid_argument("gpu: conflicts with shard or mps: expected one of the two");
    }
    if (has_shared && options.gpu_freq) {
        return invalid_argument(
            "--gpu-freq: conflicts with shard or mps, which share GPUs: expected one of the two");
    }
    for (const GresTotal& one : totals) {
        if (!one.type.empty()) continue;
        for (const GresTotal& other : totals) {
            if (other.name != one.name || other.type.empty()) continue;
            return invalid_argument(
                "{}: with and without the type {}: expected a type for all of them or for none",
                one.name, other.type);
        }
    }
    if (has_gpu || !options.mem_per_gpu || options.mem_per_gpu->value() == 0) return {};
    return invalid_argument("--mem-per-gpu: no GPU is asked for: expected --gpus or --gres=gpu");
}

/// All GPUs of the job, as far as counts per job or per node say it.
std::optional<Count> all_gpus(const std::vector<GresTotal>& totals, const JobOptions& options) {
    std::optional<Count> sum;
    for (const GresTotal& one : totals) {
        if (one.name != "gpu" || (!one.job && !one.node)) continue;
        const auto count = one.job ? one.job : checked_mul(*one.node, nodes_min(options).value());
        const auto next = count ? checked_add(sum.value_or(Count()), *count) : std::nullopt;
        if (!next) return std::nullopt;
        sum = next;
    }
    return sum;
}

/// --ntasks-per-gpu: tasks follow from GPUs, or GPUs from tasks.
Status settle_tasks_per_gpu(JobOptions& options) {
    const Count per_gpu = *options.ntasks_per_gpu;
    const std::vector<GresTotal> totals = gres_totals(options);
    if (const auto gpus = all_gpus(totals, options)) {
        const auto tasks = checked_mul(*gpus, per_gpu.value());
        if (!tasks) return invalid_argument("--ntasks-per-gpu: more tasks than can be counted");
        if (options.ntasks && !divides(per_gpu, *options.ntasks)) {
            return disagree("--ntasks", *options.ntasks, "--ntasks-per-gpu", per_gpu,
                            "a multiple of it");
        }
        return fix(options.ntasks, "--ntasks", *tasks, "--ntasks-per-gpu", per_gpu);
    }
    const bool has_one_size =
        options.nodes && options.nodes->sizes.empty() && options.nodes->range.is_single();
    if (!options.ntasks && has_one_size) {  // a GPU for each node
        options.ntasks = checked_mul(nodes_min(options), per_gpu.value());
    }
    if (!options.ntasks) {
        return invalid_argument(
            "--ntasks-per-gpu: expected --ntasks, --gpus or one number of --nodes beside it");
    }
    const auto cpus = checked_mul(*options.ntasks, task_cpus(options).value_or(Count(1)).value());
    if (cpus && *cpus < per_gpu) {  // not one GPU follows
        options.ntasks_per_gpu.reset();
        return {};
    }
    if (!divides(per_gpu, *options.ntasks)) {
        return disagree("--ntasks", *options.ntasks, "--ntasks-per-gpu", per_gpu,
                        "a multiple of it");
    }
    options.gpus = {{"gpu", "", div_floor(*options.ntasks, per_gpu.value())}};
    return {};
}

}  // namespace

std::string_view task_option(const JobOptions& options) {
    return options.gpus_per_task ? "--gpus-per-task" : "--tres-per-task";
}

std::string_view node_option(const JobOptions& options) {
    return options.gpus_per_node ? "--gpus-per-node" : "--gres=gpu";
}

std::vector<GresTotal> gres_totals(const JobOptions& options) {
    std::vector<GresTotal> totals;
    if (options.gres) add_totals(totals, *options.gres, &GresTotal::node);
    if (options.gpus_per_node) add_totals(totals, *options.gpus_per_node, &GresTotal::node);
    if (options.gpus) add_totals(totals, *options.gpus, &GresTotal::job);
    if (options.gpus_per_socket) add_totals(totals, *options.gpus_per_socket, &GresTotal::socket);
    if (options.gpus_per_task) add_totals(totals, *options.gpus_per_task, &GresTotal::task);
    if (options.tres_per_task) add_totals(totals, options.tres_per_task->gres, &GresTotal::task);
    return totals;
}

Status resolve_gres(JobOptions& options) {
    if (options.ntasks_per_gpu) TRESTLE_TRY_STATUS(settle_tasks_per_gpu(options));
    std::vector<GresTotal> totals = gres_totals(options);
    TRESTLE_TRY_STATUS(check_kinds(totals, options));
    for (GresTotal& total : totals) TRESTLE_TRY_STATUS(GresCheck(options, total).run());
    return {};
}

}  // namespace trestle::slurm
