//= Program: a matrix product in the manner of BLAS, tiles and types by macros
//= options: -DTS=16 -DWPT=4
//= ok
#ifndef REAL
#define REAL float
#endif
#define RTS (TS / WPT)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define REAL4 CAT(REAL, 4)
#define MAD(c, a, b) c = mad(a, b, c)
#define UNROLL _Pragma("unroll")
typedef REAL real;
__kernel __attribute__((reqd_work_group_size(TS, RTS, 1)))
void gemm(const int M, const int N, const int K, const real alpha, const __global real* restrict A, const __global real* restrict B, const real beta, __global real* restrict C) {
  const int row = get_local_id(0), col = get_local_id(1);
  const int globalRow = TS * get_group_id(0) + row, globalCol = TS * get_group_id(1) + col;
  __local real Asub[TS][TS + 1], Bsub[TS][TS + 1];
  real acc[WPT];
  UNROLL
  for (int w = 0; w < WPT; w++) acc[w] = (real)0;
  const int numTiles = (K + TS - 1) / TS;
  for (int t = 0; t < numTiles; t++) {
    for (int w = 0; w < WPT; w++) {
      const int tiledRow = TS * t + row, tiledCol = TS * t + col;
      Asub[col + w * RTS][row] = (globalRow < M && tiledCol + w * RTS < K) ? A[(tiledCol + w * RTS) * M + globalRow] : (real)0;
      Bsub[col + w * RTS][row] = (tiledRow < K && globalCol + w * RTS < N) ? B[(globalCol + w * RTS) * K + tiledRow] : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; k++)
      UNROLL for (int w = 0; w < WPT; w++) MAD(acc[w], Asub[k][row], Bsub[col + w * RTS][k]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < WPT; w++) {
    const int c = globalCol + w * RTS;
    if (globalRow < M && c < N) C[c * M + globalRow] = alpha * acc[w] + beta * C[c * M + globalRow];
  }
}
__kernel void scal4(__global REAL4* x, const real alpha) { x[get_global_id(0)] *= alpha; }

//= Program: a Fourier transform of radix 4 and 2, as generators write it
//= ok
typedef float2 complex_t;
#define CMUL(a, b) ((complex_t)((a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x))
#define CONJ(a) ((complex_t)((a).x, -(a).y))
#define MULI(a) ((complex_t)(-(a).y, (a).x))
#define TWIDDLE(k, n) ((complex_t)(native_cos(-2.0f * M_PI_F * (k) / (n)), native_sin(-2.0f * M_PI_F * (k) / (n))))
#define FFT2(a0, a1) { complex_t c0 = a0; a0 = c0 + a1; a1 = c0 - a1; }
#define FFT4(a0, a1, a2, a3) { FFT2(a0, a2); FFT2(a1, a3); FFT2(a0, a1); a3 = MULI(a3); a3 = -a3; FFT2(a2, a3); }
__constant float2 rotations[4] = { (float2)(1.0f, 0.0f), (float2)(0.0f, -1.0f), (float2)(-1.0f, 0.0f), (float2)(0.0f, 1.0f) };
__kernel void fft16(__global complex_t* data, int direction) {
  __local float sx[64], sy[64];
  const int i = get_local_id(0);
  __global complex_t* p = data + get_group_id(0) * 16 + i;
  complex_t a0 = p[0], a1 = p[4], a2 = p[8], a3 = p[12];
  if (direction < 0) { a0 = CONJ(a0); a1 = CONJ(a1); a2 = CONJ(a2); a3 = CONJ(a3); }
  FFT4(a0, a1, a2, a3)
  a1 = CMUL(a1, TWIDDLE(i, 16)); a2 = CMUL(a2, TWIDDLE(2 * i, 16)); a3 = CMUL(a3, TWIDDLE(3 * i, 16));
  sx[i] = a0.x; sx[i + 4] = a1.x; sx[i + 8] = a2.x; sx[i + 12] = a3.x;
  sy[i] = a0.y; sy[i + 4] = a1.y; sy[i + 8] = a2.y; sy[i + 12] = a3.y;
  barrier(CLK_LOCAL_MEM_FENCE);
  a0 = (complex_t)(sx[4 * i], sy[4 * i]); a1 = (complex_t)(sx[4 * i + 1], sy[4 * i + 1]);
  a2 = (complex_t)(sx[4 * i + 2], sy[4 * i + 2]); a3 = (complex_t)(sx[4 * i + 3], sy[4 * i + 3]);
  FFT4(a0, a1, a2, a3)
  p[0] = a0 * rotations[0].x; p[4] = a1; p[8] = a2; p[12] = a3;
}

//= Program: SHA-256 of many blocks
//= ok
#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))
#define CH(x, y, z) bitselect((z), (y), (x))
#define MAJ(x, y, z) bitselect((x), (y), (z) ^ (x))
#define S0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define S1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define R0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define R1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define SWAP32(x) as_uint(as_uchar4(x).wzyx)
typedef union { uint w[16]; uchar16 v[4]; } block_t;
__constant uint K[8] = { 0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U, 0xab1c5ed5U };
static void round_(uint* s, uint k, uint w) {
  uint t1 = s[7] + S1(s[4]) + CH(s[4], s[5], s[6]) + k + w, t2 = S0(s[0]) + MAJ(s[0], s[1], s[2]);
  for (int i = 7; i > 0; --i) s[i] = s[i - 1];
  s[4] += t1;
  s[0] = t1 + t2;
}
kernel void sha(global const uint* in, global uint8* out, uint count) {
  size_t gid = get_global_id(0);
  if (gid >= count) return;
  uint state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  block_t b;
  for (int i = 0; i < 16; ++i) b.w[i] = SWAP32(in[gid * 16 + i]);
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) b.w[i & 15] += R1(b.w[(i - 2) & 15]) + b.w[(i - 7) & 15] + R0(b.w[(i - 15) & 15]);
    round_(state, K[i & 7], b.w[i & 15]);
  }
  out[gid] = vload8(0, state);
}

