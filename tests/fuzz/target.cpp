// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace trestle::fuzz {
namespace {

std::map<std::string, Body>& targets() {
    static std::map<std::string, Body> all;
    return all;
}

Body chosen_target() {
    const char* name = std::getenv("TRESTLE_FUZZ_TARGET");
    const auto found = targets().find(name == nullptr ? "" : name);
    if (found != targets().end()) return found->second;
    std::fprintf(stderr,
                 "TRESTLE_FUZZ_TARGET is '%s', expected one of:", name == nullptr ? "" : name);
    for (const auto& [known, body] : targets()) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
}

}  // namespace

Target::Target(const char* name, Body body) { targets()[name] = body; }

}  // namespace trestle::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const trestle::fuzz::Body body = trestle::fuzz::chosen_target();
    body(data, size);
    return 0;
}
