// SPDX-License-Identifier: Apache-2.0
#include "pod_amounts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "dialect/json/members.hpp"
#include "trestle/dialect/container/quantity.hpp"

namespace trestle::container {
namespace {

using json::list_of;
using json::member;
using json::text_of;

/// Quantities are texts, and whole ones may be numbers.
std::string quantity_of(const json::Value& value) {
    if (const auto* const text = std::get_if<std::string>(&value.data)) return *text;
    const auto* const number = std::get_if<std::uint64_t>(&value.data);
    return number == nullptr ? json::describe(value) : std::to_string(*number);
}

template <class T>
Status read_one(const json::Member& one, TextResult<T> (*read)(std::string_view), T& amount) {
    const std::string text = quantity_of(one.value);
    const auto result = read(text);
    if (!result) return invalid_argument("{}: {}, expected a quantity", one.name, text);
    amount = *result;
    return {};
}

template <class T>
void add(T& amount, T more) {
    amount = saturating_add(amount, more);
}

Amounts sum_of(Amounts a, const Amounts& b) {
    add(a.cpu, b.cpu);
    add(a.memory, b.memory);
    for (const auto& [name, count] : b.devices) add(a.devices[name], count);
    return a;
}

Amounts most_of(Amounts a, const Amounts& b) {
    a.cpu = std::max(a.cpu, b.cpu);
    a.memory = std::max(a.memory, b.memory);
    for (const auto& [name, count] : b.devices) a.devices[name] = std::max(a.devices[name], count);
    return a;
}

/// Of a container, or what the pod says of itself.
StatusOr<Amounts> own_amounts(const json::Value& container) {
    const json::Value* const resources = member(container, "resources");
    if (resources == nullptr) return Amounts();
    const json::Value* const limits = member(*resources, "limits");
    const json::Value* const requests = member(*resources, "requests");
    json::Object merged;
    for (const json::Value* const from : {requests, limits}) {
        const auto* const members =
            from == nullptr ? nullptr : std::get_if<json::Object>(&from->data);
        if (members == nullptr) continue;
        for (const json::Member& one : *members) {
            const bool is_there =
                std::any_of(merged.begin(), merged.end(),
                            [&](const json::Member& known) { return known.name == one.name; });
            if (!is_there) merged.push_back(one);
        }
    }
    return read_amounts({std::move(merged)});
}

}  // namespace

StatusOr<Amounts> read_amounts(const json::Value& object) {
    Amounts amounts;
    const auto* const members = std::get_if<json::Object>(&object.data);
    if (members == nullptr) return amounts;
    for (const json::Member& one : *members) {
        if (one.name == "cpu") {
            TRESTLE_TRY_STATUS(read_one<MilliCpu>(one, read_milli_cpus, amounts.cpu));
        } else if (one.name == "memory") {
            TRESTLE_TRY_STATUS(read_one<Bytes>(one, read_bytes, amounts.memory));
        } else if (one.name == "pods") {
            TRESTLE_TRY_STATUS(read_one<Count>(one, read_count, amounts.pods.emplace()));
        } else if (one.name.find('/') != std::string::npos &&
                   one.name.find("kubernetes.io/") == std::string::npos) {
            TRESTLE_TRY_STATUS(read_one<Count>(one, read_count, amounts.devices[one.name]));
        }
    }
    return amounts;
}

StatusOr<Amounts> amounts_of_pod(const json::Value& spec) {
    Amounts running, most;  // `running`: init containers that go on beside the others
    for (const json::Value& container : list_of(spec, "initContainers")) {
        TRESTLE_TRY(const Amounts one, own_amounts(container));
        most = most_of(std::move(most), sum_of(running, one));
        if (text_of(container, "restartPolicy") == "Always") running = sum_of(running, one);
    }
    for (const json::Value& container : list_of(spec, "containers")) {
        TRESTLE_TRY(const Amounts one, own_amounts(container));
        running = sum_of(std::move(running), one);
    }
    most = most_of(std::move(most), running);
    TRESTLE_TRY(const Amounts own, own_amounts(spec));
    if (!own.cpu.is_zero()) most.cpu = own.cpu;
    if (!own.memory.is_zero()) most.memory = own.memory;
    const json::Value* const overhead = member(spec, "overhead");
    if (overhead == nullptr) return most;
    TRESTLE_TRY(const Amounts more, read_amounts(*overhead));
    return sum_of(std::move(most), more);
}

}  // namespace trestle::container
