// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device rules: which device nodes the processes of a group may open. Deny by default.
//
// Layer: enforce. Main types: DeviceRule::Access, DeviceRule, DeviceRules; allowed() is the one
// decision that planner, filter compiler and tests share.
// Pitfall: rules only add. If several rules match a device, their union counts. So `c 1:3 r` and `c
// 1:* w` together let 1:3 be opened for reading and writing at once.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// Access to the devices of one kind with these numbers; an absent number means every one.
struct DeviceRule {
    /// What may be done with a device node: any of read, write, mknod.
    struct Access {
        bool can_read = false;
        bool can_write = false;
        bool can_mknod = false;

        /// The kernel's bits: BPF_DEVCG_ACC_MKNOD, _READ, _WRITE in linux/bpf.h.
        static constexpr std::uint32_t mknod_bit = 1;
        static constexpr std::uint32_t read_bit = 2;
        static constexpr std::uint32_t write_bit = 4;

        [[nodiscard]] constexpr std::uint32_t bits() const {
            return (can_mknod ? mknod_bit : 0) | (can_read ? read_bit : 0) |
                   (can_write ? write_bit : 0);
        }
        /// Bits other than the three are passed over.
        [[nodiscard]] static constexpr Access of_bits(std::uint32_t bits) {
            return {(bits & read_bit) != 0, (bits & write_bit) != 0, (bits & mknod_bit) != 0};
        }
        [[nodiscard]] static constexpr Access read_write() { return {true, true, false}; }
        [[nodiscard]] static constexpr Access all() { return {true, true, true}; }
        [[nodiscard]] constexpr bool is_none() const { return bits() == 0; }

        static constexpr auto fields(auto list) {
            return list(field("can_read", &Access::can_read),
                        field("can_write", &Access::can_write),
                        field("can_mknod", &Access::can_mknod));
        }
        friend constexpr bool operator==(const Access&, const Access&) = default;
        friend constexpr Access operator|(Access a, Access b) {
            return of_bits(a.bits() | b.bits());
        }
    };

    Device::File::Kind kind = Device::File::Kind::character;
    std::optional<std::uint32_t> major;
    std::optional<std::uint32_t> minor;
    Access access;

    /// True when the rule matches this device, whatever the access.
    [[nodiscard]] constexpr bool matches(const DeviceRule& device) const {
        return kind == device.kind && (!major || major == device.major) &&
               (!minor || minor == device.minor);
    }

    static constexpr auto fields(auto list) {
        return list(field("kind", &DeviceRule::kind), field("major", &DeviceRule::major),
                    field("minor", &DeviceRule::minor), field("access", &DeviceRule::access));
    }
    friend constexpr bool operator==(const DeviceRule&, const DeviceRule&) = default;
};

/// `rw`, `rwm`; `-` for none.
[[nodiscard]] std::string to_text(DeviceRule::Access access);

/// The form of the kernel's v1 files and of OCI: `c 195:0 rw`, `c 136:* rwm`, `b *:* m`.
[[nodiscard]] std::string to_text(const DeviceRule& rule);

/// Rules in canonical form: sorted by kind, major, minor (every before any number), one for each
/// of these, none without access. Kept so by add().
struct DeviceRules {
    /// One try to use a device: its numbers, and everything that is asked at once (open(O_RDWR)
    /// asks for read and write together).
    struct Probe {
        Device::File::Kind kind = Device::File::Kind::character;
        std::uint32_t major = 0;
        std::uint32_t minor = 0;
        DeviceRule::Access access;

        static constexpr auto fields(auto list) {
            return list(field("kind", &Probe::kind), field("major", &Probe::major),
                        field("minor", &Probe::minor), field("access", &Probe::access));
        }
        friend bool operator==(const Probe&, const Probe&) = default;
    };

    std::vector<DeviceRule> rules;

    /// Adds the access to what the same kind and numbers already have. O(rules).
    void add(const DeviceRule& rule);

    static constexpr auto fields(auto list) { return list(field("rules", &DeviceRules::rules)); }
    friend bool operator==(const DeviceRules&, const DeviceRules&) = default;
};

/// True when the rules that match the device together grant all that is asked. A device that no
/// rule names is denied even when nothing is asked of it. O(rules).
[[nodiscard]] bool allowed(const DeviceRules& rules, const DeviceRules::Probe& probe);

/// The pseudo-devices that ordinary programs need: null, zero, full, random, urandom, tty, ptmx and
/// the terminals below /dev/pts. OCI's default list without console (the host's) and without the
/// right to make nodes of every other device.
[[nodiscard]] DeviceRules pseudo_devices();

}  // namespace trestle
