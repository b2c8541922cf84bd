// SPDX-License-Identifier: Apache-2.0
#include "addon.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct addon_function *const tables[] = {channel_functions, device_memory_functions, life_functions};

void addon_arguments(napi_env env, napi_callback_info info, napi_value arguments[ADDON_MOST_ARGUMENTS]) {
  size_t count = ADDON_MOST_ARGUMENTS;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
}

double addon_number(napi_env env, napi_value argument) {
  double number = 0;
  return napi_get_value_double(env, argument, &number) == 0 ? number : 0;
}

uint8_t *addon_bytes(napi_env env, napi_value argument, size_t *length) {
  void *bytes = NULL;
  return napi_get_typedarray_info(env, argument, NULL, length, &bytes, NULL, NULL) == 0 ? bytes : NULL;
}

napi_value addon_result(napi_env env, double number) {
  napi_value result = NULL;
  napi_create_double(env, number, &result);
  return result;
}

napi_value addon_throw(napi_env env, const char *what) {
  char text[256];
  snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
  napi_throw_error(env, NULL, text);
  return NULL;
}

// What Node calls when the addon is loaded.
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const struct addon_function *row = tables[i]; row->name != NULL; row++) {
      napi_value function;
      if (napi_create_function(env, row->name, strlen(row->name), row->call, NULL, &function) != 0 ||
          napi_set_named_property(env, exports, row->name, function) != 0)
        return NULL;
    }
  return exports;
}
