// SPDX-License-Identifier: Apache-2.0
// The containers that are copied on write against those that are not, in the same run.
// Names: operation/container/elements. CowMap and CowBitmap beside absl::btree and std, CowArray
// beside std::vector; "first_write" is one copy, one write into it and the end of the copy.
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cow/cow.hpp"
#include "base/cow/cow_array.hpp"
#include "base/cow/cow_map.hpp"
#include "set/cow_bitmap.hpp"
#include "trestle/base/rng.hpp"

namespace {

using namespace trestle;
using Number = std::uint64_t;

/// Half of the numbers below 2 * count, in an order without sense, then the other half.
std::vector<std::uint32_t> halves(std::size_t count) {
    std::vector<std::uint32_t> numbers(2 * count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    Rng rng(1);
    for (std::size_t i = numbers.size(); i > 1; --i) {
        std::swap(numbers[i - 1], numbers[rng.below(i)]);
    }
    return numbers;
}

/// A bit for each number, as anybody would write it.
struct Bits {
    std::vector<bool> bits;

    void insert(std::uint32_t i) {
        if (i >= bits.size()) bits.resize(i + 1);
        bits[i] = true;
    }
    void erase(std::uint32_t i) { bits[i] = false; }
};

template <class Set>
Set set_of(const std::vector<std::uint32_t>& numbers) {
    Set set;
    for (std::size_t i = 0; i < numbers.size() / 2; ++i) set.insert(numbers[i]);
    return set;
}

template <class Set>
void next(benchmark::State& state) {
    const auto numbers = halves(static_cast<std::size_t>(state.range(0)));
    const auto set = set_of<Set>(numbers);
    std::size_t i = 0;
    for (auto _ : state) {
        if constexpr (std::is_same_v<Set, CowBitmap>) {
            benchmark::DoNotOptimize(set.next(numbers[i]));
        } else {
            benchmark::DoNotOptimize(set.lower_bound(numbers[i]));
        }
        if (++i == numbers.size()) i = 0;
    }
}

/// One member goes and another comes, so that the size stays.
template <class Set>
void set_erase_insert(benchmark::State& state) {
    auto numbers = halves(static_cast<std::size_t>(state.range(0)));
    auto set = set_of<Set>(numbers);
    const std::size_t half = numbers.size() / 2;
    std::size_t i = 0;
    for (auto _ : state) {
        set.erase(numbers[i]);
        set.insert(numbers[i + half]);
        std::swap(numbers[i], numbers[i + half]);
        if (++i == half) i = 0;
    }
}

template <class Set>
void set_first_write(benchmark::State& state) {
    const auto numbers = halves(static_cast<std::size_t>(state.range(0)));
    const auto set = set_of<Set>(numbers);
    const std::size_t half = numbers.size() / 2;
    std::size_t i = 0;
    for (auto _ : state) {
        auto copy = set;
        copy.insert(numbers[i + half]);
        if (++i == half) i = 0;
    }
}

template <class Map>
void insert(Map& map, Number key, const typename Map::mapped_type& value) {
    if constexpr (std::is_same_v<Map, CowMap<Number, typename Map::mapped_type>>) {
        map.insert(key, value);
    } else {
        map.emplace(key, value);
    }
}

template <class Map>
Map map_of(Number count) {
    const typename Map::mapped_type value{};
    Map map;
    for (Number key = 0; key < count; ++key) insert(map, key, value);
    return map;
}

template <class Map>
void find(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    const auto map = map_of<Map>(count);
    Rng rng(4);
    for (auto _ : state) benchmark::DoNotOptimize(map.find(rng.below(count)));
}

/// Allocations come and go: a random one ends, and one with a new highest number begins.
template <class Map>
void erase_insert(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    auto map = map_of<Map>(count);
    const typename Map::mapped_type value{};
    std::vector<Number> inside(count);
    std::iota(inside.begin(), inside.end(), Number{0});
    Number key = count;
    Rng rng(4);
    for (auto _ : state) {
        Number& gone = inside[rng.below(count)];
        map.erase(gone);
        gone = key++;
        insert(map, gone, value);
    }
}

template <class Map>
void iterate(benchmark::State& state) {
    const auto map = map_of<Map>(static_cast<Number>(state.range(0)));
    for (auto _ : state) {
        Number sum = 0;
        for (const auto& [key, value] : map) sum += key;
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class Map>
void build_in_order(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(map_of<Map>(static_cast<Number>(state.range(0))));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class Map>
void map_first_write(benchmark::State& state) {
    const auto count = static_cast<Number>(state.range(0));
    const auto map = map_of<Map>(count);
    Rng rng(4);
    for (auto _ : state) {
        auto copy = map;
        benchmark::DoNotOptimize(copy.write(rng.below(count)));
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

const bool containers_are_registered = [] {
    const auto add = [](const std::string& name, auto function) {
        for (const std::int64_t n : {1'000, 10'000, 1'000'000}) {
            benchmark::RegisterBenchmark(name.c_str(), function)->Arg(n);
        }
    };
    using Btree = absl::btree_set<std::uint32_t>;
    add("next/CowBitmap", next<CowBitmap>);
    add("next/btree_set", next<Btree>);
    add("erase_insert/CowBitmap", set_erase_insert<CowBitmap>);
    add("erase_insert/btree_set", set_erase_insert<Btree>);
    add("erase_insert/vector_bool", set_erase_insert<Bits>);
    add("first_write/CowBitmap", set_first_write<CowBitmap>);
    using Map = CowMap<Number, Cow<Number>>;
    using BtreeMap = absl::btree_map<Number, std::shared_ptr<Number>>;
    using StdMap = std::map<Number, std::shared_ptr<Number>>;
    add("find/CowMap", find<Map>);
    add("find/btree_map", find<BtreeMap>);
    add("find/std_map", find<StdMap>);
    add("erase_insert/CowMap", erase_insert<Map>);
    add("erase_insert/btree_map", erase_insert<BtreeMap>);
    add("erase_insert/std_map", erase_insert<StdMap>);
    add("iterate/CowMap", iterate<Map>);
    add("iterate/btree_map", iterate<BtreeMap>);
    add("build_in_order/CowMap", build_in_order<Map>);
    add("build_in_order/btree_map", build_in_order<BtreeMap>);
    add("first_write/CowMap", map_first_write<Map>);
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
