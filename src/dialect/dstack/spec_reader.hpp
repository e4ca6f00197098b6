// SPDX-License-Identifier: Apache-2.0
#pragma once

// Walks through YAML of dstack and keeps every mistake.
//
// Layer: dialect/dstack, inside. Main type: SpecReader; a mapping is an array of SpecKey.
// Pitfall: aliases make a small text a large tree, so work and errors are capped.

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../words.hpp"
#include "../yaml.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/spec_error.hpp"

namespace trestle::dstack {

class SpecReader;

/// What a key does to a value of type T.
template <class T>
struct SpecKey {
    std::string_view name;
    void (*apply)(SpecReader&, T&, const YAML::Node& value);
};

/// A key of a mapping, and its value.
struct SpecEntry {
    YAML::Node key;
    YAML::Node value;
};

class SpecReader {
  public:
    explicit SpecReader(BareValue bare) : bare_(bare) {}

    [[nodiscard]] BareValue bare() const { return bare_; }
    [[nodiscard]] const std::vector<SpecError>& errors() const { return errors_; }
    [[nodiscard]] std::vector<SpecError> take_errors() { return std::move(errors_); }
    /// The first error, or ok.
    [[nodiscard]] Status status() const;

    /// The document; nothing, and an error, when there is none.
    [[nodiscard]] std::optional<YAML::Node> load(std::string_view yaml);

    void add(const YAML::Node& at, std::string_view key, TextError error);
    /// An error of the node itself; its token is its text, or the sign that opens it.
    void add(const YAML::Node& at, std::string_view key, std::string_view what,
             std::string_view expected);

    /// Reads a text or number with `read(text)`; false, and an error, when there is none.
    template <class T, class Read>
    bool text(T& target, const YAML::Node& node, std::string_view key, Read read) {
        if (!is_text(node, key)) return false;
        return take(target, node, key, read(node.Scalar()));
    }
    template <class T>
    bool take(T& target, const YAML::Node& node, std::string_view key, TextResult<T> value) {
        if (!value) {
            add(node, key, value.error());
            return false;
        }
        target = *std::move(value);
        return true;
    }

    /// `min..max`, or a mapping {min, max} with at least one of them.
    template <class T>
    bool range(Range<T>& target, const YAML::Node& node, std::string_view key,
               TextResult<Range<T>> (*read)(std::string_view, BareValue)) {
        const auto read_bare = [&](std::string_view text) { return read(text, bare_); };
        if (!node.IsMap()) return text(target, node, key, read_bare);
        const auto ends = ends_of(node);
        return ends && take(target, node, key, read(*ends, bare_));
    }

    /// The entries of a mapping as they stand, then what `<<` merges into it (YAML 1.1): a key that
    /// is there already stays, and of several mappings the first one wins. An error for what cannot
    /// be merged.
    [[nodiscard]] std::vector<SpecEntry> entries(const YAML::Node& mapping);
    /// The value of a key, also of one that is merged; reports no mistakes, because the reader of
    /// the entries does.
    [[nodiscard]] std::optional<YAML::Node> find(const YAML::Node& mapping, std::string_view key);

    /// Calls `visit(known, key, value)` for each key of a mapping that is `name_of` one of
    /// `known_words`; each may stand once.
    template <class Words, class NameOf, class Visit>
    void walk(const YAML::Node& mapping, const Words& known_words, NameOf name_of, Visit visit) {
        std::vector<std::string_view> seen;
        for (const auto& [key, value] : entries(mapping)) {
            if (!key.IsScalar()) {
                add(key, "", "malformed key", "a word");
                continue;
            }
            const std::string& name = key.Scalar();
            const auto known =
                std::find_if(known_words.begin(), known_words.end(),
                             [&](const auto& word) { return name_of(word) == name; });
            if (known == known_words.end()) {
                add(key, "", "unknown key",
                    words::with_nearest("a known key", name, known_words, name_of));
            } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
                add(key, "", "key given twice", "each key once");
            } else {
                seen.push_back(name_of(*known));
                visit(*known, key, value);
            }
        }
    }
    /// Applies every key of a mapping.
    template <class T, std::size_t N>
    void apply(T& target, const YAML::Node& mapping, const std::array<SpecKey<T>, N>& keys) {
        walk(
            mapping, keys, [](const SpecKey<T>& key) { return key.name; },
            [&](const SpecKey<T>& key, const YAML::Node&, const YAML::Node& value) {
                key.apply(*this, target, value);
            });
    }

    /// Calls `visit(item)` for each item of a list that may not be empty.
    template <class Visit>
    void for_each(const YAML::Node& list, std::string_view key, Visit visit) {
        if (!list.IsSequence()) return add(list, key, "no list", "a list, as in [a, b]");
        if (list.size() == 0) add(list, key, "empty list", "one or more");
        for (const YAML::Node& item : list) {
            if (!spend(item)) return;
            visit(item);
        }
    }

    /// The value as YAML in one line that is read as the same; nothing, and an error, when it is
    /// too large with its aliases written out.
    [[nodiscard]] std::optional<std::string> flow_text(const YAML::Node& node);

  private:
    /// False when the text asked for enough work.
    bool spend(const YAML::Node& at);
    bool is_text(const YAML::Node& node, std::string_view key);
    std::optional<std::string> ends_of(const YAML::Node& node);
    /// Adds what `value`, behind `<<`, has and `names` has not.
    void merge(const YAML::Node& value, std::size_t depth, std::set<std::string_view>& names,
               std::vector<SpecEntry>& all);
    bool append_flow(std::string& text, const YAML::Node& node, std::size_t depth);

    BareValue bare_;
    std::vector<SpecError> errors_;
    std::size_t work_ = 0;
};

/// A text in double quotes as YAML reads them.
[[nodiscard]] std::string quoted_yaml(std::string_view text);

}  // namespace trestle::dstack
