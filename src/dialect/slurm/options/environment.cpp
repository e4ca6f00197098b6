// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/environment.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "alloc/node/demand_rules.hpp"
#include "enforce/process/environment_words.hpp"
#include "resolve/task_cpus.hpp"
#include "set/masks.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

using Variables = std::vector<EnvironmentVariable>;

template <class Number>
std::string number_text(Number number) {
    return std::to_string(number);
}
std::string number_text(Count count) { return std::to_string(count.value()); }
std::string number_text(Bytes memory) {
    return std::to_string(div_ceil(memory, mib(1).value()).value());
}

/// `0,2,3`: Slurm lists these indexes one by one.
std::string enumerated(const SmallSet<>& set) {
    std::string text;
    for (const std::uint32_t member : set) {
        if (!text.empty()) text += ',';
        text += std::to_string(member);
    }
    return text;
}

/// `4(x2),3`.
std::string repeated(const std::vector<Count>& counts) {
    std::string text;
    for (auto at = counts.begin(); at != counts.end();) {
        const auto end = std::find_if(at, counts.end(), [&](Count c) { return c != *at; });
        if (!text.empty()) text += ',';
        text += number_text(*at);
        if (end - at > 1) text += "(x" + std::to_string(end - at) + ")";
        at = end;
    }
    return text;
}

/// As -m takes it, with what Slurm fills in for levels that were left out in between.
std::string order_text(const TaskOrder& order) {
    std::string text(order.nodes ? trestle::to_text(*order.nodes) : "");
    if (order.sockets || order.cores) {
        text += ":" + std::string(trestle::to_text(order.sockets.value_or(TaskSpread::cyclic)));
    }
    if (order.cores) text += ":" + std::string(trestle::to_text(*order.cores));
    if (order.pack) {
        text += std::string(text.empty() ? "" : ",") + (*order.pack ? "pack" : "nopack");
    }
    return text;
}

/// How many tasks the job has, if anything says so.
std::optional<Count> task_count(const JobContext& job) {
    if (job.options.ntasks || !job.options.ntasks_per_node) return job.options.ntasks;
    return checked_mul(*job.options.ntasks_per_node, static_cast<std::int64_t>(job.nodes.size()));
}

/// CPUs of each task: at least one, so that nothing is divided by 0.
std::int64_t cpus_of_task(const JobContext& job) {
    return std::max<std::int64_t>(task_cpus(job.options).value_or(Count(1)).value(), 1);
}

/// Deals tasks to nodes in turn: first by what the nodes have CPUs for, then regardless of that.
/// Rounds in which all goes on as before are counted, not gone through.
class TaskDealer {
  public:
    /// Requires: the job has a node.
    TaskDealer(const JobContext& job, std::int64_t tasks) : left_(tasks) {
        const std::int64_t each = cpus_of_task(job);
        for (const NodeGrant& node : job.nodes) room_.push_back(node.cpus.value() / each);
        dealt_.resize(room_.size());
    }

    /// `turn`, which is at least 1, to each node when it is its turn.
    [[nodiscard]] std::vector<Count> deal(std::int64_t turn) {
        give_rounds(turn, rounds_with_room(turn));
        for (std::size_t node = 0; node < room_.size(); ++node) {
            give(node, std::min(turn, room_[node]));
        }
        if (left_ == 0) return dealt_;
        const std::int64_t rounds = left_ / turn / static_cast<std::int64_t>(room_.size());
        for (std::size_t node = 0; node < room_.size(); ++node) give(node, rounds * turn);
        for (std::size_t node = 0; node < room_.size(); ++node) give(node, turn);
        return dealt_;
    }
    /// One to each node, then the rest to one node after the other.
    [[nodiscard]] std::vector<Count> pack() {
        for (std::size_t node = 0; node < room_.size(); ++node) give(node, 1);
        for (std::int64_t& room : room_) room = std::max<std::int64_t>(room, 0);
        return deal(std::max<std::int64_t>(*std::max_element(room_.begin(), room_.end()), 1));
    }

