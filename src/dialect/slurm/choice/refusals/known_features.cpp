// SPDX-License-Identifier: Apache-2.0
#include "known_features.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "base/nearest_word.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm::choice {
namespace {

using Names = std::vector<std::string>;

Names names_in(const NodeConstraint& constraint) {
    Names names;
    const auto add = [&](const FeatureExpression& features) {
        for (std::string& name : features.names()) names.push_back(std::move(name));
    };
    add(constraint.features);
    for (const FeatureCount& one : constraint.counts) add(one.features);
    for (const FeatureExpression& one : constraint.one_of) add(one);
    return names;
}

void sort_once(Names& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// Requires: the names rise.
bool has_name(const Names& names, std::string_view wanted) {
    return std::binary_search(names.begin(), names.end(), wanted, std::less<>());
}

/// The features of all nodes, each once, in order.
Names features_of(const Cluster& cluster) {
    Names known;
    const auto& classes = cluster.classes();
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        const auto& features = classes[ClassId(i)].features;
        known.insert(known.end(), features.begin(), features.end());
    }
    sort_once(known);
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

/// With `|` in the value only its first name is checked. `of`: the option that names features.
Status check_batch(Names asked, std::string_view batch, std::string_view of) {
    sort_once(asked);
    const bool is_any_of = batch.find('|') != batch.npos;
    const auto wrong = [&](std::string_view name) {
        return invalid_argument("--batch={}: {} is no feature of {}, expected one that it names",
                                batch, name, of);
    };
    if (asked.empty()) return wrong(batch);
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

Status check_features(const JobOptions& options, const Cluster& cluster,
                      const ClusterParameters& parameters) {
    const bool are_all_known = parameters.feature_plugins.empty();
    Names asked;
    Names known;
    if (are_all_known && (options.constraint || options.prefer)) known = features_of(cluster);
    if (options.constraint) {
        asked = names_in(*options.constraint);
        if (are_all_known) {
            TRESTLE_TRY_STATUS(check_known("--constraint", asked, known));
        }
    }
    if (options.prefer) {
        const Names preferred = names_in(*options.prefer);
        if (are_all_known) {
            TRESTLE_TRY_STATUS(check_known("--prefer", preferred, known));
        }
        if (!options.constraint) asked = preferred;
    }
    const auto& carried = options.passthrough;
    const auto batch = std::find_if(carried.rbegin(), carried.rend(),
                                    [](const auto& one) { return one.name == "batch"; });
    if (batch == carried.rend()) return {};
    return check_batch(std::move(asked), batch->value.value_or(""),
                       options.constraint || !options.prefer ? "--constraint" : "--prefer");
}

}  // namespace trestle::slurm::choice
