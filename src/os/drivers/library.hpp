// SPDX-License-Identifier: Apache-2.0
#pragma once

// A vendor's library, loaded while the program runs.
//
// Layer: os, private. Main type: Library.
// Pitfall: the code of a library is never unmapped. NVML and Level Zero leave threads and exit
// handlers behind, which would jump into nothing; so the handle is closed and the code stays
// (RTLD_NODELETE).

#include <bit>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

#include "trestle/base/status.hpp"

namespace trestle::os::detail {

class Library {
  public:
    /// The first of `names` that can be loaded: from `folder`, or, when that is empty, from where
    /// the dynamic linker looks. Errors: NotFound with what the linker says of the last one.
    [[nodiscard]] static StatusOr<Library> open(const std::string& folder,
                                                std::initializer_list<const char*> names);

    /// The name that it was loaded by.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The function called `symbol`, or null. Requires: Function is its type.
    template <class Function>
    [[nodiscard]] Function* find(const char* symbol) const {
        static_assert(std::is_function_v<Function>);
        return std::bit_cast<Function*>(address_of(symbol));
    }

  private:
    struct Close {
        void operator()(void* handle) const;
    };

    Library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
    [[nodiscard]] void* address_of(const char* symbol) const;

    std::unique_ptr<void, Close> handle_;
    std::string name_;
};

/// Takes functions out of a library; remembers the first one that has to be there and is not.
class Functions {
  public:
    explicit Functions(const Library& library) : library_(library) {}

    template <class Function>
    void require(const char* symbol, Function*& function) {
        function = library_.find<Function>(symbol);
        if (function == nullptr && missing_ == nullptr) missing_ = symbol;
    }
    template <class Function>
    void accept(const char* symbol, Function*& function) {
        if (function == nullptr) function = library_.find<Function>(symbol);
    }
    /// Errors: NotFound that names the function which is missing.
    [[nodiscard]] Status status() const {
        if (missing_ == nullptr) return {};
        return not_found("{} has no function {}", library_.name(), missing_);
    }

  private:
    const Library& library_;
    const char* missing_ = nullptr;
};

/// The functions of a library that `take(functions, api)` takes. Errors: NotFound that names the
/// required function which is missing.
template <class Api, class Take>
[[nodiscard]] StatusOr<Api> functions_of(const Library& library, const Take& take) {
    Api api;
    Functions functions(library);
    take(functions, api);
    TRESTLE_TRY_STATUS(functions.status());
    return api;
}

/// Calls an optional function. False when it is missing or its result is not 0, which is success
/// for all vendors.
template <class... Parameters, class... Arguments>
[[nodiscard]] bool told(int (*function)(Parameters...), Arguments... arguments) {
    return function != nullptr && function(arguments...) == 0;
}

}  // namespace trestle::os::detail
