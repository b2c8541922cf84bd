// y = a * x + y, for a million elements: x[i] is i, y[i] is 1.
kernel void saxpy(global float* y, global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
