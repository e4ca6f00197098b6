// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

#include <array>
#include <limits>

#include "model/topologies.hpp"
#include "topology_builder.hpp"

namespace trestle::slurm {
namespace {

/// A line while its keys are read.
struct TopologyDraft {
    TopologyUnitDraft unit;
    bool has_nodes = false;
    bool has_children = false;
    std::vector<Count> sizes;
};

ValueErrors set_unit_name(TopologyDraft& draft, TextCursor text) {
    constexpr std::size_t name_max = 255;
    draft.unit.offset = text.offset();
    if (text.rest().size() > name_max) {
        return text.error("name too long", std::to_string(name_max) + " characters");
    }
    return read_word(text, draft.unit.name);
}
ValueErrors set_unit_nodes(TopologyDraft& draft, TextCursor text) {
    draft.has_nodes = true;
    if (draft.has_children) return text.error("Nodes with Switches", "one of the two");
    return read_hostlist(text, draft.unit.nodes);
}
ValueErrors set_children(TopologyDraft& draft, TextCursor text) {
    draft.has_children = true;
    if (draft.has_nodes) return text.error("Switches with Nodes", "one of the two");
    return read_hostlist(text, draft.unit.children);
}
ValueErrors check_speed(TopologyDraft&, TextCursor text) {
    std::uint32_t speed = 0;
    return read_whole(text, speed, {0, std::uint64_t{1} << 32});
}
ValueErrors set_sizes(TopologyDraft& draft, TextCursor text) {
    constexpr std::size_t sizes_max = 16;
    draft.unit.offset = text.offset();
    return for_each_piece(text, "sizes joined by commas", [&](TextCursor piece) -> ValueErrors {
        std::int64_t size = 0;
        if (draft.sizes.size() > sizes_max) return std::nullopt;
        auto error = read_whole(piece, size, {1, std::uint64_t{1} << 32});
        draft.sizes.emplace_back(size);
        if (draft.sizes.size() > sizes_max) error.add(piece.error("too many sizes", "16"));
        return error;
    });
}

constexpr std::array<Key<TopologyDraft>, 4> switch_keys{{{"SwitchName", &set_unit_name},
                                                         {"Nodes", &set_unit_nodes},
                                                         {"Switches", &set_children},
                                                         {"LinkSpeed", &check_speed}}};
constexpr std::array<Key<TopologyDraft>, 2> block_keys{
    {{"BlockName", &set_unit_name}, {"Nodes", &set_unit_nodes}}};
constexpr std::array<Key<TopologyDraft>, 1> size_keys{{{"BlockSizes", &set_sizes}}};
constexpr std::array<Key<TopologyDraft>, 2> ring_keys{
    {{"RingName", &set_unit_name}, {"Nodes", &set_unit_nodes}}};

/// Lines of a topology.conf, all of one kind.
class TopologyLines {
  public:
    explicit TopologyLines(TopologyReading& reading) : reading_(reading) {}

    void read(const ConfLine& line) {
        struct Kind {
            std::string_view name;
            TopologyKind value;
        };
        constexpr std::array<Kind, 4> kinds{{{"SwitchName", TopologyKind::tree},
                                             {"BlockName", TopologyKind::block},
                                             {"BlockSizes", TopologyKind::block},
                                             {"RingName", TopologyKind::ring}}};
        const TextCursor key = line.entries.front().key;
        const auto known = find_key(kinds, key.rest());
        if (known == kinds.end()) {
            return add_error(
                line, key.error("unknown line", "SwitchName, BlockName, BlockSizes or RingName"));
        }
        if (kind_ && *kind_ != known->value) {
            return add_error(line, key.error("two kinds of topology", "one in a file"));
        }
        if (!kind_) place_ = line.place();
        kind_ = known->value;
        TopologyDraft draft;
        draft.unit.place = line.place();
        if (known->name == "SwitchName") {
            add_unit(line, switch_keys, std::move(draft));
        } else if (known->name == "BlockName") {
            add_unit(line, block_keys, std::move(draft));
        } else if (known->name == "RingName") {
            add_unit(line, ring_keys, std::move(draft));
        } else {
            set_sizes_of(line, std::move(draft));
        }
    }

    void build(TopologyBuilder builder) {
        if (!kind_) return;
        const std::string name = "default";
        reading_.topology.default_name = name;
        if (*kind_ == TopologyKind::tree) builder.add_tree(name, place_, std::move(units_));
        if (*kind_ == TopologyKind::block)
            builder.add_blocks(name, place_, std::move(units_), sizes_);
        if (*kind_ == TopologyKind::ring) builder.add_rings(name, place_, std::move(units_));
    }

  private:
    void add_error(const ConfLine& line, TextError error) {
        reading_.errors.push_back({line.place(), std::move(error)});
    }

    template <class Keys>
    void add_unit(const ConfLine& line, const Keys& keys, TopologyDraft draft) {
        if (!apply_keys(line, keys, draft, reading_.errors)) return;
        units_.push_back(std::move(draft.unit));
    }

    void set_sizes_of(const ConfLine& line, TopologyDraft draft) {
        if (!apply_keys(line, size_keys, draft, reading_.errors)) return;
        if (sizes_) {
            return add_error(line, line.entries.front().key.error("BlockSizes twice", "once"));
        }
        sizes_ = BlockSizesDraft{line.place(), draft.unit.offset, std::move(draft.sizes)};
    }

    TopologyReading& reading_;
    std::optional<TopologyKind> kind_;
    ConfPlace place_;  ///< of the first line
    std::vector<TopologyUnitDraft> units_;
    std::optional<BlockSizesDraft> sizes_;
};

}  // namespace

TopologyReading read_topology_conf(std::string_view text, const NodeNames& nodes,
                                   const ConfFiles& files, MendedMistakes mended) {
    TopologyReading reading;
    TopologyLines lines(reading);
    for_each_conf_line("topology.conf", text, files, reading.errors,
                       [&](const ConfLine& line) { lines.read(line); });
    lines.build(TopologyBuilder(nodes, reading));
    settle_mistakes(mended, reading.errors, reading.topology.warnings);
    return reading;
}

StatusOr<TopologyConf> parse_topology_conf(std::string_view text, const NodeNames& nodes,
                                           const ConfFiles& files) {
    TopologyReading reading = read_topology_conf(text, nodes, files);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.topology);
}

}  // namespace trestle::slurm
