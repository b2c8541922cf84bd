// A reduction whose neighbour exists for some work-items only, after checks of bounds that fail for nobody (PoCL #1747, #1794).
// launch: {"kernel":"k","options":"","global":[48],"local":[12],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"contents":"4d0000000f000000580000005d000000500000005000000048000000480000005200000031000000440000003a0000005b0000003500000008000000500000004b00000019000000360000000d00000011000000050000000800000047000000120000002d000000170000005400000006000000510000002b00000049000000210000002800000030000000150000000b000000230000005d0000004200000017000000510000004f000000250000001a000000"},{"value":"2d000000"},{"zeros":16},{"zeros":4}],"expected":["","42030000f401000003020000c3010000","00000000"]}
int add_all(int value, local int* shared, global int* errors) {
  int items = get_local_size(0), item = get_local_id(0);
  if (item >= items) { errors[0] = 1; return 0; }
  shared[item] = value;
  int d = 1;
  while (d < items) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int index = 2 * d * item;
    if (index < items) {
      int other = 0;
      if (index + d < items) {
        if (index + d >= 12) { errors[0] = 2; return 0; }
        other = shared[index + d];
      }
      shared[index] += other;
    }
    d *= 2;
  }
  if (item == 0) value = shared[item];
  return value;
}
kernel void k(global const int* in, int n, global int* out, global int* errors) {
  local int shared[12];
  int i = get_global_id(0), value = 0;
  if (i < n) value = in[i];
  value = add_all(value, shared, errors);
  if (get_local_id(0) == 0) out[get_group_id(0)] = value;
}
