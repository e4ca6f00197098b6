// SPDX-License-Identifier: Apache-2.0
#pragma once

// A credential as text: one JSON object that can be signed.
//
// Layer: dialect. Main names: write_credential, read_credential. The object has format and version,
// the content as a string, and a checksum of its bytes. If the caller signs, it has a signature of
// the same bytes. The content is a string, so the signature stays valid when the document is
// formatted again.
// Pitfall: the checksum finds damage; it does not protect against forgery. Without a verifier
// read_credential trusts the text.

#include <functional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/enforce/credential.hpp"

namespace trestle::json {

/// Signs the content's bytes; any bytes may come back.
using CredentialSigner = std::function<StatusOr<std::string>(std::string_view content)>;
/// Ok when the signature is the content's.
using CredentialVerifier =
    std::function<Status(std::string_view content, std::string_view signature)>;

/// The credential as one line of JSON; without a signer it has no signature.
/// Errors: those of the signer.
[[nodiscard]] StatusOr<std::string> write_credential(const Credential& credential,
                                                     const CredentialSigner& signer = {});

/// The credential that write_credential wrote. With a verifier it has to have a signature that the
/// verifier accepts, before anything of the content is read.
/// Errors: InvalidArgument, one line with what was expected, for a text that is no credential,
/// another version and a checksum that differs. PermissionDenied without a signature where one is
/// verified. Those of the verifier.
[[nodiscard]] StatusOr<Credential> read_credential(std::string_view text,
                                                   const CredentialVerifier& verifier = {});

}  // namespace trestle::json
