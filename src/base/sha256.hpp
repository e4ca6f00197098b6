// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 (FIPS 180-4) of a text: a name for something that must not be shown.
//
// Layer: base, private. Main function: sha256(text).
// Pitfall: a digest hides only text that is hard to guess, because any guess can be checked against
// it.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trestle::detail {

/// Eight words, the first one first.
using Sha256 = std::array<std::uint32_t, 8>;

/// The fractional parts of the cube roots of the first 64 primes.
inline constexpr std::array<std::uint32_t, 64> sha256_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

inline constexpr std::size_t sha256_block = 64;

/// One block of the padded text into the state.
constexpr void sha256_round(Sha256& state, const std::array<std::uint8_t, sha256_block>& block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t byte = 0; byte < 4; ++byte) w[i] = w[i] << 8 | block[4 * i + byte];
    }
    for (std::size_t i = 16; i < w.size(); ++i) {
        const std::uint32_t a = w[i - 15];
        const std::uint32_t b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    Sha256 s = state;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::uint32_t e = s[4];
        const std::uint32_t a = s[0];
        const std::uint32_t first = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                    ((e & s[5]) ^ (~e & s[6])) + sha256_constants[i] + w[i];
        const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                                     ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s = {first + second, a, s[1], s[2], s[3] + first, e, s[5], s[6]};
    }
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

/// The digest of all bytes of `text`.
[[nodiscard]] constexpr Sha256 sha256(std::string_view text) {
    Sha256 state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const std::uint64_t bits = std::uint64_t{text.size()} * 8;
    // The text, a byte 0x80, as many zeros as it takes, and the length in 8 bytes.
    const std::size_t size = (text.size() + 1 + 8 + sha256_block - 1) / sha256_block * sha256_block;
    std::array<std::uint8_t, sha256_block> block{};
    for (std::size_t i = 0; i < size; ++i) {
        std::uint8_t byte = i == text.size() ? 0x80 : 0;
        if (i < text.size()) byte = static_cast<std::uint8_t>(text[i]);
        if (i + 8 >= size) byte = static_cast<std::uint8_t>(bits >> 8 * (size - 1 - i));
        block[i % sha256_block] = byte;
        if (i % sha256_block == sha256_block - 1) sha256_round(state, block);
    }
    return state;
}

/// 64 hexadecimal digits in lower case.
[[nodiscard]] inline std::string hex_text(const Sha256& digest) {
    std::string text;
    for (const std::uint32_t word : digest) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            text += "0123456789abcdef"[word >> shift & 0xf];
        }
    }
    return text;
}

}  // namespace trestle::detail
