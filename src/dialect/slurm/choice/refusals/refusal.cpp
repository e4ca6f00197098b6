// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/counted_text.hpp"
#include "refusal_words.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

class WhyNot {
  public:
    explicit WhyNot(const Refused& refused)
        : job_(refused.job), refused_(refused), is_now_(!refused.idle.empty()) {
        keep_those_with(job_.features);
    }

    std::string text() {
        const std::string& partition = refused_.partition;
        const auto has_nodes = [](const NodeKind& one) { return one.nodes > 0; };
        if (std::none_of(refused_.kinds.begin(), refused_.kinds.end(), has_nodes)) {
            return fmt::format("partition {} has no node for the job", partition);
        }
        if (kinds_.empty()) {
            return fmt::format("--constraint: no node of partition {} has these features",
                               partition);
        }
        std::string text = of_required();
        if (text.empty()) text = of_open_nodes();
        return text.empty() ? of_feature_sets() : text;
    }

    /// Each condition is met alone: what is asked, and what the nodes have that meet those of each.
    std::string of_the_rest() {
        of_open_nodes();
        const Number nodes = nodes_of(kinds_);
        const Number cpus = most_of(kinds_, nodes, cpus_of);
        return fmt::format(
            "{}, {} and {} of the job: no nodes of partition {} meet all conditions of the job "
            "together{}; {} what is asked of each, with {}",
            counted_text(job_.min_nodes, "node"), counted_text(job_.tasks(), "task"),
            counted_text(job_.min_cpus(), "CPU"), refused_.partition, is_now_ ? " now" : "",
            counted_having(nodes), counted_text(cpus, "CPU"));
    }

  private:
    using Condition = std::string (WhyNot::*)();
    std::string first_of(std::initializer_list<Condition> conditions) {
        for (const Condition condition : conditions) {
            std::string text = (this->*condition)();
            if (!text.empty()) return text;
        }
        return {};
    }
    std::string of_each_node() {
        return first_of({&WhyNot::of_shape, &WhyNot::of_cpus, &WhyNot::of_sockets,
                         &WhyNot::of_memory, &WhyNot::of_disk, &WhyNot::of_gres,
                         &WhyNot::of_binding});
    }
    std::string of_open_nodes() {
        return first_of({&WhyNot::of_barriers, &WhyNot::of_each_node, &WhyNot::of_node_count,
                         &WhyNot::of_feature_counts, &WhyNot::of_sums});
    }

    void keep_those_with(const FeatureExpression& features) {
        kinds_.clear();
        for (const NodeKind& one : refused_.kinds) {
            if (matches(features, *one.features) && one.nodes > 0) kinds_.push_back(&one);
        }
        idle_.clear();
        for (const NodeKind& one : refused_.idle) {
            if (matches(features, *one.features)) idle_.push_back(&one);
        }
    }

    /// Too few nodes take work, or are without what keeps the job from them.
    std::string of_barriers() {
        const Number all = nodes_of(kinds_);
        for (const BarrierWords& words : barrier_words()) {
            const Number before = nodes_of(kinds_);
            const std::size_t closed = std::erase_if(
                kinds_, [&](const NodeKind* one) { return one->barrier == words.barrier; });
            if (closed == 0) continue;
            (words.barrier == Barrier::state ? is_partly_up_ : is_narrowed_) = true;
            const Number open = nodes_of(kinds_);
            const std::string of_all =
                fmt::format("{} of {} {}{}", open, counted_text(all, "node"),
                            open == 1 ? words.one : words.many, layers_of(words.barrier));
            if (open < job_.min_nodes) {
                return fmt::format("--nodes={}: of partition {} {}", job_.min_nodes,
                                   refused_.partition, of_all);
            }
            if (words.barrier == Barrier::state) {
                lacking_ = "; " + of_all;  // unless the others lack something
            } else {
                note_lacking(before - open, of_all);
            }
        }
        return {};
    }
    /// What is asked of layers, and what they have.
    [[nodiscard]] std::string layers_of(Barrier barrier) const {
        return barrier == Barrier::layers ? fmt::format(" ({})", refused_.layers) : "";
    }

