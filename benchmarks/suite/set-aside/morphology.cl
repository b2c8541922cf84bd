// The largest of a row of fifteen bytes, a pass of a separable dilation: a work-group of 64 keeps its part of the row
// and seven more on both sides in local memory.
kernel void dilate_rows(int width, global const uchar *image, global uchar *out) {
  local uchar line[78];
  int lid = get_local_id(0), x = get_global_id(0);
  global const uchar *row = image + get_global_id(1) * width;
  line[lid + 7] = row[x];
  if (lid < 14) {
    int outside = lid < 7 ? x - 7 : x + 57;
    line[lid < 7 ? lid : lid + 64] = row[clamp(outside, 0, width - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uchar largest = 0;
  for (int k = 0; k < 15; k++) largest = max(largest, line[lid + k]);
  out[get_global_id(1) * width + x] = largest;
}
