// SPDX-License-Identifier: Apache-2.0
// RAPL, by Documentation/power/powercap/powercap.rst: zone intel-rapl:N is a package, and
// intel-rapl:N:M a part of it. AMD's processors have zones of the same names.
#include <fcntl.h>

#include <algorithm>
#include <array>

#include "../fd.hpp"
#include "../kernel_text.hpp"
#include "base/errno_status.hpp"
#include "os/system_root.hpp"
#include "trestle/os/readings.hpp"

namespace trestle::os {

namespace {

constexpr const char* powercap_folder = "/sys/class/powercap";

/// A number in a file. The error says why it could not be read.
StatusOr<std::uint64_t> read_number(const std::string& path) {
    const detail::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return errno_status(errno, path);
    std::array<char, 64> text{};
    const auto size = detail::retried([&] { return ::read(fd.get(), text.data(), text.size()); });
    if (size < 0) return errno_status(errno, path);
    const std::string_view content(text.data(), static_cast<std::size_t>(size));
    const auto number = detail::whole_number(content);
    if (number && *number <= static_cast<std::uint64_t>(Microjoules::max().value())) return *number;
    return failed_precondition("{}: expected a number of microjoules, found {}", path,
                               trestle::detail::quoted(content));
}

std::string first_word(const std::string& text) {
    const auto words = detail::words_of(text);
    return words.empty() ? std::string() : words.front();
}

/// What the zone's counter is called; empty when it is not to be counted.
std::string counter_name(const detail::SystemRoot& root, const std::string& zone) {
    const auto name_of = [&](const std::string& of) {
        return first_word(root.read(std::string(powercap_folder) + "/" + of + "/name"));
    };
    const auto colons = std::count(zone.begin(), zone.end(), ':');
    if (!zone.starts_with("intel-rapl:") || colons > 2) return {};
    const std::string package = name_of(colons == 1 ? zone : zone.substr(0, zone.rfind(':')));
    if (!package.starts_with("package-")) return {};
    if (colons == 1) return package;
    return name_of(zone) == "dram" ? package + "/dram" : std::string();
}

}  // namespace

StatusOr<std::vector<EnergyCounter>> read_energy(const ReadingOptions& options) {
    const detail::SystemRoot root(options.fs_root);
    std::vector<EnergyCounter> counters;
    for (const std::string& zone : root.names_in(powercap_folder)) {
        const std::string name = counter_name(root, zone);
        if (name.empty()) continue;
        const std::string folder = options.fs_root + powercap_folder + "/" + zone;
        TRESTLE_TRY(const std::uint64_t energy, read_number(folder + "/energy_uj"));
        TRESTLE_TRY(const std::uint64_t range, read_number(folder + "/max_energy_range_uj"));
        counters.push_back({name, Microjoules(static_cast<std::int64_t>(energy)),
                            Microjoules(static_cast<std::int64_t>(range))});
    }
    if (!counters.empty()) return counters;
    return not_found("{}{}: no processor package with a counter of energy", options.fs_root,
                     powercap_folder);
}

}  // namespace trestle::os
