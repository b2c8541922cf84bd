// Seed 5086: buffer 3, byte 57: interpreter has 3, specialised 0
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[3],"local":[1],"offset":[1],"widths":[8,4],"arguments":[{"contents":"01008e8b3d002000d900015df000aae3010089f902d0b5009d006c00850028aa"},{"contents":"8ca23d18a0ce536919020203003d2d01015f3600020221c9eaba950278c6180c13d19e018e01823100004f02b0bdabbfd12739a2e7603de700ed000002bd3d9c43fa0af36ff50eb0dbef000300010201b3037b003cfe4da3bf2dbc3fb14c3204420602e954ea490116023ebe54b80001db0110190b00700300c11b015189f2eb1a027cac114a00e52b6d776deb30794e019890ded95e7b12c3b653a34b03e27b8901f23b00df830167560129c88d021b9e382385b34b95be000338e0cd025100a1dd0e04c3aadbf426495e00024302d1020247c1006eb6015e8144676119433dfa35e52efeb944ad8a035097012e64940089224803ff1586a99f87023217f4e7"},{"value":"0002cf57"},{"zeros":128},{"zeros":1024}]}
#define STRIDE 256u
kernel void k(global const ushort* in0, global const char16* in1, uint n37, volatile global int* counters, global uchar* out) {
  uint lid = (uint)(get_local_id(0) +
    get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) +
    get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) +
    get_global_size(1) * (get_global_id(2) - get_global_offset(2))));
  global uchar* mine = out + lin * STRIDE;
  local float t43[1];
  uchar a41[4] = {(uchar)(0), (uchar)3, (uchar)(0), (uchar)(0)};
  barrier(CLK_LOCAL_MEM_FENCE); t43[lid] = 0.0f; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); float v42 = t43[(lid + 1u) % lsize];
  switch (1L) {
    case 1:
    --a41[3];
    for (int i53 = 0; i53 < 4; i53++) {
      if ((((lid >> 1) & 1u) == 0u)) a41[((uint)i53 + ((lid * 2u + 2u) & 3u)) & 3u] = a41[i53 & 3];
    }
  }
  for (uint z = 0; z < 4u; ++z) *(global uchar*)(mine + 56 + z * 1) = a41[z];
}
