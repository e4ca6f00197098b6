// SPDX-License-Identifier: Apache-2.0
// Which options keep a job from ever starting, and which changes would let it start. A suggestion
// is made only after Trestle has decided about the job with the change.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle_can_start {

using namespace trestle;
using slurm::Decision;
using slurm::JobOptions;

/// Answers as the idle cluster would.
class Asker {
  public:
    explicit Asker(const slurm::Controller& controller)
        : cluster_(controller.cluster()), selector_(controller.rules()) {}

    const Cluster& cluster() const { return cluster_; }
    Decision ask(const JobOptions& options) { return selector_.select(cluster_, options); }

  private:
    const Cluster& cluster_;
    slurm::Selector selector_;
};

/// True when no node that becomes free or comes back helps. Slurm queues a job outside of the
/// limits of its partition; it stays there.
inline bool is_never(const Decision& decision) {
    using enum slurm::Reason;
    if (decision.answer == slurm::Answer::refused) return true;
    return decision.answer == slurm::Answer::pending &&
           (decision.reason == partition_config || decision.reason == partition_node_limit ||
            decision.reason == partition_time_limit);
}

/// One option of a job as something to leave out, and to make smaller.
struct Knob {
    std::string name;  ///< `gres`
    std::function<void(JobOptions& to, const JobOptions& from)> copy;
    /// Absent: it has no number. The number, and the options with another one.
    std::function<std::optional<std::int64_t>(const JobOptions&)> number = {};
    std::function<void(JobOptions&, std::int64_t)> set = {};

    void leave_out(JobOptions& options) const { copy(options, JobOptions()); }
};

/// As it was typed, or nearly: `--gres=gpu:9`.
inline std::string text_of(const JobOptions& options, const std::string& name) {
    for (const slurm::OptionText& text : slurm::option_texts(options)) {
        if (text.name == name) return to_text(text);
    }
    return "";
}

template <class Member>
Knob plain_knob(std::string name, Member member) {
    return {std::move(name),
            [member](JobOptions& to, const JobOptions& from) { to.*member = from.*member; }};
}

inline Knob count_knob(std::string name, std::optional<Count> JobOptions::*member) {
    Knob knob = plain_knob(std::move(name), member);
    knob.number = [member](const JobOptions& options) -> std::optional<std::int64_t> {
        if (!(options.*member)) return std::nullopt;
        return (options.*member)->value();
    };
    knob.set = [member](JobOptions& options, std::int64_t value) {
        options.*member = Count(value);
    };
    return knob;
}

/// In MiB.
inline Knob memory_knob(std::string name, std::optional<Bytes> JobOptions::*member) {
    Knob knob = plain_knob(std::move(name), member);
    knob.number = [member](const JobOptions& options) -> std::optional<std::int64_t> {
        if (!(options.*member)) return std::nullopt;
        return (options.*member)->value() / mib(1).value();
    };
    knob.set = [member](JobOptions& options, std::int64_t value) { options.*member = mib(value); };
    return knob;
}

/// Of a list with one item only.
inline Knob gres_knob(std::string name, std::optional<std::vector<Gres>> JobOptions::*member) {
    Knob knob = plain_knob(std::move(name), member);
    knob.number = [member](const JobOptions& options) -> std::optional<std::int64_t> {
        if (!(options.*member) || (options.*member)->size() != 1) return std::nullopt;
        return (options.*member)->front().count.value();
    };
    knob.set = [member](JobOptions& options, std::int64_t value) {
        (options.*member)->front().count = Count(value);
    };
    return knob;
}

inline Knob nodes_knob() {
    Knob knob = plain_knob("nodes", &JobOptions::nodes);
    knob.number = [](const JobOptions& options) -> std::optional<std::int64_t> {
        if (!options.nodes) return std::nullopt;
        return options.nodes->range.least().value();
    };
    knob.set = [](JobOptions& options, std::int64_t value) {
        options.nodes = slurm::NodeCounts{Range<Count>::exactly(Count(value)), {}};
    };
    return knob;
}

/// In minutes.
inline Knob time_knob() {
    Knob knob = plain_knob("time", &JobOptions::time);
    knob.number = [](const JobOptions& options) -> std::optional<std::int64_t> {
        if (!options.time) return std::nullopt;
        if (!options.time->limit)
            return std::int64_t{366 * 24 * 60};  // more than any partition has
        return options.time->limit->value() / 60;
    };
    knob.set = [](JobOptions& options, std::int64_t value) {
        options.time = slurm::TimeLimit{Seconds(value * 60)};
    };
    return knob;
}

inline std::vector<Knob> all_knobs() {
    return {gres_knob("gres", &JobOptions::gres),
            gres_knob("gpus", &JobOptions::gpus),
            gres_knob("gpus-per-node", &JobOptions::gpus_per_node),
            gres_knob("gpus-per-socket", &JobOptions::gpus_per_socket),
            gres_knob("gpus-per-task", &JobOptions::gpus_per_task),
            nodes_knob(),
            count_knob("ntasks", &JobOptions::ntasks),
            count_knob("cpus-per-task", &JobOptions::cpus_per_task),
            count_knob("ntasks-per-node", &JobOptions::ntasks_per_node),
            count_knob("ntasks-per-socket", &JobOptions::ntasks_per_socket),
            count_knob("ntasks-per-core", &JobOptions::ntasks_per_core),
            count_knob("mincpus", &JobOptions::mincpus),
            count_knob("cpus-per-gpu", &JobOptions::cpus_per_gpu),
            memory_knob("mem", &JobOptions::mem),
            memory_knob("mem-per-cpu", &JobOptions::mem_per_cpu),
            memory_knob("mem-per-gpu", &JobOptions::mem_per_gpu),
            memory_knob("tmp", &JobOptions::tmp),
            plain_knob("sockets-per-node", &JobOptions::sockets_per_node),
            plain_knob("cores-per-socket", &JobOptions::cores_per_socket),
            plain_knob("threads-per-core", &JobOptions::threads_per_core),
            plain_knob("core-spec", &JobOptions::core_spec),
            plain_knob("constraint", &JobOptions::constraint),
            plain_knob("nodelist", &JobOptions::nodelist),
            plain_knob("exclude", &JobOptions::exclude),
            plain_knob("licenses", &JobOptions::licenses),
            plain_knob("switches", &JobOptions::switches),
            plain_knob("contiguous", &JobOptions::contiguous),
            plain_knob("partition", &JobOptions::partitions),
            time_knob()};
}

