// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/node_health.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "enforce/health/worse.hpp"

namespace trestle {

namespace {

constexpr std::size_t reason_length_max = 256;

/// True when the report is of this device, or of the GPU that this instance is a part of.
bool speaks_of(const DeviceReport& report, const Device& device) {
    if (!report.uuid.empty() && report.uuid == device.uuid) return true;
    return !report.place.empty() && report.place == device.pci_bus_id;
}

/// The first line with anything in it, printable characters alone.
std::string first_line(std::string_view output) {
    std::string line;
    for (const char c : output) {
        const bool is_printable = c >= 0x20 && c != 0x7f;
        if (c == '\n' && !line.empty()) break;
        if (is_printable && !(line.empty() && c == ' ')) line += c;
        if (line.size() == reason_length_max) break;
    }
    return line;
}

}  // namespace

NodeShape with_device_health(NodeShape shape, std::span<const DeviceReport> reports) {
    for (Device& device : shape.devices) {
        Health health = Health::unknown;
        for (const DeviceReport& report : reports) {
            if (speaks_of(report, device)) health = worse(health, report.report.health);
        }
        if (health != Health::unknown) device.health = health;
    }
    return shape;
}

NodeJudgement after_health_program(NodeState state, const Outcome& outcome,
                                   std::string_view output) {
    if (outcome.ending == Outcome::Ending::exited && outcome.exit_code == 0) {
        return {state, Health::healthy, {}};
    }
    std::string reason = first_line(output);
    if (reason.empty()) {
        reason = "health program: ";
        switch (outcome.ending) {
            case Outcome::Ending::exited:
                reason += "exit code " + std::to_string(outcome.exit_code);
                break;
            case Outcome::Ending::signaled:
                reason += "ended by signal " + std::to_string(outcome.signal_number);
                break;
            case Outcome::Ending::out_of_memory:
                reason += "killed for memory";
                break;
        }
    }
    return {state == NodeState::up ? NodeState::drained : state, Health::failure,
            std::move(reason)};
}

}  // namespace trestle
