// SPDX-License-Identifier: Apache-2.0
// org.freedesktop.systemd1(5): Manager.StartTransientUnit and its like, Unit, Scope.
#include "manager_bus.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/errno_status.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* systemd_name = "org.freedesktop.systemd1";
constexpr const char* manager_object = "/org/freedesktop/systemd1";
constexpr const char* manager_interface = "org.freedesktop.systemd1.Manager";
constexpr const char* unit_interface = "org.freedesktop.systemd1.Unit";
constexpr const char* scope_interface = "org.freedesktop.systemd1.Scope";

void take_sd_functions(Functions& functions, SdApi& api) {
    functions.require("sd_bus_open_system", api.open_system);
    functions.require("sd_bus_open_user", api.open_user);
    functions.require("sd_bus_flush_close_unref", api.flush_close_unref);
    functions.require("sd_bus_message_new_method_call", api.new_method_call);
    functions.require("sd_bus_message_append", api.append);
    functions.require("sd_bus_message_open_container", api.open_container);
    functions.require("sd_bus_message_close_container", api.close_container);
    functions.require("sd_bus_call", api.call);
    functions.require("sd_bus_message_read", api.read);
    functions.require("sd_bus_message_unref", api.message_unref);
    functions.require("sd_bus_error_free", api.error_free);
}

/// What the D-Bus error of this name means for a caller.
StatusCode code_of(std::string_view name, int error_number) {
    if (name == "org.freedesktop.systemd1.UnitExists") return StatusCode::kAlreadyExists;
    if (name == "org.freedesktop.systemd1.NoSuchUnit") return StatusCode::kNotFound;
    if (name == "org.freedesktop.DBus.Error.AccessDenied" ||
        name == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired" ||
        error_number == EACCES || error_number == EPERM) {
        return StatusCode::kPermissionDenied;
    }
    if (name == "org.freedesktop.DBus.Error.NoReply" ||
        name == "org.freedesktop.DBus.Error.Timeout" || error_number == ETIMEDOUT) {
        return StatusCode::kDeadlineExceeded;
    }
    return StatusCode::kFailedPrecondition;
}

Status not_sent(const std::string& what, int result) {
    return failed_precondition("{}: {}", what, message(errno_status(-result, "cannot be sent")));
}

}  // namespace

StatusOr<ManagerBus> ManagerBus::open(const ScopeOptions& options) {
    auto library = Library::open(options.library_folder, {"libsystemd.so.0"});
    const auto api =
        library.ok() ? functions_of<SdApi>(*library, take_sd_functions) : library.status();
    if (!api.ok()) return failed_precondition("{}: {}", options.unit, message(api.status()));
    const bool is_user = options.manager == ServiceManager::user;
    SdBus* bus = nullptr;
    const int result = is_user ? api->open_user(&bus) : api->open_system(&bus);
    if (result < 0) {
        return failed_precondition("{}: no {} bus: {}", options.unit, to_text(options.manager),
                                   message(errno_status(-result, "cannot connect")));
    }
    return ManagerBus(options, *std::move(library), *api, bus);
}

StatusOr<ManagerBus::Message> ManagerBus::message_to(const Method& method) const {
    SdMessage* made = nullptr;
    const int result = api_.new_method_call(bus_.get(), &made, systemd_name, method.object.c_str(),
                                            method.interface, method.name);
    if (result < 0) return not_sent(options_.unit, result);
    return Message(made, {api_.message_unref});
}

StatusOr<ManagerBus::Message> ManagerBus::called(const Method& method,
                                                 const Message& message) const {
    SdError error;
    SdMessage* reply = nullptr;
    // The largest number is without an end, 0 the default of the library.
    constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();
    const auto patience = checked_mul(options_.patience, 1'000'000);
    const auto patience_us =
        patience ? std::max<std::uint64_t>(static_cast<std::uint64_t>(patience->value()), 1)
                 : for_ever;
    const int result = api_.call(bus_.get(), message.get(), patience_us, &error, &reply);
    if (result >= 0) return Message(reply, {api_.message_unref});
    const std::string name = error.name == nullptr ? "no D-Bus error" : error.name;
    const std::string text = error.message == nullptr
                                 ? std::string(trestle::message(errno_status(-result, "call")))
                                 : error.message;
    api_.error_free(&error);
    return make_error(code_of(name, -result), "{}: {}: {}: {}", options_.unit, method.name, name,
                      text);
}