    /// What a node lacks that the job names.
    std::string of_required() {
        SomeKinds required;
        for (const NodeKind& one : refused_.kinds) {
            if (one.required > 0 && one.nodes > 0) required.push_back(&one);
        }
        std::sort(required.begin(), required.end(), [](const NodeKind* a, const NodeKind* b) {
            return a->first_required < b->first_required;
        });
        for (const NodeKind* const its : required) {
            const NodeKind& one = *its;
            const std::string name = refused_.name_of(one.first_required);
            if (!matches(job_.features, *one.features)) {
                return fmt::format("--nodelist, --constraint: node {} has not these features",
                                   name);
            }
            for (const BarrierWords& words : barrier_words()) {
                if (one.barrier != words.barrier) continue;
                return fmt::format("--nodelist: node {} {}{}", name, words.required,
                                   layers_of(words.barrier));
            }
            WhyNot named(refused_);
            named.kinds_ = {&one};
            named.named_ = name;
            std::erase_if(named.idle_,
                          [&](const NodeKind* idle) { return idle->offer.view != one.offer.view; });
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
            WhyNot with(refused_);
            with.keep_those_with(job_.features & set);
            const Number nodes = nodes_of(with.kinds_);
            std::string why = fmt::format("no node of partition {} has it", refused_.partition);
            if (nodes > 0) why = with.of_open_nodes();
            if (why.empty()) return {};
            if (nodes <= most) continue;
            most = nodes;
            text = fmt::format("--constraint, nodes with {}: {}", to_text(set), why);
        }
        return text;
    }

    /// The refusal, if no node has so many; those that lack them take no part from here on.
    template <class UnitsOf>
    std::string check(const NodeCondition& asked, const UnitsOf& units) {
        Number most = 0;
        Place best = ~Place{0};  // the first of the nodes that have the most
        bool is_lacked = false;
        for (const NodeKind* one : kinds_) {
            const Number its = units(one->offer);
            is_lacked = is_lacked || its < asked.asked;
            if (its > most || (its == most && one->first < best)) best = one->first;
            most = std::max(most, its);
        }
        if (asked.asked > most) return refusal_of_each(asked, most, best, most_idle(units));
        if (is_lacked) leave_out(asked, units);
        return {};
    }
    /// Those that have less. What most of them lack is said where too few are left.
    template <class UnitsOf>
    void leave_out(const NodeCondition& asked, const UnitsOf& units) {
        is_narrowed_ = true;
        Number nodes = 0;
        Number most = 0;
        std::erase_if(kinds_, [&](const NodeKind* one) {
            const Number its = units(one->offer);
            if (its >= asked.asked) return false;
            nodes += one->nodes;
            most = std::max(most, its);
            return true;
        });
        note_lacking(nodes,
                     fmt::format("{}: {} {}{}", asked.option, nodes_have(nodes),
                                 amount_of(asked, most), is_now_ && asked.is_use ? " free" : ""));
    }
    /// What is lacking on so many nodes; said is what most of them lack.
    void note_lacking(Number nodes, const std::string& text) {
        if (nodes <= lacking_nodes_) return;
        lacking_nodes_ = nodes;
        lacking_ = "; " + text;
    }
    template <class UnitsOf>
    [[nodiscard]] Number most_idle(const UnitsOf& units) const {
        Number most = 0;
        for (const NodeKind* one : idle_) most = std::max<Number>(most, units(one->offer));
        return most;
    }
    [[nodiscard]] std::string refusal_of_each(const NodeCondition& asked, Number most, Place best,
                                              Number idle) const {
        const bool is_use = is_now_ && asked.is_use;
        const std::string_view free = is_use ? " free" : "";
        std::vector<std::string> more;  // said of nodes that jobs use
        if (is_use && most > 0 && named_.empty()) more.push_back(refused_.name_of(best));
        if (is_use && idle > most) more.push_back(when_idle(asked, idle));
        const std::string last = more.empty() ? "" : fmt::format(" ({})", fmt::join(more, "; "));
        if (!named_.empty()) {
            return fmt::format("--nodelist, {}: node {} has {}{}{}", asked.option, named_,
                               amount_of(asked, most), free, last);
        }
        const std::string node =
            fmt::format("node of partition {}{}", refused_.partition, meets_others(1));
        if (most == 0) return fmt::format("{}: no {} has any{}{}", asked.option, node, free, last);
        return fmt::format("{}: a {} has {}{}{}", asked.option, node, amount_of(asked, most), free,
                           last);
    }
    /// Said of nodes among which those that lack something are no longer.
    [[nodiscard]] std::string meets_others(Number nodes) const {
        if (is_narrowed_) {
            return fmt::format(" that {} the other conditions", nodes == 1 ? "meets" : "meet");
        }
        if (!is_partly_up_) return {};
        return nodes == 1 ? " that takes work" : " that take work";
    }

