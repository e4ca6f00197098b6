// SPDX-License-Identifier: Apache-2.0
// CowMap and CowSet against std::map and std::set, with copies that must not notice each other.
#include "trestle/base/cow/cow_map.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

static_assert(std::regular<CowMap<int, std::string>>);
static_assert(std::regular<CowSet<int>>);
static_assert(std::forward_iterator<CowMap<int, std::string>::const_iterator>);
static_assert(std::forward_iterator<CowSet<int>::const_iterator>);

namespace {

/// A key as the library has them: a score, then an id.
struct ScoredId {
    std::int32_t score = 0;
    std::uint64_t id = 0;

    static constexpr auto fields() {
        return field_list(field("score", &ScoredId::score), field("id", &ScoredId::id));
    }
    friend auto operator<=>(const ScoredId&, const ScoredId&) = default;
};

std::uint64_t key_from(std::uint64_t n, std::uint64_t*) { return n; }
std::string key_from(std::uint64_t n, std::string*) { return "node" + std::to_string(n); }
ScoredId key_from(std::uint64_t n, ScoredId*) {
    return {static_cast<std::int32_t>(n % 7) - 3, n / 7};
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

template <class Key>
struct SetPair {
    CowSet<Key> set;
    std::set<Key> oracle;
};

template <class Key>
bool set_agrees(const SetPair<Key>& pair) {
    const auto& [set, oracle] = pair;
    if (set.size() != oracle.size() ||
        !std::equal(set.begin(), set.end(), oracle.begin(), oracle.end())) {
        return false;
    }
    std::vector<Key> visited;
    set.for_each([&visited](const Key& key) { visited.push_back(key); });
    if (!std::equal(visited.begin(), visited.end(), oracle.begin(), oracle.end())) return false;
    for (std::size_t rank = 0; rank < visited.size(); ++rank) {
        if (set.nth(rank) != visited[rank] || set.rank(visited[rank]) != rank) return false;
    }
    return oracle.empty() ? !set.first() && !set.last()
                          : set.first() == *oracle.begin() && set.last() == *oracle.rbegin();
}

template <class Key>
std::vector<Key> set_differences(const CowSet<Key>& a, const CowSet<Key>& b) {
    std::vector<Key> found;
    a.for_each_difference(b, [&found](const Key& key) { found.push_back(key); });
    return found;
}
template <class Key>
std::vector<Key> set_differences(const std::set<Key>& a, const std::set<Key>& b) {
    std::vector<Key> found;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                  std::back_inserter(found));
    return found;
}

template <class Key>
bool questions_agree(const SetPair<Key>& pair, const Key& a, const Key& b) {
    const auto& [set, oracle] = pair;
    const auto found = oracle.lower_bound(a);
    const std::optional<Key> next = set.next(a);
    const auto from = set.lower_bound(a);
    if (found == oracle.end() ? next || from != set.end() : next != *found || *from != *found) {
        return false;
    }
    const auto below =
        std::distance(oracle.lower_bound(std::min(a, b)), oracle.lower_bound(std::max(a, b)));
    return set.contains(a) == (oracle.count(a) == 1) &&
           set.count_range(std::min(a, b), std::max(a, b)) == static_cast<std::size_t>(below);
}

/// Grows and shrinks in turn, so that nodes split, even out and merge on every level.
template <class Key>
void compare_with_std_set(std::uint64_t seed, std::uint64_t keys, int steps) {
    Rng rng(seed);
    const auto any_key = [&] { return key_from(rng.below(keys), static_cast<Key*>(nullptr)); };
    std::vector<SetPair<Key>> generations;
    SetPair<Key> now;
    for (int step = 0; step < steps; ++step) {
        const Key key = any_key();
        const bool is_growing = step * 6 / steps % 2 == 0;
        bool is_right = rng.chance(is_growing ? 8 : 1, 10)
                            ? now.set.insert(key) == now.oracle.insert(key).second
                            : now.set.erase(key) == (now.oracle.erase(key) == 1);
        if (step % 16 == 0) is_right = is_right && questions_agree(now, any_key(), any_key());
        if (!is_right) FAIL("step " << step);
        if (rng.chance(8, static_cast<std::uint64_t>(steps))) generations.push_back(now);
        if (rng.chance(2, static_cast<std::uint64_t>(steps)) && !generations.empty()) {
            now = generations[rng.below(generations.size())];
        }
    }
    generations.push_back(now);
    for (const auto& a : generations) {
        CHECK(set_agrees(a));
        for (const auto& b : generations) {
            CHECK(set_differences(a.set, b.set) == set_differences(a.oracle, b.oracle));
            CHECK((a.set == b.set) == (a.oracle == b.oracle));
        }
    }
}

}  // namespace

