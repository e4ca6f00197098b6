// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/node_conf.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "line_readers.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint32_t cpus_max = 65'536;
constexpr std::uint64_t u32_limit = std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1;

template <class Number>
MaybeError set_count(Number& target, TextCursor text) {
    std::uint32_t number = 0;
    auto error = read_whole(text, number, {1, cpus_max + 1});
    target = number;
    return error;
}

MaybeError set_names(NodeDraft& draft, TextCursor text) {
    draft.is_default = words::same_word(text.rest(), "DEFAULT");
    return draft.is_default ? std::nullopt : read_hostlist(text, draft.line.names);
}

MaybeError set_gres(NodeDraft& draft, TextCursor text) {
    const auto list = read_node_gres(text);
    if (!list) return list.error();
    draft.line.gres = *list;
    return std::nullopt;
}

MaybeError set_system_cpus(NodeDraft& draft, TextCursor text) {
    const auto cpus = parse_set<PuSet>(text, {.max_members = cpus_max});
    if (!cpus) return cpus.error();
    if (cpus->is_empty()) return text.error("no CPUs", "CPU numbers, as in 0-1,8");
    draft.line.system_cpus = *cpus;
    return std::nullopt;
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
MaybeError read_state(TextCursor text, NodeState& state) {
    constexpr std::string_view marks = "*~#!%$@^-+";
    const TextCursor start = text;
    std::string_view all = text.rest();
    if (all.size() > 1 && marks.find(all.back()) != marks.npos) all.remove_suffix(1);
    text = TextCursor(all, start.offset());
    const std::size_t offset = text.offset();
    if (auto error =
            read_choice(TextCursor(text.take_until("+"), offset), state, node_states, "state")) {
        return error;
    }
    while (text.accept('+')) {
        NodeState flag = NodeState::up;
        const std::size_t at = text.offset();
        if (auto error =
                read_choice(TextCursor(text.take_until("+"), at), flag, state_flags, "state")) {
            return error;
        }
        state = std::max(state, flag);
    }
    return std::nullopt;
}

MaybeError set_state(NodeDraft& draft, TextCursor text) {
    draft.line.state_text = text.rest();
    return read_state(text, draft.line.state);
}

MaybeError set_topology(NodeDraft& draft, TextCursor text) {
    constexpr std::string_view expected = "topology:unit, joined by commas";
    draft.line.topology.clear();
    return for_each_piece(text, expected, [&](TextCursor piece) -> MaybeError {
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

MaybeError set_weights(NodeDraft& draft, TextCursor text) {
    const auto weights = read_billing_weights(text);
    if (!weights) return weights.error();
    draft.line.weights = *weights;
    return std::nullopt;
}

constexpr std::array<Key<NodeDraft>, 29> node_keys{{
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
     }},
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
    {"Topology", &set_topology},
    {"TRESWeights", &set_weights},
    {"Parameters", [](NodeDraft& d, TextCursor t) { return read_words(t, d.line.parameters); }},
    {"NodeAddr", nullptr},
    {"NodeHostname", nullptr},
    {"BcastAddr", nullptr},
    {"Port", nullptr},
    {"CpuBind", nullptr},
    {"GresConf", nullptr},
}};

/// What error_at_key() finds the place for.
TextError error_of_line(std::string_view token, std::string what, std::string expected) {
    return {0, std::string(token), std::move(what), std::move(expected)};
}

/// Settles sockets, cores and threads of a line whose keys have all been read.
MaybeError settle_cpus(NodeDraft& draft) {
    NodeLine& line = draft.line;
    line.boards = draft.boards.value_or(1);
    if (draft.sockets && draft.sockets_per_board) {
        return error_of_line("Sockets", "Sockets and SocketsPerBoard", "one of the two");
    }
    if (draft.sockets && line.boards > 1) {
        return error_of_line("Sockets", "Sockets with several Boards", "SocketsPerBoard");
    }
    const std::uint64_t per_socket = std::uint64_t{line.cores_per_socket} * line.threads_per_core;
    std::uint64_t sockets =
        std::uint64_t{line.boards} * draft.sockets.value_or(draft.sockets_per_board.value_or(1));
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

/// Settles what is kept for the system. Requires: settle_cpus went well.
MaybeError settle_system(const NodeLine& line) {
    const std::uint32_t cores = line.sockets * line.cores_per_socket;
    if (line.system_core_count != 0 && !line.system_cpus.is_empty()) {
        return error_of_line("CpuSpecList", "CpuSpecList with CoreSpecCount", "one of the two");
    }
    if (line.system_core_count >= cores && line.system_core_count != 0) {
        return error_of_line("CoreSpecCount=" + std::to_string(line.system_core_count),
                             "CoreSpecCount that leaves no core",
                             "less than " + std::to_string(cores));
    }
    const std::uint32_t cpus = cores * line.threads_per_core;
    if (const auto last = line.system_cpus.last(); last && last->value() >= cpus) {
        return error_of_line("CpuSpecList", "a CPU that does not exist",
                             "0-" + std::to_string(cpus - 1));
    }
    if (system_cores_of(line).count() == cores) {
        return error_of_line("CpuSpecList", "CpuSpecList that leaves no core",
                             "less than " + std::to_string(cores) + " cores");
    }
    if (line.memory_reserved >= line.memory && !line.memory_reserved.is_zero()) {
        return error_of_line("MemSpecLimit", "MemSpecLimit that leaves no memory",
                             "less than RealMemory");
    }
    return std::nullopt;
}

/// Where the item stands that gives a node its name; `again`: the second one, if there is one.
std::size_t offset_of_name(const NamesText& names, const std::string& name, bool again) {
    std::optional<std::size_t> first;
    TextCursor text(names.text, names.offset);
    do {
        const TextCursor start = text;
        std::string item(text.take_until(",["));
        while (text.peek() == '[') {
            item += text.take_until("]");
            item += text.take_until(",[");
        }
        if (item != name && item.find('[') == std::string::npos) continue;
        const auto list = Hostlist::parse(item, names_of_a_line);
        if (!list.ok() || !list->contains(name)) continue;
        if (first || !again) return start.offset();
        first = start.offset();
    } while (text.accept(','));
    return first.value_or(names.offset);
}

/// Finds names that stand twice, half the lines against the other half.
class NameCheck {
  public:
    NameCheck(std::span<const NodeLine> lines, const std::vector<NamesText>& texts,
              std::vector<ConfError>& errors)
        : lines_(lines), texts_(texts), errors_(errors) {}

    void run() { static_cast<void>(collect(0, lines_.size())); }

  private:
    static constexpr std::size_t errors_max = 100;

    void add_error(std::size_t line, std::string name, bool is_in_line) {
        if (found_++ >= errors_max) return;
        const NamesText& text = texts_[line];
        const std::size_t offset = offset_of_name(text, name, is_in_line);
        errors_.push_back({text.place,
                           {offset, std::move(name), "node named twice",
                            "each name once in the "
                            "file"}});
    }
    void check_line(std::size_t at) {
        constexpr std::uint64_t looked_at_max = 1000;
        const Hostlist& names = lines_[at].names;
        std::uint64_t i = 1;
        while (i < std::min(names.size(), looked_at_max) && names.find(names[i]) == i) ++i;
        add_error(at, i < std::min(names.size(), looked_at_max) ? names[i] : "NodeName", true);
    }
    /// The names of the lines; errors for those that stand in both halves of them.
    Hostlist collect(std::size_t begin, std::size_t end) {
        if (begin == end) return {};
        if (end - begin == 1) {
            Hostlist sorted = lines_[begin].names.sorted();
            if (sorted.size() != lines_[begin].names.size()) check_line(begin);
            return sorted;
        }
        const std::size_t middle = begin + (end - begin) / 2;
        const Hostlist first = collect(begin, middle);
        const Hostlist second = collect(middle, end);
        if (const Hostlist twice = first & second; !twice.is_empty()) {
            for (std::size_t i = middle; i < end && found_ < errors_max; ++i) {
                const Hostlist its = lines_[i].names & twice;
                if (!its.is_empty()) add_error(i, its[0], false);
            }
        }
        return first | second;
    }

    std::span<const NodeLine> lines_;
    const std::vector<NamesText>& texts_;
    std::vector<ConfError>& errors_;
    std::size_t found_ = 0;
};

}  // namespace

void NodeLineReader::read(const ConfLine& source, std::vector<NodeLine>& lines,
                          std::vector<ConfError>& errors) {
    NodeDraft draft = defaults_;
    if (!apply_keys(source, node_keys, draft, errors)) return;
    if (draft.is_default) {
        defaults_ = std::move(draft);
        defaults_.is_default = false;
        return;
    }
    draft.line.place = source.place();
    auto error = settle_cpus(draft);
    if (!error) error = settle_system(draft.line);
    if (error) {
        errors.push_back(error_at_key(source, *std::move(error)));
        return;
    }
    const ConfEntry& names = source.entries.front();
    names_.push_back(
        {source.place_of(names), std::string(names.value.rest()), names.value.offset()});
    lines.push_back(std::move(draft.line));
}

void NodeLineReader::check_names_once(const std::vector<NodeLine>& lines,
                                      std::vector<ConfError>& errors) const {
    TRESTLE_EXPECTS(lines.size() == names_.size(), "the lines are those that were read");
    NameCheck(lines, names_, errors).run();
}

void read_node_set(const ConfLine& source, std::vector<NodeSetLine>& lines,
                   std::vector<ConfError>& errors) {
    constexpr std::array<Key<NodeSetLine>, 3> keys{{
        {"NodeSet", [](NodeSetLine& l, TextCursor t) { return read_word(t, l.name); }},
        {"Nodes", [](NodeSetLine& l, TextCursor t) { return read_hostlist(t, l.nodes); }},
        {"Feature", [](NodeSetLine& l, TextCursor t) { return read_word(t, l.feature); }},
    }};
    NodeSetLine line;
    if (!apply_keys(source, keys, line, errors)) return;
    line.place = source.place();
    if (line.nodes.is_empty() && line.feature.empty()) {
        errors.push_back(
            error_at_key(source, "NodeSet",
                         error_of_line(line.name, "NodeSet of nothing", "Nodes= or Feature=")));
        return;
    }
    const bool is_twice = std::any_of(lines.begin(), lines.end(), [&](const NodeSetLine& other) {
        return other.name == line.name;
    });
    if (is_twice) {
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
