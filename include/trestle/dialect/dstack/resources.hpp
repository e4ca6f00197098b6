// SPDX-License-Identifier: Apache-2.0
#pragma once

// The `resources:` of a dstack configuration.
//
// Layer: dialect/dstack. Main names: Resources, read_resources, to_request. The YAML is capped in
// size and depth before the library that reads it sees it.
// Pitfall: what is left out has dstack's default, and these are not small: two CPUs, 8GB of memory
// and 100GB of disk. They are visible in to_text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/cpu.hpp"
#include "trestle/dialect/dstack/gpu.hpp"
#include "trestle/dialect/dstack/spec_error.hpp"
#include "trestle/model/request.hpp"

namespace trestle::dstack {

/// `resources:` of dstack; what is left out has dstack's default.
struct Resources {
    CpuSpec cpu;
    Range<Bytes> memory = Range<Bytes>::at_least(gib(8));
    std::optional<GpuSpec> gpu = any_gpus();  ///< absent (null): GPUs are not looked at
    std::optional<Range<Bytes>> disk = Range<Bytes>::at_least(gib(100));  ///< absent: any
    std::optional<Bytes> shm_size;

    /// `0..`: with or without GPUs.
    [[nodiscard]] static GpuSpec any_gpus() {
        GpuSpec gpu;
        gpu.count = Range<Count>::at_least(Count(0));
        return gpu;
    }

    /// What a fleet without resources: takes: any node with a CPU.
    [[nodiscard]] static Resources unconstrained() {
        Resources resources;
        resources.cpu.count = Range<Count>::at_least(Count(1));
        resources.memory = Range<Bytes>::at_least(Bytes());
        resources.disk.reset();
        return resources;
    }

    static constexpr auto fields(auto list) {
        return list(field("cpu", &Resources::cpu), field("memory", &Resources::memory),
                    field("gpu", &Resources::gpu), field("disk", &Resources::disk),
                    field("shm_size", &Resources::shm_size));
    }
    friend bool operator==(const Resources&, const Resources&) = default;
};

/// What was read, and every mistake.
struct ResourcesReading {
    Resources resources;
    std::vector<SpecError> errors;  ///< in the order of the text; after the first 100 no more

    static constexpr auto fields(auto list) {
        return list(field("resources", &ResourcesReading::resources),
                    field("errors", &ResourcesReading::errors));
    }
    friend bool operator==(const ResourcesReading&, const ResourcesReading&) = default;
};

/// Reads YAML: a mapping with the keys cpu, memory, gpu, disk, shm_size, or one whose only key is
/// `resources` with such a mapping. Values are texts or mappings. A mapping is `{min, max}` for a
/// range, `{arch, count}` for cpu and `{size}` for disk. That of gpu has the fields of GpuSpec
/// (with `name` a text or a list). gpu, disk and shm_size may be null. Errors, all in one pass but
/// for broken YAML: an unknown or repeated key, a boolean, and a value that its grammar refuses.
/// Also more than 64 KiB, more than 64 levels, more than 100,000 keys and items with aliases
/// written out.
[[nodiscard]] ResourcesReading read_resources(std::string_view yaml,
                                              BareValue bare = BareValue::exact);
/// The same. Errors: InvalidArgument with the first mistake.
[[nodiscard]] StatusOr<Resources> parse_resources(std::string_view yaml,
                                                  BareValue bare = BareValue::exact);

/// A YAML mapping of all five keys, without loss: parse_resources gives the same value back.
[[nodiscard]] std::string to_text(const Resources& resources);

/// dstack's own line: `cpu=2.. mem=8GB.. disk=100GB.. gpu=A100:80GB:1..`. For people: sizes have
/// six digits, and a vendor is left out beside names; no function reads it back. Requires: as
/// to_text.
[[nodiscard]] std::string pretty_text(const Resources& resources);

/// The request for one node and one task. A gpu of `0..` without other conditions requests no
/// device. With a count of `0..4` a machine without GPUs matches, whatever else is said of GPUs.
/// With `..4` the conditions count, as in dstack, and `nvidia:..4` means 1..4 of NVIDIA's.
[[nodiscard]] Request to_request(const Resources& resources);

}  // namespace trestle::dstack
