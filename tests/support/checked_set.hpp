// SPDX-License-Identifier: Apache-2.0
// CheckedSet: a drop-in for SmallSet and IndexSet that runs every operation also on a std::set and
// throws Disagreement when the two differ. Needs no test framework, so that fuzz targets use it
// too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/hash.hpp"
#include "trestle/base/interval.hpp"

namespace trestle {

using ModelSet = std::set<std::uint32_t>;
using ModelRun = Interval<std::uint32_t>;

struct Disagreement : std::logic_error {
    using std::logic_error::logic_error;
};

/// What each question should answer, in the plainest words.
namespace model {

[[nodiscard]] inline std::optional<std::uint32_t> at(const ModelSet& set, ModelSet::iterator it) {
    return it == set.end() ? std::nullopt : std::optional(*it);
}
[[nodiscard]] inline std::optional<std::uint32_t> first(const ModelSet& set) {
    return at(set, set.begin());
}
[[nodiscard]] inline std::optional<std::uint32_t> last(const ModelSet& set) {
    return set.empty() ? std::nullopt : std::optional(*set.rbegin());
}
[[nodiscard]] inline std::optional<std::uint32_t> next(const ModelSet& set, std::uint32_t i) {
    return at(set, set.lower_bound(i));
}
[[nodiscard]] inline std::optional<std::uint32_t> nth(const ModelSet& set, std::uint32_t k) {
    if (k >= set.size()) return std::nullopt;
    return *std::next(set.begin(), static_cast<std::ptrdiff_t>(k));
}
[[nodiscard]] inline std::uint32_t count_in(const ModelSet& set, ModelRun run) {
    return static_cast<std::uint32_t>(
        std::count_if(set.begin(), set.end(), [&](std::uint32_t i) { return run.contains(i); }));
}
[[nodiscard]] inline std::optional<ModelRun> first_run(const ModelSet& set, std::uint32_t k) {
    if (k == 0) return ModelRun{0, 0};
    std::uint32_t length = 0;
    for (const std::uint32_t i : set) {
        length = i != 0 && set.contains(i - 1) ? length + 1 : 1;
        if (length == k) return ModelRun{i + 1 - k, i + 1};
    }
    return std::nullopt;
}
[[nodiscard]] inline ModelSet first_k(const ModelSet& set, std::uint32_t k) {
    const auto size = std::min<std::size_t>(k, set.size());
    return {set.begin(), std::next(set.begin(), static_cast<std::ptrdiff_t>(size))};
}
template <class Algorithm>
[[nodiscard]] ModelSet combine(const ModelSet& a, const ModelSet& b, Algorithm algorithm) {
    ModelSet both;
    algorithm(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}
[[nodiscard]] inline ModelSet unite(const ModelSet& a, const ModelSet& b) {
    return combine(a, b, [](auto... x) { return std::set_union(x...); });
}
[[nodiscard]] inline ModelSet intersect(const ModelSet& a, const ModelSet& b) {
    return combine(a, b, [](auto... x) { return std::set_intersection(x...); });
}
[[nodiscard]] inline ModelSet subtract(const ModelSet& a, const ModelSet& b) {
    return combine(a, b, [](auto... x) { return std::set_difference(x...); });
}
[[nodiscard]] inline ModelSet differ(const ModelSet& a, const ModelSet& b) {
    return combine(a, b, [](auto... x) { return std::set_symmetric_difference(x...); });
}

}  // namespace model

/// Returns `got`, which has to equal `expected`.
template <class T, class U>
T agreed(const char* operation, T got, const U& expected) {
    if (!(got == expected)) throw Disagreement(std::string(operation) + " differs from std::set");
    return got;
}

template <class Set>
class CheckedSet {
  public:
    using value_type = std::uint32_t;
    using const_iterator = typename Set::const_iterator;

    static constexpr std::uint32_t index_limit = Set::index_limit;

    CheckedSet() = default;
    [[nodiscard]] static CheckedSet of(std::initializer_list<std::uint32_t> members) {
        return CheckedSet(Set::of(members), ModelSet(members));
    }
    [[nodiscard]] static CheckedSet range(ModelRun run) {
        CheckedSet set;
        set.insert_range(run);
        return agreed("range", CheckedSet(Set::range(run), set.model_), set);
    }

    void insert(std::uint32_t i) {
        set_.insert(i);
        model_.insert(i);
        check();
    }
    void insert_range(ModelRun run) {
        set_.insert_range(run);
        for (std::uint32_t i = run.first; i < run.end; ++i) model_.insert(i);
        check();
    }
    void erase(std::uint32_t i) {
        set_.erase(i);
        model_.erase(i);
        check();
    }
    void erase_range(ModelRun run) {
        set_.erase_range(run);
        std::erase_if(model_, [&](std::uint32_t i) { return run.contains(i); });
        check();
    }
    void clear() {
        set_.clear();
        model_.clear();
        check();
    }

