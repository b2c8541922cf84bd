// SPDX-License-Identifier: Apache-2.0
// construct: 40 kernels in one file, made by a macro of types and operators

#define MAKE(name, type, operation)                                                                                    \
  kernel void name##_##type(global const type *a, global const type *b, global type *c, type s) {                      \
    size_t i = get_global_id(0);                                                                                       \
    type x = a[i], y = b[i];                                                                                           \
    c[i] = (operation) + s;                                                                                            \
  }
#define TYPES(name, operation)                                                                                         \
  MAKE(name, int, operation) MAKE(name, uint, operation) MAKE(name, float, operation) MAKE(name, double, operation)
TYPES(add, x + y)
TYPES(subtract, x - y)
TYPES(multiply, x * y)
TYPES(divide, x / (y + 1))
TYPES(smaller, min(x, y))
TYPES(larger, max(x, y))
TYPES(limit, clamp(x, s, y))
TYPES(choose, x > y ? x : y * 2)
TYPES(square, x *x + y * y)
TYPES(horner, ((x * y + 1) * x + 2) * y + 3)
