// SPDX-License-Identifier: Apache-2.0
// Programs in the manner of PolyBench: loops of linear algebra and stencils, one kernel for each nest of loops.
#include "suite.h"

static const char *const PRODUCT = TEXT(
  kernel void product(global const float *a, global const float *b, global float *c, int n, float alpha, float beta) {
    int j = get_global_id(0), i = get_global_id(1);
    if (i >= n || j >= n) return;
    float sum = beta * c[i * n + j];
    for (int k = 0; k < n; k++) sum += alpha * a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  });

static void multiply(const float *a, const float *b, float *c, int n, float alpha, float beta) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
  }
}

// C = alpha A B + beta C
static bool gemm(int n, int count) {
  size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
  float *a = chances(cells), *b = chances(cells), *c = chances(cells), *own = room(bytes);
  begin(PRODUCT);
  cl_mem target = buffer(bytes, NULL);
  cl_kernel kernel = kernel_of("product", "bbbiff", buffer(bytes, a), buffer(bytes, b), target, n, 1.5, 0.5);
  for (int i = 0; i < count; i++) {
    write_to(target, c, bytes);
    step_begins();
    launch(kernel, n, n, 8, 8), finish();
    step_ends();
  }
  read_back(target, own, bytes);
  multiply(a, b, c, n, 1.5f, 0.5f);
  return are_near(own, c, cells, 1e-3f);
}

// D = alpha A B C + beta D
static bool two_products(int n, int count) {
  size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
  float *a = chances(cells), *b = chances(cells), *c = chances(cells), *d = chances(cells), *between = room(bytes),
        *own = room(bytes);
  begin(PRODUCT);
  cl_mem middle = buffer(bytes, between), target = buffer(bytes, NULL);
  cl_kernel first = kernel_of("product", "bbbiff", buffer(bytes, a), buffer(bytes, b), middle, n, 0.01, 0.0),
            second = kernel_of("product", "bbbiff", middle, buffer(bytes, c), target, n, 1.0, 0.5);
  for (int i = 0; i < count; i++) {
    write_to(target, d, bytes);
    step_begins();
    launch(first, n, n, 8, 8), launch(second, n, n, 8, 8), finish();
    step_ends();
  }
  read_back(target, own, bytes);
  multiply(a, b, between, n, 0.01f, 0);
  multiply(between, c, d, n, 1, 0.5f);
  return are_near(own, d, cells, 1e-3f);
}

static const char *const JACOBI = TEXT(
  kernel void average(global const float *from, global float *to, int n) {
    int i = get_global_id(0);
    if (i > 0 && i < n - 1) to[i] = (from[i - 1] + from[i] + from[i + 1]) * 0.33333f;
  });

// Each half step is a launch that the program waits for.
static bool jacobi_1d(int n, int count) {
  size_t bytes = n * sizeof(float);
  float *a = chances(n), *b = room(bytes), *own = room(bytes);
  memcpy(b, a, bytes);
  begin(JACOBI);
  cl_mem from = buffer(bytes, a), to = buffer(bytes, a);
  cl_kernel there = kernel_of("average", "bbi", from, to, n), back = kernel_of("average", "bbi", to, from, n);
  size_t padded = ((size_t)n + 255) / 256 * 256;
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(i % 2 == 0 ? there : back, padded, 0, 256, 0), finish();
    step_ends();
  }
  read_back(count % 2 == 0 ? from : to, own, bytes);
  for (int i = 0; i < count; i++) {
    float *source = i % 2 == 0 ? a : b, *target = i % 2 == 0 ? b : a;
    for (int x = 1; x < n - 1; x++) target[x] = (source[x - 1] + source[x] + source[x + 1]) * 0.33333f;
  }
  return are_near(own, count % 2 == 0 ? a : b, n, 1e-3f);
}

static const char *const FDTD = TEXT(
  kernel void vertical(global float *ey, global const float *hz, int n, float source) {
    int j = get_global_id(0), i = get_global_id(1);
    ey[i * n + j] = i == 0 ? source : ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
  }
  kernel void horizontal(global float *ex, global const float *hz, int n) {
    int j = get_global_id(0), i = get_global_id(1);
    if (j > 0) ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
  }
  kernel void magnetic(global const float *ex, global const float *ey, global float *hz, int n) {
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n - 1 && j < n - 1)
      hz[i * n + j] -= 0.7f * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
  });

// An argument changes between launches: the source of the wave.
static bool fdtd_2d(int n, int count) {
  size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
  float *ex = chances(cells), *ey = chances(cells), *hz = chances(cells), *own = room(bytes);
  begin(FDTD);
  cl_mem along = buffer(bytes, ex), across = buffer(bytes, ey), field = buffer(bytes, hz);
  cl_kernel first = kernel_of("vertical", "bbif", across, field, n, 0.0),
            second = kernel_of("horizontal", "bbi", along, field, n),
            third = kernel_of("magnetic", "bbbi", along, across, field, n);
  for (int t = 0; t < count; t++) {
    step_begins();
    set(first, "bbif", across, field, n, (double)t / count);
    launch(first, n, n, 16, 4), launch(second, n, n, 16, 4), launch(third, n, n, 16, 4), finish();
    step_ends();
  }
  read_back(field, own, bytes);
  for (int t = 0; t < count; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        ey[i * n + j] = i == 0 ? (float)t / (float)count : ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++) ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[i * n + j] -= 0.7f * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
  }
  return are_near(own, hz, cells, 1e-2f);
}

