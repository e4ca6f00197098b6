/* SPDX-License-Identifier: Apache-2.0 */
/* What Batsim 5 calls in a decision component. Each function returns 0, or another number when it
 * cannot go on: then it has printed why to stderr. A reply lies in memory of the component until the
 * next call, and ends in a zero byte that its size does not count. */
#ifndef BATSIM_EDC_H
#define BATSIM_EDC_H

#include <stdint.h>

/* How messages are written. */
enum { BATSIM_EDC_FORMAT_BINARY = 0x1, BATSIM_EDC_FORMAT_JSON = 0x2 };

#define BATSIM_EDC_EXPORT extern "C" __attribute__((visibility("default")))

#endif
