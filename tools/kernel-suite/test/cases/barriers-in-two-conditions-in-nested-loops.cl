// Two conditions with barriers in two loops around them, and a third after: each part runs once an iteration (PoCL #553).
// launch: {"kernel":"k","options":"","global":[6],"local":[6],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"value":"01000000"},{"value":"02000000"},{"zeros":24}],"expected":["7c050000640900004c0d0000341100001c15000094010000"]}
kernel void k(int arg1, int arg2, global int* out) {
  local int tile[6];
  int id = get_local_id(0), count = 0;
  for (int outer = 0; outer < 2; outer++) {
    for (int inner = 0; inner < 2; inner++) {
      count += 100;
      if (arg2 > arg1) barrier(CLK_LOCAL_MEM_FENCE);
      if (arg1 > 0) barrier(CLK_LOCAL_MEM_FENCE);
      count += 1;
    }
  }
  tile[id] = id;
  if (arg1 > 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    count += 1000 * tile[(id + 1) % 6];
  }
  out[get_global_id(0)] = count;
}