static const char *const CORRELATION = TEXT(
  kernel void mean_of(global const float *data, global float *mean, int n) {
    int j = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += data[i * n + j];
    mean[j] = sum / n;
  }
  kernel void spread_of(global const float *data, global const float *mean, global float *spread, int n) {
    int j = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += (data[i * n + j] - mean[j]) * (data[i * n + j] - mean[j]);
    float root = sqrt(sum / n);
    spread[j] = root <= 0.005f ? 1.0f : root;
  }
  kernel void center(global float *data, global const float *mean, global const float *spread, int n) {
    int j = get_global_id(0), i = get_global_id(1);
    data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrt((float)n) * spread[j]);
  }
  kernel void correlate(global const float *data, global float *result, int n) {
    int a = get_global_id(0);
    result[a * n + a] = 1;
    for (int b = a + 1; b < n; b++) {
      float sum = 0;
      for (int i = 0; i < n; i++) sum += data[i * n + a] * data[i * n + b];
      result[a * n + b] = result[b * n + a] = sum;
    }
  });

static bool correlation(int n, int count) {
  size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
  float *data = chances(cells), *wanted = room(bytes), *own = room(bytes);
  begin(CORRELATION);
  cl_mem values = buffer(bytes, NULL), mean = buffer(n * sizeof(float), NULL), spread = buffer(n * sizeof(float), NULL),
         result = buffer(bytes, NULL);
  cl_kernel kernels[] = {kernel_of("mean_of", "bbi", values, mean, n),
      kernel_of("spread_of", "bbbi", values, mean, spread, n), kernel_of("center", "bbbi", values, mean, spread, n),
      kernel_of("correlate", "bbi", values, result, n)};
  for (int i = 0; i < count; i++) {
    write_to(values, data, bytes);
    step_begins();
    for (int k = 0; k < 4; k++) launch(kernels[k], n, k == 2 ? n : 0, 0, 0);
    finish();
    step_ends();
  }
  read_back(result, own, bytes);
  for (int j = 0; j < n; j++) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += data[i * n + j];
    for (int i = 0; i < n; i++) squares += (data[i * n + j] - sum / n) * (data[i * n + j] - sum / n);
    double root = sqrt(squares / n);
    for (int i = 0; i < n; i++)
      data[i * n + j] = (float)((data[i * n + j] - sum / n) / (sqrt(n) * (root <= 0.005 ? 1 : root)));
  }
  for (int a = 0; a < n; a++)
    for (int i = 0; i < n; i++)
      for (int b = 0; b < n; b++) wanted[a * n + b] += data[i * n + a] * data[i * n + b];
  return are_near(own, wanted, cells, 1e-3f);
}

static const char *const GRAMSCHMIDT = TEXT(
  kernel void norm(global const float *a, global float *r, int k, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * n + k] * a[i * n + k];
    r[k * n + k] = sqrt(sum);
  }
  kernel void scale(global const float *a, global const float *r, global float *q, int k, int n) {
    int i = get_global_id(0);
    q[i * n + k] = a[i * n + k] / r[k * n + k];
  }
  kernel void remove(global float *a, global float *r, global const float *q, int k, int n) {
    int j = get_global_id(0);
    if (j <= k) return;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += q[i * n + k] * a[i * n + j];
    r[k * n + j] = sum;
    for (int i = 0; i < n; i++) a[i * n + j] -= q[i * n + k] * sum;
  });

// Three small launches a column, the first of one work-item.
static bool gramschmidt(int n, int count) {
  size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
  float *a = chances(cells), *own = room(bytes), *wanted = room(bytes);
  for (int i = 0; i < n; i++) a[i * n + i] += 8;
  begin(GRAMSCHMIDT);
  cl_mem source = buffer(bytes, NULL), r = buffer(bytes, NULL), q = buffer(bytes, NULL);
  cl_kernel norm = kernel_of("norm", "bb", source, r), scale = kernel_of("scale", "bbb", source, r, q),
            removal = kernel_of("remove", "bbb", source, r, q);
  for (int i = 0; i < count; i++) {
    write_to(source, a, bytes);
    for (int k = 0; k < n; k++) {
      step_begins();
      set(norm, "bbii", source, r, k, n), set(scale, "bbbii", source, r, q, k, n),
          set(removal, "bbbii", source, r, q, k, n);
      launch(norm, 1, 0, 1, 0), launch(scale, n, 0, 0, 0), launch(removal, n, 0, 0, 0), finish();
      step_ends();
    }
  }
  read_back(q, own, bytes);
  for (int k = 0; k < n; k++) {
    double squares = 0;
    for (int i = 0; i < n; i++) squares += a[i * n + k] * a[i * n + k];
    for (int i = 0; i < n; i++) wanted[i * n + k] = a[i * n + k] / (float)sqrt(squares);
    for (int j = k + 1; j < n; j++) {
      float sum = 0;
      for (int i = 0; i < n; i++) sum += wanted[i * n + k] * a[i * n + j];
      for (int i = 0; i < n; i++) a[i * n + j] -= wanted[i * n + k] * sum;
    }
  }
  return are_near(own, wanted, cells, 1e-3f);
}

static const struct entry ENTRIES[] = {{"gemm", gemm, 256, 30}, {"2mm", two_products, 256, 15},
    {"jacobi-1d", jacobi_1d, 4000, 10000}, {"fdtd-2d", fdtd_2d, 256, 1000}, {"correlation", correlation, 256, 15},
    {"gramschmidt", gramschmidt, 192, 8}};
SUITE(ENTRIES)
