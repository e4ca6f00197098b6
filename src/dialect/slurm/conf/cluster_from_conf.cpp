// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "../../words.hpp"
#include "../node_lookup.hpp"
#include "cluster_builder.hpp"
#include "conf_lines.hpp"
#include "gres/gres_records.hpp"
#include "gres/node_errors.hpp"
#include "topology/node_topology.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"

namespace trestle::slurm {
namespace {

/// The lines of gres.conf by the nodes that they speak of. Nodes of the same lines are a group.
class LinesByNode {
  public:
    LinesByNode(std::span<const GresLine> lines, const NodeNames& names) : lists_(1) {
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash;
        std::vector<const Hostlist*> hostlists{nullptr};
        for (const GresLine& line : lines) {
            if (line.nodes.is_empty()) {
                lists_[everywhere].push_back(&line);
                continue;
            }
            std::vector<std::uint32_t>& known = by_hash[hash_of(line.nodes)];
            const auto same = std::find_if(known.begin(), known.end(), [&](std::uint32_t list) {
                return *hostlists[list] == line.nodes;
            });
            if (same != known.end()) {
                lists_[*same].push_back(&line);
                continue;
            }
            known.push_back(static_cast<std::uint32_t>(lists_.size()));
            hostlists.push_back(&line.nodes);
            lists_.push_back({&line});
        }
        split_into_groups(hostlists, names);
    }

    [[nodiscard]] std::uint32_t group_of(NodeId node) const { return group_of_[node.value()]; }
    /// Their lines in the order of the file, with those for all nodes.
    [[nodiscard]] std::vector<const GresLine*> lines_of(std::uint32_t group) const {
        std::vector<const GresLine*> lines = lists_[everywhere];
        for (const std::uint32_t list : *groups_[group]) {
            lines.insert(lines.end(), lists_[list].begin(), lists_[list].end());
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }

  private:
    static constexpr std::size_t everywhere = 0;
    using Lists = std::vector<std::uint32_t>;  ///< rising

    /// Walks the nodes once, from one end of an interval of some list to the next.
    /// Complexity: linear in the nodes, n log n in the intervals, and at each end linear in the
    /// lists that speak of the nodes there.
    void split_into_groups(const std::vector<const Hostlist*>& hostlists, const NodeNames& names) {
        struct End {
            std::uint32_t node;
            std::uint32_t list;  ///< that begins here, or ends
        };
        std::vector<End> ends;
        for (std::uint32_t list = 1; list < hostlists.size(); ++list) {
            for (const auto& nodes : intervals_of(*hostlists[list], names)) {
                ends.push_back({nodes.first, list});
                ends.push_back({nodes.end, list});
            }
        }
        std::sort(ends.begin(), ends.end(),
                  [](const End& a, const End& b) { return a.node < b.node; });
        group_of_.reserve(names.size());
        Lists here;
        for (auto at = ends.begin();;) {
            const std::uint32_t next = at == ends.end() ? names.size() : at->node;
            if (group_of_.size() < next) group_of_.resize(next, number_of(here));
            if (at == ends.end()) return;
            for (; at != ends.end() && at->node == next; ++at) {
                const auto place = std::lower_bound(here.begin(), here.end(), at->list);
                if (place != here.end() && *place == at->list) {
                    here.erase(place);
                } else {
                    here.insert(place, at->list);
                }
            }
        }
    }
    std::uint32_t number_of(const Lists& lists) {
        const auto number = static_cast<std::uint32_t>(groups_.size());
        const auto [known, is_new] = numbers_.emplace(lists, number);
        if (is_new) groups_.push_back(&known->first);
        return known->second;
    }

    std::vector<std::vector<const GresLine*>> lists_;
    std::map<Lists, std::uint32_t> numbers_;
    std::vector<const Lists*> groups_;  ///< by number; keys of the map, which stay where they are
    std::vector<std::uint32_t> group_of_;
};

SystemCoresFrom system_cores_from(const SlurmConf& conf) {
    return conf.parameters.scheduler.takes_first_system_cores ? SystemCoresFrom::first
                                                              : SystemCoresFrom::last;
}

/// Finds nodes by what partitions call them.
class NodeFinder {
  public:
    NodeFinder(const SlurmConf& conf, const NodeNames& names, const LostNames& lost,
               std::span<const Node> nodes)
        : names_(names), lost_(lost) {
        for (const NodeSetLine& line : conf.node_sets) {
            NodeSet& set = sets_[line.name];
            for (const NodeId node : look_up(line.nodes, names).nodes) set.insert(node);
            if (line.feature.empty()) continue;
            for (std::uint32_t i = 0; i < nodes.size(); ++i) {
                const std::vector<std::string>& features = nodes[i].features;
                if (std::find(features.begin(), features.end(), line.feature) != features.end()) {
                    set.insert(NodeId(i));
                }
            }
        }
    }

