// SPDX-License-Identifier: Apache-2.0
// Programs in the manner of SHOC: parallel building blocks with local memory, several passes each.
#include "suite.h"

// Rows of 512 complex numbers: three passes of radix 8 in local memory, 64 work-items a row.
static const char *const FFT = TEXT(
  float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
  float2 turned(float2 a) { return (float2)(a.y, -a.x); }
  void pair(float2 *a, float2 *b) {
    float2 sum = *a + *b;
    *b = *a - *b;
    *a = sum;
  }
  void transform8(float2 *v) {
    const float half_root = 0.70710678f;
    for (int i = 0; i < 4; i++) pair(&v[i], &v[i + 4]);
    v[5] = times(v[5], (float2)(half_root, -half_root));
    v[6] = turned(v[6]);
    v[7] = times(v[7], (float2)(-half_root, -half_root));
    for (int i = 0; i < 2; i++) {
      pair(&v[i], &v[i + 2]);
      pair(&v[i + 4], &v[i + 6]);
    }
    v[3] = turned(v[3]);
    v[7] = turned(v[7]);
    for (int i = 0; i < 8; i += 2) pair(&v[i], &v[i + 1]);
  }
  kernel void fft512(global const float2 *from, global float2 *to) {
    local float2 row[512];
    int item = get_local_id(0);
    size_t base = get_group_id(0) * 512;
    float2 v[8];
    for (int r = 0; r < 8; r++) v[r] = from[base + item + 64 * r];
    for (int done = 1; done < 512; done *= 8) {
      int k = item & (done - 1);
      if (done > 1) {
        for (int r = 0; r < 8; r++) v[r] = row[item + 64 * r];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      for (int r = 1; r < 8; r++) {
        float angle = -6.28318531f * (float)(k * r) / (float)(8 * done);
        v[r] = times(v[r], (float2)(cos(angle), sin(angle)));
      }
      transform8(v);
      int first = (item - k) * 8 + k;
      row[first] = v[0];
      row[first + done] = v[4];
      row[first + 2 * done] = v[2];
      row[first + 3 * done] = v[6];
      row[first + 4 * done] = v[1];
      row[first + 5 * done] = v[5];
      row[first + 6 * done] = v[3];
      row[first + 7 * done] = v[7];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 8; r++) to[base + item + 64 * r] = row[item + 64 * r];
  });

static bool fft(int rows, int count) {
  enum { LENGTH = 512 };
  size_t values = (size_t)rows * LENGTH * 2, bytes = values * sizeof(float);
  float *from = chances(values), *own = room(bytes), wanted[2 * LENGTH];
  begin(FFT);
  cl_mem result = buffer(bytes, NULL);
  cl_kernel kernel = kernel_of("fft512", "bb", buffer(bytes, from), result);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(kernel, (size_t)rows * 64, 0, 64, 0), finish();
    step_ends();
  }
  read_back(result, own, bytes);
  static double cosine[LENGTH], sine[LENGTH];
  for (int i = 0; i < LENGTH; i++)
    cosine[i] = cos(2 * M_PI * i / LENGTH), sine[i] = -sin(2 * M_PI * i / LENGTH);
  // All rows cost too much by the definition: some thirty of them, with the first and the last.
  for (int row = 0; row < rows; row = row == rows - 1 ? rows : (int)fmin(row + 1 + rows / 32, rows - 1)) {
    const float *x = from + (size_t)row * LENGTH * 2;
    for (int k = 0; k < LENGTH; k++) {
      double real = 0, imaginary = 0;
      for (int n = 0; n < LENGTH; n++) {
        double c = cosine[k * n % LENGTH], s = sine[k * n % LENGTH];
        real += x[2 * n] * c - x[2 * n + 1] * s, imaginary += x[2 * n] * s + x[2 * n + 1] * c;
      }
      wanted[2 * k] = (float)real, wanted[2 * k + 1] = (float)imaginary;
    }
    if (!are_near(own + (size_t)row * LENGTH * 2, wanted, 2 * LENGTH, 2e-3f)) return false;
  }
  return true;
}

static const char *const REDUCTION = TEXT(
  kernel void reduce(global const float *from, global float *sums, local float *scratch, int count) {
    int item = get_local_id(0), width = get_local_size(0);
    float sum = 0;
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += from[i];
    scratch[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_width = width / 2; half_width > 0; half_width /= 2) {
      if (item < half_width) scratch[item] += scratch[item + half_width];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) sums[get_group_id(0)] = scratch[0];
  });

