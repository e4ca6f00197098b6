// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/value.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "trestle/dialect/json/codec.hpp"

namespace trestle::json {
namespace {

[[nodiscard]] std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Builds a Value while nlohmann's parser reads; stops at the first thing that is not allowed.
class Builder {
  public:
    using Parser = nlohmann::json;

    bool null() { return add({}); }
    bool boolean(bool value) { return add({value}); }
    bool number_integer(std::int64_t value) { return add({value}); }
    bool number_unsigned(std::uint64_t value) { return add({value}); }
    bool number_float(double, const std::string& text) { return add({OtherNumber{text}}); }
    bool string(std::string& text) { return add({std::move(text)}); }
    bool binary(Parser::binary_t&) { return false; }
    bool start_array(std::size_t) { return open({List()}); }
    bool end_array() { return close(); }
    bool start_object(std::size_t) { return open({Object()}); }
    bool end_object() { return close(); }
    bool key(std::string& name) {
        auto& object = std::get<Object>(open_.back()->data);
        const bool is_new = std::none_of(object.begin(), object.end(),
                                         [&](const Member& m) { return m.name == name; });
        object.push_back({std::move(name), {}});
        return is_new || fail("a name that stands twice", "each name once");
    }
    bool parse_error(std::size_t position, const std::string& token,
                     const Parser::exception& exception) {
        // "[json.exception...] parse error at ...: syntax error ...; last read: 'x'; expected ..."
        std::string text = exception.what();
        text.erase(0, std::min(text.find("syntax error"), text.find("number")));
        const std::string last_read = "; last read: '" + token + "'";
        if (const auto at = text.find(last_read); at != text.npos) text.erase(at, last_read.size());
        status_ = invalid_argument("json: at offset {} ({}): {}",
                                   position - std::min(position, std::size_t{1}),
                                   quoted(token.substr(0, 64)), text);
        return false;
    }

    [[nodiscard]] StatusOr<Value> result() && {
        if (!status_.ok()) return status_;
        return std::move(document_);
    }

  private:
    /// Puts `value` where the next one belongs and says where it is now.
    Value* put(Value value) {
        if (open_.empty()) {
            document_ = std::move(value);
            return &document_;
        }
        if (auto* list = std::get_if<List>(&open_.back()->data)) {
            return &list->emplace_back(std::move(value));
        }
        Value& last = std::get<Object>(open_.back()->data).back().value;
        last = std::move(value);
        return &last;
    }
    bool add(Value value) {
        put(std::move(value));
        return true;
    }
    bool open(Value value) {
        // A list that is open does not grow before its last element is closed: pointers stay.
        open_.push_back(put(std::move(value)));
        return open_.size() <= depth_max ||
               fail("too deep", "at most " + std::to_string(depth_max) + " levels");
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    bool fail(std::string_view what, std::string_view expected) {
        status_ = error_at(0, {}, what, expected);
        return false;
    }
    /// An error at the last part of the innermost open value.
    [[nodiscard]] Status error_at(std::size_t level, const detail::Place& place,
                                  std::string_view what, std::string_view expected) const {
        if (level == open_.size()) return place.error(what, expected);
        if (const auto* object = std::get_if<Object>(&open_[level]->data)) {
            if (object->empty()) return place.error(what, expected);
            return error_at(level + 1, place.member(object->back().name), what, expected);
        }
        const auto& list = std::get<List>(open_[level]->data);
        if (list.empty()) return place.error(what, expected);
        return error_at(level + 1, place.element(list.size() - 1), what, expected);
    }

    Value document_;
    std::vector<Value*> open_;
    Status status_;
};

/// True for what may stand in a path without quotes.
[[nodiscard]] bool is_plain(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

class Printer {
  public:
    explicit Printer(Layout layout) : layout_(layout) {}

    void operator()(std::monostate) { out_ += "null"; }
    void operator()(bool value) { out_ += value ? "true" : "false"; }
    void operator()(std::int64_t value) { out_ += std::to_string(value); }
    void operator()(std::uint64_t value) { out_ += std::to_string(value); }
    void operator()(const OtherNumber& value) { out_ += value.text; }
    void operator()(const std::string& value) { out_ += quoted(value); }
    void operator()(const List& list) {
        enclose(list, "[]", [&](const Value& value) { std::visit(*this, value.data); });
    }
    void operator()(const Object& object) {
        enclose(object, "{}", [&](const Member& member) {
            out_ += quoted(member.name);
            out_ += layout_ == Layout::indented ? ": " : ":";
            std::visit(*this, member.value.data);
        });
    }
    [[nodiscard]] std::string take() && { return std::move(out_); }

  private:
    static constexpr std::size_t columns_max = 100;

    template <class Parts, class PrintOne>
    void enclose(const Parts& parts, std::string_view brackets, PrintOne print_one) {
        if (layout_ == Layout::one_line) return join(parts, brackets, ",", print_one);
        if (is_in_line_) return join(parts, brackets, ", ", print_one);
        const std::size_t start = out_.size();
        is_in_line_ = true;
        join(parts, brackets, ", ", print_one);
        is_in_line_ = false;
        if (out_.size() - line_start_ <= columns_max) return;
        out_.resize(start);
        ++level_;
        join(parts, brackets, ",", [&](const auto& part) {
            break_line();
            print_one(part);
        });
        --level_;
        out_.pop_back();
        break_line();
        out_ += brackets[1];
    }
    template <class Parts, class PrintOne>
    void join(const Parts& parts, std::string_view brackets, std::string_view comma,
              PrintOne print_one) {
        out_ += brackets[0];
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i != 0) out_ += comma;
            print_one(parts[i]);
        }
        out_ += brackets[1];
    }
    void break_line() {
        out_ += '\n';
        line_start_ = out_.size();
        out_.append(2 * level_, ' ');
    }

