// SPDX-License-Identifier: Apache-2.0
// place() without thinking. On few nodes: every split of the job, every set of nodes, every order
// of the parts on it: is there a placement, and is a given one right. On any number, without a
// network: the answer itself, split by split and part by part, taking back what turns out wrong.
// Nodes answer for themselves by fit(), which has an oracle of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/demand_rules.hpp"
#include "alloc/node/device_match.hpp"
#include "model/cluster_counts.hpp"
#include "model/partition_rules.hpp"
#include "support/oracle_given.hpp"
#include "support/oracle_network.hpp"
#include "support/oracle_policy.hpp"
#include "support/oracle_sharing.hpp"
#include "support/oracle_splits.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

class PlaceOracle {
  public:
    PlaceOracle(const Cluster& cluster, const Request& request, PlaceOptions options = {},
                NodeFilter filter = {}, OracleFunction function = {})
        : cluster_(cluster),
          request_(request),
          options_(options),
          policy_(cluster, std::move(options), std::move(function)),
          filter_(std::move(filter)) {
        make_variants();
    }

    /// True when some set of nodes meets the request. For few nodes.
    [[nodiscard]] bool has_placement() const {
        return std::any_of(variants_.begin(), variants_.end(), [&](const Variant& variant) {
            forget();
            return is_open(variant) && for_sizes(variant, [&](const Sizes& sizes) {
                       return for_limits(sizes, [&](std::size_t most) {
                           return for_splits(variant, sizes, [&](const std::vector<Part>& parts) {
                               return has_placement(variant, parts, most);
                           });
                       });
                   });
        });
    }

    /// The answer. The network is not looked at.
    [[nodiscard]] std::optional<Placement> best() const {
        std::optional<Placement> found;
        for (const Variant& variant : variants_) {
            if (!is_open(variant)) continue;
            forget();
            for_sizes(variant, [&](const Sizes& sizes) {
                return for_limits(sizes, [&](std::size_t most) {
                    return for_splits(variant, sizes, [&](const std::vector<Part>& parts) {
                        found =
                            is_shared() ? best_shared(variant, parts, most) : best(variant, parts);
                        return found.has_value();
                    });
                });
            });
            if (found) break;
        }
        return found;
    }

    /// What is wrong with a placement; empty when nothing is. For few nodes.
    [[nodiscard]] std::string wrong_with(const Placement& placement) const {
        for (std::size_t i = 1; i < placement.nodes.size(); ++i) {
            const NodePlacement& before = placement.nodes[i - 1];
            const NodePlacement& part = placement.nodes[i];
            const bool is_same = before.node == part.node;
            if (part.node < before.node || (is_same && part.component <= before.component)) {
                return "nodes are not in order";
            }
            if (is_same && !is_shared()) return "groups share a node";
        }
        Cluster after = cluster_;
        const Status status = after.commit({OwnerId(~std::uint64_t{0}), request_, placement});
        if (!status.ok()) return std::string(message(status));
        if (placement.cluster_counts != request_.cluster_counts) return "other counts";
        const bool is_right =
            std::any_of(variants_.begin(), variants_.end(), [&](const Variant& variant) {
                return is_open(variant) && for_sizes(variant, [&](const Sizes& sizes) {
                           return for_splits(variant, sizes, [&](const std::vector<Part>& parts) {
                               return serves(variant, parts, placement.nodes);
                           });
                       });
            });
        return is_right ? "" : "a node gives too little or too much, or lies wrong";
    }

    /// True when the placement has the first numbers of nodes, and on them the first split, for
    /// which there are nodes. For few nodes. Of the network only what is required counts.
    [[nodiscard]] bool has_first_split(const Placement& placement) const {
        for (const Variant& variant : variants_) {
            if (!is_open(variant)) continue;
            forget();
            bool is_right = false;
            const bool is_found = for_sizes(variant, [&](const Sizes& sizes) {
                return for_limits(sizes, [&](std::size_t most) {
                    return for_splits(variant, sizes, [&](const std::vector<Part>& parts) {
                        if (!has_placement(variant, parts, most)) return false;
                        is_right = serves(variant, parts, placement.nodes) &&
                                   (!is_shared() || nodes_of(placement).size() == most);
                        return true;
                    });
                });
            });
            if (is_found) return is_right;
        }
        return false;
    }

