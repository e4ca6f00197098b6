// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "node_fit.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

/// `gpu:a100`.
std::string name_of(const GresWant& want) {
    return want.type.empty() ? want.name : want.name + ":" + want.type;
}

/// Units of a GRES that an idle node has.
Number units_of(const NodeView& view, const GresWant& want) {
    const auto at = view.find_gres(want.name);
    if (!at) return 0;
    const ViewGres& gres = view.gres[*at];
    Number units = 0;
    for (const ViewDevice& device : gres.devices) {
        const bool is_wanted = want.type.empty() || device.type == want.type;
        const Count shares = view.shape->devices[device.id.value()].shares;
        if (is_wanted) units += gres.is_shared ? shares.value() : 1;
    }
    for (const ViewCounter& counter : gres.counters) {
        if (!want.type.empty() && counter.type != want.type) continue;
        for (const DeviceId id : counter.ids)
            units += view.shape->devices[id.value()].shares.value();
    }
    return units;
}

/// One condition of each node.
struct NodeCondition {
    std::string option;  ///< with what it asks for
    Number asked = 0;
    std::string unit;
};

class Never {
  public:
    Never(const ChoiceJob& job, const std::vector<NodeKind>& kinds, const std::string& partition)
        : job_(job), partition_(partition), total_(nodes_of(kinds)), all_(kinds) {
        for (const NodeKind& one : kinds) {
            if (matches(job.features, *one.features) && one.nodes > 0) kinds_.push_back(one);
        }
    }

    std::string text() {
        if (total_ == 0) return fmt::format("partition {} has no node for the job", partition_);
        if (kinds_.empty()) {
            return fmt::format("--constraint: no node of partition {} has these features",
                               partition_);
        }
        std::string text = of_required();
        if (text.empty()) text = of_each_node();
        if (text.empty()) text = of_all_nodes();
        if (text.empty()) text = of_feature_sets();
        return text.empty() ? of_the_rest() : text;
    }

  private:
    using Condition = std::string (Never::*)();
    std::string first_of(std::initializer_list<Condition> conditions) {
        for (const Condition condition : conditions) {
            std::string text = (this->*condition)();
            if (!text.empty()) return text;
        }
        return {};
    }
    std::string of_each_node() {
        return first_of({&Never::of_shape, &Never::of_cpus, &Never::of_sockets, &Never::of_memory,
                         &Never::of_disk, &Never::of_gres, &Never::of_binding});
    }
    std::string of_all_nodes() {
        return first_of({&Never::of_node_count, &Never::of_feature_counts, &Never::of_sums});
    }

    /// What a node lacks that the job names.
    std::string of_required() {
        std::vector<NodeKind> required;
        for (const NodeKind& one : all_) {
            if (one.required > 0 && one.nodes > 0) required.push_back(one);
        }
        std::sort(required.begin(), required.end(), [](const NodeKind& a, const NodeKind& b) {
            return a.required_place < b.required_place;
        });
        for (const NodeKind& one : required) {
            if (!matches(job_.features, *one.features)) {
                return fmt::format("--nodelist, --constraint: node {} has not these features",
                                   one.required_one);
            }
            Never named(job_, {one}, partition_);
            named.named_ = one.required_one;
            std::string text = named.of_each_node();
            if (!text.empty()) return text;
        }
        return {};
    }

    /// What the nodes lack that have the same one of several features: the words of the feature
    /// that most nodes have.
    std::string of_feature_sets() {
        std::string text;
        Number most = -1;
        for (const FeatureExpression& set : job_.feature_sets) {
            std::vector<NodeKind> with;
            for (const NodeKind& one : all_) {
                if (matches(set, *one.features)) with.push_back(one);
            }
            const Number nodes = nodes_of(with);
            std::string why = fmt::format("no node of partition {} has it", partition_);
            if (nodes > 0) {
                Never never(job_, with, partition_);
                why = never.of_each_node();
                if (why.empty()) why = never.of_all_nodes();
                if (why.empty()) return {};
            }
            if (nodes <= most) continue;
            most = nodes;
            text = fmt::format("--constraint, nodes with {}: {}", to_text(set), why);
        }
        return text;
    }

