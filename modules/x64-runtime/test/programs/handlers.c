// SPDX-License-Identifier: Apache-2.0
// An addon with handlers of its own for faults. install(word): 1 puts them over those that are there and hands on what
// it does not know, which is all; 0 puts the former ones back; 2 puts them there and hands nothing on. seen(): the
// number of faults that came by. It declares what it needs of Node-API.
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

typedef struct env_ *napi_env;
typedef struct value_ *napi_value;
typedef struct info_ *napi_info;
typedef napi_value (*callback)(napi_env, napi_info);
int napi_get_cb_info(napi_env, napi_info, size_t *, napi_value *, napi_value *, void **);
int napi_get_value_int32(napi_env, napi_value, int32_t *);
int napi_create_int32(napi_env, int32_t, napi_value *);
int napi_create_function(napi_env, const char *, size_t, callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);

static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
static struct sigaction former[4];
static volatile int hands_on;
static volatile int count;

static void on_fault(int number, siginfo_t *info, void *context) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; i++)
    if (numbers[i] == number && hands_on && former[i].sa_sigaction != NULL)
      former[i].sa_sigaction(number, info, context);
}

static napi_value install(napi_env env, napi_info info) {
  size_t given = 1;
  napi_value argument;
  int32_t word = 0;
  napi_get_cb_info(env, info, &given, &argument, NULL, NULL);
  napi_get_value_int32(env, argument, &word);
  hands_on = word == 1;
  for (int i = 0; i < 4; i++) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (word == 0) sigaction(numbers[i], &former[i], NULL);
    else sigaction(numbers[i], &action, &former[i]);
  }
  return NULL;
}

static napi_value seen(napi_env env, napi_info info) {
  napi_value result;
  (void)info;
  napi_create_int32(env, count, &result);
  return result;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  napi_create_function(env, "install", 7, install, NULL, &function);
  napi_set_named_property(env, exports, "install", function);
  napi_create_function(env, "seen", 4, seen, NULL, &function);
  napi_set_named_property(env, exports, "seen", function);
  return exports;
}
