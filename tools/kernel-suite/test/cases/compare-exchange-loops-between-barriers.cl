// Loops that end when an exchange succeeds, one before each barrier (PoCL #1509).
// launch: {"kernel":"k","options":"","global":[39],"local":[13],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"zeros":156}],"expected":["5c0000005d0000005e0000005f0000006000000061000000620000006300000064000000650000006600000067000000680000005c0000005d0000005e0000005f0000006000000061000000620000006300000064000000650000006600000067000000680000005c0000005d0000005e0000005f000000600000006100000062000000630000006400000065000000660000006700000068000000"]}
kernel void k(global int* out) {
  volatile local int sum;
  int old;
  do old = sum; while (atomic_cmpxchg(&sum, old, 0) != old);
  barrier(CLK_LOCAL_MEM_FENCE);
  int add = (int)get_local_id(0) + 1;
  do old = sum; while (atomic_cmpxchg(&sum, old, old + add) != old);
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile global int* own = out + get_global_id(0);
  do old = *own; while (atomic_cmpxchg(own, old, sum + add) != old);
}