    static std::string option(std::string_view name, Number value, std::string_view unit = "") {
        return fmt::format("{}={}{}", name, value, unit);
    }

    std::string of_shape() {
        const auto sockets = [&](const NodeOffer& one) -> Number {
            const Number least = std::max<Number>(job_.cores_per_socket, 1);
            return std::count_if(one.socket_cores.begin(), one.socket_cores.end(),
                                 [&](Number cores) { return cores >= least; });
        };
        const auto cores = [](const NodeOffer& one) {
            Number most = 0;
            for (const Number its : one.socket_cores) most = std::max(most, its);
            return most;
        };
        const auto threads = [](const NodeOffer& one) { return one.view->threads; };
        const Number asked[] = {job_.cores_per_socket, job_.sockets_per_node,
                                job_.threads_per_core};
        std::string text =
            check({option("--cores-per-socket", asked[0]), asked[0], " cores of a socket"}, cores);
        if (!text.empty()) return text;
        std::string wanted = option("--sockets-per-node", asked[1]);
        std::string near;
        if (asked[0] > 0) near = fmt::format(" with {} cores", asked[0]);
        text = check({std::move(wanted), asked[1], " sockets", std::move(near)}, sockets);
        if (!text.empty()) return text;
        return check(
            {option("--threads-per-core", asked[2]), asked[2], " threads of a core", "", false},
            threads);
    }

    /// CPUs of a node that the job can count.
    static Number cpus_of(const NodeOffer& one) { return one.cpus; }

    /// That a node has for the job, whatever else.
    [[nodiscard]] Number least_cpus() const {
        const Number tasks = std::max<Number>(job_.ntasks_per_node, 1);
        return std::max(product(tasks, job_.cpus_per_task), job_.min_cpus_per_node);
    }

    std::string of_cpus() {
        if (job_.core_spec) {
            const auto all = [](const NodeOffer& one) {
                return one.view->shape->hardware.core_count();
            };
            const Number kept = *job_.core_spec;
            std::string asked = option("--core-spec", kept, " and a core for the job");
            std::string text = check({std::move(asked), kept + 1, " cores", "", false}, all);
            if (!text.empty()) return text;
        }
        const std::string_view why = job_.has_cpus_for_memory ? " (MaxMemPerCPU)" : "";
        std::string asked = option("--cpus-per-task", job_.cpus_per_task, why);
        const Number tasks = std::max<Number>(job_.ntasks_per_node, 1);
        if (tasks > 1) asked = option("--ntasks-per-node", tasks) + ", " + asked;
        if (job_.core_spec) asked = option("--core-spec", *job_.core_spec) + ", " + asked;
        std::string text = check({asked, product(tasks, job_.cpus_per_task), " CPUs"}, cpus_of);
        if (!text.empty()) return text;
        const Number least = job_.min_cpus_per_node;
        return check({option("--mincpus", least, why), least, " CPUs"}, cpus_of);
    }

    /// Of the CPUs of a node so many tasks have to be of one socket.
    std::string of_sockets() {
        const Number tasks = job_.ntasks_per_socket;
        if (tasks == 0) return {};
        const auto threads = [](const NodeOffer& one) {
            return one.view->cores_per_socket * one.view->threads;
        };
        std::string asked = option("--ntasks-per-socket", tasks);
        std::string text = check({asked, tasks, " CPUs of a socket", "", false}, threads);
        if (!text.empty()) return text;
        const Number cpus = product(tasks, job_.cpus_per_task);
        asked += option(", --cpus-per-task", job_.cpus_per_task);
        return check({asked, cpus, " CPUs"}, cpus_of);
    }