//= Program: a bitonic sort of keys with values
//= ok
typedef struct { uint key; uint value; } pair_t;
inline void compare(local pair_t* a, local pair_t* b, bool up) {
  if ((a->key > b->key) == up) { pair_t t = *a; *a = *b; *b = t; }
}
kernel void sort(global pair_t* data, local pair_t* tile, uint n, uint up) {
  uint lid = get_local_id(0), size = get_local_size(0) * 2;
  event_t e = async_work_group_copy((local uint2*)tile, (global const uint2*)data + get_group_id(0) * size, size, 0);
  wait_group_events(1, &e);
  for (uint k = 2; k <= size; k <<= 1)
    for (uint j = k >> 1, d; j > 0; j >>= 1) {
      d = 2 * lid - (lid & (j - 1));
      barrier(CLK_LOCAL_MEM_FENCE);
      compare(tile + d, tile + d + j, ((d & k) == 0) == (up != 0));
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = lid; i < size; i += get_local_size(0)) data[get_group_id(0) * size + i] = tile[i];
}

//= Program: a reduction for every operation and type by including itself in macros
//= ok
#define OP_add(a, b) ((a) + (b))
#define OP_max(a, b) max(a, b)
#define OP_min(a, b) min(a, b)
#define REDUCTION(type, op, identity) \
  __kernel void reduce_##type##_##op(__global const type* in, __global type* out, const uint n, __local type* scratch) { \
    const size_t lid = get_local_id(0); \
    type value = (type)(identity); \
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) value = OP_##op(value, in[i]); \
    scratch[lid] = value; \
    for (size_t offset = get_local_size(0) / 2; offset > 0; offset >>= 1) { \
      barrier(CLK_LOCAL_MEM_FENCE); \
      if (lid < offset) scratch[lid] = OP_##op(scratch[lid], scratch[lid + offset]); \
    } \
    if (lid == 0) out[get_group_id(0)] = scratch[0]; \
  }
REDUCTION(int, add, 0)
REDUCTION(float, max, -INFINITY)
REDUCTION(double, min, DBL_MAX)
REDUCTION(ulong, add, 0)
REDUCTION(float4, add, 0)