/// A change with which the job can start: `--gpus=9 would (2 nodes)`.
struct Suggestion {
    std::string change;
    JobOptions options;
    std::size_t nodes = 0;
};

/// The change, where the job starts with it on the idle cluster.
inline std::optional<Suggestion> tried(Asker& asker, std::string change, JobOptions options) {
    const Decision decision = asker.ask(options);
    if (decision.answer != slurm::Answer::allocated) return std::nullopt;
    return Suggestion{std::move(change), std::move(options), decision.grants.size()};
}

/// The option with the largest smaller number.
inline std::optional<Suggestion> with_less(Asker& asker, const JobOptions& options,
                                           const Knob& knob) {
    const auto asked = knob.number ? knob.number(options) : std::nullopt;
    if (!asked) return std::nullopt;
    std::int64_t fits = 0, fails = *asked;
    std::optional<Suggestion> best;
    while (fails - fits > 1) {
        const std::int64_t middle = fits == 0 && !best ? 1 : fits + (fails - fits) / 2;
        JobOptions changed = options;
        knob.set(changed, middle);
        auto found = tried(asker, text_of(changed, knob.name), changed);
        if (!found && middle == 1) return std::nullopt;
        if (found) best = std::move(found);
        (best && best->options == changed ? fits : fails) = middle;
    }
    return best;
}

/// GPUs of each node as as many GPUs of the job, on more nodes.
inline std::optional<Suggestion> with_gpus_of_job(Asker& asker, const JobOptions& options,
                                                  const Knob& knob) {
    const bool is_gres = knob.name == "gres";
    if (!is_gres && knob.name != "gpus-per-node") return std::nullopt;
    const auto& list = is_gres ? options.gres : options.gpus_per_node;
    if (options.gpus || !list || list->size() != 1 || list->front().name != "gpu") {
        return std::nullopt;
    }
    JobOptions changed = options;
    knob.leave_out(changed);
    changed.gpus = *list;
    const std::int64_t nodes = options.nodes ? options.nodes->range.least().value() : 1;
    const auto total = checked_mul(changed.gpus->front().count, nodes);
    if (!total) return std::nullopt;
    changed.gpus->front().count = *total;
    return tried(asker, text_of(changed, "gpus"), changed);
}

/// Devices of any type.
inline std::optional<Suggestion> without_type(Asker& asker, const JobOptions& options,
                                              const Knob& knob) {
    JobOptions changed = options;
    for (auto member : {&JobOptions::gres, &JobOptions::gpus, &JobOptions::gpus_per_node}) {
        if (options.*member && (options.*member)->size() == 1) (changed.*member)->front().type = "";
    }
    if (changed == options) return std::nullopt;
    return tried(asker, text_of(changed, knob.name), changed);
}

inline std::vector<Suggestion> in_other_partitions(Asker& asker, const JobOptions& options) {
    std::vector<Suggestion> found;
    for (const Partition& partition : asker.cluster().partitions()) {
        if (found.size() == 2) break;
        JobOptions changed = options;
        changed.partitions = {partition.name};
        if (changed.partitions == options.partitions) continue;
        if (auto one = tried(asker, text_of(changed, "partition"), changed)) {
            found.push_back(*std::move(one));
        }
    }
    return found;
}

/// What would let the job start, nearest first: as much in another way, less of the same, any type,
/// another partition, without the option.
inline std::vector<Suggestion> suggestions(Asker& asker, const JobOptions& options,
                                           const std::vector<const Knob*>& culprits) {
    std::vector<Suggestion> found;
    const auto add = [&](std::optional<Suggestion> one) {
        if (one && found.size() < 3) found.push_back(*std::move(one));
    };
    for (const Knob* knob : culprits) add(with_gpus_of_job(asker, options, *knob));
    for (const Knob* knob : culprits) add(with_less(asker, options, *knob));
    for (const Knob* knob : culprits) add(without_type(asker, options, *knob));
    for (Suggestion& one : in_other_partitions(asker, options)) add(std::move(one));
    for (const Knob* knob : culprits) {
        if (knob->number && !found.empty()) continue;
        if (knob->name == "partition" && !found.empty()) continue;
        JobOptions changed = options;
        knob->leave_out(changed);
        add(tried(asker, "no --" + knob->name, changed));
    }
    return found;
}

/// The same where each of the options stands in the way by itself: one change of each.
inline std::vector<Suggestion> joint_suggestion(Asker& asker, const JobOptions& options,
                                                const std::vector<const Knob*>& culprits) {
    Suggestion joint{"", options, 0};
    for (const Knob* knob : culprits) knob->leave_out(joint.options);
    for (const Knob* knob : culprits) {
        knob->copy(joint.options, options);
        const std::vector<Suggestion> found = suggestions(asker, joint.options, {knob});
        if (found.empty()) return {};
        const std::string before = joint.change.empty() ? "" : joint.change + " with ";
        joint = {before + found.front().change, found.front().options, found.front().nodes};
    }
    return {joint};
}

}  // namespace trestle_can_start