Status ManagerBus::start_scope(pid_t pid) const {
    const Method method = {manager_object, manager_interface, "StartTransientUnit"};
    TRESTLE_TRY(const Message message, message_to(method));
    SdMessage* m = message.get();
    const std::string& shown = options_.description.empty() ? options_.unit : options_.description;
    int result = api_.append(m, "ss", options_.unit.c_str(), "fail");
    const auto add = [&](auto... arguments) {
        if (result >= 0) result = api_.append(m, arguments...);
    };
    if (result >= 0) result = api_.open_container(m, 'a', "(sv)");
    add("(sv)", "Description", "s", shown.c_str());
    if (!options_.slice.empty()) add("(sv)", "Slice", "s", options_.slice.c_str());
    add("(sv)", "Delegate", "b", 1);
    add("(sv)", "PIDs", "au", 1, static_cast<std::uint32_t>(pid));
    add("(sv)", "TasksMax", "t", std::numeric_limits<std::uint64_t>::max());
    add("(sv)", "CollectMode", "s", "inactive-or-failed");
    if (result >= 0) result = api_.close_container(m);
    add("a(sa(sv))", 0);
    if (result < 0) return not_sent(options_.unit, result);
    return called(method, message).status();
}

Status ManagerBus::call_with_unit(const char* name, const char* mode) const {
    const Method method = {manager_object, manager_interface, name};
    TRESTLE_TRY(const Message message, message_to(method));
    int result = api_.append(message.get(), "s", options_.unit.c_str());
    if (result >= 0 && mode != nullptr) result = api_.append(message.get(), "s", mode);
    if (result < 0) return not_sent(options_.unit, result);
    return called(method, message).status();
}

Status ManagerBus::reset_failed() const { return call_with_unit("ResetFailedUnit", nullptr); }
Status ManagerBus::stop() const { return call_with_unit("StopUnit", "replace"); }

StatusOr<std::string> ManagerBus::object_of_unit() const {
    const Method method = {manager_object, manager_interface, "GetUnit"};
    TRESTLE_TRY(const Message message, message_to(method));
    const int result = api_.append(message.get(), "s", options_.unit.c_str());
    if (result < 0) return not_sent(options_.unit, result);
    TRESTLE_TRY(const Message reply, called(method, message));
    const char* object = nullptr;
    if (api_.read(reply.get(), "o", &object) < 0 || object == nullptr) {
        return failed_precondition("{}: GetUnit: the answer names no object", options_.unit);
    }
    return std::string(object);
}

StatusOr<std::string> ManagerBus::property(const char* interface, const char* name) const {
    TRESTLE_TRY(const std::string object, object_of_unit());
    const Method method = {object, "org.freedesktop.DBus.Properties", "Get"};
    TRESTLE_TRY(const Message message, message_to(method));
    const int result = api_.append(message.get(), "ss", interface, name);
    if (result < 0) return not_sent(options_.unit, result);
    TRESTLE_TRY(const Message reply, called(method, message));
    const char* text = nullptr;
    if (api_.read(reply.get(), "v", "s", &text) < 0 || text == nullptr) {
        return failed_precondition("{}: {}: the answer is no text", options_.unit, name);
    }
    return std::string(text);
}

StatusOr<std::string> ManagerBus::control_group() const {
    return property(scope_interface, "ControlGroup");
}
StatusOr<std::string> ManagerBus::active_state() const {
    return property(unit_interface, "ActiveState");
}

Status ManagerBus::abandon() const {
    TRESTLE_TRY(const std::string object, object_of_unit());
    const Method method = {object, scope_interface, "Abandon"};
    TRESTLE_TRY(const Message message, message_to(method));
    return called(method, message).status();
}

}  // namespace trestle::os::detail
