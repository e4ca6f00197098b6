// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/undo_log.hpp"

#include <utility>

#include "trestle/base/contract.hpp"

namespace trestle {

namespace detail {

UndoLog& UndoLog::operator=(const UndoLog&) {
    TRESTLE_EXPECTS(!is_open(), "no trial of the cluster is open when it is assigned to");
    return *this;
}

UndoLog::Change UndoLog::pop() {
    Change last = std::move(changes_.back());
    changes_.pop_back();
    return last;
}

}  // namespace detail

}  // namespace trestle
