// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/hostlist.hpp"

#include <algorithm>
#include <utility>

#include "base/zero_padding.hpp"
#include "name_parts.hpp"

namespace trestle::slurm {
namespace {

using hosts::digits_max;
using hosts::NameParts;
using hosts::number_of;
using hosts::width_of;

/// Whether a number of that width is written as those of a run are.
bool is_written_alike(std::uint32_t width_of_run, std::uint64_t number, std::uint32_t width) {
    return width_of_run == width || (width == 0 && digits_of(number) >= width_of_run);
}

/// The one number in which two names differ, and what stands around it in both.
std::optional<std::pair<NameParts, NameParts>> variation(std::string_view a, std::string_view b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    auto begin = static_cast<std::size_t>(differ - a.begin());
    while (begin != 0 && words::is_digit(a[begin - 1])) --begin;
    const std::size_t of_a = hosts::digits_from(a, begin);
    const std::size_t of_b = hosts::digits_from(b, begin);
    if (of_a == 0 || of_b == 0 || of_a > digits_max || of_b > digits_max) return std::nullopt;
    const std::string_view suffix = a.substr(begin + of_a);
    if (suffix != b.substr(begin + of_b)) return std::nullopt;
    return std::pair(NameParts{a.substr(0, begin), a.substr(begin, of_a), suffix},
                     NameParts{b.substr(0, begin), b.substr(begin, of_b), suffix});
}

}  // namespace

std::string Hostlist::Stretch::name(std::uint64_t i) const {
    std::string name(prefix);
    if (width) append_number(name, first + i * step, *width);
    return name += suffix;
}

std::string Hostlist::name_of(const Group& group, const Run& run, std::uint64_t i) {
    return stretch_of(group, run).name(i);
}

void Hostlist::push_run(std::string_view prefix, std::string_view suffix, Run run) {
    run.position = size_;
    size_ += run.count;
    ++runs_;
    const bool goes_on = !groups_.empty() && groups_.back().prefix == prefix &&
                         groups_.back().suffix == suffix &&
                         has_number(groups_.back().runs.back()) == has_number(run);
    if (!goes_on) groups_.push_back({std::string(prefix), std::string(suffix), {}});
    groups_.back().runs.push_back(run);
}

void Hostlist::pop_single() {
    groups_.back().runs.pop_back();
    if (groups_.back().runs.empty()) groups_.pop_back();
    --size_;
    --runs_;
}

std::uint64_t Hostlist::extend_last(std::string_view prefix, std::string_view suffix,
                                    const Run& run) {
    if (groups_.empty()) return 0;
    const Group& group = groups_.back();
    Run& last = groups_.back().runs.back();
    if (group.prefix != prefix || group.suffix != suffix || !has_number(last) || !has_number(run)) {
        return extend_otherwise(prefix, suffix, run);
    }
    if (run.first <= last.first || !is_written_alike(last.width, run.first, run.width)) return 0;
    const std::uint64_t step = last.count == 1 ? run.first - last.first : last.step;
    if (run.first != last.first + last.count * step) return 0;
    const std::uint64_t taken = run.count == 1 || run.step == step ? run.count : 1;
    last.step = step;
    last.count += taken;
    size_ += taken;
    return taken;
}

std::uint64_t Hostlist::extend_otherwise(std::string_view prefix, std::string_view suffix,
                                         const Run& run) {
    const Group& group = groups_.back();
    Run& last = groups_.back().runs.back();
    const std::string name = name_of({std::string(prefix), std::string(suffix), {}}, run, 0);
    if (last.count > 1) {
        const bool has_next = last.number(last.count) < hosts::power_of_ten(digits_max);
        if (!has_next || name_of(group, last, last.count) != name) return 0;
        ++last.count;
        ++size_;
        return 1;
    }
    const std::string before = name_of(group, last, 0);
    const auto both = variation(before, name);
    if (!both) return 0;
    const auto& [one, next] = *both;
    Run pair{number_of(one.digits), 2, 0, 0, width_of(one.digits)};
    const std::uint64_t second = number_of(next.digits);
    if (second <= pair.first || !is_written_alike(pair.width, second, width_of(next.digits))) {
        return 0;
    }
    pair.step = second - pair.first;
    const bool is_alike = one.prefix == prefix && one.suffix == suffix && run.step == pair.step;
    if (is_alike) pair.count = run.count + 1;
    pop_single();
    push_run(one.prefix, one.suffix, pair);
    return pair.count - 1;
}

void Hostlist::append(std::string_view prefix, std::string_view suffix, Run run) {
    if (run.count == 0) return;
    if (run.count == 1) run.step = 1;
    if (has_number(run) && digits_of(run.first) >= run.width) run.width = 0;
    const std::uint64_t taken = extend_last(prefix, suffix, run);
    if (taken == run.count) return;
    run.first = run.number(taken);
    run.count -= taken;
    if (has_number(run) && digits_of(run.first) >= run.width) run.width = 0;
    if (run.count > 1) return push_run(prefix, suffix, run);
    run.step = 1;
    if (!hosts::has_digit(suffix)) return push_run(prefix, suffix, run);
    const std::string name = name_of({std::string(prefix), std::string(suffix), {}}, run, 0);
    const NameParts parts = hosts::split(name);
    if (parts.digits.empty()) return push_run(name, {}, {0, 1, 0, 1, no_number});
    push_run(parts.prefix, parts.suffix,
             {number_of(parts.digits), 1, 0, 1, width_of(parts.digits)});
}

void Hostlist::push_back(std::string_view name) {
    TRESTLE_EXPECTS(!name.empty() && name.find_first_of(",[]") == std::string_view::npos,
                    "a name is not empty and has no comma and no bracket");
    const NameParts parts = hosts::split(name);
    if (parts.digits.empty()) return append(name, {}, {0, 1, 0, 1, no_number});
    append(parts.prefix, parts.suffix, {number_of(parts.digits), 1, 0, 1, width_of(parts.digits)});
}

void Hostlist::append(const Hostlist& other) {
    const std::vector<Group> groups = other.groups_;  // it may be this list
    for (const Group& group : groups) {
        for (const Run& run : group.runs) append(group.prefix, group.suffix, run);
    }
}

std::string Hostlist::operator[](std::uint64_t position) const {
    TRESTLE_EXPECTS(position < size_, "the list has so many names");
    const auto group =
        std::prev(std::partition_point(groups_.begin(), groups_.end(), [&](const Group& one) {
            return one.runs.front().position <= position;
        }));
    const auto run =
        std::prev(std::partition_point(group->runs.begin(), group->runs.end(),
                                       [&](const Run& one) { return one.position <= position; }));
    return name_of(*group, *run, position - run->position);
}

std::optional<std::uint64_t> Hostlist::find(std::string_view name) const {
    for (const Group& group : groups_) {
        if (!name.starts_with(group.prefix)) continue;
        std::string_view digits = name.substr(group.prefix.size());
        if (!has_number(group.runs.front())) {
            if (digits.empty()) return group.runs.front().position;
            continue;
        }
        if (!digits.ends_with(group.suffix)) continue;
        digits.remove_suffix(group.suffix.size());
        if (digits.empty() || digits.size() > digits_max ||
            hosts::digits_from(digits, 0) != digits.size()) {
            continue;
        }
        const std::uint64_t number = number_of(digits);
        const std::uint32_t least = digits_of(number);
        for (const Run& run : group.runs) {
            if (number < run.first || (number - run.first) % run.step != 0) continue;
            const std::uint64_t i = (number - run.first) / run.step;
            if (i < run.count && std::max(run.width, least) == digits.size()) {
                return run.position + i;
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> Hostlist::names() const {
    std::vector<std::string> all;
    all.reserve(static_cast<std::size_t>(size_));
    for_each([&](std::string name) { all.push_back(std::move(name)); });
    return all;
}

/// Writes names as Slurm does: by their last number, neighbours as a range.
class HostlistPrinter {
  public:
    void add(const Hostlist::Group& group, const Hostlist::Run& run) {
        const bool is_plain = run.step == 1 && !hosts::has_digit(group.suffix);
        if (!Hostlist::has_number(run) || is_plain || run.count > Hostlist::written_out_max) {
            return add(group.prefix, group.suffix, run);
        }
        for (std::uint64_t i = 0; i < run.count; ++i) {
            const std::string name = Hostlist::name_of(group, run, i);
            const NameParts parts = hosts::split(name);
            if (parts.digits.empty()) {
                add(name, {}, {0, 1, 0, 1, Hostlist::no_number});
            } else {
                add(parts.prefix, parts.suffix,
                    {number_of(parts.digits), 1, 0, 1, width_of(parts.digits)});
            }
        }
    }
    [[nodiscard]] std::string take() && {
        end_group();
        return std::move(text_);
    }

  private:
    void add(std::string_view prefix, std::string_view suffix, Hostlist::Run run) {
        if (!Hostlist::has_number(run)) {
            end_group();
            if (!text_.empty()) text_ += ',';
            text_ += prefix;
            return;
        }
        if (digits_of(run.first) >= run.width) run.width = 0;
        if (runs_.empty() || prefix_ != prefix || suffix_ != suffix) {
            end_group();
            prefix_ = prefix;
            suffix_ = suffix;
        } else if (Hostlist::Run& last = runs_.back();
                   last.step == 1 && run.step == 1 && last.number(last.count) == run.first &&
                   is_written_alike(last.width, run.first, run.width)) {
            last.count += run.count;
            return;
        }
        runs_.push_back(run);
    }
    void end_group() {
        if (runs_.empty()) return;
        if (!text_.empty()) text_ += ',';
        text_ += prefix_;
        const bool is_one = runs_.size() == 1 && runs_.front().count == 1;
        if (!is_one) text_ += '[';
        for (const Hostlist::Run& run : runs_) {
            if (&run != &runs_.front()) text_ += ',';
            append_number(text_, run.first, run.width);
            if (run.count == 1) continue;
            text_ += '-';
            append_number(text_, run.number(run.count - 1), run.width);
            if (run.step != 1) text_ += ":" + std::to_string(run.step);
        }
        if (!is_one) text_ += ']';
        text_ += suffix_;
        runs_.clear();
    }

    std::string text_;
    std::string prefix_;
    std::string suffix_;
    std::vector<Hostlist::Run> runs_;  ///< of one group, not written yet
};

std::string to_text(const Hostlist& list) {
    HostlistPrinter printer;
    for (const Hostlist::Group& group : list.groups_) {
        for (const Hostlist::Run& run : group.runs) printer.add(group, run);
    }
    return std::move(printer).take();
}

}  // namespace trestle::slurm
