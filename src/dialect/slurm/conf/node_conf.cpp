// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/node_conf.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "line_readers.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint32_t cpus_max = 65'536;
constexpr std::uint64_t u32_limit = std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1;

template <class Number>
ValueErrors set_count(Number& target, TextCursor text) {
    std::uint32_t number = 0;
    auto error = read_whole(text, number, {0, cpus_max + 1});
    if (!error && number == 0) {
        number = 1;
        error = MendedError{text.error("nothing of it", "1 or more"), "1"};
    }
    target = number;
    return error;
}

ValueErrors set_names(NodeDraft& draft, TextCursor text) {
    draft.is_default = words::same_word(text.rest(), "DEFAULT");
    return draft.is_default ? std::nullopt : read_hostlist(text, draft.line.names);
}

ValueErrors set_gres(NodeDraft& draft, TextCursor text) {
    return read_node_gres(text, draft.line.gres);
}

ValueErrors set_system_cpus(NodeDraft& draft, TextCursor text) {
    return read_numbers(text, draft.line.system_cpus, "CPU numbers, as in 0-1,8");
}

/// What a word of State means for new work.
constexpr std::array<Word<NodeState>, 15> node_states{{{"UNKNOWN", NodeState::up},
                                                       {"IDLE", NodeState::up},
                                                       {"ALLOC", NodeState::up},
                                                       {"ALLOCATED", NodeState::up},
                                                       {"MIXED", NodeState::up},
                                                       {"CLOUD", NodeState::up},
                                                       {"EXTERNAL", NodeState::up},
                                                       {"DRAIN", NodeState::drained},
                                                       {"DRAINED", NodeState::drained},
                                                       {"DRAINING", NodeState::drained},
                                                       {"DOWN", NodeState::down},
                                                       {"ERROR", NodeState::down},
                                                       {"FAIL", NodeState::down},
                                                       {"FAILING", NodeState::down},
                                                       {"FUTURE", NodeState::down}}};
constexpr std::array<Word<NodeState>, 21> state_flags{
    {{"DRAIN", NodeState::drained},    {"FAIL", NodeState::down},
     {"NO_RESPOND", NodeState::up},    {"NOT_RESPONDING", NodeState::up},
     {"CLOUD", NodeState::up},         {"COMPLETING", NodeState::up},
     {"MAINTENANCE", NodeState::up},   {"MAINT", NodeState::up},
     {"RESERVED", NodeState::up},      {"PLANNED", NodeState::up},
     {"POWERED_DOWN", NodeState::up},  {"POWERING_DOWN", NodeState::up},
     {"POWERING_UP", NodeState::up},   {"POWER_DOWN", NodeState::up},
     {"POWER_UP", NodeState::up},      {"REBOOT", NodeState::up},
     {"REBOOT_ISSUED", NodeState::up}, {"REBOOT_REQUESTED", NodeState::up},
     {"BLOCKED", NodeState::up},       {"INVALID_REG", NodeState::down},
     {"DYNAMIC_NORM", NodeState::up}}};

/// `DOWN`, `IDLE+DRAIN`, `idle*`: a state, flags, and the mark that sinfo puts behind.
ValueErrors read_state(TextCursor text, NodeState& state) {
    constexpr std::string_view marks = "*~#!%$@^-+";
    const TextCursor start = text;
    std::string_view all = text.rest();
    if (all.size() > 1 && marks.find(all.back()) != marks.npos) all.remove_suffix(1);
    text = TextCursor(all, start.offset());
    const std::size_t offset = text.offset();
    ValueErrors errors =
        read_choice(TextCursor(text.take_until("+"), offset), state, node_states, "state");
    while (text.accept('+') && errors.all().size() < errors_of_value_max) {
        NodeState flag = NodeState::up;
        const std::size_t at = text.offset();
        errors.add(read_choice(TextCursor(text.take_until("+"), at), flag, state_flags, "state"));
        state = std::max(state, flag);
    }
    return errors;
}

ValueErrors set_state(NodeDraft& draft, TextCursor text) {
    draft.line.state_text = text.rest();
    return read_state(text, draft.line.state);
}

