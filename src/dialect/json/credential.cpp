// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/credential.hpp"

#include <cstdint>
#include <optional>

#include "trestle/base/hash.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::json {
namespace {

constexpr std::string_view format_name = "trestle-credential";
constexpr std::uint32_t format_version = 1;
constexpr std::string_view hex_digits = "0123456789abcdef";

/// What stands around the content.
struct Envelope {
    std::string format;
    std::uint32_t version = 0;
    std::string content;
    std::string checksum;
    std::optional<std::string> signature;  ///< in hexadecimal digits

    static constexpr auto fields(auto list) {
        return list(field("format", &Envelope::format), field("version", &Envelope::version),
                    field("content", &Envelope::content), field("checksum", &Envelope::checksum),
                    field("signature", &Envelope::signature));
    }
};

std::string hex_of(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += hex_digits[byte >> 4];
        text += hex_digits[byte & 15];
    }
    return text;
}

/// The bytes that hexadecimal digits name, or nothing for another text.
std::optional<std::string> bytes_of(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const std::size_t high = hex_digits.find(hex[i]);
        const std::size_t low = hex_digits.find(hex[i + 1]);
        if (high == hex_digits.npos || low == hex_digits.npos) return std::nullopt;
        bytes += static_cast<char>(static_cast<unsigned char>(high << 4 | low));
    }
    return bytes;
}

std::string checksum_of(std::string_view content) {
    std::string text;
    for (std::uint64_t sum = hash_of(content); text.size() < 16; sum <<= 4) {
        text += hex_digits[sum >> 60];
    }
    return text;
}

Status bad(std::string_view what, std::string_view expected) {
    return invalid_argument("credential: {}, expected {}", what, expected);
}

Status check_envelope(const Envelope& envelope) {
    if (envelope.format != format_name) {
        return bad("format \"" + envelope.format.substr(0, 64) + "\"", format_name);
    }
    if (envelope.version != format_version) {
        return bad("version " + std::to_string(envelope.version),
                   "version " + std::to_string(format_version));
    }
    if (envelope.checksum != checksum_of(envelope.content)) {
        return bad("damaged content", "that of the checksum");
    }
    return {};
}

Status verify(const Envelope& envelope, const CredentialVerifier& verifier) {
    if (!envelope.signature) {
        return make_error(StatusCode::kPermissionDenied, "credential: it is not signed");
    }
    const auto signature = bytes_of(*envelope.signature);
    if (!signature) return bad("a signature of other letters", "pairs of hexadecimal digits");
    return with_context("credential", verifier(envelope.content, *signature));
}

}  // namespace

StatusOr<std::string> write_credential(const Credential& credential,
                                       const CredentialSigner& signer) {
    Envelope envelope{std::string(format_name), format_version, to_json_text(credential), {}, {}};
    envelope.checksum = checksum_of(envelope.content);
    if (signer) {
        TRESTLE_TRY(const std::string signature, signer(envelope.content));
        envelope.signature = hex_of(signature);
    }
    return to_json_text(envelope);
}

StatusOr<Credential> read_credential(std::string_view text, const CredentialVerifier& verifier) {
    const auto envelope = from_json_text<Envelope>(text);
    if (!envelope.ok()) return with_context("credential", envelope.status());
    TRESTLE_TRY_STATUS(check_envelope(*envelope));
    if (verifier) TRESTLE_TRY_STATUS(verify(*envelope, verifier));
    auto credential = from_json_text<Credential>(envelope->content);
    if (!credential.ok()) return with_context("credential: content", credential.status());
    return credential;
}

}  // namespace trestle::json