    /// Each condition is met alone: what is asked, and what the nodes have that meet those of each.
    std::string of_the_rest() {
        const Number nodes = nodes_of(kinds_);
        const Number cpus = most_of(nodes, [&](const NodeKind& one) { return cpus_of(one); });
        return fmt::format(
            "{}, {} tasks and {} CPUs of the job: no nodes of partition {} meet all conditions of "
            "the job together; {} what is asked of each, with {} CPUs",
            job_.min_nodes == 1 ? "1 node" : fmt::format("{} nodes", job_.min_nodes), job_.tasks(),
            job_.min_cpus(), partition_,
            nodes == 1 ? "1 node has" : fmt::format("{} nodes have", nodes), cpus);
    }

    static Number nodes_of(const std::vector<NodeKind>& kinds) {
        Number nodes = 0;
        for (const NodeKind& one : kinds) nodes += one.nodes;
        return nodes;
    }

    /// The refusal, if no node has so many; those that lack them take no part from here on.
    template <class UnitsOf>
    std::string check(const NodeCondition& asked, const UnitsOf& units) {
        Number most = 0;
        for (const NodeKind& one : kinds_) most = std::max<Number>(most, units(one));
        if (asked.asked > most && !named_.empty()) {
            return fmt::format("--nodelist, {}: node {} has {}", asked.option, named_,
                               most == 0 ? "none" : fmt::format("at most {}{}", most, asked.unit));
        }
        if (asked.asked > most) {
            const std::string node =
                fmt::format("node of partition {}{}", partition_, meets_others(1));
            if (most == 0) return fmt::format("{}: no {} has any", asked.option, node);
            return fmt::format("{}: a {} has at most {}{}", asked.option, node, most, asked.unit);
        }
        const std::size_t lacking =
            std::erase_if(kinds_, [&](const NodeKind& one) { return units(one) < asked.asked; });
        is_narrowed_ = is_narrowed_ || lacking > 0;
        return {};
    }

    /// Said of nodes among which those that lack something are no longer.
    [[nodiscard]] std::string_view meets_others(Number nodes) const {
        if (!is_narrowed_) return "";
        return nodes == 1 ? " that meets the other conditions" : " that meet the other conditions";
    }

    static std::string option(std::string_view name, Number value, std::string_view unit = "") {
        return fmt::format("{}={}{}", name, value, unit);
    }

    std::string of_shape() {
        const auto sockets = [](const NodeKind& one) {
            return static_cast<Number>(one.view->sockets.size());
        };
        const auto cores = [](const NodeKind& one) { return one.view->cores_per_socket; };
        const auto threads = [](const NodeKind& one) { return one.view->threads; };
        const Number asked[] = {job_.sockets_per_node, job_.cores_per_socket,
                                job_.threads_per_core};
        std::string text =
            check({option("--sockets-per-node", asked[0]), asked[0], " sockets"}, sockets);
        if (!text.empty()) return text;
        text =
            check({option("--cores-per-socket", asked[1]), asked[1], " cores of a socket"}, cores);
        if (!text.empty()) return text;
        return check({option("--threads-per-core", asked[2]), asked[2], " threads of a core"},
                     threads);
    }

    /// CPUs of an idle node that the job can count.
    [[nodiscard]] Number cpus_of(const NodeKind& kind) const {
        const NodeView& view = *kind.view;
        return std::min(kind.cpus, view.cpus / view.threads * cpus_per_core(view, job_));
    }