ValueErrors set_topology(NodeDraft& draft, TextCursor text) {
    constexpr std::string_view expected = "topology:unit, joined by commas";
    draft.line.topology.clear();
    return for_each_piece(text, expected, [&](TextCursor piece) -> ValueErrors {
        const TextCursor start = piece;
        TopologyUnit unit;
        unit.topology = piece.take_until(":");
        piece.accept(':');
        unit.unit = piece.rest();
        if (unit.topology.empty() || unit.unit.empty()) {
            return start.error("malformed topology", expected);
        }
        draft.line.topology.push_back(std::move(unit));
        return std::nullopt;
    });
}

ValueErrors set_weights(NodeDraft& draft, TextCursor text) {
    const auto weights = read_billing_weights(text);
    if (!weights) return weights.error();
    draft.line.weights = *weights;
    return std::nullopt;
}

constexpr std::array<Key<NodeDraft>, 30> node_keys{{
    {"NodeName", &set_names},
    {"CPUs", [](NodeDraft& d, TextCursor t) { return set_count(d.cpus, t); }},
    {"Procs", [](NodeDraft& d, TextCursor t) { return set_count(d.cpus, t); }},
    {"Boards", [](NodeDraft& d, TextCursor t) { return set_count(d.boards, t); }},
    {"Sockets", [](NodeDraft& d, TextCursor t) { return set_count(d.sockets, t); }},
    {"SocketsPerBoard",
     [](NodeDraft& d, TextCursor t) { return set_count(d.sockets_per_board, t); }},
    {"CoresPerSocket",
     [](NodeDraft& d, TextCursor t) { return set_count(d.line.cores_per_socket, t); }},
    {"ThreadsPerCore",
     [](NodeDraft& d, TextCursor t) { return set_count(d.line.threads_per_core, t); }},
    {"RealMemory", [](NodeDraft& d, TextCursor t) { return read_mebibytes(t, d.line.memory); }},
    {"MemSpecLimit",
     [](NodeDraft& d, TextCursor t) { return read_mebibytes(t, d.line.memory_reserved); }},
    {"CoreSpecCount",
     [](NodeDraft& d, TextCursor t) {
         return read_whole(t, d.line.system_core_count, {0, cpus_max + 1});
     }},
    {"CpuSpecList", &set_system_cpus},
    {"RestrictedCoresPerGPU",
     [](NodeDraft& d, TextCursor t) {
         return read_whole(t, d.line.restricted_cores_per_gpu, {0, cpus_max + 1});
     },
     known_since("24.05")},
    {"TmpDisk", [](NodeDraft& d, TextCursor t) { return read_mebibytes(t, d.line.tmp_disk); }},
    {"Weight",
     [](NodeDraft& d, TextCursor t) {
         return read_whole(t, d.line.weight, {0, u32_limit});
     }},
    {"Feature", [](NodeDraft& d, TextCursor t) { return read_words(t, d.line.features); }},
    {"Features", [](NodeDraft& d, TextCursor t) { return read_words(t, d.line.features); }},
    {"Gres", &set_gres},
    {"State", &set_state},
    {"Reason", [](NodeDraft& d, TextCursor t) { return read_word(t, d.line.reason); }},
    {"Topology", &set_topology, known_since("25.05")},
    {"TRESWeights", &set_weights, known_since("17.02")},
    {"Parameters", [](NodeDraft& d, TextCursor t) { return read_words(t, d.line.parameters); },
     known_since("25.11")},
    {"NodeAddr", nullptr},
    {"NodeHostname", nullptr},
    {"BcastAddr", nullptr},
    {"Port", nullptr},
    {"CpuBind", nullptr},
    {"GresConf", nullptr, known_since("25.05")},
    {"SuspendTime", nullptr, known_since("26.05")},
}};

/// What error_at_key() finds the place for.
TextError error_of_line(std::string_view token, std::string what, std::string expected) {
    return {0, std::string(token), std::move(what), std::move(expected)};
}

