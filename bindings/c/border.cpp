// SPDX-License-Identifier: Apache-2.0
#include "border.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/utf8.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::c {
namespace {

/// A contract that a call broke.
struct BrokenContract {
    ContractViolation violation;
};

void throw_violation(const ContractViolation& violation) { throw BrokenContract{violation}; }

/// Installed when the library is loaded: the handler is that of its own copy of the core.
[[maybe_unused]] const ContractViolation::Handler handler_before =
    set_contract_handler(&throw_violation);

trestle_code code_of(StatusCode code) {
    switch (code) {
        case StatusCode::kInvalidArgument:
        case StatusCode::kOutOfRange:
            return TRESTLE_INVALID;
        case StatusCode::kNotFound:
            return TRESTLE_NOT_FOUND;
        case StatusCode::kFailedPrecondition:
        case StatusCode::kAlreadyExists:
            return TRESTLE_CONFLICT;
        case StatusCode::kPermissionDenied:
            return TRESTLE_DENIED;
        case StatusCode::kDeadlineExceeded:
            return TRESTLE_TIMEOUT;
        case StatusCode::kUnimplemented:
        case StatusCode::kUnavailable:
            return TRESTLE_UNSUPPORTED;
        default:
            return TRESTLE_SYSTEM;
    }
}

constexpr std::string_view cut_off = "...";

}  // namespace

void fail(const Status& status) {
    throw Fault{code_of(status.code()), std::string(message(status))};
}

void fail_handle(const void* handle, std::string_view expected) {
    if (handle == nullptr) fail(TRESTLE_BAD_HANDLE, "NULL handle, expected a {}", expected);
    if (!is_handle(handle)) fail(TRESTLE_BAD_HANDLE, "not a handle, expected a {}", expected);
    const auto& found = *static_cast<const Handle*>(handle);
    const Kind kind = found.kind.load(std::memory_order_acquire);
    if (kind == Kind::freed) {
        fail(TRESTLE_BAD_HANDLE, "handle was freed, expected a {}", expected);
    }
    if (name_of(kind) == expected) {
        fail(TRESTLE_BAD_HANDLE,
             "{} was left undefined by TRESTLE_INTERNAL or TRESTLE_NO_MEMORY, expected "
             "trestle_{}_free",
             expected, expected);
    }
    fail(TRESTLE_BAD_HANDLE, "handle of kind {}, expected a {}", name_of(kind), expected);
}

Kind kind_of(const void* handle, std::string_view expected) {
    if (handle != nullptr && is_handle(handle)) {
        const Kind kind = static_cast<const Handle*>(handle)->kind.load(std::memory_order_acquire);
        if (kind > Kind::freed && kind <= Kind::catalog) return kind;
    }
    fail_handle(handle, expected);
}

std::string_view text_of(const char* text, std::string_view name) {
    if (text == nullptr) fail(TRESTLE_INVALID, "{} is NULL, expected a text", name);
    if (!is_utf8(text)) fail(TRESTLE_INVALID, "{} has bytes that are not UTF-8", name);
    return text;
}

std::string_view json_text_of(const char* text, std::string_view name) {
    const std::string_view read = text_of(text, name);
    for (std::size_t at = read.find('\\'); at < read.size(); at = read.find('\\', at + 2)) {
        if (read.substr(at, 6) == "\\u0000") {
            fail(TRESTLE_INVALID,
                 "{} has \\u0000 at offset {}, expected a text without a zero byte", name, at);
        }
    }
    return read;
}

char* copy_text(std::string_view text) {
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    if (!text.empty()) std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return copy;
}

int report(trestle_error* error, trestle_code code, std::string_view message) {
    if (error == nullptr) return code;
    error->code = code;
    const std::size_t most = sizeof(error->message) - 1;
    std::size_t size = std::min(message.size(), most);
    if (size < message.size()) {
        size -= cut_off.size();
        // Not inside of a character of UTF-8.
        while (size > 0 && (static_cast<unsigned char>(message[size]) & 0xc0u) == 0x80u) --size;
    }
    std::memcpy(error->message, message.data(), size);
    if (size < message.size()) {
        std::memcpy(error->message + size, cut_off.data(), cut_off.size());
        size += cut_off.size();
    }
    error->message[size] = '\0';
    return code;
}

int refuse(trestle_error* error, const Refusal& refusal) {
    if (refusal.constraint == Constraint::invalid) {
        return report(error, TRESTLE_INVALID, refusal.reason);
    }
    const trestle_code code =
        refusal.constraint == Constraint::gave_up ? TRESTLE_GAVE_UP : TRESTLE_REFUSED;
    if (error == nullptr) return code;  // without its text
    return report(error, code, to_text(refusal));
}

int report_exception(trestle_error* error, const Border& call) noexcept {
    try {
        throw;
    } catch (const Fault& fault) {
        return report(error, fault.code, fault.message);
    } catch (const BrokenContract& broken) {
        call.mark_broken();
        return report(error, TRESTLE_INTERNAL, broken.violation.message);
    } catch (const std::bad_alloc&) {
        call.mark_broken();
        return report(error, TRESTLE_NO_MEMORY, "out of memory");
    } catch (const std::exception& exception) {
        call.mark_broken();
        return report(error, TRESTLE_INTERNAL, exception.what());
    } catch (...) {
        call.mark_broken();
        return report(error, TRESTLE_INTERNAL, "unknown exception");
    }
}

}  // namespace trestle::c
