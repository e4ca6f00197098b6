// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/node_conf.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "conf_lines.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {
namespace {

using MaybeError = std::optional<TextError>;

constexpr std::uint32_t cpus_max = 65'536;

/// A line while its keys are read: what was given decides what the rest means.
struct NodeDraft {
    NodeLine line;
    std::optional<std::uint32_t> cpus;
    std::optional<std::uint32_t> boards;
    std::optional<std::uint32_t> sockets;
    std::optional<std::uint32_t> sockets_per_board;
    bool is_default = false;
};

template <class Number>
MaybeError set_count(Number& target, TextCursor text) {
    std::uint32_t number = 0;
    auto error = read_whole(text, number, {1, cpus_max + 1});
    target = number;
    return error;
}

MaybeError set_mebibytes(Bytes& target, TextCursor text) {
    std::int64_t amount = 0;
    auto error = read_whole(text, amount, {0, std::uint64_t{1} << 43});
    target = mib(amount);
    return error;
}

MaybeError set_names(NodeDraft& draft, TextCursor text) {
    if (text.rest() == "DEFAULT") {
        draft.is_default = true;
        return std::nullopt;
    }
    const auto names = Hostlist::read(text, {.max_names = names_a_line_max});
    if (!names) return names.error();
    draft.line.names = names->names();
    return std::nullopt;
}

MaybeError set_features(NodeDraft& draft, TextCursor text) {
    draft.line.features.clear();
    do {
        const std::string_view name = text.take_until(",");
        if (name.empty()) return text.error("empty feature", "names joined by commas");
        draft.line.features.emplace_back(name);
    } while (text.accept(','));
    return std::nullopt;
}

MaybeError set_gres(NodeDraft& draft, TextCursor text) {
    const auto list = read_gres(text);
    if (!list) return list.error();
    draft.line.gres = *list;
    return std::nullopt;
}

MaybeError set_state(NodeDraft& draft, TextCursor text) {
    struct State {
        std::string_view name;
        NodeState state;
    };
    constexpr std::array<State, 7> states{{{"UNKNOWN", NodeState::up},
                                           {"IDLE", NodeState::up},
                                           {"CLOUD", NodeState::up},
                                           {"DRAIN", NodeState::drained},
                                           {"DOWN", NodeState::down},
                                           {"FAIL", NodeState::down},
                                           {"FUTURE", NodeState::down}}};
    for (const State& known : states) {
        if (!words::same_word(known.name, text.rest())) continue;
        draft.line.state = known.state;
        return std::nullopt;
    }
    return text.error("unknown state", "UNKNOWN, IDLE, CLOUD, DRAIN, DOWN, FAIL or FUTURE");
}

constexpr std::array<Key<NodeDraft>, 14> node_keys{{
    {"NodeName", &set_names},
    {"CPUs", [](NodeDraft& d, TextCursor t) { return set_count(d.cpus, t); }},
    {"Boards", [](NodeDraft& d, TextCursor t) { return set_count(d.boards, t); }},
    {"Sockets", [](NodeDraft& d, TextCursor t) { return set_count(d.sockets, t); }},
    {"SocketsPerBoard",
     [](NodeDraft& d, TextCursor t) { return set_count(d.sockets_per_board, t); }},
    {"CoresPerSocket",
     [](NodeDraft& d, TextCursor t) { return set_count(d.line.cores_per_socket, t); }},
    {"ThreadsPerCore",
     [](NodeDraft& d, TextCursor t) { return set_count(d.line.threads_per_core, t); }},
    {"RealMemory", [](NodeDraft& d, TextCursor t) { return set_mebibytes(d.line.memory, t); }},
    {"TmpDisk", [](NodeDraft& d, TextCursor t) { return set_mebibytes(d.line.tmp_disk, t); }},
    {"Weight",
     [](NodeDraft& d, TextCursor t) {
         return read_whole(t, d.line.weight,
                           {0, std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1});
     }},
    {"Feature", &set_features},
    {"Features", &set_features},
    {"Gres", &set_gres},
    {"State", &set_state},
}};

TextError error_of_line(std::string_view token, std::string what, std::string expected) {
    return {0, std::string(token), std::move(what), std::move(expected)};
}

/// Settles sockets, cores and threads of a line whose keys have all been read.
MaybeError settle_cpus(NodeDraft& draft) {
    NodeLine& line = draft.line;
    if (draft.sockets && draft.sockets_per_board) {
        return error_of_line("Sockets", "Sockets and SocketsPerBoard", "one of the two");
    }
    if (draft.sockets && draft.boards.value_or(1) > 1) {
        return error_of_line("Sockets", "Sockets with several Boards", "SocketsPerBoard");
    }
    const std::uint64_t per_socket = std::uint64_t{line.cores_per_socket} * line.threads_per_core;
    std::uint64_t sockets = std::uint64_t{draft.boards.value_or(1)} *
                            draft.sockets.value_or(draft.sockets_per_board.value_or(1));
    const bool knows_sockets = draft.sockets || draft.sockets_per_board;
    if (draft.cpus && !knows_sockets && !draft.boards) {
        sockets = std::max<std::uint64_t>(*draft.cpus / per_socket, 1);
    }
    const std::uint64_t cores = sockets * line.cores_per_socket;
    if (draft.cpus && *draft.cpus == cores) line.threads_per_core = 1;
    const std::uint64_t threads = cores * line.threads_per_core;
    if (cores > cpus_max || threads > cpus_max) {
        return error_of_line("NodeName", "too many CPUs",
                             "at most " + std::to_string(cpus_max) + " a node");
    }
    if (draft.cpus && *draft.cpus != threads) {
        return error_of_line("CPUs=" + std::to_string(*draft.cpus), "CPUs that do not add up",
                             std::to_string(threads) + " (sockets x cores x threads) or " +
                                 std::to_string(cores) + " (one a core)");
    }
    line.sockets = static_cast<std::uint32_t>(sockets);
    return std::nullopt;
}

}  // namespace

