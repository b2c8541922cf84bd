// Seed 1084: InternalError: an edge to logic.end
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[4,2,3],"local":[2,1,1],"offset":[0,0,4],"arguments":[{"contents":"0000bb41002474490000c84200004040"},{"value":"02f207e1"},{"value":"70d70296"},{"zeros":128},{"zeros":3072}]}
kernel void k(global const float* in3, uint n16, uint n17, volatile global int* counters, global uchar* out) {
  uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) + get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2))));
  uchar v22 = (uchar)(lid);
  { int i29 = (int)convert_uint((v22 == 0L)); do {
    if (((short)(0) >= (short)((short)(lsize) + (ulong)4UL))) return;
  } while (--i29 > 0 && 1); }
}
