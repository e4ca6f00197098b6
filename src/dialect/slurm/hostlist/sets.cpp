// SPDX-License-Identifier: Apache-2.0
// Sets of names. Numbers are kept as progressions: neighbours as before all else, and those with a
// step as they are, which come apart where others are taken out of them.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/zero_padding.hpp"
#include "name_parts.hpp"
#include "progressions.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {
namespace hosts {

/// What names have in common: what stands before the number, behind it, and how many digits it has;
/// 0 digits where there is none.
struct Around {
    std::string prefix;
    std::string suffix;
    std::uint32_t digits = 0;

    /// Whether another number stands behind this one.
    [[nodiscard]] bool is_inner() const { return has_digit(suffix); }
    friend auto operator<=>(const Around&, const Around&) = default;
};

}  // namespace hosts

namespace {

using hosts::Around;
using hosts::Numbers;
using hosts::Progression;

/// The one name that is around both, by its number in each; nothing: there is none.
std::optional<std::pair<std::uint64_t, std::uint64_t>> meeting(const Around& a, const Around& b) {
    const bool is_in_order = a.prefix.size() < b.prefix.size();
    const Around& left = is_in_order ? a : b;
    const Around& right = is_in_order ? b : a;
    if (!right.prefix.starts_with(left.prefix)) return std::nullopt;
    const std::size_t begin = left.prefix.size();
    const std::size_t digits = hosts::digits_from(right.prefix, begin);
    if (digits == 0 || digits != left.digits) return std::nullopt;
    const std::string_view between = std::string_view(right.prefix).substr(begin + digits);
    if (!left.suffix.starts_with(between)) return std::nullopt;
    const std::size_t next = between.size();
    const std::size_t more = hosts::digits_from(left.suffix, next);
    if (more == 0 || more != right.digits) return std::nullopt;
    if (std::string_view(left.suffix).substr(next + more) != right.suffix) return std::nullopt;
    const std::pair numbers(hosts::number_of(std::string_view(right.prefix).substr(begin, digits)),
                            hosts::number_of(std::string_view(left.suffix).substr(next, more)));
    return is_in_order ? numbers : std::pair(numbers.second, numbers.first);
}

}  // namespace

/// A list as a set.
class HostSet {
  public:
    explicit HostSet(const Hostlist& list) {
        for (const Hostlist::Group& group : list.groups_) {
            for (const Hostlist::Run& run : group.runs) add(group, run);
        }
        for (auto& [around, numbers] : all_) numbers.unite();
        drop_meetings();
    }

    [[nodiscard]] Hostlist list() const {
        Hostlist list;
        for (const auto& [around, numbers] : all_) {
            for (const Progression& one : numbers.in_order()) {
                const bool is_padded = around.digits > digits_of(one.first);
                list.append(
                    around.prefix, around.suffix,
                    {one.first, one.count, 0, one.step,
                     around.digits == 0 ? Hostlist::no_number : (is_padded ? around.digits : 0)});
            }
        }
        return list;
    }
    void intersect(const HostSet& other) {
        std::map<Around, Numbers> both;
        for_each_meeting(other, [&](auto& mine, const auto& its, const auto& numbers) {
            if (!mine.second.contains(numbers.first) || !its.second.contains(numbers.second)) {
                return;
            }
            both[mine.first].add({numbers.first, 1, 1});
        });
        for (const auto& [around, numbers] : all_) {
            const auto theirs = other.all_.find(around);
            if (theirs != other.all_.end()) both[around].add(common(numbers, theirs->second));
        }
        all_ = std::move(both);
        for (auto& [around, numbers] : all_) numbers.unite();
    }
    void unite(HostSet other) {
        other.subtract(*this);
        for (const auto& [around, numbers] : other.all_) {
            Numbers& mine = all_[around];
            mine.add(numbers);
            mine.unite();
        }
    }
    void subtract(const HostSet& other) {
        for_each_meeting(other, [](auto& mine, const auto& its, const auto& numbers) {
            if (its.second.contains(numbers.second)) mine.second.remove(numbers.first);
        });
        for (auto& [around, mine] : all_) {
            const auto theirs = other.all_.find(around);
            if (theirs != other.all_.end()) mine.subtract(theirs->second);
        }
    }

  private:
    void add(const Hostlist::Group& group, const Hostlist::Run& run) {
        const bool is_loose = run.step != 1 || hosts::has_digit(group.suffix);
        if (!Hostlist::has_number(run)) {
            all_[{group.prefix, group.suffix, 0}].add({0, 1, 1});
        } else if (is_loose && run.count <= Hostlist::written_out_max) {
            for (std::uint64_t i = 0; i < run.count; ++i) add(Hostlist::name_of(group, run, i));
        } else {
            add_by_digits(group, run);
        }
    }
    void add(std::string_view name) {
        const hosts::NameParts parts = hosts::split(name);
        all_[{std::string(parts.prefix), std::string(parts.suffix),
              static_cast<std::uint32_t>(parts.digits.size())}]
            .add({hosts::number_of(parts.digits), 1, 1});
    }
    void add_by_digits(const Hostlist::Group& group, const Hostlist::Run& run) {
        for (std::uint64_t i = 0; i < run.count;) {
            const std::uint64_t first = run.number(i);
            const std::uint32_t digits = std::max(run.width, digits_of(first));
            const std::uint64_t most = (hosts::power_of_ten(digits) - 1 - first) / run.step + 1;
            const std::uint64_t count = std::min(most, run.count - i);
            all_[{group.prefix, group.suffix, digits}].add({first, count, run.step});
            i += count;
        }
    }

    /// visit(mine, its, numbers) for each two that a name may be of, where one counts a number
    /// before the last one. `numbers`: that name's in each.
    template <class Visit>
    void for_each_meeting(const HostSet& other, const Visit& visit) {
        const auto has_inner = [](const HostSet& set) {
            return std::any_of(set.all_.begin(), set.all_.end(),
                               [](const auto& one) { return one.first.is_inner(); });
        };
        const bool is_any = has_inner(other);
        for (auto& mine : all_) {
            const bool is_inner = mine.first.is_inner();
            if (!is_inner && !is_any) continue;
            for (const auto& its : other.all_) {
                if (!is_inner && !its.first.is_inner()) continue;
                if (const auto numbers = meeting(mine.first, its.first)) visit(mine, its, *numbers);
            }
        }
    }
    /// Names that two progressions have stay in the later one.
    void drop_meetings() {
        for_each_meeting(*this, [](auto& mine, const auto& its, const auto& numbers) {
            if (&mine.second == &its.second || !mine.first.is_inner()) return;
            if (its.first.is_inner() && its.first < mine.first) return;
            if (its.second.contains(numbers.second)) mine.second.remove(numbers.first);
        });
    }

    std::map<Around, Numbers> all_;
};

Hostlist Hostlist::sorted() const { return HostSet(*this).list(); }

Hostlist operator&(const Hostlist& a, const Hostlist& b) {
    HostSet set(a);
    set.intersect(HostSet(b));
    return set.list();
}
Hostlist operator|(const Hostlist& a, const Hostlist& b) {
    HostSet set(a);
    set.unite(HostSet(b));
    return set.list();
}
Hostlist operator-(const Hostlist& a, const Hostlist& b) {
    HostSet set(a);
    set.subtract(HostSet(b));
    return set.list();
}

}  // namespace trestle::slurm
