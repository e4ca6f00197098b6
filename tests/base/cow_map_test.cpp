// SPDX-License-Identifier: Apache-2.0
// CowMap against std::map, with copies that must not notice each other.
#include "base/cow/cow_map.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/cow/cow.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

static_assert(std::regular<CowMap<int, std::string>>);
static_assert(std::forward_iterator<CowMap<int, std::string>::const_iterator>);

namespace {

/// A key as the library has them: a score, then an id.
struct ScoredId {
    std::int32_t score = 0;
    std::uint64_t id = 0;

    static constexpr auto fields(auto list) {
        return list(field("score", &ScoredId::score), field("id", &ScoredId::id));
    }
    friend auto operator<=>(const ScoredId&, const ScoredId&) = default;
};

std::uint64_t key_from(std::uint64_t n, std::uint64_t*) { return n; }
std::string key_from(std::uint64_t n, std::string*) { return "node" + std::to_string(n); }
ScoredId key_from(std::uint64_t n, ScoredId*) {
    return {static_cast<std::int32_t>(n % 7) - 3, n / 7};
}
std::uint64_t value_from(std::uint64_t n, std::uint64_t*) { return n; }
Cow<std::string> value_from(std::uint64_t n, Cow<std::string>*) {
    return Cow<std::string>(std::string(n, 'v'));
}

/// A value of which moving leaves a copy behind, as with Shared.
struct CopiedNotMoved {
    Cow<std::string> text;

    CopiedNotMoved() = default;
    CopiedNotMoved(Cow<std::string> text_in) : text(std::move(text_in)) {}  // NOLINT
    CopiedNotMoved(const CopiedNotMoved&) = default;
    CopiedNotMoved& operator=(const CopiedNotMoved&) = default;
};

/// A value that counts how often it is compared.
struct Compared {
    static inline int comparisons = 0;
    int value = 0;

    friend bool operator==(const Compared& a, const Compared& b) {
        ++comparisons;
        return a.value == b.value;
    }
};

struct NoDefault {
    int value;

    explicit NoDefault(int n) : value(n) {}
    friend auto operator<=>(const NoDefault&, const NoDefault&) = default;
};

template <class Key, class Value>
struct MapPair {
    CowMap<Key, Value> map;
    std::map<Key, Value> oracle;

    bool insert(const Key& key, const Value& value) {
        return map.insert(key, value) == oracle.emplace(key, value).second;
    }
    bool insert_or_assign(const Key& key, const Value& value) {
        return map.insert_or_assign(key, value) == oracle.insert_or_assign(key, value).second;
    }
    bool write(const Key& key, const Value& value) {
        const auto expected = oracle.find(key);
        Value* const found = map.write(key);
        if (expected == oracle.end() || found == nullptr) {
            return expected == oracle.end() && found == nullptr;
        }
        *found = expected->second = value;
        return true;
    }
    bool erase(const Key& key) { return map.erase(key) == (oracle.erase(key) == 1); }
    bool take(const Key& key) {
        const auto expected = oracle.extract(key);
        const std::optional<Value> taken = map.take(key);
        return expected ? taken == expected.mapped() : !taken;
    }
};

template <class Key, class Value>
bool map_agrees(const MapPair<Key, Value>& pair) {
    const auto& [map, oracle] = pair;
    const auto is_equal = [](const auto& mine, const auto& theirs) {
        return mine.key == theirs.first && mine.value == theirs.second;
    };
    if (map.size() != oracle.size() ||
        !std::equal(map.begin(), map.end(), oracle.begin(), oracle.end(), is_equal)) {
        return false;
    }
    std::map<Key, Value> visited;
    map.for_each([&visited](const Key& key, const Value& value) {
        visited.emplace_hint(visited.end(), key, value);
    });
    if (visited != oracle) return false;
    return oracle.empty()
               ? !map.first() && !map.last()
               : map.first() == oracle.begin()->first && map.last() == oracle.rbegin()->first;
}

template <class Key, class Value>
std::vector<Key> map_differences(const CowMap<Key, Value>& a, const CowMap<Key, Value>& b) {
    std::vector<Key> found;
    a.for_each_difference(b, [&found](const Key& key) { found.push_back(key); });
    return found;
}
template <class Key, class Value>
std::vector<Key> map_differences(const std::map<Key, Value>& a, const std::map<Key, Value>& b) {
    std::set<Key> found;
    for (const auto& [key, value] : a) {
        const auto other = b.find(key);
        if (other == b.end() || other->second != value) found.insert(key);
    }
    for (const auto& [key, value] : b) {
        if (a.count(key) == 0) found.insert(key);
    }
    return {found.begin(), found.end()};
}

template <class Key, class Value>
bool questions_agree(const MapPair<Key, Value>& pair, const Key& key) {
    const auto& [map, oracle] = pair;
    const auto expected = oracle.find(key);
    const Value* const found = map.find(key);
    if (expected == oracle.end() ? found != nullptr || map.contains(key)
                                 : found == nullptr || *found != expected->second) {
        return false;
    }
    const auto after = oracle.lower_bound(key);
    const std::optional<Key> next = map.next(key);
    const auto from = map.lower_bound(key);
    return after == oracle.end() ? !next && from == map.end()
                                 : next == after->first && from->key == after->first;
}

/// Grows and shrinks in turn, so that nodes split, even out and merge on every level.
template <class Key, class Value>
void compare_with_std_map(std::uint64_t seed, std::uint64_t keys, std::uint64_t steps) {
    Rng rng(seed);
    const auto any_key = [&] { return key_from(rng.below(keys), static_cast<Key*>(nullptr)); };
    std::vector<MapPair<Key, Value>> generations;
    MapPair<Key, Value> now;
    for (std::uint64_t step = 0; step < steps; ++step) {
        const Key key = any_key();
        const Value value = value_from(rng.below(5), static_cast<Value*>(nullptr));
        const std::uint64_t action = rng.below(10);
        const bool is_growing = step * 6 / steps % 2 == 0;
        bool is_right = true;
        if (action == 0) {
            is_right = now.write(key, value);
        } else if (action == 1) {
            is_right = now.insert_or_assign(key, value);
        } else if ((action < 9) == is_growing) {
            is_right = now.insert(key, value);
        } else if (action % 2 == 0) {
            is_right = now.take(key);
        } else {
            is_right = now.erase(key);
        }
        is_right = is_right && questions_agree(now, step % 2 == 0 ? key : any_key());
        if (!is_right) FAIL("step " << step);
        if (rng.chance(8, steps)) generations.push_back(now);
        if (rng.chance(2, steps) && !generations.empty()) {
            now = generations[rng.below(generations.size())];
        }
    }
    generations.push_back(now);
    for (const auto& a : generations) {
        CHECK(map_agrees(a));
        for (const auto& b : generations) {
            const std::vector<Key> expected = map_differences(a.oracle, b.oracle);
            CHECK(map_differences(a.map, b.map) == expected);
            CHECK((a.map == b.map) == expected.empty());
        }
    }
}

}  // namespace