    Layout layout_;
    bool is_in_line_ = false;
    std::size_t level_ = 0;
    std::size_t line_start_ = 0;
    std::string out_;
};

}  // namespace

StatusOr<Value> parse(std::string_view text) {
    Builder builder;
    // The builder keeps the reason of a failure, so the parser's own verdict is not needed.
    static_cast<void>(nlohmann::json::sax_parse(text.begin(), text.end(), &builder));
    return std::move(builder).result();
}

std::string print(const Value& value, Layout layout) {
    Printer printer(layout);
    std::visit(printer, value.data);
    return std::move(printer).take();
}

bool detail::MemberName::is(std::string_view name) const {
    return spelling == Spelling::snake ? ours == name : spelled(ours, spelling) == name;
}

std::string detail::one_of(std::initializer_list<std::string_view> ours, Spelling spelling) {
    std::string text;
    for (std::string_view name : ours) {
        text += text.empty() ? "one of " : ", ";
        text += spelled(name, spelling);
    }
    return text;
}

std::string spelled(std::string_view name, Spelling spelling) {
    if (spelling == Spelling::snake) return std::string(name);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> irregular{
        {{"device_ids", "DeviceIDs"},
         {"host_ipc", "hostIPC"},
         {"block_io", "blockIO"},
         {"throttle_read_iops_device", "throttleReadIOPSDevice"},
         {"throttle_write_iops_device", "throttleWriteIOPSDevice"}}};
    for (const auto& [ours, theirs] : irregular) {
        if (name == ours) return std::string(theirs);
    }
    std::string text;
    bool is_upper = spelling == Spelling::pascal;
    for (const char c : name) {
        if (c != '_') {
            const bool is_lower_case = c >= 'a' && c <= 'z';
            text += is_upper && is_lower_case ? static_cast<char>(c - 'a' + 'A') : c;
        }
        is_upper = c == '_';
    }
    return text;
}

std::string describe(const Value& value) {
    if (std::holds_alternative<List>(value.data)) return "a list";
    if (std::holds_alternative<Object>(value.data)) return "an object";
    std::string text = print(value);
    constexpr std::size_t length_max = 64;
    if (text.size() <= length_max) return text;
    return std::holds_alternative<std::string>(value.data) ? "long text" : "a long number";
}

namespace detail {

std::string Place::path() const {
    if (above == nullptr) return {};
    const std::string before = above->path();
    if (index) return before + "[" + std::to_string(*index) + "]";
    if (!is_plain(name)) return before + "[" + quoted(std::string(name.substr(0, 64))) + "]";
    return before.empty() ? std::string(name) : before + "." + std::string(name);
}

Status Place::error(std::string_view what, std::string_view expected) const {
    const std::string where = path();
    return invalid_argument("json: {}{}{}, expected {}", where, where.empty() ? "" : ": ", what,
                            expected);
}

bool Place::fail(std::string_view what, std::string_view expected) const {
    *failure = error(what, expected);
    return false;
}

bool Place::accept(const Status& checked) const {
    if (checked.ok()) return true;
    const std::string here = path();
    *failure = with_context(here.empty() ? "json" : "json: " + here, checked);
    return false;
}

bool read_signed(const Value& value, const Place& place, std::int64_t min, std::int64_t max,
                 std::int64_t& result) {
    if (const auto* number = std::get_if<std::uint64_t>(&value.data)) {
        if (*number <= static_cast<std::uint64_t>(max)) {
            result = static_cast<std::int64_t>(*number);
            return true;
        }
    } else if (const auto* negative = std::get_if<std::int64_t>(&value.data)) {
        if (*negative >= min) {
            result = *negative;
            return true;
        }
    }
    return place.unexpected(value, fmt::format("a whole number from {} to {}", min, max));
}

bool read_unsigned(const Value& value, const Place& place, std::uint64_t max,
                   std::uint64_t& result) {
    const auto* number = std::get_if<std::uint64_t>(&value.data);
    if (number == nullptr || *number > max) {
        return place.unexpected(value, fmt::format("a whole number from 0 to {}", max));
    }
    result = *number;
    return true;
}

}  // namespace detail
}  // namespace trestle::json
