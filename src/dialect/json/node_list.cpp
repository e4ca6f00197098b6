// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/detail/node_list.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trestle/base/hash.hpp"
#include "trestle/dialect/json/codec.hpp"

namespace trestle::json::detail {
namespace {

constexpr std::string_view shape_name = "shape";

/// Finds the first node of a list that has a shape. Equal shapes are one, also where they are two
/// objects in memory.
class FirstNodes {
  public:
    /// The position of the first node with the shape, which is `position` if there is none before.
    std::size_t first_with(const Shared<NodeShape>& shape, std::size_t position) {
        const auto [known, is_new] = by_object_.try_emplace(&*shape, position);
        if (!is_new) return known->second;
        const std::uint64_t hash = hash_of(*shape);
        const auto [begin, end] = by_value_.equal_range(hash);
        const auto equal =
            std::find_if(begin, end, [&](const auto& one) { return *one.second.shape == *shape; });
        if (equal != end) return known->second = equal->second.position;
        by_value_.emplace(hash, First{&*shape, position});
        return position;
    }

  private:
    struct First {
        const NodeShape* shape;
        std::size_t position;
    };
    std::unordered_map<const NodeShape*, std::size_t> by_object_;
    std::unordered_multimap<std::uint64_t, First> by_value_;
};

/// The position of an earlier node that a node's shape is; absent: the shape stands in the node.
std::optional<std::uint64_t> earlier_node(const Value& node) {
    const auto* const object = std::get_if<Object>(&node.data);
    if (object == nullptr) return std::nullopt;
    for (const Member& member : *object) {
        if (member.name != shape_name) continue;
        if (const auto* at = std::get_if<std::uint64_t>(&member.value.data)) return *at;
    }
    return std::nullopt;
}

Value without_shape(const Value& node) {
    Object object = std::get<Object>(node.data);
    std::erase_if(object, [](const Member& member) { return member.name == shape_name; });
    return {std::move(object)};
}

}  // namespace

Value Codec<std::vector<Node>>::write(const std::vector<Node>& nodes) {
    static const Shared<NodeShape> none;
    FirstNodes firsts;
    List list;
    list.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t first = firsts.first_with(nodes[i].shape, i);
        if (first == i || nodes[i].shape == none) {
            list.push_back(Codec<Node>::write(nodes[i]));
            continue;
        }
        Node rest = nodes[i];
        rest.shape = none;
        Value value = Codec<Node>::write(rest);
        auto& members = std::get<Object>(value.data);
        const std::ptrdiff_t behind_name = rest.name.empty() ? 0 : 1;
        members.insert(members.begin() + behind_name,
                       {std::string(shape_name), {std::uint64_t{first}}});
        list.push_back(std::move(value));
    }
    return {std::move(list)};
}

bool Codec<std::vector<Node>>::read(const Value& value, const Place& place,
                                    std::vector<Node>& result) {
    const auto* const list = std::get_if<List>(&value.data);
    if (list == nullptr) return place.unexpected(value, "a list");
    result.clear();
    result.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Value& one = (*list)[i];
        const Place here = place.element(i);
        const auto earlier = earlier_node(one);
        if (earlier && *earlier >= i) {
            return here.member(shape_name)
                .fail(std::to_string(*earlier), "an object, or the position of a node before it");
        }
        Node node;
        if (!Codec<Node>::read(earlier ? without_shape(one) : one, here, node)) return false;
        if (earlier) node.shape = result[*earlier].shape;
        result.push_back(std::move(node));
    }
    return true;
}

}  // namespace trestle::json::detail
