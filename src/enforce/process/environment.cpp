// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/environment.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

EnvironmentVariable::Value EnvironmentVariable::Value::shown(std::string text) {
    EnvironmentVariable::Value value(std::move(text));
    value.is_secret_ = false;
    return value;
}

StatusOr<EnvironmentVariable::Value> EnvironmentVariable::Value::of_digest(
    std::string_view digest) {
    const bool is_digest =
        digest.starts_with(prefix) && digest.size() == digest_size &&
        digest.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
    if (!is_digest) {
        return invalid_argument("digest of a value: expected {} and 12 hexadecimal digits", prefix);
    }
    EnvironmentVariable::Value value{digest};
    value.is_known_ = false;
    return value;
}

const std::string& EnvironmentVariable::Value::reveal() const {
    TRESTLE_EXPECTS(is_known_, "the value is known, not its digest only");
    return text_;
}

std::string EnvironmentVariable::Value::digest() const {
    if (!is_known_) return text_;
    return std::string(prefix) +
           detail::hex_text(detail::sha256(text_)).substr(0, digest_size - prefix.size());
}

void EnvironmentVariable::Value::hash_into(HashState& state) const {
    trestle::hash_into(state, is_secret_);
    trestle::hash_into(state, is_secret_ ? digest() : text_);
}

EnvironmentVariable shown_variable(std::string name, std::string text) {
    return {std::move(name), EnvironmentVariable::Value::shown(std::move(text))};
}

std::vector<EnvironmentVariable> environment_of(std::vector<EnvironmentVariable> environment,
                                                const std::vector<EnvironmentVariable>& wins,
                                                const std::vector<std::string>& unset) {
    for (const EnvironmentVariable& variable : wins) {
        const auto at = std::find_if(
            environment.begin(), environment.end(),
            [&](const EnvironmentVariable& present) { return present.name == variable.name; });
        if (at == environment.end()) {
            environment.push_back(variable);
        } else {
            at->value = variable.value;
        }
    }
    std::erase_if(environment, [&](const EnvironmentVariable& one) {
        return std::find(unset.begin(), unset.end(), one.name) != unset.end();
    });
    return environment;
}

std::vector<EnvironmentVariable> environment_without(std::vector<EnvironmentVariable> variables,
                                                     const std::vector<EnvironmentVariable>& same,
                                                     const std::vector<EnvironmentVariable>& wins) {
    std::erase_if(variables, [&](const EnvironmentVariable& one) {
        const auto is_named = [&](const EnvironmentVariable& other) {
            return other.name == one.name;
        };
        return std::find(same.begin(), same.end(), one) != same.end() ||
               std::any_of(wins.begin(), wins.end(), is_named);
    });
    return variables;
}

std::vector<std::string> still_unset(std::vector<std::string> names,
                                     const std::vector<EnvironmentVariable>& variables) {
    std::erase_if(names, [&](const std::string& name) {
        return std::any_of(variables.begin(), variables.end(),
                           [&](const EnvironmentVariable& one) { return one.name == name; });
    });
    return names;
}

Status check(const std::vector<EnvironmentVariable>& variables) {
    constexpr std::string_view ends("=\0", 2);
    for (const auto& [name, value] : variables) {
        const std::size_t end = name.find_first_of(ends);
        if (name.empty() || end != std::string::npos) {
            return invalid_argument("environment: the name \"{}\" is empty or holds = or NUL",
                                    name.substr(0, end));
        }
        if (value.is_known() && value.reveal().find('\0') != std::string::npos) {
            return invalid_argument("environment: the value of {} holds NUL", name);
        }
    }
    return {};
}

Status check_known(const std::vector<EnvironmentVariable>& variables) {
    const auto at = std::find_if(variables.begin(), variables.end(),
                                 [](const auto& variable) { return !variable.value.is_known(); });
    if (at == variables.end()) return {};
    return failed_precondition(
        "environment: of {} only the digest {} is known, expected the value itself", at->name,
        at->value.digest());
}

std::vector<std::string> revealed_words(const std::vector<EnvironmentVariable>& variables) {
    std::vector<std::string> words;
    for (const auto& [name, value] : variables) words.push_back(name + "=" + value.reveal());
    return words;
}

}  // namespace trestle
