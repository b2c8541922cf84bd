// Each arm of a condition ends with a barrier, and both lead to another one (PoCL #2281).
// launch: {"kernel":"k","options":"","global":[22],"local":[11],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"value":"00000000"},{"zeros":88}],"expected":["b4000000dc000000040100002c010000540100007c0100005a000000820000003c000000640000008c000000b4000000dc000000040100002c010000540100007c0100005a000000820000003c000000640000008c000000"]}
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