static bool reduction(int size, int count) {
  enum { GROUPS = 64, WIDTH = 256 };
  float *from = chances(size), sums[GROUPS], own = 0;
  double wanted = 0;
  begin(REDUCTION);
  cl_mem partial = buffer(sizeof sums, NULL);
  cl_kernel kernel = kernel_of(
      "reduce", "bbli", buffer(size * sizeof(float), from), partial, (size_t)WIDTH * sizeof(float), size);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(kernel, GROUPS * WIDTH, 0, WIDTH, 0);
    read_back(partial, sums, sizeof sums);
    own = 0;
    for (int group = 0; group < GROUPS; group++) own += sums[group];
    step_ends();
  }
  for (int i = 0; i < size; i++) wanted += from[i];
  return are_near(&own, &(float){(float)wanted}, 1, 1e-4f);
}

// Scans of rows of 256, of their sums, and the sums added to the rows; a group alone scans the sums.
static const char *const SCAN = TEXT(
  kernel void scan_rows(global const int *from, global int *to, global int *sums) {
    local int row[256];
    int item = get_local_id(0), own = from[get_global_id(0)];
    row[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = 1; apart < 256; apart *= 2) {
      int before = item >= apart ? row[item - apart] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      row[item] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[get_global_id(0)] = row[item] - own;
    if (item == 255) sums[get_group_id(0)] = row[255];
  }
  kernel void scan_sums(global int *sums, int count) {
    local int row[256];
    int item = get_local_id(0), carried = 0;
    for (int base = 0; base < count; base += 256) {
      int own = base + item < count ? sums[base + item] : 0;
      row[item] = own;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int apart = 1; apart < 256; apart *= 2) {
        int before = item >= apart ? row[item - apart] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        row[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (base + item < count) sums[base + item] = carried + row[item] - own;
      carried += row[255];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  kernel void add_sums(global int *to, global const int *sums) { to[get_global_id(0)] += sums[get_group_id(0)]; });

// The size is a count of rows of 256.
static bool scan(int rows, int count) {
  int size = rows * 256, sum = 0;
  size_t bytes = size * sizeof(int);
  int *from = room(bytes), *own = room(bytes), *wanted = room(bytes);
  for (int i = 0; i < size; i++) from[i] = (int)(number() % 64), wanted[i] = sum, sum += from[i];
  begin(SCAN);
  cl_mem result = buffer(bytes, NULL), sums = buffer(rows * sizeof(int), NULL);
  cl_kernel first = kernel_of("scan_rows", "bbb", buffer(bytes, from), result, sums),
            second = kernel_of("scan_sums", "bi", sums, rows), third = kernel_of("add_sums", "bb", result, sums);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(first, size, 0, 256, 0), launch(second, 256, 0, 256, 0), launch(third, size, 0, 256, 0), finish();
    step_ends();
  }
  read_back(result, own, bytes);
  return are_same(own, wanted, size);
}

// Each work-item counts 64 keys of its own, so that equal digits keep their order.
static const char *const SORT = TEXT(
  kernel void count_digits(global const uint *keys, global int *counts, int shift) {
    local int own[16 * 64];
    int item = get_local_id(0), all = get_global_size(0), id = get_global_id(0);
    for (int digit = 0; digit < 16; digit++) own[digit * 64 + item] = 0;
    for (int i = 0; i < 64; i++) own[(keys[id * 64 + i] >> shift & 15) * 64 + item]++;
    for (int digit = 0; digit < 16; digit++) counts[digit * all + id] = own[digit * 64 + item];
  }
  kernel void scan_counts(global int *counts, int count) {
    local int row[256];
    int item = get_local_id(0), each = count / 256, sum = 0;
    for (int i = 0; i < each; i++) sum += counts[item * each + i];
    row[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = 1; apart < 256; apart *= 2) {
      int before = item >= apart ? row[item - apart] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      row[item] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    int place = row[item] - sum;
    for (int i = 0; i < each; i++) {
      int own = counts[item * each + i];
      counts[item * each + i] = place;
      place += own;
    }
  }
  kernel void scatter(global const uint *keys, global uint *sorted, global const int *counts, int shift) {
    local int places[16 * 64];
    int item = get_local_id(0), all = get_global_size(0), id = get_global_id(0);
    for (int digit = 0; digit < 16; digit++) places[digit * 64 + item] = counts[digit * all + id];
    for (int i = 0; i < 64; i++) {
      uint key = keys[id * 64 + i];
      sorted[places[(key >> shift & 15) * 64 + item]++] = key;
    }
  });

static int by_key(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

// Eight passes of 4 bits; the size is a count of groups, each of 4096 keys.
static bool sort(int groups, int count) {
  size_t items = (size_t)groups * 64, size = items * 64, bytes = size * sizeof(uint32_t);
  uint32_t *keys = room(bytes), *own = room(bytes);
  for (size_t i = 0; i < size; i++) keys[i] = number();
  begin(SORT);
  cl_mem sides[] = {buffer(bytes, NULL), buffer(bytes, NULL)}, counts = buffer(items * 16 * sizeof(int), NULL);
  cl_kernel counting = kernel_of("count_digits", ""),
            scanning = kernel_of("scan_counts", "bi", counts, (int)items * 16), scattering = kernel_of("scatter", "");
  for (int i = 0; i < count; i++) {
    write_to(sides[0], keys, bytes);
    step_begins();
    for (int pass = 0; pass < 8; pass++) {
      set(counting, "bbi", sides[pass % 2], counts, pass * 4);
      set(scattering, "bbbi", sides[pass % 2], sides[(pass + 1) % 2], counts, pass * 4);
      launch(counting, items, 0, 64, 0), launch(scanning, 256, 0, 256, 0), launch(scattering, items, 0, 64, 0);
    }
    finish();
    step_ends();
  }
  read_back(sides[0], own, bytes);
  qsort(keys, size, sizeof *keys, by_key);
  return are_same((const int *)own, (const int *)keys, size);
}

static const char *const SPMV = TEXT(
  kernel void by_rows(global const int *first, global const int *columns, global const float *values,
      global const float *x, global float *y, int rows) {
    int row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0;
    for (int i = first[row]; i < first[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
  kernel void by_groups(global const int *first, global const int *columns, global const float *values,
      global const float *x, global float *y, int rows) {
    local float sums[128];
    int item = get_local_id(0), lane = item & 31, row = get_global_id(0) / 32;
    float sum = 0;
    if (row < rows)
      for (int i = first[row] + lane; i < first[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = 16; apart > 0; apart /= 2) {
      if (lane < apart) sums[item] += sums[item + apart];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) y[row] = sums[item];
  });

// Rows of 1 to 63 numbers; a work-item a row, then 32 work-items a row.
static bool spmv(int rows, int count) {
  int *first = room((rows + 1) * sizeof(int));
  for (int row = 0; row < rows; row++) first[row + 1] = first[row] + 1 + (int)(number() % 63);
  int filled = first[rows], *columns = room(filled * sizeof(int));
  float *values = chances(filled), *x = chances(rows), *wanted = room(rows * sizeof(float)),
        *own = room(2 * rows * sizeof(float));
  for (int i = 0; i < filled; i++) columns[i] = (int)(number() % (unsigned)rows);
  begin(SPMV);
  cl_mem starts = buffer((rows + 1) * sizeof(int), first), places = buffer(filled * sizeof(int), columns),
         numbers = buffer(filled * sizeof(float), values), vector = buffer(rows * sizeof(float), x),
         results[] = {buffer(rows * sizeof(float), NULL), buffer(rows * sizeof(float), NULL)};
  cl_kernel scalar = kernel_of("by_rows", "bbbbbi", starts, places, numbers, vector, results[0], rows),
            grouped = kernel_of("by_groups", "bbbbbi", starts, places, numbers, vector, results[1], rows);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(scalar, ((size_t)rows + 127) / 128 * 128, 0, 128, 0);
    launch(grouped, ((size_t)rows + 3) / 4 * 128, 0, 128, 0);
    finish();
    step_ends();
  }
  for (int i = 0; i < 2; i++) read_back(results[i], own + i * rows, rows * sizeof(float));
  for (int row = 0; row < rows; row++)
    for (int i = first[row]; i < first[row + 1]; i++) wanted[row] += values[i] * x[columns[i]];
  return are_near(own, wanted, rows, 1e-3f) && are_near(own + rows, wanted, rows, 1e-3f);
}

static const char *const MD = TEXT(
  kernel void forces(global const float4 *place, global const int *neighbors, global float4 *force, int atoms) {
    int atom = get_global_id(0);
    float4 here = place[atom], sum = (float4)(0.0f);
    for (int i = 0; i < 64; i++) {
      float4 apart = here - place[neighbors[i * atoms + atom]];
      float square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
      if (square < 16.0f) {
        float inverse = 1.0f / square;
        float sixth = inverse * inverse * inverse;
        sum += apart * (inverse * sixth * (1.5f * sixth - 2.0f));
      }
    }
    force[atom] = sum;
  });

// Forces of Lennard and Jones between atoms and their lists of neighbors; no two atoms touch.
static bool md(int atoms, int count) {
  enum { NEIGHBORS = 64, ROW = 24 };
  size_t bytes = atoms * 4 * sizeof(float);
  float *place = room(bytes), *own = room(bytes), *wanted = room(bytes);
  int *neighbors = room(atoms * NEIGHBORS * sizeof(int));
  for (int i = 0; i < atoms; i++) {
    const int corner[] = {i % ROW, i / ROW % ROW, i / ROW / ROW};
    for (int axis = 0; axis < 3; axis++) place[i * 4 + axis] = (float)corner[axis] * 1.3f + 0.4f * chance();
  }
  for (int i = 0; i < atoms * NEIGHBORS; i++)
    neighbors[i] = (int)((i % atoms + 1 + number() % (unsigned)(atoms < 2000 ? atoms - 1 : 1999)) % atoms);
  begin(MD);
  cl_mem result = buffer(bytes, NULL);
  cl_kernel kernel = kernel_of("forces", "bbbi", buffer(bytes, place),
      buffer(atoms * NEIGHBORS * sizeof(int), neighbors), result, atoms);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(kernel, atoms, 0, 0, 0), finish();
    step_ends();
  }
  read_back(result, own, bytes);
  for (int atom = 0; atom < atoms; atom++)
    for (int i = 0; i < NEIGHBORS; i++) {
      const float *here = place + atom * 4, *other = place + neighbors[i * atoms + atom] * 4;
      float apart[3], square = 0;
      for (int axis = 0; axis < 3; axis++) apart[axis] = here[axis] - other[axis], square += apart[axis] * apart[axis];
      if (square >= 16) continue;
      float inverse = 1 / square, sixth = inverse * inverse * inverse;
      for (int axis = 0; axis < 3; axis++)
        wanted[atom * 4 + axis] += apart[axis] * (inverse * sixth * (1.5f * sixth - 2));
    }
  return are_near(own, wanted, atoms * 4, 1e-2f);
}

static const char *const TRIAD = TEXT(
  kernel void triad(global const float *a, global const float *b, global float *c, float factor) {
    int i = get_global_id(0);
    c[i] = a[i] + factor * b[i];
  });

// A step is a pass over all blocks on two queues in turn: two writes, a launch and a read each, none of which blocks.
static bool triad(int blocks, int count) {
  enum { BLOCK = 65536 };
  size_t size = (size_t)blocks * BLOCK, bytes = BLOCK * sizeof(float);
  float *a = chances(size), *b = chances(size), *own = room(size * sizeof(float)),
        *wanted = room(size * sizeof(float));
  begin(TRIAD);
  cl_command_queue queues[] = {queue, another_queue()};
  cl_mem buffers[2][3];
  cl_kernel kernels[2];
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 3; i++) buffers[side][i] = buffer(bytes, NULL);
    kernels[side] = kernel_of("triad", "bbbf", buffers[side][0], buffers[side][1], buffers[side][2], 1.75);
  }
  for (int t = 0; t < count; t++) {
    step_begins();
    for (int block = 0; block < blocks; block++) {
      size_t from = (size_t)block * BLOCK;
      const float *sources[] = {a + from, b + from};
      queue = queues[block % 2];
      for (int i = 0; i < 2; i++)
        must("clEnqueueWriteBuffer",
            clEnqueueWriteBuffer(queue, buffers[block % 2][i], CL_FALSE, 0, bytes, sources[i], 0, NULL, NULL));
      launch(kernels[block % 2], BLOCK, 0, 128, 0);
      must("clEnqueueReadBuffer",
          clEnqueueReadBuffer(queue, buffers[block % 2][2], CL_FALSE, 0, bytes, own + from, 0, NULL, NULL));
      must("clFlush", clFlush(queue));
    }
    for (int side = 0; side < 2; side++) must("clFinish", clFinish(queues[side]));
    step_ends();
  }
  for (size_t i = 0; i < size; i++) wanted[i] = a[i] + 1.75f * b[i];
  return are_near(own, wanted, size, 1e-5f);
}

static const struct entry ENTRIES[] = {{"fft", fft, 1024, 20}, {"reduction", reduction, 1 << 22, 60},
    {"scan", scan, 4096, 60}, {"sort", sort, 64, 40}, {"spmv", spmv, 32768, 150}, {"md", md, 12288, 200},
    {"triad", triad, 32, 60}};
SUITE(ENTRIES)