/// Settles sockets, cores and threads of a line whose keys have all been read. `all_cores`: how
/// many, absent where there are too many.
ValueErrors settle_cpus(NodeDraft& draft, std::optional<std::uint32_t>& all_cores) {
    NodeLine& line = draft.line;
    line.boards = draft.boards.value_or(1);
    const std::uint64_t per_socket = std::uint64_t{line.cores_per_socket} * line.threads_per_core;
    std::uint64_t sockets = line.boards;
    if (draft.sockets_per_board) {
        sockets *= *draft.sockets_per_board;
    } else if (draft.sockets) {
        sockets = *draft.sockets;
    } else if (draft.cpus && *draft.cpus % per_socket == 0) {
        sockets = *draft.cpus / per_socket;
    }
    const std::uint64_t cores = sockets * line.cores_per_socket;
    line.cpu_ids_per_core = line.threads_per_core;
    if (draft.cpus && *draft.cpus == cores) line.threads_per_core = 1;
    const std::uint64_t threads = cores * line.threads_per_core;
    if (cores > cpus_max || threads > cpus_max) {
        return error_of_line("NodeName", "too many CPUs",
                             "at most " + std::to_string(cpus_max) + " a node");
    }
    line.sockets = static_cast<std::uint32_t>(sockets);
    all_cores = static_cast<std::uint32_t>(cores);
    const bool is_by_socket = draft.cpus && *draft.cpus == sockets && sockets != cores;
    if (is_by_socket) {
        return error_of_line("CPUs=" + std::to_string(*draft.cpus), "CPUs that are sockets",
                             std::to_string(threads) + " or " + std::to_string(cores));
    }
    if (draft.cpus && *draft.cpus != threads) {
        return MendedError{
            error_of_line("CPUs=" + std::to_string(*draft.cpus), "CPUs that do not add up",
                          std::to_string(threads) + " (sockets x cores x threads) or " +
                              std::to_string(cores) + " (one a core)"),
            "CPUs=" + std::to_string(threads)};
    }
    return std::nullopt;
}

/// Slurm looks at the boards only where the sockets of all of them are given.
ValueErrors settle_boards(NodeDraft& draft) {
    if (!draft.boards || !draft.sockets || draft.sockets_per_board) return std::nullopt;
    if (*draft.sockets >= *draft.boards) return std::nullopt;
    auto error = MendedError{
        error_of_line(fmt::format("Boards={}", *draft.boards), "more Boards than Sockets",
                      fmt::format("at most {}", *draft.sockets)),
        "Boards=1"};
    draft.boards = 1;
    return error;
}

/// The count that is taken when a list of CPUs is dropped. `source`: it may say both.
void restore_core_count(const ConfLine& source, NodeLine& line) {
    const ConfEntry* const count = source.find("CoreSpecCount");
    if (count == nullptr) return;
    std::uint32_t number = 0;
    if (!read_whole(count->value, number, {0, cpus_max + 1})) line.system_core_count = number;
}

/// Settles which cores are kept for the system, of `cores` at most.
ValueErrors settle_system_cores(const ConfLine& source, NodeLine& line, std::uint32_t cores) {
    ValueErrors errors;
    const std::uint64_t cpus = std::uint64_t{cores} * line.threads_per_core;
    if (const auto last = line.system_cpus.last(); last && last->value() >= cpus) {
        restore_core_count(source, line);
        errors.add(MendedError{error_of_line("CpuSpecList", "a CPU that does not exist",
                                             "0-" + std::to_string(cpus - 1)),
                               fmt::format("CoreSpecCount={}", line.system_core_count)});
        line.system_cpus = {};
    }
    if (!line.system_cpus.is_empty()) line.system_core_count = 0;  // a DEFAULT line had it
    if (line.system_core_count >= cores && line.system_core_count != 0) {
        errors.add(
            MendedError{error_of_line("CoreSpecCount=" + std::to_string(line.system_core_count),
                                      "CoreSpecCount that leaves no core",
                                      "less than " + std::to_string(cores)),
                        "CoreSpecCount=1"});
        line.system_core_count = 1;
    }
    if (!line.system_cpus.is_empty() && system_cores_of(line).count() >= cores) {
        errors.add(MendedError{error_of_line("CpuSpecList", "CpuSpecList that leaves no core",
                                             "less than " + std::to_string(cores) + " cores"),
                               "it, so no job fits"});
    }
    return errors;
}

/// All that one key alone cannot tell. What follows from another mistake is none.
ValueErrors settle_node(const ConfLine& source, NodeDraft& draft) {
    NodeLine& line = draft.line;
    std::optional<std::uint32_t> cores;
    ValueErrors errors = settle_boards(draft);
    errors.add(settle_cpus(draft, cores));
    if (cores) errors.add(settle_system_cores(source, line, *cores));
    if (line.memory_reserved >= line.memory && !line.memory_reserved.is_zero()) {
        errors.add(MendedError{error_of_line("MemSpecLimit", "MemSpecLimit that leaves no memory",
                                             "less than RealMemory"),
                               "MemSpecLimit=0"});
        line.memory_reserved = {};
    }
    return errors;
}

}  // namespace