  private:
    /// A group of the job in one of its variants.
    struct Group {
        Request request;
        FitOptions fit;
        const Partition* partition = nullptr;
        std::set<NodeId> required;
        bool is_possible = true;
    };
    using Variant = std::vector<Group>;
    using Sizes = std::vector<std::int64_t>;
    struct Part {
        std::size_t group = 0;
        NodePart part;
    };

    [[nodiscard]] bool is_shared() const {
        return request_.component_nodes == Request::ComponentNodes::shared &&
               !request_.components.empty();
    }
    void forget() const {
        rows_.clear();
        together_.clear();
    }
    [[nodiscard]] static std::set<NodeId> nodes_of(const Placement& placement) {
        std::set<NodeId> nodes;
        for (const NodePlacement& part : placement.nodes) nodes.insert(part.node);
        return nodes;
    }
    /// True when visit(most) is, for some number of nodes that the job may have in all, rising;
    /// where groups have nodes of their own, there is one.
    template <class Visit>
    bool for_limits(const Sizes& sizes, const Visit& visit) const {
        const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        if (!is_shared()) return visit(static_cast<std::size_t>(all));
        for (auto most = *std::max_element(sizes.begin(), sizes.end()); most <= all; ++most) {
            if (visit(static_cast<std::size_t>(most))) return true;
        }
        return false;
    }

    void make_variants() {
        variants_.emplace_back();
        std::vector<Request> all{request_};
        for (Request one : request_.components) {
            if (one.partition.empty()) one.partition = request_.partition;
            one.time_limit = request_.time_limit;
            all.push_back(std::move(one));
        }
        for (const Request& one : all) {
            std::vector<Variant> longer;
            for (const Variant& before : variants_) {
                for (const Group& group : groups_of_one(one)) {
                    longer.push_back(before);
                    longer.back().push_back(group);
                }
            }
            variants_ = std::move(longer);
        }
    }
    [[nodiscard]] std::vector<Group> groups_of_one(const Request& request) const {
        std::vector<std::vector<DeviceRequest>> devices = request.device_alternatives;
        devices.insert(devices.begin(), request.devices);
        std::vector<FeatureExpression> sets = request.feature_sets;
        if (sets.empty()) sets.emplace_back();
        std::vector<Group> groups;
        for (const auto& some : devices) {
            for (const FeatureExpression& set : sets) {
                Group group{request, options_.fit, nullptr, {}, true};
                group.request.devices = some;
                group.request.features = request.features & set;
                for (const Partition& one : cluster_.partitions()) {
                    if (one.name == request.partition) group.partition = &one;
                }
                if (group.partition) {
                    group.request.exclusivity = effective_exclusivity(*group.partition, request);
                    group.fit.rows = effective_rows(*group.partition, group.fit.rows);
                    group.is_possible = !refuse(*group.partition, request);
                }
                if (!group.partition && !request.partition.empty()) group.is_possible = false;
                for (const std::string& name : request.required_nodes) {
                    const auto id = cluster_.find_node(name);
                    group.is_possible = group.is_possible && id;
                    if (id) group.required.insert(*id);
                }
                groups.push_back(std::move(group));
            }
        }
        return groups;
    }

    [[nodiscard]] bool is_open(const Variant& variant) const {
        if (!contains(cluster_.free_counts(), request_.cluster_counts)) return false;
        std::set<NodeId> required;
        for (const Group& group : variant) {
            if (!group.is_possible) return false;
            for (const NodeId id : group.required) {
                if (!required.insert(id).second && !is_shared()) return false;
            }
        }
        return true;
    }