//= Program: a random generator with its state in structs
//= ok
typedef struct { uint4 counter; uint2 key; uint4 output; uint used; } philox_t;
uint2 mulhilo(uint a, uint b) { return (uint2)(mul_hi(a, b), a * b); }
uint4 philox_round(uint4 c, uint2 k) {
  uint2 x = mulhilo(0xD2511F53u, c.x), y = mulhilo(0xCD9E8D57u, c.z);
  return (uint4)(y.x ^ c.y ^ k.x, y.y, x.x ^ c.w ^ k.y, x.y);
}
uint next(private philox_t* s) {
  if (s->used == 4) {
    uint4 c = s->counter;
    uint2 k = s->key;
    for (int i = 0; i < 10; ++i, k += (uint2)(0x9E3779B9u, 0xBB67AE85u)) c = philox_round(c, k);
    s->output = c;
    s->used = 0;
    if (++s->counter.x == 0) if (++s->counter.y == 0) ++s->counter.z;
  }
  uint4 o = s->output;
  switch (s->used++) { case 0: return o.x; case 1: return o.y; case 2: return o.z; default: return o.w; }
}
float uniform_(philox_t* s) { return ldexp((float)(next(s) >> 8), -24); }
float2 normal(philox_t* s) { float r = sqrt(-2.0f * log(1.0f - uniform_(s))), c, t = 2.0f * M_PI_F * uniform_(s), d = sincos(t, &c); return r * (float2)(c, d); }
kernel void fill(global float2* out, uint seed, uint n) {
  philox_t s = { .counter = (uint4)(0), .key = (uint2)(seed, get_global_id(0)), .used = 4 };
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = normal(&s);
}

//= Program: a ray tracer with functions over structs
//= ok
typedef struct { float3 origin, direction; } Ray;
typedef struct { float3 center; float radius; float3 color; int material; } Sphere;
typedef struct { float t; float3 point, normal; int id; } Hit;
enum Material { DIFFUSE, MIRROR, GLASS };
#define EPSILON 1e-4f
bool hit_sphere(constant Sphere* s, const Ray* ray, float* t) {
  float3 oc = ray->origin - s->center;
  float b = dot(oc, ray->direction), c = dot(oc, oc) - s->radius * s->radius, d = b * b - c;
  if (d < 0.0f) return false;
  float root = sqrt(d), near = -b - root;
  *t = near > EPSILON ? near : -b + root;
  return *t > EPSILON;
}
bool trace(constant Sphere* scene, int n, const Ray* ray, Hit* hit) {
  hit->t = MAXFLOAT;
  hit->id = -1;
  for (int i = 0; i < n; i++) {
    float t;
    if (hit_sphere(&scene[i], ray, &t) && t < hit->t) { hit->t = t; hit->id = i; }
  }
  if (hit->id < 0) return false;
  hit->point = ray->origin + hit->t * ray->direction;
  hit->normal = normalize(hit->point - scene[hit->id].center);
  return true;
}
float3 shade(constant Sphere* scene, int n, Ray ray) {
  float3 color = 0.0f, weight = 1.0f;
  for (int bounce = 0; bounce < 4; ++bounce) {
    Hit hit;
    if (!trace(scene, n, &ray, &hit)) { color += weight * mix((float3)(1), (float3)(0.5f, 0.7f, 1.0f), 0.5f * (ray.direction.y + 1)); break; }
    constant Sphere* s = scene + hit.id;
    switch (s->material) {
      case MIRROR: ray = (Ray){ hit.point, ray.direction - 2 * dot(ray.direction, hit.normal) * hit.normal }; weight *= s->color; continue;
      case DIFFUSE: { float light = max(dot(hit.normal, normalize((float3)(1, 2, 3))), 0.1f); color += weight * s->color * light; return color; }
      default: return color;
    }
  }
  return clamp(color, 0.0f, 1.0f);
}
kernel void render(global uchar4* image, constant Sphere* scene, int n, int width, int height) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= (int2)(width, height))) return;
  float2 uv = (convert_float2(at) + 0.5f) / (float2)(width, height) * 2.0f - 1.0f;
  Ray ray = { (float3)(0, 0, -3), normalize((float3)(uv, 1.5f)) };
  image[at.y * width + at.x] = convert_uchar4_sat_rte((float4)(shade(scene, n, ray), 1.0f) * 255.0f);
}

