// SPDX-License-Identifier: Apache-2.0
// construct: a transform of 64 points in private variables, all loops unrolled by macros

#define TIMES(a, c, s) ((float2)((a).x * (c) - (a).y * (s), (a).x * (s) + (a).y * (c)))
#define PAIR(a, b) { float2 t = v[a]; v[a] = t + v[b]; v[b] = t - v[b]; }
#define TURN(a, c, s) v[a] = TIMES(v[a], c, s);
#define QUARTER(a) v[a] = (float2)(v[a].y, -v[a].x);
#define EIGHT(a, b, c, d, e, f, g, h)                                                                                  \
  PAIR(a, e) PAIR(b, f) PAIR(c, g) PAIR(d, h)                                                                          \
  TURN(f, 0.70710678f, -0.70710678f) QUARTER(g) TURN(h, -0.70710678f, -0.70710678f)                                    \
  PAIR(a, c) PAIR(b, d) QUARTER(d) PAIR(a, b) PAIR(c, d)                                                               \
  PAIR(e, g) PAIR(f, h) QUARTER(h) PAIR(e, f) PAIR(g, h)
#define ROW(r) EIGHT(8 * r, 8 * r + 1, 8 * r + 2, 8 * r + 3, 8 * r + 4, 8 * r + 5, 8 * r + 6, 8 * r + 7)
#define COLUMN(c) EIGHT(c, c + 8, c + 16, c + 24, c + 32, c + 40, c + 48, c + 56)
#define ALL(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)
#define TWIDDLES(r)                                                                                                    \
  TURN(8 * r + 1, cos(0.0981747704f * r), -sin(0.0981747704f * r))                                                     \
  TURN(8 * r + 2, cos(0.1963495408f * r), -sin(0.1963495408f * r))                                                     \
  TURN(8 * r + 3, cos(0.2945243113f * r), -sin(0.2945243113f * r))                                                     \
  TURN(8 * r + 4, cos(0.3926990817f * r), -sin(0.3926990817f * r))                                                     \
  TURN(8 * r + 5, cos(0.4908738521f * r), -sin(0.4908738521f * r))                                                     \
  TURN(8 * r + 6, cos(0.5890486225f * r), -sin(0.5890486225f * r))                                                     \
  TURN(8 * r + 7, cos(0.6872233930f * r), -sin(0.6872233930f * r))

kernel void fft_64(global float2 *data) {
  float2 v[64];
  global float2 *own = data + get_group_id(0) * 64 * get_local_size(0) + get_local_id(0);
  for (int i = 0; i < 64; i++)
    v[i] = own[i * get_local_size(0)];
  ALL(COLUMN)
  ALL(TWIDDLES)
  ALL(ROW)
  for (int i = 0; i < 64; i++)
    own[i * get_local_size(0)] = v[i];
}
