// Compiled when the page is built.
kernel void scale(global float* out, global const float* in, float by) {
  size_t i = get_global_id(0);
  out[i] = in[i] * by;
}