TEST_CASE("CowSet: random operations agree with std::set in every generation", "[base]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    compare_with_std_set<std::uint64_t>(seed, 20'000, 120'000);
    compare_with_std_set<std::uint64_t>(seed + 1, 200, 20'000);
    compare_with_std_set<ScoredId>(seed + 2, 6'000, 40'000);
    compare_with_std_set<std::string>(seed + 3, 2'000, 20'000);
}

TEST_CASE("CowSet: keys that come and go in order, from either end", "[base]") {
    constexpr std::uint64_t count = 10'000;
    for (const bool is_rising : {true, false}) {
        for (const bool is_erased_rising : {true, false}) {
            CAPTURE(is_rising, is_erased_rising);
            SetPair<std::uint64_t> pair;
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t key = is_rising ? i : count - 1 - i;
                REQUIRE(pair.set.insert(key) == pair.oracle.insert(key).second);
            }
            CHECK(set_agrees(pair));
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t key = is_erased_rising ? i : count - 1 - i;
                REQUIRE(pair.set.erase(key) == (pair.oracle.erase(key) == 1));
                if (i % 997 == 0 && !set_agrees(pair)) FAIL("after erasing " << i);
            }
            CHECK(pair.set.is_empty());
            CHECK(pair.set.begin() == pair.set.end());
        }
    }
}

TEST_CASE("CowSet: equal sets of different histories are equal and hash alike", "[base]") {
    CowSet<std::uint64_t> rising;
    CowSet<std::uint64_t> falling;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        rising.insert(i);
        falling.insert(2999 - i);
    }
    CHECK(rising == falling);
    CHECK(hash_of(rising) == hash_of(falling));
    falling.erase(1700);
    CHECK(rising != falling);
    CHECK(set_differences(rising, falling) == std::vector<std::uint64_t>{1700});
    falling.insert(5000);
    CHECK(rising != falling);
    CHECK(set_differences(falling, rising) == std::vector<std::uint64_t>{1700, 5000});
    CHECK(set_differences(CowSet<std::uint64_t>(), rising).size() == 3000);
}

TEST_CASE("CowSet: all short sequences of operations on leaves that are full, poor or between",
          "[base]") {
    using Wide = std::array<std::uint64_t, 8>;  // 16 to a leaf
    const auto wide = [](std::uint64_t n) { return Wide{n}; };
    constexpr int length = 4;
    constexpr int actions = 9;
    for (const std::uint64_t size : {0u, 1u, 4u, 16u, 17u, 32u, 40u}) {
        SetPair<Wide> start;
        for (std::uint64_t i = 0; i < size; ++i) {
            start.set.insert(wide(2 * i + 2));
            start.oracle.insert(wide(2 * i + 2));
        }
        const std::array<Wide, 4> keys{wide(1), wide(2), wide(size | 1), wide(2 * size)};
        for (int sequence = 0; sequence < actions * actions * actions * actions; ++sequence) {
            SetPair<Wide> now = start;
            std::vector<SetPair<Wide>> kept;
            int rest = sequence;
            for (int step = 0; step < length; ++step, rest /= actions) {
                const int action = rest % actions;
                if (action == actions - 1) {
                    kept.push_back(now);
                } else if (const Wide& key = keys[static_cast<std::size_t>(action / 2)];
                           action % 2 == 0) {
                    now.set.insert(key);
                    now.oracle.insert(key);
                } else {
                    now.set.erase(key);
                    now.oracle.erase(key);
                }
            }
            bool is_right = set_agrees(now);
            for (const auto& copy : kept) is_right = is_right && set_agrees(copy);
            if (!is_right) FAIL("size " << size << ", sequence " << sequence);
        }
        CHECK(set_agrees(start));
    }
}

