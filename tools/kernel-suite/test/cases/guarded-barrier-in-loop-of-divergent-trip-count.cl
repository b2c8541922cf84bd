// Every work-item runs the loop as often as it likes; the guarded barriers are reached by all in the same iterations (PoCL #1167).
// launch: {"kernel":"k","options":"","global":[38],"local":[19],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"zeros":152}],"expected":["c20b000020270000364e0000048100008abf0000c8090100be5f01006cc10100d22e0200f0a70200c62c030054bd03009a590400980105004eb50500bc740600e23f0700c0160800e4f80800c20b000020270000364e0000048100008abf0000c8090100be5f01006cc10100d22e0200f0a70200c62c030054bd03009a590400980105004eb50500bc740600e23f0700c0160800e4f80800"]}
kernel void k(global int* out) {
  local int scratch[19];
  int id = get_local_id(0), size = get_local_size(0), acc = 0;
  scratch[id] = 0;
  for (int i = 0; i < 3 + id; i++) {
    scratch[id] += id + i;
    if (i < 3) {
      barrier(CLK_LOCAL_MEM_FENCE);
      acc += scratch[(id + 1) % size];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[get_global_id(0)] = scratch[id] * 1000 + acc;
}
