// SPDX-License-Identifier: Apache-2.0
#include "cluster_keys.hpp"

#include <array>

#include "carried/carried_values.hpp"
#include "shared_keys.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint64_t u16_values = 65'536;

ValueErrors set_select_type(ClusterParameters& p, TextCursor text) {
    if (!text.rest().starts_with("select/")) {
        return text.error("unknown SelectType", "select/cons_tres or another select/...");
    }
    return read_word(text, p.select.type);
}

/// What one word of SelectTypeParameters does.
struct SelectWord {
    std::string_view name;
    void (*apply)(SelectParameters&);
};

template <SelectUnit Unit, bool CountsMemory>
constexpr void set_unit(SelectParameters& select) {
    select.unit = Unit;
    select.counts_memory = CountsMemory;
}
template <bool SelectParameters::*Member>
constexpr void set_true(SelectParameters& select) {
    select.*Member = true;
}
constexpr std::size_t unit_words = 7;  // the first ones exclude each other
constexpr std::array<SelectWord, 17> select_words{{
    {"CR_CPU", &set_unit<SelectUnit::cpu, false>},
    {"CR_CPU_Memory", &set_unit<SelectUnit::cpu, true>},
    {"CR_Core", &set_unit<SelectUnit::core, false>},
    {"CR_Core_Memory", &set_unit<SelectUnit::core, true>},
    {"CR_Socket", &set_unit<SelectUnit::socket, false>},
    {"CR_Socket_Memory", &set_unit<SelectUnit::socket, true>},
    {"CR_Memory", &set_unit<SelectUnit::memory_only, true>},
    {"CR_ONE_TASK_PER_CORE", &set_true<&SelectParameters::has_one_task_per_core>},
    {"CR_CORE_DEFAULT_DIST_BLOCK", &set_true<&SelectParameters::fills_socket_by_socket>},
    {"CR_NO_DIST_TOPO_BLOCK", &set_true<&SelectParameters::ignores_topology_order>},
    {"CR_LLN", &set_true<&SelectParameters::takes_least_loaded>},
    {"CR_PACK_NODES", &set_true<&SelectParameters::packs_nodes>},
    {"LL_SHARED_GRES", &set_true<&SelectParameters::takes_least_loaded_device>},
    {"MULTIPLE_SHARING_GRES_PJ", &set_true<&SelectParameters::shares_several_devices>},
    {"ENFORCE_BINDING_GRES", &set_true<&SelectParameters::enforces_binding>},
    {"ONE_TASK_PER_SHARING_GRES", &set_true<&SelectParameters::has_one_task_per_sharing_device>},
    {"OTHER_CONS_TRES", [](SelectParameters&) {}},
}};

ValueErrors set_select_parameters(ClusterParameters& p, TextCursor text) {
    SelectParameters select;
    select.type = p.select.type;
    bool has_unit = false;
    const TextCursor start = text;
    auto error =
        for_each_piece(text, "words joined by commas", [&](TextCursor word) -> ValueErrors {
            const auto known = find_key(select_words, word.rest());
            if (known == select_words.end()) return unknown_key(select_words, word, {});
            const bool is_unit =
                known - select_words.begin() < static_cast<std::ptrdiff_t>(unit_words);
            if (is_unit && has_unit) {
                return word.error("two units", "one of CR_CPU, CR_Core, CR_Socket and CR_Memory");
            }
            has_unit = has_unit || is_unit;
            known->apply(select);
            return std::nullopt;
        });
    if (!error && select.unit == SelectUnit::cpu && select.has_one_task_per_core) {
        error = start.error("CR_ONE_TASK_PER_CORE with CR_CPU", "CR_Core or CR_Socket");
    }
    if (!error) p.select = select;
    return error;
}

ValueErrors set_scheduler(ClusterParameters& p, TextCursor text) {
    p.scheduler = {};
    p.scheduler.text = text.rest();
    return for_each_piece(text, "words joined by commas", [&](TextCursor word) -> ValueErrors {
        const std::string_view name = word.take_until("=");
        if (words::same_word(name, "pack_serial_at_end")) p.scheduler.packs_serial_at_end = true;
        if (words::same_word(name, "spec_cores_first")) {
            p.scheduler.takes_first_system_cores = true;
        }
        if (!words::same_word(name, "max_switch_wait")) return std::nullopt;
        word.accept('=');
        std::int64_t seconds = 0;
        auto error = read_whole(word, seconds, {0, std::uint64_t{1} << 31});
        p.scheduler.max_switch_wait = Seconds(seconds);
        return error;
    });
}

ValueErrors set_topology_plugin(ClusterParameters& p, TextCursor text) {
    constexpr std::array<Word<std::string_view>, 8> plugins{
        {{"topology/tree", "topology/tree"},
         {"topology/block", "topology/block"},
         {"topology/ring", "topology/ring"},
         {"topology/torus3d", "topology/torus3d"},
         {"topology/3d_torus", "topology/3d_torus"},
         {"topology/flat", "topology/flat"},
         {"topology/default", "topology/flat"},
         {"topology/none", "topology/flat"}}};
    std::string_view plugin;
    auto error = read_choice(text, plugin, plugins, "TopologyPlugin");
    if (!error) p.topology.plugin = plugin;
    return error;
}