//= Program: image filters over plain buffers, borders by functions
//= ok
#define RADIUS 2
#define AT(image, x, y) (image)[mad24(clamp((int)(y), 0, height - 1), stride, clamp((int)(x), 0, width - 1))]
constant float gauss[2 * RADIUS + 1][2 * RADIUS + 1] = { { 1, 4, 7, 4, 1 }, { 4, 16, 26, 16, 4 }, { 7, 26, 41, 26, 7 }, { 4, 16, 26, 16, 4 }, { 1, 4, 7, 4, 1 } };
constant int2 directions[] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
kernel void blur(global const uchar4* restrict in, global uchar4* restrict out, int width, int height, int stride) {
  const int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int j = -RADIUS; j <= RADIUS; ++j) for (int i = -RADIUS; i <= RADIUS; ++i) sum += gauss[j + RADIUS][i + RADIUS] * convert_float4(AT(in, x + i, y + j));
  out[y * stride + x] = convert_uchar4_sat(sum / 273.0f);
}
kernel void median(global const uchar* in, global uchar* out, int width, int height, int stride) {
  const int x = get_global_id(0), y = get_global_id(1);
  uchar v[9], k = 0;
  for (int j = -1; j <= 1; ++j) for (int i = -1; i <= 1; ++i) v[k++] = AT(in, x + i, y + j);
#define SWAP(a, b) { uchar lo = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = lo; }
  for (int i = 0; i < 5; ++i) for (int j = 8; j > i; --j) SWAP(j - 1, j)
#undef SWAP
  out[y * stride + x] = v[4];
}
kernel void edges(global const float* in, global float* out, int width, int height, int stride) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float best = 0;
  for (uint i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) { int2 q = p + directions[i]; best = fmax(best, fabs(AT(in, q.x, q.y) - AT(in, p.x, p.y))); }
  out[p.y * stride + p.x] = best;
}

