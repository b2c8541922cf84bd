// SPDX-License-Identifier: Apache-2.0
// Device memory in this process: the file that the server has put it into, mapped here too
// (docs/decisions/061-shared-device-memory.md).
//
// The server tells where an object's bytes are right before its first reply after it made the object. So after a reply
// to anything later, a place that is not known will never be: the server shares nothing, or could not make the object.
#ifndef MUXKIT_ICD_DEVICE_MEMORY_H
#define MUXKIT_ICD_DEVICE_MEMORY_H

#include "objects.h"
#include "wire.h"

// A number for a new object, which its place comes with: numbers of objects are used again.
uint32_t device_stamp(void);
// The server tells where an object is (connection.h).
void device_place(uint32_t memory, struct wire_reader *body);
// True once an object's place was known: those of others will be.
bool device_is_shared(void);
// The first byte of an object; NULL: it is not known. Bytes that are about to be touched are prepared by
// device_prepare.
uint8_t *device_bytes(cl_mem memory);
// Makes the system map a long stretch of pages at once; short ones come page by page as they are touched.
void device_prepare(const uint8_t *bytes, size_t length);

#endif