    std::string of_disk() {
        const auto disk = [](const NodeOffer& one) {
            return static_cast<Number>(one.view->shape->disk.value() >> 20);
        };
        const Number asked = div_ceil(job_.disk, mib(1).value()).value();
        return check({option("--tmp", asked, "M"), asked, "M", "", false}, disk);
    }

    std::string of_memory() {
        const auto all = [](const NodeOffer& one) { return one.view->memory; };
        const auto left = [](const NodeOffer& one) { return one.memory; };
        const bool is_default = job_.has_default_memory;
        const Number by_cpu = job_.memory_per_cpu.value_or(0);
        const char* const name = !job_.has_memory_by_node
                                     ? (is_default ? "DefMemPerCPU" : "--mem-per-cpu")
                                 : is_default ? "DefMemPerNode"
                                              : "--mem";
        // Where jobs use memory, what a node has free says it.
        const bool is_counted = is_now_ && (by_cpu > 0 || job_.memory.value_or(0) > 0);
        const Number least = is_counted ? 0 : job_.least_memory;
        std::string text = check({option(name, least, "M"), least, "M", "", false}, all);
        if (!text.empty()) return text;
        if (job_.memory == 0 && by_cpu == 0) {
            return of_whole_memory(is_default ? "all memory of a node (no --mem, no DefMem)"
                                              : "--mem=0");
        }
        if (by_cpu == 0) {
            const Number asked = job_.memory.value_or(0);
            return check({option(name, asked, "M"), asked, "M"}, left);
        }
        const std::string asked = option(name, by_cpu, "M");
        if (job_.is_exclusive) {
            // Whole nodes have memory for all their CPUs, however many these are.
            const auto of_each = [&](const NodeOffer& one) {
                return one.memory / std::max<Number>(one.cpus, 1);
            };
            return check({"--exclusive, " + asked, by_cpu, "M for each CPU"}, of_each);
        }
        const Number cpus = least_cpus();
        const std::string of_cpus = cpus > 1 ? fmt::format(" for each of {} CPUs", cpus) : "";
        text = check({asked + of_cpus, product(by_cpu, cpus), "M"}, left);
        if (!text.empty()) return text;
        // Memory is charged for all CPUs of what is given as a whole.
        return check({fmt::format("{} for {} and the rest of each {}", asked,
                                  counted_text(cpus, "CPU"), refused_.whole),
                      cpus, " CPUs"},
                     [](const NodeOffer& one) { return one.cpus_with_memory; });
    }
    /// Nodes that give the job all their memory.
    std::string of_whole_memory(std::string_view asked) {
        const auto is_touched = [](const NodeKind* one) {
            return one->offer.memory < one->offer.view->memory;
        };
        if (!std::all_of(kinds_.begin(), kinds_.end(), is_touched)) {
            const Number before = nodes_of(kinds_);
            std::erase_if(kinds_, is_touched);
            const Number touched = before - nodes_of(kinds_);
            is_narrowed_ = is_narrowed_ || touched > 0;
            note_lacking(touched, fmt::format("{}: some is in use on {}", asked,
                                              counted_text(touched, "node")));
            return {};
        }
        const auto best = std::min_element(kinds_.begin(), kinds_.end(),
                                           [](const NodeKind* a, const NodeKind* b) {
                                               return std::pair(-a->offer.memory, a->first) <
                                                      std::pair(-b->offer.memory, b->first);
                                           });
        const NodeOffer& most = (*best)->offer;
        if (!named_.empty()) {
            return fmt::format("--nodelist, {}: node {} has {}M of {}M free", asked, named_,
                               most.memory, most.view->memory);
        }
        return fmt::format(
            "{}: no node of partition {}{} has all its memory free (at most {}M of "
            "{}M; {})",
            asked, refused_.partition, meets_others(1), most.memory, most.view->memory,
            refused_.name_of((*best)->first));
    }

