// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/release.hpp"

#include <algorithm>
#include <string>

namespace trestle::slurm {

StatusOr<Release> parse_release(std::string_view text) {
    for (const auto& [release, name] : enum_names(Release())) {
        std::string version(name.substr(1));  // v24_11
        version[version.find('_')] = '.';
        const std::string_view rest = text.substr(std::min(version.size(), text.size()));
        if (text.starts_with(version) && (rest.empty() || rest.front() == '.')) return release;
    }
    return invalid_argument("release \"{}\": expected 22.05, 24.11 or 26.05", text);
}

}  // namespace trestle::slurm
