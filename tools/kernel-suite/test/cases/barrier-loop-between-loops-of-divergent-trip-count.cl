// Loops of each work-item's own length on both sides of a loop with barriers (PoCL #553, #980).
// launch: {"kernel":"k","options":"","global":[30],"local":[15],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"value":"03000000"},{"zeros":120}],"expected":["640000007c010000530d00002b4100002e0f0000de300000b18f00001d8d0100a841000090a700009fa001001ff60300d29700005e5d010085ba0200640000007c010000530d00002b4100002e0f0000de300000b18f00001d8d0100a841000090a700009fa001001ff60300d29700005e5d010085ba0200"]}
kernel void k(int rounds, global int* out) {
  local int tile[15];
  int id = get_local_id(0), a = 0, b = 0;
  for (int i = 0; i < id; i++) a += i;
  for (int j = 0; j < rounds; j++) {
    tile[id] = a + j;
    barrier(CLK_LOCAL_MEM_FENCE);
    b = b * 7 + tile[(id + j) % 15];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int m = 0; m < (id & 3); m++) b = b * 2 + m;
  out[get_global_id(0)] = a + b * 10;
}