    std::string of_cpus() {
        const auto cpus = [&](const NodeKind& one) { return cpus_of(one); };
        const std::string_view why = job_.has_cpus_for_memory ? " (MaxMemPerCPU)" : "";
        std::string asked = option("--cpus-per-task", job_.cpus_per_task, why);
        const Number tasks = std::max<Number>(job_.ntasks_per_node, 1);
        if (tasks > 1) asked = option("--ntasks-per-node", tasks) + ", " + asked;
        std::string text = check({asked, product(tasks, job_.cpus_per_task), " CPUs"}, cpus);
        if (!text.empty()) return text;
        const Number least = job_.min_cpus_per_node;
        return check({option("--mincpus", least, why), least, " CPUs"}, cpus);
    }

    /// Of the CPUs of a node so many tasks have to be of one socket.
    std::string of_sockets() {
        const Number tasks = job_.ntasks_per_socket;
        const auto threads = [](const NodeKind& one) {
            return one.view->cores_per_socket * one.view->threads;
        };
        std::string asked = option("--ntasks-per-socket", tasks);
        std::string text = check({asked, tasks, " CPUs of a socket"}, threads);
        if (!text.empty()) return text;
        const Number cpus = product(tasks, job_.cpus_per_task);
        asked += option(", --cpus-per-task", job_.cpus_per_task);
        return check({asked, cpus, " CPUs"}, [](const NodeKind& one) { return one.view->cpus; });
    }

    std::string of_disk() {
        const auto disk = [](const NodeKind& one) {
            return static_cast<Number>(one.view->shape->disk.value() >> 20);
        };
        const Number asked = div_ceil(job_.disk, mib(1).value()).value();
        return check({option("--tmp", asked, "M"), asked, "M"}, disk);
    }

    std::string of_memory() {
        const auto memory = [](const NodeKind& one) { return one.view->memory; };
        const bool is_default = job_.has_default_memory;
        const char* const name = job_.memory_per_cpu
                                     ? (is_default ? "DefMemPerCPU" : "--mem-per-cpu")
                                 : is_default ? "DefMemPerNode"
                                              : "--mem";
        std::string text =
            check({option(name, job_.least_memory, "M"), job_.least_memory, "M"}, memory);
        if (!text.empty() || !job_.memory_per_cpu || !job_.is_exclusive) return text;
        // Whole nodes have memory for all their CPUs, however many these are.
        const auto by_cpu = [&](const NodeKind& one) { return one.view->memory / cpus_of(one); };
        const Number asked = *job_.memory_per_cpu;
        return check(
            {fmt::format("--exclusive, {}", option(name, asked, "M")), asked, "M for each CPU"},
            by_cpu);
    }

    std::string of_gres() {
        for (const GresWant& want : job_.gres) {
            const auto units = [&](const NodeKind& one) { return units_of(*one.view, want); };
            const std::string name = name_of(want);
            const Number sockets = std::max<Number>(job_.sockets_per_node, 1);
            const NodeCondition ways[] = {
                {fmt::format("--gres={}:{}", name, want.per_node), want.per_node, ""},
                {fmt::format("{} {} of a task", want.per_task, name), want.per_task, ""},
                {fmt::format("{} {} of a socket", want.per_socket, name),
                 product(want.per_socket, sockets), ""},
                {fmt::format("{} {} of the job", want.per_job, name),
                 std::min<Number>(want.per_job, 1), ""}};
            for (const NodeCondition& way : ways) {
                std::string text = check(way, units);
                if (!text.empty()) return text;
            }
            const auto memory = [](const NodeKind& one) { return one.view->memory; };
            const Number devices = std::max(
                {want.per_node, want.per_task, want.per_socket, std::min<Number>(want.per_job, 1)});
            const std::string asked =
                fmt::format("{} for each of {} {}",
                            option(job_.has_default_memory ? "DefMemPerGPU" : "--mem-per-gpu",
                                   want.memory_per, "M"),
                            devices, name);
            std::string text = check({asked, product(want.memory_per, devices), "M"}, memory);
            if (!text.empty()) return text;
        }
        return {};
    }

