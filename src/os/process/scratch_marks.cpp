// SPDX-License-Identifier: Apache-2.0
#include "scratch_marks.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "../cgroup/group/directory.hpp"
#include "../kernel_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* marks_folder = ".trestle";  // no group has a name that begins with a point
constexpr int marks_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string mark_path(const std::string& name) { return std::string(marks_folder) + "/" + name; }

/// Absent where there is none of this name, or it is no link.
std::optional<std::string> text_of_link(int at, const std::string& path) {
    std::array<char, PATH_MAX> text;
    const auto size = ::readlinkat(at, path.c_str(), text.data(), text.size());
    if (size < 0) return std::nullopt;
    return std::string(text.data(), static_cast<std::size_t>(size));
}

/// One word, so that the parts of a mark can be told apart.
std::string word_or_dash(const std::string& text) {
    const auto words = words_of(text);
    return words.empty() ? "-" : words.front();
}

}  // namespace

ScratchOwner ScratchOwner::at(std::string place) {
    const char* const boot_file = "/proc/sys/kernel/random/boot_id";
    const auto boot = read_file_at(real_kernel(), AT_FDCWD, boot_file, boot_file);
    const auto name_space = text_of_link(AT_FDCWD, "/proc/self/ns/cgroup");
    utsname about{};
    const bool has_host = ::uname(&about) == 0;
    return {word_or_dash(boot.ok() ? *boot : ""), word_or_dash(name_space.value_or("")),
            word_or_dash(has_host ? static_cast<const char*>(about.nodename) : ""),
            std::move(place)};
}

ScratchOwner ScratchOwner::of(int directory_fd, const std::string& shown) {
    return at(
        text_of_link(AT_FDCWD, fmt::format("/proc/self/fd/{}", directory_fd)).value_or(shown));
}

std::string ScratchOwner::mark() const {
    return boot + " " + name_space + " " + host + " " + place;
}

bool ScratchOwner::has_made(std::string_view mark) const {
    TextCursor cursor(mark);
    const auto part = [&] {
        const std::string_view taken = cursor.take_until(" ");
        cursor.accept(' ');
        return taken;
    };
    const bool is_this_boot = part() == boot;
    const bool is_this_space = part() == name_space;
    const bool is_this_host = part() == host;
    return cursor.rest() == place && (is_this_boot ? is_this_space : is_this_host);
}

StatusOr<bool> set_mark(const Fd& root, const std::string& name, const ScratchOwner& owner) {
    const std::string path = mark_path(name);
    for (;;) {
        if (::mkdirat(root.get(), marks_folder, 0700) != 0 && errno != EEXIST) {
            return errno_status(errno, marks_folder);
        }
        if (::symlinkat(owner.mark().c_str(), root.get(), path.c_str()) == 0) return true;
        if (errno == ENOENT) continue;  // the folder was removed with the mark of somebody else
        if (errno != EEXIST) return errno_status(errno, path);
        const auto other = text_of_link(root.get(), path);
        if (!other && errno == ENOENT) continue;
        if (other && owner.has_made(*other)) return false;
        return make_error(StatusCode::kAlreadyExists, "it is somebody else's: {}",
                          other.value_or("a mark that is no link"));
    }
}

Status remove_mark(const Fd& root, const std::string& name) {
    const std::string path = mark_path(name);
    if (::unlinkat(root.get(), path.c_str(), 0) != 0 && errno != ENOENT) {
        return errno_status(errno, path);
    }
    (void)::unlinkat(root.get(), marks_folder, AT_REMOVEDIR);  // refused while there are others
    return {};
}

StatusOr<std::vector<std::string>> own_marks(const Fd& root, const ScratchOwner& owner) {
    std::vector<std::string> names;
    Fd fd(::openat(root.get(), marks_folder, marks_flags));
    if (!fd && errno == ENOENT) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fd ? ::fdopendir(fd.get()) : nullptr,
                                                     &::closedir);
    if (!stream) return errno_status(errno, marks_folder);
    const int folder = fd.release();
    while (const dirent* entry = ::readdir(stream.get())) {
        std::string name = entry->d_name;
        const auto mark = text_of_link(folder, name);
        if (mark && owner.has_made(*mark)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace trestle::os::detail