  private:
    void give(std::size_t node, std::int64_t most) {
        const std::int64_t given = std::min(most, left_);
        room_[node] -= given;
        dealt_[node] += Count(given);
        left_ -= given;
    }
    /// What so many rounds give to a node while it has CPUs.
    [[nodiscard]] static std::int64_t given_in(std::int64_t rounds, std::int64_t turn,
                                               std::int64_t room) {
        return rounds > room / turn ? room : rounds * turn;
    }
    void give_rounds(std::int64_t turn, std::int64_t rounds) {
        for (std::size_t node = 0; node < room_.size(); ++node) {
            give(node, given_in(rounds, turn, room_[node]));
        }
    }
    /// How many rounds there are tasks for, while nodes have CPUs.
    [[nodiscard]] std::int64_t rounds_with_room(std::int64_t turn) const {
        const auto has_tasks = [&](std::int64_t rounds) {
            std::int64_t left = left_;
            return std::all_of(room_.begin(), room_.end(), [&](std::int64_t room) {
                const std::int64_t given = given_in(rounds, turn, room);
                const bool is_there = given <= left;
                left -= std::min(given, left);
                return is_there;
            });
        };
        std::int64_t known = 0;
        std::int64_t most = *std::max_element(room_.begin(), room_.end()) / turn;
        while (known < most) {
            const std::int64_t middle = known + (most - known - 1) / 2 + 1;
            if (has_tasks(middle)) {
                known = middle;
            } else {
                most = middle - 1;
            }
        }
        return known;
    }

    std::int64_t left_;
    std::vector<std::int64_t> room_;  ///< tasks that each node has CPUs for yet
    std::vector<Count> dealt_;
};

void add_counts(Variables& variables, const JobContext& job) {
    const auto add = [&](std::string_view name, const auto& amount) {
        if (amount) variables.push_back(shown_variable(std::string(name), number_text(*amount)));
    };
    const JobOptions& options = job.options;
    add("SLURM_NTASKS", task_count(job));
    add("SLURM_NTASKS_PER_NODE", options.ntasks_per_node);
    add("SLURM_NTASKS_PER_SOCKET", options.ntasks_per_socket);
    if (options.ntasks_per_core) {
        add("SLURM_NTASKS_PER_CORE", options.ntasks_per_core);
    } else if (options.hint == Hint::multithread) {
        variables.push_back(shown_variable("SLURM_NTASKS_PER_CORE", "65535"));  // any number
    }
    add("SLURM_CPUS_PER_TASK", task_cpus(options));
    if (options.distribution) {
        variables.push_back(
            shown_variable("SLURM_DISTRIBUTION", order_text(*options.distribution)));
    }
    // All memory of a node is no number of MiB.
    if (options.mem && !options.mem->is_zero()) add("SLURM_MEM_PER_NODE", options.mem);
    add("SLURM_MEM_PER_CPU", options.mem_per_cpu);
    add("SLURM_MEM_PER_GPU", options.mem_per_gpu);
}

/// How many task ids there are, and between which numbers.
struct ArraySummary {
    std::uint64_t count = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// What ranges that overlap have together. Requires: none is empty, they rise by their first ids.
std::uint64_t count_of(const std::vector<ArrayRange>& ranges) {
    const bool is_one = ranges.size() == 1;
    if (is_one || std::all_of(ranges.begin(), ranges.end(),
                              [](const ArrayRange& one) { return one.step == 1; })) {
        std::uint64_t last = 0;
        for (const ArrayRange& one : ranges) last = std::max<std::uint64_t>(last, one.last);
        return (last - ranges.front().first) / ranges.front().step + 1;
    }
    return task_ids({ranges, {}}).size();
}

/// Only where ranges with steps overlap are the ids written out.
ArraySummary summary_of(const JobArray& array) {
    std::vector<ArrayRange> ranges;
    for (ArrayRange range : array.ranges) {
        if (range.step == 0 || range.last < range.first) continue;
        range.last -= (range.last - range.first) % range.step;
        if (range.first == range.last) range.step = 1;
        ranges.push_back(range);
    }
    TRESTLE_EXPECTS(!ranges.empty(), "the array has a task");
    std::sort(ranges.begin(), ranges.end(),
              [](const ArrayRange& a, const ArrayRange& b) { return a.first < b.first; });
    ArraySummary summary{0, ranges.front().first, 0};
    std::vector<ArrayRange> overlapping;
    for (const ArrayRange& range : ranges) {
        if (!overlapping.empty() && range.first > summary.last) {
            summary.count += count_of(overlapping);
            overlapping.clear();
        }
        overlapping.push_back(range);
        summary.last = std::max(summary.last, range.last);
    }
    summary.count += count_of(overlapping);
    return summary;
}

void add_array(Variables& variables, const ArrayElement& element) {
    const ArraySummary ids = summary_of(element.array);
    const auto add = [&](std::string_view name, auto number) {
        variables.push_back(
            shown_variable("SLURM_ARRAY_" + std::string(name), number_text(number)));
    };
    add("JOB_ID", element.array_id);
    add("TASK_ID", element.task_id);
    add("TASK_COUNT", ids.count);
    add("TASK_MIN", ids.first);
    add("TASK_MAX", ids.last);
}

}  // namespace