    [[nodiscard]] std::vector<std::int64_t> sizes_of(const Group& group) const {
        return oracle_sizes(cluster_, group.request, group.partition, group.required.size());
    }
    /// True when `visit` is, for some numbers of nodes; lowest first, the last group's vary first.
    template <class Visit>
    bool for_sizes(const Variant& variant, const Visit& visit) const {
        Sizes sizes;
        const auto choose = [&](const auto& self) -> bool {
            const std::int64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
            if (!is_shared() && sum > cluster_.node_count()) return false;
            if (sizes.size() == variant.size()) return visit(sizes);
            for (const std::int64_t size : sizes_of(variant[sizes.size()])) {
                sizes.push_back(size);
                const bool is_done = self(self);
                sizes.pop_back();
                if (is_done) return true;
            }
            return false;
        };
        return choose(choose);
    }
    /// True when `visit(parts)` is, for some splits of the groups; those of the last vary first.
    template <class Visit>
    bool for_splits(const Variant& variant, const Sizes& sizes, const Visit& visit) const {
        std::vector<Part> parts;
        const auto choose = [&](const auto& self, std::size_t group) -> bool {
            if (group == variant.size()) return visit(parts);
            const OracleSplits splits(cluster_, variant[group].request, sizes[group]);
            const std::size_t before = parts.size();
            for (const std::vector<NodePart>& split : splits.in_order()) {
                for (const NodePart& part : split) parts.push_back({group, part});
                const bool is_done = self(self, group + 1);
                parts.resize(before);
                if (is_done) return true;
            }
            return false;
        };
        return choose(choose, 0);
    }

    [[nodiscard]] static std::uint32_t sockets(const NodeShape& shape) {
        const auto& groups = shape.hardware.groups;
        const auto packages = std::count_if(groups.begin(), groups.end(), [](const CoreGroup& g) {
            return g.level == HardwareLevel::package;
        });
        return packages == 0 ? 1u : static_cast<std::uint32_t>(packages);
    }
    [[nodiscard]] NodeDemand demand_on(NodeId id, const Variant& variant, const Part& part) const {
        return demand_of(variant[part.group].request, part.part, sockets(cluster_.shape(id)));
    }

    [[nodiscard]] static bool asks_alike(const Variant& variant, const Part& a, const Part& b) {
        const Request& request = variant[a.group].request;
        return a.group == b.group && demand_of(request, a.part, 1) == demand_of(request, b.part, 1);
    }
    /// By what nodes of its kind have in common.
    [[nodiscard]] bool is_eligible(NodeId id, const Group& group) const {
        const NodeClass& node = cluster_.class_of(id);
        const Request& request = group.request;
        if (node.state != NodeState::up || node.health == Health::failure) return false;
        if (request.architecture.value_or(node.shape->architecture) != node.shape->architecture) {
            return false;
        }
        if (!matches(request.features, node.features)) return false;
        if (node.shape->disk < request.disk.least()) return false;
        return !group.partition || (group.partition->state == Partition::State::up &&
                                    group.partition->nodes.contains(id));
    }
    [[nodiscard]] std::optional<PolicyChoice> ask(NodeId id, const Variant& variant,
                                                  const Part& part) const {
        const Group& group = variant[part.group];
        if (!is_eligible(id, group)) return std::nullopt;
        auto choice = policy_.ask(id, demand_on(id, variant, part), group.fit);
        if (!choice) return choice;
        choice->is_spared = policy_.is_spared(id, group.request);
        choice->placement.component = static_cast<std::uint32_t>(part.group);
        return choice;
    }
    /// Whether the group may have this of a node that can give it.
    [[nodiscard]] bool may_have(const NodePlacement& given, const Group& group) const {
        const NodeId id = given.node;
        const auto& excluded = group.request.excluded_nodes;
        if (std::count(excluded.begin(), excluded.end(), cluster_.name(id)) > 0) return false;
        if (filter_.candidates && !filter_.candidates->contains(id)) return false;
        if (filter_.predicate && !filter_.predicate(id)) return false;
        return !group.partition || oracle_allows(cluster_, *group.partition, given);
    }

