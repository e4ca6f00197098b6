// SPDX-License-Identifier: Apache-2.0
#include "scratch_marks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <optional>
#include <utility>

#include "../directory_entries.hpp"
#include "../kernel_text.hpp"
#include "base/errno_status.hpp"
#include "os/directory.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* marks_folder = ".trestle";  // no group has a name that begins with a point
constexpr int marks_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string mark_path(const std::string& name) { return std::string(marks_folder) + "/" + name; }

/// Absent where there is none of this name, or it is no link.
StatusOr<std::optional<std::string>> text_of_link(Kernel& kernel, int at, const std::string& path) {
    std::array<char, PATH_MAX> text;
    const auto size = kernel.readlinkat(at, path.c_str(), text.data(), text.size());
    if (size >= 0) return std::optional(std::string(text.data(), static_cast<std::size_t>(size)));
    if (errno == ENOENT || errno == EINVAL) return std::optional<std::string>();
    return errno_status(errno, path);
}

/// That of the marks, which the kernel refuses while there are any.
void remove_folder(Kernel& kernel, const Fd& root) {
    (void)kernel.unlinkat(root.get(), marks_folder, AT_REMOVEDIR);
}

/// One word, so that the parts of a mark can be separated.
std::string word_or_dash(const std::string& text) {
    const auto words = words_of(text);
    return words.empty() ? "-" : words.front();
}

}  // namespace

StatusOr<ScratchOwner> ScratchOwner::at(Kernel& kernel, std::string place) {
    const char* const boot_file = "/proc/sys/kernel/random/boot_id";
    auto boot = read_file_at(kernel, AT_FDCWD, boot_file, boot_file);
    if (boot.status().code() == StatusCode::kNotFound) boot = "";
    TRESTLE_TRY_STATUS(boot.status());
    TRESTLE_TRY(const auto name_space, text_of_link(kernel, AT_FDCWD, "/proc/self/ns/cgroup"));
    utsname about{};
    const bool has_host = ::uname(&about) == 0;
    return ScratchOwner{word_or_dash(*boot), word_or_dash(name_space.value_or("")),
                        word_or_dash(has_host ? static_cast<const char*>(about.nodename) : ""),
                        std::move(place)};
}

StatusOr<ScratchOwner> ScratchOwner::of(Kernel& kernel, int directory_fd,
                                        const std::string& shown) {
    const std::string link = fmt::format("/proc/self/fd/{}", directory_fd);
    TRESTLE_TRY(auto path, text_of_link(kernel, AT_FDCWD, link));
    return at(kernel, std::move(path).value_or(shown));
}

ScratchOwner ScratchOwner::nobody_after(std::string place) {
    return {"-", "-", "-", std::move(place)};
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

StatusOr<bool> check_mark(Kernel& kernel, const Fd& root, const std::string& name,
                          const ScratchOwner& owner) {
    TRESTLE_TRY(const auto mark, text_of_link(kernel, root.get(), mark_path(name)));
    if (!mark && errno == ENOENT) return false;
    if (mark && owner.has_made(*mark)) return true;
    return make_error(StatusCode::kAlreadyExists, "it belongs to another owner: {}",
                      mark.value_or("a mark that is no link"));
}

StatusOr<bool> set_mark(Kernel& kernel, const Fd& root, const std::string& name,
                        const ScratchOwner& owner) {
    const std::string path = mark_path(name);
    // Others may take the folder away with their last mark, but not each time.
    constexpr int tries_max = 100;
    int last = EEXIST;
    for (int tries = 0; tries < tries_max; ++tries) {
        const int refused = kernel.mkdirat(root.get(), marks_folder, 0700) == 0 ? 0 : errno;
        if (refused != 0 && refused != EEXIST) return errno_status(refused, marks_folder);
        if (kernel.symlinkat(owner.mark().c_str(), root.get(), path.c_str()) == 0) return true;
        if (errno == ENOENT) {
            last = refused != 0 ? refused : ENOENT;
            continue;
        }
        if (errno != EEXIST) {
            const Status status = errno_status(errno, path);
            remove_folder(kernel, root);
            return status;
        }
        TRESTLE_TRY(const bool is_there, check_mark(kernel, root, name, owner));
        if (is_there) return false;
    }
    return errno_status(last, marks_folder);  // such as a link that leads nowhere
}

Status remove_mark(Kernel& kernel, const Fd& root, const std::string& name) {
    const std::string path = mark_path(name);
    if (kernel.unlinkat(root.get(), path.c_str(), 0) != 0 && errno != ENOENT) {
        return errno_status(errno, path);
    }
    remove_folder(kernel, root);
    return {};
}

StatusOr<std::vector<std::string>> own_marks(Kernel& kernel, const Fd& root,
                                             const ScratchOwner& owner) {
    std::vector<std::string> names;
    const Fd folder(kernel.openat(root.get(), marks_folder, marks_flags));
    if (!folder && errno == ENOENT) return names;
    if (!folder) return errno_status(errno, marks_folder);
    TRESTLE_TRY(auto entries, directory_entries(kernel, folder.get(), marks_folder));
    for (DirectoryEntry& entry : entries) {
        TRESTLE_TRY(const auto mark, text_of_link(kernel, folder.get(), entry.name));
        if (mark && owner.has_made(*mark)) names.push_back(std::move(entry.name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace trestle::os::detail
