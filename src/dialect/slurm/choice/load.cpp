// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/load.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errno_status.hpp"

namespace trestle::slurm {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

}  // namespace

StatusOr<std::optional<std::string>> read_file(const std::filesystem::path& path) {
    constexpr std::size_t size_max = std::size_t{64} << 20;
    std::error_code error;
    // A link that leads nowhere is there and cannot be read.
    const bool is_absent =
        symlink_status(path, error).type() == std::filesystem::file_type::not_found;
    if (is_absent) return std::optional<std::string>();
    const std::string name = path.string();
    if (is_directory(path, error)) return invalid_argument("{}: a folder, expected a file", name);
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(name.c_str(), "rb"));
    if (file == nullptr) return errno_status(errno, name);
    std::string text;
    std::array<char, 65536> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
        if (text.size() + size > size_max) {
            return invalid_argument("{}: more than {} bytes", name, size_max);
        }
        text.append(piece.data(), size);
    }
    if (std::ferror(file.get()) != 0) return errno_status(errno, name);
    return std::optional(std::move(text));
}

StatusOr<ClusterReading> load_cluster(const std::filesystem::path& folder, MendedMistakes mended,
                                      std::optional<Release> release) {
    TRESTLE_TRY(const std::optional<std::string> conf, read_file(folder / "slurm.conf"));
    if (!conf) return not_found("{}: no slurm.conf", folder.string());
    Status unread;  // of the first included file that cannot be read
    const ConfFiles files = [&](std::string_view name) -> std::optional<std::string> {
        auto text = read_file(folder / name);
        if (text.ok()) return *std::move(text);
        if (unread.ok()) unread = text.status();
        return std::nullopt;
    };
    const auto text_of = [](const std::optional<std::string>& text) {
        return text ? std::string_view(*text) : std::string_view();
    };
    TRESTLE_TRY(const std::optional<std::string> gres, read_file(folder / "gres.conf"));
    TRESTLE_TRY(const std::optional<std::string> topology, read_file(folder / "topology.conf"));
    TRESTLE_TRY(const std::optional<std::string> yaml, read_file(folder / "topology.yaml"));
    TRESTLE_TRY(const std::optional<std::string> resources, read_file(folder / "resources.yaml"));
    ClusterReading reading = read_cluster({*conf, text_of(gres), text_of(topology), text_of(yaml),
                                           &files, mended, text_of(resources), release});
    if (!unread.ok()) return unread;
    return reading;
}

StatusOr<Controller> load_controller(const std::filesystem::path& folder, Release release,
                                     TypedCounts typed, MendedMistakes mended) {
    TRESTLE_TRY(ClusterReading reading, load_cluster(folder, mended, release));
    return Controller::of(std::move(reading), release, typed);
}

}  // namespace trestle::slurm
