// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slurm's `Key=Value Key=Value` files as entries, line by line.
//
// Layer: dialect/slurm, inside. Main types: ConfEntry, ConfLine; Key<Line> is one row of a table of
// known keys.

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../words.hpp"
#include "../known_releases.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {

/// A mistake that Slurm logs, and what it takes instead.
struct MendedError {
    TextError error;
    std::string taken;
};

/// What is wrong with a value: nothing, or some errors.
class ValueErrors {
  public:
    ValueErrors() = default;
    ValueErrors(std::nullopt_t) {}
    ValueErrors(TextError error) { all_.push_back(std::move(error)); }
    ValueErrors(MendedError error) { mended_.push_back(std::move(error)); }

    void add(ValueErrors more) {
        std::move(more.all_.begin(), more.all_.end(), std::back_inserter(all_));
        std::move(more.mended_.begin(), more.mended_.end(), std::back_inserter(mended_));
    }
    /// Makes all of them mistakes that Slurm mends, by taking that.
    void mend(const std::string& taken) {
        for (TextError& error : all_) mended_.push_back({std::move(error), taken});
        all_.clear();
    }
    /// True: something is wrong that Slurm does not mend, so there is no value.
    explicit operator bool() const { return !all_.empty(); }
    [[nodiscard]] std::vector<TextError>& all() { return all_; }
    [[nodiscard]] std::vector<MendedError>& mended() { return mended_; }

  private:
    std::vector<TextError> all_;
    std::vector<MendedError> mended_;
};

/// Moves mistakes that Slurm mends to the warnings, unless they are to be errors.
void settle_mistakes(MendedMistakes mended, std::vector<ConfError>& errors,
                     std::vector<ConfWarning>& warnings);
/// How many of the errors from `first` on Slurm does not mend.
[[nodiscard]] std::size_t count_unmended(const std::vector<ConfError>& errors, std::size_t first);

