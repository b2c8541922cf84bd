// SPDX-License-Identifier: Apache-2.0
// The addon of the server: what Node has no call for. source/addon.ts loads it and describes its functions.
#ifndef MUXKIT_ICD_ADDON_ADDON_H
#define MUXKIT_ICD_ADDON_ADDON_H

#include "napi.h"

// A function that scripts call. A table of them ends with a row of zeros.
struct addon_function {
  const char *name;
  napi_callback call;
};

// Tables of functions, each by the file of its name.
extern const struct addon_function channel_functions[], device_memory_functions[], life_functions[];

enum { ADDON_MOST_ARGUMENTS = 8 };

// The arguments of a call: undefined where fewer were given.
void addon_arguments(napi_env env, napi_callback_info info, napi_value arguments[ADDON_MOST_ARGUMENTS]);
// The number that an argument is; 0 for what is none.
double addon_number(napi_env env, napi_value argument);
// The bytes of a Uint8Array, of shared memory too; NULL for what is none.
uint8_t *addon_bytes(napi_env env, napi_value argument, size_t *length);
napi_value addon_result(napi_env env, double number);
// Makes the call throw an error with the text and the reason in errno.
napi_value addon_throw(napi_env env, const char *what);

#endif
