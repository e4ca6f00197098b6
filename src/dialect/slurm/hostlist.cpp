// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/hostlist.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "../words.hpp"
#include "trestle/base/decimal.hpp"

namespace trestle::slurm {
namespace {

/// Numbers of a name have fewer digits than this: 10^18 and what follows it fit into 64 bits.
constexpr std::size_t digits_max = 18;

std::uint64_t power_of_ten(std::uint32_t exponent) {
    std::uint64_t power = 1;
    for (; exponent != 0; --exponent) power *= 10;
    return power;
}

/// A name around its last number.
struct NameParts {
    std::string_view prefix;
    std::string_view digits;  ///< empty where there is no number, or too long a one
    std::string_view suffix;
};

NameParts split(std::string_view name) {
    std::size_t end = name.size();
    while (end != 0 && !words::is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin != 0 && words::is_digit(name[begin - 1])) --begin;
    if (begin == end || end - begin > digits_max) return {name, {}, {}};
    return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

/// The width that digits ask for.
std::uint32_t width_of(std::string_view digits) {
    return digits.size() > 1 && digits.front() == '0' ? static_cast<std::uint32_t>(digits.size())
                                                      : 0;
}

std::uint64_t number_of(std::string_view digits) {
    std::uint64_t number = 0;
    for (const char digit : digits) number = 10 * number + static_cast<std::uint64_t>(digit - '0');
    return number;
}

}  // namespace

std::string Hostlist::Stretch::name(std::uint64_t i) const {
    std::string name(prefix);
    if (width) append_number(name, first + i, *width);
    return name += suffix;
}

std::string Hostlist::name_of(const Group& group, const Run& run, std::uint64_t i) {
    return stretch_of(group, run).name(i);
}

void Hostlist::append(std::string_view prefix, std::string_view suffix, Run run) {
    if (run.count == 0) return;
    if (has_number(run) && digits_of(run.first) >= run.width) run.width = 0;
    run.position = size_;
    size_ += run.count;
    const bool goes_on = !groups_.empty() && groups_.back().prefix == prefix &&
                         groups_.back().suffix == suffix &&
                         has_number(groups_.back().runs.back()) == has_number(run);
    if (!goes_on) groups_.push_back({std::string(prefix), std::string(suffix), {}});
    std::vector<Run>& runs = groups_.back().runs;
    if (!runs.empty() && has_number(run)) {
        Run& last = runs.back();
        const bool is_written_alike =
            last.width == run.width || (run.width == 0 && digits_of(run.first) >= last.width);
        if (last.end() == run.first && is_written_alike) {
            last.count += run.count;
            return;
        }
    }
    runs.push_back(run);
    ++runs_;
}

void Hostlist::push_back(std::string_view name) {
    TRESTLE_EXPECTS(!name.empty() && name.find_first_of(",[]") == std::string_view::npos,
                    "a name is not empty and has no comma and no bracket");
    const NameParts parts = split(name);
    if (parts.digits.empty()) return append(name, {}, {0, 1, 0, no_number});
    append(parts.prefix, parts.suffix, {number_of(parts.digits), 1, 0, width_of(parts.digits)});
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
    const NameParts parts = split(name);
    const std::uint64_t number = number_of(parts.digits);
    const std::uint32_t digits = digits_of(number);
    for (const Group& group : groups_) {
        if (group.prefix != parts.prefix || group.suffix != parts.suffix) continue;
        for (const Run& run : group.runs) {
            if (parts.digits.empty() || !has_number(run)) {
                if (parts.digits.empty() && !has_number(run)) return run.position;
                continue;
            }
            const bool is_in = run.first <= number && number < run.end();
            if (is_in && std::max(run.width, digits) == parts.digits.size()) {
                return run.position + (number - run.first);
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

std::string to_text(const Hostlist& list) {
    std::string text;
    for (const Hostlist::Group& group : list.groups_) {
        const Hostlist::Run& first = group.runs.front();
        if (!Hostlist::has_number(first) || (group.runs.size() == 1 && first.count == 1)) {
            for (const Hostlist::Run& run : group.runs) {
                if (!text.empty()) text += ',';
                text += Hostlist::name_of(group, run, 0);
            }
            continue;
        }
        if (!text.empty()) text += ',';
        text += group.prefix;
        char before = '[';
        for (const Hostlist::Run& run : group.runs) {
            text += std::exchange(before, ',');
            append_number(text, run.first, run.width);
            if (run.count == 1) continue;
            text += '-';
            append_number(text, run.end() - 1, run.width);
        }
        text += ']';
        text += group.suffix;
    }
    return text;
}

/// A list as a set: for what stands around a number of so many digits, the numbers.
class HostSet {
  public:
    explicit HostSet(const Hostlist& list) {
        for (const Hostlist::Group& group : list.groups_) {
            for (const Hostlist::Run& run : group.runs) add(group, run);
        }
        for (auto& [key, spans] : spans_) unite(spans);
    }

    [[nodiscard]] Hostlist list() const {
        Hostlist list;
        for (const auto& [key, spans] : spans_) {
            const auto& [prefix, suffix, digits] = key;
            for (const Span& span : spans) {
                const bool is_padded = digits > digits_of(span.first);
                list.append(prefix, suffix,
                            {span.first, span.end - span.first, 0,
                             digits == 0 ? Hostlist::no_number : (is_padded ? digits : 0)});
            }
        }
        return list;
    }
    void intersect(const HostSet& other) {
        for (auto at = spans_.begin(); at != spans_.end();) {
            const auto theirs = other.spans_.find(at->first);
            at->second =
                theirs == other.spans_.end() ? Spans() : common(at->second, theirs->second);
            at = at->second.empty() ? spans_.erase(at) : std::next(at);
        }
    }
    void unite(const HostSet& other) {
        for (const auto& [key, theirs] : other.spans_) {
            Spans& mine = spans_[key];
            mine.insert(mine.end(), theirs.begin(), theirs.end());
            unite(mine);
        }
    }
    void subtract(const HostSet& other) {
        for (auto& [key, mine] : spans_) {
            const auto theirs = other.spans_.find(key);
            if (theirs != other.spans_.end()) mine = without(mine, theirs->second);
        }
    }

  private:
    /// Prefix, suffix, digits of the number; 0 digits where there is none.
    using Key = std::tuple<std::string, std::string, std::uint32_t>;
    struct Span {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };
    using Spans = std::vector<Span>;  ///< rising, apart from each other

    void add(const Hostlist::Group& group, const Hostlist::Run& run) {
        if (!Hostlist::has_number(run)) {
            spans_[{group.prefix, group.suffix, 0}].push_back({0, 1});
            return;
        }
        for (std::uint64_t first = run.first; first < run.end();) {
            const std::uint32_t digits = std::max(run.width, digits_of(first));
            const std::uint64_t end = std::min(run.end(), power_of_ten(digits));
            spans_[{group.prefix, group.suffix, digits}].push_back({first, end});
            first = end;
        }
    }
    static void unite(Spans& spans) {
        std::sort(spans.begin(), spans.end(),
                  [](const Span& a, const Span& b) { return a.first < b.first; });
        Spans united;
        for (const Span& span : spans) {
            if (!united.empty() && span.first <= united.back().end) {
                united.back().end = std::max(united.back().end, span.end);
            } else {
                united.push_back(span);
            }
        }
        spans = std::move(united);
    }
    [[nodiscard]] static Spans common(const Spans& a, const Spans& b) {
        Spans both;
        for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
            const Span span{std::max(x->first, y->first), std::min(x->end, y->end)};
            if (span.first < span.end) both.push_back(span);
            (x->end < y->end ? x : y)++;
        }
        return both;
    }
    [[nodiscard]] static Spans without(const Spans& a, const Spans& b) {
        Spans left;
        auto y = b.begin();
        for (Span span : a) {
            while (y != b.end() && y->end <= span.first) ++y;
            for (auto hole = y; hole != b.end() && hole->first < span.end; ++hole) {
                if (span.first < hole->first) left.push_back({span.first, hole->first});
                span.first = std::min(hole->end, span.end);
            }
            if (span.first < span.end) left.push_back(span);
        }
        return left;
    }

    std::map<Key, Spans> spans_;
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

/// Reads a list, name by name.
class HostlistReader {
  public:
    HostlistReader(TextCursor text, HostlistLimits limits) : text_(text), limits_(limits) {
        limits_.max_names = std::min(limits_.max_names, std::uint64_t{1} << 62);
    }

    std::optional<TextError> read(Hostlist& list) {
        do {
            if (auto error = read_name(list)) return error;
        } while (text_.accept(','));
        return std::nullopt;
    }

  private:
    using Run = Hostlist::Run;

    /// Text, then perhaps a bracket.
    struct Piece {
        std::string_view text;
        std::vector<Run> numbers;  ///< none: the end of the name
    };

    TextError too_many(TextCursor at, std::uint64_t most, const char* what) const {
        return at.error(std::string("too many ") + what,
                        "at most " + std::to_string(most) + " " + what);
    }

    std::optional<TextError> read_name(Hostlist& list) {
        const TextCursor start = text_;
        std::vector<Piece> pieces;
        std::uint64_t names = 1;  // that the brackets up to here make
        do {
            Piece piece{text_.take_until(",[]"), {}};
            if (text_.peek() == ']') return text_.error("stray ]", "a name");
            if (text_.accept('[')) {
                if (auto error = read_bracket(piece.numbers, names)) return error;
            }
            pieces.push_back(std::move(piece));
        } while (!pieces.back().numbers.empty());
        const bool is_empty = pieces.size() == 1 && pieces.front().text.empty();
        if (is_empty) return start.error("empty name", "a name");
        if (names > limits_.max_names - list.size()) {
            return too_many(start, limits_.max_names, "names");
        }
        if (!enter(list, pieces)) return too_many(start, limits_.max_runs, "runs of names");
        return std::nullopt;
    }

    /// From behind `[` to behind `]`; as many times more names.
    std::optional<TextError> read_bracket(std::vector<Run>& numbers, std::uint64_t& names) {
        std::uint64_t count = 0;
        do {
            const TextCursor start = text_;
            const std::string_view digits = take_bound();
            if (digits.empty()) return malformed();
            Run run{number_of(digits), 1, 0, width_of(digits)};
            std::uint64_t step = 1;
            if (text_.accept('-')) {
                const std::string_view last = take_bound();
                if (last.empty()) return malformed();
                if (number_of(last) < run.first) {
                    return start.error("a range that goes down", "the smaller number first");
                }
                run.count = number_of(last) - run.first + 1;
                if (text_.accept(':')) {
                    const TextCursor at = text_;
                    step = number_of(take_bound());
                    if (step == 0) return at.error("malformed step", "a number from 1 on");
                }
            }
            count += (run.count - 1) / step + 1;
            if (count > limits_.max_names / names) {
                return too_many(start, limits_.max_names, "names");
            }
            if (step == 1) {
                numbers.push_back(run);
            } else if ((run.count - 1) / step >= limits_.max_runs) {
                return too_many(start, limits_.max_runs, "runs of names");
            } else {
                for (std::uint64_t i = 0; i < run.count; i += step) {
                    numbers.push_back({run.first + i, 1, 0, run.width});
                }
            }
            if (numbers.size() > limits_.max_runs) {
                return too_many(start, limits_.max_runs, "runs of names");
            }
        } while (text_.accept(','));
        if (!text_.accept(']')) return text_.error("bracket without end", "]");
        names *= count;
        return std::nullopt;
    }
    [[nodiscard]] TextError malformed() const {
        return text_.error("malformed bracket", "a number of at most 18 digits, as in [0-3,8]");
    }
    /// The digits that come next; none when these are too many.
    std::string_view take_bound() {
        TextCursor ahead = text_;
        const std::string_view digits = ahead.take_while(words::is_digit);
        if (digits.size() > digits_max) return {};
        text_ = ahead;
        return digits;
    }

    /// What names that have to be written out may take together.
    static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 28;

    /// Adds all names of the pieces. False when these would be too many runs.
    [[nodiscard]] bool enter(Hostlist& list, const std::vector<Piece>& pieces) const {
        // What counts on is the last number of a name: is that the last bracket?
        const std::string_view tail = pieces.back().text;
        const bool has_bracket = pieces.size() > 1;
        const std::string_view near = has_bracket ? pieces[pieces.size() - 2].text : tail;
        const bool counts_on = has_bracket && (near.empty() || !words::is_digit(near.back())) &&
                               !(near.empty() && pieces.size() > 2) &&
                               std::none_of(tail.begin(), tail.end(), words::is_digit);
        const std::size_t written_out = pieces.size() - (counts_on ? 2 : 1);
        std::vector<std::string> heads{""};
        for (std::size_t i = 0; i < written_out; ++i) {
            std::uint64_t count = 0;
            for (const Run& run : pieces[i].numbers) count += run.count;
            if (count > limits_.max_runs / heads.size()) return false;
            const std::uint64_t all = count * heads.size();
            const std::size_t longest = heads.back().size() + pieces[i].text.size() + digits_max;
            if (all > bytes_max / longest) return false;
            std::vector<std::string> longer;
            longer.reserve(static_cast<std::size_t>(all));
            for (const std::string& head : heads) {
                for (const Run& run : pieces[i].numbers) {
                    for (std::uint64_t k = 0; k < run.count; ++k) {
                        longer.push_back(head + std::string(pieces[i].text));
                        append_number(longer.back(), run.first + k, run.width);
                    }
                }
            }
            heads = std::move(longer);
        }
        for (std::string& head : heads) {
            if (counts_on) {
                head += near;
                for (const Run& run : pieces[pieces.size() - 2].numbers) {
                    list.append(head, tail, run);
                }
            } else {
                list.push_back(head += tail);
            }
            if (list.runs_ > limits_.max_runs) return false;
        }
        return true;
    }

    TextCursor text_;
    HostlistLimits limits_;
};

TextResult<Hostlist> Hostlist::read(TextCursor text, HostlistLimits limits) {
    Hostlist list;
    if (auto error = HostlistReader(text, limits).read(list)) return *error;
    return list;
}

StatusOr<Hostlist> Hostlist::parse(std::string_view text, HostlistLimits limits) {
    auto list = read(TextCursor(text), limits);
    if (!list) return to_status("hostlist", list.error());
    return *list;
}

}  // namespace trestle::slurm