    std::string of_gres() {
        for (const GresWant& want : job_.gres) {
            const auto units = [&](const NodeOffer& one) { return units_of(one, want, job_); };
            const std::string name = name_of(want);
            const Number sockets = std::max<Number>(job_.sockets_per_node, 1);
            const bool is_part = want.is_of_gpus() && want.name != "gpu";
            const char* const near = is_part && !job_.shares_several_devices ? " of one GPU" : "";
            const NodeCondition ways[] = {
                {fmt::format("--gres={}:{}", name, want.per_node), want.per_node, "", near},
                {fmt::format("{} {} of a task", want.per_task, name), want.per_task, "", near},
                {fmt::format("{} {} of a socket", want.per_socket, name),
                 product(want.per_socket, sockets), "", near},
                {fmt::format("{} {} of the job", want.per_job, name),
                 std::min<Number>(want.per_job, 1), "", near}};
            for (const NodeCondition& way : ways) {
                std::string text = check(way, units);
                if (!text.empty()) return text;
            }
            std::string text = of_each_device(want, name);
            if (!text.empty()) return text;
        }
        return {};
    }
    /// Memory and CPUs of the fewest devices that a node has for the job.
    std::string of_each_device(const GresWant& want, const std::string& name) {
        const Number devices = std::max(
            {want.per_node, want.per_task, want.per_socket, std::min<Number>(want.per_job, 1)});
        const auto each_of = [&](const std::string& asked) {
            return fmt::format("{} for each of {} {}", asked, devices, name);
        };
        const auto memory = [](const NodeOffer& one) { return one.memory; };
        const char* const by = job_.has_default_memory ? "DefMemPerGPU" : "--mem-per-gpu";
        std::string text = check(
            {each_of(option(by, want.memory_per, "M")), product(want.memory_per, devices), "M"},
            memory);
        if (!text.empty()) return text;
        return check({each_of(fmt::format("{} CPUs", want.cpus_per)),
                      product(want.cpus_per, devices), " CPUs"},
                     cpus_of);
    }

    std::string of_binding() {
        if (!job_.enforces_binding) return {};
        const Number cpus = least_cpus();
        for (const GresWant& want : job_.gres) {
            const Number devices = want.per_node > 0 ? want.per_node : unlimited;
            const std::string near = want.per_node > 0
                                         ? fmt::format(" {} {}", devices, name_of(want))
                                         : fmt::format(" any {}", name_of(want));
            const auto units = [&](const NodeOffer& one) { return cpus_near(one, want, devices); };
            const std::string asked =
                fmt::format("--gres-flags=enforce-binding, {} CPUs of a node", cpus);
            std::string text = check({asked, cpus, " CPUs of sockets near", near}, units);
            if (!text.empty()) return text;
            const Number nodes = most_nodes(kinds_);
            const Number most = most_of(kinds_, nodes, units);
            if (!named_.empty() || job_.min_cpus() <= most) continue;
            return fmt::format(
                "--gres-flags=enforce-binding, {} CPUs of the job: {} of partition {} {} at most "
                "{} CPUs of sockets near{}{}",
                job_.min_cpus(), counted_text(nodes, "node"), refused_.partition,
                nodes == 1 ? "has" : "have", most, near, of_idle(units, most));
        }
        return {};
    }

    /// Some nodes need these features: too few of those that have what is asked of each.
    std::string of_feature_counts() {
        for (const FeatureCount& one : job_.feature_counts) {
            Number nodes = 0;
            for (const NodeKind* kind : kinds_) {
                if (matches(one.features, *kind->features)) nodes += kind->nodes;
            }
            if (nodes >= one.nodes.value()) continue;
            return fmt::format("--constraint={}*{}: of partition {} {} it{}", to_text(one.features),
                               one.nodes.value(), refused_.partition, nodes_have(nodes),
                               is_narrowed_ ? " and what is asked of each" : "");
        }
        return {};
    }

