// SPDX-License-Identifier: Apache-2.0
// Programs in the manner of Rodinia: graphs, grids, particles, clusters, wavelets and a heart cell, with the traffic
// between host and device that such programs have.
#include "suite.h"

static const char *const BFS = TEXT(
  kernel void expand(global const int *first, global const int *edges, global const int *cost, global int *found,
      int level, int nodes) {
    int node = get_global_id(0);
    if (node >= nodes || cost[node] != level) return;
    for (int edge = first[node]; edge < first[node + 1]; edge++)
      if (cost[edges[edge]] < 0) found[edges[edge]] = 1;
  }
  kernel void settle(global int *cost, global int *found, global int *goes_on, int level, int nodes) {
    int node = get_global_id(0);
    if (node >= nodes || found[node] == 0) return;
    found[node] = 0;
    cost[node] = level + 1;
    *goes_on = 1;
  });

// A step is a level: it writes a flag, launches twice and reads the flag.
static bool bfs(int nodes, int count) {
  enum { DEGREE = 4, REACH = 60 };
  int *first = room((nodes + 1) * sizeof(int)), *edges = room(nodes * DEGREE * sizeof(int)),
      *cost = room(nodes * sizeof(int)), *own = room(nodes * sizeof(int)), *line = room(nodes * sizeof(int)), none = 0;
  for (int node = 0; node < nodes; node++) {
    first[node + 1] = (node + 1) * DEGREE;
    for (int i = 0; i < DEGREE; i++)
      edges[node * DEGREE + i] = (int)((node + number() % REACH + (i == 0 ? 1 : nodes - REACH / 2)) % nodes);
    cost[node] = node == 0 ? 0 : -1;
  }
  begin(BFS);
  size_t bytes = nodes * sizeof(int), padded = ((size_t)nodes + 255) / 256 * 256;
  cl_mem costs = buffer(bytes, NULL), found = buffer(bytes, own), flag = buffer(sizeof none, &none),
         starts = buffer(bytes + sizeof(int), first), ends = buffer(bytes * DEGREE, edges);
  cl_kernel expand = kernel_of("expand", "bbbb", starts, ends, costs, found),
            settle = kernel_of("settle", "bbb", costs, found, flag);
  for (int i = 0; i < count; i++) {
    write_to(costs, cost, bytes);
    for (int level = 0, goes_on = 1; goes_on; level++) {
      step_begins();
      write_to(flag, &none, sizeof none);
      set(expand, "bbbbii", starts, ends, costs, found, level, nodes);
      set(settle, "bbbii", costs, found, flag, level, nodes);
      launch(expand, padded, 0, 256, 0), launch(settle, padded, 0, 256, 0);
      read_back(flag, &goes_on, sizeof goes_on);
      step_ends();
    }
  }
  read_back(costs, own, bytes);
  int end = 1;
  for (int at = 0; at < end; at++)
    for (int edge = first[line[at]]; edge < first[line[at] + 1]; edge++)
      if (cost[edges[edge]] < 0) cost[edges[edge]] = cost[line[at]] + 1, line[end++] = edges[edge];
  return are_same(own, cost, nodes);
}

static const char *const STREAMCLUSTER = TEXT(
  kernel void gains(global const float *points, constant float *center, global float *distance, int count) {
    int point = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < 32; i++) {
      float apart = points[i * count + point] - center[i];
      sum += apart * apart;
    }
    distance[point] = sum;
  });

// A step tries a point as a center: it writes the point, launches and reads each point's distance.
static bool streamcluster(int points, int count) {
  enum { WIDTH = 32 };
  float *values = chances(points * WIDTH), *nearest = room(points * sizeof(float)),
        *wanted = room(points * sizeof(float)), *distance = room(points * sizeof(float)), center[WIDTH];
  for (int i = 0; i < points; i++) nearest[i] = wanted[i] = 1e6f;
  begin(STREAMCLUSTER);
  cl_mem middle = buffer(sizeof center, NULL), result = buffer(points * sizeof(float), NULL);
  cl_kernel kernel =
      kernel_of("gains", "bbbi", buffer(points * sizeof center, values), middle, result, points);
  for (int t = 0; t < count; t++) {
    step_begins();
    for (int i = 0; i < WIDTH; i++) center[i] = values[i * points + t * 7 % points];
    write_to(middle, center, sizeof center);
    launch(kernel, points, 0, 0, 0);
    read_back(result, distance, points * sizeof(float));
    for (int i = 0; i < points; i++) nearest[i] = fminf(nearest[i], distance[i]);
    step_ends();
  }
  for (int t = 0; t < count && t < points; t++)
    for (int point = 0; point < points; point++) {
      float sum = 0;
      for (int i = 0; i < WIDTH; i++) {
        float apart = values[i * points + point] - values[i * points + t * 7 % points];
        sum += apart * apart;
      }
      wanted[point] = fminf(wanted[point], sum);
    }
  return are_near(nearest, wanted, points, 1e-4f);
}