TEST_CASE("CowMap: random operations agree with std::map in every generation", "[base]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    compare_with_std_map<std::uint64_t, std::uint64_t>(seed, 20'000, test_rounds(120'000u));
    compare_with_std_map<std::uint64_t, Cow<std::string>>(seed + 1, 3'000, test_rounds(60'000u));
    compare_with_std_map<std::uint64_t, std::uint64_t>(seed + 2, 200, test_rounds(20'000u));
    compare_with_std_map<ScoredId, std::uint64_t>(seed + 3, 6'000, test_rounds(40'000u));
    compare_with_std_map<std::string, Cow<std::string>>(seed + 4, 2'000, 20'000);
}

TEST_CASE("CowMap: keys that come and go in order, from either end", "[base]") {
    constexpr std::uint64_t count = 10'000;
    for (const bool is_rising : {true, false}) {
        for (const bool is_erased_rising : {true, false}) {
            CAPTURE(is_rising, is_erased_rising);
            MapPair<std::uint64_t, std::uint64_t> pair;
            for (std::uint64_t i = 0; i < count; ++i) {
                REQUIRE(pair.insert(is_rising ? i : count - 1 - i, i));
            }
            CHECK(map_agrees(pair));
            for (std::uint64_t i = 0; i < count; ++i) {
                REQUIRE(pair.erase(is_erased_rising ? i : count - 1 - i));
                if (i % 997 == 0 && !map_agrees(pair)) FAIL("after erasing " << i);
            }
            CHECK(pair.map.is_empty());
            CHECK(pair.map.begin() == pair.map.end());
        }
    }
}

TEST_CASE("CowMap: equal maps of different histories are equal and hash alike", "[base]") {
    CowMap<std::uint64_t, int> rising;
    CowMap<std::uint64_t, int> falling;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        rising.insert(i, 1);
        falling.insert(2999 - i, 1);
    }
    CHECK(rising == falling);
    CHECK(hash_of(rising) == hash_of(falling));
    falling.erase(1700);
    CHECK(rising != falling);
    CHECK(map_differences(rising, falling) == std::vector<std::uint64_t>{1700});
    falling.insert(5000, 1);
    CHECK(rising != falling);
    CHECK(map_differences(falling, rising) == std::vector<std::uint64_t>{1700, 5000});
    CHECK(map_differences(CowMap<std::uint64_t, int>(), rising).size() == 3000);
}

