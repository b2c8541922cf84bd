// `continue` on one way round the loop, a barrier on the other (PoCL #683).
// launch: {"kernel":"k","options":"","global":[14],"local":[7],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"value":"0a000000"},{"zeros":56}],"expected":["d9a90000e56a0100f12b0200fdec020009ae0300156f0400ea8e0000d9a90000e56a0100f12b0200fdec020009ae0300156f0400ea8e0000"]}
kernel void k(int last, global int* out) {
  local int tile[7];
  int id = get_local_id(0), h = id;
  for (int i = 16; i >= last; i--) {
    if (i % 4 == 2) { h = h * 5 + 1; continue; }
    tile[id] = id * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    h = h * 3 + tile[(id + 1) % 7];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = h;
}