std::vector<Count> tasks_per_node(const JobContext& job) {
    TRESTLE_EXPECTS(!job.nodes.empty(), "the job has a node");
    Count tasks;
    if (const auto asked = task_count(job)) {
        tasks = *asked;
    } else {
        for (const NodeGrant& node : job.nodes) {
            tasks = saturating_add(tasks, div_floor(node.cpus, cpus_of_task(job)));
        }
    }
    TaskDealer dealer(job, tasks.value());
    const std::optional<TaskOrder>& order = job.options.distribution;
    if (order && order->nodes == TaskSpread::plane) {
        return dealer.deal(std::max<std::int64_t>(order->plane_size.value_or(Count(1)).value(), 1));
    }
    return job.packs_nodes ? dealer.pack() : dealer.deal(1);
}

std::vector<EnvironmentVariable> job_environment(const JobContext& job) {
    std::vector<Count> cpus;
    for (const NodeGrant& node : job.nodes) cpus.push_back(node.cpus);
    const std::string list = node_list_text(job.nodes);
    const std::string nodes = number_text(job.nodes.size());
    Variables variables{
        shown_variable("SLURM_JOB_ID", number_text(job.id)),
        shown_variable("SLURM_JOB_NODELIST", list),
        shown_variable("SLURM_NODELIST", list),
        shown_variable("SLURM_JOB_NUM_NODES", nodes),
        shown_variable("SLURM_NNODES", nodes),
        shown_variable("SLURM_TASKS_PER_NODE", repeated(tasks_per_node(job))),
        shown_variable("SLURM_JOB_CPUS_PER_NODE", repeated(cpus)),
    };
    add_counts(variables, job);
    if (job.array_element) add_array(variables, *job.array_element);
    return variables;
}

std::vector<EnvironmentVariable> node_environment(const JobContext& job, std::size_t node) {
    TRESTLE_EXPECTS(node < job.nodes.size(), "the job has the node");
    const NodeGrant& grant = job.nodes[node];
    Variables variables{shown_variable("SLURM_NODEID", number_text(node)),
                        shown_variable("SLURM_CPUS_ON_NODE", number_text(grant.cpus))};
    SmallSet<> indexes;
    Count gpus;
    Count shards;
    for (const GresDetail& detail : grant.gres) {
        if (detail.gres.name == "gpu") {
            indexes |= detail.indexes;
            gpus = saturating_add(gpus, detail.gres.count);
        }
        if (detail.gres.name == "shard") shards = saturating_add(shards, detail.gres.count);
    }
    if (!indexes.is_empty())
        variables.push_back(shown_variable("SLURM_JOB_GPUS", enumerated(indexes)));
    if (!gpus.is_zero())
        variables.push_back(shown_variable("SLURM_GPUS_ON_NODE", number_text(gpus)));
    if (!shards.is_zero())
        variables.push_back(shown_variable("SLURM_SHARDS_ON_NODE", number_text(shards)));
    return variables;
}

std::vector<EnvironmentVariable> task_environment(const TaskContext& task) {
    Variables variables{shown_variable("SLURM_PROCID", number_text(task.task)),
                        shown_variable("SLURM_LOCALID", number_text(task.local))};
    if (!task.cpus.empty()) {
        std::string masks;
        for (const PuSet& cpus : task.cpus) {
            masks += (masks.empty() ? "" : ",") + to_hex_mask(cpus);
        }
        variables.push_back(shown_variable("SLURM_CPU_BIND", "quiet,mask_cpu:" + masks));
    }
    if (!task.gpus.is_empty())
        variables.push_back(shown_variable("SLURM_STEP_GPUS", enumerated(task.gpus)));
    return variables;
}

}  // namespace trestle::slurm
