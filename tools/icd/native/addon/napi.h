// SPDX-License-Identifier: Apache-2.0
// What the addon uses of Node-API, declared here: so it is compiled where no headers of Node are installed. Its binary
// interface is stable over all versions of Node.
#ifndef MUXKIT_ICD_ADDON_NAPI_H
#define MUXKIT_ICD_ADDON_NAPI_H

#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
// 0: success.
typedef int napi_status;

napi_status napi_create_function(
    napi_env env, const char *name, size_t length, napi_callback call, void *data, napi_value *result);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_get_cb_info(
    napi_env env, napi_callback_info info, size_t *count, napi_value *arguments, napi_value *receiver, void **data);
napi_status napi_get_typedarray_info(napi_env env, napi_value array, int *type, size_t *length, void **data,
    napi_value *buffer, size_t *byte_offset);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_external_arraybuffer(
    napi_env env, void *data, size_t bytes, napi_finalize finalize, void *hint, napi_value *result);
struct uv_loop_s;
napi_status napi_get_uv_event_loop(napi_env env, struct uv_loop_s **loop);
napi_status napi_throw_error(napi_env env, const char *code, const char *message);

#endif