KnownReleases releases_of_node_key(std::string_view key) { return releases_of_key(node_keys, key); }

void NodeLineReader::read(const ConfLine& source, std::vector<NodeLine>& lines,
                          std::vector<ConfError>& errors, LostNames& lost) {
    NodeDraft draft = defaults_;
    if (!apply_keys(source, node_keys, draft, errors)) {
        if (!draft.is_default) lost.add_nodes(draft.line.names);
        return;
    }
    if (draft.is_default) {
        defaults_ = std::move(draft);
        defaults_.is_default = false;
        return;
    }
    draft.line.place = source.place();
    ValueErrors found = settle_node(source, draft);
    const bool is_lost = static_cast<bool>(found);
    add_errors_at_keys(source, std::move(found), errors);
    if (is_lost) return lost.add_nodes(draft.line.names);
    const ConfEntry& names = source.entries.front();
    names_.push_back(
        {source.place_of(names), std::string(names.value.rest()), names.value.offset()});
    lines.push_back(std::move(draft.line));
}

void NodeSetLineReader::read(const ConfLine& source, std::vector<NodeSetLine>& lines,
                             std::vector<ConfError>& errors, LostNames& lost) {
    constexpr std::array<Key<NodeSetLine>, 3> keys{{
        {"NodeSet", [](NodeSetLine& l, TextCursor t) { return read_word(t, l.name); }},
        {"Nodes", [](NodeSetLine& l, TextCursor t) { return read_hostlist(t, l.nodes); }},
        {"Feature", [](NodeSetLine& l, TextCursor t) { return read_word(t, l.feature); }},
    }};
    NodeSetLine line;
    if (!apply_keys(source, keys, line, errors)) return lost.add_node_set(line.name);
    line.place = source.place();
    if (line.nodes.is_empty() && line.feature.empty()) {
        errors.push_back(
            error_at_key(source, "NodeSet",
                         error_of_line(line.name, "NodeSet of nothing", "Nodes= or Feature=")));
        return lost.add_node_set(line.name);
    }
    if (!names_.insert(line.name).second) {
        errors.push_back(error_at_key(source, "NodeSet",
                                      error_of_line(line.name, "NodeSet twice", "each once")));
        return;
    }
    lines.push_back(std::move(line));
}

void read_down_nodes(const ConfLine& source, std::vector<DownLine>& lines,
                     std::vector<ConfError>& errors) {
    constexpr std::array<Key<DownLine>, 3> keys{{
        {"DownNodes", [](DownLine& l, TextCursor t) { return read_hostlist(t, l.names); }},
        {"State", [](DownLine& l, TextCursor t) { return read_state(t, l.state); }},
        {"Reason", [](DownLine& l, TextCursor t) { return read_word(t, l.reason); }},
    }};
    DownLine line;
    if (!apply_keys(source, keys, line, errors)) return;
    line.place = source.place();
    lines.push_back(std::move(line));
}

CoreSet system_cores_of(const NodeLine& line, SystemCoresFrom from) {
    const std::uint64_t all = std::uint64_t{line.sockets} * line.cores_per_socket;
    TRESTLE_EXPECTS(line.system_core_count <= all && all <= CoreSet::index_limit,
                    "the line has the cores that it keeps for the system");
    TRESTLE_EXPECTS(line.threads_per_core != 0 || line.system_cpus.is_empty(),
                    "a core has a thread");
    CoreSet cores;
    for (const OsIndex cpu : line.system_cpus) {
        cores.insert(CoreId(cpu.value() / line.threads_per_core));
    }
    for (std::uint32_t i = 0; i < line.system_core_count; ++i) {
        const bool is_forward = from == SystemCoresFrom::first;
        const std::uint32_t round = i / line.sockets;
        const std::uint32_t turn = i % line.sockets;
        const std::uint32_t socket = is_forward ? turn : line.sockets - 1 - turn;
        const std::uint32_t core = is_forward ? round : line.cores_per_socket - 1 - round;
        cores.insert(CoreId(socket * line.cores_per_socket + core));
    }
    return cores;
}

}  // namespace trestle::slurm
