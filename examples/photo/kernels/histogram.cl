// How many pixels have each brightness: a work-group counts in local memory, then adds its counts to the others'.
kernel void histogram(global const uchar4* restrict input, global uint* restrict counts, int pixels)
{
  local uint own[256];
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < pixels; i += get_global_size(0)) {
    const uchar4 pixel = input[i];
    atomic_inc(&own[(77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 256; i += get_local_size(0))
    if (own[i] != 0) atomic_add(&counts[i], own[i]);
}
