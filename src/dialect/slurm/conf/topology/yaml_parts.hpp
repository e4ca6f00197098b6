// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of Slurm's YAML files: mappings, lists, names and numbers, read with their places.
//
// Layer: dialect/slurm, inside. Main types: YamlKey, YamlParts. What is wrong becomes an error at
// its place.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../yaml.hpp"
#include "../conf_lines.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

namespace trestle::slurm {

/// What a key of a mapping does.
template <class Target>
struct YamlKey {
    std::string_view name;
    void (Target::*read)(const YAML::Node& value);
};

/// What stands at a place of a file if it is a word, and where in its line.
[[nodiscard]] inline std::size_t offset_of(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return mark.is_null() ? 0 : static_cast<std::size_t>(mark.column);
}
[[nodiscard]] inline std::string token_of(const YAML::Node& node) {
    return node.IsScalar() ? node.Scalar().substr(0, 64) : "";
}

/// Reads parts of a document.
class YamlParts {
    static constexpr std::size_t items_max = 200'000;  // of all: aliases make small texts long
    static constexpr std::size_t errors_max = 1000;    // likewise

  public:
    YamlParts(std::string_view file, std::vector<ConfError>& errors)
        : file_(file), errors_(errors) {}

    /// Where a part stands in the file.
    [[nodiscard]] ConfPlace place_of(const YAML::Node& node) const {
        const YAML::Mark mark = node.Mark();
        return {std::string(file_), mark.is_null() ? 1 : static_cast<std::uint32_t>(mark.line) + 1};
    }
    /// True after so many errors that the rest need not be read.
    [[nodiscard]] bool is_given_up() const { return errors_.size() >= errors_max; }
    void add_error(const YAML::Node& at, std::string what, std::string expected) {
        add_error(at, {offset_of(at), token_of(at), std::move(what), std::move(expected)});
    }
    void add_error(const YAML::Node& at, TextError error) {
        if (!is_given_up()) errors_.push_back({place_of(at), std::move(error)});
    }
    void add_errors(const YAML::Node& at, ValueErrors errors) {
        for (TextError& error : errors.all()) add_error(at, std::move(error));
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
            if (is_given_up()) return;
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
            if (is_given_up()) return;
            if (++items_ > items_max) {
                if (items_ == items_max + 1) {
                    add_error(list, "too many items", fmt::format("at most {}", items_max));
                }
                return;
            }
            visit(item);
        }
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
    std::string_view file_;
    std::vector<ConfError>& errors_;
    std::size_t items_ = 0;
};

}  // namespace trestle::slurm
