// SPDX-License-Identifier: Apache-2.0
// construct: functions of the program with one name and several types

float __attribute__((overloadable)) area(float r) { return 3 * r * r; }
float __attribute__((overloadable)) area(float a, float b) { return a * b; }
float4 __attribute__((overloadable)) area(float4 v) { return v * v.wzyx; }
int __attribute__((overloadable)) area(global const int *p) { return *p; }
int __attribute__((overloadable)) area(local const int *p) { return *p + 1; }
kernel void overloads(global float4 *p, global const int *g, local int *l) {
  *l = 1;
  p[get_global_id(0)] = area(p[0]) + area(1.0f) + area(2.0f, 3.0f) + area(g) + area(l);
}
