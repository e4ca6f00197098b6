// SPDX-License-Identifier: Apache-2.0
#include "../../../examples/small_scheduler.cpp"
