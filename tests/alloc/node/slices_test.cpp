// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/slices.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/node/slice_space.hpp"
#include "support/catch.hpp"
#include "support/oracle_slices.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using testing::Choices;

using Instances = std::vector<Slicing::Instance>;

[[nodiscard]] Slicing::Instance slice_at(const SliceGeometry& geometry, std::string_view profile,
                                         std::uint32_t start) {
    const SliceGeometry::Profile* kind = geometry.find(profile);
    REQUIRE(kind != nullptr);
    return {start, kind->memory_slices, kind->name};
}

[[nodiscard]] const SliceGeometry& a100_slices() { return *find_slice_geometry("a100-40gb"); }

/// A legal set of instances: each profile at each of its starts is there or not.
[[nodiscard]] Instances any_layout(const SliceGeometry& geometry, Choices& choices,
                                   std::uint64_t one_in = 3) {
    const Slicing slicing{geometry, {}, false};
    const SliceOracle oracle(slicing, {});
    Instances layout;
    for (const SliceGeometry::Profile& profile : geometry.profiles) {
        for (const std::uint32_t start : profile.starts) {
            layout.push_back({start, profile.memory_slices, profile.name});
            if (!oracle.is_legal(layout) || !choices.one_in(one_in)) layout.pop_back();
        }
    }
    std::sort(layout.begin(), layout.end());
    return layout;
}

[[nodiscard]] std::vector<Instances> all_layouts(const SliceGeometry& geometry) {
    std::vector<Instances> layouts;
    Choices choices = Choices::exhaustive();
    do {
        layouts.push_back(any_layout(geometry, choices));
    } while (choices.next_run());
    return layouts;
}

/// All multisets of at most `most` profiles.
[[nodiscard]] std::vector<std::vector<std::string>> all_wanted(const SliceGeometry& geometry,
                                                               std::size_t most) {
    std::vector<std::vector<std::string>> result{{}};
    for (std::size_t from = 0, size = 1; size <= most; ++size) {
        const std::size_t to = result.size();
        for (; from < to; ++from) {
            for (const SliceGeometry::Profile& profile : geometry.profiles) {
                if (!result[from].empty() && profile.name < result[from].back()) continue;
                result.push_back(result[from]);
                result.back().push_back(profile.name);
            }
        }
    }
    return result;
}

[[nodiscard]] std::vector<std::string_view> views(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
}

/// `3g.20gb@4 1g.5gb@0`, or `1g.5gb 1g.5gb`.
[[nodiscard]] std::string text(const Instances& instances) {
    std::string result;
    for (const Slicing::Instance& one : instances) {
        result += (result.empty() ? "" : " ") + one.profile + "@" + std::to_string(one.start);
    }
    return result.empty() ? "nothing" : result;
}
[[nodiscard]] std::string text(const std::vector<std::string>& names) {
    std::string result;
    for (const std::string& name : names) result += (result.empty() ? "" : " ") + name;
    return result.empty() ? "nothing" : result;
}

[[nodiscard]] bool is_same(const SliceArrangement& found, const SliceOracle::Answer& expected) {
    Instances by_start = found.instances;
    std::sort(by_start.begin(), by_start.end());
    std::vector<std::int64_t> counts(found.potential.counts.begin(), found.potential.counts.end());
    for (std::int64_t& count : counts) count = -count;
    counts.resize(std::min(counts.size(), expected.minus_potential.size()));
    return by_start == expected.instances && found.changes == expected.changes &&
           counts == expected.minus_potential;
}

/// Each answers its profile, equal ones by start.
[[nodiscard]] bool is_in_order(const SliceArrangement& found,
                               const std::vector<std::string>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (found.instances[i].profile != wanted[i]) return false;
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_later = found.instances[j].start < found.instances[i].start;
            if (wanted[i] == wanted[j] && !is_later) return false;
        }
    }
    return found.instances.size() == wanted.size();
}

