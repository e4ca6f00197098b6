// SPDX-License-Identifier: Apache-2.0
#pragma once

// EnvironmentVariable: a name and a value, which is a secret by default.
//
// Layer: enforce. Main types: EnvironmentVariable, EnvironmentVariable::Value;
// EnvironmentVariable::Value::shown() makes one that is no secret. A secret prints, compares with
// what was stored and goes to JSON as a digest.
// Pitfall: a value that came from JSON or another text is known by its digest only. Nothing can be
// started with it; reveal() gives the text of a value, check is_known() first.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// A name and its value: `{"TOKEN", "x"}` is a secret.
struct EnvironmentVariable {
    /// The text of a variable, and whether it may be shown. A digest is the start of SHA-256. It
    /// distinguishes values. Any reader can check a guess against it, so it does not hide a value
    /// that is easily guessed.
    class Value {
      public:
        Value() = default;                                   ///< empty, and a secret
        Value(std::string text) : text_(std::move(text)) {}  // NOLINT: like a string
        Value(std::string_view text) : text_(text) {}        // NOLINT: like a string
        Value(const char* text) : text_(text) {}             // NOLINT: like a string

        /// A value that is not secret.
        [[nodiscard]] static Value shown(std::string text);
        /// The secret that has this digest, `sha256:1a2b3c4d5e6f`.
        /// Errors: InvalidArgument for another text, which is not repeated.
        [[nodiscard]] static StatusOr<Value> of_digest(std::string_view digest);

        [[nodiscard]] bool is_secret() const { return is_secret_; }
        /// False when only the digest is known.
        [[nodiscard]] bool is_known() const { return is_known_; }

        /// The text itself, for the process or the document that it is meant for.
        /// Requires: is_known().
        [[nodiscard]] const std::string& reveal() const;
        /// `sha256:1a2b3c4d5e6f`.
        [[nodiscard]] std::string digest() const;

        /// By the text where both are known, else by digest; a secret differs from what may be
        /// shown.
        friend bool operator==(const Value& a, const Value& b) {
            if (a.is_secret_ != b.is_secret_) return false;
            return a.is_known_ == b.is_known_ ? a.text_ == b.text_ : a.digest() == b.digest();
        }
        /// The text where it may be shown, else the digest. Not for a text that could become a
        /// value.
        [[nodiscard]] friend std::string to_text(const Value& one) {
            return one.is_secret_ ? one.digest() : one.text_;
        }
        void hash_into(HashState& state) const;

      private:
        static constexpr std::string_view prefix = "sha256:";
        static constexpr std::size_t digest_size = prefix.size() + 12;

        std::string text_;  ///< the digest where the value is not known
        bool is_secret_ = true;
        bool is_known_ = true;
    };

    std::string name;
    Value value;

    static constexpr auto fields(auto list) {
        return list(field("name", &EnvironmentVariable::name),
                    field("value", &EnvironmentVariable::value));
    }
    friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

/// Ok when the kernel can take them. Errors: InvalidArgument that names the first bad variable and
/// shows no value: what stands behind a = in a name may be a part of one.
[[nodiscard]] Status check(const std::vector<EnvironmentVariable>& variables);

}  // namespace trestle
