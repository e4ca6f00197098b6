// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/resources.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/join.hpp"
#include "readers.hpp"
#include "scalars.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

void read_cpu_in(SpecReader& reader, CpuSpec& cpu, const YAML::Node& node) {
    if (!node.IsMap()) {
        reader.text(cpu, node, "cpu",
                    [&](std::string_view t) { return read_cpu(t, reader.bare()); });
        return;
    }
    static constexpr std::array<SpecKey<CpuSpec>, 2> keys{
        {{"arch",
          [](SpecReader& r, CpuSpec& c, const YAML::Node& value) {
              if (value.IsNull()) return;
              CpuSpec read;
              if (!r.text(read, value, "arch", [](std::string_view t) { return read_cpu(t); }))
                  return;
              if (!read.architecture || read.count != CpuSpec{}.count) {
                  return r.add(value, "arch", "unknown architecture", "x86 or arm");
              }
              c.architecture = read.architecture;
          }},
         {"count", [](SpecReader& r, CpuSpec& c, const YAML::Node& value) {
              r.range(c.count, value, "count", &read_count_range);
          }}}};
    const YAML::Node& mapping = node;  // const, so that looking for a key does not make it
    if (mapping["min"] || mapping["max"]) {
        reader.range(cpu.count, node, "cpu", &read_count_range);
    } else {
        reader.apply(cpu, node, keys);
    }
    if (cpu.count.max == Count(0)) reader.add(node, "cpu", "no CPU at all", "1 or more");
}

void read_disk_in(SpecReader& reader, Range<Bytes>& disk, const YAML::Node& node) {
    static constexpr std::array<SpecKey<Range<Bytes>>, 1> keys{
        {{"size", [](SpecReader& r, Range<Bytes>& range, const YAML::Node& value) {
              r.range(range, value, "size", &read_memory_range);
          }}}};
    if (!node.IsMap() || reader.find(node, "min") || reader.find(node, "max")) {
        reader.range(disk, node, "disk", &read_memory_range);
        return;
    }
    if (!reader.find(node, "size"))
        reader.add(node, "disk", "disk without size", "size, or min and max");
    reader.apply(disk, node, keys);
}

constexpr std::array<SpecKey<Resources>, 5> resource_keys{
    {{"cpu",
      [](SpecReader& r, Resources& all, const YAML::Node& node) { read_cpu_in(r, all.cpu, node); }},
     {"memory",
      [](SpecReader& r, Resources& all, const YAML::Node& node) {
          r.range(all.memory, node, "memory", &read_memory_range);
      }},
     {"gpu",
      [](SpecReader& r, Resources& all, const YAML::Node& node) {
          all.gpu.reset();
          if (!node.IsNull()) read_gpu_in(r, all.gpu.emplace(), node);
      }},
     {"disk",
      [](SpecReader& r, Resources& all, const YAML::Node& node) {
          all.disk.reset();
          if (!node.IsNull()) read_disk_in(r, all.disk.emplace(), node);
      }},
     {"shm_size", [](SpecReader& r, Resources& all, const YAML::Node& node) {
          all.shm_size.reset();
          if (!node.IsNull()) r.text(all.shm_size.emplace(), node, "shm_size", &read_memory);
      }}}};

/// True when a machine without GPUs is none of those that the specification describes.
bool describes_gpus(const GpuSpec& gpu) {
    return !gpu.vendor.empty() || !gpu.names.empty() || !gpu.compute_capability.is_open() ||
           !gpu.memory.contains(Bytes()) || !gpu.total_memory.contains(Bytes());
}

}  // namespace

void read_resources_in(SpecReader& reader, Resources& resources, const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsMap()) {
        return reader.add(node, "", "no mapping", "cpu, memory, gpu, disk, shm_size");
    }
    reader.apply(resources, node, resource_keys);
}

ResourcesReading read_resources(std::string_view yaml, BareValue bare) {
    ResourcesReading reading;
    SpecReader reader(bare);
    if (auto node = reader.load(yaml)) {
        const YAML::Node document = *node;
        const bool is_inside = document.IsMap() && document.size() == 1 && document["resources"];
        const YAML::Node inner = is_inside ? document["resources"] : document;
        read_resources_in(reader, reading.resources, inner);
    }
    reading.errors = reader.take_errors();
    return reading;
}

StatusOr<Resources> parse_resources(std::string_view yaml, BareValue bare) {
    ResourcesReading reading = read_resources(yaml, bare);
    if (!reading.errors.empty()) {
        return invalid_argument("{}", to_text(reading.errors.front()));
    }
    return std::move(reading.resources);
}

std::string to_text(const Resources& resources) {
    std::string text = "cpu: " + to_text(resources.cpu) + "\n";
    text += "memory: " + memory_range_text(resources.memory) + "\n";
    text += "gpu: " + (resources.gpu ? to_text(*resources.gpu) : "null") + "\n";
    text += "disk: " + (resources.disk ? memory_range_text(*resources.disk) : "null") + "\n";
    if (resources.shm_size) text += "shm_size: " + memory_text(*resources.shm_size) + "\n";
    return text;
}

std::string pretty_text(const Resources& resources) {
    const auto sizes = [](const Range<Bytes>& range) {
        if (range.is_single()) return pretty_size(*range.min);
        return (range.min ? pretty_size(*range.min) : "") + ".." +
               (range.max ? pretty_size(*range.max) : "");
    };
    std::string text = "cpu=" + to_text(resources.cpu) + " mem=" + sizes(resources.memory);
    if (resources.disk) text += " disk=" + sizes(*resources.disk);
    if (!resources.gpu) return text;
    const GpuSpec& gpu = *resources.gpu;
    std::vector<std::string> parts;
    if (!gpu.names.empty()) {
        parts.push_back(trestle::detail::join(gpu.names, ","));
    } else if (!gpu.vendor.empty()) {
        parts.push_back(gpu.vendor);
    }
    if (!gpu.memory.is_open()) parts.push_back(sizes(gpu.memory));
    parts.push_back(to_text(gpu.count));
    if (!gpu.total_memory.is_open()) parts.push_back(sizes(gpu.total_memory));
    if (!gpu.compute_capability.is_open()) parts.push_back(to_text(gpu.compute_capability));
    return text + " gpu=" + trestle::detail::join(parts, ":");
}

Request to_request(const Resources& resources) {
    Request request;
    request.cpus_per_task = resources.cpu.count;
    request.architecture = resources.cpu.architecture;
    request.memory = resources.memory;
    request.disk = resources.disk.value_or(Range<Bytes>{});
    request.shm_size = resources.shm_size;
    if (!resources.gpu || *resources.gpu == Resources::any_gpus()) return request;
    DeviceRequest device;
    device.vendor = resources.gpu->vendor;
    device.models = resources.gpu->names;
    device.count = resources.gpu->count;
    const bool is_none = device.count.max && device.count.max->is_zero();
    if (!device.count.min && !is_none && describes_gpus(*resources.gpu)) {
        device.count.min = Count(1);
    }
    device.memory = resources.gpu->memory;
    device.total_memory = resources.gpu->total_memory;
    device.compute_capability = resources.gpu->compute_capability;
    request.devices.push_back(std::move(device));
    return request;
}

}  // namespace trestle::dstack
