// SPDX-License-Identifier: Apache-2.0
#pragma once

// A delegated transient systemd scope, for programs that are not themselves a unit with
// Delegate=yes.
//
// Layer: os. Main types: SystemdScope, ScopeOptions. One scope, an island below it. systemd is
// asked over D-Bus for one transient scope with Delegate=yes. All groups are made below
// `directory()`, and systemd is asked for nothing else. The library libsystemd is loaded at run
// time; without it, or without a bus, the result is an error. A unit with Delegate=yes needs none
// of this: CgroupEnforcer works in its group.
// Pitfall: the scope's own limits are systemd's, which sets them again at every `systemctl
// daemon-reload`. What is below is ours, and a reload leaves it alone.

#include <array>
#include <memory>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle::os {

/// Which systemd is asked.
enum class ServiceManager {
    system,  ///< of the machine; takes root, or a rule of polkit's
    user,    ///< of the user; it hands down what it was given, cpuset and io seldom
};

constexpr auto enum_names(ServiceManager) {
    return std::array{named(ServiceManager::system, "system"), named(ServiceManager::user, "user")};
}

/// The scope that is asked for.
struct ScopeOptions {
    std::string unit;         ///< `trestle.scope`; names the scope, also after a restart
    std::string description;  ///< shown by systemctl; empty: the unit's name
    std::string slice;        ///< `batch.slice`; empty: systemd's choice
    ServiceManager manager = ServiceManager::system;
    Seconds patience{30};        ///< how long each call goes on; max(): for ever
    std::string library_folder;  ///< where libsystemd.so.0 is; empty: where the linker looks

    static constexpr auto fields(auto list) {
        return list(field("unit", &ScopeOptions::unit),
                    field("description", &ScopeOptions::description),
                    field("slice", &ScopeOptions::slice), field("manager", &ScopeOptions::manager),
                    field("patience", &ScopeOptions::patience),
                    field("library_folder", &ScopeOptions::library_folder));
    }
    friend bool operator==(const ScopeOptions&, const ScopeOptions&) = default;
};

/// A delegated scope, held open by a process of its own that does nothing. That process ends with
/// this object, also when the program is killed. The scope then stays as long as a job is in it,
/// so that the end of a scheduler ends no job.
/// Errors of all calls: FailedPrecondition without libsystemd, without the bus, and where systemd
/// refuses; PermissionDenied; DeadlineExceeded. The message has the name of the D-Bus error.
class SystemdScope {
  public:
    /// Makes the scope. One of this name that has failed is forgotten first.
    /// Errors: InvalidArgument for what is no name of a scope or slice; AlreadyExists when there is
    /// such a scope with processes in it: see adopt.
    [[nodiscard]] static StatusOr<SystemdScope> start(const ScopeOptions& options);
    /// Takes over the scope that an earlier start() made, with the groups in it.
    /// Errors: NotFound.
    [[nodiscard]] static StatusOr<SystemdScope> adopt(const ScopeOptions& options);

    SystemdScope(SystemdScope&&) noexcept;
    SystemdScope& operator=(SystemdScope&&) noexcept;
    ~SystemdScope();

    /// For CgroupEnforcer::open. It is `jobs` below the scope's own group, in which all controllers
    /// of the scope may be handed down. Those that the kernel refuses are an exception.
    [[nodiscard]] const std::string& directory() const;
    [[nodiscard]] const std::string& unit() const;

    /// Kills all processes inside, and returns when systemd has removed the scope. Ok when it is
    /// gone already.
    [[nodiscard]] Status stop();
    /// Abandons the scope: systemd removes it with its last job.
    [[nodiscard]] Status abandon();

  private:
    class State;
    explicit SystemdScope(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace trestle::os