    std::string of_node_count() {
        const Number nodes = nodes_of(kinds_);
        if (nodes >= job_.min_nodes) return {};
        std::string idle;
        if (is_now_) {
            WhyNot of_idle(refused_);
            of_idle.kinds_ = idle_;
            of_idle.of_each_node();
            idle = fmt::format(" ({} when idle)", nodes_of(of_idle.kinds_));
        }
        return fmt::format("--nodes={}: of partition {} {} what is asked of each{}{}",
                           job_.min_nodes, refused_.partition, counted_having(nodes), idle,
                           lacking_);
    }
    /// `2 nodes have free`.
    [[nodiscard]] std::string counted_having(Number nodes) const {
        return nodes_have(nodes) + (is_now_ ? " free" : "");
    }

    /// Of these kinds, that the job may have.
    [[nodiscard]] Number most_nodes(const SomeKinds& kinds) const {
        return std::min(job_.max_nodes.value_or(unlimited), nodes_of(kinds));
    }

    /// ` free (12 when idle)`, of so many nodes of the idle cluster.
    template <class UnitsOf>
    [[nodiscard]] std::string of_idle(const UnitsOf& units, Number most) const {
        if (!is_now_) return {};
        const Number idle = most_of(idle_, most_nodes(idle_), units);
        return idle > most ? fmt::format(" free ({} when idle)", idle) : " free";
    }

    /// Tasks of a node, by its CPUs and by limits of the job's own.
    [[nodiscard]] Number tasks_of(const NodeOffer& one) const {
        Number sockets = 0;
        Number cores = 0;
        for (const Number its : one.socket_cores) {
            sockets += its > 0 ? 1 : 0;
            cores += its;
        }
        Number tasks = one.cpus / std::max<Number>(job_.cpus_per_task, 1);
        const auto limit = [&](Number by, Number parts) {
            if (by > 0) tasks = std::min(tasks, product(by, parts));
        };
        limit(job_.ntasks_per_node, 1);
        limit(job_.ntasks_per_socket, sockets);
        limit(job_.ntasks_per_core, cores);
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

    /// The refusal, if the nodes that the job may have lack so much together.
    template <class UnitsOf>
    std::string check_sum(Number asked, std::string_view what, const UnitsOf& units) {
        const Number nodes = most_nodes(kinds_);
        const Number most = most_of(kinds_, nodes, units);
        if (asked <= most) return {};
        return fmt::format("{} {} of the job: {} of partition {}{} {} at most {}{}", asked, what,
                           counted_text(nodes, "node"), refused_.partition, meets_others(nodes),
                           nodes == 1 ? "has" : "have", most, of_idle(units, most));
    }

    std::string of_sums() {
        std::string text = check_sum(job_.min_cpus(), "CPUs", cpus_of);
        if (!text.empty()) return text;
        const Number by_cpu = job_.memory_per_cpu.value_or(0);
        if (by_cpu > 0 && !job_.is_exclusive) {
            const auto served = [](const NodeOffer& one) { return one.cpus_with_memory; };
            const char* const by = job_.has_default_memory ? "DefMemPerCPU" : "--mem-per-cpu";
            text = check_sum(job_.min_cpus(), "CPUs with " + option(by, by_cpu, "M"), served);
            if (!text.empty()) return text;
        }
        if (!job_.overcommits) {
            text = check_sum(job_.tasks(), "tasks" + task_limits(),
                             [&](const NodeOffer& one) { return tasks_of(one); });
            if (!text.empty()) return text;
        }
        for (const GresWant& want : job_.gres) {
            text = check_sum(want.total(job_), name_of(want),
                             [&](const NodeOffer& one) { return units_of(one, want, job_); });
            if (!text.empty()) return text;
        }
        return {};
    }

    const ChoiceJob& job_;
    const Refused& refused_;
    bool is_now_;  ///< jobs run
    SomeKinds idle_;
    std::string named_;          ///< the only node in question, which the job names
    bool is_partly_up_ = false;  ///< nodes were left out that take no work
    std::string lacking_;        ///< what most of the nodes lack that were left out
    Number lacking_nodes_ = 0;   ///< of these
    bool is_narrowed_ = false;   ///< nodes were left out that lack something
    SomeKinds kinds_;            ///< of nodes that meet what was looked at
};

}  // namespace

std::string why_not(const Refused& refused) { return WhyNot(refused).text(); }

std::string why_not_together(const Refused& refused) { return WhyNot(refused).of_the_rest(); }

}  // namespace trestle::slurm::choice
