// SPDX-License-Identifier: Apache-2.0
// Objects that loaders dispatch by: instances, physical devices, devices, queues and command buffers. Each begins with
// a word that belongs to the loader. All others are numbers of the server.
#ifndef MUXKIT_VULKAN_OBJECTS_H
#define MUXKIT_VULKAN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

// The object of a number: the same one each time. NULL: no memory.
void *object_of_number(uint32_t number);
// Its number; 0 for NULL.
uint32_t object_number(const void *object);
// Forgets an object that is destroyed.
void object_free(void *object);

// Around a fork (forks.h).
void objects_hold(void);
void objects_let_go(bool in_child);

#endif