TEST_CASE("CowMap: all short sequences of operations on leaves that are full, poor or between",
          "[base][unsanitized]") {
    using Wide = std::array<std::uint64_t, 8>;  // 16 to a leaf
    const auto wide = [](std::uint64_t n) { return Wide{n}; };
    constexpr int length = 4;
    constexpr int actions = 9;
    for (const std::uint64_t size : {0u, 1u, 4u, 16u, 17u, 32u, 40u}) {
        MapPair<Wide, std::uint64_t> start;
        for (std::uint64_t i = 0; i < size; ++i) start.insert(wide(2 * i + 2), i);
        const std::array<Wide, 4> keys{wide(1), wide(2), wide(size | 1), wide(2 * size)};
        for (int sequence = 0; sequence < actions * actions * actions * actions; ++sequence) {
            auto now = start;
            std::vector<MapPair<Wide, std::uint64_t>> kept;
            int rest = sequence;
            bool is_right = true;
            for (int step = 0; step < length; ++step, rest /= actions) {
                const int action = rest % actions;
                if (action == actions - 1) {
                    kept.push_back(now);
                } else if (const Wide& key = keys[static_cast<std::size_t>(action / 2)];
                           action % 2 == 0) {
                    is_right = is_right && now.insert(key, 100);
                } else {
                    is_right = is_right && now.erase(key);
                }
            }
            is_right = is_right && map_agrees(now);
            for (const auto& copy : kept) is_right = is_right && map_agrees(copy);
            if (!is_right) FAIL("size " << size << ", sequence " << sequence);
        }
        CHECK(map_agrees(start));
    }
}

TEST_CASE("CowMap: iterators show entries in the order of keys", "[base]") {
    CowMap<std::string, int> map;
    CHECK(map.begin() == map.end());
    map.insert("leaf", 2);
    map.insert("rack", 3);
    map.insert("cpu", 1);
    CHECK_FALSE(map.insert("rack", 4));
    std::string text;
    for (const auto& [key, value] : map) text += key + '=' + std::to_string(value) + ' ';
    CHECK(text == "cpu=1 leaf=2 rack=3 ");
    auto at = map.lower_bound("d");
    CHECK(at->key == "leaf");
    CHECK((at++)->value == 2);
    CHECK((*at).key == "rack");
    CHECK(++at == map.end());
    CHECK(map.next("s") == std::nullopt);
    CHECK(map.first() == "cpu");
    CHECK(map.last() == "rack");
}

TEST_CASE("CowMap: the map keeps no value alive that was erased, moved about or replaced",
          "[base]") {
    Rng rng(test_seed());
    std::vector<Cow<std::string>> values;
    for (int i = 0; i < 400; ++i) values.emplace_back(std::to_string(i));
    CowMap<std::size_t, CopiedNotMoved> map;
    std::set<std::size_t> inside;
    const auto insert = [&](std::size_t key) {
        map.insert(key, {values[key]});
        inside.insert(key);
    };
    const auto erase = [&](std::size_t key) {
        map.erase(key);
        inside.erase(key);
    };
    const auto check_all = [&] {
        bool is_right = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            is_right = is_right && values[i].is_unique() == (inside.count(i) == 0);
        }
        CHECK(is_right);
    };
    for (int step = 0; step < 4'000; ++step) {
        const std::size_t key = rng.below(values.size());
        if (rng.chance(step / 1'000 % 2 == 0 ? 4 : 1, 5)) {
            insert(key);
        } else {
            erase(key);
        }
        if (step % 10 == 0) check_all();
    }
    for (const std::size_t turn : {0u, 25u, 400u}) {  // nodes that are poor beside full ones
        map.clear();
        inside.clear();
        for (std::size_t key = 0; key < values.size(); ++key) insert(key);
        for (std::size_t key = 0; key < turn; ++key) {
            erase(key);
            check_all();
        }
        for (std::size_t key = values.size(); key > turn; --key) {
            erase(key - 1);
            check_all();
        }
    }
}

