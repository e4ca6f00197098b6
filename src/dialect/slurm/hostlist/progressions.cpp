// SPDX-License-Identifier: Apache-2.0
#include "progressions.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace trestle::slurm::hosts {
namespace {

using Parts = std::vector<Progression>;

/// Beyond these, progressions with a step are not taken out of each other: their numbers are
/// written out, which costs what they are.
constexpr std::size_t loose_max = 8;
constexpr std::size_t more_parts_max = 4096;

bool is_before(const Progression& a, const Progression& b) { return a.first < b.first; }

/// Requires: a and b are below the modulus, which is below 2^62.
std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    std::uint64_t product = 0;
    for (; b != 0; b /= 2) {
        if (b % 2 != 0) product = (product + a) % modulus;
        a = (a + a) % modulus;
    }
    return product;
}

/// The number that times `a` is 1. Requires: the two have no common divisor.
std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t modulus) {
    std::uint64_t rest = modulus;
    std::uint64_t next = a % modulus;
    std::uint64_t of_rest = 0;
    std::uint64_t of_next = 1 % modulus;
    while (next != 0) {
        const std::uint64_t times = rest / next;
        const std::uint64_t less = product_modulo(times % modulus, of_next, modulus);
        rest = std::exchange(next, rest % next);
        of_rest = std::exchange(of_next, (of_rest + modulus - less) % modulus);
    }
    return of_rest;
}

/// The positions in `a` of the numbers that `b` has too: they are a progression.
std::optional<Progression> shared_positions(const Progression& a, const Progression& b) {
    const std::uint64_t first = std::max(a.first, b.first);
    const std::uint64_t last = std::min(a.last(), b.last());
    if (last < first) return std::nullopt;
    const std::uint64_t divisor = std::gcd(a.step, b.step);
    const std::uint64_t modulus = b.step / divisor;
    // a.first + i * a.step is b.first, modulo b.step.
    const std::uint64_t apart = (b.first % b.step + b.step - a.first % b.step) % b.step;
    if (apart % divisor != 0) return std::nullopt;
    const std::uint64_t wanted = product_modulo(apart / divisor % modulus,
                                                inverse_modulo(a.step / divisor, modulus), modulus);
    const std::uint64_t begin = (first - a.first + a.step - 1) / a.step;
    const std::uint64_t end = (last - a.first) / a.step;
    const std::uint64_t at = begin + (wanted + modulus - begin % modulus) % modulus;
    if (end < begin || at > end) return std::nullopt;
    const std::uint64_t count = (end - at) / modulus + 1;
    return Progression{at, count, count == 1 ? 1 : modulus};
}

/// Those positions of `a`, from one on so many in such a step.
Progression part_of(const Progression& a, const Progression& positions) {
    return {a.number(positions.first), positions.count,
            positions.count == 1 ? 1 : a.step * positions.step};
}

/// Adds what is left of `a` without `b`.
void add_rest(const Progression& a, const Progression& b, Parts& rest) {
    const auto holes = shared_positions(a, b);
    if (!holes) {
        rest.push_back(a);
        return;
    }
    const auto add = [&](std::uint64_t first, std::uint64_t count, std::uint64_t step) {
        if (count != 0) rest.push_back(part_of(a, {first, count, step}));
    };
    add(0, holes->first, 1);
    add(holes->last() + 1, a.count - holes->last() - 1, 1);
    const std::uint64_t between = holes->count - 1;  // of these, step - 1 positions each
    if (between == 0 || holes->step == 1) return;
    if (between / 16 < holes->step) {  // parts without a step are easier to live with
        for (std::uint64_t i = 0; i < between; ++i) add(holes->number(i) + 1, holes->step - 1, 1);
    } else {
        for (std::uint64_t i = 1; i < holes->step; ++i) add(holes->first + i, between, holes->step);
    }
}

/// False: that would be too many parts; what is there then means nothing.
[[nodiscard]] bool remove_all(Parts& parts, const Progression& taken) {
    Parts rest;
    rest.reserve(parts.size());
    const std::size_t most = parts.size() + more_parts_max;
    for (const Progression& one : parts) {
        add_rest(one, taken, rest);
        if (rest.size() > most) return false;
    }
    parts = std::move(rest);
    return true;
}

/// The first of rising spans that ends at the number or behind it.
Parts::const_iterator first_reaching(const Parts& spans, std::uint64_t number) {
    return std::partition_point(spans.begin(), spans.end(),
                                [&](const Progression& one) { return one.last() < number; });
}

/// visit(span) for the spans that lie where the progression does.
template <class Visit>
void for_each_near(const Parts& spans, const Progression& one, const Visit& visit) {
    for (auto at = first_reaching(spans, one.first); at != spans.end(); ++at) {
        if (at->first > one.last()) return;
        visit(*at);
    }
}

