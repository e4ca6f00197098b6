// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registration: what a machine reports when it comes up, held against how it is described.
//
// Layer: alloc. Main function: check_registration; main types: RegistrationFinding,
// RegistrationFinding::Consequence. A pure function of the description, the report (of
// os::discover, for example) and the allocations. The rules are Slurm's (node registration of
// slurmctld), with one difference: a device may be near to any cores, where Slurm wants whole
// sockets.
// Pitfall: nothing is changed here. worst_of(findings) says what the caller should do with
// the node: take it, drain it, or refuse the report.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// One difference.
struct RegistrationFinding {
    /// What follows from a finding, the mildest first.
    enum class Consequence {
        ignore,  ///< there is more than described; it is not allocated
        drain,   ///< something free is missing: no new work until description or machine
                 ///< are mended
        refuse,  ///< something that an owner has is gone or changed: what the description says has
                 ///< to stand until that owner has ended
    };

    /// What the report and the description do not agree about.
    enum class Issue {
        cores,
        cpus,  ///< of the cores that both have
        memory,
        disk,
        device_count,
        device_shares,  ///< of the devices that both have
        device_type,
        device_file
    };

    Issue issue = Issue::cores;
    Consequence consequence = Consequence::ignore;
    std::string device;           ///< name of the devices; empty where it is not about devices
    std::string described;        ///< count, bytes, type or path
    std::string reported;         ///< the same; empty when there is none
    std::vector<OwnerId> owners;  ///< owners of what is gone or changed, rising

    static constexpr auto fields(auto list) {
        return list(field("issue", &RegistrationFinding::issue),
                    field("consequence", &RegistrationFinding::consequence),
                    field("device", &RegistrationFinding::device),
                    field("described", &RegistrationFinding::described),
                    field("reported", &RegistrationFinding::reported),
                    field("owners", &RegistrationFinding::owners));
    }
    friend bool operator==(const RegistrationFinding&, const RegistrationFinding&) = default;
};

constexpr auto enum_names(RegistrationFinding::Consequence) {
    using enum RegistrationFinding::Consequence;
    return std::array{named(ignore, "ignore"), named(drain, "drain"), named(refuse, "refuse")};
}

constexpr auto enum_names(RegistrationFinding::Issue) {
    using enum RegistrationFinding::Issue;
    return std::array{named(cores, "cores"),
                      named(cpus, "cpus"),
                      named(memory, "memory"),
                      named(disk, "disk"),
                      named(device_count, "device_count"),
                      named(device_shares, "device_shares"),
                      named(device_type, "device_type"),
                      named(device_file, "device_file")};
}

/// `refuse: device_count of gpu: 4 described, 3 reported, owners 7,9 have them`.
[[nodiscard]] std::string to_text(const RegistrationFinding& finding);

/// What differs between a node's description and what the machine reports: cores, CPUs of the cores
/// that both have, memory and disk. For each name of devices follow their number and the shares of
/// those that both have. For each described device that is there, its type and files follow. Cores
/// and devices are the same when their numbers are: core 3 is core 3, gpu 1 is gpu 1. Shares are
/// not compared where all devices of a name are reported with one share, as os::discover does, for
/// hardware knows nothing of parts. Less memory than owners have together concerns all of these.
/// Nothing for a machine as described.
/// Requires: `ledger` is of a node of the shape `described`.
/// Complexity: devices times devices.
[[nodiscard]] std::vector<RegistrationFinding> check_registration(const NodeShape& described,
                                                                  const NodeShape& reported,
                                                                  const NodeLedger& ledger);

/// The worst of what follows; ignore when nothing was found.
[[nodiscard]] RegistrationFinding::Consequence worst_of(
    const std::vector<RegistrationFinding>& findings);

}  // namespace trestle