/// Fails unless the library says about this question what the oracle says.
void check_against_oracle(const Slicing& slicing, const Instances& held,
                          const std::vector<std::string>& wanted) {
    const auto expected = SliceOracle(slicing, held).best(wanted);
    const auto found = arrange_slices(slicing, held, views(wanted));
    bool is_right = found.has_value() == expected.has_value();
    if (found && expected) {
        const SliceChanges changes = slice_changes(slicing, held, found->instances);
        is_right = is_same(*found, *expected) && is_in_order(*found, wanted) &&
                   geometry_after(slicing, held, found->instances) == expected->geometry &&
                   changes.create.size() + changes.destroy.size() == found->changes;
    }
    if (is_right) return;
    FAIL(slicing.geometry.name << (slicing.is_fixed ? ", fixed" : "") << ", existing "
                               << text(slicing.instances) << ", held " << text(held) << ", wanted "
                               << text(wanted) << ": found "
                               << (found ? text(found->instances) : "none") << ", expected "
                               << (expected ? text(expected->instances) : "none"));
}

TEST_CASE("arrange_slices: known facts about an A100", "[alloc][golden]") {
    struct Row {
        Instances held;
        std::vector<std::string> wanted;
        std::vector<std::uint32_t> starts;  ///< by wanted; none: it does not fit
        const char* why;
    };
    const auto on = [](std::string_view profile, std::uint32_t start) {
        return slice_at(a100_slices(), profile, start);
    };
    const Row rows[] = {
        {{}, {"1g.5gb"}, {6}, "the slice that only a 3g beside a 4g would miss"},
        {{}, {"2g.10gb"}, {4}, "not below, where the 4g has its only place"},
        {{}, {"1g.10gb"}, {6}, "where no 2g could lie"},
        {{}, {"3g.20gb"}, {4}, "the 4g stays possible"},
        {{}, {"4g.20gb"}, {0}, "its only place"},
        {{}, {"7g.40gb"}, {0}, "all of it"},
        {{}, {"3g.20gb", "4g.20gb"}, {4, 0}, "four and three are seven"},
        {{}, {"4g.20gb", "3g.20gb"}, {0, 4}, "in any order"},
        {{}, {"3g.20gb", "3g.20gb"}, {0, 4}, "eight memory slices, six of compute"},
        {{}, {"3g.20gb", "3g.20gb", "1g.5gb"}, {}, "no memory slice is left for the seventh"},
        {{}, {"4g.20gb", "4g.20gb"}, {}, "4g lies at 0 only"},
        {{},
         {"1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb"},
         {0, 1, 2, 3, 4, 5, 6},
         "seven, the eighth memory slice stays idle"},
        {{}, {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"}, {0, 2, 4, 6}, "all memory, 4 compute"},
        {{}, {"2g.10gb", "2g.10gb", "2g.10gb", "1g.5gb"}, {0, 2, 4, 6}, "seven in all"},
        {{}, {"2g.10gb", "2g.10gb", "2g.10gb", "1g.10gb"}, {0, 2, 4, 6}, "and with more memory"},
        {{}, {"2g.10gb", "2g.10gb", "2g.10gb", "2g.10gb"}, {}, "compute for three and a half"},
        {{}, {"4g.20gb", "2g.10gb", "1g.5gb"}, {0, 4, 6}, "as nvidia-smi lays 5,14,19"},
        {{}, {"1g.5gb+me", "1g.5gb+me"}, {}, "one media engine"},
        {{}, {"7g.40gb", "1g.5gb"}, {}, "nothing beside all of it"},
        {{}, {"5g.25gb"}, {}, "no such profile"},
        {{}, {}, {}, "nothing wanted"},
        {{on("1g.5gb", 0)}, {"4g.20gb"}, {}, "fragmented: one slice at 0 shuts out every 4g"},
        {{on("1g.5gb", 0)}, {"3g.20gb"}, {4}, "but not every 3g"},
        {{on("1g.5gb", 0), on("1g.5gb", 4)}, {"3g.20gb"}, {}, "five free slices in two halves"},
        {{on("1g.5gb", 0), on("1g.5gb", 4)}, {"2g.10gb"}, {2}, "one 2g in the lower half"},
        {{on("1g.5gb", 0)}, {"1g.5gb"}, {1}, "the pair that is broken already"},
        {{on("3g.20gb", 4)}, {"1g.5gb"}, {0}, "all alike below: the lowest"},
        {{on("3g.20gb", 0)}, {"4g.20gb"}, {}, "a 3g in the wrong half"},
        {{on("3g.20gb", 0)}, {"1g.5gb"}, {6}, "two 2g stay possible"},
        {{on("3g.20gb", 0), on("3g.20gb", 4)}, {"1g.5gb"}, {}, "compute is left, memory is not"},
        {{on("1g.5gb+me", 3)}, {"1g.5gb+me"}, {}, "the media engine is taken"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": held " << text(row.held) << ", wanted " << text(row.wanted));
        const Slicing slicing{a100_slices(), {}, false};
        const auto found = arrange_slices(slicing, row.held, views(row.wanted));
        REQUIRE(found.has_value() == (row.starts.size() == row.wanted.size()));
        if (!found) continue;
        std::vector<std::uint32_t> starts;
        for (const Slicing::Instance& one : found->instances) starts.push_back(one.start);
        CHECK(starts == row.starts);
        CHECK(found->changes == row.wanted.size());
    }
}

TEST_CASE("arrange_slices: instances that exist come before new ones", "[alloc][golden]") {
    struct Row {
        Instances existing;
        Instances held;
        bool is_fixed;
        std::vector<std::string> wanted;
        Instances given;  ///< by wanted; none: it does not fit
        Instances after;
        std::uint32_t changes;
        const char* why;
    };
    const auto on = [](std::string_view profile, std::uint32_t start) {
        return slice_at(a100_slices(), profile, start);
    };
    const Instances mixed{on("4g.20gb", 0), on("2g.10gb", 4), on("1g.5gb", 6)};
    const Row rows[] = {
        {mixed, {}, false, {"1g.5gb"}, {on("1g.5gb", 6)}, mixed, 0, "given as it is"},
        {mixed, {}, true, {"1g.5gb"}, {on("1g.5gb", 6)}, mixed, 0, "fixed makes no difference"},
        {mixed, {on("1g.5gb", 6)}, true, {"1g.5gb"}, {}, {}, 0, "fixed, and the only one is held"},
        {mixed,
         {on("1g.5gb", 6)},
         false,
         {"1g.5gb"},
         {on("1g.5gb", 4)},
         {on("4g.20gb", 0), on("1g.5gb", 4), on("1g.5gb", 6)},
         2,
         "the 2g goes, the 4g stays: what is left is worth more"},
        {mixed,
         {},
         false,
         {"3g.20gb"},
         {on("3g.20gb", 0)},
         {on("3g.20gb", 0), on("2g.10gb", 4), on("1g.5gb", 6)},
         2,
         "one removed rather than two, though the other half is the better place"},
        {mixed, {}, true, {"3g.20gb"}, {}, {}, 0, "fixed: nothing is made"},
        {{on("1g.5gb", 0), on("1g.5gb", 2)},
         {},
         false,
         {"1g.5gb", "1g.5gb"},
         {on("1g.5gb", 0), on("1g.5gb", 2)},
         {on("1g.5gb", 0), on("1g.5gb", 2)},
         0,
         "both as they are, scattered as they are"},
        {{on("7g.40gb", 0)},
         {},
         false,
         {"1g.5gb"},
         {on("1g.5gb", 6)},
         {on("1g.5gb", 6)},
         2,
         "the large one makes room"},
        {{on("7g.40gb", 0)},
         {on("1g.5gb", 6)},
         false,
         {"3g.20gb"},
         {on("3g.20gb", 0)},
         {on("3g.20gb", 0), on("1g.5gb", 6)},
         1,
         "what lies under a held instance is gone already and counts no more"},
        {{on("1g.5gb+me", 0)},
         {},
         false,
         {"1g.5gb+me", "4g.20gb"},
         {on("1g.5gb+me", 6), on("4g.20gb", 0)},
         {on("4g.20gb", 0), on("1g.5gb+me", 6)},
         3,
         "the idle media instance moves"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Slicing slicing{a100_slices(), row.existing, row.is_fixed};
        REQUIRE(check(slicing).ok());
        const auto found = arrange_slices(slicing, row.held, views(row.wanted));
        REQUIRE(found.has_value() == (row.given.size() == row.wanted.size()));
        if (!found) continue;
        CHECK(found->instances == row.given);
        CHECK(found->changes == row.changes);
        CHECK(geometry_after(slicing, row.held, found->instances) == row.after);
    }
}

TEST_CASE("slice_changes: what a tool destroys and creates", "[alloc]") {
    const auto on = [](std::string_view profile, std::uint32_t start) {
        return slice_at(a100_slices(), profile, start);
    };
    const Slicing slicing{
        a100_slices(), {on("4g.20gb", 0), on("2g.10gb", 4), on("1g.5gb", 6)}, false};
    const Instances taken{on("2g.10gb", 4), on("3g.20gb", 0)};
    CHECK(slice_changes(slicing, {}, taken) ==
          SliceChanges{{on("4g.20gb", 0)}, {on("3g.20gb", 0)}});
    CHECK(slice_changes(slicing, {}, {}) == SliceChanges{});
}

TEST_CASE("slice_potential: by rank, the largest profile first", "[alloc][golden]") {
    struct Row {
        Instances held;
        std::vector<std::int64_t> counts;  ///< 7g 4g 3g 2g 1g.10gb 1g 1g+me
        const char* why;
    };
    const auto on = [](std::string_view profile, std::uint32_t start) {
        return slice_at(a100_slices(), profile, start);
    };
    const Row rows[] = {
        {{}, {1, 1, 2, 3, 4, 7, 1}, "untouched: all instances_max"},
        {{on("1g.5gb", 0)}, {0, 0, 1, 2, 3, 6, 1}, "the worst place for a small one"},
        {{on("1g.5gb", 6)}, {0, 1, 1, 3, 3, 6, 1}, "the best place for it"},
        {{on("3g.20gb", 4)}, {0, 1, 1, 2, 2, 4, 1}, "the upper half"},
        {{on("4g.20gb", 0)}, {0, 0, 1, 1, 2, 3, 1}, "the lower half, with more compute"},
        {{on("3g.20gb", 0), on("3g.20gb", 4)}, {0, 0, 0, 0, 0, 0, 0}, "all memory"},
        {{on("1g.5gb+me", 6)}, {0, 1, 1, 3, 3, 6, 0}, "one media engine"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Slicing slicing{a100_slices(), {}, false};
        const SlicePotential potential = slice_potential(slicing, row.held);
        for (std::size_t rank = 0; rank < SlicePotential::ranks; ++rank) {
            INFO("rank " << rank);
            CHECK(potential.counts[rank] == (rank < row.counts.size() ? row.counts[rank] : 0));
        }
    }
}

TEST_CASE("slice_potential: an A100 is full in the 19 ways that the MIG guide draws",
          "[alloc][golden]") {
    SliceGeometry geometry = a100_slices();
    std::erase_if(geometry.profiles, [](const SliceGeometry::Profile& profile) {
        return profile.name == "1g.5gb+me" || profile.name == "1g.10gb";  // not in that drawing
    });
    int full = 0;
    for (const Instances& layout : all_layouts(geometry)) {
        if (slice_potential({geometry, {}, false}, layout) == SlicePotential{}) ++full;
    }
    CHECK(full == 19);
}

TEST_CASE("SlicePotential: adds up, subtracts and compares rank by rank", "[alloc]") {
    const Slicing large{a100_slices(), {}, false};
    const Slicing small{*find_slice_geometry("a30-24gb"), {}, false};
    const SlicePotential sum = slice_potential(large, {}) + slice_potential(small, {});
    CHECK(sum.counts[0] == 2);  // 7g.40gb and 4g.24gb
    CHECK(sum.counts[1] == 3);  // 4g.20gb and twice 2g.12gb
    CHECK(sum.counts[6] == 1);
    CHECK(sum - slice_potential(small, {}) == slice_potential(large, {}));
    const SlicePotential cost =
        slice_potential(large, Instances{slice_at(a100_slices(), "7g.40gb", 0)}) -
        slice_potential(large, {});
    CHECK(cost.counts[0] == -1);
    CHECK(cost < SlicePotential{});
}

TEST_CASE("instances_possible: agrees with the oracle on every layout", "[alloc]") {
    for (const char* name : {"a30-24gb", "a100-40gb"}) {
        const SliceGeometry& geometry = *find_slice_geometry(name);
        const Slicing slicing{geometry, {}, false};
        for (const Instances& held : all_layouts(geometry)) {
            const SliceOracle oracle(slicing, held);
            for (const SliceGeometry::Profile& profile : geometry.profiles) {
                const auto found = instances_possible(slicing, held, profile.name);
                if (found == oracle.possible(profile)) continue;
                FAIL(name << " held " << text(held) << ": " << found << " " << profile.name
                          << ", the oracle says " << oracle.possible(profile));
            }
        }
    }
    CHECK(instances_possible({a100_slices(), {}, false}, {}, "5g.25gb") == 0);
}

TEST_CASE("arrange_slices: agrees with the oracle on every layout of an A30", "[alloc][law]") {
    const SliceGeometry& geometry = *find_slice_geometry("a30-24gb");
    const auto layouts = all_layouts(geometry);
    CHECK(layouts.size() == 84);
    for (const Instances& held : layouts) {
        for (const auto& wanted : all_wanted(geometry, 4)) {
            check_against_oracle({geometry, {}, false}, held, wanted);
        }
    }
}

TEST_CASE("arrange_slices: agrees with the oracle whatever exists on an A30",
          "[alloc][law][slow]") {
    const SliceGeometry& geometry = *find_slice_geometry("a30-24gb");
    const auto layouts = all_layouts(geometry);
    for (const Instances& existing : layouts) {
        for (const Instances& held : layouts) {
            for (const auto& wanted : all_wanted(geometry, 2)) {
                check_against_oracle({geometry, existing, false}, held, wanted);
                check_against_oracle({geometry, existing, true}, held, wanted);
            }
        }
    }
}

TEST_CASE("arrange_slices: agrees with the oracle on every layout of an A100",
          "[alloc][law][slow]") {
    const auto layouts = all_layouts(a100_slices());
    CHECK(layouts.size() == 2319);
    for (const Instances& held : layouts) {
        for (const auto& wanted : all_wanted(a100_slices(), 2)) {
            check_against_oracle({a100_slices(), {}, false}, held, wanted);
        }
    }
}

TEST_CASE("arrange_slices: agrees with the oracle on GPUs at random", "[alloc][law]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    for (int i = 0; i < 2'000; ++i) {
        const SliceGeometry& geometry = choices.of(slice_geometries());
        const Slicing slicing{geometry, any_layout(geometry, choices), choices.one_in(4)};
        Instances held = any_layout(geometry, choices, 5);
        if (choices.one_in(2)) {
            held = slicing.instances;
            std::erase_if(held, [&](const Slicing::Instance&) { return choices.one_in(2); });
        }
        std::vector<std::string> wanted;
        for (auto left = choices.below(5); left > 0; --left) {
            wanted.push_back(choices.of(geometry.profiles).name);
        }
        check_against_oracle(slicing, held, wanted);
    }
}

/// Any geometry of few slices: compute slices and instances_max are often what is short.
[[nodiscard]] SliceGeometry any_geometry(Choices& choices) {
    SliceGeometry geometry;
    geometry.name = "any";
    geometry.compute_slices = choices.in<std::uint32_t>({1, 8});
    geometry.memory_slices = choices.in<std::uint32_t>({1, 8});
    for (auto left = choices.in<int>({1, 5}); left > 0; --left) {
        SliceGeometry::Profile profile;
        profile.name = std::string(1, static_cast<char>('a' + choices.below(26)));
        if (geometry.find(profile.name) != nullptr) continue;
        profile.compute_slices = choices.in<std::uint32_t>({0, geometry.compute_slices + 1});
        profile.memory_slices = choices.in<std::uint32_t>({1, geometry.memory_slices + 1});
        profile.instances_max = choices.in<std::uint32_t>({0, 4});
        for (std::uint32_t start = 0; start + profile.memory_slices <= geometry.memory_slices;
             ++start) {
            if (!choices.one_in(3)) profile.starts.push_back(start);
        }
        geometry.profiles.push_back(profile);
    }
    return geometry;
}

TEST_CASE("arrange_slices: agrees with the oracle on geometries that are not sold",
          "[alloc][law]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    int fits = 0;
    for (std::uint64_t i = 0; i < test_rounds(20'000u); ++i) {
        const SliceGeometry geometry = any_geometry(choices);
        const Slicing slicing{geometry, any_layout(geometry, choices, 2), choices.one_in(4)};
        REQUIRE(check(slicing).ok());
        Instances held = any_layout(geometry, choices, 4);
        std::vector<std::string> wanted;
        for (auto left = choices.below(4); left > 0; --left) {
            wanted.push_back(choices.of(geometry.profiles).name);
        }
        if (arrange_slices(slicing, held, views(wanted))) ++fits;
        check_against_oracle(slicing, held, wanted);
    }
    CHECK(fits > test_rounds(5'000));
    CHECK(fits < 18'000);
}

TEST_CASE("arrange_slices: what is arranged is legal, and equal in whatever order it is asked",
          "[alloc][law]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    for (int i = 0; i < 2'000; ++i) {
        const SliceGeometry& geometry = choices.of(slice_geometries());
        const Slicing slicing{geometry, any_layout(geometry, choices), false};
        const Instances held = any_layout(geometry, choices, 4);
        std::vector<std::string> wanted;
        for (auto left = choices.below(6); left > 0; --left) {
            wanted.push_back(choices.of(geometry.profiles).name);
        }
        const auto found = arrange_slices(slicing, held, views(wanted));
        std::reverse(wanted.begin(), wanted.end());
        const auto reversed = arrange_slices(slicing, held, views(wanted));
        REQUIRE(found.has_value() == reversed.has_value());
        if (!found) continue;
        Instances a = found->instances;
        Instances b = reversed->instances;
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        CHECK(a == b);
        CHECK(found->changes == reversed->changes);
        const Instances after = geometry_after(slicing, held, found->instances);
        CHECK(check({geometry, after, false}).ok());
        CHECK(SliceOracle(slicing, {}).is_legal(after));
        for (const Slicing::Instance& one : held) {
            CHECK(std::count(after.begin(), after.end(), one) == 1);
        }
        a.insert(a.end(), held.begin(), held.end());
        CHECK(slice_potential(slicing, a) == found->potential);
    }
}

TEST_CASE("SliceSpace: gives up when its budget ends, and does with few steps on real GPUs",
          "[alloc]") {
    const Slicing slicing{a100_slices(), {}, false};
    const SliceSpace space(slicing, {});
    const std::vector<std::size_t> wanted(3, *space.find("1g.5gb"));
    detail::StepBudget budget{5};
    CHECK_FALSE(space.arrange(wanted, budget).has_value());
    CHECK(budget.left == 0);
    std::uint64_t most = 0;
    for (const auto& names : all_wanted(a100_slices(), 4)) {
        std::vector<std::size_t> profiles;
        for (const std::string& name : names) profiles.push_back(*space.find(name));
        budget.left = 10'000;
        const auto found = space.arrange(profiles, budget);
        CHECK(found.has_value() == (SliceOracle(slicing, {}).best(names).has_value()));
        most = std::max(most, 10'000 - budget.left);
    }
    CHECK(most > 35);
    CHECK(most < 1'000);
}

}  // namespace
}  // namespace trestle
