// SPDX-License-Identifier: Apache-2.0
// The containers that are copied on write against those that are not, in the same run.
// Names: operation/container/elements. CowSet and CowMap beside absl::btree and std, CowArray
// beside std::vector; "first_write" is one copy, one write into it and the end of the copy.
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "trestle/base/cow/cow.hpp"
#include "trestle/base/cow/cow_array.hpp"
#include "trestle/base/cow/cow_map.hpp"
#include "trestle/base/rng.hpp"

namespace {

using namespace trestle;
using Number = std::uint64_t;
constexpr std::size_t question_count = 1 << 16;

/// Keys as the cluster has them, state << 32 | node, in an order without sense.
std::vector<Number> random_keys(std::size_t count, Number seed) {
    Rng rng(seed);
    std::vector<Number> keys(count);
    for (Number& key : keys) key = rng.below(50) << 32 | rng.below(count * 2);
    return keys;
}

template <class Set>
Set set_of(std::size_t count) {
    Set set;
    for (const Number key : random_keys(count, 1)) set.insert(key);
    return set;
}

template <class Set>
void next(benchmark::State& state) {
    const auto set = set_of<Set>(static_cast<std::size_t>(state.range(0)));
    const auto keys = random_keys(question_count, 2);
    std::size_t i = 0;
    for (auto _ : state) {
        const Number key = keys[i++ % question_count] % (static_cast<Number>(50) << 32);
        if constexpr (std::is_same_v<Set, CowSet<Number>>) {
            benchmark::DoNotOptimize(set.next(key));
        } else {
            benchmark::DoNotOptimize(set.lower_bound(key));
        }
    }
}

/// One key goes and another comes, so that the size stays.
template <class Set>
void erase_insert(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    auto set = set_of<Set>(count);
    std::vector<Number> inside = random_keys(count, 1);
    const std::vector<Number> outside = random_keys(question_count, 3);
    std::size_t i = 0;
    std::size_t j = 0;
    for (auto _ : state) {
        set.erase(inside[i]);
        set.insert(outside[j]);
        inside[i] = outside[j];
        if (++i == inside.size()) i = 0;
        if (++j == question_count) j = 0;
    }
}

/// What a decision does: the lowest node of a state, from there to another state, and back.
template <class Set>
void decide(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    Set set;
    for (Number node = 0; node < count; ++node) set.insert((node % 50) << 32 | node);
    Number turn = 0;
    for (auto _ : state) {
        const Number from = turn++ % 50;
        Number found = 0;
        if constexpr (std::is_same_v<Set, CowSet<Number>>) {
            found = *set.next(from << 32);
        } else {
            found = *set.lower_bound(from << 32);
        }
        const Number to = (from + 7) % 50 << 32 | (found & 0xffff'ffffu);
        set.erase(found);
        set.insert(to);
        set.erase(to);
        set.insert(found);
        benchmark::DoNotOptimize(found);
    }
}

void rank(benchmark::State& state) {
    const auto set = set_of<CowSet<Number>>(static_cast<std::size_t>(state.range(0)));
    const auto keys = random_keys(question_count, 2);
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(set.rank(keys[i++ % question_count]));
}

template <class Set>
void iterate(benchmark::State& state) {
    const auto set = set_of<Set>(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        Number sum = 0;
        for (const Number key : set) sum += key;
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(set.size()));
}

template <class Set>
void build_in_order(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    for (auto _ : state) {
        Set set;
        for (Number key = 0; key < count; ++key) set.insert(key);
        benchmark::DoNotOptimize(set);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void set_first_write(benchmark::State& state) {
    const auto set = set_of<CowSet<Number>>(static_cast<std::size_t>(state.range(0)));
    const auto keys = random_keys(question_count, 2);
    std::size_t i = 0;
    for (auto _ : state) {
        auto copy = set;
        copy.insert(keys[i++ % question_count]);
    }
}

template <class Map, class Value>
void map_erase_insert(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    const Value value{};
    Map map;
    for (Number key = 0; key < count; ++key) {
        if constexpr (std::is_same_v<Map, CowMap<Number, Value>>) {
            map.insert(key, value);
        } else {
            map.emplace(key, value);
        }
    }
    Rng rng(4);
    for (auto _ : state) {
        const Number key = rng.below(count);
        map.erase(key);
        if constexpr (std::is_same_v<Map, CowMap<Number, Value>>) {
            map.insert(key, value);
        } else {
            map.emplace(key, value);
        }
    }
}

template <class Array>
void read(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    Array array(count, 1);
    if constexpr (std::is_same_v<Array, CowArray<Number>>) {
        for (std::size_t i = 0; i < count; i += 200) array.set(i, 2);  // blocks of its own
    }
    Rng rng(5);
    Number sum = 0;
    for (auto _ : state) sum += array[rng.below(count)];
    benchmark::DoNotOptimize(sum);
}

template <class Array>
void write(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    Array array(count, 1);
    Rng rng(5);
    for (auto _ : state) {
        const std::size_t i = rng.below(count);
        if constexpr (std::is_same_v<Array, CowArray<Number>>) {
            array.set(i, i);
        } else {
            array[i] = i;
        }
    }
    benchmark::DoNotOptimize(array);
}

template <class T>
void array_first_write(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    CowArray<T> array(count);
    for (std::size_t i = 0; i < count; i += 200) array.write(i) = T{};  // blocks of its own
    Rng rng(6);
    for (auto _ : state) {
        auto copy = array;
        copy.write(rng.below(count)) = T{};
    }
}

/// The random numbers that read and write draw, alone.
void draw(benchmark::State& state) {
    Rng rng(5);
    Number sum = 0;
    for (auto _ : state) sum += rng.below(static_cast<Number>(state.range(0)));
    benchmark::DoNotOptimize(sum);
}

const bool is_registered = [] {
    const auto add = [](const std::string& name, auto function) {
        for (const std::int64_t n : {1'000, 10'000, 1'000'000}) {
            benchmark::RegisterBenchmark(name.c_str(), function)->Arg(n);
        }
    };
    using Cows = CowSet<Number>;
    using Btree = absl::btree_set<Number>;
    using Std = std::set<Number>;
    add("next/CowSet", next<Cows>);
    add("next/btree_set", next<Btree>);
    add("next/std_set", next<Std>);
    add("erase_insert/CowSet", erase_insert<Cows>);
    add("erase_insert/btree_set", erase_insert<Btree>);
    add("erase_insert/std_set", erase_insert<Std>);
    add("decide/CowSet", decide<Cows>);
    add("decide/btree_set", decide<Btree>);
    add("decide/std_set", decide<Std>);
    add("rank/CowSet", rank);
    add("iterate/CowSet", iterate<Cows>);
    add("iterate/btree_set", iterate<Btree>);
    add("build_in_order/CowSet", build_in_order<Cows>);
    add("build_in_order/btree_set", build_in_order<Btree>);
    add("first_write/CowSet", set_first_write);
    add("erase_insert/CowMap", map_erase_insert<CowMap<Number, Cow<Number>>, Cow<Number>>);
    add("erase_insert/btree_map", map_erase_insert<absl::btree_map<Number, std::shared_ptr<Number>>,
                                                   std::shared_ptr<Number>>);
    add("read/CowArray", read<CowArray<Number>>);
    add("read/vector", read<std::vector<Number>>);
    add("write/CowArray", write<CowArray<Number>>);
    add("write/vector", write<std::vector<Number>>);
    add("draw", draw);
    add("first_write/CowArray4", array_first_write<std::uint32_t>);
    add("first_write/CowArray8", array_first_write<std::uint64_t>);
    add("first_write/CowArray16", array_first_write<std::pair<std::uint64_t, std::uint64_t>>);
    return true;
}();

}  // namespace