    /// CPUs near so many devices, if cores of other sockets are of no use for the job.
    [[nodiscard]] static Number cpus_near(const NodeKind& kind, const GresWant& want,
                                          Number devices) {
        const NodeView& view = *kind.view;
        const auto at = view.find_gres(want.name);
        if (!at) return 0;
        std::set<std::size_t> sockets;
        std::vector<std::size_t> reach;  // sockets near each device
        for (const ViewDevice& device : view.gres[*at].devices) {
            if (!want.type.empty() && device.type != want.type) continue;
            if (device.near.empty()) return kind.cpus;
            sockets.insert(device.near.begin(), device.near.end());
            reach.push_back(device.near.size());
        }
        if (reach.empty()) return kind.cpus;
        std::sort(reach.rbegin(), reach.rend());
        Number near = 0;
        for (std::size_t i = 0; i < reach.size() && static_cast<Number>(i) < devices; ++i)
            near += static_cast<Number>(reach[i]);
        near = std::min(near, static_cast<Number>(sockets.size()));
        return std::min(kind.cpus, product(near, view.cores_per_socket * view.threads));
    }

    std::string of_binding() {
        if (!job_.enforces_binding) return {};
        const Number tasks = std::max<Number>(job_.ntasks_per_node, 1);
        const Number cpus = std::max(product(tasks, job_.cpus_per_task), job_.min_cpus_per_node);
        for (const GresWant& want : job_.gres) {
            const Number devices = want.per_node > 0 ? want.per_node : unlimited;
            const std::string near = want.per_node > 0
                                         ? fmt::format("{} {}", devices, name_of(want))
                                         : fmt::format("any {}", name_of(want));
            const auto units = [&](const NodeKind& one) { return cpus_near(one, want, devices); };
            const std::string asked =
                fmt::format("--gres-flags=enforce-binding, {} CPUs of a node", cpus);
            std::string text = check({asked, cpus, " CPUs of sockets near " + near}, units);
            if (!text.empty()) return text;
            const Number nodes = std::min(job_.max_nodes.value_or(unlimited), nodes_of(kinds_));
            const Number most = most_of(nodes, units);
            if (!named_.empty() || job_.min_cpus() <= most) continue;
            return fmt::format(
                "--gres-flags=enforce-binding, {} CPUs of the job: {} of partition {} {} at most "
                "{} CPUs of sockets near {}",
                job_.min_cpus(), nodes == 1 ? "1 node" : fmt::format("{} nodes", nodes), partition_,
                nodes == 1 ? "has" : "have", most, near);
        }
        return {};
    }

    /// Some nodes need these features: too few of those that have what is asked of each.
    std::string of_feature_counts() {
        for (const FeatureCount& one : job_.feature_counts) {
            Number nodes = 0;
            for (const NodeKind& kind : kinds_) {
                if (matches(one.features, *kind.features)) nodes += kind.nodes;
            }
            if (nodes >= one.nodes.value()) continue;
            return fmt::format("--constraint={}*{}: of partition {} {} it{}", to_text(one.features),
                               one.nodes.value(), partition_,
                               nodes == 1 ? "1 node has" : fmt::format("{} nodes have", nodes),
                               is_narrowed_ ? " and what is asked of each" : "");
        }
        return {};
    }

    std::string of_node_count() {
        const Number nodes = nodes_of(kinds_);
        if (nodes >= job_.min_nodes) return {};
        return fmt::format("--nodes={}: of partition {} {} what is asked of each", job_.min_nodes,
                           partition_,
                           nodes == 1 ? "1 node has" : fmt::format("{} nodes have", nodes));
    }

