// SPDX-License-Identifier: Apache-2.0
#pragma once

// gres.conf: which files, cores and links the devices of a node have.
//
// Layer: dialect/slurm. Main type: GresLine. Known keys: NodeName, Name, Type, File(s),
// MultipleFiles, Count, Cores (old name: CPUs), Link(s), Flags, AutoDetect; in any case. A line
// with AutoDetect= alone is valid. A reader would get wrong: Cores= counts cores socket by socket,
// whatever the kernel calls them, and so is a CoreId of the nodes that build_nodes makes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// One line of gres.conf. Without a name it only carries AutoDetect.
struct GresLine {
    std::uint32_t line = 0;          ///< where it stands
    std::vector<std::string> nodes;  ///< empty: every node
    std::string name;                ///< lower or upper case as written; compared without case
    std::string type;
    std::vector<std::string> files;   ///< one device each, unless is_one_device
    bool is_one_device = false;       ///< MultipleFiles=: all files are one device
    Count count{1};                   ///< as given, or the number of devices that File= names
    std::optional<CoreSet> cores;     ///< absent: near to all alike
    std::vector<std::int32_t> links;  ///< -1 at the device's own place
    std::vector<std::string> flags;   ///< as Slurm spells them
    std::string autodetect;           ///< carried: nothing here detects

    static constexpr auto fields() {
        return field_list(field("line", &GresLine::line), field("nodes", &GresLine::nodes),
                          field("name", &GresLine::name), field("type", &GresLine::type),
                          field("files", &GresLine::files),
                          field("is_one_device", &GresLine::is_one_device),
                          field("count", &GresLine::count), field("cores", &GresLine::cores),
                          field("links", &GresLine::links), field("flags", &GresLine::flags),
                          field("autodetect", &GresLine::autodetect));
    }
    friend bool operator==(const GresLine&, const GresLine&) = default;
};

/// True when the flag, as Slurm spells it, is on the line.
[[nodiscard]] bool has_flag(const GresLine& line, std::string_view flag);

/// Reads every line, whatever the others hold. Errors: an unknown key, flag or AutoDetect, a key
/// given twice, a line without Name and AutoDetect, File with MultipleFiles, fewer than two
/// MultipleFiles, a Count that is not the number of files, Links without exactly one -1 or for more
/// than one device.
[[nodiscard]] ConfReading<GresLine> read_gres_conf(std::string_view text);

/// The same, where one error is enough. Errors: InvalidArgument with the first one,
/// `gres.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<std::vector<GresLine>> parse_gres_conf(std::string_view text);

}  // namespace trestle::slurm
