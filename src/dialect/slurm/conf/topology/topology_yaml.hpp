// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of topology.yaml: mappings, lists, names and numbers, read with their places.
//
// Layer: dialect/slurm, inside. Main types: YamlKey, YamlParts; read_torus reads one torus.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "../../../yaml.hpp"
#include "topology_builder.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/model/topology/torus.hpp"

namespace trestle::slurm::topology_yaml {

/// What a key of a mapping does.
template <class Target>
struct YamlKey {
    std::string_view name;
    void (Target::*read)(const YAML::Node& value);
};

/// Where a part stands in the file, and what stands there if it is a word.
[[nodiscard]] inline ConfPlace place_of(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return {"topology.yaml", mark.is_null() ? 1 : static_cast<std::uint32_t>(mark.line) + 1};
}
[[nodiscard]] inline std::size_t offset_of(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return mark.is_null() ? 0 : static_cast<std::size_t>(mark.column);
}
[[nodiscard]] inline std::string token_of(const YAML::Node& node) {
    return node.IsScalar() ? node.Scalar().substr(0, 64) : "";
}

/// Reads parts of the document; what is wrong becomes an error there.
class YamlParts {
    static constexpr std::size_t units_max = 200'000;  // of all: aliases make small texts long
    static constexpr std::size_t errors_max = 1000;    // likewise
    static constexpr std::size_t places_max = std::size_t{1} << 22;

  public:
    YamlParts(const NodeNames& nodes, TopologyReading& reading)
        : nodes_(nodes), reading_(reading), builder_(nodes, reading) {}

    void add_error(const YAML::Node& at, std::string what, std::string expected) {
        add_error(at, {offset_of(at), token_of(at), std::move(what), std::move(expected)});
    }
    void add_error(const YAML::Node& at, TextError error) {
        builder_.add_error(place_of(at), std::move(error));
    }
    void add_errors(const YAML::Node& at, ValueErrors errors) {
        for (TextError& error : errors.all()) add_error(at, std::move(error));
    }
    [[nodiscard]] TopologyConf& topology() { return reading_.topology; }
    [[nodiscard]] TopologyBuilder& builder() { return builder_; }
    [[nodiscard]] const NodeNames& nodes() const { return nodes_; }

    void set_first(const std::string& name) {
        if (first_.empty()) first_ = name;
    }
    /// Where no topology is said to be the default one it is the first.
    void settle_default() {
        if (topology().default_name.empty()) topology().default_name = first_;
    }

    /// Applies every key of a mapping, each once at most.
    template <class Target, std::size_t N>
    void apply(Target& target, const YAML::Node& mapping,
               const std::array<YamlKey<Target>, N>& keys) {
        if (!mapping.IsMap()) {
            return add_error(mapping, "no mapping", "keys with values");
        }
        std::set<std::string_view> seen;
        for (const auto& entry : mapping) {
            if (builder_.is_given_up()) return;
            const std::string name = token_of(entry.first);
            const auto known = std::find_if(keys.begin(), keys.end(),
                                            [&](const auto& key) { return key.name == name; });
            if (known == keys.end()) {
                add_error(entry.first, "unknown key",
                          words::with_nearest("a known key", name, keys,
                                              [](const auto& key) { return key.name; }));
            } else if (!seen.insert(known->name).second) {
                add_error(entry.first, "key given twice", "each key once");
            } else {
                (target.*known->read)(entry.second);
            }
        }
    }

    /// visit(item) for each of a list.
    template <class Visit>
    void for_each(const YAML::Node& list, const Visit& visit) {
        if (!list.IsSequence()) return add_error(list, "no list", "a list");
        for (const auto& item : list) {
            if (builder_.is_given_up()) return;
            if (++units_ > units_max) {
                if (units_ == units_max + 1) {
                    add_error(list, "too many items", fmt::format("at most {}", units_max));
                }
                return;
            }
            visit(item);
        }
    }

    /// False when the tori and regions of the file have too many places.
    [[nodiscard]] bool take_places(std::size_t count) {
        if (count > places_left_) return false;
        places_left_ -= count;
        return true;
    }

    void read(const YAML::Node& node, std::string& text) {
        constexpr std::size_t name_max = 255;
        if (!node.IsScalar() || node.Scalar().empty() || node.Scalar().size() > name_max) {
            return add_error(node, "no name", "a name of at most 255 characters");
        }
        text = node.Scalar();
    }
    void read(const YAML::Node& node, bool& answer) {
        if (!node.IsScalar()) return add_error(node, "unknown answer", "true or false");
        if (auto error = read_yes_no(TextCursor(node.Scalar(), offset_of(node)), answer)) {
            if (words::same_word(node.Scalar(), "on") || words::same_word(node.Scalar(), "off")) {
                answer = words::same_word(node.Scalar(), "on");
                return;
            }
            add_error(node, "unknown answer", "true or false");
        }
    }
    void read(const YAML::Node& node, Hostlist& list) {
        if (!node.IsScalar()) return add_error(node, "no names", "names, as in n[1-4]");
        add_errors(node, read_hostlist(TextCursor(node.Scalar(), offset_of(node)), list));
    }
    void read(const YAML::Node& node, std::uint32_t& number) {
        const std::string text = token_of(node);
        add_errors(node, read_whole(TextCursor(text, offset_of(node)), number,
                                    {0, std::uint64_t{1} << 32}));
    }

  private:
    const NodeNames& nodes_;
    TopologyReading& reading_;
    TopologyBuilder builder_;
    std::string first_;  ///< topology of the file
    std::size_t units_ = 0;
    std::size_t places_left_ = places_max;
};

/// A torus of a list, unless it has no name or no size that can be; `taken` are the nodes of the
/// tori before it, and of it afterwards.
[[nodiscard]] std::optional<Torus> read_torus(YamlParts& parts, NodeSet& taken,
                                              const YAML::Node& node);

}  // namespace trestle::slurm::topology_yaml
