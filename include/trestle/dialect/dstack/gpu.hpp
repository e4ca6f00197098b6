// SPDX-License-Identifier: Apache-2.0
#pragma once

// The GPU specification: `A100:80GB:4..8`, `nvidia:2`, `24GB..`.
//
// Layer: dialect/dstack. Main type: GpuSpec. The parts `vendor : names : memory : count` stand in
// any order. Each is recognised by the first rule that fits. A vendor's name is one; a letter first
// means names joined by commas. A letter anywhere means memory; all else is a count.
// Pitfall: a specification without a count means one or more (`1..`), so `A100` is not "one A100";
// `80` is eighty GPUs, `80GB` is memory.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/model/device.hpp"

namespace trestle::dstack {

/// `gpu:` of dstack, as `A100:80GB:4..8`.
struct GpuSpec {
    std::string vendor;              ///< nvidia, amd, google, intel, tenstorrent; empty: any
    std::vector<std::string> names;  ///< any of these; empty: any
    Range<Count> count = Range<Count>::at_least(Count(1));
    Range<Bytes> memory;                ///< of each
    Range<Bytes> total_memory;          ///< of all together; no short form
    Range<Version> compute_capability;  ///< no short form; a bare value is a minimum: 8.0..

    static constexpr auto fields(auto list) {
        return list(field("vendor", &GpuSpec::vendor), field("names", &GpuSpec::names),
                    field("count", &GpuSpec::count), field("memory", &GpuSpec::memory),
                    field("total_memory", &GpuSpec::total_memory),
                    field("compute_capability", &GpuSpec::compute_capability));
    }
    friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

/// Reads the short form, or a YAML mapping in braces of vendor, name (one or a list), count,
/// memory, total_memory and compute_capability. The vendors tpu and tt are google and tenstorrent;
/// a `tpu-` before a name is taken off. Errors: an empty part, a kind of part given twice, a part
/// that its rule refuses; of a mapping its first mistake, as in read_resources.
[[nodiscard]] TextResult<GpuSpec> read_gpu(std::string_view text,
                                           BareValue bare = BareValue::exact);
[[nodiscard]] StatusOr<GpuSpec> parse_gpu(std::string_view text, BareValue bare = BareValue::exact);

/// One GPU name: a letter, then letters, digits and `-_.+/`; not the name of a vendor.
[[nodiscard]] TextResult<std::string> read_gpu_name(std::string_view text);
/// The vendor's own word for `tpu`, `NVIDIA` and the others.
[[nodiscard]] TextResult<std::string> read_vendor(std::string_view text);

/// `nvidia:A100,H100:40GB..80GB:4..8`; a YAML mapping in braces when a part has no short form.
/// parse_gpu and parse_resources read both back. Requires: the count has an end.
[[nodiscard]] std::string to_text(const GpuSpec& gpu);

}  // namespace trestle::dstack