/// Takes out of the progression what rising spans and other progressions have. False: too many
/// parts.
[[nodiscard]] bool add_rest(const Progression& one, const Parts& spans, const Parts& loose,
                            Parts& rest) {
    Parts left{one};
    bool is_done = true;
    for_each_near(spans, one, [&](const Progression& span) {
        is_done = is_done && left.size() <= more_parts_max && remove_all(left, span);
    });
    for (const Progression& other : loose) is_done = is_done && remove_all(left, other);
    rest.insert(rest.end(), left.begin(), left.end());
    return is_done && rest.size() <= more_parts_max;
}

/// One span without others that rise.
void add_rest_of_span(Progression span, const Parts& others, Parts& rest) {
    for_each_near(others, span, [&](const Progression& hole) {
        if (span.count == 0) return;
        if (span.first < hole.first) rest.push_back({span.first, hole.first - span.first, 1});
        const std::uint64_t end = span.first + span.count;
        span.first = std::min(std::max(hole.last() + 1, span.first), end);
        span.count = end - span.first;
    });
    if (span.count != 0) rest.push_back(span);
}

}  // namespace

void Numbers::add(const Numbers& other) {
    spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
    loose_.insert(loose_.end(), other.loose_.begin(), other.loose_.end());
}

void Numbers::unite() {
    std::sort(spans_.begin(), spans_.end(), is_before);
    Parts united;
    for (const Progression& span : spans_) {
        if (!united.empty() && span.first <= united.back().last() + 1) {
            const std::uint64_t last = std::max(united.back().last(), span.last());
            united.back().count = last - united.back().first + 1;
        } else {
            united.push_back(span);
        }
    }
    spans_ = std::move(united);
    if (loose_.empty()) return;
    Parts known;
    Parts parts;
    bool is_done = loose_.size() <= loose_max;
    for (const Progression& one : loose_) {
        is_done = is_done && add_rest(one, spans_, known, parts);
        if (!is_done) return write_out();
        known.push_back(one);
    }
    loose_.clear();
    assign(std::move(parts));
}

void Numbers::write_out() {
    for (const Progression& one : std::exchange(loose_, {})) {
        for (std::uint64_t i = 0; i < one.count; ++i) spans_.push_back({one.number(i), 1, 1});
    }
    unite();
}

/// Adds parts that are apart from each other and from the spans.
void Numbers::assign(std::vector<Progression> parts) {
    bool has_spans = false;
    for (const Progression& one : parts) {
        has_spans = has_spans || one.step == 1;
        add(one);
    }
    if (has_spans) std::sort(spans_.begin(), spans_.end(), is_before);
}

bool Numbers::contains(std::uint64_t number) const {
    const auto span = first_reaching(spans_, number);
    if (span != spans_.end() && span->first <= number) return true;
    return std::any_of(loose_.begin(), loose_.end(), [&](const Progression& one) {
        return one.first <= number && number <= one.last() && (number - one.first) % one.step == 0;
    });
}

void Numbers::remove(std::uint64_t number) {
    Numbers one;
    one.add({number, 1, 1});
    subtract(one);
}

bool Numbers::try_subtract(const Numbers& other) {
    Parts rest;
    for (const Progression& span : spans_) add_rest_of_span(span, other.spans_, rest);
    Parts parts;
    for (const Progression& one : loose_) {
        if (!add_rest(one, other.spans_, {}, parts)) return false;
    }
    rest.insert(rest.end(), parts.begin(), parts.end());
    for (const Progression& taken : other.loose_) {
        if (!remove_all(rest, taken)) return false;
    }
    spans_.clear();
    loose_.clear();
    assign(std::move(rest));
    return true;
}

void Numbers::subtract(const Numbers& other) {
    if (loose_.size() + other.loose_.size() <= loose_max && try_subtract(other)) return;
    write_out();
    Numbers plain = other;
    plain.write_out();
    static_cast<void>(try_subtract(plain));  // spans alone do not come apart
}

Numbers common(const Numbers& a, const Numbers& b) {
    Numbers both;
    const auto add = [&](const Progression& x, const Progression& y) {
        if (const auto shared = shared_positions(x, y)) both.add(part_of(x, *shared));
    };
    for (const Progression& span : a.spans_) {
        for_each_near(b.spans_, span, [&](const Progression& other) { add(span, other); });
    }
    for (const Progression& one : a.loose_) {
        for_each_near(b.spans_, one, [&](const Progression& span) { add(one, span); });
        for (const Progression& other : b.loose_) add(one, other);
    }
    for (const Progression& one : b.loose_) {
        for_each_near(a.spans_, one, [&](const Progression& span) { add(one, span); });
    }
    return both;
}

std::vector<Progression> Numbers::in_order() const {
    Parts all = spans_;
    all.insert(all.end(), loose_.begin(), loose_.end());
    if (!loose_.empty()) std::sort(all.begin(), all.end(), is_before);
    return all;
}

}  // namespace trestle::slurm::hosts
