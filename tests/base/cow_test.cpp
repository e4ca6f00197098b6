// SPDX-License-Identifier: Apache-2.0
#include "base/cow/cow.hpp"

#include <array>
#include <concepts>
#include <string>
#include <thread>
#include <utility>

#include "support/catch.hpp"

using namespace trestle;

namespace {

/// Counts how often it is copied and moved.
struct Counted {
    static inline int copies = 0;
    static inline int moves = 0;

    Counted() = default;
    Counted(const Counted&) { ++copies; }
    Counted(Counted&&) noexcept { ++moves; }
    Counted& operator=(const Counted&) = delete;
    Counted& operator=(Counted&&) = delete;
    ~Counted() = default;
};

}  // namespace

static_assert(std::regular<Cow<std::string>>);
static_assert(sizeof(Cow<std::string>) == sizeof(void*));

TEST_CASE("Cow: a default one holds a default value and no object", "[base]") {
    const Cow<std::string> empty;
    CHECK(*empty == "");
    CHECK_FALSE(empty.is_unique());
    CHECK(empty.is_same_object(Cow<std::string>()));
    CHECK(empty == Cow<std::string>(std::string()));
    CHECK(hash_of(empty) == hash_of(Cow<std::string>(std::string())));

    Cow<std::string> written;
    written.write() = "rack";
    CHECK(*written == "rack");
    CHECK(*Cow<std::string>() == "");
}

TEST_CASE("Cow: writing leaves copies alone and copies only once", "[base]") {
    Cow<std::string> a(std::string("rack"));
    CHECK(a.is_unique());
    const Cow<std::string> copy = a;
    CHECK(a.is_same_object(copy));
    CHECK_FALSE(a.is_unique());

    a.write() += " 7";
    CHECK(*a == "rack 7");
    CHECK(*copy == "rack");
    CHECK(a.is_unique());
    CHECK(copy.is_unique());

    const std::string* const place = &*a;
    a.write() += "b";
    CHECK(&*a == place);
}

TEST_CASE("Cow: equality compares values, whether shared or not", "[base]") {
    const Cow<std::string> a(std::string("rack"));
    const Cow<std::string> twin(std::string("rack"));
    CHECK(a == twin);
    CHECK_FALSE(a.is_same_object(twin));
    CHECK(a != Cow<std::string>(std::string("row")));
    CHECK(hash_of(a) == hash_of(twin));
    CHECK(a->size() == 4);
}

TEST_CASE("Cow: what was moved from holds a default value", "[base]") {
    Cow<std::string> a(std::string("rack"));
    Cow<std::string> b = std::move(a);
    CHECK(*a == "");  // NOLINT(bugprone-use-after-move): documented
    CHECK(*b == "rack");
    CHECK(b.is_unique());
    b = std::move(a);
    CHECK(*b == "");
}

TEST_CASE("Cow: assigning to itself keeps the value", "[base]") {
    Cow<std::string> a(std::string("rack"));
    const Cow<std::string>& same = a;
    a = same;
    CHECK(*a == "rack");
    CHECK(a.is_unique());
    Cow<std::string>& again = a;
    a = std::move(again);
    CHECK(*a == "rack");
    CHECK(a.is_unique());
}

TEST_CASE("Cow: a value is moved once on its way in, and copied once if need be", "[base]") {
    Counted value;
    Counted::copies = Counted::moves = 0;
    Cow<Counted> cow(value);
    CHECK(Counted::copies == 1);
    CHECK(Counted::moves == 0);
    const Cow<Counted> copy = cow;
    static_cast<void>(cow.write());
    CHECK(Counted::copies == 2);
    CHECK(Counted::moves == 0);
    cow = Cow<Counted>(std::move(value));
    CHECK(Counted::copies == 2);
    CHECK(Counted::moves == 1);
}

TEST_CASE("Cow: threads read, copy and drop copies while the original is written",
          "[base][threads]") {
    Cow<std::string> written(std::string(100, 'a'));
    std::array<std::thread, 3> threads;
    std::array<std::size_t, 3> wrong{};
    for (std::size_t t = 0; t < threads.size(); ++t) {
        threads[t] = std::thread([copy = written, &wrong = wrong[t]]() mutable {
            for (int round = 0; round < 500; ++round) {
                const Cow<std::string> again = copy;
                if (*again != std::string(100, 'a')) ++wrong;
            }
            copy = {};
        });
    }
    for (int round = 0; round < 500; ++round) {
        written.write()[0] = static_cast<char>('b' + round % 20);
        const Cow<std::string> kept = written;
        written.write()[1] = 'x';
    }
    for (auto& thread : threads) thread.join();
    for (const std::size_t count : wrong) CHECK(count == 0);
    CHECK(*written != std::string(100, 'a'));
}