ValueErrors set_topology_param(ClusterParameters& p, TextCursor text) {
    TopologyParameters& topology = p.topology;
    topology = {topology.plugin, false, false, 0, NodeRank::by_name, std::string(text.rest())};
    return for_each_piece(text, "words joined by commas", [&](TextCursor word) -> ValueErrors {
        constexpr std::array<Word<int>, 7> known{{{"Dragonfly", 0},
                                                  {"TopoOptional", 1},
                                                  {"RouteTree", 2},
                                                  {"RoutePart", 2},
                                                  {"SwitchAsNodeRank", 4},
                                                  {"BlockAsNodeRank", 5},
                                                  {"TopoMaxSizeUnroll", 3}}};
        const std::size_t offset = word.offset();
        int what = 0;
        if (auto error = read_choice(TextCursor(word.take_until("="), offset), what, known,
                                     "TopologyParam")) {
            error.mend("the other words");
            return error;
        }
        topology.is_dragonfly = topology.is_dragonfly || what == 0;
        topology.is_optional = topology.is_optional || what == 1;
        if (what == 4) topology.node_rank = NodeRank::by_switch;
        if (what == 5) topology.node_rank = NodeRank::by_block;
        if (what != 3) return std::nullopt;
        word.accept('=');
        const TextCursor start = word;
        if (word.accept('-') && word.take_number() && word.at_end()) {  // Slurm does not look
            return MendedError{start.error("a number below zero", "a whole number"), "0"};
        }
        return read_whole(start, topology.unrolled_sizes_max, {0, u16_values});
    });
}

ValueErrors set_enforce(ClusterParameters& p, TextCursor text) {
    using enum EnforcePartLimits;
    constexpr std::array<Word<EnforcePartLimits>, 6> answers{
        {{"NO", no}, {"ANY", any}, {"ALL", all}, {"YES", all}, {"FALSE", no}, {"TRUE", all}}};
    return read_choice(text, p.enforce_part_limits, answers, "answer");
}

ValueErrors set_priority_flags(ClusterParameters& p, TextCursor text) {
    if (auto error = read_words(text, p.priority_flags)) return error;
    p.billing_rule = BillingRule::sum;
    for (const std::string& flag : p.priority_flags) {
        if (words::same_word(flag, "MAX_TRES")) p.billing_rule = BillingRule::max_tres;
        if (words::same_word(flag, "MAX_TRES_GRES")) p.billing_rule = BillingRule::max_tres_gres;
    }
    return std::nullopt;
}

ValueErrors set_tracked(ClusterParameters& p, TextCursor text) {
    p.tracked.clear();
    return for_each_piece(text, "TRES joined by commas", [&](TextCursor word) -> ValueErrors {
        const auto tres = read_tres_name(word);
        if (!tres) return tres.error();
        p.tracked.push_back(*tres);
        return std::nullopt;
    });
}

ValueErrors set_kill_wait(ClusterParameters& p, TextCursor text) {
    std::uint64_t seconds = 0;
    auto error = read_number(text, seconds, {0, u16_values});
    p.kill_wait = Seconds(static_cast<std::int64_t>(seconds));
    return error;
}

/// `name[@server][:count]`, also `name*count` as of old.
ValueErrors set_licenses(ClusterParameters& p, TextCursor text) {
    constexpr std::string_view expected = "name:count, as in matlab:4";
    p.licenses.clear();
    return for_each_piece(text, expected, [&](TextCursor piece) -> ValueErrors {
        const TextCursor start = piece;
        License license;
        license.name = piece.take_until(":*");
        if (license.name.empty()) return start.error("malformed licence", expected);
        if (!piece.at_end()) {
            piece.accept(piece.peek());
            std::int64_t count = 0;
            if (auto error = read_whole(piece, count, {0, std::uint64_t{1} << 32})) return error;
            license.count = Count(count);
        }
        p.licenses.push_back(std::move(license));
        return std::nullopt;
    });
}

template <std::size_t I>
constexpr Key<ClusterParameters> cluster_default_key() {
    return {job_default_names[I], [](ClusterParameters& p, TextCursor text) {
                return read_job_default(job_default_names[I], text, p.defaults);
            }};
}

using P = ClusterParameters;
constexpr std::array<Key<ClusterParameters>, 24> known_cluster_keys{{
    {"SelectType", &set_select_type},
    {"SelectTypeParameters", &set_select_parameters},
    {"SchedulerParameters", &set_scheduler},
    {"TopologyPlugin", &set_topology_plugin},
    {"TopologyParam", &set_topology_param},
    {"GresTypes", [](P& p, TextCursor t) { return read_words(t, p.gres_types); }},
    cluster_default_key<0>(),
    cluster_default_key<1>(),
    cluster_default_key<2>(),
    cluster_default_key<3>(),
    cluster_default_key<4>(),
    cluster_default_key<5>(),
    {"EnforcePartLimits", &set_enforce},
    {"PriorityFlags", &set_priority_flags},
    {"AccountingStorageTRES", &set_tracked},
    {"KillWait", &set_kill_wait},
    {"OverTimeLimit", [](P& p, TextCursor t) { return read_over_time(t, p.over_time_limit); }},
    {"Licenses", &set_licenses},
    {"TaskPlugin", [](P& p, TextCursor t) { return read_words(t, p.task_plugins); }},
    {"NodeFeaturesPlugins", [](P& p, TextCursor t) { return read_words(t, p.feature_plugins); }},
    {"PreemptType",
     [](P& p, TextCursor t) {
         p.preempt_type = t.rest();
         return check_preempt_type(t);
     }},
    {"PreemptMode", [](P& p, TextCursor t) { return read_preempt_modes(t, p.preempt_modes); }},
    {"AllowSpecResourcesUsage",
     [](P& p, TextCursor t) { return read_yes_no(t, p.allows_system_cores); }},
    {"JobDefaults", [](P& p, TextCursor t) { return read_job_defaults(t, p.defaults); }},
}};

}  // namespace

std::span<const Key<ClusterParameters>> cluster_keys() { return known_cluster_keys; }

}  // namespace trestle::slurm
