// SPDX-License-Identifier: Apache-2.0
#include "topology.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "base/errno_status.hpp"

namespace trestle::os::detail {

namespace {

/// An environment variable that has another value until the end of the scope.
class ScopedVariable {
  public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name_, value.c_str(), 1);
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;
    ~ScopedVariable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }

  private:
    const char* name_;
    std::optional<std::string> before_;
};

StatusOr<Topology> new_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return errno_status(errno, "hwloc_topology_init");
    Topology topology(raw);
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
    // "important" leaves out what has no hardware behind it, such as `lo` and loop devices.
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    // Classes of PCI that it does not count as such may be accelerators: read_devices chooses.
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
    return topology;
}

/// Forbids parts of hwloc; those that this hwloc was built without need no forbidding.
void leave_out(hwloc_topology_t topology, std::initializer_list<const char*> components) {
    for (const char* component : components) {
        (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                            component);
    }
}

StatusOr<std::string> read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                               &std::fclose);
    if (!file) return errno_status(errno, "cannot read " + path);
    std::string text;
    std::array<char, 65536> part;
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), file.get())) {
        text.append(part.data(), size);
    }
    if (std::ferror(file.get()) != 0) return errno_status(errno, "cannot read " + path);
    return text;
}

/// The version that the root element states; empty when it states none, as format 1 did.
std::string_view xml_version(std::string_view xml) {
    const std::size_t root = xml.find("<topology");
    if (root == std::string_view::npos) return {};
    TextCursor cursor(xml.substr(root, xml.find('>', root) - root));
    cursor.take_until("\"'");
    if (cursor.at_end()) return {};
    const char quote[] = {cursor.peek(), '\0'};
    cursor.accept(quote);
    return cursor.take_until(quote);
}

StatusOr<Topology> load_xml(const std::string& path) {
    TRESTLE_TRY(const std::string xml, read_file(path));
    const std::string_view version = xml_version(xml);
    if (!version.empty() && !version.starts_with("1.") && !version.starts_with("2.")) {
        return invalid_argument(
            "{}: hwloc XML of version {}, expected 1.x or 2.x; hwloc 3 writes that with "
            "`lstopo --export-xml-flags v2 machine.xml`",
            path, version);
    }
    if (xml.size() >= std::numeric_limits<int>::max()) {
        return invalid_argument("{}: {} bytes, expected less than 2 GiB", path, xml.size());
    }
    TRESTLE_TRY(Topology topology, new_topology());
    const int size = static_cast<int>(xml.size()) + 1;  // hwloc counts the final '\0'
    if (hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), size) != 0 ||
        hwloc_topology_load(topology.get()) != 0) {
        return invalid_argument("{}: not an hwloc topology, expected XML of version 1.x or 2.x",
                                path);
    }
    return topology;
}

StatusOr<Topology> load_tree(const std::string& root) {
    const std::string cpus = root + "/sys/devices/system";  // without it hwloc writes to stderr
    struct stat about {};
    if (::stat(root.c_str(), &about) != 0) return errno_status(errno, "cannot read " + root);
    if (::stat(cpus.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
        return invalid_argument("{}: expected the /sys and /proc of a machine below it", root);
    }
    const ScopedVariable fs_root("HWLOC_FSROOT", root);
    const ScopedVariable hide_errors("HWLOC_HIDE_ERRORS", "2");
    TRESTLE_TRY(Topology topology, new_topology());
    // Sources that could answer in place of this machine.
    leave_out(topology.get(),
              {"x86", "no_os", "pci", "cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"});
    if (hwloc_topology_load(topology.get()) != 0 ||
        hwloc_topology_is_thissystem(topology.get()) != 0) {
        return invalid_argument("{}: hwloc finds no machine below it", root);
    }
    return topology;
}

StatusOr<Topology> load_this_machine() {
    TRESTLE_TRY(Topology topology, new_topology());
    // These start threads and open contexts; NVML and RSMI tell the same without.
    leave_out(topology.get(), {"cuda", "levelzero", "opencl", "gl"});
    if (hwloc_topology_load(topology.get()) != 0) {
        return errno_status(errno, "hwloc cannot read this machine");
    }
    return topology;
}

}  // namespace

StatusOr<Topology> load_topology(const DiscoverOptions& options) {
    if (!options.xml_file.empty() && !options.fs_root.empty()) {
        return invalid_argument("{} and {}: expected one machine", options.xml_file,
                                options.fs_root);
    }
    if (!options.xml_file.empty()) return load_xml(options.xml_file);
    if (!options.fs_root.empty()) return load_tree(options.fs_root);
    return load_this_machine();
}

std::string_view text_of(const char* text_or_null) {
    return text_or_null == nullptr ? std::string_view() : std::string_view(text_or_null);
}

std::string_view info_of(hwloc_obj_t object, const char* name) {
    return text_of(hwloc_obj_get_info_by_name(object, name));
}

std::string_view marketing_name(std::string_view model) {
    const std::size_t open = model.rfind('[');
    if (open == std::string_view::npos) return model;
    return model.substr(open + 1, model.find(']', open) - open - 1);
}

PuSet pus_of(hwloc_const_bitmap_t bitmap) {
    PuSet set;
    constexpr int limit = PuSet::index_limit;
    for (int i = hwloc_bitmap_first(bitmap); i >= 0 && i < limit;
         i = hwloc_bitmap_next(bitmap, i)) {
        set.insert(OsIndex(static_cast<std::uint32_t>(i)));
    }
    return set;
}

}  // namespace trestle::os::detail
