// SPDX-License-Identifier: Apache-2.0
// Runs generated code inside Node, for tests: load(bytes) -> address, call(address, memory, words) -> result.
// A fault in generated code becomes an exception. It declares what it needs of Node-API: no headers have to be there.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct env_ *napi_env;
typedef struct value_ *napi_value;
typedef struct info_ *napi_info;
typedef napi_value (*callback)(napi_env, napi_info);
int napi_get_cb_info(napi_env, napi_info, size_t *, napi_value *, napi_value *, void **);
int napi_get_typedarray_info(napi_env, napi_value, int *, size_t *, void **, napi_value *, size_t *);
int napi_get_value_double(napi_env, napi_value, double *);
int napi_create_double(napi_env, double, napi_value *);
int napi_create_function(napi_env, const char *, size_t, callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);
int napi_throw_error(napi_env, const char *, const char *);

#define ARCH_SET_GS 0x1001

static sigjmp_buf back;
static volatile int is_running;
static struct sigaction old[32];

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  if (is_running) siglongjmp(back, number);
  sigaction(number, &old[number], 0);
}

__attribute__((naked)) static int64_t enter(void *code, const int64_t *words, uint32_t stack) {
  __asm__("push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
          "mov %rdi, %r11\n mov %rsi, %r10\n mov %edx, %r15d\n"
          "mov %rsp, %rax\n and $-64, %rsp\n sub $64, %rsp\n mov %rax, 56(%rsp)\n"
          "mov (%r10), %rdi\n mov 8(%r10), %rsi\n mov 16(%r10), %rdx\n mov 24(%r10), %rcx\n"
          "mov 32(%r10), %r8\n mov 40(%r10), %r9\n"
          "call *%r11\n vzeroupper\n mov 56(%rsp), %rsp\n"
          "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
}

static napi_value load(napi_env env, napi_info info) {
  size_t count = 1, length;
  napi_value argument, result;
  void *bytes;
  napi_get_cb_info(env, info, &count, &argument, 0, 0);
  napi_get_typedarray_info(env, argument, 0, &length, &bytes, 0, 0);
  void *code = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, bytes, length);
  mprotect(code, length, PROT_READ | PROT_EXEC);
  napi_create_double(env, (double)(uintptr_t)code, &result);
  return result;
}

static napi_value call(napi_env env, napi_info info) {
  size_t count = 4;
  napi_value arguments[4], result;
  double code, stack;
  void *memory, *words;
  napi_get_cb_info(env, info, &count, arguments, 0, 0);
  napi_get_value_double(env, arguments[0], &code);
  napi_get_typedarray_info(env, arguments[1], 0, 0, &memory, 0, 0);
  napi_get_typedarray_info(env, arguments[2], 0, 0, &words, 0, 0);
  napi_get_value_double(env, arguments[3], &stack);
  syscall(SYS_arch_prctl, ARCH_SET_GS, memory);
  int number = sigsetjmp(back, 1);
  if (number != 0) {
    is_running = 0;
    napi_throw_error(env, 0, number == SIGILL ? "trap" : number == SIGFPE ? "division fault" : "memory fault");
    return 0;
  }
  is_running = 1;
  int64_t value = enter((void *)(uintptr_t)code, words, (uint32_t)stack);
  is_running = 0;
  napi_create_double(env, (double)value, &result);
  return result;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  for (int i = 0; i < 4; i++) sigaction(numbers[i], &action, &old[numbers[i]]);
  napi_create_function(env, "load", 4, load, 0, &function);
  napi_set_named_property(env, exports, "load", function);
  napi_create_function(env, "call", 4, call, 0, &function);
  napi_set_named_property(env, exports, "call", function);
  return exports;
}
