// SPDX-License-Identifier: Apache-2.0
#pragma once

// gres.conf: which files, cores and links the devices of a node have.
//
// Layer: dialect/slurm. Main types: GresLine, GresFlag, AutoDetect. Known keys: NodeName, Name,
// Type, File(s), MultipleFiles, Count, Cores (old name: CPUs), Link(s), Flags, AutoDetect; in any
// case. A line with AutoDetect= alone is valid.
// Pitfall: Cores= counts cores socket by socket, whatever the kernel calls them, and so is a CoreId
// of the nodes that build_nodes makes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// What a device is, beside its numbers. The env flags say which vendor's variables a job gets;
/// one_sharing and all_sharing how many of a node's GPUs may be shared at once. Explicit that
/// --exclusive alone does not give it; env_uuid that variables hold UUIDs.
enum class GresFlag {
    count_only,
    nvidia_gpu_env,
    amd_gpu_env,
    intel_gpu_env,
    opencl_env,
    no_gpu_env,
    one_sharing,
    all_sharing,
    explicit_only,
    env_uuid
};

/// As gres.conf spells them.
constexpr auto enum_names(GresFlag) {
    using enum GresFlag;
    return std::array{named(count_only, "CountOnly"),    named(nvidia_gpu_env, "nvidia_gpu_env"),
                      named(amd_gpu_env, "amd_gpu_env"), named(intel_gpu_env, "intel_gpu_env"),
                      named(opencl_env, "opencl_env"),   named(no_gpu_env, "no_gpu_env"),
                      named(one_sharing, "one_sharing"), named(all_sharing, "all_sharing"),
                      named(explicit_only, "explicit"),  named(env_uuid, "env_uuid")};
}

/// What detects devices: a vendor's library, all of them (full), none (off).
enum class AutoDetect { off, nvml, rsmi, oneapi, nrt, nvidia, full };

constexpr auto enum_names(AutoDetect) {
    using enum AutoDetect;
    return std::array{named(off, "off"),       named(nvml, "nvml"), named(rsmi, "rsmi"),
                      named(oneapi, "oneapi"), named(nrt, "nrt"),   named(nvidia, "nvidia"),
                      named(full, "full")};
}

/// One line of gres.conf. Without a name it only carries AutoDetect.
struct GresLine {
    ConfPlace place;
    Hostlist nodes;    ///< empty: every node
    std::string name;  ///< lower or upper case as written; compared without case
    std::string type;
    Hostlist files;                   ///< one device each, unless is_one_device
    bool is_one_device = false;       ///< MultipleFiles=: all files are one device
    Count count{1};                   ///< as given, or the number of devices that File= names
    std::optional<CoreSet> cores;     ///< absent: near to all alike
    std::vector<std::int32_t> links;  ///< -1 at the device's own place
    std::vector<GresFlag> flags;      ///< rising; those of the line, or of an earlier one
    std::optional<AutoDetect> autodetect;

    static constexpr auto fields(auto list) {
        return list(field("place", &GresLine::place), field("nodes", &GresLine::nodes),
                    field("name", &GresLine::name), field("type", &GresLine::type),
                    field("files", &GresLine::files),
                    field("is_one_device", &GresLine::is_one_device),
                    field("count", &GresLine::count), field("cores", &GresLine::cores),
                    field("links", &GresLine::links), field("flags", &GresLine::flags),
                    field("autodetect", &GresLine::autodetect));
    }
    friend bool operator==(const GresLine&, const GresLine&) = default;
};

/// The lines that could be read, and every error, in the order of the file.
struct GresConfReading {
    std::vector<GresLine> lines;
    std::vector<ConfError> errors;
    std::vector<ConfWarning> warnings;

    static constexpr auto fields(auto list) {
        return list(field("lines", &GresConfReading::lines),
                    field("errors", &GresConfReading::errors),
                    field("warnings", &GresConfReading::warnings));
    }
    friend bool operator==(const GresConfReading&, const GresConfReading&) = default;
};

/// True when the flag is on the line.
[[nodiscard]] bool has_flag(const GresLine& line, GresFlag flag);

/// `Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-15 Links=-1,4 Flags=nvidia_gpu_env`, which
/// read_gres_conf reads back but for the place. Requires: names, types and files are words.
[[nodiscard]] std::string to_text(const GresLine& line);

/// Reads every line, whatever the others hold. A line without Flags= has those of the last line
/// before it with the same Name and NodeName. AutoDetect= is the first of full, nvml, rsmi, oneapi,
/// nrt and nvidia that stands in the value, or off. Slurm looks for flags inside of words; here a
/// word is one of them. Errors: an unknown key, a line without Name and AutoDetect, AutoDetect with
/// Name and without NodeName. File with MultipleFiles, fewer than two MultipleFiles, a Count that
/// is not the number of files, Links for more than one device. Also no_gpu_env with another env
/// flag, one_sharing with all_sharing. Also env flags that differ from those of an earlier line of
/// the same Name and NodeName. Mended: a key given twice, an unknown flag or AutoDetect, Links
/// without exactly one -1, empty items of a list.
[[nodiscard]] GresConfReading read_gres_conf(std::string_view text, const ConfFiles& files = {},
                                             MendedMistakes mended = MendedMistakes::warnings);

/// The same, where one error is enough. A mistake that Slurm mends is one too, since the result has
/// no place for warnings. Errors: InvalidArgument with the first one,
/// `gres.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<std::vector<GresLine>> parse_gres_conf(
    std::string_view text, const ConfFiles& files = {},
    MendedMistakes mended = MendedMistakes::errors);

}  // namespace trestle::slurm
