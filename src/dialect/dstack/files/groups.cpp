// SPDX-License-Identifier: Apache-2.0
// `groups:` of tasks and services: nodes and replicas that have resources of their own.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "../readers.hpp"
#include "../scalars.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::dstack {
namespace {

constexpr std::array<std::string_view, 5> node_group_keys{"name", "nodes", "resources", "commands",
                                                          "ports"};
constexpr std::array<std::string_view, 14> replica_group_keys{
    "name",     "count", "replicas", "scaling", "resources", "spot_policy", "reservation",
    "commands", "image", "python",   "nvcc",    "docker",    "privileged",  "router"};

/// What a service says for all of its groups or each group for itself.
constexpr std::array<std::string_view, 5> shared_keys{"image", "docker", "privileged", "python",
                                                      "nvcc"};

TextResult<std::string> read_group_name(std::string_view text) {
    const auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || words::is_digit(c) || c == '-';
    };
    const bool is_good = !text.empty() && text.size() <= 40 && text.front() != '-' &&
                         std::all_of(text.begin(), text.end(), is_name);
    if (is_good) return std::string(text);
    return TextCursor(text).error("malformed name of a group",
                                  "up to 40 small letters, digits and -, no - first");
}

TextResult<Range<Count>> read_group_nodes(std::string_view text) {
    const auto count = read_node_count(text);
    if (!count) return count.error();
    return Range<Count>::exactly(*count);
}

TextResult<Range<Count>> read_replicas(std::string_view text, BareValue) {
    const auto range = read_count_range(text);
    if (!range) return range;
    if (!range->max) return TextCursor(text).error("no most replicas", "a count, or min..max");
    return Range<Count>{range->least(), range->max};
}

/// A key of a group, but for name and resources. False: nothing here needs it.
bool read_group_key(SpecReader& reader, RunGroup& group, std::string_view name,
                    const YAML::Node& value) {
    if (name == "nodes") {
        reader.text(group.count, value, name, &read_group_nodes);
    } else if (name == "count" || name == "replicas") {
        reader.range(group.count, value, name, &read_replicas);
    } else if (name == "spot_policy") {
        read_word_in(reader, group.spot_policy, value, name);
    } else if (name == "reservation") {
        read_text_in(reader, group.reservation, value, name);
    } else {
        return false;
    }
    return true;
}

bool says_something(const std::string& value) {
    return value != "null" && value != "false" && value != "[]";
}

const PassthroughKey* find_key(const std::vector<PassthroughKey>& keys, std::string_view name) {
    const auto at = std::find_if(keys.begin(), keys.end(), [&](const PassthroughKey& key) {
        return key.name == name && says_something(key.text);
    });
    return at == keys.end() ? nullptr : &*at;
}

/// What says which image is run; at most one of them.
constexpr std::array<std::string_view, 3> image_keys{"image", "docker", "python"};

void check_images_in(SpecReader& reader, const RunGroup& group, const YAML::Node& node) {
    const PassthroughKey* first = nullptr;
    for (const std::string_view name : image_keys) {
        const PassthroughKey* const key = find_key(group.passthrough, name);
        if (key != nullptr && first != nullptr) {
            reader.add(node, name, "beside " + first->name, "one of the two");
        }
        if (first == nullptr) first = key;
    }
}

void read_group_in(SpecReader& reader, RunKind kind, RunGroup& group, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "groups", "no group", "a mapping");
    bool has_count = kind == RunKind::task;
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if ((name == "count" || name == "replicas") && std::exchange(has_count, true)) {
            reader.add(key, "", "count and replicas", "one of the two");
        }
        if (name == "name") {
            if (!value.IsNull()) reader.text(group.name, value, name, &read_group_name);
        } else if (name == "resources") {
            read_resources_in(reader, group.resources, value);
        } else if (!read_group_key(reader, group, name, value)) {
            carry_in(reader, group.passthrough, key, value);
        }
    };
    if (kind == RunKind::task) {
        reader.walk(node, node_group_keys, std::identity(), read_key);
    } else {
        reader.walk(node, replica_group_keys, std::identity(), read_key);
    }
    if (!has_count) reader.add(node, "groups", "no number of replicas", "count");
    check_images_in(reader, group, node);
    const bool is_range = has_count && group.count.min != group.count.max;
    if (is_range && find_key(group.passthrough, "scaling") == nullptr) {
        reader.add(node, "count", "a range without scaling", "scaling, or a number");
    }
}

}  // namespace

