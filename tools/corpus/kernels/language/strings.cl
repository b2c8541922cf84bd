// SPDX-License-Identifier: Apache-2.0
// construct: printf with strings through variables, and with all length modifiers

constant char title[] = "kernel";
constant char *constant unit = "ms";

void tell(constant char *what, int value) { printf("%s: %d\n", what, value); }

kernel void prints(global const int *values, float4 v) {
  size_t i = get_global_id(0);
  if (i == 0) {
    printf("%s %s\n", title, unit);
    tell("items", values[0]);
    printf("%v4hlf %.2v4hle %8v4hlg\n", v, v, v);
    printf("%5d|%-8x|%+d|%#o|%08.3f|%e|%g|%a|%c|%%\n", values[0], values[1], 3, 8, v.x, v.y, v.z, v.w, 'c');
    printf("%hhd %hd %ld %lu %lx\n", (char)values[0], (short)values[1], (long)values[2], 1UL, 2L);
  }
}
