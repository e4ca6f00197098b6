// SPDX-License-Identifier: Apache-2.0
#pragma once

// A JSON document as a value: what stands between text and the types of the library.
//
// Layer: dialect. Main types: Value, List, Object, Member; parse(text) and print(value). Programs
// that report in JSON build an Object of parts made by to_value (codec.hpp).
// Pitfall: members keep their order, and whole numbers stay whole: 2^63 - 1 is not rounded to a
// double.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::json {

struct Value;
struct Member;
using List = std::vector<Value>;
using Object = std::vector<Member>;  ///< names differ

/// A number that is not a whole one of 64 bits, as it stood in the text: `0.5`, `1e30`.
struct OtherNumber {
    std::string text;

    friend bool operator==(const OtherNumber&, const OtherNumber&) = default;
};

/// Null, true or false, a number, text, a list or an object. Negative whole numbers are int64_t,
/// all others uint64_t.
struct Value {
    using Data = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, OtherNumber,
                              std::string, List, Object>;
    Data data;

    [[nodiscard]] bool is_null() const { return data.index() == 0; }
    friend bool operator==(const Value& a, const Value& b);
};

/// One `"name": value` of an object.
struct Member {
    std::string name;
    Value value;

    friend bool operator==(const Member&, const Member&) = default;
};

inline bool operator==(const Value& a, const Value& b) { return a.data == b.data; }

/// Lists and objects may stand this deep inside each other.
inline constexpr std::size_t depth_max = 64;

/// Reads one document, which has to be all of `text`.
/// Errors: InvalidArgument, one line with the offset. It has a path instead for a name that stands
/// twice in its object and for a part deeper than depth_max. Complexity: linear, but quadratic in
/// the number of members of one object.
[[nodiscard]] StatusOr<Value> parse(std::string_view text);

/// How a document is laid out.
enum class Layout {
    one_line,
    indented,  ///< two blanks a level; what fits 100 columns stays on one line
};

/// How the names of a struct's fields stand in a document. Ours are snake; the struct of another
/// format has a member `static constexpr auto spelling`.
enum class Spelling {
    snake,   ///< `shm_size`
    camel,   ///< `shmSize`, as OCI and Kubernetes write
    pascal,  ///< `ShmSize`, as Docker does
};

/// `name`, a name of ours, as the format spells it; the few that no rule gives (`DeviceIDs`,
/// `hostIPC`) are known.
[[nodiscard]] std::string spelled(std::string_view name, Spelling spelling);

/// The text of `value`. Bytes that are not UTF-8 become U+FFFD: JSON has no way to say them.
[[nodiscard]] std::string print(const Value& value, Layout layout = Layout::one_line);

/// `a number`, `a list` and so on, for messages: short values are quoted.
[[nodiscard]] std::string describe(const Value& value);

}  // namespace trestle::json