void read_groups_in(SpecReader& reader, RunConfiguration& run, const YAML::Node& node,
                    std::string_view key) {
    if (node.IsNull()) return;
    if (!run.groups.empty()) {
        return reader.add(node, key, "groups and replicas", "one of the two");
    }
    std::set<std::string> names;
    reader.for_each(node, key, [&](const YAML::Node& item) {
        RunGroup& group = run.groups.emplace_back();
        read_group_in(reader, run.kind, group, item);
        if (group.name.empty()) group.name = std::to_string(run.groups.size() - 1);
        if (!names.insert(group.name).second) {
            reader.add(item, key, "two groups of one name", "each name once");
        }
    });
    if (run.kind != RunKind::task) return;
    Count nodes;
    for (const RunGroup& group : run.groups) nodes += group.count.least();
    if (Count(run_nodes_limit) < nodes) {
        reader.add(node, key, "too many nodes", "1 to " + std::to_string(run_nodes_limit));
    } else if (!run.groups.empty()) {
        run.nodes = nodes;
    }
}

void check_groups_in(SpecReader& reader, const RunConfiguration& run, const YAML::Node& mapping) {
    const auto refuse = [&](std::string_view key) {
        const auto value = reader.find(mapping, key);
        const bool is_set = value && !value->IsNull() && !(value->IsSequence() && !value->size());
        if (is_set) reader.add(*value, key, "beside groups", "it in each group");
    };
    refuse("commands");
    if (run.kind == RunKind::task) {
        for (const std::string_view key : {"nodes", "ports", "entrypoint"}) refuse(key);
        return;
    }
    refuse("scaling");
    const auto replicas = reader.find(mapping, "replicas");
    if (replicas && !replicas->IsNull() && !replicas->IsSequence()) refuse("replicas");
    const auto refuse_twice = [&](std::string_view key, bool is_set, auto is_in_group) {
        if (!is_set || !std::any_of(run.groups.begin(), run.groups.end(), is_in_group)) return;
        if (const auto value = reader.find(mapping, key)) {
            reader.add(*value, key, "of the service and of a group", "it in one place");
        }
    };
    for (const std::string_view key : shared_keys) {
        refuse_twice(key, find_key(run.passthrough, key) != nullptr, [&](const RunGroup& group) {
            return std::any_of(
                group.passthrough.begin(), group.passthrough.end(),
                [&](const PassthroughKey& one) { return one.name == key && one.text != "null"; });
        });
    }
    for (const std::string_view key : image_keys) {
        refuse_twice(key, find_key(run.passthrough, key) != nullptr, [&](const RunGroup& group) {
            return std::any_of(image_keys.begin(), image_keys.end(), [&](std::string_view other) {
                return other != key && find_key(group.passthrough, other) != nullptr;
            });
        });
    }
    refuse_twice("spot_policy", run.profile.spot_policy.has_value(),
                 [](const RunGroup& group) { return group.spot_policy.has_value(); });
    refuse_twice("reservation", !run.profile.reservation.empty(),
                 [](const RunGroup& group) { return !group.reservation.empty(); });
}

RunConfiguration run_of(const RunConfiguration& run, const RunGroup& group) {
    TRESTLE_EXPECTS(group.count.min.has_value(), "the group has a least count");
    RunConfiguration one = run;
    one.groups.clear();
    one.resources = group.resources;
    one.nodes = run.kind == RunKind::task ? *group.count.min : Count(1);
    if (group.spot_policy) one.profile.spot_policy = group.spot_policy;
    if (!group.reservation.empty()) one.profile.reservation = group.reservation;
    for (const PassthroughKey& key : group.passthrough) {
        if (key.text == "null") continue;  // not said: the run's counts
        std::erase_if(one.passthrough,
                      [&](const PassthroughKey& known) { return known.name == key.name; });
        one.passthrough.push_back(key);
    }
    return one;
}

}  // namespace trestle::dstack