//= Program: bodies under gravity, with a tile of local memory
//= ok
typedef struct __attribute__((aligned(16))) { float4 position; float4 velocity; } body;
float3 pull(float4 a, float4 b, float softening) { float3 d = b.xyz - a.xyz; float r = rsqrt(dot(d, d) + softening); return d * (b.w * r * r * r); }
kernel void step_(global const body* in, global body* out, uint n, float dt, float softening, local float4* tile) {
  const uint i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
  body me = in[min(i, n - 1)];
  float3 force = (float3)(0.0f);
  for (uint base = 0; base < n; base += size) {
    tile[lid] = base + lid < n ? in[base + lid].position : (float4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 4
    for (uint j = 0; j < size; ++j) force += pull(me.position, tile[j], softening);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  me.velocity.xyz += force * dt;
  me.position.xyz += me.velocity.xyz * dt;
  if (i < n) out[i] = me;
}

//= Program: a prefix sum and the compaction that it is for
//= ok
#define LOG_BANKS 5
#define PAD(n) ((n) + ((n) >> LOG_BANKS))
uint scan(local uint* t, uint value, uint* total) {
  const uint lid = get_local_id(0), n = get_local_size(0);
  t[PAD(lid)] = value;
  for (uint d = 1; d < n; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint add = lid >= d ? t[PAD(lid - d)] : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[PAD(lid)] += add;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = t[PAD(n - 1)];
  return t[PAD(lid)] - value;
}
kernel void compact(global const int* in, global int* out, volatile global uint* count, uint n, int threshold, local uint* t) {
  local uint base;
  uint i = get_global_id(0), total;
  bool keep = i < n && in[i] > threshold;
  uint place = scan(t, keep, &total);
  if (get_local_id(0) == 0) base = atomic_add(count, total);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep) out[base + place] = in[i];
}

//= Program: sparse rows, a histogram with local atomics, a lattice of fluid
//= ok
kernel void spmv(global const int* restrict rows, global const int* restrict columns, global const double* restrict values, global const double* restrict x, global double* y, int n) {
  int row = get_global_id(0);
  if (row >= n) return;
  double sum = 0;
  for (int j = rows[row], end = rows[row + 1]; j < end; ++j) sum = fma(values[j], x[columns[j]], sum);
  y[row] = sum;
}
kernel void histogram(global const uchar16* data, uint n, global uint* bins) {
  local uint own[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    union { uchar16 v; uchar a[16]; } u = { data[i] };
    for (int j = 0; j < 16; ++j) atomic_inc(&own[u.a[j]]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) if (own[i] != 0) atomic_add(bins + i, own[i]);
}
enum { Q = 9 };
constant char cx[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[Q] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
constant float weights[Q] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
kernel void collide(global const float* f, global float* g, global const uchar* wall, int w, int h, float omega) {
  const int x = get_global_id(0), y = get_global_id(1), at = y * w + x;
  float own[Q], rho = 0;
  float2 u = 0;
  for (int q = 0; q < Q; ++q) {
    int sx = (x - cx[q] + w) % w, sy = (y - cy[q] + h) % h;
    own[q] = f[(q * h + sy) * w + sx];
    rho += own[q];
    u += own[q] * (float2)(cx[q], cy[q]);
  }
  u /= rho;
  for (int q = 0; q < Q; ++q) {
    float cu = 3 * dot((float2)(cx[q], cy[q]), u), equilibrium = weights[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * dot(u, u));
    g[(q * h + y) * w + x] = wall[at] ? own[q] : mix(own[q], equilibrium, omega);
  }
}

//= Program: a Mandelbrot set in double with goto, a game of life in bits, and Floyd and Warshall
//= ok
kernel void mandelbrot(global ushort* out, double2 corner, double step_, ushort limit) {
  double2 c = corner + step_ * (double2)(get_global_id(0), get_global_id(1)), z = c;
  ushort n = 0;
again:
  if (n >= limit || z.x * z.x + z.y * z.y > 4.0) goto done;
  z = (double2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
  n++;
  goto again;
done:
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}
ulong majority(ulong a, ulong b, ulong c) { return (a & b) | (c & (a ^ b)); }
kernel void life(global const ulong* in, global ulong* out, uint words) {
  size_t i = get_global_id(0), y = get_global_id(1), h = get_global_size(1);
#define ROW(r) in[((r) % h) * words + i]
#define COUNT(v) (popcount((v) & 7UL))
  ulong up = ROW(y + h - 1), own = ROW(y), down = ROW(y + 1), next = majority(up, own, down) & 0;
  for (int b = 1; b < 63; ++b) {
    int n = COUNT(up >> (b - 1)) + COUNT(own >> (b - 1)) + COUNT(down >> (b - 1)) - (int)((own >> b) & 1);
    next |= (ulong)(n == 3 || (n == 2 && (own >> b & 1))) << b;
  }
  out[y * words + i] = next;
}
kernel void paths(global uint* distance_, uint n, uint k) {
  uint i = get_global_id(1), j = get_global_id(0), through = add_sat(distance_[i * n + k], distance_[k * n + j]);
  distance_[i * n + j] = min(distance_[i * n + j], through);
}

//= program: designators through arrays, structs and unions
//= ok
typedef struct { float4 pos[2]; struct { int a[3]; union { float f; uint u; }; } in; } P;
constant P table[2] = { [1] = { .pos = { [1] = (float4)(1, 2, 3, 4) }, .in.a[2] = 7, .in.f = 1.5f } };
kernel void k(global float *o, int i) { o[0] = table[i].pos[1].w + table[i].in.a[2] + table[i].in.f; }

//= program: lists of macros
//= ok
#define LIST(X) X(add, +) X(sub, -) X(mul, *)
#define DEF(n, op) float op_##n(float a, float b) { return a op b; }
LIST(DEF)
#define CALL(n, op) case __COUNTER__: r = op_##n(r, 2.0f); break;
#undef CALL
#define CALL(n, op) r = op_##n(r, 2.0f);
kernel void k(global float *o) { float r = *o; LIST(CALL) *o = r; }

//= program: a pointer to rows of local memory
//= ok
void f(local float (*t)[17], int n) { for (int i = 0; i < n; i++) t[i][n] = 1.f; }
kernel void k(global float *o) { local float tile[16][17]; f(tile, get_local_id(0)); barrier(CLK_LOCAL_MEM_FENCE); o[0] = tile[1][2]; }

//= program: bytes taken for vectors
//= ok
kernel void k(global uchar *b, int off) { global float4 *p = (global float4 *)(b + off); global const uint *q = (global const uint *)p; *p += (float4)(q[1]); ((global ushort *)b)[3] ^= 0xffffu; }

//= program: chains of ?: over compound literals
//= ok
typedef struct { int x, y; } v2;
v2 mk(int a, int b) { return (v2){ a, b }; }
kernel void k(global int *o, int n) { for (int i = 0, j = n; i < j; i++, --j) o[i] = i > 3 ? j : i > 2 ? mk(i, j).y : ((v2){ .y = 3, .x = 4 }).x; }

//= program: a switch over enums
//= ok
enum { A = -1, B, C = B + 5, D = sizeof(int) * 2 };
kernel void k(global int *o) { int t[] = { A, B, C, D }; for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) switch (t[i]) { case A: o[i] = 1; break; case C: case D: o[i] = 2; break; default: o[i] = 3; } }

//= program: operators on vectors, mixed
//= ok
kernel void k(global float4 *o, global int4 *p, float s) { float4 a = o[0]; int4 m = a > s; o[1] = m ? a : -a; p[0] = (m & 3) | ~m; p[1] = p[0] << 2; p[2] = p[0] == p[1] || m; o[2].s03 = a.even; o[3] = (float4)(a.xy, s, 1); a.w++; o[4] = a * s + 1; p[3] = convert_int4_rtz(a) % 3; o[5] = fma(a, a, a) / (a + 0.5f); p[4] = !p[3]; }

//= program: several events at once
//= ok
kernel void k(global float *g, local float *l, int n) { event_t e = async_work_group_copy(l, g, n, 0); e = async_work_group_strided_copy(l, g + 1, n / 2, 2, e); wait_group_events(1, &e); event_t ev[2]; ev[0] = async_work_group_copy(g, l, n, 0); ev[1] = async_work_group_copy(g + n, l, n, 0); wait_group_events(2, ev); }

//= program: a float added by compare and exchange
//= ok
kernel void k(volatile global int *c, local uint *l, global float *f) { atomic_add(c, 2); atom_inc(c); atomic_cmpxchg(l, 1u, 2u); atomic_xchg(f, 1.0f); atomic_max(c + 1, 3); union { uint u; float f; } o, n; do { o.f = *f; n.f = o.f + 1; } while (atomic_cmpxchg((volatile global uint *)f, o.u, n.u) != o.u); }

//= program: a loop of gotos
//= ok
kernel void k(global int *o, int n) { int i = 0; again: do { if (i > 5) goto out; o[i] = n; } while (0); i++; goto again; out: o[n] = i; }

//= program: tables within a kernel
//= ok
kernel void k(global float *o) { constant float w[] = { 1, 2, 3 }; const float z[2][2] = { { 1, 2 }, { 3, 4 } }; for (int i = 0; i < 3; i++) o[i] = w[i] * z[i & 1][0]; }

//= program: printf of all kinds
//= ok
kernel void k(global float *o) { printf("x %d %5.2f %s %v4f %#x\n", 1, *o, "abc", (float4)(1), 255u); printf("%c%%\n", 'a'); }

//= program: const and restrict at every place of a pointer
//= ok
void cp(global const float *const restrict a, global float *restrict const b, const int n) { for (int i = n; i--;) b[i] = a[i]; }
kernel void k(const global float *const a, global float *b) { cp(a, b, 4); const global float *p = a; p += 2; b[0] = *p++; b[1] = *--p; b[2] = p[-1]; int d = p - a; b[3] = d; }

//= program: a list on the stack
//= ok
typedef struct N { struct N *next; int v; } N;
int sum(N *n) { int s = 0; while (n) { s += n->v; n = n->next; } return s; }
kernel void k(global int *o) { N a = { 0, 1 }, b = { &a, 2 }; N *p = &b, **pp = &p; *o = sum(*pp) + (*pp)->next->v; }

//= program: constants of all forms
//= ok
kernel void k(global double *o) { o[0] = 0x1.8p3 + 1e-3 + .5 + 5. + 1.0F + 0x1p-2f + 077 + 0xFFul + 1u + 'a' + '\x41' + '\n' + INFINITY + NAN + M_PI + FLT_MAX + DBL_EPSILON + INT_MAX + CHAR_BIT + MAXFLOAT + HUGE_VALF; }

//= program: built-ins on whole vectors
//= ok
kernel void k(global float8 *o, global uint4 *u, uint8 m) { o[1] = shuffle(o[0], m); o[2] = shuffle2(o[0], o[1], m); u[1] = shuffle(u[0], (uint4)(3, 2, 1, 0)); if (any(o[0] > o[1]) && all(isfinite(o[2]))) o[3] = select(o[0], o[1], (uint8)(1) << 31u); u[2] = bitselect(u[0], u[1], u[2]) + popcount(u[0]) + clz(u[1]) + mul_hi(u[0], u[1]) + mad24(u[0], u[1], u[2]) + rotate(u[0], 3u) + abs_diff(u[0], u[1]) + hadd(u[0], u[1]) + upsample((ushort4)(1), (ushort4)(2)); }

//= program: matrices by typedef
//= ok
typedef float mat4[4][4];
void mul(const mat4 a, const mat4 b, mat4 r) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { r[i][j] = 0; for (int k = 0; k < 4; k++) r[i][j] += a[i][k] * b[k][j]; } }
kernel void k(global float *o) { mat4 a = { { 1 } }, b, r; for (int i = 0; i < 16; i++) (&b[0][0])[i] = i; mul(a, b, r); bool q = o[0], w = !q; o[0] = r[0][1] + q + w; }

//= program: attributes at every place
//= ok
__attribute__((always_inline)) static inline float __attribute__((pure)) f(float x) { return x; }
typedef struct __attribute__((packed)) { char c; int i; } pk; typedef struct { char c; int i __attribute__((aligned(16))); } __attribute__((aligned(32))) al;
__kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(8, 8, 1))) void k(__global pk *restrict p, __global al *q) { q->i = p->i + sizeof(pk) * 100 + sizeof(al) + f(1); __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) p[i].c = i; }