static const char *const LAVAMD = TEXT(
  kernel void forces(global const float4 *place, global const float *charge, global float4 *force, int edge) {
    local float4 places[32];
    local float charges[32];
    int box = get_group_id(0);
    int item = get_local_id(0);
    int x = box % edge, y = box / edge % edge, z = box / edge / edge;
    float4 here = place[box * 32 + item], sum = (float4)(0.0f);
    for (int dz = -1; dz <= 1; dz++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          int ox = x + dx, oy = y + dy, oz = z + dz;
          if (ox < 0 || oy < 0 || oz < 0 || ox >= edge || oy >= edge || oz >= edge) continue;
          int other = ((oz * edge + oy) * edge + ox) * 32 + item;
          places[item] = place[other];
          charges[item] = charge[other];
          barrier(CLK_LOCAL_MEM_FENCE);
          for (int i = 0; i < 32; i++) {
            float3 apart = here.xyz - places[i].xyz;
            float energy = charges[i] * exp(-0.5f * dot(apart, apart));
            sum += (float4)(apart * (2.0f * energy), energy);
          }
          barrier(CLK_LOCAL_MEM_FENCE);
        }
    force[box * 32 + item] = sum;
  });

// Particles act on those in their own box and the boxes around it.
static bool lavamd(int edge, int count) {
  int boxes = edge * edge * edge, particles = boxes * 32;
  size_t bytes = particles * 4 * sizeof(float);
  float *place = room(bytes), *charge = chances(particles), *own = room(bytes), *wanted = room(bytes);
  for (int i = 0; i < particles; i++) {
    int box = i / 32, corner[] = {box % edge, box / edge % edge, box / edge / edge};
    for (int axis = 0; axis < 3; axis++) place[i * 4 + axis] = (float)corner[axis] + chance();
  }
  begin(LAVAMD);
  cl_mem result = buffer(bytes, NULL);
  cl_kernel kernel = kernel_of(
      "forces", "bbbi", buffer(bytes, place), buffer(particles * sizeof(float), charge), result, edge);
  for (int i = 0; i < count; i++) {
    step_begins();
    launch(kernel, particles, 0, 32, 0);
    read_back(result, own, bytes);
    step_ends();
  }
  for (int i = 0; i < particles; i++)
    for (int box = 0; box < boxes; box++) {
      if (abs(box % edge - i / 32 % edge) > 1 || abs(box / edge % edge - i / 32 / edge % edge) > 1 ||
          abs(box / edge / edge - i / 32 / edge / edge) > 1)
        continue;
      for (int j = box * 32; j < box * 32 + 32; j++) {
        float apart[3], square = 0;
        for (int axis = 0; axis < 3; axis++)
          apart[axis] = place[i * 4 + axis] - place[j * 4 + axis], square += apart[axis] * apart[axis];
        float energy = charge[j] * expf(-0.5f * square);
        for (int axis = 0; axis < 3; axis++) wanted[i * 4 + axis] += 2 * energy * apart[axis];
        wanted[i * 4 + 3] += energy;
      }
    }
  return are_near(own, wanted, particles * 4, 1e-2f);
}

// Tiles of 32 by 32 with 4 more on each side; lifting steps of the reversible 5/3 wavelet, first along rows.
static const char *const DWT2D = TEXT(
  int mirrored(int at, int size) { return at < 0 ? -at : at >= size ? 2 * size - 2 - at : at; }
  kernel void wavelet(global const int *from, global int *low, global int *out, int size, int pitch) {
    local int tile[40][41];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * 32 - 4, top = get_group_id(1) * 32 - 4;
    for (int row = y; row < 40; row += 8)
      for (int column = x; column < 40; column += 16)
        tile[row][column] = from[mirrored(top + row, size) * size + mirrored(left + column, size)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = y; row < 40; row += 8)
      for (int at = 1 + 2 * x; at < 39; at += 32) tile[row][at] -= (tile[row][at - 1] + tile[row][at + 1]) >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = y; row < 40; row += 8)
      for (int at = 2 + 2 * x; at < 38; at += 32) tile[row][at] += (tile[row][at - 1] + tile[row][at + 1] + 2) >> 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int column = x; column < 40; column += 16)
      for (int at = 1 + 2 * y; at < 39; at += 16)
        tile[at][column] -= (tile[at - 1][column] + tile[at + 1][column]) >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int column = x; column < 40; column += 16)
      for (int at = 2 + 2 * y; at < 38; at += 16)
        tile[at][column] += (tile[at - 1][column] + tile[at + 1][column] + 2) >> 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int half_size = size / 2;
    for (int row = y; row < 32; row += 8)
      for (int column = x; column < 32; column += 16) {
        int value = tile[row + 4][column + 4];
        int tx = (left + 4 + column) / 2, ty = (top + 4 + row) / 2;
        if (((row | column) & 1) == 0) low[ty * half_size + tx] = value;
        out[(ty + (row & 1) * half_size) * pitch + tx + (column & 1) * half_size] = value;
      }
  });

