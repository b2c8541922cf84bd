// SPDX-License-Identifier: Apache-2.0
// construct: neighbours by tables of indices, values that are saturated, an iteration in several kernels

kernel void extract(global float *image, int n) {
  int i = get_global_id(0);
  if (i < n)
    image[i] = exp(image[i] / 255.0f);
}

kernel void prepare(global const float *image, global float *sums, global float *squares, int n) {
  int i = get_global_id(0);
  if (i < n) {
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
  }
}

kernel void coefficients(float lambda, int rows, int columns, global const int *north, global const int *south,
                         global const int *east, global const int *west, global float *dn, global float *ds,
                         global float *de, global float *dw, float q0, global float *c, global const float *image) {
  int at = get_global_id(0);
  if (at >= rows * columns)
    return;
  int row = at % rows, column = at / rows;
  float j = image[at];
  float n = image[north[row] + rows * column] - j, s = image[south[row] + rows * column] - j;
  float w = image[row + rows * west[column]] - j, e = image[row + rows * east[column]] - j;
  float g2 = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
  float numerator = 0.5f * g2 - 1.0f / 16.0f * (l * l), denominator = 1 + 0.25f * l;
  float q = numerator / (denominator * denominator);
  float value = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
  dn[at] = n, ds[at] = s, dw[at] = w, de[at] = e;
  c[at] = value < 0 ? 0 : value > 1 ? 1 : value;
}

kernel void diffuse(float lambda, int rows, int columns, global const int *south, global const int *east,
                    global const float *dn, global const float *ds, global const float *de, global const float *dw,
                    global const float *c, global float *image) {
  int at = get_global_id(0);
  if (at < rows * columns) {
    int row = at % rows, column = at / rows;
    float cs = c[south[row] + rows * column], ce = c[row + rows * east[column]];
    image[at] += 0.25f * lambda * (c[at] * (dn[at] + dw[at]) + cs * ds[at] + ce * de[at]);
  }
}

kernel void compress(global float *image, int n) {
  if (get_global_id(0) < n)
    image[get_global_id(0)] = log(image[get_global_id(0)]) * 255;
}
