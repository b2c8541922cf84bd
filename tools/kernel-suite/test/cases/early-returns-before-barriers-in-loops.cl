// Work-items that returned, and one that leaves the loop: the others wait at its barriers as vectors under masks.
// launch: {"kernel":"k","options":"","global":[48],"local":[16],"offset":[0],"widths":[8,4,16,2],"arguments":[{"zeros":192}],"expected":["16000000230000002e0000003d0000004a0000003c00000064000000710000007e0000008b00000098000000a5000000b20000008f0000006c00000049000000e6000000f3000000fe0000000d0100001a010000dc00000034010000410100004e0100005b0100006801000075010000820100005f0100003c01000019010000b6010000c30100005e010000f8000000900000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"]}
kernel void k(global uint* out) {
  uint lid = get_local_id(0), i = get_global_id(0);
  local uint t[16];
  t[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= 37) return;
  uint a[3];
  a[i % 3] = i;
  t[lid] = i * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint s = 0;
  for (uint k = 0; k < 4; k++) {
    s += t[(lid + k) & 15];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k == 2 && lid == 5) break;
    t[lid] += k;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = s + a[i % 3];
}
