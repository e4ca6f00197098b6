// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/select.hpp"

#include <algorithm>
#include <utility>

#include "../node_lookup.hpp"
#include "partition_choice.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/options/settle.hpp"

namespace trestle::slurm {
namespace choice {
namespace {

/// What is passed over although it was said.
std::vector<std::string> passed_over(const JobOptions& options) {
    std::vector<std::string> warnings;
    const auto add = [&](bool is_said, std::string_view option) {
        if (is_said) warnings.push_back(fmt::format("{} is not looked at", option));
    };
    add(options.overcommit, "--overcommit");
    add(!options.nodefile.empty(), "--nodefile");
    add(options.distribution && options.distribution->nodes == TaskSpread::arbitrary,
        "--distribution=arbitrary");
    add(options.segment.has_value(), "--segment");
    add(!options.reservations.empty(), "--reservation");
    add(options.exclusive && *options.exclusive != ExclusiveKind::whole_node,
        "--exclusive of a user, a group or a topology");
    add(options.tres_per_task && !options.tres_per_task->licenses.empty(),
        "licences of --tres-per-task");
    return warnings;
}

/// Finds what names of the options mean. Errors: InvalidArgument for one that means nothing.
class Names {
  public:
    explicit Names(const Scene& scene) : scene_(scene), rules_(scene.rules) {}

    [[nodiscard]] StatusOr<std::vector<Place>> places(const std::optional<Hostlist>& list) const {
        std::vector<Place> places;
        if (!list) return places;
        const NodesOfList found = look_up(*list, *scene_.cluster.description()->names);
        if (found.strangers != 0) {
            return invalid_argument("unknown node {}", found.first_stranger);
        }
        for (const NodeId node : found.nodes) places.push_back(scene_.field.place_of(node));
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    [[nodiscard]] Status check_gres(const ChoiceJob& job) const {
        const auto& known = rules_.parameters.gres_types;
        for (const GresWant& want : job.gres) {
            if (std::find(known.begin(), known.end(), want.name) != known.end()) continue;
            return invalid_argument("unknown GRES {}", want.name);
        }
        return {};
    }

    [[nodiscard]] StatusOr<std::vector<const PartitionLine*>> partitions(
        const std::vector<std::string>& names) const {
        std::vector<const PartitionLine*> lines;
        for (const PartitionLine& line : rules_.partitions) {
            if (names.empty() && line.is_default) lines = {&line};
        }
        for (const std::string& name : names) {
            const auto at = std::find_if(rules_.partitions.begin(), rules_.partitions.end(),
                                         [&](const auto& line) { return line.name == name; });
            if (at == rules_.partitions.end()) {
                return invalid_argument("unknown partition {}", name);
            }
            lines.push_back(&*at);
        }
        if (lines.empty())
            return invalid_argument("no partition was named and none is the default");
        return lines;
    }

  private:
    const Scene& scene_;
    const SelectRules& rules_;
};

/// Adds licences to what was allocated, or makes the job wait for them.
Decision with_licenses(Decision decision, const JobOptions& options, const Cluster& cluster) {
    if (!options.licenses || options.licenses->counts.empty()) return decision;
    std::vector<std::vector<ClusterCount>> choices;
    if (options.licenses->is_any_of) {
        for (const ClusterCount& one : options.licenses->counts) choices.push_back({one});
    } else {
        choices.push_back(options.licenses->counts);
    }
    const auto first_in = [&](const std::vector<ClusterCount>& counts) {
        return std::find_if(choices.begin(), choices.end(),
                            [&](const auto& choice) { return contains(counts, choice); });
    };
    if (first_in(cluster.counts()) == choices.end()) return refused("no such licences");
    if (decision.answer != Answer::allocated) return decision;
    const auto choice = first_in(cluster.free_counts());
    if (choice != choices.end()) {
        decision.placement.cluster_counts = *choice;
        return decision;
    }
    Decision waits;
    waits.answer = Answer::pending;
    waits.reason = Reason::licenses;
    waits.message = "licences are in use";
    waits.partition = std::move(decision.partition);
    return waits;
}

/// Lower is told rather than higher, when several partitions say no.
int rank_of(const Decision& decision) {
    return (decision.answer == Answer::pending ? 0 : 2) +
           (decision.reason == Reason::resources ? 0 : 1);
}

StatusOr<Decision> decide(const Scene& scene, const JobOptions& said, const JobOptions& settled) {
    TRESTLE_TRY(const ChoiceJob job, job_of(said, settled));
    const Names names(scene);
    TRESTLE_TRY_STATUS(names.check_gres(job));
    TRESTLE_TRY(const auto required, names.places(settled.nodelist));
    TRESTLE_TRY(const auto excluded, names.places(settled.exclude));
    TRESTLE_TRY(const auto lines, names.partitions(settled.partitions));
    std::optional<Decision> best;
    for (const PartitionLine* line : lines) {
        const auto& all = scene.cluster.partitions();
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const auto& one) { return one.name == line->name; });
        if (at == all.end()) return invalid_argument("the cluster has no partition {}", line->name);
        const auto& time = settled.time_min ? settled.time_min : settled.time;
        const auto partition = static_cast<std::uint32_t>(at - all.begin());
        Decision decision =
            with_licenses(answer_in(scene, *line, partition, {job, required, excluded, time}),
                          settled, scene.cluster);
        if (decision.answer == Answer::allocated) return decision;
        if (!best || rank_of(decision) < rank_of(*best)) best = std::move(decision);
    }
    return *std::move(best);
}

}  // namespace
}  // namespace choice

Selector::Selector(SelectRules rules) : rules_(std::move(rules)) {}
Selector::Selector(const Selector& other) : rules_(other.rules_) {}
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(const Selector& other) { return *this = Selector(other); }
Selector& Selector::operator=(Selector&&) noexcept = default;
Selector::~Selector() = default;

Decision Selector::select(const Cluster& cluster, const JobOptions& options) {
    auto settled = settle(options);
    if (!settled.ok()) return choice::refused(std::string(message(settled.status())));
    if (!field_ || !field_->is_of(cluster)) {
        field_ = std::make_unique<choice::Field>(cluster, rules_);
    }
    field_->follow(cluster);
    auto decision = choice::decide({cluster, *field_, rules_}, options, settled->options);
    if (!decision.ok()) return choice::refused(std::string(message(decision.status())));
    if (decision->answer != Answer::refused) decision->options = std::move(settled->options);
    decision->warnings = std::move(settled->warnings);
    const auto more = choice::passed_over(options);
    decision->warnings.insert(decision->warnings.end(), more.begin(), more.end());
    return *std::move(decision);
}

Decision select(const Cluster& cluster, const JobOptions& options, const SelectRules& rules) {
    return Selector(rules).select(cluster, options);
}

}  // namespace trestle::slurm
