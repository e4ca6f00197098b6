// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is asked of systemd over D-Bus, by libsystemd as it is found at run time.
//
// Layer: os, private. Main type: ManagerBus.
// Pitfall: a connection belongs to one thread and does not survive a fork, so that each call of
// SystemdScope opens its own.

#include <sys/types.h>

#include <memory>
#include <string>

#include "../drivers/library.hpp"
#include "trestle/os/systemd_scope.hpp"

namespace trestle::os::detail {

/// Of libsystemd; only pointers to them are known here.
struct SdBus;
struct SdMessage;

/// sd_bus_error of sd-bus.h.
struct SdError {
    const char* name = nullptr;
    const char* message = nullptr;
    int needs_free = 0;
};

/// The functions of sd-bus.h, without their sd_bus_.
struct SdApi {
    int (*open_system)(SdBus**) = nullptr;
    int (*open_user)(SdBus**) = nullptr;
    SdBus* (*flush_close_unref)(SdBus*) = nullptr;
    int (*new_method_call)(SdBus*, SdMessage**, const char*, const char*, const char*,
                           const char*) = nullptr;
    int (*append)(SdMessage*, const char*, ...) = nullptr;
    int (*open_container)(SdMessage*, char, const char*) = nullptr;
    int (*close_container)(SdMessage*) = nullptr;
    int (*call)(SdBus*, SdMessage*, std::uint64_t, SdError*, SdMessage**) = nullptr;
    int (*read)(SdMessage*, const char*, ...) = nullptr;
    SdMessage* (*message_unref)(SdMessage*) = nullptr;
    void (*error_free)(SdError*) = nullptr;
};

/// Errors of all calls: see SystemdScope. AlreadyExists and NotFound are about the unit.
class ManagerBus {
  public:
    [[nodiscard]] static StatusOr<ManagerBus> open(const ScopeOptions& options);

    /// Asks for the scope with this process in it; it may not be there yet.
    [[nodiscard]] Status start_scope(pid_t pid) const;
    [[nodiscard]] Status reset_failed() const;
    [[nodiscard]] Status stop() const;
    [[nodiscard]] Status abandon() const;
    /// Of the unit: its group, as in /proc/PID/cgroup.
    [[nodiscard]] StatusOr<std::string> control_group() const;
    /// `active`, `failed`, ...
    [[nodiscard]] StatusOr<std::string> active_state() const;

  private:
    struct Close {
        SdBus* (*close)(SdBus*);
        void operator()(SdBus* bus) const { close(bus); }
    };
    struct Release {
        SdMessage* (*unref)(SdMessage*);
        void operator()(SdMessage* message) const { unref(message); }
    };
    using Message = std::unique_ptr<SdMessage, Release>;
    /// An object, an interface of it and what is called there.
    struct Method {
        std::string object;
        const char* interface;
        const char* name;
    };

    ManagerBus(ScopeOptions options, Library library, SdApi api, SdBus* bus)
        : options_(std::move(options)),
          library_(std::move(library)),
          api_(api),
          bus_(bus, {api.flush_close_unref}) {}

    [[nodiscard]] StatusOr<Message> message_to(const Method& method) const;
    [[nodiscard]] StatusOr<Message> called(const Method& method, const Message& message) const;
    [[nodiscard]] Status call_with_unit(const char* name, const char* mode) const;
    [[nodiscard]] StatusOr<std::string> object_of_unit() const;
    [[nodiscard]] StatusOr<std::string> property(const char* interface, const char* name) const;

    ScopeOptions options_;
    Library library_;
    SdApi api_;
    std::unique_ptr<SdBus, Close> bus_;
};

}  // namespace trestle::os::detail
