// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/registration.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/contract.hpp"

namespace trestle {

std::string to_text(const RegistrationFinding& finding) {
    std::string text =
        std::string(to_text(finding.consequence)) + ": " + std::string(to_text(finding.issue));
    if (!finding.device.empty()) text += " of " + finding.device;
    text += ": " + finding.described + " described, ";
    text += finding.reported.empty() ? "none reported" : finding.reported + " reported";
    const char* before = finding.owners.size() == 1 ? ", owner " : ", owners ";
    for (const OwnerId owner : finding.owners) {
        text += before + std::to_string(owner.value());
        before = ",";
    }
    if (finding.owners.empty()) return text;
    return text + (finding.owners.size() == 1 ? " has it" : " have it");
}

namespace {

/// Compares a description with a report and collects what differs.
class RegistrationCheck {
  public:
    RegistrationCheck(const NodeShape& described, const NodeShape& reported,
                      const NodeLedger& ledger)
        : described_(described), reported_(reported), ledger_(ledger) {}

    [[nodiscard]] std::vector<RegistrationFinding> run();

  private:
    using Owners = std::vector<OwnerId>;

    /// Owners with `has(holding)`.
    template <class Has>
    [[nodiscard]] Owners owners_with(const Has& has) const {
        Owners owners;
        for (const Holding& holding : ledger_.holdings()) {
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
    void check_amount(RegistrationFinding::Issue issue, Amount described, Amount reported,
                      Owners owners = {}, std::string device = {}) {
        if (described == reported) return;
        RegistrationFinding::Consequence consequence = RegistrationFinding::Consequence::ignore;
        if (reported < described) {
            consequence = owners.empty() ? RegistrationFinding::Consequence::drain
                                         : RegistrationFinding::Consequence::refuse;
        }
        findings_.push_back({issue, consequence, std::move(device), text(described), text(reported),
                             std::move(owners)});
    }

    void check_processors();

    /// When less is there than is held, the owner of what is missing is unknown.
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
    const NodeLedger& ledger_;
    std::vector<RegistrationFinding> findings_;
};

std::vector<RegistrationFinding> RegistrationCheck::run() {
    check_processors();
    check_memory();
    check_amount(RegistrationFinding::Issue::disk, described_.disk, reported_.disk);
    for (const std::string& name : device_names()) {
        check_count(name);
        check_shares(name);
    }
    for (std::uint32_t i = 0; i < described_.devices.size(); ++i) check_device(DeviceId(i));
    return std::move(findings_);
}

bool RegistrationCheck::has_device(const Holding& holding, DeviceId id) {
    return std::any_of(holding.devices.begin(), holding.devices.end(),
                       [&](const DeviceShare& share) { return share.device == id; });
}

void RegistrationCheck::check_processors() {
    const std::size_t cores = reported_.hardware.core_count();
    check_amount(RegistrationFinding::Issue::cores, std::size_t{described_.hardware.core_count()},
                 cores, owners_with([&](const Holding& holding) {
                     const auto last = holding.all_cores().last();
                     return last && last->value() >= cores;
                 }));
    // Cores that both have, with fewer threads each: an owner of such a core has lost some.
    const std::vector<Core>& here = described_.hardware.cores;
    const std::vector<Core>& there = reported_.hardware.cores;
    std::size_t threads_described = 0;
    std::size_t threads_reported = 0;
    CoreSet poorer;
    for (std::uint32_t i = 0; i < std::min(here.size(), there.size()); ++i) {
        threads_described += here[i].threads.size();
        threads_reported += there[i].threads.size();
        if (there[i].threads.size() < here[i].threads.size()) poorer.insert(CoreId(i));
    }
    check_amount(RegistrationFinding::Issue::cpus, threads_described, threads_reported,
                 owners_with([&](const Holding& holding) {
                     return !(holding.all_cores() & poorer).is_empty();
                 }));
}

void RegistrationCheck::check_memory() {
    std::optional<Bytes> held = Bytes();
    for (const Holding& holding : ledger_.holdings()) {
        for (const MemoryShare& share : holding.memory) {
            if (held) held = checked_add(*held, share.bytes);
        }
    }
    const Bytes reported = reported_.total_memory();
    Owners owners;
    if (!held || reported < *held) {
        owners = owners_with([](const Holding& holding) { return !holding.memory.empty(); });
    }
    check_amount(RegistrationFinding::Issue::memory, described_.total_memory(), reported,
                 std::move(owners));
}

std::vector<std::string> RegistrationCheck::device_names() const {
    std::vector<std::string> names;
    for (const NodeShape* shape : {&described_, &reported_}) {
        for (const Device& device : shape->devices) names.push_back(device.name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::size_t RegistrationCheck::count_of(const NodeShape& shape, std::string_view name) {
    return static_cast<std::size_t>(
        std::count_if(shape.devices.begin(), shape.devices.end(),
                      [&](const Device& device) { return device.name == name; }));
}

const Device* RegistrationCheck::find_reported(const Device& device) const {
    const auto id = reported_.find_device(device.name, device.index);
    return id ? &reported_.devices[id->value()] : nullptr;
}

void RegistrationCheck::check_count(const std::string& name) {
    Owners owners = owners_with([&](const Holding& holding) {
        return std::any_of(holding.devices.begin(), holding.devices.end(),
                           [&](const DeviceShare& share) {
                               const Device& device = described_.devices[share.device.value()];
                               return device.name == name && find_reported(device) == nullptr;
                           });
    });
    check_amount(RegistrationFinding::Issue::device_count, count_of(described_, name),
                 count_of(reported_, name), std::move(owners), name);
}

Count RegistrationCheck::held_shares(DeviceId id) const {
    Count held;
    for (const Holding& holding : ledger_.holdings()) {
        for (const DeviceShare& share : holding.devices) {
            if (share.device == id && !share.slice) held += share.shares;
        }
    }
    return held;
}

void RegistrationCheck::check_shares(const std::string& name) {
    Count described;
    Count reported;
    bool tells_parts = false;
    std::vector<DeviceId> poorer;  // fewer shares than owners have
    for (std::uint32_t i = 0; i < described_.devices.size(); ++i) {
        const Device& device = described_.devices[i];
        const Device* there = device.name == name ? find_reported(device) : nullptr;
        if (there == nullptr) continue;
        described += device.shares;
        reported += there->shares;
        tells_parts = tells_parts || there->shares != Count(1);
        if (there->shares < held_shares(DeviceId(i))) poorer.emplace_back(i);
    }
    if (!tells_parts) return;
    check_amount(RegistrationFinding::Issue::device_shares, described, reported,
                 owners_with([&](const Holding& holding) {
                     return std::any_of(poorer.begin(), poorer.end(),
                                        [&](DeviceId id) { return has_device(holding, id); });
                 }),
                 name);
}

void RegistrationCheck::check_device(DeviceId id) {
    const Device& device = described_.devices[id.value()];
    const Device* there = find_reported(device);
    if (there == nullptr) return;
    const auto add = [&](RegistrationFinding::Issue issue, const std::string& described,
                         const std::string& reported) {
        Owners owners =
            owners_with([&](const Holding& holding) { return has_device(holding, id); });
        const auto consequence = owners.empty() ? RegistrationFinding::Consequence::drain
                                                : RegistrationFinding::Consequence::refuse;
        findings_.push_back({issue, consequence, device.name + " " + std::to_string(device.index),
                             described, reported, std::move(owners)});
    };
    if (!device.type.empty() && device.type != there->type) {
        add(RegistrationFinding::Issue::device_type, device.type, there->type);
    }
    for (const Device::File& file : device.files) {
        const bool is_there =
            std::any_of(there->files.begin(), there->files.end(),
                        [&](const Device::File& other) { return other.path == file.path; });
        if (!is_there) add(RegistrationFinding::Issue::device_file, file.path, {});
    }
}

}  // namespace

std::vector<RegistrationFinding> check_registration(const NodeShape& described,
                                                    const NodeShape& reported,
                                                    const NodeLedger& ledger) {
    TRESTLE_EXPECTS(ledger.free().shares.size() == described.devices.size(),
                    "the ledger is of a node of this shape");
    return RegistrationCheck(described, reported, ledger).run();
}

RegistrationFinding::Consequence worst_of(const std::vector<RegistrationFinding>& findings) {
    RegistrationFinding::Consequence worst = RegistrationFinding::Consequence::ignore;
    for (const RegistrationFinding& finding : findings) {
        worst = std::max(worst, finding.consequence);
    }
    return worst;
}

}  // namespace trestle
