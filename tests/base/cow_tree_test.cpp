// SPDX-License-Identifier: Apache-2.0
// What CowMap does not show: the shape of the B+ tree below them.
#include "base/cow/detail/cow_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cow/detail/cow_tree_difference.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

namespace {

using Tree = detail::CowTree<std::uint64_t, std::uint64_t>;

bool insert(Tree& tree, std::uint64_t key) {
    return tree.insert<Tree::IfThere::keep>(key, key + 1);
}

struct TreeShape {
    std::size_t keys = 0;
    std::size_t leaves = 0;
    bool is_sound = true;
};

/// Goes through a subtree whose keys must lie in [first, last), where they are given.
TreeShape shape_of(Tree::Child node, std::uint32_t level, std::optional<std::uint64_t> first,
                   std::optional<std::uint64_t> last) {
    TreeShape shape;
    if (level == 0) {
        const auto& keys = node.leaf->keys;
        const std::uint32_t size = node.leaf->size;
        shape = {size, 1, size > 0 && size <= Tree::Leaf::capacity};
        shape.is_sound = shape.is_sound && std::is_sorted(keys.data(), keys.data() + size) &&
                         (!first || *first <= keys[0]) && (!last || keys[size - 1] < *last);
        for (std::uint32_t row = 0; row < size; ++row) {
            shape.is_sound = shape.is_sound && node.leaf->values[row] == keys[row] + 1;
        }
        return shape;
    }
    const Tree::Branch& branch = *node.branch;
    shape.is_sound = branch.size > 1 && branch.size <= Tree::Branch::capacity &&
                     (!first || *first == branch.keys[0]);
    for (std::uint32_t row = 0; row < branch.size; ++row) {
        const TreeShape below =
            shape_of(branch.children[row], level - 1, row == 0 ? first : branch.keys[row],
                     row + 1 == branch.size ? last : branch.keys[row + 1]);
        shape.is_sound = shape.is_sound && below.is_sound;
        shape.keys += below.keys;
        shape.leaves += below.leaves;
    }
    return shape;
}

TreeShape shape_of(const Tree& tree) {
    if (tree.size() == 0) return {};
    TreeShape shape = shape_of(tree.root(), tree.height(), std::nullopt, std::nullopt);
    shape.is_sound = shape.is_sound && shape.keys == tree.size();
    return shape;
}

}  // namespace

TEST_CASE("CowTree: nodes and separators are sound after random operations", "[base]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Rng rng(seed);
    Tree tree;
    std::vector<Tree> copies;
    for (int step = 0; step < 100'000; ++step) {
        const std::uint64_t key = rng.below(30'000);
        if (rng.chance(step / 20'000 % 2 == 0 ? 9 : 1, 10)) {
            insert(tree, key);
        } else {
            tree.take(key);
        }
        if (step % 1000 == 0 && !shape_of(tree).is_sound) FAIL("step " << step);
        if (step % 9'999 == 0) copies.push_back(tree);
    }
    for (const Tree& copy : copies) CHECK(shape_of(copy).is_sound);
}

TEST_CASE("CowTree: nodes stay filled, however keys came and went", "[base]") {
    constexpr std::size_t capacity = Tree::Leaf::capacity;
    Tree tree;
    for (std::uint64_t key = 0; key < 100'000; ++key) insert(tree, key);
    CHECK(tree.height() == 3);
    CHECK(shape_of(tree).leaves <= 100'000 / (capacity - 2) + 1);

    Rng rng(test_seed());
    for (int step = 0; step < 300'000; ++step) {
        tree.take(rng.below(100'000));
        insert(tree, rng.below(100'000));
    }
    CHECK(shape_of(tree).is_sound);
    CHECK(shape_of(tree).leaves <= tree.size() / (capacity / 3));

    for (std::uint64_t key = 0; key < 100'000; ++key) {
        if (key % 1000 != 0) tree.take(key);
    }
    CHECK(shape_of(tree).is_sound);
    CHECK(shape_of(tree).leaves <= tree.size() / (capacity / 4) + 1);
    CHECK(tree.height() <= 1);
    for (std::uint64_t key = 0; key < 100'000; key += 1000) tree.take(key);
    CHECK(tree.height() == 0);
    CHECK(tree.root().leaf == nullptr);
}

TEST_CASE("CowTree: a write copies one path, and what differs is found without what is shared",
          "[base]") {
    Tree tree;
    for (std::uint64_t key = 0; key < 100'000; ++key) insert(tree, 2 * key);
    const Tree before = tree;
    insert(tree, 77'777);
    std::uint32_t changed = 0;
    for (std::uint32_t row = 0; row < before.root().branch->size; ++row) {
        changed +=
            before.root().branch->children[row].branch != tree.root().branch->children[row].branch
                ? 1u
                : 0u;
    }
    CHECK(changed == 1);
    std::vector<std::uint64_t> found;
    detail::visit_differences(before, tree, [&found](std::uint64_t key) {
        found.push_back(key);
        return true;
    });
    CHECK(found == std::vector<std::uint64_t>{77'777});
}

TEST_CASE("CowTree: a failed insertion or erasure copies nothing", "[base]") {
    Tree tree;
    for (std::uint64_t key = 0; key < 1'000; ++key) insert(tree, key);
    const Tree before = tree;
    CHECK_FALSE(insert(tree, 500));
    CHECK_FALSE(tree.take(1'000));
    CHECK(tree.write(1'000) == nullptr);
    CHECK(tree.root().branch == before.root().branch);
}
