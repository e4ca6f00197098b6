// SPDX-License-Identifier: Apache-2.0
#include "known_features.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "base/nearest_word.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm::choice {
namespace {

using Names = std::vector<std::string>;

/// Of the text of an expression, in which names with operators or blanks stand in quotes.
void add_names(const FeatureExpression& features, Names& names) {
    const std::string said = to_text(features);
    TextCursor text(said);
    while (!text.at_end()) {
        std::string name;
        if (text.accept('"')) {
            while (!text.at_end() && !text.accept('"')) {
                text.accept('\\');
                name += text.peek();
                text.accept(text.peek());
            }
        } else {
            name = text.take_until("&|!()");
            if (name.empty()) text.accept(text.peek());
        }
        if (!name.empty()) names.push_back(std::move(name));
    }
}

Names names_in(const NodeConstraint& constraint) {
    Names names;
    add_names(constraint.features, names);
    for (const FeatureCount& one : constraint.counts) add_names(one.features, names);
    for (const FeatureExpression& one : constraint.one_of) add_names(one, names);
    return names;
}

bool has_name(const Names& names, std::string_view wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
}

/// Of all nodes.
Names features_of(const Cluster& cluster) {
    Names known;
    const auto& classes = cluster.classes();
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        const auto& features = classes[ClassId(i)].features;
        known.insert(known.end(), features.begin(), features.end());
    }
    return known;
}

Status check_known(std::string_view option, const Names& asked, const Names& known) {
    for (const std::string& name : asked) {
        if (has_name(known, name)) continue;
        return invalid_argument(
            "{}", words::with_nearest(
                      fmt::format("{}: no node has the feature {}", option, name), name, known,
                      [](const std::string& one) { return std::string_view(one); }));
    }
    return {};
}

/// With | in it the first name counts alone, else all of them do.
Status check_batch(const Names& asked, std::string_view batch) {
    const bool is_any_of = batch.find('|') != batch.npos;
    const auto wrong = [&](std::string_view name) {
        return invalid_argument("--batch={}: expected features that --constraint names{}", batch,
                                name.empty() ? "" : fmt::format(", unlike {}", name));
    };
    if (asked.empty()) return wrong("");
    for (TextCursor text(batch); !text.at_end();) {
        const std::string_view name = text.take_until("&|");
        text.accept(text.peek());
        if (name.empty()) continue;
        if (!has_name(asked, name)) return wrong(name);
        if (is_any_of) break;
    }
    return {};
}

}  // namespace

Status check_features(const JobOptions& options, const Cluster& cluster) {
    Names asked;
    Names known;
    if (options.constraint || options.prefer) known = features_of(cluster);
    if (options.constraint) {
        asked = names_in(*options.constraint);
        TRESTLE_TRY_STATUS(check_known("--constraint", asked, known));
    }
    if (options.prefer) {
        const Names preferred = names_in(*options.prefer);
        TRESTLE_TRY_STATUS(check_known("--prefer", preferred, known));
        if (!options.constraint) asked = preferred;
    }
    const auto& carried = options.passthrough;
    const auto batch = std::find_if(carried.rbegin(), carried.rend(),
                                    [](const auto& one) { return one.name == "batch"; });
    if (batch == carried.rend()) return {};
    return check_batch(asked, batch->value.value_or(""));
}

}  // namespace trestle::slurm::choice
