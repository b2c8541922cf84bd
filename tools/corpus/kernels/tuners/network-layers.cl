// SPDX-License-Identifier: Apache-2.0
// construct: layers of networks: columns of images, activations by macros, pooling, normalisation

#ifndef ACTIVATION
#define ACTIVATION(x) ((x) > 0 ? (x) : 0.01f * (x))
#endif
kernel void image_to_columns(int n, global const float *image, int height, int width, int kernel_h, int kernel_w,
    int pad,
                             int stride, int dilation, int column_h, int column_w, global float *columns) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    const int w = i % column_w, h = i / column_w % column_h, channel = i / column_w / column_h;
    const int top = h * stride - pad, left = w * stride - pad;
    global float *to = columns + (channel * kernel_h * kernel_w * column_h + h) * column_w + w;
    for (int y = 0; y < kernel_h; ++y)
      for (int x = 0; x < kernel_w; ++x) {
        int row = top + y * dilation, column = left + x * dilation;
        *to = row >= 0 && column >= 0 && row < height && column < width ? image[(channel * height + row) * width +
            column] : 0;
        to += column_h * column_w;
      }
  }
}
kernel void activate(global float *x, global const float *bias, int spatial, int channels) {
  int i = get_global_id(0);
  float v = x[i] + bias[i / spatial % channels];
  x[i] = ACTIVATION(v);
}
kernel void pool(global const float *in, global float *out, global int *places, int width, int height, int size) {
  int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2), place = -1;
  float most = -FLT_MAX;
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) {
      int at = (c * height + y * size + j) * width + x * size + i;
      if (in[at] > most)
        most = in[at], place = at;
    }
  size_t to = (c * get_global_size(1) + y) * get_global_size(0) + x;
  out[to] = most;
  places[to] = place;
}
kernel void softmax(global float *rows, int n) {
  global float *row = rows + get_global_id(0) * n;
  float most = row[0], sum = 0;
  for (int i = 1; i < n; i++)
    most = fmax(most, row[i]);
  for (int i = 0; i < n; i++)
    sum += row[i] = exp(row[i] - most);
  for (int i = 0; i < n; i++)
    row[i] /= sum;
}
kernel void normalise(global float *x, global const float *mean, global const float *variance,
    global const float2 *scale, int spatial) {
  int i = get_global_id(0), c = i / spatial;
  x[i] = fma((x[i] - mean[c]) * rsqrt(variance[c] + 1e-5f), scale[c].x, scale[c].y);
}
