// SPDX-License-Identifier: Apache-2.0
// A libze_loader.so.1 for tests. Its structures are byte offsets, so that a layout which changes is
// noticed.
#include "script.hpp"

namespace {

template <class T>
void put(void* structure, std::size_t offset, T value) {
    std::memcpy(static_cast<char*>(structure) + offset, &value, sizeof value);
}

std::int32_t type_of(const void* structure) {
    std::int32_t type = 0;
    std::memcpy(&type, structure, sizeof type);
    return type;
}

const stub::Values& values_of(const void* handle) {
    return *static_cast<const stub::Values*>(handle);
}

/// The protocol of Level Zero's lists, of one handle each.
int list_one(std::uint32_t* count, const void** handles, const void* handle) {
    if (handles != nullptr && *count > 0) handles[0] = handle;
    *count = 1;
    return 0;
}

}  // namespace

extern "C" {

int zesInit(std::uint32_t) { return stub::begin("zesInit", "intel"); }

int zesDriverGet(std::uint32_t* count, const void** drivers) {
    if (const int failure = stub::failure_of("zesDriverGet"); failure != 0) return failure;
    return list_one(count, drivers, &stub::script());
}

int zesDeviceGet(const void*, std::uint32_t* count, const void** devices) {
    const auto& gpus = stub::script().gpus;
    if (devices != nullptr) {
        for (std::size_t i = 0; i < gpus.size() && i < *count; ++i) devices[i] = &gpus[i].values;
    }
    *count = static_cast<std::uint32_t>(gpus.size());
    return stub::failure_of("zesDeviceGet");
}

int zesDevicePciGetProperties(const void* device, void* properties) {
    const auto id = stub::bus_id(stub::text(values_of(device), "bus").value_or(""));
    if (!id || type_of(properties) != 0x2) return stub::unknown;
    put(properties, 16, id->domain);
    put(properties, 20, id->bus);
    put(properties, 24, id->device);
    put(properties, 28, id->function);
    return 0;
}

int zesDeviceGetProperties(const void* device, void* properties) {
    const auto name = stub::text(values_of(device), "name");
    const auto id = stub::number(values_of(device), "id", 0);
    if (type_of(properties) != 0x1 || !name) return stub::unknown;
    const auto of = [&](const char* key, unsigned long long value) {
        return static_cast<std::uint32_t>(stub::number(values_of(device), key).value_or(value));
    };
    put(properties, 16 + 16, of("type", 1));
    put(properties, 16 + 28, of("flags", 0));
    if (id) put(properties, 16 + 96, *id);  // zes_device_properties_t.core.uuid
    std::memcpy(static_cast<char*>(properties) + 16 + 112, name->c_str(), name->size() + 1);
    return 0;
}

int zesDeviceEnumMemoryModules(const void* device, std::uint32_t* count, const void** modules) {
    return list_one(count, modules, device);
}

int zesMemoryGetProperties(const void* module, void* properties) {
    const auto memory = stub::number(values_of(module), "memory_mib");
    if (!memory || type_of(properties) != 0xb) return stub::unknown;
    put(properties, 28, std::int32_t{1});
    put(properties, 32, *memory << 20);
    return 0;
}

}  // extern "C"