    [[nodiscard]] bool contains(std::uint32_t i) const {
        return agreed("contains", set_.contains(i), model_.contains(i));
    }
    [[nodiscard]] bool contains_all(const CheckedSet& other) const {
        return agreed("contains_all", set_.contains_all(other.set_),
                      model::subtract(other.model_, model_).empty());
    }
    [[nodiscard]] bool intersects(const CheckedSet& other) const {
        return agreed("intersects", set_.intersects(other.set_),
                      !model::intersect(model_, other.model_).empty());
    }
    [[nodiscard]] bool is_empty() const {
        return agreed("is_empty", set_.is_empty(), model_.empty());
    }
    [[nodiscard]] std::uint32_t count() const {
        return agreed("count", set_.count(), model_.size());
    }
    [[nodiscard]] std::uint32_t count_in(ModelRun run) const {
        return agreed("count_in", set_.count_in(run), model::count_in(model_, run));
    }
    [[nodiscard]] std::uint32_t count_and(const CheckedSet& other) const {
        return agreed("count_and", set_.count_and(other.set_),
                      model::intersect(model_, other.model_).size());
    }
    [[nodiscard]] std::optional<std::uint32_t> first() const {
        return agreed("first", set_.first(), model::first(model_));
    }
    [[nodiscard]] std::optional<std::uint32_t> last() const {
        return agreed("last", set_.last(), model::last(model_));
    }
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        return agreed("next", set_.next(i), model::next(model_, i));
    }
    [[nodiscard]] std::optional<std::uint32_t> nth(std::uint32_t k) const {
        return agreed("nth", set_.nth(k), model::nth(model_, k));
    }
    [[nodiscard]] std::uint32_t rank(std::uint32_t i) const {
        return agreed("rank", set_.rank(i), model::count_in(model_, {0, i}));
    }
    [[nodiscard]] std::optional<ModelRun> first_run(std::uint32_t k) const {
        return agreed("first_run", set_.first_run(k), model::first_run(model_, k));
    }
    [[nodiscard]] CheckedSet first_k(std::uint32_t k) const {
        return CheckedSet(set_.first_k(k), model::first_k(model_, k));
    }
    [[nodiscard]] CheckedSet complement(ModelRun run) const {
        CheckedSet all = range(run);
        return CheckedSet(set_.complement(run), model::subtract(all.model_, model_));
    }

    CheckedSet& operator|=(const CheckedSet& other) {
        return change([&] { set_ |= other.set_; }, model::unite(model_, other.model_));
    }
    CheckedSet& operator&=(const CheckedSet& other) {
        return change([&] { set_ &= other.set_; }, model::intersect(model_, other.model_));
    }
    CheckedSet& operator-=(const CheckedSet& other) {
        return change([&] { set_ -= other.set_; }, model::subtract(model_, other.model_));
    }
    CheckedSet& operator^=(const CheckedSet& other) {
        return change([&] { set_ ^= other.set_; }, model::differ(model_, other.model_));
    }
    [[nodiscard]] friend CheckedSet operator|(const CheckedSet& a, const CheckedSet& b) {
        return CheckedSet(a.set_ | b.set_, model::unite(a.model_, b.model_));
    }
    [[nodiscard]] friend CheckedSet operator&(const CheckedSet& a, const CheckedSet& b) {
        return CheckedSet(a.set_ & b.set_, model::intersect(a.model_, b.model_));
    }
    [[nodiscard]] friend CheckedSet operator-(const CheckedSet& a, const CheckedSet& b) {
        return CheckedSet(a.set_ - b.set_, model::subtract(a.model_, b.model_));
    }
    [[nodiscard]] friend CheckedSet operator^(const CheckedSet& a, const CheckedSet& b) {
        return CheckedSet(a.set_ ^ b.set_, model::differ(a.model_, b.model_));
    }

    [[nodiscard]] const_iterator begin() const { return set_.begin(); }
    [[nodiscard]] const_iterator end() const { return set_.end(); }

    friend bool operator==(const CheckedSet& a, const CheckedSet& b) {
        const bool is_equal = agreed("==", a.set_ == b.set_, a.model_ == b.model_);
        if (is_equal) agreed("hash of equal sets", hash_of(a.set_), hash_of(b.set_));
        return is_equal;
    }
    friend auto operator<=>(const CheckedSet& a, const CheckedSet& b) {
        return agreed("<=>", a.set_ <=> b.set_, a.model_ <=> b.model_);
    }
    void hash_into(HashState& state) const { set_.hash_into(state); }

    [[nodiscard]] const Set& set() const { return set_; }
    [[nodiscard]] const ModelSet& model() const { return model_; }

  private:
    CheckedSet(Set set, ModelSet model) : set_(std::move(set)), model_(std::move(model)) {
        check();
    }
    template <class Action>
    CheckedSet& change(Action action, ModelSet model) {
        action();
        model_ = std::move(model);
        check();
        return *this;
    }
    void check() const {
        static_cast<void>(count());
        static_cast<void>(is_empty());
        agreed("walk", std::equal(set_.begin(), set_.end(), model_.begin(), model_.end()), true);
    }

    Set set_;
    ModelSet model_;
};

}  // namespace trestle
