// A histogram of bytes; BINS comes with the build options, as programs do that are made for the data at hand.
kernel void histogram(global const uchar* data, uint size, global uint* bins) {
  local uint counts[BINS];
  uint lane = get_local_id(0);
  for (uint bin = lane; bin < BINS; bin += get_local_size(0)) counts[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < size; i += get_global_size(0)) atomic_inc(&counts[data[i] * BINS / 256]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = lane; bin < BINS; bin += get_local_size(0)) atomic_add(&bins[bin], counts[bin]);
}
