// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/resources.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "../words.hpp"
#include "../yaml.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

using yaml::is_boolean;
using yaml::yaml_error;

constexpr std::size_t yaml_bytes_max = 65'536;

/// What a key does to a value of type T.
template <class T>
struct Key {
    std::string_view name;
    Status (*apply)(T&, const YAML::Node& value);
};

/// Applies every key of a mapping, each at most once.
template <class T, std::size_t N>
Status apply_keys(const YAML::Node& mapping, const std::array<Key<T>, N>& keys, T& target) {
    std::vector<std::string_view> seen;
    for (const auto& entry : mapping) {
        if (!entry.first.IsScalar()) return yaml_error(entry.first, "malformed key", "a word");
        const std::string& name = entry.first.Scalar();
        const auto known = std::find_if(keys.begin(), keys.end(),
                                        [&](const Key<T>& key) { return key.name == name; });
        if (known == keys.end()) {
            return yaml_error(
                entry.first, "unknown key",
                "a known key; the nearest is " +
                    words::nearest_word(name, keys, [](const Key<T>& key) { return key.name; }));
        }
        if (std::find(seen.begin(), seen.end(), known->name) != seen.end()) {
            return yaml_error(entry.first, "key given twice", "each key once");
        }
        seen.push_back(known->name);
        TRESTLE_TRY_STATUS(known->apply(target, entry.second));
    }
    return {};
}

/// Reads a text by one of the small grammars.
template <class T>
Status read_text(T& target, const YAML::Node& node, std::string_view key,
                 TextResult<T> (*read)(std::string_view)) {
    if (!node.IsScalar() || is_boolean(node)) {
        return yaml_error(node, std::string(key) + ": no text or number", "a text or a number");
    }
    const auto value = read(node.Scalar());
    if (!value) return yaml_error(node, key, value.error());
    target = *value;
    return {};
}

/// Reads `min..max` or a mapping {min, max} with at least one of them.
template <class T>
Status read_range_node(Range<T>& target, const YAML::Node& node, std::string_view key,
                       TextResult<Range<T>> (*read)(std::string_view)) {
    if (!node.IsMap()) return read_text(target, node, key, read);
    struct Ends {
        std::string min;
        std::string max;
    };
    const auto plain = [](std::string& end, const YAML::Node& value) -> Status {
        if (value.IsNull()) return {};
        if (!value.IsScalar() || is_boolean(value)) {
            return yaml_error(value, "malformed end of a range", "a text or a number");
        }
        if (value.Scalar().find("..") != std::string::npos) {
            return yaml_error(value, "a range inside of a range", "a single value");
        }
        end = value.Scalar();
        return {};
    };
    Ends ends;
    static constexpr auto set = plain;
    static constexpr std::array<Key<Ends>, 2> keys{
        {{"min", [](Ends& e, const YAML::Node& v) { return set(e.min, v); }},
         {"max", [](Ends& e, const YAML::Node& v) { return set(e.max, v); }}}};
    TRESTLE_TRY_STATUS(apply_keys(node, keys, ends));
    const auto value = read(ends.min + ".." + ends.max);
    if (!value) return yaml_error(node, key, value.error());
    target = *value;
    return {};
}

Status read_cpu_node(CpuSpec& cpu, const YAML::Node& node) {
    if (!node.IsMap()) return read_text(cpu, node, "cpu", &read_cpu);
    if (node["min"] || node["max"]) {
        TRESTLE_TRY_STATUS(read_range_node(cpu.count, node, "cpu", &read_count_range));
    } else {
        static constexpr std::array<Key<CpuSpec>, 2> keys{
            {{"arch",
              [](CpuSpec& c, const YAML::Node& value) -> Status {
                  if (value.IsNull()) return {};
                  CpuSpec read;
                  TRESTLE_TRY_STATUS(read_text(read, value, "arch", &read_cpu));
                  if (!read.architecture || read.count != CpuSpec{}.count) {
                      return yaml_error(value, "unknown architecture", "x86 or arm");
                  }
                  c.architecture = read.architecture;
                  return {};
              }},
             {"count", [](CpuSpec& c, const YAML::Node& value) {
                  return read_range_node(c.count, value, "count", &read_count_range);
              }}}};
        TRESTLE_TRY_STATUS(apply_keys(node, keys, cpu));
    }
    if (cpu.count.max == Count(0)) return yaml_error(node, "no CPU at all", "1 or more");
    return {};
}

