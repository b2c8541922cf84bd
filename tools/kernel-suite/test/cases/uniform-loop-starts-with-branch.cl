// Seed 1106: InternalError: block for.body of k.body.region.3.v4 has no terminator
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[12],"local":[12],"offset":[0],"arguments":[{"contents":"400000000000000001000000000000006300000000000000b400000000000000ed000000000000000300007f420f0169d8000000000000006d0f039839039a01fa000000000000005f0000000000000055fb038c0102e9f9bb000000000000000000000000000000000000000000000081992900806803c5a7032d3502590503039e1bbb010601cc71000000000000009ed76a589403140be70000000000000000000000000000007d55016100017b2ffa0324b1374b0074a031010001030201fb000000000000009b0000000000000043036d500022e2110000000000000000fa000000000000008c009e030370420208000000000000002b00000000000000"},{"value":"5fc01e92"},{"value":"a1000000"},{"zeros":128},{"zeros":7680}]}
#define STRIDE 640u
ulong f5(global const long* x6, uchar2 x7) {
  x7.yx &= (uchar2)(0);
  uint v8 = 0u;
  uchar v9 = (uchar)((char)(0) % (uchar)((((uchar)(((convert_int(v8) & 2) != 0) ? convert_uchar(v8) : (uchar)(v8))) & (uchar)(15)) + (uchar)(1)));
  return ((((int)(v9) & 4) != 0) ? (((ulong)(v9) & (ulong)(v9)) ^ (ulong)(v9)) : (ulong)5UL);
}
kernel void k(global const long* in2, uint n10, int n11, volatile global int* counters, global uchar* out) {
  uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) + get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2))));
  global uchar* mine = out + lin * STRIDE;
  local long t18[32];
  global uint* o12 = (global uint*)(mine + 0);
  barrier(CLK_LOCAL_MEM_FENCE); { event_t e = async_work_group_copy(t18, in2, (size_t)32, 0); wait_group_events(1, &e); } barrier(CLK_LOCAL_MEM_FENCE); long v19 = t18[0u];
  uint v24 = atomic_xchg(&o12[1], lsize);
  switch (0u) {
    case 0:
    { int i25 = (int)lin; do {
      for (int i28 = 0; i28 < 3; i28++) {
        ulong v30 = f5(in2, (uchar2)(0));
        v24 = (((short)(-3) <= (short)(i25)) ? (uint)3u : 0u);
      }
    } while (--i25 > 0 && 1); }
    if (((uchar)(0) > (uchar)(v24))) {
    } else {
      if (1) return;
    }
  }
  ulong v60 = f5(in2, (uchar2)(0));
}
