// SPDX-License-Identifier: Apache-2.0
#include "release_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "trestle/dialect/slurm/release.hpp"

namespace trestle::tool {
namespace {

/// A key in lower case, and the releases that refuse it: bit 0 is 22.05, 1 is 24.11, 2 is 26.05.
struct KeyRow {
    std::string_view key;
    std::uint32_t refused_by;
};

/// What the parsers of the three releases called unrecognized, each asked about each key.
constexpr KeyRow refused_keys[] = {
    {"accountingstorageloc", 0b100},
    {"cachegroups", 0b111},
    {"certgenparameters", 0b011},
    {"certgentype", 0b011},
    {"certmgrparameters", 0b001},
    {"certmgrtype", 0b001},
    {"checkpointtype", 0b111},
    {"chosloc", 0b111},
    {"clifilterparameters", 0b011},
    {"dataparserparameters", 0b001},
    {"defaultstoragehost", 0b111},
    {"defaultstorageloc", 0b111},
    {"defaultstoragepass", 0b111},
    {"defaultstorageport", 0b111},
    {"defaultstoragetype", 0b111},
    {"defaultstorageuser", 0b111},
    {"defruntimeplugin", 0b111},
    {"dynallocport", 0b111},
    {"epilogtimeout", 0b011},
    {"frontendname", 0b100},
    {"hashplugin", 0b001},
    {"healthchecktimeout", 0b011},
    {"httpparsertype", 0b011},
    {"jobcheckpointdir", 0b111},
    {"jobcomppassscript", 0b011},
    {"layouts", 0b111},
    {"licenseparameters", 0b011},
    {"maxbatchrequeue", 0b001},
    {"memlimitenforce", 0b111},
    {"metricsauthusers", 0b011},
    {"metricsparameters", 0b011},
    {"metricstype", 0b011},
    {"msgaggregationparams", 0b111},
    {"namespacetype", 0b011},
    {"preemptparameters", 0b001},
    {"prologtimeout", 0b011},
    {"schedulerauth", 0b110},
    {"schedulerport", 0b111},
    {"schedulerrootfilter", 0b111},
    {"serializerparameters", 0b111},
    {"serializerplugins", 0b111},
    {"slurmctldhttpauthparameters", 0b011},
    {"slurmctldplugstack", 0b110},
    {"slurmdhttpauthparameters", 0b011},
    {"slurmdplugstack", 0b111},
    {"slurmrestdhttpauthparameters", 0b111},
    {"slurmrestdparameters", 0b111},
    {"slurmstepdparameters", 0b111},
    {"suspendexcstates", 0b001},
    {"tlsparameters", 0b001},
    {"tlstype", 0b001},
    {"urlparsertype", 0b011},
};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

}  // namespace

bool is_refused_by(slurm::Release release, std::string_view key) {
    const std::string lower = lower_case(key);
    const auto* const row = std::find_if(std::begin(refused_keys), std::end(refused_keys),
                                         [&](const KeyRow& one) { return one.key == lower; });
    if (row == std::end(refused_keys)) return false;
    return ((row->refused_by >> static_cast<std::uint32_t>(release)) & 1U) != 0;
}

}  // namespace trestle::tool
