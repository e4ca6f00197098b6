// SPDX-License-Identifier: Apache-2.0
#include "spec_reader.hpp"

namespace trestle::dstack {
namespace {

constexpr std::size_t yaml_bytes_max = 65'536;
constexpr std::size_t spec_errors_max = 100;
constexpr std::size_t spec_work_max = 100'000;  // more keys and items than the bytes above hold
constexpr std::size_t flow_bytes_max = yaml_bytes_max;
constexpr std::size_t flow_depth_max = 48;
constexpr std::size_t merge_depth_max = 48;      // an alias may lie inside of what it names
constexpr std::size_t flow_key_bytes_max = 200;  // YAML itself ends at 1024, escapes and all

std::string token_of(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar().substr(0, 64);
    if (node.IsNull()) return "null";
    return node.IsMap() ? "{" : "[";
}

/// What stands at line and column, which count from 1.
std::string token_at(std::string_view yaml, std::size_t line, std::size_t column) {
    for (; line > 1 && !yaml.empty(); --line) {
        yaml.remove_prefix(std::min(yaml.find('\n'), yaml.size() - 1) + 1);
    }
    if (column == 0 || column > yaml.size()) return {};
    const std::string_view rest = yaml.substr(column - 1);
    return std::string(rest.substr(0, std::min<std::size_t>(rest.find_first_of(" \n"), 64)));
}

bool is_merge_key(const YAML::Node& key) {
    return key.IsScalar() && key.Tag() == "?" && key.Scalar() == "<<";
}

/// Plain in YAML, and read back as plain: words and numbers.
bool is_plain_word(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+' || text.front() == '.')) {
        text.remove_prefix(1);
    }
    const auto is_first = [](char c) { return words::is_letter(c) || words::is_digit(c); };
    return !text.empty() && is_first(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return is_first(c) || std::string_view("_.+/-").find(c) != std::string_view::npos;
           });
}

}  // namespace

Status SpecReader::status() const {
    if (errors_.empty()) return {};
    return invalid_argument("{}", to_text(errors_.front()));
}

std::optional<YAML::Node> SpecReader::load(std::string_view yaml) {
    yaml::YamlProblem problem;
    auto node = yaml::load_yaml(yaml, yaml_bytes_max, problem);
    if (node) return node;
    errors_.push_back(
        {static_cast<std::uint32_t>(problem.line),
         static_cast<std::uint32_t>(problem.column),
         problem.line == 0 ? "" : "YAML",
         {0, token_at(yaml, problem.line, problem.column), problem.what, problem.expected}});
    return std::nullopt;
}

void SpecReader::add(const YAML::Node& at, std::string_view key, TextError error) {
    if (errors_.size() >= spec_errors_max) return;
    const YAML::Mark mark = at.Mark();
    SpecError one{1, 1, std::string(key), std::move(error)};
    if (!mark.is_null()) {
        one.line = static_cast<std::uint32_t>(mark.line) + 1;
        one.column = static_cast<std::uint32_t>(mark.column) + 1;
    }
    errors_.push_back(std::move(one));
}

void SpecReader::add(const YAML::Node& at, std::string_view key, std::string_view what,
                     std::string_view expected) {
    add(at, key, {0, token_of(at), std::string(what), std::string(expected)});
}

bool SpecReader::spend(const YAML::Node& at) {
    if (errors_.size() >= spec_errors_max || work_ > spec_work_max) return false;
    if (++work_ <= spec_work_max) return true;
    add(at, "", "too much with the aliases written out",
        fmt::format("at most {} keys and items", spec_work_max));
    return false;
}

std::vector<SpecEntry> SpecReader::entries(const YAML::Node& mapping) {
    std::vector<SpecEntry> all;
    std::optional<SpecEntry> merged;
    for (const auto& entry : mapping) {
        if (!spend(entry.first)) return all;
        if (!is_merge_key(entry.first)) {
            all.push_back({entry.first, entry.second});
        } else if (merged) {
            add(entry.first, "", "key given twice", "each key once");
        } else {
            merged = SpecEntry{entry.first, entry.second};
        }
    }
    if (!merged) return all;
    std::set<std::string_view> names;  // in the text, which outlives them
    for (const SpecEntry& entry : all) {
        if (entry.key.IsScalar()) names.insert(entry.key.Scalar());
    }
    merge(merged->value, 0, names, all);
    return all;
}

void SpecReader::merge(const YAML::Node& value, std::size_t depth,
                       std::set<std::string_view>& names, std::vector<SpecEntry>& all) {
    if (!spend(value)) return;
    if (depth == merge_depth_max) {
        return add(value, "<<", "it merges too deep", fmt::format("at most {} levels", depth));
    }
    if (value.IsSequence() && value.size() != 0) {
        for (const YAML::Node& item : value) merge(item, depth + 1, names, all);
        return;
    }
    if (!value.IsMap()) {
        return add(value, "<<", "nothing to merge", "a mapping, or a list of mappings");
    }
    std::vector<YAML::Node> below;
    for (const auto& entry : value) {
        if (!spend(entry.first)) return;
        if (is_merge_key(entry.first)) {
            below.push_back(entry.second);
        } else if (!entry.first.IsScalar() || names.insert(entry.first.Scalar()).second) {
            all.push_back({entry.first, entry.second});
        }
    }
    for (const YAML::Node& node : below) merge(node, depth + 1, names, all);
}