//= program: a kernel that calls kernels
//= ok
kernel void a(global int *o, int n) { o[get_global_id(0)] += n; }
kernel void b(global int *o) { a(o, 1); a(o + 1, 2); }

//= program: static and extern functions
//= ok
static float g(float, int); extern float h(float x); float h(float x) { return g(x, 1); } static float g(float x, int n) { return x * n; } void unused(void); void unused() {} kernel void k(global float *o) { *o = h(*o); unused(); }

//= program: comments across lines
//= ok
#define M(a) do { \
  o[a] = a; /* c
 */ } while (0)
kernel void k(global int *o) { M(1); // x \
 still comment
 M(2); }

//= program: an inline function
//= ok
inline float iq(float x) { return x * x; }
kernel void k(global float *o) { *o = iq(*o); }

//= program: integers of all widths, mixed
//= ok
kernel void k(global ulong *o, uint a, long b, uchar c, short d) { o[0] = (ulong)a << 32 | c; o[1] = a * b + c * d - (c << 8) + (d >> 1) + ~c + -a; o[2] = c > d ? a : b; o[3] += (a < b) + (c == d); o[4] = (uchar)(c + 250) + (char)200; o[5] %= 7; o[6] >>= c; o[7] = a / (c | 1) * (d % 3 + 5); }

