// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.hpp"

#include "support/catch.hpp"

namespace {

using namespace trestle;

static_assert(detail::sha256("abc")[0] == 0xba7816bf);

TEST_CASE("sha256: the examples of FIPS 180-2 and of NIST's CAVS", "[base]") {
    struct Row {
        std::string text;
        const char* digest;
        const char* why;
    };
    const Row rows[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "one block"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "nothing"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
         "56 bytes: the length is in a block of its own"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1", "112 bytes"},
        {std::string(1'000'000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "many blocks"},
        {"\xbd", "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b",
         "a byte above 127"},
        {std::string(55, '\0'), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7",
         "just fits into one block"},
        {std::string(64, '\0'), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
         "a whole block"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(detail::hex_text(detail::sha256(row.text)) == row.digest);
    }
}

}  // namespace