static int mirrored(int at, int size) { return at < 0 ? -at : at >= size ? 2 * size - 2 - at : at; }

// One level along one line of numbers, `stride` apart.
static void lift(int *line, int size, int stride, int *scratch) {
  for (int i = 0; i < size; i++) scratch[i] = line[i * stride];
  for (int i = 1; i < size; i += 2) scratch[i] -= (scratch[i - 1] + scratch[mirrored(i + 1, size)]) >> 1;
  for (int i = 0; i < size; i += 2) scratch[i] += (scratch[mirrored(i - 1, size)] + scratch[i + 1] + 2) >> 2;
  for (int i = 0; i < size; i++) line[(i / 2 + i % 2 * (size / 2)) * stride] = scratch[i];
}

// A step is a whole transform: each level takes a quarter of the one before.
static bool dwt2d(int size, int count) {
  size_t cells = (size_t)size * size, bytes = cells * sizeof(int);
  int *image = room(bytes), *own = room(bytes), *scratch = room(size * sizeof(int));
  for (size_t i = 0; i < cells; i++) image[i] = (int)(number() % 256);
  begin(DWT2D);
  cl_mem source = buffer(bytes, image), low[] = {buffer(bytes, NULL), buffer(bytes, NULL)}, out = buffer(bytes, NULL);
  cl_kernel kernel = kernel_of("wavelet", "");
  for (int i = 0; i < count; i++) {
    step_begins();
    for (int level = 0; size >> level >= 32; level++) {
      int width = size >> level;
      set(kernel, "bbbii", level == 0 ? source : low[(level + 1) % 2], low[level % 2], out, width, size);
      launch(kernel, width / 2, width / 4, 16, 8);
    }
    finish();
    step_ends();
  }
  read_back(out, own, bytes);
  for (int width = size; width >= 32; width /= 2) {
    for (int y = 0; y < width; y++) lift(image + y * size, width, 1, scratch);
    for (int x = 0; x < width; x++) lift(image + x, width, size, scratch);
  }
  return are_same(own, image, cells);
}

enum { GATES = 72 };
struct gate {
  float rise, fall, rise_at, fall_at, rise_per, fall_per, conducts, rests;
};
static struct gate gate_of(int i) {
  static const float RESTS[] = {-80, 50, -60};
  return (struct gate){0.05f + 0.01f * (float)(i % 7), 0.08f + 0.01f * (float)(i % 5), 40 + (float)(i % 6) * 4,
      35 + (float)(i % 8) * 3, 20 + (float)(i % 11), 22 + (float)(i % 9), 0.01f + 0.002f * (float)(i % 4),
      RESTS[i % 3]};
}

// One kernel without loops: a line for each gate, as such models are written.
static char *heart_cell(void) {
  char *text = room(GATES * 512 + 1024), *end = text;
  end += sprintf(end,
      "kernel void slopes(global const float *y, global float *dy, int cells, float current) {\n"
      "  int cell = get_global_id(0);\n  float v = y[cell], sum = current;\n");
  for (int i = 0; i < GATES; i++) {
    struct gate g = gate_of(i);
    end += sprintf(end,
        "  float m%d = y[%d * cells + cell];\n"
        "  float a%d = %.9gf * exp((v + %.1ff) / %.1ff), b%d = %.9gf * exp(-(v + %.1ff) / %.1ff);\n"
        "  dy[%d * cells + cell] = a%d * (1.0f - m%d) - b%d * m%d;\n  sum -= %.9gf * m%d * (v - %.1ff);\n",
        i, i + 1, i, (double)g.rise, (double)g.rise_at, (double)g.rise_per, i, (double)g.fall, (double)g.fall_at,
        (double)g.fall_per, i + 1, i, i, i, i, (double)g.conducts, i, (double)g.rests);
  }
  sprintf(end,
      "  dy[cell] = sum;\n}\n"
      "kernel void advance(global float *y, global const float *dy, float step) {\n"
      "  int i = get_global_id(0);\n  y[i] += step * dy[i];\n}\n");
  return text;
}

