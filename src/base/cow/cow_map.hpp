// SPDX-License-Identifier: Apache-2.0
#pragma once

// CowMap<Key, Value>: ordered like std::map, copied in O(1).
//
// Layer: base. Copies share the nodes of a B+ tree; a write copies the path to its leaf if copies
// share it, and happens in place if not. Keys need `<`. Threads: copies may be read, copied and
// destroyed from any thread, and each written by one. Complexity: O(log n), where one step of the
// logarithm is a node of 16 to 64 rows.
// Pitfall: any change ends the life of all iterators and pointers into this map (not of those into
// its copies); write(key) gives a pointer that a later copy does not stop.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/cow/detail/cow_tree.hpp"
#include "base/cow/detail/cow_tree_difference.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

/// A key of a CowMap and its value, by reference.
template <class Key, class Value>
struct CowMapEntry {
    const Key& key;
    const Value& value;

    /// What the iterator's -> gives.
    [[nodiscard]] const CowMapEntry* operator->() const { return this; }
};

namespace detail {

template <class Place>
[[nodiscard]] auto key_at(Place place) {
    using Key = std::remove_cvref_t<decltype(place.key())>;
    return place ? std::optional<Key>(place.key()) : std::nullopt;
}

/// Goes through a tree by key, forward.
template <class Key, class Value>
class TreeIterator {
    using Tree = CowTree<Key, Value>;

  public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // the old rules want a real reference
    using difference_type = std::ptrdiff_t;
    using value_type = CowMapEntry<Key, Value>;
    using reference = value_type;

    TreeIterator() = default;
    TreeIterator(const Tree* tree, typename Tree::Place place) : tree_(tree), place_(place) {}

    [[nodiscard]] reference operator*() const { return {place_.key(), place_.value()}; }
    [[nodiscard]] reference operator->() const { return **this; }
    [[nodiscard]] const typename Tree::Place& place() const { return place_; }
    TreeIterator& operator++() {
        place_ = tree_->after(place_);
        return *this;
    }
    TreeIterator operator++(int) {
        const TreeIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const TreeIterator& a, const TreeIterator& b) {
        return a.place_ == b.place_;
    }

  private:
    const Tree* tree_ = nullptr;
    typename Tree::Place place_;
};

}  // namespace detail

/// A map from Key to Value in the order of keys.
template <class Key, class Value>
class CowMap {
    using Tree = detail::CowTree<Key, Value>;

  public:
    using key_type = Key;
    using mapped_type = Value;
    using const_iterator = detail::TreeIterator<Key, Value>;
    using iterator = const_iterator;

    [[nodiscard]] std::size_t size() const { return tree_.size(); }
    [[nodiscard]] bool is_empty() const { return size() == 0; }

    [[nodiscard]] bool contains(const Key& key) const { return bool(tree_.find(key)); }
    /// The value of `key`, or nullptr.
    [[nodiscard]] const Value* find(const Key& key) const {
        const auto place = tree_.find(key);
        return place ? &place.value() : nullptr;
    }
    /// The entry of `key`, or end(). Quicker than find(key) where `near`, an entry of this map or
    /// end(), is a little before it: for keys that mostly rise.
    [[nodiscard]] const_iterator find_near(const const_iterator& near, const Key& key) const {
        return {&tree_, tree_.find(key, near.place())};
    }
    /// The value of `key` to be changed, or nullptr.
    [[nodiscard]] Value* write(const Key& key) { return tree_.write(key); }

    /// True if the key was not there; otherwise nothing is done.
    bool insert(const Key& key, Value value) {
        return tree_.template insert<Tree::IfThere::keep>(key, std::move(value));
    }
    /// True if the key was not there; otherwise its value is replaced.
    bool insert_or_assign(const Key& key, Value value) {
        return tree_.template insert<Tree::IfThere::replace>(key, std::move(value));
    }
    /// True if the key was there.
    bool erase(const Key& key) { return tree_.take(key).has_value(); }
    /// Erases the key. Its value, if it was there: moved out, or copied where copies share its
    /// node.
    std::optional<Value> take(const Key& key) { return tree_.take(key); }
    void clear() { tree_ = {}; }

    [[nodiscard]] const_iterator begin() const { return {&tree_, tree_.first()}; }
    [[nodiscard]] const_iterator end() const { return {&tree_, {}}; }
    /// The first entry whose key is >= `key`.
    [[nodiscard]] const_iterator lower_bound(const Key& key) const {
        return {&tree_, tree_.lower_bound(key)};
    }
    [[nodiscard]] std::optional<Key> first() const { return detail::key_at(tree_.first()); }
    [[nodiscard]] std::optional<Key> last() const { return detail::key_at(tree_.last()); }
    /// The lowest key >= `key`.
    [[nodiscard]] std::optional<Key> next(const Key& key) const {
        return detail::key_at(tree_.lower_bound(key));
    }

    /// visit(key, value) for all, in order; quicker than iterators.
    template <class Visit>
    void for_each(Visit visit) const {
        tree_.for_each(visit);
    }
    /// visit(key) for each key that only one of both has, or that both have with unequal values, in
    /// order. Complexity: what the two do not share.
    template <class Visit>
    void for_each_difference(const CowMap& other, Visit visit) const {
        detail::visit_differences(tree_, other.tree_, [&visit](const Key& key) {
            visit(key);
            return true;
        });
    }

    friend bool operator==(const CowMap& a, const CowMap& b) { return a.tree_ == b.tree_; }
    void hash_into(HashState& state) const {
        state.add(size());
        tree_.for_each([&state](const Key& key, const Value& value) {
            trestle::hash_into(state, key);
            trestle::hash_into(state, value);
        });
    }

  private:
    Tree tree_;
};

}  // namespace trestle
