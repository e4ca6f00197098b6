// SPDX-License-Identifier: Apache-2.0
#pragma once

// The device filter: device rules compiled to an eBPF program of type BPF_PROG_TYPE_CGROUP_DEVICE.
//
// Layer: enforce. Main types: BpfInstruction, compile_filter. A decision tree over type, major and
// minor. The verifier visits each instruction once; a chain of rules is four times slower to load.
// There is no unreachable code, which the verifier refuses. Minors close together are bits of one
// mask.
// Pitfall: the program returns 1 for "allow" and 0 for "refuse with EPERM".

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/device_rules.hpp"

namespace trestle {

/// One instruction, in memory the same as the kernel's struct bpf_insn.
struct BpfInstruction {
    std::uint8_t code = 0;
    std::uint8_t registers = 0;  ///< two nibbles; see pack
    std::int16_t offset = 0;
    std::int32_t immediate = 0;

    /// The kernel declares two bit-fields, destination first, so their order in the byte is the
    /// machine's.
    [[nodiscard]] static constexpr std::uint8_t pack(std::pair<unsigned, unsigned> to_from) {
        const auto [to, from] = to_from;
        return static_cast<std::uint8_t>(
            std::endian::native == std::endian::little ? from << 4 | to : to << 4 | from);
    }
    [[nodiscard]] constexpr unsigned destination() const {
        return std::endian::native == std::endian::little ? registers & 15u : registers >> 4u;
    }
    [[nodiscard]] constexpr unsigned source() const {
        return std::endian::native == std::endian::little ? registers >> 4u : registers & 15u;
    }

    static constexpr auto fields(auto list) {
        return list(field("code", &BpfInstruction::code),
                    field("registers", &BpfInstruction::registers),
                    field("offset", &BpfInstruction::offset),
                    field("immediate", &BpfInstruction::immediate));
    }
    friend bool operator==(const BpfInstruction&, const BpfInstruction&) = default;
};
static_assert(sizeof(BpfInstruction) == 8);

/// The program that decides as allowed(rules, ...) does for every device and access.
/// Errors: ResourceExhausted when a jump would be longer than 2^15 instructions, which takes more
/// than 5,000 rules for minors far from each other. Determinism: equal rules give equal programs.
/// Complexity: O(n log n) for n rules; each major times the rules without a major number.
[[nodiscard]] StatusOr<std::vector<BpfInstruction>> compile_filter(const DeviceRules& rules);

}  // namespace trestle