    /// Without those that are none, of which up to a hundred are reported. Sets are found among the
    /// names up to the thousandth that is no node.
    NodeSet nodes_of(const PartitionLine& line, BuildErrors& errors) const {
        constexpr std::size_t strangers_max = 1000;
        NodeSet nodes;
        if (line.has_all_nodes) nodes.insert_range({0, names_.size()});
        std::uint64_t known = 0;
        for (const Interval<std::uint32_t> some : intervals_of(line.nodes, names_)) {
            nodes.insert_range(some);
            known += some.end - some.first;
        }
        if (known == line.nodes.size()) return nodes;
        std::size_t told = 0;
        std::size_t strangers = 0;
        for (std::uint64_t i = 0; i < line.nodes.size() && strangers < strangers_max; ++i) {
            const std::string name = line.nodes[i];
            if (names_.find(name)) continue;
            ++strangers;
            if (const auto set = sets_.find(name); set != sets_.end()) {
                nodes |= set->second;
            } else if (!lost_.has_nodes(name) && told < errors_of_value_max) {
                ++told;
                errors.add(
                    {line.place,
                     {0, name, "there is no such node", "a NodeName or NodeSet of the file"}},
                    "Nodes");
            }
        }
        return nodes;
    }

  private:
    const NodeNames& names_;
    const LostNames& lost_;
    std::map<std::string, NodeSet, std::less<>> sets_;
};

/// A limit of 0 is none.
std::optional<Bytes> limit_of(std::optional<Bytes> amount) {
    return amount && !amount->is_zero() ? amount : std::nullopt;
}

Partition partition_of(const PartitionLine& line, const ClusterParameters& parameters) {
    Partition partition;
    partition.name = line.name;
    partition.is_default = line.is_default;
    partition.state = line.state;
    if (line.min_nodes != 0) partition.nodes_per_job.min = Count(line.min_nodes);
    if (line.max_nodes) partition.nodes_per_job.max = Count(*line.max_nodes);
    if (line.max_nodes && *line.max_nodes < std::max(line.min_nodes, std::uint32_t{1})) {
        partition.nodes_per_job = Range<Count>::exactly(Count::max());  // what no job can have
    }
    partition.max_time = line.max_time;
    partition.default_time = line.default_time;
    partition.max_cpus_per_node = line.max_cpus_per_node;
    const JobDefaults& own = line.defaults;
    const bool has_own = own.max_memory_per_node || own.max_memory_per_cpu;
    partition.max_memory_per_node =
        limit_of(has_own ? own.max_memory_per_node : parameters.defaults.max_memory_per_node);
    partition.oversubscribe = line.oversubscribe;
    partition.jobs_per_core = Count(line.jobs_per_resource);
    return partition;
}

std::vector<Partition> partitions_of(const SlurmConf& conf, const NodeFinder& finder,
                                     BuildErrors& errors) {
    std::vector<Partition> partitions;
    std::optional<std::size_t> default_one;
    for (const PartitionLine& line : conf.partitions) {
        Partition partition = partition_of(line, conf.parameters);
        partition.nodes = finder.nodes_of(line, errors);
        if (partition.is_default) {
            if (default_one) partitions[*default_one].is_default = false;
            default_one = partitions.size();
        }
        partitions.push_back(std::move(partition));
    }
    return partitions;
}

/// Licences that stand twice add up.
std::vector<ClusterCount> counts_of(const ClusterParameters& parameters, BuildErrors& errors) {
    std::map<std::string, Count> by_name;
    for (const License& license : parameters.licenses) {
        const auto sum = checked_add(by_name[license.name], license.count);
        if (!sum) {
            errors.add(
                {{"slurm.conf", 0},
                 {0, "Licenses", fmt::format("more than 2^63 of {}", license.name), "fewer"}});
        }
        by_name[license.name] = sum.value_or(Count::max());
    }
    std::vector<ClusterCount> counts;
    for (const auto& [name, count] : by_name) {
        if (!count.is_zero()) counts.push_back({name, count});
    }
    return counts;
}

/// Nodes of a line whose lines of gres.conf are the same.
struct NodesAlike {
    Shared<NodeShape> shape;
    std::vector<std::size_t> kinds;  ///< of mistakes
    std::uint64_t count = 0;
    std::optional<std::size_t> invalid;  ///< of BuiltNodes::invalid
};

/// Warns of names in Gres= that GresTypes lacks, each once for a line. Lines of nodes alone are a
/// piece of a file, which says nothing of the rest.
void warn_of_gres_types(const SlurmConf& conf, std::vector<ConfWarning>& warnings) {
    const auto& known = conf.parameters.gres_types;
    if (known.empty() && conf.partitions.empty()) return;
    for (const NodeLine& line : conf.nodes) {
        std::set<std::string_view> told;
        for (const NodeGres& one : line.gres) {
            const std::string& name = one.gres.name;
            const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
            if (is_known || !told.insert(name).second) continue;
            warnings.push_back(
                {line.place, fmt::format("GRES {}: not in GresTypes, so no job gets it", name)});
        }
    }
}

}  // namespace

NamesOfLines names_of_lines(std::span<const NodeLine> lines) {
    NamesOfLines all;
    std::uint64_t count = 0;
    for (const NodeLine& line : lines) {
        count += line.names.size();
        if (count > nodes_max) {
            all.error = ConfError{line.place,
                                  {0, "NodeName", fmt::format("more than {} nodes", nodes_max),
                                   "fewer nodes in all"}};
            break;
        }
        line.names.for_each([&](const std::string& name) { all.names.append(name); });
        ++all.lines;
    }
    const auto twice = all.names.index();
    if (!twice) return all;
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [&](const NodeLine& line) {
        return line.names.contains(*twice);
    });
    all.lines = static_cast<std::size_t>(lines.rend() - last) - 1;
    all.error = ConfError{last->place, {0, *twice, "node named twice", "each name once"}};
    return all;
}

StatusOr<NodeNames> node_names_of(const SlurmConf& conf) {
    NamesOfLines all = names_of_lines(conf.nodes);
    if (all.error) return first_error_of_lines({*all.error});
    return std::move(all.names);
}

BuiltNodes build_nodes(const SlurmConf& conf, std::span<const GresLine> gres,
                       const NodeNames& names, BuildErrors& errors) {
    const LinesByNode lines(gres, names);
    BuiltNodes built;
    warn_of_gres_types(conf, built.warnings);
    NodeErrors found;
    built.nodes.reserve(names.size());
    for (const NodeLine& line : conf.nodes) {
        std::map<std::uint32_t, NodesAlike> groups;  // most nodes are alike
        const auto last = static_cast<std::uint32_t>(built.nodes.size() + line.names.size());
        for (auto i = static_cast<std::uint32_t>(built.nodes.size()); i < last; ++i) {
            const NodeId id(i);
            const std::uint32_t number = lines.group_of(id);
            auto group = groups.find(number);
            const std::string name = names[id];
            if (group == groups.end()) {
                std::vector<ConfError> its;
                MergedNode merged =
                    merge({name, line, lines.lines_of(number), system_cores_from(conf)},
                          std::nullopt, its);
                group =
                    groups.emplace(number, NodesAlike{std::move(merged.shape), {}, 0, {}}).first;
                if (merged.fault) {
                    group->second.invalid = built.invalid.size();
                    built.invalid.push_back({{}, *std::move(merged.fault)});
                }
                group->second.kinds = found.add(std::move(its), name);
                built.warnings.insert(built.warnings.end(), merged.warnings.begin(),
                                      merged.warnings.end());
            }
            ++group->second.count;
            if (const auto invalid = group->second.invalid) {
                built.invalid[*invalid].nodes.push_back(name);
            }
            Node node;
            node.name = name;
            node.shape = group->second.shape;
            node.features = line.features;
            node.weight = line.weight;
            node.state = line.state;
            built.nodes.push_back(std::move(node));
        }
        for (const auto& [number, alike] : groups) found.count(alike.kinds, alike.count);
    }
    found.tell(errors);
    for (const DownLine& line : conf.down_nodes) {
        const NodesOfList listed = look_up(line.names, names);
        for (const NodeId node : listed.nodes) built.nodes[node.value()].state = line.state;
        if (listed.strangers == 0) continue;
        built.warnings.push_back(
            {line.place, fmt::format("DownNodes: there is no node {}", listed.first_stranger)});
    }
    return built;
}

BuiltCluster build_cluster(const SlurmConf& conf, std::span<const GresLine> gres,
                           TopologyConf placed, const NodeNames& names, const LostNames& lost,
                           BuildErrors& errors) {
    BuiltNodes built = build_nodes(conf, gres, names, errors);
    ClusterParts parts;
    parts.partitions = partitions_of(conf, NodeFinder(conf, names, lost, built.nodes), errors);
    parts.counts = counts_of(conf.parameters, errors);
    parts.nodes = std::move(built.nodes);
    check_partitions(conf, lost, placed, errors);
    place_nodes(conf, names, lost, placed, errors);
    parts.network = std::move(placed.network);
    BuiltCluster result;
    auto cluster = Cluster::create(parts);
    if (cluster.ok()) {
        result.cluster = *std::move(cluster);
    } else if (count_unmended(errors.without_keys(), 0) == 0) {
        errors.add({{"slurm.conf", 0},
                    {0, "", std::string(message(cluster.status())), "a cluster that can be"}});
    }
    result.warnings = std::move(built.warnings);
    result.invalid = std::move(built.invalid);
    result.warnings.insert(result.warnings.end(), placed.warnings.begin(), placed.warnings.end());
    result.default_topology = std::move(placed.default_name);
    result.placements = std::move(placed.placements);
    return result;
}

StatusOr<BuiltNodes> build_nodes(const SlurmConf& conf, std::span<const GresLine> gres) {
    TRESTLE_TRY(const NodeNames names, node_names_of(conf));
    BuildErrors found;
    BuiltNodes built = build_nodes(conf, gres, names, found);
    std::vector<ConfError> errors = found.without_keys();
    settle_mistakes(MendedMistakes::warnings, errors, built.warnings);
    TRESTLE_TRY_STATUS(first_error_of_lines(errors));
    return built;
}

StatusOr<BuiltCluster> build_cluster(const SlurmConf& conf, std::span<const GresLine> gres,
                                     const TopologyConf& topology) {
    TRESTLE_TRY(const NodeNames names, node_names_of(conf));
    BuildErrors found;
    BuiltCluster built = build_cluster(conf, gres, topology, names, LostNames(), found);
    std::vector<ConfError> errors = found.without_keys();
    settle_mistakes(MendedMistakes::warnings, errors, built.warnings);
    TRESTLE_TRY_STATUS(first_error_of_lines(errors));
    return built;
}

}  // namespace trestle::slurm
