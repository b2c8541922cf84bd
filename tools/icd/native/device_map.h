// SPDX-License-Identifier: Apache-2.0
// The file of device memory, mapped into this process (docs/decisions/061-shared-device-memory.md).
#ifndef MUXKIT_ICD_DEVICE_MAP_H
#define MUXKIT_ICD_DEVICE_MAP_H

#include <stdint.h>

// Maps device memory of `most` bytes, which begins at a place of the file; NULL: the system refuses, or the server
// tells what cannot be.
uint8_t *device_map(uint64_t offset, uint64_t most);

#endif
