// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contracts: what a caller must guarantee, checked at O(1) in every build type.
//
// Layer: base. Main name: TRESTLE_EXPECTS(condition, "what must hold").
// A broken contract is a bug in the calling code. Bad input is a Status instead, and "does not fit"
// a value. The handler can be replaced at run time by an embedder; it is the library's only
// process-wide variable. The default handler writes one line and aborts.
// Pitfall: the check does not depend on NDEBUG, so that translation units with different build
// types agree on every inline function.

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace trestle {

/// What was violated, and where.
struct ContractViolation {
    const char* condition;  ///< the expression as written
    const char* message;    ///< what must hold, in words
    const char* file;
    int line;

    /// Called when a contract is broken. It may log, throw an exception of the embedder's own
    /// (tests do) or end the process; if it returns, the process aborts.
    using Handler = void (*)(const ContractViolation&);
};

namespace detail {

inline void abort_on_violation(const ContractViolation& violation) {
    std::fprintf(stderr, "trestle: contract broken at %s:%d: %s (%s)\n", violation.file,
                 violation.line, violation.message, violation.condition);
}

inline std::atomic<ContractViolation::Handler> contract_handler{&abort_on_violation};

[[noreturn]] inline void contract_failed(const ContractViolation& violation) {
    contract_handler.load(std::memory_order_acquire)(violation);
    std::abort();
}

}  // namespace detail

/// Installs `handler` for the whole process and returns the previous one. A null pointer restores
/// the default. Thread-safe.
inline ContractViolation::Handler set_contract_handler(ContractViolation::Handler handler) {
    return detail::contract_handler.exchange(handler ? handler : &detail::abort_on_violation,
                                             std::memory_order_acq_rel);
}

}  // namespace trestle

/// Ends in the contract handler unless `condition` holds. Use it for O(1) checks only.
#define TRESTLE_EXPECTS(condition, message) \
    (static_cast<bool>(condition)           \
         ? static_cast<void>(0)             \
         : ::trestle::detail::contract_failed({#condition, message, __FILE__, __LINE__}))
