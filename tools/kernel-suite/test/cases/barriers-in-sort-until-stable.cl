// A loop with barriers that the group leaves when no work-item has exchanged anything (PoCL #1990).
// launch: {"kernel":"k","options":"","global":[48],"local":[24],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"contents":"1e010000d10000002b000000fd000000d1000000300000006c0100004901000093010000c3010000e90100009a0100007f000000e9000000a3000000c10100000a010000d0010000ce01000036010000430100000e010000dd01000099000000c00100000c010000f2010000ad000000270100000e0000002f000000f3000000c100000077010000d501000017010000d100000085000000d70100008101000059000000da000000a6010000600000009f010000160000003a00000059010000"},{"zeros":192}],"expected":["","2b000000300000007f00000099000000a3000000d1000000d1000000e9000000fd0000000a0100000e0100001e0100003601000043010000490100006c010000930100009a010000c1010000c3010000ce010000d0010000dd010000e90100000e000000160000002f0000003a000000590000006000000085000000ad000000c1000000d1000000da000000f30000000c01000017010000270100005901000077010000810100009f010000a6010000c0010000d5010000d7010000f2010000"]}
void step(local int* tile, local int* changed, int id, int odd) {
  barrier(CLK_LOCAL_MEM_FENCE);
  int at = 2 * id + odd;
  if (at + 1 < 24 && tile[at] > tile[at + 1]) {
    int low = tile[at + 1];
    tile[at + 1] = tile[at];
    tile[at] = low;
    *changed = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void k(global const int* in, global int* out) {
  local int tile[24];
  local int changed;
  int id = get_local_id(0);
  tile[id] = in[get_global_id(0)];
  while (true) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) changed = 0;
    step(tile, &changed, id, 0);
    step(tile, &changed, id, 1);
    if (!changed) break;
  }
  out[get_global_id(0)] = tile[id];
}