// A step is one of the solver: the large right-hand side, the small update, and the first cell's voltage read.
static bool myocyte(int cells, int count) {
  size_t values = (size_t)cells * (GATES + 1), bytes = values * sizeof(float);
  float *y = room(bytes), *dy = room(bytes), *own = room(bytes), voltage;
  for (int cell = 0; cell < cells; cell++) {
    y[cell] = -70 + 20 * chance();
    for (int i = 1; i <= GATES; i++) y[i * cells + cell] = chance();
  }
  begin(heart_cell());
  cl_mem values_of = buffer(bytes, y), slopes_of = buffer(bytes, dy);
  cl_kernel slopes = kernel_of("slopes", "bbif", values_of, slopes_of, cells, 0.5),
            advance = kernel_of("advance", "bbf", values_of, slopes_of, 0.01);
  for (int t = 0; t < count; t++) {
    step_begins();
    launch(slopes, cells, 0, 0, 0), launch(advance, values, 0, 0, 0);
    read_back(values_of, &voltage, sizeof voltage);
    step_ends();
  }
  read_back(values_of, own, bytes);
  for (int t = 0; t < count; t++) {
    for (int cell = 0; cell < cells; cell++) {
      float v = y[cell], sum = 0.5f;
      for (int i = 0; i < GATES; i++) {
        struct gate g = gate_of(i);
        float m = y[(i + 1) * cells + cell], rise = g.rise * expf((v + g.rise_at) / g.rise_per),
              fall = g.fall * expf(-(v + g.fall_at) / g.fall_per);
        dy[(i + 1) * cells + cell] = rise * (1 - m) - fall * m;
        sum -= g.conducts * m * (v - g.rests);
      }
      dy[cell] = sum;
    }
    for (size_t i = 0; i < values; i++) y[i] += 0.01f * dy[i];
  }
  return voltage == own[0] && are_near(own, y, values, 1e-3f);
}

static const char *const HOTSPOT = TEXT(
  kernel void warm(global const float *from, global const float *power, global float *to, int size) {
    int x = get_global_id(0), y = get_global_id(1);
    float here = from[y * size + x];
    float north = from[max(y - 1, 0) * size + x], south = from[min(y + 1, size - 1) * size + x];
    float west = from[y * size + max(x - 1, 0)], east = from[y * size + min(x + 1, size - 1)];
    to[y * size + x] = here + 0.1f * (north + south - 2.0f * here) + 0.12f * (west + east - 2.0f * here) +
                       0.05f * power[y * size + x] + 0.01f * (0.5f - here);
  });

// A step is ten launches between two grids, and a clFinish.
static bool hotspot(int size, int count) {
  size_t cells = (size_t)size * size, bytes = cells * sizeof(float);
  float *from = chances(cells), *power = chances(cells), *to = room(bytes), *own = room(bytes);
  begin(HOTSPOT);
  cl_mem grids[] = {buffer(bytes, from), buffer(bytes, to)}, sources = buffer(bytes, power);
  cl_kernel there = kernel_of("warm", "bbbi", grids[0], sources, grids[1], size),
            back = kernel_of("warm", "bbbi", grids[1], sources, grids[0], size);
  for (int t = 0; t < count; t++) {
    step_begins();
    for (int i = 0; i < 5; i++) launch(there, size, size, 16, 16), launch(back, size, size, 16, 16);
    finish();
    step_ends();
  }
  read_back(grids[0], own, bytes);
  for (int t = 0; t < count * 10; t++) {
    for (int y = 0; y < size; y++)
      for (int x = 0; x < size; x++) {
        float here = from[y * size + x], north = from[(y > 0 ? y - 1 : 0) * size + x],
              south = from[(y < size - 1 ? y + 1 : y) * size + x], west = from[y * size + (x > 0 ? x - 1 : 0)],
              east = from[y * size + (x < size - 1 ? x + 1 : x)];
        to[y * size + x] = here + 0.1f * (north + south - 2 * here) + 0.12f * (west + east - 2 * here) +
                           0.05f * power[y * size + x] + 0.01f * (0.5f - here);
      }
    float *last = from;
    from = to, to = last;
  }
  return are_near(own, from, cells, 1e-3f);
}

static const struct entry ENTRIES[] = {{"bfs", bfs, 65536, 2}, {"streamcluster", streamcluster, 2048, 2000},
    {"lavamd", lavamd, 8, 4}, {"dwt2d", dwt2d, 512, 60}, {"myocyte", myocyte, 256, 1000},
    {"hotspot", hotspot, 512, 25}};
SUITE(ENTRIES)
