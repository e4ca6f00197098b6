// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <utility>

namespace trestle::os::detail {

void Library::Close::operator()(void* handle) const { (void)::dlclose(handle); }

void* Library::address_of(const char* symbol) const { return ::dlsym(handle_.get(), symbol); }

StatusOr<Library> Library::open(const std::string& folder,
                                std::initializer_list<const char*> names) {
    std::string reason;
    for (const char* name : names) {
        const std::string path = folder.empty() ? name : folder + "/" + name;
        if (void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return Library(handle, path);
        }
        if (const char* said = ::dlerror()) reason = said;
    }
    return not_found("no such library: {}", reason);
}

}  // namespace trestle::os::detail
