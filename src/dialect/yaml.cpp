// SPDX-License-Identifier: Apache-2.0
#include "yaml.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "words.hpp"

namespace trestle::yaml {
namespace {

/// No less than the depth at which the text nests. Quotes are not looked at, so brackets inside of
/// them count as well; no honest file comes near the limit.
std::size_t depth_bound(std::string_view text) {
    std::size_t flow = 0;
    std::size_t deepest_flow = 0;
    for (const char c : text) {
        if (c == '[' || c == '{') deepest_flow = std::max(deepest_flow, ++flow);
        if ((c == ']' || c == '}') && flow > 0) --flow;
    }
    std::vector<std::size_t> indents;  // of the open blocks
    std::size_t deepest_block = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t content = line.find_first_not_of(' ');
        if (content == line.npos) continue;
        while (!indents.empty() && indents.back() >= content) indents.pop_back();
        indents.push_back(content);
        // `- - ? x` opens a block with each sign
        const std::size_t signs = line.find_first_not_of("-?: \t", content);
        const auto end =
            signs == line.npos ? line.end() : line.begin() + static_cast<std::ptrdiff_t>(signs);
        const auto opened = std::count_if(line.begin() + static_cast<std::ptrdiff_t>(content), end,
                                          [](char c) { return c != ' ' && c != '\t'; });
        deepest_block = std::max(deepest_block, indents.size() + static_cast<std::size_t>(opened));
    }
    return deepest_flow + deepest_block;
}

std::string place(const YAML::Mark& mark) {
    if (mark.is_null()) return "line 1, column 1";
    return fmt::format("line {}, column {}", mark.line + 1, mark.column + 1);
}

}  // namespace

std::optional<YAML::Node> load_yaml(std::string_view text, std::size_t bytes_max,
                                    YamlProblem& problem) {
    if (text.size() > bytes_max) {
        problem = {0, 0, fmt::format("{} bytes", text.size()),
                   fmt::format("at most {}", bytes_max)};
        return std::nullopt;
    }
    if (depth_bound(text) > yaml_depth_max) {
        problem = {0, 0, "it nests too deep", fmt::format("at most {} levels", yaml_depth_max)};
        return std::nullopt;
    }
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
        if (documents.empty()) return YAML::Node(YAML::NodeType::Null);
        if (documents.size() == 1) return documents.front();
        const YAML::Mark second = documents[1].Mark();
        problem = {static_cast<std::size_t>(second.line) + 1,
                   static_cast<std::size_t>(second.column) + 1,
                   fmt::format("{} documents", documents.size()), "a single one"};
        return std::nullopt;
    } catch (const YAML::Exception& error) {
        // the message may hold bytes of the text
        const bool has_mark = !error.mark.is_null();
        problem = {has_mark ? static_cast<std::size_t>(error.mark.line) + 1 : 1,
                   has_mark ? static_cast<std::size_t>(error.mark.column) + 1 : 1,
                   trestle::detail::quoted(error.msg),
                   {}};
        return std::nullopt;
    }
}

StatusOr<YAML::Node> load_yaml(std::string_view text, std::size_t bytes_max) {
    YamlProblem problem;
    if (auto node = load_yaml(text, bytes_max, problem)) return *std::move(node);
    if (problem.line == 0) {
        return invalid_argument("YAML: {}, expected {}", problem.what, problem.expected);
    }
    const std::string expected = problem.expected.empty() ? "" : ", expected " + problem.expected;
    return invalid_argument("YAML: line {}, column {}: {}{}", problem.line, problem.column,
                            problem.what, expected);
}

Status yaml_error(const YAML::Node& at, std::string_view key, const TextError& error) {
    return to_status(fmt::format("{}: {}", place(at.Mark()), key), error);
}

Status yaml_error(const YAML::Node& at, std::string_view what, std::string_view expected) {
    const std::string token =
        at.IsScalar() ? " (" + trestle::detail::quoted(at.Scalar().substr(0, 64)) + ")" : "";
    return invalid_argument("{}: {}{}: expected {}", place(at.Mark()), what, token, expected);
}

bool is_boolean(const YAML::Node& node) {
    constexpr std::array<std::string_view, 6> booleans{"true", "false", "yes", "no", "on", "off"};
    return node.IsScalar() && node.Tag() == "?" &&
           std::any_of(booleans.begin(), booleans.end(), [&](std::string_view word) {
               return words::same_word(word, node.Scalar());
           });
}

}  // namespace trestle::yaml