    /// The most that so many nodes have together.
    template <class UnitsOf>
    [[nodiscard]] Number most_of(Number nodes, const UnitsOf& units) const {
        std::vector<std::pair<Number, Number>> by_units;  // of a node, and how many nodes
        Number sum = 0;
        for (const NodeKind& one : kinds_) {
            // Those that the job names take part, whatever they have.
            const Number required = std::min(one.required, nodes);
            sum += product(units(one), required);
            nodes -= required;
            by_units.emplace_back(units(one), one.nodes - required);
        }
        std::sort(by_units.rbegin(), by_units.rend());
        for (const auto& [of_node, count] : by_units) {
            const Number taken = std::min(count, nodes);
            sum += product(of_node, taken);
            nodes -= taken;
        }
        return sum;
    }

    /// Tasks of an idle node, by its CPUs and by limits of the job's own.
    [[nodiscard]] Number tasks_of(const NodeKind& kind) const {
        const NodeView& view = *kind.view;
        const auto sockets = static_cast<Number>(view.sockets.size());
        Number tasks = cpus_of(kind) / std::max<Number>(job_.cpus_per_task, 1);
        const auto limit = [&](Number by, Number parts) {
            if (by > 0) tasks = std::min(tasks, product(by, parts));
        };
        limit(job_.ntasks_per_node, 1);
        limit(job_.ntasks_per_socket, sockets);
        limit(job_.ntasks_per_core, view.cpus / view.threads);
        return tasks;
    }

    /// ` (--ntasks-per-socket=2)`: what bounds the tasks of a node.
    [[nodiscard]] std::string task_limits() const {
        std::vector<std::string> limits;
        const auto add = [&](std::string_view name, Number value, Number unsaid) {
            if (value > unsaid) limits.push_back(option(name, value));
        };
        add("--cpus-per-task", job_.cpus_per_task, 1);
        add("--ntasks-per-node", job_.ntasks_per_node, 0);
        add("--ntasks-per-socket", job_.ntasks_per_socket, 0);
        add("--ntasks-per-core", job_.ntasks_per_core, 0);
        return limits.empty() ? "" : fmt::format(" ({})", fmt::join(limits, ", "));
    }

    std::string of_sums() {
        const Number nodes = std::min(job_.max_nodes.value_or(unlimited), nodes_of(kinds_));
        const auto refusal = [&](Number asked, const std::string& what, Number most) {
            const std::string of_nodes = nodes == 1 ? "1 node" : fmt::format("{} nodes", nodes);
            return fmt::format("{} {} of the job: {} of partition {}{} {} at most {}", asked, what,
                               of_nodes, partition_, meets_others(nodes),
                               nodes == 1 ? "has" : "have", most);
        };
        const Number cpus = most_of(nodes, [&](const NodeKind& one) { return cpus_of(one); });
        if (job_.min_cpus() > cpus) return refusal(job_.min_cpus(), "CPUs", cpus);
        const Number tasks = most_of(nodes, [&](const NodeKind& one) { return tasks_of(one); });
        if (!job_.overcommits && job_.tasks() > tasks) {
            return refusal(job_.tasks(), fmt::format("tasks{}", task_limits()), tasks);
        }
        for (const GresWant& want : job_.gres) {
            const Number units =
                most_of(nodes, [&](const NodeKind& one) { return units_of(*one.view, want); });
            const Number asked = want.total(job_);
            if (asked > units) return refusal(asked, name_of(want), units);
        }
        return {};
    }

    const ChoiceJob& job_;
    const std::string& partition_;
    Number total_;
    std::vector<NodeKind> all_;
    std::string named_;            ///< the only node in question, which the job names
    bool is_narrowed_ = false;     ///< nodes were left out that lack something
    std::vector<NodeKind> kinds_;  ///< of nodes that meet what was looked at
};

}  // namespace

std::string why_never(const ChoiceJob& job, const std::vector<NodeKind>& kinds,
                      const std::string& partition) {
    return Never(job, kinds, partition).text();
}

}  // namespace trestle::slurm::choice
