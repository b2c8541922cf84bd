// Each arm of a condition ends with a barrier, and both lead to another one (PoCL #2281).
// launch: {"kernel":"k","options":"","global":[22],"local":[11],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"value":"01000000"},{"zeros":88}],"expected":["6f0000008d000000ab000000c9000000e70000000501000023010000650000001500000033000000510000006f0000008d000000ab000000c9000000e7000000050100002301000065000000150000003300000051000000"]}
kernel void k(int which, global int* out) {
  local int tile[11];
  local int other[11];
  int id = get_local_id(0), value;
  tile[id] = id;
  if (which) {
    barrier(CLK_LOCAL_MEM_FENCE);
    value = tile[(id + 1) % 11] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    barrier(CLK_LOCAL_MEM_FENCE);
    value = tile[(id + 2) % 11] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  other[id] = value + id;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = other[(id + 3) % 11] * 10 + which;
}