Status read_names_node(GpuSpec& gpu, const YAML::Node& node) {
    if (node.IsNull()) return {};
    if (!node.IsSequence()) {
        std::string name;
        TRESTLE_TRY_STATUS(read_text(name, node, "name", &read_gpu_name));
        gpu.names = {name};
        return {};
    }
    if (node.size() == 0) return yaml_error(node, "no GPU name", "one or more");
    for (const YAML::Node& item : node) {
        TRESTLE_TRY_STATUS(read_text(gpu.names.emplace_back(), item, "name", &read_gpu_name));
    }
    return {};
}

Status read_gpu_node(GpuSpec& gpu, const YAML::Node& node) {
    if (!node.IsMap()) return read_text(gpu, node, "gpu", &read_gpu);
    static constexpr std::array<Key<GpuSpec>, 6> keys{
        {{"vendor",
          [](GpuSpec& g, const YAML::Node& v) -> Status {
              return v.IsNull() ? Status() : read_text(g.vendor, v, "vendor", &read_vendor);
          }},
         {"name", &read_names_node},
         {"count",
          [](GpuSpec& g, const YAML::Node& v) {
              return read_range_node(g.count, v, "count", &read_count_range);
          }},
         {"memory",
          [](GpuSpec& g, const YAML::Node& v) -> Status {
              if (v.IsNull()) return {};
              return read_range_node(g.memory, v, "memory", &read_memory_range);
          }},
         {"total_memory",
          [](GpuSpec& g, const YAML::Node& v) -> Status {
              if (v.IsNull()) return {};
              return read_range_node(g.total_memory, v, "total_memory", &read_memory_range);
          }},
         {"compute_capability", [](GpuSpec& g, const YAML::Node& v) -> Status {
              if (v.IsNull()) return {};
              return read_range_node(g.compute_capability, v, "compute_capability",
                                     &read_version_range);
          }}}};
    return apply_keys(node, keys, gpu);
}

Status read_disk_node(Range<Bytes>& disk, const YAML::Node& node) {
    if (!node.IsMap() || node["min"] || node["max"]) {
        return read_range_node(disk, node, "disk", &read_memory_range);
    }
    if (!node["size"]) return yaml_error(node, "disk without size", "size, or min and max");
    static constexpr std::array<Key<Range<Bytes>>, 1> keys{
        {{"size", [](Range<Bytes>& range, const YAML::Node& value) {
              return read_range_node(range, value, "size", &read_memory_range);
          }}}};
    return apply_keys(node, keys, disk);
}

constexpr std::array<Key<Resources>, 5> resource_keys{
    {{"cpu", [](Resources& r, const YAML::Node& node) { return read_cpu_node(r.cpu, node); }},
     {"memory",
      [](Resources& r, const YAML::Node& node) {
          return read_range_node(r.memory, node, "memory", &read_memory_range);
      }},
     {"gpu",
      [](Resources& r, const YAML::Node& node) -> Status {
          r.gpu.reset();
          return node.IsNull() ? Status() : read_gpu_node(r.gpu.emplace(), node);
      }},
     {"disk",
      [](Resources& r, const YAML::Node& node) -> Status {
          r.disk.reset();
          return node.IsNull() ? Status() : read_disk_node(r.disk.emplace(), node);
      }},
     {"shm_size", [](Resources& r, const YAML::Node& node) -> Status {
          r.shm_size.reset();
          if (node.IsNull()) return {};
          return read_text(r.shm_size.emplace(), node, "shm_size", &read_memory);
      }}}};

}  // namespace

StatusOr<Resources> parse_resources(std::string_view yaml) {
    TRESTLE_TRY(YAML::Node node, yaml::load_yaml(yaml, yaml_bytes_max));
    if (node.IsMap() && node.size() == 1 && std::as_const(node)["resources"]) {
        const YAML::Node inner = std::as_const(node)["resources"];
        node.reset(inner);
    }
    Resources resources;
    if (node.IsNull()) return resources;
    if (!node.IsMap()) return yaml_error(node, "no mapping", "cpu, memory, gpu, disk, shm_size");
    TRESTLE_TRY_STATUS(apply_keys(node, resource_keys, resources));
    return resources;
}

std::string to_text(const Resources& resources) {
    std::string text = "cpu: " + to_text(resources.cpu) + "\n";
    text += "memory: " + memory_range_text(resources.memory) + "\n";
    text += "gpu: " + (resources.gpu ? to_text(*resources.gpu) : "null") + "\n";
    text += "disk: " + (resources.disk ? memory_range_text(*resources.disk) : "null") + "\n";
    if (resources.shm_size) text += "shm_size: " + memory_text(*resources.shm_size) + "\n";
    return text;
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
    device.memory = resources.gpu->memory;
    device.total_memory = resources.gpu->total_memory;
    device.compute_capability = resources.gpu->compute_capability;
    request.devices.push_back(std::move(device));
    return request;
}

}  // namespace trestle::dstack
