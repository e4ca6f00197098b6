// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a stub of a vendor's library answers: a text that the test wrote, at the path in the
// variable TRESTLE_STUB_DRIVER. Each line is a kind and keys with values:
//   nvidia bus=0000:34:00.0; name=NVIDIA A100-SXM4-40GB; memory_mib=40960
//   instance gi=1; ci=0      (of the GPU above it)
//   fail call=nvmlInit_v2; with=9
// GPUs are `nvidia`, `amd` or `intel`, and only that vendor's library knows them.
// A key that is not there makes the call fail that asks for it.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace stub {
namespace {  // or the libraries would share one script

using Values = std::map<std::string, std::string>;

struct Instance {
    Values values;
};
struct Gpu {
    Values values;
    std::vector<Instance> instances;
};
struct Script {
    std::string path;
    std::vector<Gpu> gpus;
    std::map<std::string, int> failures;
};

constexpr int unknown = 3;  // "not supported" of NVML; any number does for the others

inline Script& script() {
    static Script the_script;
    return the_script;
}

inline Values values_of(const std::string& text) {
    Values values;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        const std::size_t start = text.find_first_not_of(' ', at);
        const std::size_t equals = text.find('=', at);
        if (equals < end)
            values[text.substr(start, equals - start)] = text.substr(equals + 1, end - equals - 1);
        at = end + 1;
    }
    return values;
}

inline void add_line(const std::string& line, const std::string& vendor) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) return;
    const std::string kind = line.substr(0, blank);
    const Values values = values_of(line.substr(blank + 1));
    Script& state = script();
    if (kind == vendor) state.gpus.push_back({values, {}});
    if (kind == "instance" && !state.gpus.empty()) state.gpus.back().instances.push_back({values});
    if (kind == "fail") state.failures[values.at("call")] = std::atoi(values.at("with").c_str());
}

/// Reads the script, when it is another one than before. The result of the call that begins.
inline int begin(const char* call, const char* vendor) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const char* path = std::getenv("TRESTLE_STUB_DRIVER");
    const std::string wanted = path == nullptr ? "" : path;
    Script& state = script();
    if (wanted != state.path) {
        state = {wanted, {}, {}};
        std::ifstream file(wanted);
        for (std::string line; std::getline(file, line);) add_line(line, vendor);
    }
    const auto failure = state.failures.find(call);
    return failure == state.failures.end() ? 0 : failure->second;
}

/// What the script has the call fail with; 0: it does not.
inline int failure_of(const char* call) {
    const auto failure = script().failures.find(call);
    return failure == script().failures.end() ? 0 : failure->second;
}

inline std::optional<std::string> text(const Values& values, const char* key) {
    const auto value = values.find(key);
    return value == values.end() ? std::nullopt : std::optional(value->second);
}
inline std::optional<unsigned long long> number(const Values& values, const char* key,
                                                int base = 10) {
    const auto value = text(values, key);
    if (!value) return std::nullopt;
    return std::strtoull(value->c_str(), nullptr, base);
}

/// Fills a buffer, which ends in a zero unless the text is too long for it.
inline int fill(const std::optional<std::string>& value, char* buffer, std::size_t size) {
    if (!value) return unknown;
    std::strncpy(buffer, value->c_str(), size);
    return 0;
}

struct BusId {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned function = 0;
};

inline std::optional<BusId> bus_id(const std::string& text) {
    BusId id;
    if (std::sscanf(text.c_str(), "%x:%x:%x.%x", &id.domain, &id.bus, &id.device, &id.function) !=
        4) {
        return std::nullopt;
    }
    return id;
}

}  // namespace
}  // namespace stub
