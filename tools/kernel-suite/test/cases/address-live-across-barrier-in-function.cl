// Seed 67: InternalError: @k, ^18, `cond_br %307, ^39(%20: ptr<private>), ^39(%?: ptr<private>)`: it uses an instruction that is not in the function
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[3],"local":[1],"offset":[0],"arguments":[{"contents":"2002cb3d1b03f203000000000000000000000000000000000200000000000000"},{"contents":"0003ba00d3010381de024cbcd402776c8e0000000000000003000000000000002a2be2428ccc5cd6e90000000000000091c1f0062703b10303a2000d69bf03cb035a020394000144ac000000000000001dae41c30312ef02d5000000000000005f000000000000004400000000000000d460f12d03008c030300000000000000"},{"contents":"020000001b3d014bbb6002a90338930f790101c96a000000020000000317caf81a1dc102030000000303017c4300000002d15b0100000000dd00000001f84cfce04f99bafb00000003055393f601c436010000000101f7ee72510158010300f101360200937c0303e8000000d402008100a501ebb50000003e020200e0000000"},{"value":"1a000000"},{"value":"dd00c2610000c503"},{"zeros":128},{"zeros":384}]}
#define STRIDE 128u
uint exchange_uint(local uint* tile, uint own, uint other, uint value) { barrier(CLK_LOCAL_MEM_FENCE); tile[own] = value; barrier(CLK_LOCAL_MEM_FENCE); uint got = tile[other]; return got; }
kernel void k(global const ulong* in3, global const ulong* in4, global const int* in5, uint n18, short4 n19, volatile global int* counters, global uchar* out) {
  uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) + get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2))));
  uint h = lin;
  global uchar* mine = out + lin * STRIDE;
  local uint t24[1];
  int v22 = in5[23];
  uint v23 = exchange_uint(t24, lid, (lid + 5u) % lsize, 0u);
  uint* p25 = v22 ? &v23 : &h;
  *(global uint*)(mine + 44) = (*p25);
}