//= program: vloadn and vstoren in all address spaces
//= ok
kernel void k(global char *g, constant uint *c, local double *l) { private short p[16]; vstore16(vload16(0, (global short *)g), 0, p); l[0] = vload2(1, l).y; uint3 v = vload3(1, c); vstore3(v, 0, (global uint *)g); float16 f = vload_half16(0, (global half *)g); vstore_half4_rtz(f.lo.hi, 1, (global half *)g); vstorea_half8(f.hi, 0, (global half *)g); }

//= program: images of all kinds
//= ok
kernel void k(read_only image2d_array_t a, read_only image3d_t b, write_only image1d_t c, read_only image1d_buffer_t d, sampler_t s, global float4 *o) { o[0] = read_imagef(a, s, (int4)(1, 2, 0, 0)) + read_imagef(b, s, (float4)(.5f)) + read_imagef(d, 3); write_imagef(c, 1, o[0]); o[1] = (float4)(get_image_width(a), get_image_depth(b), get_image_array_size(a), get_image_channel_order(c)); uint4 u = read_imageui(a, (int4)(0)); o[2] = convert_float4(u); }

//= program: a counter in local memory
//= ok
kernel void k(global int *o) { volatile local int f; if (get_local_id(0) == 0) f = 0; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); atomic_inc(&f); mem_fence(CLK_LOCAL_MEM_FENCE); read_mem_fence(CLK_GLOBAL_MEM_FENCE); o[0] = f; }

//= program: unions of vectors and arrays
//= ok
typedef union { float4 v; float a[4]; struct { float x, y, z, w; }; } F4;
kernel void k(global F4 *o) { F4 t = o[0], u; for (int i = 0; i < 4; i++) u.a[3 - i] = t.a[i]; u.x += t.v.w; o[1] = u; o[2].v = u.v; }

//= program: else of the nearest if
//= ok
kernel void k(global int *o, int n) { if (n) if (n > 1) o[0] = 1; else o[0] = 2; ; ; for (;;) { if (n-- < 0) break; else continue; } while (n < 3) n++; }