ConfReading<NodeLine> read_node_conf(std::string_view text) {
    ConfReading<NodeLine> reading;
    NodeDraft defaults;
    std::set<std::string, std::less<>> seen;
    for (const ConfLine& source : split_conf(text, reading.errors)) {
        const ConfEntry& first = source.entries.front();
        if (!words::same_word(first.key.rest(), "NodeName")) {
            reading.errors.push_back({first.line, first.key.error("unknown line", "NodeName=")});
            continue;
        }
        NodeDraft draft = defaults;
        if (!apply_keys(source, node_keys, draft, reading.errors)) continue;
        if (draft.is_default) {
            defaults = draft;
            defaults.is_default = false;
            continue;
        }
        draft.line.line = source.line;
        if (auto error = settle_cpus(draft)) {
            reading.errors.push_back({source.line, *error});
            continue;
        }
        const auto twice =
            std::find_if_not(draft.line.names.begin(), draft.line.names.end(),
                             [&](const std::string& name) { return seen.insert(name).second; });
        if (twice != draft.line.names.end()) {
            reading.errors.push_back(
                {source.line, {0, *twice, "node named twice", "each name once in the file"}});
            continue;
        }
        reading.lines.push_back(std::move(draft.line));
    }
    sort_errors(reading.errors);
    return reading;
}

StatusOr<std::vector<NodeLine>> parse_node_conf(std::string_view text) {
    return lines_or_first_error("slurm.conf", read_node_conf(text));
}

StatusOr<NodeLine> parse_node_line(std::string_view text) {
    TRESTLE_TRY(auto lines, parse_node_conf(text));
    if (lines.size() != 1) {
        return invalid_argument("slurm.conf: {} NodeName lines, expected one", lines.size());
    }
    return std::move(lines.front());
}

}  // namespace trestle::slurm
