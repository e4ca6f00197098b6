// SPDX-License-Identifier: Apache-2.0
// A librocm_smi64.so for tests.
#include "script.hpp"

namespace {

const stub::Values* values_at(std::uint32_t index) {
    const auto& gpus = stub::script().gpus;
    return index < gpus.size() ? &gpus[index].values : nullptr;
}

int answer(const char* call, std::uint32_t index, const char* key, std::uint64_t* result) {
    if (const int failure = stub::failure_of(call)) return failure;
    const stub::Values* values = values_at(index);
    const auto number = values ? stub::number(*values, key, 0) : std::nullopt;
    if (!number) return stub::unknown;
    *result = *number;
    return 0;
}

}  // namespace

extern "C" {

int rsmi_init(std::uint64_t) { return stub::begin("rsmi_init", "amd"); }
int rsmi_shut_down() { return 0; }

int rsmi_num_monitor_devices(std::uint32_t* count) {
    *count = static_cast<std::uint32_t>(stub::script().gpus.size());
    return stub::failure_of("rsmi_num_monitor_devices");
}

int rsmi_dev_pci_id_get(std::uint32_t index, std::uint64_t* result) {
    const stub::Values* values = values_at(index);
    const auto id = values ? stub::bus_id(stub::text(*values, "bus").value_or("")) : std::nullopt;
    if (!id) return stub::unknown;
    constexpr std::uint64_t partition = std::uint64_t{5} << 28;  // which is no part of the address
    *result =
        std::uint64_t{id->domain} << 32 | partition | id->bus << 8 | id->device << 3 | id->function;
    return 0;
}

int rsmi_dev_name_get(std::uint32_t index, char* name, std::size_t size) {
    const stub::Values* values = values_at(index);
    return values ? stub::fill(stub::text(*values, "name"), name, size) : stub::unknown;
}

int rsmi_dev_unique_id_get(std::uint32_t index, std::uint64_t* id) {
    return answer("rsmi_dev_unique_id_get", index, "id", id);
}

int rsmi_dev_memory_total_get(std::uint32_t index, int type, std::uint64_t* total) {
    if (type != 0) return stub::unknown;
    const int result = answer("rsmi_dev_memory_total_get", index, "memory_mib", total);
    *total <<= 20;
    return result;
}

/// `hops=1` joins the GPU to every other by XGMI, one without goes through PCIe.
int rsmi_topo_get_link_type(std::uint32_t from, std::uint32_t, std::uint64_t* hops, int* type) {
    const int result = answer("rsmi_topo_get_link_type", from, "hops", hops);
    *type = result == 0 ? 2 : 1;
    return result;
}

}  // extern "C"
