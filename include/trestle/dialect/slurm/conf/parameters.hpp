// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of slurm.conf for the cluster as a whole, as far as they concern resources.
//
// Layer: dialect/slurm. Main types: SelectParameters (what is handed out, and in which order),
// SchedulerParameters, ClusterParameters.
// Pitfall: defaults are those of a slurm.conf without the key; lists that Slurm keeps open
// (SchedulerParameters) are passed through whole.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"
#include "trestle/dialect/slurm/tres.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::slurm {

/// What jobs have exclusively: hardware threads, cores, whole sockets, or memory only, where
/// processors are not counted.
enum class SelectUnit { cpu, core, socket, memory_only };

constexpr auto enum_names(SelectUnit) {
    using enum SelectUnit;
    return std::array{named(cpu, "cpu"), named(core, "core"), named(socket, "socket"),
                      named(memory_only, "memory_only")};
}

/// SelectType and SelectTypeParameters.
struct SelectParameters {
    std::string type = "select/cons_tres";
    SelectUnit unit = SelectUnit::core;
    bool counts_memory = true;                     ///< CR_..._Memory
    bool has_one_task_per_core = false;            ///< CR_ONE_TASK_PER_CORE
    bool fills_socket_by_socket = false;           ///< CR_CORE_DEFAULT_DIST_BLOCK
    bool ignores_topology_order = false;           ///< CR_NO_DIST_TOPO_BLOCK
    bool takes_least_loaded = false;               ///< CR_LLN
    bool packs_nodes = false;                      ///< CR_PACK_NODES
    bool takes_least_loaded_device = false;        ///< LL_SHARED_GRES
    bool shares_several_devices = false;           ///< MULTIPLE_SHARING_GRES_PJ
    bool enforces_binding = false;                 ///< ENFORCE_BINDING_GRES
    bool has_one_task_per_sharing_device = false;  ///< ONE_TASK_PER_SHARING_GRES

    static constexpr auto fields(auto list) {
        return list(
            field("type", &SelectParameters::type), field("unit", &SelectParameters::unit),
            field("counts_memory", &SelectParameters::counts_memory),
            field("has_one_task_per_core", &SelectParameters::has_one_task_per_core),
            field("fills_socket_by_socket", &SelectParameters::fills_socket_by_socket),
            field("ignores_topology_order", &SelectParameters::ignores_topology_order),
            field("takes_least_loaded", &SelectParameters::takes_least_loaded),
            field("packs_nodes", &SelectParameters::packs_nodes),
            field("takes_least_loaded_device", &SelectParameters::takes_least_loaded_device),
            field("shares_several_devices", &SelectParameters::shares_several_devices),
            field("enforces_binding", &SelectParameters::enforces_binding),
            field("has_one_task_per_sharing_device",
                  &SelectParameters::has_one_task_per_sharing_device));
    }
    friend bool operator==(const SelectParameters&, const SelectParameters&) = default;
};

/// SchedulerParameters: the text, and the parts that affect placement.
struct SchedulerParameters {
    std::string text;
    Seconds max_switch_wait{300};           ///< the longest that --switches may wait
    bool packs_serial_at_end = false;       ///< pack_serial_at_end: one-CPU jobs from the last node
    bool takes_first_system_cores = false;  ///< spec_cores_first

    static constexpr auto fields(auto list) {
        return list(
            field("text", &SchedulerParameters::text),
            field("max_switch_wait", &SchedulerParameters::max_switch_wait),
            field("packs_serial_at_end", &SchedulerParameters::packs_serial_at_end),
            field("takes_first_system_cores", &SchedulerParameters::takes_first_system_cores));
    }
    friend bool operator==(const SchedulerParameters&, const SchedulerParameters&) = default;
};

/// What comes before the names in Slurm's order of nodes: nothing, the base block (BlockAsNodeRank)
/// or the leaf switch (SwitchAsNodeRank).
enum class NodeRank { by_name, by_block, by_switch };

constexpr auto enum_names(NodeRank) {
    using enum NodeRank;
    return std::array{named(by_name, "by_name"), named(by_block, "by_block"),
                      named(by_switch, "by_switch")};
}

