// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/release.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "known_releases.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {

StatusOr<Release> parse_release(std::string_view text) {
    for (const Release release : {Release::v22_05, Release::v24_11, Release::v26_05}) {
        const std::string version = version_of(release);
        const std::string_view rest = text.substr(std::min(version.size(), text.size()));
        if (text.starts_with(version) && (rest.empty() || rest.front() == '.')) return release;
    }
    return invalid_argument("release \"{}\": expected 22.05, 24.11 or 26.05", text);
}

Release nearest_release(std::string_view version) {
    const std::string family(version.substr(0, version_of(default_release).size()));
    Release nearest = Release::v22_05;
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        if (version_of(release) <= family) nearest = release;
    }
    return nearest;
}

std::string version_of(Release release) {
    std::string version(trestle::to_text(release).substr(1));  // v24_11
    version[version.find('_')] = '.';
    return version;
}

bool includes(const KnownReleases& releases, Release release) {
    const std::string version = version_of(release);
    return version >= releases.since && (releases.until.empty() || version <= releases.until);
}

std::string to_text(const KnownReleases& releases) {
    std::string text;
    if (!releases.since.empty()) text = fmt::format("since {}", releases.since);
    if (releases.until.empty()) return text;
    return fmt::format("{}{}dropped after {}", text, text.empty() ? "" : ", ", releases.until);
}

}  // namespace trestle::slurm