/// More names, or runs of names, than one line can mean.
inline constexpr HostlistLimits names_of_a_line{.max_names = 10'000'000, .max_runs = 10'000};

/// `Key=Value`, both pointing into the file's text.
struct ConfEntry {
    TextCursor key;
    TextCursor value;  ///< without quotes
    std::uint32_t line = 0;
};

/// The entries of a line, joined with those that it goes on in (JoinedLines).
struct ConfLine {
    std::string_view file;
    std::uint32_t line = 0;  ///< where it starts
    std::vector<ConfEntry> entries;
    /// Whose keys are named where one is unknown; absent: those of all releases.
    std::optional<Release> release = {};

    [[nodiscard]] ConfPlace place() const { return {std::string(file), line}; }
    [[nodiscard]] ConfPlace place_of(const ConfEntry& entry) const {
        return {std::string(file), entry.line};
    }
    /// The last entry of that key, or null.
    [[nodiscard]] const ConfEntry* find(std::string_view key) const;
};

/// Where a key that Slurm prefers hides the other.
enum class KeyScope {
    line,     ///< on the same line, or on a DEFAULT line beside one on a DEFAULT line
    defaults  ///< also from a DEFAULT line
};

/// Two keys for one thing, of which Slurm takes the first, in whatever order they stand.
struct KeyOrder {
    std::string_view taken;
    std::string_view hidden;
    KeyScope scope = KeyScope::defaults;
};

/// As slurmctld 22.05 decides.
inline constexpr std::array key_orders{
    KeyOrder{"CPUs", "Procs"},
    KeyOrder{"Feature", "Features", KeyScope::line},
    KeyOrder{"SocketsPerBoard", "Sockets"},
    KeyOrder{"CpuSpecList", "CoreSpecCount"},
    KeyOrder{"OverSubscribe", "Shared"},
    KeyOrder{"Priority", "PriorityTier"},
    KeyOrder{"Priority", "PriorityJobFactor"},
    KeyOrder{"DefMemPerNode", "DefMemPerCPU"},
    KeyOrder{"MaxMemPerNode", "MaxMemPerCPU"},
    KeyOrder{"Cores", "CPUs"},
    KeyOrder{"File", "Files"},
    KeyOrder{"Links", "Link"},
};

/// Calls visit(line) for every line with entries, those of included files in their place; what it
/// is given is good until it returns. Comments start with `#` anywhere outside quotes. What is no
/// entry becomes an error; the errors of a line, visit's own too, end up in the order of offsets.
void for_each_conf_line(std::string_view file, std::string_view text, const ConfFiles& files,
                        std::vector<ConfError>& errors,
                        const std::function<void(const ConfLine&)>& visit,
                        std::optional<Release> release = {});

/// Keys by their numbers in a table.
using KeySet = std::bitset<128>;

/// A key and what its value does to a line; null: the entry is passed through.
template <class Line>
struct Key {
    std::string_view name;
    ValueErrors (*apply)(Line&, TextCursor value);
    KnownReleases releases = {};
};

/// Keeps what means nothing here; a later one of the same key takes the place of the earlier.
void carry(std::vector<PassthroughKey>& passthrough, const ConfLine& line, const ConfEntry& entry);

/// The row of a key, or nothing.
template <class Keys>
[[nodiscard]] auto find_key(const Keys& keys, std::string_view name) {
    return std::find_if(std::begin(keys), std::end(keys),
                        [&](const auto& key) { return words::same_word(key.name, name); });
}

/// The releases that have a key; all of them have one that the table lacks.
template <class Keys>
[[nodiscard]] KnownReleases releases_of_key(const Keys& keys, std::string_view name) {
    const auto known = find_key(keys, name);
    return known == std::end(keys) ? KnownReleases() : known->releases;
}

/// An error that names the nearest of the keys that the release has; the thousand-and-first does
/// not, as a text that is no configuration at all would cost too much.
template <class Keys>
[[nodiscard]] TextError unknown_key(const Keys& keys, TextCursor key,
                                    const std::vector<ConfError>& errors,
                                    std::optional<Release> release = {}) {
    constexpr std::size_t named_max = 1000;
    if (errors.size() >= named_max) return key.error("unknown key", "a known key");
    const auto name_of = [&](const auto& one) {
        if constexpr (requires { one.releases; }) {
            if (release && !includes(one.releases, *release)) return std::string_view();
        }
        return std::string_view(one.name);
    };
    return key.error("unknown key", words::with_nearest("a known key", key.rest(), keys, name_of));
}

/// Adds all that is wrong with the value there.
void add_errors(const ConfPlace& place, ValueErrors found, std::vector<ConfError>& errors);

/// The key that hides this one on a line, or an empty name. `is_said(key)`: the line has the key;
/// `is_defaulted(key)`: a DEFAULT line before had it.
template <class IsSaid, class IsDefaulted>
[[nodiscard]] std::string_view hiding_key(std::string_view key, bool is_default_line,
                                          const IsSaid& is_said, const IsDefaulted& is_defaulted) {
    for (const KeyOrder& order : key_orders) {
        if (!words::same_word(order.hidden, key)) continue;
        const bool sees_defaults = is_default_line || order.scope == KeyScope::defaults;
        if (is_said(order.taken) || (sees_defaults && is_defaulted(order.taken))) {
            return order.taken;
        }
    }
    return {};
}

/// The mistake of a key that another one hides; `value`: what stands behind that one, as in `=4`.
void add_hidden(const ConfPlace& place, const ConfEntry& entry, std::string_view taken,
                const std::string& value, std::vector<ConfError>& errors);
/// `=4`; a long value is cut short.
[[nodiscard]] std::string short_value(const ConfEntry& entry);
/// The mistake of a key that stands again later.
void add_repeated(const ConfPlace& place, TextCursor key, std::vector<ConfError>& errors);

/// Applies all entries of a line by the table; false after an error that Slurm does not mend. Of a
/// key that stands twice the last value counts.
template <class Line, class Keys>
bool apply_keys(const ConfLine& source, const Keys& keys, Line& line,
                std::vector<ConfError>& errors) {
    constexpr bool has_defaults = requires { line.defaulted; };
    const std::size_t errors_before = errors.size();
    const auto number_of = [&](std::string_view name) {
        return static_cast<std::size_t>(find_key(keys, name) - std::begin(keys));
    };
    std::array<const ConfEntry*, KeySet().size()> last{};  // by number of the key
    for (const ConfEntry& entry : source.entries) last[number_of(entry.key.rest())] = &entry;
    last[std::size(keys)] = nullptr;  // unknown keys
    const auto is_said = [&](std::string_view name) { return last[number_of(name)] != nullptr; };
    const auto is_defaulted = [&](std::string_view name) {
        if constexpr (has_defaults) return line.defaulted.test(number_of(name));
        return false;
    };
    KeySet seen;
    for (const ConfEntry& entry : source.entries) {
        const auto known = find_key(keys, entry.key.rest());
        if (known == std::end(keys)) {
            errors.push_back(
                {source.place_of(entry), unknown_key(keys, entry.key, errors, source.release)});
            continue;
        }
        const auto number = static_cast<std::size_t>(known - std::begin(keys));
        if (seen.test(number)) add_repeated(source.place_of(entry), entry.key, errors);
        seen.set(number);
        bool is_default_line = false;
        if constexpr (has_defaults) is_default_line = line.is_default;
        const auto taken = hiding_key(known->name, is_default_line, is_said, is_defaulted);
        if (!taken.empty()) {
            const ConfEntry* const other = last[number_of(taken)];
            const std::string value =
                other != nullptr ? short_value(*other) : std::string(" of the DEFAULT line");
            add_hidden(source.place_of(entry), entry, taken, value, errors);
        } else if (known->apply == nullptr) {
            if constexpr (requires { line.passthrough(); })
                carry(line.passthrough(), source, entry);
        } else {
            add_errors(source.place_of(entry), known->apply(line, entry.value), errors);
        }
    }
    if constexpr (has_defaults) {
        if (line.is_default) line.defaulted |= seen;
    }
    return count_unmended(errors, errors_before) == 0;
}

/// An error that was found when all keys of a line had been read, put at its last key of that name
/// or of one that it hides (Procs is CPUs), which may stand on a continued line; at the first key
/// where the line has none, for a DEFAULT line said it. Requires: the line has entries.
[[nodiscard]] ConfError error_at_key(const ConfLine& line, std::string_view key, TextError error);
/// The same for an error whose token is the key, or `key=value`.
[[nodiscard]] ConfError error_at_key(const ConfLine& line, TextError error);
/// Adds each as error_at_key has it.
void add_errors_at_keys(const ConfLine& line, ValueErrors found, std::vector<ConfError>& errors);

/// Ok, or the first error: `slurm.conf line 3: ... (and 2 more)`.
[[nodiscard]] Status first_error(const std::vector<ConfError>& errors);
/// Ok, or each error on a line of its own: the first hundred, then how many more there are.
[[nodiscard]] Status all_errors(const std::vector<ConfError>& errors);
/// The same as first_error for errors of lines whose text is not at hand, so that the offset is
/// unknown.
[[nodiscard]] Status first_error_of_lines(const std::vector<ConfError>& errors);

/// A plain number in [least, most].
template <class Number>
[[nodiscard]] ValueErrors read_whole(TextCursor text, Number& number,
                                     Interval<std::uint64_t> accepted) {
    TextCursor digits = text;
    const auto value = digits.take_number();
    if (!value || !digits.at_end() || !accepted.contains(*value)) {
        return text.error("malformed number", fmt::format("a whole number from {} to {}",
                                                          accepted.first, accepted.end - 1));
    }
    number = static_cast<Number>(*value);
    return std::nullopt;
}

[[nodiscard]] constexpr bool is_unlimited(std::string_view text) {
    return words::same_word(text, "UNLIMITED") || words::same_word(text, "INFINITE");
}

/// The same, where UNLIMITED and INFINITE are absence.
template <class Number>
[[nodiscard]] ValueErrors read_limit(TextCursor text, std::optional<Number>& number,
                                     Interval<std::uint64_t> accepted) {
    number.reset();
    if (is_unlimited(text.rest())) return std::nullopt;
    std::int64_t value = 0;
    auto errors = read_whole(text, value, accepted);
    for (TextError& error : errors.all()) error.expected += " or UNLIMITED";
    if (!errors) number = Number(value);
    return errors;
}

/// Nothing between two commas, or behind the last.
[[nodiscard]] ValueErrors empty_item(TextCursor at, std::string_view expected);

/// YES or NO, TRUE or FALSE, 1 or 0, UP or DOWN.
[[nodiscard]] ValueErrors read_yes_no(TextCursor text, bool& value);
/// A value that is not empty.
[[nodiscard]] ValueErrors read_word(TextCursor text, std::string& word);
/// Names joined by commas; none of them empty.
[[nodiscard]] ValueErrors read_words(TextCursor text, std::vector<std::string>& list);
/// Whole MiB.
[[nodiscard]] ValueErrors read_mebibytes(TextCursor text, Bytes& bytes);
[[nodiscard]] ValueErrors read_hostlist(TextCursor text, Hostlist& list);

/// A word and what it stands for.
template <class Value>
struct Word {
    std::string_view name;
    Value value;
};
/// Reads one of the words, whatever its case.
template <class Value, class Words>
[[nodiscard]] ValueErrors read_choice(TextCursor text, Value& value, const Words& known,
                                      std::string_view kind) {
    const auto found = find_key(known, text.rest());
    if (found == std::end(known)) {
        std::string expected;
        for (const auto& word : known) {
            expected += (expected.empty() ? "" : ", ") + std::string(word.name);
        }
        return text.error("unknown " + std::string(kind), expected);
    }
    value = found->value;
    return std::nullopt;
}

/// A value has no more errors than these; what stands behind the last of them is not looked at.
inline constexpr std::size_t errors_of_value_max = 100;

/// visit(piece) for what stands between commas; the errors of all pieces. An empty piece is a
/// mistake that `expected` explains; Slurm passes over it. A text without a character is an error.
template <class Visit>
[[nodiscard]] ValueErrors for_each_piece(TextCursor text, std::string_view expected,
                                         const Visit& visit) {
    ValueErrors errors;
    if (text.at_end()) return text.error("empty item", std::string(expected));
    do {
        const std::size_t offset = text.offset();
        const TextCursor piece(text.take_until(","), offset);
        errors.add(piece.at_end() ? empty_item(piece, expected) : visit(piece));
    } while (text.accept(',') &&
             errors.all().size() + errors.mended().size() < errors_of_value_max);
    return errors;
}

/// Numbers as bitmaps of Slurm's are written: `0-7,16`, also in brackets. `expected`: what they
/// are.
template <class Set>
[[nodiscard]] ValueErrors read_numbers(TextCursor text, Set& numbers, std::string_view expected) {
    constexpr std::uint32_t numbers_max = 65'536;
    Set read;
    auto errors = for_each_piece(text, expected, [&](TextCursor piece) -> ValueErrors {
        piece.accept('[');
        const std::size_t offset = piece.offset();
        std::string_view digits = piece.rest();
        if (digits.ends_with(']')) digits.remove_suffix(1);
        const auto some = parse_set<Set>(TextCursor(digits, offset), numbers_max);
        if (!some) return some.error();
        read |= *some;
        return std::nullopt;
    });
    if (!errors && read.is_empty()) errors = text.error("no numbers", std::string(expected));
    if (!errors) numbers = std::move(read);
    return errors;
}

}  // namespace trestle::slurm
