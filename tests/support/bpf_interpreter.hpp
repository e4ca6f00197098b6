// SPDX-License-Identifier: Apache-2.0
// Runs and inspects the instructions of a device filter, by the kernel's rules and without the
// kernel (Documentation/bpf/standardization/instruction-set.rst). Only what a filter uses is known;
// anything else is an error, as is whatever the verifier would refuse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trestle/enforce/device/device_filter.hpp"

namespace trestle {

struct BpfFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// struct bpf_cgroup_dev_ctx of linux/bpf.h.
struct BpfDeviceContext {
    std::uint32_t access_type = 0;
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
};

/// The context that the kernel makes of a probe: block is 1, character 2.
[[nodiscard]] inline BpfDeviceContext context_of(const DeviceRules::Probe& probe) {
    const std::uint32_t type = probe.kind == Device::File::Kind::block ? 1 : 2;
    return {probe.access.bits() << 16 | type, probe.major, probe.minor};
}

class BpfInterpreter {
  public:
    explicit BpfInterpreter(std::vector<BpfInstruction> code) : code_(std::move(code)) {}

    /// The value of r0 at exit. Throws BpfFault where the verifier would have refused.
    [[nodiscard]] std::uint64_t run(const BpfDeviceContext& context) const {
        std::array<std::optional<std::uint64_t>, 11> registers;
        registers[1] = 0;  // the context, as address 0
        const auto read = [&](unsigned r) {
            if (r > 10 || !registers[r]) fail("register " + std::to_string(r) + " is not set");
            return *registers[r];
        };
        for (std::size_t at = 0;; ++at) {
            const BpfInstruction& in = instruction(at);
            const auto immediate = static_cast<std::uint32_t>(in.immediate);
            const auto low = [&] { return static_cast<std::uint32_t>(read(in.destination())); };
            switch (in.code) {
                case 0x61:
                    registers[in.destination()] = load(context, in);
                    break;
                case 0xbc:
                    registers[in.destination()] = static_cast<std::uint32_t>(read(in.source()));
                    break;
                case 0xb7:
                    registers[in.destination()] =
                        static_cast<std::uint64_t>(std::int64_t{in.immediate});
                    break;
                case 0x18:
                    registers[in.destination()] = immediate | std::uint64_t{upper_half(++at)} << 32;
                    break;
                case 0x14:
                    registers[in.destination()] = low() - immediate;
                    break;
                case 0x7f:
                    if (read(in.source()) > 63) fail("a shift by 64 or more");
                    registers[in.destination()] = read(in.destination()) >> read(in.source());
                    break;
                case 0x74:
                    registers[in.destination()] = low() >> (immediate & 31u);
                    break;
                case 0x54:
                    registers[in.destination()] = low() & immediate;
                    break;
                case 0x36:
                    at += low() >= immediate ? jump(in) : 0;
                    break;
                case 0x46:
                    at += (low() & immediate) != 0 ? jump(in) : 0;
                    break;
                case 0x95:
                    return read(0);
                default:
                    fail("unknown instruction " + std::to_string(in.code));
            }
        }
    }

    /// Instructions that no path reaches; the verifier refuses a program with one.
    [[nodiscard]] std::vector<std::size_t> unreachable() const {
        std::vector<bool> is_seen(code_.size());
        std::vector<std::size_t> open = {0};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            const BpfInstruction& in = instruction(at);
            if (is_seen[at]) continue;
            is_seen[at] = true;
            if (in.code == 0x95) continue;
            if (in.code == 0x18) is_seen[at + 1] = true;
            open.push_back(in.code == 0x18 ? at + 2 : at + 1);
            if (in.code == 0x36 || in.code == 0x46) open.push_back(at + 1 + jump(in));
        }
        std::vector<std::size_t> unseen;
        for (std::size_t i = 0; i < code_.size(); ++i) {
            if (!is_seen[i]) unseen.push_back(i);
        }
        return unseen;
    }

  private:
    [[noreturn]] static void fail(const std::string& what) { throw BpfFault(what); }

    [[nodiscard]] const BpfInstruction& instruction(std::size_t at) const {
        if (at >= code_.size()) fail("ran over the end");
        return code_[at];
    }
    /// Of a constant of 64 bits; in any other place such an instruction is unknown.
    [[nodiscard]] std::uint32_t upper_half(std::size_t at) const {
        const BpfInstruction& in = instruction(at);
        if (in.code != 0 || in.registers != 0 || in.offset != 0) fail("half a constant");
        return static_cast<std::uint32_t>(in.immediate);
    }
    [[nodiscard]] static std::size_t jump(const BpfInstruction& in) {
        if (in.offset < 0) fail("a jump backwards");
        return static_cast<std::size_t>(in.offset);
    }
    [[nodiscard]] static std::uint32_t load(const BpfDeviceContext& context,
                                            const BpfInstruction& in) {
        if (in.source() != 1) fail("a load from elsewhere than the context");
        switch (in.offset) {
            case 0:
                return context.access_type;
            case 4:
                return context.major;
            case 8:
                return context.minor;
            default:
                fail("a load beside the context");
        }
    }

    std::vector<BpfInstruction> code_;
};

}  // namespace trestle
