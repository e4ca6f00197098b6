// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registration: what a machine reports when it comes up, held against how it is described.
//
// Layer: alloc. Main function: check_registration; main types: RegistrationFinding, Consequence.
// A pure function of the description, the report (of os::discover, say) and who has what. The rules
// are Slurm's (node registration of slurmctld), with one difference: a device may be near to any
// cores, where Slurm wants whole sockets.
// A reader would get wrong: nothing is changed here. worst_of(findings) says what the caller should
// do with the node: take it, drain it, or refuse the report.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/node/usage.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// What the report and the description do not agree about.
enum class RegistrationIssue {
    cores,
    cpus,  ///< of the cores that both have
    memory,
    disk,
    device_count,
    device_shares,  ///< of the devices that both have
    device_type,
    device_file
};

constexpr auto enum_names(RegistrationIssue) {
    using enum RegistrationIssue;
    return std::array{named(cores, "cores"),
                      named(cpus, "cpus"),
                      named(memory, "memory"),
                      named(disk, "disk"),
                      named(device_count, "device_count"),
                      named(device_shares, "device_shares"),
                      named(device_type, "device_type"),
                      named(device_file, "device_file")};
}

/// What follows from a finding, the mildest first.
enum class Consequence {
    ignore,  ///< there is more than described; nobody is given it
    drain,   ///< something is missing that nobody has: no new work until description or machine
             ///< are mended
    refuse,  ///< something that an owner has is gone or changed: what the description says has to
             ///< stand until that owner has ended
};

constexpr auto enum_names(Consequence) {
    using enum Consequence;
    return std::array{named(ignore, "ignore"), named(drain, "drain"), named(refuse, "refuse")};
}

/// One difference.
struct RegistrationFinding {
    RegistrationIssue issue = RegistrationIssue::cores;
    Consequence consequence = Consequence::ignore;
    std::string device;           ///< name of the devices; empty where it is not about devices
    std::string described;        ///< count, bytes, type or path
    std::string reported;         ///< the same; empty when there is none
    std::vector<OwnerId> owners;  ///< who has what is gone or changed, rising

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

/// `refuse: device_count of gpu: 4 described, 3 reported, owners 7,9 have them`.
[[nodiscard]] std::string to_text(const RegistrationFinding& finding);

namespace detail {

/// Compares a description with a report and collects what differs.
class RegistrationCheck {
  public:
    RegistrationCheck(const NodeShape& described, const NodeShape& reported, const NodeUsage& usage)
        : described_(described), reported_(reported), usage_(usage) {}

    [[nodiscard]] std::vector<RegistrationFinding> run();

  private:
    using Owners = std::vector<OwnerId>;

    /// Owners for whom `has(holding)` holds.
    template <class Has>
    [[nodiscard]] Owners owners_with(const Has& has) const {
        Owners owners;
        for (const Holding& holding : usage_.holdings()) {
            if (has(holding)) owners.push_back(holding.owner);
        }
        std::sort(owners.begin(), owners.end());
        return owners;
    }
    [[nodiscard]] static bool has_device(const Holding& holding, DeviceId id);
    [[nodiscard]] static std::string text(const Bytes& bytes) {
        return std::to_string(bytes.value()) + " bytes";
    }
    [[nodiscard]] static std::string text(std::size_t count) { return std::to_string(count); }
    [[nodiscard]] static std::string text(const Count& count) {
        return std::to_string(count.value());
    }

    /// Adds a finding for less than is described, or for more.
    template <class Amount>
    void check_amount(RegistrationIssue issue, Amount described, Amount reported,
                      Owners owners = {}, std::string device = {}) {
        if (described == reported) return;
        Consequence consequence = Consequence::ignore;
        if (reported < described) {
            consequence = owners.empty() ? Consequence::drain : Consequence::refuse;
        }
        findings_.push_back({issue, consequence, std::move(device), text(described), text(reported),
                             std::move(owners)});
    }

    void check_processors();

    /// When less is there than is held, nobody can say whose it is that went.
    void check_memory();

    /// Names of devices that either side has, in order.
    [[nodiscard]] std::vector<std::string> device_names() const;
    [[nodiscard]] static std::size_t count_of(const NodeShape& shape, std::string_view name);

    /// Devices are the same when name and index are.
    [[nodiscard]] const Device* find_reported(const Device& device) const;

    void check_count(const std::string& name);

    [[nodiscard]] Count held_shares(DeviceId id) const;

    /// Parts and counters. The hardware knows of no parts: where all devices of the name are
    /// reported whole, the report says nothing of them.
    void check_shares(const std::string& name);

    /// A type that is not described, and a file that is, need not be there on the other side.
    void check_device(DeviceId id);

    const NodeShape& described_;
    const NodeShape& reported_;
    const NodeUsage& usage_;
    std::vector<RegistrationFinding> findings_;
};

}  // namespace detail

/// What differs between a node's description and what the machine reports: cores, CPUs of the cores
/// that both have, memory and disk, then for each name of devices their number and the shares of
/// those that both have, then for each described device that is there its type and files. Cores and
/// devices are the same when their numbers are: core 3 is core 3, gpu 1 is gpu 1. Shares are not
/// compared where all devices of a name are reported with one share, as os::discover does, for
/// hardware knows nothing of parts. Less memory than owners have together concerns all of these.
/// Nothing for a machine as described.
/// Requires: `usage` is of a node of the shape `described`.
/// Complexity: devices times devices.
[[nodiscard]] std::vector<RegistrationFinding> check_registration(const NodeShape& described,
                                                                  const NodeShape& reported,
                                                                  const NodeUsage& usage);

/// The worst of what follows; ignore when nothing was found.
[[nodiscard]] Consequence worst_of(const std::vector<RegistrationFinding>& findings);

}  // namespace trestle
