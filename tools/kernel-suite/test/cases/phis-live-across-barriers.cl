// Values that go round a loop with barriers: two that change places, one that is set on one of two ways, one that all share.
// launch: {"kernel":"k","options":"","global":[32],"local":[16],"offset":[0],"widths":[4,8,16,2],"arguments":[{"zeros":128},{"value":"05000000"}],"expected":["211000007e100000db1000003811000095110000f21100004f120000ac1200000913000066130000c3130000201400007d140000aa14000007100000c40f0000211000007e100000db1000003811000095110000f21100004f120000ac1200000913000066130000c3130000201400007d140000aa14000007100000c40f0000"]}
kernel void k(global int* out, int n) {
  int lid = get_local_id(0), a = lid, b = lid * 10, c = 7, shared = n;
  local int t[16];
  for (int i = 0; i < n; i++) {
    t[lid] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = t[(lid + 1) & 15] + shared;
    int old = a;
    a = b;
    b = next;
    if (i & 1) c = old + next;
    shared = shared * 3 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = a * 7 + b * 3 + c + shared;
}