/// TopologyPlugin and TopologyParam.
struct TopologyParameters {
    std::string plugin = "topology/flat";  ///< topology/default and topology/none are flat
    bool is_dragonfly = false;
    bool is_optional = false;  ///< TopoOptional: only for jobs with --switches
    std::uint32_t unrolled_sizes_max =
        0;  ///< TopoMaxSizeUnroll; 0: ranges of nodes stay as they are
    NodeRank node_rank = NodeRank::by_name;
    std::string text;  ///< TopologyParam as written

    static constexpr auto fields(auto list) {
        return list(field("plugin", &TopologyParameters::plugin),
                    field("is_dragonfly", &TopologyParameters::is_dragonfly),
                    field("is_optional", &TopologyParameters::is_optional),
                    field("unrolled_sizes_max", &TopologyParameters::unrolled_sizes_max),
                    field("node_rank", &TopologyParameters::node_rank),
                    field("text", &TopologyParameters::text));
    }
    friend bool operator==(const TopologyParameters&, const TopologyParameters&) = default;
};

/// When a job that its partition would never take is refused (EnforcePartLimits): never, so that it
/// waits. When no partition that it names takes it. When one of them does not.
enum class EnforcePartLimits { no, any, all };

constexpr auto enum_names(EnforcePartLimits) {
    using enum EnforcePartLimits;
    return std::array{named(no, "no"), named(any, "any"), named(all, "all")};
}

/// A licence of the cluster: `matlab:4`, `abaqus@flex1:2`.
struct License {
    std::string name;
    Count count{1};

    static constexpr auto fields(auto list) {
        return list(field("name", &License::name), field("count", &License::count));
    }
    friend bool operator==(const License&, const License&) = default;
};

/// Keys of the cluster, those of nodes and partitions left out.
struct ClusterParameters {
    SelectParameters select;
    SchedulerParameters scheduler;
    TopologyParameters topology;
    std::vector<std::string> gres_types;  ///< GresTypes
    JobDefaults defaults;
    EnforcePartLimits enforce_part_limits = EnforcePartLimits::no;
    BillingRule billing_rule = BillingRule::sum;  ///< PriorityFlags
    std::vector<std::string> priority_flags;
    /// AccountingStorageTRES: what is counted beside cpu, mem, energy, node, billing, fs/disk, vmem
    /// and pages.
    std::vector<Tres> tracked;
    Seconds kill_wait{30};    ///< between SIGTERM and SIGKILL
    Seconds over_time_limit;  ///< after which a job is over its time; Seconds::max(): never
    std::vector<License> licenses;
    std::vector<std::string> task_plugins;  ///< TaskPlugin
    /// NodeFeaturesPlugins. They add features that slurm.conf does not name.
    std::vector<std::string> feature_plugins;
    std::string preempt_type = "preempt/none";
    std::vector<PreemptMode> preempt_modes{PreemptMode::off};
    bool allows_system_cores = false;  ///< AllowSpecResourcesUsage: --core-spec says how many

    static constexpr auto fields(auto list) {
        return list(field("select", &ClusterParameters::select),
                    field("scheduler", &ClusterParameters::scheduler),
                    field("topology", &ClusterParameters::topology),
                    field("gres_types", &ClusterParameters::gres_types),
                    field("defaults", &ClusterParameters::defaults),
                    field("enforce_part_limits", &ClusterParameters::enforce_part_limits),
                    field("billing_rule", &ClusterParameters::billing_rule),
                    field("priority_flags", &ClusterParameters::priority_flags),
                    field("tracked", &ClusterParameters::tracked),
                    field("kill_wait", &ClusterParameters::kill_wait),
                    field("over_time_limit", &ClusterParameters::over_time_limit),
                    field("licenses", &ClusterParameters::licenses),
                    field("task_plugins", &ClusterParameters::task_plugins),
                    field("feature_plugins", &ClusterParameters::feature_plugins),
                    field("preempt_type", &ClusterParameters::preempt_type),
                    field("preempt_modes", &ClusterParameters::preempt_modes),
                    field("allows_system_cores", &ClusterParameters::allows_system_cores));
    }
    friend bool operator==(const ClusterParameters&, const ClusterParameters&) = default;
};

}  // namespace trestle::slurm
