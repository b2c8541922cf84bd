// Histogram equalisation: sums the counts up to each brightness, then moves every pixel to where its share of all
// pixels puts it.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void equalise(global const uchar4* restrict input, global uchar4* restrict output, global const uint* restrict counts,
  int pixels)
{
  local uint sums[256];
  local uint darkest;
  const int id = get_local_id(0);
  sums[id] = counts[id];
  if (id == 0) darkest = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < 256; step *= 2) {
    const uint before = id >= step ? sums[id - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[id] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // The darkest brightness that there is becomes black.
  if (counts[id] != 0 && sums[id] == counts[id]) darkest = counts[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint spread = max((uint)pixels - darkest, 1u);
  for (int i = get_global_id(0); i < pixels; i += get_global_size(0)) {
    const uchar4 pixel = input[i];
    const int old = (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8;
    const int moved = (int)(((sums[old] - darkest) * 255u + spread / 2) / spread) - old;
    output[i] = (uchar4)(convert_uchar3_sat(convert_int3(pixel.xyz) + moved), 255);
  }
}
