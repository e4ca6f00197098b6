// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/release.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "known_releases.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {

namespace {

/// 24 and 11 of `24.11.5`, `slurm 24.11.5` or `v24.11`.
std::optional<std::pair<int, int>> family_of(std::string_view version) {
    const std::size_t first = version.find_first_of("0123456789");
    if (first == std::string_view::npos) return std::nullopt;
    version.remove_prefix(first);
    std::pair<int, int> family;
    const char* const end = version.data() + version.size();
    const auto year = std::from_chars(version.data(), end, family.first);
    const bool has_month = year.ec == std::errc() && year.ptr != end && *year.ptr == '.';
    if (!has_month || std::from_chars(year.ptr + 1, end, family.second).ec != std::errc()) {
        return std::nullopt;
    }
    return family;
}

}  // namespace

StatusOr<Release> parse_release(std::string_view text) {
    for (const Release release : {Release::v22_05, Release::v24_11, Release::v26_05}) {
        const std::string version = version_of(release);
        const std::string_view rest = text.substr(std::min(version.size(), text.size()));
        if (text.starts_with(version) && (rest.empty() || rest.front() == '.')) return release;
    }
    return invalid_argument("release \"{}\": expected 22.05, 24.11 or 26.05", text);
}

Release nearest_release(std::string_view version) {
    const auto family = family_of(version);
    if (!family) return default_release;
    Release nearest = Release::v22_05;
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        if (*family_of(version_of(release)) <= *family) nearest = release;
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
    if (!releases.since.empty()) {
        text = fmt::format("{} {}", releases.is_first ? "since" : "known in", releases.since);
    }
    if (releases.until.empty()) return text;
    return fmt::format("{}{}dropped after {}", text, text.empty() ? "" : ", ", releases.until);
}

}  // namespace trestle::slurm
