// Seed 50110: buffer 3, byte 258: interpreter has 0, specialised 5
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[32],"local":[32],"offset":[0],"widths":[8,1],"arguments":[{"contents":"2e000000ba000000b4000000d3a9d56f08000000926ba770015e0301910000092b000000f600000001b93c76cb7f7603a651c09bf5000000ef00000000000000"},{"contents":"02f51ba400000000609903016900000058000000020000005444ffd4c44103cd335f000fe0000e0102bb3fbb85add6005900000046000000031216d0e3b19eef"},{"value":"03033803"},{"value":"1b9f540300022000d1920101f896f902"},{"value":"02000000"},{"zeros":128},{"zeros":8320}]}
#define STRIDE 256u
kernel void k(global const uint* in4, global const uint* in5, uint n10, uchar16 n11, uint n12, volatile global int* counters, global uchar* out) {
  uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) + get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2))));
  global uchar* mine = out + lin * STRIDE;
  global ushort8* o13 = (global ushort8*)(mine + 0);
  switch (1L) {
    case 1:
    o13[((lid >> (short)(lsize)) & 1u)].S1 = (ushort)(1);
  }
}
