// SPDX-License-Identifier: Apache-2.0
// construct: macros that name themselves, empty arguments, conditions with nested calls

#define f(x) (f(x) + 1)
#define EMPTY
#define PICK(a, b) a EMPTY b
#if !defined(MISSING) && (EMPTY 1 + 1 == 2) && __LINE__ > 5
#define VALUE 3
#elif 1 / 0
#error "not reached"
#endif
int (f)(int x) { return x * VALUE; }
#undef f
#define g(...) f(__VA_ARGS__)
kernel void macros(global int *p) { p[0] = g(PICK(2, +3)) + f(PICK(, 7)); }