std::optional<YAML::Node> SpecReader::find(const YAML::Node& mapping, std::string_view key) {
    const std::size_t before = errors_.size();
    const std::vector<SpecEntry> all = entries(mapping);
    const bool has_run_out = work_ > spec_work_max;  // then no other error says it
    if (!has_run_out)
        errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(before), errors_.end());
    const auto at = std::find_if(all.begin(), all.end(), [&](const SpecEntry& entry) {
        return entry.key.IsScalar() && entry.key.Scalar() == key;
    });
    if (at == all.end()) return std::nullopt;
    return at->value;
}

bool SpecReader::is_text(const YAML::Node& node, std::string_view key) {
    if (node.IsScalar() && !yaml::is_boolean(node)) return true;
    add(node, key, "no text or number", "a text or a number");
    return false;
}

std::optional<std::string> SpecReader::ends_of(const YAML::Node& node) {
    struct Ends {
        std::string min;
        std::string max;
        bool is_good = true;
    };
    static constexpr auto set = [](SpecReader& reader, Ends& ends, std::string& end,
                                   const YAML::Node& value, std::string_view key) {
        if (value.IsNull()) return;
        ends.is_good = ends.is_good && reader.is_text(value, key);
        if (!value.IsScalar()) return;
        if (value.Scalar().find("..") != std::string::npos) {
            ends.is_good = false;
            return reader.add(value, key, "a range inside of a range", "a single value");
        }
        end = value.Scalar();
    };
    static constexpr std::array<SpecKey<Ends>, 2> keys{
        {{"min",
          [](SpecReader& r, Ends& ends, const YAML::Node& v) { set(r, ends, ends.min, v, "min"); }},
         {"max", [](SpecReader& r, Ends& ends, const YAML::Node& v) {
              set(r, ends, ends.max, v, "max");
          }}}};
    Ends ends;
    const std::size_t errors_before = errors_.size();
    apply(ends, node, keys);
    if (!ends.is_good || errors_.size() != errors_before) return std::nullopt;
    return ends.min + ".." + ends.max;
}

std::optional<std::string> SpecReader::flow_text(const YAML::Node& node) {
    std::string text;
    if (append_flow(text, node, 0)) return text;
    return std::nullopt;
}

bool SpecReader::append_flow(std::string& text, const YAML::Node& node, std::size_t depth) {
    if (!spend(node)) return false;
    if (text.size() > flow_bytes_max) {
        add(node, "", "too much with the aliases written out",
            fmt::format("at most {} bytes", flow_bytes_max));
        return false;
    }
    if (node.IsScalar()) {
        const bool is_plain = node.Tag() == "?" && is_plain_word(node.Scalar());
        text += is_plain ? node.Scalar() : quoted_yaml(node.Scalar());
        return true;
    }
    if (!node.IsMap() && !node.IsSequence()) {
        text += "null";
        return true;
    }
    if (depth == flow_depth_max) {  // an alias may lie inside of what it names
        add(node, "", "it nests too deep", fmt::format("at most {} levels", flow_depth_max));
        return false;
    }
    const std::size_t start = text.size();
    text += node.IsMap() ? '{' : '[';
    const auto separate = [&] {
        if (text.size() != start + 1) text += ", ";
    };
    if (node.IsSequence()) {
        for (const YAML::Node& item : node) {
            separate();
            if (!append_flow(text, item, depth + 1)) return false;
        }
    } else {
        for (const auto& [key, value] : entries(node)) {
            separate();
            if (!key.IsScalar() || key.Scalar().size() > flow_key_bytes_max) {
                add(key, "", "malformed key",
                    fmt::format("a word of at most {} bytes", flow_key_bytes_max));
                return false;
            }
            if (!append_flow(text, key, depth + 1)) return false;
            text += ": ";
            if (!append_flow(text, value, depth + 1)) return false;
        }
    }
    text += node.IsMap() ? '}' : ']';
    return true;
}

std::string quoted_yaml(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    // Brackets without their partners would count as depth when the text is read again.
    const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
    const bool is_balanced = count('[') == count(']') && count('{') == count('}');
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_bracket = c == '[' || c == ']' || c == '{' || c == '}';
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte == 0x7f || (is_bracket && !is_balanced)) {
            quoted += "\\x";
            quoted += digits[byte >> 4];
            quoted += digits[byte & 15];
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

}  // namespace trestle::dstack