TEST_CASE("CowSet: an empty interval counts nothing, a reversed one breaks the contract",
          "[base]") {
    CowSet<int> set;
    set.insert(3);
    CHECK(set.count_range(3, 3) == 0);
    CHECK(set.count_range(3, 4) == 1);
    CHECK(broken_contract([&] { static_cast<void>(set.count_range(4, 3)); }) != "");
    CHECK(broken_contract([&] { static_cast<void>(set.nth(1)); }) != "");
    CHECK(CowSet<int>().rank(3) == 0);
}

TEST_CASE("CowMap: random operations agree with std::map in every generation", "[base]") {
    struct MapPair {
        CowMap<std::uint64_t, Cow<std::string>> map;
        std::map<std::uint64_t, std::string> oracle;
    };
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Rng rng(seed);
    std::vector<MapPair> generations;
    MapPair now;
    for (int step = 0; step < 60'000; ++step) {
        const std::uint64_t key = rng.below(3000);
        const std::string value(rng.below(5), 'v');
        bool is_right = true;
        switch (rng.below(step / 10'000 % 2 == 0 ? 5 : 8)) {
            case 0:
                is_right = now.map.insert(key, Cow<std::string>(value)) ==
                           now.oracle.emplace(key, value).second;
                break;
            case 1:
            case 2:
                is_right = now.map.insert_or_assign(key, Cow<std::string>(value)) ==
                           now.oracle.insert_or_assign(key, value).second;
                break;
            case 3: {
                Cow<std::string>* const found = now.map.write(key);
                is_right = (found != nullptr) == (now.oracle.count(key) == 1);
                if (found != nullptr) found->write() = now.oracle[key] = value;
                break;
            }
            default:
                is_right = now.map.erase(key) == (now.oracle.erase(key) == 1);
        }
        const auto expected = now.oracle.find(key);
        const Cow<std::string>* const found = now.map.find(key);
        is_right = is_right &&
                   (expected == now.oracle.end() ? found == nullptr
                                                 : found != nullptr && **found == expected->second);
        if (!is_right) FAIL("step " << step);
        if (rng.chance(1, 6000)) generations.push_back(now);
    }
    generations.push_back(now);
    for (const auto& a : generations) {
        CHECK(std::equal(a.map.begin(), a.map.end(), a.oracle.begin(), a.oracle.end(),
                         [](const auto& mine, const auto& theirs) {
                             return mine.key == theirs.first && **&mine.value == theirs.second;
                         }));
        for (const auto& b : generations) {
            std::vector<std::uint64_t> found;
            a.map.for_each_difference(b.map, [&](std::uint64_t key) { found.push_back(key); });
            std::vector<std::uint64_t> expected;
            for (std::uint64_t key = 0; key < 3000; ++key) {
                const auto in_a = a.oracle.find(key);
                const auto in_b = b.oracle.find(key);
                const bool is_equal = in_a == a.oracle.end() || in_b == b.oracle.end()
                                          ? (in_a == a.oracle.end()) == (in_b == b.oracle.end())
                                          : in_a->second == in_b->second;
                if (!is_equal) expected.push_back(key);
            }
            CHECK(found == expected);
            CHECK((a.map == b.map) == expected.empty());
        }
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