    /// The required nodes are there, each for its group, and the features that are counted.
    [[nodiscard]] bool has_all(const Variant& variant, const std::vector<Part>& parts,
                               const std::vector<NodeId>& nodes) const {
        for (std::size_t g = 0; g < variant.size(); ++g) {
            std::vector<NodeId> mine;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (parts[i].group == g) mine.push_back(nodes[i]);
            }
            for (const NodeId id : variant[g].required) {
                if (std::count(mine.begin(), mine.end(), id) == 0) return false;
            }
            for (const FeatureCount& wanted : variant[g].request.feature_counts) {
                const auto meeting = std::count_if(mine.begin(), mine.end(), [&](NodeId id) {
                    return matches(wanted.features, cluster_.class_of(id).features);
                });
                if (meeting < wanted.nodes.value()) return false;
            }
        }
        return true;
    }

    /// The parts as a sharing of nodes looks at them.
    [[nodiscard]] std::vector<SharingPart> sharing_parts(const Variant& variant,
                                                         const std::vector<Part>& parts) const {
        std::vector<SharingPart> all;
        for (const Part& part : parts) {
            const Group& group = variant[part.group];
            SharingPart one{part.group, key_of(part), {}, group.required, false, {}, {}};
            for (const PolicyChoice& choice : known_row_of(variant, part, group.required)) {
                one.row.push_back(choice.placement.node);
            }
            one.is_alone = group.request.exclusivity == Exclusivity::whole_node;
            one.alone = [this, &variant, part](NodeId node) {
                const auto choice = ask(node, variant, part);
                return choice ? std::optional(choice->placement) : std::nullopt;
            };
            one.beside = [this, &variant, part](NodeId node, const NodeLedger& ledger) {
                return fit(cluster_.shape(node), ledger, demand_on(node, variant, part),
                           variant[part.group].fit);
            };
            all.push_back(std::move(one));
        }
        return all;
    }
    [[nodiscard]] SharingOracle sharing(const Variant& variant) const {
        return {cluster_, together_, [this, &variant](const std::vector<NodePlacement>& given) {
                    return may_have_all(given, variant);
                }};
    }
    /// Of one node: what the groups of one partition have counts together.
    [[nodiscard]] bool may_have_all(const std::vector<NodePlacement>& given,
                                    const Variant& variant) const {
        return std::all_of(given.begin(), given.end(), [&](const NodePlacement& one) {
            const Group& group = variant[one.component];
            NodePlacement all = one;
            for (const NodePlacement& other : given) {
                const bool is_same = variant[other.component].partition == group.partition;
                if (&other == &one || !is_same) continue;
                all.cores |= other.cores;
                all.milli_cpus += other.milli_cpus;
                for (const MemoryShare& share : other.memory) all.memory.push_back(share);
            }
            return may_have(all, group);
        });
    }
    [[nodiscard]] std::optional<Placement> best_shared(const Variant& variant,
                                                       const std::vector<Part>& parts,
                                                       std::size_t most) const {
        auto found = sharing(variant).best(
            sharing_parts(variant, parts), most,
            [&](const std::vector<NodeId>& nodes) { return has_all(variant, parts, nodes); });
        if (!found) return std::nullopt;
        return Placement{*std::move(found), request_.cluster_counts};
    }

    /// True when the parts find nodes that lie in the network as they should, at most so many.
    [[nodiscard]] bool has_placement(const Variant& variant, const std::vector<Part>& parts,
                                     std::size_t most) const {
        std::vector<std::vector<NodeId>> nodes_of;
        const SharingOracle sharing_of = sharing(variant);
        std::vector<SharingPart> shared_parts;
        if (is_shared()) shared_parts = sharing_parts(variant, parts);
        for (const Part& part : parts) {
            nodes_of.emplace_back();
            const std::set<NodeId> required =
                is_shared() ? variant[part.group].required : required_by(variant);
            for (const PolicyChoice& one : known_row_of(variant, part, required)) {
                nodes_of.back().push_back(one.placement.node);
            }
            if (nodes_of.back().empty()) return false;
        }
        const Network& network = cluster_.network();
        const NetworkOracle lies(network, request_.topology);
        std::vector<NodeId> chosen;
        const auto choose = [&](const auto& self) -> bool {
            if (chosen.size() == parts.size()) {
                if (!has_all(variant, parts, chosen)) return false;
                std::vector<NodeId> rising = chosen;
                std::sort(rising.begin(), rising.end());
                rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
                return lies.allows(rising);
            }
            for (const NodeId node : nodes_of[chosen.size()]) {
                if (!is_shared() && std::count(chosen.begin(), chosen.end(), node) > 0) continue;
                chosen.push_back(node);
                const bool may_go_on =
                    !is_shared() || sharing_of.may_share(shared_parts, chosen, most);
                const bool is_done = may_go_on && self(self);
                chosen.pop_back();
                if (is_done) return true;
            }
            return false;
        };
        return choose(choose);
    }

    /// The nodes that a part can have in the order in which they are wanted.
    [[nodiscard]] std::vector<PolicyChoice> row_of(const Variant& variant, const Part& part,
                                                   const std::set<NodeId>& required) const {
        const Group& group = variant[part.group];
        std::vector<PolicyChoice> all;
        for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) {
            if (auto choice = ask(NodeId(i), variant, part)) all.push_back(*std::move(choice));
        }
        const auto find = [&](NodeId node) {
            return *std::find_if(all.begin(), all.end(), [&](const PolicyChoice& one) {
                return one.placement.node == node;
            });
        };
        std::vector<PolicyChoice> row;
        std::vector<NodeId> others;
        for (const PolicyChoice& one : all) {
            const NodeId node = one.placement.node;
            if (group.required.count(node) != 0) row.push_back(one);
            const bool is_candidate = !filter_.candidates || filter_.candidates->contains(node);
            if (is_candidate) others.push_back(node);
        }
        const std::size_t first = row.size();
        if (policy_.is_random()) {  // those that are spared by themselves
            const auto spared = std::stable_partition(
                others.begin(), others.end(),
                [&](NodeId node) { return !policy_.is_spared(node, group.request); });
            std::vector<NodeId> rows[] = {{others.begin(), spared}, {spared, others.end()}};
            others.clear();
            for (const auto& some : rows) {
                const auto mixed =
                    filter_.candidates ? policy_.shuffled_anew(some) : policy_.shuffled(some);
                others.insert(others.end(), mixed.begin(), mixed.end());
            }
        }
        for (const NodeId node : others) {
            if (required.count(node) == 0) row.push_back(find(node));
        }
        const auto by_score = [](const PolicyChoice& a, const PolicyChoice& b) {
            return a.is_spared != b.is_spared ? b.is_spared : a.score > b.score;
        };
        std::stable_sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(first), by_score);
        std::stable_sort(row.begin() + static_cast<std::ptrdiff_t>(first), row.end(), by_score);
        std::erase_if(row, [&](const auto& one) { return !may_have(one.placement, group); });
        return row;
    }

    [[nodiscard]] static std::set<NodeId> required_by(const Variant& variant) {
        std::set<NodeId> required;
        for (const Group& group : variant) {
            required.insert(group.required.begin(), group.required.end());
        }
        return required;
    }

    [[nodiscard]] static std::vector<std::int64_t> key_of(const Part& part) {
        std::vector<std::int64_t> key{static_cast<std::int64_t>(part.group), part.part.index,
                                      part.part.nodes, part.part.tasks.value_or(Count()).value()};
        for (const Count one : part.part.devices) key.push_back(one.value());
        return key;
    }
    /// row_of(), looked up where the part was asked about in another split.
    [[nodiscard]] const std::vector<PolicyChoice>& known_row_of(
        const Variant& variant, const Part& part, const std::set<NodeId>& required) const {
        std::vector<std::int64_t> key = key_of(part);
        const auto at = rows_.find(key);
        if (at != rows_.end()) return at->second;
        return rows_.emplace(std::move(key), row_of(variant, part, required)).first->second;
    }

    /// The first choice, in the order of parts and rows, that serves all parts.
    [[nodiscard]] std::optional<Placement> best(const Variant& variant,
                                                const std::vector<Part>& parts) const {
        const std::set<NodeId> required = required_by(variant);
        std::vector<std::vector<PolicyChoice>> rows;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const bool is_like_last = p > 0 && asks_alike(variant, parts[p - 1], parts[p]);
            rows.push_back(is_like_last ? rows.back() : known_row_of(variant, parts[p], required));
            if (rows.back().empty()) return std::nullopt;
        }
        std::vector<const PolicyChoice*> chosen;
        const auto is_used = [&](NodeId node) {
            return std::any_of(chosen.begin(), chosen.end(), [&](const PolicyChoice* one) {
                return one->placement.node == node;
            });
        };
        const auto nodes = [&] {
            std::vector<NodeId> all;
            for (const PolicyChoice* one : chosen) all.push_back(one->placement.node);
            return all;
        };
        const auto choose = [&](const auto& self) -> bool {
            if (chosen.size() == parts.size()) return has_all(variant, parts, nodes());
            if (!oracle_may_go_on(rows, nodes()) || !detail::may_use(required, rows, nodes()))
                return false;
            for (const PolicyChoice& one : rows[chosen.size()]) {
                if (is_used(one.placement.node)) continue;
                chosen.push_back(&one);
                if (self(self)) return true;
                chosen.pop_back();
            }
            return false;
        };
        if (!choose(choose)) return std::nullopt;
        Placement placement;
        for (const PolicyChoice* one : chosen) placement.nodes.push_back(one->placement);
        std::sort(placement.nodes.begin(), placement.nodes.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
        placement.cluster_counts = request_.cluster_counts;
        return placement;
    }
    /// True when the nodes are given as the parts in some order ask.
    [[nodiscard]] bool serves(const Variant& variant, const std::vector<Part>& parts,
                              const std::vector<NodePlacement>& given) const {
        if (parts.size() != given.size()) return false;
        std::multiset<Count> asked_tasks;
        std::multiset<Count> given_tasks;
        for (const Part& one : parts) {
            asked_tasks.insert(demand_of(variant[one.group].request, one.part, 1).tasks);
        }
        for (const NodePlacement& one : given) given_tasks.insert(one.tasks);
        if (asked_tasks != given_tasks) return false;
        std::vector<NodeId> rising;
        for (const NodePlacement& one : given) rising.push_back(one.node);
        rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
        if (!NetworkOracle(cluster_.network(), request_.topology).allows(rising)) return false;
        std::vector<std::size_t> order(given.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            std::vector<NodeId> nodes;
            bool is_right = true;
            for (std::size_t p = 0; p < parts.size() && is_right; ++p) {
                const NodePlacement& one = given[order[p]];
                const Group& group = variant[parts[p].group];
                nodes.push_back(one.node);
                is_right = one.component == parts[p].group && is_eligible(one.node, group) &&
                           may_have(one, group) &&
                           oracle_gives(cluster_, one, demand_on(one.node, variant, parts[p]));
            }
            if (is_right && has_all(variant, parts, nodes)) return true;
        } while (std::next_permutation(order.begin(), order.end()));
        return false;
    }

    const Cluster& cluster_;
    const Request& request_;
    PlaceOptions options_;
    PolicyOracle policy_;
    NodeFilter filter_;
    std::vector<Variant> variants_;
    // Of a variant:
    mutable std::map<std::vector<std::int64_t>, std::vector<PolicyChoice>> rows_;
    mutable SharingOracle::Known together_;
};

}  // namespace trestle
