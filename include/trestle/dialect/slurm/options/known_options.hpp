// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options a reader takes: those of Slurm, by release, and those that plug-ins of a site add.
//
// Layer: dialect/slurm. Main types: KnownOptions, PluginOption. Plug-ins (SPANK) add options to
// sbatch, srun and salloc: `--container-image=IMAGE` of pyxis. Nothing in a script says which
// plug-ins there are, so the caller does; an option that nothing declares is an error.
// Pitfall: what an option of a plug-in means is the plug-in's. It is passed through, and no request
// and no decision looks at it.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// Whether an option has a value. An optional one stands behind `=` only.
enum class OptionValue { none, required, optional };

constexpr auto enum_names(OptionValue) {
    using enum OptionValue;
    return std::array{named(none, "none"), named(required, "required"),
                      named(optional, "optional")};
}

/// An option of a plug-in. One that is named as an option of Slurm's is not looked at, as Slurm
/// does not look at it either.
struct PluginOption {
    std::string name;  ///< long, without dashes: `container-image`
    OptionValue value = OptionValue::required;

    static constexpr auto fields(auto list) {
        return list(field("name", &PluginOption::name), field("value", &PluginOption::value));
    }
    friend bool operator==(const PluginOption&, const PluginOption&) = default;
};
/// As `sbatch --help` shows it: `--container-image=IMAGE` has a value, `--container-env[=NAMES]`
/// may have one, `--no-container-entrypoint` has none. The dashes may be left out, and so may what
/// stands behind `=`. Errors: InvalidArgument for a name that is empty or has a blank.
[[nodiscard]] StatusOr<PluginOption> parse_plugin_option(std::string_view text);

/// What a reader of options takes beside the options of all releases from 2.6 to 26.05.
struct KnownOptions {
    std::vector<PluginOption> plugins;
    /// Options that this release lacks are warned of; absent: those of all releases are taken.
    std::optional<Release> release;

    static constexpr auto fields(auto list) {
        return list(field("plugins", &KnownOptions::plugins),
                    field("release", &KnownOptions::release));
    }
    friend bool operator==(const KnownOptions&, const KnownOptions&) = default;
};

}  // namespace trestle::slurm