TEST_CASE("CowMap: comparing looks only at what is not shared", "[base]") {
    CowMap<int, Compared> map;
    for (int i = 0; i < 50'000; ++i) map.insert(i, {i});
    CowMap<int, Compared> changed = map;
    changed.write(30'000)->value = -1;
    changed.insert(50'000, {0});
    Compared::comparisons = 0;
    std::vector<int> found;
    map.for_each_difference(changed, [&found](int key) { found.push_back(key); });
    CHECK(found == std::vector<int>{30'000, 50'000});
    CHECK(Compared::comparisons < 500);
}

TEST_CASE("CowMap: an unshared value is written where it is", "[base]") {
    CowMap<int, int> map;
    for (int i = 0; i < 1000; ++i) map.insert(i, i);
    const int* const place = map.find(77);
    *map.write(77) = 1;
    CHECK(map.find(77) == place);
    const CowMap<int, int> copy = map;
    *map.write(77) = 2;
    CHECK(map.find(77) != place);
    CHECK(*copy.find(77) == 1);
    CHECK(map.write(1000) == nullptr);
    CHECK_FALSE(map.erase(1000));
}

TEST_CASE("CowMap: a value that is taken is moved out, or copied if copies share it", "[base]") {
    CowMap<int, std::vector<int>> map;
    for (int i = 0; i < 1000; ++i) map.insert(i, {i});
    const int* const place = map.find(77)->data();
    const auto copy = map;
    std::optional<std::vector<int>> taken = map.take(77);
    CHECK(taken == std::vector<int>{77});
    CHECK(taken->data() != place);
    CHECK(copy.find(77)->data() == place);
    CHECK(map.find(77) == nullptr);
    CHECK(map.size() == 999);
    CHECK(map.take(77) == std::nullopt);
    CHECK(map.take(1000) == std::nullopt);

    const int* const other = map.find(78)->data();
    taken = map.take(78);
    CHECK(taken->data() == other);
    for (int i = 0; i < 1000; ++i) CHECK(map.take(i).has_value() == (i != 77 && i != 78));
    CHECK(map.is_empty());
    CHECK(map.take(1) == std::nullopt);
    CHECK(copy.size() == 1000);
}

TEST_CASE("CowMap: a key may be erased, taken and written by the map's own reference to it",
          "[base]") {
    CowMap<std::string, int> map;
    for (int i = 0; i < 500; ++i)
        map.insert("a key too long to lie in place " + std::to_string(i), i);
    auto copy = map;
    while (!map.is_empty()) {
        CHECK(map.insert_or_assign(map.begin()->key, -1) == false);
        CHECK(map.take(map.begin()->key) == -1);
        if (map.size() % 100 == 7) copy = map;
        if (!map.is_empty()) CHECK(map.erase(map.lower_bound(*map.last())->key));
    }
    CHECK(copy.size() == 7);
}

TEST_CASE("CowMap: keys and values need no default", "[base]") {
    CowMap<NoDefault, NoDefault> map;
    for (int i = 0; i < 1000; ++i) map.insert(NoDefault(i), NoDefault(-i));
    CHECK(map.last()->value == 999);
    CHECK(map.find(NoDefault(500))->value == -500);
    for (int i = 0; i < 1000; ++i) CHECK(map.take(NoDefault(i))->value == -i);
}

TEST_CASE("CowMap: find_near finds what find does, from any entry", "[base]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    CowMap<std::uint64_t, std::uint64_t> map;
    CHECK(map.find_near(map.end(), 1) == map.end());
    for (std::uint64_t key = 0; key < 3000; ++key) {
        if (rng.chance(1, 2)) map.insert(2 * key, key);
    }
    auto near = map.end();
    std::uint64_t key = 0;
    for (int step = 0; step < 20'000; ++step) {
        key = rng.chance(1, 4) ? rng.below(6100) : key + rng.below(5);
        const auto found = map.find_near(near, key);
        const std::uint64_t* const expected = map.find(key);
        REQUIRE((found == map.end()) == (expected == nullptr));
        if (expected) REQUIRE(&found->value == expected);
        if (expected || rng.chance(1, 8)) near = found;
    }
}

TEST_CASE("CowMap: what was moved from is empty", "[base]") {
    CowMap<int, int> map;
    map.insert(1, 2);
    const CowMap<int, int> taken = std::move(map);
    CHECK(map.is_empty());  // NOLINT(bugprone-use-after-move): documented
    CHECK(*taken.find(1) == 2);
    map.insert(3, 4);
    CHECK(map.first() == 3);
    CHECK(taken.size() == 1);
}

TEST_CASE("CowMap: threads read copies while the original is written", "[base][threads]") {
    CowMap<std::uint64_t, std::uint64_t> written;
    for (std::uint64_t i = 0; i < 5000; ++i) written.insert(i, 1);
    std::array<std::thread, 3> threads;
    std::array<std::uint64_t, 3> sums{};
    for (std::size_t t = 0; t < threads.size(); ++t) {
        threads[t] = std::thread([copy = written, &sum = sums[t]]() mutable {
            for (int round = 0; round < 20; ++round) {
                const CowMap<std::uint64_t, std::uint64_t> again = copy;
                for (const auto& [key, value] : again) sum += value;
            }
            copy = {};
        });
    }
    for (std::uint64_t i = 0; i < 5000; ++i) {
        *written.write(i) = 2;
        written.insert(10'000 + i, 3);
        if (i % 2 == 0) written.erase(i);
        if (i % 50 == 0) {
            const CowMap<std::uint64_t, std::uint64_t> kept = written;
            written.insert_or_assign(i, 4);
        }
    }
    for (auto& thread : threads) thread.join();
    for (const std::uint64_t sum : sums) CHECK(sum == 100'000);
    CHECK(written.size() == 7600);
}
